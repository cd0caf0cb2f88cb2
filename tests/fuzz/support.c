/* Scratch files and checks of the fuzz targets. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/files.h"

static char directory[256];
static pid_t owner;

static void remove_directory(void)
{
    if (getpid() == owner) /* not from a child of fuzz_guard */
        remove_tree(directory);
}

static void make_directory(void)
{
    if (*directory)
        return;
    fuzz_check(make_scratch_directory("fuzz", directory, sizeof directory), "a scratch directory can be made");
    owner = getpid();
    atexit(remove_directory);
}

const char *fuzz_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];

    make_directory();
    snprintf(path, sizeof *paths, "%s/%s", directory, name);
    return path;
}

/* strstr, which libFuzzer would learn the words from. */
static bool contains(const char *text, size_t length, const char *words)
{
    size_t n = strlen(words), same;

    for (size_t i = 0; i + n <= length; i++) {
        for (same = 0; same < n && text[i + same] == words[same]; same++)
            ;
        if (same == n)
            return true;
    }
    return false;
}

/* Errors quote the input. */
static bool input_has_words;

const char *fuzz_file(const char *name, const void *data, size_t size)
{
    const char *path = fuzz_path(name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool ok = file >= 0 && write(file, data, size) == (ssize_t)size;

    input_has_words = contains(data, size, "memory");
    if (file >= 0)
        close(file);
    fuzz_check(ok, "a scratch file can be written");
    return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    fuzz_check(text != NULL, "there is memory for an input");
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

void fuzz_check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: it does not hold that %s (errno: %s)\n", what, strerror(errno));
    abort();
}

void fuzz_check_error(const penta_io_error *err)
{
    static const char words[] = "out of memory";
    size_t length = strlen(err->text);

    fuzz_check(length > 20, "an error says something");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)err->text[i] < ' ' || err->text[i] == 127)
            fuzz_check(false, "an error is one line of printable text");
    if (!input_has_words && contains(err->text, length, words)) {
        fprintf(stderr, "fuzz: %s\n", err->text);
        fuzz_check(false, "a small file needs little memory");
    }
}

bool fuzz_is_foreign(const uint8_t *data, size_t size)
{
    static const struct {
        size_t at, size;
        const char *bytes;
    } magics[] = {
        {0, 4, "II*\0"},    {0, 4, "MM\0*"},     {0, 4, "II+\0"},        {0, 4, "MM\0+"}, {0, 4, "\x89HDF"},
        {0, 6, "MATLAB"},   {0, 8, "FUJIFILM"},  {0, 3, "\xff\xd8\xff"}, {0, 4, "IIRO"},  {0, 4, "IIU\0"},
        {0, 4, "MMOR"},     {4, 6, "ftypcr"},    {6, 4, "HEAP"},         {0, 3, "FOV"},   {0, 4, "\0MRM"},
        {0, 2, "\x1f\x8b"}, {0, 9, "SIMPLE  ="},
    };

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].at + magics[i].size && memcmp(data + magics[i].at, magics[i].bytes, magics[i].size) == 0)
            return true;
    return false;
}
