#include "optmap/statistics.h"

static void put_numbers(FILE *out, const penta_findings_statistics *s)
{
    const double numbers[] = {s->median, s->q1, s->q3, s->mean, s->sd, s->largest - s->least, s->least, s->largest};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (s->count > 0 && !s->refused)
            fprintf(out, ",%.7g", numbers[i]);
        else
            putc(',', out);
    fprintf(out, ",%zu,%zu\n", s->pixels, s->beats);
}

bool optmap_put_statistics(FILE *out, const optmap_findings *f)
{
    penta_findings_statistics s;
    penta_findings_map map;

    fputs("name,unit,median,q1,q3,mean,sd,range,least,largest,pixels,beats\n", out);
    for (size_t i = 0; penta_findings_map_at(f->found, i, &map); i++) {
        if (map.instants || !map.data)
            continue;
        if (penta_findings_summarise(f->found, &map, 0, map.count, &s) != PENTA_OK)
            return false;
        fprintf(out, "%s,%s", map.name, map.unit);
        put_numbers(out, &s);
    }
    return true;
}
