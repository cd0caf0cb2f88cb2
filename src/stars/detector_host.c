/* The detector on the host's cores, for devices without double precision: cl/stars/detector.clh compiled as C, so the
 * frame has the same bits. */
#include <stdlib.h>

#include "stars/detector.h"

#include "math/opencl_as_c.h"

#include "stars/detector.clh"

typedef struct {
    const double *numbers;
    const penta_detector_options *options;
    size_t width;
    uint32_t frame;
    penta_type type; /* of the image */
    const void *image;
    float *dn;
    uint8_t *saturated; /* or NULL */
} job;

static void expose_row(void *data, size_t y)
{
    const job *j = data;
    const penta_detector_options *o = j->options;
    const float *as_float = j->image;
    const double *as_double = j->image;

    for (size_t x = 0; x < j->width; x++) {
        size_t i = y * j->width + x;
        double photons = j->type == PENTA_F64 ? as_double[i] : (double)as_float[i];
        penta_mask full;

        j->dn[i] = (float)expose(j->numbers, photons, (double)x, (long)y, i, (uint32_t)o->seed,
                                 (uint32_t)o->detector_seed, j->frame, &full);
        if (j->saturated)
            j->saturated[i] = full ? 1 : 0;
    }
}

penta_status stars_detector_on_host(penta_context *ctx, const penta_detector_options *o, const double *numbers,
                                    size_t width, size_t height, uint32_t frame, const void *image, penta_type type,
                                    float *dn, uint8_t *saturated)
{
    penta_status status = PENTA_OK;
    job j = {.numbers = numbers, .options = o, .width = width, .frame = frame, .type = type};
    size_t pixels = width * height;
    void *copies[3] = {NULL, NULL, NULL}, *dn_view, *saturated_view = NULL;

    TRY(penta_host_view(ctx, image, pixels * penta_type_size(type), &j.image, &copies[0]));
    TRY(penta_host_room(ctx, dn, pixels * sizeof *dn, &dn_view, &copies[1]));
    if (saturated)
        TRY(penta_host_room(ctx, saturated, pixels, &saturated_view, &copies[2]));
    j.dn = dn_view;
    j.saturated = saturated_view;
    penta_parallel(height, expose_row, &j);
    TRY(penta_host_deliver(ctx, dn_view, dn, pixels * sizeof *dn));
    if (saturated)
        TRY(penta_host_deliver(ctx, saturated_view, saturated, pixels));
cleanup:
    for (int i = 0; i < 3; i++)
        free(copies[i]);
    return status;
}
