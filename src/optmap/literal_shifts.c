/* Finds t0 of pixels and neighbours by transforms of their interpolated traces; kernels: cl/optmap/literal_spectra.cl
 * and literal_search.cl. */
#include <stdio.h>
#include <stdlib.h>

#include "math/sizes.h"
#include "optmap/literal.h"

enum { REPORT = 16 };            /* batches between reports of progress */
static const double share = 0.9; /* share of a band's time */

/* ---- creation ---- */

static penta_status get_kernels(literal_state *s)
{
    literal_shifter *p = &s->shifter;
    const penta_optmap_options *o = s->shape.options;
    penta_status status = PENTA_OK;
    char shared[96], defines[160];

    literal_defines(s, shared, sizeof shared);
    snprintf(defines, sizeof defines, "%s -DFIRST=%d -DLENGTH=%d", shared, s->shape.filter->first,
             s->shape.filter->length);
    TRY(penta_kernel_get(&s->resources, "optmap/literal_traces.cl", "literal_scale", defines, &p->scale));
    snprintf(defines, sizeof defines, "%s%s", shared, o->correlation == PENTA_OPTMAP_PHASE ? " -DPHASE" : "");
    TRY(penta_kernel_get(&s->resources, "optmap/literal_spectra.cl", "literal_pad", defines, &p->pad));
    TRY(penta_kernel_get(&s->resources, "optmap/literal_spectra.cl", "literal_split", defines, &p->split));
    TRY(penta_kernel_get(&s->resources, "optmap/literal_spectra.cl", "literal_multiply", defines, &p->multiply));
    TRY(penta_kernel_get(&s->resources, "optmap/literal_spectra.cl", "literal_pairs", defines, &p->pair));
    snprintf(defines, sizeof defines, "%s -DELEMENTS=%d -DGROUP=%zu", shared, o->elements, s->sizes.group);
    TRY(penta_kernel_get(&s->resources, "optmap/literal_search.cl", "literal_search", defines, &p->search));
    TRY(penta_kernel_get(&s->resources, "optmap/literal_search.cl", "literal_reduce", defines, &p->reduce));
    TRY(penta_kernel_get(&s->resources, "optmap/literal_search.cl", "literal_clear", defines, &p->clear));
cleanup:
    return status;
}

/* Uploads the sum of the filter's weights per phase. */
static penta_status upload_sums(literal_state *s)
{
    penta_status status = PENTA_OK;
    const optmap_filter *f = s->shape.filter;
    size_t phases = (size_t)f->interp, length = (size_t)f->length;
    double *sums = NULL;

    TRY(penta_calloc(s->resources.ctx, phases, sizeof *sums, &sums));
    for (size_t i = 0; i < phases * length; i++)
        sums[i / length] += f->weights[i];
    TRY(penta_buffer_upload(&s->resources, sums, phases * sizeof *sums, &s->shifter.sums));
cleanup:
    free(sums);
    return status;
}

penta_status literal_shifter_create(literal_state *s)
{
    literal_shifter *p = &s->shifter;
    const literal_sizes *z = &s->sizes;
    penta_fft_shape shape = {.rank = 1, .nx = z->z, .ny = 1, .batch = z->slots, .dbl = true};
    penta_status status = PENTA_OK;
    size_t bytes;

    TRY(get_kernels(s));
    TRY(upload_sums(s));
    TRY(penta_fft_create(s->resources.ctx, (enum penta_fft_backend)s->shape.options->fft, &shape, &p->fft));
    TRY(penta_own(&s->resources, &p->fft, penta_fft_destroy));
    TRY(penta_size(s->resources.ctx, z->pixels, z->pitch, 2 * sizeof(double), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &p->spectra));
    TRY(penta_buffer_create(&s->resources, z->pixels * sizeof(double), &p->scales));
    TRY(penta_buffer_create(&s->resources, z->pixels * sizeof *p->listed, &p->list));
    TRY(penta_buffer_create(&s->resources, z->slots * 4 * sizeof(int32_t), &p->pairs));
    TRY(penta_buffer_create(&s->resources, z->slots * z->parts * 2 * sizeof(double), &p->values));
    TRY(penta_buffer_create(&s->resources, z->slots * z->parts * 2 * sizeof(int32_t), &p->places));
    TRY(penta_calloc(&s->resources, z->pixels, sizeof *p->valid, &p->valid));
    TRY(penta_calloc(&s->resources, z->pixels, sizeof *p->listed, &p->listed));
cleanup:
    return status;
}

/* ---- spectra ---- */

