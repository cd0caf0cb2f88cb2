/* Files that several processes write: sums of parts, bodies and checkpoints in parts, what is missing or not seen. */

#include "io_files.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <pentacl/io/checkpoint.h>
#include <pentacl/io/cube.h>
#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include "io/checksum.h"

/* ---- sums ---- */

/* CRC-64/XZ as its definition says, bit by bit. */
static uint64_t bitwise_sum(const unsigned char *bytes, size_t n)
{
    uint64_t sum = UINT64_MAX;

    for (size_t i = 0; i < n; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xC96C5795D7870F42u : sum >> 1;
    }
    return ~sum;
}

TEST(joined_sums)
{
    enum { N = 3000 };
    unsigned char bytes[N];

    assert_true(bitwise_sum((const unsigned char *)"123456789", 9) == 0x995DC9BBDF1939FAu); /* the standard's check */
    for (size_t i = 0; i < N; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t cut = 0; cut <= N; cut += cut < 20 ? 1 : 271)
        assert_true(io_checksum_join(bitwise_sum(bytes, cut), bitwise_sum(bytes + cut, N - cut), N - cut) ==
                    bitwise_sum(bytes, N));
}

/* A file of several pieces, and an end that is none. */
TEST(sum_of_a_large_file)
{
    enum { N = (17 << 20) + 13 };
    HELD unsigned char *bytes = malloc(N);
    uint64_t sum, size;
    int fd;

    assert_non_null(bytes);
    for (size_t i = 0; i < N; i++)
        bytes[i] = (unsigned char)(i * i >> 7);
    fd = open(write_file("large", bytes, N), O_RDONLY);
    assert_true(io_checksum_file(fd, &sum, &size));
    assert_int_equal(size, N);
    assert_true(sum == bitwise_sum(bytes, N));
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
    close(fd);
}

/* ---- bodies and states that three processes write ---- */

enum { BODIES = 1000, NUMBERS = 9 + 7 * BODIES, PROCESSES = 3 };

static void must(bool ok, const penta_io_error *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static double *some_numbers(size_t n)
{
    double *out = malloc(n * sizeof *out);

    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        out[i] = 1.0 / (double)(i + 3);
    return out;
}

typedef bool (*put_function)(penta_io_shared_file *file, size_t first, size_t count, const double *numbers,
                             penta_io_part *part, penta_io_error *err);

/* What a process tells of its part. */
typedef struct {
    bool ok, seen;
    penta_io_part part;
    penta_io_error error;
} account;

/* In two pieces. */
static account write_own_part(const void *place, size_t size, put_function put, size_t first, size_t count,
                              size_t width, const double *numbers)
{
    account a = {0};
    penta_io_shared_file *file;
    size_t half = count / 2;

    a.ok = penta_io_shared_file_join(place, size, &file, &a.error);
    a.seen = file != NULL;
    a.ok = a.ok && a.seen && put(file, first, half, numbers + first * width, &a.part, &a.error) &&
           put(file, first + half, count - half, numbers + (first + half) * width, &a.part, &a.error);
    if (file)
        a.ok = penta_io_shared_file_leave(file, &a.error) && a.ok;
    return a;
}

/* Each of the processes writes a third; the last one first. */
static void write_thirds(const penta_io_shared_file *file, put_function put, size_t items, size_t width,
                         const double *numbers, penta_io_part *parts)
{
    penta_io_error err = {""};
    HELD void *place = NULL;
    size_t size;

    must(penta_io_shared_file_tell(file, &place, &size, &err), &err);
    for (size_t i = PROCESSES; i-- > 0;) {
        size_t first = items * i / PROCESSES, count = items * (i + 1) / PROCESSES - first;
        account a;
        int ends[2], code;
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0) {
            a = write_own_part(place, size, put, first, count, width, numbers);
            _exit(write(ends[1], &a, sizeof a) != sizeof a);
        }
        assert_int_equal(read(ends[0], &a, sizeof a), sizeof a);
        assert_true(waitpid(child, &code, 0) == child && code == 0);
        must(a.ok, &a.error);
        parts[i] = a.part;
        close(ends[0]);
        close(ends[1]);
    }
}

