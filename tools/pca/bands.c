/* Which bands of the file count, and what it says about them: scales, bad bands, alpha, wavelengths. */
#include <stdlib.h>
#include <string.h>

#include "pca/run.h"

bool pca_takes_elements(const pca_run *run)
{
    return run->flags.raw_values || run->model.raw_values;
}

/* ---- which bands ---- */

static int out_of_memory(const pca_run *run)
{
    return cli_fail(run->job.command, CLI_ERROR, "out of memory");
}

static bool is_data(const penta_io_cube_info *about, size_t band)
{
    return !about->each || !(about->each[band].is_alpha || about->each[band].is_bad);
}

/* A saved model knows which bands of its scene it is for, and takes the same ones of a scene with as many. */
static int choose_by_model(const pca_run *run, size_t **bands, size_t *n)
{
    penta_io_error error = {""};

    *n = run->model.m.bands;
    if (penta_io_model_choose_bands(&run->model, run->about, bands, &error))
        return CLI_OK;
    return cli_fail(run->job.command, CLI_ERROR, "%s: is for %zu bands (of %zu); %s has %zu", run->flags.transform, *n,
                    run->model.file_bands, run->path, run->about->bands);
}

/* --inverse: the components that -k asks for. */
static int choose_components(const pca_run *run, size_t **bands, size_t *n)
{
    size_t there = run->about->bands;

    if (there != run->model.m.components)
        return cli_fail(run->job.command, CLI_ERROR, "%s: is for %zu components; %s has %zu bands", run->flags.inverse,
                        run->model.m.components, run->path, there);
    *n = run->options.components > 0 ? (size_t)run->options.components : there;
    *bands = calloc(*n, sizeof **bands);
    for (size_t i = 0; *bands && i < *n; i++)
        (*bands)[i] = i;
    return *bands ? CLI_OK : out_of_memory(run);
}

/* What --bands names is taken whatever the file says of it; without it bad and alpha bands are not. */
static int choose_listed(const pca_run *run, size_t **bands, size_t *n)
{
    penta_io_error error = {""};
    size_t all;

    if (!pca_parse_bands(run->flags.bands, run->flags.drop_bands, run->about->bands, bands, n, &error))
        return cli_fail(run->job.command, CLI_USAGE, "%s", error.text);
    all = *n;
    for (size_t i = *n = 0; i < all; i++)
        if (run->flags.bands || is_data(run->about, (*bands)[i]))
            (*bands)[(*n)++] = (*bands)[i];
    if (*n == 0)
        return cli_fail(run->job.command, CLI_ERROR,
                        "%s: no band is left: all are bad by its header, alpha, or dropped; name some (--bands)",
                        run->path);
    if (run->flags.transform && *n != run->model.m.bands)
        return cli_fail(run->job.command, CLI_ERROR, "%s: is for %zu bands; %zu are selected", run->flags.transform,
                        run->model.m.bands, *n);
    return CLI_OK;
}

static int choose(const pca_run *run, size_t **bands, size_t *n)
{
    if (run->flags.inverse)
        return choose_components(run, bands, n);
    if (run->flags.transform && !run->flags.bands && !run->flags.drop_bands)
        return choose_by_model(run, bands, n);
    return choose_listed(run, bands, n);
}

/* ---- what is said of it ---- */

typedef struct {
    size_t bad, alpha, first_alpha; /* how many; number of the first one, from 1 */
} kinds;

static void count(kinds *k, const penta_io_cube_band *band, size_t number)
{
    k->bad += band->is_bad && !band->is_alpha;
    if (band->is_alpha && k->alpha++ == 0)
        k->first_alpha = number;
}

static void note_bands(pca_run *run, const size_t *bands, size_t n)
{
    const penta_io_cube_info *about = run->about;
    kinds all = {0}, taken = {0};

    for (size_t i = 0; about->each && i < about->bands; i++)
        count(&all, &about->each[i], i + 1);
    for (size_t i = 0; about->each && i < n; i++)
        count(&taken, &about->each[bands[i]], bands[i] + 1);
    if (all.alpha > taken.alpha)
        job_note(&run->job,
                 "band %zu of %s is an alpha band: it says which pixels are valid and holds no data (--bands takes it)",
                 all.first_alpha, run->path);
    if (taken.alpha > 0)
        job_note(&run->job, "band %zu of %s is an alpha band, and is taken as data", taken.first_alpha, run->path);
    if (all.bad > taken.bad)
        job_note(&run->job,
                 "%zu of %zu bands are left out: the header's list of bad bands (bbl) names them (--raw-values, or "
                 "--bands, takes them)",
                 all.bad - taken.bad, about->bands);
    if (taken.bad > 0)
        job_warn(&run->job, "%zu of the bands that are taken are bad by the header's list (bbl)", taken.bad);
}

