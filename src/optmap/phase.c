/*
 * Phase of each pixel by the Hilbert transform. With f_1 + i f_2 the traces of two pixels minus their means, one
 * complex transform and its inverse give H(f_1) + i H(f_2). Beyond its ends a trace continues as its mirror image:
 * periodic continuation would have a step from the last sample to the first, which distorts the first and last phases.
 */
#include "optmap/phase.h"

#include <math.h>
#include <stdlib.h>

#include <pentacl/rotors.h>

#include "optmap/phase_smooth.h"

static const double pi = 3.14159265358979323846;

static const size_t cpu_block = (size_t)16 << 20; /* bytes: a block that stays in the cache through all steps */

enum {
    CPU_CHUNK = 64,
    A_SAMPLE = 24
}; /* frames per work-item; bytes per sample: the data, and what an FFT may need besides */

/* ---- spectra ---- */

/* Creates spectra at *out, with parts kept by `owner`, for movies of this shape, starting with this one. Errors as
 * penta_phase. */
static penta_status optmap_spectra_create(penta_resources *owner, const penta_movie_view *movie,
                                          enum penta_fft_backend backend, optmap_spectra *out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = owner->ctx;
    optmap_spectra *s = out;
    penta_fft_shape shape;
    size_t bytes;

    *s = (optmap_spectra){.ctx = ctx};
    TRY(penta_size(ctx, movie->frames, A_SAMPLE, 1, &bytes));
    TRY(beats_blocks_create(owner, movie, bytes, penta_is_cpu(ctx) ? cpu_block : 0, &s->blocks));
    if (movie->frames < 2)
        TRY(penta_fail(ctx, PENTA_INVALID, "one frame has no spectrum"));
    s->rows = (s->blocks.most + 1) / 2;
    shape = (penta_fft_shape){.rank = 1,
                              .nx = movie->frames,
                              .ny = 1,
                              .batch = s->rows,
                              .dbl = penta_context_device(ctx)->fp64,
                              .wants = PENTA_FFT_FORWARD};
    TRY(penta_kernel_get(owner, "optmap/phase.cl", "optmap_phase_means", "", &s->means));
    TRY(penta_kernel_get(owner, "optmap/phase.cl", "optmap_phase_pack", "", &s->pack));
    TRY(penta_buffer_create(owner, s->blocks.pitch * sizeof(double), &s->mean));
    TRY(penta_fft_bytes(ctx, &shape, &bytes));
    TRY(penta_buffer_create(owner, bytes, &s->data));
    TRY(penta_fft_create(ctx, backend, &shape, &s->fft));
    TRY(penta_own(owner, &s->fft, penta_fft_destroy));
cleanup:
    return status;
}

/* A grid of `items` work-items times frames; on CPU devices runs of items times chunks of frames. */
static penta_grid optmap_spectra_grid(const optmap_spectra *s, size_t items)
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

    TRY(penta_buffer_read(&s->blocks.range, 0, b->row, b->count * sizeof *b->row));
    for (size_t i = 0; i < b->count; i++)
        s->valid += isfinite(b->row[i]);
cleanup:
    return status;
}

penta_status optmap_spectra_next(optmap_spectra *s, bool hann, bool *more)
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
    TRY(penta_launch(
        &s->pack, optmap_spectra_grid(s, s->rows),
        ARGS(&b->frames, frames, (unsigned)b->count, b->pitch, &s->mean, (unsigned)s->rows, (int)hann, &s->data)));
    TRY(penta_fft_forward(s->fft, &s->data));
cleanup:
    return status;
}

/* ---- the plan ---- */

static penta_status send_turns(penta_phases *p, size_t frames)
{
    penta_status status = PENTA_OK;
    size_t count = frames / 2 + 1;
    double *turns = NULL;

    TRY(penta_calloc(p->resources.ctx, count, 2 * sizeof *turns, &turns));
    for (size_t k = 0; k < count; k++) {
        turns[2 * k] = cos(pi * (double)k / (double)frames) / (double)frames;
        turns[2 * k + 1] = sin(pi * (double)k / (double)frames) / (double)frames;
    }
    TRY(penta_upload_reals(&p->shaped, turns, 2 * count, &p->turns));
cleanup:
    free(turns);
    return status;
}

penta_status optmap_phases_create(penta_context *ctx, enum penta_fft_backend backend, penta_phases **out)
{
    penta_status status = PENTA_OK;
    penta_phases *p = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &p));
    p->shaped.ctx = ctx;
    TRY(penta_own_struct(&p->resources, &p->shaped, penta_resources_release));
    p->backend = backend;
    TRY(penta_kernel_get(&p->resources, "optmap/phase.cl", "optmap_phase_turn", "", &p->turn));
    TRY(penta_kernel_get(&p->resources, "optmap/phase.cl", "optmap_phase_angle", "", &p->angle));
    TRY(penta_kernel_get(&p->resources, "optmap/phase.cl", "optmap_frequency", "", &p->frequency));
    *out = p;
    p = NULL;
