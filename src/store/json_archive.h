// SPDX-License-Identifier: MIT
// One description of a struct serves both ways: fields(archive, object) calls archive.field(name, member) for each
// member; a Writer writes them and a Reader reads them. Enums go by name_of() and from_name(). Private to observation_json.cpp (the library is heavy).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace kbv {

using JsonOut = nlohmann::ordered_json;  // fields stay in the order of the structs
using JsonIn = nlohmann::json;           // looks keys up in logarithmic time, whatever the file

/// A 64-bit number that JSON tools which read numbers as doubles must not round: written as a decimal string.
template <typename Number>
struct AsText {
  Number& number;
};
template <typename Number>
AsText(Number&) -> AsText<Number>;  // C++20 makes these guides itself; clang 14, which builds the fuzz targets, does not

/// A string that is one of a few.
template <typename Text>
struct OneOf {
  Text& text;
  std::vector<std::string> names;
};
template <typename Text>
OneOf(Text&, std::vector<std::string>) -> OneOf<Text>;

inline JsonOut number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

class Writer {
 public:
  template <typename T>
  void field(const char* name, const T& value) {
    json_[name] = to_json(value);
  }
  template <typename T>
  void later_field(const char* name, const T& value) {
    field(name, value);
  }
  JsonOut take() { return std::move(json_); }

  template <typename T>
  static JsonOut to_json(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      return number_to_json(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      return std::string(name_of(value));
    } else {
      return of(value);
    }
  }

 private:
  template <typename T>
  static JsonOut of(const std::vector<T>& values) {
    JsonOut array = JsonOut::array();
    for (const T& value : values) array.push_back(to_json(value));
    return array;
  }
  template <typename T, std::size_t N>
  static JsonOut of(const std::array<T, N>& values) {
    return of(std::vector<T>(values.begin(), values.end()));
  }
  template <typename T>
  static JsonOut of(const std::map<std::string, T>& values) {
    JsonOut object = JsonOut::object();
    for (const auto& [key, value] : values) object[key] = to_json(value);
    return object;
  }
  template <typename T>
  static JsonOut of(const std::optional<T>& value) {
    return value ? to_json(*value) : JsonOut();
  }
  template <typename T>
  static JsonOut of(const AsText<T>& value) {
    return std::to_string(value.number);
  }
  template <typename T>
  static JsonOut of(const OneOf<T>& value) {
    return value.text;
  }
  template <typename T>
  static JsonOut of(const T& object) {
    Writer writer;
    fields(writer, object);
    return writer.take();
  }

  JsonOut json_ = JsonOut::object();
};

/// What is wrong, and where: "cases[3].outputs[0].shape: expected a list, got a string".
struct BadField : std::runtime_error {
  BadField(const std::string& path, const std::string& what)
      : std::runtime_error(path.empty() ? what : path + ": " + what) {}
};

/// The beginning of a text from the file, fit for an error message.
inline std::string plain(const std::string& text) {
  std::string shown = text.substr(0, 60);
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return shown;
}

