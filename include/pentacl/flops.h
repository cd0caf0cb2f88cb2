/* What a device can do at most, measured: the scale that rates of kernels are held against. */
#ifndef PENTACL_FLOPS_H
#define PENTACL_FLOPS_H

#include <pentacl/context.h>

PENTA_BEGIN_DECLS

/**
 * Floating-point operations a second that fused multiply-adds (two each) in single precision reach on the device: the
 * best of several runs of a kernel that does nothing else, about 0.2 s in all. It appears in the profile. Errors:
 * PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD.
 */
PENTA_API penta_status penta_peak_flops(penta_context *ctx, double *flops);

typedef enum penta_limit {
    PENTA_LIMIT_SINGLE = 0, /* as penta_peak_flops */
    PENTA_LIMIT_DOUBLE,     /* the same in double precision; PENTA_UNSUPPORTED where the device has none */
    PENTA_LIMIT_INT32,      /* multiply-adds of 32-bit integers, two operations each, 1/s */
    PENTA_LIMIT_COPY,       /* bytes a second, read and written, of a kernel that copies memory larger than caches */
    PENTA_LIMIT_LAUNCH,     /* s from the enqueueing of an empty kernel to its end, as the host sees it: a median */
    PENTA_LIMIT_UPLOAD,     /* bytes a second from pinned host memory to the device */
    PENTA_LIMIT_DOWNLOAD    /* and back */
} penta_limit;

/**
 * Measures one limit: the best of several runs, but for the median of LAUNCH; a few tenths of a second each. Kernels
 * are timed by their events, transfers and launches by the host's clock. Errors: as penta_peak_flops,
 * PENTA_UNSUPPORTED, PENTA_INVALID (an unknown limit).
 */
PENTA_API penta_status penta_measure_limit(penta_context *ctx, penta_limit limit, double *value);

PENTA_END_DECLS
#endif
