/* Which index of an array is which axis of the cube, where a format reads it in another order. */
#include "io/cube_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/numbers.h>

/* ---- the order ---- */

/* How the array's axes lie in memory, as enum io_cube_order. */
static int memory_order(int layout, const char *axes)
{
    static const int order[][3] = {[PENTA_BSQ] = {0, 1, 2}, [PENTA_BIL] = {1, 0, 2}, [PENTA_BIP] = {1, 2, 0}};
    const int *o = order[layout];

    return io_cube_raw_order((const char[]){axes[o[0]], axes[o[1]], axes[o[2]], 0}, false);
}

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a >= b && a <= b);
}

/* What the file says of its bands can be of other indices only where it says the same of all. */
static bool spread_facts(penta_io_cube *cube, penta_io_error *err)
{
    penta_io_cube_band *all = cube->whole.each, first;

    for (size_t i = 0; all && i < cube->base.bands; i++)
        if (all[i].is_alpha || all[i].is_bad || all[i].mask != PENTA_IO_MASK_NONE ||
            all[i].has_no_data != all[0].has_no_data || !same_number(all[i].no_data, all[0].no_data) ||
            !same_number(all[i].gain, all[0].gain) || !same_number(all[i].offset, all[0].offset))
            return penta_io_fail(err,
                                 "%s: has masks, no-data values, scales or bad bands of single bands, which other axes "
                                 "would leave without a meaning; leave the axes out",
                                 cube->path);
    if (!all || cube->axes[0] == 'b')
        return true;
    first = all[0];
    first.wavelength = 0;
    free(all);
    cube->whole.each = all = calloc(cube->whole.bands, sizeof *all);
    for (size_t i = 0; all && i < cube->whole.bands; i++)
        all[i] = first;
    return all || penta_io_fail(err, "%s: out of memory", cube->path);
}

bool io_cube_set_axes(penta_io_cube *cube, const char *axes, penta_io_error *err)
{
    const uint64_t extents[] = {cube->whole.bands, cube->whole.rows, cube->whole.cols};

    if (strcmp(axes, "brc") == 0)
        return true;
    cube->base = cube->whole;
    snprintf(cube->axes, sizeof cube->axes, "%s", axes);
    io_cube_raw_shape(axes, extents, &cube->whole);
    cube->whole.layout = io_cube_raw_layout(memory_order(cube->base.layout, axes));
    return spread_facts(cube, err);
}

/* ---- reading ---- */

/* The part of the array with these rows of the cube; its bands are all of them unless they are its first index. */
static void choose_box(const penta_io_cube *cube, size_t y, size_t count, size_t *bands, penta_io_cube *box)
{
    bool picked = cube->axes[0] == 'b';
    size_t at[3], n[3];

    for (int i = 0; i < 3; i++) {
        char axis = cube->axes[i];

        at[i] = axis == 'r' ? y : axis == 'c' ? cube->x : 0;
        n[i] = axis == 'r' ? count : axis == 'c' ? cube->about.cols : cube->whole.bands;
    }
    n[0] = picked ? cube->about.bands : n[0];
    for (size_t i = 0; i < n[0]; i++)
        bands[i] = picked ? cube->bands[i] : at[0] + i;
    *box = *cube;
    box->whole = box->about = cube->base;
    box->bands = bands;
    box->about.bands = n[0];
    box->all_bands = n[0] == cube->base.bands && (!picked || cube->all_bands);
    box->y = at[1];
    box->about.rows = n[1];
    box->x = at[2];
    box->about.cols = n[2];
}

/* The elements of the box, which lie in this order, to where the cube has them. */
static bool arrange(const penta_io_cube *cube, int order, size_t count, const unsigned char *from, size_t *bands,
                    void *out, penta_io_error *err)
{
    const io_cube_raw raw = {.memory = from, .order = order};
    penta_io_cube box = *cube;

    box.x = 0;
    box.whole.rows = count;
    box.whole.cols = cube->about.cols;
    if (cube->axes[0] == 'b') { /* only the selected bands were read */
        box.whole.bands = cube->about.bands;
        box.all_bands = true;
        box.bands = bands;
        for (size_t i = 0; i < cube->about.bands; i++)
            bands[i] = i;
    }
    return io_cube_raw_read(&box, &raw, 0, count, out, err);
}

