/*
 * A series of cardiac movies handed out to the members: each conditions whole movies, from pinned memory to the
 * filtered movie there, and with maps analyses them as penta optmap does (penta_analysis), up to the maps of each beat.
 * A few different movies come in turn. What is compared is the filtered movie and, of the first beats, the maps of
 * activation and APD80.
 */
#include <string.h>

#include <pentacl/analysis.h>

#include "input.h"
#include "scaling/series.h"

enum { WIDTH, HEIGHT, LENGTH, MOVIES, DIFFERENT, MAPS }; /* sizes of a case; MAPS 1: with maps */
enum { COMPARED = 4 /* beats */, APD80 = 2 };

typedef struct {
    penta_optmap *plan;       /* without maps */
    penta_analysis *analysis; /* with */
    const void **frames;      /* of all movies that are different */
    float *filtered;          /* pinned */
    scaling_series series;
} state;

static size_t pixels_of(const scaling_case *c)
{
    return c->sizes[WIDTH] * c->sizes[HEIGHT];
}

/* Of a result that is compared: the filtered movie, and maps. */
static size_t compared_bytes(const scaling_case *c)
{
    return pixels_of(c) * (c->sizes[LENGTH] + (c->sizes[MAPS] ? 2 * COMPARED : 0)) * sizeof(float);
}

static penta_movie movie_of(const scaling_member *m, size_t i)
{
    const state *s = m->state;

    return (penta_movie){.type = PENTA_U16, .frames = s->frames + i % m->c->sizes[DIFFERENT] * m->c->sizes[LENGTH]};
}

/* Different movies, pinned: the addresses of their frames; NULL after scaling_fault. */
static const void **make_frames(scaling_member *m, size_t width, size_t height, size_t length, size_t count)
{
    const optmap_case movie = {m->c->name, width, height, length, false};
    size_t pixels = width * height;
    uint16_t *movies = scaling_pinned(m, pixels * length * count, sizeof *movies);
    const void **frames = scaling_alloc(m, length * count, sizeof *frames);

    if (!movies || !frames)
        return NULL;
    for (size_t i = 0; i < count; i++)
        optmap_fill(&movie, i, movies + i * length * pixels);
    for (size_t i = 0; i < length * count; i++)
        frames[i] = movies + i * pixels;
    return frames;
}

/* ---- a movie ---- */

static penta_status condition(scaling_member *m, size_t i, char *out)
{
    const state *s = m->state;
    penta_movie movie = movie_of(m, i);
    penta_optmap_result result = {.filtered = s->filtered};
    penta_status status = penta_optmap_run(s->plan, &movie, &result);

    if (status == PENTA_OK && m->checked)
        memcpy(out, s->filtered, compared_bytes(m->c));
    return status;
}

static void copy_maps(const scaling_case *c, const penta_findings *found, char *out)
{
    size_t movie = pixels_of(c) * c->sizes[LENGTH] * sizeof(float), map = pixels_of(c) * sizeof(float);
    size_t beats = found->beat_count < COMPARED ? found->beat_count : COMPARED;

    memset(out, 0, compared_bytes(c));
    memcpy(out, found->result.filtered, movie);
    if (beats > 0) {
        memcpy(out + movie, found->maps.activation, beats * map);
        memcpy(out + movie + COMPARED * map, found->maps.apd[APD80], beats * map);
    }
}

static penta_status analyse(scaling_member *m, size_t i, char *out)
{
    const scaling_case *c = m->c;
    const state *s = m->state;
    penta_recording recording = {.width = c->sizes[WIDTH],
                                 .height = c->sizes[HEIGHT],
                                 .frames = c->sizes[LENGTH],
                                 .frame_rate_hz = OPTMAP_RATE,
                                 .movie = movie_of(m, i)};
    penta_findings found = {0};
    penta_status status = penta_analysis_run(s->analysis, &recording, &found);

    if (status == PENTA_OK && found.beat_count == 0)
        status = scaling_fault(m, PENTA_INVALID, "movie %zu has no beat", i);
    if (status == PENTA_OK && m->checked)
        copy_maps(c, &found, out);
    penta_findings_free(&found);
    return status;
}

static penta_status run_movies(scaling_member *m, size_t first, size_t count, char *out)
{
    const state *s = m->state;
    penta_status status = PENTA_OK;

    for (size_t i = 0; status == PENTA_OK && i < count; i++, out += s->series.item_bytes)
        status = m->c->sizes[MAPS] ? analyse(m, first + i, out) : condition(m, first + i, out);
    return status;
}

/* ---- the job ---- */

static penta_status create(scaling_member *m, state *s)
{
    const scaling_case *c = m->c;
    penta_optmap_options o;
    penta_analysis_options a;

    penta_optmap_options_init(&o);
    penta_analysis_options_init(&a);
    if (c->sizes[MAPS])
        return penta_analysis_create(m->ctx, &a, &s->analysis);
    o.drift = PENTA_OPTMAP_DRIFT_NONE; /* otherwise the host surveys each movie first */
    return penta_optmap_create(m->ctx, c->sizes[WIDTH], c->sizes[HEIGHT], c->sizes[LENGTH], &o, &s->plan);
}

static penta_status make_movies(scaling_member *m, state *s)
{
    const scaling_case *c = m->c;

    s->frames = make_frames(m, c->sizes[WIDTH], c->sizes[HEIGHT], c->sizes[LENGTH], c->sizes[DIFFERENT]);
    s->filtered = scaling_pinned(m, pixels_of(c) * c->sizes[LENGTH], sizeof *s->filtered);
    return s->frames && s->filtered ? PENTA_OK : PENTA_MEMORY;
}

static penta_status begin(scaling_member *m)
{
    state *s = scaling_state(m, sizeof *s);
    penta_status status = s ? create(m, s) : PENTA_MEMORY;
    char *out;

    if (status == PENTA_OK)
        status = make_movies(m, s);
    if (status != PENTA_OK)
        return status;
    s->series = (scaling_series){.item_bytes = compared_bytes(m->c), .work = run_movies};
    scaling_series_begin(m, m->c->sizes[MOVIES], 1, &s->series);
    out = scaling_alloc(m, 1, s->series.item_bytes);
    return out ? run_movies(m, 0, 1, out) : PENTA_MEMORY; /* compiles */
}

/* Results stay at the members, as files of the command do, unless they are compared. */
static penta_status run(scaling_member *m)
{
    state *s = m->state;

    if (!m->checked)
        s->series.item_bytes = 1;
    return scaling_series_run(m, &s->series);
}

static penta_status result(scaling_member *m, scaling_result *out)
{
    const state *s = m->state;

    *out = (scaling_result){s->series.results, s->series.items * s->series.item_bytes};
    return PENTA_OK;
}

static void end(void *state_)
{
    state *s = state_;

    penta_optmap_destroy(s->plan);
    penta_analysis_destroy(s->analysis);
}

const scaling_job scaling_optmap = {begin, run, result, end};