static void expect_same_files(const char *a, const char *b)
{
    size_t sizes[2];
    unsigned char *bytes[2] = {read_file(a, &sizes[0]), read_file(b, &sizes[1])};

    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* In a run, whose manifest has their checksums. */
IO_TEST(bodies_in_parts)
{
    HELD_BY(penta_io_bodies_free)
    penta_io_bodies b = {.n = BODIES, .rows = some_numbers(7 * BODIES), .id = malloc(BODIES * sizeof *b.id)};
    penta_io_part parts[PROCESSES + 1];
    penta_io_shared_file *file;
    penta_io_run *run;

    assert_non_null(b.id);
    for (size_t i = 0; i < BODIES; i++)
        b.id[i] = BODIES - i;
    must(penta_io_make_directory(in_directory("run"), &err), &err);
    must(penta_io_run_open(in_directory("run"), "test", &run, &err), &err);
    must(penta_io_bodies_write(in_directory("run/whole.npy"), &b, &err), &err);
    must(penta_io_bodies_begin(in_directory("run/parts.npy"), &b, &file, &parts[PROCESSES], &err), &err);
    write_thirds(file, penta_io_bodies_put, BODIES, 7, b.rows, parts);
    must(penta_io_bodies_finish(file, &b, parts, PROCESSES + 1, &err), &err);
    must(penta_io_run_commit(run, &err), &err);
    penta_io_run_close(run);
    expect_same_files(in_directory("run/whole.npy"), in_directory("run/parts.npy"));
    expect_same_files(in_directory("run/whole.npy.attributes.csv"), in_directory("run/parts.npy.attributes.csv"));
    assert_int_equal(penta_io_run_look(in_directory("run/parts.npy")), PENTA_IO_RUN_WHOLE);
}

static penta_io_checkpoint some_checkpoint(void)
{
    penta_io_checkpoint c = {.n = BODIES, .diagnose_every = 3, .count = NUMBERS, .state = some_numbers(NUMBERS)};

    penta_nbody_options_init(&c.options);
    c.about.family = calloc(BODIES, 1);
    c.about.softening = calloc(BODIES, sizeof(double));
    assert_true(c.about.family && c.about.softening);
    c.about.family[BODIES - 1] = 2;
    c.about.softening[1] = 0.25;
    return c;
}

IO_TEST(checkpoint_in_parts)
{
    HELD_BY(penta_io_checkpoint_free) penta_io_checkpoint c = some_checkpoint(), back;
    penta_io_part parts[PROCESSES];
    penta_io_shared_file *file;

    must(penta_io_checkpoint_write(in_directory("whole.bin"), &c, &err), &err);
    must(penta_io_checkpoint_begin(in_directory("parts.bin"), &c, &file, &err), &err);
    write_thirds(file, penta_io_checkpoint_put, NUMBERS, 1, c.state, parts);
    must(penta_io_checkpoint_finish(file, &c, parts, PROCESSES, &err), &err);
    expect_same_files(in_directory("whole.bin"), in_directory("parts.bin"));
    must(penta_io_checkpoint_read(in_directory("parts.bin"), &back, &err), &err);
    assert_memory_equal(back.state, c.state, NUMBERS * sizeof *c.state);
    assert_true(back.about.family[BODIES - 1] == 2 && back.about.softening[1] == 0.25);
}

/* ---- cubes that two write ---- */

/* Changes a byte of the file that waits under a temporary name. */
static void damage(const char *directory)
{
    struct dirent *entry;
    char path[1024] = "";
    DIR *dir = opendir(directory);
    int fd;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "cube.npy.tmp.", 13) == 0)
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    closedir(dir);
    fd = open(path, O_WRONLY);
    assert_true(pwrite(fd, "x", 1, 200) == 1);
    close(fd);
}

/* The checksum is that of what was written, not of what the file holds in the end, if the accounts of all are there. */
IO_TEST(cube_by_accounts)
{
    enum { BANDS = 3, ROWS = 8, COLS = 5 };
    const penta_io_cube_info about = {.bands = BANDS, .rows = ROWS, .cols = COLS, .type = PENTA_F64};
    const char *path = in_directory("cubes/cube.npy"), *directory = in_directory("cubes");
    HELD double *numbers = some_numbers(BANDS * ROWS * COLS);

    must(penta_io_make_directory(directory, &err), &err);
    for (int told = 0; told < 2; told++)
        for (int damaged = 0; damaged < 2; damaged++) {
            penta_io_cube_writer *writer, *other;
            penta_io_run *run;
            void *bytes;
            size_t size;

            must(penta_io_run_open(directory, "test", &run, &err), &err);
            must(penta_io_cube_create(path, PENTA_IO_CUBE_NPY, &about, NULL, &writer, &err), &err);
            must(penta_io_cube_share(writer, &bytes, &size, &err), &err);
            must(penta_io_cube_join(bytes, size, &other, &err), &err);
            free(bytes);
            must(penta_io_cube_write(other, 3, 5, numbers + (size_t)3 * COLS, (size_t)ROWS * COLS, &err), &err);
            must(penta_io_cube_write(writer, 2, 1, numbers + (size_t)2 * COLS, (size_t)ROWS * COLS, &err), &err);
            must(penta_io_cube_write(writer, 0, 2, numbers, (size_t)ROWS * COLS, &err), &err);
            must(penta_io_cube_account(other, &bytes, &size, &err), &err);
            must(penta_io_cube_finish(other, &err), &err);
            if (told)
                penta_io_cube_take_account(writer, bytes, size);
            free(bytes);
            penta_io_cube_count_rows(writer, 5);
            if (damaged)
                damage(directory);
            must(penta_io_cube_finish(writer, &err), &err);
            must(penta_io_run_commit(run, &err), &err);
            penta_io_run_close(run);
            assert_int_equal(penta_io_run_look(path), told && damaged ? PENTA_IO_RUN_DAMAGED : PENTA_IO_RUN_WHOLE);
        }
}

