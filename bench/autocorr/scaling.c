/*
 * A series of frames handed out to the members: each correlates a piece of it, from pinned memory to C1D and R_max,
 * without the bootstrap. A few different frames come in turn.
 */
#include <stdlib.h>
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

/* Noise: transforms take the same time on any image. */
static void fill(const scaling_case *c, uint16_t *frames)
{
    size_t count = c->sizes[WIDTH] * c->sizes[HEIGHT] * c->sizes[DIFFERENT];

    for (size_t i = 0; i < count; i++) {
        uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        frames[i] = (uint16_t)(z >> 40);
    }
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
    char *out = malloc(s->series.piece * s->series.item_bytes);
    penta_status status = out ? correlate(m, 0, s->series.piece, out) : PENTA_MEMORY;

    if (status == PENTA_OK && last > 0)
        status = correlate(m, 0, last, out);
    free(out);
    return status;
}

static penta_status begin(scaling_member *m)
{
    const scaling_case *c = m->c;
    size_t most = MOST_PIECE;
    penta_autocorr_options o;
    state *s = scaling_state(m, sizeof *s);
    penta_status status = PENTA_MEMORY;

    penta_autocorr_options_init(&o);
    o.max_offset = (int)c->sizes[OFFSET];
    o.bootstrap = 0;
    if (s)
        status = penta_autocorr_create(m->ctx, c->sizes[WIDTH], c->sizes[HEIGHT], PENTA_U16, &o, &s->plan);
    if (status == PENTA_OK)
        status = penta_host_alloc(m->ctx, c->sizes[WIDTH] * c->sizes[HEIGHT] * c->sizes[DIFFERENT] * sizeof *s->frames,
                                  (void **)&s->frames);
    if (status != PENTA_OK)
        return status;
    fill(c, s->frames);
    most = penta_autocorr_batch(s->plan) < most ? penta_autocorr_batch(s->plan) : most;
    s->series = (scaling_series){.item_bytes = row_bytes(c), .work = correlate};
    scaling_series_begin(m, c->sizes[FRAMES], most, &s->series);
    s->piece = calloc(s->series.piece, sizeof *s->piece);
    s->results = calloc(s->series.piece, sizeof *s->results);
    return s->piece && s->results ? warm_up(m, s) : scaling_fault(m, PENTA_MEMORY, "out of memory");
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

static void end(scaling_member *m)
{
    state *s = m->state;

    if (!s)
        return;
    penta_autocorr_destroy(s->plan);
    penta_host_free(m->ctx, s->frames);
    free(s->piece);
    free(s->results);
    free(s->series.results);
    free(s);
}

const scaling_job scaling_autocorr = {begin, run, result, end};
