/*
 * Pictures of the autocorrelation workload. Each function draws BASE.png and BASE.svg, both or neither. Values that are
 * not finite are left out, and a picture without values says so; neither is an error. Titles and labels may hold any
 * bytes; NULL: none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/autocorr.h>

#include "figures/figure.h"

/* C1D of one frame. */
typedef struct {
    double time; /* s, or the frame's number; sets the colour of the curve in a series */
    size_t bins;
    const penta_autocorr_bin *c1d; /* bins of them */
    penta_peak peak;
    bool cross; /* of two images: no R_max is looked for */
} autocorr_c1d_frame;

/*
 * C1D(r) with R_max marked. One frame: with a band of sd / sqrt(count) about the curve, trough and peak named. More:
 * the curves in the colours of their times, at most 24 of them (the title says so), with the R_max of every frame. The
 * axes close in on trough and peak; the whole curve is then in an inset. seconds: times are in s, not frame numbers.
 */
bool autocorr_plot_c1d(const char *base, const char *title, bool seconds, size_t n, const autocorr_c1d_frame *frames,
                       penta_io_error *err);

/* C2D of one frame. */
typedef struct {
    const char *label; /* over the panel */
    size_t max_offset; /* R, px */
    const double *c2d; /* (2R+1) x (2R+1), element [Y + R][X + R] */
    penta_peak peak;
    const penta_displacement *shift; /* of two images, which have no peak; NULL: of one */
} autocorr_c2d_panel;

/*
 * Heat maps of C2D side by side (n at most 2) in common colours, Y down as in the image, R_max as a dashed ring, a
 * displacement as a cross. The colours span the 1st to the 99th percentile, about R_max and without the central spike
 * where there is no displacement. Panels of over 512 px a side are averaged over square blocks.
 */
bool autocorr_plot_c2d(const char *base, const char *title, size_t n, const autocorr_c2d_panel *panels,
                       penta_io_error *err);
