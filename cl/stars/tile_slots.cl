/*
 * image[y][x] (+)= sum over stars of weight PSF(x - star, y - star): tile by tile, each with slots for `capacity` stars.
 *
 * stars_pack_slots: stars_pack (pack.cl), and the star's number goes into a slot of every tile that its region of
 * interest touches. counts[count_place(tile)] stars touch a tile; those beyond the capacity have no slot, and CROWDED
 * becomes 1. The counts of a few tiles lie apart, since additions to neighbours would wait for one another; those of
 * many tiles lie side by side, so that caches hold them. Which it is follows from the width: the last slab may have
 * fewer rows than the one that is drawn. Without double precision the host packs, and stars_slots_put fills the slots.
 *
 * stars_slots_draw: work-group t owns tile t. It takes its stars to local memory in the order of their numbers, so that
 * the sums do not depend on who came first, and of each ROUND of them the factors (zero where the region of interest
 * ends). A work-item adds the products for its pixels in registers (tile_pixels.clh): no additions in global memory, and
 * each pixel is written once. The 32 work-items of a square pass over stars that miss it. Sums are float over at most
 * FLUSH stars, then wide. A tile without slots for all its stars looks at every star of the batch. Counts are left at
 * 0.
 */
#include "stars/star.clh"
#include "stars/tile_pixels.clh"
#ifdef PENTA_FP64
#include "stars/pack.clh"
#endif

#define TILE       32
#define GROUP      128 /* work-items that draw a tile */
#define FLUSH      16
#define SQUARES    (GROUP / 32)
#define MANY_TILES 181 /* a row */

#define CROWDED counts[0]

#ifdef PENTA_DOUBLE
#define SLOTS 256 /* in local memory: the capacity at most */
#define ROUND 32
#else
#define SLOTS 512
#define ROUND 64
#endif

static inline ulong count_place(int tile, int tiles_x)
{
    return 8 + (ulong)tile * (tiles_x < MANY_TILES ? 8 : 1);
}

/* ---- packing ---- */

/* Star i, which is drawn, into slots of the tiles that it touches. */
static inline void put_star(uint i, uint cell, int width, int rows, int roi, int capacity, __global uint *counts,
                            __global uint *slots)
{
    int tiles_x = (width + TILE - 1) / TILE, tiles_y = (rows + TILE - 1) / TILE;
    int left = star_column(cell), top = star_row(cell);
    int x1 = min((left + roi - 1) / TILE, tiles_x - 1), y1 = min((top + roi - 1) / TILE, tiles_y - 1);

    for (int ty = max(top, 0) / TILE; ty <= y1; ty++)
        for (int tx = max(left, 0) / TILE; tx <= x1; tx++) {
            int  tile = ty * tiles_x + tx;
            uint slot = atomic_inc(&counts[count_place(tile, tiles_x)]);

            if (slot < (uint)capacity)
                slots[(ulong)tile * capacity + slot] = i;
            else
                CROWDED = 1;
        }
}

#ifdef PENTA_FP64
__kernel __attribute__((reqd_work_group_size(PACK_GROUP, 1, 1)))
void stars_pack_slots(__global const double *restrict x, __global const double *restrict y,
                      __global const double *restrict level, int n, int magnitudes, double amplitude, double ln_base,
                      double norm, int width, int first_row, int rows, int roi, int capacity,
                      __global star_t *restrict stars, __global double *restrict sums, __global uint *restrict cells,
                      __global uint *restrict counts, __global uint *restrict slots)
{
    int             i = get_global_id(0);
    total_t         total = {0, 0, INFINITY};
    __local total_t shared[PACK_GROUP];

    if (i < n) {
        total = pack_star(i, x, y, level, magnitudes, amplitude, ln_base, norm, width, first_row, rows, roi, stars,
                          cells);
        if (cells[i] != STAR_NOT_DRAWN)
            put_star(i, cells[i], width, rows, roi, capacity, counts, slots);
    }
    report(total, shared, sums);
}
#else
__kernel void stars_slots_put(__global const uint *restrict cells, int n, int width, int rows, int roi, int capacity,
                              __global uint *restrict counts, __global uint *restrict slots)
{
    int i = get_global_id(0);

    if (i < n && cells[i] != STAR_NOT_DRAWN)
        put_star(i, cells[i], width, rows, roi, capacity, counts, slots);
}
#endif

