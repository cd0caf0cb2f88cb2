#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "kill/steps.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CLEAN = 4096 };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static steps_settings set;
static long count;
static ino_t clean[MOST_CLEAN]; /* files whose contents are on the disk */
static size_t clean_count;
static __thread bool inside; /* this file itself is at work */

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (!function)
        abort();
    return function;
}

/* a, middle and b as one text, which must fit. */
static void join(char *out, size_t size, const char *a, const char *middle, const char *b)
{
    int length = snprintf(out, size, "%s%s%s", a, middle, b);

    if (length < 0 || (size_t)length >= size)
        abort();
}

/* ---- files that are on the disk ---- */

static bool is_clean(ino_t number)
{
    for (size_t i = 0; i < clean_count; i++)
        if (clean[i] == number)
            return true;
    return false;
}

static void set_clean(ino_t number, bool on)
{
    for (size_t i = 0; i < clean_count; i++)
        if (clean[i] == number)
            clean[i--] = clean[--clean_count];
    if (on && clean_count == MOST_CLEAN)
        abort();
    if (on)
        clean[clean_count++] = number;
}

/* Calls `visit` for each file below, with its place below. */
static void walk(const char *top, const char *below, void (*visit)(const char *from, const char *below, void *user),
                 void *user)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *dir;

    join(path, sizeof path, top, "", below);
    dir = opendir(path);
    while (dir && (entry = readdir(dir)) != NULL) {
        char name[PATH_MAX], from[2 * PATH_MAX];
        struct stat st;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        join(name, sizeof name, below, "/", entry->d_name);
        join(from, sizeof from, top, "", name);
        if (lstat(from, &st) != 0)
            continue;
        visit(from, name, user);
        if (S_ISDIR(st.st_mode))
            walk(top, name, visit, user);
    }
    if (dir)
        closedir(dir);
}

static void visit_clean(const char *from, const char *below, void *user)
{
    struct stat st;

    (void)below, (void)user;
    if (stat(from, &st) == 0 && S_ISREG(st.st_mode))
        set_clean(st.st_ino, true);
}

static void visit_cut(const char *from, const char *below, void *user)
{
    struct stat st;

    (void)below, (void)user;
    if (stat(from, &st) == 0 && S_ISREG(st.st_mode) && !is_clean(st.st_ino))
        (void)!truncate(from, 0);
}

/* ---- copies ---- */

typedef struct {
    char to[PATH_MAX];
    bool power;
} copying;

