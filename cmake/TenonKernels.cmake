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

  set(text "// Written by tenon_add_kernels(${target}).\n#include <tenon/kernel/register.hpp>\n")
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
    foreach(type IN LISTS arg_TYPES)
      string(APPEND text "static_assert(tenon::DataTypeFromName(\"${type}\") != tenon::DataType::kInvalid,\n"
                         "              \"tenon_add_kernels(${target}): TYPES has '${type}', which is no dtype\");\n")
    endforeach()
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

# tenon_add_graph_kernels(TARGET GRAPHS graph... [SAVE] [LINK library...])
#
# An OBJECT library with the kernels that these graphs need, and no other: their ops, those of their functions included,
# each for the dtypes that it is used with. A graph is a GraphDef in a file or the folder of a SavedModel. The list is
# made when it is built, and again when a graph changes. SAVE adds the ops with which a SavedModel saves itself. Ops that are not among Tenon's own are named by the build and
# left to tenon_add_kernels or TENON_REGISTER.
function(tenon_add_graph_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SAVE" "" "GRAPHS;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_GRAPHS)
    message(FATAL_ERROR "tenon_add_graph_kernels(${target}): wanted GRAPHS, not '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(graphs "")
  set(files "")  # the build depends on them
  foreach(graph IN LISTS arg_GRAPHS)
    cmake_path(ABSOLUTE_PATH graph BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND graphs "${graph}")
    foreach(name IN ITEMS saved_model.pb saved_model.pbtxt)
      if(EXISTS "${graph}/${name}")
        list(APPEND files "${graph}/${name}")
      endif()
    endforeach()
    if(NOT IS_DIRECTORY "${graph}")
      list(APPEND files "${graph}")
    endif()
  endforeach()

  tenon_add_ops_of_program()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  set(headers "$<TARGET_PROPERTY:tenon::tenon,INTERFACE_INCLUDE_DIRECTORIES>")
  set(save $<$<BOOL:${arg_SAVE}>:--save>)
  add_custom_command(OUTPUT "${file}" COMMAND tenon_ops_of --register "${file}" --headers "${headers}" ${save} ${graphs}
                     DEPENDS tenon_ops_of ${files} COMMENT "Kernels for ${target}" VERBATIM COMMAND_EXPAND_LISTS)
  add_library(${target} OBJECT "${file}")
  target_link_libraries(${target} PUBLIC tenon::tenon ${arg_LINK})
endfunction()

# tenon_add_runtime()
#
# Three OBJECT libraries, each compiled when something links it. tenon::runtime has the definitions of <tenon/runtime.hpp>:
# the project's files then include <tenon/tenon.hpp> only. tenon::saved_model, beside it, has those of
# <tenon/saved_model.hpp>, which then only declares. tenon::gradients has the gradients of all standard ops, which
# <tenon/gradients.hpp> and <tenon/training.hpp> then leave out. find_package(Tenon) and add_subdirectory call this.
function(tenon_add_runtime)
  if(TARGET tenon_runtime)
    return()
  endif()
  foreach(part IN ITEMS runtime saved_model gradients)
    add_library(tenon_${part} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tenon_${part}.cpp")
    add_library(tenon::${part} ALIAS tenon_${part})
    target_link_libraries(tenon_${part} PUBLIC tenon::tenon)
    # -O3 makes a program with few ops larger by 2 %.
    target_compile_options(tenon_${part} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang>>:-O2>)
  endforeach()
  target_compile_definitions(tenon_saved_model INTERFACE TENON_DETAIL_SAVED_MODEL_IS_LINKED)
  target_compile_definitions(tenon_gradients INTERFACE TENON_DETAIL_GRADIENTS_ARE_LINKED)
  # The linker drops entry points that the program does not call.
  target_link_options(tenon_runtime INTERFACE $<$<PLATFORM_ID:Linux>:LINKER:--gc-sections>)
endfunction()

# tenon_add_all_ops([FILES n] [TYPES dtype...] [ONLY header...])
#
# tenon::ops, an OBJECT library with all of Tenon's ops (tenon::ops::All), compiled when something links it: for programs
# that run graphs which are not known when they are built. The first call decides.
#   FILES  how many files are compiled; 36 is the default
#   TYPES  TensorFlow's names of the types to instantiate (float int32 ...); left out: all
#   ONLY   the ops of headers below tenon/ops that begin so (list/ math/matmul ...); left out: all
function(tenon_add_all_ops)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "FILES" "TYPES;ONLY")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_all_ops: wanted FILES, TYPES or ONLY, not '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(TARGET tenon_ops)
    return()
  endif()
  if(NOT arg_FILES)
    set(arg_FILES 36)
  endif()
  tenon_add_ops_of_program()
  set(files "")
  foreach(part RANGE 1 ${arg_FILES})
    list(APPEND files "${CMAKE_CURRENT_BINARY_DIR}/tenon_ops/ops_${part}.cpp")
  endforeach()
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/tenon_ops")
  set(headers "$<TARGET_PROPERTY:tenon::tenon,INTERFACE_INCLUDE_DIRECTORIES>")
  add_custom_command(OUTPUT ${files}
                     COMMAND tenon_ops_of --register-all --headers "${headers}" --types "${arg_TYPES}" --only "${arg_ONLY}" ${files}
                     DEPENDS tenon_ops_of COMMENT "Kernels for tenon::ops" VERBATIM)
  add_library(tenon_ops OBJECT EXCLUDE_FROM_ALL ${files})
  add_library(tenon::ops ALIAS tenon_ops)
  target_link_libraries(tenon_ops PUBLIC tenon::tenon)
endfunction()

# The program tenon_ops_of, compiled when something needs it.
function(tenon_add_ops_of_program)
  if(TARGET tenon_ops_of)
    return()
  endif()
  set(source "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tenon_ops_of.cpp")  # installed beside this file
  if(NOT EXISTS "${source}")
    set(source "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools/tenon_ops_of.cpp")
  endif()
  add_executable(tenon_ops_of EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(tenon_ops_of PRIVATE tenon::tenon)
  # It runs for milliseconds.
  target_compile_options(tenon_ops_of PRIVATE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-O0>)
endfunction()

if(TARGET tenon::tenon)  # from a package; Tenon's own build calls this when the target is there
  tenon_add_runtime()
endif()

# tenon_add_tf_custom_op(TARGET SOURCES file... [LINK library...])
#
# A shared library TARGET.so of sources that are written for TensorFlow, which LoadLibrary loads. Sources register by
# REGISTER_OP and REGISTER_KERNEL_BUILDER and need nothing of Tenon. Sources in CUDA need a project with that language.
set(TENON_TENSORFLOW_PLUGIN "${CMAKE_CURRENT_LIST_DIR}/tenon_tensorflow_plugin.cpp")
function(tenon_add_tf_custom_op target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "tenon_add_tf_custom_op(${target}): wanted SOURCES, not '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET Eigen3::Eigen)
    message(FATAL_ERROR "tenon_add_tf_custom_op(${target}): Eigen is needed: find_package(Tenon COMPONENTS eigen), or "
                        "the option TENON_WITH_EIGEN")
  endif()
  add_library(${target} MODULE ${arg_SOURCES} "${TENON_TENSORFLOW_PLUGIN}")
  target_link_libraries(${target} PRIVATE tenon::tensorflow_compat ${arg_LINK})
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
