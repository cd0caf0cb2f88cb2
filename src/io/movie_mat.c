/* Movies in MATLAB 5 files: height x width x frames, which are the rows x cols x bands of a cube. */
#include <pentacl/io/cube.h>
#include "io/movie_format.h"

#include <string.h>

static bool open_matlab(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err)
{
    const penta_io_cube_hints cube_hints = {.variable = hints->variable, .movie = true};
    const penta_io_cube_info *about;
    penta_io_cube *cube = NULL;
    bool ok;

    if (!penta_io_cube_open(in->path, &cube_hints, &cube, err))
        return false;
    about = penta_io_cube_about(cube);
    out->format = "MATLAB";
    out->frames = about->bands;
    out->height = about->rows;
    out->width = about->cols;
    out->type = about->type;
    ok = io_movie_alloc(in, out, err) && penta_io_cube_read(cube, 0, about->rows, out->memory->numbers, err);
    penta_io_cube_close(cube);
    return ok;
}

static bool matlab_matches(const unsigned char *head, size_t size)
{
    return size >= 7 && memcmp(head, "MATLAB ", 7) == 0;
}

static const char *const ends[] = {"mat", NULL};

const io_movie_format io_movie_mat = {.name = "MATLAB",
                                      .ends = ends,
                                      .library = "matio",
#ifndef PENTA_HAVE_MATIO
                                      .missing = "libmatio-dev",
#endif
                                      .matches = matlab_matches,
                                      .open = open_matlab,
                                      .has_variables = true};
