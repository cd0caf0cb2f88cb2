/*
 * Sets unlike[f] = 1 if frame f of grey, height x width, has two unmasked neighbours, horizontal or vertical, that
 * differ. Work-item (y, f): row y of frame f and the row below, up to the first such pair.
 */
__kernel void prepare_find_unlike(__global const float *restrict grey, __global const uchar *restrict mask, int width,
                                  int height, __global uint *unlike)
{
    int y = get_global_id(0), f = get_global_id(1), below = y + 1 < height ? width : 0;
    bool found = false;

    if (y < height) {
        grey += ((long)f * height + y) * width;
        mask += ((long)f * height + y) * width;
        for (int x = 0; x < width && !found; x++) {
            int right = x + 1 < width ? 1 : 0;

            found = mask[x] && ((mask[x + right] && grey[x] != grey[x + right]) ||
                                (mask[x + below] && grey[x] != grey[x + below]));
        }
        if (found)
            unlike[f] = 1;
    }
}
