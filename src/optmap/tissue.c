/* The sheet of pentacl/tissue.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/tips.h"
#include "optmap/tissue.h"

static const double pi = 3.14159265358979323846;

static const penta_option option_rows[] = {
    PENTA_REAL_OPTION(penta_tissue_options, pixel_size, 0, 0.03, 1e-6, 100, "cm", "side of a pixel"),
    PENTA_REAL_OPTION(penta_tissue_options, speed, 0, 40, 1e-3, 1e5, "cm/s",
                      "of a plane wave along the fibres into tissue at rest"),
    PENTA_REAL_OPTION(penta_tissue_options, anisotropy, 0, 1, 1, 20, "",
                      "speed along the fibres over the speed across them"),
    PENTA_REAL_OPTION(penta_tissue_options, fibre, 0, 0, -360, 360, "deg", "direction of the fibres: 0 right, 90 down"),
    PENTA_REAL_OPTION(penta_tissue_options, time_unit, 0, 2.8, 1e-3, 1e4, "ms",
                      "of the model: scales durations, rise and the period of a spiral"),
    PENTA_REAL_OPTION(penta_tissue_options, k, 0, 8, 0.1, 100, "", "of the model: how fast it is excited"),
    PENTA_REAL_OPTION(penta_tissue_options, a, 0, 0.15, 0.001, 0.45, "", "of the model: the threshold"),
    PENTA_REAL_OPTION(penta_tissue_options, epsilon0, 0, 0.01, 0, 1, "", "of the model: recovery at rest"),
    PENTA_REAL_OPTION(penta_tissue_options, mu1, 0, 0.05, 0, 10, "", "of the model: recovery, shorter potentials"),
    PENTA_REAL_OPTION(penta_tissue_options, mu2, 0, 0.3, 0.01, 10, "", "of the model: recovery"),
    PENTA_INT_OPTION(penta_tissue_options, cells, 0, 0, 0, 64, "",
                     "on the side of a pixel; 0: as many as the front across the fibres needs"),
    PENTA_REAL_OPTION(penta_tissue_options, step, 0, 0, 0, 1e4, "ms",
                      "longest step in time; 0: 0.02 units of time, or what is stable"),
    PENTA_OPTIONS_END};

const penta_option *penta_tissue_option_table(void)
{
    return option_rows;
}

/* ---- options ---- */

/* The diffusion tensor, in cells^2 per unit of time. */
typedef struct {
    double xx, xy, yy;
} tensor;

static double along_fibres(const penta_tissue_options *o)
{
    double speed = o->speed * 1e-3 * o->time_unit / (1 - 2 * o->a); /* cm per unit of time */

    return 2 * speed * speed / o->k;
}

static tensor diffusion_of(const penta_tissue_options *o)
{
    double cell = o->pixel_size / o->cells, angle = o->fibre * pi / 180, c = cos(angle), s = sin(angle);
    double along = along_fibres(o) / (cell * cell), across = along / (o->anisotropy * o->anisotropy);

    return (tensor){along * c * c + across * s * s, (along - across) * c * s, along * s * s + across * c * c};
}

/* Cells per pixel. The front is tanh(x / thickness): cells of 0.4 thickness slow it by 1.2 %, steps of 0.02 by 0.7 %.
 */
static int cells_needed(const penta_tissue_options *o)
{
    double thickness = sqrt(8 * along_fibres(o) / o->k) / o->anisotropy;

    return (int)fmin(fmax(ceil(o->pixel_size / (0.4 * thickness) - 1e-9), 1), 64);
}

static penta_status choose(penta_context *ctx, penta_tissue_options *o)
{
    const double usual = 0.02;
    double stable;
    tensor d;

    if (o->cells == 0)
        o->cells = cells_needed(o);
    d = diffusion_of(o);
    stable = 0.95 * o->time_unit * tissue_stable_step(d.xx, d.xy, d.yy);
    if (o->step == 0)
        o->step = fmin(usual * o->time_unit, stable);
    if (o->step > stable || o->step > 0.1 * o->time_unit)
        return penta_fail(ctx, PENTA_INVALID, "a `step` of %g ms diverges: at most %g ms here", o->step,
                          fmin(stable, 0.1 * o->time_unit));
    return PENTA_OK;
}

/* Resolves and checks the options, and finds the grid of cells. Sizes 0: not known yet. */
static penta_status resolve(penta_context *ctx, size_t width, size_t height, const penta_tissue_options *opt,
                            penta_tissue_options *o, size_t *columns, size_t *rows)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_tissue_option_table(), opt, o, sizeof *o));
    TRY(choose(ctx, o));
    TRY(penta_size(ctx, width, (size_t)o->cells, 1, columns));
    TRY(penta_size(ctx, height, (size_t)o->cells, 1, rows));
    if (width || height)
        TRY(medium_check(ctx, "sheet", *columns, *rows));
cleanup:
    return status;
}

