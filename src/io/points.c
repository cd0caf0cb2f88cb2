/* Reads points in space from CSV or NPY. */
#include <pentacl/io/points.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/table.h>
#include <pentacl/io/image.h>
#include "io/input.h"

static const char *const names[3] = {"x", "y", "z"};

static bool make_room(const char *path, size_t count, double **out, penta_io_error *err)
{
    *out = count <= SIZE_MAX / 2 / (3 * sizeof **out) ? malloc(3 * count * sizeof **out) : NULL;
    return *out || penta_io_fail(err, "%s: out of memory for %zu points", path, count);
}

/* ---- NPY ---- */

static bool is_npy(const char *path, bool *npy, penta_io_error *err)
{
    io_input in;
    char magic[6];

    if (!io_input_open(path, &in, err))
        return false;
    *npy = io_input_read(&in, 0, magic, sizeof magic) && memcmp(magic, "\x93NUMPY", sizeof magic) == 0;
    io_input_close(&in);
    return true;
}

static bool take_image(const char *path, const penta_io_image *image, double **out, size_t *count, penta_io_error *err)
{
    if (image->width != 3 || (image->type != PENTA_F64 && image->type != PENTA_F32))
        return penta_io_fail(err, "%s: is an array of %zu x %zu %s; points are m x 3 float64 or float32", path,
                             image->height, image->width, penta_type_name(image->type));
    if (!make_room(path, image->height, out, err))
        return false;
    *count = image->height;
    for (size_t i = 0; i < 3 * *count; i++) {
        (*out)[i] =
            image->type == PENTA_F64 ? ((const double *)image->data)[i] : (double)((const float *)image->data)[i];
        if (!isfinite((*out)[i]))
            return penta_io_fail(err, "%s: point %zu of %zu: %s is %g, not a finite number; correct or leave it out",
                                 path, i / 3 + 1, *count, names[i % 3], (*out)[i]);
    }
    return true;
}

static bool read_npy(const char *path, double **out, size_t *count, penta_io_error *err)
{
    penta_io_image image = {0};
    bool ok = penta_io_image_read(path, &image, err) && take_image(path, &image, out, count, err);

    penta_io_image_free(&image);
    return ok;
}

/* ---- CSV ---- */

static bool find_columns(const char *path, const penta_io_table *csv, int column[3], penta_io_error *err)
{
    bool named = penta_io_table_columns(csv) > 0 && *penta_io_table_name(csv, 0);

    for (int k = 0; k < 3; k++) {
        column[k] = named ? penta_io_table_column(csv, names[k]) : k;
        if (named && column[k] < 0)
            return penta_io_fail(err, "%s: has no column %s; points need x, y and z", path, names[k]);
        if (named && !penta_io_table_unique(csv, column[k], err))
            return false;
    }
    return named || penta_io_table_columns(csv) == 3 ||
           penta_io_fail(err, "%s: has %zu columns without a header; points need x, y and z", path,
                         penta_io_table_columns(csv));
}

static bool take_rows(const char *path, const penta_io_table *csv, double **out, size_t *count, penta_io_error *err)
{
    int column[3];

    if (!find_columns(path, csv, column, err))
        return false;
    *count = penta_io_table_rows(csv);
    if (*count == 0)
        return penta_io_fail(err, "%s: has no points", path);
    if (!make_room(path, *count, out, err))
        return false;
    for (size_t i = 0; i < 3 * *count; i++)
        if (!penta_io_table_number(csv, i / 3, (size_t)column[i % 3], &(*out)[i], err))
            return false;
    return true;
}

static bool read_csv(const char *path, double **out, size_t *count, penta_io_error *err)
{
    penta_io_table *csv = NULL;
    bool ok = penta_io_table_open(path, PENTA_IO_TABLE_AUTO, &csv, err) && take_rows(path, csv, out, count, err);

    penta_io_table_close(csv);
    return ok;
}

bool penta_io_points_read(const char *path, double **out, size_t *count, penta_io_error *err)
{
    bool npy, ok;

    *out = NULL;
    *count = 0;
    ok = is_npy(path, &npy, err) && (npy ? read_npy : read_csv)(path, out, count, err);
    if (!ok) {
        free(*out);
        *out = NULL;
    }
    return ok;
}
