/* The engine `tile` on GPUs for lists of up to STARS_FEW stars: one kernel, which packs and draws. Kernel:
 * cl/stars/few.cl.
 */
#include "math/sizes.h"
#include "stars/few.h"
#include "stars/sums.h"

enum {
    /* cl/stars/few.cl */
    TILE = 32,
    GROUP = 128,
    REPORT = 64, /* stars of a work-group that reports */

    MOST_LOOKS = 1 << 22 /* stars times tiles: beyond, two kernels take less time (docs/development/benchmarks.md) */
};

penta_status stars_few_begin(void *state, penta_buffer *image, size_t rows, double weights)
{
    stars_few_state *s = state;

    (void)image, (void)rows, (void)weights;
    s->drawn = false;
    return PENTA_OK;
}

penta_status stars_few_end(void *state, penta_buffer *image, size_t rows)
{
    stars_few_state *s = state;

    return s->drawn ? PENTA_OK : stars_zero_image(&s->shape, image, rows);
}

static size_t tiles_of(const stars_shape *shape, size_t rows)
{
    return penta_divide_up(shape->width, TILE) * penta_divide_up(rows, TILE);
}

static bool suits(const stars_shape *shape)
{
    return tiles_of(shape, shape->rows) * shape->batch <= MOST_LOOKS;
}

static penta_status create(penta_resources *owner, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    char defines[128];
    stars_few_state *s;

    TRY(penta_calloc(owner, 1, sizeof *s, state));
    s = *state;
    s->shape = *shape;
    stars_psf_defines(shape->psf, shape->moving, shape->dbl, defines, sizeof defines);
    TRY(penta_kernel_get(owner, "stars/few.cl", "stars_few_draw", defines, &s->kernel));
cleanup:
    return status;
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    stars_few_state *s = state;
    const stars_given *g = &batch->given;
    size_t groups = tiles_of(&s->shape, rows) + penta_divide_up(batch->n, REPORT);

    s->drawn = true;
    return penta_launch(&s->kernel, penta_grid_groups(penta_grid_1d(groups * GROUP), GROUP, 1, 1),
                        ARGS(g->x, g->y, g->level, batch->motion_x, batch->motion_y, (int)batch->n,
                             g->magnitudes ? 1 : 0, g->amplitude, g->ln_base, g->norm, s->shape.numbers,
                             s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)g->first_row, (int)rows,
                             g->sums, image));
}

const stars_engine stars_few = {
    .create = create, .begin = stars_few_begin, .draw = draw, .end = stars_few_end, .packs = true, .suits = suits};
