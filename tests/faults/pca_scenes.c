/* Scenes of the faults in plans and maps of cubes. */
#include "faults/pca_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/numbers.h"
#include "support/random.h"

struct scene_cube cube;
static memory pageable, *pinned; /* pinned: transfers use it after they were asked for; or NULL */

memory *host(void)
{
    return pinned ? pinned : &pageable;
}

bool is_float(penta_type type)
{
    return type == PENTA_F32 || type == PENTA_F64;
}

/* Of piece 0 or 1. */
static penta_type type_of(const scene *s, int i)
{
    return i && s->mixed ? PENTA_F32 : s->type;
}

static size_t place(const scene *s, size_t band, size_t pixel)
{
    size_t row = pixel / COLS, col = pixel % COLS;

    return s->layout == PENTA_BSQ   ? band * PIXELS + pixel
           : s->layout == PENTA_BIL ? (row * s->bands + band) * COLS + col
                                    : pixel * s->bands + band;
}

/* 8 .. 248, so that all types hold them and none is the no-data value; of floats in quarters. */
static void make_pixels(const scene *s)
{
    bool whole = !is_float(s->type);

    for (size_t p = 0; p < PIXELS; p++) {
        double common = random_uniform();

        cube.mask[p] = !s->masked || p % 11 != 3;
        cube.valid[p] = cube.mask[p];
        for (size_t b = 0; b < s->bands; b++) {
            double v = 8 + 100 * common + (double)(p % COLS) + 100 * random_uniform();

            cube.x[b * PIXELS + p] = whole ? floor(v) : floor(4 * v) / 4;
        }
        if (s->no_data && p % 13 == 5) {
            cube.x[p % s->bands * PIXELS + p] = strtod(s->no_data, NULL);
            cube.valid[p] = 0;
        }
    }
}

void make_cube(const scene *s)
{
    random_seed(21);
    make_pixels(s);
    for (size_t b = 0; b < s->bands; b++)
        for (size_t p = 0; p < PIXELS; p++)
            for (int i = 0; i < 2; i++)
                put_number(type_of(s, i), cube.elements[i], place(s, b, p), cube.x[b * PIXELS + p]);
    for (size_t i = 0; i < s->outs * s->bands; i++)
        cube.matrix[i] = 2 * random_uniform() - 1;
    for (size_t i = 0; i < MOST_BANDS; i++) {
        cube.before[i] = 100 * random_uniform();
        cube.after[i] = random_uniform();
    }
}

/* Piece 0 or 1. */
penta_cube_rows piece(const scene *s, int i)
{
    size_t first = i ? FIRST_ROWS : 0, element = s->layout == PENTA_BSQ ? first * COLS : first * COLS * s->bands;

    return (penta_cube_rows){.rows = i ? ROWS - FIRST_ROWS : FIRST_ROWS,
                             .cols = COLS,
                             .layout = s->layout,
                             .type = type_of(s, i),
                             .data = (const char *)host()->elements[i] + element * penta_type_size(type_of(s, i)),
                             .band_stride = PIXELS,
                             .mask = s->masked ? host()->mask + first * COLS : NULL};
}

/* Memory of the rows and for results; before a trial begins. */
void have_memory(const scene *s, penta_context *ctx)
{
    void *made = NULL;

    if (s->pinned)
        EXPECT_OK(ctx, penta_host_alloc(ctx, sizeof *pinned, &made));
    pinned = made;
    memcpy(host()->elements, cube.elements, sizeof cube.elements);
    memcpy(host()->mask, cube.mask, sizeof cube.mask);
}

void return_memory(penta_context *ctx)
{
    if (pinned)
        penta_host_free(ctx, pinned);
    pinned = NULL;
}

void expect_rows_idle(const trial *t)
{
    expect_idle(t, host(), sizeof *host());
}

/* ---- sweeps ---- */

const job on_cpu = {.dense = 40, .stride = 2}, as_gpu = {.dense = 40, .stride = 2, .as_gpu = true};
const job in_new_context = {.fresh = true, .on_device = true, .dense = 5, .stride = 29};

void sweep_scene(const scene *s, const job *how, penta_status (*attempt_scene)(trial *t))
{
    job j = *how;

    j.name = s->name;
    j.attempt = attempt_scene;
    j.what = s;
    j.least = 10;
    make_cube(s);
    sweep(&j);
}
