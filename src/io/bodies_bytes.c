/* Integers and IEEE floats from and to bytes of either byte order, on any machine. */
#include "io/bodies_format.h"

#include <string.h>

static uint64_t get(const unsigned char *at, size_t size, bool big)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value = value << 8 | at[big ? i : size - 1 - i];
    return value;
}

static void put(unsigned char *at, size_t size, uint64_t value, bool big)
{
    for (size_t i = 0; i < size; i++)
        at[big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

uint32_t io_get_u32(const unsigned char *at, bool big)
{
    return (uint32_t)get(at, 4, big);
}

uint64_t io_get_u64(const unsigned char *at, bool big)
{
    return get(at, 8, big);
}

double io_get_float(const unsigned char *at, size_t size, bool big)
{
    uint64_t bits = get(at, size, big);
    uint32_t low = (uint32_t)bits;
    double value;
    float single;

    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    return size == 4 ? single : value;
}

void io_put_u32(unsigned char *at, uint32_t value, bool big)
{
    put(at, 4, value, big);
}

void io_put_u64(unsigned char *at, uint64_t value, bool big)
{
    put(at, 8, value, big);
}

void io_put_float(unsigned char *at, double value, bool big)
{
    float single = (float)value;
    uint32_t bits;

    memcpy(&bits, &single, sizeof bits);
    put(at, 4, bits, big);
}

void io_put_double(unsigned char *at, double value, bool big)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(at, 8, bits, big);
}
