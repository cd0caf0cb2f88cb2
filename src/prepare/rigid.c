/*
 * Angle, growth and shift of a frame from the shifts of its tiles. A pattern that coarsens expands, so that the shift
 * of the whole frame would be a mean over displacements that differ; the tiles tell one from the other.
 *
 * About a motion (d, a, G) what is at q from the middle of the key lies at (1 + G) T q + d in the frame, T turning by
 * a. A tile that is found shifted by s from there says that t + g q' + b q'', q' = (1 + G) T q, q'' that turned by a
 * right angle, is s: the corrections t, g, b are those of weighted least squares over tiles.
 */
#include <math.h>
#include <stdlib.h>

#include "math/lsq.h"
#include "math/ranks.h"
#include "prepare/register_parts.h"

enum {
    ROUNDS = 6,
    SHIFT_ROUNDS = 3,
    BOTH_ROUNDS = 2,
    LEAST_TILES = 6,
    LEAST_TO_TURN = 3,
    UNKNOWNS = 4,
    REWEIGHTED = 4,
    TILE_SUMS = 9 * 6,
    MIDDLE = 4
};
#define PI           3.14159265358979323846
#define LEAST_PIXELS 2000.0
#define LEAST_R      0.3
#define FAR          4.0   /* px: peaks at first, */
#define NEAR         1.0   /* and of tiles where it is known roughly where they are */
#define SETTLED      0.002 /* px at the corner */
#define TUKEY        4.685 /* robust standard deviations */
#define CLIP         3.0   /* residual standard deviations of pixels */
#define LEAST_REST   1e-4  /* of the variance */
#define CERTAIN      4.0   /* standard errors of a growth that is believed */
#define LEAST_EFFECT 0.01  /* px, of a growth that matters, a quarter of the sides from the middle */

/* A tile that was found: where its middle lies, from that of the frame; its shift; pixels. */
typedef struct {
    double x, y, sx, sy, pixels, trust;
} tile;

typedef struct {
    double dx, dy, angle, grow; /* px, radians */
} motion;

/* Corrections, in the order shift, growth, angle; the standard error of growth. */
typedef struct {
    double step[UNKNOWNS], grow_error;
} fitted;

typedef struct {
    const prepare_shape *shape;
    size_t tiles_x, tiles_y;
    tile *tiles;
    double *rows, *values, *residuals; /* of the least squares */
    float *sums;
} fitting;

static void release(fitting *f)
{
    free(f->tiles);
    free(f->rows);
    free(f->values);
    free(f->residuals);
    free(f->sums);
}

static penta_status fitting_create(penta_context *ctx, const prepare_shape *shape, fitting *f)
{
    penta_status status = PENTA_OK;
    size_t tiles;

    *f = (fitting){.shape = shape};
    f->tiles_x = (shape->width + PREPARE_TILE - 1) / PREPARE_TILE;
    f->tiles_y = (shape->height + PREPARE_TILE - 1) / PREPARE_TILE;
    tiles = f->tiles_x * f->tiles_y;
    TRY(penta_calloc(ctx, tiles, sizeof *f->tiles, &f->tiles));
    TRY(penta_calloc(ctx, 2 * tiles, UNKNOWNS * sizeof *f->rows, &f->rows));
    TRY(penta_calloc(ctx, 2 * tiles, sizeof *f->values, &f->values));
    TRY(penta_calloc(ctx, tiles, sizeof *f->residuals, &f->residuals));
    TRY(penta_calloc(ctx, tiles, TILE_SUMS * sizeof *f->sums, &f->sums));
cleanup:
    return status;
}

/* ---- tiles ---- */

static double middle_of(size_t tile_number, size_t size)
{
    size_t from = tile_number * PREPARE_TILE, to = from + PREPARE_TILE < size ? from + PREPARE_TILE : size;

    return 0.5 * (double)(from + to - 1) - 0.5 * (double)(size - 1);
}

/* The tiles that the sums about a motion find within `reach`; returns how many. */
static size_t find_tiles(fitting *f, const motion *m, const float *sums, double reach)
{
    double c = (1 + m->grow) * cos(m->angle), s = (1 + m->grow) * sin(m->angle);
    size_t found = 0;

    for (size_t i = 0; i < f->tiles_x * f->tiles_y; i++) {
        double total[TILE_SUMS], r[9], top;
        double x = middle_of(i % f->tiles_x, f->shape->width), y = middle_of(i / f->tiles_x, f->shape->height);
        tile *t = &f->tiles[found];

        for (int k = 0; k < TILE_SUMS; k++)
            total[k] = (double)sums[i * TILE_SUMS + (size_t)k];
        prepare_coefficients(total, LEAST_PIXELS, r);
        if (!prepare_peak_within(r, reach, &t->sx, &t->sy, &top) || !(r[MIDDLE] > LEAST_R))
            continue;
        t->x = c * x - s * y;
        t->y = s * x + c * y;
        t->pixels = total[0];
        t->trust = 1;
        found++;
    }
    return found;
}

