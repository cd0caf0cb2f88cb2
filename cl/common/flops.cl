/*
 * Multiply-adds and nothing else: x = a x + b in CHAINS independent chains of LANES floats a work-item, so many that
 * none waits for another and all stay in registers. What a device reaches here is the most that it can do.
 *
 * GPU: scalars; items fill the device. CPU: vectors of 16 floats; an item or two a core. The sums are written so that
 * nothing is left out. Host side: src/math/flops.c.
 */
#ifdef PENTA_CPU
typedef float16 lanes_t;
#define CHAINS 12
#else
typedef float lanes_t;
#define CHAINS 16
#endif

#ifdef PENTA_CPU
static inline float lanes_sum(lanes_t v)
{
    float8 h = v.lo + v.hi;
    float4 q = h.lo + h.hi;

    return q.x + q.y + q.z + q.w;
}
#else
static inline float lanes_sum(lanes_t v)
{
    return v;
}
#endif

__kernel void penta_multiply_adds(int rounds, float a, float b, __global float *out)
{
    lanes_t x[CHAINS], sum = (lanes_t)(0.0f);

    for (int c = 0; c < CHAINS; c++)
        x[c] = (lanes_t)((float)(get_global_id(0) % 64 + c));
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int repeat = 0; repeat < 8; repeat++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                x[c] = fma(x[c], (lanes_t)(a), (lanes_t)(b));
        }
    }
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[get_global_id(0)] = lanes_sum(sum);
}
