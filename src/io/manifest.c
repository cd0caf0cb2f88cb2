#define _XOPEN_SOURCE     700 /* S_ISVTX */
#define _FILE_OFFSET_BITS 64
#include "io/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"
#include "io/temporary.h"
#include <pentacl/context.h>

enum {
    VERSION = 1,
    MOST_BYTES = 512 << 20,        /* enough for two million files, each with a step that is pending */
    MOST_FOREIGN_BYTES = 64 << 20, /* of another user's manifest */
};

static char *path_of(const char *directory)
{
    return penta_io_join_path(directory, ".penta-run", ".json");
}

int64_t io_manifest_time(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- reading ---- */

/* Whether the manifest may be obeyed: in a directory where anybody may create files, such as /tmp, its owner may be
 * someone who could not change the user's files himself. */
static bool is_trusted(const struct stat *manifest, const char *directory)
{
    struct stat st;

    return manifest->st_uid == geteuid() ||
           (stat(directory, &st) == 0 && (st.st_uid == manifest->st_uid || !(st.st_mode & S_ISVTX)));
}

/* Of this user's manifest, which may tell of pending steps: it is not as if there were none. */
static bool cannot_read(const char *path, const char *why, penta_io_error *err)
{
    return penta_io_fail(err, "%s: cannot be read: %s; make it readable, or remove it and the results beside it", path,
                         why);
}

static bool parse(const char *path, int fd, json_t **out, penta_io_error *err)
{
    FILE *in = fdopen(fd, "rb");
    json_error_t error;

    if (!in) {
        close(fd);
        return cannot_read(path, strerror(errno), err);
    }
    *out = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
    fclose(in);
    return *out || json_error_code(&error) != json_error_out_of_memory || cannot_read(path, strerror(ENOMEM), err);
}

/* *out NULL: there is none, or one that is not obeyed. */
static bool load(const char *path, const char *directory, json_t **out, penta_io_error *err)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), code = errno;
    struct stat st;
    bool there = (fd >= 0 ? fstat(fd, &st) : lstat(path, &st)) == 0 && S_ISREG(st.st_mode),
         own = there && st.st_uid == geteuid();

    *out = NULL;
    if (fd < 0)
        return !own || cannot_read(path, strerror(code), err);
    if (there && st.st_size <= (own ? MOST_BYTES : MOST_FOREIGN_BYTES) && is_trusted(&st, directory))
        return parse(path, fd, out, err);
    close(fd);
    return !own || cannot_read(path, "it is too large", err);
}

static bool is_valid(const json_t *root)
{
    const json_t *runs = json_object_get(root, "runs"), *run;
    size_t i;

    if (!json_is_integer(json_object_get(root, "version")) || !json_is_array(runs))
        return false;
    json_array_foreach(runs, i, run) if (!json_is_string(json_object_get(run, "id")) ||
                                         !json_is_object(json_object_get(run, "files"))) return false;
    return true;
}

bool io_manifest_read(const char *directory, json_t **out, penta_io_error *err)
{
    char *path = path_of(directory);
    json_t *root = NULL;
    bool ok = path && load(path, directory, &root, err);

    if (root && json_integer_value(json_object_get(root, "version")) > VERSION)
        ok = penta_io_fail(err, "%s: is of a newer version of this program; use that, or remove the file", path);
    if (ok && !is_valid(root)) {
        json_decref(root);
        root = json_pack("{s:i, s:[]}", "version", VERSION, "runs");
        ok = root || penta_io_fail(err, "%s: out of memory", path);
    }
    if (!path)
        penta_io_fail(err, "%s: out of memory", directory);
    free(path);
    if (!ok)
        json_decref(root);
    *out = ok ? root : NULL;
    return ok;
}

bool io_manifest_owner(const char *directory, uid_t *out)
{
    char *path = path_of(directory);
    struct stat st;
    bool there = path && lstat(path, &st) == 0;

    free(path);
    if (there)
        *out = st.st_uid;
    return there;
}

/* ---- writing ---- */

/* Not one that would be too large to be read. */
static bool has_room(FILE *out)
{
    if (ftello(out) <= MOST_BYTES)
        return true;
    errno = EFBIG;
    return false;
}

