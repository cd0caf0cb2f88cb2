/*
 * Direct gravity: every body attracts every other, O(n^2), after M. Burtscher, "Writing Efficient CUDA Programs"
 * (the forces) and P. Hut, J. Makino, S. McMillan (leapfrog, Hermite), H. Yoshida (1990).
 *
 * G = 1; mass, length, time and velocity are in any units with G = 1. The acceleration of body i is
 * a_i = sum over j != i of m_j (r_j - r_i) / (|r_j - r_i|^2 + eps^2)^(3/2), its potential
 * phi_i = - sum over j != i of m_j / sqrt(|r_j - r_i|^2 + eps^2). Bodies are rows of seven doubles:
 * mass, x, y, z, vx, vy, vz. A mass may be 0 (a test body: it is attracted and attracts nobody), not negative.
 */
#ifndef PENTACL_NBODY_H
#define PENTACL_NBODY_H

#include <stdbool.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/group.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

/* How accelerations are added up. The first eleven are the slides' ladder, in single precision. */
enum penta_nbody_kernel {
    PENTA_NBODY_AUTO = 0,
    PENTA_NBODY_GPU1,    /* one work-item for everything */
    PENTA_NBODY_AOS,     /* one work-item per body, bodies as an array of structs */
    PENTA_NBODY_SOA,     /* arrays of coordinates */
    PENTA_NBODY_CONST,   /* parameters in constant memory */
    PENTA_NBODY_RSQRT,   /* the reciprocal square root instead of a root and a division */
    PENTA_NBODY_SPLIT,   /* two loops instead of the test i != j */
    PENTA_NBODY_LOCAL,   /* blocks of bodies in local memory */
    PENTA_NBODY_UNROLL2, /* and the inner loop unrolled */
    PENTA_NBODY_UNROLL4,
    PENTA_NBODY_UNROLL8,
    PENTA_NBODY_UNROLL16,
    PENTA_NBODY_UNROLL32,
    PENTA_NBODY_BEST,   /* ours for GPUs: several bodies per work-item */
    PENTA_NBODY_SIMD,   /* ours for CPUs: sixteen bodies at once */
    PENTA_NBODY_JSPLIT, /* ours for few bodies: several work-items share the sum of one body */
    PENTA_NBODY_DOUBLE, /* in double precision */
    PENTA_NBODY_DS      /* positions and sums as pairs of floats (48 bits), the force of each pair in single precision:
                           accelerations as accurate as in single (1e-7), also of close bodies far from the origin */
};

enum penta_nbody_integrator {
    PENTA_NBODY_LEAPFROG = 0, /* kick, drift, kick; second order, symplectic */
    PENTA_NBODY_YOSHIDA4,     /* three leapfrog steps; fourth order, symplectic */
    PENTA_NBODY_HERMITE4      /* predict, evaluate, correct; fourth order */
};

enum penta_nbody_steps {
    PENTA_NBODY_FIXED = 0, /* every step is dt */
    PENTA_NBODY_SHARED,    /* Hermite: dt / 2^k, the same k for all bodies, chosen by the criterion at each step */
    PENTA_NBODY_BLOCK      /* Hermite: dt / 2^k, a k of its own for every body */
};

typedef struct {
    size_t size;    /* of this struct, by penta_nbody_options_init */
    int kernel;     /* enum penta_nbody_kernel; other than auto it must suit the precision */
    int precision;  /* enum penta_precision, of the forces; auto: single for leapfrog, else double; ds or double where
                       penta_nbody_set finds that the bodies need it, double for at most 64 bodies */
    double eps;     /* softening length, >= 0 */
    double dt;      /* time step, not 0; negative: back in time */
    int integrator; /* enum penta_nbody_integrator */
    int step_mode;  /* enum penta_nbody_steps */
    double eta;     /* accuracy of the adaptive steps: dt^2 = eta^2 (|a||s| + |j|^2) / (|j||c| + |s|^2), Aarseth's */
} penta_nbody_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_nbody_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_nbody_options_init(penta_nbody_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_nbody_option_table(), options);
}

/**
 * Whether a plan of n bodies can have these options: all rules of penta_nbody_create except those of the device. opt
 * may be NULL for the defaults. PENTA_INVALID: message (or NULL) gets one line, cut to size bytes, with options in
 * backquotes.
 */
