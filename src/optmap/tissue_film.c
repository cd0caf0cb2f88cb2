/*
 * A movie of a tissue and its truth. A state machine follows each pixel. At rest it tracks the least value and the
 * steepest climb. Above 1/2 the pixel is excited until it has fallen below the last of the levels; then the excitation
 * is recorded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/tissue.h"

static const double longest_look = 0.25; /* ms, largest interval between samples of the signal */
static const double excited_above = 0.5, rests_below = 0.3;
static const double levels[PENTA_TISSUE_LEVELS] = {0.3, 0.5, 0.8, 0.9};

typedef struct {
    float last, before; /* the last two samples */
    float least, peak;
    float slope, slope_before, slope_after; /* steepest slope between samples, and the slopes before and after */
    bool rests, excited, after_known;       /* rests: has been below 0.3 */
    int level;                              /* index of the next level to fall below */
    double steep;                           /* ms, middle between the two samples of the steepest slope */
    double falls[PENTA_TISSUE_LEVELS];
    size_t beats; /* recorded */
} pixel_state;

typedef struct {
    penta_tissue *tissue;
    penta_tissue_movie *movie;
    size_t pixels, room; /* room: for beats */
    double look;         /* interval between samples, ms */
    pixel_state *states;
    float *now;
    size_t tip_count, tip_room;
} filming;

/* ---- arrays that grow ---- */

static penta_status grow(penta_context *ctx, void *array, size_t old, size_t want, size_t size)
{
    void **at = array;
    penta_status status = PENTA_OK;
    void *more = NULL;

    TRY(penta_calloc(ctx, want, size, &more));
    if (old)
        memcpy(more, *at, old * size);
    free(*at);
    *at = more;
cleanup:
    return status;
}

static void fill_nan(double *values, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        values[i] = NAN;
}

static penta_status need_beat(filming *f, size_t beat)
{
    penta_status status = PENTA_OK;
    penta_tissue_movie *m = f->movie;
    penta_context *ctx = f->tissue->resources.ctx;

    if (beat >= f->room) {
        size_t room = f->room ? 2 * f->room : 4, old = f->room * f->pixels, want = room * f->pixels;

        TRY(grow(ctx, &m->activation, old, want, sizeof *m->activation));
        fill_nan(m->activation, old, want);
        for (int i = 0; i < PENTA_TISSUE_LEVELS; i++) {
            TRY(grow(ctx, &m->apd[i], old, want, sizeof *m->apd[i]));
            fill_nan(m->apd[i], old, want);
        }
        f->room = room;
    }
    m->beats = beat + 1 > m->beats ? beat + 1 : m->beats;
cleanup:
    return status;
}

/* ---- one pixel ---- */

static void begin_rest(pixel_state *s)
{
    s->rests = s->excited = false;
    s->least = s->last;
    s->slope = -INFINITY;
    s->after_known = true;
    s->level = 0;
}

/* Updates the slopes with the climb from the last sample to value at time t. */
static void follow_slope(pixel_state *s, float value, double t, double look)
{
    float slope = value - s->last;

    if (!s->after_known) {
        s->slope_after = slope;
        s->after_known = true;
    }
    if (slope > s->slope) {
        s->slope = slope;
        s->slope_before = s->last - s->before;
        s->steep = t - 0.5 * look;
        s->after_known = false;
    }
}

static double steepest(const pixel_state *s, double look)
{
    double before = (double)s->slope_before, after = s->after_known ? (double)s->slope_after : before;
    double bend = before - 2 * (double)s->slope + after;

    return s->steep + (bend < 0 ? look * fmax(-0.5, fmin(0.5 * (before - after) / bend, 0.5)) : 0);
}

static penta_status write_down(filming *f, pixel_state *s, size_t pixel)
{
    penta_status status = PENTA_OK;
    size_t at;
    double activation = steepest(s, f->look);

    TRY(need_beat(f, s->beats));
    at = s->beats * f->pixels + pixel;
    f->movie->activation[at] = activation;
    for (int i = 0; i < s->level; i++)
        f->movie->apd[i][at] = s->falls[i] - activation;
    s->beats++;
cleanup:
    return status;
}

