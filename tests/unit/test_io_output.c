/* Error lines, whole-or-nothing output files, directories. */

#include "io_files.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <pentacl/io/output.h>

/* ---- error.h ---- */

IO_TEST(fail_formats_and_is_false)
{
    assert_false(penta_io_fail(&err, "%s: line %d", "a.csv", 12));
    assert_string_equal(err.text, "a.csv: line 12");
    assert_false(penta_io_fail(NULL, "nobody listens"));
}

TEST(fail_may_quote_its_own_text)
{
    penta_io_error err = {"inner"};

    penta_io_fail(&err, "outer: %s", err.text);
    assert_string_equal(err.text, "outer: inner");
}

TEST(fail_truncates_with_dots)
{
    char word[2000];
    penta_io_error err;

    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = 0;
    penta_io_fail(&err, "%s", word);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 5, "x...");
    word[sizeof err.text - 1] = 0; /* just fits */
    penta_io_fail(&err, "%s", word);
    assert_string_equal(err.text, word);
}

TEST(fail_stays_one_printable_line)
{
    penta_io_error err;

    penta_io_fail(&err, "%s", "a\nb\x1b[31m\x7f\tz \xc3\xa4");
    assert_string_equal(err.text, "a?b?[31m??z \xc3\xa4");
}

/* ---- output.h ---- */

static void expect_content(const char *path, const char *text)
{
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    assert_string_equal((char *)data, text);
}

static penta_io_output *open_output(const char *path, const char *text)
{
    penta_io_output *output = NULL;
    penta_io_error err = {""};

    EXPECT_IO(penta_io_output_open(path, &output, &err), err);
    fputs(text, penta_io_output_stream(output));
    return output;
}

static void expect_open_error(const char *path, const char *what)
{
    penta_io_output *output = (penta_io_output *)&output;
    penta_io_error err = {""};

    assert_false(penta_io_output_open(path, &output, &err));
    assert_null(output);
    expect_text(err.text, what);
    if (*path)
        assert_ptr_equal(strstr(err.text, path), err.text);
}

IO_TEST(commit_replaces_the_target)
{
    const char *dir = in_directory("commit");
    const char *path = in_directory("commit/a.txt");
    penta_io_output *output;

    assert_int_equal(mkdir(dir, 0777), 0);
    write_file("commit/a.txt", "old", 3);
    output = open_output(path, "new text");
    expect_content(path, "old");
    assert_int_equal(entries_in(dir), 2);
    assert_true(penta_io_output_commit(output, &err));
    expect_content(path, "new text");
    assert_int_equal(entries_in(dir), 1);
}

TEST(abort_leaves_no_trace)
{
    const char *dir = in_directory("abort");
    const char *path = in_directory("abort/a.txt");

    assert_int_equal(mkdir(dir, 0777), 0);
    penta_io_output_abort(open_output(path, "text"));
    assert_int_equal(entries_in(dir), 0);
    write_file("abort/a.txt", "old", 3);
    penta_io_output_abort(open_output(path, "text"));
    expect_content(path, "old");
    assert_int_equal(entries_in(dir), 1);
    penta_io_output_abort(NULL);
}

IO_TEST(two_outputs_of_one_name_do_not_mix)
{
    const char *path = in_directory("twice.txt");
    penta_io_output *a = open_output(path, "first");
    penta_io_output *b = open_output(path, "second");

    assert_true(penta_io_output_commit(b, &err));
    expect_content(path, "second");
    assert_true(penta_io_output_commit(a, &err));
    expect_content(path, "first");
}

IO_TEST(permissions_and_links_survive)
{
    const char *path = write_file("real.txt", "old", 3);
    const char *link = in_directory("link.txt");
    struct stat st;

    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("real.txt", link), 0);
    assert_true(penta_io_output_commit(open_output(link, "new"), &err));
    expect_content(path, "new");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

