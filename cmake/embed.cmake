# SPDX-License-Identifier: MIT
# Writes a file's bytes as a C++ array (an array, since a string literal has a length limit in some compilers).
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "#include <string_view>
namespace kbv {
extern const std::string_view ${SYMBOL};
static constexpr unsigned char bytes_of_${SYMBOL}[] = {
${bytes}0};
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(bytes_of_${SYMBOL}), sizeof(bytes_of_${SYMBOL}) - 1};
}  // namespace kbv
")
