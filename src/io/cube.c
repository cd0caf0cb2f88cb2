/* Cubes: finds the format of a file, and applies selections. */
#include <pentacl/io/cube.h>
#include "io/cube_format.h"
#include "io/format.h"
#include "io/hdf5_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IO_CUBE_FORMAT(id) extern const io_cube_format io_cube_##id;
#include "io/cube_formats.def"

#define IO_CUBE_FORMAT(id) &io_cube_##id,
static const io_cube_format *const formats[] = {
#include "io/cube_formats.def"
};

enum { FORMATS = sizeof formats / sizeof *formats };

bool io_cube_at(size_t i, penta_io_format *out)
{
    for (size_t k = 0; k < FORMATS; k++) {
        size_t n = 0;

        while (n < i && formats[k]->at(n, out))
            n++;
        if (n == i && formats[k]->at(n, out))
            return true;
        i -= n;
    }
    return false;
}

/* The error for an unknown format. GDAL is tried last; this says what it does not know either. */
static bool unknown_format(const penta_io_cube *cube, penta_io_error *err)
{
    char known[256];

    io_format_names(io_cube_at, known, sizeof known);
    if (*cube->others)
        return penta_io_fail(
            err,
            "%s: unknown format, or damaged (GDAL: %s); %s can be read, and with `gdal_drivers` perhaps "
            "as %s, whose files can lead to other files or the network",
            cube->path, cube->reason, known, cube->others);
    if (*cube->reason)
        return penta_io_fail(err, "%s: unknown format, or damaged (GDAL: %s); %s can be read", cube->path, cube->reason,
                             known);
    return penta_io_fail(err,
                         "%s: unknown format; %s can be read. For GeoTIFF and others install libgdal-dev and "
                         "rebuild with PENTACL_WITH_GDAL=ON",
                         cube->path, known);
}

static bool is_usable(const penta_io_cube *cube, penta_io_error *err)
{
    const penta_io_cube_info *w = &cube->whole;

    if (w->bands == 0 || w->rows == 0 || w->cols == 0)
        return penta_io_fail(err, "%s: the cube is empty (%zu bands of %zu rows x %zu columns); make it again",
                             cube->path, w->bands, w->rows, w->cols);
    if (io_cube_bytes(w) == UINT64_MAX)
        return penta_io_fail(
            err,
            "%s: claims %zu bands of %zu rows x %zu columns of %s, more than memory can address; it is "
            "damaged: copy it again",
            cube->path, w->bands, w->rows, w->cols, penta_type_name(w->type));
    return true;
}

static bool open_by_content(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    unsigned char head[128] = {0};
    size_t size = cube->input.bytes < sizeof head ? (size_t)cube->input.bytes : sizeof head;
    size_t i = 0;

    if (!io_input_read(&cube->input, 0, head, size))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", cube->path);
    while (!formats[i]->matches(head, size))
        i++;
    cube->format = formats[i] != &io_cube_gdal      ? formats[i]
                   : io_hdf5_matches(&cube->input)  ? &io_cube_hdf5
                   : io_cube_envi_finds(cube, head) ? &io_cube_envi
                                                    : formats[i];
    if (hints->axes && io_cube_raw_order(hints->axes, false) < 0)
        return penta_io_fail(err, "axes '%.20s' are not r, c and b in some order, such as rcb", hints->axes);
    if ((!cube->format->has_arrays && hints->variable) ||
        (!cube->format->has_shapes && (hints->rows > 0 || hints->cols > 0)))
        return penta_io_fail(err, "%s: is no MATLAB file, and only those need a %s; leave it out", cube->path,
                             hints->variable ? "variable, as HDF5 and netCDF may" : "shape");
    if (!cube->format->has_drivers && cube->drivers)
        return penta_io_fail(err, "%s: is not read by GDAL, and only that has drivers; leave them out", cube->path);
    if (!cube->format->open(cube, hints, err))
        return cube->unknown && unknown_format(cube, err);
    return cube->format->has_axes || !hints->axes || io_cube_set_axes(cube, hints->axes, err);
}

static bool finish_open(penta_io_cube *cube, penta_io_error *err)
{
    io_cube_take_stored(cube);
    cube->whole.note = *cube->note ? cube->note : NULL;
    if (io_cube_bytes(&cube->whole) == UINT64_MAX)
        return penta_io_fail(err, "%s: is more than memory can address", cube->path);
    return penta_io_cube_select(cube, NULL, 0, 0, 0, 0, 0, err);
}

