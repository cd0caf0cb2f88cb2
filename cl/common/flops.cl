/*
 * Multiply-adds and nothing else: x = a x + b in CHAINS independent chains per work-item: enough that none waits for
 * another, few enough to stay in registers. This rate is the device's peak. NUMBER: 1 float, 2 double, 3 uint. Integers
 * do x = x x + b, because a compiler may multiply out repeated linear steps of integers.
 *
 * GPU: scalars; work-items fill the device. CPU: vectors of 64 bytes; one or two work-items per core. The sums are
 * written so that the compiler removes nothing. Host side: src/math/flops.c.
 */
#if NUMBER == 1
typedef float number_t;
#define VECTOR      float16
#define STEP(x)     fma(x, (lanes_t)(a), (lanes_t)(b))
#define FOLD(v)     ((v).lo + (v).hi)
#elif NUMBER == 2
typedef double number_t;
#define VECTOR      double8
#define STEP(x)     fma(x, (lanes_t)(a), (lanes_t)(b))
#define FOLD(v)     (v)
#else
typedef uint number_t;
#define VECTOR      uint16
#define STEP(x)     ((x) * (x) + (lanes_t)(b))
#define FOLD(v)     ((v).lo + (v).hi)
#endif

#ifdef PENTA_CPU
typedef VECTOR lanes_t;
#define CHAINS 12
#else
typedef number_t lanes_t;
#define CHAINS 16
#endif

#ifdef PENTA_CPU
static inline number_t lanes_sum(lanes_t v)
{
    return FOLD(v).s0 + FOLD(v).s1 + FOLD(v).s2 + FOLD(v).s3 + FOLD(v).s4 + FOLD(v).s5 + FOLD(v).s6 + FOLD(v).s7;
}
#else
static inline number_t lanes_sum(lanes_t v)
{
    return v;
}
#endif

__kernel void penta_multiply_adds(int rounds, float factor, float term, __global float *out)
{
    number_t a = (number_t)factor, b = (number_t)term;
    lanes_t x[CHAINS], sum = (lanes_t)((number_t)0);

    for (int c = 0; c < CHAINS; c++)
        x[c] = (lanes_t)((number_t)(get_global_id(0) % 64 + c));
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int repeat = 0; repeat < 8; repeat++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = STEP(x[c]);
        }
    }
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[get_global_id(0)] = (float)lanes_sum(sum);
}
