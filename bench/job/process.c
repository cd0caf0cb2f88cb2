/* The command line of a process, and its run. */
#define _DEFAULT_SOURCE /* strsep */
#include "job.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its words ---- */

enum { MOST_WORDS = 512 };

typedef struct {
    char *word[MOST_WORDS + 1]; /* the last is NULL */
    size_t count;
} words;

static void add_word(words *w, const char *word)
{
    char *copy = w->count < MOST_WORDS ? strdup(word) : NULL;

    if (copy)
        w->word[w->count++] = copy;
}

/* The files of the pattern, by name. */
static void add_files(words *w, const char *pattern)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_word(w, found.gl_pathv[i]);
        globfree(&found);
    }
}

static void add_named(words *w, const char *word, const job_name *names)
{
    char text[4096];
    const job_name *n = names;

    while (n->name && strncmp(word, n->name, strlen(n->name)) != 0)
        n++;
    snprintf(text, sizeof text, "%s%s", n->name ? n->value : "", n->name ? word + strlen(n->name) : word);
    if (n->name && strchr(word, '*'))
        add_files(w, text);
    else
        add_word(w, text);
}

/* ---- its life ---- */

/* Its caches of kernels are its own. What this process has set for itself is not the user's (make_openmp_passive). */
static bool run(const words *w, const char *caches, bench_end *out)
{
    static const char *const names[] = {"POCL_CACHE_DIR", "PENTACL_CACHE_DIR", "CUDA_CACHE_PATH"};
    enum { NAMES = sizeof names / sizeof *names };
    const char *policy = getenv("OMP_WAIT_POLICY");
    const char *set[NAMES + 2] = {NULL};
    char settings[NAMES][4096];

    for (size_t i = 0; i < NAMES; i++) {
        snprintf(settings[i], sizeof settings[i], "%s=%s", names[i], caches);
        set[i] = settings[i];
    }
    if (policy && strcmp(policy, "passive") == 0)
        set[NAMES] = "OMP_WAIT_POLICY";
    return bench_run_program(&(bench_program){.words = (const char *const *)w->word, .set = set}, out) ||
           cli_fail("bench", CLI_ERROR, "cannot start %s", w->word[0]) == CLI_OK;
}

bool job_run_line(const char *line, const job_name *names, const char *caches, bench_end *out)
{
    words w = {.count = 0};
    char *copy = strdup(line), *rest = copy, *word;
    bool ok;

    while (copy && (word = strsep(&rest, " ")) != NULL)
        if (*word)
            add_named(&w, word, names);
    ok = copy && run(&w, caches, out);
    while (w.count > 0)
        free(w.word[--w.count]);
    free(copy);
    return ok;
}
