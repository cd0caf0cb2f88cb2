/*
 * Inputs of `penta stars`: a list of random stars; a track, a camera that pans over Orion while it rolls; and one
 * shaken exposure. The same flags give the same files everywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/stars.h>

#include "cli.h"
#include "io/output.h"

static const char NAME[] = "sample stars";

#define TWO_PI 6.283185307179586

typedef struct {
    const char *output;
    int stars, frames, width, height, seed;
    bool quiet;
} sample_flags;

static const penta_option flag_table[] = {
    PENTA_TEXT_OPTION(sample_flags, output, 'o', "DIR", "where the files go; made if it does not exist"),
    PENTA_INT_OPTION(sample_flags, stars, 'n', 500, 1, 10000000, "", "stars in the list"),
    PENTA_INT_OPTION(sample_flags, frames, 0, 24, 2, 99999, "", "rows of the track"),
    PENTA_INT_OPTION(sample_flags, width, 0, 1024, 1, 65000, "px", "width of the frame that the list fills"),
    PENTA_INT_OPTION(sample_flags, height, 0, 1024, 1, 65000, "px", "its height"),
    PENTA_INT_OPTION(sample_flags, seed, 's', 1, 0, 2147483647, "", "seed of the positions and magnitudes"),
    PENTA_FLAG_OPTION(sample_flags, quiet, 'q', "print nothing"),
    PENTA_OPTIONS_END};

/* One file of the directory: its rows by a function. */
typedef void (*write_rows)(const sample_flags *f, const double *stars, FILE *out);

/* stars: x, y and magnitudes, one array behind the other. */
static void write_list(const sample_flags *f, const double *stars, FILE *out)
{
    size_t n = (size_t)f->stars;

    fputs("id,x,y,mag\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%zu,%.6f,%.6f,%.3f\n", i + 1, stars[i], stars[n + i], stars[2 * n + i]);
}

static void write_track(const sample_flags *f, const double *stars, FILE *out)
{
    (void)stars;
    fputs("time,ra,dec,roll\n", out);
    for (int i = 0; i < f->frames; i++) {
        double t = (double)i / (f->frames - 1);

        fprintf(out, "%d,%.6f,%.6f,%.6f\n", i, 88 - 8 * t, 4 - 10 * t, 30 * t);
    }
}

/* A drift of 0.2 deg with a shake of two frequencies, over 1 s. */
static void write_exposure(const sample_flags *f, const double *stars, FILE *out)
{
    enum { STEPS = 100 };

    (void)f, (void)stars;
    fputs("time,ra,dec,roll\n", out);
    for (int i = 0; i <= STEPS; i++) {
        double t = (double)i / STEPS;

        fprintf(out, "%.2f,%.6f,%.6f,0\n", t, 83.8 + 0.2 * t + 0.03 * sin(TWO_PI * 3 * t),
                -1.2 + 0.05 * cos(TWO_PI * 2 * t));
    }
}

static bool write_file(const sample_flags *f, const char *name, write_rows rows, const double *stars, io_error *err)
{
    io_output *output;

    if (!io_output_open_in(f->output, name, ".csv", &output, err))
        return false;
    rows(f, stars, io_output_stream(output));
    return io_output_commit(output, err);
}

static int make_files(const sample_flags *f)
{
    size_t n = (size_t)f->stars;
    double *stars = malloc(3 * n * sizeof *stars);
    io_error error = {""};
    bool ok = stars || io_fail(&error, "out of memory for %zu stars", n);

    if (ok)
        penta_stars_random((uint64_t)f->seed, n, (size_t)f->width, (size_t)f->height, 8, stars, stars + n,
                           stars + 2 * n);
    ok = ok && io_make_directory(f->output, &error) && write_file(f, "list", write_list, stars, &error) &&
         write_file(f, "track", write_track, stars, &error) && write_file(f, "exposure", write_exposure, stars, &error);
    free(stars);
    if (!ok)
        return cli_fail(NAME, CLI_ERROR, "%s", error.text);
    if (!f->quiet)
        printf("list.csv (%d stars for %dx%d px), track.csv (%d attitudes) and exposure.csv (1 s) in %s\n", f->stars,
               f->width, f->height, f->frames, f->output);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    sample_flags flags;
    const cli_table tables[] = {{"Flags", flag_table, &flags, NULL}, {0}};
    const cli_spec spec = {
        .command = NAME,
        .operands = "-o DIR",
        .about = "Makes list.csv, stars by pixel; track.csv, a camera that pans over Orion and rolls; "
                 "and exposure.csv, a\n"
                 "shaken exposure of 1 s.",
        .examples = "  penta sample stars -o sky\n"
                    "  penta stars --list sky/list.csv -o list.png\n"
                    "  penta stars --track sky/track.csv --fov 30 -o frames\n"
                    "  penta stars --exposure-track sky/exposure.csv --stretch asinh -o shaken.png\n",
        .tables = tables};
    int first, code = cli_parse_flags(&spec, argc, argv, &first);

    if (code != CLI_OK || first < 0)
        return code;
    if (!flags.output)
        return cli_fail(NAME, CLI_USAGE, "-o DIR is missing: where should the files go?");
    return make_files(&flags);
}

const cli_command penta_sample_stars = {"stars", "a list of stars, a track of attitudes and a shaken exposure", run};
