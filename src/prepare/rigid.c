/*
 * Angle, growth and shift of a frame from the shifts of its tiles. A coarsening pattern expands, so the shift of the
 * whole frame would average displacements that differ; tiles separate growth from shift.
 *
 * With the motion (d, a, G), the content at q from the middle of the key is at (1 + G) T q + d in the frame; T turns by
 * a. A tile found shifted by s from there gives the equation t + g q' + b q'' = s, with q' = (1 + G) T q and q'' = q'
 * turned by a right angle. Weighted least squares over tiles gives the corrections t, g, b.
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
#define FAR          4.0   /* px, accepted distance of a tile's peak at first, */
#define NEAR         1.0   /* and when the motion is roughly known */
#define SETTLED      0.002 /* px, a smaller correction at the corner ends the fit */
#define TUKEY        4.685 /* bisquare limit, robust standard deviations */
#define CLIP         3.0   /* clip limit of pixels, residual standard deviations */
#define LEAST_REST   1e-4  /* least residual variance, relative */
#define CERTAIN      4.0   /* standard errors, a growth needs more to be believed */
#define LEAST_EFFECT 0.01  /* px, least effect of a growth that matters, a quarter of the sides from the middle */

/* A tile that was found: position from the frame's middle, shift, number of pixels, weight. */
typedef struct {
    double x, y, sx, sy, pixels, robust;
} tile;

typedef struct {
    double dx, dy, angle, grow; /* px, radians */
} motion;

/* Corrections, in the order shift, growth, angle; standard error of the growth. */
typedef struct {
    double step[UNKNOWNS], grow_error;
} fitted;

typedef struct {
    const prepare_shape *shape;
    size_t tiles_x, tiles_y;
    tile *tiles;
    double *rows, *values, *residuals; /* workspace of the least squares */
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

/* Finds tiles whose peak is within `reach` of the motion that sums are about; returns how many. */
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
        t->robust = 1;
        found++;
    }
    return found;
}

/* Derivatives of a tile's shift with respect to the unknowns. */
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
        double x[UNKNOWNS], y[UNKNOWNS], weight = sqrt(f->tiles[i].pixels * f->tiles[i].robust);

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

/* Sets bisquare weights from the residuals. */
static void reweight(fitting *f, size_t n, const double *step)
{
    double limit;

    for (size_t i = 0; i < n; i++)
        f->residuals[i] = residual(&f->tiles[i], step);
    qsort(f->residuals, n, sizeof *f->residuals, penta_compare_doubles);
    limit = TUKEY * 1.4826 * 0.5 * (f->residuals[(n - 1) / 2] + f->residuals[n / 2]);
    for (size_t i = 0; i < n; i++) {
        double u = limit > 0 ? residual(&f->tiles[i], step) / limit : 0;

        f->tiles[i].robust = u < 1 ? (1 - u * u) * (1 - u * u) : 0;
    }
}

/* Fits corrections to the sums about a motion; *ok is false if there are too few tiles. */
static penta_status fit(fitting *f, const motion *m, const float *sums, double reach, bool rotate, fitted *out,
                        bool *ok)
{
    penta_status status = PENTA_OK;
    size_t n = find_tiles(f, m, sums, reach);

    *ok = n >= (rotate ? LEAST_TO_TURN : LEAST_TILES);
    for (int i = 0; i <= REWEIGHTED && *ok; i++) {
        if (i > 0)
            reweight(f, n, out->step);
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

/* Rounds the shift if there is no angle or growth: then sums are about whole-pixel shifts. */
static void make_whole(motion *m)
{
    if (m->angle != 0 || m->grow != 0)
        return;
    m->dx = round(m->dx);
    m->dy = round(m->dy);
}

/* Limits the next trial to pixels near the regression of g on f. */
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

/* Applies corrections to the motion; returns how far they move a corner, px. */
static double correct(const prepare_shape *shape, const fitted *by, motion *m)
{
    double corner = 0.5 * hypot((double)shape->width, (double)shape->height);

    m->dx += by->step[0];
    m->dy += by->step[1];
    m->grow = (1 + m->grow) * (1 + by->step[2]) - 1;
    m->angle += by->step[3];
    return hypot(by->step[0], by->step[1]) + corner * hypot(by->step[2], by->step[3]);
}

/* The frames that sums compare. */
typedef struct {
    prepare_pair of;
    int frame;
} pair;

/* Sums about a motion; clipped: only over pixels that fit according to the previous sums. */
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

/* Finds angle, growth and the shift that goes with them; *found is false if too few tiles were found. */
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

/* Refines the shift from all pixels, which is more precise than tiles once angle and growth are known. score: the
 * coefficient before pixels are left out. */
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

/* Finds shift and growth from all pixels, if there are too few tiles. */
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
