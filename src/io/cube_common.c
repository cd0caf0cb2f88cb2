/* Shared by the formats of cubes. */
#include "io/cube_format.h"
#include "io/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

double io_cube_nanometres(const char *unit)
{
    static const struct {
        const char *name;
        double nm;
    } units[] = {{"nanometers", 1},  {"nanometer", 1},     {"nm", 1},        {"micrometers", 1e3}, {"micrometer", 1e3},
                 {"um", 1e3},        {"\xc2\xb5m", 1e3},   {"microns", 1e3}, {"micron", 1e3},      {"millimeters", 1e6},
                 {"mm", 1e6},        {"centimeters", 1e7}, {"cm", 1e7},      {"meters", 1e9},      {"m", 1e9},
                 {"angstroms", 0.1}, {"unknown", NAN},     {"", NAN}};

    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (strcasecmp(unit, units[i].name) == 0)
            return units[i].nm;
    return unit ? 0 : NAN;
}

void io_cube_guess_micrometres(penta_io_cube_info *whole)
{
    double largest = 0;

    for (size_t k = 0; k < whole->bands; k++)
        largest = fmax(largest, whole->each[k].wavelength);
    for (size_t k = 0; largest < 100 && k < whole->bands; k++)
        whole->each[k].wavelength *= 1e3;
}

bool io_cube_short_file(const penta_io_cube *cube, uint64_t needed, uint64_t there, penta_io_error *err)
{
    const penta_io_cube_info *w = &cube->whole;

    return penta_io_fail(err,
                         "%s: its header asks for %zu bands of %zu rows x %zu columns of %s, %" PRIu64
                         " bytes, but there are %" PRIu64 "; the file is truncated or the header wrong: copy it again",
                         cube->path, w->bands, w->rows, w->cols, penta_type_name(w->type), needed, there);
}

bool io_cube_check_scales(const penta_io_cube *cube, penta_io_error *err)
{
    for (size_t k = 0; k < cube->whole.bands; k++) {
        const penta_io_cube_band *b = &cube->whole.each[k];

        if (!b->is_alpha && !b->is_bad && (!isfinite(b->gain) || b->gain == 0 || !isfinite(b->offset)))
            return penta_io_fail(
                err,
                "%s: band %zu has a gain of %g and an offset of %g, which leave nothing of it; correct "
                "them, or take the elements as they are (`raw_values`)",
                cube->path, k + 1, b->gain, b->offset);
    }
    return true;
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
