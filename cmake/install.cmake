# The program, the libraries with their headers, and a CMake package: find_package(kurbel) gives the target kurbel::kurbel.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(kurbel_package_libraries
  kurbel_options kurbel_base kurbel_hdf5 kurbel_sid kurbel_sid_text kurbel_integration kurbel_sensitivity kurbel_mechanism kurbel_elements
  kurbel_floating_frame kurbel_joint_coordinates kurbel_natural_coordinates kurbel_parts kurbel_keys kurbel_problem kurbel_results kurbel_input kurbel_drawing
  kurbel_output kurbel_formulation kurbel_analysis kurbel_fem kurbel_optimizers kurbel_evaluation kurbel_study)
set(kurbel_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kurbel)

install(TARGETS ${kurbel_package_libraries} EXPORT kurbelTargets COMPONENT libkurbel-dev)
install(TARGETS kurbel COMPONENT kurbel)
install(DIRECTORY src/ DESTINATION include/kurbel COMPONENT libkurbel-dev FILES_MATCHING PATTERN "*.hpp"
        PATTERN app EXCLUDE PATTERN report EXCLUDE PATTERN shape EXCLUDE PATTERN python EXCLUDE)
install(DIRECTORY fem optimizers DESTINATION include/kurbel COMPONENT libkurbel-dev FILES_MATCHING PATTERN "*.hpp"
        PATTERN "petsc_*" EXCLUDE)
install(EXPORT kurbelTargets NAMESPACE kurbel:: DESTINATION ${kurbel_package_folder} COMPONENT libkurbel-dev)
configure_package_config_file(cmake/kurbelConfig.cmake.in ${PROJECT_BINARY_DIR}/kurbelConfig.cmake
                              INSTALL_DESTINATION ${kurbel_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kurbelConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kurbelConfig.cmake ${PROJECT_BINARY_DIR}/kurbelConfigVersion.cmake
        DESTINATION ${kurbel_package_folder} COMPONENT libkurbel-dev)

# Documents, examples, completion and the manual, where Debian has them. The folders lie beside each other as in the sources, so that
# links and commands of the pages hold: `inputs` is another name of the examples.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT kurbel)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT kurbel)
install(DIRECTORY inputs/ examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT kurbel)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
foreach(link "copyright LICENSE" "examples inputs")
  string(REPLACE " " ";" link ${link})
  list(GET link 0 file)
  list(GET link 1 name)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/links/${name} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT kurbel)
endforeach()
foreach(package kurbel libkurbel-dev python3-kurbel)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} RENAME copyright COMPONENT ${package})
endforeach()
install(FILES scripts/kurbel.bash DESTINATION share/bash-completion/completions RENAME kurbel COMPONENT kurbel)
find_program(HELP2MAN help2man)
if(HELP2MAN AND NOT KURBEL_SANITIZE)
  set(manual ${PROJECT_BINARY_DIR}/kurbel.1)
  add_custom_command(OUTPUT ${manual}.gz DEPENDS kurbel COMMENT "Manual page" VERBATIM
                     COMMAND ${HELP2MAN} --no-info --name=${PROJECT_DESCRIPTION} --output=${manual} $<TARGET_FILE:kurbel>
                     COMMAND gzip --best --no-name --force ${manual})
  add_custom_target(manual ALL DEPENDS ${manual}.gz)
  install(FILES ${manual}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT kurbel)
endif()
