/*
 * states --settle DIR: opens a run in DIR, as the next run would.
 * states DIR OLD NEW [COUNT]: DIR holds copies of a directory before each step of a run (steps.h), OLD the directory
 * before the run, NEW after it. Opens a run in each copy, as the next run would, and compares it with the states that a
 * reader may see: OLD and NEW, or of a run that commits more than once no more than COUNT states in all. Prints how
 * many copies came to which; exit code 1 where one is none of them, or goes back.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pentacl/io/run.h>

enum { MOST = 64 };

static char *join(const char *directory, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", directory, name) < 0)
        abort();
    return path;
}

static bool same_content(const char *a, const char *b)
{
    FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
    bool same = first && second;
    int c = 0;

    while (same && c != EOF) {
        c = getc(first);
        same = c == getc(second);
    }
    if (first)
        fclose(first);
    if (second)
        fclose(second);
    return same;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* An empty directory is none: runs make those before their files. */
static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool empty = dir != NULL;

    while (dir && (entry = readdir(dir)) != NULL)
        empty = empty && is_dots(entry->d_name);
    if (dir)
        closedir(dir);
    return empty;
}

/* Whether b has all that a has, with the same contents. */
static bool is_part(const char *a, const char *b)
{
    DIR *dir = opendir(a);
    struct dirent *entry;
    bool same = dir != NULL;

    while (same && (entry = readdir(dir)) != NULL) {
        char *first = join(a, entry->d_name), *second = join(b, entry->d_name);
        struct stat st;

        if (!is_dots(entry->d_name) && stat(first, &st) == 0)
            same = S_ISDIR(st.st_mode) ? is_empty(first) || is_part(first, second) : same_content(first, second);
        free(first);
        free(second);
    }
    if (dir)
        closedir(dir);
    return same;
}

static bool settle(const char *path)
{
    penta_io_error error = {""};
    penta_io_run *run = NULL;

    if (!penta_io_run_open(path, "states", &run, &error))
        fprintf(stderr, "%s: %s\n", path, error.text);
    penta_io_run_close(run);
    return run != NULL;
}

static int select_steps(const struct dirent *entry)
{
    return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

static bool is_same(const char *a, const char *b)
{
    return is_part(a, b) && is_part(b, a);
}

/* The states that were seen, in order; the last one is NEW, those between it and `seen` are not known yet. */
typedef struct {
    char *of[MOST];
    int count, seen;
} states;

/* The number of the state; -1: none. One between OLD and NEW is known once it was seen. */
static int find(states *s, char *path)
{
    for (int i = s->count - 1; i >= 0; i--)
        if (s->of[i] && is_same(path, s->of[i]))
            return i;
    if (s->seen + 1 >= s->count - 1)
        return -1;
    s->of[++s->seen] = strdup(path);
    return s->seen;
}

int main(int argc, char **argv)
{
    struct dirent **names;
    int steps = argc >= 4 ? scandir(argv[1], &names, select_steps, alphasort) : -1;
    int found[MOST] = {0}, last[2] = {0, 0}, code = 0;
    states s = {.count = argc > 4 ? atoi(argv[4]) : 2};

    if (argc == 3 && strcmp(argv[1], "--settle") == 0)
        return !settle(argv[2]);
    if (steps <= 0 || s.count < 2 || s.count > MOST) {
        fprintf(stderr, "states: no steps, or no number of states\n");
        return 2;
    }
    s.of[0] = argv[2];
    s.of[s.count - 1] = argv[3];
    for (int i = 0; i < steps; i++) {
        char *path = join(argv[1], names[i]->d_name);
        int power = strstr(names[i]->d_name, "power") != NULL;
        int state = settle(path) ? find(&s, path) : -1;

        if (state < last[power]) {
            fprintf(stderr, "%s: %s\n", path, state < 0 ? "is neither before nor after" : "goes back");
            code = 1;
        } else {
            last[power] = state;
            found[state]++;
        }
        free(path);
    }
    for (int i = 0; i < s.count; i++)
        printf("%d%c", found[i], i < s.count - 1 ? ' ' : '\n');
    return code;
}
