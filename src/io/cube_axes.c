/* Which index of an array is which axis of the cube, where a format reads it in another order. */
#include "io/cube_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order ---- */

/* The array's axes from the slowest to the fastest in memory. */
static void memory_order(int layout, const char *axes, char out[4])
{
    static const int order[][3] = {[PENTA_BSQ] = {0, 1, 2}, [PENTA_BIL] = {1, 0, 2}, [PENTA_BIP] = {1, 2, 0}};

    for (int i = 0; i < 3; i++)
        out[i] = axes[order[layout][i]];
    out[3] = 0;
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
    char order[4];
    int layout;

    if (strcmp(axes, "brc") == 0)
        return true;
    cube->base = cube->whole;
    snprintf(cube->axes, sizeof cube->axes, "%s", axes);
    io_cube_raw_shape(axes, extents, &cube->whole);
    memory_order(cube->base.layout, axes, order);
    layout = io_cube_raw_order(order, false);
    cube->whole.layout = layout <= IO_ORDER_BIP ? layout : PENTA_BSQ;
    return spread_facts(cube, err);
}

/* ---- reading ---- */

typedef struct {
    size_t bands, rows, cols; /* how many */
    size_t band, row, col;    /* elements from one to the next */
} steps;

/* Of an array of this many bands, rows and cols whose axes lie so in memory, slowest first. */
static steps steps_of(const char *order, size_t bands, size_t rows, size_t cols)
{
    steps s = {.bands = bands, .rows = rows, .cols = cols};
    size_t step = 1;

    for (int i = 2; i >= 0; i--) {
        *(order[i] == 'b' ? &s.band : order[i] == 'r' ? &s.row : &s.col) = step;
        step *= order[i] == 'b' ? bands : order[i] == 'r' ? rows : cols;
    }
    return s;
}

/* The part of the array with these rows of the cube; its bands are all of them unless they are its first index. */
static void choose_box(const penta_io_cube *cube, size_t y, size_t count, size_t *bands, penta_io_cube *box)
{
    size_t at[3], n[3];

    for (int i = 0; i < 3; i++) {
        char axis = cube->axes[i];

        at[i] = axis == 'r' ? y : axis == 'c' ? cube->x : 0;
        n[i] = axis == 'r' ? count : axis == 'c' ? cube->about.cols : cube->whole.bands;
    }
    if (cube->axes[0] == 'b')
        n[0] = cube->about.bands;
    for (size_t i = 0; i < n[0]; i++)
        bands[i] = cube->axes[0] == 'b' ? cube->bands[i] : at[0] + i;
    *box = *cube;
    box->whole = box->about = cube->base;
    box->bands = bands;
    box->about.bands = n[0];
    box->all_bands = n[0] == cube->base.bands && (cube->axes[0] != 'b' || cube->all_bands);
    box->y = at[1];
    box->about.rows = n[1];
    box->x = at[2];
    box->about.cols = n[2];
}

static inline void copy_element(unsigned char *to, const unsigned char *from, size_t size)
{
    switch (size) { /* a copy of known size is one instruction */
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
    }
}

/* The elements of the box to where the cube has them. */
static void arrange(const penta_io_cube *cube, const char *order, size_t rows, const unsigned char *from,
                    unsigned char *to)
{
    static const char *const layouts[] = {[PENTA_BSQ] = "brc", [PENTA_BIL] = "rbc", [PENTA_BIP] = "rcb"};
    size_t size = penta_type_size(cube->base.type), cols = cube->about.cols, bands = cube->about.bands;
    bool picked = cube->axes[0] == 'b';
    steps in = steps_of(order, picked ? bands : cube->whole.bands, rows, cols);
    steps out = steps_of(layouts[cube->whole.layout], bands, rows, cols);

    for (size_t b = 0; b < bands; b++)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < cols; c++)
                copy_element(to + (b * out.band + r * out.row + c * out.col) * size,
                             from + ((picked ? b : cube->bands[b]) * in.band + r * in.row + c * in.col) * size, size);
}

static bool read_box(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    size_t most = cube->base.bands > cube->about.bands ? cube->base.bands : cube->about.bands;
    size_t *bands = malloc(most * sizeof *bands);
    unsigned char *room = NULL;
    penta_io_cube box;
    char order[4];
    bool ok = bands != NULL, straight;

    memory_order(cube->base.layout, cube->axes, order);
    straight = io_cube_raw_order(order, false) <= IO_ORDER_BIP && (cube->all_bands || cube->axes[0] == 'b');
    if (ok)
        choose_box(cube, y, count, bands, &box);
    if (ok && !straight)
        room = malloc(box.about.bands * box.about.rows * box.about.cols * penta_type_size(cube->base.type));
    ok = ok && (straight || room);
    if (!ok)
        penta_io_fail(err, "%s: out of memory for %zu rows", cube->path, count);
    ok = ok && cube->format->read(&box, box.y, box.about.rows, straight ? out : room, err);
    if (ok && !straight)
        arrange(cube, order, count, room, out);
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
