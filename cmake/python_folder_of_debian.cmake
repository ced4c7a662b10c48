# Below /usr Debian's Python looks into python3/dist-packages, whatever its version; below /usr/local into that of its version.
file(GLOB folders ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/python3.*)
foreach(folder ${folders})
  get_filename_component(parent ${folder} DIRECTORY)
  file(RENAME ${folder} ${parent}/python3)
endforeach()
