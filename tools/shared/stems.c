#include "shared/stems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');

    return strndup(base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

static int by_stem(const void *a, const void *b)
{
    char *const *const *x = a, *const *const *y = b;
    int order = strcmp(**x, **y);

    return order ? order : *x < *y ? -1 : 1;
}

static int stem_against(const void *stem, const void *entry)
{
    char *const *const *other = entry;

    return strcmp(stem, **other);
}

/* STEM-n with the least n >= *number that no file is called; NULL: out of memory. */
static char *other_stem(char **const *sorted, size_t count, const char *stem, size_t *number)
{
    size_t size = strlen(stem) + 40;
    char *name = malloc(size);

    if (!name)
        return NULL;
    do {
        snprintf(name, size, "%s-%zu", stem, (*number)++);
    } while (bsearch(name, sorted, count, sizeof *sorted, stem_against));
    return name;
}

/* The new stems are set aside until all are chosen, so that they are compared with the old ones. */
bool stems_tell_apart(char **stems, size_t count)
{
    char ***sorted = malloc((count + 1) * sizeof *sorted), **changed = calloc(count + 1, sizeof *changed);
    bool ok = sorted && changed;

    for (size_t i = 0; ok && i < count; i++)
        sorted[i] = &stems[i];
    if (ok)
        qsort(sorted, count, sizeof *sorted, by_stem);
    for (size_t i = 1, first = 0, number = 2; ok && i < count; i++) {
        if (strcmp(*sorted[i], *sorted[first]) != 0) {
            first = i;
            number = 2;
        } else {
            changed[i] = other_stem(sorted, count, *sorted[first], &number);
            ok = changed[i] != NULL;
        }
    }
    for (size_t i = 0; changed && i < count; i++)
        if (changed[i] && ok) {
            free(*sorted[i]);
            *sorted[i] = changed[i];
        } else {
            free(changed[i]);
        }
    free(changed);
    free(sorted);
    return ok;
}

/* ---- order ---- */

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

/* Where the number begins in which two names differ; false if they differ in anything else. */
static bool find_number(const char *a, const char *b, size_t *at)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    while (n > 0 && digits_at(a + n - 1) > 0)
        n--;
    *at = n;
    return digits_at(a + n) > 0 && digits_at(b + n) > 0 &&
           strcmp(a + n + digits_at(a + n), b + n + digits_at(b + n)) == 0;
}

static int by_value(const char *a, const char *b)
{
    size_t m, n;

    a += strspn(a, "0");
    b += strspn(b, "0");
    m = digits_at(a);
    n = digits_at(b);
    return m != n ? (m > n) - (m < n) : strncmp(a, b, m);
}

const char *stems_out_of_order(char *const *paths, size_t count)
{
    const char *wrong = NULL;
    size_t where = 0;

    for (size_t i = 1; i < count; i++) {
        const char *a = paths[i - 1], *b = paths[i];
        size_t at = 0, m, n;

        if (!find_number(a, b, &at) || (i > 1 && at != where))
            return NULL;
        where = at;
        m = digits_at(a + at);
        n = digits_at(b + at);
        if (strncmp(a + at, b + at, m < n ? m : n) > 0)
            return NULL; /* no shell lists them so */
        wrong = !wrong && by_value(a + at, b + at) > 0 ? b : wrong;
    }
    return wrong;
}
