/*
 * PoCL's kernel cache in a program that uses the library: folders that cannot be used, damaged files. The cache is
 * chosen once in a process, so each case is a child with an environment of its own; PoCL 3.1 by itself ends it or finds
 * no device.
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/internal.h"
#include "core/kernel_files.h"
#include "support/files.h"

static char scratch[200];

/* What a child says: how far it came, what the library noted or failed with, and its POCL_CACHE_DIR. */
typedef struct {
    int status; /* of penta_context_create, else of running the kernel */
    bool right; /* the kernel's result */
    char note[800], error[800], folder[400];
} answer;

static const char *path_of(const char *name)
{
    static char paths[4][400];
    static unsigned next;
    char *path = paths[next++ % COUNT(paths)];

    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

/* ---- the child ---- */

static penta_status run_kernel(penta_context *ctx, bool *right)
{
    penta_status status = PENTA_OK;
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer out = {0};
    int32_t got[4] = {0};

    TRY(penta_buffer_create(ctx, sizeof got, &out));
    TRY(penta_kernel_get(ctx, "probe.cl", "probe", "", &kernel));
    TRY(penta_launch(&kernel, penta_grid_1d(4), ARGS(&out)));
    TRY(penta_buffer_read(&out, 0, got, sizeof got));
    *right = got[0] == 3 && got[3] == 24;
cleanup:
    return status;
}

static void try_it(answer *a)
{
    HELD_BY(penta_context_held) penta_context *ctx = NULL;
    const char *folder;

    a->status = penta_context_create("portable", &ctx);
    if (ctx)
        a->status = run_kernel(ctx, &a->right);
    snprintf(a->error, sizeof a->error, "%s", a->status == PENTA_OK ? "" : penta_last_error(ctx));
    snprintf(a->note, sizeof a->note, "%s", penta_kernel_cache_note());
    folder = getenv("POCL_CACHE_DIR");
    snprintf(a->folder, sizeof a->folder, "%s", folder ? folder : "");
}

/* Runs prepare, then the library, in a child; fails if that dies. */
static answer in_child(void (*prepare)(void))
{
    int ends[2], status;
    answer a;
    pid_t child;

    memset(&a, 0, sizeof a);
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("PENTACL_KERNEL_DIR", path_of("kernels"), 1);
        setenv("TMPDIR", path_of("tmp"), 1);
        unsetenv("XDG_CACHE_HOME");
        unsetenv("POCL_CACHE_DIR");
        unsetenv("POCL_KERNEL_CACHE");
        setenv("HOME", path_of("home"), 1);
        prepare();
        try_it(&a);
        _exit(write(ends[1], &a, sizeof a) == (ssize_t)sizeof a ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &a, sizeof a), sizeof a);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    if (a.status == PENTA_NO_DEVICE && strstr(a.error, "no OpenCL device matches")) {
        leave_out_test("there is no PoCL");
    }
    return a;
}

static void expect_works(const answer *a)
{
    if (a->status != PENTA_OK)
        fail_msg("%s", a->error);
    assert_true(a->right);
}

/* ---- places ---- */

static void nothing(void)
{
}

TEST(usual_place)
{
    answer a = in_child(nothing);

    expect_works(&a);
    assert_string_equal(a.note, "");
    assert_string_equal(a.folder, "");
    assert_int_equal(access(path_of("home/.cache/pocl/kcache"), R_OK), 0);
}

static void forget_home(void)
{
    unsetenv("HOME");
}