static penta_status transform_pixels(literal_state *s, optmap_traces *band)
{
    penta_status status = PENTA_OK;
    literal_shifter *p = &s->shifter;
    const literal_sizes *z = &s->sizes;
    size_t pixels = literal_pixels(s, band), slots = band->rows * ((s->shape.width + 1) / 2);

    TRY(penta_launch(&p->scale, penta_grid_rows(penta_grid_1d(pixels)),
                     ARGS(&band->v, &band->mean, (int)s->shape.frames, (int)s->shape.pitch, (int)pixels, &p->scales)));
    for (size_t from = 0; from < slots; from += z->slots) {
        size_t count = penta_smaller(z->slots, slots - from);

        TRY(penta_launch(&p->pad, penta_grid_rows(penta_grid_2d(z->z, count)),
                         ARGS(&s->y, &band->mean, &p->scales, &p->sums, (int)z->samples, (int)s->shape.width, (int)z->z,
                              (int)from, &s->work)));
        TRY(penta_fft_forward(p->fft, &s->work));
        TRY(penta_launch(&p->split, penta_grid_rows(penta_grid_2d(z->z / 2 + 1, count)),
                         ARGS(&s->work, (int)s->shape.width, (int)z->z, (int)z->pitch, (int)from, &p->spectra)));
    }
cleanup:
    return status;
}

/* ---- pairs ---- */

/* Lists pixels of the band that have results. */
static penta_status list_pixels(literal_state *s, optmap_traces *band, size_t *count)
{
    penta_status status = PENTA_OK;
    literal_shifter *p = &s->shifter;
    bool full = s->shape.options->border == PENTA_OPTMAP_FULL;
    size_t width = s->shape.width, r = full ? (size_t)s->shape.options->window / 2 : 0, n = 0;

    TRY(penta_buffer_read(&band->valid, 0, p->valid, literal_pixels(s, band)));
    for (size_t row = band->from; row < band->to; row++)
        for (size_t x = r; x + r < width && row >= r && row + r < s->shape.height; x++) {
            size_t pixel = (row - band->first) * width + x;

            if (p->valid[pixel])
                p->listed[n++] = (int32_t)pixel;
        }
    if (n)
        TRY(penta_buffer_write(&p->list, 0, p->listed, n * sizeof *p->listed));
    *count = n;
cleanup:
    return status;
}

/* Values of c this close count as equal: like TIE of cl/optmap/shift.clh, but here c is z times as large, or with
 * --correlation phase at most the number of frequencies. */
static double tie_of(const literal_state *s)
{
    double z = (double)s->sizes.z, interp = s->shape.options->interp;

    return 1e-12 * (s->shape.options->correlation == PENTA_OPTMAP_PHASE ? z / interp : z * interp);
}

/* Correlates slots from .. from + count - 1 of the listed pixels. */
static penta_status correlate(literal_state *s, optmap_traces *band, penta_buffer *shifts, size_t from, size_t count)
{
    penta_status status = PENTA_OK;
    literal_shifter *p = &s->shifter;
    const literal_sizes *z = &s->sizes;

    TRY(penta_launch(&p->pair, penta_grid_rows(penta_grid_1d(count)),
                     ARGS(&p->list, &band->valid, (int)s->shape.width, (int)s->shape.height, (int)band->first,
                          (int)from, (int)count, &p->pairs)));
    TRY(penta_launch(&p->multiply, penta_grid_rows(penta_grid_2d(z->z / 2 + 1, count)),
                     ARGS(&p->spectra, &p->pairs, (int)z->z, (int)z->pitch, &s->work)));
    TRY(penta_fft_inverse(p->fft, &s->work));
    TRY(penta_launch(&p->search, penta_grid_groups(penta_grid_2d(z->parts * z->group, count), z->group, 1, 1),
                     ARGS(&s->work, (int)z->z, (int)z->most, tie_of(s), &p->values, &p->places)));
    TRY(penta_launch(&p->reduce, penta_grid_rows(penta_grid_1d(count)),
                     ARGS(&p->values, &p->places, &p->pairs, (int)z->parts, (int)z->most, literal_out(s, band),
                          (int)count, tie_of(s), shifts)));
cleanup:
    return status;
}

penta_status literal_shifter_run(literal_state *s, optmap_traces *band, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    size_t numbers = literal_results(s, band) * s->sizes.neighbours, listed, slots;

    TRY(penta_launch(&s->shifter.clear, penta_grid_rows(penta_grid_1d(numbers)),
                     ARGS(&band->valid, (int)s->shape.width, (int)s->shape.height, (int)band->first,
                          literal_out(s, band), (int)numbers, shifts)));
    TRY(list_pixels(s, band, &listed));
    slots = listed * (s->sizes.neighbours / 2);
    if (slots)
        TRY(transform_pixels(s, band));
    for (size_t from = 0, batch = 1; from < slots; from += s->sizes.slots, batch++) {
        TRY(correlate(s, band, shifts, from, penta_smaller(s->sizes.slots, slots - from)));
        if (batch % REPORT == 0)
            TRY(literal_report(s, band, share * (double)from / (double)slots));
    }
cleanup:
    return status;
}
