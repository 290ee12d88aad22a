// SPDX-License-Identifier: MIT
#include "store/campaign.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string_view>

#include "base/fd.h"
#include "base/utc.h"
#include "store/observation_json.h"
#include "store/sqlite.h"

namespace kbv {

extern const std::string_view k_campaign_schema;

namespace {

constexpr std::int64_t k_application = 0x6b627663;  // "kbvc", in SQLite's header: what kind of file it is

tl::unexpected<Error> bad_file(const std::string& path, const std::string& what) {
  return fail(Fault::usage, "bad_campaign", path + ": " + what);
}

CampaignCandidate read_candidate(Statement& row) {
  CampaignCandidate candidate;
  candidate.id = row.integer();
  candidate.run = row.text();
  candidate.problem = row.integer();
  candidate.sample = static_cast<int>(row.integer());
  candidate.path = row.text();
  candidate.sha256 = row.text();
  return candidate;
}

std::optional<std::int64_t> signed_bytes(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

std::optional<std::uint64_t> unsigned_bytes(const std::optional<std::int64_t>& bytes) {
  return bytes ? std::optional(static_cast<std::uint64_t>(*bytes)) : std::nullopt;
}

}  // namespace

struct Campaign::Database {
  Fd lock;  // of a writer; the kernel gives it back whatever becomes of us
  std::unique_ptr<kbv::Database> sql;
  std::recursive_mutex mutex;  // one connection for all threads; together() calls the others
};

Campaign::Campaign(std::string path) : path_(std::move(path)), database_(new Database) {}
Campaign::~Campaign() = default;

Result<std::unique_ptr<Campaign>> Campaign::open(const std::string& path) {
  std::unique_ptr<Campaign> campaign(new Campaign(path));
  // SQLite's own locks are of another kind (fcntl), and last for a transaction; this one tells that somebody works on
  // it.
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) return bad_file(path, fail_errno("open").value().message);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno("flock");
    return fail(Fault::usage, "locked", path + ": another kbv works on this campaign");
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno("fstat");
  campaign->database_->lock = std::move(file);
  auto& sql = campaign->database_->sql;
  KBV_TRY_ASSIGN(sql, kbv::Database::open(path, kbv::Database::Mode::write));
  // An empty file may be one that was killed before its first transaction.
  KBV_TRY_ASSIGN(const std::int64_t tables, sql->number("SELECT count(*) FROM sqlite_schema"));
  KBV_TRY_ASSIGN(const std::int64_t application, sql->number("PRAGMA application_id"));
  if (tables == 0 && application == 0)
    KBV_TRY(sql->script(fmt::format("BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
                                    k_campaign_schema, k_application, k_version)));
  KBV_TRY(campaign->check());
  // A writer that was killed before its journal meant anything leaves it behind; whoever writes next takes it away.
  if (::access((path + "-journal").c_str(), F_OK) == 0)
    KBV_TRY(sql->script(fmt::format("BEGIN IMMEDIATE; PRAGMA user_version = {}; COMMIT", k_version)));
  return campaign;
}

Result<std::unique_ptr<Campaign>> Campaign::read(const std::string& path) {
  std::unique_ptr<Campaign> campaign(new Campaign(path));
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return bad_file(path, fail_errno("stat").value().message);
  if (!S_ISREG(status.st_mode)) return bad_file(path, "not a file");
  KBV_TRY_ASSIGN(campaign->database_->sql, kbv::Database::open(path, kbv::Database::Mode::read));
  KBV_TRY(campaign->check());
  return campaign;
}

Result<void> Campaign::check() {
  auto& sql = *database_->sql;
  KBV_TRY_ASSIGN(const std::int64_t application, sql.number("PRAGMA application_id"));
  if (application != k_application) return bad_file(path_, "not a campaign");
  KBV_TRY_ASSIGN(const std::int64_t version, sql.number("PRAGMA user_version"));
  if (version != k_version)
    return bad_file(path_, fmt::format("a campaign of version {}; this kbv knows version {}", version, k_version));
  return {};
}

Result<std::map<std::string, std::string>> Campaign::settings() {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows, database_->sql->prepare("SELECT name, value FROM setting"));
  std::map<std::string, std::string> all;
  while (true) {
    KBV_TRY_ASSIGN(const bool row, rows.next());
    if (!row) return all;
    std::string name = rows.text();
    all[std::move(name)] = rows.text();
  }
}

