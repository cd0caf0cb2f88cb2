/*
 * A work-group for each result widens range[result][least, largest] by the partial ranges of pca_project (project.clh).
 * REAL: of those; long: as order_of has them (project_pairs.cl).
 */
#ifdef PENTA_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double number;

#define LEAST_OF(range, v)   fmin(range, (double)(v))
#define LARGEST_OF(range, v) fmax(range, (double)(v))
#else
#include "common/double_fixed.clh"
typedef ulong number; /* the bits of a double */

#ifdef ORDERS
#define ORDER_OF(v) (v)
#else
#define ORDER_OF(v) order_of(double_of_float(v))
#endif
#define LEAST_OF(range, v)   double_of_order(min(order_of(range), ORDER_OF(v)))
#define LARGEST_OF(range, v) double_of_order(max(order_of(range), ORDER_OF(v)))
#endif

#ifdef ORDERS
#define LEAST   min
#define LARGEST max
#else
#define LEAST   fmin
#define LARGEST fmax
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_project_range(__global const REAL *restrict partial, int groups, __global number *restrict range)
{
    __local REAL           room[2 * GROUP];
    __global const REAL   *mine = partial + 2L * get_group_id(0) * groups;
    __global number       *to = range + 2 * get_group_id(0);
    REAL                   least = mine[0], largest = mine[groups];
    int                    item = get_local_id(0);

    for (int g = item; g < groups; g += GROUP) {
        least = LEAST(least, mine[g]);
        largest = LARGEST(largest, mine[groups + g]);
    }
    room[item] = least;
    room[GROUP + item] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < GROUP; i++) {
            least = LEAST(least, room[i]);
            largest = LARGEST(largest, room[GROUP + i]);
        }
        to[0] = LEAST_OF(to[0], least);
        to[1] = LARGEST_OF(to[1], largest);
    }
}
