/*
 * One Euler step of the tissue of pentacl/tissue.h. Cell x of row y is element ((y + 1) * pitch + LEAD + x); there is a
 * row of zeros above and below. The stiffness of the elements is a weight for each pair of neighbours: east[c] for c
 * and the cell to its right, south[c] for c and the one below, slant[c] for c and the one below and `lean` to the
 * right; 0 if the pair has no tissue in common. `share` is 1 / (mass of the cell), 0 outside. Both forms add in the
 * same order without fused operations, so they give the same bits.
 */
#pragma OPENCL FP_CONTRACT OFF

#define LEAD 16 /* elements before the first cell, MEDIUM_LEAD of src/optmap/medium.h */

#define FLOW(weight, there) ((weight) * ((there)-u))
#define REACTION(u, v)      (k * (u) * ((u)-a) * (1.0f - (u)) - (u) * (v))
#define RECOVERY(u, v)      ((epsilon0 + mu1 * (v) / ((u) + mu2)) * (k * (u) * (a + 1.0f - (u)) - (v)))

/* One work-item per cell. */
__kernel void tissue_step(__global const float *now_u, __global const float *now_v, __global const float *east,
                          __global const float *south, __global const float *slant, __global const float *share,
                          int width, int pitch, int lean, float k, float a, float epsilon0, float mu1, float mu2,
                          float step, __global float *next_u, __global float *next_v)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= width)
        return;
    size_t at = (size_t)(y + 1) * pitch + LEAD + x, up = at - pitch, down = at + pitch;
    float u = now_u[at], v = now_v[at];
    float flow = (FLOW(east[at], now_u[at + 1]) + FLOW(east[at - 1], now_u[at - 1])) +
                 (FLOW(south[at], now_u[down]) + FLOW(south[up], now_u[up])) +
                 (FLOW(slant[at], now_u[down + lean]) + FLOW(slant[up - lean], now_u[up - lean]));

    next_u[at] = u + step * (share[at] * flow + REACTION(u, v));
    next_v[at] = v + step * RECOVERY(u, v);
}

/* One work-item per row; it writes 0 right of the last cell, as everywhere there. */
__kernel void tissue_step_cpu(__global const float *now_u, __global const float *now_v, __global const float *east,
                              __global const float *south, __global const float *slant, __global const float *share,
                              int width, int pitch, int lean, float k, float a, float epsilon0, float mu1, float mu2,
                              float step, __global float *next_u, __global float *next_v)
{
    size_t first = (size_t)(get_global_id(0) + 1) * pitch + LEAD;

    for (int x = 0; x < width; x += 16) {
        size_t at = first + x, up = at - pitch, down = at + pitch;
        float16 u = vload16(0, now_u + at), v = vload16(0, now_v + at);
        float16 flow = (FLOW(vload16(0, east + at), vload16(0, now_u + at + 1)) +
                        FLOW(vload16(0, east + at - 1), vload16(0, now_u + at - 1))) +
                       (FLOW(vload16(0, south + at), vload16(0, now_u + down)) +
                        FLOW(vload16(0, south + up), vload16(0, now_u + up))) +
                       (FLOW(vload16(0, slant + at), vload16(0, now_u + down + lean)) +
                        FLOW(vload16(0, slant + up - lean), vload16(0, now_u + up - lean)));

        vstore16(u + step * (vload16(0, share + at) * flow + REACTION(u, v)), 0, next_u + at);
        vstore16(v + step * RECOVERY(u, v), 0, next_v + at);
    }
}
