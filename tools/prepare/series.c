/* A plan for a series, and what it must know of all frames beforehand. */
#include "prepare/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/progress.h"

enum { LEAST_SURVEY = 3 }; /* frames, of which a median leaves out what is in one only */

/* ---- dark and flat frames ---- */

static size_t channels_of(const penta_io_image *image)
{
    return image->channels == 3 ? 3 : 1;
}

static void make_grey(const penta_io_image *image, enum penta_prepare_grey grey, float *out)
{
    static const double shares[][3] = {
        {0.299, 0.587, 0.114}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double *share = shares[grey];

    for (size_t i = 0; i < image->width * image->height; i++)
        out[i] = image->channels == 3 ? (float)(share[0] * penta_io_image_value(image, 3 * i) +
                                                share[1] * penta_io_image_value(image, 3 * i + 1) +
                                                share[2] * penta_io_image_value(image, 3 * i + 2))
                                      : (float)penta_io_image_value(image, i);
}

bool prepare_read_colour(const char *path, size_t page, penta_io_image *out, penta_io_error *err)
{
    penta_io_reader *reader = NULL;
    bool ok = penta_io_reader_open(path, &reader, err);

    *out = (penta_io_image){0};
    if (ok) {
        penta_io_reader_keep_colour(reader);
        ok = penta_io_reader_read(reader, page, out, err);
    }
    penta_io_reader_close(reader);
    return ok;
}

static bool is_integer(penta_type type)
{
    return type == PENTA_U8 || type == PENTA_U16;
}

/* The grey levels of a dark or flat frame; path NULL: none. */
static int read_levels(const job *j, const recipe *r, const char *flag, const char *path, const penta_io_image *first,
                       float **out)
{
    penta_io_image image = {0};
    penta_io_error error = {""};
    int code = CLI_OK;

    if (!path)
        return CLI_OK;
    if (!prepare_read_colour(path, 0, &image, &error))
        return job_fail_io(j, &error);
    if (image.width != first->width || image.height != first->height)
        code = cli_fail(j->command, CLI_ERROR, "%s %s is %zu x %zu, the frames are %zu x %zu", flag, path, image.width,
                        image.height, first->width, first->height);
    else if (is_integer(image.type) && is_integer(first->type) && image.type != first->type)
        code = cli_fail(j->command, CLI_ERROR, "%s %s holds %s pixels, the frames %s; convert one of them", flag, path,
                        penta_type_name(image.type), penta_type_name(first->type));
    if (code == CLI_OK) {
        *out = malloc(image.width * image.height * sizeof **out);
        if (*out)
            make_grey(&image, (enum penta_prepare_grey)r->options.grey, *out);
        else
            code = cli_fail(j->command, CLI_ERROR, "out of memory for %s", path);
    }
    penta_io_image_free(&image);
    return code;
}

int prepare_series_plan(job *j, const recipe *r, const penta_io_image *first, penta_prepare **out)
{
    penta_prepare *plan = NULL;
    float *dark = NULL, *flat = NULL;
    int code = read_levels(j, r, "--dark", r->files.dark, first, &dark);

    *out = NULL;
    code = code != CLI_OK ? code : read_levels(j, r, "--flat", r->files.flat, first, &flat);
    if (code == CLI_OK && penta_prepare_create(j->ctx, first->width, first->height, channels_of(first), first->type,
                                               &r->options, &plan) != PENTA_OK)
        code = job_fail_library(j);
    if (code == CLI_OK && (dark || flat) && penta_prepare_calibrate(plan, dark, flat) != PENTA_OK)
        code = job_fail_library(j);
    if (code == CLI_OK)
        *out = plan;
    else
        penta_prepare_destroy(plan);
    free(dark);
    free(flat);
    return code;
}

/* ---- which frames can run ---- */

bool prepare_series_fits(const penta_io_image *first, frame *f)
{
    const penta_io_image *image = &f->image;

    if (f->error.text[0])
        return false;
    if (image->width != first->width || image->height != first->height)
        return penta_io_fail(&f->error,
                             "%s is %zu x %zu, but the series began with %zu x %zu; all frames must have one size",
                             f->source->name, image->width, image->height, first->width, first->height);
    if (image->type != first->type)
        return penta_io_fail(&f->error, "%s holds %s pixels, but the series began with %s; convert one of them",
                             f->source->name, penta_type_name(image->type), penta_type_name(first->type));
    if (channels_of(image) != channels_of(first))
        return penta_io_fail(&f->error, "%s is %s, but the series began %s; convert one of them", f->source->name,
                             channels_of(image) == 3 ? "in colour" : "grey",
                             channels_of(first) == 3 ? "in colour" : "grey");
    return true;
}

void prepare_series_explain(const recipe *r, const penta_prepare *plan, const penta_prepare_result *result, frame *f)
{
    size_t width, height;

    penta_prepare_size(plan, &width, &height);
    if (result->status == PENTA_PREPARED_DUST)
        penta_io_fail(&f->error, "%s: %.1f %% of it is dust or not a number, more than --dust-most %g allows",
                      f->source->name, 100 * (double)result->dust_pixels / ((double)width * (double)height),
                      r->options.dust_most);
    else if (result->status == PENTA_PREPARED_BLANK)
        penta_io_fail(&f->error, "%s: there is nothing in it to register: all its pixels are alike%s", f->source->name,
                      result->dust_pixels > 0 ? ", dust aside" : "");
    else if (result->drift.score <= -1)
        penta_io_fail(&f->error,
                      "%s: its shift cannot be found: no place where it may lie fits clearly better than others",
                      f->source->name);
    else if (isfinite(result->drift.score))
        penta_io_fail(&f->error,
                      "%s: its shift cannot be found: it is like no frame before it (score %.4g, --min-score %g)",
                      f->source->name, result->drift.score, r->options.min_score);
    else
        penta_io_fail(&f->error, "%s: its shift cannot be found: it is like no frame before it", f->source->name);
}

size_t prepare_series_slots(const penta_io_image *first, size_t batch, size_t count)
{
    const size_t most = (size_t)1 << 30; /* bytes of decoded frames and of results, about */
    size_t bytes = first->width * first->height * (channels_of(first) * penta_type_size(first->type) + 3);
    size_t slots = 2 * batch + 16, fit = most / (bytes > 0 ? bytes : 1);

    slots = slots < fit ? slots : fit;
    slots = slots < count ? slots : count;
    return slots < 2 ? 2 : slots;
}

/* ---- a pass over the frames before the run ---- */

/* What is done with n frames that can run; an exit code. */
typedef int (*pass_step)(void *context, size_t n, frame **frames);

static void finish_nothing(frame *f, void *context)
{
    (void)f, (void)context;
}

/* Frames that cannot run are left out: the run itself names them. */
static int run_step(const penta_io_image *first, size_t n, frame **frames, pass_step step, void *context)
{
    size_t good = 0;

    for (size_t i = 0; i < n; i++)
        if (prepare_series_fits(first, frames[i]))
            frames[good++] = frames[i];
    return good > 0 ? step(context, good, frames) : CLI_OK;
}

/* Hands over all frames of the list in order, at most `batch` at a time. */
static int pass_over(const job *j, const char *title, const frame_list *list, const penta_io_image *first, size_t batch,
                     pass_step step, void *context)
{
    frame **frames = calloc(2 * batch, sizeof *frames), **good = frames ? frames + batch : NULL;
    frame_stream *stream =
        frame_stream_open(list, 0, prepare_series_slots(first, batch, list->count), finish_nothing, NULL);
    int code = frames && stream ? CLI_OK : cli_fail(j->command, CLI_ERROR, "cannot start decoding threads");
    progress bar;
    size_t n, done = 0;

    progress_begin(&bar, title, "frames", j->common.quiet);
    while (code == CLI_OK && (n = frame_stream_next(stream, batch, frames)) > 0) {
        memcpy(good, frames, n * sizeof *good);
        code = run_step(first, n, good, step, context);
        for (size_t i = 0; i < n; i++)
            frame_stream_finish(stream, frames[i]);
        done += n;
        progress_update(&bar, (double)done, (double)list->count);
        if (code == CLI_OK && cli_interrupted())
            code = cli_fail(j->command, CLI_ERROR, "interrupted before the first frame was finished");
    }
    progress_end(&bar);
    frame_stream_close(stream);
    free(frames);
    return code;
}

/* ---- the illumination of the series ---- */

typedef struct survey {
    job *job;
    penta_prepare *plan;
    size_t frames; /* taken in */
} survey;

static int survey_frames(void *context, size_t n, frame **frames)
{
    survey *s = context;
    const void **images = calloc(n, sizeof *images);
    penta_status status;

    if (!images)
        return cli_fail(s->job->command, CLI_ERROR, "out of memory for %zu frames", n);
    for (size_t i = 0; i < n; i++)
        images[i] = frames[i]->image.data;
    status = penta_prepare_survey(s->plan, n, images);
    free(images);
    s->frames += n;
    return status == PENTA_OK ? CLI_OK : job_fail_library(s->job);
}

int prepare_series_survey(job *j, const recipe *r, const penta_io_image *first, const frame_list *list,
                          penta_prepare *plan)
{
    survey s = {.job = j, .plan = plan};
    frame_list part = {.count = list->count < PENTA_PREPARE_SURVEY ? list->count : PENTA_PREPARE_SURVEY,
                       .colour = list->colour};
    int code;

    if (r->options.flatten != PENTA_PREPARE_SERIES)
        return CLI_OK;
    part.sources = calloc(part.count + 1, sizeof *part.sources); /* their texts are the list's */
    if (!part.sources)
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    for (size_t k = 0; k < part.count; k++)
        part.sources[k] = list->sources[part.count > 1 ? k * (list->count - 1) / (part.count - 1) : 0];
    code = pass_over(j, "illumination", &part, first, penta_prepare_batch(plan), survey_frames, &s);
    free(part.sources);
    if (code == CLI_OK && s.frames < LEAST_SURVEY)
        code = cli_fail(j->command, CLI_ERROR,
                        "--flatten series needs at least %d frames that can be used, not %zu; take another flattening",
                        LEAST_SURVEY, s.frames);
    return code;
}

/* ---- the drift of the whole series, for smoothing ---- */

typedef struct measurement {
    job *job;
    penta_prepare *plan;
    penta_drift *drift;
} measurement;

static int measure_frames(void *context, size_t n, frame **frames)
{
    measurement *m = context;
    penta_prepare_frame *inputs = calloc(n, sizeof *inputs);
    penta_prepare_result *results = calloc(n, sizeof *results);
    int code = CLI_OK;

    for (size_t i = 0; inputs && i < n; i++)
        inputs[i].image = frames[i]->image.data;
    if (!inputs || !results)
        code = cli_fail(m->job->command, CLI_ERROR, "out of memory for %zu frames", n);
    else if (penta_prepare_run(m->plan, n, inputs, results) != PENTA_OK)
        code = job_fail_library(m->job);
    for (size_t i = 0; code == CLI_OK && i < n; i++)
        if (results[i].status == PENTA_PREPARED_OK)
            m->drift[frames[i]->index] = results[i].drift;
    free(inputs);
    free(results);
    return code;
}

/* Smoothing of so short a series that it does not do what it is for. */
static void note_smoothing(const job *j, const recipe *r, size_t n, const penta_drift *drift)
{
    size_t frames = (size_t)r->options.smooth_drift, measured = 0;

    for (size_t i = 0; i < n; i++)
        measured += !isnan(drift[i].score);
    if (measured == 0) /* the run says why */
        return;
    if (measured < 3)
        cli_note(&j->common, j->command, "--smooth-drift smooths nothing: %zu frame%s a drift, which stays as measured",
                 measured, measured == 1 ? " has" : "s have");
    else if (frames >= n)
        cli_note(&j->common, j->command,
                 "--smooth-drift %zu is longer than the series of %zu frames; its drift becomes nearly a straight line",
                 frames, n);
}

int prepare_series_drift(job *j, const recipe *r, const penta_io_image *first, const frame_list *list,
                         penta_prepare *plan, penta_drift **drift)
{
    measurement m = {.job = j, .plan = plan};
    int code;

    *drift = NULL;
    if (r->options.smooth_drift == 0 || r->options.registration == PENTA_PREPARE_REGISTER_NONE)
        return CLI_OK;
    m.drift = malloc((list->count + 1) * sizeof *m.drift);
    if (!m.drift)
        return cli_fail(j->command, CLI_ERROR, "out of memory for the drifts of %zu frames", list->count);
    for (size_t i = 0; i < list->count; i++)
        m.drift[i] = (penta_drift){.score = (double)NAN};
    code = pass_over(j, "drift", list, first, penta_prepare_batch(plan), measure_frames, &m);
    penta_prepare_rewind(plan);
    if (code == CLI_OK)
        note_smoothing(j, r, list->count, m.drift);
    if (code == CLI_OK && penta_drift_smooth(list->count, m.drift, (size_t)r->options.smooth_drift) != PENTA_OK)
        code = cli_fail(j->command, CLI_ERROR, "out of memory for the smoothed drifts");
    if (code == CLI_OK)
        *drift = m.drift;
    else
        free(m.drift);
    return code;
}
