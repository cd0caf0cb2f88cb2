/* The words and the environment of a process. */
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

/* ---- its environment ---- */

static const char *const caches_of[] = {"POCL_CACHE_DIR", "PENTACL_CACHE_DIR", "CUDA_CACHE_PATH"};
enum { CACHES = sizeof caches_of / sizeof *caches_of };

/* What this process has set for itself is not the user's (make_openmp_passive). */
static bool is_kept(const char *setting)
{
    bool kept = strcmp(setting, "OMP_WAIT_POLICY=passive") != 0;

    for (size_t i = 0; i < CACHES; i++) {
        size_t length = strlen(caches_of[i]);

        kept = kept && !(strncmp(setting, caches_of[i], length) == 0 && setting[length] == '=');
    }
    return kept;
}

/* Free the array and the first CACHES of its texts. */
static char **make_environment(const char *caches)
{
    char **mine = bench_environment(), **made;
    size_t n = 0;

    while (mine[n])
        n++;
    made = calloc(n + CACHES + 1, sizeof *made);
    for (size_t i = 0; made && i < CACHES; i++) {
        size_t size = strlen(caches_of[i]) + strlen(caches) + 2;

        made[i] = malloc(size);
        if (made[i])
            snprintf(made[i], size, "%s=%s", caches_of[i], caches);
    }
    for (size_t i = 0, k = CACHES; made && i < n; i++)
        if (is_kept(mine[i]))
            made[k++] = mine[i];
    return made && made[0] && made[1] && made[2] ? made : NULL;
}

static void free_environment(char **made)
{
    for (size_t i = 0; made && i < CACHES; i++)
        free(made[i]);
    free(made);
}

/* ---- its life ---- */

bool job_run_process(const job_words *w, const char *caches, bench_end *out)
{
    bench_program program = {.words = (const char *const *)w->word, .environment = make_environment(caches)};
    bool ok = program.environment && bench_run_program(&program, out);

    free_environment((char **)program.environment);
    return ok || cli_fail("bench", CLI_ERROR, "cannot start %s", w->word[0]) == CLI_OK;
}
