/* The settings of the report, from the rows of their tables. */
#include "optmap/report_html.h"

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
    optmap_html_text(out, unit);
}

static void put_value(FILE *out, const penta_option *row, const void *values)
{
    const void *field = (const char *)values + row->offset;
    char choice[64] = "";

    switch (row->type) {
    case PENTA_OPTION_INT:
        if (*(const int *)field >= row->min &&
            penta_option_choice(row, (size_t)(*(const int *)field - row->min), choice, sizeof choice)) {
            optmap_html_text(out, choice);
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
        optmap_html_text(out, choice);
        break;
    case PENTA_OPTION_FLAG:
        fputs(*(const bool *)field ? "yes" : "no", out);
        break;
    case PENTA_OPTION_TEXT:
        if (*(const char *const *)field)
            optmap_html_text(out, *(const char *const *)field);
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
        fputs(table->given && table->given[row - table->rows] ? "<tr class=\"given\"><td>" : "<tr><td>", out);
        put_flag(out, row->name);
        fputs("</td><td>", out);
        put_value(out, row, table->values);
        fputs("</td><td>", out);
        optmap_html_text(out, row->help);
        fputs("</td></tr>\n", out);
    }
}

void optmap_html_settings(FILE *out, const optmap_findings *f)
{
    if (!f->settings)
        return;
    fputs("<h2>Settings</h2>\n<table class=\"text settings\">\n", out);
    for (const cli_table *table = f->settings; table->rows; table++)
        put_table(out, table);
    fputs("</table>\n<p class=\"note\">Those that the command gave are bold.</p>\n", out);
}
