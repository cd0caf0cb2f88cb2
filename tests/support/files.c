/* Temporary directories and files of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"

bool make_scratch_directory(const char *name, char *out, size_t size)
{
    const char *base = getenv("TMPDIR");
    int length = snprintf(out, size, "%s/penta-%s-XXXXXX", base && *base ? base : "/tmp", name);

    return length >= 0 && (size_t)length < size && mkdtemp(out);
}

/* The next entry other than . and .., or NULL. */
static const char *next_entry(DIR *dir)
{
    struct dirent *entry;

    do
        entry = readdir(dir);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : NULL;
}

size_t empty_directory(const char *path)
{
    DIR *dir = opendir(path);
    size_t count = 0;

    for (const char *entry; dir && (entry = next_entry(dir)); count++) {
        char name[2048];

        snprintf(name, sizeof name, "%s/%s", path, entry);
        if (remove(name) != 0) /* a full directory */
            assert_int_equal(remove_tree(name), 0);
    }
    if (dir)
        closedir(dir);
    return count;
}

int remove_tree(const char *path)
{
    empty_directory(path);
    return remove(path);
}

size_t entries_in(const char *path)
{
    DIR *dir = opendir(path);
    size_t count = 0;

    assert_non_null(dir);
    while (next_entry(dir))
        count++;
    closedir(dir);
    return count;
}

char *file_contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long length;

    *size = 0;
    if (!f)
        return NULL;
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    length = ftell(f);
    assert_true(length >= 0);
    rewind(f);
    text = malloc((size_t)length + 1);
    assert_non_null(text);
    *size = fread(text, 1, (size_t)length, f);
    text[*size] = '\0';
    fclose(f);
    return text;
}
