/* Collects the results of a slot: planes and rings from the device, or from the host if the device has no double
 * precision. */
#include <stdlib.h>
#include <string.h>

#include "autocorr/displacement_fit.h"
#include "autocorr/pipeline_parts.h"

/* Computes C2D and C1D of a frame on the host, from its sums. */
static penta_status finish_on_host(autocorr_pipeline *p, pipeline_slot *slot, size_t i)
{
    penta_status status = PENTA_OK;
    size_t count = pipeline_window(p),
           bytes = count * (autocorr_is_integer(&p->shape) ? sizeof(int64_t) : sizeof(float));
    double *c2d = slot->host_c2d + i * count;

    TRY(penta_buffer_read(&slot->sums, i * bytes, p->host_sums, bytes));
    autocorr_host_finish(&p->shape, p->settings.options.estimator, pipeline_rows(p), p->host_sums,
                         slot->host_bundle ? slot->host_bundle + i * BUNDLE * count : NULL,
                         slot->host_scalars + AUTOCORR_SCALARS * i, c2d);
    autocorr_host_rings(&p->ring_list, c2d, slot->host_rings + i * (p->shape.max_offset + 1) * RING_FIELDS);
cleanup:
    return status;
}

/* Spreads a half-plane array (rows Y = 0..R) over the whole plane; the part Y < 0 is the mirror image. This works in
 * place, because the rows that are read are already in the lower half. */
static void mirror(void *data, size_t max_offset)
{
    size_t columns = 2 * max_offset + 1, count = columns * columns;
    uint64_t *cell = data; /* int64 or double; the bits are only moved */

    for (size_t i = 0; i < count / 2; i++)
        cell[i] = cell[count - 1 - i];
}

/* Has a kernel write the caller's array, if that is in device memory or can be used in place. */
static penta_status write_plane(autocorr_pipeline *p, penta_buffer *from, size_t frame, void *out)
{
    penta_status status = PENTA_OK;
    size_t columns = autocorr_columns(&p->shape), count = columns * columns;

    TRY(penta_port_output(&p->out, out, count * sizeof(uint64_t), sizeof(uint64_t)));
    TRY(penta_launch(
        &p->whole, penta_grid_rows(penta_grid_1d(count)),
        ARGS(from, frame * pipeline_window(p), (int)p->shape.max_offset, (int)!p->shape.cross, p->out.now)));
    TRY(penta_port_close(&p->out));
cleanup:
    return status;
}

/* Takes the result from the host's doubles. */
static penta_status give_plane(autocorr_pipeline *p, const double *plane, void *out)
{
    penta_status status = PENTA_OK;
    size_t columns = autocorr_columns(&p->shape), bytes = columns * columns * sizeof(double);
    size_t skip = p->shape.cross ? 0 : p->shape.max_offset * columns;
    void *view = NULL, *copy = NULL;

    TRY(penta_host_room(p->ctx, out, bytes, &view, &copy));
    memcpy((double *)view + skip, plane, pipeline_window(p) * sizeof(double));
    if (!p->shape.cross)
        mirror(view, p->shape.max_offset);
    TRY(penta_host_deliver(p->ctx, view, out, bytes));
cleanup:
    free(copy);
    return status;
}

/* Takes the result from a buffer or, if that is NULL, from the host's doubles. */
static penta_status read_plane(autocorr_pipeline *p, penta_buffer *from, const double *host, size_t frame, void *out)
{
    penta_status status = PENTA_OK;
    size_t columns = autocorr_columns(&p->shape), bytes = pipeline_window(p) * sizeof(uint64_t);
    size_t skip = p->shape.cross ? 0 : p->shape.max_offset * columns;

    if (!from)
        return give_plane(p, host + frame * pipeline_window(p), out);
    if (penta_is_cpu(p->ctx) || penta_is_device_array(out))
        return write_plane(p, from, frame, out);
    TRY(penta_buffer_read(from, frame * bytes, (uint64_t *)out + skip, bytes));
    if (!p->shape.cross)
        mirror(out, p->shape.max_offset);
cleanup:
    return status;
}

