/*
 * The engines on the host: `serial`, the paper's simulator 1, and `threads`, which distributes bands of rows over the
 * cores. Both sum in double and give the same bits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stars/host.h"

enum {
    MOST_ROI = 64,
    BAND = 32,      /* rows */
    BANDS = 64,     /* between two reports of progress */
    STARS = 1 << 16 /* likewise */
};

/* Checked first, since positions far away do not fit into an integer. */
static bool stars_is_drawn(const stars_drawing *d, size_t i)
{
    double cx = stars_first(d->stars->x[i], d->psf->roi), cy = stars_first(d->stars->y[i], d->psf->roi);
    int roi = d->psf->roi;

    return cx > -roi && cy > -roi && cx < (double)d->width && cy < (double)d->height;
}

/* Adds the rows [row0, row1) of star i. */
static void draw_star(const stars_drawing *d, size_t i, long row0, long row1)
{
    const penta_stars_list *s = d->stars;
    const stars_psf *psf = d->psf;
    int roi = psf->roi;
    bool moving = s->motion_x != NULL;
    double cx = stars_first(s->x[i], roi), cy = stars_first(s->y[i], roi);
    double rx = s->x[i] - cx - roi / 2, ry = s->y[i] - cy - roi / 2, along[MOST_ROI];
    double weight = stars_flux(d->options, s, i) * stars_psf_norm(psf, moving);
    long x0, x1, y0, y1;

    if (!stars_is_drawn(d, i))
        return;
    x0 = (long)fmax(cx, 0);
    x1 = (long)fmin(cx + roi, (double)d->width);
    y0 = (long)fmax(cy, (double)row0);
    y1 = (long)fmin(cy + roi, (double)row1);
    for (long x = x0; psf->separable && !moving && x < x1; x++)
        along[x - x0] = stars_psf_factor(psf, 0, (double)(x - (long)cx - roi / 2) - rx);
    for (long y = y0; y < y1; y++) {
        double dy = (double)(y - (long)cy - roi / 2) - ry, *row = d->sums + (size_t)y * d->width;

        if (psf->separable && !moving) {
            double factor = weight * stars_psf_factor(psf, 1, dy);

            for (long x = x0; x < x1; x++)
                row[x] += factor * along[x - x0];
        } else {
            for (long x = x0; x < x1; x++)
                row[x] += weight * stars_psf_value(psf, (double)(x - (long)cx - roi / 2) - rx, dy,
                                                   moving ? s->motion_x[i] : 0, moving ? s->motion_y[i] : 0);
        }
    }
}

/* ---- threads ---- */

static void bands_of(const stars_drawing *d, size_t i, size_t *first, size_t *end)
{
    double cy = stars_first(d->stars->y[i], d->psf->roi), last = cy + d->psf->roi - 1;

    *first = *end = 0;
    if (!stars_is_drawn(d, i))
        return;
    *first = (size_t)fmax(cy, 0) / BAND;
    *end = (size_t)fmin(last, (double)d->height - 1) / BAND + 1;
}

/* Counting sort of the stars by the bands that they touch. */
static penta_status sort_into_bands(penta_context *ctx, stars_drawing *d, size_t bands)
{
    penta_status status = PENTA_OK;
    size_t first, end;

    TRY(penta_calloc(ctx, bands + 2, sizeof *d->start, &d->start));
    for (size_t i = 0; i < d->stars->n; i++)
        for (bands_of(d, i, &first, &end); first < end; first++)
            d->start[first + 2]++;
    for (size_t b = 2; b < bands + 2; b++)
        d->start[b] += d->start[b - 1];
    TRY(penta_calloc(ctx, d->start[bands + 1] + 1, sizeof *d->order, &d->order));
    for (size_t i = 0; i < d->stars->n; i++)
        for (bands_of(d, i, &first, &end); first < end; first++)
            d->order[d->start[first + 1]++] = i;
cleanup:
    return status;
}

static void draw_band(void *data, size_t i)
{
    const stars_drawing *d = data;
    size_t band = d->first_band + i;
    long row0 = (long)band * BAND, row1 = row0 + BAND < (long)d->height ? row0 + BAND : (long)d->height;

    for (size_t k = d->start[band]; k < d->start[band + 1]; k++)
        d->draw(d, d->order[k], row0, row1);
}

penta_status stars_draw_bands(penta_context *ctx, stars_drawing *d)
{
    penta_status status = PENTA_OK;
    size_t bands = (d->height + BAND - 1) / BAND;

    TRY(sort_into_bands(ctx, d, bands));
    for (d->first_band = 0; d->first_band < bands; d->first_band += BANDS) {
        TRY(penta_report_progress(ctx, (double)d->first_band, (double)bands));
        penta_parallel(bands - d->first_band < BANDS ? bands - d->first_band : BANDS, draw_band, d);
    }
cleanup:
    return status;
}

/* ---- serial ---- */

static penta_status draw_stars(penta_context *ctx, const stars_drawing *d)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < d->stars->n; i++) {
        if (i % STARS == 0)
            TRY(penta_report_progress(ctx, (double)i, (double)d->stars->n));
        draw_star(d, i, 0, (long)d->height);
    }
cleanup:
    return status;
}

/* ---- both ---- */

