# Writes a C file with the bytes of every kernel file: penta_embedded_files[] of src/core/internal.h.
# cmake -DROOT=<dir> -DOUTPUT=<file.c> -DFILES=<a.cl;b.clh> -P EmbedKernels.cmake
set(arrays "")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR bytes "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const unsigned char file_${index}[] = {\n${hex}0x00};\n")
  string(APPEND table "    {\"${file}\", file_${index}, ${bytes}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}.new" "/* Generated from cl/ by cmake/EmbedKernels.cmake. */
#include \"core/internal.h\"

${arrays}
const penta_embedded penta_embedded_files[] = {
${table}    {0, 0, 0},
};
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
