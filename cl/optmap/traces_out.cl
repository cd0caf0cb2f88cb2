/*
 * Transposes traces to a movie: out[n * pixels + p] = v[p * pitch + n], NaN if pixel p is not valid. `from` is the
 * first pixel in the buffers.
 */
#ifdef PENTA_CPU

#define PIXELS 16
#define FRAMES 64

/* Work-item (x, y): 16 pixels, 64 frames. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
optmap_traces_out(__global const float *restrict v, __global const uchar *restrict valid, uint from, uint pixels,
                  uint frames, ulong pitch, __global float *restrict out)
{
    uint pixel = get_global_id(0) * PIXELS, frame = get_global_id(1) * FRAMES, some = min(pixels - pixel, (uint)PIXELS);

    for (uint n = frame; n < min(frame + FRAMES, frames); n++)
        for (uint x = 0; x < some; x++)
            out[(ulong)n * pixels + pixel + x] =
                valid[from + pixel + x] ? v[(from + pixel + x) * pitch + n] : as_float(0x7fc00000);
}

#else

#define TILE 32
#define ROWS 8

/* A group transposes TILE pixels x TILE frames. */
__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void
optmap_traces_out(__global const float *restrict v, __global const uchar *restrict valid, uint from, uint pixels,
                  uint frames, ulong pitch, __global float *restrict out)
{
    __local float tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1), pixel = get_group_id(0) * TILE, frame = get_group_id(1) * TILE;

    for (uint i = 0; i < TILE / ROWS; i++) {
        uint p = i * ROWS + y;

        if (pixel + p < pixels && frame + x < frames)
            tile[p][x] = v[(from + pixel + p) * pitch + frame + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE / ROWS; i++) {
        uint k = i * ROWS + y;

        if (pixel + x < pixels && frame + k < frames)
            out[(ulong)(frame + k) * pixels + pixel + x] = valid[from + pixel + x] ? tile[x][k] : as_float(0x7fc00000);
    }
}

#endif
