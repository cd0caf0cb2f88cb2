/* What a device can do at most: the scale that rates of kernels are held against. */
#ifndef PENTACL_FLOPS_H
#define PENTACL_FLOPS_H

#include <pentacl/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Floating-point operations a second that fused multiply-adds (two each) in single precision reach on the device: the
 * best of several runs of a kernel that does nothing else, about 0.2 s in all. It appears in the profile. Errors:
 * PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD.
 */
PENTA_API penta_status penta_peak_flops(penta_context *ctx, double *flops);

#ifdef __cplusplus
}
#endif
#endif
