# SPDX-License-Identifier: Apache-2.0
# The dependencies of Tenon and its components. Used by Tenon's own build and, installed, by TenonConfig.cmake.

# The libraries behind each component.
set(TENON_COMPONENT_LIBRARIES_eigen Eigen3::Eigen)
set(TENON_COMPONENT_LIBRARIES_cuda CUDA::cudart CUDA::cublas CUDA::cublasLt)
set(TENON_COMPONENT_LIBRARIES_protobuf protobuf::libprotobuf)
set(TENON_COMPONENT_LIBRARIES_re2 re2::re2)
set(TENON_COMPONENT_LIBRARIES_image PNG::PNG JPEG::JPEG)

# tenon_find_dependencies([REQUIRED]): Threads, unless the project already has a target of that name.
macro(tenon_find_dependencies)
  if(NOT TARGET Threads::Threads)
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads ${ARGN})
  endif()
endmacro()

# tenon_find_component(eigen|cuda|protobuf|re2|image [REQUIRED])
macro(tenon_find_component name)
  if("${name}" STREQUAL "eigen" AND NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 CONFIG ${ARGN})
  elseif("${name}" STREQUAL "cuda" AND NOT TARGET CUDA::cudart)
    find_package(CUDAToolkit ${ARGN})
  elseif("${name}" STREQUAL "protobuf" AND NOT TARGET protobuf::libprotobuf)
    find_package(Protobuf ${ARGN})
  elseif("${name}" STREQUAL "re2" AND NOT TARGET re2::re2)
    tenon_find_re2(${ARGN})
  elseif("${name}" STREQUAL "image")
    if(NOT TARGET PNG::PNG)
      find_package(PNG ${ARGN})
    endif()
    if(NOT TARGET JPEG::JPEG)
      find_package(JPEG ${ARGN})
    endif()
  endif()
endmacro()

# The target re2::re2: from RE2's own package, or, where a distribution ships none, from the header and the library.
macro(tenon_find_re2)
  find_package(re2 CONFIG QUIET)
  if(NOT TARGET re2::re2)
    find_path(TENON_RE2_INCLUDE_DIR re2/re2.h)
    find_library(TENON_RE2_LIBRARY re2)
    mark_as_advanced(TENON_RE2_INCLUDE_DIR TENON_RE2_LIBRARY)
    if(TENON_RE2_INCLUDE_DIR AND TENON_RE2_LIBRARY)
      add_library(re2::re2 UNKNOWN IMPORTED)
      set_target_properties(re2::re2 PROPERTIES IMPORTED_LOCATION "${TENON_RE2_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${TENON_RE2_INCLUDE_DIR}")
    elseif("${ARGN}" MATCHES "REQUIRED")
      message(FATAL_ERROR "Tenon's component 're2' needs RE2 (Debian: libre2-dev), which was not found")
    endif()
  endif()
endmacro()
