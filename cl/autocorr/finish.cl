/*
 * From correlation sums to C2D and C1D, in double precision. No contraction: the host fallback and every device give the
 * same bits. Outputs row Y - y0, column X + R of rows x (2R+1), rows = R - y0 + 1, per frame.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "autocorr/overlaps.clh"

#define BUNDLE 5 /* n, S1, S2, Q1, Q2 */

/*
 * One masked sum from a correlation of two planes into the bundle. from[frame][from_rows][columns]; a step-plane result
 * (from_y0 = 0) is mirrored, flip takes it at (-X,-Y): S2 of an autocorrelation is S1 there. part: PART_WHOLE, or the high
 * part of a sum, which comes first, and the low one. Grid (columns, rows, frames).
 */
__kernel void autocorr_take_sum(__global const sum_t *restrict from, int which, int max_offset, int y0, int from_y0,
                                int flip, int part, __global double *restrict bundle)
{
    int  X = (int)get_global_id(0) - max_offset, Y = (int)get_global_id(1) + y0;
    long frame = get_global_id(2), columns = 2 * max_offset + 1;
    long count = columns * (max_offset - y0 + 1), from_count = columns * (max_offset - from_y0 + 1);
    int  fx = flip ? -X : X, fy = flip ? -Y : Y;

    if (X > max_offset)
        return;
    if (fy < from_y0) { /* N(-R) = N(R) for the step-plane of a symmetric sum */
        fx = -fx;
        fy = -fy;
    }
    bundle += (frame * BUNDLE + which) * count + (Y - y0) * columns + X + max_offset;
    *bundle = autocorr_part(part, (double)from[frame * from_count + (fy - from_y0) * columns + fx + max_offset], *bundle);
}

/* C at one offset, whose sum is the one at `at`; the sum at `origin` is the norm if there is no other. */
static inline double estimate(int estimator, __global const sum_t *sums, long at, long origin, double n, double s1,
                              double s2, double q1, double q2, __global const double *scalars)
{
    double norm = isnan(scalars[0]) ? (double)sums[origin] : scalars[0];

    return autocorr_estimate(estimator, (double)sums[at], n, s1, s2, q1, q2, norm, scalars[1], scalars[2], scalars[3],
                             scalars[4], scalars[5]);
}

/*
 * C2D. scalars[frame][AUTOCORR_SCALARS] as in estimate.clh. rows_made of the bundle: 0 (n is the overlap's area, the means
 * are 0), 1 (n), 3 (S1, S2 too) or 5. Grid (columns, rows, frames).
 */
__kernel void autocorr_finish(__global const sum_t *restrict sums, __global const double *restrict bundle,
                              __global const double *restrict scalars, int rows_made, int estimator, int width,
                              int height, int max_offset, int y0, __global double *restrict c2d)
{
    long X = (long)get_global_id(0) - max_offset, Y = (long)get_global_id(1) + y0, frame = get_global_id(2);
    long columns = 2 * max_offset + 1, count = columns * (max_offset - y0 + 1), at = (Y - y0) * columns + X + max_offset;
    double n = (double)((width - (long)abs(X)) * (height - (long)abs(Y)));
    double s1 = 0, s2 = 0, q1 = 0, q2 = 0;

    if (X > max_offset)
        return;
    sums += frame * count;
    bundle += frame * BUNDLE * count + at;
    if (rows_made >= 1)
        n = bundle[0];
    if (rows_made >= 3) {
        s1 = bundle[count];
        s2 = bundle[2 * count];
    }
    if (rows_made >= 5) {
        q1 = bundle[3 * count];
        q2 = bundle[4 * count];
    }
    c2d[frame * count + at] =
        estimate(estimator, sums, at, -y0 * columns + max_offset, n, s1, s2, q1, q2, scalars + AUTOCORR_SCALARS * frame);
}

/* The same for images without masks, S1 to Q2 from the tables of a and b (overlaps.clh). powers: 2 if the estimator needs
 * Q1 and Q2. */
