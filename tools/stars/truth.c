#include "stars/truth.h"

#include <math.h>
#include <stdio.h>

#include <pentacl/io/csv.h>
#include <pentacl/io/output.h>

/* A comma before each; nothing after it for NaN. */
static void put_numbers(FILE *f, size_t n, const double *numbers)
{
    for (size_t i = 0; i < n; i++) {
        putc(',', f);
        if (!isnan(numbers[i]))
            penta_io_csv_put_number(f, numbers[i]);
    }
}

static void put_row(FILE *f, const penta_star_truth *row, const star_source *source)
{
    const penta_star_trail *t = &row->trail;
    size_t i = row->star;
    bool sky = source->ra != NULL;
    double ra = sky ? source->ra[i] : NAN, dec = sky ? source->dec[i] : NAN;
    const double first[] = {ra, dec, row->magnitude, row->x, row->y, row->flux, row->flux_in_frame};
    const double more[] = {t->mean_x,
                           t->mean_y,
                           t->start_x,
                           t->start_y,
                           t->end_x,
                           t->end_y,
                           row->electrons,
                           row->dn,
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

bool star_truth_write(const penta_stars_truth *truth, const star_source *source, const char *path, penta_io_error *err)
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
        put_row(f, &truth->stars[i], source);
    return penta_io_output_commit(output, err);
}