/* ---- drawing ---- */

typedef struct {
    real4  factors[ROUND * 2 * TILE / 4]; /* of a star's columns and, with its weight, rows of the tile */
    star_t stars[SLOTS];                /* in order */
    uint   numbers[SLOTS];
    uint   hits[SQUARES][2];            /* stars of the round that touch a square, the first in the highest bit */
} memory_t;

typedef struct {
    __constant wide_t     *psf;
    __global const wide_t *psf_samples;
    int                    roi;
#ifdef PSF_SEPARABLE
    psf_scales_t           scales;
#endif
    __global const wide_t *motion_x, *motion_y;
    int                    left, top; /* of the tile, + STAR_MARGIN */
    __local memory_t      *m;
} job_t;

/* Notes which squares star s of the round touches. */
static inline void mark_squares(const job_t *j, int s, uint cell)
{
    int2 across = squares_touched((int)(cell & 0xFFFFu) - j->left, j->roi, TILE);
    int2 down = squares_touched((int)(cell >> 16) - j->top, j->roi, TILE);

    for (int y = down.x; y <= down.y; y++)
        for (int x = across.x; x <= across.y; x++)
            atomic_or(&j->m->hits[y * (TILE / SQUARE) + x][s / 32], 0x80000000u >> s % 32);
}

/* For columns (axis 0) or rows of the tile, of star s of the round. */
static inline __local real *factors_of(const job_t *j, int s, int axis)
{
    return (__local real *)(j->m->factors + (2 * s + axis) * (TILE / 4));
}

/* What is known of stars first .. first + count-1: the squares that they touch, and zeros, then 2 roi factors a star
 * as they fall into the tile. */
static inline void begin_round(const job_t *j, int first, int count)
{
    int item = get_local_id(0);

    if (item < 2 * SQUARES)
        j->m->hits[item / 2][item % 2] = 0;
#ifdef PSF_SEPARABLE
    __local real *out = factors_of(j, 0, 0);
    int           each = 2 * j->roi;
    uint          inverse = 0xFFFFFFFFu / each + 1; /* f / each = mul_hi(f, inverse) for f < 2^16 */

    for (int k = 0; k < count * 2 * TILE / 4; k += GROUP) /* all items loop alike: see tile_prefix.clh */
        if (k + item < count * 2 * TILE / 4)
            j->m->factors[k + item] = 0;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count)
        mark_squares(j, item, j->m->stars[first + item].cell);
