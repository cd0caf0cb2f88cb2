/*
 * Phase of each pixel by the Hilbert transform. With f_1 + i f_2 two pixels' traces less their means, one complex
 * transform there and one back give H(f_1) + i H(f_2).
 */
#include "optmap/phase.h"

#include <math.h>
#include <stdlib.h>

#include <pentacl/rotors.h>

enum { CPU_CHUNK = 64, A_SAMPLE = 24 }; /* frames of a work-item; bytes: of the data, and what an FFT may need beside */

/* ---- spectra ---- */

penta_status optmap_spectra_create(penta_context *ctx, const penta_movie_view *movie, enum penta_fft_backend backend,
                                   bool hann, optmap_spectra *out)
{
    penta_status status = PENTA_OK;
    optmap_spectra s = {.ctx = ctx};
    penta_fft_shape shape;
    size_t bytes;

    *out = (optmap_spectra){0};
    TRY(penta_size(ctx, movie->frames, A_SAMPLE, 1, &bytes));
    TRY(beats_blocks_create(ctx, movie, bytes, &s.blocks));
    if (movie->frames < 2)
        TRY(penta_fail(ctx, PENTA_INVALID, "one frame has no spectrum"));
    s.rows = (s.blocks.most + 1) / 2;
    shape = (penta_fft_shape){.rank = 1, .nx = movie->frames, .ny = 1, .batch = s.rows, .dbl = true};
    TRY(penta_kernel_get(ctx, "optmap/phase.cl", "optmap_phase_means", hann ? "-DHANN" : "", &s.means));
    TRY(penta_kernel_get(ctx, "optmap/phase.cl", "optmap_phase_pack", hann ? "-DHANN" : "", &s.pack));
    TRY(penta_buffer_create(ctx, s.blocks.pitch * sizeof(double), &s.mean));
    TRY(penta_fft_bytes(ctx, &shape, &bytes));
    TRY(penta_buffer_create(ctx, bytes, &s.data));
    TRY(penta_fft_create(ctx, backend, &shape, &s.fft));
    *out = s;
    s = (optmap_spectra){0};
cleanup:
    optmap_spectra_release(&s);
    return status;
}

void optmap_spectra_release(optmap_spectra *s)
{
    if (!s->ctx)
        return;
    beats_blocks_release(&s->blocks);
    penta_kernel_release(&s->means);
    penta_kernel_release(&s->pack);
    penta_buffer_release(&s->mean);
    penta_buffer_release(&s->data);
    penta_fft_destroy(s->fft);
    *s = (optmap_spectra){0};
}

penta_grid optmap_spectra_grid(const optmap_spectra *s, size_t items)
{
    size_t frames = s->blocks.movie->frames;
    bool cpu = penta_is_cpu(s->ctx);

    return penta_grid_groups(
        cpu ? penta_grid_2d((items + BEATS_CPU_RUN - 1) / BEATS_CPU_RUN, (frames + CPU_CHUNK - 1) / CPU_CHUNK)
            : penta_grid_2d(items, frames),
        cpu ? 1 : BEATS_LANES, 1, 1);
}

static penta_status count_valid(optmap_spectra *s)
{
    penta_status status = PENTA_OK;
    const beats_blocks *b = &s->blocks;

    TRY(penta_buffer_read(&s->blocks.range, 0, b->staging, b->count * sizeof(float)));
    for (size_t i = 0; i < b->count; i++)
        s->valid += isfinite(b->staging[i]);
cleanup:
    return status;
}

penta_status optmap_spectra_next(optmap_spectra *s, bool *more)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = &s->blocks;
    int frames = (int)b->movie->frames;

    TRY(beats_blocks_next(b, more));
    if (!*more)
        return s->valid ? PENTA_OK : beats_no_pixel(s->ctx);
    TRY(count_valid(s));
    TRY(penta_launch(&s->means, beats_blocks_grid(b, 1),
                     ARGS(&b->frames, frames, (unsigned)b->count, b->pitch, &b->range, &s->mean)));
    TRY(penta_launch(&s->pack, optmap_spectra_grid(s, s->rows),
                     ARGS(&b->frames, frames, (unsigned)b->count, b->pitch, &s->mean, (unsigned)s->rows, &s->data)));
    TRY(penta_fft_forward(s->fft, &s->data));
cleanup:
    return status;
}

/* ---- phases ---- */

static penta_status phase_of_block(optmap_spectra *s, penta_kernel *turn, penta_kernel *angle, float *out)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = &s->blocks;
    size_t frames = b->movie->frames;
    bool cpu = penta_is_cpu(s->ctx);

    TRY(penta_launch(turn, penta_grid_groups(penta_grid_2d(cpu ? 1 : frames, s->rows), cpu ? 1 : BEATS_LANES, 1, 1),
                     ARGS(&s->data, (int)frames)));
    TRY(penta_fft_inverse(s->fft, &s->data));
    TRY(penta_launch(angle, optmap_spectra_grid(s, b->count),
                     ARGS(&b->frames, (int)frames, (unsigned)b->count, b->pitch, &s->mean, &s->data)));
    TRY(beats_blocks_fetch(b, &b->frames, 0, frames, b->staging, out));
cleanup:
    return status;
}

penta_status optmap_phase(penta_context *ctx, const penta_movie_view *movie, enum penta_fft_backend backend, float *out)
{
    penta_status status = PENTA_OK;
    optmap_spectra s = {0};
    penta_kernel turn = {0}, angle = {0};
    bool more;

    TRY(optmap_spectra_create(ctx, movie, backend, false, &s));
    TRY(penta_kernel_get(ctx, "optmap/phase.cl", "optmap_phase_turn", "", &turn));
    TRY(penta_kernel_get(ctx, "optmap/phase.cl", "optmap_phase_angle", "", &angle));
    TRY(optmap_spectra_next(&s, &more));
    while (more) {
        TRY(phase_of_block(&s, &turn, &angle, out));
        TRY(optmap_spectra_next(&s, &more));
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may be under way still */
    optmap_spectra_release(&s);
    penta_kernel_release(&turn);
    penta_kernel_release(&angle);
    return status;
}

penta_status penta_phase(penta_context *ctx, const penta_movie_view *movie, float *out)
{
    return optmap_phase(ctx, movie, PENTA_FFT_AUTO, out);
}
