/* Turns correlation sums into C2D and C1D on the host, for devices without double precision. The results have the bits
 * of cl/autocorr/finish.cl, because both include estimate.clh. The arrays are those of one frame in that kernel. */
#pragma once

#include "autocorr/engine.h"
#include "autocorr/rings.h"
#include "autocorr/settings.h"

/* The overlap sums of an unmasked image of the correlated type: n, and S1 and Q1 (second: S2 and Q2), into
 * bundle[5][rows * columns]. */
penta_status autocorr_host_overlaps(penta_context *ctx, const autocorr_shape *shape, const void *image, bool second,
                                    double *bundle);

/* Like the kernel autocorr_take_sum: takes one masked sum from the correlation `from`, of planes of this type, into a
 * row of the bundle. */
void autocorr_host_take(const autocorr_shape *shape, penta_type type, const void *from, int from_y0, bool flip,
                        int part, double *row);

/* The scalars that finishing needs, AUTOCORR_SCALARS of them: estimate.clh. */
enum { AUTOCORR_SCALARS = 6 };
void autocorr_host_scalars(const autocorr_moments m[2], bool normed, bool demeaned, bool averaged, double rounding,
                           double *out);

/* c2d[rows * columns]; sums: int64 for integers, else float. */
void autocorr_host_finish(const autocorr_shape *shape, int estimator, int rows_made, const void *sums,
                          const double *bundle, const double *scalars, double *c2d);

/* rings[bins][4]. */
void autocorr_host_rings(const autocorr_ring_list *list, const double *c2d, double *rings);

/* Where circles are read: cosines and sines of `count` angles over half a turn, 1 px apart on the largest circle if
 * there are so many. */
size_t autocorr_directions_count(size_t max_offset);
void autocorr_directions(size_t count, double *directions);
/* The means of C2D of an autocorrelation over circles of radii first, first + 1, ... */
void autocorr_host_circles(size_t max_offset, const double *c2d, const double *directions, size_t first, size_t n,
                           double *means);
