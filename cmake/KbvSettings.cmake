# SPDX-License-Identifier: MIT
# Two interface targets that every target of ours links: language settings, and warnings.
add_library(kbv_settings INTERFACE)
target_compile_features(kbv_settings INTERFACE cxx_std_20)
target_compile_definitions(kbv_settings INTERFACE _GNU_SOURCE)
if(KBV_SANITIZE)
  target_compile_options(kbv_settings INTERFACE -fsanitize=${KBV_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(kbv_settings INTERFACE -fsanitize=${KBV_SANITIZE})
endif()

add_library(kbv_warnings INTERFACE)
target_compile_options(kbv_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Wconversion -Wsign-conversion
  -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough $<$<BOOL:${KBV_DEV}>:-Werror>)

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_path(KBV_TOML_INCLUDE toml++/toml.h REQUIRED)

# The binary must run on another Linux with nothing but libc: what is not header-only comes from an archive if there is
# one. (Debian has no archive of fmt, so it is used header-only.)
find_path(KBV_FMT_INCLUDE fmt/format.h REQUIRED)
add_library(kbv_fmt INTERFACE)
target_include_directories(kbv_fmt SYSTEM INTERFACE ${KBV_FMT_INCLUDE})
target_compile_definitions(kbv_fmt INTERFACE FMT_HEADER_ONLY=1)
find_library(KBV_CRYPTO_LIBRARY NAMES libcrypto.a crypto REQUIRED)
set(KBV_CRYPTO_LIBRARIES ${KBV_CRYPTO_LIBRARY})
if(KBV_CRYPTO_LIBRARY MATCHES "\\.a$")
  # Debian 13's archive is built with compression, and an archive does not say what it needs.
  foreach(part IN ITEMS z zstd)
    find_library(KBV_CRYPTO_NEEDS_${part} NAMES lib${part}.a)
    if(KBV_CRYPTO_NEEDS_${part})
      list(APPEND KBV_CRYPTO_LIBRARIES ${KBV_CRYPTO_NEEDS_${part}})
    endif()
  endforeach()
endif()
find_path(KBV_SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(KBV_SQLITE_LIBRARY NAMES libsqlite3.a sqlite3 REQUIRED)
