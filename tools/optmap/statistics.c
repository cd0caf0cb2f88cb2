#include "optmap/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const optmap_kinds[OPTMAP_KINDS] = {"apd30", "apd50",     "apd80",     "apd90",
                                                "rise",  "amplitude", "snr",       "snr_filtered",
                                                "cv",    "alternans", "frequency", "regularity"};

bool optmap_find_statistics(const optmap_findings *f, const optmap_map *map, size_t first, size_t count,
                            optmap_statistics *out)
{
    size_t pixels = f->height * f->width;
    optmap_map plain = *map;
    float *all = malloc((count > 0 ? count : 1) * pixels * sizeof *all);
    char *seen = calloc(pixels, 1);
    bool ok = all && seen;

    *out = (optmap_statistics){.pixels = 0};
    plain.from_first = false;
    for (size_t i = 0; ok && i < count; i++) {
        float *values = all + i * pixels;
        bool any = false;

        optmap_map_values(f, &plain, first + i, values);
        for (size_t p = 0; p < pixels; p++)
            if (isfinite(values[p])) {
                out->pixels += !seen[p];
                seen[p] = any = true;
            }
        out->beats += any;
    }
    ok = ok && optmap_summarise(all, count * pixels, &out->all);
    free(all);
    free(seen);
    return ok;
}

size_t optmap_least_alternans(const optmap_findings *f)
{
    return penta_alternans_least(f->valid_pixels);
}

bool optmap_is_refused(const optmap_findings *f, const char *kind, const optmap_statistics *s)
{
    return strcmp(kind, "alternans") == 0 && s->pixels > 0 && s->pixels < optmap_least_alternans(f);
}

static void put_numbers(FILE *out, const optmap_statistics *s, bool known)
{
    const double numbers[] = {s->all.median, s->all.q1,  s->all.q3, s->all.mean, s->all.sd, s->all.high - s->all.low,
                              s->all.low,    s->all.high};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (known)
            fprintf(out, ",%.7g", numbers[i]);
        else
            putc(',', out);
    fprintf(out, ",%zu,%zu\n", s->pixels, s->beats);
}

bool optmap_put_statistics(FILE *out, const optmap_findings *f)
{
    fputs("name,unit,median,q1,q3,mean,sd,range,least,largest,pixels,beats\n", out);
    for (size_t i = 0; i < OPTMAP_KINDS; i++) {
        optmap_statistics s;
        optmap_map map;

        if (!optmap_find_map(f, optmap_kinds[i], &map) || !map.data)
            continue;
        if (!optmap_find_statistics(f, &map, 0, map.count, &s))
            return false;
        fprintf(out, "%s,%s", optmap_kinds[i], map.unit);
        put_numbers(out, &s, s.all.count > 0 && !optmap_is_refused(f, optmap_kinds[i], &s));
    }
    return true;
}
