/* The cube, and which part of it counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pca/mask.h"
#include "pca/run.h"
#include "pca/usage.h"

static int fail_io(const cube_run *run, const io_error *error)
{
    return job_fail_io(&run->job, error);
}

static int fail_usage(const cube_run *run, const io_error *error)
{
    return cli_fail(run->job.command, CLI_USAGE, "%s", error->text);
}

/* Whether --variable or --shape are all that is wrong: what they are for is MATLAB's. */
static bool is_other_format(const cube_run *run)
{
    const io_cube_hints none = {0};
    io_error ignored = {""};
    io_cube *cube = NULL;
    bool other = (run->flags.variable || run->flags.shape) && io_cube_open(run->path, &none, &cube, &ignored) &&
                 strncmp(io_cube_about(cube)->format, "MATLAB", strlen("MATLAB")) != 0;

    io_cube_close(cube);
    return other;
}

static int open_cube(cube_run *run, const cli_spec *spec)
{
    io_cube_hints hints = {.variable = run->flags.variable};
    io_error error = {""};

    if (run->flags.shape && !cube_parse_shape(run->flags.shape, &hints.rows, &hints.cols, &error))
        return fail_usage(run, &error);
    if (!io_cube_open(run->path, &hints, &run->cube, &error))
        return is_other_format(run) ? cube_usage_no_matlab(spec) : fail_io(run, &error);
    run->about = io_cube_about(run->cube);
    return CLI_OK;
}

/* ---- bands ---- */

/* A saved model knows which bands of its scene it is for, and takes the same ones of a scene with as many. */
static int choose_by_model(const cube_run *run, size_t **bands, size_t *n)
{
    const cube_model *c = &run->model;
    size_t there = run->about->bands;

    *n = c->m.bands;
    if (there != c->file_bands && there != c->m.bands)
        return cli_fail(run->job.command, CLI_ERROR, "%s: is for %zu bands (of %zu); %s has %zu", run->flags.transform,
                        c->m.bands, c->file_bands, run->path, there);
    *bands = malloc(*n * sizeof **bands);
    if (!*bands)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    for (size_t i = 0; i < *n; i++)
        (*bands)[i] = there == c->file_bands && c->selection ? c->selection[i] : i;
    return CLI_OK;
}

/* --inverse: the components that -k asks for. */
static int choose_components(const cube_run *run, size_t **bands, size_t *n)
{
    size_t there = run->about->bands;

    if (there != run->model.m.components)
        return cli_fail(run->job.command, CLI_ERROR, "%s: is for %zu components; %s has %zu bands", run->flags.inverse,
                        run->model.m.components, run->path, there);
    *n = run->options.components > 0 ? (size_t)run->options.components : there;
    *bands = calloc(*n, sizeof **bands);
    for (size_t i = 0; *bands && i < *n; i++)
        (*bands)[i] = i;
    return *bands ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");
}

static int choose_listed(const cube_run *run, size_t **bands, size_t *n)
{
    io_error error = {""};

    if (!cube_parse_bands(run->flags.bands, run->flags.drop_bands, run->about->bands, bands, n, &error))
        return fail_usage(run, &error);
    if (run->flags.transform && *n != run->model.m.bands)
        return cli_fail(run->job.command, CLI_ERROR, "%s: is for %zu bands; %zu are selected", run->flags.transform,
                        run->model.m.bands, *n);
    return CLI_OK;
}

static int choose_bands(const cube_run *run, size_t **bands, size_t *n)
{
    *bands = NULL;
    if (run->flags.inverse)
        return choose_components(run, bands, n);
    if (run->flags.transform && !run->flags.bands && !run->flags.drop_bands)
        return choose_by_model(run, bands, n);
    return choose_listed(run, bands, n);
}

/* ---- pixels ---- */

