/*
 * Converts results of maps (cl/pca/convert.cl, convert_single.cl). Where the kernel can write the caller's array it
 * does so. Otherwise some outputs at a time are converted to the type that was asked for and packed, to be read in one
 * transfer; two buffers take turns, so that the next ones are made while these are read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pca/pca.h"

/* Bytes of a piece: a transfer of some milliseconds. */
static const size_t piece_bytes = (size_t)32 << 20;

enum { TYPES = PENTA_U32 + 1, CPU_ITEM = 4096, GPU_ITEM = 4 }; /* pixels of a work-item, as in the kernel */

/* The numbers of a type. integer: from lowest to highest, doubles that fit. */
typedef struct {
    const char *name;
    bool integer;
    double lowest, highest;
} numbers;

static const numbers types[TYPES] = {
    [PENTA_U8] = {"uchar", true, 0, 255},
    [PENTA_U16] = {"ushort", true, 0, 65535},
    [PENTA_I16] = {"short", true, -32768, 32767},
    [PENTA_U32] = {"uint", true, 0, 4294967295.0},
    [PENTA_I32] = {"int", true, -2147483648.0, 2147483647.0},
    [PENTA_I64] = {"long", true, -0x1p63, 0x1.fffffffffffffp62},
    [PENTA_F32] = {"float", false, 0, 0},
    [PENTA_F64] = {"double", false, 0, 0},
};

struct pca_converter {
    penta_resources resources;
    size_t outs;
    penta_type real;
    penta_kernel keep_flags, clipped, convert[TYPES];
    penta_buffer piece[2]; /* converted, packed */
    penta_buffer given;    /* outs x 2 doubles: a range of the caller's */
    penta_buffer count;    /* a uint */
};

penta_status pca_converter_create(penta_context *ctx, size_t outs, penta_type real, pca_converter **out)
{
    penta_status status = PENTA_OK;
    pca_converter *c = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &c));
    c->outs = outs;
    c->real = real;
    TRY(penta_buffer_create(&c->resources, outs * 2 * sizeof(double), &c->given));
    *out = c;
    c = NULL;
cleanup:
    pca_converter_destroy(c);
    return status;
}

void pca_converter_destroy(pca_converter *c)
{
    penta_plan_free(c);
}

/* Without double precision: cl/pca/convert_single.cl. */
static penta_status have_single_kernel(pca_converter *c, penta_type type, const char *name, penta_kernel *kernel)
{
    const numbers *t = &types[type];
    bool doubles = c->real == PENTA_F64;
    char defines[160];

    snprintf(defines, sizeof defines, "-DREAL=%s%s -DOUT=%s -DOUT_KIND=%d", doubles ? "ulong" : "float",
             doubles ? " -DOF_DOUBLES" : "", type == PENTA_F64 ? "ulong" : t->name,
             type == PENTA_F64   ? 3
             : type == PENTA_F32 ? 2
                                 : 0);
    if (t->integer)
        snprintf(defines + strlen(defines), sizeof defines - strlen(defines), " -DLOWEST=%luul -DHIGHEST=%luul",
                 pca_double_bits(t->lowest), pca_double_bits(t->highest));
    return penta_kernel_get(&c->resources, "pca/convert_single.cl", name, defines, kernel);
}

static penta_status have_kernel(pca_converter *c, penta_type type, const char *name, penta_kernel *kernel)
{
    const numbers *t = &types[type];
    char defines[160];

    if (kernel->handle)
        return PENTA_OK;
    if (!penta_context_device(c->resources.ctx)->fp64)
        return have_single_kernel(c, type, name, kernel);
    snprintf(defines, sizeof defines, "-DREAL=%s -DOUT=%s", types[c->real].name, t->name);
    if (t->integer)
        penta_snprintf(defines + strlen(defines), sizeof defines - strlen(defines),
                       " -DINTEGER=%s -DLOWEST=%.1f -DHIGHEST=%.1f", t->highest > INT32_MAX ? "long" : "int", t->lowest,
                       t->highest);
    return penta_kernel_get(&c->resources, "pca/convert.cl", name, defines, kernel);
}

penta_status pca_keep_flags(pca_converter *c, pca_slab *slab, pca_block *block)
{
    penta_status status = PENTA_OK;
    size_t words = slab->pitch / sizeof(uint32_t);

    TRY(have_kernel(c, c->real, "pca_keep_flags", &c->keep_flags));
    TRY(penta_launch(&c->keep_flags, penta_grid_rows(penta_grid_1d(words)),
                     ARGS(&slab->flags, (unsigned)words, &block->flags)));
cleanup:
    return status;
}

/* ---- results ---- */

/* What all pieces of a block share. */
typedef struct {
    pca_converter *c;
    pca_block *block;
    size_t pitch, size, outs; /* bytes of an element; outputs of a piece */
    const penta_map_format *format;
    penta_buffer *range;
    double fill;
    pca_results *to;
} conversion;

static double fill_of(const penta_map_format *format)
{
    const numbers *t = &types[format->type];

    if (!t->integer)
        return format->fill;
    return isnan(format->fill) ? 0 : fmin(fmax(round(format->fill), t->lowest), t->highest);
}

static size_t outputs_of_piece(size_t outs, size_t row_bytes)
{
    size_t fit = piece_bytes / row_bytes;

    return fit == 0 ? 1 : fit < outs ? fit : outs;
}

