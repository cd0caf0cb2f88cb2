/* Rows of a cube: which can be read, and the place of a pixel in the cube. */
#include "pca/pca.h"

static bool can_be(penta_type type)
{
    return penta_type_size(type) > 0 && type != PENTA_I64;
}

penta_status pca_check_rows(penta_context *ctx, size_t bands, const penta_cube_rows *rows)
{
    size_t pixels, numbers, bytes;

    if (rows->layout < PENTA_BSQ || rows->layout > PENTA_BIP)
        return penta_fail(ctx, PENTA_INVALID, "layout %d is none of bsq, bil, bip", rows->layout);
    if (!can_be(rows->type))
        return penta_fail(ctx, PENTA_INVALID, "cubes of type %s cannot be read", penta_type_name(rows->type));
    if (rows->rows == 0)
        return PENTA_OK;
    if (rows->cols == 0 || !rows->data)
        return penta_fail(ctx, PENTA_INVALID, "%zu rows of %zu pixels without data", rows->rows, rows->cols);
    if (__builtin_mul_overflow(rows->rows, rows->cols, &pixels) || __builtin_mul_overflow(pixels, bands, &numbers) ||
        __builtin_mul_overflow(numbers, penta_type_size(rows->type), &bytes))
        return penta_fail(ctx, PENTA_INVALID, "%zu x %zu x %zu numbers are more than memory has", bands, rows->rows,
                          rows->cols);
    if (rows->layout == PENTA_BSQ && rows->band_stride != 0 && rows->band_stride < pixels)
        return penta_fail(ctx, PENTA_INVALID, "bands of %zu pixels overlap at a stride of %zu", pixels,
                          rows->band_stride);
    return PENTA_OK;
}

void pca_pass(pca_place *place, const penta_cube_rows *rows)
{
    place->differ |= place->pixels > 0 && place->cols != rows->cols;
    place->cols = place->differ ? 0 : rows->cols;
    place->pixels += (uint64_t)rows->rows * rows->cols;
}

penta_status pca_fail_number(penta_context *ctx, const pca_place *place, size_t band, uint64_t pixel)
{
    static const char remedy[] = "is not finite; a mask or a no-data value leaves pixels out";

    if (place->cols == 0)
        return penta_fail(ctx, PENTA_INVALID, "the number in band %zu, pixel %llu %s", band + 1,
                          (unsigned long long)pixel, remedy);
    return penta_fail(ctx, PENTA_INVALID, "the number in band %zu, row %llu, column %llu %s", band + 1,
                      (unsigned long long)(pixel / place->cols + place->first_row),
                      (unsigned long long)(pixel % place->cols), remedy);
}
