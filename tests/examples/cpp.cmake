# Installs the package into a folder of its own, builds the examples of C++ against it and runs them:
# cmake -D build=... -D source=... -D work=... -D input=... -P cpp.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
run(${CMAKE_COMMAND} -S ${source} -B ${work}/build -G Ninja -D CMAKE_PREFIX_PATH=${work}/installed -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/evaluate ${input})
run(${work}/build/steepest_descent ${input})
run(${work}/build/built_in_code)
