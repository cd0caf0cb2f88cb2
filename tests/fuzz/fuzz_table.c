/* Tables, and what is read through them: points, tracks of attitudes, drift.csv, the tables of an n-body run. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/archive.h>
#include <pentacl/io/exposure.h>
#include <pentacl/io/nbody_tables.h>
#include <pentacl/io/points.h>
#include <pentacl/io/table.h>

static void read_table(const char *path, int header)
{
    char names[PENTA_IO_TABLE_NAMES_BYTES];
    penta_io_table *table = NULL;
    penta_io_error err = {""};
    double value;

    if (!penta_io_table_open(path, header, &table, &err)) {
        fuzz_check(!table, "a table that cannot be opened is NULL");
        fuzz_check_error(&err);
        return;
    }
    fuzz_check(penta_io_table_columns(table) > 0, "a table has columns");
    for (size_t row = 0; row < penta_io_table_rows(table); row++)
        for (size_t column = 0; column < penta_io_table_columns(table); column++) {
            fuzz_check(penta_io_table_text(table, row, column) != NULL, "a field has a text");
            if (penta_io_table_number(table, row, column, &value, &err))
                fuzz_check(isfinite(value), "a number is finite");
            else
                fuzz_check_error(&err);
        }
    penta_io_table_unique(table, penta_io_table_column(table, penta_io_table_name(table, 0)), &err);
    fuzz_check(strlen(penta_io_table_names(table, names)) < sizeof names, "a list of names fits");
    penta_io_table_close(table);
}

static void read_points(const char *path)
{
    penta_io_error err = {""};
    double *points = NULL;
    size_t n = 0;

    if (!penta_io_points_read(path, &points, &n, &err))
        fuzz_check_error(&err);
    for (size_t i = 0; points && i < 3 * n; i++)
        fuzz_check(isfinite(points[i]), "points are finite");
    free(points);
}

static void read_track(const char *path)
{
    penta_io_track track;
    penta_io_error err = {""};

    if (!penta_io_track_read(path, &track, &err))
        fuzz_check_error(&err);
    for (size_t i = 0; i < track.n; i++)
        fuzz_check((!track.time || isfinite(track.time[i])) && (!track.name || track.name[i]), "attitudes are usable");
    penta_io_track_free(&track);
}

static void read_drift(const char *path)
{
    penta_io_drift_row *rows = NULL;
    penta_io_error err = {""};
    size_t n = 0;

    if (!penta_io_drift_read(path, &rows, &n, &err))
        fuzz_check_error(&err);
    for (size_t i = 0; i < n; i++)
        fuzz_check(rows[i].file && isfinite(rows[i].drift.dx) && rows[i].drift.others <= PENTA_DRIFT_OTHERS,
                   "drifts are usable");
    penta_io_drift_free(rows, n);
}

static void read_nbody(const uint8_t *data, size_t size)
{
    const penta_io_nbody_resume resume = {.step = 100, .every = 10};
    penta_io_nbody_tables *tables = NULL;
    penta_io_error err = {""};
    char directory[512];

    fuzz_file("lagrangian.csv", data, size);
    strcpy(directory, fuzz_file("diagnostics.csv", data, size));
    *strrchr(directory, '/') = 0;
    if (!penta_io_nbody_tables_open(directory, &resume, NULL, &tables, &err))
        fuzz_check_error(&err);
    penta_io_nbody_tables_close(tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("table", data, size);

    read_table(path, PENTA_IO_TABLE_NO_HEADER);
    read_table(path, PENTA_IO_TABLE_HEADER);
    read_table(path, PENTA_IO_TABLE_AUTO);
    read_points(path);
    read_track(path);
    read_drift(path);
    read_nbody(data, size);
    return 0;
}
