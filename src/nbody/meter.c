/*
 * Sums over all bodies, potentials and the field at other points, in double. Without double precision potentials
 * and fields are sums of pairs of floats (cl/nbody/meter_ds.cl), the others are the host's (meter_host.c). The order of
 * every sum depends on the sizes alone. cl/nbody/meter.cl and meter_field.clh explain their kernels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/pair.h"
#include "math/sizes.h"
#include "nbody/meter_host.h"
#include "nbody/nbody.h"

enum { SUMS = NBODY_SUMS, CANDIDATES = 3 }; /* as in meter.cl */

static const double parts[PENTA_NBODY_RADII] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9};
/* Sums of masses are rounded: a shell is full when it lacks less than this part of all mass. One of 2^28 bodies has
 * 4e-9. */
static const double rounding = 1e-10;
static const size_t points_at_once = (size_t)1 << 16;

/* How the work is divided in each form of the kernels. */
typedef struct {
    const char *file;
    size_t group;             /* work-items of a work-group */
    size_t share, most_items; /* sums: bodies a work-item should take; work-items, at most */
    size_t points;            /* field: of a work-item */
    size_t piece;             /* pieces of bodies are multiples of this */
    size_t busy;              /* work-groups that keep a device busy */
} form;

static const form gpu_form = {"nbody/meter.cl", 128, 16, 32768, 1, 128, 1024};
static const form cpu_form = {"nbody/meter.cl", 1, 4096, 1024, 4, 512, 64};
static const form ds_form = {"nbody/meter_ds.cl", 64, 1, 0, 1, 128, 1024};

struct nbody_meter {
    penta_resources resources;
    nbody_shape shape;
    const form *f;
    size_t groups;                          /* of the kernels that sum */
    size_t piece, pieces;                   /* of potentials */
    penta_pace pace;                        /* of potentials and fields */
    penta_kernel sums, finite;              /* sums over bodies */
    penta_kernel distances, shells, narrow; /* radii */
    penta_kernel all_radii;                 /* of one group: instead of the latter two */
    penta_kernel potential, field, join;    /* field: made with the first field */
    penta_buffer values;    /* pitch: potentials of the bodies, then their squared distances from the centre of mass */
    penta_buffer parted;    /* pieces x pitch: parts of potentials */
    penta_buffer partial;   /* of the groups: SUMS, or PENTA_NBODY_RADII x CANDIDATES each */
    penta_buffer prefixes;  /* PENTA_NBODY_RADII x int64: bits of squared radii */
    penta_buffer enough;    /* PENTA_NBODY_RADII: mass in each radius */
    penta_buffer bad;       /* int32 */
    nbody_host_bodies host; /* without double precision: instead of kernels that sum, and their buffers */
};

/* Bodies of a piece, such that pieces x points make enough work-groups. */
static size_t choose_piece(const form *f, size_t pitch, size_t points)
{
    size_t groups = (points + f->group * f->points - 1) / (f->group * f->points);
    size_t pieces = f->busy / penta_smaller(groups, f->busy);

    return penta_round_up((pitch + pieces - 1) / pieces, f->piece);
}

static const form *form_for(const penta_context *ctx)
{
    return !penta_context_device(ctx)->fp64 ? &ds_form : penta_is_cpu(ctx) ? &cpu_form : &gpu_form;
}

const char *nbody_meter_program(const penta_context *ctx)
{
    return form_for(ctx)->file;
}

/* ---- making and releasing ---- */

static penta_status get_kernels(nbody_meter *m)
{
    penta_status status = PENTA_OK;

    TRY(penta_kernels_get(&m->resources, m->f->file, "",
                          KERNELS({&m->finite, "nbody_meter_finite"}, {&m->join, "nbody_meter_join"},
                                  {&m->potential, "nbody_meter_field"})));
    if (m->host.n == 0)
        TRY(penta_kernels_get(&m->resources, m->f->file, "",
                              KERNELS({&m->sums, "nbody_meter_sums"}, {&m->distances, "nbody_meter_distances"},
                                      {&m->all_radii, "nbody_meter_radii"}, {&m->shells, "nbody_meter_shells"},
                                      {&m->narrow, "nbody_meter_narrow"})));
cleanup:
    return status;
}

