/* The cube, and which part of it counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pentacl/io/image.h>
#include "pca/run.h"
#include "pca/usage.h"

static int fail_io(const pca_run *run, const penta_io_error *error)
{
    return job_fail_io(&run->job, error);
}

static int fail_usage(const pca_run *run, const penta_io_error *error)
{
    return cli_fail(run->job.command, CLI_USAGE, "%s", error->text);
}

/* Where --variable, --shape or --axes may be all that is wrong: wrong usage, if the format has no use for them. */
static int fail_format(const pca_run *run, const cli_line *line, const penta_io_error *error)
{
    const penta_io_cube_hints none = {0};
    penta_io_error ignored = {""};
    penta_io_cube *cube = NULL;
    int code = CLI_OK;

    if ((run->flags.variable || run->flags.shape || run->flags.axes || run->flags.gdal_drivers) &&
        penta_io_cube_open(run->path, &none, &cube, &ignored)) {
        code = pca_usage_of_format(line, penta_io_cube_about(cube)->format);
    }
    penta_io_cube_close(cube);
    return code != CLI_OK ? code : fail_io(run, error);
}

static bool make_hints(const pca_run *run, penta_io_cube_hints *out, penta_io_error *err)
{
    *out = (penta_io_cube_hints){
        .variable = run->flags.variable, .axes = run->flags.axes, .raw_values = pca_takes_elements(run)};
    return !run->flags.shape || pca_parse_shape(run->flags.shape, &out->rows, &out->cols, err);
}

static int open_cube(pca_run *run, const cli_line *line)
{
    penta_io_cube_hints hints;
    penta_io_error error = {""};

    if (!make_hints(run, &hints, &error))
        return fail_usage(run, &error);
    if (!penta_io_cube_open_drivers(run->path, &hints, run->flags.gdal_drivers, &run->cube, &error))
        return fail_format(run, line, &error);
    run->about = penta_io_cube_about(run->cube);
    if (run->about->note)
        job_note(&run->job, "%s: %s", run->path, run->about->note);
    pca_note_axes(run);
    return CLI_OK;
}

bool pca_open_again(const pca_run *run, penta_io_cube **out, penta_io_error *err)
{
    const pca_window *w = &run->window;
    penta_io_cube_hints hints;

    return make_hints(run, &hints, err) &&
           penta_io_cube_open_drivers(run->path, &hints, run->flags.gdal_drivers, out, err) &&
           penta_io_cube_select(*out, run->bands, run->band_count, w->x, w->y, w->width, w->height, err);
}

/* ---- pixels ---- */

static int choose_window(const pca_run *run, pca_window *out)
{
    const penta_io_cube_info *about = run->about;
    penta_io_error error = {""};

    *out = (pca_window){0, 0, about->cols, about->rows};
    if (!run->flags.window)
        return CLI_OK;
    if (!pca_parse_window(run->flags.window, out, &error))
        return fail_usage(run, &error);
    if (out->x >= about->cols || out->width > about->cols - out->x || out->y >= about->rows ||
        out->height > about->rows - out->y)
        return cli_fail(run->job.command, CLI_USAGE, "--window %s lies outside %s, which is %zu x %zu pixels",
                        run->flags.window, run->path, about->cols, about->rows);
    return CLI_OK;
}

/*
 * --mask: the window of a mask of rows x cols, whatever penta_io_image_read reads: 1 where it is neither 0 nor NaN.
 * width x height bytes in *out, to be freed. Another size than the cube's is refused.
 */
static bool read_mask(const char *path, size_t rows, size_t cols, const pca_window *window, uint8_t **out,
                      penta_io_error *err)
{
    uint8_t *all = NULL;

    *out = NULL;
    if (!penta_io_mask_read(path, cols, rows, "the cube", &all, err))
        return false;
    *out = malloc(window->width * window->height);
    for (size_t y = 0; *out && y < window->height; y++)
        memcpy(*out + y * window->width, all + (window->y + y) * cols + window->x, window->width);
    free(all);
    return *out || penta_io_fail(err, "%s: out of memory for the mask", path);
}

static int select_part(pca_run *run)
{
    pca_window *w = &run->window;
    penta_io_error error = {""};
    int code = pca_choose_bands(run, &run->bands, &run->band_count);

    code = code != CLI_OK ? code : choose_window(run, w);
    if (code == CLI_OK && run->flags.mask &&
        !read_mask(run->flags.mask, run->about->rows, run->about->cols, w, &run->mask, &error))
        code = fail_io(run, &error);
    if (code == CLI_OK &&
        !penta_io_cube_select(run->cube, run->bands, run->band_count, w->x, w->y, w->width, w->height, &error))
        code = fail_io(run, &error);
    run->about = penta_io_cube_about(run->cube);
    return code;
}

