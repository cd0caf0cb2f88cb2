/*
 * Cubes in HDF5 files: h5py's, netCDF-4, HDF-EOS5, MATLAB 7.3. Numbers are read by hyperslabs, but MATLAB's arrays
 * whole, as their rows run fastest. A netCDF file that GDAL reads with the same axes stays with it, for its
 * coordinates.
 */
#include "io/cube_hdf5.h"
#include "io/cube_mat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PENTA_HAVE_GDAL
#include "io/cube_gdal.h"
#endif
#include "io/format.h"
#include "io/path.h"
#include "io/text.h"

extern const io_cube_format io_cube_hdf5, io_cube_gdal;

static bool hdf5_matches(const unsigned char *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

#ifndef PENTA_HAVE_HDF5

static bool hdf5_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    (void)hints;
    return io_hdf5_check_file(&cube->input, err);
}

bool io_hdf5_open_matlab(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    return hdf5_open(cube, hints, err);
}

#else

typedef struct {
    hid_t file, set;
    hid_t memory;     /* the type of elements that are read */
    unsigned leading; /* indices of one value before the three */
    void *whole;      /* MATLAB: the array; NULL: it is read from the file */
    io_cube_raw raw;  /* and how it lies there */
} hdf5_state;

/* ---- types ---- */

/* The type of cubes for the numbers of a data set, and the way to it; false: there is none. HDF5 makes i16 of i8 and
 * f32 of f16. */
static bool type_of(hid_t set, penta_type *type, int *stored, hid_t *memory)
{
    const struct {
        size_t size;
        bool negative;
        penta_type type;
        int stored;
        hid_t memory;
    } integers[] = {{1, false, PENTA_U8, 0, H5T_NATIVE_UINT8},
                    {1, true, PENTA_I16, 0, H5T_NATIVE_INT16},
                    {2, false, PENTA_U16, 0, H5T_NATIVE_UINT16},
                    {2, true, PENTA_I16, 0, H5T_NATIVE_INT16},
                    {4, false, PENTA_U32, 0, H5T_NATIVE_UINT32},
                    {4, true, PENTA_I32, 0, H5T_NATIVE_INT32},
                    {8, false, PENTA_I64, IO_STORED_U64, H5T_NATIVE_UINT64},
                    {8, true, PENTA_I64, IO_STORED_I64, H5T_NATIVE_INT64}};
    hid_t file = H5Dget_type(set);
    H5T_class_t class = file < 0 ? H5T_NO_CLASS : H5Tget_class(file);
    size_t size = class == H5T_NO_CLASS ? 0 : H5Tget_size(file);
    bool negative = class == H5T_INTEGER && H5Tget_sign(file) == H5T_SGN_2, known = class == H5T_FLOAT && size <= 8;

    io_hdf5_close(H5Tclose, file);
    *stored = IO_STORED_SAME;
    *type = size <= 4 ? PENTA_F32 : PENTA_F64;
    *memory = size <= 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    for (size_t i = 0; class == H5T_INTEGER && i < sizeof integers / sizeof *integers; i++)
        if (integers[i].size == size && integers[i].negative == negative) {
            *type = integers[i].type;
            *stored = integers[i].stored;
            *memory = integers[i].memory;
            known = true;
        }
    return known;
}

/* ---- which data set ---- */

typedef struct {
    int rank;
    unsigned leading; /* indices of one value before the three */
    uint64_t extents[3];
    uint64_t list; /* entries, where it is n, n x 1 or 1 x n */
    bool fits;
} set_shape;

/* A cube has three indices, perhaps after some of one value. */
static set_shape shape_of(hid_t set)
{
    hid_t space = H5Dget_space(set);
    hsize_t all[H5S_MAX_RANK];
    set_shape s = {.rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, all, NULL)};

    io_hdf5_close(H5Sclose, space);
    s.leading = s.rank > 3 ? (unsigned)s.rank - 3 : 0;
    s.fits = s.rank >= 3;
    for (unsigned i = 0; i < s.leading; i++)
        s.fits = s.fits && all[i] == 1;
    for (unsigned i = 0; s.fits && i < 3; i++)
        s.extents[i] = all[s.leading + i];
    if (s.rank == 1)
        s.list = all[0];
    else if (s.rank == 2 && (all[0] == 1 || all[1] == 1))
        s.list = all[0] * all[1];
    return s;
}

static bool is_named(const io_hdf5_walk *w, const char *name, bool *exact)
{
    const char *want = w->hints->variable;

    *exact = want && strcmp(name, *want == '/' ? want + 1 : want) == 0;
    return !want || *exact || strcmp(io_path_base(name), want) == 0;
}

