/* Shared by the formats of cubes. */
#include "io/cube_format.h"
#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool io_cube_is_type(penta_type type)
{
    return penta_type_size(type) > 0 && type != PENTA_I64;
}

bool io_cube_unknown(penta_io_cube *cube, const char *reason, const char *drivers, penta_io_error *err)
{
    cube->unknown = true;
    snprintf(cube->reason, sizeof cube->reason, "%s", reason);
    snprintf(cube->others, sizeof cube->others, "%s", drivers);
    return penta_io_fail(err, "%s: unknown format", cube->path);
}

uint64_t io_cube_bytes(const penta_io_cube_info *whole)
{
    uint64_t pixels = io_product(whole->rows, whole->cols);
    uint64_t bytes = io_product(io_product(pixels, whole->bands), penta_type_size(whole->type));

    return bytes > SIZE_MAX / 2 ? UINT64_MAX : bytes;
}

char *penta_io_cube_header_name(const char *data)
{
    const char *slash = strrchr(data, '/');
    const char *dot = strrchr(slash ? slash : data, '.');
    size_t stem = dot ? (size_t)(dot - data) : strlen(data);
    char *name = malloc(stem + sizeof ".hdr");

    if (name)
        snprintf(name, stem + sizeof ".hdr", "%.*s.hdr", (int)stem, data);
    return name;
}
