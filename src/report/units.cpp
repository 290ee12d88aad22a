// SPDX-License-Identifier: MIT
#include "report/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace kbv {
namespace {

/// Three significant digits, never in exponent form.
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 || size == 0 ? 2 : size >= 0.00095 ? 3 : 4;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string show_us(double microseconds) {
  if (!std::isfinite(microseconds)) return "-";
  const double size = std::abs(microseconds);
  if (size < 1e3) return three_digits(microseconds) + " us";
  if (size < 1e6) return three_digits(microseconds / 1e3) + " ms";
  return three_digits(microseconds / 1e6) + " s";
}

std::string show_bytes(std::uint64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return three_digits(value) + " " + units[unit];
}

std::string show_factor(double factor) { return std::isfinite(factor) ? three_digits(factor) + "x" : "-"; }

std::string show_range(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return "-";
  if (std::isinf(high)) return std::isinf(low) ? "-" : "at least " + three_digits(low);
  return three_digits(low) + " to " + three_digits(high);
}

std::string show_error(double error) {
  if (!std::isfinite(error)) return error > 0 ? "inf" : "nan";
  return fmt::format("{:.2g}", error);
}

}  // namespace kbv
