#include "commands/device_details.h"

#include <stdio.h>
#include <string.h>

#include <pentacl/cache.h>
#include <pentacl/flops.h>
#include <pentacl/traits.h>

#include "shared/building.h"
#include "shared/json.h"

typedef struct {
    penta_context *ctx; /* NULL: it cannot be opened */
    char error[1024];   /* why; "": it can */
    penta_device_traits traits;
    double rate; /* of double precision, as a part of single precision's; 0: none, or not measured */
    char rate_error[1024];
} opened;

static void take_line(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
}

static void measure_double(opened *o)
{
    double one = 0, two = 0;

    if (!penta_context_device(o->ctx)->fp64)
        return;
    if (penta_measure_limit(o->ctx, PENTA_LIMIT_SINGLE, &one) == PENTA_OK &&
        penta_measure_limit(o->ctx, PENTA_LIMIT_DOUBLE, &two) == PENTA_OK)
        o->rate = two / one;
    else
        take_line(penta_last_error(o->ctx), o->rate_error, sizeof o->rate_error);
}

static void open_device(size_t index, opened *o)
{
    building *line;
    char number[24];

    *o = (opened){.traits = {.size = sizeof o->traits}};
    snprintf(number, sizeof number, "%zu", index);
    if (penta_context_create(number, &o->ctx) != PENTA_OK) {
        take_line(penta_last_error(NULL), o->error, sizeof o->error);
        return;
    }
    line = building_watch(o->ctx, false);
    penta_context_traits(o->ctx, &o->traits);
    measure_double(o);
    building_end(line, o->ctx);
}

/* ---- for programs ---- */

static void add_choice(void *list, const char *what, const char *chosen, const char *why)
{
    json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "what", json_text(what), "chosen", json_text(chosen),
                                          "why", json_text(why)));
}

static json_t *widths_of(const penta_device_traits *t)
{
    json_t *list = json_array();

    for (size_t i = 0; i < PENTA_SIMD_WIDTHS && t->simd_widths[i]; i++)
        json_array_append_new(list, json_integer((json_int_t)t->simd_widths[i]));
    return list;
}

json_t *device_details(size_t index)
{
    opened o;
    json_t *choices = json_array(), *members;

    open_device(index, &o);
    if (!o.ctx)
        return json_pack("{s:o, s:o}", "error", json_text(o.error), "choices", choices);
    penta_context_explain(o.ctx, add_choice, choices);
    members =
        json_pack("{s:n, s:I, s:s, s:o, s:i, s:b, s:b, s:b, s:o, s:s, s:o}", "error", "largest_group",
                  (json_int_t)o.traits.largest_group, "local_memory_kind", o.traits.own_local_memory ? "own" : "shared",
                  "simd_widths", widths_of(&o.traits), "vector_width", (int)o.traits.vector_width, "sub_groups",
                  (int)o.traits.sub_groups, "images", (int)o.traits.images, "fp64_is_off", (int)o.traits.double_is_off,
                  "fp64_rate", o.rate > 0 ? json_real(o.rate) : json_null(), "driver_state", penta_driver_state(o.ctx),
                  "choices", choices);
    penta_context_destroy(o.ctx);
    return members;
}

/* ---- for people ---- */

static void print_choice(void *unused, const char *what, const char *chosen, const char *why)
{
    (void)unused;
    if (strcmp(what, "device") != 0)
        printf("   %s %s: %s\n", what, chosen, why);
}

/* The folder of compiled programs, where it cannot be used. */
static void print_cache(const penta_device *d)
{
    penta_cache_info info = {.size = sizeof info};

    penta_cache_look(&info);
    if (*info.fault && strcmp(penta_cache_keeper(d), "pentacl") == 0)
        printf("   %s cannot be used: %s\n", info.folder, info.fault);
}

void device_print_details(size_t index)
{
    opened o;

    open_device(index, &o);
    if (!o.ctx) {
        printf("   it cannot be used: %s\n", o.error);
        return;
    }
    penta_context_explain(o.ctx, print_choice, NULL);
    if (o.rate > 0)
        printf("   double precision runs at %.3g of the rate of single precision\n", o.rate);
    if (*o.rate_error)
        printf("   the rate of double precision could not be measured: %s\n", o.rate_error);
    print_cache(penta_context_device(o.ctx));
    penta_context_destroy(o.ctx);
}
