/* Rules about the flags that were given, whatever their values. */
#include <string.h>

#include "shared/cli.h"

enum { FLAG_BYTES = 64 };

/* Steps to the next name of a rule, which goes to row; flag is how it is typed. False behind the last. */
static bool next_flag(const char **at, char row[FLAG_BYTES], char flag[FLAG_BYTES])
{
    int length;

    *at += strspn(*at, " ");
    length = (int)strcspn(*at, " ");
    snprintf(row, FLAG_BYTES, "%.*s", length, *at);
    memcpy(flag, "--", sizeof "--");
    cli_flag_name(row, flag + 2, FLAG_BYTES - 2);
    *at += length;
    return length > 0;
}

int cli_check_single(const cli_line *line)
{
    char row[FLAG_BYTES], flag[FLAG_BYTES], found[FLAG_BYTES];

    for (const cli_rule *rule = line->command->single; rule && rule->flags; rule++) {
        *found = 0;
        for (const char *at = rule->flags; next_flag(&at, row, flag);) {
            if (!cli_given(line->tables, row))
                continue;
            if (*found)
                return cli_fail(line->command->name, CLI_USAGE, "%s and %s both say %s; give one", found, flag,
                                rule->text);
            memcpy(found, flag, sizeof found);
        }
    }
    return CLI_OK;
}

int cli_check_together(const cli_line *line)
{
    char row[FLAG_BYTES], flag[FLAG_BYTES], has[FLAG_BYTES], lacks[FLAG_BYTES];

    for (const cli_rule *rule = line->command->together; rule && rule->flags; rule++) {
        *has = *lacks = 0;
        for (const char *at = rule->flags; next_flag(&at, row, flag);)
            memcpy(cli_given(line->tables, row) ? has : lacks, flag, sizeof flag);
        if (*has && *lacks)
            return cli_fail(line->command->name, CLI_USAGE, "%s does nothing without %s; give both", has, lacks);
    }
    return CLI_OK;
}

int cli_check_effect(const cli_line *line, unsigned facts)
{
    char row[FLAG_BYTES], flag[FLAG_BYTES];

    for (const cli_rule *rule = line->command->idle; rule && rule->flags; rule++)
        for (const char *at = rule->flags; (rule->when & facts) && next_flag(&at, row, flag);)
            if (cli_given(line->tables, row))
                return cli_fail(line->command->name, CLI_USAGE, "%s has no effect: %s; leave it out", flag, rule->text);
    return CLI_OK;
}

int cli_need_output(const cli_line *line)
{
    const char *name = line->command->output_name;

    if (!cli_given(line->tables, "output"))
        return cli_fail(line->command->name, CLI_USAGE, "-o %s is missing: where should the results go?",
                        name ? name : "DIR");
    return CLI_OK;
}
