#include "shared/sample_scene.h"

#include <math.h>
#include <stddef.h>

#include "shared/sample_field.h"

enum { WAVES = 200 };

/* Which random numbers belong to what: two a wave first. */
enum {
    PLACES_AT = 2 * WAVES,
    PLACE_NUMBERS = 3,
    PLACES_MOST = 99999,
    DUST_AT = 1 << 19,
    DUST_NUMBERS = 4,
    DUST_MOST = 1 << 20,
    NOISE_AT = DUST_AT + DUST_NUMBERS * DUST_MOST
};
_Static_assert(PLACES_AT + PLACE_NUMBERS * PLACES_MOST < DUST_AT, "places and dust share no random numbers");

/* -most .. most in steps. */
static double step_between(const sample_scene *s, double most, double step, unsigned number)
{
    return step * round((2 * sample_uniform(s->seed, number) - 1) * floor(most / step)) + 0.0; /* no -0 */
}

sample_place sample_scene_place(const sample_scene *s, int index)
{
    unsigned at = PLACES_AT + PLACE_NUMBERS * (unsigned)index;
    sample_place place = {.r_max = s->r0 + s->speed * index};

    if (index > 0) {
        place.dx = step_between(s, s->drift, 0.05, at);
        place.dy = step_between(s, s->drift, 0.05, at + 1);
        place.angle = step_between(s, s->angle, 0.02, at + 2);
    }
    return place;
}

void sample_scene_pattern(const sample_scene *s, const sample_place *place, float *out)
{
    size_t count = (size_t)s->width * (size_t)s->height;
    double k = J0_PEAK / place->r_max, turn = place->angle * TWO_PI / 360;
    double x = (s->width - 1) / 2.0 + place->dx, y = (s->height - 1) / 2.0 + place->dy;

    for (size_t i = 0; i < count; i++)
        out[i] = 0;
    for (unsigned w = 0; w < WAVES; w++) {
        double direction = turn + TWO_PI * (w + sample_uniform(s->seed, 2 * w)) / WAVES;
        double kx = k * cos(direction), ky = k * sin(direction);
        double phase = TWO_PI * sample_uniform(s->seed, 2 * w + 1); /* at the centre of the content */

        sample_add_wave(out, s->width, s->height, kx, ky, phase - kx * x - ky * y);
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (float)(1 + SAMPLE_CONTRAST * (double)out[i] / sqrt(WAVES / 2.0));
}

/* At u, v from -1 to 1 over the frame. */
static double light_at(const sample_scene *s, double u, double v)
{
    double darkest = 1 / s->illumination, r2 = (u * u + v * v) / 2;

    switch (s->shape) {
    case SAMPLE_VIGNETTE:
        return 1 - (1 - darkest) * r2;
    case SAMPLE_GAUSSIAN:
        return pow(darkest, r2);
    default:
        return darkest + (1 - darkest) * (u + 1) / 2;
    }
}

void sample_scene_light(const sample_scene *s, float *light)
{
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            light[(size_t)y * (size_t)s->width + (size_t)x] = (float)light_at(
                s, s->width > 1 ? 2.0 * x / (s->width - 1) - 1 : 0, s->height > 1 ? 2.0 * y / (s->height - 1) - 1 : 0);
}

typedef struct disc {
    double x, y, radius, through;
} disc;

/* Lays it down; returns the pixels that were free of dust before. */
static size_t lay(const sample_scene *s, const disc *d, float *through, uint8_t *mask)
{
    int reach = (int)d->radius + 2;
    size_t covered = 0;

    for (int y = (int)d->y - reach; y <= (int)d->y + reach; y++)
        for (int x = (int)d->x - reach; x <= (int)d->x + reach; x++) {
            size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            double share = d->radius + 0.5 - hypot(x - d->x, y - d->y);
            float left;

            if (x < 0 || y < 0 || x >= s->width || y >= s->height || share <= 0)
                continue;
            left = (float)(1 - (1 - d->through) * fmin(share, 1));
            if (left < through[at])
                through[at] = left;
            if (share > 0.05 && mask[at]) {
                mask[at] = 0;
                covered++;
            }
        }
    return covered;
}

/* Discs of 1 to 8 px that let 0 to 60 % through, until the share of the area is covered. */
void sample_scene_dust(const sample_scene *s, float *through, uint8_t *mask)
{
    size_t count = (size_t)s->width * (size_t)s->height, covered = 0;

    for (size_t i = 0; i < count; i++) {
        through[i] = 1;
        mask[i] = 1;
    }
    for (unsigned i = 0; i < DUST_MOST && (double)covered < s->dust * (double)count; i++) {
        unsigned at = DUST_AT + DUST_NUMBERS * i;
        const disc d = {.x = s->width * sample_uniform(s->seed, at),
                        .y = s->height * sample_uniform(s->seed, at + 1),
                        .radius = 1 + 7 * sample_uniform(s->seed, at + 2),
                        .through = 0.6 * sample_uniform(s->seed, at + 3)};

        covered += lay(s, &d, through, mask);
    }
}

void sample_scene_expose(const sample_scene *s, int index, const float *light, const float *through, float *out)
{
    size_t count = (size_t)s->width * (size_t)s->height;
    uint64_t number = NOISE_AT + 2 * (uint64_t)count * (uint64_t)index;
    double mean = 0, noise = 0;

    for (size_t i = 0; i < count; i++)
        mean += (double)light[i] / (double)count;
    if (s->snr > 0)
        noise = mean / 2 * SAMPLE_CONTRAST / s->snr;
    for (size_t i = 0; i < count; i++) {
        double v = 0.5 * (double)light[i] * (double)through[i] * (double)out[i];

        if (noise > 0) /* Box and Muller */
            v += noise * sqrt(-2 * log(1 - sample_uniform(s->seed, number + 2 * i))) *
                 cos(TWO_PI * sample_uniform(s->seed, number + 2 * i + 1));
        out[i] = (float)v;
    }
}
