/* What optmap comes to, made up: a heart that fills an ellipse, waves along x, in beats of 200 ms. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/draw.h"
#include "optmap/report.h"
#include "support/device.h"

typedef struct {
    optmap_findings f;
    penta_findings found;
    float *memory[24];
    size_t used;
    penta_singularity singularities[40];
    penta_rotor rotors[2];
} made_findings;

static float *new_map(made_findings *m, size_t n)
{
    return m->memory[m->used++] = must_calloc(n + 1, sizeof(float));
}

static inline bool in_heart(const penta_findings *f, size_t pixel)
{
    double x = ((double)(pixel % f->width) + 0.5) / (double)f->width - 0.5;
    double y = ((double)(pixel / f->width) + 0.5) / (double)f->height - 0.5;

    return x * x + y * y < 0.22;
}

/* ms after the beat began: 0.5 ms/px to the right, some of it down. */
static inline double made_delay(const penta_findings *f, size_t pixel)
{
    return 0.5 * (double)(pixel % f->width) + 0.1 * (double)(pixel / f->width);
}

static inline void make_maps(made_findings *m, size_t beats, bool known)
{
    size_t pixels = m->found.height * m->found.width;
    float *apd = new_map(m, beats * pixels), *activation = new_map(m, beats * pixels);
    float *velocity = new_map(m, 2 * beats * pixels), *alternans = new_map(m, pixels), *frequency = new_map(m, pixels);

    for (size_t i = 0; i < beats * pixels; i++) {
        size_t p = i % pixels, b = i / pixels;
        bool there = known && in_heart(&m->found, p);

        activation[i] = there ? (float)(40 + 200.0 * (double)b + made_delay(&m->found, p)) : NAN;
        apd[i] = there ? (float)(60 + 0.2 * (double)(p / m->found.width) + (b % 2 ? 2 : -2)) : NAN;
        velocity[2 * b * pixels + p] = there ? 19 : NAN;
        velocity[(2 * b + 1) * pixels + p] = there ? 4 : NAN;
        alternans[p] = there ? 6.5f : NAN;
        frequency[p] = there ? 5 : NAN;
    }
    m->found.maps = (penta_beat_maps){.beats = beats,
                                      .height = m->found.height,
                                      .width = m->found.width,
                                      .activation = activation,
                                      .repolarisation = activation,
                                      .rise = apd,
                                      .amplitude = apd,
                                      .snr = apd};
    for (int i = 0; i < PENTA_APD_LEVELS; i++)
        m->found.maps.apd[i] = apd;
    m->found.velocity = velocity;
    m->found.alternans = alternans;
    m->found.frequency = frequency;
    m->found.regularity = frequency;
}

static inline void make_traces(made_findings *m, bool known)
{
    penta_findings *f = &m->found;
    size_t pixels = f->height * f->width;
    float *before = new_map(m, f->frames * pixels), *after = new_map(m, f->frames * pixels);

    for (size_t i = 0; i < f->frames * pixels; i++) {
        double t = 1e3 * (double)(i / pixels) / f->frame_rate_hz - 40 - made_delay(f, i % pixels), u = 0;

        for (double at = t; at > -40; at -= 200)
            u += 1 / (1 + exp(-at)) / (1 + exp((at - 50) / 6));
        after[i] = known && in_heart(f, i % pixels) ? (float)(0.1 * u) : NAN;
        before[i] = after[i] + 0.01f * (float)sin(1.7 * (double)(i % 9973));
    }
    f->result.traces = before;
    f->result.filtered = after;
    f->filtered = (penta_movie_view){f->frames, f->height, f->width, f->frame_rate_hz, after};
}

/* known: false for a movie whose maps have no value anywhere. */
static inline void make_findings(made_findings *m, size_t width, size_t height, size_t frames, size_t beats, bool known)
{
    memset(m, 0, sizeof *m);
    m->found = (penta_findings){.width = width,
                                .height = height,
                                .frames = frames,
                                .frame_rate_hz = 1000,
                                .pixel_size = 0.01,
                                .engine = "fast",
                                .beat_count = beats};
    m->f = (optmap_findings){.found = &m->found,
                             .movie = "runs/a<b>&\"c\".tif",
                             .device = "Some <GPU> & more",
                             .version = "1.2.3",
                             .command = "penta optmap --rate 1000 'a<b>&\"c\".tif'",
                             .real_time_factor = 61.7};
    for (size_t p = 0; p < width * height; p++)
        m->found.result.valid_pixels += known && in_heart(&m->found, p);
    m->found.beats = must_calloc(beats + 1, sizeof *m->found.beats);
    for (size_t b = 0; b < beats; b++)
        m->found.beats[b] = (penta_beat){200 * b, 200 * b + 200, 200.0 * (double)b + 50.25};
    make_maps(m, beats, known);
    make_traces(m, known);
    for (size_t i = 0; i < 40; i++)
        m->singularities[i] =
            (penta_singularity){i / 2 + 10, i % 2 ? 5.5 : 12.5, 8.5, i % 2 ? 1 : -1, (int)(i % 2), true, 0.5};
    m->rotors[0] = (penta_rotor){0, -1, 10, 29, 20, 20, 3.25, 1.5};
    m->rotors[1] = (penta_rotor){1, 1, 10, 29, 20, 20, 1.5, 2.5};
    m->found.singularities = m->singularities;
    m->found.singularity_count = 40;
    m->found.rotors = m->rotors;
    m->found.rotor_count = 2;
}

static inline void drop_findings(made_findings *m)
{
    for (size_t i = 0; i < m->used; i++)
        free(m->memory[i]);
    free(m->found.beats);
    memset(m, 0, sizeof *m);
}