PENTA_API penta_status penta_nbody_check(size_t n, const penta_nbody_options *opt, char *message, size_t size);

typedef struct penta_nbody penta_nbody;

/**
 * Plan for n >= 1 bodies. opt may be NULL for the defaults. Errors: PENTA_INVALID (what
 * penta_nbody_check refuses: an option out of range or in contradiction; n = 0 or over 2^28), PENTA_MEMORY,
 * PENTA_DEVICE, PENTA_BUILD, PENTA_UNSUPPORTED (double on a device without double precision). On failure *out is NULL.
 *
 * Without double precision the state is pairs of floats (48 bits): auto takes ds in place of double, numbers of bodies
 * and points are at most 1e18, and |dt| is from 1e-25 to 1e18. Sums, potentials and fields are then accurate to 1e-10
 * for bodies of ordinary units (an estimate: where distances are from 1e-13 to 1e12).
 */
PENTA_API penta_status penta_nbody_create(penta_context *ctx, size_t n, const penta_nbody_options *opt,
                                          penta_nbody **out);

/**
 * The same plan at every member of a group, each with a context of its own, on devices of one kind: they share the
 * forces, the potentials and the field, whose bits do not depend on how many they are. Every member gives the same n,
 * options, bodies, states, points and steps, and makes the same calls of _set, _load, _advance, _diagnose, _forces and
 * _field in the same order; all of them get all results, or the same error, where one of them fails or has a progress
 * callback that asks to stop: then each ends its part of the work first, unless its own callback asks, too. (After a
 * failure outside such a result, as of a device that is lost, a member should end, which ends the waiting of the
 * others.) The text of an error that another member has had alone begins with "member RANK of the group: ". The group
 * outlives the plan. Errors: those of penta_nbody_create, PENTA_INVALID (members with other options,
 * or devices that divide sums differently), PENTA_CANCELLED (a member has ended).
 */
PENTA_API penta_status penta_nbody_create_shared(penta_context *ctx, penta_group *group, size_t n,
                                                 const penta_nbody_options *opt, penta_nbody **out);
/** The part of the forces so far that this member has computed: 1 without a group. */
PENTA_API double penta_nbody_share(const penta_nbody *plan);

/** The kernel ("best", "simd", "hermite" ...) and the precision ("single", "ds", "double") that run. With precision
 * auto they are known once the bodies are set. */
PENTA_API const char *penta_nbody_kernel_name(const penta_nbody *plan);
PENTA_API const char *penta_nbody_precision_name(const penta_nbody *plan);

/**
 * Copies the bodies, n x 7, to the device; time and step number become 0. Compiles the kernels of the forces. What all
 * places have in common, far from the origin, and a large common velocity are taken off there, and put back in all
 * results.
 *
 * Single precision rounds a coordinate s by up to s 2^-24. With precision auto, forces are ds where two bodies are
 * closer than 2^-12 of their largest coordinate (softening counts as distance) or the softening is below 2^-21 of the
 * largest coordinate of all; double where pairs of floats have too few bits as well (2^-36, 2^-45), or floats leave
 * their range: lengths over 1e12 or (distances) below 1e-17, masses over 1e14, forces over 1e36 or below 1e-37.
 * Errors: PENTA_INVALID (a number that is not finite, a negative mass, with eps = 0 two bodies at one place, in single
 * and ds numbers beyond that range: the text says which), PENTA_MEMORY, PENTA_DEVICE.
 */
PENTA_API penta_status penta_nbody_set(penta_nbody *plan, const double *bodies);

/**
 * Why the bodies need more than single precision, as half a sentence; "" if they do not. *met (may be NULL): whether
 * the precision that runs is enough. Valid until bodies are set again.
 */
PENTA_API const char *penta_nbody_need(const penta_nbody *plan, bool *met);

/** Reads the bodies, n x 7, at the present time of the plan. Without double precision those that were set come back
 * rounded to 48 bits. */
PENTA_API penta_status penta_nbody_get(penta_nbody *plan, double *bodies);

/** The same of `count` bodies from body `first` on: count x 7 doubles on the host. */
PENTA_API penta_status penta_nbody_get_part(penta_nbody *plan, size_t first, size_t count, double *rows);