static void look_at_set(io_hdf5_walk *w, hid_t set, const char *name)
{
    set_shape s = shape_of(set);
    penta_type type;
    int stored;
    hid_t memory;
    bool exact = false;

    if (strlen(name) >= IO_HDF5_NAME || !type_of(set, &type, &stored, &memory))
        return;
    io_hdf5_add_wave(w, name, "", s.list);
    w->planes += s.rank >= 2;
    if (!s.fits)
        return;
    if (strlen(w->names) + strlen(name) + 80 < sizeof w->names)
        io_append(w->names, sizeof w->names, "%s%s (%" PRIu64 " x %" PRIu64 " x %" PRIu64 ")", *w->names ? ", " : "",
                  name, s.extents[0], s.extents[1], s.extents[2]);
    if (!is_named(w, name, &exact) || w->exact)
        return;
    w->fitting = exact ? 1 : w->fitting + 1;
    w->exact = exact;
    if (w->fitting == 1)
        snprintf(w->name, sizeof w->name, "%s", name);
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(group, name, H5P_DEFAULT) : -1;

    if (object >= 0 && H5Iget_type(object) == H5I_DATASET)
        look_at_set(data, object, name);
    io_hdf5_close(H5Oclose, object);
    return 0;
}

static bool no_set(const penta_io_cube *cube, const io_hdf5_walk *w, penta_io_error *err)
{
    if (w->fitting > 1)
        return penta_io_fail(err, "%s: %zu arrays can be the cube: %s; name one (`variable`)", cube->path, w->fitting,
                             w->names);
    if (w->hints->variable && *w->names)
        return penta_io_fail(err, "%s: has no array %.60s that can be the cube; it has %s", cube->path,
                             w->hints->variable, w->names);
    return penta_io_fail(err, "%s: none of its arrays is rows x cols x bands", cube->path);
}

/* ---- opening ---- */

/* Opens the file with room for a row of chunks, so that none is inflated twice as rows follow one another. */
static hid_t open_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;

    H5Pset_cache(access, 0, 100003, (size_t)1 << 29, 1.0);
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    io_hdf5_close(H5Pclose, access);
    return file;
}

/* Checks and opens the file, and enters the guard; NULL: neither. */
static hdf5_state *begin(penta_io_cube *cube, io_hdf5_guard *guard, penta_io_error *err)
{
    hdf5_state *s = NULL;

    if (!io_hdf5_check_file(&cube->input, err))
        return NULL;
    cube->format = &io_cube_hdf5;
    cube->state = s = calloc(1, sizeof *s);
    if (!s) {
        penta_io_fail(err, "%s: out of memory", cube->path);
        return NULL;
    }
    *guard = io_hdf5_enter();
    s->set = -1;
    s->file = open_file(cube->path);
    if (s->file >= 0)
        return s;
    io_hdf5_leave(*guard);
    penta_io_fail(err, "%s: is HDF5 that cannot be opened; it is truncated or damaged: copy it again", cube->path);
    return NULL;
}

static bool open_set(const penta_io_cube *cube, hdf5_state *s, const char *name, penta_io_error *err)
{
    s->set = H5Dopen2(s->file, name, H5P_DEFAULT);
    return (s->set >= 0 && io_hdf5_is_plausible(&cube->input, s->set, 0)) ||
           penta_io_fail(err, "%s: %s cannot be read; the file is damaged: copy it again", cube->path, name);
}

#ifdef PENTA_HAVE_GDAL

/* Whether GDAL reads the same numbers, and may know where they lie on the earth. */
static bool is_for_gdal(const penta_io_cube *cube, const hdf5_state *s, const io_hdf5_walk *w, const char *axes)
{
    hid_t type = H5Dget_type(s->set);
    bool tiny = H5Tget_size(type) == 1 && cube->whole.type == PENTA_I16;
    bool short_float = H5Tget_size(type) < 4 && cube->whole.type == PENTA_F32;

    io_hdf5_close(H5Tclose, type);
    return !w->hints->variable && w->planes == 1 && strcmp(axes, "brc") == 0 && !cube->stored && !tiny &&
           !short_float && s->leading == 0 && H5Aexists(s->set, "DIMENSION_LIST") > 0 && !io_gdal_load();
}

#endif

