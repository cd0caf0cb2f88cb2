/* What a sample of a recording's numbers says: their light, their steps, the order of their bytes, and whether they
 * change because the light does or because the picture moves. */
#include "optmap/glance.h"

#include <math.h>
#include <stdlib.h>

#include "math/eigen.h"
#include "optmap/survey.h"

enum { MOST_PIXELS = 1024, MOST_FRAMES = 512 };
enum { SIDE = 7, MARGIN = 1, WIDE = SIDE + 2 * MARGIN, AREA = SIDE * SIDE, TERMS = 4 };
enum { MOST_SQUARES = 256, SQUARE_FRAMES = 48 };

typedef struct {
    survey numbers; /* for survey_lights alone */
    const uint8_t *mask;
    penta_glance *out;
} glance;

/* ---- single numbers ---- */

/* The integer with its bytes in the other order. */
static double swap(penta_type type, double x)
{
    const uint32_t all = __builtin_bswap32((uint32_t)(int64_t)x);

    return type == PENTA_U16   ? (double)(all >> 16)
           : type == PENTA_I16 ? (double)(int16_t)(all >> 16)
           : type == PENTA_I32 ? (double)(int32_t)all
                               : (double)all;
}

/* Sums over samples, of steps from frame to frame and of numbers; [1]: with the bytes in the other order. */
typedef struct {
    double steps, sum, squares;
} roughness;

/* Mean step over the standard deviation: near 1 of numbers without order in time. */
static double rough(const roughness *r, double n)
{
    double variance = r->squares / n - r->sum / n * (r->sum / n);

    return variance > 0 ? r->steps / n / sqrt(variance) : 0;
}

static penta_status look_at_numbers(glance *g)
{
    penta_status status = PENTA_OK;
    const survey *s = &g->numbers;
    const penta_type type = s->movie->type;
    size_t stride = (s->pixels + MOST_PIXELS - 1) / MOST_PIXELS, known = 0, negative = 0;
    size_t frames = s->frames < MOST_FRAMES ? s->frames : MOST_FRAMES;
    bool can_swap = type != PENTA_U8 && type != PENTA_F32 && type != PENTA_F64, whole = true;
    roughness r[2] = {{0}};
    double *means = NULL, step = 0, n;

    TRY(penta_calloc(s->ctx, s->pixels / stride + 1, sizeof *means, &means));
    for (size_t p = 0; p < s->pixels; p += stride) {
        double last[2] = {0}, sum = 0;

        if (g->mask && !g->mask[p])
            continue;
        for (size_t f = 0; f < frames; f++) {
            double x, rest;

            survey_lights(s, f, p, 1, &x);
            whole = whole && floor(x) >= x && fabs(x) < 0x1p53;
            for (double a = whole && f > 0 ? fabs(x - last[0]) : 0; a > 0; a = rest) { /* their common divisor */
                rest = fmod(step, a);
                step = a;
            }
            for (int i = 0; i <= can_swap; i++) {
                double v = i ? swap(type, x) : x;

                r[i].steps += f == 0 ? 0 : fabs(v - last[i]);
                r[i].sum += v;
                r[i].squares += v * v;
                last[i] = v;
            }
            sum += x;
        }
        negative += sum < 0;
        if (isfinite(sum))
            means[known++] = sum / (double)frames;
    }
    n = (double)(known * frames);
    g->out->negative = known > 0 ? (double)negative / (double)known : 0;
    g->out->step = whole ? step : 0;
    g->out->swapped = can_swap && known > 0 && rough(&r[0], n) > 0.5 && rough(&r[0], n) > 2 * rough(&r[1], n);
    g->out->light = known > 0 ? optmap_median(means, known) : 0;
cleanup:
    free(means);
    return status;
}

/* ---- light or motion ---- */

/* Sums of squares of what changes in squares of pixels, and of what light and a shift explain of it. */
typedef struct {
    double all, part[2];
} changes;

