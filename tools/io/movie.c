/* Movies. */
#include "io/movie.h"

bool io_movie_open(const char *path, const io_movie_hints *hints, io_movie *out, io_error *err)
{
    (void)hints;
    *out = (io_movie){0};
    return io_fail(err, "%s: to be written", path);
}

void io_movie_close(io_movie *movie)
{
    *movie = (io_movie){0};
}
