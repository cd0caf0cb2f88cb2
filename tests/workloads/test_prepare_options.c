/* The options of the prepare workload. */
#include "support/test.h"

#include <pentacl/prepare.h>

TEST(defaults_are_in_range)
{
    penta_prepare_options o;
    char message[200] = "";

    penta_prepare_options_init(&o);
    assert_int_equal(penta_options_check(penta_prepare_option_table(), &o, message, sizeof message), PENTA_OK);
    assert_int_equal(o.flatten, PENTA_PREPARE_GAUSSIAN);
    assert_int_equal(o.registration, PENTA_PREPARE_SHIFT);
    assert_int_equal(o.depth, PENTA_PREPARE_U16);
}

static void expect_choice(const char *option, const char *name, int value)
{
    penta_prepare_options o;
    char message[200] = "";

    penta_prepare_options_init(&o);
    for (const penta_option *row = penta_prepare_option_table(); row->type != PENTA_OPTION_END; row++) {
        int got;

        if (strcmp(row->name, option) != 0)
            continue;
        assert_int_equal(penta_option_parse(row, &o, name, message, sizeof message), PENTA_OK);
        memcpy(&got, (const char *)&o + row->offset, sizeof got);
        assert_int_equal(got, value);
        return;
    }
    fail_msg("there is no option %s", option);
}

/* The names of choices and the enumerations are two lists that must stay one. */
TEST(choices_are_the_enumerations)
{
    expect_choice("grey", "blue", PENTA_PREPARE_BLUE);
    expect_choice("flatten", "overlay", PENTA_PREPARE_OVERLAY);
    expect_choice("flatten", "poly", PENTA_PREPARE_POLY);
    expect_choice("flatten", "series", PENTA_PREPARE_SERIES);
    expect_choice("flatten", "none", PENTA_PREPARE_FLATTEN_NONE);
    expect_choice("dust", "copy", PENTA_PREPARE_DUST_COPY);
    expect_choice("dust", "none", PENTA_PREPARE_DUST_NONE);
    expect_choice("dust", "fill", PENTA_PREPARE_DUST_FILL);
    expect_choice("register", "rigid", PENTA_PREPARE_RIGID);
    expect_choice("register", "none", PENTA_PREPARE_REGISTER_NONE);
    expect_choice("correlation", "phase", PENTA_PREPARE_PHASE);
    expect_choice("interpolation", "nearest", PENTA_PREPARE_NEAREST);
    expect_choice("contrast_of", "first", PENTA_PREPARE_CONTRAST_FIRST);
    expect_choice("depth", "input", PENTA_PREPARE_AS_INPUT);
}
