/* Series of `penta sample autocorr`. */
#pragma once

#include "shared/sample.h"

typedef struct {
    sample_common common;
    const char *device, *times;
    int kind; /* AUTOCORR_RINGS, .. */
    int frames, width, height, depth;
    bool npy;
    double r0, speed, interval;            /* rings: px, px/s, s */
    double first, last;                    /* spinodal: times of the first and the last frame */
    double composition, noise, cell, step; /* penta_spinodal_options */
} autocorr_sample_flags;

enum { AUTOCORR_RINGS = 0, AUTOCORR_SPINODAL };
enum { AUTOCORR_U8 = 0, AUTOCORR_U16 };

/* The frames of a mixture that separates, and times.csv. */
bool autocorr_sample_spinodal(const autocorr_sample_flags *f, penta_io_error *err);
