/* Angle and shift of a frame from the shifts of its tiles. */
#include "prepare/prepare.h"

penta_status prepare_rigid_run(prepare_sums *s, const prepare_shape *shape, penta_buffer *f, penta_buffer *f_mask,
                               penta_buffer *g, penta_buffer *g_mask, int frame, bool rotate, penta_drift *drift)
{
    (void)s;
    (void)shape;
    (void)f;
    (void)f_mask;
    (void)g;
    (void)g_mask;
    (void)frame;
    (void)rotate;
    (void)drift;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_rigid_run: to be written");
}
