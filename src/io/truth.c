/* The table of the true values of the stars in a frame. */
#include <pentacl/io/exposure.h>

#include <math.h>
#include <stdio.h>

#include <pentacl/io/table.h>
#include <pentacl/io/output.h>

/* Writes each number after a comma; NaN is left empty. */
static void put_numbers(FILE *f, size_t n, const double *numbers)
{
    for (size_t i = 0; i < n; i++) {
        putc(',', f);
        if (!isnan(numbers[i]))
            penta_io_table_put_number(f, numbers[i]);
    }
}

static void put_name(FILE *f, const penta_io_star_ids *ids, size_t star)
{
    char buffer[PENTA_IO_STAR_NAME_BYTES];

    if (ids)
        penta_io_table_put(f, penta_io_star_name(ids, star, buffer));
    else
        fprintf(f, "%zu", star + 1);
}

static void put_row(FILE *f, const penta_star_truth *row, const penta_io_truth_stars *stars)
{
    const penta_star_trail *t = &row->trail;
    size_t i = row->star;
    double ra = stars->ra ? stars->ra[i] : NAN, dec = stars->ra ? stars->dec[i] : NAN;
    const double first[] = {ra, dec, row->magnitude, row->x, row->y, row->flux, row->flux_in_frame};
    const double more[] = {t->mean_x,
                           t->mean_y,
                           t->start_x,
                           t->start_y,
                           t->end_x,
                           t->end_y,
                           row->electrons,
                           row->dn,
                           stars->ra_catalog ? stars->ra_catalog[i] : ra,
                           stars->ra_catalog ? stars->dec_catalog[i] : dec,
                           ra,
                           dec,
                           stars->built_in ? penta_io_star_variable_find(stars->ids->value[i]) >= 0 : NAN};

    put_name(f, stars->ids, i);
    put_numbers(f, sizeof first / sizeof *first, first);
    fprintf(f, ",%d", row->saturated);
    put_numbers(f, sizeof more / sizeof *more, more);
    putc('\n', f);
}

bool penta_io_truth_write(const char *path, const penta_stars_truth *truth, const penta_io_truth_stars *stars,
                          penta_io_error *err)
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
        put_row(f, &truth->stars[i], stars);
    return penta_io_output_commit(output, err);
}
