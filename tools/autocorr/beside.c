/* Reads the options of `penta prepare` from its record (.penta-resume), or with --watch from the state of the series.
 */
#define _POSIX_C_SOURCE 200809L
#include "autocorr/beside.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/numbers.h>
#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include "shared/prepare_plan.h"

enum { RECORD = 1 << 14, TEXT = 64 }; /* the options stand at the beginning of a record */

static void take_option(penta_prepare_options *o, const char *flatten, double sigma)
{
    o->flatten = flatten && strcmp(flatten, "gaussian") == 0  ? PENTA_PREPARE_GAUSSIAN
                 : flatten && strcmp(flatten, "overlay") == 0 ? PENTA_PREPARE_OVERLAY
                                                              : PENTA_PREPARE_FLATTEN_NONE;
    o->flatten_sigma = sigma;
}

/* The text behind a name in a record, where both have their lengths in front of them. */
static bool find_text(const char *bytes, size_t size, const char *name, char *out)
{
    uint64_t length = strlen(name), after;
    size_t head = sizeof length + (size_t)length;

    for (size_t i = 0; i + head + sizeof after <= size; i++) {
        if (memcmp(bytes + i, &length, sizeof length) != 0 ||
            memcmp(bytes + i + sizeof length, name, (size_t)length) != 0)
            continue;
        memcpy(&after, bytes + i + head, sizeof after);
        if (after >= TEXT || i + head + sizeof after + after > size)
            return false;
        memcpy(out, bytes + i + head + sizeof after, (size_t)after);
        out[after] = 0;
        return true;
    }
    return false;
}

static bool read_record(const char *path, penta_prepare_options *o)
{
    char bytes[RECORD], flatten[TEXT], sigma[TEXT], width[TEXT];
    FILE *in = fopen(path, "rb");
    size_t size = in ? fread(bytes, 1, sizeof bytes, in) : 0;

    if (in)
        (void)fclose(in);
    if (!find_text(bytes, size, "flatten", flatten) || !find_text(bytes, size, "flatten_sigma", sigma) ||
        !find_text(bytes, size, "dust_size", width))
        return false;
    take_option(o, flatten, penta_strtod(sigma, NULL));
    return true;
}

static bool read_state(const char *path, penta_prepare_options *o)
{
    json_t *root = json_load_file(path, 0, NULL), *recipe = json_object_get(root, "recipe");
    bool ok = json_is_object(recipe);

    if (ok)
        take_option(o, json_string_value(json_object_get(recipe, "flatten")),
                    json_number_value(json_object_get(recipe, "flatten_sigma")));
    json_decref(root);
    return ok;
}

double beside_narrow_sigma(const char *path, size_t width, size_t height, double length)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    char *state = directory ? penta_io_join_path(directory, ".prepare/state", ".json") : NULL;
    char *record = directory ? penta_io_join_path(directory, PENTA_IO_RUN_RECORD, "") : NULL;
    penta_prepare_options o = {0};
    bool found = state && record && (read_state(state, &o) || read_record(record, &o));

    free(directory);
    free(state);
    free(record);
    return found ? prepare_narrow_sigma(&o, width, height, length) : 0;
}
