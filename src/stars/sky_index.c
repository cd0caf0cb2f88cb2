/*
 * Stars in cells of about equal area: zones of equal height in declination, each cut into cells of right ascension in
 * proportion to its circumference, so that a cell holds a few stars if they are evenly spread. Stars are stored cell by
 * cell, within a cell in the caller's order.
 */
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/sky.h"

enum { STARS_A_CELL = 6, SLICE = 1 << 16 /* stars, of the work that threads share */ };
static const double pad = 1e-9;  /* degrees: cells this near the cap are searched too, since edges are rounded */
static const double rim = 1e-15; /* rad: this far beyond the radius is still in the cap */

typedef struct {
    double v[3];
    size_t id;
} star;

struct penta_sky_index {
    size_t n, zones;
    size_t *first; /* [zones + 1]: a zone's first cell */
    size_t *begin; /* [cells + 1]: a cell's first star */
    star *stars;   /* [n] by cell */
};

static size_t slice_end(size_t n, size_t slice)
{
    return n - slice * SLICE < SLICE ? n : (slice + 1) * SLICE;
}

/* ---- cells ---- */

static size_t zone_of(const penta_sky_index *index, double dec)
{
    double zone = (dec + 90) / 180 * (double)index->zones;

    if (!(zone > 0))
        return 0;
    return zone < (double)index->zones ? (size_t)zone : index->zones - 1;
}

/* ra in [0, 360] */
static size_t cell_of(const penta_sky_index *index, size_t zone, double ra)
{
    size_t cells = index->first[zone + 1] - index->first[zone];
    double cell = ra / 360 * (double)cells;

    return index->first[zone] + (cell < (double)cells ? (size_t)cell : cells - 1);
}

/* Sets zones and first. */
static penta_status lay_out(penta_sky_index *index)
{
    /* z zones of height pi / z, with 2 z cos(dec) cells each, are 4 z^2 / pi cells. */
    double wanted = ceil((double)index->n / STARS_A_CELL), s, c;
    penta_status status;

    index->zones = (size_t)ceil(sqrt(0.785398163397448 * wanted)) + 1;
    status = penta_calloc(NULL, index->zones + 1, sizeof *index->first, &index->first);
    for (size_t zone = 0; status == PENTA_OK && zone < index->zones; zone++) {
        sky_sincos(180 * ((double)zone + 0.5) / (double)index->zones - 90, &s, &c);
        index->first[zone + 1] = index->first[zone] + (size_t)ceil(2 * c * (double)index->zones);
    }
    return status;
}

/* Building: place[i] is star i's cell, and then its place among the stars. */
typedef struct {
    penta_sky_index *index;
    const double *ra, *dec;
    size_t *place;
} layout;

static void find_cells(void *data, size_t slice)
{
    layout *l = data;
    size_t end = slice_end(l->index->n, slice);

    for (size_t i = slice * SLICE; i < end; i++)
        l->place[i] = cell_of(l->index, zone_of(l->index, l->dec[i]), sky_wrap(l->ra[i]));
}

static void put_stars(void *data, size_t slice)
{
    layout *l = data;
    size_t end = slice_end(l->index->n, slice);

    for (size_t i = slice * SLICE; i < end; i++) {
        star *s = l->index->stars + l->place[i];

        s->id = i;
        sky_direction(l->ra[i], l->dec[i], s->v, NULL, NULL);
    }
}

/* From cells to places: the cells' sizes, their beginnings, and the stars in turn. begin[c] moves on to begin[c + 1]
 * while cell c fills, so it starts one cell late. */
static void find_places(layout *l)
{
    penta_sky_index *index = l->index;
    size_t cells = index->first[index->zones], sum = 0, *late = index->begin + 1;

    for (size_t i = 0; i < index->n; i++)
        late[l->place[i]]++;
    for (size_t c = 0; c < cells; c++) {
        size_t count = late[c];

        late[c] = sum;
        sum += count;
    }
    for (size_t i = 0; i < index->n; i++)
        l->place[i] = late[l->place[i]]++;
}

