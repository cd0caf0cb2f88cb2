/* Checks of drawing. Only for tests that link tools/figures. */
#ifndef PENTA_TESTS_PLOTS_H
#define PENTA_TESTS_PLOTS_H

#include "support/test.h"

#include "figures/gnuplot.h"
#include "support/pictures.h"

/* call must pass its penta_io_error as `err`. */
#define expect_drawn(call)                                                                                             \
    do {                                                                                                               \
        penta_io_error err = {""};                                                                                     \
        plot_status status_ = (call);                                                                                  \
        if (status_ != PLOT_OK)                                                                                        \
            fail_msg("%s gave %d: %s", #call, (int)status_, err.text);                                                 \
    } while (0)

/* Expects an error of one line that contains `text`, and no picture. */
static inline void expect_failure(plot_status status, const penta_io_error *err, plot_status expected, const char *text)
{
    assert_int_equal(status, expected);
    if (!strstr(err->text, text) || strchr(err->text, '\n'))
        fail_msg("the error '%s' should be one line and say '%s'", err->text, text);
    assert_int_equal(empty_pictures(), 0);
}

#endif
