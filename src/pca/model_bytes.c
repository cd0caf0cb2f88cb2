/* Models as bytes, for messages and for files: what they hold, none of it by chance, then their arrays. */

#include "pca/pca.h"

enum { ARRAYS = 8 };

typedef struct {
    double **at;
    size_t count;
} array;

static void arrays_of(penta_pca_model *m, array arrays[ARRAYS])
{
    size_t n = m->bands, k = m->components;
    const array all[ARRAYS] = {{&m->mean, n},    {&m->deviation, n},    {&m->covariance, n * n}, {&m->eigenvalues, n},
                               {&m->percent, n}, {&m->loadings, k * n}, {&m->forward, k * n},    {&m->inverse, n * k}};

    memcpy(arrays, all, sizeof all);
}

typedef struct {
    uint64_t bands, components, pixels;
    int32_t kind, ddof, standardize, whiten;
    double rounding;
} head;

static size_t bytes_of(const array arrays[ARRAYS])
{
    size_t bytes = sizeof(head);

    for (size_t i = 0; i < ARRAYS; i++)
        bytes += arrays[i].count * sizeof(double);
    return bytes;
}

penta_status penta_pca_model_pack(const penta_pca_model *model, void **bytes, size_t *size)
{
    penta_status status = PENTA_OK;
    penta_pca_model m = *model;
    const head h = {m.bands, m.components, m.pixels, m.kind, m.ddof, m.standardize, m.whiten, m.rounding};
    array arrays[ARRAYS];
    char *at;

    *bytes = NULL;
    arrays_of(&m, arrays);
    *size = bytes_of(arrays);
    TRY(penta_calloc(NULL, *size, 1, bytes));
    memcpy(*bytes, &h, sizeof h);
    at = (char *)*bytes + sizeof h;
    for (size_t i = 0; i < ARRAYS; i++) {
        memcpy(at, *arrays[i].at, arrays[i].count * sizeof(double));
        at += arrays[i].count * sizeof(double);
    }
cleanup:
    return status;
}

/* The model without its arrays, of which the bytes hold as many as it says. */
static penta_status unpack_head(const void *bytes, size_t size, penta_pca_model *m, array arrays[ARRAYS])
{
    head h = {0};

    *m = (penta_pca_model){0};
    if (size < sizeof h)
        return penta_fail(NULL, PENTA_INVALID, "a model of %zu bytes is cut short", size);
    memcpy(&h, bytes, sizeof h);
    if (h.bands > PENTA_PCA_MOST_BANDS || h.components > h.bands)
        return penta_fail(NULL, PENTA_INVALID, "these bytes are no model");
    *m = (penta_pca_model){.bands = (size_t)h.bands,
                           .components = (size_t)h.components,
                           .pixels = h.pixels,
                           .kind = h.kind,
                           .ddof = h.ddof,
                           .standardize = h.standardize != 0,
                           .whiten = h.whiten != 0,
                           .rounding = h.rounding};
    arrays_of(m, arrays);
    return size == bytes_of(arrays)
               ? PENTA_OK
               : penta_fail(NULL, PENTA_INVALID, "a model of %zu bytes, of which there should be %zu", size,
                            bytes_of(arrays));
}

penta_status penta_pca_model_unpack(const void *bytes, size_t size, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    array arrays[ARRAYS];
    const char *at = (const char *)bytes + sizeof(head);

    TRY(unpack_head(bytes, size, out, arrays));
    for (size_t i = 0; i < ARRAYS; i++) {
        TRY(penta_calloc(NULL, arrays[i].count, sizeof(double), arrays[i].at));
        memcpy(*arrays[i].at, at, arrays[i].count * sizeof(double));
        at += arrays[i].count * sizeof(double);
    }
cleanup:
    if (status != PENTA_OK)
        penta_pca_model_free(out);
    return status;
}
