/* Faults in the analysis of optical-mapping movies: each time there is an error and nothing, or the right answer. */
#include "faults/sweep.h"

#include <pentacl/rotors.h>

#include "optmap/held.h"
#include "optmap/phase.h"
#include "support/device.h"
#include "support/random.h"

enum { FRAMES = 60, HEIGHT = 9, WIDTH = 11, PIXELS = HEIGHT * WIDTH, WINDOW = 20, NUMBERS = 40000 };

static float data[FRAMES * PIXELS];
static const penta_movie_view movie = {FRAMES, HEIGHT, WIDTH, 500, data};

/* All that the analysis gives, one after another. */
typedef struct {
    size_t count;
    float numbers[NUMBERS];
} answer;

static answer got, right;

static void keep(const void *numbers, size_t count)
{
    assert_true(got.count + count <= NUMBERS);
    memcpy(got.numbers + got.count, numbers, count * sizeof *got.numbers);
    got.count += count;
}

/* Two beats of a plane wave. */
static void fill_waves(void)
{
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t p = 0; p < PIXELS; p++) {
            double t = fmod((double)f + 22 - 0.3 * (double)(p % WIDTH), 30);

            data[f * PIXELS + p] = (float)(t < 12 ? t * exp(-t / 2) : 0);
        }
}

/* Noise on top, so that traces are averaged along the wave. */
static void add_noise(void)
{
    random_seed(12);
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        data[i] += 0.02F * (float)random_normal();
}

/* A wave that goes round. */
static void fill_vortex(void)
{
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t p = 0; p < PIXELS; p++)
            data[f * PIXELS + p] =
                (float)cos(atan2((double)(p / WIDTH) - 4.5, (double)(p % WIDTH) - 5.5) - 0.3 * (double)f);
}

static penta_status measure(penta_context *ctx, const penta_beat *beats, size_t count)
{
    static float velocity[2 * PIXELS], mean[WINDOW * PIXELS];
    penta_beat_maps maps;
    size_t used;
    penta_status status = penta_beats_measure(ctx, &movie, NULL, beats, count, &maps);

    if (status == PENTA_OK) {
        keep(maps.activation, count * PIXELS);
        keep(maps.apd[2], count * PIXELS);
        keep(maps.snr, count * PIXELS);
        status = penta_velocity(ctx, WIDTH, HEIGHT, maps.activation, 0.01, NULL, velocity);
    } else
        assert_null(maps.activation);
    penta_beat_maps_free(&maps);
    if (status == PENTA_OK) {
        keep(velocity, sizeof velocity / sizeof *velocity);
        status = penta_beats_average(ctx, &movie, beats, count, 5, WINDOW, mean, &used);
    }
    if (status == PENTA_OK)
        keep(mean, sizeof mean / sizeof *mean);
    return status;
}

static penta_status attempt_beats(trial *t)
{
    HELD penta_beat *beats = NULL;
    optmap_held held;
    size_t count;
    penta_status status;

    got.count = 0;
    begin_faults(t);
    status = optmap_hold(t->ctx, &movie, &held);
    if (status == PENTA_OK) {
        beats = (penta_beat *)(uintptr_t)1;
        status = penta_beats_find(t->ctx, &movie, NULL, &beats, &count);
        assert_int_equal(status == PENTA_OK, beats != NULL);
    }
    if (status == PENTA_OK)
        status = measure(t->ctx, beats, count);
    end_faults(t, t->ctx, status);
    optmap_let_go(&held);
    return status;
}

static penta_status search(penta_context *ctx, const penta_movie_view *phase)
{
    HELD penta_singularity *list = NULL;
    HELD penta_rotor *rotors = NULL;
    size_t count, rotor_count;
    penta_rotors_options o;
    penta_status status;

    penta_rotors_options_init(&o);
    o.min_life = o.min_turns = 0; /* the movie is a short one */
    status = penta_singularities(ctx, phase, &o, &list, &count, &rotors, &rotor_count);
    assert_int_equal(status == PENTA_OK, list != NULL);
    assert_int_equal(status == PENTA_OK, rotors != NULL);
    for (size_t i = 0; i < count; i++)
        keep((const float[]){(float)list[i].x, (float)list[i].y, (float)list[i].id}, 3);
    return status;
}

/* By clFFT: the set-up of VkFFT, a header and so within reach of the faults, leaks when a call of it fails. */
static penta_status attempt_rotors(trial *t)
{
    static float phase[FRAMES * PIXELS], maps[2 * PIXELS];
    HELD_BY(penta_phases_held) penta_phases *plan = NULL;
    penta_status status;

    got.count = 0;
    begin_faults(t);
    status = optmap_phases_create(t->ctx, PENTA_FFT_CLFFT, &plan);
    assert_int_equal(status == PENTA_OK, plan != NULL);
    if (status == PENTA_OK)
        status = penta_phases_run(plan, &movie, NULL, phase);
    if (status == PENTA_OK) {
        keep(phase, FRAMES * PIXELS);
        status = search(t->ctx, &(penta_movie_view){FRAMES, HEIGHT, WIDTH, 500, phase});
    }
    if (status == PENTA_OK)
        status = penta_phases_frequency(plan, &movie, 0, 0, maps, maps + PIXELS);
    if (status == PENTA_OK)
        keep(maps, 2 * PIXELS);
    end_faults(t, t->ctx, status);
    return status;
}

/* The first trial of a job is healthy: what it gives is right (test_optmap_*.c). */
static penta_status attempt_and_compare(trial *t)
{
    penta_status (*const *work)(trial * t) = t->job->what;
    penta_status status = (*work)(t);

    if (status != PENTA_OK)
        return status;
    if (right.count == 0)
        right = got;
    assert_int_equal(got.count, right.count);
    assert_memory_equal(got.numbers, right.numbers, right.count * sizeof *right.numbers);
    return status;
}

/* On GPUs beats go on where there is no memory to hold the movie. */
static void sweep_both(const char *name, penta_status (*work)(trial *t))
{
    for (int gpu = 0; gpu < 2; gpu++) {
        right.count = 0;
        sweep(&(job){.name = name,
                     .attempt = attempt_and_compare,
                     .what = &work,
                     .least = 10,
                     .gpu_retries = work != attempt_rotors,
                     .as_gpu = gpu});
        assert_true(right.count > PIXELS);
    }
}

TEST_WITH(no_faults, NULL, beats)
{
    fill_waves();
    sweep_both("beats", attempt_beats);
}

TEST_WITH(no_faults, NULL, noisy_beats)
{
    fill_waves();
    add_noise();
    sweep_both("beats in noise", attempt_beats);
}

TEST_WITH(no_faults, NULL, rotors)
{
    fill_vortex();
    sweep_both("rotors", attempt_rotors);
}

RUN(EVERYWHERE, NULL, hold_clfft, release_clfft);
