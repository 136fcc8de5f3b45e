# SPDX-License-Identifier: Apache-2.0
# cmake -DSTRIP=... -DSOME=program -DALL=program -DFOLDER=... -P: SOME prints what it should and, stripped, has at most
# 60 % of the bytes of ALL.
execute_process(COMMAND ${SOME} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "probabilities of 2 images: 2.000 in all\n")
  message(FATAL_ERROR "${SOME} printed '${printed}'")
endif()
foreach(program IN ITEMS SOME ALL)
  execute_process(COMMAND ${STRIP} -o ${FOLDER}/stripped_${program} ${${program}} COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE ${FOLDER}/stripped_${program} ${program}_bytes)
endforeach()
math(EXPR percent "100 * ${SOME_bytes} / ${ALL_bytes}")
message(STATUS "kernels for one graph: ${SOME_bytes} bytes, all kernels: ${ALL_bytes} bytes (${percent} %)")
if(percent GREATER 60)
  message(FATAL_ERROR "more than 60 %")
endif()
