/* Findings of a filtered movie: beats and their maps, phases, rotors. */
#include <math.h>
#include <stdlib.h>

#include "optmap/analysis.h"
#include "optmap/beats_blocks.h"
#include "optmap/held.h"
#include "optmap/ranks.h"

static const double most_parts = 0.1; /* of the valid pixels: upstrokes of beats that noise puts into a small climb */

static size_t pixels_of(const penta_findings *f)
{
    return f->width * f->height;
}

/* ---- beats ---- */

static penta_status count_climbs(penta_context *ctx, penta_findings *f)
{
    penta_status status = PENTA_OK;
    float *sorted = NULL;

    TRY(penta_calloc(ctx, pixels_of(f), sizeof *sorted, &sorted));
    f->typical_climbs = (size_t)optmap_lower_median(f->climbs, pixels_of(f), sorted);
    for (size_t i = 0; i < pixels_of(f); i++) {
        f->climbs_known += !isnan(f->climbs[i]);
        f->noisy_pixels += f->climbs[i] > (float)(2 * f->beat_count + 1);
    }
cleanup:
    free(sorted);
    return status;
}

static penta_status find_beats(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    beats_found found;

    TRY(penta_calloc(ctx, pixels_of(f), sizeof *f->climbs, &f->climbs));
    TRY(beats_find_all(ctx, &f->filtered, &p->beats, f->climbs, &found));
    f->beats = found.beats;
    f->beat_count = found.count;
    f->minor = found.minor;
    f->minor_count = found.minor_count;
    f->minor_height = found.height;
    TRY(count_climbs(ctx, f));
    TRY(penta_beats_skewness(ctx, &f->filtered, &f->skewness));
cleanup:
    return status;
}

/* Blanks maps where the filter has no result. */
static void blank_maps(penta_findings *f)
{
    penta_beat_maps *m = &f->maps;
    float *const maps[] = {m->activation, m->repolarisation, m->apd[0],    m->apd[1], m->apd[2],
                           m->apd[3],     m->rise,           m->amplitude, m->snr};

    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        for (size_t i = 0; i < f->beat_count * pixels_of(f); i++)
            if (isnan(f->filtered.data[i % pixels_of(f)]))
                maps[k][i] = NAN;
}

/* Measures signal to noise on unfiltered traces; beats have the filtered movie's frame numbers. */
static penta_status measure_traces(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t factor = f->filtered.frames / f->frames;
    penta_beat *beats = NULL;

    TRY(penta_calloc(ctx, f->beat_count, sizeof *beats, &beats));
    for (size_t i = 0; i < f->beat_count; i++)
        beats[i] =
            (penta_beat){f->beats[i].first / factor, f->beats[i].end / factor, f->beats[i].upstroke / (double)factor};
    TRY(penta_beats_measure(ctx, &f->traces, &p->beats, beats, f->beat_count, &f->maps));
    blank_maps(f);
cleanup:
    free(beats);
    return status;
}

/* Drops small climbs of the mean signal in which pixels have the upstrokes of a beat: it climbs twice where one wave
 * reaches two parts of the field one after the other. */
static void drop_parts(penta_findings *f)
{
    double frame = 1000 / f->filtered.frame_rate_hz;
    size_t kept = 0;

    for (size_t k = 0; k < f->minor_count; k++) {
        double from = frame * (double)f->minor[k].first, to = frame * (double)f->minor[k].end;
        size_t most = 0;

        for (size_t b = 0; b < f->beat_count; b++) {
            const float *activation = f->maps.activation + b * pixels_of(f);
            size_t inside = 0;

            for (size_t i = 0; i < pixels_of(f); i++)
                inside += (double)activation[i] >= from && (double)activation[i] <= to;
            most = inside > most ? inside : most;
        }
        if ((double)most <= most_parts * (double)f->result.valid_pixels)
            f->minor[kept++] = f->minor[k];
    }
    f->minor_count = kept;
}

/* Measures beats on unfiltered traces if the noise determines the smoothing. */
static penta_status measure_beats(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;

    if (p->beats.beat_smoothing == PENTA_BEAT_SMOOTHING_AUTO)
        TRY(measure_traces(p, f));
    else
        TRY(penta_beats_measure(ctx, &f->filtered, &p->beats, f->beats, f->beat_count, &f->maps));
    drop_parts(f);
    TRY(penta_calloc(ctx, f->beat_count * pixels_of(f), sizeof *f->snr_filtered, &f->snr_filtered));
    TRY(penta_beats_snr_filtered(ctx, &f->filtered, f->frames, &f->maps, f->snr_filtered));
cleanup:
    return status;
}

static penta_status find_velocities(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t pixels = pixels_of(f);

    if (!(f->pixel_size > 0))
        return PENTA_OK;
    TRY(penta_calloc(ctx, 2 * f->beat_count * pixels, sizeof *f->velocity, &f->velocity));
    for (size_t b = 0; b < f->beat_count; b++)
        TRY(penta_velocity_matched(ctx, f->width, f->height, f->maps.activation + b * pixels, f->maps.timing[b],
                                   f->pixel_size, &p->beats, f->velocity + 2 * b * pixels, NULL));
cleanup:
    return status;
}

