/* Which force kernel a plan uses. */

#include "nbody/few.h"
#include "nbody/nbody.h"

typedef struct {
    int kernel, precision;
    const char *name;
    const nbody_engine *gpu, *cpu; /* of the two device classes */
} kernel_row;

static const kernel_row kernels[] = {
    {PENTA_NBODY_GPU1, PENTA_PRECISION_SINGLE, "gpu1", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_AOS, PENTA_PRECISION_SINGLE, "aos", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_SOA, PENTA_PRECISION_SINGLE, "soa", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_CONST, PENTA_PRECISION_SINGLE, "const", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_RSQRT, PENTA_PRECISION_SINGLE, "rsqrt", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_SPLIT, PENTA_PRECISION_SINGLE, "split", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_LOCAL, PENTA_PRECISION_SINGLE, "local", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_UNROLL2, PENTA_PRECISION_SINGLE, "unroll2", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_UNROLL4, PENTA_PRECISION_SINGLE, "unroll4", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_UNROLL8, PENTA_PRECISION_SINGLE, "unroll8", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_UNROLL16, PENTA_PRECISION_SINGLE, "unroll16", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_UNROLL32, PENTA_PRECISION_SINGLE, "unroll32", &nbody_ladder, &nbody_ladder},
    {PENTA_NBODY_BEST, PENTA_PRECISION_SINGLE, "best", &nbody_tiled, &nbody_tiled},
    {PENTA_NBODY_SIMD, PENTA_PRECISION_SINGLE, "simd", &nbody_simd, &nbody_simd},
    {PENTA_NBODY_JSPLIT, PENTA_PRECISION_SINGLE, "jsplit", &nbody_tiled, &nbody_tiled},
    {PENTA_NBODY_DOUBLE, PENTA_PRECISION_DOUBLE, "double", &nbody_tiled, &nbody_simd},
    {PENTA_NBODY_DS, PENTA_PRECISION_DS, "ds", &nbody_tiled, &nbody_simd},
};

static const char *const precision_names[] = {"auto", "single", "double", "ds"};

/* The finest precision of the device. */
static int finest(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_DS;
}

static int kernel_for(const penta_context *ctx, const penta_nbody_options *o)
{
    int precision = o->precision;

    if (precision == PENTA_PRECISION_AUTO)
        precision = o->integrator == PENTA_NBODY_LEAPFROG ? PENTA_PRECISION_SINGLE : finest(ctx);
    if (precision == PENTA_PRECISION_DOUBLE)
        return PENTA_NBODY_DOUBLE;
    if (precision == PENTA_PRECISION_DS)
        return PENTA_NBODY_DS;
    return penta_is_cpu(ctx) ? PENTA_NBODY_SIMD : PENTA_NBODY_BEST;
}

static const kernel_row *row_of(int kernel)
{
    const kernel_row *row = kernels;

    while (row->kernel != kernel)
        row++;
    return row;
}

penta_status nbody_check_force(penta_context *ctx, const penta_nbody_options *o)
{
    const kernel_row *row = o->kernel == PENTA_NBODY_AUTO ? NULL : row_of(o->kernel);

    if (row && o->precision != PENTA_PRECISION_AUTO && o->precision != row->precision)
        return penta_fail(ctx, PENTA_INVALID,
                          "`kernel` %s computes in %s precision, not %s; leave `kernel` or `precision` auto", row->name,
                          precision_names[row->precision], precision_names[o->precision]);
    if (row && o->integrator == PENTA_NBODY_HERMITE4 && row->kernel != PENTA_NBODY_DOUBLE &&
        row->kernel != PENTA_NBODY_DS)
        return penta_fail(ctx, PENTA_INVALID,
                          "`integrator` hermite4 needs accelerations with their derivatives, by a kernel of its own; "
                          "leave `kernel` auto, not %s, and choose the `precision`",
                          row->name);
    if (ctx && !penta_context_device(ctx)->fp64 &&
        (o->precision == PENTA_PRECISION_DOUBLE || o->kernel == PENTA_NBODY_DOUBLE))
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%s has no double precision; use `precision` ds",
                          penta_context_device(ctx)->name);
    return PENTA_OK;
}