Result<void> Campaign::set(const std::string& name, const std::string& value) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement statement, database_->sql->prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)"));
  return statement.bind(name).bind(value).run();
}

Result<std::int64_t> Campaign::add_problem(const CampaignProblem& problem) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement find,
                 database_->sql->prepare("SELECT id, sha256, name FROM problem WHERE level = ? AND number = ?"));
  KBV_TRY_ASSIGN(const bool there, find.bind(problem.level).bind(problem.number).next());
  if (there) {
    const std::int64_t id = find.integer();
    if (find.text() == problem.sha256) return id;
    return fail(
        Fault::usage, "other_problem",
        fmt::format("{}: it holds another version of level {} no. {}, {}: results of the two can't be in one campaign",
                    path_, problem.level, problem.number, find.text()));
  }
  KBV_TRY_ASSIGN(
      Statement add,
      database_->sql->prepare("INSERT INTO problem (level, number, name, sha256, source) VALUES (?, ?, ?, ?, ?)"));
  KBV_TRY(add.bind(problem.level)
              .bind(problem.number)
              .bind(problem.name)
              .bind(problem.sha256)
              .bind_blob(problem.source)
              .run());
  return database_->sql->last_id();
}

Result<std::int64_t> Campaign::add_candidate(const CampaignCandidate& candidate) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement find, database_->sql->prepare(
                                     "SELECT id, sha256 FROM candidate WHERE run = ? AND problem = ? AND sample = ?"));
  KBV_TRY_ASSIGN(const bool there, find.bind(candidate.run).bind(candidate.problem).bind(candidate.sample).next());
  if (there) {
    const std::int64_t id = find.integer();
    if (find.text() == candidate.sha256) return id;
    return fail(
        Fault::usage, "other_candidate",
        fmt::format(
            "{}: not the same as the one that {} holds as sample {} of run {}: a changed run needs another campaign",
            candidate.path, path_, candidate.sample, candidate.run));
  }
  KBV_TRY_ASSIGN(Statement add,
                 database_->sql->prepare("INSERT INTO candidate (run, problem, sample, path, sha256, source) "
                                         "VALUES (?, ?, ?, ?, ?, ?)"));
  KBV_TRY(add.bind(candidate.run)
              .bind(candidate.problem)
              .bind(candidate.sample)
              .bind(candidate.path)
              .bind(candidate.sha256)
              .bind_blob(candidate.source)
              .run());
  return database_->sql->last_id();
}

Result<void> Campaign::together(const std::function<Result<void>()>& work) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY(database_->sql->script("BEGIN IMMEDIATE"));
  auto done = work();
  if (done) done = database_->sql->script("COMMIT");
  if (!done) (void)database_->sql->script("ROLLBACK");  // the first error is the one to tell
  return done;
}

Result<std::vector<CampaignProblem>> Campaign::problems() {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows, database_->sql->prepare("SELECT id, level, number, name, sha256, source FROM problem "
                                                         "ORDER BY level, number"));
  return rows.all([](Statement& row) {
    CampaignProblem problem;
    problem.id = row.integer();
    problem.level = static_cast<int>(row.integer());
    problem.number = static_cast<int>(row.integer());
    problem.name = row.text();
    problem.sha256 = row.text();
    problem.source = row.text();
    return problem;
  });
}

Result<std::vector<CampaignCandidate>> Campaign::candidates() {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(
      Statement rows,
      database_->sql->prepare("SELECT c.id, run, problem, sample, path, c.sha256 FROM candidate c JOIN problem p "
                              "ON c.problem = p.id ORDER BY run, level, number, sample"));
  return rows.all(read_candidate);
}

Result<CampaignCandidate> Campaign::candidate(std::int64_t id) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows,
                 database_->sql->prepare("SELECT id, run, problem, sample, path, sha256, source FROM candidate "
                                         "WHERE id = ?"));
  KBV_TRY_ASSIGN(const bool row, rows.bind(id).next());
  if (!row) return fail(Fault::usage, "no_candidate", fmt::format("{}: it has no candidate {}", path_, id));
  CampaignCandidate candidate = read_candidate(rows);
  candidate.source = rows.text();
  return candidate;
}

Result<void> Campaign::add_observation(std::int64_t candidate, const Observation& observation) {
  const std::string json = observation_to_json(observation, {}, JsonLayout::compact);
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement add, database_->sql->prepare("INSERT OR REPLACE INTO observation VALUES (?, ?, ?)"));
  return add.bind(candidate).bind(utc_now()).bind(json).run();
}

