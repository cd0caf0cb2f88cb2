/* Frames through the stages; the series from one run to the next. */
#include "prepare/prepare.h"

penta_status penta_prepare_survey(penta_prepare *plan, size_t n, const void *const *images)
{
    (void)plan;
    (void)n;
    (void)images;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "penta_prepare_survey: to be written");
}

penta_status penta_prepare_run(penta_prepare *plan, size_t n, const penta_prepare_frame *frames,
                               penta_prepare_result *results)
{
    (void)plan;
    (void)n;
    (void)frames;
    (void)results;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "penta_prepare_run: to be written");
}

void penta_prepare_rewind(penta_prepare *plan)
{
    (void)plan;
}

penta_status penta_prepare_save(penta_prepare *plan, penta_prepare_state *out)
{
    (void)plan;
    (void)out;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "penta_prepare_save: to be written");
}

penta_status penta_prepare_restore(penta_prepare *plan, const penta_prepare_state *state)
{
    (void)plan;
    (void)state;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "penta_prepare_restore: to be written");
}

void penta_prepare_state_free(penta_prepare_state *state)
{
    (void)state;
}
