/* Manifests (.penta-run.json) that anybody may have made: nothing outside the directory changes, and what is no
 * manifest is none. */
#define _XOPEN_SOURCE 700

#include "io_files.h"

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>

static const char name[] = "dir/.penta-run.json";

static void put_text(const char *file, const char *text)
{
    write_file(file, text, strlen(text));
}

static bool is_there(const char *file)
{
    struct stat st;

    return lstat(in_directory(file), &st) == 0;
}

/* dir/ and beside it outside/, with a file each. */
static void begin(void)
{
    remove_tree(in_directory("dir"));
    remove_tree(in_directory("outside"));
    assert_int_equal(mkdir(in_directory("dir"), 0777), 0);
    assert_int_equal(mkdir(in_directory("outside"), 0777), 0);
    put_text("dir/inside.csv", "inside");
    put_text("outside/victim.csv", "precious");
    put_text("outside/victim.csv.tmp.penta.1.2", "replaced");
}

static void expect_untouched(const char *text)
{
    char found[64] = "";
    FILE *f = fopen(in_directory("outside/victim.csv"), "r");

    if (f) {
        (void)!fread(found, 1, sizeof found - 1, f);
        fclose(f);
    }
    if (strcmp(found, "precious") != 0 || !is_there("outside/victim.csv.tmp.penta.1.2"))
        fail_msg("a file outside was changed by %.300s", text);
}

/* All that readers and writers do with the manifest; whether a run can be opened, and err says why not. */
static bool use(penta_io_error *err)
{
    penta_io_error ignored = {""};
    HELD_BY(penta_io_run_held) penta_io_run *run = NULL;
    bool ok;

    (void)penta_io_run_settle(in_directory("dir"), &ignored);
    (void)penta_io_run_look(in_directory("dir/inside.csv"));
    (void)penta_io_run_check(in_directory("dir/inside.csv"), &ignored);
    (void)penta_io_run_same(in_directory("dir/inside.csv"), in_directory("dir/other.csv"), &ignored);
    ok = penta_io_run_open(in_directory("dir"), "test", &run, err);
    if (ok) {
        penta_io_output *out;

        ok = penta_io_output_open(in_directory("dir/new.csv"), &out, err);
        if (ok)
            fputs("new", penta_io_output_stream(out));
        ok = ok && penta_io_output_commit(out, err) && penta_io_run_commit(run, err);
    }
    return ok;
}

/* ---- what is no manifest is none, and is replaced by one ---- */

static void expect_none(const char *text)
{
    penta_io_error err = {""};

    if (!use(&err))
        fail_msg("%s: of %.300s", err.text, text);
    expect_untouched(text);
    if (penta_io_run_look(in_directory("dir/new.csv")) != PENTA_IO_RUN_WHOLE)
        fail_msg("the run is not in the manifest after %.300s", text);
    assert_true(is_there("dir/inside.csv"));
}

TEST(wrong_types)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "7",
        "\"text\"",
        "{}",
        "{\"version\": 1}",
        "{\"version\": \"1\", \"runs\": []}",
        "{\"version\": 1, \"runs\": {}}",
        "{\"version\": 1, \"runs\": [1]}",
        "{\"version\": 1, \"runs\": [[]]}",
        "{\"version\": 1, \"runs\": [{\"id\": 1, \"files\": {}}]}",
        "{\"version\": 1, \"runs\": [{\"id\": \"a\", \"files\": []}]}",
        "{\"version\": 1, \"version\": 1, \"runs\": []}",
        "{\"version\": 1.5, \"runs\": []}",
        "{\"version\": -9223372036854775808, \"runs\": []}",
        "{\"version\": 1e999, \"runs\": []}",
        "{\"version\": 1, \"runs\": [{\"id\": \"a\", \"files\": {\"inside.csv\": 7}}]}",
        "{\"version\": 1, \"runs\": [{\"id\": \"a\", \"files\": {\"inside.csv\": {\"bytes\": \"x\", \"crc64\": 5}}}]}",
        "{\"version\": 1, \"runs\": [{\"id\": \"a\", \"files\": {\"inside.csv\": {\"bytes\": {}, \"crc64\": \"zz\", "
        "\"mtime_ns\": []}}}]}",
        "{\"version\": 1, \"runs\": [{\"id\": \"a\", \"files\": {\"inside.csv\": {\"bytes\": -1, \"crc64\": "
        "\"ffffffffffffffffffffffff\"}, \"%zz\": {}, \"\": {\"crc64\": \"0\"}}}]}",
        "{\"version\": 1, \"runs\": [], \"pending\": 5}",
        "{\"version\": 1, \"runs\": [], \"pending\": []}",
        "{\"version\": 1, \"runs\": [], \"pending\": {\"keep\": 1, \"move\": [], \"remove\": {\"inside.csv\": 1}}}",
        "{\"version\": 1, \"runs\": [], \"pending\": {\"remove\": [1, null, [], {}, \"..\", \".\", \"\", \"/\"]}}"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        begin();
        put_text(name, texts[i]);
        expect_none(texts[i]);
    }
}

