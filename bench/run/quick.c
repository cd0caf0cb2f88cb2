/* The cases of `penta bench --all` without --thorough: small ones, which two cores of a CPU do in a few minutes. */
#include "run.h"

#include <stdio.h>
#include <string.h>

#include "shared/bench_flags.h"

/* Whether `words` ("a b, a c, d e") has this element. */
static bool lists(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

bool bench_is_quick(const char *workload, const char *case_name)
{
    char name[128];

    snprintf(name, sizeof name, "%s ", workload);
    if (!strstr(BENCH_QUICK_CASES, name)) /* a workload that nobody has chosen cases of */
        return true;
    snprintf(name, sizeof name, "%s %s", workload, case_name);
    return lists(BENCH_QUICK_CASES, name);
}
