/* JSON for the commands. */
#include "json.h"

#include <math.h>
#include <stdio.h>

#include "cli.h"

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_device(const penta_device *device)
{
    return json_pack("{s:s, s:s, s:s}", "platform", device->platform, "name", device->name, "type",
                     penta_device_type_name(device->type));
}

int json_print(const char *command, json_t *object)
{
    int code = CLI_OK;

    if (!object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 || putchar('\n') == EOF ||
        fflush(stdout) != 0)
        code = cli_fail(command, CLI_ERROR, "cannot write JSON to stdout");
    json_decref(object);
    return code;
}
