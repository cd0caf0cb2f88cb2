/* The formats of all kinds that this build reads and writes. */
#include "io/formats.h"

static const struct {
    const char *name;
    bool (*at)(size_t i, penta_io_format *out);
} parts[PENTA_IO_KINDS] = {[PENTA_IO_IMAGES] = {"images", io_image_at},
                           [PENTA_IO_CUBES] = {"cubes", io_cube_at},
                           [PENTA_IO_MOVIES] = {"movies", io_movie_at},
                           [PENTA_IO_BODIES] = {"bodies", io_bodies_at},
                           [PENTA_IO_CATALOGS] = {"catalogs", io_catalog_at}};

static bool is_kind(enum penta_io_kind kind)
{
    return (int)kind >= 0 && kind < PENTA_IO_KINDS;
}

const char *penta_io_kind_name(enum penta_io_kind kind)
{
    return is_kind(kind) ? parts[kind].name : "";
}

bool penta_io_format_at(enum penta_io_kind kind, size_t i, penta_io_format *out)
{
    static const char *const none[] = {NULL};

    *out = (penta_io_format){.name = "", .ends = none};
    return is_kind(kind) && parts[kind].at(i, out);
}

void penta_io_format_names(enum penta_io_kind kind, char *text, size_t size)
{
    if (size > 0)
        *text = 0;
    if (size > 0 && is_kind(kind))
        io_format_names(parts[kind].at, text, size);
}
