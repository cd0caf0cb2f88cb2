/* The peers' rows of the prepare benchmark: registration alone. */
#include "input.h"

#include <math.h>

#ifdef PENTA_HAVE_FFTW

enum { MOST_WORKERS = 256 };

typedef struct {
    prepare_input *in;
    const char *variant;
    peer_register *workers[MOST_WORKERS];
    size_t worker_count;
    float *frames[PREPARE_FRAMES];
    double shifts[PREPARE_FRAMES][2];
} job;

/* px. By how much a peer may be off a whole shift of white noise, which all of them find. */
static const double agreed = 0.1;

static void work(void *data, double *device_seconds)
{
    job *j = data;

    (void)device_seconds;
    peer_register_frames(j->workers, j->worker_count, PREPARE_FRAMES, (const float *const *)j->frames, j->shifts);
}

/* White noise and the same with its content moved by (dx, dy), noise beyond. */
static void noise_frame(const prepare_input *in, int dx, int dy, float *out)
{
    for (int y = 0; y < in->scene.height; y++)
        for (int x = 0; x < in->scene.width; x++) {
            uint64_t place = (uint64_t)(y - dy + 4096) << 32 | (uint64_t)(x - dx + 4096);

            out[(size_t)y * (size_t)in->scene.width + (size_t)x] = (float)bench_noise(place);
        }
}

/* That each worker does what it is said to do, by a shift that leaves no doubt. */
static void check(job *j)
{
    const int dx = 7, dy = -4;
    prepare_input *in = j->in;
    float *f = bench_alloc(in->b, in->pixels, sizeof *f), *g = bench_alloc(in->b, in->pixels, sizeof *g);

    noise_frame(in, 0, 0, f);
    noise_frame(in, dx, dy, g);
    for (size_t w = 0; w < j->worker_count; w++) {
        double s[2];

        peer_register_key(j->workers[w], f);
        peer_register_run(j->workers[w], g, s);
        if (!(fabs(s[0] - dx) < agreed && fabs(s[1] - dy) < agreed))
            bench_fail(in->b, "%s: (%g, %g) instead of (%d, %d)", j->variant, s[0], s[1], dx, dy);
    }
}

/* Says how well the photographs were registered. */
static double tell(void *data, const char *variant)
{
    const job *j = data;
    double square = 0;

    for (size_t i = 1; i < PREPARE_FRAMES; i++) {
        double x = j->shifts[i][0] - j->in->places[i].dx, y = j->shifts[i][1] - j->in->places[i].dy;

        square += (x * x + y * y) / (PREPARE_FRAMES - 1);
    }
    bench_note(j->in->b, "%s: off by %.3f px rms on these frames, flattened and without dust", variant, sqrt(square));
    return NAN;
}

static void row(job *j, peer_register_form form, size_t workers)
{
    j->variant = bench_text(j->in->b, "%s, %zu thread%s",
                            form == PEER_REGISTER_OPENCV ? "OpenCV's phaseCorrelate" : "scikit-image's", workers,
                            workers == 1 ? "" : "s");
    for (j->worker_count = 0; j->worker_count < workers; j->worker_count++) {
        j->workers[j->worker_count] =
            peer_register_create(form, (size_t)j->in->scene.width, (size_t)j->in->scene.height);
        if (!j->workers[j->worker_count])
            bench_fail(j->in->b, "%s: FFTW has no plan", j->variant);
    }
    check(j);
    for (size_t w = 0; w < workers; w++)
        peer_register_key(j->workers[w], j->frames[0]);
    bench_work_row(j->in->b, j->variant, BENCH_PEER, BENCH_WALL, work, tell, j, NULL);
    for (size_t w = 0; w < workers; w++)
        peer_register_destroy(j->workers[w]);
}

void prepare_peer_rows(prepare_input *in)
{
    static job j;
    size_t cores = (size_t)bench_cores() < MOST_WORKERS ? (size_t)bench_cores() : MOST_WORKERS;

    j = (job){.in = in};
    for (int i = 0; i < PREPARE_FRAMES; i++) {
        j.frames[i] = bench_alloc(in->b, in->pixels, sizeof *j.frames[i]);
        prepare_clean_frame(in, i, j.frames[i]);
    }
    cores = cores < PREPARE_FRAMES ? cores : PREPARE_FRAMES; /* a frame a thread */
    for (int form = PEER_REGISTER_OPENCV; form <= PEER_REGISTER_SKIMAGE; form++) {
        row(&j, (peer_register_form)form, 1);
        if (cores > 1)
            row(&j, (peer_register_form)form, cores);
    }
}

#else

void prepare_peer_rows(prepare_input *in)
{
    bench_note(in->b, "OpenCV's and scikit-image's registration left out: this build has no FFTW");
}

#endif
