/* The command line of a process, and its run. */
#define _DEFAULT_SOURCE /* strsep */
#include "job.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- its words ---- */

void job_add_word(job_words *w, const char *word)
{
    char *copy = w->count < JOB_MOST_WORDS ? strdup(word) : NULL;

    if (copy)
        w->word[w->count++] = copy;
}

/* The files of the pattern, by name. */
static void add_files(job_words *w, const char *pattern)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            job_add_word(w, found.gl_pathv[i]);
        globfree(&found);
    }
}

static void add_in_folder(job_words *w, const char *folder, const char *rest)
{
    char path[4096];

    snprintf(path, sizeof path, "%s%s", folder, rest);
    if (strchr(rest, '*'))
        add_files(w, path);
    else
        job_add_word(w, path);
}

void job_add_words(job_words *w, const char *words, const char *in, const char *out)
{
    char *copy = strdup(words ? words : ""), *rest = copy, *word;

    while (copy && (word = strsep(&rest, " ")) != NULL)
        if (strncmp(word, "IN", 2) == 0)
            add_in_folder(w, in, word + 2);
        else if (strncmp(word, "OUT", 3) == 0)
            add_in_folder(w, out, word + 3);
        else if (*word)
            job_add_word(w, word);
    free(copy);
}

void job_free_words(job_words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->word[i]);
    *w = (job_words){.count = 0};
}

/* ---- its life ---- */

/* Its caches of kernels are its own. What this process has set for itself is not the user's (make_openmp_passive). */
bool job_run_process(const job_words *w, const char *caches, bench_end *out)
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
