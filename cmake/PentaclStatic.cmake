# pentacl_library(NAME OBJECTS): builds the library NAME from an object library. A static one is a single
# object that exports only public names, so that programs may define functions with the names of our internal ones.
function(pentacl_library name objects)
  if(BUILD_SHARED_LIBS OR NOT CMAKE_OBJCOPY)
    add_library(${name} $<TARGET_OBJECTS:${objects}>)
  else()
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} $<TARGET_OBJECTS:${objects}>
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
      DEPENDS ${objects} $<TARGET_OBJECTS:${objects}> COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_library(${name} STATIC ${object})
  endif()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()
