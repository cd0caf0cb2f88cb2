/* Tips of waves in an excitable medium. */
#pragma once

#include <stdint.h>

#include <pentacl/spiral.h>

/* Finds points where u = level_u and v = level_v, bilinear in the squares between four cells' middles, by rows. Returns
 * their number; the first `most` are in tips. u, v: height x width. medium: height x width, 0 in cells whose squares
 * are left out; NULL: no such cells. */
size_t optmap_tips(const float *u, const float *v, size_t width, size_t height, const uint8_t *medium, double level_u,
                   double level_v, penta_spiral_tip *tips, size_t most);
