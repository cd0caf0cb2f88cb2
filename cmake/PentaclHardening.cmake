# What makes a memory error of ours harder to exploit, on by default. PENTACL_HARDENING=OFF leaves it out. Sets
# PENTACL_HARDENING_COMPILE and PENTACL_HARDENING_LINK, and CMake's own switch for position-independent executables.
# tests/house/test_hardening.sh reads the result from every installed binary.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

option(PENTACL_HARDENING "Compile and link with the compiler's protections against memory errors" ON)
set(PENTACL_HARDENING_COMPILE "")
set(PENTACL_HARDENING_LINK "")
check_pie_supported(LANGUAGES C)

if(PENTACL_HARDENING)
  foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "PENTACL_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has}) # -fcf-protection is there on x86 only
    if(${has})
      list(APPEND PENTACL_HARDENING_COMPILE $<$<COMPILE_LANGUAGE:C>:${flag}>)
    endif()
  endforeach()
  # Needs optimisation, and the sanitizers check more than it does. Where the C library or the compiler lacks level 3,
  # they take it as 2.
  if(NOT PENTACL_SANITIZE)
    set(optimised $<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>)
    list(APPEND PENTACL_HARDENING_COMPILE $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=3>)
  endif()
  foreach(flag IN ITEMS relro now noexecstack)
    check_linker_flag(C LINKER:-z,${flag} PENTACL_HAS_z_${flag})
    if(PENTACL_HAS_z_${flag})
      list(APPEND PENTACL_HARDENING_LINK LINKER:-z,${flag})
    endif()
  endforeach()
endif()

# Debian has the libraries of HDF5 and of MPI where the loader looks; programs need no path to the folders that serve linking.
if(CMAKE_LIBRARY_ARCHITECTURE)
  foreach(folder IN ITEMS hdf5/serial hdf5/serial/lib openmpi/lib mpich/lib)
    list(APPEND CMAKE_C_IMPLICIT_LINK_DIRECTORIES /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${folder})
  endforeach()
endif()

# pentacl_runpath(TARGET): an installed program or library finds ours from its own folder, and those that are not in the system's
# folders where they are now. The build tree has the same layout, and so the same path: CMake's own way, which changes the
# path at installation, ends that of the build tree in an empty element, the current directory.
function(pentacl_runpath target)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL EXECUTABLE)
    set(path "$ORIGIN")
  elseif(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(path "${CMAKE_INSTALL_LIBDIR}" "$ORIGIN/../lib")
  else()
    set(path "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN/../lib")
    list(REMOVE_DUPLICATES path)
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${path}" INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)
endfunction()
