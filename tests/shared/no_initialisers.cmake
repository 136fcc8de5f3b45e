# SPDX-License-Identifier: Apache-2.0
# cmake -DOBJDUMP=... -DOBJECT=file.o -P: fails when something of the object runs before main.
execute_process(COMMAND ${OBJDUMP} -h ${OBJECT} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
if(NOT sections MATCHES "\\.text")
  message(FATAL_ERROR "${OBJECT}: no sections could be read")
endif()
if(sections MATCHES "\\.init_array|\\.ctors|__mod_init_func")
  message(FATAL_ERROR "${OBJECT} has static initialisers")
endif()
