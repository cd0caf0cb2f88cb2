/* The limits of the device for a report: what is measured, how, and what came out. */
#include "report.h"

#include <math.h>
#include <string.h>

#include <pentacl/flops.h>

#include "shared/json.h"

static const struct {
    const char *name;
    penta_limit limit;
    const char *unit, *title, *how;
} kinds[] = {
    {"copy", PENTA_LIMIT_COPY, "B/s", "copy bandwidth",
     "bytes read plus bytes written by a kernel that copies 256 MiB (an eighth of the device's memory where that is "
     "less), by its event; best of 10"},
    {"single", PENTA_LIMIT_SINGLE, "flop/s", "fused multiply-adds, single",
     "two operations for each fma of a kernel that does nothing else, in 16 independent chains per work-item (CPU: 12 "
     "of "
     "16 numbers), for 5 ms or more, by its event; best of 20"},
    {"double", PENTA_LIMIT_DOUBLE, "flop/s", "fused multiply-adds, double",
     "the same in double precision (CPU: chains of 8 numbers)"},
    {"int32", PENTA_LIMIT_INT32, "op/s", "multiply-adds, int32",
     "the same kernel with x = x x + b of 32-bit integers, two operations each"},
    {"launch", PENTA_LIMIT_LAUNCH, "s", "launch latency (less is better)",
     "from the enqueueing of an empty kernel to its end as the host sees it, by the host's clock; median of 501"},
    {"upload", PENTA_LIMIT_UPLOAD, "B/s", "transfer, host to device",
     "64 MiB of pinned host memory to the device, by the host's clock; best of 10"},
    {"download", PENTA_LIMIT_DOWNLOAD, "B/s", "transfer, device to host", "the same way back"},
};

/* "40.1 GB/s": three digits. */
static void say(FILE *progress, const char *title, double value, const char *unit)
{
    int power = value > 0 ? (int)floor(log10(value) / 3) : 0;
    double digits = value / pow(1000, power);
    int decimals = digits >= 99.95 ? 0 : digits >= 9.995 ? 1 : 2;

    if (!progress)
        return;
    if (value > 0 && power >= -3 && power <= 5)
        fprintf(progress, "%-32s %.*f %s%s\n", title, decimals, digits,
                ((const char *const[]){"n", "µ", "m", "", "k", "M", "G", "T", "P"})[power + 3], unit);
    else
        fprintf(progress, "%-32s -\n", title);
    fflush(progress);
}

json_t *bench_limits(penta_context *ctx, FILE *progress)
{
    json_t *limits = json_object();

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double value = NAN;
        penta_status status = penta_measure_limit(ctx, kinds[i].limit, &value);
        json_t *limit = json_pack("{s:o, s:s, s:s, s:s}", "value", json_number(status == PENTA_OK ? value : NAN),
                                  "unit", kinds[i].unit, "title", kinds[i].title, "how", kinds[i].how);

        if (status != PENTA_OK) {
            const char *why = penta_last_error(ctx);

            json_object_set_new(limit, "reason", json_stringn_nocheck(why, strcspn(why, "\n")));
        }
        json_object_set_new(limits, kinds[i].name, limit);
        say(progress, kinds[i].title, status == PENTA_OK ? value : NAN, kinds[i].unit);
    }
    return limits;
}
