/*
 * Motion. Each frame F is fitted to the mean frame M by least squares: F - M = g M + a x M + b y M - dx M_x - dy M_y -
 * e (x M_x + y M_y), with x and y from the tissue's middle: a gain with slopes, as waves cause it, plus shift and
 * growth. Only the border of the tissue is used, because waves inside look like motion.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/survey.h"

enum { UNKNOWNS = 6, LEAST_PIXELS = 50 };

typedef struct {
    survey *s;
    uint8_t *taken;
    double *model; /* pixels x UNKNOWNS */
    double inverse[UNKNOWNS][UNKNOWNS];
    double reach, middle_x, middle_y; /* px */
    double *found;                    /* frames x UNKNOWNS */
} motions;

static double mean_at(const survey *s, size_t x, size_t y)
{
    return (double)s->mean[y * s->width + x];
}

/* Chooses pixels within 2 px of both tissue and background, without bad pixels in the 3 x 3 around. */
static void choose_pixels(motions *m)
{
    const survey *s = m->s;

    for (size_t y = 1; y + 1 < s->height; y++)
        for (size_t x = 1; x + 1 < s->width; x++) {
            bool tissue = false, background = false, good = true;

            for (size_t v = y > 2 ? y - 2 : 0; v <= y + 2 && v < s->height; v++)
                for (size_t u = x > 2 ? x - 2 : 0; u <= x + 2 && u < s->width; u++) {
                    int kind = s->out->kind[v * s->width + u];
                    bool next = u + 1 >= x && u <= x + 1 && v + 1 >= y && v <= y + 1;

                    tissue = tissue || kind == PENTA_SURVEY_TISSUE;
                    background = background || kind == PENTA_SURVEY_BACKGROUND || kind == PENTA_SURVEY_MASKED;
                    good = good && !(next && (kind == PENTA_SURVEY_STUCK || kind == PENTA_SURVEY_JUMPING));
                    /* bad pixels of the background are marked as background */
                    good = good && !(next && (double)s->odd[v * s->width + u] > 0.5);
                }
            m->taken[y * s->width + x] = tissue && background && good;
        }
}

static void find_middle(motions *m)
{
    const survey *s = m->s;
    size_t count = 0;

    for (size_t i = 0; i < s->pixels; i++)
        if (s->out->kind[i] == PENTA_SURVEY_TISSUE) {
            m->middle_x += (double)(i % s->width);
            m->middle_y += (double)(i / s->width);
            count++;
        }
    m->middle_x /= (double)(count ? count : 1);
    m->middle_y /= (double)(count ? count : 1);
    for (size_t i = 0; i < s->pixels; i++)
        if (s->out->kind[i] == PENTA_SURVEY_TISSUE)
            m->reach =
                fmax(m->reach, hypot((double)(i % s->width) - m->middle_x, (double)(i / s->width) - m->middle_y));
}

static void fill_model(const motions *m)
{
    const survey *s = m->s;

    for (size_t i = 0; i < s->pixels; i++) {
        size_t x = i % s->width, y = i / s->width;
        double *row = m->model + i * UNKNOWNS, mean, gx, gy, u, v;

        if (!m->taken[i])
            continue;
        mean = mean_at(s, x, y);
        gx = 0.5 * (mean_at(s, x + 1, y) - mean_at(s, x - 1, y));
        gy = 0.5 * (mean_at(s, x, y + 1) - mean_at(s, x, y - 1));
        u = ((double)x - m->middle_x) / m->reach;
        v = ((double)y - m->middle_y) / m->reach;
        row[0] = mean;
        row[1] = u * mean;
        row[2] = v * mean;
        row[3] = -gx;
        row[4] = -gy;
        row[5] = -(u * gx + v * gy);
    }
}

