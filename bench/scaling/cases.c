/* The cases of penta bench --scaling. Those of CPU devices end within two minutes on two cores, all of them. */
#include "scaling.h"

#include <pentacl/array.h>

/* clang-format off */
const scaling_case scaling_cases[] = {
    {"nbody", "262144", false, false, 95, "100 leapfrog steps", &scaling_nbody, {262144, 100}},
    {"nbody", "65536", false, false, 85, "100 leapfrog steps", &scaling_nbody, {65536, 100}},
    {"pca", "512x512x224-u16-16", true, false, 95, "the components of 16 cubes a member", &scaling_pca,
     {512, 512, 224, 16, PENTA_U16}},
    {"pca", "512x512x224-f32-16", true, false, 95, "the components of 16 cubes a member", &scaling_pca,
     {512, 512, 224, 16, PENTA_F32}},
    {"autocorr", "750x1500-r250-4096", false, false, 95, "4096 frames of 16 bits, to R_max", &scaling_autocorr,
     {1500, 750, 250, 4096, 32}},
    {"optmap", "100x100x1024-64", false, false, 95, "64 movies, conditioned", &scaling_optmap,
     {100, 100, 1024, 64, 4, 0}},
    {"optmap", "100x100x1024-64-maps", false, false, 95, "64 movies, to the maps of each beat", &scaling_optmap,
     {100, 100, 1024, 64, 4, 1}},

    {"nbody", "8192", false, true, 0, "20 leapfrog steps", &scaling_nbody, {8192, 20}},
    {"pca", "128x128x224-u16-4", true, true, 0, "the components of 4 cubes a member", &scaling_pca,
     {128, 128, 224, 4, PENTA_U16}},
    {"autocorr", "256x256-r64-64", false, true, 0, "64 frames of 16 bits, to R_max", &scaling_autocorr,
     {256, 256, 64, 64, 8}},
    {"optmap", "50x50x256-8", false, true, 0, "8 movies, conditioned", &scaling_optmap, {50, 50, 256, 8, 4, 0}},
    {"optmap", "50x50x256-8-maps", false, true, 0, "8 movies, to the maps of each beat", &scaling_optmap,
     {50, 50, 256, 8, 4, 1}},
};
/* clang-format on */

const size_t scaling_case_count = sizeof scaling_cases / sizeof *scaling_cases;