static bool is_whole(const glance *g, size_t left, size_t top)
{
    for (size_t i = 0; g->mask && i < (size_t)WIDE * WIDE; i++)
        if (!g->mask[(top + i / WIDE) * g->numbers.width + left + i % WIDE])
            return false;
    return true;
}

/* Of a pixel of the square within one that is wider by the margin. */
static size_t inner(size_t i)
{
    return (i / SIDE + MARGIN) * WIDE + i % SIDE + MARGIN;
}

/* Makes 1, M, dM/dx, dM/dy of the mean square M orthonormal; one that depends on those before is 0. */
static void make_terms(const double *mean, double terms[TERMS][AREA])
{
    for (size_t k = 0; k < TERMS; k++) {
        double *term = terms[k], before, after;

        for (size_t i = 0; i < AREA; i++) {
            const double *m = mean + inner(i);

            term[i] = k == 0 ? 1 : k == 1 ? m[0] : k == 2 ? m[1] - m[-1] : m[WIDE] - m[-WIDE];
        }
        before = penta_dot(AREA, term, term);
        for (size_t j = 0; j < k; j++) {
            double dot = penta_dot(AREA, terms[j], term);

            for (size_t i = 0; i < AREA; i++)
                term[i] -= dot * terms[j][i];
        }
        after = penta_dot(AREA, term, term);
        for (size_t i = 0; i < AREA; i++)
            term[i] = after > 1e-20 * before ? term[i] / sqrt(after) : 0;
    }
}

static void add_square(const glance *g, size_t left, size_t top, changes *sum)
{
    const survey *s = &g->numbers;
    size_t frames = s->frames < SQUARE_FRAMES ? s->frames : SQUARE_FRAMES;
    double numbers[SQUARE_FRAMES][WIDE * WIDE], mean[WIDE * WIDE] = {0}, terms[TERMS][AREA], change[AREA];

    for (size_t f = 0; f < frames; f++) {
        for (size_t y = 0; y < WIDE; y++)
            survey_lights(s, f * s->frames / frames, (top + y) * s->width + left, WIDE, numbers[f] + y * WIDE);
        for (size_t i = 0; i < (size_t)WIDE * WIDE; i++)
            mean[i] += numbers[f][i] / (double)frames;
    }
    make_terms(mean, terms);
    for (size_t f = 0; f < frames; f++) {
        for (size_t i = 0; i < AREA; i++)
            change[i] = numbers[f][inner(i)] - mean[inner(i)];
        sum->all += penta_dot(AREA, change, change);
        for (size_t k = 0; k < TERMS; k++)
            sum->part[k / 2] += pow(penta_dot(AREA, change, terms[k]), 2);
    }
}

static void look_at_squares(glance *g)
{
    const survey *s = &g->numbers;
    size_t columns = s->width > 2 * MARGIN ? (s->width - 2 * MARGIN) / SIDE : 0;
    size_t rows = s->height > 2 * MARGIN ? (s->height - 2 * MARGIN) / SIDE : 0;
    size_t stride = columns * rows / MOST_SQUARES + 1;
    changes sum = {0};
    double chance;

    for (size_t i = 0; i < columns * rows; i += stride)
        if (is_whole(g, i % columns * SIDE, i / columns * SIDE))
            add_square(g, i % columns * SIDE, i / columns * SIDE, &sum);
    if (!(sum.all > 0))
        return;
    chance = 2 * (sum.all - sum.part[0] - sum.part[1]) / (AREA - TERMS); /* what two terms take of noise */
    g->out->by_light = fmax((sum.part[0] - chance) / sum.all, 0);
    g->out->by_shift = fmax((sum.part[1] - chance) / sum.all, 0);
}

penta_status optmap_glance(penta_context *ctx, const penta_recording *r, const uint8_t *mask, penta_glance *out)
{
    penta_status status = PENTA_OK;
    glance g = {.numbers = {ctx, r->width, r->height, r->frames, r->width * r->height, .movie = &r->movie}, .out = out};

    g.mask = mask ? mask : r->movie.mask;
    TRY(look_at_numbers(&g));
    if (!mask)
        look_at_squares(&g);
cleanup:
    return status;
}
