/*
 * Accelerations and jerks of the active bodies in `list`, form for GPUs. Work-groups: (bodies, parts of the sources);
 * part p is the `chunk` bodies from p chunk on, a multiple of 16. A group takes `bodies` bodies (a power of two), each
 * by GROUP / bodies work-items that share a tile of sources in local memory; their sums are added in order at the end.
 * partial[part][6][active].
 */
#include "nbody/hermite_pair.clh"

#define GROUP 128 /* and sources of a tile; HERMITE_GROUP */

typedef struct {
    double mass[GROUP], x[GROUP], y[GROUP], z[GROUP], vx[GROUP], vy[GROUP], vz[GROUP];
} tile_t;

/* Sums over tiles. */
typedef struct {
    double ax, ay, az, jx, jy, jz;
} pair_totals;

static inline void add_tile(pair_totals *t, const pair_sums *s)
{
    t->ax += s->ax;
    t->ay += s->ay;
    t->az += s->az;
    t->jx += s->jx;
    t->jy += s->jy;
    t->jz += s->jz;
}

static inline void load_source(__local tile_t *tile, int at, __global const double *mass,
                               __global const double *predicted, int j, long pitch)
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
                               const double *own, REAL eps2)
{
    pair_sums s = {0, 0, 0, 0, 0, 0};

    for (int j = lane; j < count; j += lanes)
        add_pair(&s, TO(REAL)(tile->x[j] - own[0]), TO(REAL)(tile->y[j] - own[1]), TO(REAL)(tile->z[j] - own[2]),
                 TO(REAL)(tile->vx[j] - own[3]), TO(REAL)(tile->vy[j] - own[4]), TO(REAL)(tile->vz[j] - own[5]),
                 TO(REAL)(tile->mass[j]), eps2);
    add_tile(total, &s);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody_hermite_evaluate(__global const double *restrict mass, __global const double *restrict predicted,
                            __global const int *restrict list, int active, int pitch, int chunk, int bodies,
                            double eps2, __global double *restrict partial)
{
    int            item = get_local_id(0), lanes = GROUP / bodies;
    int            place = item & (bodies - 1), lane = item / bodies;
    int            slot = (int)(get_global_id(0) / GROUP) * bodies + place, i = list[min(slot, active - 1)], part = get_group_id(1);
    int            end = min((part + 1) * chunk, pitch);
    double         own[6], sums[6];
    pair_totals    total = {0, 0, 0, 0, 0, 0};
    __local tile_t tile;
    __local double shared[GROUP];

    for (int k = 0; k < 6; k++)
        own[k] = predicted[i + (long)k * pitch];
    for (int first = part * chunk; first < end; first += GROUP) {
        int count = min(GROUP, end - first);

        if (item < count)
            load_source(&tile, item, mass, predicted, first + item, pitch);
        barrier(CLK_LOCAL_MEM_FENCE);
        add_sources(&total, &tile, count, lane, lanes, own, (REAL)eps2);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[0] = total.ax, sums[1] = total.ay, sums[2] = total.az;
    sums[3] = total.jx, sums[4] = total.jy, sums[5] = total.jz;
    for (int k = 0; k < 6; k++) {
        double sum = 0;

        shared[item] = sums[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0 && slot < active) {
            for (int l = 0; l < lanes; l++)
                sum += shared[l * bodies + place];
            partial[((long)part * 6 + k) * active + slot] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
