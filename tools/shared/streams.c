#include "shared/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pentacl/io/output.h>

typedef struct {
    char *path, *shown; /* of the copy; as the user named it */
    penta_io_pending *pending;
} copy;

static char *directory;
static penta_io_pending *directory_pending;
static copy *copies;
static size_t count;
static bool stdout_taken, stdin_read;

static bool is_stdin(const char *name)
{
    return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0 || strcmp(name, "/dev/fd/0") == 0;
}

bool streams_is_input(const char *name)
{
    struct stat st;

    if (is_stdin(name))
        return strcmp(name, "-") == 0 || fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode);
    return stat(name, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool make_directory(penta_io_error *err)
{
    const char *place = getenv("TMPDIR");

    if (directory)
        return true;
    directory = penta_io_join_path(place && *place ? place : "/tmp", "penta-XXXXXX", "");
    if (directory && mkdtemp(directory))
        directory_pending = penta_io_pending_directory(directory);
    if (directory_pending)
        return true;
    penta_io_fail(err, "no temporary directory for what comes or goes through a pipe: %s: %s; set TMPDIR to another",
                  directory ? directory : "TMPDIR", strerror(errno));
    free(directory);
    directory = NULL;
    return false;
}

/* A new temporary file of this name; NULL with err. */
static copy *add_copy(const char *name, const char *suffix, const char *shown, penta_io_error *err)
{
    copy *more = make_directory(err) ? realloc(copies, (count + 1) * sizeof *copies) : NULL, *c;
    char numbered[32] = "";

    if (!directory)
        return NULL;
    if (more) {
        copies = more;
        c = &copies[count];
        *c = (copy){.shown = strdup(shown)};
        c->path = penta_io_join_path(directory, name, suffix);
        if (c->path && access(c->path, F_OK) == 0) { /* another pipe of that name */
            free(c->path);
            snprintf(numbered, sizeof numbered, "%zu-", count + 1);
            c->path = penta_io_join_path(directory, numbered, name);
        }
        c->pending = c->path ? penta_io_pending_file(c->path) : NULL;
        if (c->shown && c->pending) {
            count++;
            return c;
        }
        free(c->path);
        free(c->shown);
    }
    penta_io_fail(err, "%s: out of memory", shown);
    return NULL;
}

/* From one descriptor to the other, to the end. *writing: which of them failed. */
static bool pump(int from, int to, bool *writing)
{
    static char block[1 << 16];
    ssize_t n, put;

    *writing = false;
    while ((n = read(from, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        for (ssize_t at = 0; at<n; at += put> 0 ? put : 0) {
            put = write(to, block + at, (size_t)(n - at));
            *writing = put < 0 && errno != EINTR;
            if (*writing)
                return false;
        }
    }
    return true;
}

static bool read_to(const copy *c, int from, penta_io_error *err)
{
    int to = open(c->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool writing = true, ok = to >= 0 && pump(from, to, &writing);
    int code = errno;

    if (to >= 0 && close(to) != 0 && ok) {
        ok = false;
        code = errno;
        writing = true;
    }
    if (ok)
        return true;
    return writing ? penta_io_fail(err, "%s: cannot be copied to %s: %s; set TMPDIR to another place", c->shown,
                                   directory, strerror(code))
                   : penta_io_fail(err, "%s: cannot be read: %s", c->shown, strerror(code));
}

bool streams_is_read(const char *name)
{
    return stdin_read && is_stdin(name);
}

bool streams_copy_in(const char *name, const char **path, penta_io_error *err)
{
    bool in = is_stdin(name), ok;
    const char *slash = strrchr(name, '/');
    copy *c;
    int from;

    stdin_read = stdin_read || in;
    c = add_copy(in ? "stdin" : slash ? slash + 1 : name, "", in ? "stdin" : name, err);
    if (!c)
        return false;
    from = in ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return penta_io_fail(err, "%s: cannot be read: %s", name, strerror(errno));
    ok = read_to(c, from, err);
    if (!in)
        close(from);
    *path = c->path;
    return ok;
}

bool streams_stdout_taken(void)
{
    return stdout_taken;
}

void streams_take_stdout(void)
{
    stdout_taken = true;
}

bool streams_place_out(const char *suffix, const char **path, penta_io_error *err)
{
    copy *c = add_copy("stdout", suffix, "stdout", err);

    *path = c ? c->path : NULL;
    return c != NULL;
}

bool streams_pass_on(const char *path, penta_io_error *err)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    bool writing = false, ok = from >= 0 && pump(from, STDOUT_FILENO, &writing);
    int code = errno;

    if (from >= 0)
        close(from);
    return ok || penta_io_fail(err, "cannot write to stdout: %s", strerror(code));
}

const char *streams_name(const char *path)
{
    for (size_t i = 0; path && i < count; i++)
        if (strcmp(copies[i].path, path) == 0)
            return copies[i].shown;
    return path;
}

void streams_show(char *text, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        size_t was = strlen(copies[i].path), is = strlen(copies[i].shown);

        for (char *at = text; (at = strstr(at, copies[i].path)) != NULL; at += is) {
            size_t rest = strlen(at + was) + 1;

            if ((size_t)(at - text) + is + rest > size)
                return;
            memmove(at + is, at + was, rest);
            memcpy(at, copies[i].shown, is);
        }
    }
}

void streams_close(void)
{
    for (size_t i = 0; i < count; i++) {
        unlink(copies[i].path);
        penta_io_pending_drop(copies[i].pending);
        free(copies[i].path);
        free(copies[i].shown);
    }
    free(copies);
    if (directory)
        rmdir(directory);
    penta_io_pending_drop(directory_pending);
    free(directory);
    copies = NULL;
    directory = NULL;
    directory_pending = NULL;
    count = 0;
    stdout_taken = stdin_read = false;
}
