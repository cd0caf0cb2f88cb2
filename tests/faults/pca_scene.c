/* The cubes and their rows; each test sweeps over some scenes. */
#include "faults/pca_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/numbers.h"
#include "support/random.h"

const job scene_on_cpu = {0}, scene_as_gpu = {.as_gpu = true};

static pca_scene_cube cube;
static pca_scene_memory pageable, *pinned; /* pinned: transfers use it after they were asked for; or NULL */

const pca_scene_cube *scene_cube(void)
{
    return &cube;
}

pca_scene_memory *scene_host(void)
{
    return pinned ? pinned : &pageable;
}

/* Of piece 0 or 1. */
static penta_type type_of(const pca_scene *s, int i)
{
    return i && s->mixed ? PENTA_F32 : s->type;
}

static size_t place(const pca_scene *s, size_t band, size_t pixel)
{
    size_t row = pixel / COLS, col = pixel % COLS;

    return s->layout == PENTA_BSQ   ? band * PIXELS + pixel
           : s->layout == PENTA_BIL ? (row * s->bands + band) * COLS + col
                                    : pixel * s->bands + band;
}

/* 8 .. 248, so that all types hold them and none is the no-data value; of floats in quarters. */
static void make_pixels(const pca_scene *s)
{
    bool whole = is_integer(s->type);

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

static void make_cube(const pca_scene *s)
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

penta_cube_rows scene_rows(const pca_scene *s, int i)
{
    size_t first = i ? FIRST_ROWS : 0, element = s->layout == PENTA_BSQ ? first * COLS : first * COLS * s->bands;

    return (penta_cube_rows){.rows = i ? ROWS - FIRST_ROWS : FIRST_ROWS,
                             .cols = COLS,
                             .layout = s->layout,
                             .type = type_of(s, i),
                             .data = (const char *)scene_host()->elements[i] + element * penta_type_size(type_of(s, i)),
                             .band_stride = PIXELS,
                             .mask = s->masked ? scene_host()->mask + first * COLS : NULL};
}

void scene_have_memory(const pca_scene *s, penta_context *ctx)
{
    void *made = NULL;

    if (s->pinned)
        EXPECT_OK(ctx, penta_host_alloc(ctx, sizeof *pinned, &made));
    pinned = made;
    memcpy(scene_host()->elements, cube.elements, sizeof cube.elements);
    memcpy(scene_host()->mask, cube.mask, sizeof cube.mask);
}

void scene_return_memory(penta_context *ctx)
{
    if (pinned)
        penta_host_free(ctx, pinned);
    pinned = NULL;
}

void scene_sweep(const pca_scene *s, const job *how, penta_status (*attempt_scene)(trial *t))
{
    job j = *how;

    j.name = s->name;
    j.attempt = attempt_scene;
    j.what = s;
    j.least = 10;
    make_cube(s);
    scene_forget_model();
    scene_forget_results();
    sweep(&j);
}
