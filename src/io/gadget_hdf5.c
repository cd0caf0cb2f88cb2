/*
 * GADGET's HDF5 snapshots: a group Header whose attributes count the particles, and one group PartType<k> per type with
 * the data sets Coordinates, Velocities and, if the header's MassTable has 0, Masses. AREPO and SWIFT write the same.
 */
#include "io/gadget_format.h"
#include "io/hdf5_file.h"
#include <pentacl/io/output.h>

static bool hdf5_matches(const io_input *in, bool sure)
{
    (void)sure;
    return io_hdf5_matches(in);
}

static const char *const ends[] = {"hdf5", "h5", NULL};

#ifndef PENTA_HAVE_HDF5

const io_bodies_format io_bodies_hdf5 = {
    .name = "GADGET's HDF5", .ends = ends, .library = "HDF5", .missing = "libhdf5-dev", .matches = hdf5_matches};

#else

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define NONE               (-1) /* no object; every identifier of HDF5 is >= 0 */
#define MAX_EXACT_INTEGERS 9007199254740992.0

/* ---- reading ---- */

typedef struct {
    const io_input *in;
    penta_io_error *err;
    hid_t file, header;
    io_gadget_header h;
    uint64_t n;
} hdf5_file;

static bool damaged(const hdf5_file *f, const char *what)
{
    return penta_io_fail(
        f->err, "%s: is HDF5, but %s; it is truncated, damaged or not a GADGET snapshot: copy or make it again",
        f->in->path, what);
}

/* Reads up to `room` numbers of an attribute; *count: how many, 0 if there is no such attribute. */
static bool read_attribute(const hdf5_file *f, const char *name, size_t room, double *out, size_t *count)
{
    hid_t attribute = NONE;
    hid_t space = NONE;
    hid_t type = NONE;
    char what[96];
    hssize_t points = 0;
    bool ok = false;

    *count = 0;
    if (H5Aexists(f->header, name) <= 0)
        return true;
    attribute = H5Aopen(f->header, name, H5P_DEFAULT);
    space = attribute < 0 ? NONE : H5Aget_space(attribute);
    type = attribute < 0 ? NONE : H5Aget_type(attribute);
    points = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    if (type >= 0 && (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT) && points > 0 &&
        (uint64_t)points <= room && H5Aread(attribute, H5T_NATIVE_DOUBLE, out) >= 0) {
        *count = (size_t)points;
        ok = true;
    } else {
        snprintf(what, sizeof what, "the attribute %s of its group Header is not as GADGET has it", name);
        damaged(f, what);
    }
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Aclose, attribute);
    return ok;
}

static bool read_number(const hdf5_file *f, const char *name, double *out)
{
    size_t count;

    return read_attribute(f, name, 1, out, &count);
}

static double number_of(const hdf5_file *f, const char *group, const char *name);

static bool read_header(hdf5_file *f)
{
    io_gadget_header *h = &f->h;
    double counts[IO_GADGET_TYPES] = {0};
    double files = 1;
    size_t masses;

    if (!io_hdf5_has_member(f->file, "Header"))
        return damaged(f, "it has no group Header");
    f->header = H5Gopen2(f->file, "Header", H5P_DEFAULT);
    if (f->header < 0)
        return damaged(f, "its Header cannot be opened");
    if (!read_attribute(f, "NumPart_ThisFile", IO_GADGET_TYPES, counts, &h->types) ||
        !read_attribute(f, "MassTable", IO_GADGET_TYPES, h->masses, &masses) || !read_number(f, "Time", &h->time) ||
        !read_number(f, "Redshift", &h->redshift) || !read_number(f, "NumFilesPerSnapshot", &files))
        return false;
    if (h->types == 0)
        return damaged(f, "its Header has no attribute NumPart_ThisFile");
    for (size_t k = 0; k < h->types; k++) {
        if (!(counts[k] >= 0 && counts[k] <= MAX_EXACT_INTEGERS) || counts[k] != floor(counts[k]))
            return damaged(f, "NumPart_ThisFile of its Header is no list of counts");
        h->counts[k] = (uint64_t)counts[k];
    }
    h->omega = number_of(f, "Header", "Omega0");
    h->comoving = number_of(f, "Parameters", "ComovingIntegrationOn") > 0 ||
                  number_of(f, "Cosmology", "Cosmological run") > 0; /* GADGET-4 and AREPO; SWIFT */
    h->files = files > 1 ? (uint64_t)fmin(files, 1e9) : 1;
    return io_gadget_usable(f->in->path, h, &f->n, f->err);
}

