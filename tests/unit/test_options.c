/* Option tables: defaults, ranges, parsing, and the one line that says what is wrong. */
#include "support/test.h"

#include "core/core.h"

typedef struct {
    int before; /* of all options: no row may write it */
    int count;
    double edge_length;
    int kind;
    bool quick;
    const char *title;
    int after;
} sample_options;

static const penta_option sample_table[] = {
    PENTA_INT_OPTION(sample_options, count, 'c', 7, -3, 1000000, "px", "how many"),
    PENTA_REAL_OPTION(sample_options, edge_length, 'e', 0.25, 0.001, 40, "", "how long"),
    PENTA_CHOICE_OPTION(sample_options, kind, 'k', "auto,red,deep-blue", "which"),
    PENTA_FLAG_OPTION(sample_options, quick, 'q', "whether"),
    PENTA_TEXT_OPTION(sample_options, title, 0, "NAME", "what it is called"),
    PENTA_OPTIONS_END,
};

enum { COUNT, EDGE_LENGTH, KIND, QUICK, TITLE };

static sample_options defaults(void)
{
    sample_options o;

    memset(&o, 0x5A, sizeof o);
    penta_options_init(sample_table, &o);
    return o;
}

/* ---- defaults ---- */

TEST(defaults)
{
    sample_options o = defaults();

    assert_int_equal(o.count, 7);
    assert_true(o.edge_length == 0.25);
    assert_int_equal(o.kind, 0);
    assert_false(o.quick);
    assert_null(o.title);
    assert_int_equal(o.before, 0x5A5A5A5A);
    assert_int_equal(o.after, 0x5A5A5A5A);
    assert_int_equal(penta_options_check(sample_table, &o, NULL, 0), PENTA_OK);
}

/* Room for any options struct. */
typedef union {
    size_t size;
    char bytes[4096];
    double align;
} any_options;

/* The defaults pass the check, every row says what it is, and none lies outside of the struct. */
static void check_table(const penta_workload *w, size_t t)
{
    any_options options = {0};
    char message[200] = "", choice[64];
    const char *name;
    const penta_option *table = penta_workload_table(w, t, &name, &options.size);

    assert_true(*name && options.size <= sizeof options);
    penta_options_init(table, &options);
    if (penta_options_check(table, &options, message, sizeof message) != PENTA_OK)
        fail_msg("%s: %s", name, message);
    for (const penta_option *o = table; o->type != PENTA_OPTION_END; o++) {
        assert_true(o->name && *o->name && o->help && *o->help && o->unit);
        assert_true(o->help[strlen(o->help) - 1] != '.');
        assert_true(o->type != PENTA_OPTION_INT || (o->min <= o->initial && o->initial <= o->max));
        assert_true(o->sized && o->offset >= sizeof options.size && o->offset + sizeof(bool) <= options.size);
        for (const penta_option *other = table; other != o; other++) {
            assert_string_not_equal(o->name, other->name);
            assert_true(!o->letter || o->letter != other->letter);
        }
        for (size_t i = 0; penta_option_choice(o, i, choice, sizeof choice); i++)
            assert_int_equal(penta_option_parse(o, &options, choice, message, sizeof message), PENTA_OK);
        assert_true(o->type != PENTA_OPTION_CHOICE ||
                    penta_option_choice(o, (size_t)o->initial, choice, sizeof choice));
    }
}

static void check_presets(const penta_workload *w)
{
    const penta_preset *presets = penta_workload_presets(w);
    any_options options = {0};
    const penta_option *table = penta_workload_table(w, 0, NULL, &options.size);
    char message[200] = "";

    penta_options_init(table, &options);
    for (const penta_preset *p = presets; p && p->name; p++) {
        assert_true(*p->help && p->values[0].option);
        assert_ptr_equal(penta_preset_find(presets, p->name), p);
        assert_int_equal(penta_preset_apply(presets, p->name, table, &options, message, sizeof message), PENTA_OK);
    }
}

