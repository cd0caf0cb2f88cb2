/* The fluxes of a list of stars, and checks of its numbers. */
#include <math.h>

#include <pentacl/parallel.h>

#include "stars/engine.h"

enum { PIECE = 1 << 14 }; /* stars that a thread looks at a time */

#define MOST_FLUX   1e30  /* of cl/stars/pack.clh too: sums of 10^8 such stars stay finite in single precision */
#define MOST_MOTION 1e100 /* px: its square is finite */

double stars_ln_base(const penta_stars_options *o)
{
    return o->mag_base == PENTA_STARS_POGSON ? 0.4 * log(10.0) : log(2.512);
}

double stars_flux_of(const penta_stars_options *o, double magnitude)
{
    return o->amplitude * exp(-stars_ln_base(o) * magnitude);
}

double stars_flux(const penta_stars_options *o, const penta_stars_list *stars, size_t i)
{
    return stars->flux ? stars->flux[i] : stars_flux_of(o, stars->magnitude[i]);
}

static bool is_bad_motion(const penta_stars_list *s, size_t i)
{
    return s->motion_x && !(fabs(s->motion_x[i]) <= MOST_MOTION && fabs(s->motion_y[i]) <= MOST_MOTION);
}

static bool is_bad(const penta_stars_options *o, const penta_stars_list *s, size_t i)
{
    return !isfinite(s->x[i]) || !isfinite(s->y[i]) || is_bad_motion(s, i) ||
           !(fabs(stars_flux(o, s, i)) <= MOST_FLUX) || (!s->flux && !isfinite(s->magnitude[i]));
}

/* ---- the first bad star of a list, which threads look for ---- */

typedef struct {
    const penta_stars_options *options; /* NULL: only motions are looked at */
    const penta_stars_list *stars;
} search;

/* The first bad one of a piece, or its end. */
static size_t look(const search *s, size_t piece)
{
    size_t i = piece * PIECE, end = s->stars->n - i < PIECE ? s->stars->n : i + PIECE;

    while (i < end && !(s->options ? is_bad(s->options, s->stars, i) : is_bad_motion(s->stars, i)))
        i++;
    return i;
}

static bool is_good(void *data, size_t piece)
{
    const search *s = data;
    size_t end = (piece + 1) * PIECE;

    return look(s, piece) == (end < s->stars->n ? end : s->stars->n);
}

static size_t first_bad(search s)
{
    size_t pieces = (s.stars->n + PIECE - 1) / PIECE, piece = penta_parallel_until(pieces, is_good, &s);

    return piece < pieces ? look(&s, piece) : s.stars->n;
}

size_t stars_first_bad(const penta_stars_options *o, const penta_stars_list *stars)
{
    return first_bad((search){o, stars});
}

size_t stars_first_bad_motion(const penta_stars_list *stars)
{
    return stars->motion_x ? first_bad((search){NULL, stars}) : stars->n;
}

/* stars_refuse of a star that is called by another number. */
static penta_status stars_refuse_as(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *s,
                                    size_t i, size_t number)
{
    if (!isfinite(s->x[i]) || !isfinite(s->y[i]))
        return penta_fail(ctx, PENTA_INVALID, "star %zu lies at (%g, %g), which is no place", number, s->x[i], s->y[i]);
    if (!s->flux && !isfinite(s->magnitude[i]))
        return penta_fail(ctx, PENTA_INVALID, "star %zu has the magnitude %g", number, s->magnitude[i]);
    if (!(fabs(stars_flux(o, s, i)) <= MOST_FLUX))
        return penta_fail(ctx, PENTA_INVALID, "star %zu has the flux %g; at most %g is possible", number,
                          stars_flux(o, s, i), MOST_FLUX);
    return penta_fail(ctx, PENTA_INVALID, "star %zu has the motion (%g, %g) px; at most %g is possible", number,
                      s->motion_x[i], s->motion_y[i], MOST_MOTION);
}

penta_status stars_refuse(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *s, size_t i)
{
    return stars_refuse_as(ctx, o, s, i, i);
}
