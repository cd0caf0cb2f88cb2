/*
 * libFuzzer's place in a build without clang: gives the target every file named or in a folder named, and of each so
 * many damaged copies, the same ones in every run. Usage: fuzz_NAME [-mutations=N] FILE|FOLDER...
 */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/files.h"
#include "support/memory.h"

enum { SECONDS = 120 }; /* that an input may take, on a machine that does other things too */

static struct {
    unsigned long mutations, inputs, files;
    const char *file;
    unsigned long mutation; /* of the file, from 1; 0: the file itself */
    uint64_t random;
    const uint8_t *data;
    size_t size;
} replay;

/* xorshift64 */
static uint64_t draw(uint64_t below)
{
    replay.random ^= replay.random << 13;
    replay.random ^= replay.random >> 7;
    replay.random ^= replay.random << 17;
    return replay.random % below;
}

/* Leaves the input as crash-PID in the working directory. */
static void on_crash(int signal)
{
    char line[512], name[64];
    int file;

    snprintf(name, sizeof name, "crash-%ld", (long)getpid());
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    snprintf(line, sizeof line, "fuzz: SIG%s on %s, mutation %lu; the input is %s\n", sigabbrev_np(signal), replay.file,
             replay.mutation, name);
    if (file < 0 || write(file, replay.data, replay.size) < 0 || write(STDERR_FILENO, line, strlen(line)) < 0)
        _exit(1);
    _exit(1);
}

static void watch(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    struct sigaction action = {.sa_handler = on_crash};

    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        sigaction(deadly[i], &action, NULL);
}

static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that reading beyond its end is seen */

    fuzz_check(exact != NULL, "there is memory for an input");
    memcpy(exact, data, size);
    replay.data = exact;
    replay.size = size;
    replay.inputs++;
    alarm(SECONDS);
    LLVMFuzzerTestOneInput(exact, size);
    alarm(0);
    free(exact);
}

/* Bytes changed, a piece repeated, removed or filled, or the end cut off. Returns the new size, at most twice the old.
 */
static size_t damage(uint8_t *data, size_t size)
{
    static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '-', '9', ',', '"', '\n', '%', '{', ']'};
    size_t changes = 1 + draw(4);

    for (size_t i = 0; i < changes && size > 0; i++) {
        size_t at = draw(draw(2) && size > 64 ? 64 : size), n = 1 + draw(size - at > 8 ? 8 : size - at);

        switch (draw(6)) {
        case 0:
            data[at] ^= (uint8_t)(1u << draw(8));
            break;
        case 1:
            data[at] = telling[draw(sizeof telling)];
            break;
        case 2:
            memset(data + at, (int)draw(2) * 255, n);
            break;
        case 3:
            memmove(data + at, data + at + n, size - at - n);
            size -= n;
            break;
        case 4:
            memmove(data + at + n, data + at, size - at);
            size += n; /* four times 8 at most */
            break;
        default:
            size = at + 1;
        }
    }
    return size;
}

static void replay_file(const char *path)
{
    size_t size = 0;
    char *data = file_contents(path, &size);
    uint8_t *copy = malloc(size + 64);

    fuzz_check(data && copy, "an input can be read");
    replay.file = path;
    replay.mutation = 0;
    replay.random = 0x9e3779b97f4a7c15u;
    replay.files++;
    run((const uint8_t *)data, size);
    while (replay.mutation < replay.mutations) {
        replay.mutation++;
        memcpy(copy, data, size);
        run(copy, damage(copy, size));
    }
    free(data);
    free(copy);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void replay_path(const char *path)
{
    struct dirent **entries = NULL;
    struct stat st;
    int n;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        replay_file(path);
        return;
    }
    n = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < n; i++) {
        char name[1024];

        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay_file(name);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    limit_memory(3); /* most of it is addresses that libraries reserve and never use */
    watch();
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "-mutations=", 11) == 0)
            replay.mutations = strtoul(argv[i] + 11, NULL, 10);
        else
            replay_path(argv[i]);
    if (replay.files == 0) {
        fprintf(stderr, "fuzz: no input; usage: %s [-mutations=N] FILE|FOLDER...\n", argv[0]);
        return 1;
    }
    printf("%lu inputs of %lu files\n", replay.inputs, replay.files);
    return 0;
}