static penta_status get_buffers(nbody_meter *m)
{
    penta_status status = PENTA_OK;
    size_t pitch = m->shape.pitch, numbers = PENTA_NBODY_RADII * CANDIDATES;

    TRY(penta_buffer_create(&m->resources, pitch * sizeof(double), &m->values));
    if (m->pieces > 1)
        TRY(penta_buffer_create(&m->resources, m->pieces * pitch * sizeof(double), &m->parted));
    if (m->pieces > 1 && m->shape.share) /* all are added, also those that this member does not compute */
        TRY(penta_buffer_zero(&m->parted, 0, m->pieces * pitch * sizeof(double)));
    TRY(penta_buffer_create(&m->resources, sizeof(int32_t), &m->bad));
    if (m->host.n > 0)
        return penta_calloc(&m->resources, 8 * pitch, sizeof *m->host.numbers, &m->host.numbers);
    TRY(penta_buffer_create(&m->resources, numbers * m->groups * sizeof(double), &m->partial));
    TRY(penta_buffer_create(&m->resources, PENTA_NBODY_RADII * sizeof(int64_t), &m->prefixes));
    TRY(penta_buffer_create(&m->resources, PENTA_NBODY_RADII * sizeof(double), &m->enough));
cleanup:
    return status;
}

penta_status nbody_meter_create(penta_context *ctx, const nbody_shape *shape, nbody_meter **out)
{
    penta_status status = PENTA_OK;
    nbody_meter *m = NULL;
    size_t items;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &m));
    m->shape = *shape;
    m->f = form_for(ctx);
    if (m->f == &ds_form)
        m->host = (nbody_host_bodies){.n = shape->n, .pitch = shape->pitch};
    items = penta_smaller((shape->pitch + m->f->share - 1) / m->f->share, m->f->most_items);
    m->groups = (items + m->f->group - 1) / m->f->group;
    m->piece = choose_piece(m->f, shape->pitch, shape->n);
    m->pieces = (shape->pitch + m->piece - 1) / m->piece;
    TRY(get_kernels(m));
    TRY(get_buffers(m));
    *out = m;
    m = NULL;
cleanup:
    nbody_meter_destroy(m);
    return status;
}

void nbody_meter_destroy(nbody_meter *m)
{
    penta_plan_free(m);
}

/* The grid of the kernels that sum. */
static penta_grid sum_grid(const nbody_meter *m)
{
    return penta_grid_groups(penta_grid_1d(m->groups * m->f->group), m->f->group, 1, 1);
}

/* ---- the field ---- */

/* Points on the device, as arrays of coordinates. */
typedef struct {
    penta_buffer *at;
    size_t stride; /* how many: a multiple of NBODY_PITCH */
    bool bodies;   /* they are the bodies themselves */
} point_list;

/*
 * out: components x stride, the potential first; `components` is 1 or 4. parted: room for as much a piece, where there
 * are several. Of members of a group, this one's part.
 */
static penta_status add_part(nbody_meter *m, nbody_bodies *b, const point_list *p, size_t components, size_t piece,
                             penta_buffer *parted, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    const form *f = m->f;
    size_t pieces = (b->pitch + piece - 1) / piece, numbers = components * p->stride, unit = f->group * f->points;
    penta_grid all = penta_grid_groups(penta_grid_2d(p->stride / f->points, pieces), f->group, 1, 1);
    penta_grid grid = nbody_share_grid(m->shape.share, p->stride, unit, f->points, all);
    long eps2 = nbody_number(m->resources.ctx, m->shape.eps * m->shape.eps);

    TRY(penta_launch_paced(components == 1 ? &m->potential : &m->field, grid,
                           (double)(grid.global[0] * f->points) * (double)b->pitch, &m->pace,
                           ARGS(p->at, (unsigned)p->stride, p->bodies ? 0 : -1, &b->mass, &b->position,
                                (unsigned)b->pitch, (unsigned)piece, eps2, pieces > 1 ? parted : out)));
    if (pieces > 1)
        TRY(penta_launch(&m->join, penta_grid_rows(penta_grid_1d(numbers)),
                         ARGS(parted, (unsigned)pieces, (unsigned)numbers, out)));
cleanup:
    return status;
}

static penta_status add_up(nbody_meter *m, nbody_bodies *b, const point_list *p, size_t components, size_t piece,
                           penta_buffer *parted, penta_buffer *out)
{
    penta_status status = add_part(m, b, p, components, piece, parted, out);

    return nbody_share_vectors(m->shape.share, status, out, components, p->stride, p->stride,
                               m->f->group * m->f->points);
}

/* Potentials of the bodies into m->values. */
static penta_status find_potentials(nbody_meter *m, nbody_bodies *b)
{
    point_list points = {&b->position, b->pitch, true};

    return add_up(m, b, &points, 1, m->piece, &m->parted, &m->values);
}

penta_status nbody_meter_potentials(nbody_meter *m, nbody_bodies *bodies, double *potential)
{
    penta_status status = PENTA_OK;

    TRY(find_potentials(m, bodies));
    TRY(nbody_read_numbers(m->resources.ctx, &m->values, 0, potential, bodies->n));
cleanup:
    return status;
}