Result<void> Campaign::add_failure(std::int64_t candidate, const Error& error) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement add, database_->sql->prepare("INSERT INTO failure (candidate, at, code, message, detail) "
                                                        "VALUES (?, ?, ?, ?, ?)"));
  return add.bind(candidate).bind(utc_now()).bind(error.code).bind(error.message).bind(error.detail).run();
}

Result<std::vector<std::int64_t>> Campaign::observed() {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows, database_->sql->prepare("SELECT candidate FROM observation ORDER BY candidate"));
  return rows.all([](Statement& row) { return row.integer(); });
}

Result<std::optional<Observation>> Campaign::observation(std::int64_t candidate) {
  std::string json;
  {
    const std::lock_guard guard(database_->mutex);
    KBV_TRY_ASSIGN(Statement rows, database_->sql->prepare("SELECT json FROM observation WHERE candidate = ?"));
    KBV_TRY_ASSIGN(const bool row, rows.bind(candidate).next());
    if (!row) return std::nullopt;
    json = rows.text();
  }
  KBV_TRY_ASSIGN(Observation observation,
                 observation_from_json(json, fmt::format("{}: candidate {}", path_, candidate)));
  return std::optional(std::move(observation));
}

Result<std::vector<CampaignFailure>> Campaign::failures(std::int64_t candidate) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows, database_->sql->prepare(
                                     "SELECT at, code, message, detail FROM failure WHERE candidate = ? ORDER BY id"));
  rows.bind(candidate);
  return rows.all([](Statement& row) {
    CampaignFailure failure;
    failure.at = row.text();
    failure.code = row.text();
    failure.message = row.text();
    failure.detail = row.text();
    return failure;
  });
}

Result<void> Campaign::add_recorded(const RecordedResult& result) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement add,
                 database_->sql->prepare("INSERT OR REPLACE INTO recorded VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  return add.bind(result.run)
      .bind(result.level)
      .bind(result.number)
      .bind(result.sample)
      .bind(result.harness)
      .bind(result.tests)
      .bind(static_cast<int>(result.compiled))
      .bind(static_cast<int>(result.correct))
      .bind(result.runtime_ms)
      .bind(signed_bytes(result.peak_bytes))
      .bind(result.json)
      .run();
}

Result<void> Campaign::add_recorded_baseline(const RecordedBaseline& baseline) {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement add,
                 database_->sql->prepare("INSERT OR REPLACE INTO recorded_baseline VALUES (?, ?, ?, ?, ?, ?, ?)"));
  return add.bind(baseline.hardware)
      .bind(baseline.name)
      .bind(baseline.level)
      .bind(baseline.problem)
      .bind(baseline.mean_ms)
      .bind(signed_bytes(baseline.peak_bytes))
      .bind(baseline.json)
      .run();
}

const char* recorded_outcome(const RecordedResult& result) {
  return result.correct ? "correct" : result.compiled ? "wrong" : "not compiled";
}

Result<std::vector<RecordedResult>> Campaign::recorded() {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows,
                 database_->sql->prepare("SELECT * FROM recorded ORDER BY run, level, number, sample, harness, tests"));
  return rows.all([](Statement& row) {
    RecordedResult result;
    result.run = row.text();
    result.level = static_cast<int>(row.integer());
    result.number = static_cast<int>(row.integer());
    result.sample = static_cast<int>(row.integer());
    result.harness = row.text();
    result.tests = row.text();
    result.compiled = row.integer() != 0;
    result.correct = row.integer() != 0;
    result.runtime_ms = row.real_or_null();
    result.peak_bytes = unsigned_bytes(row.integer_or_null());
    result.json = row.text();
    return result;
  });
}

Result<std::vector<RecordedBaseline>> Campaign::recorded_baselines() {
  const std::lock_guard guard(database_->mutex);
  KBV_TRY_ASSIGN(Statement rows,
                 database_->sql->prepare("SELECT * FROM recorded_baseline ORDER BY hardware, name, level, problem"));
  return rows.all([](Statement& row) {
    RecordedBaseline baseline;
    baseline.hardware = row.text();
    baseline.name = row.text();
    baseline.level = static_cast<int>(row.integer());
    baseline.problem = row.text();
    baseline.mean_ms = row.real_or_null();
    baseline.peak_bytes = unsigned_bytes(row.integer_or_null());
    baseline.json = row.text();
    return baseline;
  });
}

}  // namespace kbv
