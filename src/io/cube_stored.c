/* Elements of types that cubes do not have: i8 becomes i16, f16 becomes f32, and 64-bit integers become f64 where that
 * changes no number. */
#include "io/cube_format.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    penta_type raw, type; /* raw: of the same size as what is stored */
} widened[] = {[IO_STORED_I8] = {PENTA_U8, PENTA_I16},
               [IO_STORED_F16] = {PENTA_U16, PENTA_F32},
               [IO_STORED_I64] = {PENTA_I64, PENTA_F64},
               [IO_STORED_U64] = {PENTA_I64, PENTA_F64}};

penta_type io_cube_raw_type(int stored)
{
    return widened[stored].raw;
}

void io_cube_take_stored(penta_io_cube *cube)
{
    if (cube->stored)
        cube->whole.type = widened[cube->stored].type;
}

/* IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction. */
static float half(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31u, fraction = h & 0x3ffu, bits;
    float value;

    if (exponent == 0) /* zero or subnormal: a multiple of 2^-24 */
        return (sign ? -1.0F : 1.0F) * (float)fraction * 0x1p-24F;
    bits = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double number_of(uint64_t bits, bool is_signed)
{
    return is_signed ? (double)(int64_t)bits : (double)bits;
}

/* Whether the magnitude is at most 2^53, so that a double holds this number and no other becomes it. */
static bool is_exact(uint64_t bits, bool is_signed)
{
    uint64_t size = is_signed && bits >> 63 ? 0 - bits : bits;

    return size <= UINT64_C(1) << 53;
}

/* From the last element to the first, as elements grow where they are. */
bool io_cube_widen(const penta_io_cube *cube, void *elements, size_t count, penta_io_error *err)
{
    unsigned char *data = elements;
    bool is_signed = cube->stored == IO_STORED_I64;

    for (size_t i = count; cube->stored && i-- > 0;) {
        int8_t byte;
        uint16_t word;
        uint64_t bits;

        if (cube->stored == IO_STORED_I8) {
            memcpy(&byte, data + i, sizeof byte);
            memcpy(data + 2 * i, &(int16_t){byte}, sizeof(int16_t));
        } else if (cube->stored == IO_STORED_F16) {
            memcpy(&word, data + 2 * i, sizeof word);
            memcpy(data + 4 * i, &(float){half(word)}, sizeof(float));
        } else {
            memcpy(&bits, data + 8 * i, sizeof bits);
            if (!cube->any_integer && !is_exact(bits, is_signed))
                return penta_io_fail(err,
                                     "%s: holds %s%" PRIu64 ", and integers of 64 bits are read up to 2^53 only; "
                                     "subtract an offset, or save it as f64 if rounded numbers will do",
                                     cube->path, is_signed && bits >> 63 ? "-" : "",
                                     is_signed && bits >> 63 ? 0 - bits : bits);
            memcpy(data + 8 * i, &(double){number_of(bits, is_signed)}, sizeof(double));
        }
    }
    return true;
}

double penta_io_cube_number(penta_type type, const void *elements, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)elements)[i];
    case PENTA_U16:
        return ((const uint16_t *)elements)[i];
    case PENTA_I16:
        return ((const int16_t *)elements)[i];
    case PENTA_U32:
        return ((const uint32_t *)elements)[i];
    case PENTA_I32:
        return ((const int32_t *)elements)[i];
    case PENTA_F32:
        return (double)((const float *)elements)[i];
    default:
        return ((const double *)elements)[i];
    }
}
