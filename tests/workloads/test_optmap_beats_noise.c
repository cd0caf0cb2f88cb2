/* Signal to noise of beats: of traces, and of what a filter leaves. */
#include "support/test.h"

#include <pentacl/beats.h>

#include "support/waves.h"

DEVICE_TEST(measures_noise)
{
    waves w = {2000, 5, 5, 1000, 500, 0, 300, 1, {0, 0}, false, 0.01};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beat beat = {0, w.frames, 0};
    HELD_BY(penta_beat_maps_free) penta_beat_maps maps;

    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, &beat, 1, &maps));
    for (size_t p = 0; p < 25; p++)
        expect_near(maps.snr[p], 40, 1);
}

/* Replaces each trace by its mean over 2 k + 1 frames, of fewer at its ends. */
static void smooth(const penta_movie_view *m, size_t k)
{
    HELD float *trace = must_calloc(m->frames, sizeof *trace);

    for (size_t p = 0; p < m->height * m->width; p++) {
        for (size_t n = 0; n < m->frames; n++)
            trace[n] = *waves_at(m, n, p);
        for (size_t n = 0; n < m->frames; n++) {
            size_t from = n < k ? 0 : n - k, to = n + k < m->frames ? n + k : m->frames - 1;
            double sum = 0;

            for (size_t i = from; i <= to; i++)
                sum += (double)trace[i];
            *waves_at(m, n, p) = (float)(sum / (double)(to - from + 1));
        }
    }
}

/* White noise of 0.02 under signals of 1, and means of five frames of it, which leave a part of sqrt(5); before the
 * beat are `first` frames, of which few are left to tell noise from where the line lies. */
static void expect_what_is_left(penta_context *ctx, size_t first, size_t k, double within)
{
    waves w = {first + 700, 21, 19, 1000, (double)first, 0, 300, 1, {0.8, 0.5}, false, 0.02};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beat beat = {0, w.frames, 0};
    HELD_BY(penta_beat_maps_free) penta_beat_maps maps;
    float snr[21 * 19];
    double noise = 0; /* mean of squares, of the amplitude */

    smooth(&m, k);
    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, &beat, 1, &maps));
    EXPECT_OK(ctx, penta_beats_snr_filtered(ctx, &m, m.frames, &maps, snr));
    for (size_t p = 0; p < COUNT(snr); p++)
        noise += pow(10, -0.1 * (double)snr[p]) / (double)COUNT(snr);
    expect_near(-10 * log10(noise), 20 * log10((double)maps.amplitude[0] * sqrt(2.0 * (double)k + 1) / 0.02), within);
    assert_int_equal(penta_beats_snr_filtered(ctx, &m, m.frames + 1, &maps, snr), PENTA_INVALID);
}

DEVICE_TEST(measures_noise_that_is_left)
{
    for (size_t k = 0; k <= 2; k += 2) {
        expect_what_is_left(ctx, 1300, k, 0.1);
        expect_what_is_left(ctx, 90, k, 0.2);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
