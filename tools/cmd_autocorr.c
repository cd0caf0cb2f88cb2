/* penta autocorr: images in, C2D, C1D, R_max and its growth out. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/files.h"
#include "autocorr/pictures.h"
#include "cli.h"
#include "io/output.h"
#include "json.h"
#include "progress.h"

static const char NAME[] = "autocorr";

typedef struct autocorr_flags {
    const char *times, *with, *mask;
    double interval;
    bool numerators, keep_going, no_plots;
} autocorr_flags;

static const penta_option flag_table[] = {
    PENTA_TEXT_OPTION(autocorr_flags, times, 0, "CSV",
                      "times of the frames in s: a column time, and a column file or in order"),
    PENTA_REAL_OPTION(autocorr_flags, interval, 0, 0, 0, 1e15, "s",
                      "time between frames; 0: frame numbers are the times"),
    PENTA_TEXT_OPTION(autocorr_flags, with, 0, "IMAGE", "cross-correlate with this image"),
    PENTA_TEXT_OPTION(autocorr_flags, mask, 0, "IMAGE", "exclude the pixels where this image is 0"),
    PENTA_FLAG_OPTION(autocorr_flags, numerators, 0, "write the exact integer sums N(X,Y) too"),
    PENTA_FLAG_OPTION(autocorr_flags, keep_going, 'k', "report a bad frame, skip it and go on"),
    PENTA_FLAG_OPTION(autocorr_flags, no_plots, 0, "draw no pictures"),
    PENTA_OPTIONS_END};

static const char about[] =
    "Correlates images with themselves and finds the length scale R_max: the highest maximum of the azimuthal average "
    "C1D\n"
    "after its first trough. Images: PNG, TIFF (stacks too), PGM/PPM, NPY; 8 and 16 bits, float. Colour becomes "
    "luminance by\n"
    "(299 R + 587 G + 114 B) / 1000. Several images are a series in the order given.\n\n"
    "Writes to DIR: STEM.c2d.npy, STEM.c1d.csv and, with --numerators, STEM.n2d.npy of every frame; series.csv; "
    "c1d.png,\n"
    "c2d.png, and growth.png for series of 3 or more. Exit code 0; 1 after an error; 2 for wrong usage.";

static const char examples[] = "  penta sample autocorr -o frames && penta autocorr --interval 60 -o out frames/*.png\n"
                               "  penta autocorr -R 250 --numerators -o out photo.png\n"
                               "  penta autocorr --estimator pearson --demean plane --json -o out stack.tif\n";

/* Everything of one run. */
typedef struct {
    cli_common common;
    autocorr_flags flags;
    penta_autocorr_options options;
    frame_list list;
    series series;
    pictures pictures;
    io_image with, mask;
    uint8_t *mask_bytes;
    penta_context *ctx;
    penta_autocorr *plan;
    io_image first; /* size and type of the frames; data NULL until known */
    size_t max_offset;
    frame_stream *stream;
    pthread_mutex_t lock; /* over what finish jobs share: finish_error, pictures */
    io_error finish_error;
    progress bar;
    double start;
} job;

/* ---- finishing a frame, on a worker thread ---- */

static void free_result(penta_autocorr_result *r)
{
    if (!r)
        return;
    free(r->c2d);
    free(r->numerators);
    free(r->c1d);
    free(r);
}

static void finish_frame(frame *f, void *context)
{
    job *j = context;
    penta_autocorr_result *result = f->user;
    io_error error = {""};
    bool ok = true;

    if (!result)
        return;
    ok = autocorr_write_frame(j->common.output, f->source->stem, j->max_offset, result, &error);
    pthread_mutex_lock(&j->lock);
    if (ok && !j->flags.no_plots && !pictures_keep(&j->pictures, f->index, j->max_offset, result))
        ok = io_fail(&error, "out of memory for the pictures");
    if (!ok && !j->finish_error.text[0])
        j->finish_error = error;
    pthread_mutex_unlock(&j->lock);
    free_result(result);
    f->user = NULL;
}

static bool finish_failed(job *j)
{
    bool failed;

    pthread_mutex_lock(&j->lock);
    failed = j->finish_error.text[0] != 0;
    pthread_mutex_unlock(&j->lock);
    return failed;
}