/* Finds alternans of APD80 in the longest stretch of regular rhythm. */
static penta_status find_alternans(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t first;
    int level = 0;

    while (penta_apd_levels[level] != 80)
        level++;
    TRY(penta_calloc(ctx, pixels_of(f), sizeof *f->alternans, &f->alternans));
    f->regular_beats = penta_beats_regular(f->beats, f->beat_count, &first);
    TRY(penta_alternans(ctx, f->regular_beats, f->width, f->height,
                        f->maps.apd[level] ? f->maps.apd[level] + first * pixels_of(f) : NULL, f->alternans));
    for (size_t i = 0; first % 2 == 1 && i < pixels_of(f); i++) /* the stretch begins with an odd beat */
        f->alternans[i] = 0 - f->alternans[i];
cleanup:
    return status;
}

static penta_status average_beats(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t before;

    if (!p->options.average)
        return PENTA_OK;
    TRY(penta_beats_window(ctx, f->beats, f->beat_count, &before, &f->average_frames));
    TRY(penta_calloc(ctx, f->average_frames * pixels_of(f), sizeof *f->average, &f->average));
    if (f->beat_count > 0)
        TRY(penta_beats_average(ctx, &f->filtered, f->beats, f->beat_count, before, f->average_frames, f->average,
                                &f->averaged_beats));
cleanup:
    return status;
}

/* ---- phases ---- */

static penta_status find_frequencies(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;

    if (!p->phases)
        TRY(penta_phases_create(ctx, &p->phases));
    TRY(penta_calloc(ctx, pixels_of(f), sizeof *f->frequency, &f->frequency));
    TRY(penta_calloc(ctx, pixels_of(f), sizeof *f->regularity, &f->regularity));
    TRY(penta_phases_frequency(p->phases, &f->filtered, p->options.low, p->options.high, f->frequency, f->regularity));
cleanup:
    return status;
}

enum { COUNT_RUN = 1024 }; /* pixels */

typedef struct {
    const penta_findings *f;
    uint32_t *known; /* per pixel: frames with a phase */
} phase_count;

static void count_run(void *data, size_t run)
{
    const phase_count *c = data;
    size_t pixels = pixels_of(c->f), first = run * COUNT_RUN, left = pixels - first;
    size_t count = left < COUNT_RUN ? left : COUNT_RUN;

    for (size_t n = 0; n < c->f->traces.frames; n++)
        for (size_t i = 0; i < count; i++)
            c->known[first + i] += !isnan(c->f->phase[n * pixels + first + i]);
}

/* Counts valid pixels whose phase is known in at least half of the frames. */
static penta_status count_phases(penta_context *ctx, penta_findings *f)
{
    penta_status status = PENTA_OK;
    size_t pixels = pixels_of(f);
    phase_count c = {.f = f};

    TRY(penta_calloc(ctx, pixels, sizeof *c.known, &c.known));
    penta_parallel((pixels + COUNT_RUN - 1) / COUNT_RUN, count_run, &c);
    for (size_t i = 0; i < pixels; i++)
        f->phase_pixels += f->result.valid[i] && 2 * (size_t)c.known[i] >= f->traces.frames;
cleanup:
    free(c.known);
    return status;
}

/* Finds rotors from unfiltered traces with their own smoothing, because that of the filtered movie distorts rotation.
 */
static penta_status find_rotors(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    penta_movie_view phase = f->traces;
    size_t bytes;

    TRY(penta_size(ctx, phase.frames, pixels_of(f), sizeof *f->phase, &bytes));
    TRY(penta_calloc(ctx, bytes, 1, &f->phase));
    TRY(penta_phases_run(p->phases, &f->traces, &p->rotors, f->phase));
    TRY(count_phases(ctx, f));
    phase.data = f->phase;
    TRY(penta_singularities(ctx, &phase, &p->rotors, &f->singularities, &f->singularity_count, &f->rotors,
                            &f->rotor_count));
cleanup:
    return status;
}

penta_status penta_analysis_measure(penta_analysis *p, penta_findings *f)
{
    penta_status (*const steps[])(penta_analysis *, penta_findings *) = {
        find_beats, measure_beats, find_velocities, find_alternans, find_frequencies, find_rotors, average_beats};
    penta_status status = PENTA_OK;
    optmap_held filtered = {0}, traces = {0};

    TRY(optmap_hold(p->resources.ctx, &f->filtered, &filtered));
    TRY(optmap_hold(p->resources.ctx, &f->traces, &traces));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        TRY(steps[i](p, f));
cleanup:
    optmap_let_go(&filtered);
    optmap_let_go(&traces);
    return status;
}
