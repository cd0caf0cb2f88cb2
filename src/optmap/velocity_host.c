/* cl/optmap/velocity.clh and surface.clh compiled as C: the same formulas in double. */
#include "optmap/velocity_host.h"

#include <pentacl/parallel.h>

#include "math/opencl_as_c.h"
#include "math/wide.h"

static inline int max(int a, int b)
{
    return a > b ? a : b;
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

#include "optmap/velocity.clh"

static void find_row(void *data, size_t y)
{
    const velocity_job *j = data;

    for (int x = 0; x < j->width; x++) {
        size_t at = y * (size_t)j->width + (size_t)x;
        double v[2];

        if (j->kind == PENTA_VELOCITY_GRADIENT)
            central_velocity(j->times, j->width, j->height, x, (int)y, v);
        else
            fitted_velocity(j->times, j->width, j->height, x, (int)y, j->radius, j->share, j->timing,
                            j->kind == PENTA_VELOCITY_ROBUST, v);
        j->out[at] = (float)(v[0] * j->scale);
        j->out[(size_t)j->height * (size_t)j->width + at] = (float)(v[1] * j->scale);
    }
}

void velocity_on_host(const velocity_job *job)
{
    velocity_job j = *job;

    penta_parallel((size_t)j.height, find_row, &j);
}

/* ---- the plain surfaces of adjacent pixels whose windows are whole: the same sums in the same order, in lanes ---- */

enum { LANES = 8, MOST_POINTS = 31 * 31 };

typedef double lanes[LANES];

/* The terms of a window of `points` pixels, from its first pixel on, and their products, decomposed; false: they depend
 * on each other. */
typedef struct {
    int points, offsets[MOST_POINTS];
    double terms[MOST_POINTS][TERMS], a[TERMS * TERMS];
} whole_window;

static bool make_window(whole_window *w, int width, int radius, int above, int below)
{
    *w = (whole_window){0};
    for (int v = -above; v <= below; v++)
        for (int u = -radius; u <= radius; u++, w->points++) {
            double p = (double)u / radius, q = (double)v / radius;
            const double terms[TERMS] = {p * p, q * q, p * q, p, q, 1};

            memcpy(w->terms[w->points], terms, sizeof terms);
            w->offsets[w->points] = v * width + u;
            for (int i = 0; i < TERMS; i++)
                for (int j = 0; j <= i; j++)
                    w->a[i * TERMS + j] += terms[i] * terms[j];
        }
    return w->points >= LEAST && decompose(w->a, TERMS);
}

static inline void solve_lanes(const double *a, lanes *b)
{
    for (int i = 0; i < TERMS; i++) {
        for (int k = 0; k < i; k++)
            for (int l = 0; l < LANES; l++)
                b[i][l] -= a[i * TERMS + k] * b[k][l];
        for (int l = 0; l < LANES; l++)
            b[i][l] /= a[i * TERMS + i];
    }
    for (int i = TERMS - 1; i >= 0; i--) {
        for (int k = i + 1; k < TERMS; k++)
            for (int l = 0; l < LANES; l++)
                b[i][l] -= a[k * TERMS + i] * b[k][l];
        for (int l = 0; l < LANES; l++)
            b[i][l] /= a[i * TERMS + i];
    }
}

/* Fits to the windows of LANES pixels from t on; value: b[5]; scale, root, most: as of look_at, NaN where a time is not
 * finite. */
PENTA_WIDE static void fit_plain(const whole_window *w, const float *t, lanes value, lanes scale, lanes root,
                                 lanes most)
{
    lanes b[TERMS] = {{0}};

    memset(scale, 0, sizeof(lanes));
    memset(root, 0, sizeof(lanes));
    memset(most, 0, sizeof(lanes));
    for (int k = 0; k < w->points; k++)
        for (int i = 0; i < TERMS; i++)
            for (int l = 0; l < LANES; l++)
                b[i][l] += w->terms[k][i] * ((double)t[w->offsets[k] + l] - (double)t[l]);
    solve_lanes(w->a, b);
    for (int k = 0; k < w->points; k++) {
        double p = w->terms[k][3], q = w->terms[k][4];

        for (int l = 0; l < LANES; l++) {
            const double surface =
                b[0][l] * p * p + b[1][l] * q * q + b[2][l] * p * q + b[3][l] * p + b[4][l] * q + b[5][l];
            double r = fabs((double)t[w->offsets[k] + l] - (double)t[l] - surface);

            most[l] = r > most[l] ? r : most[l];
            scale[l] += r;
            root[l] += r * r;
        }
    }
    for (int l = 0; l < LANES; l++) {
        value[l] = b[5][l];
        scale[l] *= 1.2533 / w->points;
        root[l] = sqrt(root[l] / w->points);
    }
}

/* ---- surfaces ---- */

static void fit_pixel(const surface_job *j, size_t row, size_t x)
{
    size_t width = (size_t)j->width, height = (size_t)j->height, at = row * width + x;
    const float *map = j->times + row / height * height * width;
    double b[TERMS], errors[3], spread = NAN, middle = (double)j->times[at];
    bool known = isfinite(middle) && fit_surface(map, j->width, j->height, (int)x, (int)(row % height), j->radius,
                                                 middle, true, b, errors, &spread);

    j->values[at] = known ? (float)(middle + b[5]) : NAN;
    j->spreads[at] = known ? (float)spread : NAN;
}

/* LANES pixels from x on; those that a plain fit is not enough for, one by one. */
static void fit_pixels(const surface_job *j, const whole_window *w, size_t row, size_t x)
{
    size_t at = row * (size_t)j->width + x;
    lanes value, scale, root, most;

    fit_plain(w, j->times + at, value, scale, root, most);
    for (size_t l = 0; l < LANES; l++)
        if (!(root[l] < BEYOND) || (scale[l] > 0 && (most[l] > MANY * scale[l] || root[l] > UNEVEN * scale[l]))) {
            fit_pixel(j, row, x + l);
        } else {
            j->values[at + l] = (float)((double)j->times[at + l] + value[l]);
            j->spreads[at + l] = (float)scale[l];
        }
}

/* Row `row` of all maps, one after another. */
static void fit_row(void *data, size_t row)
{
    const surface_job *j = data;
    int y = (int)(row % (size_t)j->height), radius = j->radius;
    size_t x = 0, end = (size_t)max(j->width - radius, 0);
    whole_window w;
    bool lanes_too = 2 * radius < 31 && radius > 0 &&
                     make_window(&w, j->width, radius, min(y, radius), min(j->height - 1 - y, radius));

    while (x < (size_t)j->width)
        if (lanes_too && x >= (size_t)radius && x + LANES <= end) {
            fit_pixels(j, &w, row, x);
            x += LANES;
        } else {
            fit_pixel(j, row, x++);
        }
}

void surfaces_on_host(const surface_job *job, size_t count)
{
    surface_job j = *job;

    penta_parallel(count * (size_t)j.height, fit_row, &j);
}
