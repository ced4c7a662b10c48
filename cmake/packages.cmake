# Debian packages: `cpack` in the build folder makes kurbel (program, documents, examples), libkurbel-dev (libraries and headers) and
# python3-kurbel.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL kurbel libkurbel-dev)
set(CPACK_PACKAGE_CONTACT "The kurbel authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_COMPONENT_KURBEL_DESCRIPTION ${PROJECT_DESCRIPTION})
set(CPACK_DEBIAN_KURBEL_PACKAGE_NAME kurbel)
set(CPACK_DEBIAN_KURBEL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_KURBEL_PACKAGE_DEPENDS plplot-driver-cairo)  # which draws the pictures
set(CPACK_DEBIAN_KURBEL_DESCRIPTION ${PROJECT_DESCRIPTION})
# Gmsh is loaded when a part is read, so that no linker knows of it.
if(GMSH_LIBRARY)
  file(REAL_PATH ${GMSH_LIBRARY} gmsh_file)
  execute_process(COMMAND dpkg-query --search ${gmsh_file} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:]+):")
    set(CPACK_DEBIAN_KURBEL_PACKAGE_RECOMMENDS ${CMAKE_MATCH_1})
    set(gmsh "${CMAKE_MATCH_1}, ")
  endif()
endif()

set(CPACK_COMPONENT_LIBKURBEL-DEV_DESCRIPTION "Libraries and headers of kurbel")
set(CPACK_DEBIAN_LIBKURBEL-DEV_PACKAGE_NAME libkurbel-dev)
set(CPACK_DEBIAN_LIBKURBEL-DEV_PACKAGE_DEPENDS
  "libeigen3-dev, libsuitesparse-dev, libmetis-dev, libopenblas-dev, libnlopt-cxx-dev, coinor-libipopt-dev, libhdf5-dev, libxxhash-dev, libvtk9-dev, libplplot-dev, libfmt-dev, libspdlog-dev, libtomlplusplus-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_LIBKURBEL-DEV_PACKAGE_RECOMMENDS "${gmsh}kurbel")  # which has the documents and examples
if(KURBEL_PETSC)
  string(APPEND CPACK_DEBIAN_LIBKURBEL-DEV_PACKAGE_DEPENDS ", petsc-dev")
endif()
if(LIB3MF_LIBRARY)
  string(APPEND CPACK_DEBIAN_LIBKURBEL-DEV_PACKAGE_DEPENDS ", lib3mf-dev")
endif()

if(TARGET kurbel_python)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")  # the module is of one minor version of Python
  list(APPEND CPACK_COMPONENTS_ALL python3-kurbel)
  set(CPACK_COMPONENT_PYTHON3-KURBEL_DESCRIPTION "kurbel as a Python module")
  set(CPACK_DEBIAN_PYTHON3-KURBEL_PACKAGE_NAME python3-kurbel)
  set(CPACK_DEBIAN_PYTHON3-KURBEL_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON3-KURBEL_PACKAGE_DEPENDS
    "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}~), python3 (<< ${Python3_VERSION_MAJOR}.${next_minor}~), python3-numpy")
  set(CPACK_DEBIAN_PYTHON3-KURBEL_PACKAGE_RECOMMENDS "${gmsh}kurbel")
  set(CPACK_DEBIAN_PYTHON3-KURBEL_PACKAGE_SUGGESTS "python3-matplotlib, python3-scipy")  # the latter recommends a compiler
  set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/python_folder_of_debian.cmake)
endif()
include(CPack)
