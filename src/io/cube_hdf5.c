/*
 * Cubes in HDF5 files: h5py's, netCDF-4, HDF-EOS5, MATLAB 7.3 where matio does not know the class of an array. Numbers
 * are read by hyperslabs. A netCDF file that GDAL reads with the same axes stays with it, for its coordinates.
 */
#include "io/cube_hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PENTA_HAVE_GDAL
#include "io/cube_gdal.h"
#endif
#include "io/format.h"

extern const io_cube_format io_cube_hdf5, io_cube_gdal;

static bool hdf5_matches(const unsigned char *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

#ifndef PENTA_HAVE_HDF5

bool io_hdf5_open_cube(penta_io_cube *cube, const penta_io_cube_hints *hints, bool matlab, penta_io_error *err)
{
    (void)hints, (void)matlab;
    return io_hdf5_check_file(&cube->input, err);
}

static bool hdf5_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    (void)y, (void)count, (void)out;
    return penta_io_fail(err, "%s: this build has no HDF5", cube->path);
}

static void hdf5_close(penta_io_cube *cube)
{
    (void)cube;
}

#else

typedef struct {
    hid_t file, set;
    hid_t memory;     /* the type of elements that are read */
    unsigned leading; /* indices of one value before the three, or before the two of `flat` */
    bool flat;        /* two indices: pixels column by column, and bands */
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
    const penta_io_cube_hints *hints;
    bool matlab;
    size_t planes; /* data sets of two indices or more that hold numbers */
    size_t fitting;
    bool exact; /* `name` is all of hints->variable, from the root */
    char name[IO_HDF5_NAME];
    char names[400]; /* "a (12 x 14 x 5)" of those that fit */
    io_hdf5_wave waves[IO_HDF5_WAVES];
    size_t wave_count;
} set_walk;

/* The last three extents, if all before them are 1. MATLAB's with a shape have two. *leading: how many are before. */
static bool has_extents(hid_t set, unsigned wanted, uint64_t extents[3], unsigned *leading)
{
    hid_t space = H5Dget_space(set);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    hsize_t all[H5S_MAX_RANK];
    bool ok = rank >= (int)wanted && H5Sget_simple_extent_dims(space, all, NULL) == rank;

    *leading = ok ? (unsigned)rank - wanted : 0;
    for (unsigned i = 0; ok && i < *leading; i++)
        ok = all[i] == 1;
    for (unsigned i = 0; ok && i < wanted; i++)
        extents[i] = all[*leading + i];
    io_hdf5_close(H5Sclose, space);
    return ok;
}

static int rank_of(hid_t set)
{
    hid_t space = H5Dget_space(set);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);

    io_hdf5_close(H5Sclose, space);
    return rank;
}

static unsigned wanted_rank(const set_walk *w)
{
    return w->matlab && w->hints->rows > 0 ? 2 : 3;
}

static bool is_named(const set_walk *w, const char *name, bool *exact)
{
    const char *want = w->hints->variable, *slash = strrchr(name, '/');

    *exact = want && strcmp(name, *want == '/' ? want + 1 : want) == 0;
    return !want || *exact || strcmp(slash ? slash + 1 : name, want) == 0;
}

