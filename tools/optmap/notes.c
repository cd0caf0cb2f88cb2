/* What should be looked at before the numbers are believed: the library's doubts, and which flags help. */
#include <stdio.h>
#include <string.h>

#include "optmap/run.h"

static const char *const hints[PENTA_DOUBT_KINDS] = {
    [PENTA_DOUBT_WRAPPED] = " (--signed)",
    [PENTA_DOUBT_FRAMES] = " (--frames keep leaves them)",
    [PENTA_DOUBT_FLICKER] = " (--frames keep leaves it)",
    [PENTA_DOUBT_BACKGROUND] = " (--mask none takes all)",
    [PENTA_DOUBT_BAD_PIXELS] = " (--bad-pixels keep takes them)",
    [PENTA_DOUBT_NOISY_BACKGROUND] = "; --mask auto leaves the background out",
};

/* What helps against a doubt; it may depend on the file. */
static const char *hint_of(const optmap_study *s, int kind)
{
    bool columns = s->movie.format && strcmp(s->movie.format, "MATLAB") == 0;

    if (kind == PENTA_DOUBT_TIME_ALONG_X)
        return columns ? "; if so, save permute(a, [1 3 2])" : "; if so, save numpy.moveaxis(a, 2, 0)";
    if (kind == PENTA_DOUBT_TIME_ALONG_Y)
        return columns ? "; if so, save permute(a, [2 3 1])" : "; if so, save numpy.moveaxis(a, 1, 0)";
    if (kind == PENTA_DOUBT_SWAPPED)
        return s->run->settings.flags.raw ? " (--raw, le for be or be for le)" : ": save a.byteswap()";
    return kind < PENTA_DOUBT_KINDS && hints[kind] ? hints[kind] : "";
}

size_t optmap_list_notes(const optmap_study *s, optmap_note notes[PENTA_DOUBT_KINDS])
{
    penta_doubt doubts[PENTA_DOUBT_KINDS];
    size_t count = penta_findings_doubts(&s->found, doubts, PENTA_DOUBT_KINDS);

    count = count < PENTA_DOUBT_KINDS ? count : PENTA_DOUBT_KINDS;
    for (size_t i = 0; i < count; i++) {
        char raw[sizeof doubts[i].text + 80];

        notes[i].kind = doubts[i].kind;
        snprintf(raw, sizeof raw, "%s%s", doubts[i].text, hint_of(s, doubts[i].kind));
        cli_with_flags(cli_running(), raw, notes[i].text, sizeof notes[i].text);
    }
    return count;
}

void optmap_print_notes(const optmap_study *s)
{
    optmap_note notes[PENTA_DOUBT_KINDS];
    size_t count = optmap_list_notes(s, notes);

    for (size_t i = 0; i < count; i++)
        job_warn(&s->run->job, "%s: %s",
                 notes[i].kind == PENTA_DOUBT_SECOND_SATURATED ? s->run->settings.flags.ratio : s->path, notes[i].text);
}
