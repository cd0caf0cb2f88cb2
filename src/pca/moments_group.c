/*
 * Sums of the members of a group become those of rank 0. Ranks join in pairs, these in pairs, and so on, each sending
 * its parts to the one whose slabs come before its own: log2 of the members' number of rounds, and no member holds more
 * than a few parts at a time. Which parts merge is fixed by their numbers in the cube (moments.c).
 */
#include <stdlib.h>

#include "core/group.h"
#include "pca/moments.h"

/* What a member sends: this, then, of floats, each part in a message of its own, else one of all sums. */
typedef struct {
    uint64_t pixels, parts;
} head;

typedef struct {
    uint64_t first, slabs, pixels;
} part_head;

/* ---- messages ---- */

/* Arrays of a message, one after another. */
typedef struct {
    void *data;
    size_t bytes;
} field;

static size_t bytes_of(const field *fields, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += fields[i].bytes;
    return bytes;
}

static penta_status send_fields(penta_group *group, size_t to, const field *fields, size_t n)
{
    penta_status status = PENTA_OK;
    char *message = NULL, *at;

    TRY(penta_calloc(NULL, bytes_of(fields, n), 1, &message));
    at = message;
    for (size_t i = 0; i < n; i++) {
        memcpy(at, fields[i].data, fields[i].bytes);
        at += fields[i].bytes;
    }
    TRY(penta_group_send(group, to, PENTA_CHANNEL_EXCHANGE, message, bytes_of(fields, n)));
cleanup:
    free(message);
    return status;
}

static penta_status receive_fields(penta_group *group, size_t from, const field *fields, size_t n)
{
    penta_status status = PENTA_OK;
    penta_message message = {NULL, 0, 0};
    const char *at;

    TRY(penta_group_receive(group, (int)from, PENTA_CHANNEL_EXCHANGE, &message));
    if (message.bytes != bytes_of(fields, n)) {
        status = penta_fail(NULL, PENTA_INVALID, "member %zu of the group sends sums of %zu bytes, not of %zu", from,
                            message.bytes, bytes_of(fields, n));
        goto cleanup;
    }
    at = message.data;
    for (size_t i = 0; i < n; i++) {
        memcpy(fields[i].data, at, fields[i].bytes);
        at += fields[i].bytes;
    }
cleanup:
    free(message.data);
    return status;
}

/* ---- sums in messages ---- */

enum { PART_FIELDS = 4, EXACT_FIELDS = 2 };

static void part_fields(const pca_moments *m, part_head *h, const pca_part *p, field fields[PART_FIELDS])
{
    fields[0] = (field){h, sizeof *h};
    fields[1] = (field){p->origin, m->bands * sizeof *p->origin};
    fields[2] = (field){p->mean, m->bands * sizeof *p->mean};
    fields[3] = (field){p->scatter, pca_triangle_of(m->bands) * sizeof *p->scatter};
}

static void exact_fields(const pca_moments *m, int64_t *sums, wide *gram, field fields[EXACT_FIELDS])
{
    fields[0] = (field){sums, m->bands * sizeof *sums};
    fields[1] = (field){gram, pca_triangle_of(m->bands) * sizeof *gram};
}

static penta_status send_sums(pca_moments *m, penta_group *group, size_t to)
{
    penta_status status = PENTA_OK;
    head h = {m->pixels, m->count};
    field fields[PART_FIELDS];

    TRY(send_fields(group, to, &(field){&h, sizeof h}, 1));
    for (size_t i = 0; i < m->count; i++) {
        const pca_part *p = &m->parts[i];
        part_head ph = {p->first, p->slabs, p->pixels};

        part_fields(m, &ph, p, fields);
        TRY(send_fields(group, to, fields, PART_FIELDS));
    }
    if (m->exact && h.pixels > 0) {
        exact_fields(m, m->sums, m->gram, fields);
        TRY(send_fields(group, to, fields, EXACT_FIELDS));
    }
cleanup:
    return status;
}

static penta_status receive_part(pca_moments *m, penta_group *group, size_t from)
{
    penta_status status = PENTA_OK;
    field fields[PART_FIELDS];
    part_head h = {0};
    pca_part *p;

    if (m->count == PCA_PARTS)
        return penta_fail(NULL, PENTA_INTERNAL, "parts of a covariance that do not follow one another");
    TRY(pca_moments_have(m, &p));
    part_fields(m, &h, p, fields);
    TRY(receive_fields(group, from, fields, PART_FIELDS));
    p->first = h.first;
    p->slabs = h.slabs;
    p->pixels = h.pixels;
    pca_moments_put(m);
cleanup:
    return status;
}

static penta_status receive_exact(pca_moments *m, penta_group *group, size_t from)
{
    penta_status status = PENTA_OK;
    size_t entries = pca_triangle_of(m->bands);
    field fields[EXACT_FIELDS];
    int64_t *sums = NULL;
    wide *gram = NULL;

    TRY(penta_calloc(NULL, m->bands, sizeof *sums, &sums));
    TRY(penta_calloc(NULL, entries, sizeof *gram, &gram));
    exact_fields(m, sums, gram, fields);
    TRY(receive_fields(group, from, fields, EXACT_FIELDS));
    for (size_t i = 0; i < m->bands; i++)
        m->sums[i] += sums[i];
    for (size_t i = 0; i < entries; i++)
        m->gram[i] += gram[i];
cleanup:
    free(sums);
    free(gram);
    return status;
}

static penta_status receive_sums(pca_moments *m, penta_group *group, size_t from)
{
    penta_status status = PENTA_OK;
    head h;

    TRY(receive_fields(group, from, &(field){&h, sizeof h}, 1));
    for (uint64_t i = 0; i < h.parts; i++)
        TRY(receive_part(m, group, from));
    if (m->exact && h.pixels > 0)
        TRY(receive_exact(m, group, from));
    m->pixels += h.pixels;
cleanup:
    return status;
}

penta_status pca_moments_collect(pca_moments *m, penta_group *group)
{
    penta_status status = PENTA_OK;
    size_t rank = penta_group_rank(group), size = penta_group_size(group);

    for (size_t step = 1; step < size; step *= 2) {
        if (rank % (2 * step) == step)
            return send_sums(m, group, rank - step);
        if (rank + step < size)
            TRY(receive_sums(m, group, rank + step));
    }
cleanup:
    return status;
}