TEST(home_unset)
{
    bool before = access("/tmp/pocl", F_OK) == 0;
    answer a = in_child(forget_home);
    struct stat about;
    char wanted[400];

    expect_works(&a);
    snprintf(wanted, sizeof wanted, "%s/pentacl-%lu", path_of("tmp"), (unsigned long)geteuid());
    assert_string_equal(a.folder, wanted);
    expect_text(a.note, wanted);
    expect_text(a.note, "HOME and XDG_CACHE_HOME are not set");
    assert_int_equal(stat(wanted, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_int_equal(access("/tmp/pocl", F_OK) == 0, before);
}

/* Somebody else has prepared the name in the folder for temporary files: a link, or a folder open to all. */
TEST(squatted_name)
{
    char name[400];

    snprintf(name, sizeof name, "%s/pentacl-%lu", path_of("tmp"), (unsigned long)geteuid());
    for (int open_to_all = 0; open_to_all < 2; open_to_all++) {
        answer a;

        if (access(name, F_OK) == 0)
            assert_int_equal(remove_tree(name), 0);
        if (open_to_all)
            assert_true(mkdir(name, 0777) == 0 && chmod(name, 0777) == 0);
        else
            assert_int_equal(symlink(path_of("home"), name), 0);
        a = in_child(forget_home);
        expect_works(&a);
        assert_true(strncmp(a.folder, name, strlen(name)) == 0 && a.folder[strlen(name)] == '-');
        assert_int_equal(remove(name), 0);
    }
}

static void choose_blocked(void)
{
    setenv("XDG_CACHE_HOME", path_of("blocked"), 1);
}

TEST(file_in_place_of_the_folder)
{
    answer a;
    FILE *f;

    assert_int_equal(mkdir(path_of("blocked"), 0700), 0);
    f = fopen(path_of("blocked/pocl"), "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    a = in_child(choose_blocked);
    expect_works(&a);
    assert_string_equal(a.folder, path_of("blocked/pentacl/pocl"));
    expect_text(a.note, "Not a directory");
}

/* Root may write everywhere, so it becomes another user. */
static void lose_rights(void)
{
    setenv("HOME", path_of("closed"), 1);
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        _exit(7);
}

TEST(folder_without_rights)
{
    answer a;

    assert_int_equal(mkdir(path_of("closed"), 0500), 0);
    assert_int_equal(chmod(path_of("tmp"), 01777), 0);
    a = in_child(lose_rights);
    expect_works(&a);
    expect_text(a.folder, path_of("tmp/pentacl-"));
    expect_text(a.note, "Permission denied");
}

static void give_a_file(void)
{
    setenv("POCL_CACHE_DIR", path_of("kernels/probe.cl"), 1);
}

/* What the user has set is not changed, and said to be the reason. */
TEST(given_folder)
{
    answer a = in_child(give_a_file);

    assert_int_equal(a.status, PENTA_DEVICE);
    assert_string_equal(a.folder, path_of("kernels/probe.cl"));
    expect_text(a.error, "POCL_CACHE_DIR");
    expect_text(a.error, path_of("kernels/probe.cl"));
}

/* A file system of its own, which is small. */
static void mount_small(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", path_of("small"), "tmpfs", 0, "size=256k") != 0)
        _exit(0); /* reading the answer fails */
    setenv("XDG_CACHE_HOME", path_of("small"), 1);
}

static bool can_mount(void)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0)
        _exit(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                      mount("none", path_of("small"), "tmpfs", 0, "size=256k") == 0
                  ? 0
                  : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(full_disk)
{
    answer a;

    assert_int_equal(mkdir(path_of("small"), 0700), 0);
    if (!can_mount()) {
        leave_out_test("this user cannot mount a small file system");
    }
    a = in_child(mount_small);
    expect_works(&a);
    expect_text(a.note, "less than 4 MB left");
    expect_text(a.folder, path_of("tmp/pentacl-"));
}

/* ---- damaged files ---- */

/* The first file below the folder whose name ends so. */
static bool find_file(const char *folder, const char *end, char *out, size_t size)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    bool found = false;

    while (dir && !found && (entry = readdir(dir))) {
        char path[1024];
        size_t length = strlen(entry->d_name);

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_type == DT_DIR)
            found = find_file(path, end, out, size);
        else if (length > strlen(end) && strcmp(entry->d_name + length - strlen(end), end) == 0)
            found = snprintf(out, size, "%s", path) < (int)size;
    }
    if (dir)
        closedir(dir);
    return found;
}

/* As if it had been written an hour ago: files that changed just now may still be written by another process. */
static void set_back(const char *path)
{
    const struct timespec times[2] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Cuts the file to this share of its size, or fills the rest with zeros. */
static void damage(const char *path, double share, bool zeros)
{
    struct stat about;
    off_t size;

    assert_int_equal(stat(path, &about), 0);
    size = (off_t)((double)about.st_size * share);
    assert_int_equal(truncate(path, size), 0);
    if (zeros)
        assert_int_equal(truncate(path, about.st_size), 0);
    set_back(path);
}

/* What another process is just writing is not whole yet and stays; an hour later it is damaged. */
TEST(files_being_written)
{
    char folder[] = "/tmp/pentacl-young-XXXXXX", path[64], stamp[64];
    FILE *file;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tempfile.so", folder);
    snprintf(stamp, sizeof stamp, "%s/pentacl-checked", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("\177EL", file);
    fclose(file);
    assert_int_equal(penta_kernel_files_check(folder).removed, 0);
    assert_int_equal(access(path, F_OK), 0);
    set_back(path);
    assert_int_equal(penta_kernel_files_check(folder).checked, 0); /* so soon it does not look */
    set_back(stamp);
    assert_int_equal(penta_kernel_files_check(folder).removed, 1);
    assert_int_equal(access(path, F_OK), -1);
    unlink(stamp);
    rmdir(folder);
}

TEST(damaged_files)
{
    static const struct {
        const char *end;
        double share;
        bool zeros;
    } cases[] = {{".so", 0, false}, {".so", 0.25, false}, {".so", 0.99, false}, {".so", 0.5, true}, {".so", 0, true},
                 {".bc", 0, false}, {".bc", 0.1, false},  {".bc", 0.99, false}, {".bc", 0.5, true}, {".bc", 0, true}};
    answer a = in_child(nothing);

    expect_works(&a);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char file[1024];

        assert_true(find_file(path_of("home/.cache/pocl/kcache"), cases[i].end, file, sizeof file));
        damage(file, cases[i].share, cases[i].zeros);
        set_back(path_of("home/.cache/pocl/kcache/pentacl-checked")); /* the last look was not just now */
        a = in_child(nothing);
        expect_works(&a);
        expect_text(a.note, "removed 1 damaged file from");
        a = in_child(nothing);
        expect_works(&a);
        assert_string_equal(a.note, "");
    }
}

/* ---- the group ---- */

static int set_up(void **state)
{
    FILE *f;

    (void)state;
    if (!make_scratch_directory("kcache", scratch, sizeof scratch) || chmod(scratch, 0755) != 0 ||
        mkdir(path_of("kernels"), 0755) != 0 || mkdir(path_of("home"), 0700) != 0 || mkdir(path_of("tmp"), 01777) != 0)
        return -1;
    f = fopen(path_of("kernels/probe.cl"), "w");
    if (!f ||
        fputs("__kernel void probe(__global int *out) { int i = get_global_id(0); out[i] = 7 * i + 3; }\n", f) < 0)
        return -1;
    return fclose(f);
}

static int tear_down(void **state)
{
    (void)state;
    return remove_tree(scratch);
}

RUN(EVERYWHERE, NULL, set_up, tear_down);