/// Reads one object, strictly: a field that is missing, unknown or of another type is a BadField.
class Reader {
 public:
  Reader(const JsonIn& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) wrong("an object", json, path_);
  }

  template <typename T>
  void field(const char* name, T&& value) {
    seen_.insert(name);
    const std::string path = path_.empty() ? name : path_ + "." + name;
    const auto found = json_.find(name);
    if (found != json_.end()) read(*found, value, path);
    else throw BadField(path, "missing");
  }
  /// A field that the schema got later: who wrote without it knew nothing of what it tells, so it stays as it is.
  template <typename T>
  void later_field(const char* name, T&& value) {
    if (json_.contains(name)) field(name, std::forward<T>(value));
  }
  /// Passes over a field that may be there.
  void ignore(const char* name) { seen_.insert(name); }

  void finish() const {
    for (const auto& [name, value] : json_.items())
      if (seen_.count(name) == 0) throw BadField(path_, fmt::format("unknown field '{}'", plain(name)));
  }

 private:
  [[noreturn]] static void wrong(const std::string& expected, const JsonIn& got, const std::string& path) {
    throw BadField(path, fmt::format("expected {}, got {}", expected, got.is_null() ? "null" : got.type_name()));
  }

  static void read(const JsonIn& json, bool& value, const std::string& path) {
    if (!json.is_boolean()) wrong("true or false", json, path);
    value = json.get<bool>();
  }
  static void read(const JsonIn& json, std::string& value, const std::string& path) {
    if (!json.is_string()) wrong("a string", json, path);
    value = json.get_ref<const std::string&>();
  }
  static void read(const JsonIn& json, double& value, const std::string& path) {
    if (json.is_number()) value = json.get<double>();
    else if (json == "nan") value = std::numeric_limits<double>::quiet_NaN();
    else if (json == "inf") value = std::numeric_limits<double>::infinity();
    else if (json == "-inf") value = -std::numeric_limits<double>::infinity();
    else wrong("a number, \"nan\", \"inf\" or \"-inf\"", json, path);
  }
  template <typename T>
    requires(std::is_integral_v<T>)
  static void read(const JsonIn& json, T& value, const std::string& path) {
    using Limits = std::numeric_limits<T>;
    const bool fits = json.is_number_unsigned()
                          ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(Limits::max())
                          : json.is_number_integer() && std::is_signed_v<T> &&
                                json.get<std::int64_t>() >= static_cast<std::int64_t>(Limits::min());
    if (!json.is_number_integer()) wrong("a whole number", json, path);
    if (!fits) throw BadField(path, fmt::format("must be from {} to {}", Limits::min(), Limits::max()));
    value = json.get<T>();
  }
  template <typename T>
  static void read(const JsonIn& json, AsText<T>& value, const std::string& path) {
    if (!json.is_string()) wrong("a string of digits", json, path);
    const std::string& text = json.get_ref<const std::string&>();
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value.number);
    if (text.empty() || stop != end || error != std::errc()) throw BadField(path, "expected a 64-bit number in digits");
  }
  template <typename T>
  static void read(const JsonIn& json, OneOf<T>& value, const std::string& path) {
    read(json, value.text, path);
    std::string all;
    for (const std::string& name : value.names) {
      if (name == value.text) return;
      all += (all.empty() ? "\"" : ", \"") + name + "\"";
    }
    throw BadField(path, "expected one of " + all);
  }
  template <typename T>
    requires(std::is_enum_v<T>)
  static void read(const JsonIn& json, T& value, const std::string& path) {
    std::string name;
    read(json, name, path);
    if (!from_name(name, value)) throw BadField(path, fmt::format("'{}' is not a name that is known here", plain(name)));
  }
  template <typename T>
  static void read(const JsonIn& json, std::vector<T>& values, const std::string& path) {
    if (!json.is_array()) wrong("a list", json, path);
    values.clear();
    for (const JsonIn& item : json) {
      values.emplace_back();
      read(item, values.back(), fmt::format("{}[{}]", path, values.size() - 1));
    }
  }
  template <typename T, std::size_t N>
  static void read(const JsonIn& json, std::array<T, N>& values, const std::string& path) {
    std::vector<T> list;
    read(json, list, path);
    if (list.size() != N) throw BadField(path, fmt::format("expected {} values, got {}", N, list.size()));
    std::copy(list.begin(), list.end(), values.begin());
  }
  template <typename T>
  static void read(const JsonIn& json, std::map<std::string, T>& values, const std::string& path) {
    if (!json.is_object()) wrong("an object", json, path);
    values.clear();
    for (const auto& [key, item] : json.items()) read(item, values[key], path + "." + plain(key));
  }
  template <typename T>
  static void read(const JsonIn& json, std::optional<T>& value, const std::string& path) {
    value.reset();
    if (json.is_null()) return;
    T present{};
    read(json, present, path);
    value = std::move(present);
  }
  template <typename T>
    requires(std::is_class_v<T>)
  static void read(const JsonIn& json, T& object, const std::string& path) {
    Reader reader(json, path);
    fields(reader, object);
    reader.finish();
  }

  const JsonIn& json_;
  std::string path_;
  std::set<std::string> seen_;
};

}  // namespace kbv
