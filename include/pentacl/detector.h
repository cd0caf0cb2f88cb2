/*
 * A camera's detector: from the photons that arrive at each pixel to the numbers (DN) that its converter gives.
 *
 * For the pixel (x, y) of a frame, t = exposure, Q = quantum_efficiency, v = the vignetting below:
 *
 *     mean = v Q (image + sky t) + (dark + hot) t          electrons; image: photons of the whole exposure
 *     e    = min(Poisson(mean), full_well)                 electrons in the well; shot_noise none: min(mean, full_well)
 *     DN   = (e + read_noise N(0, 1)) / gain + bias        the amplifier adds its noise to full wells too
 *     DN   = min(max(round(DN), 0), 2^bits - 1)            where there are bits; halves go to the even number
 *
 *   v(x, y) = 1 - vignetting r^2 / R^2, r the distance of the pixel's centre from the frame's, R that of the corner
 *             pixels: `vignetting` is the fraction of light that they lose.
 *   hot     = 0 in most pixels; each is hot with the probability hot_fraction, and then has an exponentially
 *             distributed rate of mean hot_rate. Which pixels are hot, and how much, depends on detector_seed and pixel
 *             alone: it is the same in every frame, whatever the seed.
 *
 * A mean below 0 counts as 0, one above 1e15 gets no shot noise. Poisson counts have the exact distribution for every
 * mean: inversion below 10, else transformed rejection (PTRS; W. Hoermann, Insurance: Math. and Econ. 12 (1993) 39).
 * A pixel is saturated where its electrons reach the full well (a mean of full_well or more with shot_noise none), or
 * its DN the highest number.
 *
 * Shot and read noise are a function of seed, frame number and pixel, computed in double with operations that every
 * device rounds alike: the same seeds and image give the same frame everywhere. `penta stars` therefore draws the image
 * with PENTA_STARS_FIXED, unless another engine is asked for.
 */
#ifndef PENTACL_DETECTOR_H
#define PENTACL_DETECTOR_H

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

enum penta_shot_noise { PENTA_SHOT_POISSON = 0, PENTA_SHOT_NONE };

typedef struct {
    size_t size;               /* of this struct, by penta_detector_options_init */
    double exposure;           /* s */
    double quantum_efficiency; /* electrons a photon */
    double sky;                /* photons/px/s */
    double dark;               /* e-/px/s */
    int shot_noise;            /* enum penta_shot_noise */
    double read_noise;         /* e-, standard deviation */
    double gain;               /* e-/DN */
    double bias;               /* DN */
    double full_well;          /* e-; 0: none */
    double hot_fraction;       /* of the pixels */
    double hot_rate;           /* e-/s, mean of the hot pixels */
    double vignetting;         /* fraction of light lost at the corner */
    int bits;                  /* of the converter; 0: DN are neither rounded nor clipped */
    int seed;                  /* of shot and read noise */
    int detector_seed;         /* of the hot pixels */
} penta_detector_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_detector_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_detector_options_init(penta_detector_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_detector_option_table(), options);
}

typedef struct penta_detector penta_detector;

/**
 * Whether penta_detector_create takes these sizes and options (NULL: the defaults). PENTA_OK, or PENTA_INVALID with one
 * line in message (which may be NULL): an option out of range, an empty frame, over 2^32 pixels or 2^31 - 1 in a row.
 */
PENTA_API penta_status penta_detector_check(size_t width, size_t height, const penta_detector_options *opt,
                                            char *message, size_t size);

/**
 * Detector of width x height pixels. opt may be NULL for the defaults: shot noise and nothing else. Errors:
 * PENTA_INVALID (as penta_detector_check), PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD. On failure *out is NULL. For a
 * device without double precision the host does the work, with the same bits.
 */
PENTA_API penta_status penta_detector_create(penta_context *ctx, size_t width, size_t height,
                                             const penta_detector_options *opt, penta_detector **out);

/**
 * Exposes one frame. image: height x width photons, PENTA_F32 or PENTA_F64 by `type`, row-major. dn: height x width
 * DN; may be the image when that is float. saturated: height x width, 1 where the pixel is saturated, else 0; may be
 * NULL. Errors: PENTA_INVALID (another type; a pixel that is NaN or infinite: the text says which), PENTA_MEMORY,
 * PENTA_DEVICE; the detector stays usable.
 */
PENTA_API penta_status penta_detector_run(penta_detector *detector, uint32_t frame, const void *image, penta_type type,
                                          float *dn, uint8_t *saturated);

/** NULL is fine. */
PENTA_API void penta_detector_destroy(penta_detector *detector);

PENTA_END_DECLS
#endif
