#include "optmap/ranks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "math/ranks.h"

double optmap_rank(double *values, size_t n, size_t rank)
{
    return penta_select(n, values, rank);
}

double optmap_median(double *values, size_t n)
{
    return n ? optmap_rank(values, n, n / 2) : NAN;
}

void optmap_sort_few(double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double x = values[i];
        size_t k = i;

        for (; k > 0 && values[k - 1] > x; k--)
            values[k] = values[k - 1];
        values[k] = x;
    }
}

enum { DIGIT = 11, DIGITS = 3, FEW = 512 }; /* bits; fewer numbers than FEW are compared */

/* Bits that sort as the number does; both zeros are one number. */
static uint32_t key_of(float value)
{
    uint32_t bits;

    value += 0.0F;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1U << 31;
}

static uint32_t digit_of(float value, int pass)
{
    return key_of(value) >> (DIGIT * pass) & ((1U << DIGIT) - 1);
}

/* Numbers by one digit, in the order that they had. */
static void distribute(const float *from, size_t n, int pass, float *to)
{
    size_t places[1 << DIGIT] = {0}, place = 0;

    for (size_t i = 0; i < n; i++)
        places[digit_of(from[i], pass)]++;
    for (size_t k = 0; k < 1 << DIGIT; k++) {
        size_t count = places[k];

        places[k] = place;
        place += count;
    }
    for (size_t i = 0; i < n; i++)
        to[places[digit_of(from[i], pass)]++] = from[i];
}

void optmap_sort(float *values, size_t n)
{
    float *room = n < FEW ? NULL : malloc(n * sizeof *room);

    if (!room) {
        qsort(values, n, sizeof *values, penta_compare_floats);
        return;
    }
    for (int pass = 0; pass < DIGITS; pass++)
        distribute(pass % 2 ? room : values, n, pass, pass % 2 ? values : room);
    memcpy(values, room, n * sizeof *values);
    free(room);
}

double optmap_lower_median(const float *values, size_t n, float *scratch)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            scratch[count++] = values[i];
    optmap_sort(scratch, count);
    return count ? (double)scratch[(count - 1) / 2] : NAN;
}
