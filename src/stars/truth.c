/* What is true of the stars drawn in a frame. */
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/plan.h"

/* Entries of one star follow one another. */
static void add_rows(const penta_stars *plan, const penta_stars_scene *s, const double *flux, const double *in_frame,
                     const double *collected, const penta_detector_options *detector, penta_stars_truth *out)
{
    size_t last = s->n;

    for (size_t i = 0; i < s->list.n; i++) {
        size_t star = penta_stars_scene_owner(s, i);

        if (!penta_stars_touches(plan, s->list.x[i], s->list.y[i]))
            continue;
        if (star != last)
            out->stars[out->n++] = (penta_star_truth){.star = s->which ? s->which[star] : star,
                                                      .magnitude = s->magnitude ? s->magnitude[star] : NAN,
                                                      .x = s->x[star],
                                                      .y = s->y[star],
                                                      .flux = s->flux ? s->flux[star] : flux[i],
                                                      .trail = penta_stars_scene_trail(s, star)};
        out->stars[out->n - 1].flux_in_frame += in_frame[i];
        if (detector)
            out->stars[out->n - 1].electrons += detector->quantum_efficiency * collected[i];
        last = star;
    }
    for (size_t i = 0; i < out->n; i++) {
        penta_star_truth *row = &out->stars[i];

        row->electrons = detector ? row->electrons : NAN;
        row->dn = detector ? row->electrons / detector->gain : NAN;
    }
}

penta_status penta_stars_truth_make(penta_stars *plan, const penta_stars_scene *scene,
                                    const penta_detector_options *detector, penta_stars_truth *out)
{
    size_t n = scene->list.n;
    double *flux = NULL, *in_frame = NULL, *collected = NULL;
    penta_status status = PENTA_OK;

    *out = (penta_stars_truth){0};
    TRY(penta_calloc(plan->ctx, scene->n, sizeof *out->stars, &out->stars));
    TRY(penta_calloc(plan->ctx, n, sizeof *flux, &flux));
    TRY(penta_calloc(plan->ctx, n, sizeof *in_frame, &in_frame));
    TRY(penta_stars_fluxes(plan, &scene->list, flux, in_frame));
    if (detector) {
        TRY(penta_calloc(plan->ctx, n, sizeof *collected, &collected));
        TRY(penta_stars_vignetted(plan, &scene->list, detector->vignetting, collected));
    }
    add_rows(plan, scene, flux, in_frame, collected, detector, out);
cleanup:
    free(flux);
    free(in_frame);
    free(collected);
    if (status != PENTA_OK)
        penta_stars_truth_free(out);
    return status;
}

void penta_stars_truth_free(penta_stars_truth *truth)
{
    free(truth->stars);
    *truth = (penta_stars_truth){0};
}

/* ---- saturation ---- */

typedef struct {
    size_t width, height;
    const void *image;
    penta_type type;
    const uint8_t *mask;
    double limit;
} exposed;

static double pixel(const exposed *e, size_t i)
{
    return e->type == PENTA_F64 ? ((const double *)e->image)[i] : (double)((const float *)e->image)[i];
}

static bool core_saturated(const exposed *e, double x, double y)
{
    for (double row = y - 1; row <= y + 1; row++)
        for (double column = x - 1; column <= x + 1; column++) {
            size_t i;

            if (!(row >= 0 && column >= 0 && row < (double)e->height && column < (double)e->width))
                continue;
            i = (size_t)row * e->width + (size_t)column;
            if ((e->mask && e->mask[i]) || pixel(e, i) >= e->limit)
                return true;
        }
    return false;
}

void penta_stars_truth_saturate(penta_stars_truth *truth, size_t width, size_t height, const void *image,
                                penta_type type, const uint8_t *mask, double limit)
{
    const exposed e = {width, height, image, type, mask, limit};

    for (size_t i = 0; i < truth->n; i++) {
        penta_star_truth *row = &truth->stars[i];

        row->saturated = core_saturated(&e, floor(row->x + 0.5), floor(row->y + 0.5));
    }
}