static void look_at_set(set_walk *w, hid_t set, const char *name)
{
    uint64_t extents[3];
    unsigned leading;
    penta_type type;
    int stored;
    hid_t memory;
    bool exact = false;
    size_t n = strlen(w->names);
    int rank;

    if (*name == '#' || strlen(name) >= IO_HDF5_NAME || !type_of(set, &type, &stored, &memory)) /* #refs# of MATLAB */
        return;
    rank = rank_of(set);
    if (rank == 1 && has_extents(set, 1, extents, &leading))
        io_hdf5_add_wave(w->waves, &w->wave_count, name, false, extents[0]);
    w->planes += rank >= 2;
    if (!has_extents(set, wanted_rank(w), extents, &leading))
        return;
    if (n + strlen(name) + 80 < sizeof w->names)
        snprintf(w->names + n, sizeof w->names - n, "%s%s (%llu x %llu%s%.0llu)", n ? ", " : "", name,
                 (unsigned long long)extents[0], (unsigned long long)extents[1], wanted_rank(w) == 3 ? " x " : "",
                 wanted_rank(w) == 3 ? (unsigned long long)extents[2] : 0ULL);
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

static bool no_set(const penta_io_cube *cube, const set_walk *w, penta_io_error *err)
{
    if (w->fitting > 1)
        return penta_io_fail(err, "%s: %zu arrays can be the cube: %s; name one (`variable`)", cube->path, w->fitting,
                             w->names);
    if (w->hints->variable && *w->names)
        return penta_io_fail(err, "%s: has no array %.60s that can be the cube; it has %s", cube->path,
                             w->hints->variable, w->names);
    return penta_io_fail(err, "%s: none of its arrays is rows x cols x bands%s", cube->path,
                         w->matlab ? "; give the rows and columns of bands x pixels (`shape` ROWSxCOLS)" : "");
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

/* The shape as bands x rows x cols of the file's indices, which are not yet the cube's axes. */
static bool take_shape(penta_io_cube *cube, hdf5_state *s, const set_walk *w, uint64_t extents[3], penta_io_error *err)
{
    const penta_io_cube_hints *hints = w->hints;
    penta_io_cube_info *out = &cube->whole;

    s->flat = wanted_rank(w) == 2;
    has_extents(s->set, wanted_rank(w), extents, &s->leading);
    if (s->flat && extents[0] != io_product(hints->rows, hints->cols))
        return penta_io_fail(err, "%s: %s has %llu pixels, not the %zu x %zu of the shape; correct it (bands x pixels)",
                             cube->path, w->name, (unsigned long long)extents[0], hints->rows, hints->cols);
    if (s->flat) {
        extents[2] = extents[1];
        extents[0] = hints->cols;
        extents[1] = hints->rows;
    }
    out->bands = (size_t)extents[0];
    out->rows = (size_t)extents[1];
    out->cols = (size_t)extents[2];
    out->layout = PENTA_BSQ;
    out->format = w->matlab ? "MATLAB 7.3" : "HDF5";
    type_of(s->set, &out->type, &cube->stored, &s->memory);
    return io_product(io_product(io_product(extents[0], extents[1]), extents[2]), 8) <= SIZE_MAX / 2 ||
           penta_io_fail(err, "%s: %s claims more numbers than memory can address; it is damaged: copy it again",
                         cube->path, w->name);
}

/* What the file's three indices are: as the caller says, or the file; false: neither. */
static bool choose_axes(hid_t set, const set_walk *w, const uint64_t extents[3], char axes[4])
{
    const char *said = w->hints->axes ? w->hints->axes : "rcb";

    if (w->matlab && wanted_rank(w) == 2)
        memcpy(axes, "crb", 4);
    else if (w->matlab)
        snprintf(axes, 4, "%c%c%c", said[2], said[1], said[0]);
    else if (w->hints->axes)
        snprintf(axes, 4, "%s", said);
    else if (!io_hdf5_find_axes(set, w->name, extents, w->waves, w->wave_count, axes)) {
        memcpy(axes, "brc", 4);
        return false;
    }
    return true;
}

#ifdef PENTA_HAVE_GDAL

/* Whether GDAL reads the same numbers, and may know where they lie on the earth. */
static bool is_for_gdal(const penta_io_cube *cube, const hdf5_state *s, const set_walk *w, const char *axes)
{
    hid_t type = H5Dget_type(s->set);
    bool tiny = H5Tget_size(type) == 1 && cube->whole.type == PENTA_I16;
    bool short_float = H5Tget_size(type) < 4 && cube->whole.type == PENTA_F32;

    io_hdf5_close(H5Tclose, type);
    return !w->matlab && !w->hints->variable && w->planes == 1 && strcmp(axes, "brc") == 0 && !cube->stored && !tiny &&
           !short_float && s->leading == 0 && H5Aexists(s->set, "DIMENSION_LIST") > 0 && !io_gdal_load();
}

#endif

static bool take_set(penta_io_cube *cube, hdf5_state *s, const set_walk *w, bool *gdal, penta_io_error *err)
{
    uint64_t extents[3];
    char axes[4], what[IO_HDF5_NAME + 2];

    s->set = H5Dopen2(s->file, w->name, H5P_DEFAULT);
    if (s->set < 0 || !io_hdf5_is_plausible(&cube->input, s->set, 0))
        return penta_io_fail(err, "%s: %s cannot be read; the file is damaged: copy it again", cube->path, w->name);
    if (!take_shape(cube, s, w, extents, err))
        return false;
    snprintf(what, sizeof what, "'%s'", w->name);
    if (!choose_axes(s->set, w, extents, axes))
        io_cube_doubt_axes(cube, what, extents);
    *gdal = false;
#ifdef PENTA_HAVE_GDAL
    *gdal = is_for_gdal(cube, s, w, axes);
#endif
    if (*gdal)
        return true;
    if (!io_cube_set_axes(cube, axes, err))
        return false;
    cube->whole.each = calloc(cube->whole.bands > 0 ? cube->whole.bands : 1, sizeof *cube->whole.each);
    if (!cube->whole.each)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    io_hdf5_take_facts(cube, s->file, s->set, w->waves, w->wave_count, w->hints->raw_values);
    return true;
}

static void close_state(hdf5_state *s)
{
    io_hdf5_close(H5Dclose, s->set);
    io_hdf5_close(H5Fclose, s->file);
    free(s);
}

static bool to_gdal(penta_io_cube *cube, const penta_io_cube_hints *hints, const set_walk *w, penta_io_error *err)
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
            io_hdf5_take_waves(cube, file, w->waves, w->wave_count);
        io_hdf5_close(H5Fclose, file);
        io_hdf5_leave(guard);
    }
    return true;
}