penta_status penta_tissue_check(size_t width, size_t height, const penta_tissue_options *opt, char *message,
                                size_t size)
{
    penta_tissue_options options;
    size_t columns, rows;

    return penta_check_result(resolve(NULL, width, height, opt, &options, &columns, &rows), message, size);
}

/* ---- buffers ---- */

static penta_status upload_weights(penta_tissue *t, const uint8_t *outline)
{
    penta_status status = PENTA_OK;
    tensor d = diffusion_of(&t->options);
    size_t n = medium_floats(&t->medium), bytes = n * sizeof(float), cells = 0;
    float *all = NULL;
    tissue_weights w;

    TRY(penta_calloc(t->resources.ctx, 4 * n, sizeof *all, &all));
    w = (tissue_weights){all, all + n, all + 2 * n, all + 3 * n};
    tissue_stiffness(t, outline, d.xx, d.xy, d.yy, &w);
    for (size_t i = 0; i < t->medium.width * t->medium.height; i++)
        cells += t->tissue[i];
    if (cells == 0) {
        status = penta_fail(t->resources.ctx, PENTA_INVALID, "the outline holds no tissue");
        goto cleanup;
    }
    TRY(penta_buffer_upload(&t->resources, w.east, bytes, &t->east));
    TRY(penta_buffer_upload(&t->resources, w.south, bytes, &t->south));
    TRY(penta_buffer_upload(&t->resources, w.slant, bytes, &t->slant));
    TRY(penta_buffer_upload(&t->resources, w.share, bytes, &t->share));
cleanup:
    free(all);
    return status;
}

penta_status penta_tissue_create(penta_context *ctx, size_t width, size_t height, const uint8_t *outline,
                                 const penta_tissue_options *opt, penta_tissue **out)
{
    penta_status status = PENTA_OK;
    penta_tissue *t = NULL;
    size_t columns, rows;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &t));
    TRY(resolve(ctx, width, height, opt, &t->options, &columns, &rows));
    TRY(medium_check(ctx, "sheet", columns, rows));
    t->columns = width;
    t->rows = height;
    t->lean = diffusion_of(&t->options).xy < 0 ? -1 : 1;
    TRY(medium_create(&t->resources, columns, rows, 1, &t->medium));
    TRY(penta_calloc(&t->resources, rows, columns, &t->tissue));
    TRY(penta_kernel_get(&t->resources, "optmap/tissue.cl", penta_is_cpu(ctx) ? "tissue_step_cpu" : "tissue_step", "",
                         &t->step));
    TRY(upload_weights(t, outline));
    *out = t;
    t = NULL;
cleanup:
    penta_tissue_destroy(t);
    return status;
}

const penta_tissue_options *penta_tissue_chosen(const penta_tissue *t)
{
    return &t->options;
}

/* ---- what is done to it ---- */

static float *staged(const penta_tissue *t, size_t x, size_t y)
{
    return t->medium.staging + medium_element(&t->medium, x, y);
}

static double pixel_of(const penta_tissue *t, double cell)
{
    return (cell + 0.5) / t->options.cells - 0.5;
}

/* The region to excite, u = 1: a dx + b dy <= reach; with a = b = 0 a disc of radius reach. All in px from (x, y). */
typedef struct {
    double x, y, a, b, reach;
} region;

static bool is_within(const region *r, double x, double y)
{
    double dx = x - r->x, dy = y - r->y;

    return r->a == 0 && r->b == 0 ? hypot(dx, dy) <= r->reach : r->a * dx + r->b * dy <= r->reach;
}

static penta_status excite(penta_tissue *t, const region *r)
{
    penta_status status = PENTA_OK;
    optmap_medium *m = &t->medium;

    TRY(medium_stage(m, &m->u[m->now]));
    for (size_t y = 0; y < m->height; y++)
        for (size_t x = 0; x < m->width; x++)
            if (t->tissue[y * m->width + x] && is_within(r, pixel_of(t, (double)x), pixel_of(t, (double)y)))
                *staged(t, x, y) = 1;
    TRY(medium_unstage(m, &m->u[m->now]));
cleanup:
    return status;
}

/* Least radius of a disc that starts a wave: 2.5 times D / c, below which a round front of this medium dies, and some
 * cells. */
static double radius_needed(const penta_tissue *t)
{
    const penta_tissue_options *o = &t->options;

    return fmax(2.5 * sqrt(2 * along_fibres(o) / o->k) / (1 - 2 * o->a) / o->pixel_size, 1.5);
}

penta_status penta_tissue_stimulate(penta_tissue *t, double x, double y, double radius)
{
    radius = radius > 0 ? radius : radius_needed(t);
    return excite(t, &(region){x, y, 0, 0, radius});
}

penta_status penta_tissue_stimulate_half(penta_tissue *t, double x, double y, double angle)
{
    return excite(t, &(region){x, y, cos(angle * pi / 180), sin(angle * pi / 180), 0});
}

