/*
 * A program as it was built with the frozen headers (tests/abi/include), run with today's library: plans of every
 * workload with options that it sets, and what they give. Behind each options struct lies memory that the library must
 * neither read nor write. It uses no option that is the last of its struct, so that it can be built as well with
 * structs that lack it (shorten.sh); then the library must take the default. Usage: program [DEVICE]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/pentacl.h>

static penta_context *ctx;

static void check(bool right, const char *what, int line)
{
    if (right)
        return;
    fprintf(stderr, "program.c:%d: %s; the library says: %s\n", line, what, penta_last_error(ctx));
    exit(1);
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define CHECK_OK(call)   check((call) == PENTA_OK, #call, __LINE__)

enum { BEYOND = 64, FILL = 0xA5 };

/* An options struct with memory of someone else behind it. */
#define OPTIONS(table)                                                                                                 \
    struct {                                                                                                           \
        penta_##table##_options o;                                                                                     \
        unsigned char beyond[BEYOND];                                                                                  \
    }
#define BEGIN(table, options)                                                                                          \
    (memset(&(options), FILL, sizeof(options)), penta_##table##_options_init(&(options).o),                            \
     CHECK((options).o.size == sizeof(options).o))
#define END(options) CHECK(is_untouched((options).beyond))

static bool is_untouched(const unsigned char *beyond)
{
    for (int i = 0; i < BEYOND; i++)
        if (beyond[i] != FILL)
            return false;
    return true;
}

/* ---- tables ---- */

static size_t library_size(const char *wanted)
{
    const penta_workload *w;
    const char *name;
    size_t size;

    for (size_t i = 0; (w = penta_workload_at(i)) != NULL; i++)
        for (size_t t = 0; penta_workload_table(w, t, &name, &size); t++)
            if (strcmp(name, wanted) == 0)
                return size;
    return 0;
}

/* The library's structs are as large as this program's, or have grown. PENTA_ABI_SHORT: most have, as this program's
 * lack a field (in some it leaves a hole, which init fills with the default). */
static void check_sizes(void)
{
    const struct {
        const char *name;
        size_t size;
    } structs[] = {{"autocorr", sizeof(penta_autocorr_options)}, {"spinodal", sizeof(penta_spinodal_options)},
                   {"stars", sizeof(penta_stars_options)},       {"detector", sizeof(penta_detector_options)},
                   {"nbody", sizeof(penta_nbody_options)},       {"pca", sizeof(penta_pca_options)},
                   {"optmap", sizeof(penta_optmap_options)},     {"beats", sizeof(penta_beats_options)},
                   {"rotors", sizeof(penta_rotors_options)},     {"spiral", sizeof(penta_spiral_options)},
                   {"tissue", sizeof(penta_tissue_options)},     {"camera", sizeof(penta_camera_options)},
                   {"prepare", sizeof(penta_prepare_options)}};
    size_t grown = 0;

    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++) {
        size_t size = library_size(structs[i].name);

        printf("%-9s %4zu bytes here, %4zu in the library\n", structs[i].name, structs[i].size, size);
        CHECK(size >= structs[i].size);
        grown += size > structs[i].size;
    }
#ifdef PENTA_ABI_SHORT
    CHECK(grown > sizeof structs / sizeof *structs / 2);
#endif
}

/* ---- one run each ---- */

static void run_autocorr(void)
{
    enum { SIDE = 128, R = 30, LENGTH = 9 };
    static uint8_t image[SIDE * SIDE];
    OPTIONS(autocorr) options;
    char message[200];
    penta_autocorr *plan = NULL;
    penta_autocorr_frame frame = {.image = image};
    penta_autocorr_result result = {0};
    penta_autocorr_bin c1d[R + 1];

    for (int w = 0; w < SIDE * SIDE; w++) { /* 32 plane waves, which have a ring at LENGTH */
        double sum = 0;

        for (int k = 0; k < 32; k++) {
            double a = 3.14159265 * k / 32;

            sum += cos(7.0156 / LENGTH * (w % SIDE * cos(a) + w / SIDE * sin(a)) + 3.88 * k * k);
        }
        image[w] = (uint8_t)(128 + 15 * fmin(fmax(sum, -8), 8));
    }
    BEGIN(autocorr, options);
    CHECK_OK(penta_preset_apply(penta_autocorr_presets(), "paper", penta_autocorr_option_table(), &options.o, message,
                                sizeof message));
    penta_autocorr_options_init(&options.o);
    options.o.max_offset = R;
    options.o.estimator = PENTA_AUTOCORR_PEARSON;
    CHECK_OK(penta_autocorr_create(ctx, SIDE, SIDE, PENTA_U8, &options.o, &plan));
    result.c1d = c1d;
    CHECK_OK(penta_autocorr_run(plan, 1, &frame, &result));
    CHECK(fabs(c1d[0].c - 1) < 1e-9 && fabs(result.peak.r_max - LENGTH) < 0.5);
    CHECK(result.peak.r_max_se > 0); /* by the default number of resamples */
    penta_autocorr_destroy(plan);
    options.o.max_offset = SIDE;
    CHECK(penta_autocorr_create(ctx, SIDE, SIDE, PENTA_U8, &options.o, &plan) == PENTA_INVALID);
    END(options);
}

