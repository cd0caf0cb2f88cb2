#include "stars/shot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "stars/picture.h"
#include "stars/scene.h"

static int library_failed(const stars_run *run, penta_status status)
{
    return status == PENTA_CANCELLED ? STARS_INTERRUPTED : job_fail_library(&run->job);
}

static int out_of_memory(const stars_run *run)
{
    return cli_fail(run->job.command, CLI_ERROR, "out of memory for a frame of %zu x %zu px", run->optics.width,
                    run->optics.height);
}

/* ---- sums ---- */

static double sum_of(const penta_io_image *image)
{
    double sum = 0;

    if (image->type == PENTA_F64)
        for (size_t i = 0; i < image->width * image->height; i++)
            sum += ((const double *)image->data)[i];
    else
        for (size_t i = 0; i < image->width * image->height; i++)
            sum += (double)((const float *)image->data)[i];
    return sum;
}

/* ---- drawing ---- */

static int draw(stars_run *run, const penta_stars_scene *scene, stars_shot *shot)
{
    bool dbl = run->request.stars.precision == PENTA_PRECISION_DOUBLE;
    penta_stars_result result;
    penta_status status;

    shot->image =
        (penta_io_image){.width = run->optics.width, .height = run->optics.height, .type = dbl ? PENTA_F64 : PENTA_F32};
    shot->image.data = malloc(shot->image.width * shot->image.height * penta_type_size(shot->image.type));
    if (!shot->image.data)
        return out_of_memory(run);
    result.image = shot->image.data;
    status = penta_stars_draw(run->plan, scene, &result);
    if (status != PENTA_OK)
        return library_failed(run, status);
    shot->drawn = result.drawn;
    shot->flux_total = result.flux_total;
    shot->engine = result.engine;
    shot->flux_in_frame = sum_of(&shot->image);
    return CLI_OK;
}

/* The detector's DN instead of photons; saturated: a byte a pixel, or NULL. */
static int expose(stars_run *run, stars_shot *shot, uint8_t *saturated)
{
    penta_io_image *image = &shot->image;
    float *dn = image->data;
    penta_status status;

    if (image->type == PENTA_F64)
        dn = malloc(image->width * image->height * sizeof *dn);
    if (!dn)
        return out_of_memory(run);
    status = penta_detector_run(run->detector, (uint32_t)shot->number, image->data, image->type, dn, saturated);
    if (image->type == PENTA_F64) {
        free(image->data);
        image->data = dn;
        image->type = PENTA_F32;
    }
    return status == PENTA_OK ? CLI_OK : library_failed(run, status);
}

static int expose_and_mark(stars_run *run, stars_shot *shot)
{
    uint8_t *saturated = NULL;
    int code = CLI_OK;

    if (run->detector && run->request.truth) {
        saturated = malloc(shot->image.width * shot->image.height);
        if (!saturated)
            return out_of_memory(run);
    }
    if (run->detector)
        code = expose(run, shot, saturated);
    if (code == CLI_OK)
        penta_stars_truth_saturate(&shot->truth, shot->image.width, shot->image.height, shot->image.data,
                                   shot->image.type, saturated, stars_picture_limit(&run->request));
    free(saturated);
    return code;
}

static uint64_t variables_drawn(const stars_run *run, const penta_stars_scene *scene)
{
    size_t last = scene->n;
    uint64_t bits = 0;

    for (size_t i = 0; run->source.built_in && i < scene->list.n; i++) {
        size_t star = penta_stars_scene_owner(scene, i);
        int place;

        if (star == last || !penta_stars_touches(run->plan, scene->list.x[i], scene->list.y[i]))
            continue;
        last = star;
        place = stars_source_variable(&run->source, scene->which[star]);
        bits |= place >= 0 ? (uint64_t)1 << place : 0;
    }
    return bits;
}

/* Positions and fluxes of the stars, before the frame exists. */
static int describe(stars_run *run, const penta_attitude_path *path, penta_stars_scene *scene, stars_shot *shot)
{
    penta_status status = stars_make_scene(run, path, &shot->view, scene);

    if (status == PENTA_OK && run->request.truth)
        status = penta_stars_truth_make(run->plan, scene, run->detector ? &run->request.detector : NULL, &shot->truth);
    return status == PENTA_OK ? CLI_OK : library_failed(run, status);
}

int stars_shot_take(stars_run *run, size_t number, const penta_attitude_path *path, stars_shot *out)
{
    penta_stars_scene scene = {0};
    penta_io_error error = {""};
    penta_attitude middle;
    int code;

    *out = (stars_shot){.number = number, .on_sky = path != NULL};
    if (path) {
        penta_attitude_path_at(path, 0.5, &middle);
        if (!stars_optics_look(&run->optics, &middle, &out->view, &error))
            return job_fail_io(&run->job, &error);
    }
    code = describe(run, path, &scene, out);
    code = code != CLI_OK ? code : draw(run, &scene, out);
    code = code != CLI_OK ? code : expose_and_mark(run, out);
    if (code == CLI_OK)
        out->variables = variables_drawn(run, &scene);
    penta_stars_scene_free(&scene);
    if (code != CLI_OK)
        stars_shot_free(out);
    return code;
}

/* ---- files ---- */

static bool write_truth(const stars_source *s, const penta_stars_truth *truth, const char *path, penta_io_error *err)
{
    const penta_io_truth_stars stars = {.ids = s->ids.n > 0 ? &s->ids : NULL,
                                        .ra = s->ra,
                                        .dec = s->dec,
                                        .ra_catalog = s->ra_catalog,
                                        .dec_catalog = s->dec_catalog,
                                        .built_in = s->built_in};

    return penta_io_truth_write(path, truth, &stars, err);
}

bool stars_shot_write(const stars_run *run, const stars_shot *shot, const char *path, const char *truth,
                      penta_io_error *err)
{
    if (truth && !write_truth(&run->source, &shot->truth, truth, err))
        return false;
    if (stars_picture_write(run, shot, path, err))
        return true;
    if (truth)
        penta_io_remove_file(truth); /* both or neither */
    return false;
}

void stars_shot_free(stars_shot *shot)
{
    penta_io_image_free(&shot->image);
    penta_stars_truth_free(&shot->truth);
    *shot = (stars_shot){0};
}
