# SPDX-License-Identifier: Apache-2.0
# Warnings of Tenon's own programs; users of tenon::tenon keep theirs.

# tenon_warnings(TARGET): all of them, as errors.
function(tenon_warnings target)
  set(flags -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${flags}>")
  # nvcc's own generated code is not pedantic, and its front end repeats the host compiler's conversions.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror>"
                                           "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endfunction()