TEST(binary)
{
    static const char bytes[] = "{\"version\": 1, \"runs\": []\0}\xff\xfe\x00";

    begin();
    write_file(name, bytes, sizeof bytes);
    expect_none("zeros in between");
}

TEST(nesting)
{
    enum { DEPTH = 1000000 };
    HELD char *text = malloc(2 * DEPTH + 100);
    size_t n = (size_t)sprintf(text, "{\"version\": 1, \"runs\": [], \"pending\": ");

    memset(text + n, '[', DEPTH);
    memset(text + n + DEPTH, ']', DEPTH);
    strcpy(text + n + 2 * DEPTH, "}");
    begin();
    write_file(name, text, strlen(text));
    expect_none("a million brackets");
    n = (size_t)sprintf(text, "{\"version\": 1, \"runs\": [");
    memset(text + n, '[', DEPTH); /* and cut short */
    begin();
    write_file(name, text, n + DEPTH);
    expect_none("a million open brackets");
}

/* Beyond what any run writes; it is not even read: 100 GB of nothing would take a while, and 65 MiB of JSON memory. A
 * user's own may tell of steps that are pending, so that no run begins. */
IO_TEST(huge)
{
    const char whole[] = "{\"version\": 2, \"runs\": []}"; /* would be an error if it were read */
    char *spaces = malloc(65 << 20);

    begin();
    memset(spaces, ' ', 65 << 20);
    memcpy(spaces, whole, sizeof whole - 1);
    write_file(name, spaces, 65 << 20);
    free(spaces);
    if (chown(in_directory(name), geteuid() + 1, (gid_t)-1) == 0)
        expect_none("65 MiB of another user");
    else
        print_message("left out: this user cannot give a file away\n");
    begin();
    put_text(name, whole);
    if (truncate(in_directory(name), (off_t)100 << 30) == 0) {
        assert_false(use(&err));
        assert_non_null(strstr(err.text, ".penta-run.json: cannot be read: it is too large"));
        assert_false(is_there("dir/new.csv"));
    }
}

IO_TEST(newer)
{
    begin();
    put_text(name, "{\"version\": 2, \"runs\": []}");
    assert_false(use(&err));
    assert_non_null(strstr(err.text, "is of a newer version of this program; use that, or remove the file"));
    assert_false(is_there("dir/new.csv"));
}

/* ---- what is no file ---- */

TEST(fifo)
{
    begin();
    assert_int_equal(mkfifo(in_directory(name), 0666), 0);
    alarm(20); /* it must not wait for a writer */
    expect_none("a FIFO");
    alarm(0);
}

TEST(link)
{
    struct stat st;

    begin();
    put_text("outside/manifest", "{\"version\": 1, \"runs\": [], \"pending\": {\"remove\": [\"inside.csv\"]}}");
    assert_int_equal(symlink("../outside/manifest", in_directory(name)), 0);
    expect_none("a link to a manifest");
    assert_int_equal(lstat(in_directory(name), &st), 0);
    assert_true(S_ISREG(st.st_mode)); /* the link has been replaced, not followed */
    begin();
    assert_int_equal(symlink("../outside/victim.csv", in_directory(name)), 0);
    expect_none("a link to another file");
    begin();
    assert_int_equal(symlink(".penta-run.json", in_directory(name)), 0);
    expect_none("a link to itself");
}

IO_TEST(folder)
{
    begin();
    assert_int_equal(mkdir(in_directory(name), 0777), 0);
    assert_false(use(&err));
    assert_non_null(strstr(err.text, ".penta-run.json: cannot be written: Is a directory"));
    assert_false(is_there("dir/new.csv"));
    expect_untouched("a directory");
}

/* ---- names that lead elsewhere ---- */

