/* Runs a movie through a plan, band by band. */
#include <stdio.h>
#include <stdlib.h>

#include "optmap/plan.h"
#include "optmap/survey.h"

/* ---- what runs need ---- */

static penta_status check_movie(const penta_optmap *p, const penta_movie *movie)
{
    if (!movie->frames)
        return penta_fail(p->resources.ctx, PENTA_INVALID, "a movie without frames");
    for (size_t f = 0; f < p->shape.frames; f++)
        if (!movie->frames[f] || (movie->under && !movie->under[f]))
            return penta_fail(p->resources.ctx, PENTA_INVALID, "frame %zu of the movie is not there", f);
    return PENTA_OK;
}

/* Device arrays of a movie and of results can be used in this context, as far as they go. */
static penta_status check_arrays(const penta_optmap *p, const penta_movie *movie, const penta_optmap_result *r)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t pixels = p->shape.width * p->shape.height, bytes = pixels * penta_type_size(movie->type);
    size_t neighbours = (size_t)(p->options.window * p->options.window);

    for (size_t f = 0; f < p->shape.frames; f++) {
        TRY(penta_check_array(ctx, movie->frames[f], bytes));
        TRY(penta_check_array(ctx, movie->under ? movie->under[f] : NULL, bytes));
    }
    TRY(penta_check_array(ctx, movie->mask, pixels));
    TRY(penta_check_array(ctx, r->valid, pixels));
    TRY(penta_check_array(ctx, r->filtered, optmap_out_frames(&p->shape) * pixels * sizeof *r->filtered));
    TRY(penta_check_array(ctx, r->traces, p->shape.frames * pixels * sizeof *r->traces));
    TRY(penta_check_array(ctx, r->shifts, neighbours * pixels * sizeof *r->shifts));
cleanup:
    return status;
}

/* Whether any of its frames, or the mask, is. */
static bool optmap_is_in_device(const penta_optmap *p, const penta_movie *movie)
{
    bool any = penta_is_device_array(movie->mask);

    for (size_t f = 0; f < p->shape.frames; f++)
        any =
            any || penta_is_device_array(movie->frames[f]) || (movie->under && penta_is_device_array(movie->under[f]));
    return any;
}

/* Frames of one camera (or NULL) in host memory; copies: as many, to be freed. */
static penta_status view_frames(const penta_optmap *p, const void *const *frames, size_t bytes, const void **views,
                                void **copies)
{
    penta_status status = PENTA_OK;

    for (size_t f = 0; frames && f < p->shape.frames; f++)
        TRY(penta_host_view(p->resources.ctx, frames[f], bytes, &views[f], &copies[f]));
cleanup:
    return status;
}

/* The survey is the host's: of a copy where the movie is in device memory. */
static penta_status look_at(penta_optmap *p, const penta_movie *movie, penta_survey *found, enum survey_doubt *doubt)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t n = p->shape.frames, pixels = p->shape.width * p->shape.height;
    size_t bytes = pixels * penta_type_size(movie->type);
    penta_movie in_host = *movie;
    const void **views = NULL, *mask = NULL;
    void **copies = NULL;

    if (!optmap_is_in_device(p, movie))
        return survey_run(ctx, p->shape.width, p->shape.height, n, movie, p->options.polarity, found, doubt);
    TRY(penta_calloc(ctx, 2 * n, sizeof *views, &views));
    TRY(penta_calloc(ctx, 2 * n + 1, sizeof *copies, &copies));
    TRY(view_frames(p, movie->frames, bytes, views, copies));
    TRY(view_frames(p, movie->under, bytes, views + n, copies + n));
    TRY(penta_host_view(ctx, movie->mask, pixels, &mask, &copies[2 * n]));
    in_host.frames = views;
    in_host.under = movie->under ? views + n : NULL;
    in_host.mask = mask;
    TRY(survey_run(ctx, p->shape.width, p->shape.height, n, &in_host, p->options.polarity, found, doubt));
cleanup:
    for (size_t i = 0; copies && i < 2 * n + 1; i++)
        free(copies[i]);
    free(copies);
    free(views);
    return status;
}