cleanup:
    penta_phases_destroy(p);
    return status;
}

penta_status penta_phases_create(penta_context *ctx, penta_phases **out)
{
    return optmap_phases_create(ctx, PENTA_FFT_AUTO, out);
}

static void forget(penta_phases *p)
{
    penta_resources_release(&p->shaped);
    p->spectra = (optmap_spectra){0};
}

void penta_phases_destroy(penta_phases *p)
{
    penta_plan_free(p);
}

void optmap_phases_failed(penta_phases *p)
{
    penta_settle(p->resources.ctx); /* transfers may be under way still */
    forget(p);
}

penta_status optmap_phases_attach(penta_phases *p, const penta_movie_view *movie)
{
    penta_status status = PENTA_OK;
    const beats_blocks *b = &p->spectra.blocks;

    if (b->ctx && movie->frames == p->frames && movie->height * movie->width == b->pixels) {
        p->spectra.valid = 0;
        return beats_blocks_attach(&p->spectra.blocks, movie);
    }
    forget(p);
    TRY(optmap_spectra_create(&p->shaped, movie, p->backend, &p->spectra));
    p->frames = movie->frames;
    TRY(penta_buffer_create(&p->shaped, b->pitch * sizeof(float), &p->noise));
    TRY(penta_buffer_create(&p->shaped, 2 * b->pitch * sizeof(float), &p->maps));
    TRY(send_turns(p, movie->frames));
cleanup:
    return status;
}

/* ---- phases ---- */

/* noise: of all pixels; least: least amplitude, in standard deviations of the noise. */
static penta_status phase_of_block(penta_phases *p, const float *noise, float least, float *out)
{
    penta_status status = PENTA_OK;
    optmap_spectra *s = &p->spectra;
    beats_blocks *b = &s->blocks;
    size_t frames = b->movie->frames;
    bool cpu = penta_is_cpu(s->ctx);
    penta_grid lines = penta_grid_2d(cpu ? 1 : frames / 2 + 1, s->rows);

    TRY(penta_buffer_write(&p->noise, 0, noise + b->first, b->count * sizeof *noise));
    TRY(penta_launch(&p->turn, penta_grid_groups(lines, cpu ? 1 : BEATS_LANES, 1, 1),
                     ARGS((int)frames, &p->turns, &s->data)));
    TRY(penta_fft_forward(s->fft, &s->data)); /* of conjugates: a second program takes longer to compile than to run */
    TRY(penta_launch(
        &p->angle, optmap_spectra_grid(s, b->count),
        ARGS((int)frames, (unsigned)b->count, b->pitch, &s->mean, &s->data, &p->noise, least, &b->frames)));
    TRY(beats_blocks_fetch_frames(b, out));
cleanup:
    return status;
}

penta_status penta_phases_run(penta_phases *plan, const penta_movie_view *movie, const penta_rotors_options *opt,
                              float *out)
{
    penta_status status = PENTA_OK;
    penta_rotors_options o;
    optmap_smooth smooth = {0};
    penta_movie_view view = *movie;
    bool more;

    TRY(penta_options_resolve(plan->resources.ctx, penta_rotors_option_table(), opt, &o, sizeof o));
    TRY(optmap_phases_attach(plan, movie)); /* checks the movie */
    TRY(optmap_smooth_run(plan->resources.ctx, &smooth, movie, o.phase_sigma,
                          1e-3 * o.phase_time * movie->frame_rate_hz, out));
    view.data = optmap_smooths(&smooth) ? out : movie->data;
    TRY(optmap_phases_attach(plan, &view));
    TRY(optmap_spectra_next(&plan->spectra, false, &more));
    while (more) { /* reads each block of `out` before it writes its phases there */
        TRY(phase_of_block(plan, smooth.noise, (float)o.min_amplitude, out));
        TRY(optmap_spectra_next(&plan->spectra, false, &more));
    }
    if (o.min_amplitude > 0)
        TRY(optmap_fill_cores(plan->resources.ctx, &view, smooth.radius, out));
cleanup:
    if (status != PENTA_OK)
        optmap_phases_failed(plan);
    optmap_smooth_release(&smooth);
    return status;
}

penta_status penta_phase(penta_context *ctx, const penta_movie_view *movie, const penta_rotors_options *opt, float *out)
{
    penta_status status = PENTA_OK;
    penta_phases *plan = NULL;

    TRY(penta_phases_create(ctx, &plan));
    TRY(penta_phases_run(plan, movie, opt, out));
cleanup:
    penta_phases_destroy(plan);
    return status;
}
