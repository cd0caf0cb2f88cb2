# pentacl_library(NAME OBJECTS): the library for users of an object library. A static one is made of a single object in which
# only public names are seen, so that programs may have functions of the names that are internal here.
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
