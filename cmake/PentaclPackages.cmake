# Packages for Debian, by `cmake --build --preset package`, and the target dist, which writes a source release. A package is a
# component of the installation: library, development (headers), command, and gdal and mpi where those are built, since each
# of these two brings many other packages.
add_custom_target(dist COMMAND ${PROJECT_SOURCE_DIR}/tools/sources release ${PROJECT_BINARY_DIR} VERBATIM)

if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT PENTACL_INSTALL OR NOT BUILD_SHARED_LIBS)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The pentacl developers <pentacl@users.noreply.github.com>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_HOMEPAGE_URL})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# Every package has its licence and a changelog of Debian's form.
set(documents ${PROJECT_BINARY_DIR}/generated/debian)
file(READ ${PROJECT_SOURCE_DIR}/THIRD-PARTY-NOTICES notices)
file(READ ${PROJECT_SOURCE_DIR}/tools/figures/font/LICENSE font)
file(CONFIGURE OUTPUT ${documents}/copyright @ONLY CONTENT "pentacl, ${PROJECT_HOMEPAGE_URL}
Copyright 2026 the pentacl developers. Licensed under the Apache License, Version 2.0:
/usr/share/common-licenses/Apache-2.0

@notices@
The licence of DejaVu Sans:

@font@")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, where it is set
file(CONFIGURE OUTPUT ${documents}/changelog @ONLY CONTENT "pentacl (@PROJECT_VERSION@) unstable; urgency=medium

  * Built from the sources of version @PROJECT_VERSION@; CHANGELOG.md says what is new.

 -- @CPACK_PACKAGE_CONTACT@  @now@
")
execute_process(COMMAND gzip -9nf ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)

file(WRITE ${documents}/triggers "activate-noawait ldconfig\n")
# Below /usr the loader needs no RUNPATH, and Debian allows none; pages of the manual are compressed.
set(finish "file(GLOB binaries \"\$ENV{DESTDIR}/usr/bin/penta*\" \"\$ENV{DESTDIR}/usr/${CMAKE_INSTALL_LIBDIR}/*.so.*\")
foreach(binary IN LISTS binaries)
  file(RPATH_REMOVE FILE \${binary})
endforeach()
file(GLOB pages \"\$ENV{DESTDIR}/usr/${CMAKE_INSTALL_MANDIR}/man1/*.1\")
if(pages)
  execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()")

# pentacl_package(COMPONENT NAME SECTION DEPENDS TEXT), of TEXT at most 80 characters a line
function(pentacl_package component name section depends text)
  install(FILES ${documents}/copyright ${documents}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  install(CODE "${finish}" COMPONENT ${component})
  string(TOUPPER ${component} key)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${text}" PARENT_SCOPE)
  if(section STREQUAL libs)
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${documents}/triggers PARENT_SCOPE)
  endif()
endfunction()
set(CPACK_COMPONENTS_ALL "")
set(library libpentacl${PENTACL_SOVERSION})
set(same "(= ${PROJECT_VERSION})")
set(jobs "autocorrelation and preparation of images, star-camera
frames, gravity of bodies, principal components of hyperspectral cubes and
cardiac optical mapping.")
pentacl_package(library ${library} libs "" "The libraries: ${jobs}")
pentacl_package(development libpentacl-dev libdevel "${library} ${same}, opencl-c-headers"
  "Headers, and files for CMake and pkg-config, to build programs that use the\nlibraries.")
pentacl_package(command pentacl science "${library} ${same}" "The command penta: ${jobs}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd, libcairo2")
if(TARGET pentacl_io_gdal)
  pentacl_package(gdal libpentacl-io-gdal${PENTACL_SOVERSION} libs "${library} ${same}" "Reads and writes cubes in GeoTIFF and others by GDAL.")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libpentacl-io-gdal${PENTACL_SOVERSION}, libpentacl-mpi${PENTACL_SOVERSION}")
endif()
if(TARGET pentacl_mpi)
  pentacl_package(mpi libpentacl-mpi${PENTACL_SOVERSION} libs "${library} ${same}" "Divides a job between the ranks of mpirun.")
endif()
include(CPack)
