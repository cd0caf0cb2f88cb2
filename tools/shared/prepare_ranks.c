#include "shared/prepare_ranks.h"

#include <stdlib.h>

void prepare_ranks_pack(const prepare_members *m, FILE *out)
{
    const penta_prepare_state *s = &m->state;
    penta_prepare_state plain = *s;
    penta_io_image first = *m->first;
    size_t count, pixels = s->width * s->height;
    const penta_drift *drifts = penta_prepare_drifts(m->plans[0], &count);

    first.data = NULL;
    plain.key_image = plain.last_image = plain.illumination = NULL;
    parcel_put(out, &first, sizeof first);
    parcel_put(out, &(uint64_t){m->from}, sizeof(uint64_t));
    parcel_put_block(out, drifts, drifts ? count * sizeof *drifts : 0);
    parcel_put(out, &plain, sizeof plain);
    parcel_put_block(out, s->key_image, s->key_image ? pixels * sizeof(float) : 0);
    parcel_put_block(out, s->last_image, s->last_image ? pixels * sizeof(float) : 0);
    parcel_put_block(out, s->illumination, s->illumination ? s->nodes_x * s->nodes_y * sizeof(float) : 0);
}

/* An array of so many numbers, or none. */
static float *get_numbers(parcel_reader *r, size_t numbers)
{
    size_t bytes;
    float *got = parcel_get_block(r, &bytes);

    r->ok = r->ok && (!got || bytes == numbers * sizeof *got);
    return got;
}

bool prepare_ranks_unpack(parcel_reader *r, prepare_told *out)
{
    penta_prepare_state *s = &out->state;
    size_t bytes;

    *out = (prepare_told){0};
    parcel_get(r, &out->first, sizeof out->first);
    parcel_get(r, &out->from, sizeof out->from);
    out->drifts = parcel_get_block(r, &bytes);
    out->drift_count = bytes / sizeof *out->drifts;
    parcel_get(r, s, sizeof *s);
    s->key_image = get_numbers(r, s->width * s->height);
    s->last_image = get_numbers(r, s->width * s->height);
    s->illumination = get_numbers(r, s->nodes_x * s->nodes_y);
    return r->ok;
}

void prepare_ranks_free(prepare_told *told)
{
    free(told->drifts);
    penta_prepare_state_free(&told->state);
    *told = (prepare_told){0};
}

int prepare_ranks_load(prepare_members *m, bool fresh, const prepare_told *told)
{
    penta_prepare *plan = m->plans[0];
    bool ok = true;

    if (fresh && told->drifts)
        ok = penta_prepare_know(plan, told->drift_count, told->drifts) == PENTA_OK;
    m->from = (size_t)told->from;
    ok = ok && penta_prepare_load(plan, &told->state) == PENTA_OK && penta_prepare_apart(plan, true) == PENTA_OK;
    return ok ? CLI_OK : cli_fail_library(m->job->command, m->job->ctx, m->job->common.verbose);
}

void prepare_ranks_pack_result(const penta_prepare_result *result, FILE *out)
{
    penta_prepare_result plain = *result;

    plain.image = NULL;
    plain.mask = NULL;
    parcel_put(out, &plain, sizeof plain);
}

void prepare_ranks_unpack_result(parcel_reader *r, penta_prepare_result *out)
{
    parcel_get(r, out, sizeof *out);
    out->image = NULL;
    out->mask = NULL;
}
