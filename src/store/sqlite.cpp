// SPDX-License-Identifier: MIT
#include "store/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace kbv {
namespace {

constexpr int k_busy_timeout_ms = 60'000;  // another process writes one result, which takes milliseconds

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      parameter_(other.parameter_),
      column_(other.column_),
      failed_(other.failed_) {}

Statement::~Statement() { ::sqlite3_finalize(statement_); }

void Statement::note(int code) {
  if (code != SQLITE_OK && failed_ == SQLITE_OK) failed_ = code;
}

Statement& Statement::bind(std::int64_t value) {
  note(::sqlite3_bind_int64(statement_, ++parameter_, value));
  return *this;
}

Statement& Statement::bind(double value) {
  note(::sqlite3_bind_double(statement_, ++parameter_, value));
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  note(::sqlite3_bind_text64(statement_, ++parameter_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  // An empty blob without an address would be NULL.
  note(::sqlite3_bind_blob64(statement_, ++parameter_, bytes.empty() ? "" : bytes.data(), bytes.size(),
                             SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null() {
  note(::sqlite3_bind_null(statement_, ++parameter_));
  return *this;
}

Result<bool> Statement::next() {
  if (failed_ != SQLITE_OK) return database_->error(failed_);
  column_ = 0;
  const int code = ::sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->error(code);
}

Result<void> Statement::run() {
  while (true) {
    KBV_TRY_ASSIGN(const bool row, next());
    if (!row) return {};
  }
}

std::int64_t Statement::integer() { return ::sqlite3_column_int64(statement_, column_++); }

std::string Statement::text() {
  const int column = column_++;
  const void* bytes = ::sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column));
  return bytes ? std::string(static_cast<const char*>(bytes), size) : std::string();
}

bool Statement::is_null() const { return ::sqlite3_column_type(statement_, column_) == SQLITE_NULL; }

std::optional<double> Statement::real_or_null() {
  const bool none = is_null();
  const double value = ::sqlite3_column_double(statement_, column_++);
  return none ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> Statement::integer_or_null() {
  const bool none = is_null();
  const std::int64_t value = integer();
  return none ? std::nullopt : std::optional(value);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode) {
  std::unique_ptr<Database> database(new Database(path));
  // With a read-only handle, what a killed writer left half done could not be taken back.
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::write ? SQLITE_OPEN_CREATE : 0);
  // SQLite would take a name that begins with ':' or "file:" for something else.
  const std::string name = path.starts_with('/') ? path : "./" + path;
  const int code = ::sqlite3_open_v2(name.c_str(), &database->handle_, flags, nullptr);
  if (code != SQLITE_OK) return database->error(code);
  ::sqlite3_busy_timeout(database->handle_, k_busy_timeout_ms);
  ::sqlite3_extended_result_codes(database->handle_, 1);
  // What is in a file that came from elsewhere must not run.
  ::sqlite3_db_config(database->handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(database->handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  KBV_TRY(database->script("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON"));
  if (mode == Mode::read) KBV_TRY(database->script("PRAGMA query_only = ON"));
  return database;
}

Database::~Database() { ::sqlite3_close_v2(handle_); }

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = ::sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return error(code);
  return Statement(*this, statement);
}

Result<void> Database::script(const std::string& sql) {
  const int code = ::sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

Result<std::int64_t> Database::number(std::string_view sql) {
  KBV_TRY_ASSIGN(Statement statement, prepare(sql));
  KBV_TRY_ASSIGN(const bool row, statement.next());
  return row ? statement.integer() : 0;
}

std::int64_t Database::last_id() const { return ::sqlite3_last_insert_rowid(handle_); }

tl::unexpected<Error> Database::error(int code) const {
  const int kind = code & 0xff;
  const bool theirs =
      kind == SQLITE_NOTADB || kind == SQLITE_CANTOPEN || kind == SQLITE_PERM || kind == SQLITE_READONLY;
  const std::string what = handle_ ? ::sqlite3_errmsg(handle_) : ::sqlite3_errstr(code);
  return fail(theirs ? Fault::usage : Fault::machine, theirs ? "bad_campaign" : "database", path_ + ": " + what);
}

}  // namespace kbv
