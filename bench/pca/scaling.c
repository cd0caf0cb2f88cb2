/*
 * One covariance and its components of a cube that is as many small cubes, one below the other, as the members bring:
 * each adds its part of the pixels. All of the small cubes are the same one, of which each member has a pinned copy, so
 * that memory does not grow.
 */
#include <string.h>

#include <pentacl/pca.h>

#include "input.h"
#include "scaling/scaling.h"

enum { ROWS, COLS, BANDS, CUBES, TYPE }; /* sizes of a case */
enum { PIECE = 8192 /* pixels that a CPU device is given at a time */ };

typedef struct {
    penta_pca *plan;
    penta_pca_part part;
    void *cube; /* bands x rows x cols */
    penta_pca_model model;
} state;

static penta_type type_of(const scaling_case *c)
{
    return (penta_type)c->sizes[TYPE];
}

static size_t pixels_of(const scaling_case *c)
{
    return c->sizes[ROWS] * c->sizes[COLS];
}

static penta_status make_cube(scaling_member *m, state *s)
{
    const scaling_case *c = m->c;
    const pca_case cube = {c->name, c->sizes[ROWS], c->sizes[COLS], c->sizes[BANDS], type_of(c), false};

    s->cube = scaling_pinned(m, pixels_of(c) * cube.bands, penta_type_size(cube.type));
    if (!s->cube)
        return PENTA_MEMORY;
    return pca_fill(&cube, s->cube) ? PENTA_OK : scaling_fault(m, PENTA_MEMORY, "out of memory for the cube");
}

/* ---- the job ---- */

static penta_status begin(scaling_member *m)
{
    const scaling_case *c = m->c;
    size_t cubes = c->sizes[CUBES] * m->parts;
    penta_pca_options o;
    state *s = scaling_state(m, sizeof *s);
    penta_status status = s ? make_cube(m, s) : PENTA_MEMORY;

    penta_pca_options_init(&o);
    if (status == PENTA_OK)
        status = penta_pca_create(m->ctx, c->sizes[BANDS], cubes * pixels_of(c), &o, &s->plan);
    if (status != PENTA_OK)
        return status;
    s->part = (penta_pca_part){.rows = cubes * c->sizes[ROWS], .pixels = cubes * pixels_of(c)};
    return m->members == 1
               ? PENTA_OK
               : penta_pca_join(s->plan, m->group, cubes * c->sizes[ROWS], c->sizes[COLS], type_of(c), &s->part);
}

/* Rows first .. first + count - 1 of the large cube, which lie in one of the small ones. */
static penta_status add(scaling_member *m, size_t first, size_t count)
{
    const scaling_case *c = m->c;
    const state *s = m->state;
    size_t at = first % c->sizes[ROWS] * c->sizes[COLS];
    penta_cube_rows rows = {.rows = count,
                            .cols = c->sizes[COLS],
                            .layout = PENTA_BSQ,
                            .type = type_of(c),
                            .data = (const char *)s->cube + at * penta_type_size(type_of(c)),
                            .band_stride = pixels_of(c)};

    return penta_pca_add(s->plan, &rows);
}

static penta_status run(scaling_member *m)
{
    state *s = m->state;
    size_t height = m->c->sizes[ROWS], end = s->part.first_row + s->part.rows, count;
    bool cpu = penta_context_device(m->ctx)->type == PENTA_DEVICE_CPU;
    size_t most = cpu && m->c->sizes[COLS] < PIECE ? PIECE / m->c->sizes[COLS] : height;
    penta_status status = PENTA_OK;

    penta_pca_model_free(&s->model);
    penta_pca_reset(s->plan);
    for (size_t row = s->part.first_row; status == PENTA_OK && row < end; row += count) {
        count = height - row % height;
        count = count < most ? count : most;
        count = count < end - row ? count : end - row;
        status = add(m, row, count);
    }
    return status == PENTA_OK ? penta_pca_solve(s->plan, &s->model) : status;
}

/* Everything that the data decide. */
static penta_status result(scaling_member *m, scaling_result *out)
{
    const penta_pca_model *model = &((state *)m->state)->model;
    double *packed;
    size_t b = model->bands, k = model->components, n = 0;
    const struct {
        const double *numbers;
        size_t count;
    } parts[] = {{model->mean, b},         {model->deviation, b},   {model->covariance, b * b}, {model->eigenvalues, b},
                 {model->loadings, k * b}, {model->forward, k * b}, {model->inverse, b * k}};

    packed = scaling_alloc(m, 3 * b + b * b + 3 * k * b, sizeof *packed);
    if (!packed)
        return PENTA_MEMORY;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(packed + n, parts[i].numbers, parts[i].count * sizeof *packed);
        n += parts[i].count;
    }
    *out = (scaling_result){packed, n * sizeof *packed};
    return PENTA_OK;
}

static void end(void *state_)
{
    state *s = state_;

    penta_pca_model_free(&s->model);
    penta_pca_destroy(s->plan);
}

const scaling_job scaling_pca = {begin, run, result, end};
