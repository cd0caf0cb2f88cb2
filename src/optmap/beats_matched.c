/*
 * Beats in noise. First the movie is blurred, so that the steepest slope of each pixel can be found. A robust surface
 * through these times shows which of them contradict their neighbours. Then each trace is averaged with its neighbours'
 * along the wave, as far as the noise requires; its upstroke is found again near the surface, and its levels are
 * measured at the times that the beat's mean action potential predicts (beats_shape.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "optmap/beats_matched.h"
#include "optmap/ranks.h"
#include "optmap/velocity_host.h"

enum { ACTIVATION, REPOLARISATION, APD, RISE = APD + PENTA_APD_LEVELS, AMPLITUDE, SNR, MAPS };
/* As in cl/optmap/beats_matched.clh. */
enum { BASE_FROM, BASE_TO, PEAK, FACTOR, HALF_PEAK, HALF_RISE, LONGER, HALF, SHIFT = HALF + 4, SHAPE = SHIFT + 4 };

static const double blur = 2;         /* px, for the first search */
static const double first_width = 2;  /* ms, of the matched filter in the first search */
static const double least_blur = 1.5; /* px, most blur of traces from which activations are measured: errors of the
                                         times by which traces are shifted would otherwise remain in the result */
static const int surface_window = 11; /* px */
static const double spreads = 5;      /* a time this many spreads from its surface contradicts its neighbours .. */
static const double least_gap = 3;    /* .. if it is also this many ms */
static const double least_frames = 2; /* .. and this many frames from it */

typedef struct {
    penta_resources resources;
    const penta_movie_view *movie;
    const penta_beat *beats;
    size_t count, pixels;
    const float *noise;              /* noise per pixel */
    const beats_shape *all;          /* the widest shape */
    float *smooth;                   /* the smoothed movie */
    float *times, *surface, *spread; /* beats x pixels */
    float *scratch;                  /* beats x pixels */
    beats_shape *shapes;
    double typical; /* typical noise of a pixel */
} job;

static double frame_of(const job *j)
{
    return 1000 / j->movie->frame_rate_hz;
}

/* ---- work on the device, by blocks of pixels ---- */

typedef struct {
    penta_resources resources;
    beats_blocks blocks;
    penta_kernel kernel;
    penta_buffer in, noise, bounds, numbers, out; /* in: beats x pitch; numbers: the kernel's constants */
    float *staging;                               /* host copy of out */
} pass;

/* Prepares a pass. rows: total rows of results. */
static penta_status pass_create(const job *j, const penta_movie_view *movie, const char *kernel, size_t rows, pass *p)
{
    penta_status status = PENTA_OK;
    size_t all = rows + j->count, size;
    int32_t *bounds = NULL;

    p->resources.ctx = j->resources.ctx;
    TRY(beats_blocks_create(&p->resources, movie, (all + 1) * sizeof(float), 0, &p->blocks));
    TRY(penta_kernel_get(&p->resources, "optmap/beats.cl", kernel, "", &p->kernel));
    TRY(penta_size(j->resources.ctx, rows > j->count ? rows : j->count + 1, p->blocks.pitch, sizeof(float), &size));
    TRY(penta_buffer_create(&p->resources, size, &p->out));
    TRY(penta_buffer_create(&p->resources, (j->count + 1) * p->blocks.pitch * sizeof(float), &p->in));
    TRY(penta_buffer_create(&p->resources, p->blocks.pitch * sizeof(float), &p->noise));
    TRY(penta_calloc(&p->resources, size, 1, &p->staging));
    TRY(penta_calloc(j->resources.ctx, j->count + 1, 2 * sizeof *bounds, &bounds));
    for (size_t i = 0; i < j->count; i++) {
        bounds[2 * i] = (int32_t)j->beats[i].first;
        bounds[2 * i + 1] = (int32_t)j->beats[i].end;
    }
    TRY(penta_buffer_upload(&p->resources, bounds, (j->count + 1) * 2 * sizeof *bounds, &p->bounds));
cleanup:
    free(bounds);
    return status;
}

/* Sends the block's columns of maps to a buffer. */
static penta_status send_rows(pass *p, const float *maps, size_t rows, penta_buffer *to)
{
    const beats_blocks *b = &p->blocks;

    for (size_t i = 0; i < rows; i++)
        memcpy(p->staging + i * b->pitch, maps + i * b->pixels + b->first, b->count * sizeof *maps);
    return penta_buffer_write(to, 0, p->staging, rows * b->pitch * sizeof *maps);
}