static int choose_window(const cube_run *run, cube_window *out)
{
    const io_cube_info *about = run->about;
    io_error error = {""};

    *out = (cube_window){0, 0, about->cols, about->rows};
    if (!run->flags.window)
        return CLI_OK;
    if (!cube_parse_window(run->flags.window, out, &error))
        return fail_usage(run, &error);
    if (out->x >= about->cols || out->width > about->cols - out->x || out->y >= about->rows ||
        out->height > about->rows - out->y)
        return cli_fail(run->job.command, CLI_USAGE, "--window %s lies outside %s, which is %zu x %zu pixels",
                        run->flags.window, run->path, about->cols, about->rows);
    return CLI_OK;
}

static int select_part(cube_run *run)
{
    cube_window window = {0};
    size_t *bands = NULL, n = 0;
    io_error error = {""};
    int code = choose_bands(run, &bands, &n);

    code = code != CLI_OK ? code : choose_window(run, &window);
    if (code == CLI_OK && run->flags.mask &&
        !cube_mask_read(run->flags.mask, run->about->rows, run->about->cols, &window, &run->mask, &error))
        code = fail_io(run, &error);
    if (code == CLI_OK && !cube_has_model(run)) {
        run->model.file_bands = run->about->bands;
        run->model.selection = bands;
    }
    if (code == CLI_OK && !io_cube_select(run->cube, bands, n, window.x, window.y, window.width, window.height, &error))
        code = fail_io(run, &error);
    if (run->model.selection != bands || !bands)
        free(bands);
    run->about = io_cube_about(run->cube);
    return code;
}

static void note_no_data(const cube_run *run, const char *typed)
{
    if (!cube_can_be(run->about->type, strtod(typed, NULL)))
        cli_note(&run->job.common, run->job.command, "--no-data %s leaves no pixel out: no number of type %s is that",
                 typed, penta_type_name(run->about->type));
}

/* The number that stands for pixels without data: what the flag says, else the file, else the model. */
static void choose_no_data(cube_run *run)
{
    const char **no_data = &run->options.no_data;

    if (*no_data) {
        *no_data = strcasecmp(*no_data, "none") == 0 ? NULL : *no_data;
        if (*no_data)
            note_no_data(run, *no_data);
        return;
    }
    if (run->about->has_no_data)
        snprintf(run->no_data, sizeof run->no_data, isnan(run->about->no_data) ? "nan" : "%.17g", run->about->no_data);
    else if (run->flags.inverse)
        memcpy(run->no_data, run->model.no_data, sizeof run->no_data);
    *no_data = *run->no_data ? run->no_data : NULL;
}

static int check_model_components(const cube_run *run)
{
    size_t k = (size_t)run->options.components;

    if (cube_has_model(run) && k > run->model.m.components)
        return cli_fail(run->job.command, CLI_USAGE, "-k %zu: the model has only %zu components", k,
                        run->model.m.components);
    return CLI_OK;
}

static int check_components(const cube_run *run)
{
    size_t k = (size_t)run->options.components, bands = run->about->bands;

    if (bands > CUBE_MOST_BANDS)
        return cli_fail(run->job.command, CLI_ERROR, "%s: has %zu bands; choose at most %d by --bands", run->path,
                        bands, CUBE_MOST_BANDS);
    if (!cube_has_model(run) && k > bands)
        return cli_fail(run->job.command, CLI_USAGE, "-k %zu is more than the %zu bands of %s", k, bands, run->path);
    return CLI_OK;
}

int cube_open_input(cube_run *run, const cli_spec *spec)
{
    int code = open_cube(run, spec);

    code = code != CLI_OK ? code : check_model_components(run);
    code = code != CLI_OK ? code : select_part(run);
    code = code != CLI_OK ? code : check_components(run);
    if (code != CLI_OK)
        return code;
    choose_no_data(run);
    if (cube_has_model(run) && run->options.components > 0)
        cube_model_shorten(&run->model, (size_t)run->options.components);
    return CLI_OK;
}
