/*
 * Autocorrelation: every method of the library beside native C, FFTW and CUDA. The first six cases are single frames
 * (the image of Fig. 6 of Lu et al. at its four offsets, a camera frame, a large frame), the last a series.
 *
 * The peers compute equation 1 as the paper prints it, and so do our rows; "defaults" are what the library does if
 * nothing is said: the mean off, unbiased, which needs the sums over every overlap, too. They have no peer.
 *
 * Rows "u16": the pixels times 257, images of the whole range of 16 bits, whose sums are 257^2 times those of 8 bits.
 *
 * "resident": the time of all kernels of a run by their events, those of C2D and C1D too, which the peers do not
 * compute; "host": the whole call, images in host memory to numerators (single precision: C2D) in host memory; "host
 * c1d": likewise, to C1D and R_max, as a long series is run. "auto", "single": what the library chooses with double
 * precision and without, where the host takes the averages; a note tells how many times longer the latter takes.
 */
#include "input.h"

#include <math.h>
#include <string.h>

#include <pentacl/autocorr.h>

static const autocorr_case cases[] = {
    {"750x1500-r25", 750, 1500, 25, 1},
    {"750x1500-r50", 750, 1500, 50, 1},
    {"750x1500-r100", 750, 1500, 100, 1},
    {"750x1500-r250", 750, 1500, 250, 1},
    {"640x480-r16", 640, 480, 16, 1},
    {"2048x2048-r250", 2048, 2048, 250, 1},
    {"batch64-750x1500-r250", 750, 1500, 250, 64},
};

/* Names begin with the method, and the FFT's backend. */
typedef struct {
    const char *name;
    int method, fft;
    bool single, cpu_only, wide, defaults; /* wide: 16-bit images; defaults: of the library, not the paper's equation */
    bool chosen;                           /* what the library chooses: one row, "host" */
    bool brief;                            /* measured in a brief run too */
} variant;

enum { WIDEN = 257 }; /* from 255 to 65535 */

static const variant variants[] = {
    {"naive", .method = PENTA_AUTOCORR_NAIVE},
    {"lines", .method = PENTA_AUTOCORR_LINES},
    {"tiled", .method = PENTA_AUTOCORR_TILED, .brief = true},
    {"fft-clfft", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_CLFFT},
    {"fft-vkfft", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_VKFFT},
    {"fft-simd", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_SIMD, .cpu_only = true, .brief = true},
    {"fft-clfft-single", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_CLFFT, .single = true},
    {"fft-vkfft-single", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_VKFFT, .single = true},
    {"fft-simd-single", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_SIMD, .single = true, .cpu_only = true},
    {"ntt", .method = PENTA_AUTOCORR_NTT, .brief = true},
    {"ntt-u16", .method = PENTA_AUTOCORR_NTT, .wide = true},
    {"fft-vkfft-u16", .method = PENTA_AUTOCORR_FFT, .fft = PENTA_FFT_VKFFT, .wide = true},
    {"defaults", .method = PENTA_AUTOCORR_AUTO, .defaults = true, .brief = true},
    {"defaults-u16", .method = PENTA_AUTOCORR_AUTO, .wide = true, .defaults = true},
};

/* One variant on one case. */
typedef struct {
    const autocorr_input *in;
    const variant *v;
    penta_autocorr *plan;
    size_t mark;  /* of its memory */
    void *images; /* pinned copies of the input */
    penta_autocorr_frame *frames;
    penta_autocorr_result *results;
    int64_t *numerators;     /* all frames; NULL in single precision */
    double *c2d;             /* all frames, in single precision */
    penta_autocorr_bin *c1d; /* all frames */
} job;

/* Its time hardly grows with the offsets. */
static bool is_transform(const variant *v)
{
    return v->method == PENTA_AUTOCORR_FFT || v->method == PENTA_AUTOCORR_NTT || v->method == PENTA_AUTOCORR_AUTO;
}

/* False with a note when this library or device cannot run the variant; other failures end the program. */
static bool worked(const autocorr_input *in, const variant *v, penta_status status)
{
    const char *text = penta_last_error(bench_context(in->b));

    if (status != PENTA_OK && !bench_leaves_out(in->b, v->name, status, text))
        bench_fail(in->b, "%s: %.*s", v->name, (int)strcspn(text, "\n"), text);
    return status == PENTA_OK;
}

/* Plan of a variant; NULL with a note when this library or device has none. */
static penta_autocorr *make_plan(const autocorr_input *in, const variant *v, size_t max_offset)
{
    penta_autocorr_options options;
    penta_autocorr *plan = NULL;

    penta_autocorr_options_init(&options);
    if (!v->defaults) {
        options.estimator = PENTA_AUTOCORR_EQ1;
        options.demean = PENTA_AUTOCORR_DEMEAN_NONE;
    }
    options.max_offset = (int)max_offset;
    options.bootstrap = 0;
    options.method = v->method;
    options.fft = v->fft;
    if (v->single)
        options.precision = PENTA_PRECISION_SINGLE;
    worked(in, v,
           penta_autocorr_create(bench_context(in->b), in->c->width, in->c->height, v->wide ? PENTA_U16 : PENTA_U8,
                                 &options, &plan));
    return plan;
}

