/*
 * Accelerations and jerks of the active bodies in `list`, form for CPUs. Work-items: (pairs of bodies, parts of the
 * sources); part p is the `chunk` bodies from p chunk on, a multiple of 16. A vector holds 8 sources, or 16 where terms
 * are float; the two bodies share its loads. partial[part][6][active].
 */
#include "nbody/hermite_pair.clh"

#define TILE    256 /* sources whose terms are added before they become doubles */
#define LOAD(p) VECTOR(vload, LANES)(0, p)

static inline double sum8(double8 v)
{
    double4 a = v.lo + v.hi;
    double2 b = a.lo + a.hi;

    return b.x + b.y;
}

#if LANES == 8
#define SUM_LANES(v) sum8(v)
#else
#define SUM_LANES(v) sum8((v).lo + (v).hi)
#endif

typedef struct {
    double x, y, z, vx, vy, vz;
} body_t;

typedef struct {
    doubles x, y, z, vx, vy, vz;
    terms m;
} sources_t;

static inline body_t body_at(__global const double *predicted, int i, long pitch)
{
    __global const double *p = predicted + i;

    return (body_t){p[0], p[pitch], p[2 * pitch], p[3 * pitch], p[4 * pitch], p[5 * pitch]};
}

static inline void add_sources(pair_sums *s, const body_t *b, const sources_t *from, REAL eps2)
{
    add_pair(s, TO_TERMS(from->x - b->x), TO_TERMS(from->y - b->y), TO_TERMS(from->z - b->z),
             TO_TERMS(from->vx - b->vx), TO_TERMS(from->vy - b->vy), TO_TERMS(from->vz - b->vz), from->m, eps2);
}

static inline void put_sums(const pair_totals *t, int part, int active, int slot, __global double *partial)
{
    __global double *out = partial + (long)part * 6 * active + slot;

    out[0] = SUM_LANES(t->ax);
    out[(long)active] = SUM_LANES(t->ay);
    out[2L * active] = SUM_LANES(t->az);
    out[3L * active] = SUM_LANES(t->jx);
    out[4L * active] = SUM_LANES(t->jy);
    out[5L * active] = SUM_LANES(t->jz);
}

/* lanes: as in the form for GPUs; unused. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void nbody_hermite_evaluate(__global const double *restrict mass, __global const double *restrict predicted,
                            __global const int *restrict list, int active, int pitch, int chunk, int lanes, double eps2,
                            __global double *restrict partial)
{
    int         slot = 2 * get_global_id(0), other = min(slot + 1, active - 1), part = get_global_id(1);
    int         end = min((part + 1) * chunk, pitch);
    body_t      a = body_at(predicted, list[slot], pitch), b = body_at(predicted, list[other], pitch);
    pair_totals total_a = {0, 0, 0, 0, 0, 0}, total_b = {0, 0, 0, 0, 0, 0};

    for (int first = part * chunk; first < end; first += TILE) {
        pair_sums sums_a = {0, 0, 0, 0, 0, 0}, sums_b = {0, 0, 0, 0, 0, 0};

        for (int j = first; j < min(first + TILE, end); j += LANES) {
            __global const double *p = predicted + j;
            long                   n = pitch;
            sources_t              from = {LOAD(p),         LOAD(p + n),     LOAD(p + 2 * n),         LOAD(p + 3 * n),
                                           LOAD(p + 4 * n), LOAD(p + 5 * n), TO_TERMS(LOAD(mass + j))};

            add_sources(&sums_a, &a, &from, (REAL)eps2);
            add_sources(&sums_b, &b, &from, (REAL)eps2);
        }
        add_tile(&total_a, &sums_a);
        add_tile(&total_b, &sums_b);
    }
    put_sums(&total_a, part, active, slot, partial);
    if (other > slot)
        put_sums(&total_b, part, active, other, partial);
}