static void run_stars(void)
{
    enum { SIDE = 64 };
    static float image[SIDE * SIDE], dn[SIDE * SIDE];
    const double x = 30, y = 20, magnitude = 1;
    const penta_stars_list list = {.n = 1, .x = &x, .y = &y, .magnitude = &magnitude};
    penta_stars_result result = {.image = image};
    OPTIONS(stars) options;
    OPTIONS(detector) detector;
    penta_stars *plan = NULL;
    penta_detector *d = NULL;

    BEGIN(stars, options);
    options.o.amplitude = 1000;
    options.o.mag_base = PENTA_STARS_POGSON;
    CHECK_OK(penta_stars_create(ctx, SIDE, SIDE, &options.o, &plan));
    CHECK_OK(penta_stars_run(plan, &list, &result));
    CHECK(result.drawn == 1 && fabs(result.flux_total - 1000 / 2.5118864315) < 1e-6);
    CHECK(image[20 * SIDE + 30] > image[20 * SIDE + 31]);
    penta_stars_destroy(plan);
    END(options);
    BEGIN(detector, detector);
    detector.o.shot_noise = PENTA_SHOT_NONE;
    detector.o.quantum_efficiency = 0.5;
    detector.o.gain = 2;
    detector.o.bias = 100;
    CHECK_OK(penta_detector_create(ctx, SIDE, SIDE, &detector.o, &d));
    CHECK_OK(penta_detector_run(d, 0, image, PENTA_F32, dn, NULL));
    CHECK(fabs(dn[20 * SIDE + 30] - (100 + image[20 * SIDE + 30] / 4)) < 1.5);
    penta_detector_destroy(d);
    END(detector);
}

static void run_nbody(void)
{
    double bodies[2][7] = {{0.5, 0.5, 0, 0, 0, 0.70710678, 0}, {0.5, -0.5, 0, 0, 0, -0.70710678, 0}};
    penta_nbody_diagnostics before, after;
    OPTIONS(nbody) options;
    penta_nbody *plan = NULL;

    BEGIN(nbody, options);
    options.o.eps = 0;
    options.o.dt = 1e-3;
    options.o.precision = PENTA_PRECISION_DOUBLE;
    CHECK_OK(penta_nbody_create(ctx, 2, &options.o, &plan));
    CHECK_OK(penta_nbody_set(plan, &bodies[0][0]));
    CHECK_OK(penta_nbody_diagnose(plan, &before));
    CHECK_OK(penta_nbody_advance(plan, 100));
    CHECK_OK(penta_nbody_diagnose(plan, &after));
    CHECK(fabs(penta_nbody_time(plan) - 0.1) < 1e-12);
    CHECK(fabs(before.mass - 1) < 1e-12 && fabs(after.energy - before.energy) < 1e-6);
    penta_nbody_destroy(plan);
    END(options);
}

static void make_others(void)
{
    OPTIONS(pca) pca;
    OPTIONS(optmap) optmap;
    OPTIONS(prepare) prepare;
    OPTIONS(spinodal) spinodal;
    penta_pca *components = NULL;
    penta_optmap *maps = NULL;
    penta_prepare *frames = NULL;
    penta_spinodal *field = NULL;
    size_t width, height;

    BEGIN(pca, pca);
    pca.o.components = 2;
    CHECK_OK(penta_pca_create(ctx, 5, 100, &pca.o, &components));
    penta_pca_destroy(components);
    END(pca);
    BEGIN(optmap, optmap);
    optmap.o.window = 3;
    CHECK_OK(penta_optmap_create(ctx, 16, 12, 60, &optmap.o, &maps));
    CHECK(penta_optmap_frames(maps) == 60);
    penta_optmap_destroy(maps);
    END(optmap);
    BEGIN(prepare, prepare);
    prepare.o.crop = "8,4,40,32";
    CHECK_OK(penta_prepare_create(ctx, 64, 48, 1, PENTA_U8, &prepare.o, &frames));
    penta_prepare_size(frames, &width, &height);
    CHECK(width == 40 && height == 32);
    penta_prepare_destroy(frames);
    END(prepare);
    BEGIN(spinodal, spinodal);
    spinodal.o.composition = 0.25;
    CHECK_OK(penta_spinodal_create(ctx, 16, 16, &spinodal.o, &field));
    penta_spinodal_destroy(field);
    END(spinodal);
}

int main(int argc, char **argv)
{
    int major = 0, minor = 0;

    CHECK(sscanf(penta_version(), "%d.%d", &major, &minor) == 2);
    CHECK(major == PENTACL_VERSION_MAJOR && (major > 0 || minor == PENTACL_VERSION_MINOR)); /* the same SOVERSION */
    check_sizes();
    CHECK_OK(penta_context_create(argc > 1 ? argv[1] : NULL, &ctx));
    run_autocorr();
    run_stars();
    run_nbody();
    make_others();
    penta_context_destroy(ctx);
    puts("ok");
    return 0;
}
