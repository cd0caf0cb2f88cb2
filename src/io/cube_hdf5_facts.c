/* What HDF5 files say of a cube: names of dimensions (netCDF-4's scales, h5py's labels), wavelengths, no-data values.
 */
#include "io/cube_hdf5.h"

#ifdef PENTA_HAVE_HDF5

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- attributes ---- */

/* Up to `most` numbers of an attribute; how many, 0 where it is missing or no number. */
static size_t read_numbers(hid_t object, const char *name, double *out, size_t most)
{
    hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = a < 0 ? -1 : H5Aget_type(a), space = a < 0 ? -1 : H5Aget_space(a);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    hssize_t n = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    bool ok = (class == H5T_INTEGER || class == H5T_FLOAT) && n > 0 && (uint64_t)n <= most &&
              H5Aread(a, H5T_NATIVE_DOUBLE, out) >= 0;

    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Aclose, a);
    return ok ? (size_t)n : 0;
}

/* Texts of an attribute, of fixed or variable length, `count` of them, each cut to IO_HDF5_NAME - 1 bytes. */
static bool read_texts(hid_t object, const char *name, size_t count, char out[][IO_HDF5_NAME])
{
    hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = a < 0 ? -1 : H5Aget_type(a), space = a < 0 ? -1 : H5Aget_space(a);
    bool ok = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
              H5Sget_simple_extent_npoints(space) == (hssize_t)count;
    bool variable = ok && H5Tis_variable_str(type) > 0;
    size_t size = variable ? sizeof(char *) : ok ? H5Tget_size(type) : 0;
    char *room = size > 0 && size < (1 << 16) ? calloc(count, size) : NULL;

    ok = room && H5Aread(a, type, room) >= 0;
    for (size_t i = 0; ok && i < count; i++) {
        const char *text = room + i * size;

        if (variable)
            memcpy(&text, room + i * size, sizeof text);
        snprintf(out[i], IO_HDF5_NAME, "%.*s", variable ? IO_HDF5_NAME - 1 : (int)size, text ? text : "");
    }
    if (ok && variable)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, room);
    free(room);
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Aclose, a);
    return ok;
}

/* ---- names of dimensions ---- */

/* Names of scales that are attached to the data set's dimensions, as netCDF-4 does. */
static bool read_scales(hid_t set, size_t rank, char out[][IO_HDF5_NAME])
{
    hid_t a = H5Aexists(set, "DIMENSION_LIST") > 0 ? H5Aopen(set, "DIMENSION_LIST", H5P_DEFAULT) : -1;
    hid_t space = a < 0 ? -1 : H5Aget_space(a), type = H5Tvlen_create(H5T_STD_REF_OBJ);
    hvl_t *lists = calloc(rank, sizeof *lists);
    bool ok =
        lists && space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)rank && H5Aread(a, type, lists) >= 0;

    for (size_t i = 0; ok && i < rank; i++) {
        hid_t scale = lists[i].len > 0 ? H5Rdereference2(a, H5P_DEFAULT, H5R_OBJECT, lists[i].p) : -1;

        out[i][0] = 0;
        if (scale >= 0)
            H5Iget_name(scale, out[i], IO_HDF5_NAME);
        io_hdf5_close(H5Oclose, scale);
    }
    if (ok)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    free(lists);
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Aclose, a);
    return ok;
}

/* ---- wavelengths ---- */

void io_hdf5_add_wave(io_hdf5_wave waves[IO_HDF5_WAVES], size_t *count, const char *name, bool attribute,
                      uint64_t length)
{
    static const char *const parts[] = {"wavelength", "lambda", "wvl", "band_center", "list_cw_"};
    const char *last = last_part(name);
    bool fits = strcasecmp(last, "wave") == 0 || strcasecmp(last, "wl") == 0;
    char lower[IO_HDF5_NAME];

    snprintf(lower, sizeof lower, "%s", last);
    for (char *c = lower; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fits = fits || strstr(lower, parts[i]);
    if (!fits || strncmp(lower, "good", 4) == 0 || strstr(lower, "flag") || length < 2 || *count == IO_HDF5_WAVES ||
        strlen(name) >= IO_HDF5_NAME)
        return;
    snprintf(waves[*count].name, IO_HDF5_NAME, "%s", name);
    waves[*count].attribute = attribute;
    waves[(*count)++].length = length;
}

typedef struct {
    io_hdf5_wave *waves;
    size_t *count;
} attribute_walk;

static herr_t look_at_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    attribute_walk *w = data;
    hid_t a = H5Aopen(object, name, H5P_DEFAULT), space = a < 0 ? -1 : H5Aget_space(a);

    (void)info;
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 1)
        io_hdf5_add_wave(w->waves, w->count, name, true, (uint64_t)H5Sget_simple_extent_npoints(space));
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Aclose, a);
    return 0;
}