static penta_autocorr_result *new_result(const job *j)
{
    size_t side = 2 * j->max_offset + 1;
    penta_autocorr_result *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->c2d = malloc(side * side * sizeof *r->c2d);
    r->c1d = malloc((j->max_offset + 1) * sizeof *r->c1d);
    r->numerators = j->flags.numerators ? malloc(side * side * sizeof *r->numerators) : NULL;
    if (!r->c2d || !r->c1d || (j->flags.numerators && !r->numerators)) {
        free_result(r);
        return NULL;
    }
    return r;
}

/* ---- the plan, once the first frame is there ---- */

static int check_companion(const job *j, const io_image *image, const char *flag, const char *path, bool same_type)
{
    if (!path)
        return CLI_OK;
    if (image->width != j->first.width || image->height != j->first.height)
        return cli_fail(NAME, CLI_ERROR, "%s %s is %zu x %zu, the frames are %zu x %zu", flag, path, image->width,
                        image->height, j->first.width, j->first.height);
    if (same_type && image->type != j->first.type)
        return cli_fail(NAME, CLI_ERROR, "%s %s holds %s pixels, the frames %s; convert one of them", flag, path,
                        penta_type_name(image->type), penta_type_name(j->first.type));
    return CLI_OK;
}

static int check_numerators(const job *j)
{
    bool integer = j->first.type == PENTA_U8 || j->first.type == PENTA_U16;

    if (!j->flags.numerators)
        return CLI_OK;
    if (!integer)
        return cli_fail(NAME, CLI_ERROR, "--numerators are integers, but %s holds %s pixels", j->list.sources[0].name,
                        penta_type_name(j->first.type));
    if (j->options.demean == PENTA_AUTOCORR_DEMEAN_PLANE || j->options.precision == PENTA_PRECISION_SINGLE)
        return cli_fail(NAME, CLI_USAGE,
                        "--numerators are exact integers; leave out --demean plane and --precision single");
    return CLI_OK;
}

static int make_plan(job *j, const frame *f)
{
    const io_image *image = &f->image;
    size_t small = image->width < image->height ? image->width : image->height;
    int code;

    j->first = *image;
    j->first.data = NULL;
    if (j->options.max_offset > 0 && (size_t)j->options.max_offset >= small)
        return cli_fail(NAME, CLI_USAGE, "-R %d must be smaller than the image: %s is %zu x %zu", j->options.max_offset,
                        f->source->name, image->width, image->height);
    code = check_companion(j, &j->with, "--with", j->flags.with, true);
    code = code != CLI_OK ? code : check_companion(j, &j->mask, "--mask", j->flags.mask, false);
    code = code != CLI_OK ? code : check_numerators(j);
    if (code != CLI_OK)
        return code;
    if (penta_autocorr_create(j->ctx, image->width, image->height, image->type, &j->options, &j->plan) != PENTA_OK)
        return cli_fail_library(NAME, j->ctx, j->common.verbose);
    j->max_offset = penta_autocorr_max_offset(j->plan);
    return CLI_OK;
}

/* ---- running frames ---- */

/* Whether a decoded frame can run with the plan; a reason in its error text if not. */
static bool fits_series(const job *j, frame *f)
{
    size_t small = f->image.width < f->image.height ? f->image.width : f->image.height;

    if (f->error.text[0])
        return false;
    if (small < 2)
        return io_fail(&f->error, "%s is %zu x %zu: too small to have an offset; 2 x 2 is the least", f->source->name,
                       f->image.width, f->image.height);
    if (!j->plan)
        return true;
    if (f->image.width != j->first.width || f->image.height != j->first.height)
        return io_fail(&f->error, "%s is %zu x %zu, but the series began with %zu x %zu; all frames must have one size",
                       f->source->name, f->image.width, f->image.height, j->first.width, j->first.height);
    if (f->image.type != j->first.type)
        return io_fail(&f->error, "%s holds %s pixels, but the series began with %s; convert one of them",
                       f->source->name, penta_type_name(f->image.type), penta_type_name(j->first.type));
    return true;
}

