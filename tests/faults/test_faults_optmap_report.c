/* Pictures and report of optmap without memory: whichever allocation fails, one line says so and no file is left. */
#include "support/test.h"

#include "faults.h"
#include "support/files.h"
#include "unit/optmap_findings.h"

static char directory[200], path[220];

static bool draw_apd(const char *to, const optmap_findings *f, penta_io_error *err)
{
    return optmap_draw_map(to, f, "apd80", err);
}

/* Draws with ever later allocations failing, until none does. */
static void starve(const char *name, bool (*draw)(const char *path, const optmap_findings *f, penta_io_error *err),
                   size_t least)
{
    made_findings m;
    size_t before, nth = 0;
    bool starved;

    make_findings(&m, 12, 10, 30, 2, true);
    assert_true(
        draw(path, &m.f, &(penta_io_error){""})); /* the first output of a program leaves a place for later ones */
    empty_directory(directory);
    before = faults_live();
    do {
        penta_io_error err = {""};
        bool ok;

        faults_arm(FAULT_MEMORY, ++nth, false);
        ok = draw(path, &m.f, &err);
        starved = faults_struck() != NULL;
        faults_disarm();
        if (!ok) {
            assert_true(starved);
            assert_true(err.text[0]);
            assert_int_equal(entries_in(directory), 0);
        }
        if (faults_live() != before)
            fail_msg("%s: allocation %zu failed: %zu of %s are left", name, nth, faults_live() - before,
                     faults_live_text());
        if (ok)
            assert_int_equal(empty_directory(directory), 1);
    } while (starved);
    assert_true(nth > least);
    drop_findings(&m);
}

TEST(pictures_without_memory)
{
    starve("activation", optmap_draw_activation, 4);
    starve("apd80", draw_apd, 4);
    starve("traces", optmap_draw_traces, 2);
    starve("movie", optmap_draw_movie, 6);
}

TEST(report_without_memory)
{
    starve("report", optmap_write_report, 40);
}

static int set_up(void **state)
{
    (void)state;
    if (!make_scratch_directory("faults", directory, sizeof directory))
        return -1;
    snprintf(path, sizeof path, "%s/file", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return remove_tree(directory);
}

RUN(EVERYWHERE, NULL, set_up, tear_down);
