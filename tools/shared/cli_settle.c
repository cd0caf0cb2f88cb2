#define _POSIX_C_SOURCE 200809L
#include "shared/cli_settle.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/run.h>

/* The directory that was settled last: files of a series share theirs. */
typedef struct {
    const cli_line *line;
    char *last;
} settler;

static int settle(settler *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    penta_io_error error = {""};
    int code = CLI_OK;

    if (!directory)
        return cli_fail(s->line->command->name, CLI_ERROR, "out of memory");
    if (!s->last || strcmp(s->last, directory) != 0)
        code = penta_io_run_settle(directory, &error) ? CLI_OK
                                                      : cli_fail(s->line->command->name, CLI_ERROR, "%s", error.text);
    free(s->last);
    s->last = directory;
    return code;
}

static int settle_table(settler *s, const cli_table *table)
{
    int code = CLI_OK;

    for (const penta_option *row = table->rows; code == CLI_OK && row->type != PENTA_OPTION_END; row++) {
        const char *value = NULL;

        if (row->type == PENTA_OPTION_TEXT && cli_value_is_file(row))
            memcpy(&value, (const char *)table->values + row->offset, sizeof value);
        if (value)
            code = settle(s, value);
    }
    return code;
}

int cli_settle_inputs(const cli_line *line)
{
    settler s = {.line = line};
    int code = CLI_OK;

    for (int i = 0; code == CLI_OK && i < line->operand_count; i++)
        code = settle(&s, line->operands[i]);
    for (const cli_table *t = line->tables; code == CLI_OK && t && t->rows; t++)
        code = settle_table(&s, t);
    free(s.last);
    return code;
}
