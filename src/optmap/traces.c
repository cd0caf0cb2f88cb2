/*
 * A band of the movie on the device: F, F0, v, the drift subtracted from v, and which pixels are valid. All in double,
 * without double precision on the host; a pixel's sums have a fixed order, independent of the band.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/traces.h"

/* Approximate bytes of a staging buffer: its transfer is long relative to its set-up and short relative to the movie's.
 */
static const size_t gpu_piece = (size_t)4 << 20, cpu_piece = (size_t)8 << 20;

enum { REPORT = 8 }; /* uint32: whether a number is not finite, then the counts of optmap_count */

/* Whether the host makes the traces (traces_host.c). */
static bool on_host(const optmap_loader *l)
{
    return !penta_context_device(l->resources.ctx)->fp64;
}

/* ---- drift ---- */

static void orthonormalise(size_t n, size_t pitch, double *basis, int k)
{
    double *p = basis + (size_t)k * pitch;

    for (int twice = 0; twice < 2; twice++)
        for (int j = 0; j < k; j++) {
            const double *q = basis + (size_t)j * pitch;
            double dot = 0;

            for (size_t i = 0; i < n; i++)
                dot += p[i] * q[i];
            for (size_t i = 0; i < n; i++)
                p[i] -= dot * q[i];
        }
    double length = 0;
    for (size_t i = 0; i < n; i++)
        length += p[i] * p[i];
    for (size_t i = 0; i < n; i++)
        p[i] /= sqrt(length);
}

/* Makes orthonormal polynomials of degree 0 .. drift over t in -1 .. 1, each from t times the one before. */
static void fill_basis(const optmap_shape *shape, double *basis)
{
    size_t n = shape->frames;

    for (int k = 0; k <= shape->options->drift; k++) {
        double *p = basis + (size_t)k * shape->pitch;

        for (size_t i = 0; i < n; i++)
            p[i] = k == 0 ? 1 : (2 * (double)i / (double)(n - 1) - 1) * p[i - shape->pitch];
        orthonormalise(n, shape->pitch, basis, k);
    }
}

static penta_status make_basis(optmap_loader *l)
{
    penta_status status = PENTA_OK;
    int drift = l->shape.options->drift;
    size_t count = drift < 0 ? 0 : (size_t)(drift + 1) * l->shape.pitch;

    TRY(penta_calloc(&l->resources, count + 1, sizeof *l->host_basis, &l->host_basis));
    fill_basis(&l->shape, l->host_basis);
    if (!on_host(l))
        TRY(penta_buffer_upload(&l->resources, l->host_basis, count * sizeof *l->host_basis, &l->basis));
cleanup:
    return status;
}

/* ---- loaders ---- */

static penta_status get_kernels(optmap_loader *l)
{
    static const char *const names[] = {[PENTA_U8] = "uchar",  [PENTA_U16] = "ushort",
                                        [PENTA_I16] = "short", [PENTA_U32] = "uint",
                                        [PENTA_I32] = "int",   [PENTA_F32] = "float -DTYPE_REAL",
                                        [PENTA_I64] = "long",  [PENTA_F64] = "double -DTYPE_REAL"};
    const penta_optmap_options *o = l->shape.options;
    penta_status status = PENTA_OK;
    char defines[96];

    snprintf(defines, sizeof defines, "-DTYPE=%s%s", names[l->type], l->under ? " -DUNDER" : "");
    TRY(penta_kernel_get(&l->resources, "optmap/traces_layout.cl", "optmap_layout", defines, &l->layout));
    snprintf(defines, sizeof defines, "-DDRIFT=%d -DSIGN=%d%s", o->drift, o->polarity == PENTA_OPTMAP_UP ? 1 : -1,
             o->demean ? " -DDEMEAN" : "");
    TRY(penta_kernel_get(&l->resources, "optmap/traces.cl", "optmap_normalise", defines, &l->normalise));
cleanup:
    return status;
}

