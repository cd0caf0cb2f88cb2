/* From the movie to maps: the library's functions in their order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/run.h"
#include "shared/progress.h"

/* ---- failures ---- */

int optmap_out_of_memory(const optmap_study *s)
{
    return cli_fail(s->run->job.command, CLI_ERROR,
                    "%s: out of memory for what comes of %zu frames of %zu x %zu pixels", s->path, s->movie.frames,
                    s->movie.width, s->movie.height);
}

int optmap_interrupted(const optmap_study *s)
{
    if (s->alone)
        return cli_fail(s->run->job.command, CLI_ERROR, "interrupted; nothing was written");
    return cli_fail(s->run->job.command, CLI_ERROR, "interrupted; nothing was written of %s", s->path);
}

int optmap_fail_library(const optmap_study *s)
{
    const job *j = &s->run->job;
    const char *text = penta_last_error(j->ctx);

    if (cli_interrupted())
        return optmap_interrupted(s);
    if (j->common.verbose)
        return job_fail_library(j);
    return cli_fail(j->command, CLI_ERROR, "%s: %.*s", s->path, (int)strcspn(text, "\n"), text);
}

static int check(const optmap_study *s, penta_status status)
{
    return status == PENTA_OK ? CLI_OK : optmap_fail_library(s);
}

/* ---- progress ---- */

static bool show_progress(void *user, double done, double total)
{
    progress_update(user, done, total);
    return cli_interrupted();
}

/* Calls of the library until end_progress show how far they are, and end on Ctrl-C. */
static void begin_progress(const optmap_study *s, progress *bar, const char *title, const char *unit)
{
    progress_begin(bar, title, unit, s->run->job.common.quiet);
    penta_context_set_progress(s->run->job.ctx, show_progress, bar);
}

static void end_progress(const optmap_study *s, progress *bar)
{
    penta_context_set_progress(s->run->job.ctx, NULL, NULL);
    progress_end(bar);
}

/* ---- conditioning ---- */

/* NULL, too, where no memory can hold them. */
static void *alloc(size_t n, size_t m, size_t size)
{
    return m > 0 && n > SIZE_MAX / 2 / size / m ? NULL : malloc(n * m > 0 ? n * m * size : 1);
}

/* The plan of the run, for this movie. */
static int need_plan(const optmap_study *s)
{
    optmap_run *run = s->run;
    const penta_io_movie *m = &s->movie;

    if (run->plan && run->width == m->width && run->height == m->height && run->frames == m->frames)
        return CLI_OK;
    penta_optmap_destroy(run->plan);
    run->plan = NULL;
    run->width = m->width;
    run->height = m->height;
    run->frames = m->frames;
    return check(
        s, penta_optmap_create(run->job.ctx, m->width, m->height, m->frames, &run->settings.conditioning, &run->plan));
}

/* Whether beats are measured on the traces before the filter, smoothed as their noise asks for. */
static bool matches_noise(const optmap_study *s)
{
    return s->run->settings.beats.beat_smoothing == PENTA_BEAT_SMOOTHING_AUTO;
}

static int alloc_results(optmap_study *s)
{
    const optmap_settings *set = &s->run->settings;
    size_t pixels = s->movie.height * s->movie.width;
    size_t window = (size_t)set->conditioning.window;
    penta_optmap_result *r = &s->result;

    r->filtered = alloc(s->filtered.frames, pixels, sizeof *r->filtered);
    r->valid = alloc(pixels, 1, sizeof *r->valid);
    r->traces = alloc(s->movie.frames, pixels, sizeof *r->traces);
    if (set->flags.shifts)
        r->shifts = alloc(pixels, window * window, sizeof *r->shifts);
    return r->filtered && r->valid && r->traces && (!set->flags.shifts || r->shifts) ? CLI_OK : optmap_out_of_memory(s);
}

/* Whether there is a pixel with a result. */
static int check_windows(const optmap_study *s)
{
    const penta_optmap_options *o = &s->run->settings.conditioning;

    for (size_t i = 0; i < s->filtered.height * s->filtered.width; i++)
        if (isfinite(s->filtered.data[i]))
            return CLI_OK;
    return cli_fail(
        s->run->job.command, CLI_ERROR,
        "%s: none of its %zu valid pixels is so far from the edges that a whole window of %d x %d fits; take "
        "what there is of windows (--border renormalise), or smaller ones (--window)",
        s->path, s->result.valid_pixels, o->window, o->window);
}

