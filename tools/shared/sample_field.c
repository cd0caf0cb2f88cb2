#include "shared/sample_field.h"

#include <math.h>
#include <stddef.h>

static uint64_t mix(uint64_t x) /* splitmix64 */
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

uint64_t sample_bits(int seed, uint64_t number)
{
    return mix(mix((uint64_t)seed) + number) >> 11;
}

double sample_uniform(int seed, uint64_t number)
{
    return (double)sample_bits(seed, number) * 0x1p-53;
}

/* Adds cos(kx x + phase) to one line: LANES neighbouring pixels at a time, each turned by LANES kx a step. */
static void add_wave_line(float *line, int width, double kx, double angle)
{
    enum { LANES = 16 };
    float re[LANES], im[LANES], step_re = (float)cos(LANES * kx), step_im = (float)sin(LANES * kx);
    int x = 0;

    for (int i = 0; i < LANES; i++) {
        re[i] = (float)cos(angle + i * kx);
        im[i] = (float)sin(angle + i * kx);
    }
    for (; x + LANES <= width; x += LANES)
        for (int i = 0; i < LANES; i++) {
            float turned = re[i] * step_re - im[i] * step_im;

            line[x + i] += re[i];
            im[i] = re[i] * step_im + im[i] * step_re;
            re[i] = turned;
        }
    for (int i = 0; x < width; x++, i++)
        line[x] += re[i];
}

void sample_add_wave(float *field, int width, int height, double kx, double ky, double phase)
{
    for (int y = 0; y < height; y++)
        add_wave_line(field + (size_t)y * (size_t)width, width, kx, ky * y + phase);
}
