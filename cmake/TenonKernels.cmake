# SPDX-License-Identifier: Apache-2.0
# tenon_add_kernels(TARGET OPS op... HEADERS header... [TYPES dtype...] [DEVICES CPU CUDA] [LINK library...])
#
# Writes the one file that registers the ops and compiles it into an OBJECT library: whoever links TARGET gets the
# objects themselves, so no linker drops the registration, as it may with a static library.
#   OPS      the op structs, with their namespaces
#   HEADERS  where they are: files of this folder, or names to be included in angle brackets
#   TYPES    TensorFlow's names of the types to instantiate (float int32 ...); left out: all that the signatures list
#   DEVICES  CPU is the default. With CUDA the same text is compiled a second time by nvcc for the GPU's kernels, where
#            the project has enabled the CUDA language; where it has not, CUDA is left out, so one list serves both.
#   LINK     what the headers need beside tenon::tenon (and tenon::cuda for CUDA), such as tenon::eigen
function(tenon_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPS;HEADERS;TYPES;DEVICES;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_OPS OR NOT arg_HEADERS)
    message(FATAL_ERROR "tenon_add_kernels(${target}): wanted OPS and HEADERS, not '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_DEVICES)
    set(arg_DEVICES CPU)
  endif()

  set(text "// Written by tenon_add_kernels(${target}).\n#include <tenon/register.hpp>\n")
  foreach(header IN LISTS arg_HEADERS)
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
    if(EXISTS "${path}")
      string(APPEND text "#include \"${path}\"\n")
    else()
      string(APPEND text "#include <${header}>\n")
    endif()
  endforeach()
  list(JOIN arg_OPS ", " ops)
  if(arg_TYPES)
    list(TRANSFORM arg_TYPES REPLACE "(.+)" "tenon::type_of_t<tenon::DataTypeFromName(\"\\1\")>" OUTPUT_VARIABLE types)
    list(JOIN types ", " types)
    string(APPEND text "TENON_REGISTER(tenon::Types<${types}>, ${ops});\n")
  else()
    string(APPEND text "TENON_REGISTER(${ops});\n")
  endif()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  add_library(${target} OBJECT)
  foreach(device IN LISTS arg_DEVICES)
    if(device STREQUAL "CPU")
      file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp" CONTENT "${text}" @ONLY)
      target_sources(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
    elseif(NOT device STREQUAL "CUDA")
      message(FATAL_ERROR "tenon_add_kernels(${target}): '${device}' is no device; there are CPU and CUDA")
    elseif("CUDA" IN_LIST languages)
      file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cu" CONTENT "#include <tenon/tenon.cuh>\n${text}" @ONLY)
      target_sources(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${target}.cu")
      target_link_libraries(${target} PUBLIC tenon::cuda)
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC tenon::tenon ${arg_LINK})
endfunction()