static penta_status run_frames(const job *j)
{
    return penta_autocorr_run(j->plan, j->in->c->frames, j->frames, j->results);
}

static void work(void *data, double *device_seconds)
{
    const job *j = data;

    bench_time_kernels(j->in->b);
    bench_must(j->in->b, j->v->name, run_frames(j));
    *device_seconds = bench_kernel_seconds(j->in->b);
}

/* What results are asked for: the planes, or C1D alone. */
static void ask(job *j, bool planes)
{
    size_t r = j->in->c->max_offset, side = 2 * r + 1;

    for (size_t i = 0; i < j->in->c->frames; i++)
        j->results[i] = (penta_autocorr_result){
            .numerators = planes && j->numerators ? j->numerators + i * side * side : NULL,
            .c2d = planes && j->c2d ? j->c2d + i * side * side : NULL,
            .c1d = planes ? NULL : j->c1d + i * (r + 1),
        };
}

/* The frames in pinned memory, in the variant's type. */
static void copy_frames(const autocorr_input *in, job *j)
{
    size_t bytes = j->v->wide ? sizeof(uint16_t) : 1, count = in->c->frames * in->pixels;

    j->images = bench_pinned(in->b, count * bytes);
    if (j->v->wide)
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)j->images)[i] = (uint16_t)(WIDEN * in->pool[i]);
    else
        memcpy(j->images, in->pool, count);
    for (size_t i = 0; i < in->c->frames; i++)
        j->frames[i] = (penta_autocorr_frame){.image = (const char *)j->images + i * in->pixels * bytes};
}

static void job_create(const autocorr_input *in, const variant *v, job *j)
{
    size_t r = in->c->max_offset, side = 2 * r + 1, frames = in->c->frames;

    *j = (job){.in = in, .v = v, .mark = bench_mark(in->b)};
    j->frames = bench_alloc(in->b, frames, sizeof *j->frames);
    j->results = bench_alloc(in->b, frames, sizeof *j->results);
    j->c1d = bench_alloc(in->b, frames * (r + 1), sizeof *j->c1d);
    if (v->single)
        j->c2d = bench_alloc(in->b, frames * side * side, sizeof *j->c2d);
    else
        j->numerators = bench_alloc(in->b, frames * side * side, sizeof *j->numerators);
    copy_frames(in, j);
    ask(j, true); /* for the probe */
}

static void job_free(job *j)
{
    penta_autocorr_destroy(j->plan);
    bench_release(j->in->b, j->mark);
}

/* Both half planes of the numerators. */
static void check_numerators(const job *j, size_t frame)
{
    size_t r = j->in->c->max_offset, count = (2 * r + 1) * (2 * r + 1);
    int64_t *n = j->numerators + frame * count;

    for (size_t i = 0; j->v->wide && i < count; i++) {
        if (n[i] % (WIDEN * WIDEN) != 0)
            bench_fail(j->in->b, "WRONG RESULT: %s, frame %zu: N is no multiple of 257^2", j->v->name, frame);
        n[i] /= WIDEN * WIDEN;
    }
    autocorr_check(j->in, j->v->name, frame, n + r * (2 * r + 1), 0);
    for (size_t i = 0; i < count / 2; i++)
        if (n[i] != n[count - 1 - i])
            bench_fail(j->in->b, "WRONG RESULT: %s, frame %zu: N(-X,-Y) is not N(X,Y)", j->v->name, frame);
}

/* C2D = N / N(0,0). */
static void check_c2d(const job *j, size_t frame)
{
    size_t r = j->in->c->max_offset, side = 2 * r + 1;
    const double *c = j->c2d + (frame * side + r) * side;
    const int64_t *n = autocorr_expected(j->in, frame);

    for (size_t i = 0; i < j->in->plane; i++) {
        double want = (double)n[i] / (double)n[r];

        if (!(fabs(c[i] - want) <= AUTOCORR_SINGLE_TOLERANCE))
            bench_fail(j->in->b, "WRONG RESULT: %s, frame %zu: C(%td,%td) = %.9g, not %.9g", j->v->name, frame,
                       (ptrdiff_t)(i % side) - (ptrdiff_t)r, (ptrdiff_t)(i / side), c[i], want);
    }
}

static void check_c1d(const job *j, size_t frame)
{
    double want = autocorr_expected_c1(j->in, frame, j->v->defaults);
    double got = j->c1d[frame * (j->in->c->max_offset + 1) + 1].c;

    if (!(fabs(got - want) <= (j->v->single ? AUTOCORR_SINGLE_TOLERANCE : 1e-12)))
        bench_fail(j->in->b, "WRONG RESULT: %s, frame %zu: C1D(1) = %.15g, not %.15g", j->v->name, frame, got, want);
}

