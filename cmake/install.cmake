# The program, the libraries with their headers, and a CMake package: find_package(kurbel) gives the target kurbel::kurbel.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(kurbel_package_libraries
  kurbel_options kurbel_base kurbel_hdf5 kurbel_sid kurbel_sid_text kurbel_integration kurbel_sensitivity kurbel_mechanism kurbel_elements
  kurbel_floating_frame kurbel_joint_coordinates kurbel_natural_coordinates kurbel_parts kurbel_problem kurbel_results kurbel_input kurbel_drawing
  kurbel_output kurbel_formulation kurbel_fem kurbel_optimizers kurbel_evaluation kurbel_study)
set(kurbel_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kurbel)

install(TARGETS ${kurbel_package_libraries} EXPORT kurbelTargets)
install(TARGETS kurbel)
install(DIRECTORY src/ DESTINATION include/kurbel FILES_MATCHING PATTERN "*.hpp" PATTERN app EXCLUDE)
install(DIRECTORY fem optimizers DESTINATION include/kurbel FILES_MATCHING PATTERN "*.hpp")
install(EXPORT kurbelTargets NAMESPACE kurbel:: DESTINATION ${kurbel_package_folder})
configure_package_config_file(cmake/kurbelConfig.cmake.in ${PROJECT_BINARY_DIR}/kurbelConfig.cmake
                              INSTALL_DESTINATION ${kurbel_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kurbelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kurbelConfig.cmake ${PROJECT_BINARY_DIR}/kurbelConfigVersion.cmake
        DESTINATION ${kurbel_package_folder})