TEST(workload_tables)
{
    size_t workloads = 0;

    for (const penta_workload *w; (w = penta_workload_at(workloads)); workloads++) {
        assert_true(*penta_workload_name(w) && *penta_workload_summary(w));
        for (size_t t = 0; penta_workload_table(w, t, NULL, NULL); t++)
            check_table(w, t);
        check_presets(w);
    }
    assert_true(workloads >= 1);
    assert_null(penta_workload_at(workloads + 7));
}

/* A choice whose default is not the first: the struct, and what a zeroed struct means. */
TEST(default_choice)
{
    static const penta_option table[] = {
        PENTA_CHOICE_FROM_OPTION(sample_options, kind, 'k', 2, "auto,red,deep-blue", "which"), PENTA_OPTIONS_END};
    sample_options o = {0};
    char message[100];

    assert_int_equal(penta_options_check(table, &o, NULL, 0), PENTA_OK);
    penta_options_init(table, &o);
    assert_int_equal(o.kind, 2);
    assert_int_equal(penta_option_parse(table, &o, "auto", message, sizeof message), PENTA_OK);
    assert_int_equal(o.kind, 0);
}

/* ---- presets ---- */

static const penta_preset sample_presets[] = {
    {"night", "as it is at night", {{"kind", "deep-blue"}, {"quick", ""}, {"colour_of_the_command", "7"}}},
    {"far", "all there is", {{"count", "1000000"}, {"title", "far off"}}},
    {"wrong", "no such length", {{"edge_length", "41"}}},
    PENTA_PRESETS_END};

TEST(presets)
{
    sample_options o = defaults();
    char message[200];

    assert_int_equal(penta_preset_apply(sample_presets, "night", sample_table, &o, message, sizeof message), PENTA_OK);
    assert_int_equal(o.kind, 2);
    assert_true(o.quick);
    assert_int_equal(o.count, 7); /* no other field changes */
    assert_true(o.edge_length == 0.25);
    assert_null(o.title);
    assert_int_equal(o.before, 0x5A5A5A5A);
    assert_int_equal(penta_preset_apply(sample_presets, "far", sample_table, &o, NULL, 0), PENTA_OK);
    assert_int_equal(o.count, 1000000);
    assert_int_equal(o.kind, 2);
    assert_string_equal(o.title, "far off");
    assert_int_equal(penta_preset_apply(sample_presets, "nigh", sample_table, &o, message, sizeof message),
                     PENTA_INVALID);
    assert_string_equal(message, "`preset` needs one of night,far,wrong, not 'nigh'");
    assert_int_equal(penta_preset_apply(NULL, "night", sample_table, &o, NULL, 0), PENTA_INVALID);
    assert_int_equal(penta_preset_apply(sample_presets, "wrong", sample_table, &o, message, sizeof message),
                     PENTA_INVALID);
    assert_string_equal(message, "`edge_length` is 41; it must be between 0.001 and 40");
    assert_ptr_equal(penta_preset_find(sample_presets, "far"), &sample_presets[1]);
    assert_null(penta_preset_find(sample_presets, ""));
    assert_null(penta_preset_find(NULL, "far"));
}

/* ---- checks of a struct ---- */

static void expect_invalid(const sample_options *o, const char *text)
{
    char message[160] = "";

    assert_int_equal(penta_options_check(sample_table, o, message, sizeof message), PENTA_INVALID);
    assert_string_equal(message, text);
    assert_int_equal(penta_options_check(sample_table, o, NULL, 0), PENTA_INVALID);
}

TEST(ranges)
{
    static const int good[] = {-3, 0, 1000000}, bad[] = {-4, 1000001};
    sample_options o = defaults();

    for (int i = 0; i < 3; i++) {
        o.count = good[i];
        assert_int_equal(penta_options_check(sample_table, &o, NULL, 0), PENTA_OK);
    }
    o.count = bad[0];
    expect_invalid(&o, "`count` is -4 px; it must be between -3 and 1000000");
    o.count = bad[1];
    expect_invalid(&o, "`count` is 1000001 px; it must be between -3 and 1000000");
    o = defaults();
    o.edge_length = 40;
    assert_int_equal(penta_options_check(sample_table, &o, NULL, 0), PENTA_OK);
    o.edge_length = 40.5;
    expect_invalid(&o, "`edge_length` is 40.5; it must be between 0.001 and 40");
    o.edge_length = 0;
    expect_invalid(&o, "`edge_length` is 0; it must be between 0.001 and 40");
}

