#include "choice.h"

#include <stdio.h>
#include <string.h>

#include "shared/cli.h"

bool bench_has_name(const char *filter, const char *name)
{
    if (!filter)
        return true;
    return *filter == '=' ? strcmp(name, filter + 1) == 0 : strstr(name, filter) != NULL;
}

bool bench_is_chosen(const bench_choice *choice, const char *workload, const char *name)
{
    return (!choice->workload || strcmp(choice->workload, workload) == 0) && bench_has_name(choice->filter, name);
}

int bench_check_choice(const bench_choice *choice, size_t chosen)
{
    if (chosen > 0)
        return CLI_OK;
    return cli_fail("bench", CLI_USAGE, "no case of %s%s%s has '%s' in its name; --list lists them", choice->flag,
                    choice->workload ? " of " : "", choice->workload ? choice->workload : "",
                    choice->filter ? choice->filter : "");
}

void bench_list_case(json_t *names, const char *workload, const char *name, bool json)
{
    json_array_append_new(names, json_sprintf("%s %s", workload, name));
    if (!json)
        printf("%s %s\n", workload, name);
}