nbody_choice nbody_choose_force(const penta_context *ctx, const penta_nbody_options *o)
{
    const kernel_row *row = row_of(o->kernel == PENTA_NBODY_AUTO ? kernel_for(ctx, o) : o->kernel);

    return (nbody_choice){.engine = penta_is_cpu(ctx) ? row->cpu : row->gpu,
                          .kernel = row->kernel,
                          .precision = row->precision,
                          .name = o->integrator == PENTA_NBODY_HERMITE4 ? "hermite" : row->name,
                          .precision_name = precision_names[row->precision]};
}

nbody_choice nbody_choose_finer(const penta_context *ctx, const penta_nbody_options *o, int precision)
{
    static const int fineness[] = {0, 1, 3, 2}; /* of enum penta_precision */
    nbody_choice choice = nbody_choose_force(ctx, o);
    penta_nbody_options finer = *o;

    if (fineness[precision] > fineness[finest(ctx)])
        precision = finest(ctx);
    finer.precision = precision;
    if (o->kernel == PENTA_NBODY_AUTO && o->precision == PENTA_PRECISION_AUTO &&
        fineness[precision] > fineness[choice.precision]) {
        choice = nbody_choose_force(ctx, &finer);
        choice.finer = true;
    }
    return choice;
}

void nbody_tell_choice(penta_context *ctx, const penta_nbody_options *o, const nbody_choice *choice, const char *need)
{
    bool leapfrog = o->integrator == PENTA_NBODY_LEAPFROG;

    if (o->integrator == PENTA_NBODY_HERMITE4)
        penta_chose(ctx, "kernel", choice->name, "option `integrator` needs derivatives of accelerations, too");
    else if (o->kernel != PENTA_NBODY_AUTO)
        penta_chose(ctx, "kernel", choice->name, "option `kernel`");
    else
        penta_chose(ctx, "kernel", choice->name, "it is the one of precision %s for a %s", choice->precision_name,
                    penta_is_cpu(ctx) ? "CPU" : "GPU");
    if (o->precision != PENTA_PRECISION_AUTO)
        penta_chose(ctx, "precision", choice->precision_name, "option `precision`");
    else if (o->kernel != PENTA_NBODY_AUTO)
        penta_chose(ctx, "precision", choice->precision_name, "it is that of option `kernel`");
    else if (choice->finer)
        penta_chose(ctx, "precision", choice->precision_name, "%s", need);
    else
        penta_chose(ctx, "precision", choice->precision_name, "%s",
                    leapfrog ? "option `integrator` is of second order, and the bodies need no finer one"
                    : choice->precision == PENTA_PRECISION_DOUBLE
                        ? "option `integrator` is of fourth order"
                        : "option `integrator` is of fourth order, and the device has no double precision");
}

penta_status nbody_forces_prepare(nbody_forces *forces)
{
    penta_status status = PENTA_OK;

    if (!forces->acceleration.mem)
        TRY(penta_buffer_create(&forces->resources, 3 * forces->shape.pitch * sizeof(double), &forces->acceleration));
    if (!forces->state) {
        forces->engine = nbody_few_suits(forces->resources.ctx, &forces->shape, forces->choice.kernel)
                             ? &nbody_few
                             : forces->choice.engine;
        TRY(forces->engine->create(forces->resources.ctx, &forces->shape, forces->choice.kernel, &forces->state));
        TRY(penta_own(&forces->resources, &forces->state, nbody_state_free));
    }
cleanup:
    return status;
}

penta_status nbody_forces_accelerate(nbody_forces *forces, nbody_bodies *bodies)
{
    penta_status status = PENTA_OK;

    TRY(nbody_forces_prepare(forces));
    TRY(forces->engine->accelerate(forces->state, bodies, &forces->acceleration));
cleanup:
    return status;
}

void nbody_forces_release(nbody_forces *forces)
{
    penta_resources_release(&forces->resources);
}
