/*
 * Coarsening series. rings: with a known law; spinodal: sample_spinodal.c.
 *
 * Rings: each frame is a Gaussian random field made of WAVES plane waves of one wave
 * number k0 and random directions and phases, whose autocorrelation is J0(k0 r): its first trough lies at 3.831706 / k0
 * and its peak, R_max, at 7.015587 / k0. k0 shrinks so that R_max = R0 + v t.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>
#include "autocorr/sample_series.h"

enum { WAVES = 500 };

typedef autocorr_sample_flags sample_flags;

static const penta_option flag_table[] = {
    SAMPLE_OUTPUT,
    PENTA_CHOICE_OPTION(
        sample_flags, kind, 0, "rings,spinodal",
        "waves whose length follows a known law, or a mixture that separates by the Cahn-Hilliard equation"),
    PENTA_INT_OPTION(sample_flags, frames, 'n', 16, 1, 99999, "", "number of frames"),
    PENTA_INT_OPTION(sample_flags, width, 0, 512, 2, 16384, "px", "width of a frame"),
    PENTA_INT_OPTION(sample_flags, height, 0, 512, 2, 16384, "px", "height of a frame"),
    PENTA_REAL_OPTION(sample_flags, r0, 0, 14, 3, 4000, "px", "rings: R_max at t = 0"),
    PENTA_REAL_OPTION(sample_flags, speed, 0, 0.02, 0, 1000, "px/s", "rings: growth of R_max"),
    PENTA_REAL_OPTION(sample_flags, interval, 0, 60, 1e-9, 1e9, "s", "rings: time between frames"),
    PENTA_REAL_OPTION(sample_flags, first, 0, 30, 1e-3, 1e9, "", "spinodal: time of the first frame"),
    PENTA_REAL_OPTION(sample_flags, last, 0, 500, 1e-3, 1e9, "",
                      "spinodal: time of the last frame; those between lie in equal ratios"),
    PENTA_TEXT_OPTION(sample_flags, times, 0, "T,T,..", "spinodal: the times of all frames"),
    PENTA_REAL_OPTION(sample_flags, composition, 0, 0, -0.9, 0.9, "", "spinodal: mean of u, whose phases are -1 and 1"),
    PENTA_REAL_OPTION(sample_flags, noise, 0, 0.05, 1e-9, 0.5, "", "spinodal: standard deviation of u at t = 0"),
    PENTA_REAL_OPTION(sample_flags, cell, 0, 1, 0.1, 1.5, "", "spinodal: side of a pixel; walls are 2 sqrt 2 wide"),
    PENTA_REAL_OPTION(sample_flags, step, 0, 0.25, 1e-6, 0.5, "", "spinodal: largest time step"),
    PENTA_CHOICE_OPTION(sample_flags, depth, 0, "u8,u16", "spinodal: depth of the PNG files"),
    PENTA_FLAG_OPTION(sample_flags, npy, 0, "spinodal: also write u in double beside each PNG, as frame-*.npy"),
    PENTA_TEXT_OPTION(sample_flags, device, 'd', "DEVICE", "where the mixture is computed"),
    SAMPLE_SEED("the random waves, or of the noise"),
    SAMPLE_WORDS,
    PENTA_OPTIONS_END};

enum { OF_RINGS = 1, OF_SPINODAL = 2, OF_TIMES = 4 };

static const cli_rule no_effect[] = {
    {"first last times composition noise cell step depth npy device", "it belongs to --kind spinodal", OF_RINGS},
    {"r0 speed interval", "it belongs to --kind rings", OF_SPINODAL},
    {"frames first last", "--times says when frames are made", OF_TIMES},
    {NULL, NULL, 0}};

static unsigned facts_of(const void *flags)
{
    const sample_flags *f = flags;

    return f->kind == AUTOCORR_RINGS ? OF_RINGS : OF_SPINODAL | (f->times ? OF_TIMES : 0u);
}

/* The field in units of its standard deviation sqrt(WAVES/2), as grey 128 +- 36. */
static void to_grey(const float *field, size_t count, uint8_t *grey)
{
    for (size_t i = 0; i < count; i++) {
        double v = 128 + 36 * (double)field[i] / sqrt(WAVES / 2.0);

        grey[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5);
    }
}

