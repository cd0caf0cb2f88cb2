/*
 * A mixture that separates, for `penta sample autocorr`: the library's Cahn-Hilliard equation, a cell a pixel. u = -1,
 * 0 and 1 are grey 38, 128 and 218, or 257 times that; values beyond black and white are clipped.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/spinodal.h>

#include <pentacl/io/image.h>
#include <pentacl/io/array.h>
#include "shared/progress.h"
#include "autocorr/sample_series.h"

static const double two_pi = 6.283185307179586;

typedef struct {
    const autocorr_sample_flags *flags;
    penta_context *ctx;
    penta_spinodal *field;
    size_t count;                      /* frames */
    double *times;                     /* of them, in the equation's unit */
    penta_spinodal_measures *measures; /* of them */
    double *u;                         /* height x width */
    uint16_t *levels;                  /* the same as grey, or as many bytes */
    size_t now;                        /* the frame that is made */
    progress bar;
} maker;

/* ---- when ---- */

static bool bad_times(const autocorr_sample_flags *f, penta_io_error *err)
{
    return penta_io_fail(err, "--times %s: numbers from 0 to 1e9 that ascend are wanted, with commas between them",
                         f->times);
}

/* Numbers of the list; times NULL: only how many they are. */
static bool read_times(const autocorr_sample_flags *f, double *times, size_t *count, penta_io_error *err)
{
    const char *at = f->times;
    double before = -1;

    for (*count = 0;; at++) {
        char *end;
        double time;

        errno = 0;
        time = strtod(at, &end);
        if (end == at || errno || !(time > before && time <= 1e9) || (*end && *end != ','))
            return bad_times(f, err);
        if (times)
            times[*count] = time;
        (*count)++;
        before = time;
        at = end;
        if (!*at)
            return true;
    }
}

/* In equal ratios from the first to the last. */
static bool space_times(const autocorr_sample_flags *f, double *times, penta_io_error *err)
{
    if (f->frames > 1 && !(f->last > f->first))
        return penta_io_fail(err, "--last %g is not after --first %g", f->last, f->first);
    for (int i = 0; i < f->frames; i++)
        times[i] = i == 0               ? f->first
                   : i + 1 == f->frames ? f->last
                                        : f->first * pow(f->last / f->first, (double)i / (f->frames - 1));
    return true;
}

static bool make_times(maker *m, penta_io_error *err)
{
    m->count = (size_t)m->flags->frames;
    if (m->flags->times && !read_times(m->flags, NULL, &m->count, err))
        return false;
    m->times = calloc(m->count, sizeof *m->times);
    if (!m->times)
        return penta_io_fail(err, "out of memory for %zu times", m->count);
    return m->flags->times ? read_times(m->flags, m->times, &m->count, err) : space_times(m->flags, m->times, err);
}

/* ---- files ---- */

static void to_grey(const maker *m)
{
    const bool deep = m->flags->depth == AUTOCORR_U16;
    const double unit = deep ? 257 : 1, white = deep ? 65535 : 255;
    size_t pixels = (size_t)m->flags->width * (size_t)m->flags->height;

    for (size_t i = 0; i < pixels; i++) {
        double v = floor(fmin(fmax(unit * (128 + 90 * m->u[i]), 0), white) + 0.5);

        if (deep)
            m->levels[i] = (uint16_t)v;
        else
            ((uint8_t *)m->levels)[i] = (uint8_t)v;
    }
}

static bool write_frame(const maker *m, penta_io_error *err)
{
    const autocorr_sample_flags *f = m->flags;
    const size_t shape[] = {(size_t)f->height, (size_t)f->width};
    const penta_io_image image = {.width = shape[1],
                                  .height = shape[0],
                                  .type = f->depth == AUTOCORR_U16 ? PENTA_U16 : PENTA_U8,
                                  .data = m->levels};
    char name[32], *png, *npy;
    bool ok;

    snprintf(name, sizeof name, "frame-%04zu", m->now);
    png = sample_path(&f->common, name, ".png", err);
    npy = sample_path(&f->common, name, ".npy", err);
    to_grey(m);
    ok = png && npy && penta_io_png_write(png, &image, err) &&
         (!f->npy || penta_io_npy_write(npy, PENTA_F64, 2, shape, m->u, err));
    free(png);
    free(npy);
    return ok;
}

