/* The report's list of settings, from the tables of options. */
#include <string.h>

#include "figures/html.h"
#include "optmap/report_parts.h"

static void put_flag(FILE *out, const char *name)
{
    fputs("<code>--", out);
    for (; *name; name++)
        putc(*name == '_' ? '-' : *name, out);
    fputs("</code>", out);
}

static void put_unit(FILE *out, const char *unit)
{
    if (*unit)
        putc(' ', out);
    html_text(out, unit, SIZE_MAX);
}

static void put_value(FILE *out, const penta_option *row, const void *values)
{
    const void *field = (const char *)values + row->offset;
    char choice[64] = "";

    switch (row->type) {
    case PENTA_OPTION_INT:
        if (*(const int *)field >= row->min &&
            penta_option_choice(row, (size_t)(*(const int *)field - row->min), choice, sizeof choice)) {
            html_text(out, choice, SIZE_MAX);
            break;
        }
        fprintf(out, "%d", *(const int *)field);
        put_unit(out, row->unit);
        break;
    case PENTA_OPTION_REAL:
        fprintf(out, "%.10g", *(const double *)field);
        put_unit(out, row->unit);
        break;
    case PENTA_OPTION_CHOICE:
        penta_option_choice(row, (size_t) * (const int *)field, choice, sizeof choice);
        html_text(out, choice, SIZE_MAX);
        break;
    case PENTA_OPTION_FLAG:
        fputs(*(const bool *)field ? "yes" : "no", out);
        break;
    case PENTA_OPTION_TEXT:
        if (*(const char *const *)field)
            html_text(out, *(const char *const *)field, SIZE_MAX);
        else
            fputs("&#8211;", out);
        break;
    case PENTA_OPTION_END:
        break;
    }
}

static void put_table(FILE *out, const cli_table *table)
{
    fprintf(out, "<tr><th colspan=\"3\">%s</th></tr>\n", table->title);
    for (const penta_option *row = table->rows; row->type != PENTA_OPTION_END; row++) {
        if (strcmp(row->name, "resume") == 0) /* the report is that of one run */
            continue;
        fputs(table->given && table->given[row - table->rows] ? "<tr class=\"given\"><td>" : "<tr><td>", out);
        put_flag(out, row->name);
        fputs("</td><td>", out);
        put_value(out, row, table->values);
        fputs("</td><td>", out);
        html_text(out, row->help, SIZE_MAX);
        fputs("</td></tr>\n", out);
    }
}

void optmap_report_settings(FILE *out, const optmap_findings *f)
{
    if (!f->settings)
        return;
    fputs("<h2>Settings</h2>\n<table class=\"text settings\">\n", out);
    for (const cli_table *table = f->settings; table->rows; table++)
        put_table(out, table);
    fputs("</table>\n<p class=\"note\">Those that the command gave are bold.</p>\n", out);
}
