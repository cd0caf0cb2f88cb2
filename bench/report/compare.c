/* penta bench --compare: reports of several machines, row by row; bench/pages.py puts them side by side. */
#include "report.h"

#include <stdlib.h>

#include "shared/answer.h"

int bench_compare(const bench_flags *flags, char *const *paths, int count)
{
    const char **arguments = calloc((size_t)count + 2, sizeof *arguments);
    char why[512] = "out of memory";
    json_t *pages = NULL;
    int code = CLI_OK;

    if (arguments) {
        arguments[0] = "--compare";
        arguments[1] = ""; /* the directory, to which this program writes */
        for (int i = 0; i < count; i++)
            arguments[i + 2] = paths[i];
        pages = bench_make_pages(arguments, (size_t)count + 2, why, sizeof why);
    }
    free(arguments);
    if (!pages)
        return cli_fail("bench", CLI_ERROR, "%s", why);
    if (flags->output)
        code = bench_write_comparison(flags->output, pages);
    if (!flags->json)
        fputs(json_string_value(json_object_get(pages, "text")), stdout);
    answer_add(json_incref(json_object_get(pages, "comparison")));
    json_decref(pages);
    return code;
}
