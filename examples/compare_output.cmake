# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=... -DEXPECTED=expected.txt -P compare_output.cmake: fails unless the program prints exactly that.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE code)
message("${output}")
file(READ "${EXPECTED}" expected)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${code}")
elseif(NOT output STREQUAL expected)
  message(FATAL_ERROR "The output differs from ${EXPECTED}:\n${expected}")
endif()