/* ---- what goes wrong ---- */

/* A part that is missing, and one that does not follow the one before. */
IO_TEST(missing_part)
{
    HELD_BY(penta_io_checkpoint_free) penta_io_checkpoint c = some_checkpoint();
    const char *path = in_directory("missing.bin");
    penta_io_shared_file *file;
    penta_io_part part = {0};

    must(penta_io_checkpoint_begin(path, &c, &file, &err), &err);
    must(penta_io_checkpoint_put(file, 0, 100, c.state, &part, &err), &err);
    assert_false(penta_io_checkpoint_put(file, 101, 100, c.state, &part, &err));
    assert_false(penta_io_checkpoint_put(file, NUMBERS, 7 * BODIES, c.state, &(penta_io_part){0}, &err));
    assert_false(penta_io_checkpoint_finish(file, &c, &part, 1, &err));
    expect_line(&err, path, "parts of it were not written");
    assert_int_equal(access(path, F_OK), -1);
}

/* A body that is not finite is named by its number among all. */
IO_TEST(bad_body)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = {.n = BODIES, .rows = some_numbers(7 * BODIES)};
    penta_io_part head, part = {0};
    penta_io_shared_file *file;

    b.rows[7 * 500 + 3] = (double)INFINITY;
    must(penta_io_bodies_begin(in_directory("bad.npy"), &b, &file, &head, &err), &err);
    assert_false(penta_io_bodies_put(file, 400, 200, b.rows + 7 * (size_t)400, &part, &err));
    expect_line(&err, in_directory("bad.npy"), "body 501 of 1000: z is inf");
    penta_io_shared_file_abandon(file);
}

/* A file that is gone, or another one, is not seen; bytes that are no place are refused. */
IO_TEST(unseen_file)
{
    HELD_BY(penta_io_checkpoint_free) penta_io_checkpoint c = some_checkpoint();
    penta_io_shared_file *file, *other;
    HELD void *place = NULL;
    size_t size;

    must(penta_io_checkpoint_begin(in_directory("gone.bin"), &c, &file, &err), &err);
    must(penta_io_shared_file_tell(file, &place, &size, &err), &err);
    must(penta_io_shared_file_join(place, size, &other, &err), &err);
    assert_non_null(other);
    penta_io_shared_file_abandon(other);
    penta_io_shared_file_abandon(file);
    must(penta_io_shared_file_join(place, size, &other, &err), &err);
    assert_null(other);
    for (size_t cut = 0; cut < size; cut += 7)
        assert_false(penta_io_shared_file_join(place, cut, &other, &err));
}

/* The file system refuses a part, and says why. */
IO_TEST(no_room_for_a_part)
{
    HELD_BY(penta_io_checkpoint_free) penta_io_checkpoint c = some_checkpoint();
    struct rlimit before, low = {4096, 4096};
    penta_io_shared_file *file;
    penta_io_part part = {0};

    must(penta_io_checkpoint_begin(in_directory("low.bin"), &c, &file, &err), &err);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    low.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &low);
    assert_false(penta_io_checkpoint_put(file, 0, NUMBERS, c.state, &part, &err));
    setrlimit(RLIMIT_FSIZE, &before);
    expect_line(&err, in_directory("low.bin"), "cannot be written: File too large");
    penta_io_shared_file_abandon(file);
    assert_int_equal(access(in_directory("low.bin"), F_OK), -1);
}

RUN(EVERYWHERE, NULL, make_test_directory, remove_test_directory);