void io_hdf5_find_waves(hid_t file, io_hdf5_wave waves[IO_HDF5_WAVES], size_t *count)
{
    attribute_walk w = {.waves = waves, .count = count};

    H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_attribute, &w);
}

bool io_hdf5_find_axes(hid_t set, const char *name, const uint64_t extents[3], const io_hdf5_wave *waves, size_t count,
                       char axes[4])
{
    char names[3][IO_HDF5_NAME] = {"", "", ""}, axis[3];
    size_t fitting = 0, at = 0;

    if (read_scales(set, 3, names) || read_texts(set, "DIMENSION_LABELS", 3, names)) {
        for (size_t i = 0; i < 3; i++)
            axis[i] = io_cube_axis_of(names[i]);
        if (io_cube_axes_by_names(axis, axes))
            return true;
    }
    if (strstr(name, "HDFEOS/SWATHS/PRS_") && strstr(last_part(name), "_Cube")) { /* PRISMA: rows x bands x columns */
        snprintf(axes, 4, "rbc");
        return true;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < count; k++)
            if (waves[k].length == extents[i] && (fitting == 0 || at != i)) {
                at = i;
                fitting++;
            }
    if (fitting == 1)
        snprintf(axes, 4, "%s", at == 0 ? "brc" : at == 1 ? "rbc" : "rcb");
    return fitting == 1;
}

/* ---- facts about bands ---- */

/* A list of this length as nanometres; *stated: with its unit. */
static bool read_wave(hid_t file, const io_hdf5_wave *w, double *out, bool *stated)
{
    char unit[1][IO_HDF5_NAME] = {""};
    double scale;
    hid_t set, type;
    bool ok;

    if (w->attribute) {
        *stated = false;
        return read_numbers(file, w->name, out, w->length) == w->length;
    }
    set = H5Dopen2(file, w->name, H5P_DEFAULT);
    type = set < 0 ? -1 : H5Dget_type(set);
    ok = type >= 0 && (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER) &&
         H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    (void)(ok && (read_texts(set, "units", 1, unit) || read_texts(set, "unit", 1, unit)));
    scale = io_cube_nanometres(unit[0]);
    *stated = !isnan(scale);
    for (size_t i = 0; ok && *stated && i < w->length; i++)
        out[i] *= scale;
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Dclose, set);
    return ok;
}

void io_hdf5_take_waves(penta_io_cube *cube, hid_t file, const io_hdf5_wave *waves, size_t count)
{
    penta_io_cube_info *w = &cube->whole;
    double *list = malloc(w->bands * sizeof *list);
    bool stated = false, done = false;

    for (size_t k = 0; list && !done && k < count; k++) {
        done = waves[k].length == w->bands && read_wave(file, &waves[k], list, &stated);
        for (size_t i = 0; done && i < w->bands; i++)
            w->each[i].wavelength = isfinite(list[i]) && list[i] > 0 ? list[i] : 0;
    }
    if (done && !stated)
        io_cube_guess_micrometres(w);
    free(list);
}

void io_hdf5_take_facts(penta_io_cube *cube, hid_t file, hid_t set, const io_hdf5_wave *waves, size_t count,
                        bool raw_values)
{
    double gain = 1, offset = 0, none = 0;
    bool has = read_numbers(set, "_FillValue", &none, 1) || read_numbers(set, "missing_value", &none, 1);

    if (!raw_values) {
        read_numbers(set, "scale_factor", &gain, 1);
        read_numbers(set, "add_offset", &offset, 1);
    }
    for (size_t i = 0; i < cube->whole.bands; i++)
        cube->whole.each[i] =
            (penta_io_cube_band){.gain = gain, .offset = offset, .has_no_data = has, .no_data = has ? none : 0};
    io_hdf5_take_waves(cube, file, waves, count);
}

#else
typedef int io_cube_hdf5_facts_is_empty;
#endif
