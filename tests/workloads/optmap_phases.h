/* Movies for the tests of phases, dominant frequencies and rotors. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <pentacl/rotors.h>

#include "support/device.h"
#include "support/random.h"

static const double turn = 6.283185307179586;

static inline penta_movie_view make_movie(size_t frames, size_t height, size_t width, double rate)
{
    return (penta_movie_view){frames, height, width, rate, must_calloc(frames * height * width, sizeof(float))};
}

static inline void free_movie(penta_movie_view *m)
{
    free((void *)m->data);
}

static inline float *at(const penta_movie_view *m, size_t frame, size_t y, size_t x)
{
    return (float *)m->data + (frame * m->height + y) * m->width + x;
}

static inline void read_trace(const penta_movie_view *m, size_t pixel, float *trace)
{
    for (size_t f = 0; f < m->frames; f++)
        trace[f] = m->data[f * m->height * m->width + pixel];
}

static inline void fill_random(const penta_movie_view *m)
{
    size_t pixels = m->height * m->width;

    random_seed(4);
    for (size_t i = 0; i < m->frames * pixels; i++)
        ((float *)m->data)[i] = (float)(random_normal() + 3);
    *at(m, m->frames - 1, 0, 1) = NAN;
    *at(m, 0, 0, 2) = INFINITY;
    for (size_t f = 0; f < m->frames; f++)
        *at(m, f, 0, 3) = 0.7F;
}

static inline bool is_odd_one(size_t pixel)
{
    return pixel >= 1 && pixel <= 3;
}

/* Options that let every singularity pass. */
static inline penta_rotors_options lenient(void)
{
    penta_rotors_options o;

    penta_rotors_options_init(&o);
    o.min_life = o.min_clear = o.min_turns = o.min_amplitude = o.phase_sigma = o.phase_time = 0;
    return o;
}
