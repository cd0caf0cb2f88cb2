/* Going on with a run that was ended: files that it has written are taken over where they are whole, under the names of
 * a run in this directory alone; what was kept beside them is refused where it is not what was written. */
#define _XOPEN_SOURCE 700

#include <glob.h>
#include <time.h>

#include "io_files.h"

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include <pentacl/parallel.h>

static void put_text(const char *file, const char *text)
{
    write_file(file, text, strlen(text));
}

static bool is_there(const char *file)
{
    struct stat st;

    return lstat(in_directory(file), &st) == 0;
}

static bool has_text(const char *file, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(in_directory(file), "r");

    if (!f)
        return false;
    (void)!fread(found, 1, sizeof found - 1, f);
    fclose(f);
    return strcmp(found, text) == 0;
}

static void write_output(const char *file, const char *text)
{
    penta_io_output *output;
    penta_io_error err = {""};

    assert_true(penta_io_output_open(in_directory(file), &output, &err));
    fputs(text, penta_io_output_stream(output));
    assert_true(penta_io_output_commit(output, &err));
}

typedef struct {
    void *bytes;
    size_t size;
} told;

/* A run has written dir/a.csv, `mine`, and b.csv, `yours`, and what it is told of them; it has ended, and they wait. */
static told begin(penta_io_run **again)
{
    penta_io_run *run;
    penta_io_error err = {""};
    told t;

    remove_tree(in_directory("dir"));
    assert_int_equal(mkdir(in_directory("dir"), 0777), 0);
    assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
    penta_io_run_mark(7);
    write_output("dir/a.csv", "mine");
    write_output("dir/b.csv", "yours");
    penta_io_run_mark(0);
    assert_true(penta_io_run_take(run, 7, &t.bytes, &t.size, &err));
    penta_io_run_let_go(run, 7);
    penta_io_run_close(run);
    assert_true(penta_io_run_open_again(in_directory("dir"), "test", again, &err));
    return t;
}

static void end(penta_io_run *run, told t)
{
    penta_io_run_close(run);
    free(t.bytes);
}

static bool temporary_waits(const char *pattern)
{
    HELD_BY(globfree) glob_t found;
    char path[512];
    bool any;

    snprintf(path, sizeof path, "%s/%s", in_directory("dir"), pattern);
    any = glob(path, 0, NULL, &found) == 0;
    return any;
}

static char *name_of_temporary(const char *pattern)
{
    static char name[256];
    FILE *f;
    char command[512];

    snprintf(command, sizeof command, "cd %s && ls -d %s", in_directory("dir"), pattern);
    f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(command, sizeof command, f));
    pclose(f);
    command[strcspn(command, "\n")] = 0;
    snprintf(name, sizeof name, "dir/%.200s", command);
    return name;
}

/* Until a run lets them go, files that it has told of go with it, and with the process. */
IO_TEST(not_let_go)
{
    penta_io_run *run;
    told t[2];

    for (int of_process = 0; of_process < 2; of_process++) {
        remove_tree(in_directory("dir"));
        assert_int_equal(mkdir(in_directory("dir"), 0777), 0);
        assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
        for (int i = 0; i < 2; i++) {
            penta_io_run_mark(7 + (uint64_t)i);
            write_output(i ? "dir/b.csv" : "dir/a.csv", "mine");
            penta_io_run_mark(0);
            assert_true(penta_io_run_take(run, 7 + (uint64_t)i, &t[i].bytes, &t[i].size, &err));
        }
        penta_io_run_let_go(run, 8);
        if (of_process)
            penta_io_pending_remove();
        else
            penta_io_run_close(run);
        assert_false(temporary_waits("a.csv.tmp*"));
        assert_true(temporary_waits("b.csv.tmp*"));
        penta_io_run_discard(t[1].bytes, t[1].size);
        assert_false(temporary_waits("b.csv.tmp*"));
        if (of_process)
            penta_io_run_close(run);
        free(t[0].bytes);
        free(t[1].bytes);
    }
}

/* ---- side by side ---- */

enum { TOGETHER = 24 };

static bool write_one(void *user, size_t i, penta_io_error *err)
{
    const struct timespec pause = {0, 2000000}; /* helpers come in the meantime */
    const size_t *fails = user;
    char path[600];
    penta_io_output *output;

    nanosleep(&pause, NULL);
    if (i >= *fails)
        return penta_io_fail(err, "file %zu", i);
    snprintf(path, sizeof path, "%s/dir/%zu.txt", test_directory, i);
    if (!penta_io_output_open(path, &output, err))
        return false;
    fprintf(penta_io_output_stream(output), "number %zu", i);
    return penta_io_output_commit(output, err);
}

