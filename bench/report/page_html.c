/* Pages as HTML: one file that needs no other but its pictures, in light and dark. */
#include "page.h"

#include <string.h>

static const char style[] =
    ":root{color-scheme:light "
    "dark;--text:#1b1f24;--dim:#57606a;--back:#fff;--line:#d8dee4;--ours:#a5cdf3;--peer:#d5d9de}\n"
    "@media(prefers-color-scheme:dark){:root{--text:#e6e8eb;--dim:#9aa4af;--back:#14171a;--line:#333a41;--ours:#1f4e79;"
    "--peer:#3d444c}}\n"
    "body{margin:2em auto;max-width:88em;padding:0 1em;background:var(--back);color:var(--text);"
    "font:16px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.6em}h2{margin-top:2em;border-bottom:1px solid var(--line)}h3{margin:1.6em 0 .3em}\n"
    "p,li{max-width:60em;color:var(--dim)}.scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2em .7em;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\n"
    "th{color:var(--dim);font-weight:600}.left{text-align:left}td.wrap{white-space:normal}\n"
    "td.bar{min-width:7em}.ours{background:var(--ours)}.peer{background:var(--peer)}\n"
    ".bar i{display:block;height:.5em;margin-top:.1em}\n"
    "@media print{body{margin:0;max-width:none}}\n";

static void put_escaped(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

static void put_element(const char *name, const json_t *text, FILE *out)
{
    fprintf(out, "<%s>", name);
    put_escaped(page_cell(text), out);
    fprintf(out, "</%s>\n", name);
}

static void put_cell(const json_t *cell, bool left, FILE *out)
{
    const json_t *bar = json_object_get(cell, "bar");
    const char *text = page_cell(cell);
    double part = json_number_value(bar);

    if (!json_is_number(bar)) {
        fprintf(out, "<td%s>", !left ? "" : strlen(text) > 60 ? " class=\"left wrap\"" : " class=\"left\"");
        put_escaped(text, out);
    } else {
        fputs("<td class=\"bar\">", out);
        put_escaped(text, out);
        fprintf(out, "<i class=\"%s\" style=\"width:%.1f%%\"></i>",
                json_is_true(json_object_get(cell, "peer")) ? "peer" : "ours", 100 * (part < 1 ? part : 1));
    }
    fputs("</td>", out);
}

static void put_table(const json_t *block, FILE *out)
{
    const json_t *columns = json_object_get(block, "columns"), *row, *cell;
    const char *name;
    size_t i, k;

    fputs("<div class=\"scroll\"><table>\n<tr>", out);
    for (i = 0; i < json_array_size(columns); i++) {
        fputs(page_is_left(columns, i, &name) ? "<th class=\"left\">" : "<th>", out);
        put_escaped(name, out);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    json_array_foreach(json_object_get(block, "rows"), k, row)
    {
        fputs("<tr>", out);
        json_array_foreach(row, i, cell) put_cell(cell, page_is_left(columns, i, &name), out);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void put_list(const json_t *texts, FILE *out)
{
    const json_t *text;
    size_t i;

    fputs("<ul>\n", out);
    json_array_foreach(texts, i, text) put_element("li", text, out);
    fputs("</ul>\n", out);
}

static void put_image(const json_t *block, FILE *out)
{
    fputs("<p><img src=\"", out);
    put_escaped(page_cell(json_object_get(block, "image")), out);
    fputs("\" alt=\"", out);
    put_escaped(page_cell(json_object_get(block, "title")), out);
    fputs("\"></p>\n", out);
}

void page_html(const json_t *page, const char *title, FILE *out)
{
    const json_t *block;
    size_t i;

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    put_escaped(title, out);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
    json_array_foreach(page, i, block)
    {
        char name[8];

        snprintf(name, sizeof name, "h%d", (int)json_integer_value(json_object_get(block, "level")));
        if (json_object_get(block, "heading"))
            put_element(name, json_object_get(block, "heading"), out);
        else if (json_object_get(block, "text"))
            put_element("p", json_object_get(block, "text"), out);
        else if (json_object_get(block, "list"))
            put_list(json_object_get(block, "list"), out);
        else if (json_object_get(block, "image"))
            put_image(block, out);
        else
            put_table(block, out);
    }
    fputs("</body>\n</html>\n", out);
}