bool penta_io_cube_open(const char *path, const penta_io_cube_hints *hints, penta_io_cube **out, penta_io_error *err)
{
    return penta_io_cube_open_drivers(path, hints, NULL, out, err);
}

bool penta_io_cube_open_drivers(const char *path, const penta_io_cube_hints *hints, const char *drivers,
                                penta_io_cube **out, penta_io_error *err)
{
    static const penta_io_cube_hints none = {0};
    penta_io_cube *cube = calloc(1, sizeof *cube);

    *out = NULL;
    if (cube) {
        cube->path = strdup(path);
        cube->drivers = drivers && *drivers ? drivers : NULL;
        cube->any_integer = hints && hints->mask;
    }
    if (!cube || !cube->path)
        penta_io_fail(err, "%s: out of memory", path);
    else if (io_input_open(path, &cube->input, err) && open_by_content(cube, hints ? hints : &none, err) &&
             is_usable(cube, err) && finish_open(cube, err)) {
        cube->drivers = NULL;
        *out = cube;
        cube = NULL;
    }
    penta_io_cube_close(cube);
    return *out != NULL;
}

const penta_io_cube_info *penta_io_cube_about(const penta_io_cube *cube)
{
    return &cube->about;
}

bool penta_io_cube_has_file(const penta_io_cube *cube, const char *path)
{
    return penta_io_same_file(cube->path, path) || penta_io_same_file(cube->input.path, path) ||
           (cube->format->has_file && cube->format->has_file(cube, path));
}

void penta_io_cube_close(penta_io_cube *cube)
{
    if (!cube)
        return;
    if (cube->format && cube->format->close)
        cube->format->close(cube);
    io_input_close(&cube->input);
    free(cube->whole.each);
    free(cube->about.each);
    free(cube->about.wavelengths);
    free(cube->bands);
    free(cube->path);
    free(cube);
}

/* ---- selections ---- */

static bool check_selection(const penta_io_cube *cube, const size_t *bands, size_t n, size_t x, size_t y, size_t width,
                            size_t height, penta_io_error *err)
{
    const penta_io_cube_info *w = &cube->whole;

    for (size_t i = 0; i < n; i++)
        if (bands[i] >= w->bands)
            return penta_io_fail(err, "%s: has no band %zu (they are 0 to %zu); choose others", cube->path, bands[i],
                                 w->bands - 1);
    if (width == 0 && height == 0)
        return true;
    if (width == 0 || height == 0)
        return penta_io_fail(err, "%s: a window of %zu x %zu pixels holds none; make it larger", cube->path, width,
                             height);
    if (x >= w->cols || width > w->cols - x || y >= w->rows || height > w->rows - y)
        return penta_io_fail(
            err,
            "%s: the window of %zu x %zu pixels from column %zu, row %zu on leaves the cube, which has %zu "
            "columns and %zu rows; make it smaller",
            cube->path, width, height, x, y, w->cols, w->rows);
    return true;
}

/* Sums up no-data values: if the bands differ, the cube has a mask and no common value. */
static void sum_up_no_data(penta_io_cube_info *a)
{
    const penta_io_cube_band *first = &a->each[0];

    a->has_no_data = first->has_no_data;
    a->no_data = first->no_data;
    for (size_t i = 1; i < a->bands; i++) {
        const penta_io_cube_band *b = &a->each[i];
        bool same = b->has_no_data == first->has_no_data &&
                    (!b->has_no_data || (b->no_data >= first->no_data && b->no_data <= first->no_data) ||
                     (isnan(b->no_data) && isnan(first->no_data)));

        a->has_mask |= !same;
        a->has_no_data &= same;
    }
}

/* Sums up the bands of the selection. */
static bool sum_up(const penta_io_cube *cube, penta_io_cube_info *a)
{
    const penta_io_cube_info *w = &cube->whole;
    size_t alphas = 0, known = 0;

    for (size_t i = 0; i < w->bands; i++)
        alphas += w->each[i].is_alpha;
    for (size_t i = 0; i < a->bands && alphas > 0; i++)
        alphas -= a->each[i].is_alpha;
    a->has_mask = alphas > 0;
    a->is_scaled = w->factor > 0;
    for (size_t i = 0; i < a->bands; i++) {
        const penta_io_cube_band *b = &a->each[i];

        a->has_mask |= b->mask != PENTA_IO_MASK_NONE;
        a->is_scaled |= b->gain < 1 || b->gain > 1 || b->offset < 0 || b->offset > 0;
        known += b->wavelength > 0;
    }
    sum_up_no_data(a);
    if (known < a->bands)
        return true;
    a->wavelengths = malloc(a->bands * sizeof *a->wavelengths);
    for (size_t i = 0; a->wavelengths && i < a->bands; i++)
        a->wavelengths[i] = a->each[i].wavelength;
    return a->wavelengths != NULL;
}

