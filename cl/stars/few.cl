/*
 * The engine `tile` for GPUs and short lists, in one kernel: work-group t owns tile t. It looks for the stars that touch
 * it among all, as the caller gave them, packs these into local memory in the order of their numbers, and draws them
 * (tile_listed.clh), with the bits of tile_slots.cl. Most stars are passed over by the upper halves of x and y, in
 * integers, for double precision is slow on many GPUs. The work-groups behind the tiles report, 64 stars each (pack.clh).
 */
#include "stars/tile_listed.clh"
#include "stars/pack.clh"

#define AHEAD 8 /* stars that a work-item looks at side by side */

typedef struct {
    __global const double *x, *y, *level;
    int                    magnitudes;
    double                 amplitude, ln_base, norm;
    int                    width, first_row, rows, roi;
} source_t;

static inline total_t read_source(const source_t *from, int i, star_t *out)
{
    return read_star(i, from->x, from->y, from->level, from->magnitudes, from->amplitude, from->ln_base, from->norm,
                     from->width, from->first_row, from->rows, from->roi, out);
}

static inline uint source_cell(const source_t *from, int i)
{
    double column, row;

    return place_star(from->x[i], from->y[i], from->width, from->first_row, from->rows, from->roi, &column, &row);
}

static inline star_t source_star(const source_t *from, int i)
{
    star_t s;

    read_source(from, i, &s);
    return s;
}

#include "stars/tile_all.clh"

/* ---- the stars of a tile ---- */

/* Upper halves of doubles, as integers: they are in the order of the doubles where these are not negative. */
static inline int upper_half(double value)
{
    return as_int2(value).y;
}

/* Between which upper halves a coordinate is of a star that touches TILE pixels from `first` on; negative coordinates
 * have negative ones. */
static inline int2 upper_halves(int first, int roi)
{
    double least = first - 0.5 * roi - 1, most = first + TILE + 0.5 * roi;

    return (int2)(least > 0 ? upper_half(least) : INT_MIN, upper_half(most));
}

/* Puts the numbers of stars that touch the tile into `found`, SLOTS of them at most, in any order; returns how many do. */
static inline int find_stars(const job_t *j, int n, const source_t *from, __local uint *found, __local uint *count)
{
    uint left = j->left - j->roi + 1, top = j->top - j->roi + 1, span = TILE + j->roi - 1;
    int2 across = upper_halves(j->left - STAR_MARGIN, j->roi);
    int2 down = upper_halves(from->first_row + j->top - STAR_MARGIN, j->roi);

    if (get_local_id(0) == 0)
        *count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int begin = 0; begin < n; begin += AHEAD * GROUP) { /* all items loop alike: see tile_prefix.clh */
        int first = begin + get_local_id(0), x[AHEAD], y[AHEAD];

        for (int k = 0; k < AHEAD; k++) {
            int i = min(first + k * GROUP, n - 1);

            x[k] = upper_half(from->x[i]);
            y[k] = upper_half(from->y[i]);
        }
        for (int k = 0; k < AHEAD; k++) {
            int  i = first + k * GROUP;
            uint cell, place;

            if (x[k] < across.x || x[k] > across.y || y[k] < down.x || y[k] > down.y || i >= n)
                continue;
            cell = source_cell(from, i);
            if ((cell & 0xFFFFu) - left >= span || (cell >> 16) - top >= span)
                continue;
            place = atomic_inc(count);
            if (place < SLOTS)
                found[place] = i;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return (int)*count;
}

/* Packs them, in the order of their numbers, which differ. All items loop alike: see tile_prefix.clh. */
static inline void list_stars(const job_t *j, int count, const source_t *from, __local const uint *found)
{
    for (int k = 0; k < SLOTS; k += GROUP) {
        int i = k + get_local_id(0), rank = 0;

        if (i < count) {
            uint number = found[i];

            for (int o = 0; o < count; o++)
                rank += found[o] < number;
            j->m->stars[rank] = source_star(from, number);
            j->m->numbers[rank] = number;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- the kernel ---- */

static inline void draw_tile(job_t *j, int tile, int tiles_x, int n, const source_t *from, __local uint *count,
                             __global real *image)
{
    int           left = tile % tiles_x * TILE, top = tile / tiles_x * TILE, found;
    pixels_t      p = no_light(get_local_id(0), TILE);
    __local uint *numbers = (__local uint *)j->m->factors;

    j->left = left + STAR_MARGIN;
    j->top = top + STAR_MARGIN;
    found = find_stars(j, n, from, numbers, count);
    if (found <= SLOTS) {
        list_stars(j, found, from, numbers);
        draw_listed(j, found, &p);
    } else {
        draw_all(j, n, from, &p);
    }
    put_pixels(&p, left + p.x, top + p.y, from->width, from->rows, 1, image);
}

/* Grid: work-groups of the tiles, then of the reports. image[rows][width], overwritten. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void stars_few_draw(__global const double *restrict x, __global const double *restrict y,
                    __global const double *restrict level, __global const wide_t *restrict motion_x,
                    __global const wide_t *restrict motion_y, int n, int magnitudes, double amplitude, double ln_base,
                    double norm, PSF_ARGUMENTS, int width, int first_row, int rows, __global double *restrict sums,
                    __global real *restrict image)
{
    __local memory_t memory;
    __local uint     count;
    int      tiles_x = (width + TILE - 1) / TILE, tiles = tiles_x * ((rows + TILE - 1) / TILE);
    int      report_group = (int)get_group_id(0) - tiles;
    source_t from = {x, y, level, magnitudes, amplitude, ln_base, norm, width, first_row, rows, roi};
    job_t    j = {.psf = psf, .psf_samples = psf_samples, .roi = roi, .motion_x = motion_x, .motion_y = motion_y,
                  .m = &memory};

#ifdef PSF_SEPARABLE
    j.scales = psf_scales(psf);
#endif
    if (report_group < 0) {
        draw_tile(&j, get_group_id(0), tiles_x, n, &from, &count, image);
    } else {
        int     item = get_local_id(0), i = report_group * PACK_GROUP + item;
        star_t  unused;
        total_t total = {0, 0, INFINITY};

        if (item < PACK_GROUP && i < n)
            total = read_source(&from, i, &unused);
        report(total, report_group, (__local total_t *)memory.factors, sums);
    }
}