/* Inverts the normal equations (Gauss-Jordan); false if they are singular. */
static bool invert(motions *m)
{
    double a[UNKNOWNS][2 * UNKNOWNS] = {{0}};

    for (size_t i = 0; i < m->s->pixels; i++)
        for (int j = 0; m->taken[i] && j < UNKNOWNS; j++)
            for (int k = 0; k < UNKNOWNS; k++)
                a[j][k] += m->model[i * UNKNOWNS + j] * m->model[i * UNKNOWNS + k];
    for (int j = 0; j < UNKNOWNS; j++)
        a[j][UNKNOWNS + j] = 1;
    for (int j = 0; j < UNKNOWNS; j++) {
        double pivot = a[j][j];

        if (!(pivot > 0))
            return false;
        for (int k = 0; k < 2 * UNKNOWNS; k++)
            a[j][k] /= pivot;
        for (int i = 0; i < UNKNOWNS; i++) {
            double f = a[i][j];

            for (int k = 0; i != j && k < 2 * UNKNOWNS; k++)
                a[i][k] -= f * a[j][k];
        }
    }
    for (int j = 0; j < UNKNOWNS; j++)
        memcpy(m->inverse[j], a[j] + UNKNOWNS, sizeof m->inverse[j]);
    return true;
}

static void do_frame(void *data, size_t n)
{
    motions *m = data;
    survey *s = m->s;
    double sums[UNKNOWNS] = {0}, *row = malloc(s->width * sizeof *row);

    if (!row) {
        s->failed = true;
        return;
    }
    for (size_t y = 0; y < s->height; y++) {
        survey_values(s, n, y * s->width, s->width, row);
        for (size_t x = 0; x < s->width; x++) {
            size_t i = y * s->width + x;

            for (int k = 0; m->taken[i] && k < UNKNOWNS; k++)
                sums[k] += m->model[i * UNKNOWNS + k] * (row[x] - (double)s->mean[i]);
        }
    }
    for (int j = 0; j < UNKNOWNS; j++)
        for (int k = 0; k < UNKNOWNS; k++)
            m->found[n * UNKNOWNS + (size_t)j] += m->inverse[j][k] * sums[k];
    free(row);
}

/* Ranges of shift and growth, without a hundredth of the frames at either end. */
static void sum_up(const motions *m, double *scratch)
{
    survey *s = m->s;
    double range[3], noise[3];
    size_t few = s->frames / 100;

    for (int k = 0; k < 3; k++) {
        for (size_t n = 0; n < s->frames; n++)
            scratch[n] = m->found[n * UNKNOWNS + 3 + (size_t)k];
        range[k] = optmap_rank(scratch, s->frames, s->frames - 1 - few);
        range[k] -= optmap_rank(scratch, s->frames, few);
        for (size_t n = 1; n + 1 < s->frames; n++) {
            const double *at = m->found + n * UNKNOWNS + 3 + k;

            scratch[n - 1] = fabs(at[-UNKNOWNS] - 2 * at[0] + at[UNKNOWNS]);
        }
        noise[k] = optmap_median(scratch, s->frames - 2) / 1.652;
    }
    s->out->shift = hypot(range[0], range[1]);
    s->out->growth = range[2];
    s->out->motion_noise = hypot(hypot(noise[0], noise[1]), noise[2]);
}

penta_status survey_motion(survey *s)
{
    penta_status status = PENTA_OK;
    motions m = {.s = s};
    double *scratch = NULL;
    size_t count = 0;

    s->out->shift = s->out->growth = s->out->motion_noise = NAN;
    if (s->frames < 5 || s->out->counts[PENTA_SURVEY_TISSUE] < 25)
        return PENTA_OK;
    TRY(penta_calloc(s->ctx, s->pixels, 1, &m.taken));
    TRY(penta_calloc(s->ctx, s->pixels * UNKNOWNS, sizeof *m.model, &m.model));
    TRY(penta_calloc(s->ctx, s->frames * UNKNOWNS, sizeof *m.found, &m.found));
    TRY(penta_calloc(s->ctx, s->frames, sizeof *scratch, &scratch));
    choose_pixels(&m);
    find_middle(&m);
    fill_model(&m);
    for (size_t i = 0; i < s->pixels; i++)
        count += m.taken[i];
    if (count >= LEAST_PIXELS && invert(&m)) {
        TRY(penta_parallel_watched(s->ctx, s->frames, do_frame, &m));
        TRY(survey_check(s));
        sum_up(&m, scratch);
    }
cleanup:
    free(m.taken);
    free(m.model);
    free(m.found);
    free(scratch);
    return status;
}
