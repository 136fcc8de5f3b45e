# SPDX-License-Identifier: Apache-2.0
# Every check is a target: ninja check-layers, check-self-contained, check-amalgamation, check-compile-fail, check-odr
# (in tests/odr), check-format, check-consume, check-bench (that benchmarks compile), check-errors, check-snippets,
# check-api-doc, check-planted (that the checks themselves find planted mistakes). tools/check_all.sh runs them all.

find_package(Python3 COMPONENTS Interpreter)
find_program(TENON_CLANG NAMES clang++-19 clang++)
mark_as_advanced(TENON_CLANG)
set(tools ${PROJECT_SOURCE_DIR}/tools)

# tenon_check(NAME command...): the target check-NAME, run in the source folder with its output shown as it comes.
function(tenon_check name)
  add_custom_target(check-${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL VERBATIM)
endfunction()

set(compilers --compiler ${CMAKE_CXX_COMPILER})
if(TENON_CLANG AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND compilers --compiler ${TENON_CLANG})
endif()

tenon_check(format ${tools}/format.sh --check)
tenon_check(docs ${tools}/docs.sh --check)
tenon_check(bench ${tools}/check_bench.sh)
tenon_check(consume ${PROJECT_SOURCE_DIR}/tests/consume/run.sh)
if(Python3_FOUND)
  tenon_check(layers ${Python3_EXECUTABLE} ${tools}/check_layers.py
              COMMAND ${Python3_EXECUTABLE} ${tools}/forward_tensorflow_headers.py --check)
  tenon_check(errors ${Python3_EXECUTABLE} ${tools}/check_errors.py)
  tenon_check(snippets ${Python3_EXECUTABLE} ${tools}/check_snippets.py --compile)
  tenon_check(api-doc ${Python3_EXECUTABLE} ${tools}/make_api_doc.py --check)
  tenon_check(planted ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tools/checks_test.py
              COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tools/release_test.py)
  tenon_check(amalgamation ${Python3_EXECUTABLE} ${tools}/amalgamate.py --check)
  add_custom_target(amalgamate COMMAND ${Python3_EXECUTABLE} ${tools}/amalgamate.py VERBATIM)
  tenon_check(self-contained ${Python3_EXECUTABLE} ${tools}/check_self_contained.py ${compilers})
  set(commands ${compilers})
  list(TRANSFORM commands REPLACE "^--compiler$" "COMMAND;${Python3_EXECUTABLE};${tools}/compile_fail.py;--compiler")
  list(POP_FRONT commands)
  tenon_check(compile-fail ${commands} COMMAND ${Python3_EXECUTABLE} ${tools}/link_fail.py --compiler ${CMAKE_CXX_COMPILER})
endif()
add_custom_target(format COMMAND ${tools}/format.sh WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
