/* Frames through a plan. */
#include "autocorr/correlation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/array.h>
#include <pentacl/io/output.h>

/* ---- files of a frame ---- */

static bool write_plane(const char *path, size_t max_offset, penta_type type, const void *data, penta_io_error *err)
{
    size_t side = 2 * max_offset + 1, shape[2] = {side, side};

    if (!path)
        return penta_io_fail(err, "out of memory for a file name");
    return penta_io_npy_write(path, type, 2, shape, data, err);
}

static bool write_c1d(const char *path, size_t bins, const penta_autocorr_bin *c1d, penta_io_error *err)
{
    penta_io_output *output;
    FILE *f;

    if (!path)
        return penta_io_fail(err, "out of memory for a file name");
    if (!penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    fputs("r,count,mean_r,c,sd\n", f);
    for (size_t r = 0; r < bins; r++)
        fprintf(f, "%zu,%" PRId64 ",%.17g,%.17g,%.17g\n", r, c1d[r].count, c1d[r].mean_r, c1d[r].c, c1d[r].sd);
    return penta_io_output_commit(output, err);
}

/* DIR/STEM.c2d.npy, DIR/STEM.n2d.npy (where there are numerators) and DIR/STEM.c1d.csv, each whole or not at all. */
static bool write_files(const char *directory, const char *stem, size_t max_offset, const penta_autocorr_result *result,
                        penta_io_error *err)
{
    char *c2d = penta_io_join_path(directory, stem, ".c2d.npy"), *n2d = penta_io_join_path(directory, stem, ".n2d.npy");
    char *c1d = penta_io_join_path(directory, stem, ".c1d.csv");
    bool ok = write_plane(c2d, max_offset, PENTA_F64, result->c2d, err);

    if (ok && result->numerators)
        ok = write_plane(n2d, max_offset, PENTA_I64, result->numerators, err);
    if (ok)
        ok = write_c1d(c1d, max_offset + 1, result->c1d, err);
    free(c2d);
    free(n2d);
    free(c1d);
    return ok;
}

/* ---- finishing a frame, on a worker thread ---- */

void correlation_free_result(void *result)
{
    frame_result *own = result;

    if (!own)
        return;
    free(own->r.c2d);
    free(own->r.numerators);
    free(own->r.c1d);
    free(own);
}

static bool keep_pictures(correlation *c, size_t number, const penta_autocorr_result *result)
{
    bool ok;

    pthread_mutex_lock(&c->work.lock);
    ok = pictures_keep(&c->pictures, number, c->max_offset, result);
    pthread_mutex_unlock(&c->work.lock);
    return ok;
}

bool correlation_write_frame(void *run, frame *f, penta_io_error *err)
{
    correlation *c = run;
    frame_result *result = f->user;
    penta_autocorr_frame input = {
        .image = f->image.data, .with = c->with.data, .mask = f->mask ? f->mask : c->mask_bytes};

    result->mean_ratio = penta_autocorr_mean_ratio(c->plan, &input);
    result->light = c->series.cross ? (frame_light){1, 0} : light_measure(&f->image, input.mask);
    if (input.mask) /* what was found to be dust is masked */
        result->light.dust = 0;
    return write_files(c->job.common.output, f->source->stem, c->max_offset, &result->r, err);
}

bool correlation_keep(void *run, frame *f, penta_io_error *err)
{
    correlation *c = run;
    const frame_result *result = f->user;

    c->mean_ratios[f->index] = result->mean_ratio;
    c->lights[f->index] = result->light;
    return c->flags.no_plots || keep_pictures(c, f->index, &result->r) ||
           penta_io_fail(err, "out of memory for the pictures");
}

static frame_result *new_result(const correlation *c)
{
    size_t side = 2 * c->max_offset + 1;
    frame_result *own = calloc(1, sizeof *own);
    penta_autocorr_result *r = own ? &own->r : NULL;

    if (!r)
        return NULL;
    r->c2d = malloc(side * side * sizeof *r->c2d);
    r->c1d = malloc((c->max_offset + 1) * sizeof *r->c1d);
    r->numerators = c->flags.numerators ? malloc(side * side * sizeof *r->numerators) : NULL;
    if (!r->c2d || !r->c1d || (c->flags.numerators && !r->numerators)) {
        correlation_free_result(own);
        return NULL;
    }
    return own;
}

/* ---- the plan, once the first frame is there ---- */

static int check_companion(const correlation *c, const penta_io_image *image, const char *flag, const char *path,
                           bool same_type)
{
    if (!path)
        return CLI_OK;
    if (image->width != c->first.width || image->height != c->first.height)
        return cli_fail(c->job.command, CLI_ERROR, "%s %s is %zu x %zu, the frames are %zu x %zu", flag, path,
                        image->width, image->height, c->first.width, c->first.height);
    if (same_type && image->type != c->first.type)
        return cli_fail(c->job.command, CLI_ERROR, "%s %s holds %s pixels, the frames %s; convert one of them", flag,
                        path, penta_type_name(image->type), penta_type_name(c->first.type));
    return CLI_OK;
}

/* Rules of the library about images like the first; those of exact sums apart, since they are about the file. */
static int check_options(const correlation *c, const char *name)
{
    char message[256];

    if (penta_autocorr_check(c->first.width, c->first.height, c->first.type, false, &c->options, message,
                             sizeof message) != PENTA_OK)
        return cli_fail(c->job.command, CLI_USAGE, "%s: %s", name, message);
    if (c->flags.numerators && penta_autocorr_check(c->first.width, c->first.height, c->first.type, true, &c->options,
                                                    message, sizeof message) != PENTA_OK)
        return cli_fail(c->job.command, CLI_ERROR, "%s: %s", name, message);
    return CLI_OK;
}

static int make_plan(correlation *c, const frame *f)
{
    const penta_io_image *image = &f->image;
    int code;

    c->first = *image;
    c->first.data = NULL;
    code = check_options(c, f->source->name);
    code = code != CLI_OK ? code : check_companion(c, &c->with, "--with", c->flags.with, true);
    code = code != CLI_OK ? code : check_companion(c, &c->mask, "--mask", c->flags.mask, false);
    if (code != CLI_OK)
        return code;
    if (penta_autocorr_create(c->job.ctx, image->width, image->height, image->type, &c->options, &c->plan) != PENTA_OK)
        return job_fail_library(&c->job);
    c->max_offset = penta_autocorr_max_offset(c->plan);
    c->plans[0] = c->plan;
    return CLI_OK;
}

static int fail_on(const correlation *c, size_t member)
{
    return cli_fail_library(c->job.command, c->job.contexts[member], c->job.common.verbose);
}

int correlation_need_plan(correlation *c, size_t member)
{
    if (c->plans[member])
        return CLI_OK;
    return penta_autocorr_create(c->job.contexts[member], c->first.width, c->first.height, c->first.type, &c->options,
                                 &c->plans[member]) == PENTA_OK
               ? CLI_OK
               : fail_on(c, member);
}

void correlation_free_plans(correlation *c)
{
    for (size_t i = 0; c->plans && i < c->job.members; i++)
        penta_autocorr_destroy(c->plans[i]);
    free(c->plans);
}

/* ---- running frames ---- */

/* Whether a decoded frame can run with the plan; a reason in its error text if not. */
static bool fits_series(const correlation *c, frame *f)
{
    size_t small = f->image.width < f->image.height ? f->image.width : f->image.height;

    if (f->error.text[0])
        return false;
    if (small < 2)
        return penta_io_fail(&f->error, "%s is %zu x %zu: too small to have an offset; 2 x 2 is the least",
                             f->source->name, f->image.width, f->image.height);
    if (!c->plan)
        return true;
    if (f->image.width != c->first.width || f->image.height != c->first.height)
        return penta_io_fail(&f->error,
                             "%s is %zu x %zu, but the series began with %zu x %zu; all frames must have one size",
                             f->source->name, f->image.width, f->image.height, c->first.width, c->first.height);
    if (f->image.type != c->first.type)
        return penta_io_fail(&f->error, "%s holds %s pixels, but the series began with %s; convert one of them",
                             f->source->name, penta_type_name(f->image.type), penta_type_name(c->first.type));
    return true;
}

static void note_result(correlation *c, const frame *f)
{
    const frame_result *own = f->user;
    const penta_autocorr_result *r = &own->r;
    series_row *row = &c->series.rows[f->index];

    row->state = SERIES_DONE;
    row->width = f->image.width;
    row->height = f->image.height;
    row->max_offset = c->max_offset;
    row->method = r->method;
    row->fft = r->fft;
    row->peak = r->peak;
    row->correlation_length = r->correlation_length;
    if (c->series.cross)
        row->shift = r->displacement;
    row->nan_pixels = c->prepared.wanted ? f->nan_pixels : r->nan_pixels;
}

/* The frame's mask, in which that of --mask counts too; NULL: all pixels count. */
static const uint8_t *mask_of(const correlation *c, frame *f)
{
    size_t pixels = f->image.width * f->image.height;

    if (!f->mask)
        return c->mask_bytes;
    for (size_t i = 0; c->mask_bytes && i < pixels; i++)
        f->mask[i] = f->mask[i] && c->mask_bytes[i];
    return f->mask;
}

/* Runs good frames as one batch. */
static penta_status run_frames(correlation *c, size_t member, size_t n, frame **frames)
{
    penta_autocorr_frame *inputs = calloc(n, sizeof *inputs);
    penta_autocorr_result *results = calloc(n, sizeof *results);
    penta_status status = inputs && results ? PENTA_OK : PENTA_MEMORY;

    for (size_t i = 0; status == PENTA_OK && i < n; i++) {
        frames[i]->user = new_result(c);
        if (!frames[i]->user) {
            status = PENTA_MEMORY;
            break;
        }
        results[i] = ((frame_result *)frames[i]->user)->r;
        inputs[i] =
            (penta_autocorr_frame){.image = frames[i]->image.data, .with = c->with.data, .mask = mask_of(c, frames[i])};
    }
    if (status == PENTA_OK)
        status = penta_autocorr_run(c->plans[member], n, inputs, results);
    for (size_t i = 0; i < n && c->series.cross; i++) /* a cross-correlation has no length scale */
        results[i].peak =
            (penta_peak){PENTA_PEAK_NO_TROUGH, 0, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < n; i++) {
        if (status == PENTA_OK)
            ((frame_result *)frames[i]->user)->r = results[i];
        else
            frames_work_drop(&c->work, frames[i]);
    }
    free(inputs);
    free(results);
    return status;
}

/* One frame by itself after its batch failed, so that only the bad one is lost and named. */
static int run_alone(correlation *c, size_t member, frame *f)
{
    penta_status status = run_frames(c, member, 1, &f);
    const char *text = penta_last_error(c->job.contexts[member]);

    if (status == PENTA_OK)
        return CLI_OK;
    if (status != PENTA_INVALID)
        return fail_on(c, member);
    penta_io_fail(&f->error, "%s: %.*s", f->source->name, (int)strcspn(text, "\n"), text);
    return CLI_OK;
}

static int run_decoded(correlation *c, size_t member, size_t n, frame **frames)
{
    frame **good = calloc(n, sizeof *good);
    size_t count = 0;
    int code = good ? CLI_OK : cli_fail(c->job.command, CLI_ERROR, "out of memory");

    for (size_t i = 0; code == CLI_OK && i < n; i++) {
        if (!fits_series(c, frames[i]))
            continue;
        if (!c->plan)
            code = make_plan(c, frames[i]);
        if (code == CLI_OK)
            good[count++] = frames[i];
    }
    if (code == CLI_OK && count > 0)
        code = correlation_need_plan(c, member);
    if (code == CLI_OK && count > 0 && run_frames(c, member, count, good) != PENTA_OK)
        for (size_t i = 0; code == CLI_OK && i < count; i++)
            code = run_alone(c, member, good[i]);
    free(good);
    return code;
}

bool correlation_has_plan(const void *run)
{
    const correlation *c = run;

    return c->plan != NULL;
}

int correlation_compute(void *run, size_t member, size_t n, frame **frames)
{
    correlation *c = run;
    int code = prepared_run(&c->prepared, &c->job, &c->list, member, n, frames);

    return code != CLI_OK ? code : run_decoded(c, member, n, frames);
}

int correlation_accept(void *run, frame *f)
{
    correlation *c = run;

    prepared_accept(&c->prepared, &c->job, f);
    if (f->user) {
        note_result(c, f);
        return CLI_OK;
    }
    if (c->flags.keep_going)
        c->series.rows[f->index].state = SERIES_FAILED;
    return frames_work_skip(&c->work, f, c->flags.keep_going);
}
