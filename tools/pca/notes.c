/* What a run has to say beside its results. */
#include <stdarg.h>
#include <stdio.h>

#include "shared/json.h"
#include "pca/run.h"

void pca_note(pca_run *run, const char *format, ...)
{
    penta_io_error text = {""};
    va_list args;

    va_start(args, format);
    vsnprintf(text.text, sizeof text.text, format, args);
    va_end(args);
    cli_note(&run->job.common, run->job.command, "%s", text.text);
    if (!run->notes)
        run->notes = json_array();
    if (run->notes)
        json_array_append_new(run->notes, json_text(text.text));
}
