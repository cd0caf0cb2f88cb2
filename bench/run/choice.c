/* Which cases there are to measure. */
#include "run.h"

#include <stdio.h>
#include <string.h>

#include "shared/answer.h"

/* ---- by name ---- */

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

/* Its workload and its name. */
static const char *const *names_of(const void *cases, size_t i, size_t bytes)
{
    return (const void *)((const char *)cases + i * bytes);
}

static bool is_chosen(const bench_choice *choice, const char *const names[2])
{
    return bench_is_chosen(choice, names[0], names[1]);
}

size_t bench_count_chosen(const bench_choice *choice, const void *cases, size_t count, size_t bytes, int *code)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += is_chosen(choice, names_of(cases, i, bytes));
    *code = CLI_OK;
    if (n == 0)
        *code = cli_fail("bench", CLI_USAGE, "no case of %s%s%s has '%s' in its name; --list lists them", choice->flag,
                         choice->workload ? " of " : "", choice->workload ? choice->workload : "",
                         choice->filter ? choice->filter : "");
    return n;
}

void bench_list_chosen(const bench_choice *choice, const void *cases, size_t count, size_t bytes, bool json)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        const char *const *names = names_of(cases, i, bytes);

        if (!is_chosen(choice, names))
            continue;
        json_array_append_new(list, json_sprintf("%s %s", names[0], names[1]));
        if (!json)
            printf("%s %s\n", names[0], names[1]);
    }
    answer_add(json_pack("{s:o}", "names", list));
}

/* ---- by default: small ones, which two cores of a CPU do in a minute ---- */

/* What follows this element in `words` ("a b*, a c"): "*", "," or "" for the end; NULL: they do not have it. */
static const char *find(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && strchr("*,", at[length]))
            return at + length;
    return NULL;
}

bench_extent bench_asked_extent(const bench_flags *flags, const char *workload)
{
    return flags->thorough || flags->only ? BENCH_THOROUGH : workload ? BENCH_SMALLER : BENCH_BRIEF;
}

bench_extent bench_extent_of(const char *workload, const char *case_name)
{
    char name[128];
    const char *found;

    snprintf(name, sizeof name, "%s ", workload);
    if (!strstr(BENCH_SMALLER_CASES, name)) /* a workload that nobody has chosen cases of */
        return BENCH_BRIEF;
    snprintf(name, sizeof name, "%s %s", workload, case_name);
    found = find(BENCH_SMALLER_CASES, name);
    return !found ? BENCH_THOROUGH : *found == '*' ? BENCH_BRIEF : BENCH_SMALLER;
}

const char *bench_extent_name(bench_extent extent)
{
    return (const char *const[]){"brief", "smaller", "thorough"}[extent];
}
