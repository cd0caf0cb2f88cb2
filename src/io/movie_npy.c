/* Movies in NPY: frames x height x width. */
#include <inttypes.h>

#include "io/format.h"
#include "io/movie_format.h"
#include "io/npy_format.h"

#define SUPPORTED "|u1 <u2 <i2 <u4 <i4 <f4 <f8, and the same with >"

static bool check_type(const io_input *in, const io_npy_header *h, penta_io_error *err)
{
    if (h->descr[0] && h->descr[1] == 'c')
        return penta_io_fail(err, "%s: its elements are complex (%s); save a.real or numpy.abs(a)", in->path, h->descr);
    if (!h->known || h->truth || !io_movie_is_type(h->type))
        return penta_io_fail(err,
                             "%s: elements of type '%s' are not supported (" SUPPORTED " are); save a.astype('<f4')",
                             in->path, h->descr);
    return true;
}

static bool check_shape(const io_input *in, const io_npy_header *h, penta_io_error *err)
{
    uint64_t there = in->bytes - h->data_at;
    uint64_t bytes = penta_type_size(h->type);

    if (h->dimensions != 3)
        return penta_io_fail(err,
                             "%s: the array has %zu dimension%s; a movie has 3 (frames, height, width): reshape it",
                             in->path, h->dimensions, h->dimensions == 1 ? "" : "s");
    for (size_t i = 0; i < 3; i++)
        bytes = io_product(bytes, h->shape[i]);
    if (bytes == 0)
        return penta_io_fail(err,
                             "%s: the movie is empty (%" PRIu64 " frames of %" PRIu64 " x %" PRIu64 "); save it again",
                             in->path, h->shape[0], h->shape[2], h->shape[1]);
    if (bytes > there)
        return penta_io_fail(err,
                             "%s: its header asks for %" PRIu64 " frames of %" PRIu64 " x %" PRIu64
                             " pixels of %s, but only %" PRIu64
                             " bytes follow it; the file is truncated or damaged: copy or save it again",
                             in->path, h->shape[0], h->shape[2], h->shape[1], penta_type_name(h->type), there);
    if (bytes < there)
        return penta_io_fail(
            err, "%s: %" PRIu64 " bytes follow the array that its header describes; save one array per file", in->path,
            there - bytes);
    return true;
}

static bool open_npy(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err)
{
    io_npy_header h;

    (void)hints;
    if (!io_npy_read_header(in, &h, err) || !check_type(in, &h, err) || !check_shape(in, &h, err))
        return false;
    out->format = "NPY";
    out->frames = (size_t)h.shape[0];
    out->height = (size_t)h.shape[1];
    out->width = (size_t)h.shape[2];
    out->type = h.type;
    return (h.fortran ? io_movie_take_fortran : io_movie_take_row)(in, h.data_at, h.swapped, out, err);
}

static const char *const ends[] = {"npy", NULL};

const io_movie_format io_movie_npy = {.name = "NPY", .ends = ends, .matches = io_npy_matches, .open = open_npy};
