/* Cubes for the tests of src/io: known numbers, how files have them, and what reading them must give. */
#pragma once

#include "io_files.h"

#include <math.h>

#include <pentacl/io/cube.h>

enum { BANDS = 5, ROWS = 7, COLS = 6, ELEMENTS = BANDS * ROWS * COLS }; /* fewer than 256 elements */

static const penta_type cube_types[] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_U32, PENTA_I32, PENTA_F32, PENTA_F64};

/* Element i of a cube, counted in the order bands x rows x cols; all differ. */
static inline void put_element(penta_type type, size_t i, void *to)
{
    const double x = (double)i;
    const uint8_t u8 = (uint8_t)i;
    const uint16_t u16 = (uint16_t)(300 * i);
    const int16_t i16 = (int16_t)(300 * (int)i - 30000);
    const uint32_t u32 = (uint32_t)(20000000u * i);
    const int32_t i32 = 20000000 * ((int)i - 105);
    const float f32 = i == 3 ? NAN : (float)(0.37 * x - 9);
    const double f64 = i == 3 ? (double)NAN : 1e300 / (x + 1) - x;

    switch (type) {
    case PENTA_U8:
        memcpy(to, &u8, sizeof u8);
        break;
    case PENTA_U16:
        memcpy(to, &u16, sizeof u16);
        break;
    case PENTA_I16:
        memcpy(to, &i16, sizeof i16);
        break;
    case PENTA_U32:
        memcpy(to, &u32, sizeof u32);
        break;
    case PENTA_I32:
        memcpy(to, &i32, sizeof i32);
        break;
    case PENTA_F32:
        memcpy(to, &f32, sizeof f32);
        break;
    case PENTA_F64:
        memcpy(to, &f64, sizeof f64);
        break;
    default:
        fail();
    }
}

static inline size_t element_at(size_t band, size_t row, size_t col)
{
    return (band * ROWS + row) * COLS + col;
}

/* Orders of the axes, the slowest first. */
static const char orders[][4] = {"brc", "rbc", "rcb", "crb", "bcr", "cbr"};

static inline bool host_is_big(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 0;
}

/* The cube in this order and byte order, ELEMENTS * 8 bytes at most. Returns how many. */
static inline size_t fill_cube(penta_type type, const char *order, bool big, unsigned char *to)
{
    size_t size = penta_type_size(type);
    unsigned char *at = to;
    size_t n[128] = {0};
    size_t i[128] = {0};

    n['b'] = BANDS;
    n['r'] = ROWS;
    n['c'] = COLS;
    for (i[(int)order[0]] = 0; i[(int)order[0]] < n[(int)order[0]]; i[(int)order[0]]++)
        for (i[(int)order[1]] = 0; i[(int)order[1]] < n[(int)order[1]]; i[(int)order[1]]++)
            for (i[(int)order[2]] = 0; i[(int)order[2]] < n[(int)order[2]]; i[(int)order[2]]++, at += size) {
                unsigned char element[8];

                put_element(type, element_at(i['b'], i['r'], i['c']), element);
                for (size_t k = 0; k < size; k++)
                    at[k] = element[big == host_is_big() ? k : size - 1 - k];
            }
    return (size_t)(at - to);
}

/* ---- reading ---- */

/* Further drivers of GDAL for open_cube and expect_cube_refused. */
static const char *gdal_drivers;

static inline penta_io_cube *open_cube(const char *path, const penta_io_cube_hints *hints)
{
    penta_io_cube *cube = NULL;
    penta_io_error err = {""};

    if (!penta_io_cube_open_drivers(path, hints, gdal_drivers, &cube, &err))
        fail_msg("cannot be opened: %s", err.text);
    assert_string_equal(err.text, "");
    return cube;
}

typedef struct {
    size_t bands[BANDS + 1], n; /* n 0: all */
    size_t x, y, width, height; /* width 0: everything */
} selection;

static const selection selections[] = {
    {.n = 0},
    {.bands = {3}, .n = 1},
    {.bands = {4, 0, 2, 2}, .n = 4},
    {.bands = {0, 1, 2, 4, 3}, .n = 5},
    {.bands = {0, 1}, .n = 2, .y = 1, .width = COLS, .height = 5},
    {.x = 2, .y = 3, .width = 3, .height = 4},
    {.x = 5, .y = 6, .width = 1, .height = 1},
    {.bands = {1, 4, 3}, .n = 3, .x = 1, .y = 0, .width = 4, .height = 6},
    {.n = 0},
};

