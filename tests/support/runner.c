/*
 * The program of a folder of tests (support/test.h). Usage:
 *   RUNNER NAME     runs the tests of tests/FOLDER/NAME.c, on its own or as one of many in this program
 *   RUNNER          the same where the program holds one file; otherwise lists the files
 */

#include "support/test.h"

static test_entry *tests;
static run_entry *runs;

void add_test(test_entry *entry)
{
    test_entry **at = &tests;

    while (*at && (strcmp((*at)->file, entry->file) < 0 ||
                   (strcmp((*at)->file, entry->file) == 0 && (*at)->order < entry->order)))
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

void add_run(run_entry *entry)
{
    run_entry **at = &runs;

    while (*at && (*at)->order < entry->order)
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

/* Whether the path's file is NAME.c. */
static bool is_file(const char *path, const char *name)
{
    const char *base = strrchr(path, '/');
    size_t length = strlen(name);

    base = base ? base + 1 : path;
    return strncmp(base, name, length) == 0 && strcmp(base + length, ".c") == 0;
}

/* The tests of a file that belong to the run; number of failures, at least one where there is none to run. */
static int run_group(const char *file, const run_entry *run)
{
    struct CMUnitTest *chosen;
    size_t count = 0;
    char label[256];
    int failed;

    for (const test_entry *t = tests; t; t = t->next)
        count += strcmp(t->file, file) == 0 && (t->runs & run->runs);
    chosen = calloc(count + 1, sizeof *chosen);
    if (!chosen || count == 0) {
        fprintf(stderr, "%s: %s\n", file, chosen ? "no test" : "out of memory");
        free(chosen);
        return 1;
    }
    count = 0;
    for (const test_entry *t = tests; t; t = t->next)
        if (strcmp(t->file, file) == 0 && (t->runs & run->runs))
            chosen[count++] = t->unit;
    snprintf(label, sizeof label, "%s%s%s", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, run->label ? ", " : "",
             run->label ? run->label : "");
    failed = _cmocka_run_group_tests(label, chosen, count, run->setup, run->teardown);
    free(chosen);
    return failed;
}

static int run_file(const char *file)
{
    const run_entry plain = {.runs = EVERYWHERE};
    int failed = 0;
    bool any = false;

    for (const run_entry *r = runs; r; r = r->next)
        if (strcmp(r->file, file) == 0) {
            failed += run_group(file, r);
            any = true;
        }
    return any ? failed : run_group(file, &plain);
}

int main(int argc, char **argv)
{
    const char *only = argc == 2 ? argv[1] : NULL, *last = NULL;
    size_t files = 0;

    for (const test_entry *t = tests; t; t = t->next) {
        if (only && is_file(t->file, only))
            return run_file(t->file) != 0;
        files += !last || strcmp(last, t->file) != 0;
        last = t->file;
    }
    if (!only && files == 1)
        return run_file(last) != 0;
    fprintf(stderr, "usage: %s NAME, one of these files without .c:\n", argv[0]);
    last = NULL;
    for (const test_entry *t = tests; t; last = t->file, t = t->next)
        if (!last || strcmp(last, t->file) != 0)
            fprintf(stderr, "  %s\n", t->file);
    return 2;
}