/**
 * Integrates `steps` steps of dt. Reports progress after each, and at least twice a second where a step takes longer;
 * cancelled, the bodies are at the end of the last whole step. Two calls with k steps give the same bits as one with 2
 * k. Errors: PENTA_CANCELLED, PENTA_DEVICE, PENTA_MEMORY (in the middle of a step the bodies are lost: set or load them
 * again), PENTA_INVALID (bodies met: a number is no longer finite, or an adaptive step became too small; the text says
 * so).
 */
PENTA_API penta_status penta_nbody_advance(penta_nbody *plan, size_t steps);

/** Whole steps since penta_nbody_set, the present time, and how many interactions (i, j) have been computed. */
PENTA_API uint64_t penta_nbody_step(const penta_nbody *plan);
PENTA_API double penta_nbody_time(const penta_nbody *plan);
PENTA_API double penta_nbody_interactions(const penta_nbody *plan);

enum { PENTA_NBODY_RADII = 7 }; /* Lagrangian radii, of 1, 5, 10, 25, 50, 75 and 90 per cent of the mass */

typedef struct {
    double mass;
    double kinetic, potential, energy; /* energy: their sum */
    double momentum[3], angular[3];    /* the latter about the origin */
    double center[3];                  /* of mass; of the origin when all masses are 0 */
    double virial;                     /* kinetic / |potential|; 1/2 in equilibrium; 0 for a single body */
    double radii[PENTA_NBODY_RADII];   /* about the centre of mass: the smallest that hold so much mass */
    double energy_com;                 /* without that of the centre of mass */
    double step_check;                 /* the largest of all bodies in all steps so far, see below */
    size_t step_body;                  /* the body that had it */
    double step_judged;                /* of up to 64 bodies the largest; of more the one that 5 % of them exceed */
} penta_nbody_diagnostics;

/* Whether its step is short enough for a body: h |a' - a| / (|v'| + h |a'|), with the accelerations a and a' at the
 * ends of its step h and the velocity v' at the end, about the centre of mass. Orbits are doubtful where step_judged is
 * above this. */
#define PENTA_NBODY_ROUGH 0.03

/** Sums over all bodies at the present time, in a fixed order; in double, or without double precision to 1e-10. */
PENTA_API penta_status penta_nbody_diagnose(penta_nbody *plan, penta_nbody_diagnostics *out);

enum { PENTA_NBODY_FEW = 64 }; /* bodies whose pairs are looked at, and of which step_judged is that of the worst */

/** A step that resolves the pericentre of each body with the one whose tide on it is strongest, where they are bound;
 * 0: none are. Of n^2 pairs, for PENTA_NBODY_FEW bodies at most. */
PENTA_API double penta_nbody_orbit_step(size_t n, const double *bodies, double eps);

/**
 * Whether step_judged of n bodies is above PENTA_NBODY_ROUGH; then message (or NULL) gets one line that says so and
 * what to do, cut to size bytes, with options in backquotes. opt: the plan's; orbit_step: of the bodies to begin with,
 * or 0.
 */
PENTA_API bool penta_nbody_advise_step(const penta_nbody_options *opt, size_t n, const penta_nbody_diagnostics *d,
                                       double orbit_step, char *message, size_t size);

/* ---- what is doubtful about bodies (host) ---- */

/** The radius about the centre of mass that holds half of the mass; where one body has more than that, of the others
 * about it. NaN: out of memory. */
PENTA_API double penta_nbody_half_mass_radius(size_t n, const double *bodies);

/** The median by mass of values from low to high, one for each body; 0: there are none, NaN: out of memory. Of more
 * than a million bodies only some are looked at, here and above. */
PENTA_API double penta_nbody_median_by_mass(size_t n, const double *bodies, const double *values, double low,
                                            double high);

/** Whether eps changes all orbits, measured by the half-mass radius and, where `pairs`, by the distances of
 * PENTA_NBODY_FEW bodies at most. Then message gets one line, cut to size bytes, with options in backquotes. */
PENTA_API bool penta_nbody_doubt_softening(size_t n, const double *bodies, double eps, bool pairs, char *message,
                                           size_t size);

/** The same of energies, about the centre of mass, that speak of units in which G is not 1. */
PENTA_API bool penta_nbody_doubt_units(size_t n, double kinetic, double potential, char *message, size_t size);

/* ---- the energy of a run (host) ---- */

