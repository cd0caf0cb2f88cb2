/* Numbers of any type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "support/numbers.h"
#include "support/random.h"

const penta_type pixel_types[7] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_I32, PENTA_U32, PENTA_F32, PENTA_F64};

/* The limits of integers; for 64 bits the largest that a double holds. */
static const double ends[][2] = {
    [PENTA_U8] = {0, 255},
    [PENTA_U16] = {0, 65535},
    [PENTA_I16] = {-32768, 32767},
    [PENTA_U32] = {0, 0x1p32 - 1},
    [PENTA_I32] = {-0x1p31, 0x1p31 - 1},
    [PENTA_I64] = {-0x1p63, 0x1p63 - 1024},
};

bool is_integer(penta_type type)
{
    return type != PENTA_F32 && type != PENTA_F64;
}

void put_number(penta_type type, void *data, size_t i, double v)
{
    switch (type) {
    case PENTA_U8:
        ((uint8_t *)data)[i] = (uint8_t)v;
        return;
    case PENTA_U16:
        ((uint16_t *)data)[i] = (uint16_t)v;
        return;
    case PENTA_I16:
        ((int16_t *)data)[i] = (int16_t)v;
        return;
    case PENTA_U32:
        ((uint32_t *)data)[i] = (uint32_t)v;
        return;
    case PENTA_I32:
        ((int32_t *)data)[i] = (int32_t)v;
        return;
    case PENTA_I64:
        ((int64_t *)data)[i] = (int64_t)v;
        return;
    case PENTA_F32:
        ((float *)data)[i] = (float)v;
        return;
    case PENTA_F64:
        ((double *)data)[i] = v;
        return;
    }
    fail_msg("no numbers of type %d", (int)type);
}

double get_number(penta_type type, const void *data, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)data)[i];
    case PENTA_U16:
        return ((const uint16_t *)data)[i];
    case PENTA_I16:
        return ((const int16_t *)data)[i];
    case PENTA_U32:
        return ((const uint32_t *)data)[i];
    case PENTA_I32:
        return ((const int32_t *)data)[i];
    case PENTA_I64:
        return (double)((const int64_t *)data)[i];
    case PENTA_F32:
        return (double)((const float *)data)[i];
    case PENTA_F64:
        return ((const double *)data)[i];
    }
    fail_msg("no numbers of type %d", (int)type);
    return NAN;
}

double nearest_number(penta_type type, double v)
{
    if (is_integer(type))
        return fmin(fmax(round(v), ends[type][0]), ends[type][1]);
    return type == PENTA_F32 ? (double)(float)v : v;
}

double random_number(penta_type type)
{
    double u = random_uniform();

    if (is_integer(type))
        return ends[type][0] + floor(u * (ends[type][1] + 1 - ends[type][0]));
    return nearest_number(type, 1000 * u - 300);
}
