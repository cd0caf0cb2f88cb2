# pentacl_add_workload(NAME), the only registration of a workload, takes
#   src/NAME/*.c             the library side; one of them defines penta_NAME_workload
#   cl/NAME/*.cl             its kernels
#   include/pentacl/NAME.h   its public header
#   tools/NAME/cmd.c         `penta NAME`: defines penta_command_NAME
#   tools/NAME/*.c           more of the command (optional)
#   tools/NAME/sample.c      `penta sample NAME`: defines penta_sample_NAME (optional)
#   bench/NAME/bench.c       `penta bench NAME`: defines bench_NAME (optional); peers in bench/peers/NAME_*.c
#   bench/NAME/*.c           more of the benchmark (optional)
#   tests/reference/NAME.c   the naive double-precision reference (linked into every test)
#   tests/workloads/test_NAME*.c  its tests
# and writes the names into pentacl_workloads.def, pentacl_samples.def and pentacl_benches.def, from which the tables of
# the library, the command and the benchmark are compiled.
set(PENTACL_WORKLOADS "")

function(pentacl_add_workload name)
  set(all include/pentacl/${name}.h src/${name} cl/${name})
  if(PROJECT_IS_TOP_LEVEL) # the Python package's source distribution has no more
    list(APPEND all tools/${name}/cmd.c tests/reference/${name}.c)
  endif()
  foreach(needed IN LISTS all)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${needed})
      message(FATAL_ERROR "workload ${name} lacks ${needed}")
    endif()
  endforeach()
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/pentacl/pentacl.h included REGEX "pentacl/${name}.h")
  if(NOT included)
    message(FATAL_ERROR "include/pentacl/pentacl.h does not include <pentacl/${name}.h>")
  endif()
  file(GLOB tests ${PROJECT_SOURCE_DIR}/tests/workloads/test_${name}*.c)
  if(NOT tests AND PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "workload ${name} has no tests/workloads/test_${name}*.c")
  endif()
  list(APPEND PENTACL_WORKLOADS ${name})
  set(PENTACL_WORKLOADS ${PENTACL_WORKLOADS} PARENT_SCOPE)
endfunction()

# Writes build/generated/FILE with one line per workload whose file (pattern with @) exists.
function(pentacl_write_table file pattern)
  set(lines "")
  foreach(name IN LISTS PENTACL_WORKLOADS)
    string(REPLACE "@" ${name} path ${pattern})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${path})
      string(APPEND lines "PENTACL_WORKLOAD(${name})\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${file} CONTENT "${lines}" @ONLY)
endfunction()
