#include "optmap/flags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/movie.h>

/* clang-format off */
const penta_option optmap_input_rows[] = {
    PENTA_REAL_OPTION(optmap_flags, rate, 'r', 0, 0, OPTMAP_MOST_RATE, "Hz", "frames a second; 0: as the file states (ImageJ's finterval or fps)"),
    PENTA_REAL_OPTION(optmap_flags, pixel_size, 0, 0, 1e-7, 100, "cm", "side of a pixel; without it there are no velocities"),
    PENTA_TEXT_OPTION(optmap_flags, raw, 0, "WxHxN:TYPE", "the files are numbers without a header, such as 100x100x1024:u16le; without xN all frames that are there"),
    PENTA_TEXT_OPTION(optmap_flags, variable, 0, "NAME", "MATLAB: which array is the movie"),
    PENTA_TEXT_OPTION(optmap_flags, ratio, 0, "MOVIE2", "movie of a second camera; the first movie is divided by it"),
    PENTA_TEXT_OPTION(optmap_flags, mask, 'm', "auto|none|FILE", "which pixels to leave out: background (auto, the default), none, or those where an image or NPY of height x width is 0"),
    PENTA_CHOICE_OPTION(optmap_flags, bad_pixels, 0, "reject,keep", "what to do with dead, hot and telegraph pixels; --mask none keeps all"),
    PENTA_CHOICE_OPTION(optmap_flags, frames, 0, "amend,keep", "amend: interpolate black, bright and repeated frames, and remove flicker of lamps; keep: leave them"),
    {"signed", PENTA_OPTION_FLAG, offsetof(optmap_flags, is_signed), 0, 0, 0, 1, NULL, "", "read 16-bit numbers above 32767 as negative", false},
    PENTA_CHOICE_OPTION(optmap_flags, saturated, 0, "refuse,ok", "what to do with a movie in which more than half of the pixels are saturated"),
    PENTA_FLAG_OPTION(optmap_flags, keep_going, 0, "report a bad movie, skip it and continue; the exit code is 1 at the end"),
    PENTA_FLAG_OPTION(optmap_flags, resume, 0, "resume an interrupted run with the same arguments; movies whose files are there are kept"),
    PENTA_OPTIONS_END};

const penta_option optmap_output_rows[] = {
    PENTA_FLAG_OPTION(optmap_flags, shifts, 0, "write shifts.npy: the delay of each neighbour of each pixel"),
    PENTA_FLAG_OPTION(optmap_flags, average, 0, "write average.npy: the mean beat"),
    PENTA_FLAG_OPTION(optmap_flags, phase, 0, "write phase.npy: the phase of each pixel in each frame"),
    PENTA_REAL_OPTION(optmap_flags, low, 0, 0, 0, 1e9, "Hz", "lowest dominant frequency"),
    PENTA_REAL_OPTION(optmap_flags, high, 0, 0, 0, 1e9, "Hz", "highest dominant frequency; 0: half the rate of the filtered movie"),
    PENTA_FLAG_OPTION(optmap_flags, no_movie, 0, "draw no animated picture"),
    PENTA_FLAG_OPTION(optmap_flags, no_report, 0, "draw no pictures and write no report"),
    PENTA_OPTIONS_END};
/* clang-format on */

bool optmap_mask_is_auto(const optmap_flags *f)
{
    return !f->mask || strcmp(f->mask, "auto") == 0;
}

const char *optmap_mask_file(const optmap_flags *f)
{
    return optmap_mask_is_auto(f) || strcmp(f->mask, "none") == 0 ? NULL : f->mask;
}

penta_analysis_options optmap_analysis_options(const optmap_settings *s)
{
    penta_analysis_options o;

    penta_analysis_options_init(&o);
    o.pixel_size = s->flags.pixel_size;
    o.low = s->flags.low;
    o.high = s->flags.high;
    o.keep_background = !optmap_mask_is_auto(&s->flags);
    o.keep_bad = s->flags.bad_pixels == OPTMAP_BAD_KEEP;
    o.keep_frames = s->flags.frames == OPTMAP_FRAMES_KEEP;
    o.accept_saturated = s->flags.saturated == OPTMAP_SATURATED_OK;
    o.shifts = s->flags.shifts;
    o.average = s->flags.average;
    o.conditioning = &s->conditioning;
    o.beats = &s->beats;
    o.rotors = &s->rotors;
    return o;
}

/* ---- rules ---- */

/* Facts of a run, each of which leaves some flags without effect. */
enum { FAST = 1 << 0, SINGLE = 1 << 1, NO_SIZE = 1 << 2, NO_PICTURES = 1 << 3 };

const cli_rule optmap_idle[] = {{"elements", "it is of --engine literal", FAST},
                                {"keep_going", "there is one movie", SINGLE},
                                {"velocity velocity_window", "there are no velocities without --pixel-size", NO_SIZE},
                                {"no_movie", "--no-report draws nothing", NO_PICTURES},
                                {0}};

static int check_flags(const cli_line *line, const optmap_flags *f, size_t movies)
{
    penta_io_error error = {""};

    if (f->rate > 0 && f->rate < OPTMAP_LEAST_RATE)
        return cli_fail(line->command->name, CLI_USAGE, "--rate is %.10g Hz; it must be between %.10g and %.10g, or 0",
                        f->rate, OPTMAP_LEAST_RATE, OPTMAP_MOST_RATE);
    if (f->raw && !penta_io_movie_check_raw(f->raw, &error))
        return cli_fail(line->command->name, CLI_USAGE, "--raw %s", error.text);
    if (f->ratio && movies > 1)
        return cli_fail(line->command->name, CLI_USAGE, "--ratio divides one movie, but there are %zu", movies);
    return CLI_OK;
}

int optmap_check_usage(const cli_line *line, const optmap_settings *s, size_t movies)
{
    unsigned facts = (s->conditioning.engine == PENTA_OPTMAP_FAST ? FAST : 0) | (movies == 1 ? SINGLE : 0) |
                     (s->flags.pixel_size > 0 ? 0 : NO_SIZE) | (s->flags.no_report ? NO_PICTURES : 0);
    const penta_analysis_options options = optmap_analysis_options(s);
    char text[256];
    int code = check_flags(line, &s->flags, movies);

    if (code == CLI_OK && penta_analysis_check(0, 0, 0, 0, &options, text, sizeof text) != PENTA_OK)
        code = cli_fail(line->command->name, CLI_USAGE, "%s", text);
    return code != CLI_OK ? code : cli_check_effect(line, facts);
}
