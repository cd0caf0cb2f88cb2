/* Which cases are measured by default: small ones, which two cores of a CPU do in a minute. */
#include "run.h"

#include <stdio.h>
#include <string.h>

#include "shared/bench_flags.h"

/* What follows this element in `words` ("a b*, a c"): "*", "," or "" for the end; NULL: they do not have it. */
static const char *find(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && strchr("*,", at[length]))
            return at + length;
    return NULL;
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