int optmap_condition(optmap_study *s)
{
    const penta_optmap_options *o = &s->run->settings.conditioning;
    const penta_movie movie = {.type = s->movie.type, .frames = s->movie.data, .under = s->under.data, .mask = s->mask};
    double start;
    progress bar;
    int code = need_plan(s);

    if (code == CLI_OK && s->survey.kind && o->drift == PENTA_OPTMAP_DRIFT_AUTO)
        code = check(s, penta_optmap_set_drift(s->run->plan, s->survey.drift));
    if (code != CLI_OK)
        return code;
    s->engine = penta_optmap_engine_name(s->run->plan);
    s->filtered = (penta_movie_view){.frames = penta_optmap_frames(s->run->plan),
                                     .height = s->movie.height,
                                     .width = s->movie.width,
                                     .rate = o->output == PENTA_OPTMAP_INTERPOLATED ? s->rate * o->interp : s->rate};
    code = alloc_results(s);
    if (code != CLI_OK)
        return code;
    begin_progress(s, &bar, "conditioning", "rows");
    start = cli_seconds();
    code = penta_optmap_run(s->run->plan, &movie, &s->result) == PENTA_OK ? CLI_OK : CLI_ERROR;
    s->conditioning = cli_seconds() - start;
    end_progress(s, &bar);
    s->filtered.data = s->result.filtered;
    s->traces = (penta_movie_view){s->movie.frames, s->movie.height, s->movie.width, s->rate, s->result.traces};
    return code == CLI_OK ? check_windows(s) : optmap_fail_library(s);
}

/* ---- beats ---- */

static int find_beats(optmap_study *s)
{
    const penta_beats_options *o = &s->run->settings.beats;
    penta_context *ctx = s->run->job.ctx;
    int code = check(s, penta_beats_find(ctx, &s->filtered, o, &s->beats, &s->beat_count));

    s->climbs = code == CLI_OK ? alloc(s->filtered.height, s->filtered.width, sizeof *s->climbs) : NULL;
    if (code == CLI_OK && !s->climbs)
        return optmap_out_of_memory(s);
    code = code != CLI_OK ? code : check(s, penta_beats_climbs(ctx, &s->filtered, o, s->climbs));
    return code;
}

/* What has no result of the filter has none here. */
static void blank_maps(optmap_study *s)
{
    penta_beat_maps *m = &s->maps;
    float *const maps[] = {m->activation, m->repolarisation, m->apd[0],    m->apd[1], m->apd[2],
                           m->apd[3],     m->rise,           m->amplitude, m->snr};
    size_t pixels = s->filtered.height * s->filtered.width;

    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        for (size_t i = 0; i < s->beat_count * pixels; i++)
            if (isnan(s->filtered.data[i % pixels]))
                maps[k][i] = NAN;
}

/* On the traces before the filter; beats are at the filtered movie's rate. */
static int measure_traces(optmap_study *s)
{
    const penta_beats_options *o = &s->run->settings.beats;
    penta_movie_view traces = {s->movie.frames, s->filtered.height, s->filtered.width, s->rate, s->result.traces};
    size_t factor = s->filtered.frames / s->movie.frames;
    penta_beat *beats = alloc(s->beat_count, 1, sizeof *beats);
    int code;

    if (!beats)
        return optmap_out_of_memory(s);
    for (size_t i = 0; i < s->beat_count; i++)
        beats[i] =
            (penta_beat){s->beats[i].first / factor, s->beats[i].end / factor, s->beats[i].upstroke / (double)factor};
    code = check(s, penta_beats_measure(s->run->job.ctx, &traces, o, beats, s->beat_count, &s->maps));
    if (code == CLI_OK)
        blank_maps(s);
    free(beats);
    return code;
}

static int measure_beats(optmap_study *s)
{
    if (matches_noise(s))
        return measure_traces(s);
    return check(s, penta_beats_measure(s->run->job.ctx, &s->filtered, &s->run->settings.beats, s->beats, s->beat_count,
                                        &s->maps));
}

static int find_velocities(optmap_study *s)
{
    const optmap_settings *set = &s->run->settings;
    const penta_movie_view *f = &s->filtered;
    size_t pixels = f->height * f->width;
    int code = CLI_OK;

    if (!(set->flags.pixel_size > 0))
        return CLI_OK;
    s->velocity = alloc(2 * s->beat_count, pixels, sizeof *s->velocity);
    if (!s->velocity)
        return optmap_out_of_memory(s);
    for (size_t b = 0; code == CLI_OK && b < s->beat_count; b++)
        code = check(s, penta_velocity_matched(s->run->job.ctx, f->height, f->width, s->maps.activation + b * pixels,
                                               s->maps.timing[b], set->flags.pixel_size, &set->beats,
                                               s->velocity + 2 * b * pixels, NULL));
    return code;
}

