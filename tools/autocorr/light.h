/* Light that falls off and dust, as far as a frame shows them before `penta prepare` has taken them off. */
#pragma once

#include <stdint.h>

#include <pentacl/io/image.h>

typedef struct frame_light {
    double corner; /* of the brightest light, in the darkest corner; 1: even, or not to be told */
    double dust;   /* share of the frame; 0: none, or not to be told */
} frame_light;

/* mask: 0 excludes a pixel; NULL: all count. */
frame_light light_measure(const penta_io_image *image, const uint8_t *mask);
