/* The camera of pentacl/tissue_camera.h, on the host. */
#include <pentacl/tissue_camera.h>

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "optmap/ranks.h"
#include "math/rng.h"

static const double pi = 3.14159265358979323846;
static const double dwell = 30;  /* ms, mean time that a telegraph pixel stays in a state */
static const double twitch = 20; /* ms, time constant of each of the two stages between excitation and contraction */
static const double shift_towards = 35; /* degrees */

/* Streams of random numbers; the index contains the frame's number. */
enum { NOISE = 0x63616d00, PICK, JUMPS, TEXTURE };

#define CAMERA_REAL(field, initial, least, most, unit, help)                                                           \
    PENTA_REAL_OPTION(penta_camera_options, field, 0, initial, least, most, unit, help)

static const penta_option option_rows[] = {
    PENTA_INT_OPTION(penta_camera_options, bits, 0, 16, 8, 16, "", "bits of a count"),
    CAMERA_REAL(exposure, 0.5, 0.001, 10, "", "median light of the tissue at rest, as a fraction of full scale"),
    CAMERA_REAL(light, 30, 0, 99, "percent", "how much darker the darkest corner is than the brightest place"),
    CAMERA_REAL(texture, 5, 0, 50, "percent", "standard deviation of the tissue's brightness"),
    CAMERA_REAL(background, 8, 0, 1000, "percent", "light outside the tissue, as a share of the tissue's"),
    CAMERA_REAL(depth, 5, 0.001, 100, "percent",
                "change of the light on depolarisation, as a share of the light at rest"),
    PENTA_CHOICE_OPTION(penta_camera_options, polarity, 0, "down,up",
                        "whether the light falls or rises on depolarisation"),
    CAMERA_REAL(snr, 0, 0, 1e6, "",
                "amplitude of the action potential over the standard deviation of the noise; 0: no noise"),
    PENTA_CHOICE_OPTION(penta_camera_options, noise_as, 0, "shot,flat,even",
                        "shot: noise grows with the root of the light; flat: it is the same everywhere; even: all "
                        "pixels have the same SNR"),
    CAMERA_REAL(bleach, 0, 0, 99, "percent", "share of the light that is lost by the last frame"),
    CAMERA_REAL(motion, 0, 0, 100, "px", "how far the tissue shifts after the upstroke"),
    CAMERA_REAL(contraction, 0, 0, 100, "px", "how far the border of the tissue moves towards its middle"),
    CAMERA_REAL(dead, 0, 0, 100, "percent", "share of all pixels that are stuck in the dark"),
    CAMERA_REAL(hot, 0, 0, 100, "percent", "share of all pixels that are stuck at full scale"),
    CAMERA_REAL(telegraph, 0, 0, 100, "percent", "share of all pixels that jump between two levels"),
    PENTA_INT_OPTION(penta_camera_options, seed, 0, 1, 0, 2147483647, "", "seed of noise, texture and bad pixels"),
    PENTA_OPTIONS_END};

const penta_option *penta_camera_option_table(void)
{
    return option_rows;
}

/* ---- rules ---- */

enum { BAD_KINDS = PENTA_CAMERA_TELEGRAPH }; /* dead, hot, telegraph */

/* Number of bad pixels of each kind among `pixels`. */
static void count_bad(const penta_camera_options *o, size_t pixels, size_t wanted[BAD_KINDS])
{
    const double percent[BAD_KINDS] = {o->dead, o->hot, o->telegraph};

    for (int kind = 0; kind < BAD_KINDS; kind++)
        wanted[kind] = (size_t)(percent[kind] / 100 * (double)pixels + 0.5);
}

