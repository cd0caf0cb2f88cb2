/*
 * MATLAB 5 files through matio; those of 7.3 are HDF5. An array is read whole, as its compression requires, and keeps
 * MATLAB's order in memory: bands x pixels with the band running fastest and pixels column by column, or rows x cols x
 * bands with the row fastest.
 */
#include "io/cube_mat.h"

#include <string.h>

static bool mat_matches(const unsigned char *head, size_t size)
{
    return size >= 10 && (memcmp(head, "MATLAB 5.0", 10) == 0 || memcmp(head, "MATLAB 7.3", 10) == 0);
}

#ifndef PENTA_HAVE_MATIO

static bool mat_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    (void)hints;
    return penta_io_fail(err,
                         "%s: is a MATLAB file, which this build cannot read: install libmatio-dev and rebuild with "
                         "PENTACL_WITH_MATIO=ON, or save it as NPY",
                         cube->path);
}

#else

#include <inttypes.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/format.h"
#include "io/npy_format.h"

/* ---- arrays ---- */

static const struct {
    enum matio_classes class;
    const char *name;
    penta_type type; /* PENTA_I64 and not stored: no type of cubes */
    int stored;      /* or it is read as such elements */
} classes[] = {
    {MAT_C_DOUBLE, "double", PENTA_F64, 0},
    {MAT_C_SINGLE, "single", PENTA_F32, 0},
    {MAT_C_UINT8, "uint8", PENTA_U8, 0},
    {MAT_C_INT16, "int16", PENTA_I16, 0},
    {MAT_C_UINT16, "uint16", PENTA_U16, 0},
    {MAT_C_INT32, "int32", PENTA_I32, 0},
    {MAT_C_UINT32, "uint32", PENTA_U32, 0},
    {MAT_C_INT8, "int8", PENTA_U8, IO_STORED_I8},
    {MAT_C_INT64, "int64", PENTA_I64, IO_STORED_I64},
    {MAT_C_UINT64, "uint64", PENTA_I64, IO_STORED_U64},
    {MAT_C_CELL, "cell", PENTA_I64, 0},
    {MAT_C_STRUCT, "struct", PENTA_I64, 0},
    {MAT_C_OBJECT, "object", PENTA_I64, 0},
    {MAT_C_CHAR, "char", PENTA_I64, 0},
    {MAT_C_SPARSE, "sparse", PENTA_I64, 0},
    {MAT_C_FUNCTION, "function", PENTA_I64, 0},
    {MAT_C_OPAQUE, "opaque", PENTA_I64, 0},
    {MAT_C_EMPTY, "unknown", PENTA_I64, 0},
};

/* Its row of the table; the last one: the file does not say a class that there is. */
static size_t class_of(const matvar_t *var)
{
    size_t i = 0;

    while (i + 1 < sizeof classes / sizeof *classes && classes[i].class != var->class_type)
        i++;
    return i;
}

static const char *name_of(const matvar_t *var)
{
    return var->name ? var->name : "";
}

