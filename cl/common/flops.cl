/*
 * Multiply-adds and nothing else: x = a x + b in CHAINS independent chains per work-item: enough that none waits for
 * another, few enough to stay in registers. This rate is the device's peak.
 *
 * GPU: scalars; work-items fill the device. CPU: vectors of 16 floats; one or two work-items per core. The sums are
 * written so that the compiler removes nothing. Host side: src/math/flops.c.
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
