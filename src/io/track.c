/* Tables of attitudes. */
#include <pentacl/io/exposure.h>

#include <stdlib.h>
#include <string.h>

#include <pentacl/context.h>

#include <pentacl/io/table.h>

/* w, x, y, z and q0 .. q3 name the same four columns */
enum { RA, DEC, ROLL, W, Q0 = W + 4, TIME = Q0 + 4, T, NAME, COLUMNS };

static const char *const names[COLUMNS] = {"ra", "dec", "roll", "w",  "x",    "y", "z",
                                           "q0", "q1",  "q2",   "q3", "time", "t", "name"};

static bool whole(const int column[COLUMNS], int first, int n)
{
    for (int i = first; i < first + n; i++)
        if (column[i] < 0)
            return false;
    return true;
}

static bool any(const int column[COLUMNS], int first, int n)
{
    for (int i = first; i < first + n; i++)
        if (column[i] >= 0)
            return true;
    return false;
}

static bool find_columns(const char *path, const penta_io_table *csv, int column[COLUMNS], penta_io_error *err)
{
    char there[PENTA_IO_TABLE_NAMES_BYTES];
    size_t known = 0;
    bool radec, quaternion;

    for (int i = 0; i < COLUMNS; i++) {
        column[i] = penta_io_table_column(csv, names[i]);
        if (!penta_io_table_unique(csv, column[i], err))
            return false;
        known += column[i] >= 0;
    }
    if (!any(column, W, 4))
        memcpy(column + W, column + Q0, 4 * sizeof *column);
    else if (any(column, Q0, 4))
        return penta_io_fail(err, "%s: has both w to z and q0 to q3; leave out one", path);
    if (column[TIME] >= 0 && column[T] >= 0)
        return penta_io_fail(err, "%s: has both time and t; leave out one", path);
    column[TIME] = column[TIME] >= 0 ? column[TIME] : column[T];
    radec = whole(column, RA, 2);
    quaternion = whole(column, W, 4);
    if (radec == quaternion || (radec ? any(column, W, 4) : any(column, RA, 3)) || known != penta_io_table_columns(csv))
        return penta_io_fail(
            err,
            "%s: the first line must name ra, dec and roll, or w, x, y and z, and perhaps time and name, but "
            "its columns are: %s",
            path, penta_io_table_names(csv, there));
    return true;
}

static bool read_attitude(const char *path, const penta_io_table *csv, const int column[COLUMNS], size_t row,
                          penta_attitude *out, penta_io_error *err)
{
    bool radec = column[RA] >= 0;
    int first = radec ? RA : W, n = radec ? 3 : 4;
    double v[4] = {0};
    penta_status status;

    for (int i = 0; i < n; i++)
        if (column[first + i] >= 0 && !penta_io_table_number(csv, row, (size_t)column[first + i], &v[i], err))
            return false;
    status = radec ? penta_attitude_from_radec(v[0], v[1], v[2], out)
                   : penta_attitude_from_quaternion(v[0], v[1], v[2], v[3], out);
    if (status == PENTA_OK)
        return true;
    return penta_io_fail(err, "%s: row %zu: %.300s", path, row + 1, penta_last_error(NULL));
}

static bool read_rows(const char *path, const penta_io_table *csv, penta_io_track *out, penta_io_error *err)
{
    int column[COLUMNS];
    size_t room = penta_io_table_rows(csv) + 1;

    if (!find_columns(path, csv, column, err))
        return false;
    if (penta_io_table_rows(csv) == 0)
        return penta_io_fail(err, "%s: has no row below its first line", path);
    out->attitude = calloc(room, sizeof *out->attitude);
    out->time = column[TIME] >= 0 ? calloc(room, sizeof *out->time) : NULL;
    out->name = column[NAME] >= 0 ? calloc(room, sizeof *out->name) : NULL;
    if (!out->attitude || (column[TIME] >= 0 && !out->time) || (column[NAME] >= 0 && !out->name))
        return penta_io_fail(err, "%s: out of memory for its attitudes", path);
    for (size_t row = 0; row < penta_io_table_rows(csv); row++) {
        out->n = row + 1;
        if (!read_attitude(path, csv, column, row, &out->attitude[row], err))
            return false;
        if (out->time && !penta_io_table_number(csv, row, (size_t)column[TIME], &out->time[row], err))
            return false;
        if (out->name && !(out->name[row] = strdup(penta_io_table_text(csv, row, (size_t)column[NAME]))))
            return penta_io_fail(err, "%s: out of memory for its names", path);
    }
    return true;
}

bool penta_io_track_read(const char *path, penta_io_track *out, penta_io_error *err)
{
    penta_io_table *csv = NULL;
    bool ok;

    *out = (penta_io_track){0};
    ok = penta_io_table_open(path, PENTA_IO_TABLE_HEADER, &csv, err) && read_rows(path, csv, out, err);
    penta_io_table_close(csv);
    if (!ok)
        penta_io_track_free(out);
    return ok;
}

void penta_io_track_free(penta_io_track *track)
{
    for (size_t i = 0; track->name && i < track->n; i++)
        free(track->name[i]);
    free(track->attitude);
    free(track->time);
    free(track->name);
    *track = (penta_io_track){0};
}
