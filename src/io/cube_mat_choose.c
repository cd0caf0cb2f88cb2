/* Which array of a MATLAB file, of version 5 or 7.3, is the cube, and how its indices run. */
#include "io/cube_mat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "io/text.h"

io_mat_array *io_mat_add(io_mat_list *list, const char *name)
{
    io_mat_array *more = realloc(list->items, (list->count + 1) * sizeof *more);

    if (!more)
        return NULL;
    list->items = more;
    more += list->count++;
    *more = (io_mat_array){.type = PENTA_I64};
    snprintf(more->name, sizeof more->name, "%s", name ? name : "");
    return more;
}

void io_mat_describe(const io_mat_array *a, char *out, size_t size)
{
    snprintf(out, size, "%.60s (", a->name);
    for (int i = 0; i < a->rank && i < IO_MAT_DIMENSIONS; i++)
        io_append(out, size, "%s%" PRIu64, i ? " x " : "", a->dims[i]);
    io_append(out, size, "%s%s)", a->complex ? " complex " : " ", a->class);
}

static const char *noun(const penta_io_cube_hints *hints)
{
    return hints->movie ? "movie" : "cube";
}

/* Sets the shape of the array as a cube; *err says why it is not one. */
static bool set_shape(const penta_io_cube *cube, const penta_io_cube_hints *hints, const io_mat_array *a,
                      penta_io_cube_info *out, int *order, penta_io_error *err)
{
    char what[400];

    io_mat_describe(a, what, sizeof what);
    out->type = a->type;
    if (!a->numeric)
        return penta_io_fail(
            err, "%s: %s cannot be a %s; save %s", cube->path, what, noun(hints),
            strcmp(a->class, "sparse") == 0 ? "full(x)" : "an array of double, single, or integers of 8 to 64 bits");
    if (a->complex)
        return penta_io_fail(err, "%s: %s is complex; save real(x) or abs(x)", cube->path, what);
    if (a->rank == 3) {
        const char *axes = hints->axes ? hints->axes : "rcb";

        io_cube_raw_shape(axes, a->dims, out);
        *order = io_cube_raw_order(axes, true);
        if ((hints->rows > 0 || hints->cols > 0) && (out->rows != hints->rows || out->cols != hints->cols))
            return penta_io_fail(err,
                                 "%s: %s is rows x cols x bands and disagrees with the shape %zu x %zu; leave that out",
                                 cube->path, what, hints->rows, hints->cols);
        return true;
    }
    if (hints->movie)
        return penta_io_fail(err, "%s: %s has %d dimensions; a movie has 3, height x width x frames", cube->path, what,
                             a->rank);
    if (a->rank != 2)
        return penta_io_fail(err, "%s: %s has %d dimensions; a cube has 3, rows x cols x bands, or 2, bands x pixels",
                             cube->path, what, a->rank);
    if (hints->axes)
        return penta_io_fail(err, "%s: %s has 2 dimensions, but axes need 3; give the shape instead", cube->path, what);
    if (hints->rows == 0 || hints->cols == 0)
        return penta_io_fail(err,
                             "%s: %s is bands x pixels; say how many rows and columns the pixels make (`shape` "
                             "ROWSxCOLS)",
                             cube->path, what);
    if (a->dims[1] != io_product(hints->rows, hints->cols))
        return penta_io_fail(
            err, "%s: %s has %" PRIu64 " pixels, not the %zu x %zu of the shape; correct it (bands x pixels)",
            cube->path, what, a->dims[1], hints->rows, hints->cols);
    *out =
        (penta_io_cube_info){.rows = hints->rows, .cols = hints->cols, .bands = (size_t)a->dims[0], .type = out->type};
    *order = IO_ORDER_CRB;
    return true;
}

static void add_name(char *names, size_t size, const io_mat_array *a)
{
    char what[400];
    size_t n = strlen(names);

    io_mat_describe(a, what, sizeof what);
    if (n + strlen(what) + 8 < size)
        io_append(names, size, "%s%s", n ? ", " : "", what);
    else if (n >= 3 && strcmp(names + n - 3, "...") != 0)
        io_append(names, size, ", ...");
}

/* Whether the array has the dimensions of a cube, whatever its elements. */
static bool has_dimensions(const penta_io_cube_hints *hints, const io_mat_array *a)
{
    return a->rank == 3 || (a->rank == 2 && a->complex && hints->rows > 0 && hints->cols > 0 &&
                            a->dims[1] == io_product(hints->rows, hints->cols));
}

/* Why no array is the cube; why: of the first array with a cube's dimensions, or ""; names: of all. */
static bool no_array(const penta_io_cube *cube, const penta_io_cube_hints *hints, const char *why, const char *names,
                     penta_io_error *err)
{
    if (!*names)
        return penta_io_fail(err, "%s: holds no arrays that can be read; it is damaged or empty: save it again",
                             cube->path);
    if (hints->variable)
        return penta_io_fail(err, "%s: has no array %s; it has %s", cube->path, hints->variable, names);
    if (*why)
        return penta_io_fail(err, "%s", why);
    if (hints->movie)
        return penta_io_fail(err, "%s: none of its arrays is a movie, height x width x frames; it has %s", cube->path,
                             names);
    return penta_io_fail(
        err,
        "%s: none of its arrays is rows x cols x bands%s; it has %s: give the rows and columns of bands x "
        "pixels (`shape` ROWSxCOLS), or name an array (`variable`)",
        cube->path, hints->rows > 0 ? ", or bands x pixels of this shape" : "", names);
}

bool io_mat_choose(penta_io_cube *cube, const penta_io_cube_hints *hints, const io_mat_list *list, size_t *index,
                   int *order, penta_io_error *err)
{
    char all[400] = "", fitting[400] = "";
    penta_io_error likely = {""};
    const io_mat_array *a;
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++) {
        penta_io_cube_info shape = {0};
        penta_io_error why = {""};

        a = &list->items[i];
        add_name(all, sizeof all, a);
        if (hints->variable ? strcmp(a->name, hints->variable) == 0 : set_shape(cube, hints, a, &shape, order, &why)) {
            add_name(fitting, sizeof fitting, a);
            *index = count++ ? *index : i;
        } else if (!*likely.text && (list->count == 1 || has_dimensions(hints, a)))
            likely = why;
    }
    if (count == 0)
        return no_array(cube, hints, likely.text, all, err);
    if (count > 1 && !hints->variable)
        return penta_io_fail(err, "%s: %zu arrays can be the %s: %s; name one (`variable`)", cube->path, count,
                             noun(hints), fitting);
    a = &list->items[*index];
    if (!set_shape(cube, hints, a, &cube->whole, order, err))
        return false;
    cube->stored = a->stored;
    cube->whole.layout = io_cube_raw_layout(*order);
    return true;
}
