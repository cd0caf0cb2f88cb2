/*
 * Inside the nbody workload: bodies on the device, and the parts of a plan.
 *
 *   plan.h        plans: plan.c options, steps, measuring; plan_bodies.c bodies in and out; plan_state.c saved states
 *   forces        forces.c chooses the engine that adds up accelerations (enum penta_nbody_kernel)
 *                   ladder.c  the slides' ladder
 *                   tiled.c   ours, GPU forms: best, jsplit, double, ds; tiled_pairs.c: each pair computed once
 *                   few.c     best, double and ds for few bodies, GPU forms
 *                   simd.c    ours, CPU forms: simd, double, ds
 *   integrators   leapfrog.c (leapfrog and yoshida4, with any engine), hermite.c (with its own accelerations and jerks)
 *   frame.c       where the state's origin is; the verdict on the steps
 *   meter.c       sums over all bodies, potentials, the field at other points; in double, or to 1e-10 without it
 *   share.c       members of a group that compute parts of the forces; share_layers.c: of sums of pairs of blocks
 *   numbers.c     doubles of the host as numbers of the device
 *   initial*.c    initial conditions, on the host
 */
#pragma once

#include <pentacl/nbody.h>

#include "core/core.h"
#include "nbody/share.h"

enum { NBODY_PITCH = 16 };

/*
 * State, as arrays of coordinates, each `pitch` long, in numbers of the device (cl/nbody/number.clh: doubles, or pairs
 * of floats in as many bytes): n rounded up to a multiple of NBODY_PITCH. Bodies
 * n .. pitch-1 have mass 0, the position of body 0, and are at rest.
 */
typedef struct nbody_bodies {
    size_t n, pitch;
    penta_buffer mass;     /* pitch */
    penta_buffer position; /* 3 x pitch: all x, all y, all z */
    penta_buffer velocity; /* 3 x pitch */
    penta_buffer scale;    /* 4; with `worst` for cl/nbody/check.clh */
    penta_buffer worst;    /* pitch: each body's largest check so far */
} nbody_bodies;

/* What kernels are compiled for. */
typedef struct nbody_shape {
    size_t n, pitch;
    double eps;         /* softening length; 0: none */
    nbody_share *share; /* with whom forces are shared; NULL: nobody */
} nbody_shape;

/* PENTA_INVALID at all members where they have not the same bodies and options, or devices that give other bits. */
penta_status nbody_share_members(nbody_share *share, size_t n, const penta_nbody_options *o);

/* ---- numbers of the device (numbers.c) ---- */

/* The bits of a kernel's argument of type number. */
long nbody_number(const penta_context *ctx, double value);
/* `count` numbers from number `first` of the buffer on. Read returns what floats or doubles hold, without a rounding.
 */
penta_status nbody_write_numbers(penta_context *ctx, penta_buffer *to, size_t first, const double *values,
                                 size_t count);
penta_status nbody_read_numbers(penta_context *ctx, penta_buffer *from, size_t first, double *values, size_t count);

/* ---- forces ---- */

/* Releases the state of forces or of an integrator, which begins with its penta_resources. NULL is fine. */
static inline void nbody_state_free(void *state)
{
    penta_plan_unmake(state, 0);
}

/* An engine: kernels that add up forces. */
typedef struct nbody_engine {
    /* kernel: PENTA_NBODY_GPU1 ..., one of those that the table in forces.c gives to this engine. */
    penta_status (*create)(penta_context *ctx, const nbody_shape *shape, int kernel, void **state);
    /* acceleration: 3 x pitch numbers, all ax, all ay, all az; finite for bodies n .. pitch-1, too. With shape->share
     * each member computes a part, and all get all. */
    penta_status (*accelerate)(void *state, nbody_bodies *bodies, penta_buffer *acceleration);
} nbody_engine;

extern const nbody_engine nbody_ladder, nbody_tiled, nbody_few, nbody_simd;

/* The choice for a plan. */
typedef struct nbody_choice {
    const nbody_engine *engine;
    int kernel;       /* never auto */
    int precision;    /* PENTA_PRECISION_SINGLE, _DS or _DOUBLE */
    const char *name; /* "best" */
    const char *precision_name;
    bool finer; /* the precision: the bodies need it, which the options alone would not give */
} nbody_choice;

/* PENTA_INVALID where kernel, precision and integrator contradict one another. ctx may be NULL. */
penta_status nbody_check_force(penta_context *ctx, const penta_nbody_options *o);
/* The options must be free of contradictions. */
nbody_choice nbody_choose_force(const penta_context *ctx, const penta_nbody_options *o);
/* The choice for bodies that need `precision`, if the options leave kernel and precision open. */
nbody_choice nbody_choose_finer(const penta_context *ctx, const penta_nbody_options *o, int precision);

