# SPDX-License-Identifier: MIT
# kbv_embed(target symbol file [what builds it]): `extern const std::string_view kbv::symbol` holds the file's bytes.
function(kbv_embed target symbol file)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.cpp")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} -DIN=${file} -DOUT=${out} -DSYMBOL=${symbol} -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${file}" ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