/* Opens a data set of `rows` times `width` numbers of this class; NONE with the error set otherwise. */
static hid_t open_set(const hdf5_file *f, hid_t group, size_t type, const char *name, H5T_class_t class, uint64_t rows,
                      size_t width)
{
    hid_t set = io_hdf5_has_member(group, name) ? H5Dopen2(group, name, H5P_DEFAULT) : NONE;
    hid_t space = set < 0 ? NONE : H5Dget_space(set);
    hid_t element = set < 0 ? NONE : H5Dget_type(set);
    hsize_t shape[H5S_MAX_RANK] = {0};
    int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, shape, NULL);
    bool ok = false;

    if (set < 0)
        penta_io_fail(f->err,
                      "%s: PartType%zu/%s is missing in this HDF5 snapshot, though its header counts %" PRIu64
                      " such particles; it is damaged or refers to another file: join the files or make it again",
                      f->in->path, type, name, rows);
    else if ((rank != 2 && (rank != 1 || width != 1)) || shape[0] != rows || (rank == 2 && shape[1] != width))
        penta_io_fail(f->err,
                      "%s: PartType%zu/%s of this HDF5 snapshot has %" PRIu64
                      " rows in %d dimension(s), but its header asks "
                      "for %" PRIu64 " x %zu; it is damaged: copy or make it again",
                      f->in->path, type, name, (uint64_t)shape[0], rank, rows, width);
    else if (element < 0 || H5Tget_class(element) != class)
        penta_io_fail(f->err, "%s: PartType%zu/%s of this HDF5 snapshot holds no %s; make it again", f->in->path, type,
                      name, class == H5T_FLOAT ? "floats" : "whole numbers");
    else if (rows > UINT64_MAX / 64 || !io_hdf5_is_plausible(f->in, set, rows * width * H5Tget_size(element)))
        penta_io_fail(
            f->err,
            "%s: PartType%zu/%s of this HDF5 snapshot claims %" PRIu64 " x %zu numbers, more than the %" PRIu64
            " bytes of the file can hold, or lies in another file; copy it again or run h5repack on the original",
            f->in->path, type, name, rows, width, f->in->bytes);
    else
        ok = true;
    io_hdf5_close(H5Tclose, element);
    io_hdf5_close(H5Sclose, space);
    if (ok)
        return set;
    io_hdf5_close(H5Dclose, set);
    return NONE;
}

/* Selects `count` rows of `width` columns from (row, column) on, out of n rows of seven. */
static hid_t select_columns(uint64_t n, uint64_t row, uint64_t column, uint64_t count, size_t width)
{
    const hsize_t shape[2] = {n, IO_BODY_COLUMNS};
    const hsize_t start[2] = {row, column};
    const hsize_t size[2] = {count, width};
    hid_t space = H5Screate_simple(2, shape, NULL);

    if (space >= 0)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    return space;
}

static const struct {
    const char *name, *old; /* old: of files of earlier programs */
    size_t column, width;
} sets[] = {
    {"Coordinates", "Position", IO_BODY_X, 3}, {"Velocities", "Velocity", IO_BODY_VX, 3}, {"Masses", "Mass", 0, 1}};

enum { SETS = sizeof sets / sizeof *sets, MASSES = SETS - 1 };

/* Opens the group of a type; NONE with the error set. */
static hid_t open_group(const hdf5_file *f, size_t type)
{
    char name[32];
    char what[96];
    hid_t group;

    snprintf(name, sizeof name, "PartType%zu", type);
    group = io_hdf5_has_member(f->file, name) ? H5Gopen2(f->file, name, H5P_DEFAULT) : NONE;
    if (group < 0) {
        snprintf(what, sizeof what, "its group %s, which its header counts, is missing", name);
        damaged(f, what);
    }
    return group;
}

