// SPDX-License-Identifier: MIT
// SQLite as values and errors. Internal to the store layer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kbv {

class Database;

/// One run of a statement: bind() its parameters in order (they are copied), then either run() it, or next() for each
/// row and take its columns in order, each once. Texts are bytes.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  ~Statement();

  Statement& bind(std::int64_t value);
  Statement& bind(int value) { return bind(static_cast<std::int64_t>(value)); }
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  template <typename T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind_null();
  }
  Statement& bind_null();

  Result<bool> next();  ///< true: there is a row
  Result<void> run();   ///< to the end
  /// What `read` makes of each row.
  template <typename Read>
  auto all(Read read) -> Result<std::vector<decltype(read(*this))>> {
    std::vector<decltype(read(*this))> rows;
    while (true) {
      KBV_TRY_ASSIGN(const bool row, next());
      if (!row) return rows;
      rows.push_back(read(*this));
    }
  }

  std::int64_t integer();
  std::string text();  ///< of text and blobs
  std::optional<double> real_or_null();
  std::optional<std::int64_t> integer_or_null();
  bool is_null() const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}
  void note(int code);

  Database* database_;
  sqlite3_stmt* statement_;
  int parameter_ = 0, column_ = 0;
  int failed_ = 0;  // of a bind
};

class Database {
 public:
  enum class Mode { read, write };
  /// In write mode the file is made if it is not there. In read mode nothing of it is changed, but for what a writer
  /// that was killed left half done, which is taken back.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<Statement> prepare(std::string_view sql);
  /// Several statements, without parameters or rows.
  Result<void> script(const std::string& sql);
  Result<std::int64_t> number(std::string_view sql);  ///< the first column of the first row
  std::int64_t last_id() const;

  /// Whose fault a failure is: of a file that is none of ours or can't be read, the user's; the machine's otherwise.
  tl::unexpected<Error> error(int code) const;

 private:
  explicit Database(std::string path) : path_(std::move(path)) {}
  const std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace kbv
