/*
 * Commits that fail behind their commit point (here since a directory lies where a file belongs), and what others leave
 * of them: the next commit, and runs in the directory above.
 */
#define _XOPEN_SOURCE 700

#include "io_files.h"

#include <unistd.h>

#include <pentacl/io/bodies.h>
#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include <pentacl/io/shared_file.h>

static void must(bool ok, const penta_io_error *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static bool is_there(const char *file)
{
    struct stat st;

    return stat(in_directory(file), &st) == 0 && S_ISREG(st.st_mode);
}

static void make(const char *folder)
{
    assert_int_equal(mkdir(in_directory(folder), 0777), 0);
}

static penta_io_run *open_run(const char *folder)
{
    penta_io_error err = {""};
    penta_io_run *run = NULL;

    must(penta_io_run_open(in_directory(folder), "test", &run, &err), &err);
    return run;
}

static void put(const char *file)
{
    penta_io_error err = {""};
    penta_io_output *out;

    must(penta_io_output_open(in_directory(file), &out, &err), &err);
    fputs(file, penta_io_output_stream(out));
    must(penta_io_output_commit(out, &err), &err);
}

/* A run in top/sub whose commit has failed at first.txt, so that second.txt is pending. */
static penta_io_run *fail_commit(void)
{
    penta_io_error err = {""};
    penta_io_run *run;

    remove_tree(in_directory("top"));
    make("top");
    make("top/sub");
    run = open_run("top/sub");
    put("top/sub/first.txt");
    put("top/sub/second.txt");
    make("top/sub/first.txt");
    assert_false(penta_io_run_commit(run, &err));
    expect_text(err.text, "incomplete");
    assert_false(is_there("top/sub/second.txt"));
    return run;
}

static void clear_the_way(void)
{
    assert_int_equal(rmdir(in_directory("top/sub/first.txt")), 0);
}

static void expect_complete(void)
{
    penta_io_error err = {""};

    must(penta_io_run_settle(in_directory("top/sub"), &err), &err);
    assert_int_equal(penta_io_run_look(in_directory("top/sub/first.txt")), PENTA_IO_RUN_WHOLE);
    assert_int_equal(penta_io_run_look(in_directory("top/sub/second.txt")), PENTA_IO_RUN_WHOLE);
}

IO_TEST(next_commit)
{
    HELD_BY(penta_io_run_held) penta_io_run *run = fail_commit();

    put("top/sub/third.txt");
    assert_false(penta_io_run_commit(run, &err));
    assert_false(is_there("top/sub/third.txt"));
    clear_the_way();
    must(penta_io_run_commit(run, &err), &err);
    expect_complete();
    assert_int_equal(penta_io_run_look(in_directory("top/sub/third.txt")), PENTA_IO_RUN_WHOLE);
}

TEST(run_above)
{
    penta_io_run_close(fail_commit());
    clear_the_way();
    penta_io_run_close(open_run("top"));
    expect_complete();
}

/* The run above writes into the directory. */
IO_TEST(written_from_above)
{
    HELD_BY(penta_io_run_held) penta_io_run *run = NULL;

    penta_io_run_close(fail_commit());
    clear_the_way();
    run = open_run("top");
    put("top/sub/third.txt");
    expect_complete();
    must(penta_io_run_commit(run, &err), &err);
    assert_true(is_there("top/sub/third.txt"));
}

/* What waits for --resume is not for a run above to remove; what a run above has left itself is. */
TEST(files_that_wait)
{
    static const char waits[] = "top/sub/a.csv.tmp.penta.999999999.4",
                      left[] = "top/report/a.csv.tmp.penta.999999999.4";

    remove_tree(in_directory("top"));
    make("top");
    make("top/sub");
    make("top/report");
    write_file("top/sub/.penta-resume", "x", 1);
    write_file(waits, "x", 1);
    write_file(left, "x", 1);
    penta_io_run_close(open_run("top"));
    assert_true(is_there(waits));
    assert_false(is_there(left));
}

/* ---- attributes of bodies ---- */

static double rows[2 * 7] = {1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
static uint64_t ids[2] = {7, 9};

static void write_with_ids(void)
{
    const penta_io_bodies bodies = {.n = 2, .rows = rows, .id = ids};
    penta_io_error err = {""};

    remove_tree(in_directory("top"));
    make("top");
    must(penta_io_bodies_write(in_directory("top/b.npy"), &bodies, &err), &err);
    assert_true(is_there("top/b.npy.attributes.csv"));
}

/* Bodies that are not replaced keep them. */
IO_TEST(bodies_not_replaced)
{
    const penta_io_bodies plain = {.n = 2, .rows = rows};
    penta_io_shared_file *file;
    penta_io_part head;
    penta_io_run *run;

    write_with_ids();
    run = open_run("top");
    must(penta_io_bodies_begin(in_directory("top/b.npy"), &plain, &file, &head, &err), &err);
    penta_io_shared_file_abandon(file);
    put("top/other.txt");
    must(penta_io_run_commit(run, &err), &err);
    penta_io_run_close(run);
    assert_true(is_there("top/b.npy.attributes.csv"));
}

/* Others have none from then on. */
IO_TEST(bodies_replaced)
{
    const penta_io_bodies plain = {.n = 2, .rows = rows};
    penta_io_run *run;

    for (int shared = 0; shared < 2; shared++) {
        write_with_ids();
        run = open_run("top");
        if (shared) {
            penta_io_part parts[2] = {{0}};
            penta_io_shared_file *file;

            must(penta_io_bodies_begin(in_directory("top/b.npy"), &plain, &file, &parts[0], &err), &err);
            must(penta_io_bodies_put(file, 0, 2, rows, &parts[1], &err), &err);
            must(penta_io_bodies_finish(file, &plain, parts, 2, &err), &err);
        } else {
            must(penta_io_bodies_write(in_directory("top/b.npy"), &plain, &err), &err);
        }
        assert_true(is_there("top/b.npy.attributes.csv"));
        must(penta_io_run_commit(run, &err), &err);
        penta_io_run_close(run);
        assert_false(is_there("top/b.npy.attributes.csv"));
    }
}

IN_DIRECTORY;
