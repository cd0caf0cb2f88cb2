/* The report's tables of numbers. */

#include "figures/html.h"
#include "optmap/report_parts.h"

static void put_row(FILE *out, const char *name, const char *unit, const penta_findings_statistics *s)
{
    if (s->count == 0)
        return;
    fprintf(out,
            "<tr><td>%s, %s</td><td>%.4g</td><td>%.4g</td><td>%.4g</td><td>%.4g</td><td>%.3g</td><td>%.3g</td>"
            "<td>%zu</td><td>%zu</td></tr>\n",
            name, unit, s->median, s->q1, s->q3, s->mean, s->sd, s->largest - s->least, s->pixels, s->beats);
}

static void put_facts(FILE *out, const optmap_findings *f)
{
    fprintf(
        out,
        "<table class=\"text\"><tr><td>Movie</td><td>%zu frames of %zu &#215; %zu px at %.6g Hz, %.6g s</td></tr>\n",
        f->found->frames, f->found->width, f->found->height, f->found->frame_rate_hz,
        (double)f->found->frames / f->found->frame_rate_hz);
    if (f->found->pixel_size > 0)
        fprintf(out, "<tr><td>Pixel</td><td>%.6g mm</td></tr>\n", 10 * f->found->pixel_size);
    fprintf(out, "<tr><td>Valid pixels</td><td>%zu of %zu</td></tr>\n<tr><td>Beats</td><td>%zu</td></tr>\n",
            f->found->result.valid_pixels, f->found->height * f->found->width, f->found->beat_count);
    fprintf(out, "<tr><td>Filtered movie</td><td>%zu frames at %.6g Hz</td></tr>\n<tr><td>Engine</td><td>",
            f->found->filtered.frames, f->found->filtered.frame_rate_hz);
    html_text(out, f->found->engine, SIZE_MAX);
    fprintf(out, ", %.3g times real time from reading to this page</td></tr>\n<tr><td>Device</td><td>",
            f->real_time_factor);
    html_text(out, f->device, SIZE_MAX);
    fputs("</td></tr></table>\n", out);
}

bool optmap_report_summary(FILE *out, const optmap_findings *f)
{
    penta_findings_statistics s;
    penta_findings_map map;
    size_t needed = 0;

    put_facts(out, f);
    fputs("<h2>Summary</h2>\n<table><tr><th></th><th>median</th><th>lower quartile</th><th>upper quartile</th>"
          "<th>mean</th><th>dispersion</th><th>range</th><th>pixels</th><th>beats</th></tr>\n",
          out);
    for (size_t i = 0; penta_findings_map_at(f->found, i, &map); i++) {
        if (map.instants || map.count == 0)
            continue;
        if (penta_findings_summarise(f->found, &map, 0, map.count, &s) != PENTA_OK)
            return false;
        if (s.refused)
            needed = s.needed;
        else
            put_row(out, map.title, map.unit, &s);
    }
    fputs(
        "</table>\n<p class=\"note\">Over all pixels and beats that have a value. Dispersion: the standard deviation. "
        "Range: largest less least. Signal to noise is of the movie as recorded, and of the filtered one.",
        out);
    if (needed > 0)
        fprintf(out, " Alternans is not stated: fewer than %zu pixels have one.", needed);
    else if (f->found->beat_count > 0 && f->found->regular_beats < PENTA_ALTERNANS_BEATS)
        fprintf(out, " Alternans is not stated: it needs %d beats in a row whose cycles are within 10 %%.",
                PENTA_ALTERNANS_BEATS);
    fputs("</p>\n", out);
    return true;
}

/* ---- beats ---- */

static void put_number(FILE *out, int digits, double value, bool known)
{
    if (known)
        fprintf(out, "<td>%.*f</td>", digits, value);
    else
        fputs("<td>&#8211;</td>", out);
}

/* Statistics of one beat's map. False when out of memory. */
static bool find_beat(const penta_findings *found, const char *name, size_t beat, penta_findings_statistics *out)
{
    penta_findings_map map;

    *out = (penta_findings_statistics){.pixels = 0};
    return !penta_findings_map_named(found, name, &map) || map.count == 0 ||
           penta_findings_summarise(found, &map, beat, 1, out) == PENTA_OK;
}

static bool put_beat(FILE *out, const optmap_findings *f, size_t i)
{
    penta_findings_statistics a, d, v;

    if (!find_beat(f->found, "activation", i, &a) || !find_beat(f->found, "apd80", i, &d) ||
        !find_beat(f->found, "cv", i, &v))
        return false;
    fprintf(out, "<tr><td>%zu</td><td>%.1f</td>", i + 1,
            1e3 * f->found->beats[i].upstroke / f->found->filtered.frame_rate_hz);
    put_number(out, 1, a.least, a.pixels > 0);
    put_number(out, 1, a.largest - a.least, a.pixels > 0);
    put_number(out, 2, d.median, d.pixels > 0);
    put_number(out, 2, d.sd, d.pixels > 0);
    put_number(out, 2, d.largest - d.least, d.pixels > 0);
    put_number(out, 1, v.median, v.pixels > 0);
    fprintf(out, "<td>%zu</td></tr>\n", a.pixels);
    return true;
}

bool optmap_report_beats(FILE *out, const optmap_findings *f)
{
    fputs("<h2>Beats</h2>\n", out);
    if (f->found->beat_count == 0) {
        fputs("<p>No beat was found.</p>\n", out);
        return true;
    }
    fputs("<table><tr><th>beat</th><th>upstroke, ms</th><th>first activation, ms</th><th>total activation, ms</th>"
          "<th>APD80 median, ms</th><th>dispersion</th><th>range</th><th>CV median, cm/s</th><th>pixels</th></tr>\n",
          out);
    for (size_t i = 0; i < f->found->beat_count; i++)
        if (!put_beat(out, f, i))
            return false;
    fputs("</table>\n", out);
    return true;
}