/* Copies the facts about each band, in the order of the selection. */
static bool take_facts(const penta_io_cube *cube, const size_t *bands, penta_io_cube_info *a)
{
    if (!cube->whole.each)
        return true;
    a->each = malloc(a->bands * sizeof *a->each);
    for (size_t i = 0; a->each && i < a->bands; i++)
        a->each[i] = cube->whole.each[bands[i]];
    return a->each && sum_up(cube, a);
}

bool penta_io_cube_select(penta_io_cube *cube, const size_t *bands, size_t n, size_t x, size_t y, size_t width,
                          size_t height, penta_io_error *err)
{
    const penta_io_cube_info *w = &cube->whole;
    size_t count = n > 0 ? n : w->bands;
    penta_io_cube_info about = *w;
    size_t *chosen;

    if (!check_selection(cube, bands, n, x, y, width, height, err))
        return false;
    about.bands = count;
    about.cols = width > 0 ? width : w->cols;
    about.rows = height > 0 ? height : w->rows;
    about.each = NULL;
    chosen = count <= SIZE_MAX / 2 / sizeof *chosen ? malloc(count * sizeof *chosen) : NULL;
    for (size_t i = 0; chosen && i < count; i++)
        chosen[i] = n > 0 ? bands[i] : i;
    if (!chosen || !take_facts(cube, chosen, &about)) {
        free(about.each);
        free(chosen);
        return penta_io_fail(err, "%s: out of memory for %zu bands", cube->path, count);
    }
    cube->all_bands = count == w->bands;
    for (size_t i = 0; i < count; i++)
        cube->all_bands = cube->all_bands && chosen[i] == i;
    free(cube->bands);
    free(cube->about.each);
    free(cube->about.wavelengths);
    cube->bands = chosen;
    cube->about = about;
    cube->x = width > 0 ? x : 0;
    cube->y = height > 0 ? y : 0;
    return true;
}

static bool check_rows(const penta_io_cube *cube, size_t first, size_t count, penta_io_error *err)
{
    return (first <= cube->about.rows && count <= cube->about.rows - first) ||
           penta_io_fail(err, "%s: %zu rows from %zu on were asked for, but there are %zu", cube->path, count, first,
                         cube->about.rows);
}

bool penta_io_cube_read(penta_io_cube *cube, size_t first, size_t count, void *out, penta_io_error *err)
{
    return check_rows(cube, first, count, err) &&
           (count == 0 || io_cube_read_rows(cube, cube->y + first, count, out, err));
}

bool penta_io_cube_valid(penta_io_cube *cube, size_t first, size_t count, bool no_data, uint8_t *out,
                         penta_io_error *err)
{
    if (!check_rows(cube, first, count, err))
        return false;
    memset(out, 1, count * cube->about.cols);
    return count == 0 || !cube->about.has_mask || cube->format->valid(cube, cube->y + first, count, no_data, out, err);
}

/* Where element k of pixel i lies in rows of this layout. */
static size_t place_of(const penta_io_cube_info *a, size_t count, size_t k, size_t i)
{
    if (a->layout == PENTA_BIP)
        return i * a->bands + k;
    return a->layout == PENTA_BSQ ? k * count * a->cols + i : (i / a->cols * a->bands + k) * a->cols + i % a->cols;
}

bool penta_io_cube_leave_out(penta_io_cube *cube, size_t first, size_t count, uint8_t *out, penta_io_error *err)
{
    const penta_io_cube_info *a = &cube->about;
    size_t pixels = count * a->cols;
    void *rows = malloc(pixels * a->bands * penta_type_size(a->type)); /* the whole cube fits in the address space */
    double none = a->type == PENTA_F32 ? (double)(float)a->no_data : a->no_data;
    bool ok = rows || penta_io_fail(err, "%s: out of memory for %zu rows", cube->path, count);

    ok = ok && penta_io_cube_read(cube, first, count, rows, err);
    for (size_t k = 0; ok && a->has_no_data && k < a->bands; k++)
        for (size_t i = 0; i < pixels; i++) {
            double x = penta_io_cube_number(a->type, rows, place_of(a, count, k, i));

            out[i] = out[i] && !((x >= none && x <= none) || (isnan(x) && isnan(none)));
        }
    free(rows);
    return ok;
}
