/* What HDF5 files say of a cube: names of dimensions (netCDF-4's scales, h5py's labels), wavelengths, no-data values.
 */
#define _GNU_SOURCE /* strcasestr */

#include "io/cube_hdf5.h"

#ifdef PENTA_HAVE_HDF5

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/path.h"

/* ---- attributes ---- */

typedef struct {
    hid_t a, type, space; /* negative: there is none */
    hssize_t count;
} attribute;

/* Of an object of the file, "." for itself. */
static attribute open_attribute(hid_t from, const char *object, const char *name)
{
    attribute t = {-1, -1, -1, 0};

    if (H5Aexists_by_name(from, object, name, H5P_DEFAULT) > 0)
        t.a = H5Aopen_by_name(from, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (t.a >= 0) {
        t.type = H5Aget_type(t.a);
        t.space = H5Aget_space(t.a);
        t.count = H5Sget_simple_extent_npoints(t.space);
    }
    return t;
}

static void close_attribute(attribute t)
{
    io_hdf5_close(H5Sclose, t.space);
    io_hdf5_close(H5Tclose, t.type);
    io_hdf5_close(H5Aclose, t.a);
}

static bool is_number(hid_t type)
{
    return type >= 0 && (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT);
}

/* Exactly `count` numbers of an attribute; false: it is missing, or has others. */
static bool read_numbers(hid_t from, const char *object, const char *name, double *out, size_t count)
{
    attribute t = open_attribute(from, object, name);
    bool ok = is_number(t.type) && t.count == (hssize_t)count && H5Aread(t.a, H5T_NATIVE_DOUBLE, out) >= 0;

    close_attribute(t);
    return ok;
}

bool io_hdf5_read_texts(hid_t object, const char *name, size_t count, char out[][IO_HDF5_NAME])
{
    attribute t = open_attribute(object, ".", name);
    bool ok = t.type >= 0 && H5Tget_class(t.type) == H5T_STRING && t.count == (hssize_t)count;
    bool variable = ok && H5Tis_variable_str(t.type) > 0;
    size_t size = variable ? sizeof(char *) : ok ? H5Tget_size(t.type) : 0;
    char *room = size > 0 && size < (1 << 16) ? calloc(count, size) : NULL;

    ok = room && H5Aread(t.a, t.type, room) >= 0;
    for (size_t i = 0; ok && i < count; i++) {
        const char *text = room + i * size;

        if (variable)
            memcpy(&text, room + i * size, sizeof text);
        snprintf(out[i], IO_HDF5_NAME, "%.*s", variable ? IO_HDF5_NAME - 1 : (int)size, text ? text : "");
    }
    if (ok && variable)
        H5Dvlen_reclaim(t.type, t.space, H5P_DEFAULT, room);
    free(room);
    close_attribute(t);
    return ok;
}

/* Names of scales that are attached to the data set's three dimensions, as netCDF-4 does. */
static bool read_scales(hid_t set, char out[3][IO_HDF5_NAME])
{
    attribute t = open_attribute(set, ".", "DIMENSION_LIST");
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    hvl_t lists[3] = {{0}};
    bool ok = t.a >= 0 && t.count == 3 && H5Aread(t.a, type, lists) >= 0;

    for (size_t i = 0; ok && i < 3; i++) {
        hid_t scale = lists[i].len > 0 ? H5Rdereference2(t.a, H5P_DEFAULT, H5R_OBJECT, lists[i].p) : -1;

        if (scale >= 0)
            H5Iget_name(scale, out[i], IO_HDF5_NAME);
        io_hdf5_close(H5Oclose, scale);
    }
    if (ok)
        H5Dvlen_reclaim(type, t.space, H5P_DEFAULT, lists);
    io_hdf5_close(H5Tclose, type);
    close_attribute(t);
    return ok;
}

/* ---- wavelengths ---- */

void io_hdf5_add_wave(io_hdf5_walk *w, const char *object, const char *name, uint64_t length)
{
    static const char *const parts[] = {"wavelength", "lambda", "wvl", "band_center", "list_cw_"};
    const char *last = *name ? name : io_path_base(object);
    bool fits = strcasecmp(last, "wave") == 0 || strcasecmp(last, "wl") == 0;
    io_hdf5_wave *wave = &w->waves[w->wave_count];

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fits = fits || strcasestr(last, parts[i]);
    if (!fits || strncasecmp(last, "good", 4) == 0 || strcasestr(last, "flag") || length < 2 ||
        w->wave_count == IO_HDF5_WAVES || strlen(object) >= IO_HDF5_NAME || strlen(name) >= IO_HDF5_NAME)
        return;
    snprintf(wave->object, IO_HDF5_NAME, "%s", object);
    snprintf(wave->name, IO_HDF5_NAME, "%s", name);
    wave->length = length;
    w->wave_count++;
}

/* Of the object w->owner. */
static herr_t look_at_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    attribute t = open_attribute(object, ".", name);
    io_hdf5_walk *w = data;

    (void)info;
    if (t.count > 1)
        io_hdf5_add_wave(w, w->owner, name, (uint64_t)t.count);
    close_attribute(t);
    return 0;
}

