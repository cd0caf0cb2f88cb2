/* Runs frames through the stages. */
#include <math.h>

#include "prepare/plan.h"

enum { ROUNDS = 2 }; /* rounds of background and dust before the final background */

/* The frames of a run that are on the device at the same time. */
typedef struct {
    const penta_prepare_frame *frames;
    penta_prepare_result *results;
    size_t count;
    bool *skip;         /* per frame: registration skips it */
    penta_drift *drift; /* per frame: 0 where unknown */
    double *limits;     /* two per frame */
    uint32_t *counts;   /* two per frame */
    penta_buffer *mask; /* mask of the outputs; NULL: masks are not read */
} piece;

/* ---- uploads ---- */

static penta_status send(penta_prepare *plan, size_t n, const void *const *images)
{
    return n ? prepare_loader_send(plan->loader, n, images) : PENTA_OK;
}

static size_t piece_of(const penta_prepare *plan, size_t n, size_t done)
{
    return n - done < plan->shape.batch ? n - done : plan->shape.batch;
}

/* ---- the steps ---- */

/* Steps 2 and 3. The last background is for flattening; registration has its own filter. */
static penta_status find_dust(penta_prepare *plan)
{
    penta_status status = PENTA_OK;

    for (int i = 0; plan->dust && i < ROUNDS; i++) {
        TRY(prepare_background_run(plan->background, &plan->batch));
        TRY(prepare_dust_run(plan->dust, &plan->batch));
    }
    if (plan->settings.o.flatten != PENTA_PREPARE_FLATTEN_NONE)
        TRY(prepare_background_run(plan->background, &plan->batch));
cleanup:
    return status;
}

/* Rejects frames with too much dust. Waits for the device. */
static penta_status judge_dust(penta_prepare *plan, piece *p)
{
    penta_status status = PENTA_OK;
    double most = plan->settings.o.dust_most * (double)plan->shape.width * (double)plan->shape.height;

    TRY(penta_buffer_read(&plan->batch.counts, 0, p->counts, p->count * 2 * sizeof *p->counts));
    for (size_t i = 0; i < p->count; i++) {
        p->results[i].dust_pixels = p->counts[2 * i];
        p->results[i].status = p->counts[2 * i] > most ? PENTA_PREPARED_DUST : PENTA_PREPARED_OK;
    }
cleanup:
    return status;
}

/* Rejects blank frames. Waits for the device. */
static penta_status judge_contrast(penta_prepare *plan, piece *p)
{
    penta_status status = PENTA_OK;

    if (!plan->blank)
        return PENTA_OK;
    TRY(prepare_blank_run(plan->blank, &plan->batch, p->frames, p->skip));
    for (size_t i = 0; i < p->count; i++)
        if (p->skip[i] && p->results[i].status == PENTA_PREPARED_OK)
            p->results[i].status = PENTA_PREPARED_BLANK;
cleanup:
    return status;
}

/* The known drift of a frame, or NULL. Sets *lost if an earlier search did not find the drift. */
static const penta_drift *known_drift(const penta_prepare *plan, const penta_prepare_frame *frame, bool *lost)
{
    *lost = false;
    if (frame->drift || !plan->known)
        return frame->drift;
    *lost = isnan(plan->known[frame->number].score);
    return &plan->known[frame->number];
}

/* Step 4. Waits for the device. */
static penta_status find_drifts(penta_prepare *plan, piece *p)
{
    penta_status status = PENTA_OK;
    bool any = false;

    for (size_t i = 0; i < p->count; i++) {
        bool lost;
        const penta_drift *known = known_drift(plan, &p->frames[i], &lost);

        if (lost && p->results[i].status == PENTA_PREPARED_OK)
            p->results[i].status = PENTA_PREPARED_LOST;
        p->drift[i] = known ? *known : (penta_drift){.score = NAN};
        p->skip[i] = known || p->results[i].status != PENTA_PREPARED_OK;
        any = any || !p->skip[i];
    }
    if (plan->registration && any)
        TRY(prepare_register_run(plan->registration, &plan->batch, p->skip, p->drift));
    for (size_t i = 0; i < p->count; i++) {
        penta_prepare_result *r = &p->results[i];

        if (plan->registration && !p->skip[i] && p->drift[i].others == 0 &&
            !(p->drift[i].score >= plan->settings.o.min_score))
            r->status = PENTA_PREPARED_LOST;
        r->drift = p->drift[i];
        if (r->status != PENTA_PREPARED_OK) /* a rejected frame still needs a defined drift */
            p->drift[i] = (penta_drift){.score = NAN};
    }
cleanup:
    return status;
}