/* The energies about the centre of mass (energy_com) that a run met: the first, the range of all, and what errors are
 * relative to: |first|, or where that is below 1 % of the first potential energy, this one. */
typedef struct {
    double first, low, high, scale;
} penta_nbody_energy;

/* Above this worst error the orbits of a run are doubtful. */
#define PENTA_NBODY_DOUBTFUL 1e-3

/** first, potential: at step 0 (diagnostics.energy_com, .potential), which the others are held against; a run that goes
 * on has them saved. */
PENTA_API void penta_nbody_energy_begin(penta_nbody_energy *e, double first, double potential);
/** Adds an energy. One that is not a number makes penta_nbody_energy_worst NaN from then on. */
PENTA_API void penta_nbody_energy_add(penta_nbody_energy *e, double energy);
/** |energy - first| / scale; NaN where it changed although scale is 0, or is not a number. */
PENTA_API double penta_nbody_energy_error(const penta_nbody_energy *e, double energy);
/** The largest such error so far. */
PENTA_API double penta_nbody_energy_worst(const penta_nbody_energy *e);
/** Whether some energy was off by more than limit times scale, or not a number. */
PENTA_API bool penta_nbody_energy_exceeds(const penta_nbody_energy *e, double limit);

/** G in units of `length` cm, `mass` g and `velocity` cm/s (CODATA 2018). Forces are those of G = 1: bodies in units
 * with another G have their masses scaled by it first. */
PENTA_API double penta_nbody_gravity(double length, double mass, double velocity);

/** Accelerations (n x 3) by the plan's kernel and potentials (n, as accurate as penta_nbody_diagnose) of the bodies;
 * either may be NULL. */
PENTA_API penta_status penta_nbody_forces(penta_nbody *plan, double *acceleration, double *potential);

/**
 * The same at m other points (m x 3), accurate like the potentials, where a body at a point counts only when eps > 0.
 * Errors as for penta_nbody_set.
 */
PENTA_API penta_status penta_nbody_field(penta_nbody *plan, size_t m, const double *points, double *acceleration,
                                         double *potential);

/**
 * The whole state of a run as penta_nbody_state_size doubles (bodies, time, step, what the integrator keeps), from
 * which a later run goes on with the same bits. Load takes the state of a plan with the same n, integrator and step
 * mode, and is PENTA_INVALID otherwise; count: how many doubles there are.
 */
PENTA_API size_t penta_nbody_state_size(const penta_nbody *plan);
PENTA_API penta_status penta_nbody_save(penta_nbody *plan, double *state);
/** `count` of its numbers from number `first` on; members of a group, who have the same state, may save a part each. */
PENTA_API penta_status penta_nbody_save_part(penta_nbody *plan, size_t first, size_t count, double *numbers);
PENTA_API penta_status penta_nbody_load(penta_nbody *plan, const double *state, size_t count);

/* ---- initial conditions (host) ---- */

enum penta_nbody_model {
    PENTA_NBODY_PLUMMER = 0, /* Henon units: mass 1, energy -1/4, virial ratio 1/2; the inner 99.9 % of the mass */
    PENTA_NBODY_HERNQUIST,   /* scale length 1, isotropic, in equilibrium; mass 1 inside the cut at 100 */
    PENTA_NBODY_DISC,     /* exponential disc (mass 1, scale length 1; every third body) in a Hernquist halo (5, 5) */
    PENTA_NBODY_UNIFORM,  /* cold sphere: mass 1, radius 1, at rest */
    PENTA_NBODY_GALAXIES, /* two of `disc`, 20 apart, on a parabolic orbit with a nearest distance of 4 */
    PENTA_NBODY_NGON      /* regular n-gon of radius 1, mass 1/n each, at rest */
};

/**
 * Makes n >= 1 bodies (n x 7) of a model, in the frame of their centre of mass. Apart from the shift to that frame, and
 * except for the n-gon, position and velocity of body i depend on seed, model and i alone, by the counter-based
 * generator of the library: the same on every machine up to the last bits of the host's functions. Errors:
 * PENTA_INVALID.
 */
PENTA_API penta_status penta_nbody_initial(int model, uint64_t seed, size_t n, double *bodies);

/** NULL is fine. */
PENTA_API void penta_nbody_destroy(penta_nbody *plan);

PENTA_END_DECLS
#endif
