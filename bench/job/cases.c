/* The jobs of --job: for each workload one as large as users have, and a small one, which shows what starting costs. */
#include "job.h"

static const job_check r_max[] = {{"R_max", "px", "r_max", NULL, false, 0.3}, {0}};
static const job_check drift[] = {
    {"drift along x", "px", "dx", NULL, false, 0.3}, {"drift along y", "px", "dy", NULL, false, 0.3}, {0}};
static const job_check flux[] = {{"flux in the frame", "", "flux_in_frame", NULL, false, 1e-6}, {0}};
static const job_check bodies[] = {
    {"final positions and velocities", "of the sphere's unit", NULL, "final.npy", false, 1e-4}, {0}};
static const job_check eigenvalues[] = {{"the first ten eigenvalues", "", "eigenvalues", NULL, false, 1e-9}, {0}};
static const job_check activation[] = {
    {"activation times of half of the pixels", "ms", NULL, "activation.npy", true, 1}, {0}};

const job_case job_cases[] = {
    {"autocorr", "8x1024x1024", "8 PNG of 1024 x 1024 px", "-n 8 --width 1024 --height 1024",
     "--bootstrap 0 -o OUT IN/frame-*.png", NULL, r_max},
    {"autocorr", "4x256x256", "4 PNG of 256 x 256 px", "-n 4 --width 256 --height 256",
     "--bootstrap 0 -o OUT IN/frame-*.png", NULL, r_max},
    {"prepare", "4x640x480", "4 photographs of 640 x 480 px, 16 bits, registered with the first",
     "-n 4 --width 640 --height 480", "-o OUT IN/frame-*.png", NULL, drift},
    {"prepare", "3x256x256", "3 photographs of 256 x 256 px, 16 bits, registered with the first",
     "-n 3 --width 256 --height 256 --r0 12 --drift 6", "-o OUT IN/frame-*.png", NULL, drift},
    {"stars", "100000-2048x2048", "100000 stars on 2048 x 2048 px", "-n 100000 --width 2048 --height 2048",
     "--list IN/list.csv --size 2048x2048 -o OUT/frame.fits", "2048", flux},
    {"stars", "500-256x256", "500 stars on 256 x 256 px", "-n 500 --width 256 --height 256",
     "--list IN/list.csv --size 256x256 -o OUT/frame.fits", "256", flux},
    {"nbody", "1024-40", "40 steps of 1024 bodies", "-n 1024", "--input IN/plummer.npy --eps 0.05 --steps 40 -o OUT",
     "40", bodies},
    {"nbody", "256-16", "16 steps of 256 bodies", "-n 256", "--input IN/plummer.npy --eps 0.05 --steps 16 -o OUT", "16",
     bodies},
    {"pca", "256x256x224", "10 components of 256 x 256 pixels, 224 bands, 16 bits", "--bands 224 --rows 256 --cols 256",
     "-k 10 -o OUT IN/scene.npy", NULL, eigenvalues},
    {"pca", "64x64x32", "10 components of 64 x 64 pixels, 32 bands, 16 bits", "--bands 32 --rows 64 --cols 64",
     "-k 10 -o OUT IN/scene.npy", NULL, eigenvalues},
    {"optmap", "64x64x400", "2 beats on 64 x 64 px, 400 frames of 16 bits", "--kind radial --noise 100",
     "--no-movie --rate 1000 -o OUT IN/movie.npy", NULL, activation},
    {"optmap", "32x32x300", "2 beats on 32 x 32 px, 300 frames of 16 bits",
     "--kind radial --width 32 --height 32 -n 300 --noise 100", "--no-movie --rate 1000 -o OUT IN/movie.npy", NULL,
     activation}};

const size_t job_case_count = sizeof job_cases / sizeof *job_cases;

#define SCRIPTS SCRIPT(clock) SCRIPT(autocorr) SCRIPT(prepare) SCRIPT(stars) SCRIPT(nbody) SCRIPT(pca) SCRIPT(optmap)

#define SCRIPT(name)                                                                                                   \
    extern const unsigned char job_script_##name[];                                                                    \
    extern const size_t job_script_##name##_bytes;
SCRIPTS
#undef SCRIPT

#define SCRIPT(name) {#name ".py", job_script_##name, &job_script_##name##_bytes},
const job_script job_scripts[] = {SCRIPTS};

const size_t job_script_count = sizeof job_scripts / sizeof *job_scripts;