#ifdef PSF_SEPARABLE
    for (int begin = 0; begin < count * each; begin += GROUP) {
        int    f = begin + item, s = mul_hi((uint)f, inverse), k = f - s * each, axis = k >= j->roi, place;
        star_t star;

        if (f >= count * each)
            continue;
        star = j->m->stars[first + s];
        k -= axis ? j->roi : 0;
        place = k + (axis ? (int)(star.cell >> 16) - j->top : (int)(star.cell & 0xFFFFu) - j->left);
        if (place >= 0 && place < TILE) {
            real value = psf_factor_of(axis, k, axis ? star.y : star.x, &j->scales, j->roi);

            out[(2 * s + axis) * TILE + place] = axis ? star.weight * value : value;
        }
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void add_star(const job_t *j, int first, int s, pixels_t *p)
{
#ifdef PSF_SEPARABLE
    add_factors(factors_of(j, s, 0), factors_of(j, s, 1), p);
#else
    star_t                 star = j->m->stars[first + s];
    __global const wide_t *motion_x = j->motion_x, *motion_y = j->motion_y;

    add_values(star, PSF_MOTION(j->m->numbers[first + s]), j->left, j->top, j->psf, j->psf_samples, j->roi, p);
#endif
}

/* Adds the first `listed` stars of local memory. */
static inline void draw_listed(const job_t *j, int listed, pixels_t *p)
{
    for (int first = 0; first < listed; first += ROUND) {
        begin_round(j, first, min(listed - first, ROUND));
        for (int word = 0; word < 2; word++)
            for (uint left = j->m->hits[get_local_id(0) / 32][word]; left != 0;) {
                int s = clz(left);

                left ^= 0x80000000u >> s;
                add_star(j, first, word * 32 + s, p);
                if (++p->added == FLUSH)
                    flush(p);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    flush(p);
}

/* The stars of the tile's slots to local memory, ordered by their numbers, which differ. All items loop alike: see
 * tile_prefix.clh. */
static inline void take_slots(const job_t *j, int count, __global const uint *slots, __global const star_t *stars)
{
    __local uint *unordered = (__local uint *)j->m->factors;

    for (int k = 0; k < SLOTS / GROUP; k++) {
        int i = k * GROUP + get_local_id(0);

        if (i < (count + 3) / 4 * 4)
            unordered[i] = i < count ? slots[i] : 0xFFFFFFFFu;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < SLOTS / GROUP; k++) {
        int i = k * GROUP + get_local_id(0), rank = 0;

        if (i < count) {
            uint   number = unordered[i];
            star_t star = stars[number];

            for (int o = 0; o < count; o += 4) {
                uint4 other = *(__local const uint4 *)(unordered + o);

                rank += (other.x < number) + (other.y < number) + (other.z < number) + (other.w < number);
            }
            j->m->stars[rank] = star;
            j->m->numbers[rank] = number;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Draws a tile that lacks slots, from all n stars. */
static inline void draw_all(const job_t *j, int n, __global const star_t *stars, __global const uint *cells,
                            pixels_t *p)
{
    __local memory_t *m = j->m;
    uint left = j->left - j->roi + 1, top = j->top - j->roi + 1, span = TILE + j->roi - 1, item = get_local_id(0);
    int  listed = 0;

    for (int first = 0; first < n; first += GROUP) {
        int  i = first + item, rank = 0, touching = 0;
        uint cell = i < n ? cells[i] : STAR_NOT_DRAWN;
        bool mine = (cell & 0xFFFFu) - left < span && (cell >> 16) - top < span;

        if (item < GROUP / 32)
            m->hits[item][0] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine)
            atomic_or(&m->hits[item / 32][0], 1u << item % 32);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int w = 0; w < GROUP / 32; w++) {
            rank += w < (int)item / 32 ? popcount(m->hits[w][0]) : 0;
            touching += popcount(m->hits[w][0]);
        }
        if (mine) {
            rank += listed + popcount(m->hits[item / 32][0] & ((1u << item % 32) - 1));
            m->stars[rank] = stars[i];
            m->numbers[rank] = i;
        }
        listed += touching;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (listed > SLOTS - GROUP || first + GROUP >= n) {
            draw_listed(j, listed, p);
            listed = 0;
        }
    }
}

/* fresh: the image holds nothing yet. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void stars_slots_draw(__global const uint *restrict slots, int capacity,
                      __global const star_t *restrict stars, __global const uint *restrict cells,
                      __global const wide_t *restrict motion_x, __global const wide_t *restrict motion_y, int n,
                      PSF_ARGUMENTS, int width, int rows, int fresh, __global uint *restrict counts,
                      __global real *restrict image)
{
    __local memory_t memory;
    int      tile = get_group_id(0), tiles_x = (width + TILE - 1) / TILE;
    int      left = tile % tiles_x * TILE, top = tile / tiles_x * TILE;
    ulong    place = count_place(tile, tiles_x);
    job_t    j = {.psf = psf, .psf_samples = psf_samples, .roi = roi, .motion_x = motion_x, .motion_y = motion_y,
                  .left = left + STAR_MARGIN, .top = top + STAR_MARGIN, .m = &memory};
    pixels_t p = no_light(get_local_id(0), TILE);
    int      count = counts[place];

#ifdef PSF_SEPARABLE
    j.scales = psf_scales(psf);
#endif
    if (count <= capacity) {
        take_slots(&j, count, slots + (ulong)tile * capacity, stars);
        draw_listed(&j, count, &p);
    } else {
        draw_all(&j, n, stars, cells, &p);
    }
    barrier(CLK_GLOBAL_MEM_FENCE); /* all have read it */
    if (get_local_id(0) == 0)
        counts[place] = 0;
    if (get_global_id(0) == 0)
        CROWDED = 0;
    if (count > 0 || fresh)
        put_pixels(&p, left + p.x, top + p.y, width, rows, fresh, image);
}
