/*
 * In doubt a workload's known-answer test runs before its first plan: see pentacl/traits.h. Verdicts are kept in the
 * folder of compiled programs, as files whose key names the driver and whose data are why the test fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/options.h>

#include "core/folders.h"
#include "core/internal.h"
#include "core/program_cache.h"

static const uint64_t most_bytes = (uint64_t)512 << 20; /* of the folder; verdicts are small */

/* Of workload.c, which lies above: its workloads' plans are what is tested. NULL in programs that link the static
 * library and do not use it; these take every driver. */
static const penta_workload *(*workload_at)(size_t);

void penta_trust_offer(const penta_workload *(*at)(size_t))
{
    workload_at = at;
}

/* ---- verdicts ---- */

/* Kernels that are being worked on, or are not those of the library, have none. */
static bool has_verdicts(void)
{
    return !penta_environment("PENTACL_KERNEL_DIR");
}

static penta_status make_key(penta_context *ctx, const penta_workload *workload, penta_program_key *key)
{
    char what[128];

    snprintf(what, sizeof what, "self-test of %s, form for a %s, %s double", workload->name,
             penta_device_type_name(ctx->info.type), ctx->info.fp64 ? "with" : "without");
    return penta_cache_key(ctx, what, "", key);
}

void penta_trust_keep(penta_context *ctx, const penta_workload *workload, const char *verdict)
{
    penta_program_key key = {0};
    int folder = has_verdicts() ? penta_cache_folder(true) : -1;

    if (folder >= 0 && make_key(ctx, workload, &key) == PENTA_OK)
        penta_program_store(folder, &key, verdict, strlen(verdict) + 1, most_bytes);
    if (folder >= 0)
        close(folder);
    free(key.text);
}

/* The verdict, freed with free; NULL: there is none. */
static char *recall(penta_context *ctx, const penta_workload *workload)
{
    penta_program_key key = {0};
    void *data = NULL;
    size_t bytes = 0;
    int folder = has_verdicts() ? penta_cache_folder(false) : -1;

    if (folder >= 0 && make_key(ctx, workload, &key) == PENTA_OK &&
        penta_program_load(folder, &key, &data, &bytes) == PENTA_FILE_WHOLE && bytes > 0)
        ((char *)data)[bytes - 1] = 0;
    if (folder >= 0)
        close(folder);
    free(key.text);
    return data;
}

/* ---- the test ---- */

/* Failures that say something about the driver: not that memory is short, or that the device lacks what is needed. */
static bool is_verdict(penta_status status)
{
    return status == PENTA_OK || status == PENTA_INTERNAL || status == PENTA_DEVICE || status == PENTA_BUILD;
}

/* *verdict is freed with free; NULL: the test could not be made. */
static penta_status run_test(penta_context *ctx, const penta_workload *workload, char **verdict)
{
    penta_status status = PENTA_OK, passed;
    penta_context *own = NULL;

    TRY(penta_context_from_opencl(ctx->handle, ctx->device, &own));
    own->takes_all = true;
    own->info.type = ctx->info.type;
    if (!ctx->info.fp64)
        penta_context_without_double(own);
    own->building.callback = ctx->building.callback;
    own->building.user = ctx->building.user;
    passed = workload->selftest(own);
    if (is_verdict(passed)) {
        const char *text = passed == PENTA_OK ? "" : penta_last_error(own);

        *verdict = strndup(text, strcspn(text, "\n"));
    }
cleanup:
    penta_context_destroy(own);
    return status;
}

static penta_status refuse(penta_context *ctx, const char *name, const char *verdict)
{
    return penta_fail(ctx, PENTA_DEVICE,
                      "%s cannot be used for %s, whose self-test fails with its driver (%s, %s): %s; take another "
                      "device (penta devices), or another version of the driver (then penta cache --clear); "
                      "PENTACL_SELFTEST=never takes it as it is",
                      ctx->info.name, name, ctx->info.platform, ctx->info.driver, verdict);
}

static penta_status test(penta_context *ctx, const penta_workload *workload)
{
    penta_status status = PENTA_OK;
    const char *name = workload->name;
    char *verdict = recall(ctx, workload), what[64];
    bool before = verdict != NULL;

    if (!before) {
        TRY(run_test(ctx, workload, &verdict));
        if (verdict)
            penta_trust_keep(ctx, workload, verdict);
    }
    snprintf(what, sizeof what, "self-test of %s", name);
    penta_chose(ctx, what,
                !verdict   ? "not made"
                : *verdict ? "failed"
                : before   ? "passed earlier"
                           : "passed",
                "the driver, %s %s, %s", ctx->info.platform, ctx->info.driver,
                ctx->driver ? "is tested always (PENTACL_SELFTEST)" : "is none that was tried before");
    if (verdict && *verdict)
        status = refuse(ctx, name, verdict);
cleanup:
    free(verdict);
    return status;
}

/* ---- which workload ---- */

const penta_workload *penta_workload_of(const char *file, size_t *number)
{
    size_t length = strcspn(file, "/");
    const penta_workload *workload;

    for (size_t i = 0; workload_at && (workload = workload_at(i)); i++)
        if (strlen(workload->name) == length && strncmp(workload->name, file, length) == 0) {
            *number = i;
            return workload;
        }
    return NULL;
}

static bool is_broken_for(const penta_driver *driver, const char *name)
{
    char word[64];

    snprintf(word, sizeof word, " %s ", name);
    return driver && driver->broken_for && strstr(driver->broken_for, word);
}

penta_status penta_trust_file(penta_context *ctx, const char *file)
{
    penta_status status = PENTA_OK;
    size_t number = 0;
    const penta_workload *workload = ctx->takes_all ? NULL : penta_workload_of(file, &number);

    if (!workload || ctx->trusted >> number & 1)
        return PENTA_OK;
    if (is_broken_for(ctx->driver, workload->name))
        return penta_fail(ctx, PENTA_DEVICE,
                          "%s cannot be used for %s with its driver (%s, %s): %s; %s, or another device (penta "
                          "devices); PENTACL_SELFTEST=never takes it as it is",
                          ctx->info.name, workload->name, ctx->info.platform, ctx->info.driver, ctx->driver->what,
                          ctx->driver->instead);
    TRY(test(ctx, workload));
    ctx->trusted |= (uint64_t)1 << number;
cleanup:
    return status;
}
