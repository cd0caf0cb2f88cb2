/*
 * Inputs of `penta stars`: a list of random stars; a track, a camera that pans over Orion while it rolls; and one
 * shaken exposure. The same flags give the same files everywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/stars.h>

#include "shared/sample.h"

typedef struct {
    sample_common common;
    int stars, frames, width, height;
} sample_flags;

static const penta_option flag_table[] = {
    SAMPLE_OUTPUT,
    PENTA_INT_OPTION(sample_flags, stars, 'n', 500, 1, 10000000, "", "stars in the list"),
    PENTA_INT_OPTION(sample_flags, frames, 0, 24, 2, 99999, "", "rows of the track"),
    PENTA_INT_OPTION(sample_flags, width, 0, 1024, 1, PENTA_STARS_MOST_SIDE, "px",
                     "width of the frame that the list fills"),
    PENTA_INT_OPTION(sample_flags, height, 0, 1024, 1, PENTA_STARS_MOST_SIDE, "px", "height of the frame"),
    SAMPLE_SEED("the positions and magnitudes"),
    SAMPLE_WORDS,
    PENTA_OPTIONS_END};

/* stars: x, y and magnitudes, one array behind the other. */
typedef struct {
    const sample_flags *flags;
    const double *stars;
} sky;

static void put_list(const void *data, FILE *out)
{
    const sky *s = data;
    const double *stars = s->stars;
    size_t n = (size_t)s->flags->stars;

    fputs("id,x,y,mag\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%zu,%.6f,%.6f,%.3f\n", i + 1, stars[i], stars[n + i], stars[2 * n + i]);
}

static void put_track(const void *data, FILE *out)
{
    const sample_flags *f = ((const sky *)data)->flags;

    fputs("time,ra,dec,roll\n", out);
    for (int i = 0; i < f->frames; i++) {
        double t = (double)i / (f->frames - 1);

        fprintf(out, "%d,%.6f,%.6f,%.6f\n", i, 88 - 8 * t, 4 - 10 * t, 30 * t);
    }
}

/* A drift of 0.2 deg with a shake of two frequencies, over 1 s. */
static void put_exposure(const void *data, FILE *out)
{
    enum { STEPS = 100 };

    (void)data;
    fputs("time,ra,dec,roll\n", out);
    for (int i = 0; i <= STEPS; i++) {
        double t = (double)i / STEPS;

        fprintf(out, "%.2f,%.6f,%.6f,0\n", t, 83.8 + 0.2 * t + 0.03 * sin(TWO_PI * 3 * t),
                -1.2 + 0.05 * cos(TWO_PI * 2 * t));
    }
}

static bool make_files(const void *flags, penta_io_error *err)
{
    const sample_flags *f = flags;
    size_t n = (size_t)f->stars;
    double *stars = malloc(3 * n * sizeof *stars);
    const sky s = {f, stars};
    bool ok = stars || penta_io_fail(err, "out of memory for %zu stars", n);

    if (ok)
        penta_stars_random((uint64_t)f->common.seed, n, (size_t)f->width, (size_t)f->height, 8, stars, stars + n,
                           stars + 2 * n);
    ok = ok && sample_write(&f->common, "list", ".csv", put_list, &s, err) &&
         sample_write(&f->common, "track", ".csv", put_track, &s, err) &&
         sample_write(&f->common, "exposure", ".csv", put_exposure, &s, err);
    free(stars);
    if (ok)
        sample_tell(&f->common,
                    "list.csv (%d stars for %dx%d px), track.csv (%d attitudes) and exposure.csv (1 s) in %s", f->stars,
                    f->width, f->height, f->frames, f->common.output);
    return ok;
}

static const cli_section sections[] = {{"Flags", "sample_stars", flag_table, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};

static const cli_output outputs[] = {{"list.csv", "stars"}, {"*", "attitudes"}, {0}};

const cli_command penta_sample_stars = {
    .name = "sample stars",
    .summary = "a list of stars, a track of attitudes and a shaken exposure",
    .usage = "-o DIR",
    .about = "Makes list.csv, stars by pixel; track.csv, a camera that pans over Orion and rolls; "
             "and exposure.csv, a\n"
             "shaken exposure of 1 s.",
    .examples = "  penta sample stars -o sky\n"
                "  penta stars --list sky/list.csv -o list.png\n"
                "  penta stars --track sky/track.csv --fov 30 -o frames\n"
                "  penta stars --exposure-track sky/exposure.csv --stretch asinh -o shaken.png\n",
    .sections = sections,
    .outputs = outputs,
    .size = sizeof(sample_flags),
    .run = sample_run,
    .more = &(const sample_maker){.make = make_files}};
