/* Files of compiled programs: what is read back, what is not taken, which go when there are too many. */
#define _XOPEN_SOURCE 700
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/program_files.h"

static const uint64_t plenty = 1 << 30;
static char scratch[200];
static int folder = -1;

static penta_program_key key_of(const char *text)
{
    return (penta_program_key){(char *)(uintptr_t)text, strlen(text)};
}

static void store(const char *key, const char *program, uint64_t most)
{
    penta_program_key k = key_of(key);

    assert_true(penta_program_store(folder, &k, program, strlen(program), most));
}

static penta_file_state load(const char *key, const char *program)
{
    penta_program_key k = key_of(key);
    HELD void *data = NULL;
    size_t bytes = 0;
    penta_file_state state = penta_program_load(folder, &k, &data, &bytes);

    if (state == PENTA_FILE_WHOLE) {
        assert_int_equal(bytes, strlen(program));
        assert_memory_equal(data, program, bytes);
    } else {
        assert_null(data);
    }
    return state;
}

/* The path of the only file. */
static const char *only_file(void)
{
    static char path[600];
    DIR *dir = opendir(scratch);
    struct dirent *e;
    size_t count = 0;

    while ((e = readdir(dir)))
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", scratch, e->d_name);
            count++;
        }
    closedir(dir);
    assert_int_equal(count, 1);
    return path;
}

static size_t clear(void)
{
    uint64_t bytes;

    return penta_program_count(folder, true, &bytes);
}

TEST(kept)
{
    assert_int_equal(load("key", ""), PENTA_FILE_NONE);
    store("key", "program", plenty);
    store("another key", "another program", plenty);
    assert_int_equal(load("key", "program"), PENTA_FILE_WHOLE);
    assert_int_equal(load("another key", "another program"), PENTA_FILE_WHOLE);
    store("key", "a newer program", plenty);
    assert_int_equal(load("key", "a newer program"), PENTA_FILE_WHOLE);
    assert_int_equal(load("kex", ""), PENTA_FILE_NONE);
    assert_int_equal(clear(), 2);
    assert_int_equal(load("key", ""), PENTA_FILE_NONE);
}

/* Every byte counts: one that is changed, or missing at the end, makes the file go. */
TEST(every_byte)
{
    struct stat about;
    const char *path;

    store("key", "program", plenty);
    path = only_file();
    assert_int_equal(stat(path, &about), 0);
    for (off_t i = 0; i < about.st_size; i++)
        for (int cut = 0; cut < 2; cut++) {
            int file = open(path, O_RDWR);
            unsigned char byte;

            if (cut) {
                assert_int_equal(ftruncate(file, i), 0);
            } else {
                assert_int_equal(pread(file, &byte, 1, i), 1);
                byte ^= 0x10;
                assert_int_equal(pwrite(file, &byte, 1, i), 1);
            }
            close(file);
            assert_int_equal(load("key", ""), PENTA_FILE_DAMAGED);
            assert_int_not_equal(access(path, F_OK), 0);
            store("key", "program", plenty);
        }
    assert_int_equal(load("key", "program"), PENTA_FILE_WHOLE);
    clear();
}

/* A whole file of another key, under the name of this one. */
TEST(same_name)
{
    char path[600], other[700];

    store("key", "program", plenty);
    snprintf(path, sizeof path, "%s", only_file());
    snprintf(other, sizeof other, "%s.kept", path);
    assert_int_equal(rename(path, other), 0);
    store("another key", "another program", plenty);
    penta_program_remove(folder, &(penta_program_key){(char *)(uintptr_t) "key", 3});
    assert_int_equal(load("another key", "another program"), PENTA_FILE_WHOLE);
    clear();
    store("another key", "another program", plenty);
    unlink(other);
    assert_int_equal(rename(only_file(), path), 0);
    assert_int_equal(load("key", ""), PENTA_FILE_NONE);
    clear();
}