void stars_add_totals(const stars_drawing *d, penta_stars_result *result)
{
    result->drawn = 0;
    result->flux_total = 0;
    for (size_t i = 0; i < d->stars->n; i++)
        if (stars_is_drawn(d, i)) {
            result->drawn++;
            result->flux_total += stars_flux(d->options, d->stars, i);
        }
}

static void store(const stars_drawing *d, bool dbl, void *image)
{
    size_t count = d->width * d->height;
    float *single = image;

    if (dbl)
        memcpy(image, d->sums, count * sizeof *d->sums);
    for (size_t i = 0; !dbl && i < count; i++)
        single[i] = (float)d->sums[i];
}

penta_status stars_draw_on_host(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o, size_t width,
                                size_t height, bool threads, bool dbl, const penta_stars_list *stars,
                                penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    stars_drawing d = {.psf = psf, .options = o, .stars = stars, .width = width, .height = height, .draw = draw_star};
    size_t bad = stars_first_bad(o, stars);

    if (bad < stars->n)
        return stars_refuse(ctx, o, stars, bad);
    TRY(penta_calloc(ctx, width * height, sizeof *d.sums, &d.sums));
    TRY(threads ? stars_draw_bands(ctx, &d) : draw_stars(ctx, &d));
    stars_add_totals(&d, result);
    if (result->image)
        store(&d, dbl, result->image);
cleanup:
    free(d.sums);
    free(d.start);
    free(d.order);
    return status;
}

/* ---- fluxes ---- */

/* Fraction of its light that a pixel loses per px^2 of the squared distance from the frame's centre. */
static double loss_of(const stars_drawing *d, double vignetting)
{
    double cx = 0.5 * (double)(d->width - 1), cy = 0.5 * (double)(d->height - 1), corner = cx * cx + cy * cy;

    return corner > 0 ? vignetting / corner : 0;
}

/* For a separable PSF: sums along each axis, plain and weighted by the squared distance from the frame's centre. */
static double part_by_factors(const stars_drawing *d, double cx, double cy, double rx, double ry, double loss)
{
    const stars_psf *psf = d->psf;
    double along[2] = {0, 0}, square[2] = {0, 0};

    for (int k = 0; k < psf->roi; k++) {
        double dx = cx + k - 0.5 * (double)(d->width - 1), dy = cy + k - 0.5 * (double)(d->height - 1);

        if (cx + k >= 0 && cx + k < (double)d->width) {
            double factor = stars_psf_factor(psf, 0, k - psf->roi / 2 - rx);

            along[0] += factor;
            square[0] += factor * dx * dx;
        }
        if (cy + k >= 0 && cy + k < (double)d->height) {
            double factor = stars_psf_factor(psf, 1, k - psf->roi / 2 - ry);

            along[1] += factor;
            square[1] += factor * dy * dy;
        }
    }
    return along[0] * along[1] - loss * (square[0] * along[1] + along[0] * square[1]);
}

static double part_in_frame(const stars_drawing *d, size_t i, double loss)
{
    const penta_stars_list *s = d->stars;
    const stars_psf *psf = d->psf;
    bool moving = s->motion_x != NULL;
    double cx = stars_first(s->x[i], psf->roi), cy = stars_first(s->y[i], psf->roi), sum = 0;
    double rx = s->x[i] - cx - psf->roi / 2, ry = s->y[i] - cy - psf->roi / 2;

    if (psf->separable && !moving)
        return part_by_factors(d, cx, cy, rx, ry, loss);
    for (int j = 0; j < psf->roi; j++)
        for (int k = 0; k < psf->roi; k++) {
            double dx = cx + k - 0.5 * (double)(d->width - 1), dy = cy + j - 0.5 * (double)(d->height - 1);

            if (cx + k >= 0 && cx + k < (double)d->width && cy + j >= 0 && cy + j < (double)d->height)
                sum += (1 - loss * (dx * dx + dy * dy)) *
                       stars_psf_value(psf, k - psf->roi / 2 - rx, j - psf->roi / 2 - ry, moving ? s->motion_x[i] : 0,
                                       moving ? s->motion_y[i] : 0);
        }
    return sum;
}

typedef struct {
    stars_drawing d;
    double loss, *flux, *in_frame;
} flux_job;

static void flux_piece(void *data, size_t piece)
{
    const flux_job *j = data;
    size_t end = (piece + 1) * 1024 < j->d.stars->n ? (piece + 1) * 1024 : j->d.stars->n;

    for (size_t i = piece * 1024; i < end; i++) {
        double flux = stars_flux(j->d.options, j->d.stars, i);

        if (j->flux)
            j->flux[i] = flux;
        if (j->in_frame)
            j->in_frame[i] = stars_is_drawn(&j->d, i) ? flux * stars_psf_norm(j->d.psf, j->d.stars->motion_x != NULL) *
                                                            part_in_frame(&j->d, i, j->loss)
                                                      : 0;
    }
}

penta_status stars_list_fluxes(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o, size_t width,
                               size_t height, const penta_stars_list *stars, double vignetting, double *flux,
                               double *in_frame)
{
    flux_job j = {.d = {.psf = psf, .options = o, .stars = stars, .width = width, .height = height},
                  .flux = flux,
                  .in_frame = in_frame};
    size_t bad = stars_first_bad(o, stars);

    j.loss = loss_of(&j.d, vignetting);

    if (bad < stars->n)
        return stars_refuse(ctx, o, stars, bad);
    penta_parallel((stars->n + 1023) / 1024, flux_piece, &j);
    return PENTA_OK;
}