static void note_result(job *j, const frame *f)
{
    const penta_autocorr_result *r = f->user;
    series_row *row = &j->series.rows[f->index];

    row->state = SERIES_DONE;
    row->width = f->image.width;
    row->height = f->image.height;
    row->max_offset = j->max_offset;
    row->method = r->method;
    row->fft = r->fft;
    row->peak = r->peak;
}

/* Runs good frames as one batch. */
static penta_status run_frames(job *j, size_t n, frame **frames)
{
    penta_autocorr_frame *inputs = calloc(n, sizeof *inputs);
    penta_autocorr_result *results = calloc(n, sizeof *results);
    penta_status status = inputs && results ? PENTA_OK : PENTA_MEMORY;

    for (size_t i = 0; status == PENTA_OK && i < n; i++) {
        frames[i]->user = new_result(j);
        if (!frames[i]->user) {
            status = PENTA_MEMORY;
            break;
        }
        results[i] = *(penta_autocorr_result *)frames[i]->user;
        inputs[i] = (penta_autocorr_frame){.image = frames[i]->image.data, .with = j->with.data, .mask = j->mask_bytes};
    }
    if (status == PENTA_OK)
        status = penta_autocorr_run(j->plan, n, inputs, results);
    for (size_t i = 0; i < n; i++) {
        if (status == PENTA_OK) {
            *(penta_autocorr_result *)frames[i]->user = results[i];
            note_result(j, frames[i]);
        } else {
            free_result(frames[i]->user);
            frames[i]->user = NULL;
        }
    }
    free(inputs);
    free(results);
    return status;
}

/* A frame that cannot be used: an error, or a note when the run goes on. */
static int bad_frame(job *j, const frame *f)
{
    if (!j->flags.keep_going)
        return cli_fail(NAME, CLI_ERROR, "%s", f->error.text);
    j->series.rows[f->index].state = SERIES_FAILED;
    cli_fail(NAME, CLI_ERROR, "skipped: %s", f->error.text);
    return CLI_OK;
}

/* One frame by itself after its batch failed, so that only the bad one is lost and named. */
static int run_alone(job *j, frame *f)
{
    penta_status status = run_frames(j, 1, &f);

    if (status == PENTA_OK)
        return CLI_OK;
    if (status != PENTA_INVALID)
        return cli_fail_library(NAME, j->ctx, j->common.verbose);
    io_fail(&f->error, "%s: %.*s", f->source->name, (int)strcspn(penta_last_error(j->ctx), "\n"),
            penta_last_error(j->ctx));
    return bad_frame(j, f);
}

static int run_batch(job *j, size_t n, frame **frames)
{
    frame **good = calloc(n, sizeof *good);
    size_t count = 0;
    int code = good ? CLI_OK : cli_fail(NAME, CLI_ERROR, "out of memory");

    for (size_t i = 0; code == CLI_OK && i < n; i++) {
        if (!fits_series(j, frames[i]))
            break;
        if (!j->plan)
            code = make_plan(j, frames[i]);
        if (code == CLI_OK)
            good[count++] = frames[i];
    }
    if (code == CLI_OK && count > 0 && run_frames(j, count, good) != PENTA_OK)
        for (size_t i = 0; code == CLI_OK && i < count; i++)
            code = run_alone(j, good[i]);
    if (code == CLI_OK && count < n) { /* the frame that ended the batch, then the rest */
        code = bad_frame(j, frames[count]);
        if (code == CLI_OK && count + 1 < n)
            code = run_batch(j, n - count - 1, frames + count + 1);
    }
    free(good);
    return code;
}

static int run_series(job *j)
{
    enum { MOST = 64 };
    frame *frames[MOST];
    size_t n, done = 0;
    int code = CLI_OK;

    while (code == CLI_OK && (n = frame_stream_next(j->stream, j->plan ? MOST : 1, frames)) > 0) {
        code = run_batch(j, n, frames);
        for (size_t i = 0; i < n; i++)
            frame_stream_finish(j->stream, frames[i]);
        done += n;
        progress_update(&j->bar, (double)done, (double)j->list.count);
        if (code == CLI_OK && finish_failed(j))
            break;
        if (code == CLI_OK && cli_interrupted() && done < j->list.count)
            code = cli_fail(NAME, CLI_ERROR, "interrupted after %zu of %zu frames; what was finished is kept", done,
                            j->list.count);
    }
    return code;
}