/* What is known of each frame from its structure factor, not from its autocorrelation. */
static void put_times(const void *data, FILE *out)
{
    const maker *m = data;

    fputs("file,time,wave_number,length,mean,sd,energy\n", out);
    for (size_t i = 0; i < m->count; i++) {
        const penta_spinodal_measures *s = &m->measures[i];

        fprintf(out, "frame-%04zu.png,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g\n", i, s->time, s->wave_number,
                two_pi / s->wave_number, s->mean, s->sd, s->energy);
    }
}

/* ---- the run ---- */

static bool library_failed(const maker *m, penta_io_error *err)
{
    const char *text = penta_last_error(m->ctx);

    if (cli_interrupted())
        return penta_io_fail(err, "interrupted after %zu of %zu frames", m->now, m->count);
    return penta_io_fail(err, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Shares of the way to the last time. */
static bool on_progress(void *user, double done, double total)
{
    maker *m = user;
    double from = m->now ? m->times[m->now - 1] : 0;

    progress_update(&m->bar, from + (m->times[m->now] - from) * done / total, m->times[m->count - 1]);
    return cli_interrupted();
}

static bool open_field(maker *m, penta_io_error *err)
{
    const autocorr_sample_flags *f = m->flags;
    const penta_spinodal_options options = {.size = sizeof options,
                                            .composition = f->composition,
                                            .noise = f->noise,
                                            .cell = f->cell,
                                            .step = f->step,
                                            .seed = f->common.seed};
    size_t pixels = (size_t)f->width * (size_t)f->height;

    m->u = malloc(pixels * sizeof *m->u);
    m->levels = malloc(pixels * sizeof *m->levels);
    m->measures = calloc(m->count, sizeof *m->measures);
    if (!m->u || !m->levels || !m->measures)
        return penta_io_fail(err, "out of memory for a field of %d x %d", f->width, f->height);
    if (penta_context_create(f->device, &m->ctx) != PENTA_OK)
        return library_failed(m, err);
    penta_context_set_progress(m->ctx, on_progress, m);
    return penta_spinodal_create(m->ctx, (size_t)f->width, (size_t)f->height, &options, &m->field) == PENTA_OK ||
           library_failed(m, err);
}

static bool make_frames(maker *m, penta_io_error *err)
{
    bool ok = true;

    progress_begin(&m->bar, "penta sample autocorr", "time", m->flags->common.quiet);
    for (m->now = 0; ok && m->now < m->count; m->now += ok) {
        ok = (penta_spinodal_advance(m->field, m->times[m->now]) == PENTA_OK &&
              penta_spinodal_read(m->field, m->u) == PENTA_OK &&
              penta_spinodal_measure(m->field, &m->measures[m->now]) == PENTA_OK) ||
             library_failed(m, err);
        ok = ok && write_frame(m, err);
    }
    progress_end(&m->bar);
    return ok && sample_write(&m->flags->common, "times", ".csv", put_times, m, err);
}

bool autocorr_sample_spinodal(const autocorr_sample_flags *f, penta_io_error *err)
{
    maker m = {.flags = f};
    bool ok;

    cli_catch_interrupts();
    ok = make_times(&m, err) && open_field(&m, err) && make_frames(&m, err);
    if (ok)
        sample_tell(&f->common,
                    "%zu frames of %d x %d and times.csv in %s; 2 pi / <k> = %.3g px at t = %g, %.3g px at t = %g",
                    m.count, f->width, f->height, f->common.output, two_pi / m.measures[0].wave_number, m.times[0],
                    two_pi / m.measures[m.count - 1].wave_number, m.times[m.count - 1]);
    penta_spinodal_destroy(m.field);
    penta_context_destroy(m.ctx);
    free(m.times);
    free(m.measures);
    free(m.u);
    free(m.levels);
    return ok;
}
