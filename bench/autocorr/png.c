/*
 * A series of PNG files: decoding alone beside the whole way from file to R_max, with the command's own reading
 * threads. The frames are 8-bit images of random plane waves, so that there is a peak to find; they lie in the page
 * cache.
 */
#include "input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/autocorr.h>

#include "shared/frames.h"
#include "shared/sample_field.h"

enum { WIDTH = 750, HEIGHT = 1500, R = 250, CONTENTS = 8, WAVES = 15, MOST = 64, SLOTS = 96 };
enum { LEAST_FILES = 128, FILES_EACH = 16 }; /* of a core */

typedef struct {
    bench *b;
    char directory[64];
    char **paths;
    size_t files;
    frame_list list;
    penta_autocorr *plan;
    int bootstrap;
} png_series;

/* ---- the files ---- */

/* Every thread decodes some, so that the last frames, which are correlated when all is decoded, are few. */
static size_t file_count(void)
{
    size_t files = FILES_EACH * (size_t)bench_cores();

    return files > LEAST_FILES ? files : LEAST_FILES;
}

static void paint(bench *b, unsigned content, uint8_t *pixels)
{
    float *field = bench_alloc(b, (size_t)WIDTH * HEIGHT, sizeof *field);
    double k = J0_PEAK / (40 + 2 * content);

    for (unsigned w = 0; w < WAVES; w++)
        sample_add_wave(field, WIDTH, HEIGHT, k * cos(TWO_PI * w / WAVES), k * sin(TWO_PI * w / WAVES),
                        1.7 * w * w + content);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)fmin(fmax(128 + 14 * (double)field[i], 0), 255);
}

static void write_files(png_series *s)
{
    penta_io_image image = {.width = WIDTH, .height = HEIGHT, .type = PENTA_U8};
    penta_io_error error = {""};

    s->paths = bench_alloc(s->b, s->files, sizeof *s->paths);
    strcpy(s->directory, "/tmp/penta-bench-XXXXXX");
    image.data = bench_alloc(s->b, WIDTH, HEIGHT);
    if (!mkdtemp(s->directory))
        bench_fail(s->b, "cannot make a temporary folder for the PNG files");
    for (size_t i = 0; i < s->files; i++) {
        s->paths[i] = bench_text(s->b, "%s/%04zu.png", s->directory, i);
        if (i < CONTENTS)
            paint(s->b, (unsigned)i, image.data);
        if (i < CONTENTS ? !penta_io_png_write(s->paths[i], &image, &error)
                         : link(s->paths[i % CONTENTS], s->paths[i]) != 0)
            bench_fail(s->b, "cannot write %s: %s", s->paths[i], error.text);
    }
    if (!frame_list_make(s->paths, s->files, &s->list))
        bench_fail(s->b, "out of memory");
}

static void remove_files(png_series *s)
{
    for (size_t i = 0; i < s->files; i++)
        unlink(s->paths[i]);
    rmdir(s->directory);
    frame_list_free(&s->list);
    bench_release(s->b, 0);
}

/* ---- the work ---- */

static void nothing(frame *f, void *context)
{
    (void)f, (void)context;
}

static void run_batch(png_series *s, size_t n, frame **frames)
{
    penta_autocorr_frame inputs[MOST] = {0};
    penta_autocorr_result results[MOST] = {0};

    for (size_t i = 0; i < n; i++) {
        if (frames[i]->error.text[0])
            bench_fail(s->b, "%s", frames[i]->error.text);
        inputs[i] = (penta_autocorr_frame){.image = frames[i]->image.data};
    }
    if (!s->plan) /* decoding alone */
        return;
    bench_must(s->b, "R_max", penta_autocorr_run(s->plan, n, inputs, results));
    for (size_t i = 0; i < n; i++)
        if (results[i].peak.status != PENTA_PEAK_OK || (s->bootstrap && !isfinite(results[i].peak.r_max_se)))
            bench_fail(s->b, "no R_max in a frame of waves");
}

static void work(void *data, double *device_seconds)
{
    png_series *s = data;
    frame_stream *stream = frame_stream_open(&s->list, 0, SLOTS, nothing, NULL);
    frame *frames[MOST];
    size_t n;

    *device_seconds = 0;
    if (!stream)
        bench_fail(s->b, "cannot start decoding threads");
    while ((n = frame_stream_next(stream, MOST, frames)) > 0) {
        run_batch(s, n, frames);
        for (size_t i = 0; i < n; i++)
            frame_stream_finish(stream, frames[i]);
    }
    frame_stream_close(stream);
}

static void row(png_series *s, const char *name, bench_kind kind)
{
    bench_work_row(s->b, name, kind, BENCH_WALL, work, NULL, s, NULL);
}

/* paper: equation 1 as printed, else what the command does if nothing is said. */
static void ours(png_series *s, const char *name, bool paper, int bootstrap)
{
    penta_autocorr_options options;

    penta_autocorr_options_init(&options);
    if (paper) {
        options.estimator = PENTA_AUTOCORR_EQ1;
        options.demean = PENTA_AUTOCORR_DEMEAN_NONE;
    }
    options.max_offset = R;
    options.bootstrap = s->bootstrap = bootstrap;
    bench_must(s->b, name, penta_autocorr_create(bench_context(s->b), WIDTH, HEIGHT, PENTA_U8, &options, &s->plan));
    row(s, name, BENCH_OURS);
    penta_autocorr_destroy(s->plan);
    s->plan = NULL;
}

void autocorr_png_rows(bench *b)
{
    png_series s = {.b = b, .files = file_count()};

    if (!bench_case(b, "png-750x1500-r250", s.files, "frame"))
        return;
    write_files(&s);
    row(&s, "decoding alone", BENCH_PEER);
    ours(&s, "png to R_max, bootstrap 100", true, 100);
    ours(&s, "png to R_max, no bootstrap", true, 0);
    ours(&s, "png by defaults, bootstrap 100", false, 100);
    ours(&s, "png by defaults, no bootstrap", false, 0);
    remove_files(&s);
}
