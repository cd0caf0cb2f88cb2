/*
 * An upper bound of the light of all stars, from which `fixed` has its step. Magnitudes are counted in bins; fluxes are
 * added as integers, of which the brightest star has up to UNITS. Neither depends on the order of the stars, nor on
 * which members of a group have them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"
#include "stars/bound.h"

enum {
    PIECE = 1 << 16, /* stars that a thread takes at a time */
    PER_MAGNITUDE = 8,
    BINS = 64 * PER_MAGNITUDE, /* stars fainter than the last bin count in it */
    UNIT_BITS = 26,
    UNITS = 1 << UNIT_BITS /* 2^37 such stars fit into 64 bits */
};

typedef struct {
    penta_context *ctx;
    penta_group *group; /* NULL: the list is all there is */
    const double *values;
    size_t n;
    double least;      /* magnitude of the brightest star */
    double scale;      /* units of flux in 1 */
    double *brightest; /* least magnitude, or most |flux|, of each piece */
    uint64_t *sums;    /* BINS of each piece; for fluxes only the first is used */
} scan;

static size_t piece_end(const scan *s, size_t piece)
{
    return (piece + 1) * PIECE < s->n ? (piece + 1) * PIECE : s->n;
}

static void least_magnitude(void *data, size_t piece)
{
    scan *s = data;
    size_t end = piece_end(s, piece);
    double least = INFINITY;

    for (size_t i = piece * PIECE; i < end; i++)
        least = s->values[i] < least ? s->values[i] : least;
    s->brightest[piece] = least;
}

static void most_flux(void *data, size_t piece)
{
    scan *s = data;
    size_t end = piece_end(s, piece);
    double most = 0;

    for (size_t i = piece * PIECE; i < end; i++)
        most = fabs(s->values[i]) > most ? fabs(s->values[i]) : most;
    s->brightest[piece] = most;
}

static void count_magnitudes(void *data, size_t piece)
{
    scan *s = data;
    size_t end = piece_end(s, piece);
    uint64_t *counts = s->sums + piece * BINS;

    for (size_t i = piece * PIECE; i < end; i++) {
        double bin = (s->values[i] - s->least) * PER_MAGNITUDE;

        counts[bin < BINS - 1 ? (size_t)bin : BINS - 1]++; /* NaN, of a star that is refused later, in the last */
    }
}

static void add_fluxes(void *data, size_t piece)
{
    scan *s = data;
    size_t end = piece_end(s, piece);
    uint64_t sum = 0;

    for (size_t i = piece * PIECE; i < end; i++) {
        double units = fabs(s->values[i]) * s->scale;

        sum += units < UNITS ? (uint64_t)units + 1 : UNITS; /* up */
    }
    s->sums[piece * BINS] = sum;
}

/* ---- of all pieces, and of all members ---- */

/* The brightest star: the least magnitude, or the most |flux|. */
static penta_status find_brightest(scan *s, size_t pieces, bool by_flux, double *out)
{
    penta_status status = PENTA_OK;
    double *all = NULL;
    size_t members = s->group ? penta_group_size(s->group) : 0;

    *out = by_flux ? 0 : INFINITY;
    penta_parallel(pieces, by_flux ? most_flux : least_magnitude, s);
    for (size_t p = 0; p < pieces; p++)
        *out = by_flux ? fmax(*out, s->brightest[p]) : fmin(*out, s->brightest[p]);
    if (s->group)
        TRY(penta_explain(s->ctx, penta_group_gather(s->group, out, sizeof *out, (void **)&all, NULL)));
    for (size_t m = 0; m < members; m++)
        *out = by_flux ? fmax(*out, all[m]) : fmin(*out, all[m]);
cleanup:
    free(all);
    return status;
}

/* The first BINS of the sums become those of all pieces. */
static penta_status add_up(scan *s, size_t pieces)
{
    penta_status status = PENTA_OK;
    size_t members = s->group ? penta_group_size(s->group) : 0;
    uint64_t *all = NULL;

    for (size_t p = 1; p < pieces; p++)
        for (size_t b = 0; b < BINS; b++)
            s->sums[b] += s->sums[p * BINS + b];
    if (s->group) {
        TRY(penta_explain(s->ctx, penta_group_gather(s->group, s->sums, BINS * sizeof *s->sums, (void **)&all, NULL)));
        memset(s->sums, 0, BINS * sizeof *s->sums);
    }
    for (size_t m = 0; m < members; m++)
        for (size_t b = 0; b < BINS; b++)
            s->sums[b] += all[m * BINS + b];
cleanup:
    free(all);
    return status;
}

static penta_status bound_magnitudes(scan *s, const penta_stars_options *o, size_t pieces, double *bound)
{
    penta_status status = PENTA_OK;

    TRY(find_brightest(s, pieces, false, &s->least));
    if (!isfinite(s->least))
        return PENTA_OK;
    penta_parallel(pieces, count_magnitudes, s);
    TRY(add_up(s, pieces));
    for (size_t b = 0; b < BINS; b++)
        if (s->sums[b] > 0)
            *bound += (double)s->sums[b] * stars_flux_of(o, s->least + (double)b / PER_MAGNITUDE);
cleanup:
    return status;
}

static penta_status bound_fluxes(scan *s, size_t pieces, double *bound)
{
    penta_status status = PENTA_OK;
    double most;
    int exponent;

    TRY(find_brightest(s, pieces, true, &most));
    if (most <= 0 || !isfinite(most))
        return PENTA_OK;
    frexp(most, &exponent);
    s->scale = ldexp(1, UNIT_BITS - (exponent < -900 ? -900 : exponent));
    penta_parallel(pieces, add_fluxes, s);
    TRY(add_up(s, pieces));
    *bound = (double)s->sums[0] / s->scale;
cleanup:
    return status;
}

/* What rank 0 has computed: machines may differ in their exponentials. */
static penta_status take_first(scan *s, double *bound)
{
    penta_status status = PENTA_OK;
    void *first = NULL;
    size_t bytes;

    TRY(penta_explain(s->ctx, penta_group_broadcast(s->group, bound, sizeof *bound, &first, &bytes)));
    memcpy(bound, first, sizeof *bound);
cleanup:
    free(first);
    return status;
}

penta_status stars_flux_bound(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              penta_group *group, bool by_flux, double *bound)
{
    penta_status status = PENTA_OK;
    size_t pieces = (stars->n + PIECE - 1) / PIECE;
    scan s = {.ctx = ctx, .group = group, .values = by_flux ? stars->flux : stars->magnitude, .n = stars->n};

    *bound = 0;
    TRY(penta_calloc(ctx, pieces + 1, sizeof *s.brightest, &s.brightest));
    TRY(penta_calloc(ctx, pieces + 1, BINS * sizeof *s.sums, &s.sums));
    TRY(by_flux ? bound_fluxes(&s, pieces, bound) : bound_magnitudes(&s, o, pieces, bound));
    if (!isfinite(*bound))
        *bound = 0;
    if (group && !penta_group_in_one_process(group))
        TRY(take_first(&s, bound));
cleanup:
    free(s.brightest);
    free(s.sums);
    return status;
}
