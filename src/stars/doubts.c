/* What is doubtful about the pictures of a plan. */
#include <math.h>

#include <pentacl/numbers.h>

#include "stars/plan.h"

/* The part of its flux that a star has in the frame, at a place of the middle pixel. */
static bool light_at(penta_stars *plan, double dx, double dy, double *held)
{
    double x = floor((double)plan->width / 2) + dx, y = floor((double)plan->height / 2) + dy, flux = 1;
    penta_stars_list star = {.n = 1, .x = &x, .y = &y, .flux = &flux};

    return penta_stars_fluxes(plan, &star, NULL, held) == PENTA_OK;
}

/* A region of interest that is too small for the PSF shows as squares. */
static bool loses_light(penta_stars *plan, char *message, size_t size)
{
    double held;

    if (plan->options.flux_tolerance > 0 || !light_at(plan, 0, 0, &held) || held >= 0.99)
        return false;
    penta_snprintf(
        message, size,
        "a ROI of %d px holds %.1f %% of a star's light; `flux_tolerance` 0.001 chooses a ROI that holds all "
        "but 0.1 %%",
        penta_stars_roi(plan), 100 * held);
    return true;
}

/* The PSF is taken at pixel centres: its sum over them is 1 on average over the places in a pixel, and more at some of
 * them only where it is too narrow. At a sigma of 0.5 px that is 3 %. */
static bool is_narrow(penta_stars *plan, char *message, size_t size)
{
    enum { PLACES = 4 };
    const penta_stars_options *o = &plan->options;
    double sigma = o->sigma_y > 0 ? fmin(o->sigma, o->sigma_y) : o->sigma, least = INFINITY, most = 0;
    bool narrow = o->psf == PENTA_STARS_SAMPLED && sigma < 0.5;

    if (o->psf == PENTA_STARS_INTEGRATED)
        return false;
    for (int i = 0; i < PLACES * PLACES; i++) {
        double held;

        if (!light_at(plan, (double)(i % PLACES) / PLACES, (double)(i / PLACES) / PLACES, &held))
            return false;
        least = fmin(least, held);
        most = fmax(most, held);
    }
    if (!(most > 1.03 || (narrow && most > 1.005)))
        return false;
    penta_snprintf(
        message, size,
        "the PSF is too narrow to be taken at pixel centres: by its place in a pixel a star has %.3g to %.3g "
        "of its flux; `psf` integrated draws a Gaussian with all of it%s",
        least, most,
        o->psf == PENTA_STARS_IMAGE    ? ", and a `psf_image` must be averaged over the area of a pixel first"
        : o->psf == PENTA_STARS_MOFFAT ? ", and `quadrature` 8 a Moffat"
                                       : "");
    return true;
}

bool penta_stars_doubt(penta_stars *plan, size_t which, char *message, size_t size)
{
    static bool (*const doubts[])(penta_stars *, char *, size_t) = {loses_light, is_narrow};
    const size_t side = (size_t)penta_stars_roi(plan) + 1; /* of a star whose ROI must lie in the frame */

    if (plan->width <= side || plan->height <= side)
        return false;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (doubts[i](plan, message, size) && which-- == 0)
            return true;
    return false;
}
