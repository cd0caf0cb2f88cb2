/*
 * The engine `fixed` on the host's cores, for devices without double precision. Places and weights are those of
 * pack_host.c, values and the fixed point those of cl/stars/psf.clh and fixed.clh, compiled as C: the frame has the
 * same bits as one that a device draws.
 */
#include <stdlib.h>

#include "stars/bound.h"
#include "stars/host.h"
#include "stars/pack_host.h"

#include "math/opencl_as_c.h"

#include "stars/psf.clh"

typedef struct {
    stars_packing packing;
    double numbers[STARS_PSF_NUMBERS];
    double scale; /* units in 1 */
    bool dbl;     /* residuals and weights are not rounded to single precision */
    int64_t *sums;
} fixed_job;

/* A star as the other forms have it once it is packed. */
typedef struct {
    double x, y, weight; /* weight: in units */
    double mx, my;
    long column, row;
} fixed_star;

static fixed_star star_of(const fixed_job *j, const penta_stars_list *stars, size_t i)
{
    stars_place s = stars_place_of(&j->packing, stars, i);
    fixed_star star = {s.x, s.y, s.weight, 0, 0, (long)s.column, (long)s.row};

    if (!j->dbl) {
        star.x = (double)(float)s.x;
        star.y = (double)(float)s.y;
        star.weight = (double)(float)s.weight;
    }
    star.weight *= j->scale;
    if (stars->motion_x) {
        star.mx = stars->motion_x[i];
        star.my = stars->motion_y[i];
    }
    return star;
}

static double factor(const stars_drawing *d, int axis, int k, double r)
{
    const fixed_job *j = d->more;

    return d->psf->kind == PENTA_STARS_INTEGRATED ? psf_integrated_factor(axis, k, r, j->numbers, d->psf->roi)
                                                  : psf_sampled_factor(axis, k, r, j->numbers, d->psf->roi);
}

/* psf_at of cl/stars/star.clh. */
static double value_at(const stars_drawing *d, double dx, double dy, const fixed_star *s)
{
    const fixed_job *j = d->more;
    const double *n = j->numbers, *samples = d->psf->samples;
    double u = dx * n[PSF_COSINE] + dy * n[PSF_SINE], v = dy * n[PSF_COSINE] - dx * n[PSF_SINE];

    if (d->stars->motion_x)
        return psf_smeared(dx, dy, s->mx, s->my, n);
    if (d->psf->kind == PENTA_STARS_IMAGE)
        return psf_image_at(u, v, n, samples);
    if (d->psf->kind == PENTA_STARS_MOFFAT)
        return psf_moffat(u, v, n);
    return psf_gaussian(u, v, n);
}

/* psf_value of cl/stars/star.clh. */
static double value(const stars_drawing *d, int i, int k, const fixed_star *s)
{
    const fixed_job *j = d->more;
    const double *nodes = j->numbers + PSF_NODES, *weights = j->numbers + PSF_WEIGHTS;
    double dx = (double)(i - d->psf->roi / 2) - s->x, dy = (double)(k - d->psf->roi / 2) - s->y, sum = 0;

    for (int q = 0; q < d->psf->quadrature; q++)
        for (int p = 0; p < d->psf->quadrature; p++)
            sum += weights[p] * weights[q] * value_at(d, dx + nodes[p], dy + nodes[q], s);
    return sum;
}

/* fixed_value of cl/stars/fixed.clh: rounded once, ties to even. */
static int64_t units_of(double weight, double share)
{
    return llrint(weight * share);
}

static void draw_star(const stars_drawing *d, size_t i, long row0, long row1)
{
    const fixed_job *j = d->more;
    fixed_star s = star_of(j, d->stars, i);
    int roi = d->psf->roi;
    bool separable = d->psf->separable && !d->stars->motion_x;
    long x0 = s.column > 0 ? s.column : 0, y0 = s.row > row0 ? s.row : row0;
    long x1 = s.column + roi < (long)d->width ? s.column + roi : (long)d->width, y1 = s.row + roi;
    double along[64];

    y1 = y1 < row1 ? y1 : row1;
    for (long x = x0; separable && x < x1; x++)
        along[x - x0] = factor(d, 0, (int)(x - s.column), s.x);
    for (long y = y0; y < y1; y++) {
        int64_t *row = j->sums + (size_t)y * d->width;
        double weight = separable ? s.weight * factor(d, 1, (int)(y - s.row), s.y) : s.weight;

        for (long x = x0; x < x1; x++)
            row[x] += units_of(weight, separable ? along[x - x0] : value(d, (int)(x - s.column), (int)(y - s.row), &s));
    }
}

static void store(const fixed_job *j, size_t count, void *image)
{
    double unit = 1 / j->scale, *as_double = image;
    float *as_float = image;

    for (size_t i = 0; i < count; i++)
        if (j->dbl)
            as_double[i] = (double)j->sums[i] * unit;
        else
            as_float[i] = (float)((double)j->sums[i] * unit);
}

penta_status stars_draw_fixed_on_host(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o,
                                      size_t width, size_t height, bool dbl, const penta_stars_list *stars,
                                      penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    bool moving = stars->motion_x != NULL;
    fixed_job j = {.packing = stars_packing_of(psf, o, moving), .dbl = dbl};
    stars_drawing d = {
        .psf = psf, .options = o, .stars = stars, .width = width, .height = height, .draw = draw_star, .more = &j};
    stars_psf shape = *psf; /* as the stars have it */
    double weights = 0;
    size_t bad = stars_first_bad(o, stars);

    if (bad < stars->n)
        return stars_refuse(ctx, o, stars, bad);
    shape.separable = psf->separable && !moving;
    stars_psf_numbers(psf, j.numbers);
    TRY(stars_flux_bound(ctx, o, stars, &weights));
    j.scale = stars_fixed_scale(&shape, weights * j.packing.norm);
    TRY(penta_calloc(ctx, width * height, sizeof *j.sums, &j.sums));
    TRY(stars_draw_bands(ctx, &d));
    stars_add_totals(&d, result);
    if (result->image)
        store(&j, width * height, result->image);
cleanup:
    free(j.sums);
    free(d.start);
    free(d.order);
    return status;
}
