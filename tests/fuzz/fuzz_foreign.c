/* Files that libraries of others decode, read in a process of its own: PENTA_FUZZ_KIND is what for. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE = 1, CUBE = 2, MOVIE = 4, BODIES = 8 };

static void read_all(const char *path)
{
    if (PENTA_FUZZ_KIND & IMAGE)
        fuzz_read_image(path);
    if (PENTA_FUZZ_KIND & MOVIE)
        fuzz_read_movie(path);
    if (PENTA_FUZZ_KIND & BODIES)
        fuzz_read_bodies(path);
    if (PENTA_FUZZ_KIND & CUBE)
        fuzz_read_cube(path);
}

/* The header of an ENVI file comes with data of its own. */
static const char *write_input(const uint8_t *data, size_t size)
{
    uint8_t pixels[512];

    unlink(fuzz_path("input.hdr"));
    if (!(PENTA_FUZZ_KIND & CUBE) || size < 4 || memcmp(data, "ENVI", 4) != 0)
        return fuzz_file("input", data, size);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(37 * i);
    fuzz_file("input.hdr", data, size);
    return fuzz_file("input", pixels, sizeof pixels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_guard(read_all, write_input(data, size));
    return 0;
}
