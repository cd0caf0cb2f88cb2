/*
 * Accelerations and jerks of the active bodies in `list`, form for GPUs. Work-groups: (bodies, parts of the sources);
 * part p is the `chunk` bodies from p chunk on, a multiple of 16. A group takes `bodies` bodies (a power of two), each
 * by GROUP / bodies work-items that share a tile of sources in local memory; their sums are added in order at the end.
 * partial[part][6][active].
 */
#include "nbody/hermite_pair.clh"

#define GROUP 128 /* and sources of a tile; HERMITE_GROUP */

typedef struct {
    number mass[GROUP], x[GROUP], y[GROUP], z[GROUP], vx[GROUP], vy[GROUP], vz[GROUP];
} tile_t;

#if HERMITE_TERMS == 2
#define ADD_SUM(total, sum) total = plus_float(total, sum)
#else
#define ADD_SUM(total, sum) total = plus(total, sum)
#endif

/* Sums over tiles. */
typedef struct {
    number ax, ay, az, jx, jy, jz;
} pair_totals;

static inline void add_tile(pair_totals *t, const pair_sums *s)
{
    ADD_SUM(t->ax, s->ax);
    ADD_SUM(t->ay, s->ay);
    ADD_SUM(t->az, s->az);
    ADD_SUM(t->jx, s->jx);
    ADD_SUM(t->jy, s->jy);
    ADD_SUM(t->jz, s->jz);
}

static inline void load_source(__local tile_t *tile, int at, __global const number *mass,
                               __global const number *predicted, int j, long pitch)
{
    tile->mass[at] = mass[j];
    tile->x[at] = predicted[j];
    tile->y[at] = predicted[j + pitch];
    tile->z[at] = predicted[j + 2 * pitch];
    tile->vx[at] = predicted[j + 3 * pitch];
    tile->vy[at] = predicted[j + 4 * pitch];
    tile->vz[at] = predicted[j + 5 * pitch];
}

/* The sources lane, lane + lanes ... of a tile of `count`. own: the body's place and velocity. */
static inline void add_sources(pair_totals *total, __local const tile_t *tile, int count, int lane, int lanes,
                               const number *own, REAL eps2)
{
    pair_sums s = {0};

    for (int j = lane; j < count; j += lanes)
        add_pair(&s, DIFFERENCE(tile->x[j], own[0]), DIFFERENCE(tile->y[j], own[1]), DIFFERENCE(tile->z[j], own[2]),
                 DIFFERENCE(tile->vx[j], own[3]), DIFFERENCE(tile->vy[j], own[4]), DIFFERENCE(tile->vz[j], own[5]),
                 real_of(tile->mass[j]), eps2);
    add_tile(total, &s);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody_hermite_evaluate(__global const number *restrict mass, __global const number *restrict predicted,
                            __global const int *restrict list, int active, int pitch, int chunk, int bodies,
                            number eps2, __global number *restrict partial)
{
    int            item = get_local_id(0), lanes = GROUP / bodies;
    int            place = item & (bodies - 1), lane = item / bodies;
    int            slot = (int)(get_global_id(0) / GROUP) * bodies + place, i = list[min(slot, active - 1)], part = get_group_id(1);
    int            end = min((part + 1) * chunk, pitch);
    number         own[6], sums[6];
    pair_totals    total = {0};
    __local tile_t tile;
    __local number shared[GROUP];

    for (int k = 0; k < 6; k++)
        own[k] = predicted[i + (long)k * pitch];
    for (int first = part * chunk; first < end; first += GROUP) {
        int count = min(GROUP, end - first);

        if (item < count)
            load_source(&tile, item, mass, predicted, first + item, pitch);
        barrier(CLK_LOCAL_MEM_FENCE);
        add_sources(&total, &tile, count, lane, lanes, own, real_of(eps2));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[0] = total.ax, sums[1] = total.ay, sums[2] = total.az;
    sums[3] = total.jx, sums[4] = total.jy, sums[5] = total.jz;
    for (int k = 0; k < 6; k++) {
        number sum = number_of(0);

        shared[item] = sums[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0 && slot < active) {
            for (int l = 0; l < lanes; l++)
                sum = plus(sum, shared[l * bodies + place]);
            partial[((long)part * 6 + k) * active + slot] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
