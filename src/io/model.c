#include <pentacl/io/model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/context.h>
#include <pentacl/numbers.h>
#include "io/input.h"
#include <pentacl/io/output.h>

#include "io/json.h"
#include "io/model_check.h"

static const char FORMAT[] = "penta pca model";
enum { VERSION = 1 };

static const char *const kinds[] = {"pca", "mnf"};

/* ---- writing ---- */

/* Writes "KEY": VALUE and releases the value; a NULL value means out of memory and sets the stream's error. */
static bool put(FILE *out, const char *key, json_t *value)
{
    bool ok = value != NULL;

    if (key)
        fprintf(out, ",\n  \"%s\": ", key);
    ok = ok && json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) == 0;
    json_decref(value);
    return ok;
}

static json_t *numbers(const double *values, size_t n)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < n; i++)
        if (json_array_append_new(array, json_real(values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* The band numbers, from 1. */
static json_t *band_numbers(const penta_io_model *c)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < c->m.bands; i++)
        if (json_array_append_new(array, json_integer((json_int_t)(c->selection ? c->selection[i] : i) + 1)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* Writes a matrix, one row per line. */
static bool put_matrix(FILE *out, const char *key, const double *values, size_t rows, size_t cols)
{
    bool ok = true;

    fprintf(out, ",\n  \"%s\": [", key);
    for (size_t i = 0; ok && i < rows; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        ok = put(out, NULL, numbers(values + i * cols, cols));
    }
    fputs("\n  ]", out);
    return ok;
}

static json_t *bad_bands(const penta_io_model *c)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < c->bad_count; i++)
        if (json_array_append_new(array, json_integer((json_int_t)c->bad_bands[i] + 1)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *numbers_or_null(const double *values, size_t n)
{
    return values ? numbers(values, n) : json_null();
}

static json_t *range_of(const penta_io_model *c)
{
    if (!c->rescale)
        return json_null();
    return json_pack("{s:f, s:f, s:o, s:o}", "low", c->low, "high", c->high, "least",
                     numbers(c->least, c->m.components), "largest", numbers(c->largest, c->m.components));
}

static json_t *residuals_of(const penta_io_model *c)
{
    json_t *array = c->residuals ? json_array() : json_null();

    for (size_t k = 0; c->residuals && array && k < c->m.components; k++)
        if (json_array_append_new(array, io_json_number(c->residuals[k])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static bool put_model(FILE *out, const penta_io_model *c)
{
    const penta_pca_model *m = &c->m;
    size_t n = m->bands, k = m->components;

    fprintf(out, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"program\": \"%s\"", FORMAT, VERSION,
            penta_version());
    return put(out, "kind", json_string(kinds[m->kind == PENTA_PCA_MNF])) &&
           put(out, "bands", json_integer((json_int_t)n)) && put(out, "components", json_integer((json_int_t)k)) &&
           put(out, "pixels", json_integer((json_int_t)m->pixels)) && put(out, "ddof", json_integer(m->ddof)) &&
           put(out, "standardize", json_boolean(m->standardize)) && put(out, "whiten", json_boolean(m->whiten)) &&
           put(out, "cov", json_string(c->cov)) && put(out, "precision", json_string(c->precision)) &&
           put(out, "orthogonality", io_json_number(c->orthogonality)) &&
           put(out, "residual", io_json_number(c->residual)) && put(out, "residuals", residuals_of(c)) &&
           put(out, "file_bands", json_integer((json_int_t)c->file_bands)) &&
           put(out, "selected_bands", band_numbers(c)) && put(out, "bad_bands", bad_bands(c)) &&
           put(out, "wavelengths", numbers_or_null(c->wavelengths, n)) &&
           put(out, "raw_values", json_boolean(c->raw_values)) && put(out, "gain", numbers_or_null(c->gain, n)) &&
           put(out, "offset", numbers_or_null(c->offset, n)) &&
           put(out, "reflectance_scale_factor", c->factor > 0 ? json_real(c->factor) : json_null()) &&
           put(out, "rescale", range_of(c)) &&
           put(out, "no_data", *c->no_data ? json_string(c->no_data) : json_null()) &&
           put(out, "mean", numbers(m->mean, n)) && put(out, "deviation", numbers(m->deviation, n)) &&
           put(out, "eigenvalues", numbers(m->eigenvalues, n)) && put(out, "rounding", json_real(m->rounding)) &&
           put(out, "percent", numbers(m->percent, n)) && put_matrix(out, "loadings", m->loadings, k, n) &&
           put_matrix(out, "forward", m->forward, k, n) && put_matrix(out, "inverse", m->inverse, n, k) &&
           fputs("\n}\n", out) >= 0;
}

/* Checks that all numbers are finite, because JSON has no others. */
static bool check_finite(const char *path, const penta_io_model *c, penta_io_error *err)
{
    const penta_pca_model *m = &c->m;
    size_t n = m->bands, k = m->components;
    const struct {
        const char *what;
        const double *values;
        size_t count;
    } parts[] = {{"means", m->mean, n},           {"deviations", m->deviation, n},  {"eigenvalues", m->eigenvalues, n},
                 {"percentages", m->percent, n},  {"loadings", m->loadings, k * n}, {"map", m->forward, k * n},
                 {"map back", m->inverse, n * k}, {"range", c->least, k},           {"range", c->largest, k}};

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t i = 0; parts[p].values && i < parts[p].count; i++)
            if (!isfinite(parts[p].values[i]))
                return penta_io_fail(
                    err,
                    "%s: cannot be written, as the %s of the components is not finite: the numbers of the "
                    "cube are too large; divide them, or use `precision` double",
                    path, parts[p].what);
    return true;
}

bool penta_io_model_write(const char *path, const penta_io_model *model, penta_io_error *err)
{
    penta_io_output *output;

    if (!check_finite(path, model, err) || !penta_io_output_open(path, &output, err))
        return false;
    if (!put_model(penta_io_output_stream(output), model) && !ferror(penta_io_output_stream(output))) {
        penta_io_output_abort(output);
        return penta_io_fail(err, "%s: out of memory for it", path);
    }
    return penta_io_output_commit(output, err);
}

/* ---- reading ---- */

typedef struct {
    const char *path;
    const json_t *root;
    penta_io_error *err;
} reader;

static bool damaged(const reader *r, const char *key, const char *what)
{
    return penta_io_fail(r->err, "%s: is damaged: '%s' %s; make the model again", r->path, key, what);
}

static bool get_integer(const reader *r, const char *key, json_int_t least, json_int_t largest, json_int_t *out)
{
    const json_t *value = json_object_get(r->root, key);

    if (!json_is_integer(value))
        return damaged(r, key, value ? "is no integer" : "is missing");
    *out = json_integer_value(value);
    return (*out >= least && *out <= largest) || damaged(r, key, "is out of range");
}

static bool get_truth(const reader *r, const char *key, bool *out)
{
    const json_t *value = json_object_get(r->root, key);

    *out = json_is_true(value);
    return json_is_boolean(value) || damaged(r, key, value ? "is neither true nor false" : "is missing");
}

static bool get_number(const reader *r, const json_t *parent, const char *key, double *out)
{
    const json_t *value = json_object_get(parent, key);

    *out = json_number_value(value);
    return (json_is_number(value) && isfinite(*out)) || damaged(r, key, value ? "is no number" : "is missing");
}

/* Reads a number; null is NaN. */
static bool get_quality(const reader *r, const char *key, double *out)
{
    *out = NAN;
    return json_is_null(json_object_get(r->root, key)) || get_number(r, r->root, key, out);
}

/* Copies a text that fits; "" for null. */
static bool get_text(const reader *r, const char *key, char *out, size_t size)
{
    const json_t *value = json_object_get(r->root, key);

    *out = 0;
    if (json_is_null(value))
        return true;
    if (!json_is_string(value) || json_string_length(value) >= size)
        return damaged(r, key, value ? "is no short text" : "is missing");
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return true;
}

static bool copy_numbers(const reader *r, const char *key, const json_t *array, size_t n, double *out)
{
    if (!json_is_array(array) || json_array_size(array) != n)
        return damaged(r, key, array ? "has another number of elements than there should be" : "is missing");
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);

        out[i] = json_number_value(value);
        if (!json_is_number(value) || !isfinite(out[i]))
            return damaged(r, key, "holds something that is not a number");
    }
    return true;
}

static double *room(const reader *r, size_t count)
{
    double *out = calloc(count, sizeof *out);

    if (!out)
        penta_io_fail(r->err, "%s: out of memory for %zu numbers", r->path, count);
    return out;
}

static bool get_numbers(const reader *r, const json_t *parent, const char *key, size_t n, double **out)
{
    const json_t *array = json_object_get(parent, key);

    if (json_is_array(array) && json_array_size(array) != n)
        return damaged(r, key, "has another number of elements than there should be");
    *out = room(r, n);
    return *out && copy_numbers(r, key, array, n, *out);
}

static bool get_matrix(const reader *r, const char *key, size_t rows, size_t cols, double **out)
{
    const json_t *array = json_object_get(r->root, key);

    if (!json_is_array(array) || json_array_size(array) != rows)
        return damaged(r, key, array ? "has another number of rows than there should be" : "is missing");
    *out = room(r, rows * cols);
    for (size_t i = 0; *out && i < rows; i++)
        if (!copy_numbers(r, key, json_array_get(array, i), cols, *out + i * cols))
            return false;
    return *out != NULL;
}

static bool get_selection(const reader *r, penta_io_model *c)
{
    const json_t *array = json_object_get(r->root, "selected_bands");
    size_t n = c->m.bands;

    if (!json_is_array(array) || json_array_size(array) != n)
        return damaged(r, "selected_bands", "does not list the bands");
    c->selection = calloc(n, sizeof *c->selection);
    for (size_t i = 0; c->selection && i < n; i++) {
        json_int_t band = json_integer_value(json_array_get(array, i));

        if (band < 1 || band > (json_int_t)c->file_bands)
            return damaged(r, "selected_bands", "names a band that there is not");
        c->selection[i] = (size_t)band - 1;
    }
    return c->selection || penta_io_fail(r->err, "%s: out of memory for it", r->path);
}

/* Reads residuals, which models of earlier versions lack; null is NaN. */
static bool get_residuals(const reader *r, penta_io_model *c)
{
    const json_t *array = json_object_get(r->root, "residuals");
    size_t k = c->m.components;

    if (!array || json_is_null(array))
        return true;
    if (!json_is_array(array) || json_array_size(array) != k)
        return damaged(r, "residuals", "has another number of elements than there should be");
    c->residuals = room(r, k);
    for (size_t i = 0; c->residuals && i < k; i++) {
        const json_t *value = json_array_get(array, i);

        c->residuals[i] = json_is_null(value) ? NAN : json_number_value(value);
        if (!json_is_null(value) && !(json_is_number(value) && isfinite(c->residuals[i])))
            return damaged(r, "residuals", "holds something that is not a number");
    }
    return c->residuals != NULL;
}

/* Whether a member exists that models of earlier versions lack. */
static bool is_there(const reader *r, const char *key)
{
    const json_t *value = json_object_get(r->root, key);

    return value && !json_is_null(value);
}

static bool get_bad_bands(const reader *r, penta_io_model *c)
{
    const json_t *array = json_object_get(r->root, "bad_bands");
    size_t n = json_array_size(array);

    if (!is_there(r, "bad_bands") || (json_is_array(array) && n == 0))
        return true;
    if (!json_is_array(array) || n > c->file_bands)
        return damaged(r, "bad_bands", "does not list bands");
    c->bad_bands = calloc(n, sizeof *c->bad_bands);
    for (size_t i = 0; c->bad_bands && i < n; i++) {
        json_int_t band = json_integer_value(json_array_get(array, i));

        if (band < 1 || band > (json_int_t)c->file_bands)
            return damaged(r, "bad_bands", "names a band that there is not");
        c->bad_bands[c->bad_count++] = (size_t)band - 1;
    }
    return c->bad_bands || penta_io_fail(r->err, "%s: out of memory for it", r->path);
}

static bool get_scale(const reader *r, penta_io_model *c)
{
    size_t n = c->m.bands;

    if (is_there(r, "raw_values") && !get_truth(r, "raw_values", &c->raw_values))
        return false;
    if (is_there(r, "reflectance_scale_factor") && !get_number(r, r->root, "reflectance_scale_factor", &c->factor))
        return false;
    if (is_there(r, "rounding") && !get_number(r, r->root, "rounding", &c->m.rounding))
        return false;
    return (!is_there(r, "wavelengths") || get_numbers(r, r->root, "wavelengths", n, &c->wavelengths)) &&
           (!is_there(r, "gain") || get_numbers(r, r->root, "gain", n, &c->gain)) &&
           (!is_there(r, "offset") || get_numbers(r, r->root, "offset", n, &c->offset));
}

static bool get_range(const reader *r, penta_io_model *c)
{
    const json_t *range = json_object_get(r->root, "rescale");
    size_t k = c->m.components;

    if (json_is_null(range))
        return true;
    c->rescale = true;
    return get_number(r, range, "low", &c->low) && get_number(r, range, "high", &c->high) &&
           get_numbers(r, range, "least", k, &c->least) && get_numbers(r, range, "largest", k, &c->largest);
}

/* Whether the text is "nan" or a number. */
static bool is_no_data(const char *text)
{
    char *end;

    penta_strtod(text, &end);
    return end > text && !*end;
}

static bool get_head(const reader *r, penta_io_model *c)
{
    penta_pca_model *m = &c->m;
    json_int_t bands = 0, components = 0, pixels = 0, ddof = 0, file_bands = 0;
    char kind[8];

    if (!get_integer(r, "bands", 1, PENTA_PCA_MOST_BANDS, &bands) ||
        !get_integer(r, "components", 1, bands, &components) || !get_integer(r, "pixels", 0, INT64_MAX, &pixels) ||
        !get_integer(r, "ddof", 0, INT32_MAX, &ddof) || !get_integer(r, "file_bands", bands, INT32_MAX, &file_bands) ||
        !get_text(r, "kind", kind, sizeof kind) || !get_truth(r, "standardize", &m->standardize) ||
        !get_truth(r, "whiten", &m->whiten) || !get_text(r, "cov", c->cov, sizeof c->cov) ||
        !get_text(r, "precision", c->precision, sizeof c->precision) ||
        !get_text(r, "no_data", c->no_data, sizeof c->no_data) || !get_quality(r, "orthogonality", &c->orthogonality) ||
        !get_quality(r, "residual", &c->residual))
        return false;
    if (strcmp(kind, kinds[0]) != 0 && strcmp(kind, kinds[1]) != 0)
        return damaged(r, "kind", "is neither pca nor mnf");
    if (strcmp(c->precision, "single") != 0 && strcmp(c->precision, "double") != 0 && strcmp(c->precision, "ds") != 0)
        return damaged(r, "precision", "is neither single nor double nor ds");
    if (*c->no_data && !is_no_data(c->no_data))
        return damaged(r, "no_data", "is no number");
    m->kind = strcmp(kind, kinds[1]) == 0 ? PENTA_PCA_MNF : PENTA_PCA_PCA;
    m->bands = (size_t)bands;
    m->components = (size_t)components;
    m->pixels = (uint64_t)pixels;
    m->ddof = (int)ddof;
    c->file_bands = (size_t)file_bands;
    return true;
}

static bool get_model(const reader *r, penta_io_model *c)
{
    penta_pca_model *m = &c->m;
    size_t n, k;

    if (!get_head(r, c))
        return false;
    n = m->bands;
    k = m->components;
    return get_selection(r, c) && get_bad_bands(r, c) && get_scale(r, c) && get_range(r, c) && get_residuals(r, c) &&
           get_numbers(r, r->root, "mean", n, &m->mean) && get_numbers(r, r->root, "deviation", n, &m->deviation) &&
           get_numbers(r, r->root, "eigenvalues", n, &m->eigenvalues) &&
           get_numbers(r, r->root, "percent", n, &m->percent) && get_matrix(r, "loadings", k, n, &m->loadings) &&
           get_matrix(r, "forward", k, n, &m->forward) && get_matrix(r, "inverse", n, k, &m->inverse);
}

static bool check_format(const reader *r)
{
    const json_t *format = json_object_get(r->root, "format");
    const json_t *version = json_object_get(r->root, "version");

    if (!json_is_string(format) || strcmp(json_string_value(format), FORMAT) != 0)
        return penta_io_fail(r->err, "%s: is no model of penta pca; give the model.json of a run", r->path);
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        return penta_io_fail(r->err, "%s: is a model of version %lld, of which this program reads only %d", r->path,
                             (long long)json_integer_value(version), VERSION);
    return true;
}

/* Parses the file; NULL with err set. */
static json_t *parse(const char *path, penta_io_error *err)
{
    io_input in = {0};
    json_error_t error;
    json_t *root = NULL;
    char *text;

    if (!io_input_open(path, &in, err))
        return NULL;
    text = malloc((size_t)in.bytes);
    if (!text)
        penta_io_fail(err, "%s: out of memory for it", path);
    else if (!io_input_read(&in, 0, text, (size_t)in.bytes))
        penta_io_fail(err, "%s: cannot be read; check the disk or the network", path);
    else if (!(root = json_loadb(text, (size_t)in.bytes, JSON_REJECT_DUPLICATES, &error)))
        penta_io_fail(err, "%s: is no JSON (line %d: %s); give the model.json of a run", path, error.line, error.text);
    free(text);
    io_input_close(&in);
    return root;
}

bool penta_io_model_read(const char *path, penta_io_model *out, penta_io_error *err)
{
    reader r = {.path = path, .err = err};
    json_t *root = parse(path, err);
    bool ok;

    *out = (penta_io_model){0};
    if (!root)
        return false;
    r.root = root;
    ok = check_format(&r) && get_model(&r, out) && io_model_check(path, out, err);
    json_decref(root);
    if (!ok)
        penta_io_model_free(out);
    return ok;
}

/* ---- changes of a model ---- */

void penta_io_model_shorten(penta_io_model *c, size_t k)
{
    size_t before = c->m.components;

    for (size_t band = 0; band < c->m.bands; band++)
        memmove(c->m.inverse + band * k, c->m.inverse + band * before, k * sizeof *c->m.inverse);
    c->m.components = k;
    penta_pca_residuals(&c->m, &c->orthogonality, NULL);
    if (c->residuals)
        c->residual = penta_io_model_worst(c);
}

double penta_io_model_worst(const penta_io_model *c)
{
    double worst = c->residuals ? 0 : (double)NAN;

    for (size_t k = 0; c->residuals && k < c->m.components; k++)
        if (c->residuals[k] > worst || isnan(c->residuals[k]))
            worst = c->residuals[k];
    return worst;
}

void penta_io_model_free(penta_io_model *c)
{
    penta_pca_model_free(&c->m);
    free(c->selection);
    free(c->bad_bands);
    free(c->wavelengths);
    free(c->gain);
    free(c->offset);
    free(c->residuals);
    free(c->least);
    free(c->largest);
    *c = (penta_io_model){0};
}