static bool take_set(penta_io_cube *cube, hdf5_state *s, io_hdf5_walk *w, bool *gdal, penta_io_error *err)
{
    penta_io_cube_info *out = &cube->whole;
    char axes[4] = "brc", what[IO_HDF5_NAME + 2];
    set_shape shape;

    *gdal = false;
    if (!open_set(cube, s, w->name, err))
        return false;
    io_hdf5_add_attributes(w, s->set, w->name);
    shape = shape_of(s->set);
    s->leading = shape.leading;
    io_cube_raw_shape("brc", shape.extents, out); /* until the axes are set */
    out->layout = PENTA_BSQ;
    out->format = "HDF5";
    type_of(s->set, &out->type, &cube->stored, &s->memory);
    if (io_product(io_product(io_product(out->bands, out->rows), out->cols), 8) > SIZE_MAX / 2)
        return penta_io_fail(err, "%s: %s claims more numbers than memory can address; it is damaged: copy it again",
                             cube->path, w->name);
    snprintf(what, sizeof what, "'%s'", w->name);
    if (w->hints->axes)
        snprintf(axes, sizeof axes, "%s", w->hints->axes);
    else if (!io_hdf5_find_axes(s->set, w, shape.extents, axes)) {
        memcpy(axes, "brc", sizeof axes);
        io_cube_doubt_axes(cube, what, shape.extents);
    }
#ifdef PENTA_HAVE_GDAL
    *gdal = is_for_gdal(cube, s, w, axes);
    if (*gdal)
        return true;
#endif
    return io_cube_set_axes(cube, axes, err) && io_hdf5_take_facts(cube, s->file, s->set, w, err);
}

static void close_state(hdf5_state *s)
{
    io_hdf5_close(H5Dclose, s->set);
    io_hdf5_close(H5Fclose, s->file);
    free(s->whole);
    free(s);
}

static bool to_gdal(penta_io_cube *cube, const penta_io_cube_hints *hints, const io_hdf5_walk *w, penta_io_error *err)
{
    cube->format = &io_cube_gdal;
    cube->state = NULL;
    free(cube->whole.each);
    cube->whole = (penta_io_cube_info){0};
    cube->stored = IO_STORED_SAME;
    if (!io_cube_gdal.open(cube, hints, err))
        return false;
    if (w && cube->whole.each) {
        io_hdf5_guard guard = io_hdf5_enter();
        hid_t file = H5Fopen(cube->path, H5F_ACC_RDONLY, H5P_DEFAULT);

        if (file >= 0)
            io_hdf5_take_waves(cube, file, w);
        io_hdf5_close(H5Fclose, file);
        io_hdf5_leave(guard);
    }
    return true;
}

static bool hdf5_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    io_hdf5_walk w = {.hints = hints};
    io_hdf5_guard guard;
    bool ok, gdal = false;
    hdf5_state *s;

    if (cube->drivers)
        return to_gdal(cube, hints, NULL, err);
    s = begin(cube, &guard, err);
    if (!s)
        return false;
    H5Lvisit(s->file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &w);
    io_hdf5_add_attributes(&w, s->file, "/");
    gdal = w.fitting == 0 && !hints->variable && !hints->axes;
    ok = gdal || (w.fitting == 1 ? take_set(cube, s, &w, &gdal, err) : no_set(cube, &w, err));
    if (gdal)
        close_state(s);
    io_hdf5_leave(guard);
    return ok && gdal ? to_gdal(cube, hints, &w, err) : ok;
}

/* ---- MATLAB 7.3: its arrays are data sets with the indices in reverse; structures and sparse ones are groups ---- */

/* The class, which other programs do not state. */
static void name_class(hid_t object, hid_t type, char *out, size_t size)
{
    char stated[1][IO_HDF5_NAME] = {"unknown"};

    if (H5Aexists(object, "MATLAB_sparse") > 0)
        snprintf(out, size, "sparse");
    else if (type >= 0 && H5Tget_class(type) == H5T_FLOAT)
        snprintf(out, size, "%s", H5Tget_size(type) > 4 ? "double" : "single");
    else if (!io_hdf5_read_texts(object, "MATLAB_class", 1, stated) && type >= 0 && H5Tget_class(type) == H5T_INTEGER)
        snprintf(out, size, "%sint%zu", H5Tget_sign(type) == H5T_SGN_2 ? "" : "u", 8 * H5Tget_size(type));
    else
        snprintf(out, size, "%.20s", stated[0]);
}

static herr_t list_variable(hid_t file, const char *name, const H5L_info_t *info, void *data)
{
    hid_t object = info->type == H5L_TYPE_HARD && *name != '#' ? H5Oopen(file, name, H5P_DEFAULT) : -1; /* #refs# */
    bool is_set = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    io_mat_array *a = object >= 0 ? io_mat_add(data, name) : NULL;
    hid_t type = is_set ? H5Dget_type(object) : -1, space = is_set ? H5Dget_space(object) : -1, memory;
    hsize_t all[H5S_MAX_RANK] = {1, 1};

    if (a) {
        a->rank = is_set ? H5Sget_simple_extent_dims(space, all, NULL) : 2;
        for (int i = 0; i < a->rank && i < IO_MAT_DIMENSIONS; i++)
            a->dims[i] = all[a->rank - 1 - i];
        name_class(object, type, a->class, sizeof a->class);
        a->complex = type >= 0 && H5Tget_class(type) == H5T_COMPOUND;
        a->numeric =
            a->complex || (is_set && strcmp(a->class, "char") != 0 && type_of(object, &a->type, &a->stored, &memory));
    }
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Oclose, object);
    return 0;
}