static bool make_frame(const sample_flags *f, int index, float *field, uint8_t *grey, penta_io_error *err)
{
    double r_max = f->r0 + f->speed * f->interval * index, k = J0_PEAK / r_max;
    size_t count = (size_t)f->width * (size_t)f->height;
    char name[32], *path;
    penta_io_image image = {.width = (size_t)f->width, .height = (size_t)f->height, .type = PENTA_U8, .data = grey};
    bool ok;

    memset(field, 0, count * sizeof *field);
    for (unsigned w = 0; w < WAVES; w++) { /* the same for every frame, so that the pattern grows rather than changes */
        double direction = TWO_PI * (w + sample_uniform(f->common.seed, 2 * w)) / WAVES;

        sample_add_wave(field, f->width, f->height, k * cos(direction), k * sin(direction),
                        TWO_PI * sample_uniform(f->common.seed, 2 * w + 1));
    }
    to_grey(field, count, grey);
    snprintf(name, sizeof name, "frame-%04d", index);
    path = sample_path(&f->common, name, ".png", err);
    ok = path && penta_io_png_write(path, &image, err);
    free(path);
    return ok;
}

/* file,time,r_max with the true length. */
static void put_times(const void *flags, FILE *out)
{
    const sample_flags *f = flags;

    fputs("file,time,r_max\n", out);
    for (int i = 0; i < f->frames; i++)
        fprintf(out, "frame-%04d.png,%.10g,%.10g\n", i, f->interval * i, f->r0 + f->speed * f->interval * i);
}

static bool make_rings(const sample_flags *f, penta_io_error *err)
{
    size_t count = (size_t)f->width * (size_t)f->height;
    float *field = malloc(count * sizeof *field);
    uint8_t *grey = malloc(count);
    bool ok = (field && grey) || penta_io_fail(err, "out of memory");

    cli_catch_interrupts();
    for (int i = 0; ok && i < f->frames; i++) {
        if (cli_interrupted())
            ok = penta_io_fail(err, "interrupted after %d of %d frames", i, f->frames);
        else
            ok = make_frame(f, i, field, grey, err);
    }
    ok = ok && sample_write(&f->common, "times", ".csv", put_times, f, err);
    free(field);
    free(grey);
    if (ok)
        sample_tell(&f->common, "%d frames of %d x %d and times.csv in %s; R_max = %g + %g t px, t in s", f->frames,
                    f->width, f->height, f->common.output, f->r0, f->speed);
    return ok;
}

static bool make_files(const void *flags, penta_io_error *err)
{
    const sample_flags *f = flags;

    return f->kind == AUTOCORR_SPINODAL ? autocorr_sample_spinodal(f, err) : make_rings(f, err);
}

static bool needs_device(const void *flags, const char **selector)
{
    const sample_flags *f = flags;

    *selector = f->device;
    return f->kind == AUTOCORR_SPINODAL;
}

static const sample_maker how = {
    .device = needs_device, .make = make_files, .facts = facts_of, .optional = "frame-*.png frame-*.npy"};

static const cli_section sections[] = {{"Flags", "sample_autocorr", flag_table, NULL, 0, 0, NULL, NULL},
                                       CLI_SECTIONS_END};

static const cli_output outputs[] = {{"times.csv", "truth"}, {"*.npy", "truth"}, {"*", "frame"}, {0}};

const cli_command penta_sample_autocorr = {
    .name = "sample autocorr",
    .summary = "a coarsening series of known growth, or a mixture that separates",
    .usage = "-o DIR",
    .about = "Makes a series of PNG frames of a coarsening pattern, and times.csv with what is known of it. --kind "
             "rings: random waves whose length scale follows R_max = R0 + v t (file,time,r_max). Each wave runs "
             "through the whole frame, so standard errors, which compare parts of a frame, are too small. --kind "
             "spinodal: a mixture that separates by the Cahn-Hilliard equation u_t = lap(u^3 - u - lap u), periodic, "
             "and what its structure factor says: its first moment wave_number (radians/px), length = 2 pi / "
             "wave_number (px), mean and sd of u, free energy a cell.",
    .examples = "  penta sample autocorr -n 4 --width 256 --height 256 -o frames\n"
                "  penta autocorr --times frames/times.csv -o out frames/*.png\n"
                "  penta sample autocorr --kind spinodal --width 128 --height 128 --times 20,40,80 -o mixture\n",
    .sections = sections,
    .idle = no_effect,
    .outputs = outputs,
    .size = sizeof(sample_flags),
    .run = sample_run,
    .more = &how};