/* The phase, 0 .. 1 turn, around all rotors. */
static double turn_at(const penta_tissue_rotor *rotors, size_t count, double x, double y)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum -= rotors[i].charge * atan2(y - rotors[i].y, x - rotors[i].x) / (2 * pi);
    return sum - floor(sum);
}

/* Approximate u of a rotating wave where the front passed `turn` of a turn ago. */
static float turning_u(double turn)
{
    return turn < 0.4 ? 1 : 0;
}

static float turning_v(double turn)
{
    const double most = 1.8, passed = 0.45, forgets = 2; /* per turn */

    return (float)(turn < passed ? most * turn / passed : most * exp(forgets * (passed - turn)));
}

penta_status penta_tissue_begin_rotors(penta_tissue *t, const penta_tissue_rotor *rotors, size_t count)
{
    penta_status status = PENTA_OK;
    optmap_medium *m = &t->medium;

    memset(m->staging, 0, medium_floats(m) * sizeof *m->staging);
    for (int map = 0; map < 2; map++) {
        for (size_t y = 0; y < m->height; y++)
            for (size_t x = 0; x < m->width; x++) {
                double turn = turn_at(rotors, count, pixel_of(t, (double)x), pixel_of(t, (double)y));

                if (t->tissue[y * m->width + x])
                    *staged(t, x, y) = map == 0 ? turning_u(turn) : turning_v(turn);
            }
        TRY(medium_unstage(m, map == 0 ? &m->u[m->now] : &m->v[m->now]));
    }
cleanup:
    return status;
}

/* ---- time ---- */

penta_status penta_tissue_advance(penta_tissue *t, double ms)
{
    const penta_tissue_options *o = &t->options;
    penta_status status = PENTA_OK;
    optmap_medium *m = &t->medium;
    penta_grid grid = medium_grid(t->resources.ctx, m);
    size_t steps = (size_t)ceil(ms / o->step - 1e-9);
    float step = steps ? (float)(ms / (double)steps / o->time_unit) : 0;

    for (size_t i = 0; i < steps; i++, m->now = 1 - m->now)
        TRY(penta_launch(&t->step, grid,
                         ARGS(&m->u[m->now], &m->v[m->now], &t->east, &t->south, &t->slant, &t->share, (int)m->width,
                              (int)m->pitch, t->lean, (float)o->k, (float)o->a, (float)o->epsilon0, (float)o->mu1,
                              (float)o->mu2, step, &m->u[1 - m->now], &m->v[1 - m->now])));
cleanup:
    return status;
}

/* ---- what is there ---- */

penta_status penta_tissue_read(penta_tissue *t, float *u, float *v)
{
    return medium_read(&t->medium, u, v);
}

static size_t cells_in(const penta_tissue *t, size_t column, size_t row)
{
    size_t cells = (size_t)t->options.cells, sum = 0;

    for (size_t i = 0; i < cells * cells; i++)
        sum += t->tissue[(row * cells + i / cells) * t->medium.width + column * cells + i % cells];
    return sum;
}

penta_status penta_tissue_signal(penta_tissue *t, float *signal)
{
    penta_status status = PENTA_OK;
    size_t cells = (size_t)t->options.cells;

    TRY(medium_stage(&t->medium, &t->medium.u[t->medium.now])); /* u is 0 outside the tissue */
    for (size_t row = 0; row < t->rows; row++)
        for (size_t column = 0; column < t->columns; column++) {
            size_t in = cells_in(t, column, row);
            double sum = 0;

            for (size_t i = 0; i < cells * cells; i++)
                sum += (double)*staged(t, column * cells + i % cells, row * cells + i / cells);
            signal[row * t->columns + column] = in ? (float)(sum / (double)in) : 0;
        }
cleanup:
    return status;
}

void penta_tissue_cover(const penta_tissue *t, float *cover)
{
    size_t cells = (size_t)t->options.cells;

    for (size_t i = 0; i < t->rows * t->columns; i++)
        cover[i] = (float)cells_in(t, i % t->columns, i / t->columns) / (float)(cells * cells);
}

penta_status penta_tissue_tips(penta_tissue *t, penta_spiral_tip *tips, size_t most, size_t *count)
{
    const penta_tissue_options *o = &t->options;
    penta_status status = PENTA_OK;
    float *both = NULL;
    size_t n = t->medium.width * t->medium.height;

    *count = 0;
    TRY(penta_calloc(t->resources.ctx, 2 * n, sizeof *both, &both));
    TRY(penta_tissue_read(t, both, both + n));
    *count = optmap_tips(both, both + n, t->medium.width, t->medium.height, t->tissue, 0.5, o->k * (0.5 - o->a) / 2,
                         tips, most);
    for (size_t i = 0; i < *count && i < most; i++) {
        tips[i].x = pixel_of(t, tips[i].x);
        tips[i].y = pixel_of(t, tips[i].y);
    }
cleanup:
    free(both);
    return status;
}

void penta_tissue_destroy(penta_tissue *t)
{
    penta_plan_free(t);
}
