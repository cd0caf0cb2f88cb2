/*
 * Sums of pairs of blocks, of which each member has made some: those of a block go to the member that adds the block's
 * layers up, in their order; then all get all sums.
 */
#include <stdlib.h>
#include <string.h>

#include "math/sizes.h"
#include "nbody/share.h"

typedef struct {
    nbody_share *share;
    const nbody_layers *l;
    size_t *owners; /* one a work-item */
} exchange;

/* As set_of_row of triangle.clh. */
static size_t set_of_row(size_t row, size_t sets)
{
    return row / sets % 2 == 0 ? row % sets : sets - 1 - row % sets;
}

/* Who has the sums of a block in a layer. */
static size_t owner_of(const exchange *e, size_t layer, size_t block)
{
    const nbody_layers *l = e->l;

    return layer < l->sets ? e->owners[layer * l->parts + block % l->parts]
                           : e->owners[set_of_row(block, l->sets) * l->parts + layer - l->sets];
}

/* The blocks whose sums a member adds up. */
static nbody_part blocks_of(const exchange *e, size_t rank)
{
    return nbody_share_part_of(e->share, rank, penta_divide_up(e->l->pitch, e->l->block), 1);
}

/* The numbers of a block that count. */
static size_t length_of(const exchange *e, size_t block)
{
    return penta_smaller(e->l->block, e->l->pitch - block * e->l->block);
}

static size_t layers_of(const exchange *e)
{
    return e->l->sets + e->l->parts;
}

/* The sums of `from` for blocks of `to`, by layers, then blocks: their number, and if out is not NULL they themselves.
 */
static size_t pack(const exchange *e, size_t from, size_t to, const double *partial, double *out)
{
    const nbody_layers *l = e->l;
    nbody_part blocks = blocks_of(e, to);
    size_t count = 0;

    for (size_t layer = 0; layer < layers_of(e); layer++)
        for (size_t b = blocks.first; b < blocks.first + blocks.count; b++)
            for (size_t v = 0; v < l->vectors && owner_of(e, layer, b) == from; v++) {
                if (out)
                    memcpy(out + count, partial + (layer * l->vectors + v) * l->length + b * l->block,
                           length_of(e, b) * sizeof *out);
                count += length_of(e, b);
            }
    return count;
}

/* messages[to]; given: what this member did. */
static penta_status pack_all(const exchange *e, penta_status *given, char **messages, size_t *bytes)
{
    penta_status status = PENTA_OK;
    nbody_share *share = e->share;
    const nbody_layers *l = e->l;
    char *partial = NULL;

    if (*given == PENTA_OK)
        *given = nbody_share_room(share, layers_of(e) * l->vectors * l->length * sizeof(double), &partial);
    if (*given == PENTA_OK)
        *given = penta_buffer_read(l->partial, 0, partial, layers_of(e) * l->vectors * l->length * sizeof(double));
    for (size_t to = 0; to < share->size; to++) {
        size_t room = NBODY_SHARE_HEAD + pack(e, share->rank, to, NULL, NULL) * sizeof(double);

        TRY(penta_calloc(share->ctx, penta_larger(room, NBODY_SHARE_TEXT), 1, &messages[to]));
        bytes[to] = room;
        if (*given == PENTA_OK)
            pack(e, share->rank, to, (const double *)(void *)partial,
                 (double *)(void *)(messages[to] + NBODY_SHARE_HEAD));
        else
            bytes[to] = nbody_share_put_error(share, *given, messages[to]);
    }
cleanup:
    return status;
}

/* Adds what has arrived to own[vectors][part.count]. */
static void add_layers(const exchange *e, char **arrived, size_t *read, nbody_part part, double *own)
{
    const nbody_layers *l = e->l;
    nbody_part blocks = blocks_of(e, e->share->rank);

    for (size_t layer = 0; layer < layers_of(e); layer++)
        for (size_t b = blocks.first; b < blocks.first + blocks.count; b++) {
            size_t owner = owner_of(e, layer, b), length = length_of(e, b);

            for (size_t v = 0; v < l->vectors; v++, read[owner] += length) {
                const double *from = (const double *)(void *)(arrived[owner] + NBODY_SHARE_HEAD) + read[owner];
                double *to = own + v * part.count + (b * l->block - part.first);

                for (size_t i = 0; i < length; i++)
                    to[i] = layer == 0 ? from[i] : to[i] + from[i];
            }
        }
}

/* This member's part of the sums, at *out + HEAD. */
static penta_status add_part(const exchange *e, penta_status given, nbody_part part, char **out)
{
    penta_status status = PENTA_OK;
    nbody_share *share = e->share;
    char **messages = NULL, **arrived = NULL;
    size_t *bytes = NULL, *arrived_bytes = NULL, *read = NULL;

    TRY(penta_calloc(share->ctx, share->size, sizeof *messages, &messages));
    TRY(penta_calloc(share->ctx, share->size, sizeof *arrived, &arrived));
    TRY(penta_calloc(share->ctx, share->size, sizeof *bytes, &bytes));
    TRY(penta_calloc(share->ctx, share->size, sizeof *arrived_bytes, &arrived_bytes));
    TRY(penta_calloc(share->ctx, share->size, sizeof *read, &read));
    TRY(pack_all(e, &given, messages, bytes));
    TRY(nbody_share_exchange(share, messages, bytes, arrived, arrived_bytes));
    TRY(penta_calloc(share->ctx, NBODY_SHARE_HEAD + e->l->vectors * part.count * sizeof(double), 1, out));
    add_layers(e, arrived, read, part, (double *)(void *)(*out + NBODY_SHARE_HEAD));
cleanup:
    for (size_t i = 0; i < share->size; i++) {
        if (messages)
            free(messages[i]);
        if (arrived)
            free(arrived[i]);
    }
    free(messages);
    free(arrived);
    free(bytes);
    free(arrived_bytes);
    free(read);
    return status;
}

static penta_status find_owners(exchange *e)
{
    penta_status status = PENTA_OK;
    size_t items = e->l->sets * e->l->parts;

    TRY(penta_calloc(e->share->ctx, items, sizeof *e->owners, &e->owners));
    for (size_t rank = 0; rank < e->share->size; rank++) {
        nbody_part part = nbody_share_part_of(e->share, rank, items, 1);

        for (size_t i = part.first; i < part.first + part.count; i++)
            e->owners[i] = rank;
    }
cleanup:
    return status;
}

penta_status nbody_share_layers(nbody_share *share, penta_status given, const nbody_layers *layers, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    exchange e = {.share = share, .l = layers};
    nbody_part part = nbody_share_part(share, layers->pitch, layers->block);
    char *own = NULL;

    TRY(find_owners(&e));
    TRY(add_part(&e, given, part, &own));
    TRY(nbody_share_spread(share, PENTA_OK, own, part, out, layers->vectors, layers->pitch, layers->pitch,
                           layers->block));
cleanup:
    free(own);
    free(e.owners);
    return status;
}
