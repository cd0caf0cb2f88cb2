/* A plan for the frames of a list, and its look at them before the first one runs. */
#include "shared/prepare_plan.h"

#include <math.h>
#include <stdlib.h>

#include "shared/progress.h"

/* ---- dark and flat frames ---- */

static size_t channels_of(const penta_io_image *image)
{
    return image->channels == 3 ? 3 : 1;
}

bool prepare_read_colour(const char *path, const penta_io_choice *choice, size_t page, penta_io_image *out,
                         penta_io_error *err)
{
    penta_io_reader *reader = NULL;
    bool ok = penta_io_reader_open_chosen(path, choice, &reader, err);

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
static int read_levels(const job *j, int grey, const char *flag, const char *path, const penta_io_image *first,
                       float **out)
{
    penta_io_image image = {0};
    penta_io_error error = {""};
    int code = CLI_OK;

    if (!path)
        return CLI_OK;
    if (!prepare_read_colour(path, NULL, 0, &image, &error))
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
            penta_prepare_levels(image.width, image.height, channels_of(&image), image.type, image.data, grey, *out);
        else
            code = cli_fail(j->command, CLI_ERROR, "out of memory for %s", path);
    }
    penta_io_image_free(&image);
    return code;
}

int prepare_plan_open(const job *j, penta_context *ctx, const penta_prepare_options *o, const char *dark_path,
                      const char *flat_path, const penta_io_image *first, penta_prepare **out)
{
    penta_prepare *plan = NULL;
    float *dark = NULL, *flat = NULL;
    int code = read_levels(j, o->grey, "--dark", dark_path, first, &dark);

    *out = NULL;
    code = code != CLI_OK ? code : read_levels(j, o->grey, "--flat", flat_path, first, &flat);
    if (code == CLI_OK &&
        penta_prepare_create(ctx, first->width, first->height, channels_of(first), first->type, o, &plan) != PENTA_OK)
        code = cli_fail_library(j->command, ctx, j->common.verbose);
    if (code == CLI_OK && (dark || flat) && penta_prepare_calibrate(plan, dark, flat) != PENTA_OK)
        code = cli_fail_library(j->command, ctx, j->common.verbose);
    if (code == CLI_OK)
        *out = plan;
    else
        penta_prepare_destroy(plan);
    free(dark);
    free(flat);
    return code;
}

/* ---- which frames can run ---- */

bool prepare_plan_fits(const penta_io_image *first, frame *f)
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

void prepare_plan_explain(const penta_prepare *plan, const penta_prepare_result *result, frame *f)
{
    bool lost = result->status == PENTA_PREPARED_LOST;
    const char *object = lost && result->dust_pixels > 0 ? "; --dust none, where what moves is taken for dust" : "";
    const char *help =
        lost ? "; more of the picture in common helps (a larger --crop, frames closer in time), --register none leaves "
               "all frames where they are, --keep-going leaves this one out"
             : "";
    char reason[256];

    penta_prepare_explain(plan, result, reason, sizeof reason);
    penta_io_fail(&f->error, "%s: %s%s%s", f->source->name, reason, object, help);
}

size_t prepare_plan_slots(const penta_io_image *first, size_t batch, size_t count)
{
    const size_t most = (size_t)1 << 30; /* bytes of decoded frames and of results, about */
    size_t bytes = first->width * first->height * (channels_of(first) * penta_type_size(first->type) + 3);
    size_t slots = 2 * batch + 16, fit = most / (bytes > 0 ? bytes : 1);

    slots = slots < fit ? slots : fit;
    slots = slots < count ? slots : count;
    return slots < 2 ? 2 : slots;
}

/* ---- the look before the run ---- */

/* The list as a source: a stream for each pass, whose frames are taken and finished in order. */
typedef struct reader {
    job *job;
    const frame_list *list;
    const penta_io_image *first;
    size_t slots;
    frame_list part; /* the frames of the pass; their texts are the list's */
    frame_stream *stream;
    frame **taken; /* slots of them: read and not yet released, in turn */
    size_t read, released;
    progress bar;
    int code; /* of what failed here */
} reader;

static void end_pass(reader *r)
{
    if (r->stream)
        progress_end(&r->bar);
    frame_stream_close(r->stream);
    r->stream = NULL;
    free(r->part.sources);
    r->part.sources = NULL;
    r->read = r->released = 0;
}

static void finish_nothing(frame *f, void *context)
{
    (void)f, (void)context;
}