/* Resolves the options with defaults and checks them. What is 0 is not known yet. */
static penta_status resolve(penta_context *ctx, size_t width, size_t height, size_t frames, double rate,
                            const penta_camera_options *opt, penta_camera_options *o)
{
    penta_status status = PENTA_OK;
    size_t pixels = 0, wanted[BAD_KINDS];

    TRY(penta_options_resolve(ctx, penta_camera_option_table(), opt, o, sizeof *o));
    TRY(penta_size(ctx, width, height, 1, &pixels));
    TRY(penta_size(ctx, frames, pixels, sizeof(uint16_t), &(size_t){0}));
    count_bad(o, pixels ? pixels : 1000000, wanted);
    if (wanted[0] + wanted[1] + wanted[2] > (pixels ? pixels : 1000000))
        return penta_fail(ctx, PENTA_INVALID, "`dead`, `hot` and `telegraph` pixels are more than 100 percent");
    if (!(rate >= 0) || isinf(rate))
        return penta_fail(ctx, PENTA_INVALID, "a frame rate of %g Hz is none: above 0", rate);
cleanup:
    return status;
}

penta_status penta_camera_check(size_t width, size_t height, size_t frames, double rate,
                                const penta_camera_options *opt, char *message, size_t size)
{
    penta_camera_options options;

    return penta_check_result(resolve(NULL, width, height, frames, rate, opt, &options), message, size);
}

typedef struct {
    penta_context *ctx;
    const penta_tissue_movie *movie;
    const float *cover;
    penta_camera_options o;
    double rate, full;
    size_t pixels;
    double *light, *texture,
        *deviation;                   /* per pixel: light of the field, texture of the tissue, deviation of the noise */
    double gain;                      /* counts for light 1 */
    double reference;                 /* counts: median light of the tissue at rest */
    double middle_x, middle_y, reach; /* middle and reach of the tissue, px */
    float *jumps;                     /* frames x telegraph pixels: counts */
    size_t *number;                   /* index in jumps per telegraph pixel */
    size_t *clipped;                  /* per frame */
    uint16_t *counts;
    penta_camera_truth *truth;
} exposure;

/* ---- the field ---- */

static penta_rng random_at(const exposure *e, uint32_t stream, uint64_t index)
{
    return penta_rng_at((uint64_t)e->o.seed, stream, index);
}

static double light_at(const exposure *e, double x, double y)
{
    double w = (double)e->movie->width - 1, h = (double)e->movie->height - 1, cx = 0.42 * w, cy = 0.46 * h;
    double most = hypot(w - cx, h - cy);

    return 1 - e->o.light / 100 * (most > 0 ? pow(hypot(x - cx, y - cy) / most, 2) : 0);
}

/* Makes a texture: a sum of waves 5 to 20 px long, standard deviation 1. */
static void make_texture(const exposure *e)
{
    enum { WAVES = 24 };
    double a[WAVES], b[WAVES], c[WAVES];

    for (int i = 0; i < WAVES; i++) {
        penta_rng r = random_at(e, TEXTURE, (uint64_t)i);
        double direction = 2 * pi * penta_rng_uniform(&r), number = 2 * pi / (5 + 15 * penta_rng_uniform(&r));

        a[i] = number * cos(direction);
        b[i] = number * sin(direction);
        c[i] = 2 * pi * penta_rng_uniform(&r);
    }
    for (size_t p = 0; p < e->pixels; p++) {
        double sum = 0;

        for (int i = 0; i < WAVES; i++)
            sum += cos(a[i] * (double)(p % e->movie->width) + b[i] * (double)(p / e->movie->width) + c[i]);
        e->texture[p] = fmax(0.05, 1 + e->o.texture / 100 * sum * sqrt(2.0 / WAVES));
    }
}

static double at_rest(const exposure *e, size_t p)
{
    double cover = (double)e->cover[p];

    return e->light[p] * (cover * e->texture[p] + e->o.background / 100 * (1 - cover));
}

