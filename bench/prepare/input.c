/* Photographs of the prepare benchmark. */
#include "input.h"

#include <math.h>

static void quantise(const float *picture, size_t count, uint16_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint16_t)(fmin(fmax((double)picture[i], 0), 1) * 65535 + 0.5);
}

void prepare_input_create(bench *b, double angle, prepare_input *in)
{
    const size_t width = 750, height = 1500, count = width * height;
    float *light = bench_alloc(b, count, sizeof *light), *through = bench_alloc(b, count, sizeof *through);
    float *picture = bench_alloc(b, count, sizeof *picture);
    uint8_t *dust = bench_alloc(b, count, 1);

    *in = (prepare_input){.b = b,
                          .scene = {.width = (int)width,
                                    .height = (int)height,
                                    .seed = 1,
                                    .r0 = 20,
                                    .drift = 12,
                                    .angle = angle,
                                    .illumination = 4,
                                    .shape = SAMPLE_LINEAR,
                                    .dust = 0.02,
                                    .snr = 10},
                          .pixels = count};
    sample_scene_light(&in->scene, light);
    sample_scene_dust(&in->scene, through, dust);
    for (int i = 0; i < PREPARE_FRAMES; i++) {
        in->raw[i] = bench_pinned(b, count * sizeof *in->raw[i]);
        in->places[i] = sample_scene_place(&in->scene, i);
        sample_scene_pattern(&in->scene, &in->places[i], picture);
        sample_scene_expose(&in->scene, i, light, through, picture);
        quantise(picture, count, in->raw[i]);
    }
}

void prepare_clean_frame(const prepare_input *in, int index, float *out)
{
    float *even = bench_alloc(in->b, in->pixels, sizeof *even);

    for (size_t i = 0; i < in->pixels; i++)
        even[i] = 1;
    sample_scene_pattern(&in->scene, &in->places[index], out);
    sample_scene_expose(&in->scene, index, even, even, out);
    for (size_t i = 0; i < in->pixels; i++)
        out[i] = 2 * out[i] - 1;
}
