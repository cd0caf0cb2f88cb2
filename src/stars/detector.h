/* The detector on images that are on the device already, and on the host. */
#pragma once

#include <pentacl/detector.h>

#include "core/core.h"

/*
 * Enqueues the exposure of rows first_row .. first_row + rows - 1 of a frame. The buffers hold these rows from their
 * start: image of `type` (PENTA_F32 or PENTA_F64, finite), dn_out float, saturated_out uchar or NULL. dn_out may be the
 * image when that is float. Not without double precision.
 */
penta_status stars_detector_apply(penta_detector *detector, uint32_t frame, penta_buffer *image, penta_type type,
                                  size_t first_row, size_t rows, penta_buffer *dn_out, penta_buffer *saturated_out);

/*
 * penta_detector_run by the host's cores (detector_host.c), with the same bits. numbers: those that kernels get. Arrays
 * may be in device memory, and dn the image.
 */
penta_status stars_detector_on_host(penta_context *ctx, const penta_detector_options *o, const double *numbers,
                                    size_t width, size_t height, uint32_t frame, const void *image, penta_type type,
                                    float *dn, uint8_t *saturated);