static bool wants_levels(const penta_prepare *plan)
{
    return plan->settings.has_contrast && plan->settings.o.contrast_of == PENTA_PREPARE_CONTRAST_FIRST &&
           isnan(plan->low);
}

static bool is_wanted(const penta_prepare_result *r)
{
    return r->status == PENTA_PREPARED_OK && (r->image || r->mask);
}

static bool any_wanted(const piece *p)
{
    bool any = false;

    for (size_t i = 0; i < p->count; i++)
        any = any || is_wanted(&p->results[i]);
    return any;
}

/* Stretches all frames with the limits of the series. */
static penta_status stretch_alike(penta_prepare *plan, piece *p, penta_buffer *image, penta_buffer *mask)
{
    for (size_t i = 0; i < p->count; i++) {
        p->limits[2 * i] = plan->low;
        p->limits[2 * i + 1] = plan->high;
    }
    return prepare_contrast_run(plan->contrast, &plan->batch, image, mask, true, p->limits);
}

/* Step 7. */
static penta_status stretch(penta_prepare *plan, piece *p, penta_buffer *image, penta_buffer *mask)
{
    penta_status status = PENTA_OK;
    bool first = wants_levels(plan);

    if (plan->settings.has_contrast && plan->settings.o.contrast_of == PENTA_PREPARE_CONTRAST_FIRST && !first)
        return stretch_alike(plan, p, image, mask);
    TRY(prepare_contrast_run(plan->contrast, &plan->batch, image, mask, false, p->limits));
    for (size_t i = 0; first && i < p->count; i++)
        if (p->results[i].status == PENTA_PREPARED_OK) {
            plan->low = p->limits[2 * i];
            plan->high = p->limits[2 * i + 1];
            return stretch_alike(plan, p, image, mask);
        }
cleanup:
    return status;
}

static void note_levels(const penta_prepare *plan, piece *p)
{
    for (size_t i = 0; plan->settings.has_contrast && i < p->count; i++)
        if (is_wanted(&p->results[i])) {
            p->results[i].low = p->limits[2 * i];
            p->results[i].high = p->limits[2 * i + 1];
        }
}

/* Steps 5 to 7. */
static penta_status make_outputs(penta_prepare *plan, piece *p)
{
    penta_status status = PENTA_OK;
    prepare_batch *b = &plan->batch;
    penta_buffer *image = &b->flat, *mask = &b->mask;

    TRY(prepare_flattener_run(plan->flattener, b));
    if (prepare_is_filled(&plan->settings))
        TRY(prepare_dust_copy(plan->dust, b));
    if (plan->resampler) {
        TRY(prepare_resampler_run(plan->resampler, b, p->drift));
        image = &b->moved;
        mask = &b->moved_mask;
    }
    TRY(stretch(plan, p, image, mask));
    note_levels(plan, p);
    p->mask = mask;
cleanup:
    return status;
}

/* Waits for the device. */
static penta_status read_outputs(penta_prepare *plan, piece *p)
{
    penta_status status = PENTA_OK;
    size_t pixels = plan->shape.width * plan->shape.height, bytes = pixels * penta_type_size(plan->to);

    for (size_t i = 0; p->mask && i < p->count; i++) {
        penta_prepare_result *r = &p->results[i];

        if (is_wanted(r) && r->image)
            TRY(penta_buffer_read(&plan->batch.out, i * bytes, r->image, bytes));
        if (is_wanted(r) && r->mask)
            TRY(penta_buffer_read(p->mask, i * pixels, r->mask, pixels));
    }
    p->mask = NULL;
cleanup:
    return status;
}

