/* Which cases of --scaling or --job are wanted, and their list. */
#ifndef PENTA_BENCH_CHOICE_H
#define PENTA_BENCH_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

typedef struct {
    const char *flag;     /* "--job" */
    const char *workload; /* or NULL: of all */
    const char *filter;   /* of --case: a part of the name, or "=" and the name; NULL: all */
} bench_choice;

bool bench_has_name(const char *filter, const char *name);
bool bench_is_chosen(const bench_choice *choice, const char *workload, const char *name);
/* CLI_OK, or, where none of them is chosen, CLI_USAGE after one line. */
int bench_check_choice(const bench_choice *choice, size_t chosen);

/* With --list: prints the case, unless json, and appends it to the names of the answer. */
void bench_list_case(json_t *names, const char *workload, const char *name, bool json);

#endif
