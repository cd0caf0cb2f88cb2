/* What the suites of the sky geometry share. */
#pragma once

#include "support/test.h"

#include <pentacl/context.h>
#include <pentacl/sky.h>

#define RADIAN 57.295779513082320876798154814105 /* degrees */

#define expect_ok(call)                                                                                                \
    do {                                                                                                               \
        if ((call) != PENTA_OK)                                                                                        \
            fail_msg("%s: %s", #call, penta_last_error(NULL));                                                         \
    } while (0)

/* The call is refused, with a text that says `part`. */
#define expect_refused(call, part)                                                                                     \
    do {                                                                                                               \
        assert_int_equal(call, PENTA_INVALID);                                                                         \
        expect_text(penta_last_error(NULL), part);                                                                     \
    } while (0)

/* In [0, 1). The caller holds the state, as these sequences nest. */
static inline double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Evenly over the sphere. */
static inline void random_direction(uint64_t *state, double *ra, double *dec)
{
    *ra = 360 * uniform(state);
    *dec = RADIAN * asin(2 * uniform(state) - 1);
}
