/*
 * The axes of the pages of a TIFF: https://docs.openmicroscopy.org/ome-model (DimensionOrder, TiffData), the lines of
 * ImageJ's hyperstacks (channels fastest, then slices, then frames) and {"shape": [4, 3, 96, 96], "axes": "TCYX"} of
 * tifffile.
 */
#include "io/tiff_axes.h"

#include <pentacl/numbers.h>
#include <stdio.h>
#include <string.h>

/* The axes of a series but for x and y, the fastest first. */
typedef struct {
    char name[3]; /* C, Z, T */
    uint64_t length[3];
} axis_order;

static uint64_t pages_of(const axis_order *axes)
{
    return io_product(axes->length[0], io_product(axes->length[1], axes->length[2]));
}

static uint32_t *index_of(io_page_place *place, char axis)
{
    return axis == 'C' ? &place->channel : axis == 'Z' ? &place->slice : &place->time;
}

/* The place of plane `plane` of a series. */
static io_page_place place_of(const axis_order *axes, uint64_t plane)
{
    io_page_place place = {0};

    for (size_t i = 0; i < 3; i++) {
        *index_of(&place, axes->name[i]) = (uint32_t)(plane % axes->length[i]);
        plane /= axes->length[i];
    }
    return place;
}

static bool place_all(const axis_order *axes, size_t pages, io_page_place *places)
{
    if (pages_of(axes) != pages || pages > UINT32_MAX)
        return false;
    for (size_t i = 0; i < pages; i++)
        places[i] = place_of(axes, i);
    return true;
}

static uint64_t natural(const char *text)
{
    double value = penta_strtod(text, NULL);

    return value >= 1 && value <= UINT32_MAX ? (uint64_t)value : value >= 0 && value < 1 ? 0 : UINT32_MAX;
}

/* ---- ImageJ ---- */

static bool read_imagej(const char *text, size_t pages, io_page_place *places, bool *unclear)
{
    static const char *const keys[] = {"\nchannels=", "\nslices=", "\nframes="};
    axis_order axes = {{'C', 'Z', 'T'}, {1, 1, 1}};

    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(text, keys[i]);

        axes.length[i] = at ? natural(at + strlen(keys[i])) : 1;
        if (axes.length[i] == 0)
            return false;
    }
    *unclear = axes.length[0] > 1 && pages_of(&axes) != pages;
    return place_all(&axes, pages, places);
}

/* ---- tifffile ---- */

static bool read_shaped(const char *text, size_t pages, io_page_place *places)
{
    axis_order axes = {{'C', 'Z', 'T'}, {1, 1, 1}};
    const char *names = strstr(text, "\"axes\": \""), *shape = strstr(text, "\"shape\": [");
    size_t count = names ? strcspn(names += strlen("\"axes\": \""), "\"") : 0, used = 0;

    if (!shape || count < 3 || count > 8)
        return false;
    shape += strlen("\"shape\": [");
    for (size_t i = count; i-- > 0;) { /* from the fastest */
        const char *at = shape;

        for (size_t k = 0; k < i && at; k++)
            at = (at = strchr(at, ',')) ? at + 1 : NULL;
        if (names[i] == 'Y' || names[i] == 'X' || names[i] == 'S')
            continue;
        if (!at || used == 3 || (names[i] != 'C' && names[i] != 'Z' && names[i] != 'T'))
            return false;
        for (size_t k = used; k < 3; k++) /* the axes that are missing come last */
            if (axes.name[k] == names[i]) {
                axes.name[k] = axes.name[used];
                axes.name[used] = names[i];
            }
        if (axes.name[used] != names[i])
            return false;
        axes.length[used++] = natural(at);
    }
    return axes.length[0] > 0 && axes.length[1] > 0 && axes.length[2] > 0 && place_all(&axes, pages, places);
}

/* ---- OME ---- */

/* An element of XML: what is between < and >. */
typedef struct {
    const char *name, *end; /* name without its prefix; end: the > */
} element;

static bool next_element(const char **at, element *out)
{
    const char *begin = strchr(*at, '<');
    size_t length;

    out->end = begin ? strchr(begin, '>') : NULL;
    if (!out->end)
        return false;
    out->name = begin + 1;
    length = strcspn(out->name, " :\t\r\n/>");
    if (out->name[length] == ':')
        out->name += length + 1;
    *at = out->end + 1;
    return true;
}

static bool is_called(const element *e, const char *name)
{
    size_t length = strlen(name);

    return strncmp(e->name, name, length) == 0 && strchr(" \t\r\n/>", e->name[length]) != NULL;
}

/* The value of an attribute, up to its quote; NULL if there is none. */
static const char *attribute(const element *e, const char *name, size_t *length)
{
    char key[32];
    int n = snprintf(key, sizeof key, "%s=", name);

    for (const char *at = strstr(e->name, key); at && at < e->end; at = strstr(at + 1, key)) {
        const char *value = at + n;

        if ((at[-1] != ' ' && at[-1] != '\n' && at[-1] != '\t') || (*value != '"' && *value != '\''))
            continue;
        *length = strcspn(value + 1, *value == '"' ? "\"" : "'");
        return value + 1 + *length <= e->end ? value + 1 : NULL;
    }
    return NULL;
}