bool io_hdf5_open_cube(penta_io_cube *cube, const penta_io_cube_hints *hints, bool matlab, penta_io_error *err)
{
    set_walk w = {.hints = hints, .matlab = matlab};
    hdf5_state *s = calloc(1, sizeof *s);
    io_hdf5_guard guard;
    bool ok = s || penta_io_fail(err, "%s: out of memory", cube->path), gdal = cube->drivers != NULL;

    cube->format = &io_cube_hdf5;
    cube->state = s;
    if (ok && gdal) {
        free(s);
        return to_gdal(cube, hints, NULL, err);
    }
    if (!ok || !io_hdf5_check_file(&cube->input, err)) {
        cube->state = NULL;
        free(s);
        return false;
    }
    guard = io_hdf5_enter();
    s->set = -1;
    s->file = open_file(cube->path);
    ok = s->file >= 0 && H5Lvisit(s->file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &w) >= 0;
    if (ok) {
        io_hdf5_find_waves(s->file, w.waves, &w.wave_count);
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

/* `bands` of the first index from `band` on, of two or three: bands x count x cols elements. */
static bool read_part(const hdf5_state *s, const penta_io_cube *cube, size_t band, size_t bands, size_t y, size_t count,
                      void *out)
{
    hsize_t start[H5S_MAX_RANK] = {0}, step[H5S_MAX_RANK], n[H5S_MAX_RANK], block[H5S_MAX_RANK];
    hsize_t elements = (hsize_t)bands * count * cube->about.cols;
    hid_t space = H5Dget_space(s->set), memory = H5Screate_simple(1, &elements, NULL);
    unsigned i = s->leading;
    bool ok;

    for (unsigned k = 0; k < H5S_MAX_RANK; k++)
        step[k] = n[k] = block[k] = 1;
    if (s->flat) { /* pixel = row + rows * col, and the columns are the first index */
        start[i] = (hsize_t)band * cube->whole.rows + y;
        step[i] = cube->whole.rows;
        n[i] = bands;
        block[i++] = count;
    } else {
        start[i] = band;
        n[i++] = bands;
        start[i] = y;
        n[i++] = count;
    }
    start[i] = cube->x;
    n[i] = cube->about.cols;
    ok = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, step, n, block) >= 0 &&
         H5Dread(s->set, s->memory, memory, space, H5P_DEFAULT, out) >= 0;
    io_hdf5_close(H5Sclose, memory);
    io_hdf5_close(H5Sclose, space);
    return ok;
}

static bool hdf5_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    const hdf5_state *s = cube->state;
    size_t plane = count * cube->about.cols * penta_type_size(cube->about.type), n;
    io_hdf5_guard guard = io_hdf5_enter();
    bool ok = true;

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
                                     .read = hdf5_read,
                                     .close = hdf5_close,
                                     .has_axes = true,
                                     .has_drivers = true,
                                     .has_arrays = true};
