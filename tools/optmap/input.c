/* The movie of a study, and whether it can be used. */
#include <string.h>

#include <pentacl/io/image.h>
#include "optmap/run.h"

static const optmap_flags *flags_of(const optmap_study *s)
{
    return &s->run->settings.flags;
}

static int read_movie(const optmap_study *s, const char *path, penta_io_movie *out)
{
    const optmap_flags *f = flags_of(s);
    const penta_io_movie_hints hints = {.raw = f->raw, .variable = f->variable};
    const job *j = &s->run->job;
    penta_io_error error = {""};

    if (!penta_io_movie_open(path, &hints, out, &error))
        return job_fail_io(j, &error);
    if (out->frames < 2)
        return cli_fail(j->command, CLI_ERROR, "%s: is one frame; a movie has two at least", path);
    if (!f->is_signed)
        return CLI_OK;
    if (out->type != PENTA_U16)
        return cli_fail(j->command, CLI_USAGE, "--signed is for 16-bit numbers without a sign, but %s has %s", path,
                        penta_type_name(out->type));
    out->type = PENTA_I16;
    return CLI_OK;
}

/* ---- saturation ---- */

static int fail_library(const optmap_study *s, const char *path)
{
    const char *text = penta_last_error(NULL);

    return cli_fail(s->run->job.command, CLI_ERROR, "%s: %.*s", path, (int)strcspn(text, "\n"), text);
}

static int check_saturation(const optmap_study *s, const char *path, const penta_io_movie *movie,
                            penta_saturation *found)
{
    if (penta_survey_saturation(NULL, movie->width, movie->height, movie->frames, movie->type, movie->data, found) !=
        PENTA_OK)
        return fail_library(s, path);
    if (!penta_saturation_is_excessive(found, movie->width, movie->height) ||
        flags_of(s)->saturated == OPTMAP_SATURATED_OK)
        return CLI_OK;
    return cli_fail(s->run->job.command, CLI_ERROR,
                    "%s: %zu of %zu pixels are saturated, at %.10g in successive frames; expose less, or go on "
                    "(--saturated ok)%s",
                    path, found->pixels, movie->width * movie->height, found->level,
                    movie->type == PENTA_U16 && found->level > INT16_MAX
                        ? ", or, if numbers below 0 wrapped round, read them as such (--signed)"
                        : "");
}

/* ---- the second camera ---- */

static int read_ratio(optmap_study *s)
{
    const penta_io_movie *a = &s->movie, *b = &s->under;
    const char *path = flags_of(s)->ratio;
    int code = read_movie(s, path, &s->under);

    if (code != CLI_OK)
        return code;
    if (a->frames != b->frames || a->height != b->height || a->width != b->width)
        return cli_fail(s->run->job.command, CLI_ERROR,
                        "%s: has %zu frames of %zu x %zu pixels; to divide %s it must be like that, with %zu of "
                        "%zu x %zu",
                        path, b->frames, b->width, b->height, s->path, a->frames, a->width, a->height);
    if (a->type != b->type)
        return cli_fail(s->run->job.command, CLI_ERROR,
                        "%s: has numbers of type %s, but %s has %s; convert one of the movies to the other's type",
                        path, penta_type_name(b->type), s->path, penta_type_name(a->type));
    return check_saturation(s, path, b, &s->found.saturation[1]);
}

static int look_for_wrapping(optmap_study *s)
{
    const penta_io_movie *m = &s->movie;

    return penta_survey_wrapped(NULL, m->width, m->height, m->frames, m->type, m->data, &s->found.wrapped) == PENTA_OK
               ? CLI_OK
               : fail_library(s, s->path);
}

/* ---- the mask ---- */

static int read_mask(optmap_study *s)
{
    penta_io_error error = {""};

    const char *file = optmap_mask_file(flags_of(s));

    if (!file || penta_io_mask_read(file, s->movie.width, s->movie.height, s->path, &s->mask, &error))
        return CLI_OK;
    return job_fail_io(&s->run->job, &error);
}

/* ---- the rate ---- */

static int choose_rate(optmap_study *s)
{
    const optmap_flags *f = flags_of(s);
    const penta_analysis_options options = optmap_analysis_options(&s->run->settings);
    const char *command = s->run->job.command;
    char text[256];

    s->rate = f->rate > 0 ? f->rate : s->movie.rate;
    if (!(s->rate > 0))
        return cli_fail(command, CLI_USAGE, "%s does not say how many frames a second it has; give them (--rate Hz)",
                        s->path);
    if (s->rate < OPTMAP_LEAST_RATE || s->rate > OPTMAP_MOST_RATE)
        return cli_fail(command, CLI_USAGE,
                        "%s says that it has %g frames a second, which no camera makes; give them (--rate Hz)", s->path,
                        s->rate);
    if (penta_analysis_check(0, 0, 0, s->rate, &options, text, sizeof text) != PENTA_OK)
        return cli_fail(command, CLI_USAGE, "%s: %s", s->path, text);
    if (penta_analysis_check(s->movie.width, s->movie.height, s->movie.frames, s->rate, &options, text, sizeof text) !=
        PENTA_OK)
        return cli_fail(command, CLI_ERROR, "%s: %s", s->path, text);
    return CLI_OK;
}

int optmap_open_study(optmap_study *s)
{
    int code = read_movie(s, s->path, &s->movie);

    code = code != CLI_OK ? code : choose_rate(s);
    code = code != CLI_OK ? code : read_mask(s);
    code = code != CLI_OK ? code : check_saturation(s, s->path, &s->movie, &s->found.saturation[0]);
    code = code != CLI_OK ? code : look_for_wrapping(s);
    return code == CLI_OK && flags_of(s)->ratio ? read_ratio(s) : code;
}