/* Rows first .. first + count - 1 of the selection, from exactly as much memory. */
static inline void expect_rows(penta_io_cube *cube, const selection *s, size_t first, size_t count)
{
    const penta_io_cube_info *a = penta_io_cube_about(cube);
    size_t size = penta_type_size(a->type);
    size_t n = a->bands * count * a->cols;
    unsigned char *data = malloc(n * size);
    penta_io_error err = {""};

    assert_non_null(data);
    memset(data, 0x5a, n * size);
    if (!penta_io_cube_read(cube, first, count, data, &err))
        fail_msg("cannot be read: %s", err.text);
    for (size_t i = 0; i < n; i++) {
        size_t c = a->layout == PENTA_BIP ? i / a->bands % a->cols : i % a->cols;
        size_t r = a->layout == PENTA_BSQ ? i / a->cols % count : i / a->cols / a->bands;
        size_t b = a->layout == PENTA_BSQ   ? i / a->cols / count
                   : a->layout == PENTA_BIL ? i / a->cols % a->bands
                                            : i % a->bands;
        size_t band = s->n > 0 ? s->bands[b] : b;
        unsigned char element[8];

        put_element(a->type, element_at(band, s->y + first + r, s->x + c), element);
        if (memcmp(data + i * size, element, size) != 0)
            fail_msg("layout %d, %s: band %zu, row %zu of %zu + %zu, column %zu is wrong", a->layout,
                     penta_type_name(a->type), band, r, first, s->y, c);
    }
    free(data);
}

static inline void select_part(penta_io_cube *cube, const selection *s)
{
    penta_io_error err = {""};

    EXPECT_IO(penta_io_cube_select(cube, s->n ? s->bands : NULL, s->n, s->x, s->y, s->width, s->height, &err), err);
}

/* Every selection in pieces of every size. */
static inline void expect_cube(const char *path, const penta_io_cube_hints *hints, penta_type type, int layout)
{
    penta_io_cube *cube = open_cube(path, hints);
    const penta_io_cube_info *a = penta_io_cube_about(cube);

    assert_int_equal(a->bands, BANDS);
    assert_int_equal(a->type, type);
    assert_int_equal(a->layout, layout);
    for (size_t i = 0; i < COUNT(selections); i++) {
        const selection *s = &selections[i];

        select_part(cube, s);
        assert_int_equal(a->bands, s->n ? s->n : BANDS);
        assert_int_equal(a->rows, s->width ? s->height : ROWS);
        assert_int_equal(a->cols, s->width ? s->width : COLS);
        for (size_t piece = 1; piece <= a->rows; piece++)
            for (size_t first = 0; first < a->rows; first += piece)
                expect_rows(cube, s, first, piece < a->rows - first ? piece : a->rows - first);
    }
    penta_io_cube_close(cube);
}

/* Opening must fail with one line that names `path` and contains `what`, and give nothing. */
static inline void expect_cube_refused(const char *path, const penta_io_cube_hints *hints, const char *what)
{
    penta_io_cube *cube = (penta_io_cube *)&cube;
    penta_io_error err = {""};

    if (penta_io_cube_open_drivers(path, hints, gdal_drivers, &cube, &err)) {
        penta_io_cube_close(cube);
        fail_msg("%s can be opened, but should fail with '%s'", path, what);
    }
    assert_null(cube);
    expect_line(&err, path, what);
}

/* A file that is refused makes no library print anything. */
static inline void expect_cube_refused_silently(const char *path, const penta_io_cube_hints *hints)
{
    const char *output = in_directory("output");
    int kept[2] = {dup(1), dup(2)};
    int file = open(output, O_RDWR | O_CREAT | O_TRUNC, 0600);
    penta_io_cube *cube = NULL;
    struct stat st;
    bool ok;

    fflush(stdout);
    dup2(file, 1);
    dup2(file, 2);
    ok = penta_io_cube_open(path, hints, &cube, NULL);
    fflush(stdout);
    dup2(kept[0], 1);
    dup2(kept[1], 2);
    assert_false(ok);
    assert_int_equal(fstat(file, &st), 0);
    assert_int_equal(st.st_size, 0);
    close(file);
    close(kept[0]);
    close(kept[1]);
}
