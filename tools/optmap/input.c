/* The movie of a study, and whether it can be used. */

#include <pentacl/io/image.h>

#include "shared/memory.h"
#include "optmap/run.h"

static const optmap_flags *flags_of(const optmap_study *s)
{
    return &s->run->settings.flags;
}

/* ---- memory ---- */

typedef struct {
    const optmap_study *study;
    int code; /* of the memory that the movie needs */
} reading;

/* Its numbers, and of each the filtered one and its trace. */
static int check_memory(const optmap_study *s, const penta_io_movie *m)
{
    const penta_optmap_options *o = &s->run->settings.conditioning;
    const job *j = &s->run->job;
    double numbers = (double)m->frames * (double)m->height * (double)m->width, GB = 1e9;
    double results = sizeof(float) * numbers * (o->output == PENTA_OPTMAP_INTERPOLATED ? 1 + o->interp : 2);
    double needs = results + numbers * (double)penta_type_size(m->type) * (flags_of(s)->ratio ? 2 : 1);
    memory_room room = memory_look("");

    if (needs > room.most)
        return cli_fail(
            j->command, CLI_ERROR, "%s: needs %.3g GB of memory, %.3g of them for results, but %s %.3g GB; %s", s->path,
            needs / GB, results / GB, room.of_group ? "its control group has a limit of" : "this machine has",
            room.most / GB,
            room.of_group ? "raise the limit, or cut the movie into shorter ones" : "cut the movie into shorter ones");
    if (needs > room.available)
        job_warn(j,
                 "%s: needs %.3g GB of memory, and %.3g GB are available: the machine may become slow or end the run; "
                 "free memory, or cut the movie into shorter ones",
                 s->path, needs / GB, room.available / GB);
    return CLI_OK;
}

/* On any thread; first, before there is memory, on the one that reads. */
static bool goes_on(void *user, const penta_io_movie *movie)
{
    reading *r = user;

    if (!movie->data && movie == &r->study->movie)
        r->code = check_memory(r->study, movie);
    return r->code == CLI_OK && !cli_interrupted();
}

static int read_movie(const optmap_study *s, const char *path, penta_io_movie *out)
{
    const optmap_flags *f = flags_of(s);
    reading r = {s, CLI_OK};
    const penta_io_movie_hints hints = {.raw = f->raw, .variable = f->variable, .goes_on = goes_on, .user = &r};
    const job *j = &s->run->job;
    penta_io_error error = {""};

    if (!penta_io_movie_open(path, &hints, out, &error))
        return r.code != CLI_OK ? r.code : cli_interrupted() ? optmap_interrupted(s) : job_fail_io(j, &error);
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

static int check_saturation(const optmap_study *s, const char *path, const penta_io_movie *movie,
                            penta_saturation *found)
{
    penta_status status = penta_survey_saturation(optmap_context(s), movie->width, movie->height, movie->frames,
                                                  movie->type, movie->data, found);

    if (status != PENTA_OK)
        return optmap_fail(s, path, status);
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
    return CLI_OK;
}

static int look_for_wrapping(optmap_study *s)
{
    const penta_io_movie *m = &s->movie;

    return optmap_fail(
        s, s->path,
        penta_survey_wrapped(optmap_context(s), m->width, m->height, m->frames, m->type, m->data, &s->found.wrapped));
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
    return code == CLI_OK && flags_of(s)->ratio ? read_ratio(s) : code;
}

int optmap_inspect(optmap_study *s)
{
    int code;

    penta_context_set_progress(optmap_context(s), optmap_is_stopped, NULL);
    code = check_saturation(s, s->path, &s->movie, &s->found.saturation[0]);
    code = code != CLI_OK ? code : look_for_wrapping(s);
    if (code == CLI_OK && flags_of(s)->ratio)
        code = check_saturation(s, flags_of(s)->ratio, &s->under, &s->found.saturation[1]);
    penta_context_set_progress(optmap_context(s), NULL, NULL);
    return code;
}
