/* JSON for the commands, by jansson. Numbers that are not finite become null. */
#pragma once

#include <jansson.h>
#include <pentacl/context.h>

json_t *json_number(double value);
/* Text from outside (file and device names): in bytes that are not UTF-8, each byte over 127 becomes U+FFFD. */
json_t *json_text(const char *text);
/* {platform, name, type} */
json_t *json_device(const penta_device *device);
/* Prints the object on stdout with a newline and frees it; the exit code. */
int json_print(const char *command, json_t *object);
