/*
 * Cubes in HDF5 files: h5py's, netCDF-4, HDF-EOS5, MATLAB 7.3. Numbers are read by hyperslabs, but MATLAB's arrays
 * whole, as their rows run fastest. A netCDF file that GDAL reads with the same axes stays with it, for its
 * coordinates.
 */
#include "io/cube_hdf5.h"

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

bool io_hdf5_open_cube(penta_io_cube *cube, const penta_io_cube_hints *hints, bool matlab, penta_io_error *err)
{
    (void)hints, (void)matlab;
    cube->format = &io_cube_hdf5;
    return io_hdf5_check_file(&cube->input, err);
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
    hsize_t all[H5S_MAX_RANK];
    unsigned leading;    /* indices of one value before the others */
    uint64_t extents[3]; /* flat: pixels and bands */
    uint64_t list;       /* entries, where it is n, n x 1 or 1 x n */
    bool fits, flat;
} set_shape;

/* A cube has three indices, perhaps after some of one value; MATLAB's with a shape have two. */
static set_shape shape_of(const io_hdf5_walk *w, hid_t set)
{
    hid_t space = H5Dget_space(set);
    set_shape s = {.rank = -1};
    int wanted;

    if (space >= 0)
        s.rank = H5Sget_simple_extent_dims(space, s.all, NULL);
    io_hdf5_close(H5Sclose, space);
    s.flat = w->matlab && w->hints->rows > 0 && s.rank == 2;
    wanted = s.flat ? 2 : 3;
    s.leading = s.rank > wanted ? (unsigned)(s.rank - wanted) : 0;
    s.fits = s.rank >= wanted && (s.leading == 0 || !w->matlab);
    for (unsigned i = 0; i < s.leading; i++)
        s.fits = s.fits && s.all[i] == 1;
    for (int i = 0; s.fits && i < wanted; i++)
        s.extents[i] = s.all[s.leading + (unsigned)i];
    if (s.rank == 1)
        s.list = s.all[0];
    else if (s.rank == 2 && !w->matlab && (s.all[0] == 1 || s.all[1] == 1))
        s.list = s.all[0] * s.all[1];
    return s;
}

/* Adds "a (12 x 14 x 5)" with MATLAB's extents as MATLAB has them. */
static void add_name(const io_hdf5_walk *w, char *names, size_t size, const char *name, const set_shape *s)
{
    int first = w->matlab ? 0 : (int)s->leading;

    if (strlen(names) + strlen(name) + 120 >= size)
        return;
    io_append(names, size, "%s%s (", *names ? ", " : "", name);
    for (int i = first; i < s->rank && i < first + 6; i++)
        io_append(names, size, "%s%" PRIu64, i > first ? " x " : "", (uint64_t)s->all[w->matlab ? s->rank - 1 - i : i]);
    io_append(names, size, ")");
}

static bool is_named(const io_hdf5_walk *w, const char *name, bool *exact)
{
    const char *want = w->hints->variable;

    *exact = want && strcmp(name, *want == '/' ? want + 1 : want) == 0;
    return !want || *exact || strcmp(io_path_base(name), want) == 0;
}

/* Whether MATLAB has it as a number of its own: no text, no part of a structure. */
static bool is_variable(const io_hdf5_walk *w, hid_t set, const char *name)
{
    char class[1][IO_HDF5_NAME] = {""};

    return (!strchr(name, '/') || w->hints->variable) &&
           !(io_hdf5_read_texts(set, "MATLAB_class", 1, class) && strcmp(class[0], "char") == 0);
}

/* As complex numbers are. */
static bool is_compound(hid_t set)
{
    hid_t type = H5Dget_type(set);
    bool is = type >= 0 && H5Tget_class(type) == H5T_COMPOUND;

    io_hdf5_close(H5Tclose, type);
    return is;
}