static penta_status have_pieces(const conversion *v)
{
    penta_status status = PENTA_OK;
    size_t bytes = v->outs * v->block->pixels * v->size;

    for (int i = 0; i < (v->outs < v->c->outs ? 2 : 1); i++)
        if (!v->c->piece[i].mem || v->c->piece[i].bytes < bytes)
            TRY(penta_buffer_create(&v->c->resources, bytes, &v->c->piece[i]));
cleanup:
    return status;
}

static penta_status write_range(pca_converter *c, const penta_map_format *f)
{
    penta_status status = PENTA_OK;
    double *pairs = NULL;

    TRY(penta_calloc(c->resources.ctx, c->outs, 2 * sizeof *pairs, &pairs));
    for (size_t i = 0; i < c->outs; i++) {
        pairs[2 * i] = f->least[i];
        pairs[2 * i + 1] = f->largest[i];
    }
    TRY(penta_buffer_write(&c->given, 0, pairs, c->outs * 2 * sizeof *pairs));
cleanup:
    free(pairs);
    return status;
}

/* Replaces the map's range by the caller's, if there is one. */
static penta_status choose_range(conversion *v)
{
    penta_status status = PENTA_OK;

    if (!v->format->rescale || !v->format->least)
        return PENTA_OK;
    TRY(write_range(v->c, v->format));
    v->range = &v->c->given;
cleanup:
    return status;
}

penta_status pca_count_clipped(pca_converter *c, pca_block *block, size_t pitch, const penta_map_format *format,
                               uint64_t *clipped)
{
    penta_status status = PENTA_OK;
    size_t item = penta_is_cpu(c->resources.ctx) ? CPU_ITEM : GPU_ITEM;
    uint32_t count = 0;

    TRY(have_kernel(c, c->real, "pca_clipped", &c->clipped));
    if (!c->count.mem)
        TRY(penta_buffer_create(&c->resources, sizeof count, &c->count));
    TRY(write_range(c, format));
    TRY(penta_buffer_zero(&c->count, 0, sizeof count));
    TRY(penta_launch(&c->clipped, penta_grid_rows(penta_grid_1d((block->pixels + item - 1) / item)),
                     ARGS(&block->results, pitch, (unsigned)c->outs, (unsigned)block->pixels, &block->flags,
                          (int)block->masked, &c->given, &c->count)));
    TRY(penta_buffer_read(&c->count, 0, &count, sizeof count));
    *clipped += count;
cleanup:
    return status;
}

static size_t outputs_from(const conversion *v, size_t first)
{
    return v->c->outs - first < v->outs ? v->c->outs - first : v->outs;
}

static penta_status make_piece(const conversion *v, size_t first)
{
    const penta_map_format *f = v->format;
    pca_converter *c = v->c;
    size_t pixels = v->block->pixels, item = penta_is_cpu(c->resources.ctx) ? CPU_ITEM : GPU_ITEM;
    penta_grid grid = penta_grid_2d((pixels + item - 1) / item, outputs_from(v, first));
    bool lent = v->to->lent.mem != NULL;
    penta_buffer *out = lent ? &v->to->lent : &c->piece[first / v->outs % 2];
    size_t stride = lent ? v->to->stride : pixels, at = lent ? v->to->at + first * stride : 0;

    return penta_launch(&c->convert[f->type], penta_grid_rows(grid),
                        ARGS(&v->block->results, v->pitch, (unsigned)first, (unsigned)pixels, &v->block->flags,
                             (int)v->block->masked, v->range, (int)f->rescale, pca_double_bits(f->low),
                             pca_double_bits(f->high), pca_double_bits(v->fill), at, stride, out));
}

static penta_status read_piece(const conversion *v, size_t first)
{
    penta_status status = PENTA_OK;
    penta_buffer *piece = &v->c->piece[first / v->outs % 2];
    size_t outs = outputs_from(v, first), row = v->block->pixels * v->size;

    char *out = (char *)v->to->out + (v->to->at + first * v->to->stride) * v->size;

    if (v->to->stride == v->block->pixels)
        return penta_buffer_read(piece, 0, out, outs * row);
    for (size_t o = 0; o < outs; o++)
        TRY(penta_buffer_read(piece, o * row, out + o * v->to->stride * v->size, row));
cleanup:
    return status;
}

penta_status pca_convert(pca_converter *c, pca_block *block, size_t pitch, const penta_map_format *format,
                         penta_buffer *range, pca_results *to)
{
    penta_status status = PENTA_OK;
    size_t size = penta_type_size(format->type);
    conversion v = {c, block, pitch, size, c->outs, format, range, fill_of(format), to};

    TRY(have_kernel(c, format->type, "pca_convert", &c->convert[format->type]));
    TRY(choose_range(&v));
    if (to->lent.mem)
        return make_piece(&v, 0);
    v.outs = outputs_of_piece(c->outs, block->pixels * size);
    TRY(have_pieces(&v));
    TRY(make_piece(&v, 0));
    for (size_t first = 0; first < c->outs; first += v.outs) {
        if (first + v.outs < c->outs)
            TRY(make_piece(&v, first + v.outs));
        TRY(read_piece(&v, first));
    }
cleanup:
    return status;
}
