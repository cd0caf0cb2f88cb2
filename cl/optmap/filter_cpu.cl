/*
 * Shift, Gaussian and median, CPU form. A work-item does PIXELS pixels of a row and RESULTS samples in time, 16 samples
 * per vector. Vectors at a trace's ends take a slower path.
 */
typedef float16 samples;
#define SPACE
#include "optmap/filter.clh"

#define APART __attribute__((noinline)) static /* rare: not to be compiled into each place that calls it */

#define PIXELS  16
#define RESULTS 256
#define ROOM    (RESULTS + (MEDIAN + 14) / 16 * 16) /* samples with the medians' halo */
#if STEP == 1
#define VECTORS (ROOM / 16)
#else
#define VECTORS (((ROOM - 1) / STEP + 17) / 16) /* vectors per phase */
#endif

/* ---- sums over neighbours ---- */

/* A neighbour: its trace, shift, weight, and y at the trace's end. */
typedef struct {
    __global const float *trace;
    int t;
    float g, end;
} neighbour;

#define PLACES (INTERP * (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* y[j + L r], r = 0 .. 15, with samples beyond the ends if needed. */
APART float16 extended(const movie of, __global const float *trace, __constant float *weights, int j)
{
    int n = sample_of(j), first = n + FIRST;
    bool within = first >= 0 && first + LENGTH + 15 <= of.frames;
    float x[LENGTH + 15];
    float16 sum = 0;

    weights += (j - n * INTERP) * LENGTH;
    for (int k = 0; k < LENGTH + 15; k++)
        x[k] = within ? trace[first + k] : continued(trace, of.frames, first + k);
    for (int k = 0; k < LENGTH; k++)
        sum = fma((float16)weights[k], vload16(0, x + k), sum);
    return sum;
}

/* The same at positions beyond the end y[end], which has this value; undefined at others. */
static inline float16 beyond(const movie of, __global const float *trace, __constant float *weights, int j, int end,
                             float value)
{
#if defined(TAILS_ODD)
    return 2 * value - extended(of, trace, weights, 2 * end - j - 15 * INTERP).sfedcba9876543210;
#elif defined(TAILS_HOLD)
    return value;
#else
    return 0;
#endif
}

/* Adds to sixteen sums from camera sample i on, anywhere. Sums at no camera sample become undefined. */
APART void add_anywhere(const movie of, const neighbour q, __constant float *weights, int i, float16 *sum)
{
    int j = INTERP * i + q.t, last = INTERP * of.frames - 1;
    int16 places = j + PLACES;
    float16 y = 0;

    if (j + 15 * INTERP >= 0 && j <= last)
        y = extended(of, q.trace, weights, j);
    if (j < 0)
        y = places < 0 ? beyond(of, q.trace, weights, j, 0, q.trace[0]) : y;
    if (j + 15 * INTERP > last)
        y = places > last ? beyond(of, q.trace, weights, j, last, q.end) : y;
    *sum += q.g * y;
}

static inline void add_within(const neighbour q, __constant float *weights, int i, int from, int to, float16 *sums)
{
    int n = sample_of(q.t), m = q.t - n * INTERP;
    __global const float *x = q.trace + i + n;
    float16 w[LENGTH];

    if (m == 0) {
        for (int u = from; u < to; u++)
            sums[u] = fma((float16)q.g, vload16(u, x), sums[u]);
        return;
    }
    for (int k = 0; k < LENGTH; k++)
        w[k] = q.g * weights[m * LENGTH + k];
    for (int u = from; u < to; u++) {
        float16 sum = sums[u];

#pragma unroll
        for (int k = 0; k < LENGTH; k++)
            sum = fma(w[k], vload16(u, x + FIRST + k), sum);
        sums[u] = sum;
    }
}

/* Adds a neighbour's samples at t + L i, i from `first` on. */
static inline void add_neighbour(const movie of, neighbour q, __constant float *weights, int first, float16 *sums)
{
    int start = first + sample_of(q.t) + FIRST, room = of.frames - LENGTH - 15 - start;
    int from = min(start >= 0 ? 0 : (15 - start) / 16, VECTORS);
    int to = max(from, min(room < 0 ? 0 : room / 16 + 1, VECTORS));

    if (to < VECTORS)
        q.end = y_within(q.trace, weights, of.frames, INTERP * of.frames - 1);
    for (int u = 0; u < from; u++)
        add_anywhere(of, q, weights, first + 16 * u, sums + u);
    add_within(q, weights, first, from, to, sums);
    for (int u = to; u < VECTORS; u++)
        add_anywhere(of, q, weights, first + 16 * u, sums + u);
}

/* Computes ROOM sums of a pixel with this trace and these shifts, from sample `begin` on; 0 where there is no sample.
 */