static bool write_alone(void *user, size_t i)
{
    penta_io_error err;

    return write_one(user, i, &err);
}

static const char *name_of(int i)
{
    static char file[40];

    snprintf(file, sizeof file, "dir/%d.txt", i);
    return file;
}

static void expect_files(bool there)
{
    char text[40];

    for (int i = 0; i < TOGETHER; i++) {
        snprintf(text, sizeof text, "number %d", i);
        assert_int_equal(has_text(name_of(i), text), there);
    }
}

/* Files that threads write have the mark of their caller; what the same threads write afterwards has none. */
IO_TEST(together)
{
    penta_io_run *run;
    size_t none = TOGETHER;
    told t;

    remove_tree(in_directory("dir"));
    assert_int_equal(mkdir(in_directory("dir"), 0777), 0);
    assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
    penta_io_run_mark(7);
    assert_true(penta_io_output_together(TOGETHER, write_one, &none, &err));
    write_output("dir/after.txt", "marked too");
    penta_io_run_mark(0);
    assert_true(penta_io_run_commit(run, &err));
    expect_files(false);
    assert_true(penta_io_run_take(run, 7, &t.bytes, &t.size, &err));
    assert_true(penta_io_run_give(run, t.bytes, t.size, &err));
    assert_true(penta_io_run_commit(run, &err));
    expect_files(true);
    assert_true(has_text("dir/after.txt", "marked too"));
    for (int i = 0; i < TOGETHER; i++)
        penta_io_remove_file(in_directory(name_of(i)));
    assert_int_equal(penta_parallel_until(TOGETHER, write_alone, &none), TOGETHER);
    assert_true(penta_io_run_commit(run, &err));
    expect_files(true);
    end(run, t);
}

/* The error is that of the first file that fails. */
IO_TEST(together_fails)
{
    HELD_BY(penta_io_run_held) penta_io_run *run = NULL;
    size_t fails = 5;

    remove_tree(in_directory("dir"));
    assert_int_equal(mkdir(in_directory("dir"), 0777), 0);
    assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
    assert_false(penta_io_output_together(TOGETHER, write_one, &fails, &err));
    assert_string_equal(err.text, "file 5");
    assert_true(penta_io_run_commit(run, &err));
    for (int i = 0; i < TOGETHER; i++)
        assert_int_equal(is_there(name_of(i)), i < 5);
}

IO_TEST(waiting)
{
    penta_io_run *run;
    told t = begin(&run);

    put_text("dir/c.csv.tmp.penta.1.1", "of nobody");
    assert_true(penta_io_run_adopt(run, t.bytes, t.size));
    assert_false(is_there("dir/a.csv"));
    penta_io_run_sweep(run);
    assert_false(is_there("dir/c.csv.tmp.penta.1.1"));
    assert_true(penta_io_run_commit(run, &err));
    assert_true(has_text("dir/a.csv", "mine"));
    assert_true(has_text("dir/b.csv", "yours"));
    assert_true(penta_io_run_adopt(run, t.bytes, t.size)); /* they are committed */
    end(run, t);
    assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
    penta_io_run_close(run);
    assert_true(has_text("dir/a.csv", "mine"));
}

/* One that is not as it was written: none is taken over. */
IO_TEST(changed)
{
    static const char *const texts[] = {"wine", "min", ""};

    for (size_t i = 0; i < 3; i++) {
        penta_io_run *run;
        told t = begin(&run);

        put_text(name_of_temporary("a.csv.tmp.*"), texts[i]);
        assert_false(penta_io_run_adopt(run, t.bytes, t.size));
        assert_true(penta_io_run_commit(run, &err));
        assert_false(is_there("dir/b.csv"));
        end(run, t);
    }
}

TEST(link)
{
    penta_io_run *run;
    told t = begin(&run);

    put_text("victim.csv", "precious");
    assert_int_equal(symlink("../victim.csv", in_directory("dir/a.csv")), 0);
    assert_false(penta_io_run_adopt(run, t.bytes, t.size));
    end(run, t);
    assert_true(has_text("victim.csv", "precious"));
}

