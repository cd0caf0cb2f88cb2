/*
 * A file: a head, the key, the program. Its name comes from a hash of the key, and the key itself is in the file, so
 * two keys with one hash replace each other and are never taken for each other. The head has lengths and a checksum.
 * Files of others, or that others can write to, are not read.
 */
#include "core/program_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/folders.h"

enum { LONGEST_NAME = 64, LEFT_OVER = 3600 /* s; age of a file that nobody writes to any more */ };

static const char magic[16] = "pentacl-program";
static const char name_end[] = ".program", new_end[] = ".new";
static const uint64_t largest = (uint64_t)256 << 20; /* bytes; no program is as long */

typedef struct {
    char magic[sizeof magic];
    uint64_t key_length, bytes, checksum;
} head;

/* FNV-1a. Against damage, not against people: those cannot write here. */
static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static void name_of(const penta_program_key *key, char *name)
{
    snprintf(name, LONGEST_NAME, "%016llx%s", (unsigned long long)hash(hash_start, key->text, key->length), name_end);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);

    return length > wanted && strcmp(name + length - wanted, end) == 0;
}

static bool is_ours(const struct stat *about)
{
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int penta_program_folder(const char *path, bool make, char *why, size_t room)
{
    struct stat about;
    int folder;

    *why = '\0';
    if (make && !penta_make_folders(path)) {
        snprintf(why, room, "%s", strerror(errno));
        return -1;
    }
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &about) != 0) {
        if (errno != ENOENT)
            snprintf(why, room, "%s", strerror(errno));
    } else if (about.st_uid != geteuid()) {
        snprintf(why, room, "it belongs to another user");
    } else if (!is_ours(&about)) {
        snprintf(why, room, "others can write to it");
    } else {
        return folder;
    }
    if (folder >= 0)
        close(folder);
    return -1;
}

/* ---- reading ---- */

static bool read_all(int file, void *out, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(file, (char *)out + done, bytes - done);

        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The whole file behind its head; NULL: damaged. */
static char *read_body(int file, const struct stat *about, head *h)
{
    uint64_t size = (uint64_t)about->st_size, length;
    char *body;

    if (size < sizeof *h || size > largest || !read_all(file, h, sizeof *h) ||
        memcmp(h->magic, magic, sizeof magic) != 0 || h->key_length > size || h->bytes > size ||
        sizeof *h + h->key_length + h->bytes != size)
        return NULL;
    length = h->key_length + h->bytes;
    body = malloc(length + 1);
    if (body && read_all(file, body, length) && hash(hash_start, body, length) == h->checksum)
        return body;
    free(body);
    return NULL;
}

penta_file_state penta_program_load(int folder, const penta_program_key *key, void **data, size_t *bytes)
{
    penta_file_state state = PENTA_FILE_NONE;
    char name[LONGEST_NAME], *body = NULL;
    struct stat about;
    head h;
    int file;

    name_of(key, name);
    file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return PENTA_FILE_NONE;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || !is_ours(&about))
        goto cleanup;
    body = read_body(file, &about, &h);
    if (!body) {
        unlinkat(folder, name, 0);
        state = PENTA_FILE_DAMAGED;
    } else if (h.key_length == key->length && memcmp(body, key->text, key->length) == 0) {
        futimens(file, NULL); /* used now */
        memmove(body, body + h.key_length, h.bytes);
        *data = body;
        *bytes = h.bytes;
        body = NULL;
        state = PENTA_FILE_WHOLE;
    }
cleanup:
    free(body);
    close(file);
    return state;
}

void penta_program_remove(int folder, const penta_program_key *key)
{
    char name[LONGEST_NAME];

    name_of(key, name);
    unlinkat(folder, name, 0);
}

/* ---- the folder ---- */

typedef struct {
    char name[LONGEST_NAME];
    uint64_t bytes;
    struct timespec used;
} entry;

typedef struct {
    entry *list;
    size_t count, room;
    uint64_t bytes;
} entries;

/* The name is shorter than LONGEST_NAME. */
static bool add(entries *all, const char *name, const struct stat *about)
{
    if (all->count == all->room) {
        size_t room = 2 * all->room + 64;
        entry *list = realloc(all->list, room * sizeof *list);

        if (!list)
            return false;
        all->list = list;
        all->room = room;
    }
    memcpy(all->list[all->count].name, name, strlen(name) + 1);
    all->list[all->count].bytes = (uint64_t)about->st_size;
    all->list[all->count++].used = about->st_mtim;
    all->bytes += (uint64_t)about->st_size;
    return true;
}

/* Programs. Files that a stopped process left behind are removed; now: all that are being written. */
static void look(int folder, bool now, entries *all)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    struct dirent *e;
    struct stat about;

    if (!dir) {
        if (again >= 0)
            close(again);
        return;
    }
    while ((e = readdir(dir))) {
        bool program = ends_with(e->d_name, name_end), unfinished = ends_with(e->d_name, new_end);

        if ((!program && !unfinished) || strlen(e->d_name) >= LONGEST_NAME ||
            fstatat(folder, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
            continue;
        if (unfinished && (now || about.st_mtim.tv_sec + LEFT_OVER < time(NULL)))
            unlinkat(folder, e->d_name, 0);
        else if (program && !add(all, e->d_name, &about))
            break;
    }
    closedir(dir);
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes what has not been used for longest, until a quarter of the room is free. */
static void make_room(int folder, uint64_t most)
{
    entries all = {0};

    look(folder, false, &all);
    if (all.bytes > most) {
        qsort(all.list, all.count, sizeof *all.list, by_use);
        for (size_t i = 0; i < all.count && all.bytes > most / 4 * 3; i++) {
            unlinkat(folder, all.list[i].name, 0);
            all.bytes -= all.list[i].bytes;
        }
    }
    free(all.list);
}

size_t penta_program_count(int folder, bool remove, uint64_t *bytes)
{
    entries all = {0};
    size_t count;

    look(folder, remove, &all);
    for (size_t i = 0; remove && i < all.count; i++)
        unlinkat(folder, all.list[i].name, 0);
    count = all.count;
    *bytes = all.bytes;
    free(all.list);
    return count;
}

/* ---- writing ---- */

static bool write_all(int file, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(file, (const char *)data + done, bytes - done);

        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

bool penta_program_store(int folder, const penta_program_key *key, const void *data, size_t bytes, uint64_t most)
{
    head h = {.key_length = key->length, .bytes = bytes};
    char name[LONGEST_NAME], temporary[LONGEST_NAME];
    struct timespec now;
    bool ok;
    int file;

    if ((uint64_t)key->length + bytes + sizeof h > (most < largest ? most : largest))
        return false;
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = hash(hash(hash_start, key->text, key->length), data, bytes);
    name_of(key, name);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temporary, sizeof temporary, "%.16s-%ld-%ld%s", name, (long)getpid(), now.tv_nsec, new_end);
    file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    ok = write_all(file, &h, sizeof h) && write_all(file, key->text, key->length) && write_all(file, data, bytes);
    ok = close(file) == 0 && ok;
    ok = ok && renameat(folder, temporary, folder, name) == 0;
    if (!ok)
        unlinkat(folder, temporary, 0);
    else
        make_room(folder, most);
    return ok;
}