TEST(not_a_number)
{
    sample_options o = defaults();

    o.edge_length = (double)NAN;
    assert_int_equal(penta_options_check(sample_table, &o, NULL, 0), PENTA_INVALID);
    o.edge_length = -(double)NAN;
    assert_int_equal(penta_options_check(sample_table, &o, NULL, 0), PENTA_INVALID);
    o.edge_length = (double)INFINITY;
    expect_invalid(&o, "`edge_length` is inf; it must be between 0.001 and 40");
}

TEST(choices)
{
    sample_options o = defaults();
    char name[16] = "";

    o.kind = 2;
    assert_int_equal(penta_options_check(sample_table, &o, NULL, 0), PENTA_OK);
    o.kind = 3;
    expect_invalid(&o, "`kind` is 3; it must be one of auto,red,deep-blue");
    o.kind = -1;
    expect_invalid(&o, "`kind` is -1; it must be one of auto,red,deep-blue");
    assert_true(penta_option_choice(&sample_table[KIND], 0, name, sizeof name));
    assert_string_equal(name, "auto");
    assert_true(penta_option_choice(&sample_table[KIND], 2, name, sizeof name));
    assert_string_equal(name, "deep-blue");
    assert_true(penta_option_choice(&sample_table[KIND], 2, name, 5));
    assert_string_equal(name, "deep");
    assert_false(penta_option_choice(&sample_table[KIND], 3, name, sizeof name));
    assert_false(penta_option_choice(&sample_table[KIND], SIZE_MAX, name, sizeof name));
    assert_false(penta_option_choice(&sample_table[COUNT], 0, name, sizeof name));
}

TEST(short_messages)
{
    sample_options o = defaults();
    char message[8] = "", one[1] = "x";

    o.count = -100;
    assert_int_equal(penta_options_check(sample_table, &o, message, sizeof message), PENTA_INVALID);
    assert_string_equal(message, "`count`");
    assert_int_equal(penta_options_check(sample_table, &o, one, 1), PENTA_INVALID);
    assert_int_equal(one[0], 0);
}

/* ---- parsing ---- */

static void expect_parsed(int row, const char *text, double value)
{
    sample_options o = defaults();
    char message[160] = "";

    if (penta_option_parse(&sample_table[row], &o, text, message, sizeof message) != PENTA_OK)
        fail_msg("'%s': %s", text, message);
    assert_true((row == EDGE_LENGTH ? o.edge_length : row == COUNT ? o.count : o.kind) == value);
    assert_int_equal(o.before, 0x5A5A5A5A);
    assert_int_equal(o.after, 0x5A5A5A5A);
}

/* Refused, with this message, and the field left as it was. */
static void expect_unparsed(int row, const char *text, const char *expected)
{
    sample_options o = defaults();
    unsigned char before[sizeof o];
    char message[160] = "";

    memcpy(before, &o, sizeof o);
    assert_int_equal(penta_option_parse(&sample_table[row], &o, text, message, sizeof message), PENTA_INVALID);
    if (expected)
        assert_string_equal(message, expected);
    assert_int_equal(message[0], '`');
    assert_null(strchr(message, '\n'));
    assert_memory_equal(&o, before, sizeof o);
}

