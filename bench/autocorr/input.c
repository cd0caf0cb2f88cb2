/* Images, the right answer, and the comparison with it. */
#include "input.h"
#include "peers/peers.h"
#include "reference/autocorr.h"

#include <inttypes.h>
#include <math.h>

/* Prime, so that no power of two of frames has the same contents in each half. */
static const size_t most_contents = 7;
/* A row is left out when one run would take longer. */
static const double patience = 20; /* s */

/* The reference against the formula at the origin, the corners and between. */
static void verify(const autocorr_input *in, size_t content)
{
    ptrdiff_t r = (ptrdiff_t)in->c->max_offset;
    const int64_t *reference = in->references + content * in->plane;
    const reference_autocorr formula = {
        .width = in->c->width, .height = in->c->height, .type = PENTA_U8, .image = in->images[content]};

    for (ptrdiff_t dy = 0; dy <= r; dy += r / 2)
        for (ptrdiff_t dx = -r; dx <= r; dx += r / 2) {
            int64_t got = reference[dy * (2 * r + 1) + dx + r];
            int64_t want = reference_numerator(&formula, dx, dy);

            if (got != want)
                bench_fail(in->b, "WRONG RESULT: the reference has N(%td,%td) = %" PRId64 ", the formula %" PRId64, dx,
                           dy, got, want);
        }
}

static void solve(autocorr_input *in)
{
    const autocorr_case *c = in->c;

#ifdef PENTA_HAVE_FFTW
    peer_fftw *fft = peer_autocorr_fftw_create(c->width, c->height, c->max_offset, false, 1);

    if (!fft)
        bench_fail(in->b, "FFTW has no plan for the reference");
    for (size_t i = 0; i < in->contents; i++)
        peer_autocorr_fftw_run(fft, in->images[i], in->references + i * in->plane);
    peer_autocorr_fftw_destroy(fft);
#else
    for (size_t i = 0; i < in->contents; i++)
        peer_autocorr_simd(in->images[i], c->width, c->height, c->max_offset, in->references + i * in->plane);
#endif
}

void autocorr_input_create(bench *b, const autocorr_case *c, autocorr_input *in)
{
    *in = (autocorr_input){.b = b,
                           .c = c,
                           .pixels = c->width * c->height,
                           .plane = (c->max_offset + 1) * (2 * c->max_offset + 1),
                           .contents = c->frames < most_contents ? c->frames : most_contents};
    in->pool = bench_alloc(b, c->frames, in->pixels);
    in->images = bench_alloc(b, c->frames, sizeof *in->images);
    in->references = bench_alloc(b, in->contents * in->plane, sizeof *in->references);
    for (int i = 0; i < 2; i++)
        in->c1[i] = bench_alloc(b, in->contents, sizeof *in->c1[i]);
    for (size_t i = 0; i < c->frames; i++) {
        reference_hash_image(PENTA_U8, c->width, c->height, (uint32_t)(i % in->contents), in->pool + i * in->pixels);
        in->images[i] = in->pool + i * in->pixels;
    }
    solve(in);
    for (size_t i = 0; i < in->contents; i++)
        verify(in, i);
}

const int64_t *autocorr_expected(const autocorr_input *in, size_t frame)
{
    return in->references + frame % in->contents * in->plane;
}

double autocorr_expected_c1(const autocorr_input *in, size_t frame, bool defaults)
{
    double *known = &in->c1[defaults][frame % in->contents], c2d[9];
    penta_autocorr_bin bins[2];

    if (*known == 0) {
        reference_c2d(
            &(reference_autocorr){.width = in->c->width,
                                  .height = in->c->height,
                                  .max_offset = 1,
                                  .type = PENTA_U8,
                                  .image = in->images[frame],
                                  .estimator = defaults ? PENTA_AUTOCORR_UNBIASED : PENTA_AUTOCORR_EQ1,
                                  .demean = defaults ? PENTA_AUTOCORR_DEMEAN_MEAN : PENTA_AUTOCORR_DEMEAN_NONE},
            c2d, NULL);
        reference_c1d(c2d, 1, bins);
        *known = bins[1].c;
    }
    return *known;
}

void autocorr_check(const autocorr_input *in, const char *variant, size_t frame, const int64_t *half_plane,
                    double tolerance)
{
    const int64_t *want = autocorr_expected(in, frame);
    ptrdiff_t r = (ptrdiff_t)in->c->max_offset;
    double most = tolerance * (double)want[r];

    for (size_t i = 0; i < in->plane; i++)
        if (half_plane[i] != want[i] && !(fabs((double)half_plane[i] - (double)want[i]) <= most))
            bench_fail(in->b, "WRONG RESULT: %s, frame %zu: N(%td,%td) = %" PRId64 ", not %" PRId64, variant, frame,
                       (ptrdiff_t)i % (2 * r + 1) - r, (ptrdiff_t)i / (2 * r + 1), half_plane[i], want[i]);
}

bool autocorr_too_slow(const autocorr_input *in, const char *variant, double probe_seconds)
{
    size_t probe = AUTOCORR_PROBE_OFFSET;
    double run = probe_seconds * (double)in->plane / (double)((probe + 1) * (2 * probe + 1));

    if (run > patience)
        bench_note(in->b, "%s left out: a run would take about %.0f s", variant, run);
    return run > patience;
}
