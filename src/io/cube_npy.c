/* NPY cubes: bands x rows x cols. */
#include "io/cube_format.h"
#include "io/npy_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SUPPORTED "|u1 |i1 <u2 <i2 <f2 <u4 <i4 <f4 <u8 <i8 <f8, and the same with >"

/* Elements that are read as others. */
static int stored_as(const char *kind)
{
    static const char names[][3] = {
        [IO_STORED_I8] = "i1", [IO_STORED_F16] = "f2", [IO_STORED_I64] = "i8", [IO_STORED_U64] = "u8"};

    for (int i = IO_STORED_I8; i <= IO_STORED_U64; i++)
        if (strcmp(kind, names[i]) == 0)
            return i;
    return IO_STORED_SAME;
}

static bool take_type(penta_io_cube *cube, io_npy_header *h, penta_io_error *err)
{
    const char *kind = h->descr[0] ? h->descr + 1 : "";

    cube->stored = stored_as(kind);
    if (cube->stored) {
        h->type = io_cube_raw_type(cube->stored);
        h->swapped = cube->stored != IO_STORED_I8 && h->descr[0] == (io_host_is_little() ? '>' : '<');
        return true;
    }

    if (*kind == 'c')
        return penta_io_fail(err, "%s: its elements are complex (%s); save a.real or numpy.abs(a)", cube->path,
                             h->descr);
    if (!h->known || h->truth || !io_cube_is_type(h->type))
        return penta_io_fail(err,
                             "%s: elements of type '%s' are not supported (" SUPPORTED " are); save a.astype('<f8')",
                             cube->path, h->descr);
    return true;
}

/* Checks that the file holds exactly the array. */
static bool check_size(const penta_io_cube *cube, const io_npy_header *h, penta_io_error *err)
{
    const penta_io_cube_info *w = &cube->whole;
    uint64_t there = cube->input.bytes - h->data_at;
    uint64_t bytes = io_cube_bytes(w);

    if (bytes > there)
        return penta_io_fail(err,
                             "%s: its header asks for %zu bands of %zu rows x %zu columns of %s, but only %" PRIu64
                             " bytes follow it; the file is truncated or damaged: copy or save it again",
                             cube->path, w->bands, w->rows, w->cols, penta_type_name(w->type), there);
    if (bytes < there && bytes > 0)
        return penta_io_fail(
            err, "%s: %" PRIu64 " bytes follow the array that its header describes; save one array per file",
            cube->path, there - bytes);
    return true;
}

static bool npy_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    io_cube_raw *raw = cube->state = calloc(1, sizeof *raw);
    io_npy_header h;

    const char *axes = hints->axes ? hints->axes : "brc";

    if (!raw)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    if (!io_npy_read_header(&cube->input, &h, err) || !take_type(cube, &h, err))
        return false;
    if (hints->mask && h.dimensions == 2) { /* one band */
        h.shape[2] = h.shape[1];
        h.shape[1] = h.shape[0];
        h.shape[0] = 1;
        h.dimensions = 3;
    }
    if (h.dimensions != 3)
        return penta_io_fail(err, "%s: the array has %zu dimension%s; a cube has 3 (bands, rows, cols): reshape it",
                             cube->path, h.dimensions, h.dimensions == 1 ? "" : "s");
    *raw = (io_cube_raw){.in = &cube->input, .at = h.data_at, .swapped = h.swapped};
    raw->order = io_cube_raw_order(axes, h.fortran);
    cube->whole = (penta_io_cube_info){.type = h.type, .layout = io_cube_raw_layout(raw->order), .format = "NPY"};
    io_cube_raw_shape(axes, h.shape, &cube->whole);
    return check_size(cube, &h, err);
}

static bool npy_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    return io_cube_raw_read(cube, cube->state, y, count, out, err);
}

static void npy_close(penta_io_cube *cube)
{
    free(cube->state);
}

static bool npy_at(size_t i, penta_io_format *out)
{
    static const char *const ends[] = {"npy", NULL};

    *out = (penta_io_format){.name = "NPY", .ends = ends, .read = true, .write = true};
    return i == 0;
}

const io_cube_format io_cube_npy = {
    .at = npy_at, .matches = io_npy_matches, .open = npy_open, .read = npy_read, .close = npy_close, .has_axes = true};
