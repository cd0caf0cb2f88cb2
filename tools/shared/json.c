/* JSON for the commands. */
#include "shared/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cli.h"

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    json_t *whole = json_string(text);
    char *clean, *to;

    if (whole)
        return whole;
    clean = to = malloc(3 * strlen(text) + 1);
    if (!clean)
        return json_null();
    for (; *text; text++) {
        if ((unsigned char)*text < 0x80) {
            *to++ = *text;
        } else {
            memcpy(to, replacement, 3);
            to += 3;
        }
    }
    *to = 0;
    whole = json_string(clean);
    free(clean);
    return whole;
}

json_t *json_device(const penta_device *device)
{
    return json_pack("{s:o, s:o, s:s}", "platform", json_text(device->platform), "name", json_text(device->name),
                     "type", penta_device_type_name(device->type));
}

int json_print(const char *command, json_t *object)
{
    int code = CLI_OK;

    errno = 0;
    if (!object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 || putchar('\n') == EOF ||
        fflush(stdout) != 0)
        code = cli_fail(command, CLI_ERROR, "cannot write JSON to stdout: %s", strerror(errno ? errno : ENOMEM));
    json_decref(object);
    return code;
}