TEST(of_others)
{
    char path[600], other[700], why[200];
    int opened;

    store("key", "program", plenty);
    snprintf(path, sizeof path, "%s", only_file());
    snprintf(other, sizeof other, "%s.kept", path);
    chmod(path, 0602);
    assert_int_equal(load("key", ""), PENTA_FILE_NONE);
    chmod(path, 0600);
    assert_int_equal(load("key", "program"), PENTA_FILE_WHOLE);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_int_equal(load("key", ""), PENTA_FILE_NONE);
        assert_int_equal(chown(path, 0, 0), 0);
    }
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(load("key", ""), PENTA_FILE_NONE);
    unlink(path);
    unlink(other);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(load("key", ""), PENTA_FILE_NONE); /* and does not wait for a writer */
    unlink(path);
    chmod(scratch, 0770);
    assert_int_equal(penta_program_folder(scratch, true, why, sizeof why), -1);
    assert_string_equal(why, "others can write to it");
    chmod(scratch, 0700);
    opened = penta_program_folder(scratch, false, why, sizeof why);
    assert_true(opened >= 0);
    close(opened);
    assert_int_equal(penta_program_folder("/nonexistent/folder", false, why, sizeof why), -1);
    assert_string_equal(why, "");
}

/* With room for four and a half, the fifth leaves the last used ones, in no more than three quarters. */
TEST(room)
{
    char program[1000], key[20];
    uint64_t bytes;

    memset(program, 'p', sizeof program - 1);
    program[sizeof program - 1] = 0;
    for (int i = 0; i < 4; i++) {
        snprintf(key, sizeof key, "key %d", i);
        store(key, program, 4500);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    assert_int_equal(load("key 0", program), PENTA_FILE_WHOLE); /* used: 1 is the oldest now */
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    store("key 4", program, 4500);
    assert_int_equal(load("key 1", ""), PENTA_FILE_NONE);
    assert_int_equal(load("key 2", ""), PENTA_FILE_NONE);
    assert_int_equal(load("key 0", program), PENTA_FILE_WHOLE);
    assert_int_equal(load("key 3", program), PENTA_FILE_WHOLE);
    assert_int_equal(load("key 4", program), PENTA_FILE_WHOLE);
    assert_int_equal(penta_program_count(folder, false, &bytes), 3);
    assert_true(bytes > 3 * 1000 && bytes < 3375);
    penta_program_key k = key_of("too long");
    assert_false(penta_program_store(folder, &k, program, sizeof program, 500));
    clear();
}

/* Of a process that was killed while it wrote. */
TEST(left_over)
{
    char path[400];
    const struct timespec old[2] = {{time(NULL) - 7200, 0}, {time(NULL) - 7200, 0}};

    snprintf(path, sizeof path, "%s/0123456789abcdef-1-1.new", scratch);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    store("key", "program", plenty);
    assert_int_equal(access(path, F_OK), 0); /* may still be written */
    utimensat(AT_FDCWD, path, old, 0);
    store("key", "program", plenty);
    assert_int_not_equal(access(path, F_OK), 0);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    assert_int_equal(clear(), 1);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* Processes that write and read one key: each finds none or a whole one. */
TEST(at_once)
{
    enum { WRITERS = 4, ROUNDS = 300 };
    pid_t child[WRITERS];
    int status;

    for (int i = 0; i < WRITERS; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            penta_program_key k = key_of("key");
            char program[5000];
            int wrong = 0;

            memset(program, 'a' + i, sizeof program);
            for (int round = 0; round < ROUNDS; round++) {
                HELD char *data = NULL;
                size_t bytes = 0;

                wrong += !penta_program_store(folder, &k, program, sizeof program, plenty);
                wrong += penta_program_load(folder, &k, (void **)&data, &bytes) != PENTA_FILE_WHOLE;
                for (size_t b = 1; data && b < bytes; b++)
                    wrong += data[b] != data[0];
            }
            _exit(wrong != 0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(clear(), 1);
}

static int open_scratch(void **state)
{
    char why[200];

    (void)state;
    snprintf(scratch, sizeof scratch, "%s/pentacl-programs-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(scratch))
        return 1;
    folder = penta_program_folder(scratch, true, why, sizeof why);
    return folder < 0;
}

static int close_scratch(void **state)
{
    (void)state;
    clear();
    close(folder);
    return rmdir(scratch);
}

RUN(EVERYWHERE, NULL, open_scratch, close_scratch);