/* pending: its members. Whether what is refused is refused with a line; nothing outside changes. */
static void expect_refused(const char *pending)
{
    penta_io_error err = {""};
    char text[2048];

    snprintf(text, sizeof text, "{\"version\": 1, \"runs\": [], \"pending\": {%s}}", pending);
    put_text(name, text);
    if (use(&err))
        fail_msg("not refused: %s", text);
    if (!strstr(err.text, "results, which are incomplete") || !strstr(err.text, "its name is damaged"))
        fail_msg("'%s' of %s", err.text, text);
    expect_untouched(text);
}

TEST(names)
{
    static const char *const away[] = {"../outside/victim.csv",
                                       "a/../../outside/victim.csv",
                                       "..",
                                       ".",
                                       "",
                                       "/etc/passwd",
                                       "./inside.csv",
                                       "a//b",
                                       "a/",
                                       "%2e%2e/outside/victim.csv",
                                       "%2",
                                       "%zz",
                                       "%00"};
    char pending[512];

    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        begin();
        snprintf(pending, sizeof pending, "\"move\": {\"%s\": \"victim.csv.tmp.penta.1.2\"}", away[i]);
        expect_refused(pending);
        snprintf(pending, sizeof pending, "\"keep\": {\"%s\": \"taken.csv\"}", away[i]);
        expect_refused(pending);
        snprintf(pending, sizeof pending, "\"keep\": {\"inside.csv\": \"%s\"}", away[i]);
        expect_refused(pending);
        assert_true(is_there("dir/inside.csv"));
        snprintf(pending, sizeof pending, "{\"version\": 1, \"runs\": [], \"pending\": {\"remove\": [\"%s\"]}}",
                 away[i]);
        put_text(name, pending);
        expect_none(pending);
    }
}

/* What is moved is a temporary of its target, beside it. */
TEST(sources)
{
    static const char *const from[] = {"\"../outside/victim.csv\"",
                                       "\"victim.csv\"",
                                       "7",
                                       "null",
                                       "[]",
                                       "\"\"",
                                       "\"../outside/victim.csv.tmp.penta.1.2\"",
                                       "\"other.csv.tmp.penta.1.2\"",
                                       "\"inside.csv.tmp.penta.x.2\"",
                                       "\"inside.csv.tmp.penta.1\""};
    char pending[512];

    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        begin();
        snprintf(pending, sizeof pending, "\"move\": {\"inside.csv\": %s}", from[i]);
        expect_refused(pending);
        snprintf(pending, sizeof pending, "\"keep\": {\"inside.csv\": %s}",
                 i == 2 || i == 3 || i == 4 ? from[i] : "\"..\"");
        expect_refused(pending);
        assert_true(is_there("dir/inside.csv"));
    }
}

/* Links on the way: of a file below a directory that leads elsewhere. */
TEST(links_on_the_way)
{
    char text[512];

    begin();
    assert_int_equal(symlink("../outside", in_directory("dir/way")), 0);
    expect_refused("\"move\": {\"way/victim.csv\": \"victim.csv.tmp.penta.1.2\"}");
    expect_refused("\"keep\": {\"way/victim.csv\": \"taken.csv\"}");
    expect_refused("\"keep\": {\"inside.csv\": \"way/taken.csv\"}");
    assert_false(is_there("outside/taken.csv"));
    snprintf(text, sizeof text, "{\"version\": 1, \"runs\": [], \"pending\": {\"remove\": [\"way/victim.csv\"]}}");
    put_text(name, text);
    expect_none(text);
}

/* And what is right is done. */
IO_TEST(done)
{
    begin();
    assert_int_equal(mkdir(in_directory("dir/below"), 0777), 0);
    put_text("dir/below/b.csv.tmp.penta.3.4", "b");
    put_text("dir/old.csv", "old");
    put_text(name, "{\"version\": 1, \"runs\": [], \"pending\": {\"keep\": {\"inside.csv\": \"inside-1.csv\"}, "
                   "\"move\": {\"below/b.csv\": \"b.csv.tmp.penta.3.4\"}, \"remove\": [\"old.csv\"]}}");
    assert_true(penta_io_run_settle(in_directory("dir"), &err));
    assert_true(is_there("dir/below/b.csv"));
    assert_true(is_there("dir/inside-1.csv"));
    assert_false(is_there("dir/inside.csv") || is_there("dir/old.csv") || is_there("dir/below/b.csv.tmp.penta.3.4"));
}

IN_DIRECTORY;
