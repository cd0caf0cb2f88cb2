/* Cubes and movies of the formats that we decode ourselves: NPY and numbers without a header. */
#include "fuzz/fuzz.h"

#include <string.h>

#include <pentacl/io/cube.h>
#include <pentacl/io/movie.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path;

    if (fuzz_is_foreign(data, size))
        return -1;
    path = fuzz_file("cube", data, size);
    fuzz_read_movie(path);
    if (size < 6 || memcmp(data, "\x93NUMPY", 6) != 0) /* GDAL gets it */
        return 0;
    fuzz_read_cube(path);
    return 0;
}