/* Finds upstrokes of a movie into j->times, within `reach` frames of the times there (NaN: anywhere), by the derivative
 * of a Gaussian of `width` frames. */
static penta_status find_upstrokes(job *j, const penta_movie_view *movie, double width, double reach)
{
    penta_status status = PENTA_OK;
    int radius = (int)ceil(4 * width);
    float *taps = NULL;
    bool more;
    pass p = {0};

    TRY(penta_calloc(j->resources.ctx, (size_t)radius, sizeof *taps, &taps));
    for (int i = 1; i <= radius; i++)
        taps[i - 1] = (float)(i * exp(-0.5 * i * i / (width * width)));
    TRY(pass_create(j, movie, "optmap_beats_steepest", j->count, &p));
    TRY(penta_buffer_upload(&p.resources, taps, (size_t)radius * sizeof *taps, &p.numbers));
    TRY(beats_blocks_next(&p.blocks, &more));
    while (more) {
        beats_blocks *b = &p.blocks;

        TRY(send_rows(&p, j->times, j->count, &p.in));
        TRY(penta_launch(&p.kernel, beats_blocks_grid(b, j->count),
                         ARGS(&b->frames, (int)movie->frames, (unsigned)b->count, b->pitch, &b->range, &p.bounds, &p.in,
                              reach, &p.numbers, radius, frame_of(j), &p.out)));
        TRY(beats_blocks_fetch(b, &p.out, 0, j->count, p.staging, j->times));
        TRY(beats_blocks_next(b, &more));
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(j->resources.ctx); /* transfers may still be in progress */
    penta_resources_release(&p.resources);
    free(taps);
    return status;
}

static void list_numbers(const beats_shape *s, double *out)
{
    out[BASE_FROM] = s->base_from;
    out[BASE_TO] = s->base_to;
    out[PEAK] = s->peak;
    out[FACTOR] = s->factor;
    out[HALF_PEAK] = s->half_peak;
    out[HALF_RISE] = s->half_rise;
    out[LONGER] = s->longer;
    for (int k = 0; k < PENTA_APD_LEVELS; k++) {
        out[HALF + k] = s->half[k];
        out[SHIFT + k] = s->shift[k];
    }
}

static void take_maps(const job *j, const float *all, penta_beat_maps *maps)
{
    float *const list[MAPS] = {maps->activation, maps->repolarisation, maps->apd[0],    maps->apd[1], maps->apd[2],
                               maps->apd[3],     maps->rise,           maps->amplitude, maps->snr};

    for (size_t k = 0; k < MAPS; k++)
        for (size_t b = 0; b < j->count; b++)
            if (j->shapes[b].known)
                memcpy(list[k] + b * j->pixels, all + (k * j->count + b) * j->pixels, j->pixels * sizeof *all);
}

/* Measures levels of the averaged movie, at j->times. */
static penta_status find_levels(job *j, const penta_movie_view *movie, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;
    double *numbers = NULL;
    float *all = NULL;
    bool more;
    pass p = {0};

    TRY(penta_calloc(j->resources.ctx, j->count, SHAPE * sizeof *numbers, &numbers));
    TRY(penta_calloc(j->resources.ctx, MAPS * j->count, j->pixels * sizeof *all, &all));
    for (size_t i = 0; i < j->count; i++)
        list_numbers(&j->shapes[i], numbers + i * SHAPE);
    TRY(pass_create(j, movie, "optmap_beats_levels", MAPS * j->count, &p));
    TRY(penta_upload_reals(&p.resources, numbers, j->count * SHAPE, &p.numbers));
    TRY(beats_blocks_next(&p.blocks, &more));
    while (more) {
        beats_blocks *b = &p.blocks;

        TRY(send_rows(&p, j->times, j->count, &p.in));
        TRY(send_rows(&p, j->noise, 1, &p.noise));
        TRY(penta_launch(&p.kernel, beats_blocks_grid(b, j->count),
                         ARGS(&b->frames, (int)movie->frames, (unsigned)b->count, b->pitch, &p.in, &p.noise, &p.bounds,
                              &p.numbers, frame_of(j), &p.out)));
        TRY(beats_blocks_fetch(b, &p.out, 0, MAPS * j->count, p.staging, all));
        TRY(beats_blocks_next(b, &more));
    }
    take_maps(j, all, maps);
cleanup:
    if (status != PENTA_OK)
        penta_settle(j->resources.ctx); /* transfers may still be in progress */
    penta_resources_release(&p.resources);
    free(numbers);
    free(all);
    return status;
}

/*
 * Fits surfaces of degree 2 to maps of times by robust least squares (cl/optmap/surface.clh) in squares of `window` px.
 * values, spread: count x height x width, ms: the surface at the pixel, and the standard deviation from it. NaN if the
 * map has no time there, or too few around it.
 */
static penta_status beats_surfaces(penta_context *ctx, size_t count, size_t width, size_t height, const float *times,
                                   int window, float *values, float *spread)
{
    penta_status status = PENTA_OK;
    size_t bytes = count * height * width * sizeof *times;
    penta_resources mine = {.ctx = ctx};
    penta_kernel kernel = {0};
    penta_buffer in = {0}, out = {0}, about = {0};

    if (velocities_are_hosts(ctx)) {
        surfaces_on_host(&(surface_job){times, (int)width, (int)height, window / 2, values, spread}, count);
        return PENTA_OK;
    }
    TRY(penta_kernel_get(&mine, "optmap/velocity.cl", "optmap_surfaces", "-DBAYLY", &kernel));
    TRY(penta_buffer_upload(&mine, times, bytes, &in));
    TRY(penta_buffer_create(&mine, bytes, &out));
    TRY(penta_buffer_create(&mine, bytes, &about));
    TRY(penta_launch(&kernel, penta_grid_groups(penta_grid_3d(width, height, count), 64, 1, 1),
                     ARGS(&in, (int)width, (int)height, window / 2, &out, &about)));
    TRY(penta_buffer_read(&out, 0, values, bytes));
    TRY(penta_buffer_read(&about, 0, spread, bytes));
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx);
    penta_resources_release(&mine);
    return status;
}

