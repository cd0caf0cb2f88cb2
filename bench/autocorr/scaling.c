/*
 * A series of frames handed out to the members: each correlates a piece of it, from pinned memory to C1D and R_max,
 * without the bootstrap. A few different frames come in turn.
 */
#include <string.h>

#include <pentacl/autocorr.h>

#include "scaling/series.h"

enum { WIDTH, HEIGHT, OFFSET, FRAMES, DIFFERENT }; /* sizes of a case */
enum { MOST_PIECE = 32 };

typedef struct {
    penta_autocorr *plan;
    uint16_t *frames; /* pinned: those that are different */
    penta_autocorr_frame *piece;
    penta_autocorr_result *results;
    scaling_series series;
} state;

/* What comes back of a frame, before its R + 1 bins. */
typedef struct {
    double r_max, c_max, r_min, c_min;
    int64_t status;
} peak_row;

static size_t row_bytes(const scaling_case *c)
{
    return sizeof(peak_row) + (c->sizes[OFFSET] + 1) * sizeof(penta_autocorr_bin);
}

/* The caller's row gets the peak and the bins. */
static penta_status correlate(scaling_member *m, size_t first, size_t count, char *out)
{
    const scaling_case *c = m->c;
    state *s = m->state;
    size_t pixels = c->sizes[WIDTH] * c->sizes[HEIGHT], bytes = row_bytes(c);
    penta_status status;

    for (size_t i = 0; i < count; i++) {
        s->piece[i] = (penta_autocorr_frame){.image = s->frames + (first + i) % c->sizes[DIFFERENT] * pixels};
        s->results[i] =
            (penta_autocorr_result){.c1d = (penta_autocorr_bin *)(void *)(out + i * bytes + sizeof(peak_row))};
    }
    status = penta_autocorr_run(s->plan, count, s->piece, s->results);
    for (size_t i = 0; status == PENTA_OK && i < count; i++) {
        const penta_peak *p = &s->results[i].peak;
        const peak_row row = {p->r_max, p->c_max, p->r_min, p->c_min, p->status};

        memcpy(out + i * bytes, &row, sizeof row);
    }
    return status;
}

/* Once with each length that pieces have, so that everything is compiled. */
static penta_status warm_up(scaling_member *m, state *s)
{
    size_t last = s->series.items % s->series.piece;
    char *out = scaling_alloc(m, s->series.piece, s->series.item_bytes);
    penta_status status = out ? correlate(m, 0, s->series.piece, out) : PENTA_MEMORY;

    return status == PENTA_OK && last > 0 ? correlate(m, 0, last, out) : status;
}

static penta_status begin(scaling_member *m)
{
    const scaling_case *c = m->c;
    size_t pixels = c->sizes[WIDTH] * c->sizes[HEIGHT] * c->sizes[DIFFERENT], most;
    penta_autocorr_options o;
    state *s = scaling_state(m, sizeof *s);
    penta_status status = PENTA_MEMORY;

    penta_autocorr_options_init(&o);
    o.max_offset = (int)c->sizes[OFFSET];
    o.bootstrap = 0;
    if (s)
        status = penta_autocorr_create(m->ctx, c->sizes[WIDTH], c->sizes[HEIGHT], PENTA_U16, &o, &s->plan);
    if (status != PENTA_OK)
        return status;
    s->frames = scaling_pinned(m, pixels, sizeof *s->frames);
    if (!s->frames)
        return PENTA_MEMORY;
    for (size_t i = 0; i < pixels; i++) /* transforms take the same time on any image */
        s->frames[i] = (uint16_t)(32767 * (bench_noise(i) + 1));
    most = penta_autocorr_batch(s->plan);
    s->series = (scaling_series){.item_bytes = row_bytes(c), .work = correlate};
    scaling_series_begin(m, c->sizes[FRAMES], most < MOST_PIECE ? most : MOST_PIECE, &s->series);
    s->piece = scaling_alloc(m, s->series.piece, sizeof *s->piece);
    s->results = scaling_alloc(m, s->series.piece, sizeof *s->results);
    return s->piece && s->results ? warm_up(m, s) : PENTA_MEMORY;
}

static penta_status run(scaling_member *m)
{
    state *s = m->state;

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
    penta_autocorr_destroy(((state *)state_)->plan);
}

const scaling_job scaling_autocorr = {begin, run, result, end};
