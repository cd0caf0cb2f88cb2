/* Movies: finds the format of a file. */
#include <pentacl/io/movie.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/formats.h"
#include "io/movie_format.h"

#define IO_MOVIE_FORMAT(id) extern const io_movie_format io_movie_##id;
#include "io/movie_formats.def"

#define IO_MOVIE_FORMAT(id) &io_movie_##id,
static const io_movie_format *const formats[] = {
#include "io/movie_formats.def"
};

enum { FORMATS = sizeof formats / sizeof *formats };

bool io_movie_at(size_t i, penta_io_format *out)
{
    static const char *const raw_ends[] = {"raw", NULL};

    *out = (penta_io_format){.name = "numbers without a header", .ends = raw_ends, .read = true};
    if (i < FORMATS)
        *out = (penta_io_format){.name = formats[i]->name,
                                 .ends = formats[i]->ends,
                                 .library = formats[i]->library,
                                 .package = formats[i]->missing,
                                 .read = !formats[i]->missing};
    return i <= FORMATS;
}

static bool unknown_format(const char *path, penta_io_error *err)
{
    char known[128] = "";

    io_format_names(io_movie_at, known, sizeof known);
    return penta_io_fail(
        err, "%s: is no movie that can be read: those are %s, whose size and type you must give (`raw`)", path, known);
}

static bool open_by_content(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out,
                            penta_io_error *err)
{
    unsigned char head[16] = {0};
    size_t size = in->bytes < sizeof head ? (size_t)in->bytes : sizeof head, i = 0;

    if (!io_input_read(in, 0, head, size))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", in->path);
    while (i < FORMATS && !formats[i]->matches(head, size))
        i++;
    if (i == FORMATS)
        return unknown_format(in->path, err);
    if (hints->variable && !formats[i]->has_variables)
        return penta_io_fail(err, "%s: is %s, and only MATLAB files have variables to name; leave it out", in->path,
                             formats[i]->name);
    if (formats[i]->missing)
        return penta_io_fail(err, "%s: is a %s file; this build has no %s support: install %s and rebuild", in->path,
                             formats[i]->name, formats[i]->name, formats[i]->missing);
    return formats[i]->open(in, hints, out, err);
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
    out->memory = calloc(1, sizeof *out->memory);
    if (out->memory)
        out->memory->hints = hints;
    ok = out->memory ? (hints->raw ? io_movie_open_raw : open_by_content)(&in, hints, out, err)
                     : penta_io_fail(err, "%s: out of memory", path);
    io_input_close(&in);
    out->seconds = seconds_now() - start;
    if (ok)
        out->memory->hints = NULL;
    else
        penta_io_movie_close(out);
    return ok;
}