/* A counting sort. */
static penta_status sort_stars(penta_sky_index *index, const double *ra, const double *dec)
{
    penta_status status = PENTA_OK;
    layout l = {index, ra, dec, NULL};
    size_t slices = (index->n + SLICE - 1) / SLICE;

    TRY(penta_calloc(NULL, index->first[index->zones] + 1, sizeof *index->begin, &index->begin));
    TRY(penta_calloc(NULL, index->n, sizeof *index->stars, &index->stars));
    TRY(penta_calloc(NULL, index->n, sizeof *l.place, &l.place));
    penta_parallel(slices, find_cells, &l);
    find_places(&l);
    penta_parallel(slices, put_stars, &l);
cleanup:
    free(l.place);
    return status;
}

penta_status penta_sky_index_create(size_t n, const double *ra, const double *dec, penta_sky_index **out)
{
    penta_status status = PENTA_OK;
    penta_sky_index *index = NULL;

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "an index of stars needs a place to go");
    *out = NULL;
    TRY(sky_check_positions(n, ra, dec));
    TRY(penta_calloc(NULL, 1, sizeof *index, &index));
    index->n = n;
    TRY(lay_out(index));
    TRY(sort_stars(index, ra, dec));
    *out = index;
    index = NULL;
cleanup:
    penta_sky_index_destroy(index);
    return status;
}

void penta_sky_index_destroy(penta_sky_index *index)
{
    if (!index)
        return;
    free(index->stars);
    free(index->begin);
    free(index->first);
    free(index);
}

/* ---- queries ---- */

/* A cap of up to 90 degrees holds the stars whose chord to the centre is short enough. A larger one holds those whose
 * chord to the opposite point is long enough, since the chord to the centre hardly changes there. */
typedef struct {
    double ra, dec, radius;       /* degrees, ra in [0, 360) */
    double from[3], sign, chord2; /* in where sign (chord^2 - chord2) <= 0 */
    size_t count, room, *ids;
} cap;

static double sine_squared_of_half(double degrees)
{
    double s, c;

    sky_sincos(degrees / 2, &s, &c);
    return s * s;
}

/* sin^2 of half the difference of RA at which the cap's rim crosses declination dec; above 1 where the whole
 * parallel is inside, negative where none of it is. */
static double crossing(const cap *q, double radius, double dec)
{
    double s, c, cq, across;

    sky_sincos(dec, &s, &c);
    sky_sincos(q->dec, &s, &cq);
    across = sine_squared_of_half(radius) - sine_squared_of_half(dec - q->dec);
    return c * cq > 0 ? across / (c * cq) : across >= 0 ? 2 : -1;
}

/* At least half the cap's width in RA between two declinations, degrees; negative where the cap does not reach them. It
 * is widest where sin dec = sin(centre) / cos(radius). */
static double half_width(const cap *q, double low, double high)
{
    double radius = q->radius + pad, s, c, sq, cq, widest;

    if (radius >= 180)
        return 180;
    sky_sincos(radius, &s, &c);
    sky_sincos(q->dec, &sq, &cq);
    widest = fmax(crossing(q, radius, low), crossing(q, radius, high));
    if (q->dec >= low && q->dec <= high)
        widest = fmax(widest, crossing(q, radius, q->dec));
    if (fabs(sq) <= fabs(c)) {
        double dec = SKY_RADIAN * asin(sq / c);

        if (dec >= low && dec <= high)
            widest = fmax(widest, crossing(q, radius, dec));
    }
    if (widest < 0)
        return -1;
    return widest < 1 ? 2 * SKY_RADIAN * asin(sqrt(widest)) + pad : 180;
}