static void fill_bins(const autocorr_pipeline *p, const double *rings, penta_autocorr_bin *bins)
{
    for (size_t r = 0; r <= p->shape.max_offset; r++) {
        const double *f = rings + RING_FIELDS * r;
        int64_t listed = (int64_t)f[0];

        bins[r] = (penta_autocorr_bin){
            .count = p->shape.cross || r == 0 ? listed : 2 * listed, .mean_r = f[1], .c = f[2], .sd = f[3]};
    }
}

/* What the search for a peak knows of the image; false of two images. */
static bool image_of(const autocorr_pipeline *p, const pipeline_slot *slot, size_t i, chance_image *out)
{
    *out =
        (chance_image){.pixels = p->masked ? slot->host_scalars[AUTOCORR_SCALARS * i + 1] : (double)pipeline_pixels(p),
                       .width = (double)p->settings.width,
                       .height = (double)p->settings.height};
    return !p->shape.cross;
}

/* Enqueues the circles on which the peak of frame i is refined; on the host they are computed at once. */
static penta_status begin_circles(autocorr_pipeline *p, pipeline_slot *slot, size_t i)
{
    const peak_circles *c = &p->frame_circles[i];
    size_t window = pipeline_window(p), to = i * p->most_circles,
           count = autocorr_directions_count(p->shape.max_offset);

    if (p->shape.cross || c->count == 0)
        return PENTA_OK;
    if (p->on_host) {
        autocorr_host_circles(p->shape.max_offset, slot->host_c2d + i * window, p->host_directions, c->first, c->count,
                              p->host_means + to);
        return PENTA_OK;
    }
    return penta_launch(&p->circles,
                        penta_is_cpu(p->ctx)
                            ? penta_grid_groups(penta_grid_1d(c->count), 1, 1, 1)
                            : penta_grid_groups(penta_grid_1d(c->count * RING_PARTS), RING_PARTS, 1, 1),
                        ARGS(&slot->c2d, (int64_t)(i * window), (int)p->shape.max_offset, (int)c->first, &p->directions,
                             (int)count, (int64_t)to, &p->circle_means));
}

/* Replaces bins of c1d, n frames of them, by circles. */
static penta_status end_circles(autocorr_pipeline *p, size_t n, penta_autocorr_bin *c1d, penta_autocorr_result *results)
{
    penta_status status = PENTA_OK;
    size_t bins = p->shape.max_offset + 1, used = 0;

    for (size_t i = 0; i < n && !p->shape.cross; i++)
        used = p->frame_circles[i].count > 0 ? i + 1 : used;
    if (used > 0 && !p->on_host)
        TRY(penta_buffer_read(&p->circle_means, 0, p->host_means, used * p->most_circles * sizeof *p->host_means));
    for (size_t i = 0; i < used; i++)
        if (p->frame_circles[i].count > 0)
            autocorr_peak_refine(&p->frame_circles[i], p->host_means + i * p->most_circles, c1d + i * bins,
                                 &results[i].peak);
cleanup:
    return status;
}

/* By the estimator pearson, which neither draws a thing that both images show whole outwards nor a texture inwards.
 * Where the host finishes, a batch has one frame, whose sums it has. */
static penta_status find_displacement(autocorr_pipeline *p, pipeline_slot *slot, size_t i, penta_displacement *out)
{
    penta_status status = PENTA_OK;
    size_t count = pipeline_window(p);
    double *c2d = NULL;

    if (p->shape.cross)
        TRY(penta_calloc(p->ctx, count, sizeof *c2d, &c2d));
    if (c2d && p->on_host)
        autocorr_host_finish(&p->shape, PENTA_AUTOCORR_PEARSON, pipeline_rows(p), p->host_sums, slot->host_bundle,
                             slot->host_scalars, c2d);
    else if (c2d)
        TRY(penta_buffer_read(&slot->pearson, i * count * sizeof *c2d, c2d, count * sizeof *c2d));
    *out = autocorr_displacement_find(c2d, p->shape.max_offset);
cleanup:
    free(c2d);
    return status;
}