/* The direct methods' time grows with the offsets: a small number of them predicts it. */
static bool too_slow(job *j)
{
    double device = 0, start;
    bool slow = false;

    if (is_transform(j->v) || j->in->c->max_offset <= AUTOCORR_PROBE_OFFSET)
        return false;
    j->plan = make_plan(j->in, j->v, AUTOCORR_PROBE_OFFSET);
    if (j->plan) {
        work(j, &device); /* the first run of a kernel may be slow */
        start = bench_now();
        work(j, &device);
        slow = autocorr_too_slow(j->in, j->v->name, bench_now() - start);
    }
    penta_autocorr_destroy(j->plan);
    j->plan = NULL;
    return slow;
}

static void add_row(const job *j, const char *what, bench_clock clock, const bench_samples *samples)
{
    bench_row(j->in->b, bench_text(j->in->b, "%s %s", j->v->name, what), BENCH_OURS, clock, samples);
}

static void check(const job *j, bool planes)
{
    for (size_t i = 0; i < j->in->c->frames; i++)
        if (!planes)
            check_c1d(j, i);
        else if (j->v->single)
            check_c2d(j, i);
        else
            check_numerators(j, i);
}

/* Whether the plan ran what the row is named after; a note when it chose something else. */
static bool ran_as_named(const job *j)
{
    const penta_autocorr_result *result = &j->results[0];
    const variant *v = j->v;

    if (v->method == PENTA_AUTOCORR_AUTO || (strncmp(v->name, result->method, strlen(result->method)) == 0 &&
                                             (!result->fft || strstr(v->name, result->fft))))
        return true;
    bench_note(j->in->b, "%s left out: the plan ran %s%s%s instead", v->name, result->method, result->fft ? " by " : "",
               result->fft ? result->fft : "");
    return false;
}

/* Checks the results of the first run and of the last one measured. False when the row would not be what it says. */
static bool measure(job *j, bool planes, bench_samples *samples)
{
    ask(j, planes);
    if (!worked(j->in, j->v, run_frames(j)))
        return false;
    check(j, planes);
    if (!ran_as_named(j))
        return false;
    bench_measure(work, j, samples);
    check(j, planes);
    return true;
}

/* Transforms of real numbers, padded by R, forth and back: 2.5 n log2 n each. The direct methods have none: their
 * products are of 8-bit integers, of which some devices do several at once. Image in, plane of N out. */
static void needs(const job *j)
{
    const autocorr_case *c = j->in->c;
    double r = (double)c->max_offset, n = ((double)c->width + r) * ((double)c->height + r);
    double bytes = (double)j->in->pixels + 8 * (2 * r + 1) * (2 * r + 1);

    bench_needs_nothing(j->in->b);
    if (j->v->method == PENTA_AUTOCORR_FFT && !j->v->wide)
        bench_needs(j->in->b, j->v->single ? BENCH_SINGLE : BENCH_DOUBLE, 5 * n * log2(n), bytes,
                    "5 n log2 n flops, n = (w + R) (h + R), w h + 8 (2 R + 1)^2 bytes; w h = %zu x %zu, R = %zu",
                    c->width, c->height, c->max_offset);
}

static bool measure_rows(job *j, bench_samples *samples)
{
    bench_samples c1d;

    if (!measure(j, true, samples))
        return false;
    needs(j);
    if (!j->v->chosen)
        add_row(j, "resident", BENCH_DEVICE, samples);
    add_row(j, "host", BENCH_WALL, samples);
    if (!j->v->chosen && (j->in->c->frames > 1 || j->v->defaults) && measure(j, false, &c1d))
        add_row(j, "host c1d", BENCH_WALL, &c1d);
    return true;
}

/* False where there are none. */
static bool variant_rows(const autocorr_input *in, const variant *v, bench_samples *samples)
{
    bool measured = false;
    job j;

    job_create(in, v, &j);
    if (!too_slow(&j))
        j.plan = make_plan(in, v, in->c->max_offset);
    if (j.plan)
        measured = measure_rows(&j, samples);
    job_free(&j);
    return measured;
}

static void single_rows(const autocorr_input *in)
{
    static const variant with_double = {.name = "auto", .chosen = true},
                         without_double = {.name = "single", .chosen = true};
    bench_samples with, without;

    if (!variant_rows(in, &with_double, &with) || !bench_single_begin(in->b))
        return;
    if (variant_rows(in, &without_double, &without))
        bench_slowdown(in->b, "a frame", "host to host", BENCH_WALL, &with, &without);
    bench_single_end(in->b);
}

void bench_autocorr(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        autocorr_input in;
        bench_samples samples;

        if (!bench_case(b, cases[i].name, cases[i].frames, "frame"))
            continue;
        autocorr_input_create(b, &cases[i], &in);
        autocorr_peer_rows(&in);
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
            if ((variants[k].cpu_only && !bench_on_cpu(b)) || (bench_is_brief(b) && !variants[k].brief))
                continue;
            if (!is_transform(&variants[k]) && cases[i].frames > 1) /* a batch is the transforms' job */
                continue;
            variant_rows(&in, &variants[k], &samples);
        }
        if (!bench_is_brief(b))
            single_rows(&in);
        bench_release(b, 0);
    }
    autocorr_png_rows(b);
}
