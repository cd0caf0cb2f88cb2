/* Movies of the optmap benchmark: waves of action potentials from a site in the frame, and noise. */
#include "input.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reference/optmap.h"

/*
 * Camera counts. A voltage dye at 9000 loses 8 % at most; noise of +-60 is uniform, its standard deviation 1/20 of the
 * signal's. Beats every 280 ms, conducted at 0.6 px/ms.
 */
static const double rest = 9000, drop = 720, noise_peak = 60, period = 280, first_beat = 30, speed = 0.6;

enum { MOST_FILTER = 64 /* samples of a phase */ };

static const float unwritten = -1e30F;

/* ---- the movie ---- */

/* An action potential t ms after its upstroke's middle, 0 .. 1: some 8 ms up, 90 ms long. */
static double potential(double t)
{
    return 1 / (1 + exp(-t / 1.5)) / (1 + exp((t - 90) / 12));
}

/* ms after frame 0 in which the first wave passes a pixel. */
static double arrival(const optmap_case *c, size_t x, size_t y)
{
    return first_beat + hypot((double)x - 0.2 * (double)c->width, (double)y - 0.3 * (double)c->height) / speed;
}

/* All action potentials of a pixel; those of other beats than the nearest ones are over. */
static double voltage(double t)
{
    double beat = t > 0 ? floor(t / period) : 0, sum = potential(t - beat * period - period);

    for (double k = beat; k >= 0 && k > beat - 2; k--)
        sum += potential(t - k * period);
    return sum;
}

void optmap_fill(const optmap_case *c, uint64_t seed, uint16_t *movie)
{
    size_t pixels = c->width * c->height;

    for (size_t n = 0; n < c->frames; n++)
        for (size_t p = 0; p < pixels; p++) {
            size_t at = n * pixels + p;
            double t = 1e3 * (double)n / OPTMAP_RATE - arrival(c, p % c->width, p / c->width);
            double noise = bench_noise(seed * c->frames * pixels + at);

            movie[at] = (uint16_t)lround(rest - drop * voltage(t) + noise_peak * noise);
        }
}

/* The largest |v| of all pixels. */
static double largest(const optmap_input *in)
{
    double *sums = bench_alloc(in->b, in->pixels, sizeof *sums), most = 0;

    for (size_t n = 0; n < in->c->frames; n++)
        for (size_t p = 0; p < in->pixels; p++)
            sums[p] += in->movie[n * in->pixels + p];
    for (size_t n = 0; n < in->c->frames; n++)
        for (size_t p = 0; p < in->pixels; p++)
            most = fmax(most, fabs(1 - in->movie[n * in->pixels + p] * (double)in->c->frames / sums[p]));
    return most;
}

penta_movie optmap_movie(const optmap_input *in)
{
    return (penta_movie){.type = PENTA_U16, .frames = in->frames};
}

peer_optmap_movie optmap_peer_movie(const optmap_input *in)
{
    const penta_optmap_options *o = &in->options;
    peer_optmap_movie m = {.width = in->c->width,
                           .height = in->c->height,
                           .frames = in->c->frames,
                           .movie = in->movie,
                           .interp = o->interp,
                           .weights = in->weights,
                           .window = o->window,
                           .median = o->median,
                           .gaussian = in->gaussian};

    reference_optmap_weights(o->interp, o->taps, &m.first, &m.length, in->weights);
    return m;
}

static void fill_gaussian(const optmap_input *in)
{
    int r = in->options.window / 2, window = in->options.window;
    double two_variances = 2 * in->options.sigma * in->options.sigma, sum = 0;

    for (int k = 0; k < window * window; k++) {
        int dx = k % window - r, dy = k / window - r;

        in->gaussian[k] = exp(-(dx * dx + dy * dy) / two_variances);
        sum += in->gaussian[k];
    }
    for (int k = 0; k < window * window; k++)
        in->gaussian[k] /= sum;
}

