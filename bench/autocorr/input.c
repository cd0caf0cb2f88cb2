/* Images, the right answer, and the comparison with it. */
#include "input.h"
#include "peers/peers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prime, so that no power of two of frames has the same contents in each half. */
static const size_t most_contents = 7;
/* A row is left out when one run would take longer. */
static const double patience = 20; /* s */

/* Noise without correlation: FFTs and multiplications take the same time on any image but an empty one. */
static void fill(uint8_t *image, size_t width, size_t height, uint32_t seed)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t h = (x * 0x9E3779B1u) ^ (y * 0x85EBCA77u) ^ seed;

            h ^= h >> 15;
            h *= 0x2C1B3C6Du;
            h ^= h >> 12;
            h *= 0x297A2D39u;
            h ^= h >> 15;
            image[y * width + x] = (uint8_t)h;
        }
}

/* N(X,Y) by the formula, Y >= 0. */
static int64_t numerator(const uint8_t *image, const autocorr_case *c, ptrdiff_t dx, ptrdiff_t dy)
{
    ptrdiff_t width = (ptrdiff_t)c->width, height = (ptrdiff_t)c->height;
    int64_t sum = 0;

    for (ptrdiff_t y = 0; y < height - dy; y++)
        for (ptrdiff_t x = dx < 0 ? -dx : 0; x < (dx < 0 ? width : width - dx); x++)
            sum += (int64_t)image[y * width + x] * image[(y + dy) * width + x + dx];
    return sum;
}

/* The reference against the formula at the origin, the corners and between. */
static void verify(const autocorr_input *in, size_t content)
{
    ptrdiff_t r = (ptrdiff_t)in->c->max_offset;
    const int64_t *reference = in->references + content * in->plane;

    for (ptrdiff_t dy = 0; dy <= r; dy += r / 2)
        for (ptrdiff_t dx = -r; dx <= r; dx += r / 2) {
            int64_t got = reference[dy * (2 * r + 1) + dx + r];
            int64_t want = numerator(in->images[content], in->c, dx, dy);

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
    for (size_t i = 0; i < c->frames; i++) {
        fill(in->pool + i * in->pixels, c->width, c->height, (uint32_t)(i % in->contents));
        in->images[i] = in->pool + i * in->pixels;
    }
    solve(in);
    for (size_t i = 0; i < in->contents; i++)
        verify(in, i);
}

void autocorr_input_free(autocorr_input *in)
{
    free(in->pool);
    free(in->images);
    free(in->references);
    *in = (autocorr_input){0};
}

const int64_t *autocorr_expected(const autocorr_input *in, size_t frame)
{
    return in->references + frame % in->contents * in->plane;
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