/* ---- neighbours ---- */

static penta_status fit_surfaces(job *j)
{
    return beats_surfaces(j->resources.ctx, j->count, j->movie->width, j->movie->height, j->times, surface_window,
                          j->surface, j->spread);
}

static bool contradicts(const job *j, size_t i)
{
    double gap = fabs((double)j->times[i] - (double)j->surface[i]);

    return gap > fmax(spreads * (double)j->spread[i], fmax(least_gap, least_frames * frame_of(j)));
}

/* Replaces times by the surface; returns how many contradicted it. Without a surface the time stays. */
static size_t take_surfaces(job *j)
{
    size_t count = 0;

    for (size_t i = 0; i < j->count * j->pixels; i++) {
        count += contradicts(j, i);
        j->times[i] = isnan(j->surface[i]) ? j->times[i] : j->surface[i];
    }
    return count;
}

/* ---- the steps ---- */

static penta_status make_job(job *j)
{
    penta_status status = PENTA_OK;
    size_t maps = j->count * j->pixels;

    TRY(penta_calloc(&j->resources, j->movie->frames, j->pixels * sizeof *j->smooth, &j->smooth));
    TRY(penta_calloc(&j->resources, maps, sizeof *j->times, &j->times));
    TRY(penta_calloc(&j->resources, maps, sizeof *j->surface, &j->surface));
    TRY(penta_calloc(&j->resources, maps, sizeof *j->spread, &j->spread));
    TRY(penta_calloc(&j->resources, maps, sizeof *j->scratch, &j->scratch));
    TRY(penta_calloc(&j->resources, j->count, sizeof *j->shapes, &j->shapes));
    j->typical = optmap_lower_median(j->noise, j->pixels, j->scratch);
cleanup:
    return status;
}

/* Blurs the movie in space: the average along waves that reach all pixels with a known noise at once. */
static penta_status blur_movie(job *j)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = j->resources.ctx;
    uint8_t *known = NULL;

    for (size_t b = 0; b < j->count; b++)
        for (size_t i = 0; i < j->pixels; i++)
            j->times[b * j->pixels + i] = isnan(j->noise[i]) ? NAN : 0;
    if (!penta_is_cpu(ctx))
        return beats_align(ctx, j->movie, j->beats, j->count, j->times, blur, 0, j->smooth);
    TRY(penta_calloc(ctx, j->pixels, 1, &known));
    for (size_t i = 0; i < j->pixels; i++)
        known[i] = !isnan(j->noise[i]);
    TRY(beats_blur(ctx, j->movie, j->beats, j->count, known, blur, j->smooth));
cleanup:
    free(known);
    return status;
}

