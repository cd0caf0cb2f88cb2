/* model.json: penta_io_model_read, and what is done with a model that was read. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>

#include <pentacl/io/model.h>

static void use(penta_io_model *model)
{
    penta_io_cube_info about = {.bands = model->m.bands, .rows = 2, .cols = 2, .type = PENTA_F64};
    penta_io_error err = {""};
    size_t *bands = NULL;

    fuzz_check(model->m.components >= 1 && model->m.components <= model->m.bands, "a model has components");
    for (size_t i = 0; i < model->m.components * model->m.bands; i++)
        fuzz_check(isfinite(model->m.forward[i]) && isfinite(model->m.inverse[i]), "maps are finite");
    if (penta_io_model_choose_bands(model, &about, &bands, &err))
        for (size_t i = 0; i < model->m.bands; i++)
            fuzz_check(bands[i] < about.bands, "a band is there");
    free(bands);
    if (penta_io_model_write(fuzz_path("again.json"), model, &err)) {
        penta_io_model back;

        fuzz_check(penta_io_model_read(fuzz_path("again.json"), &back, &err),
                   "a model that was read can be written and read");
        penta_io_model_free(&back);
    }
    penta_io_model_shorten(model, 1);
    penta_io_model_worst(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    penta_io_model model;
    penta_io_error err = {""};

    if (penta_io_model_read(fuzz_file("model.json", data, size), &model, &err))
        use(&model);
    else
        fuzz_check_error(&err);
    penta_io_model_free(&model);
    return 0;
}
