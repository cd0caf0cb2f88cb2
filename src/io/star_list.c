#include "io/catalog_format.h"
#include "io/text.h"

#include <stdlib.h>

enum { X, Y, MAG, NEEDED, MX = NEEDED, MY, NUMBERS };

static const char *const names[NUMBERS] = {"x", "y", "mag", "mx", "my"};

static bool find_columns(const char *path, const penta_io_table *csv, int column[NUMBERS], penta_io_error *err)
{
    char missing[64] = "";
    char there[PENTA_IO_TABLE_NAMES_BYTES];

    for (int i = 0; i < NUMBERS; i++) {
        column[i] = penta_io_table_column(csv, names[i]);
        if (!penta_io_table_unique(csv, column[i], err))
            return false;
        if (i < NEEDED && column[i] < 0)
            io_append(missing, sizeof missing, "%s%s", *missing ? ", " : "", names[i]);
    }
    if (*missing)
        return penta_io_fail(err,
                             "%s: has no column %s; the first line must name x, y and mag, but its columns are: %s",
                             path, missing, penta_io_table_names(csv, there));
    if ((column[MX] < 0) != (column[MY] < 0))
        return penta_io_fail(err, "%s: has a column %s but no %s; a motion needs both", path,
                             names[column[MX] < 0 ? MY : MX], names[column[MX] < 0 ? MX : MY]);
    return true;
}

static bool out_of_memory(const char *path, penta_io_error *err)
{
    return penta_io_fail(err, "%s: out of memory for its stars; split the file", path);
}

static bool read_ids(const char *path, const penta_io_table *csv, penta_io_star_ids *ids, penta_io_error *err)
{
    int column = penta_io_table_column(csv, "id");

    if (!penta_io_table_unique(csv, column, err))
        return false;
    if (!io_star_ids_reserve(ids, penta_io_table_rows(csv)))
        return out_of_memory(path, err);
    for (size_t row = 0; row < penta_io_table_rows(csv); row++) {
        const char *text = column < 0 ? "" : penta_io_table_text(csv, row, (size_t)column);

        if (!*text)
            io_star_ids_add(ids, PENTA_IO_STAR_NUMBER, row + 1);
        else if (!io_star_ids_add_text(ids, PENTA_IO_STAR_TEXT, text))
            return out_of_memory(path, err);
    }
    return true;
}

static bool read_stars(const char *path, const penta_io_table *csv, penta_io_star_list *out, penta_io_error *err)
{
    double **arrays[NUMBERS] = {&out->x, &out->y, &out->mag, &out->motion_x, &out->motion_y};
    int column[NUMBERS];

    if (!find_columns(path, csv, column, err))
        return false;
    out->n = penta_io_table_rows(csv);
    for (int i = 0; i < NUMBERS; i++) {
        if (column[i] < 0)
            continue;
        *arrays[i] = malloc((out->n ? out->n : 1) * sizeof **arrays[i]);
        if (!*arrays[i])
            return out_of_memory(path, err);
    }
    for (size_t row = 0; row < out->n; row++) { /* row by row, so that the error names the first bad line */
        for (int i = 0; i < NUMBERS; i++)
            if (column[i] >= 0 && !penta_io_table_number(csv, row, (size_t)column[i], *arrays[i] + row, err))
                return false;
        if (out->mag[row] < IO_BRIGHTEST_STAR)
            return penta_io_table_fail(csv, row, (size_t)column[MAG], err,
                                       "a star of magnitude %g; the brightest possible is %g", out->mag[row],
                                       IO_BRIGHTEST_STAR);
    }
    return read_ids(path, csv, &out->ids, err);
}

static bool read_array(const char *path, size_t n, penta_io_star_list *out, penta_io_error *err)
{
    if (!penta_io_star_array_read(path, 0, n, out, err))
        return false;
    if (!io_star_ids_reserve(&out->ids, n)) {
        penta_io_star_list_free(out);
        return out_of_memory(path, err);
    }
    for (size_t i = 0; i < n; i++)
        io_star_ids_add(&out->ids, PENTA_IO_STAR_NUMBER, i + 1);
    return true;
}

bool penta_io_star_list_read(const char *path, penta_io_star_list *out, penta_io_error *err)
{
    penta_io_table *csv = NULL;
    size_t n, columns;
    bool is_array, ok;

    *out = (penta_io_star_list){0};
    if (!penta_io_star_array_look(path, &is_array, &n, &columns, err))
        return false;
    if (is_array)
        return read_array(path, n, out, err);
    if (!penta_io_table_open(path, PENTA_IO_TABLE_HEADER, &csv, err))
        return false;
    ok = read_stars(path, csv, out, err);
    penta_io_table_close(csv);
    if (!ok)
        penta_io_star_list_free(out);
    return ok;
}
