/*
 * A plane of the offsets of one frame in the caller's order, (2R+1) x (2R+1), from the rows that were made: all of them
 * (mirrored 0), or those with Y >= 0; then the first half of the plane is the mirror image of the second. Elements of 8
 * bytes, whatever they are. Work-item: one of them.
 */
__kernel void autocorr_whole(__global const ulong *from, ulong at, int max_offset, int mirrored, __global ulong *out)
{
    long i = get_global_id(0), columns = 2 * (long)max_offset + 1, count = columns * columns;
    long before = mirrored ? max_offset * columns : 0;

    if (i < count)
        out[i] = from[at + (mirrored && i < count / 2 ? count - 1 - i : i) - before];
}
