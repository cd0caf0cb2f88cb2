/*
 * What follows from a report's measurements. The limit of a row is the rate at which its job would run if the device
 * moved its bytes at copy bandwidth and did its flops at the rate of multiply-adds, whichever takes longer (a
 * roofline).
 */
#include "report.h"

#include <math.h>
#include <string.h>

#include "shared/json.h"

double bench_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is(const json_t *object, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value && strcmp(value, text) == 0;
}

/* ---- limits ---- */

/* Times by the host's clock include what the limit does not know, transfers and launches, and peers by that clock run
 * on the host's cores: of those only peers on a CPU device, which are these cores, have a share. */
static bool is_bounded(const json_t *report, const json_t *row)
{
    return is(row, "clock", "device") ||
           (is(row, "kind", "peer") && is(json_object_get(report, "device"), "type", "cpu"));
}

/* Least time of an item, s; NAN where a limit was not measured. */
static double least_time(const json_t *limits, const json_t *needs, const char **by)
{
    const char *numbers = json_string_value(json_object_get(needs, "numbers"));
    double memory = bench_number(needs, "bytes") / bench_number(json_object_get(limits, "copy"), "value");
    double flops = numbers ? bench_number(needs, "flops") / bench_number(json_object_get(limits, numbers), "value") : 0;

    *by = flops > memory ? numbers : "memory";
    return isnan(flops) || isnan(memory) ? NAN : fmax(flops, memory);
}

static void derive_limit(const json_t *report, json_t *row)
{
    const json_t *needs = json_object_get(row, "needs");
    const char *by = NULL;
    double least, time = 1e-3 * bench_number(row, "median_ms");

    if (!needs || !is_bounded(report, row))
        return;
    least = least_time(json_object_get(report, "limits"), needs, &by);
    if (!(least > 0))
        return;
    json_object_set_new(row, "limit", json_number(bench_number(row, "rate") * time / least));
    json_object_set_new(row, "limited_by", json_string(by));
    json_object_set_new(row, "share", json_number(least / time));
}

/* ---- peers ---- */

/* Of a row of ours: [{peer, ratio, same_clock}], above 1 ours is faster. */
static void derive_against(const json_t *rows, json_t *row)
{
    json_t *against = json_array();
    const json_t *other;
    size_t i;

    json_array_foreach(rows, i, other)
    {
        const char *unit = json_string_value(json_object_get(other, "unit"));
        const char *clock = json_string_value(json_object_get(other, "clock"));

        if (!is(other, "kind", "peer") || !unit || !clock || !is(row, "unit", unit))
            continue;
        json_array_append_new(against, json_pack("{s:O, s:o, s:b}", "peer", json_object_get(other, "variant"), "ratio",
                                                 json_number(bench_number(row, "rate") / bench_number(other, "rate")),
                                                 "same_clock", is(row, "clock", clock)));
    }
    json_object_set_new(row, "against", against);
}

void bench_derive(json_t *report)
{
    json_t *one, *row;
    size_t i, k;

    json_array_foreach(json_object_get(report, "cases"), i, one)
    {
        json_t *rows = json_object_get(one, "rows");

        json_array_foreach(rows, k, row)
        {
            derive_limit(report, row);
            if (is(row, "kind", "ours"))
                derive_against(rows, row);
        }
    }
}
