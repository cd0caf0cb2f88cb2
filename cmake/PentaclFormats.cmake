# The libraries that libpentacl_io uses for file formats; optional ones may be missing. One line per library:
# pentacl_io_library(NAME "what it is for" TARGET target PACKAGE arguments of find_package... [PC its name in pkg-config])
# pentacl_io_library(NAME "what it is for" MODULES names in pkg-config, the first that is found is taken...)
# REQUIRED: libpentacl_io needs it. Otherwise PENTACL_WITH_NAME=OFF leaves it out, and PENTA_HAVE_NAME is defined if
# it is used.
set(PENTACL_IO_LIBRARIES "")        # targets
set(PENTACL_IO_DEFINITIONS "")      # PENTA_HAVE_...
set(PENTACL_IO_REQUIRES "")         # names in pkg-config, for programs that link the static library
set(PENTACL_IO_FIND "")             # lines of CMake, for the same
include(CMakeFindDependencyMacro)

function(pentacl_io_library name what)
  cmake_parse_arguments(A "REQUIRED" "TARGET;PC" "PACKAGE;MODULES" ${ARGN})
  if(NOT A_REQUIRED)
    option(PENTACL_WITH_${name} "${what}" ON)
  endif()
  if(A_REQUIRED OR PENTACL_WITH_${name})
    if(A_PACKAGE)
      find_package(${A_PACKAGE})
      string(REPLACE ";" " " package "${A_PACKAGE}")
      set(find "find_dependency(${package})")
    else()
      pkg_search_module(${name} IMPORTED_TARGET GLOBAL ${A_MODULES})
      set(A_TARGET PkgConfig::${name})
      set(A_PC ${${name}_MODULE_NAME})
      set(find "pkg_search_module(${name} REQUIRED IMPORTED_TARGET ${A_MODULES})")
      string(REPLACE ";" " " find "${find}")
    endif()
  endif()
  if(TARGET ${A_TARGET})
    get_target_property(alias ${A_TARGET} ALIASED_TARGET)
    if(NOT alias)
      set_target_properties(${A_TARGET} PROPERTIES IMPORTED_GLOBAL TRUE) # seen by projects that add pentacl as a folder
    endif()
    set(PENTACL_IO_LIBRARIES ${PENTACL_IO_LIBRARIES} ${A_TARGET} PARENT_SCOPE)
    set(PENTACL_IO_DEFINITIONS ${PENTACL_IO_DEFINITIONS} PENTA_HAVE_${name} PARENT_SCOPE)
    set(PENTACL_IO_REQUIRES ${PENTACL_IO_REQUIRES} ${A_PC} PARENT_SCOPE)
    set(PENTACL_IO_FIND "${PENTACL_IO_FIND}    ${find}\n" PARENT_SCOPE)
  elseif(A_REQUIRED)
    message(FATAL_ERROR "${name} was not found: libpentacl_io needs it (${what}). PENTACL_BUILD_IO=OFF builds without it")
  else()
    message(STATUS "${name} was not found or is switched off: ${what} is refused")
  endif()
endfunction()

pentacl_io_library(JANSSON "models, recipes and archives in JSON" REQUIRED MODULES jansson)
pentacl_io_library(PNG "PNG images" REQUIRED TARGET PNG::PNG PACKAGE PNG PC libpng)
pentacl_io_library(TIFF "reading and writing TIFF images" TARGET TIFF::TIFF PACKAGE TIFF PC libtiff-4)
pentacl_io_library(JPEG "reading and writing JPEG images" TARGET JPEG::JPEG PACKAGE JPEG PC libjpeg)
pentacl_io_library(FITS "reading and writing FITS files" MODULES cfitsio)
pentacl_io_library(HDF5 "bodies in GADGET's HDF5" MODULES hdf5-serial hdf5) # the former if a parallel one is installed too
pentacl_io_library(GDAL "cubes in GeoTIFF and others" MODULES gdal)
pentacl_io_library(MATIO "cubes and movies in MATLAB files" MODULES matio)
pentacl_io_library(RAW "camera raw images" MODULES libraw_r libraw) # the former is thread-safe
pentacl_io_library(GIF "GIF images" TARGET GIF::GIF PACKAGE GIF 5)