static penta_status begin_pass(void *data, enum penta_prepare_pass pass, size_t n, const size_t *index)
{
    reader *r = data;

    end_pass(r);
    r->part = *r->list;
    r->part.count = n;
    r->part.sources = calloc(n + 1, sizeof *r->part.sources);
    for (size_t k = 0; r->part.sources && k < n; k++)
        r->part.sources[k] = r->list->sources[index[k]];
    if (r->part.sources)
        r->stream = frame_stream_open(&r->part, 0, r->slots, finish_nothing, NULL);
    if (!r->stream) {
        r->code = cli_fail(r->job->command, CLI_ERROR, "cannot start decoding threads");
        return PENTA_MEMORY;
    }
    progress_begin(&r->bar, penta_prepare_pass_name(pass), "frames", r->job->common.quiet);
    return PENTA_OK;
}

static penta_status read_frame(void *data, size_t index, const void **image)
{
    reader *r = data;
    frame *f;

    (void)index;
    *image = NULL;
    if (cli_interrupted()) {
        r->code = cli_fail(r->job->command, CLI_ERROR, "interrupted before the first frame was finished");
        return PENTA_CANCELLED;
    }
    if (frame_stream_next(r->stream, 1, &f) != 1) {
        r->code = cli_fail(r->job->command, CLI_ERROR, "out of memory for the frames");
        return PENTA_MEMORY;
    }
    r->taken[r->read++ % r->slots] = f;
    if (prepare_plan_fits(r->first, f))
        *image = f->image.data;
    return PENTA_OK;
}

static void release_frame(void *data, size_t index)
{
    reader *r = data;

    (void)index;
    frame_stream_finish(r->stream, r->taken[r->released++ % r->slots]);
    progress_update(&r->bar, (double)r->released, (double)r->part.count);
}

/* Smoothing of so short a series that it does not do what it is for. */
static void note_smoothing(const job *j, size_t frames, size_t n, size_t measured)
{
    if (measured == 0) /* the run says why */
        return;
    if (measured < 3)
        job_note(j, "--smooth-drift smooths nothing: %zu frame%s a drift, which stays as measured", measured,
                 measured == 1 ? " has" : "s have");
    else if (frames >= n)
        job_note(j,
                 "--smooth-drift %zu is longer than the series of %zu frames; its drift becomes nearly a straight line",
                 frames, n);
}

bool prepare_plan_looks(const penta_prepare_options *o)
{
    return o->flatten == PENTA_PREPARE_SERIES || o->smooth_drift > 0;
}

int prepare_plan_look(job *j, const penta_prepare_options *o, const penta_io_image *first, const frame_list *list,
                      penta_prepare *plan)
{
    size_t batch = penta_prepare_batch(plan), measured = 0;
    reader r = {.job = j, .list = list, .first = first, .slots = prepare_plan_slots(first, batch, list->count)};
    penta_prepare_source source = {.count = list->count,
                                   .most = r.slots > batch ? 0 : (r.slots + 1) / 2,
                                   .data = &r,
                                   .begin = begin_pass,
                                   .read = read_frame,
                                   .release = release_frame};
    penta_status status = PENTA_MEMORY;

    r.taken = calloc(r.slots, sizeof *r.taken);
    if (r.taken)
        status = penta_prepare_look(plan, &source, &measured);
    else
        r.code = cli_fail(j->command, CLI_ERROR, "out of memory");
    end_pass(&r);
    free(r.taken);
    if (status != PENTA_OK)
        return r.code != CLI_OK ? r.code : job_fail_library(j);
    note_smoothing(j, (size_t)o->smooth_drift, list->count, measured);
    return CLI_OK;
}

/* ---- after the run ---- */

void prepare_narrow_add(prepare_narrow *n, const penta_prepare_options *o, size_t width, size_t height,
                        const penta_peak *peak, const char *name)
{
    const double given = 2, by_default = 1; /* R_max; an 8th of a small frame is often narrow without harm */
    double sigma = o->flatten_sigma > 0 ? o->flatten_sigma : fmax(16, (double)(width < height ? width : height) / 8);
    bool flattens = o->flatten == PENTA_PREPARE_GAUSSIAN || o->flatten == PENTA_PREPARE_OVERLAY;
    bool found = peak->status == PENTA_PEAK_OK || peak->status == PENTA_PEAK_WEAK;

    if (!flattens || !found || !(sigma < (o->flatten_sigma > 0 ? given : by_default) * peak->r_max))
        return;
    if (n->frames++ == 0 || peak->r_max > n->r_max)
        n->sigma = sigma, n->r_max = peak->r_max, n->name = name;
}

void prepare_narrow_warn(const prepare_narrow *n, job *j, size_t frames)
{
    if (n->frames > 0)
        job_warn(j,
                 "%zu of %zu frames were flattened by a Gaussian of %.3g px, narrow for an R_max of %.3g px (%s), and "
                 "may have lost some of the pattern; prepare them with --flatten poly, or with --flatten-sigma %.0f",
                 n->frames, frames, n->sigma, n->r_max, n->name, ceil(2 * n->r_max));
}
