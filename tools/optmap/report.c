/* The report: one HTML file with its pictures and style, for screens and for paper. */
#include "optmap/report.h"

#include <stdlib.h>

#include "figures/html.h"
#include "optmap/draw.h"
#include "optmap/report_parts.h"

#include <pentacl/io/output.h>

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;color:#202020;background:#fff;max-width:72em;margin:2em auto;padding:0 "
    "1.2em}"
    "h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.15em;margin:1.6em 0 .4em;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse;margin:.6em 0}th,td{padding:.2em .9em .2em 0;text-align:right;vertical-align:top;"
    "border-bottom:1px solid #e4e4e4}th{font-weight:600}th:first-child,td:first-child,.text td{text-align:left}"
    ".settings th{padding-top:.8em;border-bottom:1px solid #ccc}.settings .given td:nth-child(2){font-weight:600}"
    "code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}figure{margin:.8em 0}"
    "svg{max-width:100%;height:auto}"
    "figcaption,.note{color:#555;font-size:.9em}"
    "@media "
    "print{body{margin:0;max-width:none;font-size:11px}figure,tr{break-inside:avoid}h2{break-after:avoid}.movie{"
    "display:none}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

static bool put_movie(FILE *out, const optmap_findings *f)
{
    char *bytes = NULL;
    size_t size = 0;
    bool ok = f->no_movie || optmap_film(f, &bytes, &size);

    if (bytes) {
        fputs("<figure class=\"movie\"><img alt=\"the filtered movie\" src=\"", out);
        html_png(out, (const uint8_t *)bytes, size);
        fputs("\"><figcaption>The filtered movie, shown at 25 frames a second; crosses are phase singularities: "
              "upright of charge "
              "+1, slanted of &#8722;1.</figcaption></figure>\n",
              out);
    }
    free(bytes);
    return ok;
}

static void put_head(FILE *out, const optmap_findings *f)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Optical mapping: ",
          out);
    html_text(out, f->movie, SIZE_MAX);
    fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>Optical mapping</h1>\n<p><code>", style);
    html_text(out, f->movie, SIZE_MAX);
    fputs("</code></p>\n", out);
}

static bool put_maps(FILE *out, const optmap_findings *f, const char *name)
{
    figure fig = {0};
    penta_findings_map map;
    char caption[300];
    bool ok = true;

    if (!penta_findings_map_named(f->found, name, &map) || map.count == 0)
        return true;
    ok = optmap_describe_maps(&fig, f, &map, &optmap_report_style);
    if (ok && (map.per_beat || !figure_range_is_none(fig.colours))) {
        optmap_caption(f, &map, &optmap_report_style, caption, sizeof caption);
        fputs("<figure>", out);
        ok = figure_svg(&fig, map.title, out);
        fprintf(out, "<figcaption>%s.</figcaption></figure>\n", caption);
    }
    figure_close(&fig);
    return ok;
}

static bool put_traces(FILE *out, const optmap_findings *f)
{
    figure fig;
    bool ok;

    optmap_describe_traces(&fig, f, &optmap_report_style);
    fputs("<figure>", out);
    ok = figure_svg(&fig, "Traces", out);
    fputs("<figcaption>Fluorescence change, % of F0, before (grey) and after conditioning (blue), at pixels (x, y)."
          "</figcaption></figure>\n",
          out);
    figure_close(&fig);
    return ok;
}

static bool put_figures(FILE *out, const optmap_findings *f)
{
    static const char *const maps[] = {"apd80", "cv", "repolarisation", "rise", "snr", "alternans", "frequency"};

    fputs("<h2>Activation</h2>\n", out);
    if (f->found->beat_count == 0)
        fputs("<p>No beat was found.</p>\n", out);
    if (!put_maps(out, f, "activation") || !put_movie(out, f))
        return false;
    fputs("<h2>Traces</h2>\n", out);
    if (!put_traces(out, f))
        return false;
    fputs("<h2>Maps</h2>\n", out);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (!put_maps(out, f, maps[i]))
            return false;
    return true;
}

static void put_notes(FILE *out, const optmap_findings *f)
{
    if (f->note_count > 0)
        fputs("<h2>Warnings</h2>\n<ul>\n", out);
    for (size_t i = 0; i < f->note_count; i++) {
        fputs("<li>", out);
        html_text(out, f->notes[i].text, SIZE_MAX);
        fputs("</li>\n", out);
    }
    if (f->note_count > 0)
        fputs("</ul>\n", out);
}

static bool put_report(FILE *out, const optmap_findings *f)
{
    bool ok;

    put_head(out, f);
    put_notes(out, f);
    ok = optmap_report_summary(out, f) && optmap_report_beats(out, f) && put_figures(out, f) &&
         optmap_report_rotors(out, f);
    optmap_report_settings(out, f);
    fputs("<h2>Command</h2>\n<p><code>", out);
    html_text(out, f->command, SIZE_MAX);
    fputs("</code></p>\n<p class=\"note\">pentacl ", out);
    html_text(out, f->version, SIZE_MAX);
    fputs(" on ", out);
    html_text(out, f->device, SIZE_MAX);
    fputs("</p>\n</body>\n</html>\n", out);
    return ok;
}

bool optmap_write_report(const char *path, const optmap_findings *f, penta_io_error *err)
{
    penta_io_output *output = NULL;

    if (!penta_io_output_open(path, &output, err))
        return false;
    if (put_report(penta_io_output_stream(output), f))
        return penta_io_output_commit(output, err);
    penta_io_output_abort(output);
    return penta_io_fail(err, "%s: out of memory for the report", path);
}