/* Whether the file has a no-data value beside the one that was typed. */
static bool has_own_no_data(const pca_run *run)
{
    const char *typed = run->options.no_data;
    double value = typed ? strtod(typed, NULL) : 0, own = run->about->no_data;

    return run->about->has_no_data && typed && !pca_is_none(typed) &&
           !((value >= own && value <= own) || (isnan(value) && isnan(own)));
}

/* Adds pixels to run->mask that the file's masks, alpha bands or no-data values leave out, where not one value of all
 * bands is enough. */
static int take_file_mask(pca_run *run)
{
    size_t rows = run->about->rows, cols = run->about->cols, step = ((size_t)1 << 20) / cols + 1;
    uint8_t *valid = NULL;
    uint64_t out = 0;
    penta_io_error error = {""};
    bool ok = true, own = has_own_no_data(run);

    if (!run->about->has_mask && !own)
        return CLI_OK;
    valid = malloc(rows * cols);
    if (!valid)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    for (size_t y = 0; ok && y < rows; y += step) {
        size_t n = step < rows - y ? step : rows - y;

        ok = penta_io_cube_valid(run->cube, y, n, !pca_is_none(run->options.no_data), valid + y * cols, &error) &&
             (!own || penta_io_cube_leave_out(run->cube, y, n, valid + y * cols, &error));
    }
    for (size_t i = 0; ok && i < rows * cols; i++)
        out += !valid[i];
    for (size_t i = 0; ok && run->mask && i < rows * cols; i++)
        valid[i] = valid[i] && run->mask[i];
    free(run->mask);
    run->mask = valid;
    if (!ok)
        return fail_io(run, &error);
    if (out > 0)
        job_note(&run->job, "%llu of %zu pixels are not valid according to %s (mask, alpha band, or %s)",
                 (unsigned long long)out, rows * cols, run->path,
                 own ? "its own no-data value; --no-data none ignores that" : "no-data values of single bands");
    return CLI_OK;
}

static void note_no_data(pca_run *run, const char *typed)
{
    if (!penta_cube_type_holds(run->about->type, strtod(typed, NULL)))
        job_warn(&run->job, "--no-data %s leaves no pixel out: no number of type %s is that", typed,
                 penta_type_name(run->about->type));
}

/* The number that stands for pixels without data: what the flag says, else the file, else the model. */
static void choose_no_data(pca_run *run)
{
    const char **no_data = &run->options.no_data;

    if (*no_data) {
        *no_data = pca_is_none(*no_data) ? NULL : *no_data;
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

static int check_model_components(const pca_run *run)
{
    size_t k = (size_t)run->options.components;

    if (pca_has_model(run) && k > run->model.m.components)
        return cli_fail(run->job.command, CLI_USAGE, "-k %zu: the model has only %zu components", k,
                        run->model.m.components);
    return CLI_OK;
}

/* The rules of the library that depend on the number of bands. */
static int check_bands(const pca_run *run)
{
    penta_pca_options o = run->options;
    size_t bands = run->about->bands;
    char message[256];

    o.no_data = NULL; /* checked before */
    o.components = pca_has_model(run) ? 0 : o.components;
    if (penta_pca_check(bands, &o, message, sizeof message) == PENTA_OK)
        return CLI_OK;
    return cli_fail(run->job.command, bands > PENTA_PCA_MOST_BANDS ? CLI_ERROR : CLI_USAGE, "%s: %s", run->path,
                    message);
}

int pca_open_input(pca_run *run, const cli_line *line)
{
    int code = open_cube(run, line);

    code = code != CLI_OK ? code : check_model_components(run);
    code = code != CLI_OK ? code : select_part(run);
    code = code != CLI_OK ? code : check_bands(run);
    if (code != CLI_OK)
        return code;
    code = take_file_mask(run);
    choose_no_data(run);
    code = code != CLI_OK ? code : pca_take_facts(run);
    if (code != CLI_OK)
        return code;
    if (pca_has_model(run) && run->options.components > 0)
        penta_io_model_shorten(&run->model, (size_t)run->options.components);
    return CLI_OK;
}
