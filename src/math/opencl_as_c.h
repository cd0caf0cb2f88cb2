/*
 * Names of OpenCL C for the host's compiler, so that it can compile files of cl/ as C: the same formulas, and the same
 * bits, without a device. Contraction is off in ISO C mode (gcc) and by the pragma (clang). Kernels themselves, and
 * vectors, do not compile.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h> /* fma and fabs of floats */

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#define PENTA_FP64
#define __global
#define __constant const
typedef uint64_t ulong;
typedef uint32_t uint;

#define PENTA_DEFINE_AS(name, to, from)                                                                                \
    static inline to name(from value)                                                                                  \
    {                                                                                                                  \
        to result;                                                                                                     \
                                                                                                                       \
        memcpy(&result, &value, sizeof result);                                                                        \
        return result;                                                                                                 \
    }
PENTA_DEFINE_AS(as_uint, uint32_t, float)
PENTA_DEFINE_AS(as_float, float, uint32_t)
PENTA_DEFINE_AS(as_ulong, uint64_t, double)
PENTA_DEFINE_AS(as_double, double, uint64_t)