/* Reads one data set of one type into rows from `first` on. rows NULL: only checks whether it can be read. */
static bool take_set(const hdf5_file *f, hid_t group, size_t type, size_t which, uint64_t first, double *rows)
{
    uint64_t count = f->h.counts[type];
    bool old = !io_hdf5_has_member(group, sets[which].name) && io_hdf5_has_member(group, sets[which].old);
    const char *name = old ? sets[which].old : sets[which].name;
    hid_t set = open_set(f, group, type, name, H5T_FLOAT, count, sets[which].width);
    hid_t space;
    bool ok;

    if (set < 0 || !rows) {
        io_hdf5_close(H5Dclose, set);
        return set >= 0;
    }
    space = select_columns(f->n, first, sets[which].column, count, sets[which].width);
    ok = space >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, space, H5S_ALL, H5P_DEFAULT, rows) >= 0;
    if (!ok)
        penta_io_fail(
            f->err,
            "%s: PartType%zu/%s of this HDF5 snapshot cannot be read; it is damaged, or compressed in a way that "
            "this machine's HDF5 does not know: copy it again or run h5repack",
            f->in->path, type, name);
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Dclose, set);
    return ok;
}

/* Reads all types. rows NULL: only checks whether they can be read, before anything is allocated. */
static bool take_types(const hdf5_file *f, double *rows)
{
    uint64_t first = 0;

    for (size_t type = 0; type < f->h.types; first += f->h.counts[type], type++) {
        double mass = f->h.masses[type];
        hid_t group;
        bool ok = true;

        if (f->h.counts[type] == 0)
            continue;
        group = open_group(f, type);
        if (group < 0)
            return false;
        for (size_t which = 0; ok && which < (mass != 0 ? MASSES : SETS); which++)
            ok = take_set(f, group, type, which, first, rows);
        for (uint64_t i = 0; rows && mass != 0 && i < f->h.counts[type]; i++)
            rows[(first + i) * IO_BODY_COLUMNS] = mass;
        io_hdf5_close(H5Gclose, group);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- optional data of a snapshot ---- */

/* One number per particle of all types, read as elements of `size` bytes of this type in memory. */
typedef struct {
    const char *names[4]; /* names in GADGET, AREPO and SWIFT; the first that exists is taken */
    H5T_class_t class;
    hid_t type;
    size_t size;
} extra_set;

static const char *find_name(hid_t group, const extra_set *extra)
{
    for (size_t k = 0; k < sizeof extra->names / sizeof *extra->names && extra->names[k]; k++)
        if (io_hdf5_has_member(group, extra->names[k]))
            return extra->names[k];
    return NULL;
}

/* Reads the set of one type; *found: the type has it. to NULL: only looks for it. False: it cannot be read. */
static bool take_extra_of_type(const hdf5_file *f, const extra_set *extra, size_t type, void *to, bool *found)
{
    hid_t group = open_group(f, type);
    const char *name = group < 0 ? NULL : find_name(group, extra);
    hid_t set = name && to ? open_set(f, group, type, name, extra->class, f->h.counts[type], 1) : NONE;
    bool ok = !to || (set >= 0 && H5Dread(set, extra->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0);

    *found = name != NULL;
    io_hdf5_close(H5Dclose, set);
    io_hdf5_close(H5Gclose, group);
    return ok;
}

/* Reads the set of every type that has particles; *some: a type has it. to NULL: only looks for it. */
static bool take_extra(const hdf5_file *f, const extra_set *extra, unsigned char *to, bool *some)
{
    uint64_t first = 0;
    bool ok = true, found;

    *some = false;
    for (size_t type = 0; ok && type < f->h.types; first += f->h.counts[type], type++) {
        if (f->h.counts[type] == 0)
            continue;
        ok = take_extra_of_type(f, extra, type, to ? to + first * extra->size : NULL, &found);
        *some = *some || found;
    }
    return ok;
}

/* Of runs that are not comoving the smaller one; the parameters of GADGET-4 ("Class") and AREPO ("Type"). 0: none. */
static double softening_of_type(const hdf5_file *f, size_t type)
{
    static const char *const kinds[] = {"Class", "Type"};
    double eps = 0;

    for (size_t k = 0; k < 2 && !(eps > 0); k++) {
        char name[64];
        int kind;
        double most;

        snprintf(name, sizeof name, "Softening%sOfPartType%zu", kinds[k], type);
        kind = (int)fmin(fmax(number_of(f, "Parameters", name), 0), 99);
        snprintf(name, sizeof name, "SofteningMaxPhys%s%d", kinds[k], kind);
        most = number_of(f, "Parameters", name);
        snprintf(name, sizeof name, "SofteningComoving%s%d", kinds[k], kind);
        eps = number_of(f, "Parameters", name);
        eps = most > 0 ? fmin(eps, most) : eps;
    }
    return eps;
}

/* Reads ids and softening; if some particles lack them, or they are invalid, they are left out with a note. */
static bool take_extras(const hdf5_file *f, penta_io_bodies *out)
{
    const extra_set ids = {{"ParticleIDs"}, H5T_INTEGER, H5T_NATIVE_UINT64, sizeof *out->id};
    const extra_set softening = {
        {"Softening", "Softenings", "SofteningLength"}, H5T_FLOAT, H5T_NATIVE_DOUBLE, sizeof *out->softening};
    penta_io_error ignored = {""};
    hdf5_file quiet = *f;
    bool some;

    quiet.err = &ignored;
    if (take_extra(&quiet, &ids, NULL, &some) && some) {
        if (!io_bodies_want_ids(f->in->path, out, f->err))
            return false;
        if (!take_extra(&quiet, &ids, (unsigned char *)out->id, &some)) {
            free(out->id);
            out->id = NULL;
            io_bodies_note(out, "its ParticleIDs are not a whole number for each particle, and are left out");
        }
    }
    if (take_extra(&quiet, &softening, NULL, &some) && some) {
        if (!io_bodies_want_softening(f->in->path, out, f->err))
            return false;
        if (!take_extra(&quiet, &softening, (unsigned char *)out->softening, &some)) {
            free(out->softening);
            out->softening = NULL;
            io_bodies_note(out, "its softening is not a number for each particle, and is left out");
        }
        return true;
    }
    if (!io_bodies_want_softening(f->in->path, out, f->err))
        return false;
    for (size_t type = 0, i = 0; type < f->h.types; type++) {
        double eps = softening_of_type(f, type);

        for (uint64_t left = f->h.counts[type]; left > 0; left--)
            out->softening[i++] = eps;
    }
    return true;
}

static bool take_families(const hdf5_file *f, penta_io_bodies *out)
{
    size_t i = 0;

    if (!io_bodies_want_families(f->in->path, out, f->err))
        return false;
    for (size_t type = 0; type < f->h.types; type++)
        for (uint64_t left = f->h.counts[type]; left > 0; left--)
            out->family[i++] = (uint8_t)type;
    return true;
}

/* The number in an attribute of a group; 0 if there is no attribute or it is not one number. */
static double number_of(const hdf5_file *f, const char *group, const char *name)
{
    penta_io_error ignored = {""};
    hdf5_file other = *f;
    double value = 0;
    size_t count;

    other.err = &ignored;
    other.header = io_hdf5_has_member(f->file, group) ? H5Gopen2(f->file, group, H5P_DEFAULT) : NONE;
    if (other.header < 0)
        return 0;
    if (!read_attribute(&other, name, 1, &value, &count) || count != 1)
        value = 0;
    io_hdf5_close(H5Gclose, other.header);
    return value;
}

#define LENGTH   "UnitLength_in_cm"
#define MASS     "UnitMass_in_g"
#define VELOCITY "UnitVelocity_in_cm_per_s"
#define CHOSEN   "ChosenForG1" /* 1: the bodies came without units */

static void take_units(const hdf5_file *f, penta_io_bodies *out)
{
    static const char *const groups[] = {"Units", "Header", "Parameters"};
    double swift_time = number_of(f, "Units", "Unit time in cgs (U_t)");

    if (number_of(f, "Units", CHOSEN) > 0)
        return;
    for (size_t k = 0; k < sizeof groups / sizeof *groups && out->units.length == 0; k++)
        io_bodies_set_units(out, number_of(f, groups[k], LENGTH), number_of(f, groups[k], MASS),
                            number_of(f, groups[k], VELOCITY));
    if (out->units.length == 0 && swift_time > 0) {
        double length = number_of(f, "Units", "Unit length in cgs (U_L)");

        io_bodies_set_units(out, length, number_of(f, "Units", "Unit mass in cgs (U_M)"), length / swift_time);
    }
}

static bool hdf5_read(const io_input *in, penta_io_bodies *out, penta_io_error *err)
{
    hdf5_file f = {.in = in, .err = err, .file = NONE, .header = NONE};
    io_hdf5_guard guard = io_hdf5_enter();
    bool ok = false;

    f.file = H5Fopen(in->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f.file < 0)
        damaged(&f, "it cannot be opened as such");
    else if (read_header(&f) && take_types(&f, NULL) && io_bodies_alloc(in->path, f.n, out, err))
        ok = take_types(&f, out->rows) && take_families(&f, out) && take_extras(&f, out);
    if (ok)
        take_units(&f, out);
    out->time = f.h.time;
    out->has_time = true;
    io_hdf5_close(H5Gclose, f.header);
    io_hdf5_close(H5Fclose, f.file);
    io_hdf5_leave(guard);
    return ok;
}

/* ---- writing: to memory, then through penta_io_output like any other file ---- */

static bool put_attribute(hid_t group, const char *name, hid_t type, size_t count, const void *values)
{
    const hsize_t shape[1] = {count};
    hid_t space = count > 1 ? H5Screate_simple(1, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? NONE : H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, values) >= 0;

    io_hdf5_close(H5Aclose, attribute);
    io_hdf5_close(H5Sclose, space);
    return ok;
}

/* Units for bodies without units, with G = 1: kpc, km/s, and the mass that follows from them. */
static penta_io_units units_of(const penta_io_bodies *in)
{
    const double kpc = 3.0856775814913673e21, km_per_s = 1e5, g = 6.6743e-8; /* IAU 2012; CODATA 2018, cm^3/g/s^2 */

    return in->units.length > 0 ? in->units : (penta_io_units){kpc, kpc * km_per_s * km_per_s / g, km_per_s};
}

static bool put_number(hid_t group, const char *name, double value)
{
    return put_attribute(group, name, H5T_NATIVE_DOUBLE, 1, &value);
}

static bool put_units(hid_t file, const penta_io_bodies *in)
{
    const penta_io_units u = units_of(in);
    const int chosen = in->units.length > 0 ? 0 : 1;
    hid_t group = H5Gcreate2(file, "Units", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && put_number(group, LENGTH, u.length) && put_number(group, MASS, u.mass) &&
              put_number(group, VELOCITY, u.velocity) && put_number(group, "UnitTime_in_s", u.length / u.velocity) &&
              put_attribute(group, CHOSEN, H5T_NATIVE_INT, 1, &chosen);

    io_hdf5_close(H5Gclose, group);
    return ok;
}

static size_t types_of(const size_t *counts)
{
    size_t types = PENTA_IO_FAMILIES;

    while (types > 6 && counts[types - 1] == 0)
        types--;
    return types;
}

static bool put_counts(hid_t group, const size_t *counts)
{
    const size_t types = types_of(counts);
    unsigned numbers[PENTA_IO_FAMILIES] = {0};
    const unsigned high[PENTA_IO_FAMILIES] = {0};
    const double none[PENTA_IO_FAMILIES] = {0};

    for (size_t k = 0; k < types; k++)
        numbers[k] = (unsigned)counts[k];
    return put_attribute(group, "NumPart_ThisFile", H5T_NATIVE_UINT, types, numbers) &&
           put_attribute(group, "NumPart_Total", H5T_NATIVE_UINT, types, numbers) &&
           put_attribute(group, "NumPart_Total_HighWord", H5T_NATIVE_UINT, types, high) &&
           put_attribute(group, "MassTable", H5T_NATIVE_DOUBLE, types, none);
}

/* Time_GYR is for pynbody, which otherwise takes the age of a universe as the time. */
static bool put_header(hid_t file, const penta_io_bodies *in, const size_t *counts)
{
    static const char *const zeros[] = {"Redshift", "BoxSize", "Omega0", "OmegaLambda"};
    static const char *const flags[] = {"Flag_Sfr", "Flag_Cooling", "Flag_Feedback", "Flag_StellarAge", "Flag_Metals"};
    const double gyr = 1e9 * 365.25 * 86400;
    const penta_io_units u = units_of(in);
    const int no = 0;
    const int one = 1;
    hid_t group = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && put_counts(group, counts) && put_number(group, "Time", in->time) &&
              put_number(group, "Time_GYR", in->time * (u.length / u.velocity) / gyr) &&
              put_number(group, "HubbleParam", 1) &&
              put_attribute(group, "NumFilesPerSnapshot", H5T_NATIVE_INT, 1, &one) &&
              put_attribute(group, "Flag_DoublePrecision", H5T_NATIVE_INT, 1, &one);

    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        ok = ok && put_number(group, zeros[i], 0);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        ok = ok && put_attribute(group, flags[i], H5T_NATIVE_INT, 1, &no);
    io_hdf5_close(H5Gclose, group);
    return ok;
}

/* Writes a data set of n x `width`; `from` selects the elements in memory, H5S_ALL: all. */
static bool put_set(hid_t group, const char *name, uint64_t n, size_t width, hid_t file_type, hid_t type, hid_t from,
                    const void *data)
{
    const hsize_t shape[2] = {n, width};
    hid_t space = H5Screate_simple(width > 1 ? 2 : 1, shape, NULL);
    hid_t set = space < 0 ? NONE : H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && H5Dwrite(set, type, from, H5S_ALL, H5P_DEFAULT, data) >= 0;

    io_hdf5_close(H5Dclose, set);
    io_hdf5_close(H5Sclose, space);
    return ok;
}

static bool put_ids(hid_t group, const penta_io_bodies *in, size_t first, size_t n)
{
    uint64_t *ids = in->id ? in->id + first : malloc(n * sizeof *ids);
    bool ok = false;

    for (size_t i = 0; !in->id && ids && i < n; i++)
        ids[i] = first + i + 1;
    if (ids)
        ok = put_set(group, "ParticleIDs", n, 1, H5T_STD_U64LE, H5T_NATIVE_UINT64, H5S_ALL, ids);
    if (!in->id)
        free(ids);
    return ok;
}

/* Bodies first .. first + n - 1, all of one type. */
static bool put_type(hid_t file, const penta_io_bodies *in, size_t type, size_t first, size_t n)
{
    char name[32];
    hid_t group;
    bool ok;

    snprintf(name, sizeof name, "PartType%zu", type);
    group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ok = group >= 0 && put_ids(group, in, first, n) &&
         (!in->softening ||
          put_set(group, "Softening", n, 1, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5S_ALL, in->softening + first));
    for (size_t k = 0; ok && k < SETS; k++) {
        hid_t from = select_columns(in->n, first, sets[k].column, n, sets[k].width);

        ok = from >= 0 &&
             put_set(group, sets[k].name, n, sets[k].width, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, from, in->rows);
        io_hdf5_close(H5Sclose, from);
    }
    io_hdf5_close(H5Gclose, group);
    return ok;
}

static bool put_bodies(hid_t file, const penta_io_bodies *in)
{
    size_t counts[PENTA_IO_FAMILIES], first = 0;
    bool ok;

    io_bodies_count(in, io_gadget_ranks, counts);
    ok = put_header(file, in, counts) && put_units(file, in);
    for (size_t type = 0; ok && type < PENTA_IO_FAMILIES; first += counts[type], type++)
        ok = counts[type] == 0 || put_type(file, in, type, first, counts[type]);
    return ok;
}

/* Makes the file in memory with HDF5, to be freed; NULL: out of memory. */
static void *make_image(const penta_io_bodies *in, size_t *bytes)
{
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = NONE;
    void *image = NULL;
    ssize_t size = 0;

    if (how >= 0 && H5Pset_fapl_core(how, (size_t)1 << 24, false) >= 0)
        file = H5Fcreate("bodies", H5F_ACC_TRUNC, H5P_DEFAULT, how); /* the name is not used */
    if (file >= 0 && put_bodies(file, in) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0)
        size = H5Fget_file_image(file, NULL, 0);
    if (size > 0)
        image = malloc((size_t)size);
    if (image && H5Fget_file_image(file, image, (size_t)size) != size) {
        free(image);
        image = NULL;
    }
    io_hdf5_close(H5Fclose, file);
    io_hdf5_close(H5Pclose, how);
    *bytes = (size_t)size;
    return image;
}

static bool hdf5_write(const char *path, const penta_io_bodies *in, penta_io_error *err)
{
    io_hdf5_guard guard;
    penta_io_output *output;
    size_t bytes;
    void *image;
    bool ok = false;

    if (in->n > UINT32_MAX)
        return penta_io_fail(err,
                             "%s: a GADGET snapshot holds at most %" PRIu32 " bodies of a type, not %zu; write .npy",
                             path, UINT32_MAX, in->n);
    guard = io_hdf5_enter();
    image = make_image(in, &bytes);
    io_hdf5_leave(guard);
    if (!image)
        return penta_io_fail(err, "%s: out of memory for an HDF5 file of %zu bodies; write .npy", path, in->n);
    if (penta_io_output_open(path, &output, err)) {
        fwrite(image, 1, bytes, penta_io_output_stream(output));
        ok = penta_io_output_commit(output, err);
    }
    free(image);
    return ok;
}

const io_bodies_format io_bodies_hdf5 = {.name = "GADGET's HDF5",
                                         .ends = ends,
                                         .library = "HDF5",
                                         .matches = hdf5_matches,
                                         .read = hdf5_read,
                                         .write = hdf5_write,
                                         .keeps = IO_KEEPS_ALL,
                                         .ranks = io_gadget_ranks};

#endif
