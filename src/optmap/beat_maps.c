/* Activation, repolarisation and durations per pixel and beat. */
#include <math.h>
#include <stdlib.h>

#include "optmap/beats_matched.h"
#include "optmap/ranks.h"

/* Rows per beat on the device, in the kernel's order. */
enum { ACTIVATION, REPOLARISATION, APD, RISE = APD + PENTA_APD_LEVELS, AMPLITUDE, SNR, MAPS };

static const double rounding = 1e-6; /* of an amplitude: smaller differences are rounding of floats, not noise */
static const double clear = 50;      /* dB: traces above this SNR are measured without smoothing */

static void list_maps(penta_beat_maps *maps, float **list[MAPS])
{
    list[ACTIVATION] = &maps->activation;
    list[REPOLARISATION] = &maps->repolarisation;
    for (int k = 0; k < PENTA_APD_LEVELS; k++)
        list[APD + k] = &maps->apd[k];
    list[RISE] = &maps->rise;
    list[AMPLITUDE] = &maps->amplitude;
    list[SNR] = &maps->snr;
}

void penta_beat_maps_free(penta_beat_maps *maps)
{
    float **list[MAPS];

    list_maps(maps, list);
    for (int k = 0; k < MAPS; k++)
        free(*list[k]);
    free(maps->timing);
    *maps = (penta_beat_maps){0};
}

typedef struct {
    penta_resources resources;
    const penta_movie_view *movie;
    size_t count;
    beats_blocks blocks;
    penta_kernel noise, measure;
    penta_buffer middles; /* float per pixel: medians of second differences */
    penta_buffer kept;    /* of a block, for the kernels of noise on CPU devices */
    penta_buffer white;   /* float per pixel: standard deviations of white noise */
    penta_buffer bounds;  /* two int32 per beat */
    penta_buffer maps;    /* float: MAPS x beats x pitch */
    float *staging;       /* host copy of maps */
    float *deviations;    /* of white noise, per pixel; NULL: not wanted */
    size_t valid;
} job;

/* ---- set-up ---- */

static penta_status send_bounds(job *j, const penta_beat *beats)
{
    penta_status status = PENTA_OK;
    int32_t *bounds = NULL;

    TRY(penta_calloc(j->resources.ctx, j->count, 2 * sizeof *bounds, &bounds));
    for (size_t i = 0; i < j->count; i++) {
        if (beats[i].first >= beats[i].end || beats[i].end > j->movie->frames)
            TRY(penta_fail(j->resources.ctx, PENTA_INVALID, "beat %zu: frames %zu to %zu of %zu", i, beats[i].first,
                           beats[i].end, j->movie->frames));
        bounds[2 * i] = (int32_t)beats[i].first;
        bounds[2 * i + 1] = (int32_t)beats[i].end;
    }
    TRY(penta_buffer_upload(&j->resources, bounds, j->count * 2 * sizeof *bounds, &j->bounds));
cleanup:
    free(bounds);
    return status;
}

static penta_status prepare(job *j, const penta_beat *beats)
{
    penta_status status = PENTA_OK;
    size_t row, bytes;

    TRY(penta_size(j->resources.ctx, j->count, MAPS, sizeof(float), &row));
    TRY(beats_blocks_create(&j->resources, j->movie, row, 0, &j->blocks));
    TRY(send_bounds(j, beats));
    TRY(penta_kernel_get(&j->resources, "optmap/beats.cl", "optmap_beats_noise", "", &j->noise));
    TRY(penta_kernel_get(&j->resources, "optmap/beats.cl", "optmap_beats_measure", "", &j->measure));
    bytes = penta_is_cpu(j->resources.ctx) ? j->blocks.pitch * j->movie->frames * sizeof(float) : 0;
    TRY(penta_buffer_create(&j->resources, bytes, &j->kept));
    TRY(penta_buffer_create(&j->resources, j->blocks.pitch * sizeof(float), &j->white));
    TRY(penta_buffer_create(&j->resources, j->blocks.pitch * sizeof(float), &j->middles));
    TRY(penta_size(j->resources.ctx, row, j->blocks.pitch, 1, &bytes));
    TRY(penta_buffer_create(&j->resources, bytes, &j->maps));
    TRY(penta_calloc(&j->resources, bytes, 1, &j->staging));
cleanup:
    return status;
}

static penta_status make_maps(const job *j, penta_beat_maps *out)
{
    penta_status status = PENTA_OK;
    float **list[MAPS];

    *out = (penta_beat_maps){.beats = j->count, .height = j->movie->height, .width = j->movie->width};
    list_maps(out, list);
    for (int k = 0; k < MAPS; k++)
        TRY(penta_calloc(j->resources.ctx, j->count * j->blocks.pixels, sizeof(float), list[k]));
    TRY(penta_calloc(j->resources.ctx, j->count, sizeof *out->timing, &out->timing));
cleanup:
    return status;
}

