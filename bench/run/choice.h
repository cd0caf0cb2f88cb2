/* Which cases of --scaling or --job are wanted, and their list. */
#ifndef PENTA_BENCH_CHOICE_H
#define PENTA_BENCH_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *flag;     /* "--job" */
    const char *workload; /* or NULL: of all */
    const char *filter;   /* of --case: a part of the name, or "=" and the name; NULL: all */
} bench_choice;

bool bench_has_name(const char *filter, const char *name);
bool bench_is_chosen(const bench_choice *choice, const char *workload, const char *name);
/* Of an array of cases, elements of so many bytes that begin with two texts, workload and name: how many are chosen.
 * *code: CLI_OK, or, where none is, CLI_USAGE after one line. */
size_t bench_count_chosen(const bench_choice *choice, const void *cases, size_t count, size_t bytes, int *code);
/* With --list: prints them, unless json, and adds them to the answer. */
void bench_list_chosen(const bench_choice *choice, const void *cases, size_t count, size_t bytes, bool json);

#endif
