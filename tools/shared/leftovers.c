#include "shared/leftovers.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/output.h>

/* A file that is written anew has another number or time. */
typedef struct {
    char *path;
    struct stat was;
} file;

struct leftovers {
    char *directory;
    file *files;
    size_t count;
};

static bool matches(const char *names, const char *name)
{
    char pattern[64];

    for (; *names; names += strspn(names, " ")) {
        size_t length = strcspn(names, " ");

        snprintf(pattern, sizeof pattern, "%.*s", (int)length, names);
        if (fnmatch(pattern, name, FNM_PERIOD) == 0)
            return true;
        names += length;
    }
    return false;
}

static bool add(leftovers *l, const char *name)
{
    file f = {.path = penta_io_join_path(l->directory, name, "")};
    file *more = NULL;

    if (f.path && (stat(f.path, &f.was) != 0 || !S_ISREG(f.was.st_mode))) {
        free(f.path);
        return true;
    }
    if (f.path)
        more = realloc(l->files, (l->count + 1) * sizeof *more);
    if (!more) {
        free(f.path);
        return false;
    }
    more[l->count++] = f;
    l->files = more;
    return true;
}

leftovers *leftovers_look(const char *directory, const char *names)
{
    leftovers *l = calloc(1, sizeof *l);
    DIR *dir = opendir(directory);
    struct dirent *entry;
    bool ok = l && (l->directory = strdup(directory)) != NULL;

    while (ok && dir && (entry = readdir(dir)) != NULL)
        ok = !matches(names, entry->d_name) || add(l, entry->d_name);
    if (dir)
        closedir(dir);
    if (ok && l->count > 0)
        return l;
    leftovers_free(l);
    return NULL;
}

static bool is_as_before(const file *f)
{
    struct stat now;

    return stat(f->path, &now) == 0 && now.st_ino == f->was.st_ino && now.st_dev == f->was.st_dev &&
           now.st_mtim.tv_sec == f->was.st_mtim.tv_sec && now.st_mtim.tv_nsec == f->was.st_mtim.tv_nsec;
}

void leftovers_note(const leftovers *before, const cli_common *common, const char *command)
{
    const char *first = NULL;
    size_t count = 0;

    for (size_t i = 0; before && i < before->count; i++) {
        const file *f = &before->files[i];

        if (!is_as_before(f))
            continue;
        count++;
        first = first && strcmp(first, f->path) < 0 ? first : f->path;
    }
    if (count == 1)
        cli_note(common, command, "%s stays, and is of an earlier run", first);
    else if (count > 1)
        cli_note(common, command, "%s and %zu more file%s in %s stay, and are of an earlier run", first, count - 1,
                 count > 2 ? "s" : "", before->directory);
}

void leftovers_free(leftovers *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        free(l->files[i].path);
    free(l->files);
    free(l->directory);
    free(l);
}
