/*
 * The search for t0. Lags -most .. most are searched in the order 0, 1, .., most, -most, .., -1 and identified by their
 * position in it. A work-item takes ELEMENTS of them, GROUP apart. A work-group of GROUP items (1 on CPU devices) takes
 * one part of the lags and finds the largest value and its first position.
 */
#include "optmap/literal.clh"

/* Whether a at position `at` precedes b at `from`. Values within `tie` count as equal, because rounding separates
 * values that are exactly equal; the first one counts. */
static inline bool precedes(double a, int at, double b, int from, double tie)
{
    return b > a + tie || (b >= a - tie && from < at);
}

/* Lag at a position. */
static inline int lag_at(int place, int most)
{
    return place <= most ? place : place - (2 * most + 1);
}

#define TAKE(value, place, c, from)                                                                                    \
    {                                                                                                                  \
        if (precedes(value, place, c, from, tie))                                                                      \
            place = from;                                                                                              \
        value = fmax(value, c);                                                                                        \
    }

/* values, places: slots x parts, for both pairs of a slot. Grid (GROUP x parts, slots). */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void literal_search(__global const double2 *restrict work,
                                                                                int z, int most, double tie,
                                                                                __global double2 *restrict values,
                                                                                __global int2 *restrict places)
{
    int item = get_local_id(0), part = get_group_id(0), slot = get_global_id(1), lags = 2 * most + 1;
    double2 best = -INFINITY;
    int2 at = lags;

    work += (long)slot * z;
    for (int e = 0; e < ELEMENTS; e++) {
        int place = (part * ELEMENTS + e) * GROUP + item;

        if (place < lags) {
            double2 c = work[lag_at(place, most) & (z - 1)];

            TAKE(best.x, at.x, c.x, place)
            TAKE(best.y, at.y, c.y, place)
        }
    }
#if GROUP > 1
    __local double2 value_of[GROUP];
    __local int2 place_of[GROUP];

    value_of[item] = best;
    place_of[item] = at;
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < reach) {
            double2 c = value_of[item + reach];
            int2 place = place_of[item + reach];

            TAKE(best.x, at.x, c.x, place.x)
            TAKE(best.y, at.y, c.y, place.y)
            value_of[item] = best;
            place_of[item] = at;
        }
    }
#endif
    if (item == 0) {
        values[(long)slot * get_num_groups(0) + part] = best;
        places[(long)slot * get_num_groups(0) + part] = at;
    }
}

/* t0 of both pairs of a slot from the parts of the search. out: the band's pixel with the first row of shifts. Grid
 * (slots). */
__kernel void literal_reduce(__global const double2 *restrict values, __global const int2 *restrict places,
                             __global const int4 *restrict pairs, int parts, int most, int out, int slots, double tie,
                             __global int *restrict shifts)
{
    int i = get_global_id(0);
    double2 best = -INFINITY;
    int2 at = 2 * most + 1;

    if (i >= slots)
        return;
    for (long part = (long)i * parts; part < (long)(i + 1) * parts; part++) {
        TAKE(best.x, at.x, values[part].x, places[part].x)
        TAKE(best.y, at.y, values[part].y, places[part].y)
    }
    shifts += (long)(pairs[i].x - out) * NEIGHBOURS;
    if (pairs[i].y >= 0)
        shifts[neighbour_of_slot(pairs[i].w, 0)] = lag_at(at.x, most);
    if (pairs[i].z >= 0)
        shifts[neighbour_of_slot(pairs[i].w, 1)] = lag_at(at.y, most);
}

/* Clears all shifts, except a pixel's own, 0. Grid (NEIGHBOURS x pixels). */
__kernel void literal_clear(__global const uchar *restrict valid, int width, int height, int first, int out, int count,
                            __global int *restrict shifts)
{
    int i = get_global_id(0);

    if (i < count)
        shifts[i] =
            i % NEIGHBOURS == OWN && has_result(out + i / NEIGHBOURS, valid, width, height, first) ? 0 : INT_MIN;
}
