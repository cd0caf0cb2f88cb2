/* What the cases of the prepare benchmark share: photographs with known drift, and what the others register. */
#pragma once

#include <pentacl/prepare.h>
#include <stdint.h>

#include "bench.h"
#include "peers/peers.h"
#include "shared/sample_scene.h"

enum { PREPARE_FRAMES = 8 };

typedef struct {
    bench *b;
    sample_scene scene;
    size_t pixels;
    uint16_t *raw[PREPARE_FRAMES]; /* pinned, height x width */
    sample_place places[PREPARE_FRAMES];
} prepare_input;

void prepare_input_create(bench *b, double angle, prepare_input *in);

/* The pattern of a frame with its noise, in even light and without dust, about 0: height x width. */
void prepare_clean_frame(const prepare_input *in, int index, float *out);

/* The peers' rows, with what each measured on these frames. */
void prepare_peer_rows(prepare_input *in);