/* All steps after the search for dust, except reading outputs. */
static penta_status finish_piece(penta_prepare *plan, piece *p)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < p->count; i++)
        p->results[i].low = p->results[i].high = NAN;
    TRY(judge_dust(plan, p));
    TRY(judge_contrast(plan, p));
    TRY(find_drifts(plan, p));
    if (any_wanted(p) || wants_levels(plan))
        TRY(make_outputs(plan, p));
    for (size_t i = 0; i < p->count; i++)
        plan->frames += p->results[i].status == PENTA_PREPARED_OK;
cleanup:
    return status;
}

/* ---- a run ---- */

static penta_status check_run(const penta_prepare *plan, size_t n, const penta_prepare_frame *frames)
{
    if (plan->settings.o.flatten == PENTA_PREPARE_SERIES && prepare_background_surveyed(plan->background) == 0)
        return penta_fail(plan->ctx, PENTA_INVALID, "`flatten` series needs a survey of the series first");
    for (size_t i = 0; i < n; i++) {
        const penta_drift *d = frames[i].drift;

        if (!frames[i].image)
            return penta_fail(plan->ctx, PENTA_INVALID, "frame %zu of the run has no image", i);
        if (d && !plan->registration)
            return penta_fail(plan->ctx, PENTA_INVALID, "frames with a drift need `register` shift or rigid");
        if (d && !(isfinite(d->dx) && isfinite(d->dy) && isfinite(d->angle)))
            return penta_fail(plan->ctx, PENTA_INVALID, "the drift of frame %zu of the run is not finite", i);
        if (!d && plan->known && frames[i].number >= plan->known_count)
            return penta_fail(plan->ctx, PENTA_INVALID,
                              "frame %zu of the run has number %zu in a series of %zu frames, of which the first is 0",
                              i, frames[i].number, plan->known_count);
    }
    return PENTA_OK;
}

/* Device arrays of the caller must belong to this context and be large enough. */
static penta_status check_arrays(const penta_prepare *plan, size_t n, const penta_prepare_frame *frames,
                                 const penta_prepare_result *results)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = &plan->shape;
    size_t in_bytes = s->in_width * s->in_height * s->channels * penta_type_size(s->type),
           pixels = s->width * s->height;

    for (size_t i = 0; i < n; i++) {
        TRY(penta_check_array(plan->ctx, frames[i].image, in_bytes));
        TRY(penta_check_array(plan->ctx, results[i].image, pixels * penta_type_size(plan->to)));
        TRY(penta_check_array(plan->ctx, results[i].mask, pixels));
    }
cleanup:
    return status;
}

/* A run in progress. Two pieces alternate: the outputs of one are read while the other is computed. */
typedef struct {
    const penta_prepare_frame *frames;
    penta_prepare_result *results;
    const void **images;
    size_t count;
    piece pieces[2];
} run_state;

/* Runs frames done .. next - 1, which have been sent. */
static penta_status run_piece(penta_prepare *plan, run_state *r, size_t done, size_t next, piece *p, piece *before)
{
    penta_status status = PENTA_OK;

    p->frames = r->frames + done;
    p->results = r->results + done;
    p->count = next - done;
    if (before->mask == &plan->batch.mask) /* this piece overwrites that mask */
        TRY(read_outputs(plan, before));
    TRY(prepare_loader_take(plan->loader, &plan->batch));
    TRY(find_dust(plan));
    TRY(send(plan, piece_of(plan, r->count, next), r->images + next));
    TRY(read_outputs(plan, before));
    TRY(finish_piece(plan, p));
cleanup:
    return status;
}

static penta_status run_pieces(penta_prepare *plan, run_state *r)
{
    penta_status status = PENTA_OK;
    size_t done = 0, turn = 0;

    TRY(send(plan, piece_of(plan, r->count, 0), r->images));
    while (done < r->count) {
        size_t next = done + piece_of(plan, r->count, done);

        TRY(penta_report_progress(plan->ctx, (double)done, (double)r->count));
        TRY(run_piece(plan, r, done, next, &r->pieces[turn], &r->pieces[1 - turn]));
        turn = 1 - turn;
        done = next;
    }
    TRY(read_outputs(plan, &r->pieces[1 - turn]));
    TRY(penta_report_progress(plan->ctx, (double)r->count, (double)r->count));
cleanup:
    return status;
}

