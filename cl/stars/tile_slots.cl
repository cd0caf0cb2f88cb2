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
#include "stars/tile_listed.clh"
#ifdef PENTA_FP64
#include "stars/pack.clh"
#endif

#define MANY_TILES 181 /* a row */

#define CROWDED counts[0]

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
    report(total, get_group_id(0), shared, sums);
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

/* All stars of the batch. */
typedef struct {
    __global const star_t *stars;
    __global const uint   *cells;
} source_t;

static inline uint source_cell(const source_t *from, int i)
{
    return from->cells[i];
}

static inline star_t source_star(const source_t *from, int i)
{
    return from->stars[i];
}

#include "stars/tile_all.clh"

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
    source_t from = {stars, cells};

#ifdef PSF_SEPARABLE
    j.scales = psf_scales(psf);
#endif
    if (count <= capacity) {
        take_slots(&j, count, slots + (ulong)tile * capacity, stars);
        draw_listed(&j, count, &p);
    } else {
        draw_all(&j, n, &from, &p);
    }
    barrier(CLK_GLOBAL_MEM_FENCE); /* all have read it */
    if (get_local_id(0) == 0)
        counts[place] = 0;
    if (get_global_id(0) == 0)
        CROWDED = 0;
    if (count > 0 || fresh)
        put_pixels(&p, left + p.x, top + p.y, width, rows, fresh, image);
}
