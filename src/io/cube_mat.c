/*
 * MATLAB 5 files through matio; those of 7.3 are HDF5. An array is read whole, as its compression requires, and keeps
 * MATLAB's order in memory: bands x pixels with the band running fastest and pixels column by column, or rows x cols x
 * bands with the row fastest.
 */
#include "io/cube_mat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"

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

#include <matio.h>

#include "io/npy_format.h"

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
};

static bool add_variable(io_mat_list *list, const matvar_t *var)
{
    io_mat_array *a = io_mat_add(list, var->name);

    if (!a)
        return false;
    snprintf(a->class, sizeof a->class, "unknown");
    a->rank = var->rank;
    a->complex = var->isComplex != 0;
    for (int i = 0; i < var->rank && i < IO_MAT_DIMENSIONS; i++)
        a->dims[i] = var->dims[i];
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].class == var->class_type) {
            snprintf(a->class, sizeof a->class, "%s", classes[i].name);
            a->type = classes[i].type;
            a->stored = classes[i].stored;
            a->numeric = a->stored || io_cube_is_type(a->type);
        }
    return true;
}

typedef struct {
    mat_t *file;
    matvar_t *var;
    io_cube_raw raw;
} mat_state;

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

static bool load(penta_io_cube *cube, mat_state *m, const io_mat_array *a, penta_io_error *err)
{
    penta_type stored;
    char what[400];

    io_mat_describe(a, what, sizeof what);
    if (io_cube_bytes(&cube->whole) == 0)
        return true; /* reported as empty later */
    if (!is_plausible(cube, m->var))
        return penta_io_fail(err,
                             "%s: %s is more than %" PRIu64 " bytes of file can hold; it is damaged: copy it again",
                             cube->path, what, cube->input.bytes);
    if (!io_mat_check_array(cube, a->name, &stored, err))
        return false;
    if (Mat_VarReadDataAll(m->file, m->var) != 0 || !m->var->data || m->var->nbytes != io_cube_bytes(&cube->whole))
        return penta_io_fail(err,
                             "%s: %s cannot be read; the file is damaged, or memory does not suffice: copy it again",
                             cube->path, what);
    take_stored_type(cube, m->var, stored);
    m->raw.memory = m->var->data;
    return true;
}

static bool open_array(penta_io_cube *cube, mat_state *m, const penta_io_cube_hints *hints, io_mat_list *list,
                       penta_io_error *err)
{
    size_t index;

    while ((m->var = Mat_VarReadNextInfo(m->file)) != NULL) {
        bool ok = add_variable(list, m->var) || penta_io_fail(err, "%s: out of memory", cube->path);

        Mat_VarFree(m->var);
        m->var = NULL;
        if (!ok)
            return false;
    }
    if (!io_mat_choose(cube, hints, list, &index, &m->raw.order, err))
        return false;
    cube->whole.format = "MATLAB 5";
    Mat_Rewind(m->file);
    for (size_t i = 0; i <= index; i++) {
        Mat_VarFree(m->var);
        m->var = Mat_VarReadNextInfo(m->file);
    }
    return load(cube, m, &list->items[index], err);
}

static bool mat_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    io_mat_list list = {0};
    char head[10] = "";
    mat_state *m;
    bool ok;

    if (io_input_read(&cube->input, 0, head, sizeof head) && memcmp(head, "MATLAB 7.3", sizeof head) == 0)
        return io_hdf5_open_matlab(cube, hints, err);
    m = cube->state = calloc(1, sizeof *m);
    if (!m)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    if (!io_mat_check_file(cube, err))
        return false;
    m->file = Mat_Open(cube->path, MAT_ACC_RDONLY);
    if (!m->file || Mat_GetVersion(m->file) != MAT_FT_MAT5)
        return penta_io_fail(err, "%s: is not a readable MATLAB file; it is damaged: save it again", cube->path);
    ok = open_array(cube, m, hints, &list, err);
    free(list.items);
    return ok;
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
