/* Which flags have an effect in which runs, as tables. Flags in none of them always have. */
#include "pca/usage.h"

#include <string.h>

/* Facts of a run; each makes some flags have no effect. */
enum {
    SETTLED = 1 << 0, /* the model is there already */
    BACK = 1 << 1,    /* from components to bands */
    NO_MATLAB = 1 << 2,
    NO_ARRAYS = 1 << 3,
    NO_TRANSFORM = 1 << 4,
    NO_GDAL = 1 << 5
};

const cli_rule pca_single[] = {{"transform inverse", "what to do with a model", 0}, {0}};

const cli_rule pca_idle[] = {
    {"variance standardize whiten kind cov ddof", "the model determines it", SETTLED},
    {"bands drop_bands", "with --inverse the cube holds components; choose the first ones by -k", BACK},
    {"rescale filter", "--inverse writes bands, not components", BACK},
    {"any_wavelengths", "it is for --transform", NO_TRANSFORM},
    {"shape", "it is for MATLAB files", NO_MATLAB},
    {"variable", "it is for files of several arrays: MATLAB, HDF5 and netCDF", NO_ARRAYS},
    {"gdal_drivers", "it is for files that GDAL reads", NO_GDAL},
    {0}};

static bool check_texts(const pca_flags *f, penta_io_error *err)
{
    pca_window window;
    pca_range range;
    size_t rows, cols;

    return (!f->window || pca_parse_window(f->window, &window, err)) &&
           (!f->shape || pca_parse_shape(f->shape, &rows, &cols, err)) &&
           (!f->axes || pca_is_axes(f->axes) ||
            penta_io_fail(err, "--axes '%.60s' is not r, c and b in some order, such as rcb", f->axes)) &&
           (!f->rescale || pca_parse_range(f->rescale, &range, err));
}

/* The rules of the library that do not depend on the cube. */
static bool check_options(const penta_pca_options *typed, penta_io_error *err)
{
    penta_pca_options o = *typed;

    if (pca_is_none(o.no_data))
        o.no_data = NULL;
    return penta_pca_check(PENTA_PCA_MOST_BANDS, &o, err->text, sizeof err->text) == PENTA_OK;
}

int pca_usage_check(const cli_line *line, const pca_flags *f, const penta_pca_options *o)
{
    unsigned facts =
        (f->transform || f->inverse ? SETTLED : 0) | (f->inverse ? BACK : 0) | (f->transform ? 0 : NO_TRANSFORM);
    int code = cli_check_single(line);
    penta_io_error error = {""};

    code = code != CLI_OK ? code : cli_check_effect(line, facts);
    if (code != CLI_OK)
        return code;
    return check_texts(f, &error) && check_options(o, &error)
               ? CLI_OK
               : cli_fail(line->command->name, CLI_USAGE, "%s", error.text);
}

int pca_usage_of_format(const cli_line *line, const char *format)
{
    bool matlab = strncmp(format, "MATLAB", strlen("MATLAB")) == 0, npy = strcmp(format, "NPY") == 0;
    bool arrays = matlab || strncmp(format, "HDF5", strlen("HDF5")) == 0 || strcmp(format, "netCDF") == 0;

    return cli_check_effect(line, (matlab ? 0 : NO_MATLAB) | (arrays ? 0 : NO_ARRAYS) | (matlab || npy ? NO_GDAL : 0));
}
