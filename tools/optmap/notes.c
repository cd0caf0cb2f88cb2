/* What should be looked at before the numbers are believed: the library's doubts, and which flags help. */
#include "optmap/run.h"

static const char *const hints[PENTA_DOUBT_KINDS] = {
    [PENTA_DOUBT_WRAPPED] = " (--signed)",
    [PENTA_DOUBT_FRAMES] = " (--frames keep leaves them)",
    [PENTA_DOUBT_FLICKER] = " (--frames keep leaves it)",
    [PENTA_DOUBT_BACKGROUND] = " (--mask none takes all)",
    [PENTA_DOUBT_BAD_PIXELS] = " (--bad-pixels keep takes them)",
    [PENTA_DOUBT_NOISY_BACKGROUND] = "; --mask auto leaves the background out",
};

void optmap_print_notes(const optmap_study *s)
{
    const job *j = &s->run->job;
    penta_doubt doubts[PENTA_DOUBT_KINDS];
    size_t count = penta_findings_doubts(&s->found, doubts, PENTA_DOUBT_KINDS);

    for (size_t i = 0; i < count && i < PENTA_DOUBT_KINDS; i++) {
        int kind = doubts[i].kind;
        const char *path = kind == PENTA_DOUBT_SECOND_SATURATED ? s->run->settings.flags.ratio : s->path;

        job_warn(j, "%s: %s%s", path, doubts[i].text, kind < PENTA_DOUBT_KINDS && hints[kind] ? hints[kind] : "");
    }
}