int pca_choose_bands(pca_run *run, size_t **bands, size_t *n)
{
    penta_io_error error = {""};
    int code;

    *bands = NULL;
    code = choose(run, bands, n);
    if (code != CLI_OK || run->flags.inverse)
        return code;
    note_bands(run, *bands, *n);
    if (pca_has_model(run) || penta_io_model_note_bands(&run->model, run->about, *bands, *n, &error))
        return CLI_OK;
    return job_fail_io(&run->job, &error);
}

/* ---- axes ---- */

void pca_note_axes(pca_run *run)
{
    char line[256];

    if (!run->flags.axes && !pca_has_model(run) &&
        penta_io_cube_doubt_axes(run->about, run->flags.shape != NULL, line, sizeof line))
        job_warn(&run->job, "%s: %s", run->path, cli_name_flags(line));
}

/* ---- wavelengths ---- */

static int check_wavelengths(pca_run *run)
{
    const double *want = run->model.wavelengths, *got = run->about->wavelengths;
    size_t worst, n = run->model.m.bands;

    if (!run->flags.transform || !want)
        return CLI_OK;
    if (!got) {
        job_warn(&run->job, "%s says no wavelengths, so they cannot be compared with those of the model", run->path);
        return CLI_OK;
    }
    worst = penta_pca_wavelengths_differ(n, want, got);
    if (worst == n)
        return CLI_OK;
    if (!run->flags.any_wavelengths)
        return cli_fail(run->job.command, CLI_ERROR,
                        "%s: is for other wavelengths: its band %zu is of %.6g nm, that of %s of %.6g nm; choose the "
                        "bands (--bands), or take them as they are (--any-wavelengths)",
                        run->flags.transform, worst + 1, want[worst], run->path, got[worst]);
    job_warn(&run->job, "band %zu is of %.6g nm, that of the model of %.6g nm", worst + 1, got[worst], want[worst]);
    return CLI_OK;
}

/* ---- scales ---- */

static void note_scale(pca_run *run)
{
    const penta_io_cube_info *a = run->about;
    const char *over = a->factor > 0 ? " over the reflectance scale factor" : "";
    bool gains = false;

    for (size_t i = 0; a->is_scaled && i < a->bands; i++)
        gains = gains || a->each[i].gain < 1 || a->each[i].gain > 1 || a->each[i].offset < 0 || a->each[i].offset > 0;
    if (a->is_scaled)
        job_note(&run->job, "numbers are %s%s, as %s says: the first band's are %.7g x + %.7g (--raw-values takes x)",
                 gains ? "gain x + offset" : "x", over, run->path, run->gain[0], run->offset[0]);
    if (run->flags.transform && run->model.raw_values && !run->flags.raw_values)
        job_note(&run->job, "the model is of raw values, so those of %s are used", run->path);
    else if (run->flags.transform && run->flags.raw_values && !run->model.raw_values && run->model.gain)
        job_warn(&run->job, "the model is of scaled numbers, and --raw-values takes unscaled ones");
    else if (run->flags.transform && !run->flags.raw_values && a->is_scaled != (run->model.gain != NULL))
        job_warn(&run->job, "the model is of %s numbers, and those of %s are %s: make sure that the units agree",
                 run->model.gain ? "scaled" : "unscaled", run->path, a->is_scaled ? "scaled" : "unscaled");
}

int pca_take_facts(pca_run *run)
{
    penta_io_error error = {""};
    int code = check_wavelengths(run);

    if (code != CLI_OK)
        return code;
    if (!pca_has_model(run))
        run->model.raw_values = run->flags.raw_values;
    if (!penta_io_cube_scale(run->about, &run->gain, &run->offset, &error) ||
        (!pca_has_model(run) && !penta_io_model_note_scale(&run->model, run->about, &error)))
        return job_fail_io(&run->job, &error);
    note_scale(run);
    return CLI_OK;
}
