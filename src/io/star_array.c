/* Lists of stars as NPY arrays, n x 3 or n x 5 numbers, of which parts can be read. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "io/catalog_format.h"
#include "io/format.h"
#include "io/npy_format.h"

enum { COLUMNS = 5, AT_REST = 3, CHUNK = 1 << 15 /* stars */ };

static const char *const names[COLUMNS] = {"x", "y", "mag", "mx", "my"};

typedef struct {
    io_input in;
    io_npy_header header;
    size_t n, columns, size; /* size: bytes of a number */
} star_array;

static bool check_array(const io_input *in, const io_npy_header *h, penta_io_error *err)
{
    uint64_t bytes = h->known ? penta_type_size(h->type) : 0, there = in->bytes - h->data_at;

    if (!h->known || (h->type != PENTA_F32 && h->type != PENTA_F64))
        return penta_io_fail(err, "%s: elements of type '%s'; stars are float64 or float32: save a.astype('<f8')",
                             in->path, h->descr);
    if (h->dimensions != 2)
        return penta_io_fail(err,
                             "%s: the array has %zu dimension%s; stars are n x 3 numbers (x, y, mag) or n x 5 "
                             "(x, y, mag, mx, my)",
                             in->path, h->dimensions, h->dimensions == 1 ? "" : "s");
    if (h->shape[1] != AT_REST && h->shape[1] != COLUMNS)
        return penta_io_fail(err,
                             "%s: the array is %" PRIu64 " x %" PRIu64 "; stars are n x 3 numbers (x, y, mag) or n x 5 "
                             "(x, y, mag, mx, my): save numpy.stack((x, y, mag), axis=1)",
                             in->path, h->shape[0], h->shape[1]);
    bytes = io_product(io_product(bytes, h->shape[0]), h->shape[1]);
    if (bytes != there)
        return penta_io_fail(
            err, "%s: its header asks for %" PRIu64 " stars, %" PRIu64 " bytes, but %" PRIu64 " bytes follow it; %s",
            in->path, h->shape[0], bytes, there,
            bytes > there ? "the file is truncated or damaged: copy or save it again" : "save one array per file");
    return true;
}

static bool open_array(const char *path, star_array *out, penta_io_error *err)
{
    star_array a = {.n = 0};

    if (!io_input_open(path, &a.in, err))
        return false;
    if (!io_npy_read_header(&a.in, &a.header, err) || !check_array(&a.in, &a.header, err)) {
        io_input_close(&a.in);
        return false;
    }
    a.n = (size_t)a.header.shape[0];
    a.columns = (size_t)a.header.shape[1];
    a.size = penta_type_size(a.header.type);
    *out = a;
    return true;
}

/* ---- numbers ---- */

/* Of `count` stars from `first` on, column by column in a Fortran array, else star by star. */
static bool read_numbers(const star_array *a, size_t first, size_t count, void *to, penta_io_error *err)
{
    const io_npy_header *h = &a->header;
    size_t runs = h->fortran ? a->columns : 1, length = h->fortran ? count : count * a->columns;
    bool ok = true;

    for (size_t run = 0; ok && run < runs; run++) {
        uint64_t at = h->fortran ? run * a->n + first : (uint64_t)first * a->columns;

        ok = io_input_read(&a->in, h->data_at + at * a->size, (char *)to + run * length * a->size, length * a->size);
    }
    if (!ok)
        return penta_io_fail(err, "%s: cannot read stars %zu to %zu", a->in.path, first + 1, first + count);
    if (h->swapped)
        io_swap_elements(to, count * a->columns, a->size);
    return true;
}

static double number_at(const star_array *a, const void *numbers, size_t i)
{
    return a->header.type == PENTA_F64 ? ((const double *)numbers)[i] : (double)((const float *)numbers)[i];
}

/* Those of `count` stars to arrays[column][at ..]. */
static bool take_numbers(const star_array *a, const void *numbers, size_t first, size_t count, double *const *arrays,
                         size_t at, penta_io_error *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < a->columns; c++) {
            double value = number_at(a, numbers, a->header.fortran ? c * count + i : i * a->columns + c);

            if (!isfinite(value))
                return penta_io_fail(err, "%s: star %zu: its %s is not a finite number", a->in.path, first + i + 1,
                                     names[c]);
            if (c == 2 && value < IO_BRIGHTEST_STAR)
                return penta_io_fail(err, "%s: star %zu: a star of magnitude %g; the brightest possible is %g",
                                     a->in.path, first + i + 1, value, IO_BRIGHTEST_STAR);
            arrays[c][at + i] = value;
        }
    return true;
}

static bool read_stars(const star_array *a, size_t first, size_t n, penta_io_star_list *out, penta_io_error *err)
{
    double **arrays[COLUMNS] = {&out->x, &out->y, &out->mag, &out->motion_x, &out->motion_y}, *to[COLUMNS];
    void *numbers = malloc(CHUNK * a->columns * a->size);
    bool ok = numbers != NULL;

    for (size_t c = 0; ok && c < a->columns; c++) {
        to[c] = *arrays[c] = malloc((n ? n : 1) * sizeof **arrays[c]);
        ok = *arrays[c] != NULL;
    }
    if (!ok)
        penta_io_fail(err, "%s: out of memory for %zu stars; split the file", a->in.path, n);
    for (size_t at = 0; ok && at < n; at += CHUNK) {
        size_t count = n - at < CHUNK ? n - at : CHUNK;

        ok = read_numbers(a, first + at, count, numbers, err) &&
             take_numbers(a, numbers, first + at, count, to, at, err);
    }
    free(numbers);
    out->n = n;
    return ok;
}

/* ---- lists ---- */

bool penta_io_star_array_look(const char *path, bool *is_array, size_t *n, size_t *columns, penta_io_error *err)
{
    unsigned char head[8];
    io_input in = {0};
    star_array a;

    *n = *columns = 0;
    if (!io_input_open(path, &in, err))
        return false;
    *is_array = io_input_read(&in, 0, head, sizeof head) && io_npy_matches(head, sizeof head);
    io_input_close(&in);
    if (!*is_array)
        return true;
    if (!open_array(path, &a, err))
        return false;
    *n = a.n;
    *columns = a.columns;
    io_input_close(&a.in);
    return true;
}

bool penta_io_star_array_read(const char *path, size_t first, size_t n, penta_io_star_list *out, penta_io_error *err)
{
    star_array a;
    bool ok;

    *out = (penta_io_star_list){0};
    if (!open_array(path, &a, err))
        return false;
    ok = first <= a.n && n <= a.n - first
             ? read_stars(&a, first, n, out, err)
             : penta_io_fail(err, "%s: has %zu stars, not %zu from star %zu on", path, a.n, n, first + 1);
    io_input_close(&a.in);
    if (!ok)
        penta_io_star_list_free(out);
    return ok;
}