/* "Y (198 x 10000 uint16)" */
static void describe(const matvar_t *var, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%.60s (", name_of(var));

    for (int i = 0; i < var->rank && i < 6; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%zu", i ? " x " : "", var->dims[i]);
    snprintf(out + n, size - n, "%s%s)", var->isComplex ? " complex " : " ", classes[class_of(var)].name);
}

static const char *noun(const penta_io_cube_hints *hints)
{
    return hints->movie ? "movie" : "cube";
}

/* Sets the shape of the array as a cube; *err says why it is not one. */
static bool set_shape(const penta_io_cube *cube, const penta_io_cube_hints *hints, const matvar_t *var,
                      penta_io_cube_info *out, int *order, penta_io_error *err)
{
    const char *advice = "";
    char what[256];

    describe(var, what, sizeof what);
    out->type = classes[class_of(var)].type;
    if (!classes[class_of(var)].stored && !io_cube_is_type(out->type)) {
        advice = var->class_type == MAT_C_SPARSE ? "; save full(x)"
                                                 : "; save an array of double, single, or integers of 8 "
                                                   "to 64 bits";
        return penta_io_fail(err, "%s: %s cannot be a %s%s", cube->path, what, noun(hints), advice);
    }
    if (var->isComplex)
        return penta_io_fail(err, "%s: %s is complex; save real(x) or abs(x)", cube->path, what);
    if (var->rank == 3) {
        const uint64_t extents[] = {var->dims[0], var->dims[1], var->dims[2]};
        const char *axes = hints->axes ? hints->axes : "rcb";

        io_cube_raw_shape(axes, extents, out);
        *order = io_cube_raw_order(axes, true);
        if ((hints->rows > 0 || hints->cols > 0) && (out->rows != hints->rows || out->cols != hints->cols))
            return penta_io_fail(err,
                                 "%s: %s is rows x cols x bands and disagrees with the shape %zu x %zu; leave that out",
                                 cube->path, what, hints->rows, hints->cols);
        return true;
    }
    if (hints->movie)
        return penta_io_fail(err, "%s: %s has %d dimensions; a movie has 3, height x width x frames", cube->path, what,
                             var->rank);
    if (var->rank != 2)
        return penta_io_fail(err, "%s: %s has %d dimensions; a cube has 3, rows x cols x bands, or 2, bands x pixels",
                             cube->path, what, var->rank);
    if (hints->axes)
        return penta_io_fail(err, "%s: %s has 2 dimensions, but axes need 3; give the shape instead", cube->path, what);
    if (hints->rows == 0 || hints->cols == 0)
        return penta_io_fail(err,
                             "%s: %s is bands x pixels; say how many rows and columns the pixels make (`shape` "
                             "ROWSxCOLS)",
                             cube->path, what);
    if (var->dims[1] != io_product(hints->rows, hints->cols))
        return penta_io_fail(err, "%s: %s has %zu pixels, not the %zu x %zu of the shape; correct it (bands x pixels)",
                             cube->path, what, var->dims[1], hints->rows, hints->cols);
    *out = (penta_io_cube_info){.rows = hints->rows, .cols = hints->cols, .bands = var->dims[0], .type = out->type};
    *order = IO_ORDER_CRB;
    return true;
}

/* ---- which array ---- */

typedef struct {
    matvar_t *found;
    size_t fitting, there;
    bool said;          /* `why` is about an array with the dimensions of a cube */
    char names[400];    /* names of the fitting arrays, or of all */
    penta_io_error why; /* of the first array with a cube's dimensions, otherwise of the first */
} mat_search;

static void add_name(mat_search *s, const matvar_t *var)
{
    char what[256];
    size_t n = strlen(s->names);

    describe(var, what, sizeof what);
    if (n + strlen(what) + 8 < sizeof s->names)
        snprintf(s->names + n, sizeof s->names - n, "%s%s", n ? ", " : "", what);
    else if (n >= 3 && strcmp(s->names + n - 3, "...") != 0)
        snprintf(s->names + n, sizeof s->names - n, ", ...");
}

/* Whether the array has the dimensions of a cube, whatever its elements. */
static bool has_dimensions(const penta_io_cube_hints *hints, const matvar_t *var)
{
    return var->rank == 3 || (var->rank == 2 && var->isComplex && hints->rows > 0 && hints->cols > 0 &&
                              var->dims[1] == io_product(hints->rows, hints->cols));
}

/* Goes through all arrays; keeps the first that fits or has the name. */
static void search(const penta_io_cube *cube, mat_t *mat, const penta_io_cube_hints *hints, bool only_fitting,
                   mat_search *s)
{
    matvar_t *var;

    Mat_Rewind(mat);
    *s = (mat_search){0};
    while ((var = Mat_VarReadNextInfo(mat)) != NULL) {
        bool named = hints->variable && strcmp(name_of(var), hints->variable) == 0;
        penta_io_cube_info shape = {0};
        penta_io_error why = {""};
        int order;
        bool fits = named || (!hints->variable && set_shape(cube, hints, var, &shape, &order, &why));

        s->there++;
        if (!s->said && (s->there == 1 || has_dimensions(hints, var))) {
            s->why = why;
            s->said = has_dimensions(hints, var);
        }
        s->fitting += fits;
        if (fits || !only_fitting)
            add_name(s, var);
        if (fits && !s->found)
            s->found = var;
        else
            Mat_VarFree(var);
    }
}

/* The array to read; NULL with the error set. */
static matvar_t *choose(const penta_io_cube *cube, mat_t *mat, const penta_io_cube_hints *hints, penta_io_error *err)
{
    mat_search s;

    search(cube, mat, hints, true, &s);
    if (s.found && (s.fitting == 1 || hints->variable))
        return s.found;
    if (s.found)
        penta_io_fail(err, "%s: %zu arrays can be the %s: %s; name one (`variable`)", cube->path, s.fitting,
                      noun(hints), s.names);
    Mat_VarFree(s.found);
    if (s.fitting > 0)
        return NULL;
    search(cube, mat, hints, false, &s);
    Mat_VarFree(s.found);
    if (s.there == 0)
        penta_io_fail(err, "%s: holds no arrays that can be read; it is damaged or empty: save it again", cube->path);
    else if (hints->variable)
        penta_io_fail(err, "%s: has no array %s; it has %s", cube->path, hints->variable, s.names);
    else if (s.said || s.there == 1)
        penta_io_fail(err, "%s", s.why.text);
    else if (hints->movie)
        penta_io_fail(err, "%s: none of its arrays is a movie, height x width x frames; it has %s", cube->path,
                      s.names);
    else
        penta_io_fail(
            err,
            "%s: none of its arrays is rows x cols x bands%s; it has %s: give the rows and columns of bands x "
            "pixels (`shape` ROWSxCOLS), or name an array (`variable`)",
            cube->path, hints->rows > 0 ? ", or bands x pixels of this shape" : "", s.names);
    return NULL;
}

/* ---- reading ---- */

typedef struct {
    mat_t *file;
    matvar_t *var;
    io_cube_raw raw;
} mat_state;

/* ---- the numbers ---- */

/* The file must be large enough for the array, with at least one byte (before compression) per element. */
static bool is_plausible(const penta_io_cube *cube, const matvar_t *var)
{
    uint64_t inflation = var->compression == MAT_COMPRESSION_NONE ? 1 : IO_DEFLATE_INFLATION;
    uint64_t elements = io_cube_bytes(&cube->whole) / penta_type_size(cube->whole.type);

    return elements <= io_product(cube->input.bytes, inflation);
}

/* MATLAB stores doubles that are small integers in an integer type; that type holds the same numbers in less memory. */
static void take_stored_type(penta_io_cube *cube, matvar_t *var, penta_type stored)
{
    size_t n = var->nbytes / sizeof(double);
    size_t size = penta_type_size(stored);
    char *to = var->data;

    if (cube->whole.type != PENTA_F64 || !io_cube_is_type(stored) || stored == PENTA_F32 || stored == PENTA_F64)
        return;
    for (size_t i = 0; i < n; i++) { /* in place: written elements are at most as large as those read */
        double x;
        int64_t value; /* its low bytes are the value in any integer type */

        memcpy(&x, (const double *)var->data + i, sizeof x);
        value = (int64_t)x;
        memcpy(to + i * size, (const char *)&value + (io_host_is_little() ? 0 : sizeof value - size), size);
    }
    cube->whole.type = stored;
    to = realloc(var->data, n * size);
    if (to)
        var->data = to;
}

static bool load(penta_io_cube *cube, mat_state *m, penta_io_error *err)
{
    penta_type stored;
    char what[256];

    describe(m->var, what, sizeof what);
    if (io_cube_bytes(&cube->whole) == 0)
        return true; /* reported as empty later */
    if (!is_plausible(cube, m->var))
        return penta_io_fail(err,
                             "%s: %s is more than %" PRIu64 " bytes of file can hold; it is damaged: copy it again",
                             cube->path, what, cube->input.bytes);
    if (!io_mat_check_array(cube, name_of(m->var), &stored, err))
        return false;
    if (Mat_VarReadDataAll(m->file, m->var) != 0 || !m->var->data || m->var->nbytes != io_cube_bytes(&cube->whole))
        return penta_io_fail(err,
                             "%s: %s cannot be read; the file is damaged, or memory does not suffice: copy it again",
                             cube->path, what);
    take_stored_type(cube, m->var, stored);
    m->raw.memory = m->var->data;
    return true;
}

static bool mat_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    char head[10] = "";
    mat_state *m;

    if (io_input_read(&cube->input, 0, head, sizeof head) && memcmp(head, "MATLAB 7.3", sizeof head) == 0)
        return io_hdf5_open_cube(cube, hints, true, err);
    m = cube->state = calloc(1, sizeof *m);
    if (!m)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    if (!io_mat_check_file(cube, err))
        return false;
    m->file = Mat_Open(cube->path, MAT_ACC_RDONLY);
    if (!m->file || Mat_GetVersion(m->file) != MAT_FT_MAT5)
        return penta_io_fail(err, "%s: is not a readable MATLAB file; it is damaged: save it again", cube->path);
    m->var = choose(cube, m->file, hints, err);
    if (!m->var || !set_shape(cube, hints, m->var, &cube->whole, &m->raw.order, err))
        return false;
    cube->stored = classes[class_of(m->var)].stored;
    cube->whole.format = "MATLAB 5";
    cube->whole.layout = io_cube_raw_layout(m->raw.order);
    return load(cube, m, err);
}

static bool mat_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    const mat_state *m = cube->state;

    return io_cube_raw_read(cube, &m->raw, y, count, out, err);
}

static void mat_close(penta_io_cube *cube)
{
    mat_state *m = cube->state;

    if (!m)
        return;
    Mat_VarFree(m->var);
    if (m->file)
        Mat_Close(m->file);
    free(m);
}

#endif

static bool mat_at(size_t i, penta_io_format *out)
{
    static const char *const ends[] = {"mat", NULL};

    *out = (penta_io_format){.name = i == 0 ? "MATLAB 5" : "MATLAB 7.3", .ends = ends, .library = "matio"};
#ifndef PENTA_HAVE_MATIO
    out->package = "libmatio-dev";
#elif !defined(PENTA_HAVE_HDF5)
    out->package = i == 0 ? NULL : "libhdf5-dev";
#endif
    out->read = !out->package;
    return i < 2;
}

const io_cube_format io_cube_matlab = {.at = mat_at,
                                       .matches = mat_matches,
                                       .open = mat_open,
#ifdef PENTA_HAVE_MATIO
                                       .read = mat_read,
                                       .close = mat_close,
#endif
                                       .has_axes = true,
                                       .has_arrays = true,
                                       .has_shapes = true};
