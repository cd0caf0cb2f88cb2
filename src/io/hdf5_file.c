/* Guards around HDF5, and checks of its files before numbers are read. */
#include "io/hdf5_file.h"

#include <string.h>

bool io_hdf5_matches(const io_input *in)
{
    char signature[8];

    /* A user block of 512, 1024, 2048, ... bytes may come first. */
    for (uint64_t at = 0; io_input_read(in, at, signature, sizeof signature); at = at ? 2 * at : 512)
        if (memcmp(signature, "\x89HDF\r\n\x1a\n", sizeof signature) == 0)
            return true;
    return false;
}

#ifndef PENTA_HAVE_HDF5

bool io_hdf5_check_file(const io_input *in, penta_io_error *err)
{
    return penta_io_fail(err, "%s: is HDF5, which this build cannot check: install libhdf5-dev and rebuild", in->path);
}

#else

#include <pthread.h>

/* ---- the library ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

io_hdf5_guard io_hdf5_enter(void)
{
    static bool entered;
    io_hdf5_guard guard = {0};

    pthread_mutex_lock(&lock);
    if (!entered)
        H5dont_atexit(); /* at exit it would print errors about objects of damaged files that it could not close */
    entered = true;
    H5Eget_auto2(H5E_DEFAULT, &guard.report, &guard.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return guard;
}

void io_hdf5_leave(io_hdf5_guard guard)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, guard.report, guard.data);
    pthread_mutex_unlock(&lock);
}

void io_hdf5_close(herr_t (*close)(hid_t), hid_t object)
{
    if (object >= 0)
        close(object);
}

/* ---- what a file holds ---- */

bool io_hdf5_has_member(hid_t group, const char *name)
{
    H5L_info_t info;

    return H5Lexists(group, name, H5P_DEFAULT) > 0 && H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

typedef struct {
    bool inside;     /* all numbers are stored in this file */
    bool compressed; /* possibly compressed */
    uint64_t stored; /* bytes in the file */
    double piece;    /* bytes read at a time */
    double all;      /* bytes of all numbers */
} set_facts;

static set_facts look_at(const io_input *in, hid_t set)
{
    hid_t how = H5Dget_create_plist(set), type = H5Dget_type(set), space = H5Dget_space(set);
    H5D_layout_t layout = how < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(how);
    hsize_t chunk[H5S_MAX_RANK] = {0};
    double size = type < 0 ? 0 : (double)H5Tget_size(type);
    set_facts facts = {.stored = H5Dget_storage_size(set)};

    facts.inside = (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
                   H5Pget_external_count(how) == 0 && facts.stored <= in->bytes;
    if (facts.inside && layout == H5D_CHUNKED) {
        int rank = H5Pget_chunk(how, H5S_MAX_RANK, chunk);

        facts.piece = size;
        for (int i = 0; i < rank; i++)
            facts.piece *= (double)chunk[i];
        facts.compressed = H5Pget_nfilters(how) > 0;
        facts.inside = rank > 0;
    }
    facts.all = space < 0 ? 0 : size * (double)H5Sget_simple_extent_npoints(space);
    io_hdf5_close(H5Sclose, space);
    io_hdf5_close(H5Tclose, type);
    io_hdf5_close(H5Pclose, how);
    return facts;
}

static bool fits(const io_input *in, const set_facts *facts)
{
    return facts->piece <= (double)IO_HDF5_INFLATION * (double)in->bytes;
}

bool io_hdf5_is_plausible(const io_input *in, hid_t set, uint64_t bytes)
{
    set_facts facts = look_at(in, set);

    return facts.inside && fits(in, &facts) && bytes / (facts.compressed ? IO_HDF5_INFLATION : 1) <= facts.stored;
}

/* ---- all objects of a file ---- */

typedef struct {
    const io_input *in;
    penta_io_error *err;
    bool failed;
} walk;

static herr_t refuse(walk *w, const char *name, const char *why)
{
    w->failed = true;
    penta_io_fail(w->err, "%s: '%.100s' in this HDF5 file %s", w->in->path, name, why);
    return 1; /* stops the iteration */
}

static herr_t check_set(walk *w, hid_t set, const char *name)
{
    set_facts facts = look_at(w->in, set);

    if (!facts.inside)
        return refuse(w, name, "has its numbers in another file, or is damaged; gather all in one file (h5repack)");
    if (!fits(w->in, &facts) || facts.all > (double)IO_HDF5_INFLATION * (double)w->in->bytes)
        return refuse(w, name, "claims more numbers than the file can hold; it is damaged: copy it again");
    return 0;
}

static herr_t check_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    walk *w = data;
    hid_t object;
    herr_t result = 0;

    if (info->type == H5L_TYPE_SOFT) /* soft links name an object of this file */
        return 0;
    if (info->type != H5L_TYPE_HARD)
        return refuse(w, name, "is a link to another file, which is not followed; copy what it names into this one");
    object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0)
        return refuse(w, name, "cannot be opened; it is damaged: copy it again");
    if (H5Iget_type(object) == H5I_DATASET)
        result = check_set(w, object, name);
    H5Oclose(object);
    return result;
}

bool io_hdf5_check_file(const io_input *in, penta_io_error *err)
{
    io_hdf5_guard guard = io_hdf5_enter();
    walk w = {.in = in, .err = err};
    hid_t file = H5Fopen(in->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool ok = file >= 0 && H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, check_link, &w) >= 0 && !w.failed;

    io_hdf5_close(H5Fclose, file);
    io_hdf5_leave(guard);
    if (!ok && !w.failed)
        penta_io_fail(err, "%s: is HDF5 that cannot be opened; it is truncated or damaged: copy it again", in->path);
    return ok;
}

#endif