static penta_status collect_frame(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const double *rings,
                                  penta_autocorr_bin *c1d, penta_autocorr_result *result)
{
    penta_status status = PENTA_OK;
    size_t bins = p->shape.max_offset + 1;
    chance_image image;
    bool known = image_of(p, slot, i, &image);

    fill_bins(p, rings + i * bins * RING_FIELDS, c1d);
    if (result->c1d)
        memcpy(result->c1d, c1d, bins * sizeof *c1d);
    result->peak =
        autocorr_peak_find(c1d, bins, p->settings.options.prominence, known ? &image : NULL, &p->frame_circles[i]);
    result->correlation_length = autocorr_correlation_length(c1d, bins);
    TRY(find_displacement(p, slot, i, &result->displacement));
    TRY(begin_circles(p, slot, i));
    if (p->uncertainty)
        TRY(autocorr_uncertainty_add(p->uncertainty, i, pipeline_image(slot, 0), pipeline_image(slot, p->shape.cross),
                                     p->masked ? &slot->mask : NULL, slot->host_scalars[AUTOCORR_SCALARS * i + 2],
                                     slot->host_scalars[AUTOCORR_SCALARS * i + 3], &result->peak));
    result->method = autocorr_correlator_method(p->engine);
    result->fft = autocorr_correlator_fft(p->engine);
    if (result->numerators)
        TRY(read_plane(p, &slot->sums, NULL, i, result->numerators));
    if (result->c2d)
        TRY(read_plane(p, p->on_host ? NULL : &slot->c2d, slot->host_c2d, i, result->c2d));
cleanup:
    return status;
}

penta_status pipeline_settle(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;

    if (p->uncertainty)
        TRY(autocorr_uncertainty_finish(p->uncertainty));
    for (size_t i = 0; i < p->unjudged_count; i++)
        autocorr_peak_judge(&p->settings.options, p->shape.max_offset, &p->unjudged[i].peak);
    p->unjudged_count = 0;
cleanup:
    return status;
}

penta_status autocorr_pipeline_collect(autocorr_pipeline *p, size_t index, size_t n, penta_autocorr_result *results)
{
    penta_status status = PENTA_OK;
    pipeline_slot *slot = &p->slots[index];
    size_t bins = p->shape.max_offset + 1, values = n * bins * RING_FIELDS;
    double *rings = NULL;
    penta_autocorr_bin *scratch = NULL;

    if (p->uncertainty)
        autocorr_uncertainty_offer(p->uncertainty);
    TRY(penta_calloc(p->ctx, values, sizeof *rings, &rings));
    TRY(penta_calloc(p->ctx, n * bins, sizeof *scratch, &scratch));
    for (size_t i = 0; p->on_host && i < n; i++)
        TRY(finish_on_host(p, slot, i));
    if (p->on_host)
        memcpy(rings, slot->host_rings, values * sizeof *rings);
    else
        TRY(penta_buffer_read(&slot->rings, 0, rings, values * sizeof *rings));
    if (p->device_moments && p->uncertainty)
        TRY(penta_buffer_read(&slot->scalars, 0, slot->host_scalars, n * AUTOCORR_SCALARS * sizeof(double)));
    for (size_t i = 0; i < n; i++)
        TRY(collect_frame(p, slot, i, rings, scratch + i * bins, &results[i]));
    TRY(end_circles(p, n, scratch, results));
    TRY(pipeline_settle(p)); /* those before, whose peaks helpers have had meanwhile */
    if (p->uncertainty)
        TRY(autocorr_uncertainty_read(p->uncertainty));
    p->unjudged = results;
    p->unjudged_count = n;
    for (int i = 0; i < 2; i++)
        TRY(penta_buffer_give_back(&slot->lent[i]));
cleanup:
    free(rings);
    free(scratch);
    return status;
}
