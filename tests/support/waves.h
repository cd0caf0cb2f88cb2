/* Movies of waves for the tests of beats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/beats.h>

/* A movie of waves: pixel (x, y) is activated at waves_delay(x, y) + k cycles. */
typedef struct {
    size_t frames, height, width;
    double rate, first, cycle, apd; /* ms */
    int beats;
    double slow[2]; /* ms/px along x and y */
    bool radial;    /* from the middle, slow[0] ms/px */
    double noise;
} waves;

double waves_delay(const waves *w, size_t x, size_t y); /* ms */

/* Signals of 1 above -0.2, with the same noise each time; waves_free frees it. */
penta_movie_view waves_movie(const waves *w);
void waves_free(penta_movie_view *m);

/* A number of such a movie. */
float *waves_at(const penta_movie_view *m, size_t frame, size_t pixel);
