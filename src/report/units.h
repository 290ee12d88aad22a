// SPDX-License-Identifier: MIT
// Numbers for people: three or four significant digits, and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace kbv {

std::string show_us(double microseconds);  ///< "35.5 us", "2.81 ms", "1.20 s"
std::string show_bytes(std::uint64_t bytes);  ///< "512 B", "4.00 MiB"
std::string show_factor(double factor);       ///< "1.02x", "0.043x", "123x"
std::string show_range(double low, double high);  ///< "1.00 to 1.03"; "at least 1.00" if it has no end
std::string show_error(double error);         ///< "0", "3.1e-05", "0.023"

}  // namespace kbv
