/* Movies of numbers without a header, described by hints.raw. */
#include <inttypes.h>
#include <string.h>

#include "io/format.h"
#include "io/movie_format.h"
#include "io/npy_format.h"

/* The fields of hints.raw. */
typedef struct {
    uint64_t width, height, frames; /* frames 0: as many as the file holds */
    penta_type type;
    bool swapped;
} raw_spec;

static bool unreadable(const char *text, penta_io_error *err)
{
    return penta_io_fail(
        err,
        "'%.60s' does not say what raw numbers are: WIDTHxHEIGHTxFRAMES:TYPE does, such as "
        "100x100x1024:u16le, or WIDTHxHEIGHT:TYPE for all frames of a file; types are u8, and u16, i16, "
        "u32, i32, f32, f64 with le or be",
        text);
}

/* Reads a number from 1 to 2^31 - 1. */
static bool take_number(const char **at, uint64_t *out)
{
    *out = 0;
    for (; **at >= '0' && **at <= '9' && *out <= INT32_MAX; ++*at)
        *out = 10 * *out + (uint64_t)(**at - '0');
    return *out > 0 && *out <= INT32_MAX;
}

static bool take_type(const char *text, raw_spec *spec)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_U32, PENTA_I32, PENTA_F32, PENTA_F64};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *name = penta_type_name(types[i]);
        const char *order = text + strlen(name);
        bool little;

        if (strncmp(text, name, strlen(name)) != 0)
            continue;
        little = strcmp(order, "le") == 0;
        spec->type = types[i];
        spec->swapped = penta_type_size(spec->type) > 1 && little != io_host_is_little();
        return little || strcmp(order, "be") == 0 || (penta_type_size(spec->type) == 1 && !*order);
    }
    return false;
}

static bool parse(const char *text, raw_spec *spec, penta_io_error *err)
{
    const char *at = text;

    *spec = (raw_spec){0};
    if (!take_number(&at, &spec->width) || *at++ != 'x' || !take_number(&at, &spec->height))
        return unreadable(text, err);
    if (*at == 'x' && (at++, !take_number(&at, &spec->frames)))
        return unreadable(text, err);
    return (*at == ':' && take_type(at + 1, spec)) || unreadable(text, err);
}

bool penta_io_movie_check_raw(const char *text, penta_io_error *err)
{
    raw_spec spec;

    return parse(text, &spec, err);
}

/* Checks that the file holds whole frames, and as many as requested. */
static bool check_size(const io_input *in, const char *text, raw_spec *spec, penta_io_error *err)
{
    uint64_t frame = io_product(io_product(spec->width, spec->height), penta_type_size(spec->type));

    if (spec->frames == 0 && in->bytes % frame == 0)
        spec->frames = in->bytes / frame;
    if (spec->frames == 0)
        return penta_io_fail(err,
                             "%s: its %" PRIu64 " bytes are no whole number of frames of %" PRIu64
                             " bytes (%s); correct the size or the type",
                             in->path, in->bytes, frame, text);
    if (io_product(frame, spec->frames) != in->bytes)
        return penta_io_fail(err,
                             "%s: has %" PRIu64 " bytes, not the %" PRIu64 " x %" PRIu64
                             " of %s; it is truncated, or the size or the type is wrong",
                             in->path, in->bytes, spec->frames, frame, text);
    return true;
}

bool io_movie_open_raw(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err)
{
    raw_spec spec;

    if (hints->variable)
        return penta_io_fail(err, "%s: raw numbers have no variables to name; leave that out", in->path);
    if (!parse(hints->raw, &spec, err) || !check_size(in, hints->raw, &spec, err))
        return false;
    out->format = "raw";
    out->frames = (size_t)spec.frames;
    out->height = (size_t)spec.height;
    out->width = (size_t)spec.width;
    out->type = spec.type;
    return io_movie_take_row(in, 0, spec.swapped, out, err);
}