static penta_status find_reference(exposure *e)
{
    penta_status status = PENTA_OK;
    double *all = NULL, middle;
    size_t n = 0;

    TRY(penta_calloc(e->ctx, e->pixels, sizeof *all, &all));
    for (size_t p = 0; p < e->pixels; p++)
        if (e->cover[p] > 0) {
            all[n++] = at_rest(e, p);
            e->middle_x += (double)(p % e->movie->width);
            e->middle_y += (double)(p / e->movie->width);
        }
    if (n == 0) {
        status = penta_fail(e->ctx, PENTA_INVALID, "there is no tissue before the camera");
        goto cleanup;
    }
    middle = optmap_median(all, n);
    e->gain = e->o.exposure * e->full / middle;
    e->reference = e->gain * middle;
    e->middle_x /= (double)n;
    e->middle_y /= (double)n;
    for (size_t p = 0; p < e->pixels; p++)
        if (e->cover[p] > 0)
            e->reach = fmax(e->reach, hypot((double)(p % e->movie->width) - e->middle_x,
                                            (double)(p / e->movie->width) - e->middle_y));
cleanup:
    free(all);
    return status;
}

/* Sets the noise's standard deviation, and the known light and SNR. */
static void set_noise(const exposure *e)
{
    double depth = e->o.depth / 100, usual = e->o.snr > 0 ? depth * e->reference / e->o.snr : 0;

    for (size_t p = 0; p < e->pixels; p++) {
        double rest = e->gain * at_rest(e, p);
        double amplitude = depth * e->gain * e->light[p] * (double)e->cover[p] * e->texture[p];

        e->deviation[p] = e->o.noise_as == PENTA_CAMERA_SHOT ? usual * sqrt(fmax(rest, 0) / e->reference) : usual;
        if (e->o.noise_as == PENTA_CAMERA_EVEN && amplitude > 0 && e->o.snr > 0)
            e->deviation[p] = amplitude / e->o.snr;
        e->truth->light[p] = (float)rest;
        e->truth->snr[p] = e->cover[p] > 0 && e->deviation[p] > 0 ? (float)(amplitude / e->deviation[p]) : NAN;
    }
}

/* ---- motion ---- */

/* The motion: mean signal through two stages of `twitch` ms, with largest value 1. */
static void find_motion(const exposure *e)
{
    const penta_tissue_movie *m = e->movie;
    double first = 0, second = 0, most = 0, share = 1 - exp(-1e3 / e->rate / twitch);

    for (size_t n = 0; n < m->frames; n++) {
        double sum = 0, weight = 0;

        for (size_t p = 0; p < e->pixels; p++) {
            sum += (double)e->cover[p] * (double)m->signal[n * e->pixels + p];
            weight += (double)e->cover[p];
        }
        first += share * (sum / weight - first);
        second += share * (first - second);
        e->truth->shift[n] = (float)second;
        most = fmax(most, second);
    }
    for (size_t n = 0; n < m->frames; n++) {
        double c = most > 0 ? (double)e->truth->shift[n] / most : 0;

        e->truth->shift[n] = (float)(e->o.motion * c);
        e->truth->shrink[n] = (float)(e->o.contraction * c);
    }
}

/* Bilinear interpolation of a map at (x, y), constant beyond its ends. */
typedef struct {
    size_t at[4];
    double share[4];
} place;