void io_hdf5_add_attributes(io_hdf5_walk *w, hid_t object, const char *owner)
{
    w->owner = owner;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_attribute, w);
}

/* A list of this length as nanometres; *stated: with its unit. */
static bool read_wave(hid_t file, const io_hdf5_wave *w, double *out, bool *stated)
{
    char unit[1][IO_HDF5_NAME] = {""};
    double scale;
    hid_t set, type;
    bool ok;

    *stated = false;
    if (*w->name)
        return read_numbers(file, w->object, w->name, out, w->length);
    set = H5Dopen2(file, w->object, H5P_DEFAULT);
    type = set < 0 ? -1 : H5Dget_type(set);
    ok = is_number(type) && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    (void)(ok && (io_hdf5_read_texts(set, "units", 1, unit) || io_hdf5_read_texts(set, "unit", 1, unit)));
    scale = io_cube_nanometres(unit[0]);
    *stated = !isnan(scale);
    for (size_t i = 0; ok && *stated && i < w->length; i++)
        out[i] *= scale;
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Dclose, set);
    return ok;
}

void io_hdf5_take_waves(penta_io_cube *cube, hid_t file, const io_hdf5_walk *s)
{
    penta_io_cube_info *w = &cube->whole;
    double *list = malloc(w->bands * sizeof *list);
    bool stated = false, done = false;

    for (size_t k = 0; list && !done && k < s->wave_count; k++) {
        done = s->waves[k].length == w->bands && read_wave(file, &s->waves[k], list, &stated);
        for (size_t i = 0; done && i < w->bands; i++)
            w->each[i].wavelength = isfinite(list[i]) && list[i] > 0 ? list[i] : 0;
    }
    if (done && !stated)
        io_cube_guess_micrometres(w);
    free(list);
}

bool io_hdf5_take_facts(penta_io_cube *cube, hid_t file, hid_t set, const io_hdf5_walk *w, penta_io_error *err)
{
    penta_io_cube_info *out = &cube->whole;
    penta_io_cube_band all = {.gain = 1};

    out->each = calloc(out->bands > 0 ? out->bands : 1, sizeof *out->each);
    if (!out->each)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    all.has_no_data = read_numbers(set, ".", "_FillValue", &all.no_data, 1) ||
                      read_numbers(set, ".", "missing_value", &all.no_data, 1);
    if (!w->hints->raw_values) {
        read_numbers(set, ".", "scale_factor", &all.gain, 1);
        read_numbers(set, ".", "add_offset", &all.offset, 1);
    }
    for (size_t i = 0; i < out->bands; i++)
        out->each[i] = all;
    io_hdf5_take_waves(cube, file, w);
    return true;
}

/* ---- axes ---- */

bool io_hdf5_find_axes(hid_t set, const io_hdf5_walk *w, const uint64_t extents[3], char axes[4])
{
    char names[3][IO_HDF5_NAME] = {"", "", ""}, axis[3];
    size_t fitting = 0, at = 0;

    if (read_scales(set, names) || io_hdf5_read_texts(set, "DIMENSION_LABELS", 3, names)) {
        for (size_t i = 0; i < 3; i++)
            axis[i] = io_cube_axis_of(names[i]);
        if (io_cube_axes_by_names(axis, axes))
            return true;
    }
    if (strstr(w->name, "HDFEOS/SWATHS/PRS_") && strstr(io_path_base(w->name), "_Cube")) {
        memcpy(axes, "rbc", 4); /* PRISMA: rows x bands x columns */
        return true;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < w->wave_count; k++)
            if (w->waves[k].length == extents[i] && (fitting == 0 || at != i)) {
                at = i;
                fitting++;
            }
    if (fitting == 1)
        memcpy(axes, at == 0 ? "brc" : at == 1 ? "rbc" : "rcb", 4);
    return fitting == 1;
}

#else
typedef int io_cube_hdf5_facts_is_empty;
#endif
