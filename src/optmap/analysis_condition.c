/* The filtered movie and the traces of a recording. */
#include "optmap/analysis.h"

#include <math.h>

#include "core/core.h"

enum { LARGE = 1 << 23 }; /* values of a movie whose plan is not kept for the next one */

double analysis_filtered_rate(const penta_optmap_options *o, double frame_rate_hz)
{
    return o->output == PENTA_OPTMAP_INTERPOLATED ? frame_rate_hz * o->interp : frame_rate_hz;
}

/* Makes a plan for movies of this shape, if there is none. */
static penta_status need_plan(penta_analysis *p, size_t width, size_t height, size_t frames)
{
    penta_status status = PENTA_OK;

    if (p->optmap && p->width == width && p->height == height && p->frames == frames)
        return PENTA_OK;
    penta_optmap_destroy(p->optmap);
    p->optmap = NULL;
    TRY(penta_optmap_create(p->resources.ctx, width, height, frames, &p->conditioning, &p->optmap));
    p->width = width;
    p->height = height;
    p->frames = frames;
cleanup:
    return status;
}

static penta_status make_results(penta_analysis *p, penta_findings *f)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->resources.ctx;
    size_t pixels = f->width * f->height, bytes, neighbours = (size_t)(p->conditioning.window * p->conditioning.window);
    penta_optmap_result *r = &f->result;

    TRY(penta_size(ctx, f->filtered.frames, pixels, sizeof *r->filtered, &bytes));
    TRY(penta_calloc(ctx, bytes, 1, &r->filtered));
    TRY(penta_size(ctx, f->frames, pixels, sizeof *r->traces, &bytes));
    TRY(penta_calloc(ctx, bytes, 1, &r->traces));
    TRY(penta_calloc(ctx, pixels, sizeof *r->valid, &r->valid));
    if (p->options.shifts) {
        TRY(penta_size(ctx, pixels, neighbours, sizeof *r->shifts, &bytes));
        TRY(penta_calloc(ctx, bytes, 1, &r->shifts));
    }
    f->filtered.data = r->filtered;
    f->traces = (penta_movie_view){f->frames, f->height, f->width, f->frame_rate_hz, r->traces};
cleanup:
    return status;
}

/* Checks that at least one pixel has a result. */
static penta_status check_windows(const penta_analysis *p, const penta_findings *f)
{
    for (size_t i = 0; i < f->width * f->height; i++)
        if (isfinite(f->filtered.data[i]))
            return PENTA_OK;
    return penta_fail(p->resources.ctx, PENTA_INVALID,
                      "none of its %zu valid pixels is so far from the edges that a whole window of %d x %d fits; take "
                      "what there is of windows (`border` renormalise), or smaller ones (`window`)",
                      f->result.valid_pixels, p->conditioning.window, p->conditioning.window);
}

/* The plan, and room for what it makes. */
static penta_status begin_conditioning(penta_analysis *p, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;

    TRY(need_plan(p, r->width, r->height, r->frames));
    if (f->survey.kind && f->chose_drift)
        TRY(penta_optmap_set_drift(p->optmap, f->survey.drift));
    f->engine = penta_optmap_engine_name(p->optmap);
    f->filtered = (penta_movie_view){.frames = penta_optmap_frames(p->optmap),
                                     .height = r->height,
                                     .width = r->width,
                                     .frame_rate_hz = analysis_filtered_rate(&p->conditioning, r->frame_rate_hz)};
    TRY(make_results(p, f));
cleanup:
    return status;
}

/* A plan has some ten times the movie's bytes; on a CPU device the analysis needs that memory. */
static void drop_large_plan(penta_analysis *p, const penta_findings *f)
{
    if (!penta_is_cpu(p->resources.ctx) || f->width * f->height * f->frames < LARGE)
        return;
    penta_optmap_destroy(p->optmap);
    p->optmap = NULL;
}

static penta_movie movie_of(const penta_recording *r, const penta_findings *f)
{
    penta_movie movie = *analysis_movie(r, f);

    movie.mask = f->mask ? f->mask : r->movie.mask;
    return movie;
}

penta_status penta_analysis_condition(penta_analysis *p, const penta_recording *r, penta_findings *f)
{
    penta_status status = PENTA_OK;
    const penta_movie movie = movie_of(r, f);

    TRY(begin_conditioning(p, r, f));
    TRY(penta_optmap_run(p->optmap, &movie, &f->result));
    TRY(check_windows(p, f));
    drop_large_plan(p, f);
cleanup:
    return status;
}
