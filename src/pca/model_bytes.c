/* Models as bytes, for messages between members of a group: what they hold, then their arrays. */
#include <stdlib.h>

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

static size_t bytes_of(const array arrays[ARRAYS])
{
    size_t bytes = sizeof(penta_pca_model);

    for (size_t i = 0; i < ARRAYS; i++)
        bytes += arrays[i].count * sizeof(double);
    return bytes;
}

penta_status pca_model_pack(const penta_pca_model *m, void **bytes, size_t *size)
{
    penta_status status = PENTA_OK;
    penta_pca_model head = *m;
    array arrays[ARRAYS];
    char *at;

    *bytes = NULL;
    arrays_of(&head, arrays);
    *size = bytes_of(arrays);
    TRY(penta_calloc(NULL, *size, 1, bytes));
    at = (char *)*bytes + sizeof head;
    for (size_t i = 0; i < ARRAYS; i++) {
        memcpy(at, *arrays[i].at, arrays[i].count * sizeof(double));
        at += arrays[i].count * sizeof(double);
        *arrays[i].at = NULL;
    }
    memcpy(*bytes, &head, sizeof head);
cleanup:
    return status;
}

penta_status pca_model_unpack(const void *bytes, size_t size, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    array arrays[ARRAYS];
    const char *at = (const char *)bytes + sizeof *out;

    *out = (penta_pca_model){0};
    if (size < sizeof *out)
        return penta_fail(NULL, PENTA_INVALID, "a model of %zu bytes is cut short", size);
    memcpy(out, bytes, sizeof *out);
    arrays_of(out, arrays);
    if (size != bytes_of(arrays)) {
        *out = (penta_pca_model){0};
        return penta_fail(NULL, PENTA_INVALID, "a model of %zu bytes, of which there should be %zu", size,
                          bytes_of(arrays));
    }
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