/* Reads the array as it lies in the file, as rows run fastest in it. */
static bool load(penta_io_cube *cube, hdf5_state *s, const io_mat_array *a, penta_io_error *err)
{
    uint64_t bytes = io_cube_bytes(&cube->whole);
    char what[400];

    cube->whole.format = "MATLAB 7.3";
    if (!open_set(cube, s, a->name, err))
        return false;
    type_of(s->set, &cube->whole.type, &cube->stored, &s->memory);
    if (bytes == 0)
        return true; /* reported as empty later */
    io_mat_describe(a, what, sizeof what);
    if (!io_hdf5_is_plausible(&cube->input, s->set, bytes))
        return penta_io_fail(err,
                             "%s: %s is more than this MATLAB 7.3 file holds; it is damaged: copy or save it again",
                             cube->path, what);
    s->raw.memory = s->whole = malloc((size_t)bytes);
    return (s->whole && H5Dread(s->set, s->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->whole) >= 0) ||
           penta_io_fail(err, "%s: %s cannot be read; the file is damaged, or memory does not suffice: copy it again",
                         cube->path, what);
}

bool io_hdf5_open_matlab(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    io_mat_list list = {0};
    io_hdf5_guard guard;
    hdf5_state *s = begin(cube, &guard, err);
    size_t index;
    bool ok;

    if (!s)
        return false;
    H5Literate(s->file, H5_INDEX_NAME, H5_ITER_INC, NULL, list_variable, &list);
    ok = io_mat_choose(cube, hints, &list, &index, &s->raw.order, err) && load(cube, s, &list.items[index], err);
    io_hdf5_leave(guard);
    free(list.items);
    return ok;
}

/* ---- reading ---- */

/* `bands` of the first index from `band` on: bands x count x cols elements. */
static bool read_part(const hdf5_state *s, const penta_io_cube *cube, size_t band, size_t bands, size_t y, size_t count,
                      void *out)
{
    hsize_t start[H5S_MAX_RANK] = {0}, n[H5S_MAX_RANK];
    hsize_t elements = (hsize_t)bands * count * cube->about.cols;
    hid_t space = H5Dget_space(s->set), memory = H5Screate_simple(1, &elements, NULL);
    unsigned i = s->leading;
    bool ok;

    for (unsigned k = 0; k < i; k++)
        n[k] = 1;
    start[i] = band;
    n[i] = bands;
    start[i + 1] = y;
    n[i + 1] = count;
    start[i + 2] = cube->x;
    n[i + 2] = cube->about.cols;
    ok = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL) >= 0 &&
         H5Dread(s->set, s->memory, memory, space, H5P_DEFAULT, out) >= 0;
    io_hdf5_close(H5Sclose, memory);
    io_hdf5_close(H5Sclose, space);
    return ok;
}

static bool hdf5_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    const hdf5_state *s = cube->state;
    size_t plane = count * cube->about.cols * penta_type_size(cube->about.type), n;
    io_hdf5_guard guard;
    bool ok = true;

    if (s->whole)
        return io_cube_raw_read(cube, &s->raw, y, count, out, err);
    guard = io_hdf5_enter();
    for (size_t i = 0; ok && i < cube->about.bands; i += n) {
        for (n = 1; i + n < cube->about.bands && cube->bands[i + n] == cube->bands[i] + n;)
            n++;
        ok = read_part(s, cube, cube->bands[i], n, y, count, (char *)out + i * plane);
    }
    io_hdf5_leave(guard);
    return ok || penta_io_fail(err, "%s: rows from %zu on (from 0) cannot be read; the file is damaged: copy it again",
                               cube->path, y);
}

static void hdf5_close(penta_io_cube *cube)
{
    hdf5_state *s = cube->state;

    if (s) {
        io_hdf5_guard guard = io_hdf5_enter();

        close_state(s);
        io_hdf5_leave(guard);
    }
}

#endif

/* Listed among GDAL's formats, which reads what is no array of three indices. */
static bool hdf5_at(size_t i, penta_io_format *out)
{
    (void)i, (void)out;
    return false;
}

const io_cube_format io_cube_hdf5 = {.at = hdf5_at,
                                     .matches = hdf5_matches,
                                     .open = hdf5_open,
#ifdef PENTA_HAVE_HDF5
                                     .read = hdf5_read,
                                     .close = hdf5_close,
#endif
                                     .has_axes = true,
                                     .has_drivers = true,
                                     .has_arrays = true};
