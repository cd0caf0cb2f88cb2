/* Grey levels of dark and flat frames, computed on the host because there is one set per series. */
#include "prepare/stages.h"

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
        out[i] = channels == 3 ? (float)(share[0] * penta_value_at(type, image, 3 * i) +
                                         share[1] * penta_value_at(type, image, 3 * i + 1) +
                                         share[2] * penta_value_at(type, image, 3 * i + 2))
                               : (float)penta_value_at(type, image, i);
}