TEST(parse_numbers)
{
    expect_parsed(COUNT, "12", 12);
    expect_parsed(COUNT, "-3", -3);
    expect_parsed(COUNT, "1000000", 1000000);
    expect_parsed(EDGE_LENGTH, "0.5", 0.5);
    expect_parsed(EDGE_LENGTH, "1e-3", 1e-3);
    expect_parsed(EDGE_LENGTH, "40", 40);
    expect_unparsed(COUNT, "", "`count` needs a whole number, not ''");
    expect_unparsed(COUNT, "seven", "`count` needs a whole number, not 'seven'");
    expect_unparsed(COUNT, "7px", "`count` needs a whole number, not '7px'");
    expect_unparsed(COUNT, "7.5", "`count` needs a whole number, not '7.5'");
    expect_unparsed(COUNT, "7 8", "`count` needs a whole number, not '7 8'");
    expect_unparsed(COUNT, "-4", "`count` is -4 px; it must be between -3 and 1000000");
    expect_unparsed(COUNT, "99999999999999999999", NULL);
    expect_unparsed(COUNT, "nan", "`count` needs a whole number, not 'nan'");
    expect_unparsed(EDGE_LENGTH, "nan", "`edge_length` needs a number, not 'nan'");
    expect_unparsed(EDGE_LENGTH, "inf", "`edge_length` needs a number, not 'inf'");
    expect_unparsed(EDGE_LENGTH, "1e999", "`edge_length` needs a number, not '1e999'");
    expect_unparsed(EDGE_LENGTH, "0,5", "`edge_length` needs a number, not '0,5'");
    expect_unparsed(EDGE_LENGTH, "41", "`edge_length` is 41; it must be between 0.001 and 40");
    expect_unparsed(EDGE_LENGTH, "-0", "`edge_length` is -0; it must be between 0.001 and 40");
}

TEST(parse_choices)
{
    expect_parsed(KIND, "auto", 0);
    expect_parsed(KIND, "red", 1);
    expect_parsed(KIND, "deep-blue", 2);
    expect_unparsed(KIND, "blue", "`kind` needs one of auto,red,deep-blue, not 'blue'");
    expect_unparsed(KIND, "Red", "`kind` needs one of auto,red,deep-blue, not 'Red'");
    expect_unparsed(KIND, "re", "`kind` needs one of auto,red,deep-blue, not 're'");
    expect_unparsed(KIND, "red,deep-blue", NULL);
    expect_unparsed(KIND, "1", NULL);
    expect_unparsed(KIND, "", NULL);
}

TEST(parse_flags_and_texts)
{
    static const char text[] = "a title";
    sample_options o = defaults();
    char message[160] = "";

    assert_int_equal(penta_option_parse(&sample_table[QUICK], &o, NULL, message, sizeof message), PENTA_OK);
    assert_true(o.quick);
    assert_int_equal(penta_option_parse(&sample_table[TITLE], &o, text, message, sizeof message), PENTA_OK);
    assert_ptr_equal(o.title, text);
    assert_int_equal(penta_option_parse(&sample_table[TITLE + 1], &o, text, message, sizeof message), PENTA_INVALID);
}

TEST(other_names)
{
    const penta_option row = PENTA_CHOICE_OPTION(sample_options, kind, 0, "leapfrog|kdk,hermite4|hermite|h4,none", "");
    const char *const names[] = {"leapfrog", "kdk", "hermite4", "hermite", "h4", "none"};
    const int kinds[] = {0, 0, 1, 1, 1, 2};
    sample_options options = defaults();
    char message[200], name[32];

    for (int i = 0; i < 6; i++) {
        assert_int_equal(penta_option_parse(&row, &options, names[i], message, sizeof message), PENTA_OK);
        assert_int_equal(options.kind, kinds[i]);
    }
    assert_int_equal(penta_option_parse(&row, &options, "leap", message, sizeof message), PENTA_INVALID);
    assert_int_equal(penta_option_parse(&row, &options, "kdk,hermite4", message, sizeof message), PENTA_INVALID);
    assert_int_equal(penta_option_parse(&row, &options, "", message, sizeof message), PENTA_INVALID);
    assert_true(penta_option_choice(&row, 1, name, sizeof name));
    assert_string_equal(name, "hermite4");
    assert_false(penta_option_choice(&row, 3, name, sizeof name));
}

/* ---- what a plan does with the struct it is given ---- */

/* Structs that begin with their size, as the library's do. */
#undef PENTA_OPTIONS_SIZED
#define PENTA_OPTIONS_SIZED true

typedef struct {
    size_t size;
    int count, kind;
    double late; /* came with the newer library */
    bool latest;
} sized_options;