/* ---- blocks ---- */

static penta_status measure_block(job *j, penta_beat_maps *out)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = &j->blocks;
    int frames = (int)j->movie->frames;
    unsigned count = (unsigned)b->count;
    float **list[MAPS];

    if (frames < 2)
        TRY(penta_fail(j->resources.ctx, PENTA_INVALID, "one frame has no upstroke"));
    TRY(penta_launch(&j->noise, beats_blocks_grid(b, 1),
                     ARGS(&b->frames, frames, count, b->pitch, &b->range, &j->kept, (int)(j->deviations != NULL),
                          &j->middles, &j->white)));
    TRY(penta_launch(&j->measure, beats_blocks_grid(b, j->count),
                     ARGS(&b->frames, frames, count, b->pitch, &b->range, &j->middles, &j->bounds,
                          1000 / j->movie->frame_rate_hz, &j->maps)));
    list_maps(out, list);
    for (size_t k = 0; k < MAPS; k++)
        TRY(beats_blocks_fetch(b, &j->maps, k * j->count, j->count, j->staging, *list[k]));
    if (j->deviations)
        TRY(beats_blocks_fetch(b, &j->white, 0, 1, b->row, j->deviations));
    TRY(penta_buffer_read(&b->range, 0, b->row, b->count * sizeof *b->row));
    for (size_t i = 0; i < b->count; i++)
        j->valid += isfinite(b->row[i]);
cleanup:
    return status;
}

static penta_status measure_blocks(job *j, penta_beat_maps *out)
{
    penta_status status = PENTA_OK;
    bool more;

    TRY(beats_blocks_next(&j->blocks, &more));
    while (more) {
        TRY(measure_block(j, out));
        TRY(beats_blocks_next(&j->blocks, &more));
    }
    if (j->valid == 0)
        TRY(beats_no_pixel(j->resources.ctx));
cleanup:
    return status;
}

/* ---- small upstrokes ---- */

static penta_status drop_small(penta_context *ctx, const penta_beats_options *o, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;
    size_t pixels = maps->height * maps->width;
    float **list[MAPS], *scratch = NULL;

    TRY(penta_calloc(ctx, pixels, sizeof *scratch, &scratch));
    list_maps(maps, list);
    for (size_t b = 0; b < maps->beats; b++) {
        const float *amplitude = maps->amplitude + b * pixels;
        double least = o->min_upstroke * optmap_lower_median(amplitude, pixels, scratch);

        for (size_t i = 0; i < pixels; i++)
            if ((double)amplitude[i] < least)
                for (int k = 0; k < MAPS; k++)
                    (*list[k])[b * pixels + i] = NAN;
    }
cleanup:
    free(scratch);
    return status;
}

/* ---- noise ---- */

/* Computes amplitudes over white noise estimated from third differences, in dB, and chooses the measurement by their
 * median. */
static penta_status match(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                          const float *noise, penta_beat_maps *maps)
{
    penta_status status = PENTA_OK;
    size_t pixels = maps->height * maps->width;
    float *scratch = NULL;

    TRY(penta_calloc(ctx, maps->beats * pixels, sizeof *scratch, &scratch));
    for (size_t i = 0; i < maps->beats * pixels; i++) {
        double deviation = (double)noise[i % pixels], amplitude = (double)maps->amplitude[i];

        maps->snr[i] = deviation > rounding * amplitude ? (float)(20 * log10(amplitude / deviation)) : NAN;
    }
    if (optmap_lower_median(maps->snr, maps->beats * pixels, scratch) < clear)
        TRY(beats_measure_matched(ctx, movie, beats, count, noise, maps));
cleanup:
    free(scratch);
    return status;
}

penta_status penta_beats_measure(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                                 const penta_beat *beats, size_t count, penta_beat_maps *out)
{
    penta_status status = PENTA_OK;
    penta_beats_options o;
    job j = {.resources = {.ctx = ctx}, .movie = movie, .count = count};
    float *noise = NULL;

    *out = (penta_beat_maps){.height = movie->height, .width = movie->width};
    if (count == 0)
        return PENTA_OK;
    TRY(beats_options_resolve(ctx, opt, &o));
    if (o.beat_smoothing == PENTA_BEAT_SMOOTHING_AUTO)
        TRY(penta_calloc(ctx, movie->height * movie->width, sizeof *noise, &noise));
    j.deviations = noise;
    TRY(prepare(&j, beats));
    TRY(make_maps(&j, out));
    TRY(measure_blocks(&j, out));
    penta_resources_release(&j.resources); /* its memory is needed */
    if (noise)
        TRY(match(ctx, movie, beats, count, noise, out));
    TRY(drop_small(ctx, &o, out));
cleanup:
    if (status != PENTA_OK) {
        penta_settle(ctx); /* transfers may still be in progress */
        penta_beat_maps_free(out);
    }
    penta_resources_release(&j.resources);
    free(noise);
    return status;
}