static penta_status make_loader(penta_optmap *p, const penta_movie *movie)
{
    penta_status status = PENTA_OK;
    bool under = movie->under != NULL;

    if (p->loader && p->type == movie->type && p->under == under)
        return PENTA_OK;
    optmap_loader_destroy(p->loader);
    p->loader = NULL;
    TRY(optmap_loader_create(p->resources.ctx, &p->shape, movie->type, under, &p->loader));
    p->type = movie->type;
    p->under = under;
cleanup:
    return status;
}

/* Chooses the degree of drift for this movie. */
static penta_status choose_drift(penta_optmap *p, const penta_movie *movie)
{
    penta_status status = PENTA_OK;
    penta_survey found = {0};
    enum survey_doubt doubt;

    if (!p->chooses_drift || movie->type == PENTA_I64)
        return PENTA_OK;
    TRY(look_at(p, movie, &found, &doubt));
    TRY(penta_optmap_set_drift(p, found.drift));
    survey_tell_drift(p->resources.ctx, &found, doubt);
    p->chooses_drift = true;
cleanup:
    penta_survey_free(&found);
    return status;
}

static penta_status make_buffers(penta_optmap *p)
{
    penta_status status = PENTA_OK;
    size_t pixels = p->band_rows * p->shape.width, window = (size_t)p->options.window, bytes;

    if (!p->shifts.mem) {
        TRY(penta_size(p->resources.ctx, pixels, window * window, sizeof(int32_t), &bytes));
        TRY(penta_buffer_create(&p->resources, bytes, &p->shifts));
    }
    if (!p->filtered.mem) {
        TRY(penta_size(p->resources.ctx, pixels, optmap_out_frames(&p->shape), sizeof(float), &bytes));
        TRY(penta_buffer_create(&p->resources, bytes, &p->filtered));
    }
cleanup:
    return status;
}

/* ---- results of a band ---- */

/* As in cl/optmap/traces_out.cl. */
enum { OUT_CPU_PIXELS = 16, OUT_CPU_FRAMES = 64, OUT_TILE = 32, OUT_ROWS = 8 };

/* Reads `frames` frames of the band's rows from the buffer into a whole movie. */
static penta_status read_movie(penta_optmap *p, size_t frames, float *movie)
{
    size_t width = p->shape.width, each = (p->band.to - p->band.from) * width * sizeof *movie;

    return penta_buffer_read_rows(&p->filtered, 0, each, movie + p->band.from * width,
                                  p->shape.height * width * sizeof *movie, each, frames);
}

static penta_grid out_grid(const penta_optmap *p, size_t pixels)
{
    size_t frames = p->shape.frames;

    if (penta_is_cpu(p->resources.ctx))
        return penta_grid_groups(penta_grid_2d((pixels + OUT_CPU_PIXELS - 1) / OUT_CPU_PIXELS,
                                               (frames + OUT_CPU_FRAMES - 1) / OUT_CPU_FRAMES),
                                 1, 1, 1);
    return penta_grid_groups(penta_grid_2d(pixels, (frames + OUT_TILE - 1) / OUT_TILE * OUT_ROWS), OUT_TILE, OUT_ROWS,
                             1);
}

/* Reads the traces, through the buffer of the filtered movie, which has been read. */
static penta_status read_traces(penta_optmap *p, float *traces)
{
    penta_status status = PENTA_OK;
    optmap_traces *band = &p->band;
    size_t width = p->shape.width, pixels = (band->to - band->from) * width;

    TRY(penta_launch(&p->traces_out, out_grid(p, pixels),
                     ARGS(&band->v, &band->valid, (unsigned)((band->from - band->first) * width), (unsigned)pixels,
                          (unsigned)p->shape.frames, p->shape.pitch, &p->filtered)));
    TRY(read_movie(p, p->shape.frames, traces));
cleanup:
    return status;
}

static penta_status read_results(penta_optmap *p, penta_optmap_result *result)
{
    penta_status status = PENTA_OK;
    optmap_traces *band = &p->band;
    size_t width = p->shape.width, pixels = (band->to - band->from) * width, at = band->from * width;
    size_t neighbours = (size_t)(p->options.window * p->options.window);

    if (result->valid)
        TRY(penta_buffer_read(&band->valid, (band->from - band->first) * width, result->valid + at, pixels));
    if (result->shifts)
        TRY(penta_buffer_read(&p->shifts, 0, result->shifts + at * neighbours,
                              pixels * neighbours * sizeof *result->shifts));
    if (result->filtered)
        TRY(read_movie(p, optmap_out_frames(&p->shape), result->filtered));
    if (result->traces)
        TRY(read_traces(p, result->traces));
cleanup:
    return status;
}

