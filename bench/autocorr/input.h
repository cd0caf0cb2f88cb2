/* Input of the autocorr benchmark's cases, the answer to it, and the peers' rows. */
#pragma once

#include <stdint.h>

#include "bench.h"

typedef struct {
    const char *name;
    size_t width, height, max_offset, frames;
} autocorr_case;

/* The frames have a few different contents in turn, so that a batch which mixes up frames is found out. */
typedef struct {
    bench *b;
    const autocorr_case *c;
    size_t pixels;          /* of a frame */
    size_t plane;           /* values of a half plane: (R+1) (2R+1), rows Y = 0..R, X = -R..R */
    size_t contents;        /* different frames */
    uint8_t *pool;          /* all frames, one after another */
    const uint8_t **images; /* c->frames pointers into it */
    int64_t *references;    /* contents half planes */
    double *c1[2]; /* of each content C1D at 1, of the paper's equation and of the defaults; 0: not yet known */
} autocorr_input;

/* Fills *in, with the answer found by one peer and checked at some offsets by the formula. Ends the program when memory
 * runs out. */
void autocorr_input_create(bench *b, const autocorr_case *c, autocorr_input *in);

/* The right half plane of a frame. */
const int64_t *autocorr_expected(const autocorr_input *in, size_t frame);

/* The right C1D at 1, by the paper's equation or by the library's defaults. */
double autocorr_expected_c1(const autocorr_input *in, size_t frame, bool defaults);

/* bench_fail unless a frame's half plane is the right one, to within tolerance * N(0,0); 0: exactly. */
void autocorr_check(const autocorr_input *in, const char *variant, size_t frame, const int64_t *half_plane,
                    double tolerance);

/* How far a single-precision result may be off, as a fraction of N(0,0). The usual is 3e-7. */
#define AUTOCORR_SINGLE_TOLERANCE 1e-5

/* Sides of a small version of the offsets, whose time predicts that of the case. */
enum { AUTOCORR_PROBE_OFFSET = 16 };

/*
 * Whether a row of a direct method would take too long, judged by the seconds that the probe offset took; then says so
 * in a note.
 */
bool autocorr_too_slow(const autocorr_input *in, const char *variant, double probe_seconds);

/* Measures every peer that is there. */
void autocorr_peer_rows(const autocorr_input *in);

/* The case of PNG files, if it is asked for (png.c). */
void autocorr_png_rows(bench *b);
