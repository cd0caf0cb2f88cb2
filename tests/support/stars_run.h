/* Shared by the tests of the stars workload: engines, scenes, and frames by a plan and by the reference. */
#pragma once

#include <pentacl/stars.h>

#include "reference/stars.h"

/* A list of stars that owns its arrays. */
typedef struct {
    size_t n;
    double *x, *y, *m;
} stars_scene;

stars_scene stars_scene_alloc(size_t n);
/* n stars anywhere in the frame and slightly outside it, magnitudes 0 to 12. */
stars_scene stars_scene_random(size_t n, size_t width, size_t height, unsigned seed);
void stars_scene_free(stars_scene *scene);
penta_stars_list stars_scene_list(const stars_scene *scene);

/* The defaults with sigma 1.2, ROI 10, amplitude 1000, and the engine. */
penta_stars_options stars_options(int engine);
const char *stars_engine_name(int engine);

/* A frame by a plan of its own, as doubles in every precision, to be freed. The running test fails on errors.
 */
double *stars_plan_frame(penta_context *ctx, size_t width, size_t height, const penta_stars_options *o,
                         const penta_stars_list *list, penta_stars_result *result);

/* The same by the reference, for sampled, integrated (unrotated) and Moffat PSFs. */
double *stars_reference_frame(size_t width, size_t height, const penta_stars_options *o, const stars_scene *scene);

/* Fails unless |got - want| <= relative want + absolute max(want) for every pixel. what: named in the message. */
void stars_expect_near(const double *got, const double *want, size_t width, size_t height, double relative,
                       double absolute, const char *what);