static place place_of(const exposure *e, double x, double y)
{
    double w = (double)e->movie->width - 1, h = (double)e->movie->height - 1;
    double left, up, fx, fy;
    size_t x0, y0, x1, y1;

    x = fmin(fmax(x, 0), w);
    y = fmin(fmax(y, 0), h);
    left = floor(x);
    up = floor(y);
    fx = x - left;
    fy = y - up;
    x0 = (size_t)left;
    y0 = (size_t)up;
    x1 = fx > 0 ? x0 + 1 : x0;
    y1 = fy > 0 ? y0 + 1 : y0;
    return (place){
        {y0 * e->movie->width + x0, y0 * e->movie->width + x1, y1 * e->movie->width + x0, y1 * e->movie->width + x1},
        {(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy}};
}

/* Light of the tissue in front of pixel p in frame n, without illumination. */
static double tissue_light(const exposure *e, size_t n, size_t p)
{
    const float *signal = e->movie->signal + n * e->pixels;
    double sign = e->o.polarity == PENTA_CAMERA_DOWN ? -1 : 1, depth = e->o.depth / 100, sum = 0;
    double x = (double)(p % e->movie->width), y = (double)(p / e->movie->width);
    double shift = (double)e->truth->shift[n], shrink = e->reach > 0 ? (double)e->truth->shrink[n] / e->reach : 0;
    place from;

    /* The point that is at q at rest moves to middle + (q - middle)(1 - shrink) + shift. */
    x = e->middle_x + (x - shift * cos(shift_towards * pi / 180) - e->middle_x) / (1 - shrink);
    y = e->middle_y + (y - shift * sin(shift_towards * pi / 180) - e->middle_y) / (1 - shrink);
    from = place_of(e, x, y);
    for (int i = 0; i < 4; i++) {
        size_t q = from.at[i];
        double cover = (double)e->cover[q];

        sum += from.share[i] *
               (cover * e->texture[q] * (1 + sign * depth * (double)signal[q]) + e->o.background / 100 * (1 - cover));
    }
    return sum;
}

/* ---- bad pixels ---- */

/* Marks bad pixels: the first of all pixels in a random order. */
static penta_status pick_bad(exposure *e)
{
    penta_status status = PENTA_OK;
    size_t wanted[BAD_KINDS], *order = NULL, next = 0;
    penta_rng r = random_at(e, PICK, 0);

    count_bad(&e->o, e->pixels, wanted);
    TRY(penta_calloc(e->ctx, e->pixels, sizeof *order, &order));
    TRY(penta_calloc(e->ctx, e->pixels, sizeof *e->number, &e->number));
    for (size_t i = 0; i < e->pixels; i++)
        order[i] = i;
    for (int kind = 0; kind < BAD_KINDS; kind++)
        for (size_t i = 0; i < wanted[kind]; i++, next++) {
            size_t other = next + (size_t)penta_rng_below(&r, e->pixels - next), p = order[other];

            order[other] = order[next];
            e->truth->bad[p] = (uint8_t)(PENTA_CAMERA_DEAD + kind);
            e->number[p] = i;
        }
    TRY(penta_calloc(e->ctx, wanted[2] * e->movie->frames + 1, sizeof *e->jumps, &e->jumps));
cleanup:
    free(order);
    return status;
}

static void make_jumps(const exposure *e)
{
    double amplitude = e->o.depth / 100 * e->reference, leave = 1 - exp(-1e3 / e->rate / dwell);

    for (size_t p = 0; p < e->pixels; p++) {
        penta_rng r = random_at(e, JUMPS, p);
        double size = (2 + 6 * penta_rng_uniform(&r)) * amplitude * (penta_rng_uniform(&r) < 0.5 ? -1 : 1);
        bool on = penta_rng_uniform(&r) < 0.5;

        if (e->truth->bad[p] != PENTA_CAMERA_TELEGRAPH)
            continue;
        for (size_t n = 0; n < e->movie->frames; n++) {
            on = penta_rng_uniform(&r) < leave ? !on : on;
            e->jumps[e->number[p] * e->movie->frames + n] = on ? (float)size : 0;
        }
    }
}

/* ---- frames ---- */

static void expose_frame(void *data, size_t n)
{
    const exposure *e = data;
    double last = (double)e->movie->frames - 1;
    double left = pow(1 - e->o.bleach / 100, last > 0 ? (double)n / last : 0);

    e->clipped[n] = 0;
    for (size_t p = 0; p < e->pixels; p++) {
        penta_rng r = random_at(e, NOISE, (uint64_t)n * e->pixels + p);
        double f = e->gain * e->light[p] * left * tissue_light(e, n, p);
        int bad = e->truth->bad[p];

        if (e->deviation[p] > 0)
            f += e->deviation[p] * penta_rng_normal(&r);
        if (bad == PENTA_CAMERA_TELEGRAPH)
            f += (double)e->jumps[e->number[p] * e->movie->frames + n];
        if (bad == PENTA_CAMERA_DEAD)
            f = 0.01 * e->full * (double)(e->number[p] % 3);
        if (bad == PENTA_CAMERA_HOT)
            f = e->full;
        e->clipped[n] += bad == PENTA_CAMERA_GOOD && f + 0.5 >= e->full;
        e->counts[n * e->pixels + p] = (uint16_t)fmin(fmax(f + 0.5, 0), e->full);
    }
}

static void release(exposure *e)
{
    free(e->light);
    free(e->texture);
    free(e->deviation);
    free(e->jumps);
    free(e->number);
    free(e->clipped);
}

static penta_status make_arrays(exposure *e)
{
    penta_status status = PENTA_OK;
    penta_camera_truth *t = e->truth;
    size_t n = e->pixels, frames = e->movie->frames;

    TRY(penta_calloc(e->ctx, n, sizeof *t->light, &t->light));
    TRY(penta_calloc(e->ctx, n, sizeof *t->snr, &t->snr));
    TRY(penta_calloc(e->ctx, n, sizeof *t->bad, &t->bad));
    TRY(penta_calloc(e->ctx, frames, sizeof *t->shift, &t->shift));
    TRY(penta_calloc(e->ctx, frames, sizeof *t->shrink, &t->shrink));
    TRY(penta_calloc(e->ctx, n, sizeof *e->light, &e->light));
    TRY(penta_calloc(e->ctx, n, sizeof *e->texture, &e->texture));
    TRY(penta_calloc(e->ctx, n, sizeof *e->deviation, &e->deviation));
    TRY(penta_calloc(e->ctx, frames, sizeof *e->clipped, &e->clipped));
cleanup:
    return status;
}

static penta_status expose(exposure *e)
{
    penta_status status = PENTA_OK;

    TRY(make_arrays(e));
    for (size_t p = 0; p < e->pixels; p++)
        e->light[p] = light_at(e, (double)(p % e->movie->width), (double)(p / e->movie->width));
    make_texture(e);
    TRY(find_reference(e));
    set_noise(e);
    find_motion(e);
    TRY(pick_bad(e));
    make_jumps(e);
    penta_parallel(e->movie->frames, expose_frame, e);
    for (size_t n = 0; n < e->movie->frames; n++)
        e->truth->clipped += e->clipped[n];
cleanup:
    return status;
}

penta_status penta_camera_expose(penta_context *ctx, const penta_tissue_movie *movie, const float *cover, double rate,
                                 const penta_camera_options *opt, uint16_t *counts, penta_camera_truth *truth)
{
    penta_status status = PENTA_OK;
    penta_camera_truth own = {0};
    exposure e = {.ctx = ctx, .movie = movie, .cover = cover, .rate = rate, .counts = counts, .truth = &own};

    if (truth)
        *truth = own;
    TRY(resolve(ctx, movie->width, movie->height, movie->frames, rate, opt, &e.o));
    if (!(rate > 0) || movie->frames == 0) {
        status = penta_fail(ctx, PENTA_INVALID, "a movie needs a rate above 0 and a frame at least");
        goto cleanup;
    }
    e.pixels = movie->height * movie->width;
    e.full = ldexp(1, e.o.bits) - 1;
    TRY(expose(&e));
    if (truth) {
        *truth = own;
        own = (penta_camera_truth){0};
    }
cleanup:
    release(&e);
    penta_camera_truth_free(&own);
    return status;
}

void penta_camera_truth_free(penta_camera_truth *t)
{
    free(t->light);
    free(t->snr);
    free(t->bad);
    free(t->shift);
    free(t->shrink);
    *t = (penta_camera_truth){0};
}