/* Every byte changed, and every length: nothing but the files of the directory may be touched. */
TEST(bytes)
{
    penta_io_run *run;
    told t = begin(&run);
    unsigned char *bytes = t.bytes;

    put_text("a.csv", "outside");
    for (size_t i = 0; i < t.size; i++)
        for (int k = 0; k < 3; k++) {
            const unsigned char old = bytes[i];

            bytes[i] = (unsigned char)(k == 0 ? old ^ 1 : k == 1 ? '/' : '.');
            (void)penta_io_run_adopt(run, bytes, t.size);
            bytes[i] = old;
        }
    for (size_t size = 1; size < t.size; size++) {
        HELD void *part = malloc(size);

        memcpy(part, bytes, size);
        (void)penta_io_run_adopt(run, part, size);
    }
    end(run, t);
    assert_true(has_text("a.csv", "outside"));
}

IO_TEST(record)
{
    penta_io_run *run;
    told t = begin(&run);
    void *bytes;
    size_t size;
    struct stat st;

    assert_true(penta_io_run_read_record(in_directory("dir"), ".record", &bytes, &size, &err));
    assert_null(bytes);
    assert_true(penta_io_run_record(run, ".record", true, "some bytes", 10, &err));
    assert_true(penta_io_run_read_record(in_directory("dir"), ".record", &bytes, &size, &err));
    assert_int_equal(size, 10);
    assert_memory_equal(bytes, "some bytes", 10);
    free(bytes);
    assert_true(penta_io_run_record(run, ".record", false, "others", 6, &err));
    assert_int_equal(stat(in_directory("dir/.record"), &st), 0);
    for (long length = (long)st.st_size - 1; length >= 0; length--) {
        assert_int_equal(truncate(in_directory("dir/.record"), length), 0);
        assert_false(penta_io_run_read_record(in_directory("dir"), ".record", &bytes, &size, &err));
        assert_null(bytes);
    }
    assert_true(penta_io_run_commit(run, &err));
    assert_true(penta_io_run_read_record(in_directory("dir"), ".record", &bytes, &size, &err));
    assert_memory_equal(bytes, "others", 6);
    free(bytes);
    end(run, t);
}

IO_TEST(lacks)
{
    penta_io_run *run;
    told t = begin(&run);
    char name[16];

    assert_true(penta_io_run_adopt(run, t.bytes, t.size));
    assert_true(penta_io_run_commit(run, &err));
    assert_false(penta_io_run_lacks(in_directory("dir"), "test", NULL, name, sizeof name));
    put_text("dir/b.csv", "changed");
    assert_true(penta_io_run_lacks(in_directory("dir"), "test", NULL, name, sizeof name));
    assert_string_equal(name, "b.csv");
    assert_false(penta_io_run_lacks(in_directory("dir"), "other", NULL, name, sizeof name));
    end(run, t);
}

static void commit(penta_io_run *run)
{
    penta_io_error err = {""};

    EXPECT_IO(penta_io_run_record(run, ".record", false, "some bytes", 10, &err) && penta_io_run_commit(run, &err),
              err);
    penta_io_run_close(run);
}

/* Files of a run that was done before do not count, those of runs that the last one went on with do. */
IO_TEST(lacks_of_a_series)
{
    penta_io_run *run;
    char name[16];

    remove_tree(in_directory("dir"));
    assert_int_equal(mkdir(in_directory("dir"), 0777), 0);
    assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
    write_output("dir/a.csv", "first");
    write_output("dir/b.csv", "first");
    commit(run);
    assert_true(penta_io_run_open(in_directory("dir"), "test", &run, &err));
    write_output("dir/a.csv", "second");
    commit(run);
    assert_int_equal(unlink(in_directory("dir/b.csv")), 0);
    assert_false(penta_io_run_lacks(in_directory("dir"), "test", ".record", name, sizeof name));
    assert_true(penta_io_run_lacks(in_directory("dir"), "test", NULL, name, sizeof name));
    assert_true(penta_io_run_lacks(in_directory("dir"), "test", ".none", name, sizeof name));
    for (int i = 0; i < 2; i++) {
        assert_true(penta_io_run_open_again(in_directory("dir"), "test", &run, &err));
        write_output("dir/c.csv", i ? "third" : "fourth");
        commit(run);
        assert_false(penta_io_run_lacks(in_directory("dir"), "test", ".record", name, sizeof name));
    }
    assert_int_equal(unlink(in_directory("dir/a.csv")), 0);
    assert_true(penta_io_run_lacks(in_directory("dir"), "test", ".record", name, sizeof name));
    assert_string_equal(name, "a.csv");
}

IN_DIRECTORY;