/* Memory for the field at some points at a time. */
typedef struct {
    penta_resources resources;
    size_t points, piece;
    double *host; /* 4 x points: positions, then results */
    penta_buffer at, parted, out;
} batch;

static penta_status create_batch(nbody_meter *m, size_t points, batch *k)
{
    penta_status status = PENTA_OK;
    size_t pieces, bytes;

    k->points = penta_round_up(points, NBODY_PITCH);
    k->piece = choose_piece(m->f, m->shape.pitch, points);
    pieces = (m->shape.pitch + k->piece - 1) / k->piece;
    bytes = 4 * k->points * sizeof(double);
    TRY(penta_calloc(&k->resources, 1, bytes, &k->host));
    TRY(penta_buffer_create(&k->resources, 3 * k->points * sizeof(double), &k->at));
    TRY(penta_buffer_create(&k->resources, bytes, &k->out));
    if (pieces > 1)
        TRY(penta_buffer_create(&k->resources, pieces * bytes, &k->parted));
cleanup:
    return status;
}

/* count: at most the points of the batch. The rest of the rows is 0 or left over from an earlier batch. */
static penta_status run_batch(nbody_meter *m, nbody_bodies *bodies, batch *k, size_t count, const double *points,
                              const double origin[3], double *acceleration, double *potential)
{
    penta_status status = PENTA_OK;
    size_t stride = penta_round_up(count, NBODY_PITCH), components = acceleration ? 4 : 1;
    point_list list = {&k->at, stride, false};

    for (size_t i = 0; i < 3 * count; i++)
        k->host[i % 3 * stride + i / 3] = points[i] - origin[i % 3];
    TRY(nbody_write_numbers(m->resources.ctx, &k->at, 0, k->host, 3 * stride));
    TRY(add_up(m, bodies, &list, components, k->piece, &k->parted, &k->out));
    TRY(nbody_read_numbers(m->resources.ctx, &k->out, 0, k->host, components * stride));
    if (potential)
        memcpy(potential, k->host, count * sizeof(double));
    for (size_t i = 0; acceleration && i < 3 * count; i++)
        acceleration[i] = k->host[(1 + i % 3) * stride + i / 3];
cleanup:
    return status;
}

penta_status nbody_meter_field(nbody_meter *m, nbody_bodies *bodies, size_t count, const double *points,
                               const double origin[3], double *acceleration, double *potential)
{
    penta_status status = PENTA_OK;
    batch k = {.resources = {.ctx = m->resources.ctx}};

    if (count == 0 || (!acceleration && !potential))
        return PENTA_OK;
    if (acceleration && !m->field.handle)
        TRY(penta_kernel_get(&m->resources, m->f->file, "nbody_meter_field", "-DNBODY_ACCELERATION", &m->field));
    TRY(create_batch(m, penta_smaller(count, points_at_once), &k));
    for (size_t i = 0; i < count; i += k.points)
        TRY(run_batch(m, bodies, &k, penta_smaller(count - i, k.points), points + 3 * i, origin,
                      acceleration ? acceleration + 3 * i : NULL, potential ? potential + i : NULL));
cleanup:
    penta_resources_release(&k.resources);
    return status;
}

/* ---- sums ---- */

static penta_status read_sums(nbody_meter *m, nbody_bodies *b, double sums[SUMS])
{
    penta_status status = PENTA_OK;
    double *partial = NULL;

    TRY(penta_calloc(m->resources.ctx, SUMS * m->groups, sizeof *partial, &partial));
    TRY(penta_launch(&m->sums, sum_grid(m),
                     ARGS(&b->mass, &b->position, &b->velocity, &m->values, (unsigned)b->pitch, &m->partial)));
    TRY(penta_buffer_read(&m->partial, 0, partial, SUMS * m->groups * sizeof *partial));
    for (size_t q = 0; q < SUMS; q++) {
        penta_pair sum = {0, 0};

        for (size_t g = 0; g < m->groups; g++)
            sum = penta_pair_add(sum, (penta_pair){partial[q * m->groups + g], 0});
        sums[q] = sum.hi;
    }
cleanup:
    free(partial);
    return status;
}

static void take_sums(const double sums[SUMS], penta_nbody_diagnostics *d)
{
    d->mass = sums[0];
    for (int k = 0; k < 3; k++) {
        d->center[k] = sums[0] > 0 ? sums[1 + k] / sums[0] : 0;
        d->momentum[k] = sums[4 + k];
        d->angular[k] = sums[7 + k];
    }
    d->kinetic = sums[10] / 2;
    d->potential = sums[11] / 2;
    d->energy = d->kinetic + d->potential;
    d->virial = d->potential < 0 ? d->kinetic / -d->potential : 0;
}