/* ---- bands ---- */

/* Sets the band whose results begin in row `from`. */
static void place_band(penta_optmap *p, size_t from)
{
    size_t height = p->shape.height, halo = (size_t)p->options.window / 2;
    size_t to = height - from < p->band_rows ? height : from + p->band_rows;
    size_t end = height - to < halo ? height : to + halo;

    p->band.from = from;
    p->band.to = to;
    p->band.first = from < halo ? 0 : from - halo;
    p->band.rows = end - p->band.first;
}

static penta_status run_band(penta_optmap *p, const penta_movie *movie, penta_optmap_result *result)
{
    penta_status status = PENTA_OK;
    size_t valid;

    TRY(optmap_load(p->loader, movie, &p->band, &valid));
    TRY(p->engine->run(p->state, &p->band, &p->shifts, &p->filtered));
    TRY(read_results(p, result));
    TRY(penta_finish(p->resources.ctx));
cleanup:
    return status;
}

static void add_counts(optmap_count *sum, const optmap_count *more)
{
    sum->valid += more->valid;
    sum->no_f0 += more->no_f0;
    sum->too_large += more->too_large;
    sum->flat += more->flat;
    sum->low += more->low;
    sum->dark += more->dark;
    sum->masked += more->masked;
}

/* Fails with the rules that left no pixel. */
static penta_status fail_invalid(const penta_optmap *p, const optmap_count *c)
{
    const penta_optmap_options *o = &p->options;
    char flat[64] = "do not change in time", text[448] = "";
    size_t used = 0;

    if (o->min_range > 0)
        penta_snprintf(flat, sizeof flat, "do not range over more than `min_range` %.10g", o->min_range);
    if (c->masked)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %u are masked", c->masked);
    if (c->dark)
        used += (size_t)penta_snprintf(text + used, sizeof text - used, ", %u have a mean below `min_intensity` %.10g",
                                       c->dark, o->min_intensity);
    if (c->flat)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %u %s", c->flat, flat);
    if (c->low)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %u stay at or below `min_value` %.40s", c->low,
                                 o->min_value);
    if (c->no_f0)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %u have a mean of 0 over the baseline", c->no_f0);
    if (c->too_large)
        snprintf(text + used, sizeof text - used, ", %u are divided by 0 or next to it", c->too_large);
    return penta_fail(p->resources.ctx, PENTA_INVALID, "no valid pixel: of %zu%s", p->shape.width * p->shape.height,
                      text);
}

static penta_status run_bands(penta_optmap *plan, const penta_movie *movie, penta_optmap_result *result,
                              optmap_count *count)
{
    penta_status status = PENTA_OK;
    size_t height = plan->shape.height;

    TRY(make_loader(plan, movie));
    TRY(make_buffers(plan));
    for (size_t row = 0; row < height; row = plan->band.to) {
        TRY(penta_report_progress(plan->resources.ctx, (double)row, (double)height));
        place_band(plan, row);
        TRY(run_band(plan, movie, result));
        add_counts(count, optmap_loader_count(plan->loader));
        result->batches++;
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(plan->resources.ctx); /* transfers from and to the caller's memory may still be in progress */
    return status;
}

penta_status penta_optmap_run(penta_optmap *plan, const penta_movie *movie, penta_optmap_result *result)
{
    penta_status status = PENTA_OK;
    double height = (double)plan->shape.height;
    optmap_count count = {0};

    result->valid_pixels = result->batches = 0;
    TRY(check_movie(plan, movie));
    TRY(check_arrays(plan, movie, result));
    TRY(choose_drift(plan, movie));
    TRY(run_bands(plan, movie, result, &count));
    result->valid_pixels = count.valid;
    TRY(count.valid ? penta_report_progress(plan->resources.ctx, height, height) : fail_invalid(plan, &count));
cleanup:
    return status;
}
