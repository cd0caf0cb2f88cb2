/*
 * Star frames: every engine beside native C and a CUDA kernel. Test 1 of Li et al. (their Table 1): 2^5 to 2^17 random
 * stars, ROI 10; Test 2 (Table 2): 8192 stars, ROI 2 to 32, both on 1024 x 1024 pixels; then large frames.
 *
 * "resident": all kernels of a run by their events, from the stars in device memory as they were given (x, y, magnitude
 * in double) to the frame in device memory; "host": the whole call, stars in pinned host memory to the frame in pinned
 * host memory. The CUDA peer is timed twice: many frames without a pause between two events, and each frame "alone"
 * between two, which is how ours are timed. "single": engine tile as on a device without double precision, where the
 * host packs the stars; a note tells how many times longer that takes.
 */
#include "input.h"

static const stars_case cases[] = {
    {"test1-2^5", 1 << 5, 1024, 1024, 10},
    {"test1-2^7", 1 << 7, 1024, 1024, 10},
    {"test1-2^9", 1 << 9, 1024, 1024, 10},
    {"test1-2^11", 1 << 11, 1024, 1024, 10},
    {"test1-2^13", 1 << 13, 1024, 1024, 10},
    {"test1-2^15", 1 << 15, 1024, 1024, 10},
    {"test1-2^17", 1 << 17, 1024, 1024, 10},
    {"test2-roi2", 8192, 1024, 1024, 2},
    {"test2-roi4", 8192, 1024, 1024, 4},
    {"test2-roi8", 8192, 1024, 1024, 8},
    {"test2-roi16", 8192, 1024, 1024, 16},
    {"test2-roi32", 8192, 1024, 1024, 32},
    {"1e7-16384x16384", 10000000, 16384, 16384, 10},
    {"1e8-32768x32768", 100000000, 32768, 32768, 10},
};

/* Most work of a variant that a case is run with: stars times pixels that each of them costs. */
typedef struct {
    const char *name;
    int engine;
    bool all_pixels;           /* each star costs the whole frame, else its ROI */
    double most_gpu, most_cpu; /* pixel updates */
} variant;

static const variant variants[] = {
    {"tile", PENTA_STARS_TILE, false, 1e12, 2e9},
    {"star", PENTA_STARS_STAR, false, 1e12, 2e9},
    {"fixed", PENTA_STARS_FIXED, false, 1e12, 2e9},
    {"pixel", PENTA_STARS_PIXEL, true, 2e11, 2e10},
};

typedef struct {
    const stars_input *in;
    const variant *v;
    penta_stars *plan;
    bool host; /* read the frame back */
} job;

static void work(void *data, double *device_seconds)
{
    const job *j = data;
    const stars_input *in = j->in;
    penta_stars_list list = {.n = in->c->n, .x = in->x, .y = in->y, .magnitude = in->magnitude};
    penta_stars_result result = {.image = j->host ? in->image : NULL};

    bench_time_kernels(in->b);
    bench_must(in->b, j->v->name, penta_stars_run(j->plan, &list, &result));
    *device_seconds = bench_kernel_seconds(in->b);
}

static void add_row(job *j, bool host, const char *what, bench_samples *samples)
{
    bench *b = j->in->b;

    j->host = host;
    bench_work_row(b, bench_text(b, "%s %s", j->v->name, what), BENCH_OURS, host ? BENCH_WALL : BENCH_DEVICE, work,
                   NULL, j, samples);
}

static void make_plan(job *j)
{
    const stars_input *in = j->in;
    penta_stars_options o = stars_case_options(in->c, j->v->engine);

    bench_must(in->b, j->v->name, penta_stars_create(bench_context(in->b), in->c->width, in->c->height, &o, &j->plan));
}

/* The engine that is chosen, without double precision. */
static void single_row(const stars_input *with_double, const variant *v, const bench_samples *with)
{
    bench *b = with_double->b;
    stars_input in = *with_double;
    job j = {.in = &in, .v = v, .host = true};
    size_t bytes = in.c->n * sizeof *in.x;
    bench_samples samples;

    if (!bench_single_begin(b))
        return;
    in.x = bench_pinned_copy(b, in.x, bytes);
    in.y = bench_pinned_copy(b, in.y, bytes);
    in.magnitude = bench_pinned_copy(b, in.magnitude, bytes);
    in.image = bench_pinned(b, in.c->width * in.c->height * sizeof *in.image);
    make_plan(&j);
    add_row(&j, true, "single host", &samples);
    stars_check(&in, "single");
    bench_slowdown(b, "a frame", "host to host", BENCH_WALL, with, &samples);
    penta_stars_destroy(j.plan);
    bench_single_end(b);
}

static void our_rows(const stars_input *in, const variant *v)
{
    double each = v->all_pixels ? (double)in->c->width * (double)in->c->height : (double)in->c->roi * in->c->roi;
    job j = {.in = in, .v = v, .host = true};
    bench_samples samples;
    double none = 0;

    if ((double)in->c->n * each > (bench_on_cpu(in->b) ? v->most_cpu : v->most_gpu)) {
        bench_note(in->b, "%s left out: it would take too long", v->name);
        return;
    }
    make_plan(&j);
    work(&j, &none);
    stars_check(in, v->name);
    add_row(&j, false, "resident", &samples);
    add_row(&j, true, "host", &samples);
    stars_check(in, v->name);
    penta_stars_destroy(j.plan);
    if (v->engine == PENTA_STARS_TILE)
        single_row(in, v, &samples);
}

/* A star: x, y and magnitude in double, a multiply-add for each pixel of its ROI. A frame: written once, float. */
static void needs(bench *b, const stars_case *c)
{
    double pixels = (double)c->width * (double)c->height, n = (double)c->n, roi = c->roi;

    bench_needs(b, BENCH_SINGLE, 2 * n * roi * roi, 24 * n + 4 * pixels,
                "2 n r^2 flops, 24 n + 4 w h bytes; n = %zu, r = %d, w h = %zu x %zu", c->n, c->roi, c->width,
                c->height);
}

void bench_stars(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stars_input in;

        if (!bench_case(b, cases[i].name, 1, "frame"))
            continue;
        if (cases[i].n > 20000000 && bench_on_cpu(b)) {
            bench_note(b, "%s left out on a CPU device: it would take too long", cases[i].name);
            continue;
        }
        stars_input_create(b, &cases[i], &in);
        needs(b, &cases[i]);
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
            our_rows(&in, &variants[k]);
        stars_peer_rows(&in);
        bench_release(b, 0);
    }
}
