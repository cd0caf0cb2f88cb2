#define _DEFAULT_SOURCE   /* flock */
#define _FILE_OFFSET_BITS 64
#include "io/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"

static const char mark[] = ".tmp.penta.";

enum { MOST_BASE = 200 /* bytes used of the target's name; with the rest less than NAME_MAX */, SUFFIX = 48 };

/* ---- names ---- */

static bool is_number(const char *text, size_t length)
{
    return length > 0 && length < 12 && strspn(text, "0123456789") >= length;
}

bool io_temporary_is(const char *name, const char *base)
{
    const char *at = NULL, *dot;

    for (const char *next = strstr(name, mark); next; next = strstr(next + 1, mark))
        at = next;
    if (!at || at == name)
        return false;
    if (base &&
        (strncmp(name, base, (size_t)(at - name)) != 0 || (base[at - name] != 0 && (size_t)(at - name) != MOST_BASE)))
        return false;
    at += sizeof mark - 1;
    dot = strchr(at, '.');
    return dot && is_number(at, (size_t)(dot - at)) && is_number(dot + 1, strlen(dot + 1));
}

/* Makes a new name at every call. NULL: out of memory. */
static char *make_name(const char *target)
{
    static atomic_uint next;
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    size_t length = strlen(base) < MOST_BASE ? strlen(base) : MOST_BASE, before = (size_t)(base - target);
    char *name = malloc(before + length + SUFFIX);

    if (name)
        snprintf(name, before + length + SUFFIX, "%.*s%s%ld.%u", (int)(before + length), target, mark, (long)getpid(),
                 atomic_fetch_add(&next, 1));
    return name;
}

/* ---- making ---- */

/* Locks a new temporary; true if the lock is ours or there are no locks here, and no sweeper removed the file first. */
static bool lock_new(int fd, bool directory)
{
    struct stat st;

    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &st) == 0 && (directory || st.st_nlink > 0);
}

static int open_new(const char *name, bool directory)
{
    if (!directory)
        return open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return mkdir(name, 0777) == 0 ? open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
}

static int make(const char *target, bool directory, char **name, penta_io_pending **pending)
{
    int fd = -1, code = ENOMEM;

    *name = NULL;
    *pending = NULL;
    do {
        penta_io_pending_drop(*pending);
        *pending = NULL;
        free(*name);
        *name = make_name(target);
        if (*name && !directory)
            *pending = penta_io_pending_file(*name);
        if (!*name || (!directory && !*pending))
            break;
        fd = open_new(*name, directory);
        code = fd < 0 ? errno : 0;
        if (fd >= 0 && !lock_new(fd, directory)) {
            close(fd);
            fd = -1;
            code = EEXIST;
        }
    } while (code == EEXIST);
    if (fd >= 0 && directory)
        *pending = penta_io_pending_directory(*name);
    if (fd >= 0 && *pending)
        return fd;
    if (fd >= 0) {
        close(fd);
        rmdir(*name);
        code = ENOMEM;
    }
    penta_io_pending_drop(*pending);
    free(*name);
    *name = NULL;
    *pending = NULL;
    errno = code;
    return -1;
}

int io_temporary_create(const char *target, char **name, penta_io_pending **pending)
{
    return make(target, false, name, pending);
}

int io_temporary_directory(const char *target, char **name, penta_io_pending **pending)
{
    return make(target, true, name, pending);
}

/* ---- sweeping ---- */

void io_temporary_remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        char *file = penta_io_join_path(path, entry->d_name, "");

        if (file)
            unlink(file); /* fails for . and .., which are directories */
        free(file);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static void remove_dead(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0) {
        if (S_ISDIR(st.st_mode))
            io_temporary_remove_folder(path);
        else
            unlink(path);
    }
    close(fd);
}

void io_temporary_sweep_others(const char *directory, bool (*keeps)(const void *user, const char *name),
                               const void *user)
{
    DIR *dir = opendir(directory);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        bool dead = io_temporary_is(entry->d_name, NULL) && !(keeps && keeps(user, entry->d_name));
        char *path = dead ? penta_io_join_path(directory, entry->d_name, "") : NULL;

        if (path)
            remove_dead(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

void io_temporary_sweep(const char *directory)
{
    io_temporary_sweep_others(directory, NULL, NULL);
}
