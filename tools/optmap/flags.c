#include "optmap/flags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/movie.h>

/* clang-format off */
const penta_option optmap_input_rows[] = {
    PENTA_REAL_OPTION(optmap_flags, rate, 'r', 0, OPTMAP_LEAST_RATE, OPTMAP_MOST_RATE, "Hz", "frames a second; needed unless the file says it (ImageJ's finterval or fps)"),
    PENTA_REAL_OPTION(optmap_flags, pixel_size, 0, 0, 1e-7, 100, "cm", "side of a pixel; without it there are no velocities"),
    PENTA_TEXT_OPTION(optmap_flags, raw, 0, "WxHxN:TYPE", "the files are numbers without a header, as 100x100x1024:u16le; without xN of all frames there are"),
    PENTA_TEXT_OPTION(optmap_flags, variable, 0, "NAME", "MATLAB: which array is the movie"),
    PENTA_TEXT_OPTION(optmap_flags, ratio, 0, "MOVIE2", "of a second camera, by which the movie is divided before all else"),
    PENTA_TEXT_OPTION(optmap_flags, mask, 'm', "auto|none|FILE", "pixels that are left out: what is no tissue (auto, the default), none, or those where an image or NPY of height x width is 0"),
    PENTA_CHOICE_OPTION(optmap_flags, bad_pixels, 0, "reject,keep", "dead, hot and telegraph pixels, unless --mask none keeps all"),
    {"signed", PENTA_OPTION_FLAG, offsetof(optmap_flags, is_signed), 0, 0, 0, 1, NULL, "", "16-bit numbers over 32767 are below 0, having wrapped round", false},
    PENTA_CHOICE_OPTION(optmap_flags, saturated, 0, "refuse,ok", "movies with more than half of their pixels saturated"),
    PENTA_FLAG_OPTION(optmap_flags, keep_going, 'k', "of several movies: report a bad one, skip it and go on"),
    PENTA_OPTIONS_END};

const penta_option optmap_output_rows[] = {
    PENTA_FLAG_OPTION(optmap_flags, shifts, 0, "write shifts.npy: the delay of each neighbour of each pixel"),
    PENTA_FLAG_OPTION(optmap_flags, average, 0, "write average.npy: the mean beat"),
    PENTA_FLAG_OPTION(optmap_flags, phase, 0, "write phase.npy: the phase of each pixel in each frame"),
    PENTA_REAL_OPTION(optmap_flags, low, 0, 0, 0, 1e9, "Hz", "dominant frequencies are looked for from here"),
    PENTA_REAL_OPTION(optmap_flags, high, 0, 0, 0, 1e9, "Hz", "to here; 0: half the rate of the filtered movie"),
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
    o.accept_saturated = s->flags.saturated == OPTMAP_SATURATED_OK;
    o.shifts = s->flags.shifts;
    o.average = s->flags.average;
    o.conditioning = &s->conditioning;
    o.beats = &s->beats;
    o.rotors = &s->rotors;
    return o;
}

char *optmap_with_flags(char *text, size_t size)
{
    char out[1024];
    size_t used = 0;
    bool inside = false;

    for (const char *p = text; *p && used + 3 < sizeof out; p++) {
        if (*p == '`') {
            inside = !inside;
            if (inside)
                used += (size_t)snprintf(out + used, sizeof out - used, "--");
        } else
            out[used++] = inside && *p == '_' ? '-' : *p;
    }
    out[used] = '\0';
    snprintf(text, size, "%s", out);
    return text;
}

/* ---- rules ---- */

/* Facts of a run, each of which leaves some flags without effect. */
enum { FAST = 1 << 0, SINGLE = 1 << 1, NO_SIZE = 1 << 2, NO_PICTURES = 1 << 3 };

const cli_rule optmap_idle[] = {{"elements", "it is of --engine literal", FAST},
                                {"keep_going", "there is one movie", SINGLE},
                                {"velocity velocity_window", "there are no velocities without --pixel-size", NO_SIZE},
                                {"no_movie", "--no-report draws nothing", NO_PICTURES},
                                {0}};

/* "A:B", both numbers of frames. */
static bool is_range(const char *text)
{
    size_t first = strspn(text, "0123456789");
    size_t last = text[first] == ':' ? strspn(text + first + 1, "0123456789") : 0;

    return first > 0 && last > 0 && !text[first + 1 + last];
}

static bool is_number(const char *text)
{
    char *end;

    return isfinite(strtod(text, &end)) && end != text && !*end;
}

static int check_odd(const cli_line *line, const char *flag, int value)
{
    return value % 2 != 0 ? CLI_OK : cli_fail(line->command->name, CLI_USAGE, "--%s %d: must be odd", flag, value);
}

static int check_conditioning(const cli_line *line, const penta_optmap_options *o)
{
    int code = check_odd(line, "window", o->window);

    if (code == CLI_OK && o->taps != 0)
        code = check_odd(line, "taps", o->taps);
    if (code != CLI_OK)
        return code;
    if (o->baseline && !is_range(o->baseline))
        return cli_fail(line->command->name, CLI_USAGE, "--baseline '%.60s' is no range of frames, such as 0:100",
                        o->baseline);
    if (o->min_value && !is_number(o->min_value))
        return cli_fail(line->command->name, CLI_USAGE, "--min-value '%.60s' is no number", o->min_value);
    if ((o->elements & (o->elements - 1)) != 0)
        return cli_fail(line->command->name, CLI_USAGE, "--elements %d: must be a power of 2", o->elements);
    if (o->correlation == PENTA_OPTMAP_PHASE && o->engine == PENTA_OPTMAP_FAST)
        return cli_fail(line->command->name, CLI_USAGE, "--correlation phase needs --engine literal");
    return CLI_OK;
}

static int check_flags(const cli_line *line, const optmap_flags *f, size_t movies)
{
    penta_io_error error = {""};

    if (f->raw && !penta_io_movie_check_raw(f->raw, &error))
        return cli_fail(line->command->name, CLI_USAGE, "--raw %s", error.text);
    if (f->high > 0 && f->high <= f->low)
        return cli_fail(line->command->name, CLI_USAGE, "--high %g is not above --low %g", f->high, f->low);
    if (f->ratio && movies > 1)
        return cli_fail(line->command->name, CLI_USAGE, "--ratio divides one movie, but there are %zu", movies);
    return CLI_OK;
}

int optmap_check_usage(const cli_line *line, const optmap_settings *s, size_t movies)
{
    unsigned facts = (s->conditioning.engine == PENTA_OPTMAP_FAST ? FAST : 0) | (movies == 1 ? SINGLE : 0) |
                     (s->flags.pixel_size > 0 ? 0 : NO_SIZE) | (s->flags.no_report ? NO_PICTURES : 0);
    int code = check_flags(line, &s->flags, movies);

    code = code != CLI_OK ? code : check_conditioning(line, &s->conditioning);
    if (code == CLI_OK && s->beats.velocity_window != 0)
        code = check_odd(line, "velocity-window", s->beats.velocity_window);
    return code != CLI_OK ? code : cli_check_effect(line, facts);
}