/* Restores the series to its mark after a failure; keeps the error text. */
static void set_back(penta_prepare *plan, size_t frames, double low, double high)
{
    penta_settle(plan->ctx);
    prepare_loader_forget(plan->loader);
    plan->frames = frames;
    plan->low = low;
    plan->high = high;
    if (plan->registration)
        prepare_register_return(plan->registration);
}

static penta_status make_piece(penta_resources *own, size_t batch, piece *p)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(own, batch, sizeof *p->skip, &p->skip));
    TRY(penta_calloc(own, batch, sizeof *p->drift, &p->drift));
    TRY(penta_calloc(own, batch, 2 * sizeof *p->limits, &p->limits));
    TRY(penta_calloc(own, batch, 2 * sizeof *p->counts, &p->counts));
cleanup:
    return status;
}

static penta_status make_run(penta_resources *own, size_t batch, run_state *r)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(own, r->count, sizeof *r->images, &r->images));
    for (size_t i = 0; i < r->count; i++)
        r->images[i] = r->frames[i].image;
    TRY(make_piece(own, batch, &r->pieces[0]));
    TRY(make_piece(own, batch, &r->pieces[1]));
cleanup:
    return status;
}

penta_status penta_prepare_run(penta_prepare *plan, size_t n, const penta_prepare_frame *frames,
                               penta_prepare_result *results)
{
    penta_status status = PENTA_OK;
    size_t before = plan->frames;
    double low = plan->low, high = plan->high;
    run_state r = {.frames = frames, .results = results, .count = n};
    penta_resources own = {.ctx = plan->ctx};

    TRY(check_run(plan, n, frames));
    TRY(check_arrays(plan, n, frames, results));
    if (!n)
        return PENTA_OK;
    TRY(make_run(&own, plan->shape.batch, &r));
    if (plan->registration)
        prepare_register_mark(plan->registration);
    plan->started = plan->ran = true;
    status = run_pieces(plan, &r);
    if (status != PENTA_OK)
        set_back(plan, before, low, high);
cleanup:
    penta_resources_release(&own);
    return status;
}

/* ---- the survey ---- */

static penta_status check_survey(const penta_prepare *plan, size_t n)
{
    size_t before;

    if (plan->settings.o.flatten != PENTA_PREPARE_SERIES)
        return penta_fail(plan->ctx, PENTA_INVALID, "a survey is for `flatten` series");
    before = prepare_background_surveyed(plan->background);
    if (plan->ran)
        return penta_fail(plan->ctx, PENTA_INVALID, "the survey must come before the first frame");
    if (n > PENTA_PREPARE_SURVEY - before)
        return penta_fail(plan->ctx, PENTA_INVALID, "a survey of %zu frames; it takes %d at most", before + n,
                          PENTA_PREPARE_SURVEY);
    return PENTA_OK;
}

static penta_status survey_pieces(penta_prepare *plan, size_t n, const void *const *images)
{
    penta_status status = PENTA_OK;

    for (size_t done = 0; done < n;) {
        size_t count = piece_of(plan, n, done);

        TRY(penta_report_progress(plan->ctx, (double)done, (double)n));
        TRY(send(plan, count, images + done));
        TRY(prepare_loader_take(plan->loader, &plan->batch));
        TRY(prepare_background_survey(plan->background, &plan->batch));
        done += count;
    }
    TRY(penta_report_progress(plan->ctx, (double)n, (double)n));
cleanup:
    return status;
}

penta_status penta_prepare_survey(penta_prepare *plan, size_t n, const void *const *images)
{
    penta_status status = check_survey(plan, n);
    size_t before;

    if (status != PENTA_OK)
        return status;
    before = prepare_background_surveyed(plan->background);
    plan->started = true;
    status = survey_pieces(plan, n, images);
    if (status != PENTA_OK) { /* keep the error text */
        penta_settle(plan->ctx);
        prepare_loader_forget(plan->loader);
        prepare_background_unsurvey(plan->background, before);
    }
    return status;
}
