# Writes a C file with the bytes of one file: const unsigned char NAME[] and const size_t NAME_bytes.
# cmake -DINPUT=<file> -DNAME=<C name> -DOUTPUT=<file.c> -P EmbedFile.cmake
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR bytes "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
get_filename_component(file "${INPUT}" NAME)
file(WRITE "${OUTPUT}.new" "/* Generated from ${file} by cmake/EmbedFile.cmake. */
#include <stddef.h>

extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_bytes;

const unsigned char ${NAME}[] = {
${hex}};
const size_t ${NAME}_bytes = ${bytes};
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
