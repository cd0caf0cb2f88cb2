#include "stars/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/csv.h>
#include <pentacl/io/output.h>

/* ---- rows ---- */

/* Entries of one star follow one another. */
static void add_rows(const star_scene *s, const star_frame_size *frame, const double *flux, const double *in_frame,
                     const double *collected, star_truth *out)
{
    size_t last = s->n;

    for (size_t i = 0; i < s->list.n; i++) {
        size_t star = star_scene_owner(s, i);

        if (!star_touches(frame, s->list.x[i], s->list.y[i]))
            continue;
        if (star != last)
            out->rows[out->n++] = (star_truth_row){.star = s->which ? s->which[star] : star,
                                                   .mag = s->mag[star],
                                                   .x = s->x[star],
                                                   .y = s->y[star],
                                                   .flux = s->flux ? s->flux[star] : flux[i],
                                                   .way = star_scene_way(s, star)};
        out->rows[out->n - 1].in_frame += in_frame[i];
        if (out->detector)
            out->rows[out->n - 1].electrons += out->detector->quantum_efficiency * collected[i];
        last = star;
    }
}

bool star_truth_make(const star_scene *scene, const star_frame_size *frame, penta_context *ctx, penta_stars *plan,
                     const penta_detector_options *detector, star_truth *out, penta_io_error *err)
{
    size_t n = scene->list.n;
    double *flux = malloc((n + 1) * sizeof *flux), *in_frame = malloc((n + 1) * sizeof *in_frame),
           *collected = malloc((n + 1) * sizeof *collected);
    bool ok;

    *out = (star_truth){.rows = calloc(scene->n + 1, sizeof *out->rows), .detector = detector};
    ok = (flux && in_frame && collected && out->rows) ||
         penta_io_fail(err, "out of memory for the truth about %zu stars", n);
    if (ok && (penta_stars_fluxes(plan, &scene->list, flux, in_frame) != PENTA_OK ||
               (detector && penta_stars_vignetted(plan, &scene->list, detector->vignetting, collected) != PENTA_OK)))
        ok = penta_io_fail(err, "%.500s", penta_last_error(ctx));
    if (ok)
        add_rows(scene, frame, flux, in_frame, collected, out);
    else
        star_truth_free(out);
    free(flux);
    free(in_frame);
    free(collected);
    return ok;
}

void star_truth_free(star_truth *truth)
{
    free(truth->rows);
    *truth = (star_truth){0};
}

/* ---- saturation ---- */

static double pixel(const penta_io_image *image, size_t i)
{
    return image->type == PENTA_F64 ? ((const double *)image->data)[i] : (double)((const float *)image->data)[i];
}

/* Brightest first: the mask and the limit hold for it if for any. */
static bool core_saturated(const penta_io_image *image, const uint8_t *mask, double limit, double x, double y)
{
    for (double row = y - 1; row <= y + 1; row++)
        for (double column = x - 1; column <= x + 1; column++) {
            size_t i;

            if (row < 0 || column < 0 || row >= (double)image->height || column >= (double)image->width)
                continue;
            i = (size_t)row * image->width + (size_t)column;
            if ((mask && mask[i]) || pixel(image, i) >= limit)
                return true;
        }
    return false;
}

void star_truth_saturate(star_truth *truth, const penta_io_image *image, const uint8_t *mask, double limit)
{
    for (size_t i = 0; i < truth->n; i++) {
        star_truth_row *row = &truth->rows[i];

        row->saturated = core_saturated(image, mask, limit, floor(row->x + 0.5), floor(row->y + 0.5));
    }
}

/* ---- the file ---- */

/* A comma before each; nothing after it for NaN. */
static void put_numbers(FILE *f, size_t n, const double *numbers)
{
    for (size_t i = 0; i < n; i++) {
        putc(',', f);
        if (!isnan(numbers[i]))
            penta_io_csv_put_number(f, numbers[i]);
    }
}

static void put_row(FILE *f, const star_truth *truth, const star_truth_row *row, const star_source *source)
{
    const star_way *w = &row->way;
    size_t i = row->star;
    bool sky = source->ra != NULL;
    double ra = sky ? source->ra[i] : NAN, dec = sky ? source->dec[i] : NAN;
    double electrons = truth->detector ? row->electrons : NAN,
           dn = truth->detector ? electrons / truth->detector->gain : NAN;
    const double first[] = {ra, dec, row->mag, row->x, row->y, row->flux, row->in_frame};
    const double more[] = {w->mean_x,
                           w->mean_y,
                           w->start_x,
                           w->start_y,
                           w->end_x,
                           w->end_y,
                           electrons,
                           dn,
                           source->ra_catalog ? source->ra_catalog[i] : ra,
                           source->ra_catalog ? source->dec_catalog[i] : dec,
                           ra,
                           dec,
                           source->built_in ? star_source_variable(source, i) >= 0 : NAN};
    char buffer[PENTA_IO_STAR_NAME_BYTES];

    penta_io_csv_put(f, star_source_name(source, i, buffer));
    put_numbers(f, sizeof first / sizeof *first, first);
    fprintf(f, ",%d", row->saturated);
    put_numbers(f, sizeof more / sizeof *more, more);
    putc('\n', f);
}

bool star_truth_write(const star_truth *truth, const star_source *source, const char *path, penta_io_error *err)
{
    penta_io_output *output;
    FILE *f;

    if (!penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    fputs("id,ra,dec,mag,x,y,flux,flux_in_frame,saturated,x_mean,y_mean,x_start,y_start,x_end,y_end,electrons,dn,"
          "ra_catalog,dec_catalog,ra_apparent,dec_apparent,variable\n",
          f);
    for (size_t i = 0; i < truth->n; i++)
        put_row(f, truth, &truth->rows[i], source);
    return penta_io_output_commit(output, err);
}
