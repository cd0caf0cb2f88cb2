/* Orion as a turning camera sees it. Usage: stars DIR [CATALOGUE], where DIR exists and CATALOGUE is a file as for
 * `penta stars --catalog`. Writes DIR/orion.fits (orion.npy in a build without FITS) and orion.csv, the stars drawn. */
#include <stdio.h>

#include <pentacl/io/exposure.h>
#include <pentacl/io/image.h>
#include <pentacl/pentacl.h>

enum { WIDTH = 640, HEIGHT = 480 };
#define SECONDS 0.5
static penta_io_error error;
static float photons[HEIGHT * WIDTH]; /* row-major, top row first */

/* The camera, 30 degrees wide, in the middle of the exposure, and its attitudes during it. */
static bool look(penta_sky_view *view, penta_attitude_path *path)
{
    const double rate[3] = {0, 0.4, 3}; /* deg/s about the camera's axes: right, down, ahead */
    penta_attitude attitude;
    penta_camera camera;
    double focal;

    return penta_attitude_from_radec(83.8, -1.2, 0, &attitude) == PENTA_OK &&
           penta_camera_focal_from_fov(WIDTH, 30, &focal) == PENTA_OK &&
           penta_camera_init(WIDTH, HEIGHT, focal, &camera) == PENTA_OK &&
           penta_sky_view_from_camera(&attitude, &camera, view) == PENTA_OK &&
           penta_attitude_path_turn(&attitude, rate, SECONDS, path) == PENTA_OK;
}

static bool write_files(const char *dir, const penta_io_catalog *c, const penta_stars_truth *truth)
{
    const penta_io_metadata about = {.exposure = SECONDS, .unit = "photon"};
    const penta_io_truth_stars stars = {.ids = &c->ids, .ra = c->ra, .dec = c->dec};
    const penta_io_image image = {.width = WIDTH, .height = HEIGHT, .type = PENTA_F32, .data = photons};
    penta_io_error no_fits;
    char name[512];

    snprintf(name, sizeof name, "%s/orion.%s", dir,
             penta_io_image_can_write("orion.fits", PENTA_F32, &no_fits) ? "fits" : "npy");
    if (!penta_io_image_write(name, &image, &about, &error))
        return false;
    snprintf(name, sizeof name, "%s/orion.csv", dir);
    return penta_io_truth_write(name, truth, &stars, &error);
}

int main(int argc, char **argv)
{
    penta_context *ctx = NULL;
    penta_stars *plan = NULL;
    penta_stars_options options;
    penta_io_catalog c = {0};
    penta_stars_sky sky;
    penta_sky_view view;
    penta_attitude_path path = {0};
    penta_stars_scene scene = {0};
    penta_stars_result result = {.image = photons};
    penta_stars_truth truth = {0};
    bool ok = penta_context_create(NULL, &ctx) == PENTA_OK && look(&view, &path) &&
              penta_io_catalog_read(argc > 2 ? argv[2] : NULL, NULL, &c, &error);

    sky = (penta_stars_sky){.n = c.n, .ra = c.ra, .dec = c.dec, .magnitude = c.mag};
    penta_stars_options_init(&options);
    ok = ok && penta_stars_set_zero_point(&options, 16, SECONDS) == PENTA_OK && /* magnitude of a photon a second */
         penta_stars_create(ctx, WIDTH, HEIGHT, &options, &plan) == PENTA_OK &&
         penta_stars_scene_on_sky(plan, &sky, &view, &path, &scene) == PENTA_OK &&
         penta_stars_draw(plan, &scene, &result) == PENTA_OK &&
         penta_stars_truth_make(plan, &scene, NULL, &truth) == PENTA_OK &&
         write_files(argc > 1 ? argv[1] : ".", &c, &truth);
    if (ok)
        printf("%zu of %zu stars, %.6g photons\n", result.drawn, c.n, result.flux_total);
    else
        fprintf(stderr, "stars: %s\n", *error.text ? error.text : penta_last_error(ctx));
    penta_stars_truth_free(&truth);
    penta_stars_scene_free(&scene);
    penta_attitude_path_free(&path);
    penta_io_catalog_free(&c);
    penta_stars_destroy(plan);
    penta_context_destroy(ctx);
    return !ok;
}
