/*
 * Files of bodies of every format, cut at every byte and with every byte of their first 200 (and last 200) changed.
 * Each must give bodies or an error line; no fault (the sanitizers' business), no number that is not finite, no
 * negative mass and no allocation beyond a few times the file. Under AddressSanitizer its hook sees every
 * allocation; in a plain build the address space is limited instead, and then "out of memory" must not be the answer.
 */

#include "support/memory.h"
#include "body_files.h"

enum {
    EDGE = 200,
    INFLATION = 8 /* "0 0 0 0 0 0 0", 13 bytes, becomes 56; rows are doubled when they do not suffice */
};

#define SLACK_BYTES ((uint64_t)16 << 20)

static int start(void **state)
{
    limit_memory(1);
    return make_test_directory(state);
}

/* Reads a (damaged) file. Returns whether that succeeded. */
static bool read_one(const char *path, uint64_t file_bytes)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b;
    penta_io_error err = {""};
    bool ok;

    largest_allocation = 0;
    ok = penta_io_bodies_read(path, &b, &err);
    if (largest_allocation > INFLATION * file_bytes + SLACK_BYTES)
        fail_msg("%llu bytes were allocated for a file of %llu", (unsigned long long)largest_allocation,
                 (unsigned long long)file_bytes);
    if (ok) {
        assert_true(b.n > 0 && isfinite(b.time));
        for (size_t i = 0; i < 7 * b.n; i++)
            assert_true(isfinite(b.rows[i]) && (i % 7 > 0 || b.rows[i] >= 0));
    } else {
        assert_null(b.rows);
        if (strncmp(err.text, path, strlen(path)) != 0 || strlen(err.text) < strlen(path) + 20 ||
            strchr(err.text, '\n') || strstr(err.text, "out of memory"))
            fail_msg("'%s' is not much of an error", err.text);
    }
    return ok;
}

/* must_fail: whether no part of the file is a file. */
static void cut_everywhere(const char *path, bool must_fail)
{
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    assert_true(read_one(path, size));
    for (size_t n = 0; n < size; n++)
        if (read_one(write_file("cut", data, n), n) && must_fail)
            fail_msg("%s cut to %zu of %zu bytes can still be read", path, n, size);
}

static void torture(const char *path, bool must_fail_short)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80, 0x20};
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    cut_everywhere(path, must_fail_short);
    for (size_t i = 0; i < size; i = i + 1 == EDGE && size > 2 * EDGE ? size - EDGE : i + 1)
        for (size_t k = 0; k < COUNT(changes); k++) {
            data[i] ^= changes[k];
            read_one(write_file("changed", data, size), size);
            data[i] ^= changes[k];
        }
}

TEST(tipsy)
{
    static bytes file;

    for (int big = 0; big < 2; big++) {
        make_tipsy(&file, big, 2, 1, 1);
        torture(write_bytes("seed", &file), true);
    }
}

TEST(gadget)
{
    static const gadget_spec specs[] = {
        {.counts = {1, 2, 0, 0, 1, 0}, .files = 1},
        {.counts = {0, 2, 1, 0, 0, 0}, .masses = {0, 1, 0, 0, 0, 0}, .big = true, .wide = true},
        {.counts = {0, 2, 1, 0, 0, 0}, .labelled = true, .shuffled = true},
    };
    static bytes file;

    for (size_t i = 0; i < COUNT(specs); i++) {
        make_gadget(&file, &specs[i]);
        torture(write_bytes("seed", &file), true);
    }
}

TEST(text)
{
    static const char *const files[] = {
        "-1 1 2 3 4 5 6 7\n# c\n-1 0.5 -2 -3 -4 -5 -6 -7\n",
        "2 0.25\n1 2 3 4 5 6 7\n0.5 -2 -3 -4 -5 -6 -7\n",
        "2\n3\n0.5\n1\n0.5\n2 3 4\n-2 -3 -4\n5 6 7\n-5 -6 -7\n",
        "m,x,\"y\",z,vx,vy,vz\r\n1,2,3,4,5,6,7\r\n0.5,-2,-3,-4,-5,-6,-7\r\n",
    };

    for (size_t i = 0; i < COUNT(files); i++)
        torture(write_file("seed", files[i], strlen(files[i])), false);
}

IO_TEST(written_files)
{
    static const char *const names[] = {"b.npy", "b.tipsy", "b.g2"};
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(4);

    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(penta_io_bodies_write(in_directory(names[i]), &b, &err));
        torture(in_directory(names[i]), true);
    }
}

/* With all that is known of bodies: in the file, and damaged in the file beside an NPY. */
IO_TEST(attributes)
{
    static const char *const names[] = {"f.csv", "f.tipsy", "f.g2", "f.npy"};
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(4);
    HELD unsigned char *side = NULL;
    size_t size;

    b.id = malloc(4 * sizeof *b.id);
    b.family = malloc(4);
    b.softening = malloc(4 * sizeof *b.softening);
    for (size_t i = 0; i < 4; i++) {
        b.id[i] = 7 * i + (i == 2 ? 1ULL << 60 : 0);
        b.family[i] = (uint8_t)(i % 2 * 4);
        b.softening[i] = 0.25;
    }
    b.units = (penta_io_units){1e21, 1e40, 1e5};
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(penta_io_bodies_write(in_directory(names[i]), &b, &err));
        torture(in_directory(names[i]), i > 0);
    }
    side = read_file(in_directory("f.npy.attributes.csv"), &size);
    for (size_t i = 0; i < size; i++)
        for (unsigned char change = 1; change != 0; change = (unsigned char)(change << 1)) {
            penta_io_bodies back;

            side[i] ^= change;
            write_file("f.npy.attributes.csv", side, i % 2 ? size : i);
            if (penta_io_bodies_read(in_directory("f.npy"), &back, &err))
                assert_int_equal(back.n, 4);
            penta_io_bodies_free(&back);
            side[i] ^= change;
        }
}

#ifdef PENTA_HAVE_HDF5

/* Cut only: with changed bytes it would be libhdf5 that is tested, which (as of 1.10.8) reads freed memory then. */
IO_TEST(hdf5)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(4);

    assert_true(penta_io_bodies_write(in_directory("b.h5"), &b, &err));
    cut_everywhere(in_directory("b.h5"), true);
}

#endif

RUN(EVERYWHERE, NULL, start, remove_test_directory);