static const penta_option sized_table[] = {PENTA_INT_OPTION(sized_options, count, 0, 7, 0, 100, "px", "how many"),
                                           PENTA_REAL_OPTION(sized_options, late, 0, 2.5, 1, 4, "", "how late"),
                                           PENTA_FLAG_OPTION(sized_options, latest, 0, "whether"),
                                           PENTA_CHOICE_OPTION(sized_options, kind, 0, "auto,red,deep-blue", "which"),
                                           PENTA_OPTIONS_END};
enum { LATE = 1, LATEST, OLD_SIZE = offsetof(sized_options, late), OLDER_SIZE = offsetof(sized_options, latest) };

static penta_status resolve(const sized_options *given, sized_options *out)
{
    memset(out, 0x5A, sizeof *out);
    return penta_options_resolve(NULL, sized_table, given, out, sizeof *out);
}

TEST(resolve)
{
    sized_options given = {.size = sizeof given}, out;

    assert_int_equal(resolve(NULL, &out), PENTA_OK);
    assert_true(out.size == sizeof out && out.count == 7 && out.late == 2.5 && !out.latest);
    penta_options_init(sized_table, &given);
    given.count = 11;
    given.latest = true;
    assert_int_equal(resolve(&given, &out), PENTA_OK);
    assert_true(out.size == sizeof out && out.count == 11 && out.late == 2.5 && out.latest);
    given.kind = 5;
    assert_int_equal(resolve(&given, &out), PENTA_INVALID);
    assert_string_equal(penta_last_error(NULL), "`kind` is 5; it must be one of auto,red,deep-blue");
}

/* A struct of a program built with older headers: what it lacks has the default, and nothing behind it is touched. */
TEST(older)
{
    static const penta_preset presets[] = {{"night", "dark", {{"count", "9"}, {"late", "3"}, {"latest", ""}}},
                                           PENTA_PRESETS_END};
    const size_t sizes[] = {OLD_SIZE, OLDER_SIZE};
    sized_options given, out;
    char message[160];

    for (int i = 0; i < 2; i++) {
        memset(&given, 0x5A, sizeof given);
        given.size = sizes[i];
        penta_options_init(sized_table, &given);
        assert_int_equal(given.count, 7);
        assert_true(*(unsigned char *)&given.latest == 0x5A);
        assert_int_equal(penta_options_check(sized_table, &given, message, sizeof message), PENTA_OK);
        assert_int_equal(penta_option_parse(&sized_table[LATEST], &given, "", message, sizeof message), PENTA_INVALID);
        assert_non_null(strstr(message, "`latest` is newer than this program"));
        assert_int_equal(penta_preset_apply(presets, "night", sized_table, &given, message, sizeof message), PENTA_OK);
        assert_int_equal(given.count, 9);
        assert_true(*(unsigned char *)&given.latest == 0x5A);
        assert_int_equal(resolve(&given, &out), PENTA_OK);
        assert_true(out.size == sizeof out && out.count == 9 && out.late == (i == 0 ? 2.5 : 3) && !out.latest);
    }
}

/* Of a newer program: what this library does not know is left aside. */
TEST(newer)
{
    struct {
        sized_options known;
        double unknown;
    } given = {.unknown = 1};
    sized_options out;

    given.known.size = sizeof given.known;
    penta_options_init(sized_table, &given.known);
    given.known.size = sizeof given;
    given.known.late = 1.5;
    assert_int_equal(resolve(&given.known, &out), PENTA_OK);
    assert_true(out.size == sizeof out && out.late == 1.5);
}

static const penta_option *penta_sized_option_table(void)
{
    return sized_table;
}

TEST(uninitialised)
{
    sized_options given = {0}, out;

    for (size_t size = 0; size < 3; size++) {
        given.size = size < 2 ? size : SIZE_MAX / 3;
        assert_int_equal(resolve(&given, &out), PENTA_INVALID);
        assert_string_equal(penta_last_error(NULL), "the options were not initialised: their size is not set");
        assert_int_equal(penta_options_resolve(NULL, penta_sized_option_table(), &given, &out, sizeof out),
                         PENTA_INVALID);
        assert_string_equal(penta_last_error(NULL), "the options were not initialised; call penta_sized_options_init");
    }
}