/* Of APD80. */
static int find_alternans(optmap_study *s)
{
    const penta_movie_view *f = &s->filtered;
    int level = 0;

    while (penta_apd_levels[level] != 80)
        level++;
    s->alternans = alloc(f->height, f->width, sizeof *s->alternans);
    if (!s->alternans)
        return optmap_out_of_memory(s);
    return check(
        s, penta_alternans(s->run->job.ctx, s->beat_count, f->height, f->width, s->maps.apd[level], s->alternans));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double middle(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return values[n / 2];
}

/* The window of the mean beat: as long before and after its upstroke as the median of all. */
static int average_beats(optmap_study *s)
{
    const penta_movie_view *f = &s->filtered;
    double *before = alloc(s->beat_count, 1, sizeof *before), *after = alloc(s->beat_count, 1, sizeof *after);
    size_t lead = 0;
    int code = CLI_OK;

    for (size_t i = 0; before && after && i < s->beat_count; i++) {
        before[i] = floor(s->beats[i].upstroke) - (double)s->beats[i].first;
        after[i] = (double)s->beats[i].end - floor(s->beats[i].upstroke);
    }
    if (before && after && s->beat_count > 0) {
        lead = (size_t)fmax(middle(before, s->beat_count), 0);
        s->average_frames = lead + (size_t)fmax(middle(after, s->beat_count), 1);
    }
    s->average = before && after ? alloc(s->average_frames, f->height * f->width, sizeof *s->average) : NULL;
    free(before);
    free(after);
    if (!s->average)
        return optmap_out_of_memory(s);
    if (s->beat_count > 0)
        code = check(s, penta_beats_average(s->run->job.ctx, f, s->beats, s->beat_count, lead, s->average_frames,
                                            s->average, &s->averaged));
    return code;
}

/* ---- phases ---- */

/* The plan of the run. */
static int need_phases(optmap_study *s)
{
    optmap_run *run = s->run;

    return run->phases ? CLI_OK : check(s, penta_phases_create(run->job.ctx, &run->phases));
}

static int find_frequencies(optmap_study *s)
{
    const optmap_flags *flags = &s->run->settings.flags;
    const penta_movie_view *f = &s->filtered;

    s->frequency = alloc(f->height, f->width, sizeof *s->frequency);
    s->regularity = alloc(f->height, f->width, sizeof *s->regularity);
    if (!s->frequency || !s->regularity)
        return optmap_out_of_memory(s);
    return check(s, penta_phases_frequency(s->run->phases, f, flags->low, flags->high, s->frequency, s->regularity));
}

/* Valid pixels whose phase is known in at least half of the frames. */
static size_t count_phases(const penta_movie_view *phase, const uint8_t *valid, uint32_t *known)
{
    size_t pixels = phase->height * phase->width, count = 0;

    for (size_t n = 0; n < phase->frames; n++)
        for (size_t i = 0; i < pixels; i++)
            known[i] += !isnan(phase->data[n * pixels + i]);
    for (size_t i = 0; i < pixels; i++)
        count += valid[i] && 2 * (size_t)known[i] >= phase->frames;
    return count;
}

/* From the traces, which have a smoothing of their own here: that of the filtered movie shifts what turns. */
static int find_rotors(optmap_study *s)
{
    penta_movie_view phase = s->traces;
    uint32_t *known = calloc(phase.height * phase.width, sizeof *known);
    int code;

    s->phase = alloc(phase.frames, phase.height * phase.width, sizeof *s->phase);
    if (!s->phase || !known) {
        free(known);
        return optmap_out_of_memory(s);
    }
    code = check(s, penta_phases_run(s->run->phases, &s->traces, &s->run->settings.rotors, s->phase));
    phase.data = s->phase;
    s->phase_pixels = code == CLI_OK ? count_phases(&phase, s->result.valid, known) : 0;
    free(known);
    return code != CLI_OK
               ? code
               : check(s, penta_singularities(s->run->job.ctx, &phase, &s->run->settings.rotors, &s->singularities,
                                              &s->singularity_count, &s->rotors, &s->rotor_count));
}

int optmap_analyse(optmap_study *s)
{
    int (*const steps[])(optmap_study *) = {find_beats,     measure_beats, optmap_find_snr,  find_velocities,
                                            find_alternans, need_phases,   find_frequencies, find_rotors};
    progress bar;
    int code = CLI_OK;

    begin_progress(s, &bar, "analysis", "steps");
    for (size_t i = 0; code == CLI_OK && i < sizeof steps / sizeof *steps; i++)
        code = steps[i](s);
    if (code == CLI_OK && s->run->settings.flags.average)
        code = average_beats(s);
    end_progress(s, &bar);
    return code;
}

void optmap_close_study(optmap_study *s)
{
    void *const arrays[] = {s->result.filtered, s->result.traces, s->result.shifts, s->result.valid,
                            s->beats,           s->velocity,      s->snr_filtered,  s->alternans,
                            s->frequency,       s->regularity,    s->phase,         s->singularities,
                            s->rotors,          s->average,       s->mask,          s->climbs};

    penta_io_movie_close(&s->movie);
    penta_io_movie_close(&s->under);
    penta_beat_maps_free(&s->maps);
    penta_survey_free(&s->survey);
    leftovers_free(s->before);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}
