/* A program that embeds the library, killed before each step of a run, and the power cut there. */
#define _GNU_SOURCE

#include "io_files.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "kill/steps.h"
#include <pentacl/io/array.h>
#include <pentacl/io/output.h>
#include <pentacl/io/run.h>

enum { SIZE = 3000 /* numbers: more than a stream holds back */ };

static bool put(const char *path, double value)
{
    const size_t shape[] = {SIZE};
    HELD double *values = malloc(SIZE * sizeof *values);
    penta_io_error err = {""};
    bool ok;

    for (size_t i = 0; i < SIZE; i++)
        values[i] = value;
    ok = penta_io_npy_write(path, PENTA_F64, 1, shape, values, &err);
    return ok;
}

/* The first value, if the file is whole; 0: there is none. */
static double value_of(const char *name)
{
    size_t size;
    HELD unsigned char *data = access(in_directory(name), F_OK) == 0 ? read_file(in_directory(name), &size) : NULL;
    double value = 0;

    if (!data)
        return 0;
    value = -1;
    if (size == 128 + SIZE * sizeof value)
        memcpy(&value, data + size - sizeof value, sizeof value);
    return value;
}

/* What a run writes; false: an error. */
static bool run_once(double value, bool commits)
{
    penta_io_error err = {""};
    HELD_BY(penta_io_run_held) penta_io_run *run = NULL;
    char kept[64];
    bool ok = penta_io_run_open(in_directory("killed"), "test", &run, &err);

    ok = ok && put(in_directory("killed/a.npy"), value) && put(in_directory("killed/b.npy"), value) &&
         penta_io_make_directory(in_directory("killed/below"), &err) &&
         put(in_directory("killed/below/c.npy"), value) &&
         penta_io_run_keep(run, "kept.npy", kept, sizeof kept, &err) && put(in_directory("killed/kept.npy"), value);
    if (ok && value > 1)
        penta_io_remove_file(in_directory("killed/first.npy"));
    else
        ok = ok && put(in_directory("killed/first.npy"), value);
    ok = ok && (!commits || penta_io_run_commit(run, &err));
    return ok;
}

/* Returns the signal that ended it, 0 for none. */
static int run_in_child(const steps_settings *settings)
{
    int state = 0;
    pid_t child = fork();

    if (child == 0) {
        steps_begin(settings);
        _exit(run_once(2, true) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &state, 0), child);
    if (WIFEXITED(state))
        assert_int_equal(WEXITSTATUS(state), 0);
    return WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

/* Whether the files are those of the second run; otherwise they are those of the first. */
static bool is_second(long step)
{
    const double a = value_of("killed/a.npy");
    const bool second = a > 1.5;
    const double kept = value_of("killed/kept-1.npy"), first = value_of("killed/first.npy");

    if (value_of("killed/b.npy") != a || value_of("killed/below/c.npy") != a || value_of("killed/kept.npy") != a ||
        a != (second ? 2 : 1) || kept != (second ? 1 : 0) || first != (second ? 0 : 1))
        fail_msg("step %ld: a is %g, b %g, c %g, kept.npy %g, kept-1.npy %g, first.npy %g", step, a,
                 value_of("killed/b.npy"), value_of("killed/below/c.npy"), value_of("killed/kept.npy"), kept, first);
    return second;
}

static void empty_folder(const char *name)
{
    DIR *dir = opendir(in_directory(name));
    struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

/* Nothing else is there than what the runs are to leave. */
static void expect_known(const char *name, long step)
{
    static const char known[] = " . .. below .penta-run.json a.npy b.npy c.npy first.npy kept.npy kept-1.npy ";
    DIR *dir = opendir(in_directory(name));
    struct dirent *entry;
    char word[300];

    while ((entry = readdir(dir)) != NULL) {
        snprintf(word, sizeof word, " %s ", entry->d_name);
        if (!strstr(known, word))
            fail_msg("step %ld: %s/%s is left", step, name, entry->d_name);
    }
    closedir(dir);
}

static void kill_at_every_step(bool power)
{
    char real[4096];
    long step = 0;
    bool second = false, killed = true;
    size_t before = 0, after = 0;

    (void)mkdir(in_directory("killed"), 0777);
    assert_non_null(realpath(in_directory("killed"), real));
    while (killed) {
        const steps_settings settings = {
            .directory = real, .kill_at = ++step, .power = power, .broken = getenv("PENTA_TEST_BREAK")};
        penta_io_error err = {""};
        penta_io_run *run;

        empty_folder("killed");
        empty_folder("killed/below");
        assert_true(run_once(1, true));
        killed = run_in_child(&settings) == SIGKILL;
        assert_true(penta_io_run_open(real, "test", &run, &err)); /* the next run */
        penta_io_run_close(run);
        if (second && !is_second(step))
            fail_msg("step %ld goes back", step);
        second = is_second(step);
        *(second ? &after : &before) += killed;
        expect_known("killed", step);
        expect_known("killed/below", step);
    }
    assert_true(second);
    assert_true(before >= 20);
    assert_true(after >= 6); /* steps behind the commit point */
}

TEST(killed)
{
    kill_at_every_step(false);
}

TEST(power_cut)
{
    kill_at_every_step(true);
}

/* A single file, of no run. */
TEST(single_file)
{
    char real[4096];
    bool killed = true;

    (void)mkdir(in_directory("single"), 0777);
    assert_non_null(realpath(in_directory("single"), real));
    assert_true(put(in_directory("single/a.npy"), 1));
    for (long step = 1; killed; step++) {
        const steps_settings settings = {.directory = real, .kill_at = step, .power = step % 2};
        int status;
        pid_t child = fork();

        if (child == 0) {
            steps_begin(&settings);
            _exit(!put(in_directory("single/a.npy"), 2));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        killed = WIFSIGNALED(status);
        if (value_of("single/a.npy") != 1 && value_of("single/a.npy") != 2)
            fail_msg("step %ld: the file is damaged", step);
    }
    assert_true(value_of("single/a.npy") > 1.5);
}

IN_DIRECTORY;
