/*
 * Trails of stars as a turning camera sees them, by very many short exposures: rotation matrices, the camera's formula
 * as printed, one Gaussian after another over the whole frame (no region of interest), in double.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Rows: the camera's right, down and boresight along ICRS axes. */
typedef struct {
    double m[3][3];
} reference_attitude;

typedef struct {
    double focal, cx, cy;      /* px */
    double k1, k2, k3, p1, p2; /* Brown-Conrady */
} reference_camera;

/* Degrees; roll is the position angle of the picture's up. */
reference_attitude reference_attitude_of(double ra, double dec, double roll);

/* The attitude `seconds` after `from`, while the camera turns about its own axes x, y, z by rate degrees a second. */
reference_attitude reference_attitude_turned(const reference_attitude *from, const double rate[3], double seconds);

/* The share t of the turn at constant rate about a fixed axis, the shorter way round; not by 180 degrees. */
reference_attitude reference_attitude_between(const reference_attitude *from, const reference_attitude *to, double t);

/* px; false behind the camera. */
bool reference_project(const reference_camera *camera, const reference_attitude *attitude, double ra, double dec,
                       double *x, double *y);

/* Adds a still star with a round Gaussian, sampled or integrated over the pixels, to height x width. */
void reference_add_star(double sigma, bool integrated, double x, double y, double flux, size_t width, size_t height,
                        double *image);