static bool read_box(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    size_t most = cube->base.bands > cube->about.bands ? cube->base.bands : cube->about.bands;
    size_t *bands = malloc(most * sizeof *bands);
    int order = memory_order(cube->base.layout, cube->axes);
    bool straight = order <= IO_ORDER_BIP && (cube->all_bands || cube->axes[0] == 'b'), ok;
    unsigned char *room = NULL;
    penta_io_cube box;

    if (bands)
        choose_box(cube, y, count, bands, &box);
    if (bands && !straight)
        room = malloc(box.about.bands * box.about.rows * box.about.cols * penta_type_size(cube->base.type));
    ok = (bands && (straight || room)) || penta_io_fail(err, "%s: out of memory for %zu rows", cube->path, count);
    ok = ok && cube->format->read(&box, box.y, box.about.rows, straight ? out : room, err) &&
         (straight || arrange(cube, order, count, room, bands, out, err));
    free(room);
    free(bands);
    return ok;
}

bool io_cube_read_rows(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    penta_io_cube raw = *cube;
    size_t n = count * cube->about.cols * cube->about.bands;

    if (cube->stored)
        raw.whole.type = raw.about.type = raw.base.type = io_cube_raw_type(cube->stored);
    return (*cube->axes ? read_box(&raw, y, count, out, err) : cube->format->read(&raw, y, count, out, err)) &&
           io_cube_widen(cube, out, n, err);
}

/* ---- names of dimensions ---- */

char io_cube_axis_of(const char *name)
{
    /* Whole names, or "*part" of them; the first that fits. */
    static const struct {
        const char *name;
        char axis;
    } names[] = {{"*cross", 'c'}, {"*across", 'c'}, {"*track", 'r'},  {"*along", 'r'},   {"*band", 'b'},
                 {"*wave", 'b'},  {"*lambda", 'b'}, {"*spectr", 'b'}, {"*channel", 'b'}, {"*wvl", 'b'},
                 {"b", 'b'},      {"wl", 'b'},      {"*row", 'r'},    {"*line", 'r'},    {"*north", 'r'},
                 {"*lat", 'r'},   {"*scan", 'r'},   {"y", 'r'},       {"r", 'r'},        {"*height", 'r'},
                 {"*ydim", 'r'},  {"*col", 'c'},    {"*sample", 'c'}, {"*east", 'c'},    {"*lon", 'c'},
                 {"*pixel", 'c'}, {"x", 'c'},       {"c", 'c'},       {"*width", 'c'},   {"*xdim", 'c'}};
    char lower[256];
    const char *slash = strrchr(name, '/');
    size_t n = 0;

    for (name = slash ? slash + 1 : name; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    lower[n] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].name[0] == '*' ? strstr(lower, names[i].name + 1) != NULL : strcmp(lower, names[i].name) == 0)
            return names[i].axis;
    return 0;
}

bool io_cube_axes_by_names(const char axis[3], char axes[4])
{
    int missing = 'b' + 'r' + 'c', unknown = 0;
    size_t bands = 3;

    for (size_t i = 0; i < 3; i++) {
        missing -= axis[i];
        unknown += axis[i] == 0;
        bands = axis[i] == 'b' ? i : bands;
    }
    for (size_t i = 0; i < 3; i++)
        axes[i] = axis[i] || unknown != 1 ? axis[i] : (char)missing;
    axes[3] = 0;
    if (unknown < 2 && io_cube_raw_order(axes, false) >= 0)
        return true;
    if (bands < 3) /* rows come before columns */
        memcpy(axes, bands == 0 ? "brc" : bands == 1 ? "rbc" : "rcb", 4);
    return bands < 3;
}

/* ---- what is said where the file does not say it ---- */

void io_cube_doubt_axes(penta_io_cube *cube, const char *what, const uint64_t *extents)
{
    snprintf(cube->note, sizeof cube->note,
             "%s of %llu x %llu x %llu is read as bands x rows x columns; if the last index counts the bands, say "
             "--axes rcb, if the middle one, --axes rbc",
             what, (unsigned long long)extents[0], (unsigned long long)extents[1], (unsigned long long)extents[2]);
}

/* ---- doubts ---- */

/* Most scenes are wider and higher than they have bands, or square. */
bool penta_io_cube_doubt_axes(const penta_io_cube_info *a, bool shaped, char *message, size_t size)
{
    size_t first = a->bands, second = a->rows, last = a->cols;
    bool smallest = last < first && last < second;
    bool npy = strcmp(a->format, "NPY") == 0 && (smallest || (first == second && last != first));
    bool matlab = strncmp(a->format, "MATLAB", strlen("MATLAB")) == 0 && !shaped && first == last && second != last;

    if (npy)
        penta_snprintf(message, size,
                       "%zu x %zu x %zu is read as bands x rows x cols, %zu bands; if the last axis holds the bands, "
                       "say `axes` rcb",
                       first, second, last, first);
    else if (matlab)
        penta_snprintf(message, size,
                       "%zu x %zu x %zu is read as rows x cols x bands, %zu bands; if the first axis holds the bands, "
                       "say `axes` brc",
                       second, last, first, first);
    return npy || matlab;
}
