/* The lock on a directory where its file system locks none, as NFS: it is on a file .penta-lock. */
#define _GNU_SOURCE

#include "io_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "io/lock.h"
#include <pentacl/io/run.h>

static bool directories_lock = false; /* of the file system that flock below stands for */

/* Takes the place of the C library's: NFS refuses an exclusive lock on what is open for reading alone. */
int flock(int fd, int operation)
{
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    struct stat st;

    if (!directories_lock && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EBADF;
        return -1;
    }
    return real(fd, operation);
}

static bool has_file(void)
{
    struct stat st;

    return lstat(in_directory(".penta-lock"), &st) == 0;
}

/* What another process gets that asks for the lock. */
static enum io_lock_result ask(void)
{
    int state = 0;
    pid_t child = fork();

    if (child == 0) {
        io_lock lock;

        _exit((int)io_lock_take(test_directory, &lock));
    }
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state));
    return (enum io_lock_result)WEXITSTATUS(state);
}

TEST(taken)
{
    io_lock lock;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(io_lock_take(test_directory, &lock), IO_LOCK_TAKEN);
        assert_true(has_file());
        assert_int_equal(ask(), IO_LOCK_BUSY);
        assert_true(has_file());
        io_lock_release(&lock);
        assert_false(has_file());
        assert_int_equal(ask(), IO_LOCK_TAKEN); /* which ends without releasing it: */
        assert_true(has_file());
    }
    assert_int_equal(unlink(in_directory(".penta-lock")), 0);
}

/* Two runs, as commands open them; and the file goes with the second one, too. */
IO_TEST(runs)
{
    penta_io_run *first, *second;

    assert_true(penta_io_run_open(test_directory, "test", &first, &err));
    assert_true(has_file());
    assert_false(penta_io_run_open(test_directory, "test", &second, &err));
    assert_non_null(strstr(err.text, "another run writes there"));
    penta_io_run_close(first);
    assert_false(has_file());
    assert_true(penta_io_run_open(test_directory, "test", &first, &err));
    penta_io_run_close(first);
}

TEST(killed)
{
    io_lock lock;
    int pipes[2], status;
    pid_t child;
    char byte;

    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        (void)io_lock_take(test_directory, &lock);
        (void)!write(pipes[1], "x", 1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(io_lock_take(test_directory, &lock), IO_LOCK_BUSY);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(has_file());
    assert_int_equal(io_lock_take(test_directory, &lock), IO_LOCK_TAKEN); /* the file is free */
    io_lock_release(&lock);
    assert_false(has_file());
    close(pipes[0]);
    close(pipes[1]);
}

/* Nothing but a file of that name is taken; where a link leads, nothing is made. */
TEST(strange)
{
    struct stat st;
    io_lock lock;

    assert_int_equal(symlink("elsewhere", in_directory(".penta-lock")), 0);
    assert_int_equal(io_lock_take(test_directory, &lock), IO_LOCK_FAILED);
    assert_int_equal(errno, ELOOP);
    assert_int_not_equal(stat(in_directory("elsewhere"), &st), 0);
    assert_int_equal(unlink(in_directory(".penta-lock")), 0);
    assert_int_equal(mkdir(in_directory(".penta-lock"), 0777), 0);
    assert_int_equal(io_lock_take(test_directory, &lock), IO_LOCK_FAILED);
    assert_int_equal(rmdir(in_directory(".penta-lock")), 0);
    assert_int_equal(io_lock_take(in_directory("nowhere"), &lock), IO_LOCK_FAILED);
    assert_int_equal(errno, ENOENT);
}

/* Processes that take it over and over, with the file made and removed each time: one at a time holds it. */
static void hold_often(int fd, int times)
{
    for (int i = 0; i < times;) {
        long held = 0;
        io_lock lock;

        if (io_lock_take(test_directory, &lock) != IO_LOCK_TAKEN)
            continue;
        if (pread(fd, &held, sizeof held, 0) != sizeof held)
            _exit(1);
        held++;
        sched_yield();
        if (pwrite(fd, &held, sizeof held, 0) != sizeof held)
            _exit(1);
        io_lock_release(&lock);
        i++;
    }
    _exit(0);
}

static void count_together(bool on_directories)
{
    enum { PROCESSES = 4, TIMES = 300 };
    int fd = open(in_directory("count"), O_RDWR | O_CREAT | O_TRUNC, 0666), status;
    pid_t children[PROCESSES];
    long held = 0;

    directories_lock = on_directories;
    assert_int_equal(pwrite(fd, &held, sizeof held, 0), sizeof held);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            hold_often(fd, TIMES);
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(pread(fd, &held, sizeof held, 0), sizeof held);
    assert_int_equal(held, PROCESSES * TIMES);
    assert_false(has_file());
    close(fd);
    directories_lock = false;
}

TEST(one_at_a_time)
{
    count_together(false);
    count_together(true);
}

IN_DIRECTORY;
