/*
 * A series of photographs of one pattern, with all that is wrong with photographs: it drifts, light falls on it
 * unevenly, dust on the glass stays where it is, the camera adds noise. What is known of it is exact: the pattern is a
 * sum of plane waves, moved by their phases.
 *
 * Frame i at p is (1/2) L(p) D(p) (1 + C f(p)) + noise, as a part of white; f has mean 0 and variance 1 and
 * autocorrelation J0, C = SAMPLE_CONTRAST, L the light (largest 1), D what dust lets through.
 */
#pragma once

#include <stdint.h>

#define SAMPLE_CONTRAST 0.28

enum sample_shape { SAMPLE_LINEAR = 0, SAMPLE_VIGNETTE, SAMPLE_GAUSSIAN };

typedef struct sample_scene {
    int width, height, seed;
    double r0, speed;    /* px, px a frame: R_max = r0 + speed i, the pattern growing about its own centre */
    double drift;        /* px: along x and along y at most so much, in steps of 1/20 */
    double angle;        /* degrees: at most so much, in steps of 1/50 */
    double illumination; /* brightest to darkest */
    int shape;           /* enum sample_shape */
    double dust;         /* share of the area that it covers */
    double snr;          /* standard deviation of the pattern, in the mean light, to that of the noise; 0: no noise */
} sample_scene;

/* Where the content of frame i is: as penta_drift has it (pentacl/prepare.h). */
typedef struct sample_place {
    double dx, dy, angle, r_max;
} sample_place;
sample_place sample_scene_place(const sample_scene *s, int index);

/* 1 + C f with its content at a place. */
void sample_scene_pattern(const sample_scene *s, const sample_place *place, float *out);
/* L, and D with its mask: 0 where dust takes more than 5 %. */
void sample_scene_light(const sample_scene *s, float *light);
void sample_scene_dust(const sample_scene *s, float *through, uint8_t *mask);
/* Frame i as a part of white, not clipped; out holds its pattern and is replaced. */
void sample_scene_expose(const sample_scene *s, int index, const float *light, const float *through, float *out);
