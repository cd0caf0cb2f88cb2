/* The files of a report. */
#include "report.h"

#include <string.h>

#include <pentacl/io/output.h>

#include "page.h"

typedef void (*writer)(const json_t *what, const char *title, FILE *out);

static void as_markdown(const json_t *page, const char *title, FILE *out)
{
    (void)title;
    page_markdown(page, out);
}

static void as_json(const json_t *value, const char *title, FILE *out)
{
    (void)title;
    json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10)); /* errors are found at commit */
    fputc('\n', out);
}

static bool write_one(const char *directory, const char *name, const char *suffix, const char *title,
                      const json_t *what, writer write)
{
    penta_io_output *output = NULL;
    penta_io_error error = {0};

    if (penta_io_output_open_in(directory, name, suffix, &output, &error)) {
        write(what, title, penta_io_output_stream(output));
        if (penta_io_output_commit(output, &error))
            return true;
    }
    cli_fail("bench", CLI_ERROR, "%s", error.text);
    return false;
}

bool bench_write_page(const char *directory, const char *name, const char *title, const json_t *page)
{
    return write_one(directory, name, ".md", title, page, as_markdown) &&
           write_one(directory, name, ".html", title, page, page_html);
}

bool bench_write_json(const char *directory, const char *name, const json_t *value)
{
    return write_one(directory, name, ".json", "", value, as_json);
}
