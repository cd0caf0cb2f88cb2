/* The devices that a list names: "0", "0,1", "gpu", "gpu*", "all", a part of a name. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

/* ---- one selector ---- */

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; *text; text++) {
        size_t i = 0;

        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool equal(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && contains(a, b);
}

/* Whether the selector names this device; index and type are exact, names are substrings. */
static bool matches(const penta_device_handle *handle, size_t index, const char *selector)
{
    char number[24];

    if (strspn(selector, "0123456789") == strlen(selector)) {
        snprintf(number, sizeof number, "%zu", index);
        return strcmp(number, selector) == 0;
    }
    if (equal(selector, "gpu") || equal(selector, "cpu"))
        return equal(selector, penta_device_type_name(handle->info.type));
    return contains(handle->info.name, selector) || contains(handle->info.vendor, selector) ||
           contains(handle->info.platform, selector);
}

static penta_status no_match(const penta_device_handle *handles, size_t count, const char *selector)
{
    char list[1024] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof list - 200; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%zu: %.120s (%s)", i ? ", " : "", i,
                                 handles[i].info.name, penta_device_type_name(handles[i].info.type));
    return penta_fail(NULL, PENTA_NO_DEVICE, "no OpenCL device matches '%s'; there is %s", selector, list);
}

static penta_status no_device(void)
{
    const char *fault = penta_kernel_cache_fault();

    if (*fault)
        return penta_fail(NULL, PENTA_NO_DEVICE, "no OpenCL device found; %s", fault);
    return penta_fail(NULL, PENTA_NO_DEVICE,
                      "no OpenCL device found; install a driver: your GPU vendor's, or pocl-opencl-icd for the CPU");
}

/* ---- the list ---- */

/* What a list has come to so far. */
typedef struct {
    const penta_device_handle *handles;
    size_t count; /* of handles */
    penta_device_share *shares;
    size_t used, room;
    double took; /* s that listing the devices took */
} selection;

static penta_status add(selection *s, size_t index)
{
    if (s->used == s->room) {
        size_t room = s->room ? 2 * s->room : 8;
        penta_device_share *grown = realloc(s->shares, room * sizeof *grown);

        if (!grown)
            return penta_fail(NULL, PENTA_MEMORY, "out of host memory for the devices");
        s->shares = grown;
        s->room = room;
    }
    s->shares[s->used++] =
        (penta_device_share){.handle = s->handles[index], .index = index, .parts = 1, .found = s->took};
    return PENTA_OK;
}

/* Every device that matches; NULL: every one. */
static penta_status add_matching(selection *s, const char *selector, bool first_alone)
{
    penta_status status = PENTA_OK;
    size_t before = s->used;

    for (size_t i = 0; i < s->count && !(first_alone && s->used > before); i++)
        if (!selector || matches(&s->handles[i], i, selector))
            TRY(add(s, i));
    if (s->used == before)
        status = no_match(s->handles, s->count, selector ? selector : "all");
cleanup:
    return status;
}

/* Every GPU; every device where there is none. */
static penta_status add_all(selection *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->handles[i].info.type == PENTA_DEVICE_GPU)
            return add_matching(s, "gpu", false);
    return add_matching(s, NULL, false);
}

static penta_status add_item(selection *s, char *item)
{
    size_t length;

    while (isspace((unsigned char)*item))
        item++;
    length = strlen(item);
    while (length > 0 && isspace((unsigned char)item[length - 1]))
        item[--length] = 0;
    if (length == 0)
        return penta_fail(NULL, PENTA_INVALID, "a list of devices has an empty place; write 0,1 for two devices");
    if (equal(item, "all") || equal(item, "*"))
        return add_all(s);
    if (item[length - 1] != '*')
        return add_matching(s, item, true);
    item[length - 1] = 0;
    return add_matching(s, item, false);
}

static penta_status add_items(selection *s, const char *list)
{
    penta_status status = PENTA_OK;
    char *copy = strdup(list), *next = copy;

    if (!copy)
        return penta_fail(NULL, PENTA_MEMORY, "out of host memory for the devices");
    while (next) {
        char *item = next;

        next = strchr(next, ',');
        if (next)
            *next++ = 0;
        TRY(add_item(s, item));
    }
cleanup:
    free(copy);
    return status;
}