/* What the unknowns make of a tile's shift. */
static void derivatives(const tile *t, double *x, double *y)
{
    x[0] = 1;
    y[0] = 0;
    x[1] = 0;
    y[1] = 1;
    x[2] = t->x;
    y[2] = t->y;
    x[3] = -t->y;
    y[3] = t->x;
}

/* ---- corrections ---- */

static penta_status solve(fitting *f, size_t n, int unknowns, fitted *out, bool *ok)
{
    penta_status status = PENTA_OK;
    size_t p = (size_t)unknowns;
    double cofactor[UNKNOWNS * UNKNOWNS] = {0};
    penta_lsq_result result;

    for (size_t i = 0; i < n; i++) {
        double x[UNKNOWNS], y[UNKNOWNS], weight = sqrt(f->tiles[i].pixels * f->tiles[i].trust);

        derivatives(&f->tiles[i], x, y);
        for (size_t k = 0; k < p; k++) {
            f->rows[k * 2 * n + 2 * i] = weight * x[k];
            f->rows[k * 2 * n + 2 * i + 1] = weight * y[k];
        }
        f->values[2 * i] = weight * f->tiles[i].sx;
        f->values[2 * i + 1] = weight * f->tiles[i].sy;
    }
    *out = (fitted){{0}, 0};
    TRY(penta_lsq_linear(2 * n, p, f->rows, f->values, out->step, cofactor, &result));
    *ok = result.ok;
    if (*ok)
        out->grow_error = sqrt(cofactor[2 * p + 2] * result.rss / (double)(2 * n - p));
cleanup:
    return status;
}

static double residual(const tile *t, const double *step)
{
    double x[UNKNOWNS], y[UNKNOWNS], rx = t->sx, ry = t->sy;

    derivatives(t, x, y);
    for (int k = 0; k < UNKNOWNS; k++) {
        rx -= x[k] * step[k];
        ry -= y[k] * step[k];
    }
    return hypot(rx, ry);
}

/* Bisquare weights from the residuals. */
static void distrust(fitting *f, size_t n, const double *step)
{
    double limit;

    for (size_t i = 0; i < n; i++)
        f->residuals[i] = residual(&f->tiles[i], step);
    qsort(f->residuals, n, sizeof *f->residuals, penta_compare_doubles);
    limit = TUKEY * 1.4826 * 0.5 * (f->residuals[(n - 1) / 2] + f->residuals[n / 2]);
    for (size_t i = 0; i < n; i++) {
        double u = limit > 0 ? residual(&f->tiles[i], step) / limit : 0;

        f->tiles[i].trust = u < 1 ? (1 - u * u) * (1 - u * u) : 0;
    }
}

/* Corrections from what sums about a motion tell; false in *ok: too few tiles. */
static penta_status fit(fitting *f, const motion *m, const float *sums, double reach, bool rotate, fitted *out,
                        bool *ok)
{
    penta_status status = PENTA_OK;
    size_t n = find_tiles(f, m, sums, reach);

    *ok = n >= (rotate ? LEAST_TO_TURN : LEAST_TILES);
    for (int i = 0; i <= REWEIGHTED && *ok; i++) {
        if (i > 0)
            distrust(f, n, out->step);
        TRY(solve(f, n, rotate ? 4 : 3, out, ok));
    }
cleanup:
    return status;
}

static double quarter(const prepare_shape *shape)
{
    return 0.25 * (double)(shape->width + shape->height);
}

penta_status prepare_rigid_grows(penta_context *ctx, const prepare_shape *shape, const float *tile_sums, bool *grows)
{
    penta_status status = PENTA_OK;
    const motion still = {0};
    fitting f;
    fitted by;
    bool ok;

    *grows = false;
    TRY(fitting_create(ctx, shape, &f));
    TRY(fit(&f, &still, tile_sums, FAR, false, &by, &ok));
    *grows = ok && fabs(by.step[2]) * quarter(shape) > LEAST_EFFECT && fabs(by.step[2]) > CERTAIN * by.grow_error;
cleanup:
    release(&f);
    return status;
}

/* ---- motions ---- */

/* Without angle and growth sums are about whole shifts. */
static void make_whole(motion *m)
{
    if (m->angle != 0 || m->grow != 0)
        return;
    m->dx = round(m->dx);
    m->dy = round(m->dy);
}

/* Pixels that count in the next round are near the regression of g on f. */
static void narrow(const fitting *f, const float *sums, prepare_trial *next)
{
    double s[6] = {0}, n, mean_f, mean_g, ff, gg, fg, slope;

    for (size_t i = 0; i < f->tiles_x * f->tiles_y; i++)
        for (size_t k = 0; k < 6; k++)
            s[k] += (double)sums[i * TILE_SUMS + MIDDLE * 6 + k];
    n = s[0];
    mean_f = s[1] / n;
    mean_g = s[2] / n;
    ff = s[3] / n - mean_f * mean_f;
    gg = s[4] / n - mean_g * mean_g;
    fg = s[5] / n - mean_f * mean_g;
    if (!(n > LEAST_PIXELS) || !(ff > 0) || !(fg > 0))
        return;
    slope = fg / ff;
    next->b = (float)slope;
    next->a = (float)(mean_g - slope * mean_f);
    next->limit = (float)(CLIP * sqrt(fmax(gg - slope * fg, LEAST_REST * gg)));
}

