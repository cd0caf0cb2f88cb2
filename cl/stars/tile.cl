/*
 * image[y][x] (+)= sum over stars of weight PSF(x - star, y - star): tile by tile, from the lists of tile.clh.
 *
 * stars_tile_draw: work-group t owns tile t. It looks through the stars of the bins around the tile, BLOCK at a time;
 * those that touch the tile are listed in order, by their bits in a mask. Of each ROUND of them the factors (zero where
 * the region of interest ends) go to local memory, and each work-item adds the products for its pixels in registers
 * (tile_pixels.clh): no additions in global memory, and each pixel is written once. The 32 work-items of a square skip
 * stars that miss it. Sums are float over at most FLUSH stars, then wide. A tile with more than `most` stars to look
 * at is not drawn but noted in `hot`.
 *
 * stars_tile_hot: work-group g draws piece g: `most` stars of a noted tile, into partial sums of its own.
 * stars_tile_finish: a work-item a pixel of a noted tile adds its pieces, in order, to the image.
 *
 * The same stars give the same bits regardless of timing: every sum has a fixed order.
 */
#include "stars/tile.clh"
#include "stars/tile_pixels.clh"
#include "stars/tile_prefix.clh"

#ifdef PENTA_DOUBLE
#define ROUND 24
#else
#define ROUND 48
#endif

#define BLOCK   (8 * GROUP) /* stars looked at before some are drawn */
#define RUNS    GROUP        /* at most so many runs of stars to look at: two rows of bins for each part of the list */
#define SQUARES (GROUP / 32)
#define FLUSH   (ROUND / 3)

typedef struct {
    union {
        real4 factors[ROUND * 2 * TILE / 4]; /* of a star's columns and, with its weight, rows of the tile */
        uint  places[BLOCK];                 /* where the stars of a block are */
    } now;
    uint  listed[BLOCK + ROUND];       /* where the stars are that touch the tile */
    uint  mask[BLOCK / 32], ranks[BLOCK / 32 + 1];
    uint  hits[SQUARES][ROUND / FLUSH]; /* stars of the round that touch a square, the first in the highest bit */
    uint  start[RUNS], before[RUNS + 1], blocks[RUNS]; /* runs: where they start; how many stars are before them */
} memory_t;

/* The arguments of the kernels that draw. */
typedef struct {
    __global const star_t *stars;
    __global const uint   *cells;
    __global const wide_t *motion_x, *motion_y;
    __constant wide_t     *psf;
    __global const wide_t *psf_samples;
    int                    roi;
    __global const uint   *table;
    int                    lists, bin_shift, bins_x, bins_y;
    int                    left, top; /* of the tile, + STAR_MARGIN */
    __local memory_t      *m;
} job_t;

/* ---- which stars ---- */

