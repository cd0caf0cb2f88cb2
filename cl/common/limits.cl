/*
 * Kernels that measure memory and launches (src/math/limits.c). penta_copy_bandwidth: one work-item per 16 bytes, on a
 * CPU per 64; `in` and `out` do not overlap. penta_empty: one work-item, which writes only where n is not 0.
 */
#ifdef PENTA_CPU
typedef uint16 block_t;
#else
typedef uint4 block_t;
#endif

__kernel void penta_copy_bandwidth(__global const block_t *restrict in, __global block_t *restrict out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}

__kernel void penta_empty(int n, __global int *out)
{
    if (n != 0)
        out[0] = n;
}