IO_TEST(devices_are_written_to_not_replaced)
{
    struct stat st;

    assert_true(penta_io_output_commit(open_output("/dev/null", "text"), &err));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

IO_TEST(full_disk_is_found_at_commit)
{
    if (access("/dev/full", W_OK) != 0)
        leave_out_test("there is no /dev/full");
    assert_false(penta_io_output_commit(open_output("/dev/full", "text"), &err));
    assert_non_null(strstr(err.text, "/dev/full: cannot be written: No space left"));
    assert_non_null(strstr(err.text, "free some space"));
}

/* A failing write in the middle: the target stays as it was and the temporary goes. */
IO_TEST(failed_write_keeps_the_target)
{
    const char *dir = in_directory("limit");
    const char *path = in_directory("limit/a.txt");
    struct rlimit before;
    struct rlimit limit;
    penta_io_output *output;
    bool ok;

    assert_int_equal(mkdir(dir, 0777), 0);
    write_file("limit/a.txt", "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 10000, .rlim_max = before.rlim_max};
    output = open_output(path, "");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int i = 0; i < 20000; i++)
        putc('x', penta_io_output_stream(output));
    ok = penta_io_output_commit(output, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(ok);
    assert_non_null(strstr(err.text, "a.txt: cannot be written"));
    expect_content(path, "old");
    assert_int_equal(entries_in(dir), 1);
}

TEST(output_errors)
{
    const char *link = in_directory("dangling");

    assert_int_equal(symlink("nowhere", link), 0);
    write_file("plain", "x", 1);
    expect_open_error("", "empty");
    expect_open_error(in_directory("none/a.txt"), "directory does not exist");
    expect_open_error(in_directory("plain/a.txt"), "directory does not exist");
    expect_open_error(test_directory, "is a directory");
    expect_open_error(link, "symbolic link to nothing");
}

TEST(write_protection_is_respected)
{
    const char *path = write_file("protected", "x", 1);

    if (geteuid() == 0)
        leave_out_test("root may write anywhere");
    assert_int_equal(chmod(path, 0444), 0);
    expect_open_error(path, "Permission denied");
    assert_int_equal(mkdir(in_directory("closed"), 0555), 0);
    expect_open_error(in_directory("closed/a.txt"), "choose another place or change the permissions");
}

/* ---- directories ---- */

static void expect_directory_error(const char *path, const char *what)
{
    penta_io_error err = {""};

    assert_false(penta_io_make_directory(path, &err));
    expect_text(err.text, what);
}

IO_TEST(make_directory)
{
    const char *path = in_directory("a/b//c/");
    struct stat st;

    assert_true(penta_io_make_directory(path, &err));
    assert_int_equal(stat(path, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_true(penta_io_make_directory(path, &err));
    assert_true(penta_io_make_directory(test_directory, &err));
    assert_true(penta_io_make_directory(".", &err) || access(".", W_OK) != 0);
}

TEST(make_directory_errors)
{
    write_file("file", "x", 1);
    expect_directory_error(in_directory("file"), "file is a file, not a directory");
    expect_directory_error(in_directory("file/b"), "file is a file, not a directory");
    expect_directory_error("", "empty");
    if (geteuid() != 0) {
        assert_int_equal(mkdir(in_directory("locked"), 0555), 0);
        expect_directory_error(in_directory("locked"), "cannot be written to");
        expect_directory_error(in_directory("locked/b"), "Permission denied");
    }
}

/* ---- traces.h ---- */

IO_TEST(what_is_unfinished_is_removed)
{
    penta_io_output *done, *open;

    assert_true(penta_io_make_directory(in_directory("t/kept/empty/deep"), &err));
    done = open_output(in_directory("t/kept/done.txt"), "text");
    open = open_output(in_directory("t/kept/open.txt"), "text");
    assert_true(penta_io_output_commit(done, &err));
    assert_int_equal(entries_in(in_directory("t/kept")), 3);
    penta_io_pending_remove();
    expect_content(in_directory("t/kept/done.txt"), "text");
    assert_int_equal(entries_in(in_directory("t/kept")), 1);
    penta_io_output_abort(open);
    penta_io_pending_remove();
    assert_int_equal(entries_in(in_directory("t/kept")), 1);
}

IO_TEST(directories_that_were_there_stay)
{
    assert_int_equal(mkdir(in_directory("there"), 0777), 0);
    assert_true(penta_io_make_directory(in_directory("there/new"), &err));
    penta_io_pending_remove();
    assert_int_equal(entries_in(in_directory("there")), 0);
}

static void *come_and_go(void *path)
{
    penta_io_pending *held[8] = {NULL};

    for (size_t i = 0; i < 20000; i++) {
        penta_io_pending_drop(held[i % 8]);
        held[i % 8] = penta_io_pending_file(path);
    }
    for (size_t i = 1; i < 8; i++)
        penta_io_pending_drop(held[i]);
    return held[0];
}

/* Two threads may make a directory and one in it at a time, and note them in either order. */
TEST(directories_in_any_order)
{
    assert_int_equal(mkdir(in_directory("order"), 0777), 0);
    assert_int_equal(mkdir(in_directory("order/inner"), 0777), 0);
    assert_non_null(penta_io_pending_directory(in_directory("order/inner")));
    assert_non_null(penta_io_pending_directory(in_directory("order")));
    penta_io_pending_remove();
    assert_int_not_equal(access(in_directory("order"), F_OK), 0);
    /* one that was not empty goes with the next call */
    assert_int_equal(mkdir(in_directory("later"), 0777), 0);
    assert_non_null(penta_io_pending_directory(in_directory("later")));
    write_file("later/file", "x", 1);
    penta_io_pending_remove();
    assert_int_equal(access(in_directory("later/file"), F_OK), 0);
    assert_int_equal(unlink(in_directory("later/file")), 0);
    penta_io_pending_remove();
    assert_int_not_equal(access(in_directory("later"), F_OK), 0);
}

/* One trace of each thread is left, and only that one's file goes. */
TEST(traces_of_threads)
{
    char paths[5][256], name[32];
    pthread_t threads[4];

    assert_int_equal(mkdir(in_directory("threads"), 0777), 0);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "threads/%d", i);
        snprintf(paths[i], sizeof paths[i], "%s", write_file(name, "", 0));
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, paths[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *left = NULL;

        assert_int_equal(pthread_join(threads[i], &left), 0);
        assert_non_null(left);
    }
    assert_int_equal(entries_in(in_directory("threads")), 5);
    penta_io_pending_remove();
    assert_int_equal(entries_in(in_directory("threads")), 1);
    assert_int_equal(access(paths[4], F_OK), 0);
}

/* ---- who wants to know what was written ---- */

static void take_name(void *user, const char *path)
{
    char *names = user;

    strcat(strcat(names, path), "\n");
}

IO_TEST(written_files_are_told)
{
    char names[2048] = "", wanted[1024];
    penta_io_output *output = NULL;
    penta_io_output *given_up = NULL;

    penta_io_output_notify(take_name, names);
    assert_true(penta_io_output_open(in_directory("told.txt"), &output, &err));
    assert_true(penta_io_output_open(in_directory("given_up.txt"), &given_up, &err));
    assert_string_equal(names, "");
    assert_true(penta_io_output_commit(output, &err));
    penta_io_output_abort(given_up);
    penta_io_output_notify(NULL, NULL);
    assert_true(penta_io_output_open(in_directory("untold.txt"), &output, &err));
    assert_true(penta_io_output_commit(output, &err));
    snprintf(wanted, sizeof wanted, "%s\n", in_directory("told.txt"));
    assert_string_equal(names, wanted);
}

IN_DIRECTORY;
