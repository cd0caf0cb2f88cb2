/* What optmap comes to, made up: a heart that fills an ellipse, waves along x, in beats of 200 ms. */
#ifndef PENTA_TESTS_OPTMAP_FINDINGS_H
#define PENTA_TESTS_OPTMAP_FINDINGS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/draw.h"
#include "optmap/report.h"
#include "support/device.h"

typedef struct {
    optmap_findings f;
    penta_beat *beats;
    penta_beat_maps maps;
    float *memory[24];
    size_t used;
    penta_singularity singularities[40];
    penta_rotor rotors[2];
} made_findings;

static float *new_map(made_findings *m, size_t n)
{
    return m->memory[m->used++] = must_calloc(n + 1, sizeof(float));
}

static inline bool in_heart(const optmap_findings *f, size_t pixel)
{
    double x = ((double)(pixel % f->width) + 0.5) / (double)f->width - 0.5;
    double y = ((double)(pixel / f->width) + 0.5) / (double)f->height - 0.5;

    return x * x + y * y < 0.22;
}

/* ms after the beat began: 0.5 ms/px to the right, some of it down. */
static inline double made_delay(const optmap_findings *f, size_t pixel)
{
    return 0.5 * (double)(pixel % f->width) + 0.1 * (double)(pixel / f->width);
}

static inline void make_maps(made_findings *m, size_t beats, bool known)
{
    size_t pixels = m->f.height * m->f.width;
    float *apd = new_map(m, beats * pixels), *activation = new_map(m, beats * pixels);
    float *velocity = new_map(m, 2 * beats * pixels), *alternans = new_map(m, pixels), *frequency = new_map(m, pixels);

    for (size_t i = 0; i < beats * pixels; i++) {
        size_t p = i % pixels, b = i / pixels;
        bool there = known && in_heart(&m->f, p);

        activation[i] = there ? (float)(40 + 200.0 * (double)b + made_delay(&m->f, p)) : NAN;
        apd[i] = there ? (float)(60 + 0.2 * (double)(p / m->f.width) + (b % 2 ? 2 : -2)) : NAN;
        velocity[2 * b * pixels + p] = there ? 19 : NAN;
        velocity[(2 * b + 1) * pixels + p] = there ? 4 : NAN;
        alternans[p] = there ? 6.5f : NAN;
        frequency[p] = there ? 5 : NAN;
    }
    m->maps = (penta_beat_maps){.beats = beats,
                                .height = m->f.height,
                                .width = m->f.width,
                                .activation = activation,
                                .repolarisation = activation,
                                .rise = apd,
                                .amplitude = apd,
                                .snr = apd};
    for (int i = 0; i < PENTA_APD_LEVELS; i++)
        m->maps.apd[i] = apd;
    m->f.maps = &m->maps;
    m->f.velocity = velocity;
    m->f.alternans = alternans;
    m->f.frequency = frequency;
    m->f.regularity = frequency;
}

static inline void make_traces(made_findings *m, bool known)
{
    optmap_findings *f = &m->f;
    size_t pixels = f->height * f->width;
    float *before = new_map(m, f->frames * pixels), *after = new_map(m, f->frames * pixels);

    for (size_t i = 0; i < f->frames * pixels; i++) {
        double t = 1e3 * (double)(i / pixels) / f->rate - 40 - made_delay(f, i % pixels), u = 0;

        for (double at = t; at > -40; at -= 200)
            u += 1 / (1 + exp(-at)) / (1 + exp((at - 50) / 6));
        after[i] = known && in_heart(f, i % pixels) ? (float)(0.1 * u) : NAN;
        before[i] = after[i] + 0.01f * (float)sin(1.7 * (double)(i % 9973));
    }
    f->traces = before;
    f->filtered = after;
}

/* known: false for a movie whose maps have no value anywhere. */
static inline void make_findings(made_findings *m, size_t width, size_t height, size_t frames, size_t beats, bool known)
{
    memset(m, 0, sizeof *m);
    m->f = (optmap_findings){.movie = "runs/a<b>&\"c\".tif",
                             .engine = "fast",
                             .device = "Some <GPU> & more",
                             .version = "1.2.3",
                             .command = "penta optmap --rate 1000 'a<b>&\"c\".tif'",
                             .frames = frames,
                             .height = height,
                             .width = width,
                             .rate = 1000,
                             .pixel_size = 0.01,
                             .real_time_factor = 61.7,
                             .filtered_frames = frames,
                             .filtered_rate = 1000,
                             .beat_count = beats};
    for (size_t p = 0; p < width * height; p++)
        m->f.valid_pixels += known && in_heart(&m->f, p);
    m->beats = must_calloc(beats + 1, sizeof *m->beats);
    for (size_t b = 0; b < beats; b++)
        m->beats[b] = (penta_beat){200 * b, 200 * b + 200, 200.0 * (double)b + 50.25};
    m->f.beats = m->beats;
    make_maps(m, beats, known);
    make_traces(m, known);
    for (size_t i = 0; i < 40; i++)
        m->singularities[i] =
            (penta_singularity){i / 2 + 10, i % 2 ? 5.5 : 12.5, 8.5, i % 2 ? 1 : -1, (int)(i % 2), true, 0.5};
    m->rotors[0] = (penta_rotor){0, -1, 10, 29, 20, 20, 3.25, 1.5};
    m->rotors[1] = (penta_rotor){1, 1, 10, 29, 20, 20, 1.5, 2.5};
    m->f.singularities = m->singularities;
    m->f.singularity_count = 40;
    m->f.rotors = m->rotors;
    m->f.rotor_count = 2;
}

static inline void drop_findings(made_findings *m)
{
    for (size_t i = 0; i < m->used; i++)
        free(m->memory[i]);
    free(m->beats);
    memset(m, 0, sizeof *m);
}

#endif