static penta_status make_buffers(optmap_loader *l)
{
    penta_status status = PENTA_OK;
    size_t frame = l->shape.rows * l->shape.width * penta_type_size(l->type), bytes;
    uint32_t zero = 0;

    l->piece = (penta_is_cpu(l->resources.ctx) ? cpu_piece : gpu_piece) / frame / TRACES_UNIT * TRACES_UNIT;
    l->piece = l->piece ? l->piece : TRACES_UNIT;
    l->piece = l->piece < l->shape.frames ? l->piece : l->shape.frames;
    TRY(penta_size(l->resources.ctx, l->piece, frame, 1, &bytes));
    for (int turn = 0; turn < 2; turn++)
        for (int camera = 0; camera <= l->under; camera++)
            TRY(penta_buffer_create(&l->resources, bytes, &l->staging[turn][camera]));
    TRY(penta_buffer_create(&l->resources, l->shape.rows * l->shape.width, &l->mask));
    TRY(penta_buffer_create(&l->resources, REPORT * sizeof zero, &l->report));
    TRY(penta_buffer_upload(&l->resources, &zero, sizeof zero, &l->fence));
cleanup:
    return status;
}

penta_status optmap_loader_create(penta_context *ctx, const optmap_shape *shape, penta_type type, bool under,
                                  optmap_loader **out)
{
    penta_status status = PENTA_OK;
    optmap_loader *l = NULL;

    *out = NULL;
    if (!penta_type_size(type) || type == PENTA_I64)
        return penta_fail(ctx, PENTA_INVALID, "movies of type %s are not taken", penta_type_name(type));
    TRY(penta_plan_alloc(ctx, &l));
    l->shape = *shape;
    l->type = type;
    l->under = under;
    TRY(optmap_parse_baseline(ctx, shape->options->baseline, shape->frames, &l->begin, &l->end));
    TRY(optmap_parse_min_value(ctx, shape->options->min_value, &l->min_value));
    TRY(make_basis(l));
    if (!on_host(l)) {
        TRY(get_kernels(l));
        TRY(make_buffers(l));
    }
    *out = l;
    l = NULL;
cleanup:
    optmap_loader_destroy(l);
    return status;
}

void optmap_loader_destroy(optmap_loader *loader)
{
    penta_plan_free(loader);
}

uint64_t optmap_loader_memory(const penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    uint64_t frame = (uint64_t)rows * shape->width * sizeof(double);
    uint64_t most = penta_is_cpu(ctx) ? cpu_piece : gpu_piece, all = frame * shape->frames;

    if (!penta_context_device(ctx)->fp64)
        return 0;
    most = most < TRACES_UNIT * frame ? TRACES_UNIT * frame : most;
    return 4 * (all < most ? all : most);
}

/* ---- bands ---- */

static penta_status make_traces(const optmap_loader *l, optmap_traces *band)
{
    penta_status status = PENTA_OK;
    size_t pixels = l->shape.rows * l->shape.width, bytes;

    if (band->valid.mem)
        return PENTA_OK;
    optmap_traces_release(band);
    TRY(penta_size(l->resources.ctx, pixels, l->shape.pitch, sizeof(float), &bytes));
    TRY(penta_buffer_create(l->resources.ctx, bytes, &band->v));
    TRY(penta_buffer_create(l->resources.ctx, bytes, &band->low));
    TRY(penta_buffer_create(l->resources.ctx, pixels * sizeof(double), &band->mean));
    TRY(penta_buffer_create(l->resources.ctx, pixels, &band->valid));
cleanup:
    return status;
}

void optmap_traces_release(optmap_traces *band)
{
    penta_buffer_release(&band->v);
    penta_buffer_release(&band->low);
    penta_buffer_release(&band->mean);
    penta_buffer_release(&band->valid);
    free(band->host.v);
    free(band->host.mean);
    free(band->host.valid);
    band->host.v = band->host.mean = NULL;
    band->host.valid = NULL;
}

