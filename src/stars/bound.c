/*
 * An upper bound of the light of all stars, from which `fixed` has its step, by one look at each star. Stars are
 * counted by magnitude; fluxes are added as integers, by their exponents. Neither depends on the order of the stars.
 */
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/bound.h"

enum {
    LEAST_PIECE = 1 << 16, /* stars that a thread takes at a time */
    MOST_PIECES = 256,
    PER_MAGNITUDE = 8,
    BRIGHTEST = -64,                      /* magnitude of the first bin, in which brighter stars count, too */
    MAGNITUDE_BINS = 128 * PER_MAGNITUDE, /* fainter stars count in the last one */
    LEAST_EXPONENT = -1074,               /* of frexp */
    EXPONENTS = 1024 - LEAST_EXPONENT + 1,
    UNITS = 1 << 26, /* of 1, of a mantissa: 2^37 stars fit into 64 bits */
    UNIT_EXPONENT = -26
};

/* What is known of some stars. */
typedef struct {
    double least; /* magnitude */
    uint64_t bins[EXPONENTS];
} tally;

typedef struct {
    const double *values;
    size_t n, piece;
    tally *tallies; /* of each piece */
} scan;

static size_t piece_end(const scan *s, size_t piece)
{
    return (piece + 1) * s->piece < s->n ? (piece + 1) * s->piece : s->n;
}

static void count_magnitudes(void *data, size_t piece)
{
    scan *s = data;
    tally *t = &s->tallies[piece];
    size_t end = piece_end(s, piece);
    double least = INFINITY;

    for (size_t i = piece * s->piece; i < end; i++) {
        double m = s->values[i], bin = (m - BRIGHTEST) * PER_MAGNITUDE;

        least = m < least ? m : least;
        if (!(bin < MAGNITUDE_BINS - 1)) /* also NaN, of a star that is refused later */
            bin = MAGNITUDE_BINS - 1;
        t->bins[bin > 0 ? (size_t)bin : 0]++;
    }
    t->least = least;
}

static void add_fluxes(void *data, size_t piece)
{
    scan *s = data;
    tally *t = &s->tallies[piece];
    size_t end = piece_end(s, piece);

    for (size_t i = piece * s->piece; i < end; i++) {
        int exponent = 0;
        double mantissa = frexp(fabs(s->values[i]), &exponent);

        if (mantissa > 0 && mantissa < 1) /* not so of a star that is refused later */
            t->bins[exponent - LEAST_EXPONENT] += (uint64_t)(mantissa * UNITS) + 1; /* up */
    }
}

static void add_tally(tally *to, const tally *t)
{
    to->least = fmin(to->least, t->least);
    for (size_t b = 0; b < EXPONENTS; b++)
        to->bins[b] += t->bins[b];
}

static double bound_magnitudes(const tally *t, const penta_stars_options *o)
{
    double bound = 0;

    for (size_t b = 0; b < MAGNITUDE_BINS; b++) {
        double brightest = BRIGHTEST + (double)b / PER_MAGNITUDE;

        if (t->bins[b] > 0)
            bound += (double)t->bins[b] * stars_flux_of(o, b == 0 ? fmin(t->least, brightest) : brightest);
    }
    return bound;
}

static double bound_fluxes(const tally *t)
{
    double bound = 0;

    for (int b = 0; b < EXPONENTS; b++)
        if (t->bins[b] > 0)
            bound += ldexp((double)t->bins[b], b + LEAST_EXPONENT + UNIT_EXPONENT);
    return bound;
}

penta_status stars_flux_bound(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              double *bound)
{
    penta_status status = PENTA_OK;
    bool by_flux = stars->flux != NULL;
    size_t piece = stars->n / MOST_PIECES < LEAST_PIECE ? LEAST_PIECE : stars->n / MOST_PIECES + 1;
    size_t pieces = (stars->n + piece - 1) / piece;
    scan s = {.values = by_flux ? stars->flux : stars->magnitude, .n = stars->n, .piece = piece};
    tally *all;

    TRY(penta_calloc(ctx, pieces + 1, sizeof *s.tallies, &s.tallies));
    all = &s.tallies[pieces];
    all->least = INFINITY;
    penta_parallel(pieces, by_flux ? add_fluxes : count_magnitudes, &s);
    for (size_t p = 0; p < pieces; p++)
        add_tally(all, &s.tallies[p]);
    *bound = by_flux ? bound_fluxes(all) : bound_magnitudes(all, o);
    if (!isfinite(*bound))
        *bound = 0;
cleanup:
    free(s.tallies);
    return status;
}