static void look_at_set(io_hdf5_walk *w, hid_t set, const char *name)
{
    set_shape s = shape_of(w, set);
    penta_type type;
    int stored;
    hid_t memory;
    bool exact = false;

    if (*name == '#' || strlen(name) >= IO_HDF5_NAME ||
        (w->matlab && !is_variable(w, set, name))) /* #refs# of MATLAB */
        return;
    if (!type_of(set, &type, &stored, &memory)) {
        w->complex = w->complex || (s.fits && is_compound(set));
        return;
    }
    io_hdf5_add_wave(w, name, "", s.list);
    w->planes += s.rank >= 2;
    if (w->matlab)
        add_name(w, w->all, sizeof w->all, name, &s);
    if (w->matlab && s.rank == 2 && is_named(w, name, &exact))
        snprintf(w->flat, sizeof w->flat, "%s", name);
    if (!s.fits)
        return;
    add_name(w, w->names, sizeof w->names, name, &s);
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
    const char *noun = w->hints->movie ? "movie" : "cube";

    if (w->fitting > 1)
        return penta_io_fail(err, "%s: %zu arrays can be the %s: %s; name one (`variable`)", cube->path, w->fitting,
                             noun, w->names);
    if (w->hints->variable && *w->names && !w->matlab)
        return penta_io_fail(err, "%s: has no array %.60s that can be the %s; it has %s", cube->path,
                             w->hints->variable, noun, w->names);
    if (w->complex)
        return penta_io_fail(err, "%s: its array is complex; save real(x) or abs(x)", cube->path);
    if (w->hints->movie)
        return penta_io_fail(err, "%s: none of its arrays is a movie, height x width x frames; it has %s", cube->path,
                             w->all);
    if (*w->flat && (w->hints->variable || w->planes == 1))
        return penta_io_fail(err,
                             "%s: %s is bands x pixels; say how many rows and columns the pixels make (`shape` "
                             "ROWSxCOLS)",
                             cube->path, w->flat);
    if (w->hints->variable && *w->all)
        return penta_io_fail(err, "%s: has no array %.60s; it has %s", cube->path, w->hints->variable, w->all);
    if (*w->all)
        return penta_io_fail(err,
                             "%s: none of its arrays is rows x cols x bands; it has %s: give the rows and columns of "
                             "bands x pixels (`shape` ROWSxCOLS), or name an array (`variable`)",
                             cube->path, w->all);
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

/* What the file's indices are: as the caller says, or MATLAB's rule, or the file; false: none of them. */
static bool choose_axes(hid_t set, const io_hdf5_walk *w, const set_shape *shape, char axes[4])
{
    const char *said = w->hints->axes;

    memcpy(axes, shape->flat ? "crb" : w->matlab ? "bcr" : "brc", 4);
    if (said && w->matlab)
        snprintf(axes, 4, "%c%c%c", said[2], said[1], said[0]);
    else if (said)
        snprintf(axes, 4, "%s", said);
    return said || w->matlab || io_hdf5_find_axes(set, w, shape->extents, axes);
}

/* The cube's shape by these axes, or bands x rows x cols of the file's indices where they are still to be turned. */
static bool take_shape(penta_io_cube *cube, hdf5_state *s, const io_hdf5_walk *w, set_shape *shape, const char *axes,
                       penta_io_error *err)
{
    const penta_io_cube_hints *hints = w->hints;
    uint64_t *n = shape->extents;
    penta_io_cube_info *out = &cube->whole;

    if (shape->flat && hints->axes)
        return penta_io_fail(err, "%s: %s has 2 dimensions, but axes need 3; give the shape instead", cube->path,
                             w->name);
    if (shape->flat && n[0] != io_product(hints->rows, hints->cols))
        return penta_io_fail(err,
                             "%s: %s has %" PRIu64 " pixels, not the %zu x %zu of the shape; correct it "
                             "(bands x pixels)",
                             cube->path, w->name, n[0], hints->rows, hints->cols);
    if (shape->flat) { /* pixel = row + rows * col */
        n[2] = n[1];
        n[0] = hints->cols;
        n[1] = hints->rows;
    }
    io_cube_raw_shape(axes, n, out);
    if (hints->rows > 0 && (out->rows != hints->rows || out->cols != hints->cols))
        return penta_io_fail(err,
                             "%s: %s is rows x cols x bands and disagrees with the shape %zu x %zu; leave that out",
                             cube->path, w->name, hints->rows, hints->cols);
    s->leading = shape->leading;
    s->raw.order = io_cube_raw_order(axes, false);
    out->layout = io_cube_raw_layout(s->raw.order);
    out->format = w->matlab ? "MATLAB 7.3" : "HDF5";
    type_of(s->set, &out->type, &cube->stored, &s->memory);
    return io_product(io_product(io_product(n[0], n[1]), n[2]), 8) <= SIZE_MAX / 2 ||
           penta_io_fail(err, "%s: %s claims more numbers than memory can address; it is damaged: copy it again",
                         cube->path, w->name);
}

/* Reads MATLAB's array as it lies in the file. */
static bool load(const penta_io_cube *cube, hdf5_state *s, const io_hdf5_walk *w, penta_io_error *err)
{
    uint64_t bytes = io_cube_bytes(&cube->whole);

    if (bytes == 0)
        return true; /* reported as empty later */
    if (!io_hdf5_is_plausible(&cube->input, s->set, bytes))
        return penta_io_fail(err,
                             "%s: %s is more than this MATLAB 7.3 file holds; it is damaged: copy or save it again",
                             cube->path, w->name);
    s->raw.memory = s->whole = malloc((size_t)bytes);
    return (s->whole && H5Dread(s->set, s->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->whole) >= 0) ||
           penta_io_fail(err, "%s: %s cannot be read; the file is damaged, or memory does not suffice: copy it again",
                         cube->path, w->name);
}

#ifdef PENTA_HAVE_GDAL

/* Whether GDAL reads the same numbers, and may know where they lie on the earth. */
static bool is_for_gdal(const penta_io_cube *cube, const hdf5_state *s, const io_hdf5_walk *w, const char *axes)
{
    hid_t type = H5Dget_type(s->set);
    bool tiny = H5Tget_size(type) == 1 && cube->whole.type == PENTA_I16;
    bool short_float = H5Tget_size(type) < 4 && cube->whole.type == PENTA_F32;

    io_hdf5_close(H5Tclose, type);
    return !w->matlab && !w->hints->variable && w->planes == 1 && strcmp(axes, "brc") == 0 && !cube->stored && !tiny &&
           !short_float && s->leading == 0 && H5Aexists(s->set, "DIMENSION_LIST") > 0 && !io_gdal_load();
}

#endif

static bool take_set(penta_io_cube *cube, hdf5_state *s, io_hdf5_walk *w, bool *gdal, penta_io_error *err)
{
    set_shape shape;
    char axes[4], what[IO_HDF5_NAME + 2];
    bool sure;

    s->set = H5Dopen2(s->file, w->name, H5P_DEFAULT);
    if (s->set < 0 || !io_hdf5_is_plausible(&cube->input, s->set, 0))
        return penta_io_fail(err, "%s: %s cannot be read; the file is damaged: copy it again", cube->path, w->name);
    io_hdf5_add_attributes(w, s->set, w->name);
    shape = shape_of(w, s->set);
    sure = choose_axes(s->set, w, &shape, axes);
    if (!take_shape(cube, s, w, &shape, w->matlab ? axes : "brc", err))
        return false;
    snprintf(what, sizeof what, "'%s'", w->name);
    if (!sure)
        io_cube_doubt_axes(cube, what, shape.extents);
#ifdef PENTA_HAVE_GDAL
    *gdal = is_for_gdal(cube, s, w, axes);
    if (*gdal)
        return true;
#endif
    return (w->matlab ? load(cube, s, w, err) : io_cube_set_axes(cube, axes, err)) &&
           io_hdf5_take_facts(cube, s->file, s->set, w, err);
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

bool io_hdf5_open_cube(penta_io_cube *cube, const penta_io_cube_hints *hints, bool matlab, penta_io_error *err)
{
    io_hdf5_walk w = {.hints = hints, .matlab = matlab};
    hdf5_state *s;
    io_hdf5_guard guard;
    bool ok, gdal = false;

    if (cube->drivers)
        return to_gdal(cube, hints, NULL, err);
    if (!io_hdf5_check_file(&cube->input, err))
        return false;
    cube->format = &io_cube_hdf5;
    cube->state = s = calloc(1, sizeof *s);
    if (!s)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    guard = io_hdf5_enter();
    s->set = -1;
    s->file = open_file(cube->path);
    ok = s->file >= 0 && H5Lvisit(s->file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &w) >= 0;
    if (ok) {
        io_hdf5_add_attributes(&w, s->file, "/");
        gdal = w.fitting == 0 && !matlab && !hints->variable && !hints->axes;
        ok = gdal || (w.fitting == 1 ? take_set(cube, s, &w, &gdal, err) : no_set(cube, &w, err));
    } else {
        penta_io_fail(err, "%s: is HDF5 that cannot be opened; it is truncated or damaged: copy it again", cube->path);
    }
    if (gdal)
        close_state(s);
    io_hdf5_leave(guard);
    return ok && gdal ? to_gdal(cube, hints, &w, err) : ok;
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

static bool hdf5_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    return io_hdf5_open_cube(cube, hints, false, err);
}

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
