/*
 * One Euler step of the excitable medium of pentacl/spiral.h. Cell x of row y is element (y * pitch + LEAD + x).
 * Borders are sealed: cells beyond them equal the last ones. Both forms add in the same order without fused operations,
 * so they give the same bits.
 */
#pragma OPENCL FP_CONTRACT OFF

#define LEAD 16 /* elements before the first cell, MEDIUM_LEAD of src/optmap/medium.h */

/* diffusion: step / (6 cell^2); reaction: step / epsilon; slope: 1 / a. */
#define STEP(u, v, cross, corners)                                                                                     \
    ((u) + reaction * ((u) * (1.0f - (u))) * ((u) - ((v) + b) * slope) +                                               \
     diffusion * (4.0f * (cross) + (corners)-20.0f * (u)))

/* One work-item per cell. */
__kernel void spiral_step(__global const float *u, __global const float *v, int width, int height, int pitch,
                          float reaction, float diffusion, float slope, float b, float step, __global float *next_u,
                          __global float *next_v)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x >= width)
        return;
    int left = LEAD + max(x - 1, 0), right = LEAD + min(x + 1, width - 1), middle = LEAD + x;
    __global const float *row = u + (size_t)y * pitch;
    __global const float *above = u + (size_t)max(y - 1, 0) * pitch;
    __global const float *below = u + (size_t)min(y + 1, height - 1) * pitch;
    size_t at = (size_t)y * pitch + middle;
    float cross = (above[middle] + below[middle]) + (row[left] + row[right]);
    float corners = (above[left] + above[right]) + (below[left] + below[right]);

    next_u[at] = STEP(row[middle], v[at], cross, corners);
    next_v[at] = v[at] + step * (row[middle] - v[at]);
}

/* One work-item per row; it also writes the cells beyond the borders. Cells further right are never read. */
__kernel void spiral_step_cpu(__global const float *u, __global const float *v, int width, int height, int pitch,
                              float reaction, float diffusion, float slope, float b, float step, __global float *next_u,
                              __global float *next_v)
{
    int y = get_global_id(0);
    __global const float *row = u + (size_t)y * pitch + LEAD;
    __global const float *above = u + (size_t)max(y - 1, 0) * pitch + LEAD;
    __global const float *below = u + (size_t)min(y + 1, height - 1) * pitch + LEAD;
    __global const float *slow = v + (size_t)y * pitch + LEAD;
    __global float *out = next_u + (size_t)y * pitch + LEAD, *next_slow = next_v + (size_t)y * pitch + LEAD;

    for (int x = 0; x < width; x += 16) {
        float16 c = vload16(0, row + x), w = vload16(0, slow + x);
        float16 cross =
            (vload16(0, above + x) + vload16(0, below + x)) + (vload16(0, row + x - 1) + vload16(0, row + x + 1));
        float16 corners = (vload16(0, above + x - 1) + vload16(0, above + x + 1)) +
                          (vload16(0, below + x - 1) + vload16(0, below + x + 1));

        vstore16(STEP(c, w, cross, corners), 0, out + x);
        vstore16(w + step * (c - w), 0, next_slow + x);
    }
    out[-1] = out[0];
    out[width] = out[width - 1];
}