static void follow_fall(pixel_state *s, float value, double t, double look)
{
    s->peak = value > s->peak ? value : s->peak;
    while (s->level < PENTA_TISSUE_LEVELS) {
        double to = (double)s->peak - levels[s->level] * ((double)s->peak - (double)s->least);

        if ((double)value > to)
            return;
        s->falls[s->level++] = t - look * (to - (double)value) / fmax((double)s->last - (double)value, 1e-30);
    }
}

static penta_status follow(filming *f, size_t pixel, float value, double t)
{
    penta_status status = PENTA_OK;
    pixel_state *s = &f->states[pixel];

    if (!s->excited || s->level == 0)
        follow_slope(s, value, t, f->look);
    if (!s->excited) {
        s->least = value < s->least ? value : s->least;
        s->rests = s->rests || (double)value < rests_below;
        if (s->rests && (double)value > excited_above) {
            s->excited = true;
            s->peak = value;
        }
    }
    if (s->excited)
        follow_fall(s, value, t, f->look);
    if (s->level == PENTA_TISSUE_LEVELS) {
        TRY(write_down(f, s, pixel));
        s->before = s->last;
        s->last = value;
        begin_rest(s);
        return PENTA_OK;
    }
    s->before = s->last;
    s->last = value;
cleanup:
    return status;
}

static penta_status look(filming *f, double t)
{
    penta_status status = PENTA_OK;

    TRY(penta_tissue_signal(f->tissue, f->now));
    for (size_t i = 0; i < f->pixels; i++)
        TRY(follow(f, i, f->now[i], t));
cleanup:
    return status;
}

/* Sets up pixels before the first sample. An excited pixel has no upstroke: its first excitation is the next one. */
static penta_status begin_looking(filming *f)
{
    penta_status status = PENTA_OK;

    TRY(penta_tissue_signal(f->tissue, f->now));
    for (size_t i = 0; i < f->pixels; i++) {
        f->states[i].last = f->states[i].before = f->now[i];
        begin_rest(&f->states[i]);
    }
cleanup:
    return status;
}

/* Ends recording. Excitations cut by the movie's end have no duration; one that has hardly begun does not count. */
static penta_status end_looking(filming *f, double end)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < f->pixels; i++)
        if (f->states[i].excited && end - f->states[i].steep > 4 * f->look)
            TRY(write_down(f, &f->states[i], i));
cleanup:
    return status;
}

/* ---- frames ---- */

static penta_status keep_tips(filming *f, size_t frame)
{
    penta_status status = PENTA_OK;
    penta_tissue_movie *m = f->movie;
    size_t count;

    if (f->tip_room == 0) {
        TRY(grow(f->tissue->resources.ctx, &m->tips, 0, 64, sizeof *m->tips));
        f->tip_room = 64;
    }
    TRY(penta_tissue_tips(f->tissue, m->tips + f->tip_count, f->tip_room - f->tip_count, &count));
    if (f->tip_count + count > f->tip_room) {
        size_t room = 2 * (f->tip_count + count);

        TRY(grow(f->tissue->resources.ctx, &m->tips, f->tip_room, room, sizeof *m->tips));
        f->tip_room = room;
        TRY(penta_tissue_tips(f->tissue, m->tips + f->tip_count, room - f->tip_count, &count));
    }
    m->tips_at[frame] = (penta_tissue_tips_at){f->tip_count, count};
    f->tip_count += count;
cleanup:
    return status;
}

static penta_status film_frames(filming *f, double rate, const penta_tissue_stimulus *stimuli, size_t count)
{
    penta_status status = PENTA_OK;
    size_t looks = (size_t)ceil(1e3 / rate / longest_look - 1e-9), next = 0;
    penta_tissue_movie *m = f->movie;

    f->look = 1e3 / rate / (double)looks;
    TRY(begin_looking(f));
    for (size_t frame = 0; frame < m->frames; frame++) {
        memcpy(m->signal + frame * f->pixels, f->now, f->pixels * sizeof *f->now);
        TRY(keep_tips(f, frame));
        TRY(penta_report_progress(f->tissue->resources.ctx, (double)frame, (double)m->frames));
        for (size_t i = 0; frame + 1 < m->frames && i < looks; i++) {
            double t = 1e3 * (double)frame / rate + f->look * (double)i;

            for (; next < count && stimuli[next].time < t + 0.5 * f->look; next++)
                TRY(penta_tissue_stimulate(f->tissue, stimuli[next].x, stimuli[next].y, stimuli[next].radius));
            TRY(penta_tissue_advance(f->tissue, f->look));
            TRY(look(f, t + f->look));
        }
    }
    TRY(end_looking(f, 1e3 * (double)(m->frames - 1) / rate));
cleanup:
    return status;
}

