/*
 * Phase of an optical-mapping movie, its singularities and their paths, dominant frequencies. Movies and maps are as in
 * beats.h.
 */
#ifndef PENTACL_ROTORS_H
#define PENTACL_ROTORS_H

#include <pentacl/beats.h>

PENTA_BEGIN_DECLS

typedef struct {
    size_t size;          /* of this struct, by penta_rotors_options_init */
    double reach;         /* px: a singularity and its successor in the next frame are at most that far apart */
    int gap;              /* frames that a path may miss */
    double min_life;      /* ms: paths that live shorter are dropped */
    double min_clear;     /* 0 .. 1: so are those that are clear in a smaller share of their frames */
    double min_turns;     /* and so are those about which the phase turns less often, in frames where they are clear */
    double min_amplitude; /* a pixel has a phase while its amplitude sqrt(f^2 + H(f)^2) is at least so many standard
                             deviations of the noise that the smoothing leaves, or lies in a hole of such pixels */
    double phase_sigma;   /* px, of the Gaussian in space under which f is taken; 0: none */
    double phase_time;    /* ms, of the same in time */
} penta_rotors_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_rotors_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_rotors_options_init(penta_rotors_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_rotors_option_table(), options);
}

/** As penta_beats_check. */
PENTA_API penta_status penta_rotors_check(const penta_rotors_options *opt, char *message, size_t size);

/**
 * Phase theta = atan2(H(f), f) of each pixel. f is the trace under a Gaussian in space and time, cut at 3 standard
 * deviations and at the size of the movie, less its mean, H its Hilbert transform by the FFT of the whole trace; traces
 * go on beyond their ends as their mirror images. In the Gaussian a pixel of noise s counts with weight n^2 / (s^2 +
 * n^2), n the lower quartile of all s, and one that is not valid or constant not at all; s^2 is a sixth of the mean
 * square of the trace's second differences, of white noise its variance. out: frames x height x width, radians in -pi
 * .. pi; NaN where the amplitude is below opt->min_amplitude, except in holes that a square of 2 r + 1 pixels cannot
 * enter, r = 3 phase_sigma rounded up, such as the cores of rotors; and of pixels that are not valid, or constant,
 * except in holes that one of 2 phase_sigma + 1 cannot, such as dead pixels, which have the phase of those about them.
 * Error 1e-5, and under a Gaussian 1e-6 of the largest value over the amplitude. opt may be NULL for the defaults.
 * Errors: PENTA_INVALID (no valid pixel, fewer than 2 frames, an option out of range), PENTA_MEMORY, PENTA_DEVICE.
 */
PENTA_API penta_status penta_phase(penta_context *ctx, const penta_movie_view *movie, const penta_rotors_options *opt,
                                   float *out);

/* A phase singularity: the phase turns once around it. */
typedef struct {
    size_t frame;
    double x, y; /* px: the middle of the plaquette of four pixels, pixel (0, 0) at (0, 0); of plaquettes of one sign
                    that touch, their mean */
    int charge;  /* +1: the phase grows counter-clockwise as seen on the picture (x right, y down), -1: clockwise */
    int id;      /* of the path, from 0 */
    bool clear; /* around the 12 pixels about the plaquette the phase turns as well, by less than a third of a turn from
                   one to the next, and around the 20 about those unless a phase there is not known; of plaquettes that
                   touch, around one of them */
    double angle; /* radians: how far the wave about it has turned, the mean over the 12 pixels of the phase less
                     charge times their direction; NaN where it is not clear */
} penta_singularity;

/* The life of one of them. */
typedef struct {
    int id, charge;
    size_t first, last, frames; /* frames: those in which it was seen */
    size_t clear;               /* and those in which it was clear */
    double length;              /* px, of its path */
    double turns;               /* of the phase about it, from one clear frame to the next: about 0 of what is noise */
} penta_rotor;

/**
 * Singularities of a phase movie (data: phases), tracked over time: *list by frame, then y, then x; *rotors by id,
 * which count from 0 in order of birth. Plaquettes with a NaN have none. In noise there are
 * singularities everywhere, and paths from one to the next; a real singularity is clear, and a rotor turns. Paths and
 * singularities of one charge are paired by distance, the nearest first. Both freed with free, NULL when there are
 * none. Errors: PENTA_INVALID (an empty movie, frame rate not above 0, an option out of range), PENTA_MEMORY,
 * PENTA_DEVICE.
 */
PENTA_API penta_status penta_singularities(penta_context *ctx, const penta_movie_view *phase,
                                           const penta_rotors_options *opt, penta_singularity **list, size_t *count,
                                           penta_rotor **rotors, size_t *rotor_count);

/**
 * Dominant frequency (Hz) of each pixel: the largest line of the spectrum of its trace less its mean under a Hann
 * window, from low to high (Hz; high 0: half the rate), sub-line by a parabola through the logarithms, not beyond the
 * first and the last of these lines. regularity (may
 * be NULL): the share of the spectrum's power between low and high within 1 line of it. Maps: height x width, NaN where
 * not valid, or constant. Errors as penta_phase, and PENTA_INVALID where no line is between low and high.
 */
PENTA_API penta_status penta_dominant_frequency(penta_context *ctx, const penta_movie_view *movie, double low,
                                                double high, float *frequency, float *regularity);

/*
 * A plan for phases and dominant frequencies of many movies, or of both of one: its transforms and memory are made by
 * the first run and kept while movies are of the same shape. The functions of a run are as those above.
 */
typedef struct penta_phases penta_phases;

/** Errors: PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD. On failure *out is NULL. */
PENTA_API penta_status penta_phases_create(penta_context *ctx, penta_phases **out);
PENTA_API penta_status penta_phases_run(penta_phases *plan, const penta_movie_view *movie,
                                        const penta_rotors_options *opt, float *out);
PENTA_API penta_status penta_phases_frequency(penta_phases *plan, const penta_movie_view *movie, double low,
                                              double high, float *frequency, float *regularity);
PENTA_API void penta_phases_destroy(penta_phases *plan); /* NULL is fine */

PENTA_END_DECLS
#endif