/* Sends the mask of the band. */
static penta_status send_mask(optmap_loader *l, const penta_movie *movie, const optmap_traces *band)
{
    penta_status status = PENTA_OK;
    size_t first = band->first * l->shape.width, pixels = band->rows * l->shape.width;
    uint8_t *all = NULL;

    if (movie->mask)
        return penta_buffer_write(&l->mask, 0, movie->mask + first, pixels);
    TRY(penta_calloc(l->resources.ctx, pixels, 1, &all));
    memset(all, 1, pixels);
    TRY(penta_buffer_write(&l->mask, 0, all, pixels));
cleanup:
    free(all);
    return status;
}

static penta_status normalise(optmap_loader *l, optmap_traces *band)
{
    const optmap_shape *s = &l->shape;
    size_t pixels = band->rows * s->width, lanes = penta_is_cpu(l->resources.ctx) ? 1 : TRACES_LANES;

    return penta_launch(&l->normalise, penta_grid_groups(penta_grid_1d(pixels * lanes), lanes, 1, 1),
                        ARGS(&l->basis, (int)s->frames, (int)s->pitch, l->begin, l->end, &l->mask,
                             s->options->min_intensity, s->options->min_range, l->min_value,
                             (unsigned)((band->from - band->first) * s->width),
                             (unsigned)((band->to - band->first) * s->width), &band->v, &band->low, &band->mean,
                             &band->valid, &l->report));
}

static bool is_finite(penta_type type, const void *data, size_t i)
{
    return type == PENTA_F32 ? isfinite(((const float *)data)[i]) : isfinite(((const double *)data)[i]);
}

/* Fails with the place of the first number that is not finite, which the kernel saw. */
static penta_status tell_bad(const optmap_loader *l, const penta_movie *movie, const optmap_traces *band)
{
    size_t width = l->shape.width, from = band->first * width, to = from + band->rows * width;
    bool in_host = !penta_is_device_array(movie->frames[0]);

    for (size_t f = 0; in_host && f < l->shape.frames; f++)
        for (size_t i = from; i < to; i++) {
            const char *where = NULL;

            if (!is_finite(l->type, movie->frames[f], i))
                where = "";
            else if (l->under && !is_finite(l->type, movie->under[f], i))
                where = " of the second camera";
            if (where)
                return penta_fail(l->resources.ctx, PENTA_INVALID,
                                  "frame %zu%s, pixel x %zu, y %zu: a number that is not finite; write 0 into all "
                                  "frames of a pixel to leave it out",
                                  f, where, i % width, i / width);
        }
    return penta_fail(l->resources.ctx, PENTA_INVALID,
                      "the movie has a number that is not finite; write 0 into all frames of a pixel to leave it out");
}

/* Makes the traces on the device, and fetches what the kernels report. */
static penta_status load_on_device(optmap_loader *loader, const penta_movie *movie, optmap_traces *band,
                                   uint32_t *report)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_zero(&loader->report, 0, REPORT * sizeof *report));
    TRY(send_mask(loader, movie, band));
    TRY(traces_upload(loader, movie, band));
    TRY(normalise(loader, band));
    TRY(penta_buffer_read(&loader->report, 0, report, REPORT * sizeof *report));
cleanup:
    return status;
}

penta_status optmap_load(optmap_loader *loader, const penta_movie *movie, optmap_traces *band, size_t *valid)
{
    penta_status status = PENTA_OK;
    uint32_t report[REPORT] = {0};

    if (movie->type != loader->type || !movie->under != !loader->under || band->rows > loader->shape.rows ||
        band->first + band->rows > loader->shape.height || band->from < band->first || band->to < band->from ||
        band->to > band->first + band->rows)
        return penta_fail(loader->resources.ctx, PENTA_INTERNAL, "a band that is not of the loader's shape");
    TRY(make_traces(loader, band));
    TRY(on_host(loader) ? traces_on_host(loader, movie, band, report) : load_on_device(loader, movie, band, report));
    if (report[0])
        return tell_bad(loader, movie, band);
    loader->count = (optmap_count){report[1], report[2], report[3], report[4], report[5], report[6], report[7]};
    *valid = report[1];
cleanup:
    if (status != PENTA_OK)
        penta_settle(loader->resources.ctx); /* a transfer of the movie may still be in progress */
    return status;
}

const optmap_count *optmap_loader_count(const optmap_loader *loader)
{
    return &loader->count;
}
