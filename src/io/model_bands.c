/* The bands and scales of models, and of the cubes they are made from and applied to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/model.h>

static bool out_of_memory(size_t bands, penta_io_error *err)
{
    return penta_io_fail(err, "out of memory for %zu bands", bands);
}

size_t penta_io_cube_data_bands(const penta_io_cube_info *about, size_t *bands)
{
    size_t n = 0;

    for (size_t i = 0; i < about->bands; i++)
        if (!about->each || !(about->each[i].is_alpha || about->each[i].is_bad)) {
            if (bands)
                bands[n] = i;
            n++;
        }
    return n;
}

bool penta_io_model_choose_bands(const penta_io_model *model, const penta_io_cube_info *about, size_t **bands,
                                 penta_io_error *err)
{
    size_t there = about->bands, n = model->m.bands;
    bool same_file = there == model->file_bands, all = there == n;

    *bands = NULL;
    if (!same_file && !all && penta_io_cube_data_bands(about, NULL) != n)
        return penta_io_fail(err, "the model is for %zu bands (of %zu); the cube has %zu", n, model->file_bands, there);
    *bands = malloc((there > n ? there : n) * sizeof **bands);
    if (!*bands)
        return out_of_memory(n, err);
    if (!same_file && !all)
        penta_io_cube_data_bands(about, *bands);
    else
        for (size_t i = 0; i < n; i++)
            (*bands)[i] = same_file && model->selection ? model->selection[i] : i;
    return true;
}

bool penta_io_cube_scale(const penta_io_cube_info *about, double **gain, double **offset, penta_io_error *err)
{
    double factor = about->factor > 0 ? about->factor : 1;

    *gain = *offset = NULL;
    if (!about->is_scaled)
        return true;
    *gain = malloc(about->bands * sizeof **gain);
    *offset = malloc(about->bands * sizeof **offset);
    if (!*gain || !*offset) {
        free(*gain);
        free(*offset);
        *gain = *offset = NULL;
        return out_of_memory(about->bands, err);
    }
    for (size_t i = 0; i < about->bands; i++) {
        (*gain)[i] = about->each[i].gain / factor;
        (*offset)[i] = about->each[i].offset / factor;
    }
    return true;
}

bool penta_io_model_note_bands(penta_io_model *model, const penta_io_cube_info *whole, const size_t *bands, size_t n,
                               penta_io_error *err)
{
    model->file_bands = whole->bands;
    model->selection = malloc(n * sizeof *model->selection);
    model->bad_bands = whole->each ? calloc(whole->bands, sizeof *model->bad_bands) : NULL;
    if (!model->selection || (whole->each && !model->bad_bands))
        return out_of_memory(n, err);
    memcpy(model->selection, bands, n * sizeof *bands);
    for (size_t i = 0; whole->each && i < whole->bands; i++) {
        bool taken = false;

        for (size_t k = 0; k < n; k++)
            taken = taken || bands[k] == i;
        if (whole->each[i].is_bad && !taken)
            model->bad_bands[model->bad_count++] = i;
    }
    return true;
}

bool penta_io_model_note_scale(penta_io_model *model, const penta_io_cube_info *about, penta_io_error *err)
{
    size_t n = about->bands;

    if (about->wavelengths) {
        model->wavelengths = malloc(n * sizeof *model->wavelengths);
        if (!model->wavelengths)
            return out_of_memory(n, err);
        memcpy(model->wavelengths, about->wavelengths, n * sizeof *model->wavelengths);
    }
    if (!about->is_scaled)
        return true;
    model->factor = about->factor;
    model->gain = malloc(n * sizeof *model->gain);
    model->offset = malloc(n * sizeof *model->offset);
    if (!model->gain || !model->offset)
        return out_of_memory(n, err);
    for (size_t i = 0; i < n; i++) {
        model->gain[i] = about->each[i].gain;
        model->offset[i] = about->each[i].offset;
    }
    return true;
}

bool penta_io_model_take(penta_io_model *model, penta_pca_model *solved, const char *cov, const char *precision,
                         penta_io_error *err)
{
    model->m = *solved;
    *solved = (penta_pca_model){0};
    model->residuals = calloc(model->m.components, sizeof *model->residuals);
    if (!model->residuals)
        return out_of_memory(model->m.bands, err);
    penta_pca_residuals(&model->m, &model->orthogonality, NULL);
    penta_pca_each_residual(&model->m, model->residuals);
    model->residual = penta_io_model_worst(model);
    snprintf(model->cov, sizeof model->cov, "%s", cov);
    snprintf(model->precision, sizeof model->precision, "%s", precision);
    return true;
}

bool penta_io_model_select(penta_io_model *model, penta_io_cube *cube, penta_io_error *err)
{
    const penta_io_cube_info *about = penta_io_cube_about(cube);
    bool saved = model->m.bands > 0, ok;
    size_t *bands = saved ? NULL : malloc(about->bands * sizeof *bands), n = model->m.bands;

    if (!saved && !bands)
        return out_of_memory(about->bands, err);
    if (!saved)
        n = penta_io_cube_data_bands(about, bands);
    ok = saved ? penta_io_model_choose_bands(model, about, &bands, err)
               : n > 0 || penta_io_fail(err, "no band holds data: all are bad by the header, or alpha");
    ok = ok && (saved || penta_io_model_note_bands(model, about, bands, n, err)) &&
         penta_io_cube_select(cube, bands, n, 0, 0, 0, 0, err);
    free(bands);
    return ok && (saved || penta_io_model_note_scale(model, penta_io_cube_about(cube), err));
}