static void copy_file(const char *from, const char *to)
{
    int in = REAL(open)(from, O_RDONLY | O_CLOEXEC), out = REAL(open)(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    char bytes[65536];
    ssize_t n;

    while (in >= 0 && out >= 0 && (n = read(in, bytes, sizeof bytes)) > 0)
        if (REAL(write)(out, bytes, (size_t)n) != n)
            abort();
    close(in);
    close(out);
}

static void visit_copy(const char *from, const char *below, void *user)
{
    const copying *c = user;
    char to[2 * PATH_MAX];
    struct stat st;

    join(to, sizeof to, c->to, "", below);
    if (stat(from, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode))
        REAL(mkdir)(to, 0777);
    else
        copy_file(c->power && !is_clean(st.st_ino) ? "/dev/null" : from, to);
}

static void copy_all(const char *suffix)
{
    copying c = {.power = *suffix != 0};

    snprintf(c.to, sizeof c.to, "%.3000s/%05ld%s", set.copy, count, suffix);
    REAL(mkdir)(c.to, 0777);
    walk(set.directory, "", visit_copy, &c);
}

/* ---- steps ---- */

static bool is_below(const char *path)
{
    size_t length = set.directory ? strlen(set.directory) : 0;
    char whole[2 * PATH_MAX], cwd[PATH_MAX];

    if (!length || inside)
        return false;
    if (*path == '/' || !getcwd(cwd, sizeof cwd))
        join(whole, sizeof whole, "", "", path);
    else
        join(whole, sizeof whole, cwd, "/", path);
    return strncmp(whole, set.directory, length) == 0 && (whole[length] == '/' || whole[length] == 0);
}

static bool is_open_below(int fd)
{
    char link[64], path[PATH_MAX];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = set.directory && !inside ? readlink(link, path, sizeof path - 1) : -1;
    if (n < 0)
        return false;
    path[n] = 0;
    return is_below(path);
}

/* Under the guard: what is done to the files waits. */
static void step(void)
{
    inside = true;
    count++;
    if (set.copy) {
        copy_all("");
        copy_all(".power");
    }
    if (set.kill_at == count && set.power)
        walk(set.directory, "", visit_cut, NULL);
    if (set.kill_at == count)
        kill(getpid(), SIGKILL);
    inside = false;
}

static bool enter(bool below)
{
    if (!below)
        return false;
    pthread_mutex_lock(&guard);
    step();
    return true;
}

static void leave(bool entered)
{
    int code = errno;

    if (entered)
        pthread_mutex_unlock(&guard);
    errno = code;
}

void steps_begin(const steps_settings *settings)
{
    pthread_mutex_lock(&guard);
    set = *settings;
    count = 0;
    clean_count = 0;
    if (set.directory)
        walk(set.directory, "", visit_clean, NULL);
    pthread_mutex_unlock(&guard);
}

long steps_count(void)
{
    return count;
}

__attribute__((constructor)) static void begin_by_environment(void)
{
    const char *kill_at = getenv("PENTA_STEPS_KILL");
    const steps_settings settings = {.directory = getenv("PENTA_STEPS_DIR"),
                                     .kill_at = kill_at ? atol(kill_at) : 0,
                                     .copy = getenv("PENTA_STEPS_COPY"),
                                     .broken = getenv("PENTA_STEPS_BREAK")};

    if (settings.directory)
        steps_begin(&settings);
}

/* ---- the calls, which take the place of those of the C library ---- */

#pragma GCC visibility push(default)

int open(const char *path, int flags, ...)
{
    bool entered = enter((flags & O_CREAT) && is_below(path));
    va_list args;
    int fd;

    va_start(args, flags);
    fd = REAL(open)(path, flags, flags & O_CREAT ? va_arg(args, unsigned) : 0);
    va_end(args);
    leave(entered);
    return fd;
}

int openat(int folder, const char *path, int flags, ...)
{
    bool entered = enter((flags & O_CREAT) && (*path == '/' ? is_below(path) : is_open_below(folder)));
    va_list args;
    int fd;

    va_start(args, flags);
    fd = REAL(openat)(folder, path, flags, flags & O_CREAT ? va_arg(args, unsigned) : 0);
    va_end(args);
    leave(entered);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    unsigned mode;

    va_start(args, flags);
    mode = flags & O_CREAT ? va_arg(args, unsigned) : 0;
    va_end(args);
    return open(path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    bool entered = enter(is_below(path));
    int result = REAL(mkdir)(path, mode);

    leave(entered);
    return result;
}

int fclose(FILE *file)
{
    bool entered = enter(is_open_below(fileno(file)));
    int result = REAL(fclose)(file);

    leave(entered);
    return result;
}

static bool is_manifest(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, ".penta-run.json") == 0;
}

static bool has_pending(const char *manifest)
{
    char text[65536] = "";
    int fd = REAL(open)(manifest, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;

    if (fd >= 0)
        close(fd);
    return n > 0 && strstr(text, "\"pending\"");
}

static bool is_broken(const char *part)
{
    return set.broken && strcmp(set.broken, part) == 0;
}

/* As rename, unless this is what is broken. */
static int rename_or_break(const char *from, const char *to)
{
    if (is_broken("commit") && is_manifest(to) && has_pending(from))
        return REAL(unlink)(from);
    if (is_broken("settle") && !is_manifest(to))
        return 0;
    return REAL(rename)(from, to);
}

int rename(const char *from, const char *to)
{
    bool entered = enter(is_below(to));
    int result = entered ? rename_or_break(from, to) : REAL(rename)(from, to);

    leave(entered);
    return result;
}

int unlink(const char *path)
{
    bool entered = enter(is_below(path));
    int result = entered && is_broken("sweep") ? 0 : REAL(unlink)(path);

    leave(entered);
    return result;
}

int rmdir(const char *path)
{
    bool entered = enter(is_below(path));
    int result = entered && is_broken("sweep") ? 0 : REAL(rmdir)(path);

    leave(entered);
    return result;
}

int remove(const char *path)
{
    bool entered = enter(is_below(path));
    int result = entered && is_broken("sweep") ? 0 : REAL(remove)(path);

    leave(entered);
    return result;
}

static void set_dirty(int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0)
        set_clean(st.st_ino, false);
}

/* Within it, too: what is written to a log may be cut anywhere. */
ssize_t write(int fd, const void *bytes, size_t size)
{
    bool entered = enter(is_open_below(fd));
    ssize_t before = entered && size > 1 ? REAL(write)(fd, bytes, size / 2) : 0, rest;

    if (!entered)
        return REAL(write)(fd, bytes, size);
    set_dirty(fd);
    if (before > 0)
        step();
    rest = before < 0 ? before : REAL(write)(fd, (const char *)bytes + before, size - (size_t)before);
    leave(entered);
    return rest < 0 ? rest : before + rest;
}

/* The disk itself would take time, and say nothing. */
int fsync(int fd)
{
    bool entered = enter(is_open_below(fd));
    struct stat st;

    if (!entered)
        return REAL(fsync)(fd);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !is_broken("sync"))
        set_clean(st.st_ino, true);
    leave(entered);
    return 0;
}

int syncfs(int fd)
{
    bool entered = enter(is_open_below(fd));

    if (!entered)
        return REAL(syncfs)(fd);
    inside = true;
    if (!is_broken("sync"))
        walk(set.directory, "", visit_clean, NULL);
    inside = false;
    leave(entered);
    return 0;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    bool entered = enter(is_open_below(fd));
    bool full = entered && is_broken("full");
    ssize_t done = full ? -1 : REAL(pwrite)(fd, bytes, size, at);

    errno = full ? ENOSPC : errno;
    if (entered)
        set_dirty(fd);
    leave(entered);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    return pwrite(fd, bytes, size, at);
}