/* Without a list: the first GPU, else the first device. */
static penta_status add_default(selection *s, char *why, size_t size)
{
    size_t chosen = 0;

    while (chosen < s->count && s->handles[chosen].info.type != PENTA_DEVICE_GPU)
        chosen++;
    snprintf(why, size, "%s", chosen < s->count ? "the first GPU" : "the first of all, since there is no GPU");
    return add(s, chosen < s->count ? chosen : 0);
}

/* Devices that are named several times are shared. Those of several types would not give the same bits. */
static penta_status settle(selection *s, const char *list)
{
    for (size_t i = 0; i < s->used; i++) {
        penta_device_share *share = &s->shares[i];

        if (share->handle.info.type != s->shares[0].handle.info.type)
            return penta_fail(
                NULL, PENTA_INVALID,
                "'%s' names devices of different types, %s and %s, whose results differ in the last bits; "
                "name devices of one type",
                list, s->shares[0].handle.info.name, share->handle.info.name);
        share->parts = 0;
        for (size_t k = 0; k < s->used; k++) {
            share->part += k < i && s->shares[k].index == share->index;
            share->parts += s->shares[k].index == share->index;
        }
    }
    return PENTA_OK;
}

/* The list that counts: this one, else that of the environment, else NULL. */
static const char *penta_device_asked(const char *list, bool *by_environment)
{
    const char *environment = getenv("PENTACL_DEVICE");

    *by_environment = !(list && *list) && environment && *environment;
    return list && *list ? list : *by_environment ? environment : NULL;
}

penta_status penta_device_list(const char *list, penta_device_share **out, size_t *count, char *why, size_t size)
{
    penta_status status = PENTA_OK;
    penta_device_handle *handles = NULL;
    selection s = {0};
    bool by_environment;
    double began = penta_clock();

    *out = NULL;
    *count = 0;
    list = penta_device_asked(list, &by_environment);
    TRY(penta_device_handles(&handles, &s.count));
    s.took = penta_clock() - began;
    s.handles = handles;
    if (s.count == 0) {
        status = no_device();
        goto cleanup;
    }
    if (!list) {
        TRY(add_default(&s, why, size));
    } else {
        TRY(add_items(&s, list));
        TRY(settle(&s, list));
        snprintf(why, size, "%s %s'%.160s'", s.used == 1 ? "the first that matches" : "one of those that match",
                 by_environment ? "PENTACL_DEVICE, " : "", list);
    }
    *out = s.shares;
    *count = s.used;
    s.shares = NULL;
cleanup:
    free(s.shares);
    free(handles);
    return status;
}

penta_status penta_devices_named(const char *list, size_t **indices, size_t *count)
{
    penta_status status = PENTA_OK;
    penta_device_share *shares = NULL;
    char why[256] = "";
    bool by_environment, any;

    *indices = NULL;
    list = penta_device_asked(list, &by_environment);
    TRY(penta_device_list(list, &shares, count, why, sizeof why));
    any = !list && shares[0].handle.info.type == PENTA_DEVICE_GPU;
    if (any) {
        free(shares);
        shares = NULL;
        TRY(penta_device_list("gpu*", &shares, count, why, sizeof why));
    }
    TRY(penta_calloc(NULL, *count, sizeof **indices, indices));
    for (size_t i = 0; i < *count; i++)
        (*indices)[i] = shares[i].index;
cleanup:
    free(shares);
    return status;
}

penta_status penta_device_select(const char *selector, penta_device_share *out, char *why, size_t size)
{
    penta_status status = PENTA_OK;
    penta_device_share *shares = NULL;
    size_t count;
    bool by_environment;

    TRY(penta_device_list(selector, &shares, &count, why, size));
    if (count > 1) {
        selector = penta_device_asked(selector, &by_environment);
        status = penta_fail(NULL, PENTA_INVALID, "%s'%s' names %zu devices, but one is used here; name one",
                            by_environment ? "PENTACL_DEVICE, " : "", selector ? selector : "", count);
        goto cleanup;
    }
    *out = shares[0];
cleanup:
    free(shares);
    return status;
}
