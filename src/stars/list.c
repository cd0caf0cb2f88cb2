/* The fluxes of a list of stars, checks of its numbers, and bounds. */
#include <math.h>
#include <stdlib.h>

#include "stars/engine.h"

#define MOST_FLUX   1e30  /* of cl/stars/pack.clh too: sums of 10^8 such stars stay finite in single precision */
#define MOST_MOTION 1e100 /* px: its square is finite */

double stars_ln_base(const penta_stars_options *o)
{
    return o->mag_base == PENTA_STARS_POGSON ? 0.4 * log(10.0) : log(2.512);
}

static double flux_of_magnitude(const penta_stars_options *o, double magnitude)
{
    return o->amplitude * exp(-stars_ln_base(o) * magnitude);
}

double stars_flux(const penta_stars_options *o, const penta_stars_list *stars, size_t i)
{
    return stars->flux ? stars->flux[i] : flux_of_magnitude(o, stars->magnitude[i]);
}

bool stars_bad_motion(const penta_stars_list *s, size_t i)
{
    return s->motion_x && !(fabs(s->motion_x[i]) <= MOST_MOTION && fabs(s->motion_y[i]) <= MOST_MOTION);
}

static bool is_bad(const penta_stars_options *o, const penta_stars_list *s, size_t i)
{
    return !isfinite(s->x[i]) || !isfinite(s->y[i]) || stars_bad_motion(s, i) ||
           !(fabs(stars_flux(o, s, i)) <= MOST_FLUX) || (!s->flux && !isfinite(s->magnitude[i]));
}

size_t stars_first_bad(const penta_stars_options *o, const penta_stars_list *stars)
{
    size_t i = 0;

    while (i < stars->n && !is_bad(o, stars, i))
        i++;
    return i;
}

penta_status stars_refuse(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *s, size_t i)
{
    if (!isfinite(s->x[i]) || !isfinite(s->y[i]))
        return penta_fail(ctx, PENTA_INVALID, "star %zu lies at (%g, %g), which is no place", i, s->x[i], s->y[i]);
    if (!s->flux && !isfinite(s->magnitude[i]))
        return penta_fail(ctx, PENTA_INVALID, "star %zu has the magnitude %g", i, s->magnitude[i]);
    if (!(fabs(stars_flux(o, s, i)) <= MOST_FLUX))
        return penta_fail(ctx, PENTA_INVALID, "star %zu has the flux %g; at most %g is possible", i,
                          stars_flux(o, s, i), MOST_FLUX);
    return penta_fail(ctx, PENTA_INVALID, "star %zu has the motion (%g, %g) px; at most %g is possible", i,
                      s->motion_x[i], s->motion_y[i], MOST_MOTION);
}

/* ---- the bound ---- */

/* Magnitudes are counted in bins; fluxes are added as integers, of which the brightest star has up to UNITS. Neither
 * depends on the order of the stars. */
enum {
    PIECE = 1 << 16, /* stars that a thread takes at a time */
    PER_MAGNITUDE = 8,
    BINS = 64 * PER_MAGNITUDE, /* stars fainter than the last bin count in it */
    UNIT_BITS = 26,
    UNITS = 1 << UNIT_BITS /* 2^37 such stars fit into 64 bits */
};

typedef struct {
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

static double bound_of_magnitudes(scan *s, const penta_stars_options *o, size_t pieces)
{
    double bound = 0;

    s->least = INFINITY;
    for (size_t p = 0; p < pieces; p++)
        s->least = fmin(s->least, s->brightest[p]);
    if (!isfinite(s->least))
        return 0;
    penta_parallel(pieces, count_magnitudes, s);
    for (size_t b = 0; b < BINS; b++) {
        uint64_t count = 0;

        for (size_t p = 0; p < pieces; p++)
            count += s->sums[p * BINS + b];
        if (count > 0)
            bound += (double)count * flux_of_magnitude(o, s->least + (double)b / PER_MAGNITUDE);
    }
    return bound;
}

static double bound_of_fluxes(scan *s, size_t pieces)
{
    double most = 0;
    uint64_t sum = 0;
    int exponent;

    for (size_t p = 0; p < pieces; p++)
        most = fmax(most, s->brightest[p]);
    if (most <= 0 || !isfinite(most))
        return 0;
    frexp(most, &exponent);
    s->scale = ldexp(1, UNIT_BITS - (exponent < -900 ? -900 : exponent));
    penta_parallel(pieces, add_fluxes, s);
    for (size_t p = 0; p < pieces; p++)
        sum += s->sums[p * BINS];
    return (double)sum / s->scale;
}

penta_status stars_flux_bound(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              double *bound)
{
    penta_status status = PENTA_OK;
    size_t pieces = (stars->n + PIECE - 1) / PIECE;
    scan s = {.values = stars->flux ? stars->flux : stars->magnitude, .n = stars->n};

    *bound = 0;
    TRY(penta_calloc(ctx, pieces + 1, sizeof *s.brightest, &s.brightest));
    TRY(penta_calloc(ctx, pieces + 1, BINS * sizeof *s.sums, &s.sums));
    penta_parallel(pieces, stars->flux ? most_flux : least_magnitude, &s);
    *bound = stars->flux ? bound_of_fluxes(&s, pieces) : bound_of_magnitudes(&s, o, pieces);
    if (!isfinite(*bound))
        *bound = 0;
cleanup:
    free(s.brightest);
    free(s.sums);
    return status;
}
