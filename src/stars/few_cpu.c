/* The engine `tile` on CPU devices for lists of up to STARS_FEW stars: one pass over the frame. Kernel:
 * cl/stars/few_cpu.clh. */
#include "math/sizes.h"
#include "stars/few.h"
#include "stars/tiles_cpu.h"

enum { BAND = 32 }; /* rows of a work-item */

static penta_status create(penta_resources *owner, const stars_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    char defines[192];
    stars_few_state *s;

    TRY(penta_calloc(owner, 1, sizeof *s, state));
    s = *state;
    s->shape = *shape;
    stars_rows_defines(shape, false, defines, sizeof defines);
    TRY(penta_kernel_get(owner, "stars/pack.cl", "stars_few_draw", defines, &s->kernel));
cleanup:
    return status;
}

static penta_status draw(void *state, penta_buffer *image, size_t rows, const stars_batch *batch)
{
    stars_few_state *s = state;

    s->drawn = true;
    return penta_launch(&s->kernel, penta_grid_groups(penta_grid_1d(penta_divide_up(rows, BAND)), 1, 1, 1),
                        ARGS(batch->stars, batch->cells, batch->motion_x, batch->motion_y, (int)batch->n,
                             s->shape.numbers, s->shape.samples, s->shape.psf->roi, (int)s->shape.width, (int)rows,
                             image));
}

const stars_engine stars_few_cpu = {.create = create, .begin = stars_few_begin, .draw = draw, .end = stars_few_end};