/* ---- before and after ---- */

static int read_image(const char *path, io_image *image)
{
    io_error error = {""};

    return io_image_read(path, image, &error) ? CLI_OK : cli_fail(NAME, CLI_ERROR, "%s", error.text);
}

static bool pixel_is_zero(const io_image *image, size_t i)
{
    switch (image->type) {
    case PENTA_U8:
        return ((const uint8_t *)image->data)[i] == 0;
    case PENTA_U16:
        return ((const uint16_t *)image->data)[i] == 0;
    case PENTA_F32:
        return !(((const float *)image->data)[i] > 0 || ((const float *)image->data)[i] < 0);
    default:
        return !(((const double *)image->data)[i] > 0 || ((const double *)image->data)[i] < 0);
    }
}

static int read_companions(job *j)
{
    int code = j->flags.with ? read_image(j->flags.with, &j->with) : CLI_OK;

    if (code == CLI_OK && j->flags.mask)
        code = read_image(j->flags.mask, &j->mask);
    if (code != CLI_OK || !j->flags.mask)
        return code;
    j->mask_bytes = malloc(j->mask.width * j->mask.height);
    if (!j->mask_bytes)
        return cli_fail(NAME, CLI_ERROR, "out of memory for the mask");
    for (size_t i = 0; i < j->mask.width * j->mask.height; i++)
        j->mask_bytes[i] = !pixel_is_zero(&j->mask, i);
    return CLI_OK;
}

