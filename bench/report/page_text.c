/* Pages as Markdown and as plain text. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- Markdown ---- */

static void put_escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("|<>*_`\\^", *text))
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void markdown_table(const json_t *block, FILE *out)
{
    const json_t *columns = json_object_get(block, "columns"), *row, *cell;
    const char *name;
    size_t i, k;

    for (i = 0; i < json_array_size(columns); i++) {
        page_is_left(columns, i, &name);
        fputs("| ", out);
        put_escaped(name, out);
        fputc(' ', out);
    }
    fputs("|\n", out);
    for (i = 0; i < json_array_size(columns); i++)
        fputs(page_is_left(columns, i, &name) ? "|---" : "|---:", out);
    fputs("|\n", out);
    json_array_foreach(json_object_get(block, "rows"), k, row)
    {
        json_array_foreach(row, i, cell)
        {
            fputs("| ", out);
            put_escaped(page_cell(cell), out);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
    fputc('\n', out);
}

static void markdown_list(const json_t *texts, FILE *out)
{
    const json_t *text;
    size_t i;

    json_array_foreach(texts, i, text)
    {
        fputs("- ", out);
        put_escaped(page_cell(text), out);
        fputc('\n', out);
    }
    fputc('\n', out);
}

void page_markdown(const json_t *page, FILE *out)
{
    const json_t *block;
    size_t i;

    json_array_foreach(page, i, block)
    {
        if (json_object_get(block, "heading")) {
            fprintf(out, "%.*s ", (int)json_integer_value(json_object_get(block, "level")), "####");
            put_escaped(page_cell(json_object_get(block, "heading")), out);
            fputs("\n\n", out);
        } else if (json_object_get(block, "text")) {
            put_escaped(page_cell(json_object_get(block, "text")), out);
            fputs("\n\n", out);
        } else if (json_object_get(block, "list")) {
            markdown_list(json_object_get(block, "list"), out);
        } else if (json_object_get(block, "image")) {
            fprintf(out, "![%s](%s)\n\n", page_cell(json_object_get(block, "title")),
                    page_cell(json_object_get(block, "image")));
        } else {
            markdown_table(block, out);
        }
    }
}

/* ---- plain text ---- */

/* Characters of UTF-8. */
static int length_of(const char *text)
{
    int length = 0;

    for (; *text; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

static void put_padded(const char *text, int width, bool left, FILE *out)
{
    int pad = width - length_of(text);

    fprintf(out, "  %*s%s%*s", left ? 0 : pad, "", text, left ? pad : 0, "");
}

static int *widths_of(const json_t *columns, const json_t *rows)
{
    size_t n = json_array_size(columns), i, k;
    int *widths = calloc(n ? n : 1, sizeof *widths);
    const json_t *row;
    const char *name;

    for (i = 0; widths && i < n; i++) {
        page_is_left(columns, i, &name);
        widths[i] = length_of(name);
        json_array_foreach(rows, k, row)
        {
            int length = length_of(page_cell(json_array_get(row, i)));

            widths[i] = length > widths[i] ? length : widths[i];
        }
    }
    return widths;
}

static void plain_table(const json_t *block, FILE *out)
{
    const json_t *columns = json_object_get(block, "columns"), *rows = json_object_get(block, "rows"), *row;
    int *widths = widths_of(columns, rows);
    const char *name;
    size_t i, k;

    for (i = 0; widths && i < json_array_size(columns); i++) {
        bool left = page_is_left(columns, i, &name);

        put_padded(name, widths[i], left, out);
    }
    fputc('\n', out);
    json_array_foreach(rows, k, row)
    {
        for (i = 0; widths && i < json_array_size(columns); i++) {
            bool left = page_is_left(columns, i, &name);

            put_padded(page_cell(json_array_get(row, i)), widths[i], left, out);
        }
        fputc('\n', out);
    }
    fputc('\n', out);
    free(widths);
}

void page_plain(const json_t *page, FILE *out)
{
    const json_t *block, *text;
    size_t i, k;

    json_array_foreach(page, i, block)
    {
        if (json_object_get(block, "heading")) {
            fprintf(out, "%s\n\n", page_cell(json_object_get(block, "heading")));
        } else if (json_object_get(block, "text")) {
            fprintf(out, "%s\n\n", page_cell(json_object_get(block, "text")));
        } else if (json_object_get(block, "list")) {
            json_array_foreach(json_object_get(block, "list"), k, text) fprintf(out, "- %s\n", page_cell(text));
            fputc('\n', out);
        } else if (json_object_get(block, "image")) {
            fprintf(out, "%s: %s\n\n", page_cell(json_object_get(block, "title")),
                    page_cell(json_object_get(block, "image")));
        } else {
            plain_table(block, out);
        }
    }
}