/* ---- velocity ---- */

static double difference(const double *map, size_t at, size_t stride, bool before, bool after)
{
    return before && after ? (map[at + stride] - map[at - stride]) / 2 : NAN;
}

static penta_status find_velocity(penta_tissue *t, penta_tissue_movie *m)
{
    penta_status status = PENTA_OK;
    size_t w = m->width, h = m->height, pixels = w * h;

    TRY(penta_calloc(t->resources.ctx, 2 * m->beats * pixels + 1, sizeof *m->velocity, &m->velocity));
    for (size_t beat = 0; beat < m->beats; beat++) {
        const double *map = m->activation + beat * pixels;
        double *vx = m->velocity + 2 * beat * pixels, *vy = vx + pixels;

        for (size_t i = 0; i < pixels; i++) {
            size_t x = i % w, y = i / w;
            double gx = difference(map, i, 1, x > 0, x + 1 < w), gy = difference(map, i, w, y > 0, y + 1 < h);
            double scale = 1e3 * t->options.pixel_size / (gx * gx + gy * gy); /* gradients: ms/px; -> cm/s */
            bool known = isfinite(scale) && !isnan(map[i]);

            vx[i] = known ? gx * scale : NAN;
            vy[i] = known ? gy * scale : NAN;
        }
    }
cleanup:
    return status;
}

/* ---- the film ---- */

static penta_status check(penta_tissue *t, double rate, size_t frames, const penta_tissue_stimulus *stimuli,
                          size_t count)
{
    if (!(rate > 0) || !isfinite(rate) || frames < 1)
        return penta_fail(t->resources.ctx, PENTA_INVALID, "a movie needs a rate above 0 and a frame at least");
    for (size_t i = 0; i < count; i++)
        if (!(stimuli[i].time >= 0) || (i > 0 && stimuli[i].time < stimuli[i - 1].time))
            return penta_fail(t->resources.ctx, PENTA_INVALID, "stimulus %zu, at %g ms, is before the one before it", i,
                              stimuli[i].time);
    return PENTA_OK;
}

penta_status penta_tissue_film(penta_tissue *t, double rate, size_t frames, const penta_tissue_stimulus *stimuli,
                               size_t count, penta_tissue_movie *out)
{
    penta_status status = PENTA_OK;
    filming f = {.tissue = t, .movie = out, .pixels = t->rows * t->columns};
    size_t bytes;

    *out = (penta_tissue_movie){.frames = frames, .height = t->rows, .width = t->columns};
    TRY(check(t, rate, frames, stimuli, count));
    TRY(penta_size(t->resources.ctx, frames, f.pixels, sizeof *out->signal, &bytes));
    TRY(penta_calloc(t->resources.ctx, frames, f.pixels * sizeof *out->signal, &out->signal));
    TRY(penta_calloc(t->resources.ctx, frames, sizeof *out->tips_at, &out->tips_at));
    TRY(penta_calloc(t->resources.ctx, f.pixels, sizeof *f.states, &f.states));
    TRY(penta_calloc(t->resources.ctx, f.pixels, sizeof *f.now, &f.now));
    TRY(film_frames(&f, rate, stimuli, count));
    TRY(find_velocity(t, out));
cleanup:
    free(f.states);
    free(f.now);
    if (status != PENTA_OK)
        penta_tissue_movie_free(out);
    return status;
}

void penta_tissue_movie_free(penta_tissue_movie *m)
{
    free(m->signal);
    free(m->activation);
    for (int i = 0; i < PENTA_TISSUE_LEVELS; i++)
        free(m->apd[i]);
    free(m->velocity);
    free(m->tips_at);
    free(m->tips);
    *m = (penta_tissue_movie){0};
}