/* What the whole series gives: fits, series.csv, pictures. After an error or Ctrl-C what was finished gets them too. */
static int write_summary(job *j)
{
    char *csv = io_join_path(j->common.output, "series", ".csv");
    io_error error = {""};
    plot_status drawn = PLOT_OK;
    bool ok = csv && (series_done(&j->series) < 3 || series_fit(&j->series, &error)) &&
              series_write_csv(&j->series, csv, &error);

    if (ok && !j->flags.no_plots)
        drawn = pictures_draw(&j->pictures, &j->series, j->common.output, &error);
    if (drawn == PLOT_NO_GNUPLOT)
        cli_note(&j->common, NAME, "%s", error.text);
    free(csv);
    if (ok && drawn != PLOT_FAILED)
        return CLI_OK;
    return cli_fail(NAME, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
}

static int print_answer(job *j)
{
    json_t *answer;

    if (j->common.profile)
        cli_print_profile(j->ctx);
    if (!j->common.json)
        return CLI_OK;
    answer = json_answer(NAME, j->ctx, cli_seconds() - j->start);
    json_object_set_new(answer, "frames", series_frames_json(&j->series));
    json_object_set_new(answer, "growth", series_growth_json(&j->series));
    return json_print(NAME, answer);
}

static void print_peak(const job *j, size_t i)
{
    const series_row *row = &j->series.rows[i];
    const char *name = j->list.sources[i].name;

    if (row->state != SERIES_DONE)
        return;
    if (row->peak.status != PENTA_PEAK_OK)
        printf("%s  no peak (%s)\n", name, series_status(row));
    else if (isfinite(row->peak.r_max_se))
        printf("%s  R_max = %.2f +- %.2f px  (C = %.4f, %s%s)\n", name, row->peak.r_max, row->peak.r_max_se,
               row->peak.c_max, row->method, row->outlier ? ", outlier" : "");
    else
        printf("%s  R_max = %.2f px  (C = %.4f, %s%s)\n", name, row->peak.r_max, row->peak.c_max, row->method,
               row->outlier ? ", outlier" : "");
}

static void print_growth(const job *j)
{
    for (int m = 0; j->series.fitted && m < PENTA_GROWTH_MODELS; m++) {
        const penta_growth_fit *fit = &j->series.fits[m];

        if (!fit->ok)
            continue;
        printf("growth %-12s", penta_growth_model_name(fit->model));
        for (size_t k = 0; k < fit->parameters; k++)
            printf("  %s = %.5g +- %.2g", penta_growth_parameter_name(fit->model, k), fit->value[k],
                   fit->standard_error[k]);
        printf("  (AICc %.1f)\n", fit->aicc);
    }
}

static void print_text(const job *j)
{
    if (j->common.json || j->common.quiet)
        return;
    for (size_t i = 0; i < j->list.count; i++)
        print_peak(j, i);
    print_growth(j);
    printf("results in %s\n", j->common.output);
}

static int open_job(job *j, int argc, char **argv)
{
    io_error error = {""};
    size_t slots;
    int code;

    if (!frame_list_make(argv, (size_t)argc, &j->list))
        return cli_fail(NAME, CLI_ERROR, "out of memory for the list of frames");
    if (!series_open(&j->series, &j->list, j->flags.times, j->flags.interval, &error))
        return cli_fail(NAME, CLI_ERROR, "%s", error.text);
    code = read_companions(j);
    if (code != CLI_OK)
        return code;
    if (penta_context_create(j->common.device, &j->ctx) != PENTA_OK)
        return cli_fail_library(NAME, NULL, j->common.verbose);
    if (!io_make_directory(j->common.output, &error))
        return cli_fail(NAME, CLI_ERROR, "%s", error.text);
    pictures_open(&j->pictures, j->list.count);
    slots = j->list.count < 96 ? j->list.count : 96;
    j->stream = frame_stream_open(&j->list, 0, slots, finish_frame, j);
    return j->stream ? CLI_OK : cli_fail(NAME, CLI_ERROR, "cannot start decoding threads");
}

static int run_job(job *j, int argc, char **argv)
{
    int code, after;

    code = open_job(j, argc, argv);
    if (code == CLI_OK) {
        progress_begin(&j->bar, NAME, "frames", j->common.quiet);
        code = run_series(j);
        progress_end(&j->bar);
    }
    frame_stream_close(j->stream);
    if (j->finish_error.text[0])
        code = cli_fail(NAME, CLI_ERROR, "%s", j->finish_error.text);
    if (j->stream && series_done(&j->series) > 0 && !j->finish_error.text[0]) {
        after = write_summary(j);
        code = code == CLI_OK ? after : code;
    } else if (code == CLI_OK) {
        code = cli_fail(NAME, CLI_ERROR, "no frame could be used");
    }
    if (code == CLI_OK) {
        print_text(j);
        code = print_answer(j);
    }
    return code;
}

static void close_job(job *j)
{
    penta_autocorr_destroy(j->plan);
    penta_context_destroy(j->ctx);
    pictures_close(&j->pictures);
    series_close(&j->series);
    frame_list_free(&j->list);
    io_image_free(&j->with);
    io_image_free(&j->mask);
    free(j->mask_bytes);
    pthread_mutex_destroy(&j->lock);
}

static int run(int argc, char **argv)
{
    job j = {.start = cli_seconds()};
    const cli_table tables[] = {{"Method", penta_autocorr_option_table, &j.options},
                                {"Input and output", flag_table, &j.flags},
                                {"Common", cli_common_table, &j.common},
                                {NULL, NULL, NULL}};
    const cli_spec spec = {NAME, "-o DIR IMAGE...", about, examples, tables};
    int first, code = cli_parse(&spec, argc, argv, &first);

    if (code != CLI_OK || first < 0)
        return code;
    if (first == argc)
        return cli_fail(NAME, CLI_USAGE, "no image given; see penta autocorr --help");
    if (!j.common.output)
        return cli_fail(NAME, CLI_USAGE, "-o DIR is missing: where should the results go?");
    if (j.flags.times && j.flags.interval > 0)
        return cli_fail(NAME, CLI_USAGE, "--times and --interval are two answers to one question; give one");
    pthread_mutex_init(&j.lock, NULL);
    cli_catch_interrupts();
    code = run_job(&j, argc - first, argv + first);
    close_job(&j);
    return code;
}

const cli_command penta_command_autocorr = {"autocorr", "autocorrelation of images, R_max and its growth", run};