/* Tells the context's listener kernel and precision, and why. need: why the choice is finer, where it is. */
void nbody_tell_choice(penta_context *ctx, const penta_nbody_options *o, const nbody_choice *choice, const char *need);

/* The forces of a plan. They are made when they are first used, since hermite has its own. */
typedef struct nbody_forces {
    penta_resources resources;
    nbody_shape shape;
    nbody_choice choice;
    const nbody_engine *engine; /* of the state: the choice's, or nbody_few */
    void *state;
    penta_buffer acceleration; /* 3 x pitch numbers */
} nbody_forces;

/* Compiles the kernels of the forces. */
penta_status nbody_forces_prepare(nbody_forces *forces);
/* Computes forces->acceleration from the bodies' positions. */
penta_status nbody_forces_accelerate(nbody_forces *forces, nbody_bodies *bodies);
void nbody_forces_release(nbody_forces *forces);

/*
 * Whether a single-precision kernel may leave out the test for r^2 = 0: softened so that neither eps^2 nor its
 * power -3/2 leaves the range of float. Kernels that may are compiled with -DNBODY_SOFTENED; the others give a pair
 * at distance 0 (a body with itself, or two whose positions round to the same floats) no force when eps is 0.
 */
static inline bool nbody_softened(double eps)
{
    return eps >= 1e-10 && eps <= 1e10;
}

/* ---- integrators ---- */

typedef struct nbody_setup {
    penta_context *ctx;
    nbody_shape shape;
    penta_nbody_options options;
    nbody_choice choice;  /* of the forces; hermite takes the precision only */
    nbody_forces *forces; /* outlives the integrator */
} nbody_setup;

typedef struct nbody_integrator {
    penta_status (*create)(const nbody_setup *setup, void **state);
    /* Forgets what was kept: the bodies are others, or were moved from outside. */
    void (*forget)(void *state);
    /* Remembers the bodies and what belongs to them; brings them back after a step that broke off. */
    penta_status (*keep)(void *state, nbody_bodies *bodies);
    penta_status (*bring_back)(void *state, nbody_bodies *bodies);
    /* Makes one whole step of dt; adds the number of interactions (i, j) to *interactions. */
    penta_status (*step)(void *state, nbody_bodies *bodies, double *interactions);
    /* After the last of some steps: does what they left for a next one to do. */
    penta_status (*settle)(void *state, nbody_bodies *bodies);
    /* The state that a later run needs for the same bits: `kept` doubles, of which save writes `count` from `first` on.
     * save is called between steps. */
    size_t (*kept)(const void *state);
    penta_status (*save)(void *state, nbody_bodies *bodies, size_t first, size_t count, double *out);
    penta_status (*load)(void *state, nbody_bodies *bodies, const double *in);
} nbody_integrator;

extern const nbody_integrator nbody_leapfrog, nbody_hermite;

/* A copy of bodies on the device, which the owner gets with the first keep. Zero-initialise. */
typedef struct nbody_copy {
    penta_buffer position, velocity;
} nbody_copy;

penta_status nbody_copy_keep(penta_resources *owner, nbody_copy *copy, nbody_bodies *bodies);
penta_status nbody_copy_bring_back(nbody_copy *copy, nbody_bodies *bodies);

/* ---- sums over bodies (meter.c) ---- */

typedef struct nbody_meter nbody_meter;

/* The file of its kernels, which has those of the leapfrog too. */
const char *nbody_meter_program(const penta_context *ctx);

penta_status nbody_meter_create(penta_context *ctx, const nbody_shape *shape, nbody_meter **out);
void nbody_meter_destroy(nbody_meter *meter); /* NULL is fine */
penta_status nbody_meter_read(nbody_meter *meter, nbody_bodies *bodies, penta_nbody_diagnostics *out);
/* potential: n doubles on the host. */
penta_status nbody_meter_potentials(nbody_meter *meter, nbody_bodies *bodies, double *potential);
/* The field at m points (m x 3) about `origin`; acceleration m x 3 or NULL, potential m or NULL; all on the host. */
penta_status nbody_meter_field(nbody_meter *meter, nbody_bodies *bodies, size_t m, const double *points,
                               const double origin[3], double *acceleration, double *potential);
/* *finite: whether all positions and velocities are finite. */
penta_status nbody_meter_finite(nbody_meter *meter, nbody_bodies *bodies, bool *finite);
