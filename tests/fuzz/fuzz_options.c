/* Values of options as text: every row of every table of the library, presets, and the form of raw movies. The first
 * byte picks the table, the second the row. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/pentacl.h>
#include <pentacl/io/image.h>
#include <pentacl/io/movie.h>

typedef union {
    size_t size; /* that every options struct begins with */
    double room[512];
} values;

static const penta_option *(*const tables[])(void) = {
    penta_autocorr_option_table, penta_stars_option_table,  penta_nbody_option_table,  penta_pca_option_table,
    penta_optmap_option_table,   penta_beats_option_table,  penta_rotors_option_table, penta_prepare_option_table,
    penta_detector_option_table, penta_tissue_option_table, penta_spiral_option_table, penta_camera_option_table,
    penta_spinodal_option_table,
};

static void parse(const penta_option *table, const penta_option *row, const char *text)
{
    values v = {0};
    char message[256] = "";
    penta_status status;

    v.size = sizeof v;
    penta_options_init(table, &v);
    fuzz_check(penta_options_check(table, &v, message, sizeof message) == PENTA_OK, "defaults are valid");
    status = penta_option_parse(row, &v, text, message, sizeof message);
    if (status == PENTA_OK)
        fuzz_check(penta_options_check(table, &v, message, sizeof message) == PENTA_OK, "what is parsed is in range");
    else
        fuzz_check(status == PENTA_INVALID && *message && strlen(message) < sizeof message, "an error says something");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const penta_option *table;
    penta_io_error err = {""};
    values v = {0};
    char message[64], *text;
    size_t rows = 0;

    if (size < 2)
        return -1;
    text = fuzz_text(data + 2, size - 2);
    table = tables[data[0] % (sizeof tables / sizeof *tables)]();
    while (table[rows].type != PENTA_OPTION_END)
        rows++;
    parse(table, &table[data[1] % rows], text);
    v.size = sizeof v;
    penta_preset_apply(penta_autocorr_presets(), text, penta_autocorr_option_table(), &v, message, sizeof message);
    if (!penta_io_movie_check_raw(text, &err))
        fuzz_check(*err.text, "an error says something");
    penta_io_image_has_name(text);
    if (!penta_io_image_can_write(text, PENTA_F32, &err))
        fuzz_check(*err.text, "an error says something");
    free(text);
    return 0;
}
