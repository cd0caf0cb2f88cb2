/* "-" and pipes on the line of a command. */
#include <string.h>
#include <sys/resource.h>

#include "shared/cli.h"
#include "shared/ranks.h"
#include "shared/stages.h"
#include "shared/streams.h"

static int take(const cli_line *line, const char **name)
{
    penta_io_error error = {""};

    if (streams_is_read(*name))
        return cli_fail(line->command->name, CLI_USAGE, "standard input is named twice, but can be read once only");
    if (streams_is_input(*name) && ranks_size() > 1)
        return cli_fail(line->command->name, CLI_USAGE, "%s is read by one process, and there are %zu; name a file",
                        *name, ranks_size());
    if (!streams_is_input(*name) || streams_copy_in(*name, name, &error))
        return CLI_OK;
    return cli_fail(line->command->name, CLI_ERROR, "%s", error.text);
}

static const char *text_of(const cli_table *t, const penta_option *row)
{
    const char *text;

    memcpy(&text, (const char *)t->values + row->offset, sizeof text);
    return text;
}

/* The values of flags that are files to be read. */
static int take_values(const cli_line *line, const cli_table *t)
{
    int code = CLI_OK;

    for (const penta_option *row = t->rows; code == CLI_OK && row->type != PENTA_OPTION_END; row++) {
        const char *text;

        if (!t->given[row - t->rows] || !cli_value_is_file(row) || cli_value_is_output(row))
            continue;
        text = text_of(t, row);
        code = take(line, &text);
        memcpy((char *)t->values + row->offset, &text, sizeof text);
    }
    return code;
}

/* How often a file goes to standard output, by "-". */
static int count_outputs(const cli_line *line)
{
    int n = 0;

    for (const cli_table *t = line->tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            n += t->given[row - t->rows] && cli_value_is_output(row) && strcmp(text_of(t, row), "-") == 0;
    return n;
}

static int check_outputs(const cli_line *line)
{
    const char *command = line->command->name, *name = line->command->output_name;
    int n = count_outputs(line);

    for (const cli_table *t = line->tables; n > 0 && t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            if (row->type == PENTA_OPTION_TEXT && strcmp(row->name, "output") == 0 && t->given[row - t->rows] &&
                strcmp(text_of(t, row), "-") == 0 && (!name || strcmp(name, "DIR") == 0))
                return cli_fail(command, CLI_USAGE,
                                "-o - is standard output, which takes one file, but this command writes a directory "
                                "of them; name one (./- is a directory called -)");
    if (n > 1)
        return cli_fail(command, CLI_USAGE, "two files cannot both go to standard output; name a file for one");
    if (n > 0 && cli_given(line->tables, "json"))
        return cli_fail(command, CLI_USAGE, "--json and a file cannot both go to standard output; name the file");
    if (n > 0)
        streams_take_stdout();
    return CLI_OK;
}

int cli_take_streams(const cli_line *line)
{
    enum { LEAST_FILES = 16 }; /* with fewer a driver says that there is no device, or ends the process */
    bool files = line->command->operands && !line->command->operands[0].choices;
    struct rlimit limit;
    stage before = stages_enter(STAGE_READ);
    int code = check_outputs(line);

    if (code == CLI_OK && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < LEAST_FILES)
        code = cli_fail(line->command->name, CLI_ERROR,
                        "only %llu files can be open at once, too few for an OpenCL driver; raise the limit (ulimit -n "
                        "1024)",
                        (unsigned long long)limit.rlim_cur);
    for (const cli_table *t = line->tables; code == CLI_OK && t->rows; t++)
        code = take_values(line, t);
    for (int i = 0; files && code == CLI_OK && i < line->operand_count; i++) {
        const char *name = line->operands[i];

        code = take(line, &name);
        line->operands[i] = (char *)name;
    }
    (void)stages_enter(before);
    return code;
}
