/* Packing on the host's cores. The formulas are those of cl/stars/pack.clh, with the same exponential. */
#include "stars/pack_host.h"

#include <stdlib.h>

#include "math/opencl_as_c.h"

#include "common/elementary.clh"

#define MOST_FLUX    1e30 /* of cl/stars/pack.clh */
#define LEAST_MOTION 1e-9 /* px; cl/stars/psf_single.clh takes less as rest */
#define MOST_MOTION  1e16 /* px: its square is finite in single precision */

enum { PIECE = 4096 }; /* stars that a thread packs at a time */

/* ---- doubles as pairs of floats ---- */

static stars_wide stars_wide_of(double x)
{
    float high = (float)x;

    return (stars_wide){high, (float)(x - (double)high)};
}

penta_status stars_upload_wide(penta_resources *owner, const double *data, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    stars_wide *pairs = NULL;

    if (penta_context_device(owner->ctx)->fp64)
        return penta_buffer_upload(owner, data, count * sizeof *data, out);
    TRY(penta_calloc(owner->ctx, count + 1, sizeof *pairs, &pairs));
    for (size_t i = 0; i < count; i++)
        pairs[i] = stars_wide_of(data[i]);
    TRY(penta_buffer_upload(owner, pairs, count * sizeof *pairs, out));
cleanup:
    free(pairs);
    return status;
}

/* ---- places ---- */

stars_packing stars_packing_of(const stars_psf *psf, const penta_stars_options *o, bool moving)
{
    return (stars_packing){o, psf->roi, stars_psf_norm(psf, moving), stars_ln_base(o)};
}

stars_place stars_place_of(const stars_packing *p, const penta_stars_list *stars, size_t i)
{
    double px = stars->x[i], py = stars->y[i];
    stars_place s = {.column = stars_first(px, p->roi), .row = stars_first(py, p->roi)};

    s.flux = stars->flux ? stars->flux[i] : p->options->amplitude * penta_exp(-p->ln_base * stars->magnitude[i]);
    s.weight = s.flux * p->norm;
    s.x = px - s.column - p->roi / 2;
    s.y = py - s.row - p->roi / 2;
    return s;
}

/* ---- batches ---- */

penta_status stars_host_batch_create(penta_resources *owner, size_t most, bool moving, stars_host_batch *b)
{
    penta_status status = PENTA_OK;
    size_t moves = moving ? most : 0;

    TRY(penta_buffer_create(owner, most * sizeof *b->packed, &b->stars));
    TRY(penta_buffer_create(owner, most * sizeof *b->cell, &b->cells));
    TRY(penta_buffer_create(owner, moves * sizeof *b->along_x, &b->motion_x));
    TRY(penta_buffer_create(owner, moves * sizeof *b->along_y, &b->motion_y));
    TRY(penta_calloc(owner, most, sizeof *b->packed, &b->packed));
    TRY(penta_calloc(owner, most, sizeof *b->cell, &b->cell));
    TRY(penta_calloc(owner, moves + 1, sizeof *b->along_x, &b->along_x));
    TRY(penta_calloc(owner, moves + 1, sizeof *b->along_y, &b->along_y));
cleanup:
    return status;
}

typedef struct {
    stars_host_batch *batch;
    const stars_packing *packing;
    const penta_stars_list *stars;
    size_t n, width, first_row, rows;
    struct {
        double flux;
        size_t drawn, bad;
    } * totals; /* of a piece */
} job;

/* So long a path that all of the ROI lies on it may end anywhere: the light of a pixel is as its length's inverse. */
static void pack_motion(const job *j, size_t k, double *weight)
{
    double mx = j->stars->motion_x[k], my = j->stars->motion_y[k], length = hypot(mx, my);
    double scale = length < LEAST_MOTION ? 0 : length > MOST_MOTION ? MOST_MOTION / length : 1;

    if (length > MOST_MOTION)
        *weight *= scale;
    j->batch->along_x[k] = stars_wide_of(scale * mx);
    j->batch->along_y[k] = stars_wide_of(scale * my);
}

static bool is_good(const job *j, size_t i, double flux)
{
    const penta_stars_list *s = j->stars;

    return isfinite(s->x[i]) && isfinite(s->y[i]) && isfinite(s->flux ? s->flux[i] : s->magnitude[i]) &&
           fabs(flux) <= MOST_FLUX;
}

/* Whether the ROI touches the slab. row: in the slab. */
static bool is_visible(const job *j, double column, double row)
{
    int roi = j->packing->roi;

    return column > -roi && column < (double)j->width && row > -roi && row < (double)j->rows;
}

static void pack_piece(void *data, size_t piece)
{
    job *j = data;
    size_t end = (piece + 1) * PIECE < j->n ? (piece + 1) * PIECE : j->n;

    j->totals[piece].bad = j->n;
    for (size_t k = piece * PIECE; k < end; k++) {
        stars_place s = stars_place_of(j->packing, j->stars, k);
        double row = s.row - (double)j->first_row;
        bool visible = is_visible(j, s.column, row);
        uint32_t cell = STARS_NOT_DRAWN;

        if (!is_good(j, k, s.flux) && j->totals[piece].bad == j->n)
            j->totals[piece].bad = k;
        if (j->stars->motion_x)
            pack_motion(j, k, &s.weight);
        if (visible)
            cell = (uint32_t)((int)row + STARS_MARGIN) << 16 | (uint32_t)((int)s.column + STARS_MARGIN);
        j->batch->packed[k] = (stars_packed){(float)s.x, (float)s.y, (float)s.weight, cell};
        j->batch->cell[k] = cell;
        if (visible && (row >= 0 || j->first_row == 0)) {
            j->totals[piece].flux += s.flux;
            j->totals[piece].drawn++;
        }
    }
}

static penta_status send(stars_host_batch *b, size_t n, bool moving)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_write(&b->stars, 0, b->packed, n * sizeof *b->packed));
    TRY(penta_buffer_write(&b->cells, 0, b->cell, n * sizeof *b->cell));
    if (moving) {
        TRY(penta_buffer_write(&b->motion_x, 0, b->along_x, n * sizeof *b->along_x));
        TRY(penta_buffer_write(&b->motion_y, 0, b->along_y, n * sizeof *b->along_y));
    }
cleanup:
    return status;
}

penta_status stars_host_batch_fill(stars_host_batch *b, const stars_packing *p, const penta_stars_list *stars, size_t n,
                                   size_t width, size_t first_row, size_t rows)
{
    penta_status status = PENTA_OK;
    size_t pieces = (n + PIECE - 1) / PIECE;
    job j = {.batch = b, .packing = p, .stars = stars, .n = n, .width = width, .first_row = first_row, .rows = rows};

    TRY(penta_calloc(b->stars.ctx, pieces + 1, sizeof *j.totals, &j.totals));
    penta_parallel(pieces, pack_piece, &j);
    b->flux = 0;
    b->drawn = 0;
    b->bad = n;
    for (size_t i = 0; i < pieces; i++) {
        b->flux += j.totals[i].flux;
        b->drawn += j.totals[i].drawn;
        b->bad = j.totals[i].bad < b->bad ? j.totals[i].bad : b->bad;
    }
    TRY(send(b, n, stars->motion_x != NULL));
cleanup:
    free(j.totals);
    return status;
}
