/*
 * The programs of a usual series as one, for CPU devices (penta_workload.usual). Which ones, and their defines, is said
 * in src/prepare/selftest.c.
 */
#define PIXEL    ushort
#define CHANNELS 1
#include "prepare/load.cl"
#undef LANES
#undef FIRST

#define OUT ushort
#define INTEGER
#include "prepare/contrast.cl"
#undef LANES
#undef LOAD
#undef STORE
#undef EACH

#include "prepare/blank.cl"
#include "prepare/flatten.cl"

#define TAPS 4
#include "prepare/resample.cl"
#undef FIRST
#undef GENTLE

#include "prepare/background.cl"
#include "prepare/background_planes.cl"
#undef LOAD
#undef STORE

#define DEGREE 2
#include "prepare/background_poly.cl"
#undef SUMS

#define FACTOR 6
#include "prepare/dust.cl"
#include "prepare/dust_grow.cl"
#include "prepare/dust_scale.cl"
#undef CHUNK
#include "prepare/register.cl"
#include "prepare/see.cl"
#include "prepare/sums_cpu.cl"
#undef LANES
#include "common/fft_simd.cl"
