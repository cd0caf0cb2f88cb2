/* Flags of a slab's pixels, bytes: 0 left out. Nothing here depends on the element type. */
#define BAD   0 /* in a report, as slab.clh has it */
#define VALID 1

/* flags[from .. from + n - 1] = 1. */
__kernel void pca_slab_allow(uint from, uint n, __global uchar *flags)
{
    if (get_global_id(0) < n)
        flags[from + get_global_id(0)] = 1;
}

/*
 * Makes flags 0 or 1 and counts the valid ones (report[VALID], zeroed before). The pixels fall into `cells` runs of the
 * same length, give or take one; pick: first valid pixel of each, UINT_MAX where there is none. One group per cell; on
 * CPU devices of one item.
 */
__kernel void pca_slab_count(uint pixels, uint cells, __global uchar *flags, __global uint *pick,
                             __global uint *report)
{
    uint cell = get_group_id(0), item = get_local_id(0), least = UINT_MAX, count = 0;
    uint from = (uint)((ulong)cell * pixels / cells), to = (uint)((cell + 1ul) * pixels / cells);
    __local uint first, sum;

    if (item == 0) {
        first = UINT_MAX;
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = from + item; p < to; p += get_local_size(0)) {
        uchar valid = flags[p] != 0;

        flags[p] = valid;
        count += valid;
        least = valid ? min(least, p) : least;
    }
    atomic_min(&first, least);
    atomic_add(&sum, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        pick[cell] = first;
        atomic_add(report + VALID, sum);
    }
}