static bool put(int fd, const json_t *manifest)
{
    FILE *out = fdopen(fd, "wb");
    bool ok = out && json_dumpf(manifest, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF && fflush(out) == 0 &&
              has_room(out) && (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
    int code = errno;

    if (!out)
        close(fd);
    else if (fclose(out) != 0 && ok)
        return false;
    errno = code;
    return ok;
}

bool io_manifest_write(const char *directory, const json_t *manifest, penta_io_error *err)
{
    char *path = path_of(directory), *name = NULL;
    penta_io_pending *pending = NULL;
    int fd = path ? io_temporary_create(path, &name, &pending) : -1;
    bool ok = fd >= 0 && put(fd, manifest) && rename(name, path) == 0;

    if (!path)
        errno = ENOMEM;
    if (!ok)
        penta_io_fail(err, "%s/.penta-run.json: cannot be written: %s", directory, strerror(errno));
    if (!ok && name)
        unlink(name);
    penta_io_pending_drop(pending);
    free(name);
    free(path);
    return ok;
}

/* ---- runs and files ---- */

json_t *io_manifest_run(json_t *manifest, const char *id, const char *command)
{
    json_t *runs = json_object_get(manifest, "runs"), *run;
    size_t i;

    json_array_foreach(runs, i, run) if (strcmp(json_string_value(json_object_get(run, "id")), id) == 0) return run;
    run = json_pack("{s:s, s:s, s:s, s:{}}", "id", id, "command", command, "library", penta_version(), "files");
    return run && json_array_append_new(runs, run) == 0 ? run : NULL;
}

void io_manifest_forget(json_t *manifest, const char *name)
{
    json_t *runs = json_object_get(manifest, "runs");
    char *key = io_json_name_text(name);

    for (size_t i = json_array_size(runs); key && i > 0; i--) {
        json_t *files = json_object_get(json_array_get(runs, i - 1), "files");

        if (json_object_del(files, key) == 0 && json_object_size(files) == 0)
            json_array_remove(runs, i - 1);
    }
    free(key);
}

/* A copy of key, to be freed, in which `to` replaces `from` if key is `from` or lies below it. */
static char *renamed(const char *key, const char *from, const char *to)
{
    size_t length = strlen(from);
    bool is_it = strncmp(key, from, length) == 0 && (key[length] == 0 || key[length] == '/');
    size_t size = strlen(key) + strlen(to) + 1;
    char *out = malloc(size);

    if (out)
        snprintf(out, size, "%s%s", is_it ? to : "", is_it ? key + length : key);
    return out;
}

static json_t *rename_files(const json_t *files, const char *from, const char *to)
{
    json_t *out = json_object(), *about;
    const char *key;
    bool ok = out != NULL;

    json_object_foreach((json_t *)files, key, about)
    {
        char *name = ok ? renamed(key, from, to) : NULL;

        ok = name && json_object_set(out, name, about) == 0;
        free(name);
    }
    if (ok)
        return out;
    json_decref(out);
    return NULL;
}

bool io_manifest_rename(json_t *manifest, const char *from, const char *to)
{
    char *old_key = io_json_name_text(from), *new_key = io_json_name_text(to);
    json_t *runs = json_object_get(manifest, "runs"), *run;
    bool ok = old_key && new_key;
    size_t i;

    json_array_foreach(runs, i, run)
    {
        json_t *files = ok ? rename_files(json_object_get(run, "files"), old_key, new_key) : NULL;

        ok = files && json_object_set_new(run, "files", files) == 0;
    }
    free(old_key);
    free(new_key);
    return ok;
}

bool io_manifest_add(json_t *run, const char *name, const io_manifest_file *file)
{
    char sum[32], *key = io_json_name_text(name);
    json_t *about;
    bool ok;

    snprintf(sum, sizeof sum, "%016" PRIx64, file->sum);
    about = json_pack("{s:I, s:s, s:I}", "bytes", (json_int_t)file->bytes, "crc64", sum, "mtime_ns",
                      (json_int_t)file->time);
    ok = key && about && json_object_set_new(json_object_get(run, "files"), key, about) == 0;
    free(key);
    return ok;
}

bool io_manifest_find(const json_t *manifest, const char *name, io_manifest_file *out)
{
    const json_t *runs = json_object_get(manifest, "runs"), *run;
    char *key = io_json_name_text(name);
    bool found = false;
    size_t i;

    json_array_foreach(runs, i, run)
    {
        const json_t *about = key ? json_object_get(json_object_get(run, "files"), key) : NULL;
        const char *sum = json_string_value(json_object_get(about, "crc64"));

        if (!sum)
            continue;
        *out = (io_manifest_file){.run = json_string_value(json_object_get(run, "id")),
                                  .bytes = (uint64_t)json_integer_value(json_object_get(about, "bytes")),
                                  .sum = strtoull(sum, NULL, 16),
                                  .time = json_integer_value(json_object_get(about, "mtime_ns"))};
        found = true;
    }
    free(key);
    return found;
}

static const json_t *run_of(const json_t *manifest, const char *id)
{
    const json_t *run;
    size_t i;

    json_array_foreach(json_object_get(manifest, "runs"), i, run)
    {
        if (strcmp(json_string_value(json_object_get(run, "id")), id) == 0)
            return run;
    }
    return NULL;
}

json_t *io_manifest_series(const json_t *manifest, const char *name)
{
    json_t *out = json_array(), *before;
    io_manifest_file file;

    if (!out || !io_manifest_find(manifest, name, &file))
        return out;
    before = json_object_get(run_of(manifest, file.run), "goes_on");
    if (json_array_append_new(out, json_string(file.run)) == 0 &&
        (!json_is_array(before) || json_array_extend(out, before) == 0))
        return out;
    json_decref(out);
    return NULL;
}