/* First search: upstrokes of the blurred movie, without those that contradict their neighbours. */
static penta_status look(job *j, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;
    penta_movie_view blurred = *j->movie;

    TRY(blur_movie(j));
    blurred.data = j->smooth;
    for (size_t i = 0; i < j->count * j->pixels; i++)
        j->times[i] = NAN;
    TRY(find_upstrokes(j, &blurred, fmax(first_width / frame_of(j), 1), 0));
    for (size_t b = 0; b < j->count; b++)
        for (size_t i = 0; i < j->pixels; i++)
            if (isnan(j->noise[i]))
                j->times[b * j->pixels + i] = NAN;
    for (size_t i = 0; i < j->count * j->pixels; i++)
        maps->sought += !isnan(j->times[i]);
    TRY(fit_surfaces(j));
    maps->resought = take_surfaces(j);
cleanup:
    return status;
}

/* Calls the body for all beats, on threads. */
static penta_status for_beats(job *j, bool (*body)(void *data, size_t b))
{
    if (penta_parallel_until(j->count, body, j) < j->count)
        return penta_fail(j->resources.ctx, PENTA_MEMORY, "out of memory for mean action potentials");
    return PENTA_OK;
}

static bool find_shape(void *data, size_t b)
{
    job *j = data;

    return beats_shape_find(j->movie, &j->beats[b], j->times + b * j->pixels, j->typical, &j->shapes[b]) == PENTA_OK;
}

/* Finds the shapes of all beats; *s: the widest of the whole movie. known: false if no beat has one. */
static penta_status find_shapes(job *j, beats_shape *s)
{
    penta_status status = PENTA_OK;

    *s = (beats_shape){0};
    TRY(for_beats(j, find_shape));
    for (size_t b = 0; b < j->count; b++) {
        beats_shape *shape = &j->shapes[b];

        if (!shape->known)
            continue;
        s->known = true;
        s->sigma = fmax(s->sigma, shape->sigma);
        s->rise = fmax(s->rise, shape->rise);
        s->width = fmax(s->width, shape->width);
    }
cleanup:
    return status;
}

/* Removes activations that contradict their neighbours. */
static penta_status reject(job *j, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;

    TRY(fit_surfaces(j));
    for (size_t i = 0; i < j->count * j->pixels; i++) {
        if (contradicts(j, i))
            j->times[i] = NAN;
        maps->rejected += !isnan(j->scratch[i]) && isnan(j->times[i]);
    }
cleanup:
    return status;
}

/* Fits the shape to the averaged traces, and finds activations where these are steepest. */
static bool take_shape(void *data, size_t b)
{
    job *j = data;
    beats_shape *shape = &j->shapes[b];
    float *times = j->times + b * j->pixels;

    if (!shape->known)
        return true;
    if (beats_shape_fit(j->movie, &j->beats[b], times, j->typical, j->all, shape) != PENTA_OK)
        return false;
    for (size_t i = 0; i < j->pixels; i++)
        times[i] -= (float)(shape->offset * frame_of(j));
    return true;
}

static penta_status take_shapes(job *j, const beats_shape *all, penta_beat_maps *maps)
{
    for (size_t b = 0; b < j->count; b++)
        if (j->shapes[b].known)
            maps->timing[b] = j->shapes[b].timing * frame_of(j);
    j->all = all;
    return for_beats(j, take_shape);
}

static penta_status measure(job *j, const beats_shape *all, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;
    penta_movie_view averaged = *j->movie;

    TRY(beats_align(j->resources.ctx, j->movie, j->beats, j->count, j->times, fmin(all->sigma, least_blur), 0,
                    j->smooth));
    averaged.data = j->smooth;
    memcpy(j->scratch, j->times, j->count * j->pixels * sizeof *j->times);
    TRY(find_upstrokes(j, &averaged, all->width, fmax(fmax(5 / frame_of(j), 1.5 * all->rise), 4)));
    TRY(reject(j, maps));
    TRY(take_shapes(j, all, maps));
    if (all->sigma > least_blur)
        TRY(beats_align(j->resources.ctx, j->movie, j->beats, j->count, j->times, all->sigma, 0, j->smooth));
    TRY(find_levels(j, &averaged, maps));
cleanup:
    return status;
}

penta_status beats_measure_matched(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats,
                                   size_t count, const float *noise, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;
    job j = {.resources = {.ctx = ctx},
             .movie = movie,
             .beats = beats,
             .count = count,
             .noise = noise,
             .pixels = movie->height * movie->width};
    beats_shape all;

    TRY(make_job(&j));
    if (!(j.typical > 0))
        goto cleanup;
    TRY(look(&j, maps));
    TRY(find_shapes(&j, &all));
    if (all.known)
        TRY(measure(&j, &all, maps));
cleanup:
    penta_resources_release(&j.resources);
    return status;
}
