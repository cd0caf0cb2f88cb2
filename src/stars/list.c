/* What a list of stars holds: fluxes, bad numbers, bounds. */
#include <math.h>
#include <stdlib.h>

#include "stars/engine.h"

#define MOST_FLUX   1e30  /* of cl/stars/pack.clh too: sums of 10^8 such stars stay finite in single precision */
#define MOST_MOTION 1e100 /* px: its square is finite */

enum { PIECE = 1 << 16 };

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

typedef struct {
    const double *values;
    size_t n;
    bool fluxes;
    double *least; /* magnitude, or - |flux|, of each piece */
} scan;

static void scan_piece(void *data, size_t piece)
{
    scan *s = data;
    size_t end = (piece + 1) * PIECE < s->n ? (piece + 1) * PIECE : s->n;
    double least = INFINITY;

    for (size_t i = piece * PIECE; i < end; i++) {
        double v = s->fluxes ? -fabs(s->values[i]) : s->values[i];

        least = v < least ? v : least;
    }
    s->least[piece] = least;
}

/* The brightest star counts n times: that does not depend on their order, as a sum would in its last bits. */
penta_status stars_flux_bound(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              double *bound)
{
    penta_status status = PENTA_OK;
    size_t pieces = (stars->n + PIECE - 1) / PIECE;
    scan s = {.values = stars->flux ? stars->flux : stars->magnitude, .n = stars->n, .fluxes = stars->flux != NULL};
    double least = INFINITY, most;

    *bound = 0;
    TRY(penta_calloc(ctx, pieces + 1, sizeof *s.least, &s.least));
    penta_parallel(pieces, scan_piece, &s);
    for (size_t i = 0; i < pieces; i++)
        least = s.least[i] < least ? s.least[i] : least;
    most = stars->flux ? -least : flux_of_magnitude(o, least);
    *bound = stars->n > 0 && isfinite(most) ? most * (double)stars->n : 0;
cleanup:
    free(s.least);
    return status;
}
