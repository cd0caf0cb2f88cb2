/* The phase of a movie: every sum as it stands in rotors.h. */
#include <math.h>
#include <stdlib.h>

#include "reference/optmap_beats.h"

typedef struct {
    const penta_movie_view *m;
    const penta_rotors_options *o;
    long frames, height, width;
    double *noise, *weight; /* of each pixel; weight 0: not valid */
    double *left;           /* noise after the smoothing */
    double *smooth;         /* frames x height x width */
    char *known;            /* valid, or in a small hole of valid ones */
    char *strong;           /* of one frame */
} study;

static void *take(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        abort();
    return p;
}

static void find_noise(study *s)
{
    long pixels = s->height * s->width;

    for (long p = 0; p < pixels; p++) {
        double sum = 0, first = (double)s->m->data[p];
        int constant = 1, finite = 1;

        for (long n = 0; n < s->frames; n++) {
            double x = (double)s->m->data[n * pixels + p];

            finite = finite && isfinite(x);
            constant = constant && x == first;
            if (n >= 2) {
                double bend =
                    (double)s->m->data[(n - 2) * pixels + p] - 2 * (double)s->m->data[(n - 1) * pixels + p] + x;

                sum += bend * bend / (double)(s->frames - 2);
            }
        }
        s->noise[p] = finite && !constant ? sqrt(sum / 6) : NAN;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void find_weights(study *s)
{
    size_t pixels = (size_t)(s->height * s->width), count = 0;
    double *sorted = take(pixels, sizeof *sorted), usual;

    for (size_t p = 0; p < pixels; p++)
        if (s->noise[p] > 0)
            sorted[count++] = s->noise[p];
    qsort(sorted, count, sizeof *sorted, by_size);
    usual = count ? sorted[count / 4] : 0;
    for (size_t p = 0; p < pixels; p++)
        s->weight[p] = isnan(s->noise[p]) ? 0 : usual > 0 ? 1 / (1 + pow(s->noise[p] / usual, 2)) : 1;
    free(sorted);
}

static double gaussian(double sigma, long k)
{
    return sigma > 0 ? exp(-0.5 * (double)(k * k) / (sigma * sigma)) : 1;
}

static long radius_of(double sigma, long most)
{
    return ceil(3 * sigma) < (double)most ? (long)ceil(3 * sigma) : most;
}

static long mirrored(long n, long frames)
{
    while (n < 0 || n >= frames)
        n = n < 0 ? -1 - n : 2 * frames - 1 - n;
    return n;
}

/* One pixel, all frames. */
static void smooth_pixel(study *s, long x, long y)
{
    double sigma = s->o->phase_sigma, duration = 1e-3 * s->o->phase_time * s->m->frame_rate_hz, weights = 0,
           variance = 0;
    long r = radius_of(sigma, s->height > s->width ? s->height : s->width), reach = radius_of(duration, s->frames);
    long pixels = s->height * s->width;
    double *sum = take((size_t)s->frames, sizeof *sum), times = 0, squares = 0;

    for (long k = -reach; k <= reach; k++) {
        times += gaussian(duration, k);
        squares += pow(gaussian(duration, k), 2);
    }
    for (long v = -r; v <= r; v++)
        for (long u = -r; u <= r; u++) {
            long p = (y + v) * s->width + x + u;
            double g = gaussian(sigma, u) * gaussian(sigma, v);

            if (x + u < 0 || x + u >= s->width || y + v < 0 || y + v >= s->height || s->weight[p] == 0)
                continue;
            weights += g * s->weight[p];
            variance += pow(g * s->weight[p] * s->noise[p], 2);
            for (long n = 0; n < s->frames; n++)
                for (long k = -reach; k <= reach; k++)
                    sum[n] += g * s->weight[p] * gaussian(duration, k) / times *
                              (double)s->m->data[mirrored(n + k, s->frames) * pixels + p];
        }
    for (long n = 0; n < s->frames; n++)
        s->smooth[n * pixels + y * s->width + x] = sum[n] / weights;
    s->left[y * s->width + x] = sqrt(variance * squares) / times / weights;
    free(sum);
}

/* Whether a pixel about (x, y) is set. */
static int near_one(const study *s, const char *set, long x, long y, long r)
{
    for (long v = y - r; v <= y + r; v++)
        for (long u = x - r; u <= x + r; u++)
            if (u >= 0 && u < s->width && v >= 0 && v < s->height && set[v * s->width + u])
                return 1;
    return 0;
}

/* Whether all pixels about it, of `among` or (NULL) all, are near to one that is set. */
static int is_enclosed(const study *s, const char *set, const char *among, long x, long y, long r)
{
    for (long v = y - r; v <= y + r; v++)
        for (long u = x - r; u <= x + r; u++)
            if (u >= 0 && u < s->width && v >= 0 && v < s->height && (!among || among[v * s->width + u]) &&
                !near_one(s, set, u, v, r))
                return 0;
    return 1;
}

static void find_known(study *s)
{
    long r = radius_of(s->o->phase_sigma / 3, s->height > s->width ? s->height : s->width);

    for (long p = 0; p < s->height * s->width; p++)
        s->strong[p] = s->weight[p] > 0;
    for (long p = 0; p < s->height * s->width; p++)
        s->known[p] = (char)is_enclosed(s, s->strong, NULL, p % s->width, p / s->width, r);
}

static void leave_out(study *s, double *phase, const double *amplitude)
{
    long pixels = s->height * s->width, r = radius_of(s->o->phase_sigma, s->height > s->width ? s->height : s->width);

    for (long n = 0; n < s->frames; n++) {
        for (long p = 0; p < pixels; p++)
            s->strong[p] = s->known[p] && amplitude[n * pixels + p] >= s->o->min_amplitude * s->left[p];
        for (long p = 0; p < pixels; p++)
            if (s->known[p] && !s->strong[p] && !is_enclosed(s, s->strong, s->known, p % s->width, p / s->width, r))
                phase[n * pixels + p] = NAN;
    }
}

void reference_phases(const penta_movie_view *movie, const penta_rotors_options *o, double *phase, double *amplitude)
{
    study s = {movie, o,   (long)movie->frames, (long)movie->height, (long)movie->width, NULL, NULL, NULL, NULL,
               NULL,  NULL};
    size_t pixels = movie->height * movie->width, frames = movie->frames;
    double *trace = take(3 * frames, sizeof *trace);

    s.noise = take(pixels, sizeof *s.noise);
    s.weight = take(pixels, sizeof *s.weight);
    s.left = take(pixels, sizeof *s.left);
    s.smooth = take(frames * pixels, sizeof *s.smooth);
    s.strong = take(pixels, 1);
    s.known = take(pixels, 1);
    find_noise(&s);
    find_weights(&s);
    find_known(&s);
    for (size_t p = 0; p < pixels; p++) {
        double *f = trace + frames, *h = f + frames;

        if (s.known[p])
            smooth_pixel(&s, (long)(p % movie->width), (long)(p / movie->width));
        for (size_t n = 0; n < frames; n++)
            trace[n] = s.smooth[n * pixels + p];
        reference_analytic(trace, frames, f, h);
        for (size_t n = 0; n < frames; n++) {
            phase[n * pixels + p] = s.known[p] ? atan2(h[n], f[n]) : NAN;
            amplitude[n * pixels + p] = hypot(h[n], f[n]);
        }
    }
    if (o->min_amplitude > 0)
        leave_out(&s, phase, amplitude);
    free(trace);
    free(s.noise);
    free(s.weight);
    free(s.left);
    free(s.smooth);
    free(s.strong);
    free(s.known);
}
