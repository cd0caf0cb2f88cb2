/* A work-group for each result widens range[result][least, largest] by the partial ranges of pca_project (project.clh). */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_project_range(__global const REAL *restrict partial, int groups, __global double *restrict range)
{
    __local REAL           room[2 * GROUP];
    __global const REAL   *mine = partial + 2L * get_group_id(0) * groups;
    __global double       *to = range + 2 * get_group_id(0);
    REAL                   least = INFINITY, largest = -INFINITY;
    int                    item = get_local_id(0);

    for (int g = item; g < groups; g += GROUP) {
        least = fmin(least, mine[g]);
        largest = fmax(largest, mine[groups + g]);
    }
    room[item] = least;
    room[GROUP + item] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < GROUP; i++) {
            least = fmin(least, room[i]);
            largest = fmax(largest, room[GROUP + i]);
        }
        to[0] = fmin(to[0], (double)least);
        to[1] = fmax(to[1], (double)largest);
    }
}
