/* Grey levels of dark and flat frames, computed on the host because there is one set per series. */
#include "prepare/stages.h"

static double value_at(const void *image, penta_type type, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)image)[i];
    case PENTA_U16:
        return ((const uint16_t *)image)[i];
    case PENTA_F32:
        return (double)((const float *)image)[i];
    default:
        return ((const double *)image)[i];
    }
}

void penta_prepare_levels(size_t width, size_t height, size_t channels, penta_type type, const void *image, int grey,
                          float *out)
{
    static const double shares[][3] = {[PENTA_PREPARE_LUMINANCE] = {0.299, 0.587, 0.114},
                                       [PENTA_PREPARE_MEAN] = {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                       [PENTA_PREPARE_RED] = {1, 0, 0},
                                       [PENTA_PREPARE_GREEN] = {0, 1, 0},
                                       [PENTA_PREPARE_BLUE] = {0, 0, 1}};
    const double *share = shares[grey];

    for (size_t i = 0; i < width * height; i++)
        out[i] = channels == 3
                     ? (float)(share[0] * value_at(image, type, 3 * i) + share[1] * value_at(image, type, 3 * i + 1) +
                               share[2] * value_at(image, type, 3 * i + 2))
                     : (float)value_at(image, type, i);
}
