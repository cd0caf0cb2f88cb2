/*
 * Principal components of a cube. Usage: pca CUBE COMPONENTS.npy MODEL.json [SAVED], where CUBE is what `penta pca`
 * reads. Writes its components and the model that makes them; with SAVED, such a model, the components that this one
 * makes.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/cube_rows.h>
#include <pentacl/io/model.h>
#include <pentacl/pentacl.h>

static penta_io_error error;
static penta_io_cube *cube;
static penta_pca *plan;
static penta_map *map;
static penta_io_cube_writer *writer;
static float *scores; /* components x pixels of a piece */

static bool add(void *user, const penta_cube_rows *rows, size_t first)
{
    (void)user, (void)first;
    return penta_pca_add(plan, rows) == PENTA_OK;
}

static bool project(void *user, const penta_cube_rows *rows, size_t first)
{
    const penta_map_format format = {.type = PENTA_F32};
    size_t pixels = rows->rows * rows->cols, outs = *(const size_t *)user;

    scores = realloc(scores, outs * pixels * sizeof *scores);
    return scores && penta_map_add(map, rows) == PENTA_OK && penta_map_take(map, &format, scores, pixels) == PENTA_OK &&
           penta_io_cube_write(writer, first, rows->rows, scores, pixels, &error);
}

static bool solve(penta_context *ctx, penta_io_cube_rows *rows, penta_io_model *model)
{
    const penta_io_cube_info *about = penta_io_cube_about(cube);
    penta_pca_model solved;

    return penta_pca_create(ctx, about->bands, about->rows * about->cols, NULL, &plan) == PENTA_OK &&
           penta_io_cube_rows_pass(rows, add, NULL, &error) && penta_pca_solve(plan, &solved) == PENTA_OK &&
           penta_io_model_take(model, &solved, penta_pca_cov_name(plan), "double", &error);
}

int main(int argc, char **argv)
{
    penta_context *ctx = NULL;
    penta_io_cube_rows *rows = NULL;
    penta_io_model model = {.raw_values = true};
    penta_affine affine = {0};
    bool ok = (argc > 3 || penta_io_fail(&error, "give CUBE COMPONENTS.npy MODEL.json")) &&
              penta_context_create(NULL, &ctx) == PENTA_OK &&
              penta_io_cube_open(argv[1], &(penta_io_cube_hints){.raw_values = true}, &cube, &error) &&
              (!argv[4] || penta_io_model_read(argv[4], &model, &error)) &&
              penta_io_model_select(&model, cube, &error) && penta_io_cube_rows_open(ctx, cube, NULL, &rows, &error) &&
              (argv[4] || solve(ctx, rows, &model));

    if (ok) {
        const penta_io_cube_info *in = penta_io_cube_about(cube),
                                 out = {model.m.components, in->rows, in->cols, .type = PENTA_F32};

        ok = penta_pca_affine(&model.m, PENTA_PCA_FORWARD, NULL, NULL, NULL, &affine) == PENTA_OK &&
             penta_map_create(ctx, &affine, PENTA_PRECISION_AUTO, NULL, &map) == PENTA_OK &&
             penta_io_cube_create(argv[2], PENTA_IO_CUBE_NPY, &out, NULL, &writer, &error) &&
             penta_io_cube_rows_pass(rows, project, &model.m.components, &error) &&
             penta_io_cube_finish(writer, &error) && penta_io_model_write(argv[3], &model, &error);
    }
    if (!ok)
        fprintf(stderr, "pca: %s\n", *error.text ? error.text : penta_last_error(ctx));
    free(scores), penta_affine_free(&affine);
    penta_map_destroy(map);
    penta_pca_destroy(plan);
    penta_io_cube_rows_close(rows);
    penta_io_cube_close(cube);
    penta_io_model_free(&model);
    penta_context_destroy(ctx);
    return !ok;
}
