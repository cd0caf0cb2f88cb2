/* What a plan can draw, and how errors are told. */
#include <math.h>

#include "core/core.h"
#include "stars/plan.h"

penta_status stars_check_motion(penta_context *ctx, const penta_stars_options *o)
{
    if (o->psf > PENTA_STARS_INTEGRATED || (o->sigma_y > 0 && fabs(o->sigma_y - o->sigma) > 0))
        return penta_fail(ctx, PENTA_INVALID,
                          "only round Gaussian stars can move: `psf` sampled or integrated, without `sigma_y`");
    return PENTA_OK;
}

/* PENTA_INVALID with the reason where the plan cannot draw a list of these columns. */
static penta_status stars_check_columns(const penta_stars *plan, const penta_stars_list *s)
{
    if (plan->options.psf == PENTA_STARS_IMAGE && !plan->psf.samples)
        return penta_fail(plan->ctx, PENTA_INVALID, "the PSF image is missing: call penta_stars_set_psf first");
    if (s->n > 0 && (!s->x || !s->y || (!s->magnitude && !s->flux)))
        return penta_fail(plan->ctx, PENTA_INVALID, "the list of stars lacks x, y, or both magnitude and flux");
    if (!s->motion_x != !s->motion_y)
        return penta_fail(plan->ctx, PENTA_INVALID, "motion_x and motion_y belong together");
    return s->motion_x ? stars_check_motion(plan->ctx, &plan->options) : PENTA_OK;
}

penta_status stars_check_list(const penta_stars *plan, const penta_stars_list *s)
{
    penta_status status = PENTA_OK;
    size_t bad;

    TRY(stars_check_columns(plan, s));
    bad = stars_first_bad_motion(s);
    if (bad < s->n)
        return stars_refuse(plan->ctx, &plan->options, s, bad);
cleanup:
    return status;
}

size_t stars_frame_bytes(const penta_stars *plan, size_t rows)
{
    return plan->width * rows * (plan->dbl ? sizeof(double) : sizeof(float));
}

penta_status stars_refuse_rows(const penta_stars *plan)
{
    return penta_fail(plan->ctx, PENTA_UNSUPPORTED, "`engine` %s draws on the host, and whole frames only",
                      stars_name_of_engine(plan->engine));
}