/* The runs of stars that may touch the tile; how many stars that is. n: all stars, where nothing is sorted. */
INLINED uint find_runs(const job_t *j, uint n, int *runs)
{
    int item = get_local_id(0), last = TILE - 1, row_bins = j->bins_x * j->bins_y + 1;
    int bx0 = max(j->left - j->roi + 1, 0) >> j->bin_shift, bx1 = min((j->left + last) >> j->bin_shift, j->bins_x - 1);
    int by0 = max(j->top - j->roi + 1, 0) >> j->bin_shift, by1 = min((j->top + last) >> j->bin_shift, j->bins_y - 1);
    int rows = by1 - by0 + 1;

    *runs = j->lists == 0 ? 1 : j->lists * rows;
    if (j->lists == 0 && item == 0) {
        j->m->start[0] = 0;
        j->m->before[0] = n;
    }
    if (j->lists > 0 && item < *runs) {
        __global const uint *bins = j->table + item / rows * row_bins + (by0 + item % rows) * j->bins_x;

        j->m->start[item] = bins[bx0];
        j->m->before[item] = bins[bx1 + 1] - bins[bx0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    prefix_sums(j->m->before, j->m->blocks, *runs);
    return j->m->before[*runs];
}

/*
 * Looks at the stars first + at + k GROUP (below end), k = 0 .. 3, of the runs: notes where they are, and those that
 * touch the tile in the mask. Four at a time hide the latency, and more would cost the registers of a second group.
 */
INLINED void look_at_four(const job_t *j, int runs, uint first, uint end, uint at)
{
    __local memory_t *m = j->m;
    uint              left = j->left - j->roi + 1, top = j->top - j->roi + 1, span = TILE + j->roi - 1, cells[4];
    int               run[4] = {0}; /* the last one that does not start after the star */

    for (int step = 1 << (31 - clz(runs)); step > 0; step /= 2)
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (run[k] + step < runs && m->before[run[k] + step] <= first + at + k * GROUP)
                run[k] += step;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint place = m->start[run[k]] + (first + at + k * GROUP - m->before[run[k]]);

        m->now.places[at + k * GROUP] = place;
        cells[k] = first + at + k * GROUP < end ? j->cells[place] : STAR_NOT_DRAWN;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if ((cells[k] & 0xFFFFu) - left < span && (cells[k] >> 16) - top < span)
            atomic_or(&m->mask[(at + k * GROUP) / 32], 1u << at % 32);
}

/* Appends those of the stars first .. first + BLOCK-1 (below end) of the runs that touch the tile to the list, which
 * has `listed`; the new length. */
INLINED uint list_block(const job_t *j, int runs, uint first, uint end, uint listed)
{
    __local memory_t *m = j->m;
    uint              item = get_local_id(0);

    if (item < BLOCK / 32)
        m->mask[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (uint k = 0; k < min(end - first, (uint)BLOCK); k += 4 * GROUP) /* all items loop alike: see tile_prefix.clh */
        if (k + item < min(end - first, (uint)BLOCK))
            look_at_four(j, runs, first, end, k + item);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < BLOCK / 32)
        m->ranks[item] = popcount(m->mask[item]);
    barrier(CLK_LOCAL_MEM_FENCE);
    prefix_sums(m->ranks, m->blocks, BLOCK / 32);
    for (uint k = 0; k < BLOCK; k += GROUP) {
        uint at = k + item, word = m->mask[at / 32], bit = 1u << at % 32;

        if (word & bit)
            m->listed[listed + m->ranks[at / 32] + popcount(word & (bit - 1))] = m->now.places[at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return listed + m->ranks[BLOCK / 32];
}

/* ---- drawing ---- */

/* Notes in `hits` which squares of the tile star s of the round touches. */
INLINED void mark_squares(const job_t *j, int s, uint cell)
{
    int2 across = squares_touched((int)(cell & 0xFFFFu) - j->left, j->roi, TILE);
    int2 down = squares_touched((int)(cell >> 16) - j->top, j->roi, TILE);

    for (int y = down.x; y <= down.y; y++)
        for (int x = across.x; x <= across.y; x++)
            atomic_or(&j->m->hits[y * (TILE / SQUARE) + x][s / FLUSH], 0x80000000u >> s % FLUSH);
}

#ifdef PSF_SEPARABLE
INLINED __local real *factors_of(const job_t *j, int s, int axis)
{
    return (__local real *)(j->m->now.factors + (2 * s + axis) * (TILE / 4));
}

/* Factor f of a round: 2 roi of them a star. inverse: 2^32 / (2 roi), rounded up. */
INLINED void put_factor(const job_t *j, uint at, uint f, uint inverse)
{
    uint          s = mul_hi(f, inverse);
    int           k = f - s * 2 * j->roi, axis = k >= j->roi;
    star_t        star = j->stars[j->m->listed[at + s]];
    int           place;
    __local real *out = factors_of(j, s, axis);

    k -= axis * j->roi;
    place = axis ? (int)(star.cell >> 16) - j->top + k : (int)(star.cell & 0xFFFFu) - j->left + k;
    if (place >= 0 && place < TILE) {
        real value = psf_factor(axis, k, axis ? star.y : star.x, j->psf, j->psf_samples, j->roi);

        out[place] = axis ? star.weight * value : value;
    }
}
#endif

INLINED void add_star(const job_t *j, uint at, int s, pixels_t *p)
{
#ifdef PSF_SEPARABLE
    add_factors(factors_of(j, s, 0), factors_of(j, s, 1), p);
#else
    uint                   place = j->m->listed[at + s];
    star_t                 star = j->stars[place];
    __global const wide_t *motion_x = j->motion_x, *motion_y = j->motion_y;

    add_values(star, PSF_MOTION(place), j->left, j->top, j->psf, j->psf_samples, j->roi, p);
#endif
}

/* Prepares the round of the stars listed[at .. at + count-1] in local memory: their factors, and which squares they
 * touch. */
INLINED void begin_round(const job_t *j, uint at, int count)
{
    __local memory_t *m = j->m;
    int               item = get_local_id(0);

    for (int k = 0; k < ROUND / FLUSH; k++)
        if (item < SQUARES)
            m->hits[item][k] = 0;
#ifdef PSF_SEPARABLE
    uint inverse = 0xFFFFFFFFu / (2 * j->roi) + 1;

    for (int k = 0; k < count * TILE / 2; k += GROUP)
        if (k + item < count * TILE / 2)
            m->now.factors[k + item] = 0;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < count)
        mark_squares(j, item, j->cells[m->listed[at + item]]);
#ifdef PSF_SEPARABLE
    for (int k = 0; k < count * 2 * j->roi; k += GROUP)
        if (k + item < count * 2 * j->roi)
            put_factor(j, at, k + item, inverse);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Adds the stars listed[at .. at + count-1], at most ROUND. */
INLINED void draw_round(const job_t *j, uint at, int count, pixels_t *p)
{
    begin_round(j, at, count);
    for (int part = 0; part < ROUND / FLUSH; part++) {
        uint left = j->m->hits[get_local_id(0) / 32][part];

        if (p->added + popcount(left) > FLUSH)
            flush(p);
        p->added += popcount(left);
        while (left != 0) {
            int s = clz(left);

            left ^= 0x80000000u >> s;
            add_star(j, at, part * FLUSH + s, p);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The light of the stars first .. end-1 of the runs; how many of them touch the tile. */
INLINED uint draw_stars(const job_t *j, int runs, uint first, uint end, pixels_t *p)
{
    int  item = get_local_id(0);
    uint listed = 0, drawn = 0;

    for (; first < end; first += BLOCK) {
        uint at = 0, kept;

        listed = list_block(j, runs, first, end, listed);
        for (; listed - at >= ROUND || (end - first <= BLOCK && at < listed); at += min(listed - at, (uint)ROUND))
            draw_round(j, at, min(listed - at, (uint)ROUND), p);
        drawn += at;
        listed -= at; /* fewer than ROUND: they start the next list */
        kept = item < (int)listed ? j->m->listed[at + item] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < (int)listed)
            j->m->listed[item] = kept;
    }
    flush(p);
    return drawn;
}

/* ---- kernels ---- */

#define DRAW_ARGUMENTS                                                                                                 \
    __global const star_t *restrict stars, __global const uint *restrict cells,                                        \
        __global const wide_t *restrict motion_x, __global const wide_t *restrict motion_y, PSF_ARGUMENTS,             \
        __global const uint *restrict table, int lists, int bin_shift, int width, int rows, uint most

#define JOB                                                                                                            \
    {                                                                                                                  \
        stars, cells, motion_x, motion_y, PSF_PASS, table, lists, bin_shift, bins_along(width, bin_shift),             \
            bins_along(rows, bin_shift), 0, 0, &memory                                                                 \
    }

INLINED void place_at(job_t *j, uint tile, uint tiles_x)
{
    j->left = (int)(tile % tiles_x) * TILE + STAR_MARGIN;
    j->top = (int)(tile / tiles_x) * TILE + STAR_MARGIN;
}

/* hot: number of noted tiles, number of their pieces; then for each its tile, first piece and number of pieces. */
INLINED void note_hot(__global uint *hot, uint tile, uint pieces)
{
    uint at = atomic_inc(hot), first = atomic_add(hot + 1, pieces);

    hot[2 + 3 * at] = tile;
    hot[3 + 3 * at] = first;
    hot[4 + 3 * at] = pieces;
}

/* `most`: with lists = 0 the number of stars. fresh: the image holds nothing yet. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void stars_tile_draw(DRAW_ARGUMENTS, int fresh, __global uint *restrict hot, __global real *restrict image)
{
    __local memory_t memory;
    job_t            j = JOB;
    pixels_t         p = no_light(get_local_id(0), TILE);
    int              runs;
    uint             count, drawn;
    bool             is_hot;

    place_at(&j, get_group_id(0), (width + TILE - 1) / TILE);
    count = find_runs(&j, most, &runs);
    is_hot = lists > 0 && count > most;
    drawn = draw_stars(&j, runs, 0, is_hot ? 0 : count, &p);
    if (is_hot && get_local_id(0) == 0)
        note_hot(hot, get_group_id(0), (count + most - 1) / most);
    if (!is_hot && (drawn > 0 || fresh))
        put_pixels(&p, p.x + j.left - STAR_MARGIN, p.y + j.top - STAR_MARGIN, width, rows, fresh, image);
}

/* Draws piece `piece`. mine: room for its tile and its number there. */
INLINED void draw_piece(job_t *j, uint piece, uint most, __global const uint *hot, __local uint *mine,
                              int tiles_x, __global wide_t *partial)
{
    pixels_t p = no_light(get_local_id(0), TILE);
    int      runs;
    uint     count, first;

    for (uint first_hot = 0; first_hot < hot[0]; first_hot += GROUP) { /* all items loop alike: see tile_prefix.clh */
        uint h = first_hot + get_local_id(0);

        if (h < hot[0] && piece - hot[3 + 3 * h] < hot[4 + 3 * h]) {
            mine[0] = hot[2 + 3 * h];
            mine[1] = piece - hot[3 + 3 * h];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    place_at(j, mine[0], tiles_x);
    first = mine[1] * most;
    count = find_runs(j, most, &runs);
    draw_stars(j, runs, first, min(first + most, count), &p);
    for (int k = 0; k < 2; k++)
        WIDE4_STORE(p.totals[k], partial + ((ulong)piece * TILE + p.y + k) * TILE + p.x);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void stars_tile_hot(DRAW_ARGUMENTS, __global const uint *restrict hot, __global wide_t *restrict partial)
{
    __local memory_t memory;
    __local uint     mine[2];
    job_t            j = JOB;
    uint             pieces = hot[1];

    for (uint piece = get_group_id(0); piece < pieces; piece += get_num_groups(0)) {
        draw_piece(&j, piece, most, hot, mine, (width + TILE - 1) / TILE, partial);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* A work-item a pixel of the first noted tiles, then of the next ones. */
__kernel void stars_tile_finish(__global const uint *restrict hot, __global const wide_t *restrict partial, int width,
                                int rows, int fresh, __global real *restrict image)
{
    uint tiles_x = (width + TILE - 1) / TILE, at = get_global_id(0) % (TILE * TILE);

    for (uint h = get_global_id(0) / (TILE * TILE); h < hot[0]; h += get_global_size(0) / (TILE * TILE)) {
        uint   tile = hot[2 + 3 * h], first = hot[3 + 3 * h], pieces = hot[4 + 3 * h];
        uint   x = tile % tiles_x * TILE + at % TILE, y = tile / tiles_x * TILE + at / TILE;
        wide_t sum = WIDE(0);

        for (uint piece = first; piece < first + pieces; piece++)
            sum = WIDE_AND_WIDE(sum, partial[(ulong)piece * TILE * TILE + at]);
        if (x < (uint)width && y < (uint)rows) {
            __global real *pixel = image + (long)y * width + x;

            *pixel = (real)WIDE_VALUE(fresh ? sum : WIDE_AND(sum, *pixel));
        }
    }
}
