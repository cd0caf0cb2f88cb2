#include "optmap/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "shared/cli.h"

enum { SIDE = 12, PIXELS = SIDE * SIDE, BEATS = 2 };

static const double cold = 0.1; /* s: the first kernels take longer when they are compiled than when they are loaded */

typedef struct {
    const char *device;
    bool fp64;
    const penta_analysis_options *options;
    size_t frames;
    double rate;
} job;

/* ---- the movie ---- */

/* Between -1 and 1, the same in every run. */
static float noise_of(uint32_t i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i = (i ^ (i >> 4)) * 0x27d4eb2dU;
    return (float)(i ^ (i >> 15)) / 2147483648.0F - 1;
}

/* A plane wave with noise: beats are found, and are so noisy that they are averaged along the wave. */
static void fill(const job *j, float *movie)
{
    float cycle = (float)j->frames / BEATS;

    for (size_t i = 0; i < j->frames * PIXELS; i++) {
        float t = fmodf((float)(i / PIXELS) + cycle - 0.2F * cycle - 0.3F * (float)(i % SIDE), cycle);

        movie[i] = fminf(t / 4, 1) * expf(-6 * t / cycle) + 0.1F * noise_of((uint32_t)i);
    }
}

/* What conditioning would have found, with arrays of its own. */
static bool make_findings(const job *j, penta_findings *f)
{
    size_t pixels = PIXELS;

    *f = (penta_findings){.width = SIDE,
                          .height = SIDE,
                          .frames = j->frames,
                          .frame_rate_hz = j->rate,
                          .pixel_size = j->options->pixel_size};
    f->result.filtered = calloc(j->frames * pixels, sizeof *f->result.filtered);
    f->result.traces = calloc(j->frames * pixels, sizeof *f->result.traces);
    f->result.valid = calloc(pixels, 1);
    if (!f->result.filtered || !f->result.traces || !f->result.valid)
        return false;
    fill(j, f->result.filtered);
    memcpy(f->result.traces, f->result.filtered, j->frames * pixels * sizeof *f->result.traces);
    memset(f->result.valid, 1, pixels);
    f->filtered = (penta_movie_view){j->frames, SIDE, SIDE, j->rate, f->result.filtered};
    f->traces = (penta_movie_view){j->frames, SIDE, SIDE, j->rate, f->result.traces};
    return true;
}

/* ---- the process ---- */

static bool is_stopped(void *user, double done, double total)
{
    (void)user, (void)done, (void)total;
    return cli_interrupted();
}

static bool is_cold(const job *j, penta_context *ctx, const penta_findings *f)
{
    penta_beat *beats = NULL;
    size_t count;
    double start = cli_seconds();
    penta_status status = penta_beats_find(ctx, &f->filtered, j->options->beats, &beats, &count);

    free(beats);
    return status == PENTA_OK && cli_seconds() - start > cold;
}

static bool profits(const penta_device *d)
{
    return strstr(d->platform, "Portable Computing Language") && d->type == PENTA_DEVICE_CPU && d->compute_units > 1 &&
           !*penta_kernel_cache_note();
}

/* What fails here fails again where it is told. */
static void compile(const job *j)
{
    penta_findings found = {0};
    penta_analysis *plan = NULL;
    penta_context *ctx = NULL;

    if (penta_context_create(j->device, &ctx) != PENTA_OK)
        return;
    if (!j->fp64)
        penta_context_without_double(ctx);
    penta_context_set_progress(ctx, is_stopped, NULL);
    if (profits(penta_context_device(ctx)) && make_findings(j, &found) && is_cold(j, ctx, &found) &&
        penta_analysis_create(ctx, j->options, &plan) == PENTA_OK)
        (void)penta_analysis_measure(plan, &found);
    penta_analysis_destroy(plan);
    penta_findings_free(&found);
    penta_context_destroy(ctx);
}

/* The process has nothing to say, and ends with the one that began it. */
static void detach(pid_t parent)
{
    int nowhere = open("/dev/null", O_RDWR);

#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(0);
    for (int stream = STDIN_FILENO; nowhere >= 0 && stream <= STDERR_FILENO; stream++)
        (void)dup2(nowhere, stream);
}

pid_t optmap_ahead_begin(const char *device, bool fp64, const penta_analysis_options *options, size_t frames,
                         double rate)
{
    const job j = {device, fp64, options, frames, rate};
    pid_t parent = getpid(), child;

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return 0;
    child = fork();
    if (child == 0) {
        detach(parent);
        compile(&j);
        _exit(0);
    }
    return child > 0 ? child : 0;
}

void optmap_ahead_end(pid_t process, bool stop)
{
    if (process == 0)
        return;
    if (stop)
        kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
        ;
}
