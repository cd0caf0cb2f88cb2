/* What a device can do beyond penta_device, and what is chosen for it. */
#ifndef PENTACL_TRAITS_H
#define PENTACL_TRAITS_H

#include <pentacl/context.h>

PENTA_BEGIN_DECLS

enum { PENTA_SIMD_WIDTHS = 8 };

/** Grows at its end. */
typedef struct penta_device_traits {
    size_t size;                           /* of this struct; set by the caller */
    size_t largest_group;                  /* work-items of a work-group */
    size_t simd_widths[PENTA_SIMD_WIDTHS]; /* work-items that run in step: the widths that the driver names, then 0 */
    unsigned vector_width;                 /* floats of a native vector */
    bool own_local_memory;                 /* local memory is memory of its own, no part of the device's */
    bool sub_groups, images;               /* the driver offers them; kernels here need neither */
    bool double_is_off;                    /* it has double precision, which is not to be used */
} penta_device_traits;

PENTA_API void penta_context_traits(const penta_context *ctx, penta_device_traits *traits);

/**
 * Tells fn at once all that is chosen for the context's device whatever the workload, and why: the form of kernels,
 * double precision, local memory, work-groups, SIMD, FFT, who keeps compiled programs, and whether the driver is one
 * that was tested or is tested by the first plan (PENTACL_SELFTEST). As penta_context_on_choice, but with what is as
 * usual.
 */
PENTA_API void penta_context_explain(penta_context *ctx, penta_choice_fn fn, void *user);

/**
 * What is known about the device's driver: "tested", "broken" (it compiles some kernels wrongly) or "unknown".
 *
 * The first kernel of a workload that a plan needs on a driver that is not "tested" runs the workload's known-answer
 * test, in a context of its own, and a failure is the plan's (PENTA_DEVICE; the text says what to do). What came out
 * is kept beside compiled programs (pentacl/cache.h), for this version of the library and of the driver. Workloads that
 * a "broken" driver is known for are refused without a test. PENTACL_SELFTEST in the environment: "never" takes
 * every driver as it is, "always" tests those that are "tested", too.
 */
PENTA_API const char *penta_driver_state(const penta_context *ctx);

PENTA_END_DECLS
#endif