__kernel void autocorr_finish_overlaps(__global const sum_t *restrict sums, __global const total_t *restrict table_a,
                                       __global const total_t *restrict table_b, __global const double *restrict scalars,
                                       int powers, int estimator, int width, int height, int max_offset, int y0,
                                       __global double *restrict c2d)
{
    int  X = (int)get_global_id(0) - max_offset, Y = (int)get_global_id(1) + y0;
    long frame = get_global_id(2), pitch = kept_pitch(width, max_offset), columns = 2 * max_offset + 1;
    long count = columns * (max_offset - y0 + 1), at = (Y - y0) * columns + X + max_offset;
    long plane = pitch * kept_count(height, max_offset);
    int  x0 = max(0, -X), x1 = min(width, width - X), v0 = max(0, -Y), v1 = min(height, height - Y);
    corners a = corners_at(x0, x1, v0, v1, width, height, max_offset, pitch);
    corners b = corners_at(x0 + X, x1 + X, v0 + Y, v1 + Y, width, height, max_offset, pitch);
    double n = (double)((long)(x1 - x0) * (v1 - v0)), q1 = 0, q2 = 0;

    if (X > max_offset)
        return;
    sums += frame * count;
    table_a += frame * powers * plane;
    table_b += frame * powers * plane;
    if (powers == 2) {
        q1 = box(table_a + plane, a);
        q2 = box(table_b + plane, b);
    }
    c2d[frame * count + at] = estimate(estimator, sums, at, -y0 * columns + max_offset, n, box(table_a, a),
                                       box(table_b, b), q1, q2, scalars + AUTOCORR_SCALARS * frame);
}

/*
 * C1D: mean, spread and mean radius over the offsets of each ring that have a value. offsets[start[r] .. start[r+1]) are
 * the positions of ring r, radii their distances from the origin. Sums have one order on every device: 64 interleaved partial sums, then a tree.
 * window = rows * columns. rings[frame][bins][4] = valid offsets, mean radius, mean, standard deviation.
 * GPU: one work-group of 64 a ring, grid (64 * bins, frames). CPU: one work-item a ring, grid (bins, frames).
 */
#define PARTS AUTOCORR_RING_PARTS

#ifdef PENTA_CPU
__kernel void autocorr_rings(__global const double *restrict c2d, __global const int *restrict start,
                             __global const int *restrict offsets, __global const double *restrict radii, int bins,
                             long window, __global double *restrict rings)
{
    int  bin = get_global_id(0);
    long frame = get_global_id(1);

    autocorr_ring(c2d + frame * window, offsets, radii, start[bin], start[bin + 1], rings + (frame * bins + bin) * 4);
}

/* out[to + i]: the mean of C2D of one frame, which begins at `from`, over the circle of radius first + i. GPU: one
 * work-group of 64 a circle, grid (64 * circles). CPU: one work-item a circle. */
__kernel void autocorr_circles(__global const double *restrict c2d, long from, int max_offset, int first,
                               __global const double *restrict directions, int count, long to,
                               __global double *restrict out)
{
    int i = get_global_id(0);

    out[to + i] = autocorr_circle(c2d + from, max_offset, first + i, directions, count);
}
#else
/* Sums of 64 vectors, one an item, in tree order; every item gets them. The first barrier separates them from the sums
 * before. */
static inline double3 tree(__local double3 *cell, int k, double3 v)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    cell[k] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = PARTS / 2; step > 0; step /= 2) {
        if (k < step)
            cell[k] += cell[k + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return cell[0];
}

__kernel __attribute__((reqd_work_group_size(PARTS, 1, 1)))
void autocorr_rings(__global const double *restrict c2d, __global const int *restrict start,
                    __global const int *restrict offsets, __global const double *restrict radii, int bins, long window,
                    __global double *restrict rings)
{
    __local double3 cell[PARTS];
    int  bin = get_group_id(0), k = get_local_id(0);
    long frame = get_group_id(1);
    double3 sums = 0; /* of ones, radii and values */
    double mean, s = 0;

    c2d += frame * window;
    for (int i = start[bin] + k; i < start[bin + 1]; i += PARTS) {
        double v = c2d[offsets[i]];

        if (!isnan(v)) {
            sums.x += 1;
            sums.y += radii[i];
            sums.z += v;
        }
    }
    sums = tree(cell, k, sums);
    mean = sums.z / sums.x;
    for (int i = start[bin] + k; i < start[bin + 1]; i += PARTS) {
        double d = c2d[offsets[i]] - mean;

        if (!isnan(d))
            s += d * d;
    }
    s = tree(cell, k, (double3)(s, 0, 0)).x;
    if (k == 0)
        autocorr_ring_store(rings + (frame * bins + bin) * 4, sums.x, sums.y, sums.z, s);
}

__kernel __attribute__((reqd_work_group_size(PARTS, 1, 1)))
void autocorr_circles(__global const double *restrict c2d, long from, int max_offset, int first,
                      __global const double *restrict directions, int count, long to, __global double *restrict out)
{
    __local double3 cell[PARTS];
    int i = get_group_id(0), k = get_local_id(0), points = autocorr_circle_points(first + i, count);
    double part = autocorr_circle_part(c2d + from, max_offset, first + i, points, directions, count, k);
    double sum = tree(cell, k, (double3)(part, 0, 0)).x;

    if (k == 0)
        out[to + i] = sum / points;
}
#endif