static void take_cells(const penta_sky_index *index, size_t first, size_t last, cap *q)
{
    for (size_t i = index->begin[first]; i < index->begin[last + 1]; i++) {
        const star *s = index->stars + i;
        double x = s->v[0] - q->from[0], y = s->v[1] - q->from[1], z = s->v[2] - q->from[2];

        if (q->sign * (x * x + y * y + z * z - q->chord2) > 0)
            continue;
        if (q->count < q->room)
            q->ids[q->count] = s->id;
        q->count++;
    }
}

/* Cells of a zone from RA west to east, which may lie beyond 0 and 360. */
static void take_zone(const penta_sky_index *index, size_t zone, double half, cap *q)
{
    double west = q->ra - half, east = q->ra + half;
    size_t first = index->first[zone], last = index->first[zone + 1] - 1;

    if (half >= 180) {
        take_cells(index, first, last, q);
    } else if (west < 0 || east >= 360) { /* two pieces, or all where they touch */
        size_t from = cell_of(index, zone, west < 0 ? west + 360 : west);
        size_t to = cell_of(index, zone, west < 0 ? east : east - 360);

        if (to >= from) {
            take_cells(index, first, last, q);
        } else {
            take_cells(index, first, to, q);
            take_cells(index, from, last, q);
        }
    } else {
        take_cells(index, cell_of(index, zone, west), cell_of(index, zone, east), q);
    }
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Sorts ascending: many ids by marking them in a bit map of all stars, few by qsort. */
static penta_status sort_ids(size_t n, size_t count, size_t *ids)
{
    uint64_t *marks = NULL;
    size_t at = 0, words = n / 64 + 1;
    penta_status status;

    if (count < words / 8 + 64) {
        if (count > 1)
            qsort(ids, count, sizeof *ids, by_size);
        return PENTA_OK;
    }
    status = penta_calloc(NULL, words, sizeof *marks, &marks);
    if (status != PENTA_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        marks[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
    for (size_t word = 0; word < words; word++)
        for (uint64_t rest = marks[word]; rest; rest &= rest - 1)
            ids[at++] = 64 * word + (size_t)__builtin_ctzll(rest);
    free(marks);
    return PENTA_OK;
}

/* Visits the zones that meet the cap. */
static void take_cap(const penta_sky_index *index, cap *q)
{
    double height = 180 / (double)index->zones;
    size_t low = zone_of(index, q->dec - q->radius - pad), high = zone_of(index, q->dec + q->radius + pad);

    for (size_t zone = low; zone <= high; zone++) {
        double south = (double)zone * height - 90;
        double half = half_width(q, fmax(south - pad, -90), fmin(south + height + pad, 90));

        if (half >= 0)
            take_zone(index, zone, half, q);
    }
}

penta_status penta_sky_index_query(const penta_sky_index *index, double ra, double dec, double radius, size_t room,
                                   size_t *ids, size_t *count)
{
    penta_status status = PENTA_OK;
    double s, c, chord;
    cap q = {.radius = radius, .room = room, .ids = ids};

    if (!index || !count || (room > 0 && !ids))
        return penta_fail(NULL, PENTA_INVALID, "a search for stars needs an index and places for the answer");
    *count = 0;
    if (!isfinite(ra) || !(fabs(dec) <= 90) || !(radius >= 0 && radius <= 180))
        return penta_fail(NULL, PENTA_INVALID,
                          "no cap lies at RA %g, Dec %g with the radius %g deg: they must be finite, Dec within -90 "
                          "and 90, the radius within 0 and 180",
                          ra, dec, radius);
    q.ra = sky_wrap(ra);
    q.dec = dec;
    sky_direction(ra, dec, q.from, NULL, NULL);
    sky_sincos(radius / 2, &s, &c);
    q.sign = radius <= 90 ? 1 : -1;
    chord = radius <= 90 ? 2 * s + rim : fmax(0, 2 * c - rim);
    q.chord2 = chord * chord;
    for (size_t i = 0; i < 3; i++)
        q.from[i] *= q.sign;
    take_cap(index, &q);
    *count = q.count;
    if (q.count <= room)
        TRY(sort_ids(index->n, q.count, ids));
cleanup:
    return status;
}
