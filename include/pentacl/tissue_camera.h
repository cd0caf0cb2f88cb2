/*
 * The camera before a tissue: counts from the noise-free movie of penta_tissue_film. A pixel's light at time t is
 *
 *   F = light(p) bleaching(t) (cover(q) texture(q) (1 -+ depth s(q, t)) + background (1 - cover(q))),
 *
 * q the place of the tissue that is before pixel p, which moves after the upstroke; s the signal. To F comes noise,
 * bad pixels replace it, and it is rounded and clipped at full scale.
 */
#ifndef PENTACL_TISSUE_CAMERA_H
#define PENTACL_TISSUE_CAMERA_H

#include <stdint.h>

#include <pentacl/tissue.h>

PENTA_BEGIN_DECLS

enum penta_camera_noise {
    PENTA_CAMERA_SHOT = 0, /* its standard deviation grows with the root of the light */
    PENTA_CAMERA_FLAT,     /* is the same everywhere */
    PENTA_CAMERA_EVEN      /* is such that all pixels of the tissue have the same SNR */
};

enum penta_camera_polarity {
    PENTA_CAMERA_DOWN = 0, /* F drops on depolarisation */
    PENTA_CAMERA_UP
};

typedef struct {
    size_t size;        /* of this struct, by penta_camera_options_init */
    int bits;           /* 8 .. 16 */
    double exposure;    /* of full scale: the tissue's median light at rest */
    double light;       /* percent by which the darkest corner is darker than the brightest place */
    double texture;     /* percent, standard deviation of the tissue's brightness */
    double background;  /* percent of the tissue's, where there is none */
    double depth;       /* percent of F at rest: dF/F */
    int polarity;       /* enum penta_camera_polarity */
    double snr;         /* depth x F at rest over the noise's standard deviation, median of the tissue; 0: no noise */
    int noise_as;       /* enum penta_camera_noise */
    double bleach;      /* percent of F lost, exponentially, by the last frame */
    double motion;      /* px that the tissue shifts after the upstroke, at most */
    double contraction; /* px by which its border comes nearer to its middle, at most */
    double dead;        /* percent of all pixels, stuck at a dark number */
    double hot;         /* percent stuck at full scale */
    double telegraph;   /* percent that jump by 2 to 8 times the median depth x F, staying some 30 ms */
    int seed;
} penta_camera_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_camera_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_camera_options_init(penta_camera_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_camera_option_table(), options);
}

enum penta_camera_pixel { PENTA_CAMERA_GOOD = 0, PENTA_CAMERA_DEAD, PENTA_CAMERA_HOT, PENTA_CAMERA_TELEGRAPH };

typedef struct {
    float *light;   /* height x width, counts: F at rest at the first frame, without noise */
    float *snr;     /* height x width: depth x F at rest of the tissue over the noise's standard deviation; NaN where
                       there is no tissue or no noise */
    uint8_t *bad;   /* height x width: enum penta_camera_pixel */
    float *shift;   /* frames: px that the tissue is shifted, towards 35 degrees (0 right, 90 down) */
    float *shrink;  /* frames: px of contraction at the border */
    size_t clipped; /* numbers of good pixels at full scale */
} penta_camera_truth;

/**
 * Every rule of the options, and of movies of this shape and rate (width, height and frames 0: not known yet; so the
 * rate). opt may be NULL. On failure returns PENTA_INVALID and writes one line, which names options in backquotes, into
 * message (which may be NULL).
 */
PENTA_API penta_status penta_camera_check(size_t width, size_t height, size_t frames, double frame_rate_hz,
                                          const penta_camera_options *opt, char *message, size_t size);

/**
 * counts: frames x height x width of the movie. cover: height x width (penta_tissue_cover). opt may be NULL. truth: its
 * arrays are freed by penta_camera_truth_free; may be NULL. The same seed gives the same numbers, whatever the threads.
 * Errors: PENTA_INVALID (what penta_camera_check refuses, frame rate not above 0, no tissue), PENTA_MEMORY. On failure
 * *truth is empty.
 */
PENTA_API penta_status penta_camera_expose(penta_context *ctx, const penta_tissue_movie *movie, const float *cover,
                                           double frame_rate_hz, const penta_camera_options *opt, uint16_t *counts,
                                           penta_camera_truth *truth);
PENTA_API void penta_camera_truth_free(penta_camera_truth *truth); /* empties it; an empty one is fine */

PENTA_END_DECLS
#endif
