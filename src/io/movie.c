/* Movies: which format a file has. */
#define _POSIX_C_SOURCE 200809L

#include <pentacl/io/movie.h>

#include <string.h>
#include <time.h>

#include "io/format.h"
#include "io/movie_format.h"
#include "io/npy_format.h"

static bool tiff_matches(const unsigned char *head, size_t size)
{
    return io_tiff_format.matches(head, size);
}

static bool matlab_matches(const unsigned char *head, size_t size)
{
    return size >= 7 && memcmp(head, "MATLAB ", 7) == 0;
}

static const struct {
    const char *name;
    bool (*matches)(const unsigned char *head, size_t size);
    io_movie_format open;
} formats[] = {{"TIFF", tiff_matches, io_movie_open_tiff},
               {"NPY", io_npy_matches, io_movie_open_npy},
               {"MATLAB", matlab_matches, io_movie_open_matlab}};

static bool open_by_content(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out,
                            penta_io_error *err)
{
    unsigned char head[16] = {0};
    size_t size = in->bytes < sizeof head ? (size_t)in->bytes : sizeof head;

    if (!io_input_read(in, 0, head, size))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", in->path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!formats[i].matches(head, size))
            continue;
        if (hints->variable && formats[i].open != io_movie_open_matlab)
            return penta_io_fail(err, "%s: is %s, and only MATLAB files have variables to name; leave it out", in->path,
                                 formats[i].name);
        return formats[i].open(in, hints, out, err);
    }
    if (size >= 8 && memcmp(head, "\211HDF\r\n\032\n", 8) == 0)
        return penta_io_fail(
            err, "%s: is HDF5, as MATLAB 7.3 has it, which is not read; save it in MATLAB with save(..., '-v7')",
            in->path);
    return penta_io_fail(
        err,
        "%s: is no movie that can be read: those are TIFF, NPY, MATLAB 5, and numbers without a header, of "
        "which you must say the size and type (--raw)",
        in->path);
}

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool penta_io_movie_open(const char *path, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err)
{
    static const penta_io_movie_hints none = {0};
    double start = seconds_now();
    io_input in;
    bool ok;

    *out = (penta_io_movie){0};
    if (!io_input_open(path, &in, err))
        return false;
    hints = hints ? hints : &none;
    ok = (hints->raw ? io_movie_open_raw : open_by_content)(&in, hints, out, err);
    io_input_close(&in);
    out->seconds = seconds_now() - start;
    if (!ok)
        penta_io_movie_close(out);
    return ok;
}
