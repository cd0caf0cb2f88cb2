/* Gravity in plain C. The loop over the bodies of a block is the inner one: gcc makes vectors of it, with its
 * reciprocal square root, and the sums need no reduction. */
#include "peers.h"

#include <math.h>

enum { BLOCK = 64 };

#define REAL    float
#define ROOT    sqrtf
#define BODIES  peer_bodies
#define NAME(f) f
#include "nbody_native.inc"
#undef REAL
#undef ROOT
#undef BODIES
#undef NAME

#define REAL    double
#define ROOT    sqrt
#define BODIES  peer_bodies_double
#define NAME(f) f##_double
#include "nbody_native.inc"