static void find_enough(double mass, double enough[PENTA_NBODY_RADII])
{
    for (int k = 0; k < PENTA_NBODY_RADII; k++)
        enough[k] = parts[k] * mass - rounding * mass;
}

/* A round appends two bits to the prefixes. The 63 bits below the sign take 32 rounds, the first with a 0 on top. */
static penta_status find_prefixes(nbody_meter *m, nbody_bodies *b)
{
    penta_status status = PENTA_OK;
    penta_grid radii = penta_grid_1d(PENTA_NBODY_RADII * m->f->group);
    unsigned pitch = (unsigned)b->pitch;

    if (m->groups == 1)
        return penta_launch(&m->all_radii, sum_grid(m), ARGS(&b->mass, &m->values, pitch, &m->enough, &m->prefixes));
    TRY(penta_buffer_zero(&m->prefixes, 0, PENTA_NBODY_RADII * sizeof(int64_t)));
    for (int shift = 62; shift >= 0; shift -= 2) {
        TRY(penta_launch(&m->shells, sum_grid(m), ARGS(&b->mass, &m->values, pitch, &m->prefixes, shift, &m->partial)));
        TRY(penta_launch(&m->narrow, penta_grid_groups(radii, m->f->group, 1, 1),
                         ARGS(&m->partial, (unsigned)m->groups, &m->enough, shift, &m->prefixes)));
    }
cleanup:
    return status;
}

static penta_status find_radii(nbody_meter *m, nbody_bodies *b, penta_nbody_diagnostics *d)
{
    penta_status status = PENTA_OK;
    double enough[PENTA_NBODY_RADII], squared[PENTA_NBODY_RADII];
    unsigned pitch = (unsigned)b->pitch;

    find_enough(d->mass, enough);
    TRY(penta_buffer_write(&m->enough, 0, enough, sizeof enough));
    TRY(penta_launch(&m->distances, sum_grid(m),
                     ARGS(&b->position, pitch, d->center[0], d->center[1], d->center[2], &m->values)));
    TRY(find_prefixes(m, b));
    TRY(penta_buffer_read(&m->prefixes, 0, squared, sizeof squared));
    for (int k = 0; k < PENTA_NBODY_RADII; k++)
        d->radii[k] = sqrt(squared[k]);
cleanup:
    return status;
}

/* Without double precision. */
static penta_status read_on_host(nbody_meter *m, nbody_bodies *b, penta_nbody_diagnostics *out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = m->resources.ctx;
    size_t p = b->pitch;
    double *numbers = m->host.numbers, sums[SUMS], enough[PENTA_NBODY_RADII];

    TRY(nbody_meter_potentials(m, b, numbers + 7 * p));
    TRY(nbody_read_numbers(ctx, &b->mass, 0, numbers, p));
    TRY(nbody_read_numbers(ctx, &b->position, 0, numbers + p, 3 * p));
    TRY(nbody_read_numbers(ctx, &b->velocity, 0, numbers + 4 * p, 3 * p));
    nbody_host_sums(&m->host, numbers + 7 * p, sums);
    take_sums(sums, out);
    find_enough(out->mass, enough);
    TRY(nbody_host_radii(ctx, &m->host, out->center, enough, out->radii));
cleanup:
    return status;
}

penta_status nbody_meter_read(nbody_meter *m, nbody_bodies *bodies, penta_nbody_diagnostics *out)
{
    penta_status status = PENTA_OK;
    double sums[SUMS];

    if (m->host.n > 0)
        return read_on_host(m, bodies, out);
    TRY(find_potentials(m, bodies));
    TRY(read_sums(m, bodies, sums));
    take_sums(sums, out);
    TRY(find_radii(m, bodies, out));
cleanup:
    return status;
}

penta_status nbody_meter_finite(nbody_meter *m, nbody_bodies *b, bool *finite)
{
    penta_status status = PENTA_OK;
    unsigned numbers = 3 * (unsigned)b->pitch;
    int32_t bad = 1;
    penta_grid grid = m->host.n > 0 ? penta_grid_rows(penta_grid_1d(numbers)) : sum_grid(m);

    *finite = false;
    TRY(penta_buffer_zero(&m->bad, 0, sizeof bad));
    TRY(penta_launch(&m->finite, grid, ARGS(&b->position, numbers, &m->bad)));
    TRY(penta_launch(&m->finite, grid, ARGS(&b->velocity, numbers, &m->bad)));
    TRY(penta_buffer_read(&m->bad, 0, &bad, sizeof bad));
    *finite = bad == 0;
cleanup:
    return status;
}
