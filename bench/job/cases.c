/* The jobs of --job: for each workload one of medium size, a small one, which shows what starting costs, and one as
 * large as users have. Seconds are of two cores of a CPU. */
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

/* clang-format off */
const job_case job_cases[] = {
    {"autocorr", "8x1024x1024", BENCH_SMALLER, 4, 1, 2.5, "8 PNG of 1024 x 1024 px",
     "-n 8 --width 1024 --height 1024", "--bootstrap 0 -o OUT IN/frame-*.png", NULL, r_max},
    {"autocorr", "4x256x256", BENCH_BRIEF, 3.5, 0.5, 0.7, "4 PNG of 256 x 256 px",
     "-n 4 --width 256 --height 256", "--bootstrap 0 -o OUT IN/frame-*.png", NULL, r_max},
    {"autocorr", "40x1500x750", BENCH_THOROUGH, 5, 2.1, 3.5, "40 PNG of 1500 x 750 px",
     "-n 40 --width 1500 --height 750", "--bootstrap 0 -o OUT IN/frame-*.png", NULL, r_max},
    {"prepare", "4x640x480", BENCH_SMALLER, 6, 1.2, 2.2, "4 photographs of 640 x 480 px, 16 bits, registered with the first",
     "-n 4 --width 640 --height 480", "-o OUT IN/frame-*.png", NULL, drift},
    {"prepare", "3x256x256", BENCH_BRIEF, 6, 0.8, 0.9, "3 photographs of 256 x 256 px, 16 bits, registered with the first",
     "-n 3 --width 256 --height 256 --r0 12 --drift 6", "-o OUT IN/frame-*.png", NULL, drift},
    {"prepare", "12x1536x1024", BENCH_THOROUGH, 9, 3.6, 28,
     "12 photographs of 1536 x 1024 px, 16 bits, registered with the first",
     "-n 12 --width 1536 --height 1024", "-o OUT IN/frame-*.png", NULL, drift},
    {"stars", "100000-2048x2048", BENCH_SMALLER, 2.5, 0.4, 1.2, "100000 stars on 2048 x 2048 px",
     "-n 100000 --width 2048 --height 2048", "--list IN/list.csv --size 2048x2048 -o OUT/frame.fits", "2048", flux},
    {"stars", "500-256x256", BENCH_BRIEF, 1.7, 0.15, 0.3, "500 stars on 256 x 256 px",
     "-n 500 --width 256 --height 256", "--list IN/list.csv --size 256x256 -o OUT/frame.fits", "256", flux},
    {"stars", "1000000-4096x4096", BENCH_THOROUGH, 4, 1.75, 12, "1000000 stars on 4096 x 4096 px",
     "-n 1000000 --width 4096 --height 4096", "--list IN/list.csv --size 4096x4096 -o OUT/frame.fits", "4096", flux},
    {"nbody", "1024-40", BENCH_SMALLER, 3, 0.3, 1.8, "40 steps of 1024 bodies",
     "-n 1024", "--input IN/plummer.npy --eps 0.05 --steps 40 -o OUT", "40", bodies},
    {"nbody", "256-16", BENCH_BRIEF, 2, 0.2, 0.25, "16 steps of 256 bodies",
     "-n 256", "--input IN/plummer.npy --eps 0.05 --steps 16 -o OUT", "16", bodies},
    {"nbody", "8192-40", BENCH_THOROUGH, 5, 3, 107, "40 steps of 8192 bodies",
     "-n 8192", "--input IN/plummer.npy --eps 0.05 --steps 40 -o OUT", "40", bodies},
    {"pca", "256x256x224", BENCH_SMALLER, 3.5, 0.5, 2.2, "10 components of 256 x 256 pixels, 224 bands, 16 bits",
     "--bands 224 --rows 256 --cols 256", "-k 10 -o OUT IN/scene.npy", NULL, eigenvalues},
    {"pca", "64x64x32", BENCH_BRIEF, 2.5, 0.25, 0.5, "10 components of 64 x 64 pixels, 32 bands, 16 bits",
     "--bands 32 --rows 64 --cols 64", "-k 10 -o OUT IN/scene.npy", NULL, eigenvalues},
    {"pca", "512x614x224", BENCH_THOROUGH, 4, 0.8, 5.6, "10 components of 512 x 614 pixels, 224 bands, 16 bits",
     "--bands 224 --rows 512 --cols 614", "-k 10 -o OUT IN/scene.npy", NULL, eigenvalues},
    {"optmap", "64x64x400", BENCH_SMALLER, 6, 2, 1.8, "2 beats on 64 x 64 px, 400 frames of 16 bits",
     "--kind radial --noise 100", "--no-movie --rate 1000 -o OUT IN/movie.npy", NULL, activation},
    {"optmap", "32x32x300", BENCH_BRIEF, 6, 1, 1.4, "2 beats on 32 x 32 px, 300 frames of 16 bits",
     "--kind radial --width 32 --height 32 -n 300 --noise 100", "--no-movie --rate 1000 -o OUT IN/movie.npy", NULL,
     activation},
    {"optmap", "128x128x2000", BENCH_THOROUGH, 10, 6, 5, "8 beats on 128 x 128 px, 2000 frames of 16 bits",
     "--kind radial --width 128 --height 128 -n 2000 --beats 8 --noise 100",
     "--no-movie --rate 1000 -o OUT IN/movie.npy", NULL, activation}};
/* clang-format on */

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
