/* The fluxes of a list of stars, and checks of its numbers. */
#include <math.h>

#include "stars/engine.h"

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

penta_status stars_refuse_as(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *s, size_t i,
                             size_t number)
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