static uint64_t number_of(const element *e, const char *name, uint64_t absent)
{
    size_t length;
    const char *value = attribute(e, name, &length);

    return value ? natural(value) : absent;
}

typedef struct {
    const char *path;
    uint32_t samples;
    size_t pages, placed;
    io_page_place *places; /* series UINT32_MAX: not placed yet */
    bool any_name;         /* pages that are said to be of a file of another name count too: it was renamed */
    bool ok;
    uint32_t series; /* so far */
    axis_order axes; /* of the last of them */
} ome;

static bool begin_series(ome *o, const element *e)
{
    static const struct {
        char name;
        const char *size;
    } sizes[] = {{'C', "SizeC"}, {'Z', "SizeZ"}, {'T', "SizeT"}};
    size_t length = 0;
    const char *order = attribute(e, "DimensionOrder", &length);

    if (!order || length != 5)
        return false;
    for (size_t i = 0; i < 3; i++) {
        uint64_t size = 0;

        o->axes.name[i] = order[2 + i];
        for (size_t k = 0; k < 3; k++)
            if (sizes[k].name == order[2 + i])
                size = number_of(e, sizes[k].size, 1);
        if (o->axes.name[i] == 'C' && o->samples > 1)
            size = size > o->samples ? size / o->samples : 1;
        o->axes.length[i] = size;
        if (size == 0 || (i > 0 && o->axes.name[i] == o->axes.name[i - 1]))
            return false;
    }
    o->series++;
    return true;
}

static bool is_other_file(const ome *o, const char *at)
{
    const char *slash = strrchr(o->path, '/'), *base = slash ? slash + 1 : o->path, *name;
    size_t length;
    element e;

    if (o->any_name || !next_element(&at, &e) || !is_called(&e, "UUID") || !(name = attribute(&e, "FileName", &length)))
        return false;
    return strlen(base) != length || memcmp(base, name, length) != 0;
}

/* Pages IFD, IFD + 1, ... are the planes from FirstC, FirstZ, FirstT on. */
static void place_pages(ome *o, const element *e)
{
    uint64_t all = pages_of(&o->axes), page = number_of(e, "IFD", 0);
    uint64_t count = number_of(e, "PlaneCount", number_of(e, "IFD", UINT32_MAX) < UINT32_MAX ? 1 : all);
    uint64_t plane = 0, stride = 1;

    for (size_t i = 0; i < 3; i++) {
        char key[] = {'F', 'i', 'r', 's', 't', o->axes.name[i], 0};
        uint64_t first = number_of(e, key, 0);

        if (o->axes.name[i] == 'C' && o->samples > 1)
            first /= o->samples;
        if (first >= o->axes.length[i])
            o->ok = false;
        plane += io_product(first, stride) & UINT32_MAX;
        stride = io_product(stride, o->axes.length[i]);
    }
    for (; o->ok && count > 0 && page < o->pages && plane < all; count--, page++, plane++) {
        io_page_place *place = &o->places[page];

        o->ok = place->series == UINT32_MAX; /* no page is two planes */
        *place = place_of(&o->axes, plane);
        place->series = o->series - 1;
        o->placed++;
    }
}

static bool read_ome(const char *text, ome *o)
{
    element e;

    *o = (ome){.path = o->path, .samples = o->samples, .pages = o->pages, .places = o->places, .any_name = o->any_name};
    o->ok = true;
    for (size_t i = 0; i < o->pages; i++)
        o->places[i].series = UINT32_MAX;
    while (o->ok && next_element(&text, &e))
        if (is_called(&e, "Pixels"))
            o->ok = begin_series(o, &e);
        else if (is_called(&e, "TiffData") && o->series > 0 && (e.end[-1] == '/' || !is_other_file(o, text)))
            place_pages(o, &e);
    if (o->ok && o->placed == 0 && o->series == 1 && pages_of(&o->axes) == o->pages)
        return place_all(&o->axes, o->pages, o->places);
    return o->ok && o->placed == o->pages;
}

bool io_tiff_axes_read(const char *description, const char *path, uint32_t samples, size_t pages, io_page_place *places,
                       bool *depth_stated, bool *unclear)
{
    ome o = {.path = path, .samples = samples, .pages = pages, .places = places};
    bool ok;

    *depth_stated = *unclear = false;
    if (strncmp(description, "ImageJ=", 7) == 0)
        return read_imagej(description, pages, places, unclear);
    if (description[0] == '{')
        return read_shaped(description, pages, places);
    if (!strstr(description, "<OME") && !strstr(description, ":OME"))
        return false;
    ok = read_ome(description, &o);
    if (!ok && o.placed == 0) {
        o.any_name = true;
        ok = read_ome(description, &o);
    }
    *depth_stated = ok;
    *unclear = !ok && o.series > 0;
    return ok;
}