void optmap_input_create(bench *b, const optmap_case *c, optmap_input *in)
{
    size_t window, full;

    *in = (optmap_input){.b = b, .c = c, .pixels = c->width * c->height};
    penta_optmap_options_init(&in->options);
    in->options.drift = PENTA_OPTMAP_DRIFT_NONE; /* the engines are measured, not the survey */
    window = (size_t)in->options.window;
    full = (c->width - window + 1) * (c->height - window + 1);
    in->pairs = full * (window * window - 1);
    in->movie = bench_pinned(b, in->pixels * c->frames * sizeof *in->movie);
    in->filtered = bench_pinned(b, in->pixels * c->frames * sizeof *in->filtered);
    in->shifts = bench_alloc(b, in->pixels * window * window, sizeof *in->shifts);
    in->first_filtered = bench_alloc(b, in->pixels * c->frames, sizeof *in->first_filtered);
    in->same = bench_alloc(b, in->pixels, sizeof *in->same);
    in->first_shifts = bench_alloc(b, in->pixels * window * window, sizeof *in->first_shifts);
    in->frames = bench_alloc(b, c->frames, sizeof *in->frames);
    in->weights = bench_alloc(b, (size_t)in->options.interp * MOST_FILTER, sizeof *in->weights);
    in->gaussian = bench_alloc(b, window * window, sizeof *in->gaussian);
    for (size_t n = 0; n < c->frames; n++)
        in->frames[n] = in->movie + n * in->pixels;
    optmap_fill(c, 0, in->movie);
    fill_gaussian(in);
    in->largest = largest(in);
}

/* ---- checks ---- */

void optmap_clear(optmap_input *in)
{
    size_t values = in->pixels * in->c->frames;

    for (size_t i = 0; i < values; i++)
        in->filtered[i] = unwritten;
    memset(in->shifts, 0x55, in->pixels * (size_t)(in->options.window * in->options.window) * sizeof *in->shifts);
}

static bool has_result(const optmap_input *in, size_t pixel)
{
    size_t r = (size_t)in->options.window / 2, x = pixel % in->c->width, y = pixel / in->c->width;

    return x >= r && y >= r && x + r < in->c->width && y + r < in->c->height;
}

/* How many of a pixel's shifts are others than the first variant's. */
static size_t different_shifts(const optmap_input *in, size_t pixel)
{
    size_t window = (size_t)(in->options.window * in->options.window), count = 0;

    for (size_t k = pixel * window; k < (pixel + 1) * window; k++)
        count += in->shifts[k] != in->first_shifts[k];
    return count;
}

/* in->same: pixels with a result whose shifts are all the first variant's. How many shifts are not. */
static size_t compare_shifts(const optmap_input *in)
{
    size_t different = 0;

    for (size_t p = 0; p < in->pixels; p++) {
        size_t others = has_result(in, p) ? different_shifts(in, p) : 0;

        in->same[p] = has_result(in, p) && others == 0;
        different += others;
    }
    return different;
}

/* Largest difference of those pixels from the first variant; infinite where a number is not finite. */
static double difference(const optmap_input *in)
{
    double most = 0;

    for (size_t i = 0; i < in->pixels * in->c->frames; i++) {
        double d = fabs((double)in->filtered[i] - (double)in->first_filtered[i]);

        if (in->same[i % in->pixels] && !(d <= most))
            most = isnan(d) ? INFINITY : d;
    }
    return most;
}

static void take_first(optmap_input *in, const char *variant)
{
    size_t window = (size_t)(in->options.window * in->options.window);

    for (size_t i = 0; i < in->pixels * in->c->frames; i++)
        if (has_result(in, i % in->pixels) && !(fabs((double)in->filtered[i]) <= 2 * in->largest))
            bench_fail(in->b, "%s: pixel %zu, frame %zu: %g", variant, i % in->pixels, i / in->pixels,
                       (double)in->filtered[i]);
    memcpy(in->first_filtered, in->filtered, in->pixels * in->c->frames * sizeof *in->filtered);
    memcpy(in->first_shifts, in->shifts, in->pixels * window * sizeof *in->shifts);
    snprintf(in->first, sizeof in->first, "%s", variant);
    in->has_first = true;
}

void optmap_check(optmap_input *in, const char *variant, double equal)
{
    const double tolerance = 1e-5;
    size_t different;
    double worst;

    if (!in->has_first) {
        take_first(in, variant);
        return;
    }
    different = compare_shifts(in);
    worst = difference(in);
    if ((double)different > (1 - equal) * (double)in->pairs)
        bench_fail(in->b, "%s: %zu of %zu shifts are not those of %s", variant, different, in->pairs, in->first);
    if (!(worst <= tolerance * in->largest))
        bench_fail(in->b, "%s: differs by %g from %s, of %g", variant, worst, in->first, in->largest);
    if (different > 0)
        bench_note(in->b, "%s: %zu of %zu shifts are not those of %s", variant, different, in->pairs, in->first);
}
