/* Writes and reads drift.csv. */
#include <pentacl/io/archive.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/table.h>
#include <pentacl/io/output.h>

/* ---- writing ---- */

/* "dx dy;dx dy" */
static void put_others(FILE *f, const penta_drift *d)
{
    for (size_t i = 0; i < d->others; i++) {
        if (i > 0)
            fputc(';', f);
        penta_io_table_put_number(f, d->other_dx[i]);
        fputc(' ', f);
        penta_io_table_put_number(f, d->other_dy[i]);
    }
}

static void put_row(FILE *f, size_t index, const penta_io_drift_row *row)
{
    const double values[] = {row->drift.dx, row->drift.dy, row->drift.angle};

    fprintf(f, "%zu,", index);
    penta_io_table_put(f, row->file);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        fputc(',', f);
        penta_io_table_put_number(f, values[i]);
    }
    fputc(',', f);
    if (!isnan(row->drift.score))
        penta_io_table_put_number(f, row->drift.score);
    fprintf(f, ",%zu,", 1 + row->drift.others);
    put_others(f, &row->drift);
    fputc('\n', f);
}

bool penta_io_drift_write(const char *path, size_t n, const penta_io_drift_row *rows, penta_io_error *err)
{
    penta_io_output *output;
    size_t index = 0;
    FILE *f;

    if (!penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    fputs("index,file,dx,dy,angle,score,places,others\n", f);
    for (size_t i = 0; i < n; i++)
        if (rows[i].done)
            put_row(f, index++, &rows[i]);
    return penta_io_output_commit(output, err);
}

/* ---- reading ---- */

enum { INDEX, NAME, DX, DY, ANGLE, SCORE, COLUMNS };

static bool find_columns(const penta_io_table *csv, const char *path, int columns[COLUMNS], penta_io_error *err)
{
    static const char *const names[COLUMNS] = {"index", "file", "dx", "dy", "angle", "score"};

    for (int c = 0; c < COLUMNS; c++) {
        columns[c] = penta_io_table_column(csv, names[c]);
        if (columns[c] < 0)
            return penta_io_fail(err, "%s: there is no column %s; a drift.csv has index,file,dx,dy,angle,score", path,
                                 names[c]);
        if (!penta_io_table_unique(csv, columns[c], err))
            return false;
    }
    return true;
}

static bool read_row(const penta_io_table *csv, size_t i, const int columns[COLUMNS], penta_io_drift_row *row,
                     penta_io_error *err)
{
    double index;

    if (!penta_io_table_number(csv, i, (size_t)columns[INDEX], &index, err) ||
        !penta_io_table_number(csv, i, (size_t)columns[DX], &row->drift.dx, err) ||
        !penta_io_table_number(csv, i, (size_t)columns[DY], &row->drift.dy, err) ||
        !penta_io_table_number(csv, i, (size_t)columns[ANGLE], &row->drift.angle, err))
        return false;
    if (index < (double)i || index > (double)i)
        return penta_io_table_fail(csv, i, (size_t)columns[INDEX], err, "the rows are not in order: %zu should be here",
                                   i);
    row->drift.score = (double)NAN;
    if (*penta_io_table_text(csv, i, (size_t)columns[SCORE]) &&
        !penta_io_table_number(csv, i, (size_t)columns[SCORE], &row->drift.score, err))
        return false;
    row->done = true;
    row->status = PENTA_PREPARED_OK;
    row->file = strdup(penta_io_table_text(csv, i, (size_t)columns[NAME]));
    return row->file || penta_io_table_fail(csv, i, (size_t)columns[NAME], err, "out of memory");
}

bool penta_io_drift_read(const char *path, penta_io_drift_row **rows, size_t *n, penta_io_error *err)
{
    int columns[COLUMNS];
    penta_io_table *csv = NULL;
    bool ok;

    *rows = NULL;
    *n = 0;
    ok = penta_io_table_open(path, PENTA_IO_TABLE_HEADER, &csv, err) && find_columns(csv, path, columns, err);
    if (ok) {
        *n = penta_io_table_rows(csv);
        *rows = calloc(*n + 1, sizeof **rows);
        ok = *rows || penta_io_fail(err, "%s: out of memory for %zu rows", path, *n);
    }
    for (size_t i = 0; ok && i < *n; i++)
        ok = read_row(csv, i, columns, &(*rows)[i], err);
    penta_io_table_close(csv);
    if (ok)
        return true;
    penta_io_drift_free(*rows, *rows ? *n : 0);
    *rows = NULL;
    *n = 0;
    return false;
}

void penta_io_drift_free(penta_io_drift_row *rows, size_t n)
{
    for (size_t i = 0; rows && i < n; i++)
        free(rows[i].file);
    free(rows);
}
