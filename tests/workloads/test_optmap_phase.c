/* Phase, dominant frequencies. */
#include "support/test.h"

#include <pentacl/rotors.h>

#include "core/internal.h"
#include "reference/optmap_beats.h"
#include "support/random.h"
#include "workloads/optmap_phases.h"

/* ---- phase ---- */

/* f is a float where it is smoothed: 1e-6 of the largest value, 7 here, over the amplitude. */
static void expect_phases(penta_context *ctx, penta_phases *plan, size_t frames, const penta_rotors_options *o)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(frames, 7, 11, 500);
    HELD float *phase = must_calloc(frames * 77, sizeof *phase);
    HELD double *expected = must_calloc(frames * 77, sizeof *expected),
                *amplitude = must_calloc(frames * 77, sizeof(double));
    double error = penta_context_device(ctx)->fp64 ? 1e-5 : 1e-4; /* docs/mathematics/optmap.md */
    bool smooths = o->phase_sigma > 0 || o->phase_time > 0;
    size_t known = 0;

    fill_random(&m);
    EXPECT_OK(ctx, penta_phases_run(plan, &m, o, phase));
    reference_phases(&m, o, expected, amplitude);
    for (size_t i = 0; i < frames * 77; i++) {
        double value = (double)phase[i];

        assert_int_equal(isnan(value), isnan(expected[i]));
        assert_true(smooths || !is_odd_one(i % 77) || isnan(value));
        if (isnan(value))
            continue;
        known++;
        expect_near(remainder(value - expected[i], turn), 0, error + (smooths ? 7e-6 / amplitude[i] : 0));
    }
    if (frames > 50 && !smooths) /* of white noise the amplitude's square is exponential, of mean 2 */
        expect_near((double)known / (double)(74 * frames), exp(-o->min_amplitude * o->min_amplitude / 2), 0.04);
}

DEVICE_TEST(finds_phases)
{
    static const size_t lengths[] = {2, 3, 4, 75, 101, 128};
    static const double amplitudes[] = {0, 0.5, 2}, sigmas[] = {0, 0.7, 2}, times[] = {0, 9, 3};

    HELD_BY(penta_phases_held) penta_phases *plan = NULL;

    EXPECT_OK(ctx, penta_phases_create(ctx, &plan));
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t k = 0; k < COUNT(amplitudes); k++)
            for (size_t s = 0; s < (i < 4 ? COUNT(sigmas) : 1); s++) {
                penta_rotors_options o = lenient();

                o.min_amplitude = amplitudes[k];
                o.phase_sigma = sigmas[s];
                o.phase_time = times[s];
                expect_phases(ctx, plan, lengths[i], &o);
            }
}

/* ---- frequency ---- */

DEVICE_TEST(finds_frequencies)
{
    static const size_t lengths[] = {2, 3, 40, 101};
    static const double bands[][2] = {{0, 0}, {100, 220}, {0, 120}, {200, 900}};
    double error = penta_context_device(ctx)->fp64 ? 1e-6 : 1e-5;
    HELD_BY(penta_phases_held) penta_phases *plan = NULL;

    EXPECT_OK(ctx, penta_phases_create(ctx, &plan));
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t b = 0; b < COUNT(bands); b++) {
            HELD_BY(free_movie) penta_movie_view m = make_movie(lengths[i], 3, 9, 500);
            float frequency[27], regularity[27], *trace = must_calloc(m.frames, sizeof *trace);
            bool any = lengths[i] > 3 || b == 0 || (b == 3 && lengths[i] == 2) || (b == 1 && lengths[i] == 3);

            fill_random(&m);
            if (any)
                EXPECT_OK(ctx, penta_phases_frequency(plan, &m, bands[b][0], bands[b][1], frequency, regularity));
            else
                assert_int_equal(penta_phases_frequency(plan, &m, bands[b][0], bands[b][1], frequency, regularity),
                                 PENTA_INVALID);
            for (size_t p = 0; any && p < 27; p++) {
                double f, share;

                assert_int_equal(isnan(frequency[p]), is_odd_one(p));
                assert_int_equal(isnan(regularity[p]), is_odd_one(p));
                if (is_odd_one(p))
                    continue;
                read_trace(&m, p, trace);
                reference_dominant_frequency(trace, m.frames, m.frame_rate_hz, bands[b][0], bands[b][1], &f, &share);
                expect_near(frequency[p], f, error * f);
                expect_near(regularity[p], share, error);
            }
            free(trace);
        }
}

/* Sines of any frequency: within 2 % of a line's distance. */
DEVICE_TEST(finds_sines)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(1001, 10, 10, 1000);
    float frequency[100], regularity[100];

    for (size_t f = 0; f < m.frames; f++)
        for (size_t p = 0; p < 100; p++)
            *at(&m, f, p / 10, p % 10) = (float)(5 + sin(turn * (7 + 0.137 * (double)p) * (double)f / 1000));
    EXPECT_OK(ctx, penta_dominant_frequency(ctx, &m, 2, 60, frequency, regularity));
    for (size_t p = 0; p < 100; p++) {
        expect_near(frequency[p], 7 + 0.137 * (double)p, 0.02);
        assert_true(regularity[p] > 0.9F);
    }
    EXPECT_OK(ctx, penta_dominant_frequency(ctx, &m, 2, 60, frequency, NULL));
    expect_near(frequency[99], 7 + 0.137 * 99, 0.02);
    EXPECT_OK(ctx, penta_dominant_frequency(ctx, &m, 10, 12, frequency, NULL)); /* not beyond, for sines that are */
    for (size_t p = 0; p < 100; p++)
        assert_true(frequency[p] >= 10 && frequency[p] <= 12);
}

ON_DEVICE;
AS_ON_A_GPU;