/* The motion after corrections; returns how far it moves a corner, px. */
static double correct(const prepare_shape *shape, const fitted *by, motion *m)
{
    double corner = 0.5 * hypot((double)shape->width, (double)shape->height);

    m->dx += by->step[0];
    m->dy += by->step[1];
    m->grow = (1 + m->grow) * (1 + by->step[2]) - 1;
    m->angle += by->step[3];
    return hypot(by->step[0], by->step[1]) + corner * hypot(by->step[2], by->step[3]);
}

/* What sums are taken of. */
typedef struct {
    prepare_pair of;
    int frame;
} pair;

/* Sums about a motion; clipped: over the pixels that the sums before say fit. */
static penta_status sum_at(const pair *of, const motion *m, bool clipped, fitting *w)
{
    prepare_trial trial = {.frame = of->frame, .b = 1, .limit = INFINITY};

    if (clipped)
        narrow(w, w->sums, &trial);
    trial.dx = (float)m->dx;
    trial.dy = (float)m->dy;
    trial.angle = (float)m->angle;
    trial.grow = (float)m->grow;
    return prepare_sums_run(of->of.sums, of->of.f, of->of.f_mask, of->of.g, of->of.g_mask, 1, &trial, w->sums);
}

/* Angle and growth, and the shift that goes with them; *found: there are any. */
static penta_status find_motion(const pair *of, bool rotate, fitting *w, motion *m, bool *found)
{
    penta_status status = PENTA_OK;

    *found = false;
    for (int round = 0; round < ROUNDS; round++) {
        fitted by;
        bool ok;

        make_whole(m);
        TRY(sum_at(of, m, round > 1, w));
        TRY(fit(w, m, w->sums, round > 1 ? NEAR : FAR, rotate, &by, &ok));
        if (!ok)
            break;
        *found = true;
        if (correct(w->shape, &by, m) < SETTLED)
            break;
    }
cleanup:
    return status;
}

/* With angle and growth known, all pixels together tell the shift better than tiles do. score: the coefficient before
 * any pixel is left out. */
static penta_status find_shift(const pair *of, fitting *w, motion *m, double *score)
{
    penta_status status = PENTA_OK;

    for (int round = 0; round < SHIFT_ROUNDS; round++) {
        double total[TILE_SUMS] = {0}, r[9], x, y, top;

        TRY(sum_at(of, m, round > 0, w));
        for (size_t i = 0; i < w->tiles_x * w->tiles_y * TILE_SUMS; i++)
            total[i % TILE_SUMS] += (double)w->sums[i];
        prepare_coefficients(total, LEAST_PIXELS, r);
        if (!prepare_peak(r, &x, &y, &top))
            break;
        if (round == 0)
            *score = fmin(top, 1);
        m->dx += x;
        m->dy += y;
    }
cleanup:
    return status;
}

/* Shift and growth from all pixels, where tiles are too few to tell. */
static penta_status find_both(const pair *of, fitting *w, motion *m, double *score)
{
    penta_status status = PENTA_OK;

    for (int round = 0; round < BOTH_ROUNDS; round++) {
        const prepare_match at = {.frame = of->frame, .drift = {.dx = m->dx, .dy = m->dy}};

        TRY(prepare_grow_refine(&of->of, w->shape, &at, &m->grow));
        TRY(find_shift(of, w, m, score));
    }
cleanup:
    return status;
}

penta_status prepare_rigid_run(prepare_sums *s, const prepare_shape *shape, penta_buffer *f, penta_buffer *f_mask,
                               penta_buffer *g, penta_buffer *g_mask, int frame, bool rotate, penta_drift *drift,
                               double *grow)
{
    penta_status status = PENTA_OK;
    const pair of = {{s, f, f_mask, g, g_mask}, frame};
    motion m = {drift->dx, drift->dy, drift->angle * PI / 180, *grow};
    double score = drift->score;
    bool found;
    fitting w;

    TRY(fitting_create(f->ctx, shape, &w));
    TRY(find_motion(&of, rotate, &w, &m, &found));
    if (!found && !rotate && *grow != 0) {
        TRY(find_both(&of, &w, &m, &score));
        found = true;
    } else if (found && (m.angle != 0 || m.grow != 0)) {
        TRY(find_shift(&of, &w, &m, &score));
    }
    if (found) {
        *drift = (penta_drift){.dx = m.dx, .dy = m.dy, .angle = m.angle * 180 / PI, .score = score};
        *grow = m.grow;
    }
cleanup:
    release(&w);
    return status;
}