static inline void blend(const movie of, __global const float *trace, __global const int *shifts,
                         __constant float *weights, __constant float *gaussian, float scale, int begin, float *out)
{
    int first = (begin + STEP * 64) / STEP - 64; /* rounded down, as begin > -64 */
    float16 sums[VECTORS];

    for (int phase = 0; phase < STEP; phase++) {
        for (int u = 0; u < VECTORS; u++)
            sums[u] = 0;
#pragma unroll 1
        for (int k = 0; k < NEIGHBOURS; k++) {
            long apart = (long)(k / WINDOW - RADIUS) * of.width + k % WINDOW - RADIUS;
            const neighbour q = {trace + apart * (long)of.pitch, shifts[k] + phase, scale * gaussian[k], 0};

            if (shifts[k] != INT_MIN)
                add_neighbour(of, q, weights, first, sums);
        }
        for (int i = 0; i < 16 * VECTORS; i++) {
            int n = STEP * (first + i) + phase, place = n - begin;

            if (place >= 0 && place < ROOM)
                out[place] = n >= 0 && n < STEP * of.frames ? ((const float *)sums)[i] : 0;
        }
    }
}

/* ---- medians ---- */

#if MEDIAN > 1 && !defined(NETWORK)
#if MEDIAN <= 2
#define SORTED 2
#elif MEDIAN <= 4
#define SORTED 4
#elif MEDIAN <= 8
#define SORTED 8
#elif MEDIAN <= 16
#define SORTED 16
#elif MEDIAN <= 32
#define SORTED 32
#else
#define SORTED 64
#endif

/* Sorts SORTED numbers by Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2, algorithm M; lengths
 * are powers of 2). */
static inline void sort(samples *x)
{
    for (int p = 1; p < SORTED; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < SORTED; j += 2 * k)
                for (int i = j; i < j + k; i++)
                    if (i + k < SORTED && i / (2 * p) == (i + k) / (2 * p)) {
                        samples low = min(x[i], x[i + k]);

                        x[i + k] = max(x[i], x[i + k]);
                        x[i] = low;
                    }
}
#endif

/* Sixteen medians; x: the window of the first. */
static inline samples medians_within(const float *x)
{
#if MEDIAN == 1
    return vload16(0, x);
#else
#ifdef NETWORK
    samples window[MEDIAN];

    for (int k = 0; k < MEDIAN; k++)
        window[k] = vload16(0, x + k);
    return median_by_network(window);
#else
    samples window[SORTED];

    for (int k = 0; k < SORTED; k++)
        window[k] = k < MEDIAN ? vload16(0, x + k) : (samples)INFINITY;
    sort(window);
    return 0.5f * window[(MEDIAN - 1) / 2] + 0.5f * window[MEDIAN / 2];
#endif
#endif
}

/* Medians from sample n on. */
static inline samples medians(const float *x, int n, int all)
{
    samples result = medians_within(x);

#ifdef TRUNCATE
    for (int r = 0; r < 16; r++)
        if (n + r < BEFORE || n + r + AFTER >= all)
            ((float *)&result)[r] = median_at(x + r, min(n + r, all - 1), all);
#endif
    return result;
}

/* ---- a row ---- */

/* Results are rows from `from` on; the traces begin `above` rows before. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
optmap_blend(__global const float *restrict v, __global const int *restrict shifts, __constant float *weights,
             __constant float *gaussian, int frames, int width, int height, ulong pitch, int from, int above, int rows,
             __global float *restrict filtered_out)
{
    const movie of = {frames, width, height, pitch};
    int row = get_global_id(2), left = get_global_id(0) * PIXELS, some = min(PIXELS, width - left);
    int all = STEP * frames, begin = (int)get_global_id(1) * RESULTS;
    float tile[PIXELS][ROOM], results[16][PIXELS];
    bool there[PIXELS];

    shifts += ((ulong)row * width + left) * NEIGHBOURS;
    v += ((ulong)(row + above) * width + left) * pitch;
    for (int x = 0; x < some; x++) {
        there[x] = shifts[x * NEIGHBOURS + OWN] != INT_MIN;
        if (there[x])
            blend(of, v + x * pitch, shifts + x * NEIGHBOURS, weights, gaussian,
                  1 / sum_of_weights(of, shifts + x * NEIGHBOURS, gaussian, left + x, from + row), begin - BEFORE,
                  tile[x]);
    }
    for (int place = 0; place < RESULTS && begin + place < all; place += 16) {
        for (int x = 0; x < some; x++) {
            samples each = there[x] ? medians(tile[x] + place, begin + place, all) : (samples)NAN;

            for (int r = 0; r < 16; r++)
                results[r][x] = ((const float *)&each)[r];
        }
        for (int r = 0; r < min(16, all - begin - place); r++) {
            __global float *to = filtered_out + ((ulong)(begin + place + r) * rows + row) * width + left;

            if (some == PIXELS)
                vstore16(vload16(0, results[r]), 0, to);
            else
                for (int x = 0; x < some; x++)
                    to[x] = results[r][x];
        }
    }
}
