// SPDX-License-Identifier: MIT
#include "judge/sanitize.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/fd.h"
#include "base/file.h"
#include "base/secret.h"
#include "judge/candidate.h"
#include "os/interrupt.h"

namespace kbv {
namespace {

using nlohmann::json;

constexpr const char* k_reduced_size = "cpu";
constexpr std::uint64_t k_file_bytes = 1ull << 30;  // of the report as well, which is memory
constexpr double k_least_end_s = 2;

std::vector<std::string> tool_command(const std::string& program, SanitizerTool tool) {
  std::vector<std::string> argv = {program, "--tool", to_string(tool), "--log-file", k_report_path};
  const auto add = [&](const char* option, const std::string& value) {
    argv.emplace_back(option);
    argv.push_back(value);
  };
  add("--error-exitcode", std::to_string(k_sanitizer_errors_code));
  add("--print-limit", "1000");  // libraries' errors count as well
  add("--show-backtrace", "device");
  // Compilers that a candidate starts are none of the tool's business, and are slow enough.
  add("--target-processes", "application-only");
  add("--launch-timeout", "0");  // our own limit counts
  if (tool == SanitizerTool::memcheck) {
    add("--padding", "65536");         // an access past the end of one array must not end in the next
    add("--report-api-errors", "no");  // PyTorch makes calls that fail, and goes on
  }
  // The judge's memory, which the worker copies its inputs from, was written in another process.
  if (tool == SanitizerTool::initcheck) add("--check-api-memory-access", "no");
  return argv;
}

/// The host as the tool needs it. Line numbers change nothing in the code that runs; without PyTorch's cache of blocks
/// every tensor has bounds of its own, and is new.
WorkerHost host_for(WorkerHost host, const std::string& program) {
  host.extra_env.insert(host.extra_env.end(), {"NVCC_APPEND_FLAGS=-lineinfo", "PYTORCH_NO_CUDA_MEMORY_CACHING=1"});
  for (auto& path : program_paths(program)) host.extra_read_only_paths.push_back(std::move(path));
  std::error_code ignored;
  const auto folder = std::filesystem::canonical(program, ignored).parent_path();
  if (std::filesystem::exists(folder / "libsanitizer-collection.so", ignored))
    host.extra_read_only_paths.push_back(folder.string());
  return host;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto newline = text.rfind('\n', end);
  const auto start = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(start, std::min(end + 1 - start, k_max_sanitizer_text));
}

Result<std::string> read_report(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail_errno("fstat");
  std::string bytes(std::min(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)), k_max_sanitizer_bytes + 1),
                    0);
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (n < 0) return fail_errno("pread");
    if (n == 0) break;  // somebody made it shorter
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

class Sanitizing {
 public:
  Sanitizing(const EvaluateContext& context, const SanitizeOptions& options, SanitizeFindings& findings)
      : context_(context),
        options_(options),
        device_(context.device),
        found_(findings),
        host_(host_for(context.host, options.program)) {}

  Result<void> run() {
    progress("start");
    KBV_TRY(freeze());
    KBV_TRY(start_reference());
    progress("build");
    if (auto built = build(); !built) {
      if (built.error().fault != Fault::candidate) return built;
      for (const SanitizerTool tool : options_.tools) add_unseen(tool, SanitizerStatus::incomplete, built.error().message);
      return {};
    }
    progress("wait for the device");
    const std::lock_guard lane(context_.lane);
    KBV_TRY(draw());
    for (const SanitizerTool tool : options_.tools) {
      progress(to_string(tool));
      KBV_TRY(run_tool(tool));
    }
    return {};
  }

 private:
  void progress(const char* name) {
    if (context_.progress) context_.progress(name);
  }

  Result<void> freeze() {
    problem_ = {options_.problem_path, {}, options_.size, options_.constants};
    KBV_TRY_ASSIGN(problem_.source, read_file(options_.problem_path, "problem"));
    KBV_TRY_ASSIGN(source_, read_file(options_.candidate_path, "candidate"));
    kernels_ = {kernel_names_in_source(source_), triton_names_in_source(source_)};
    KBV_TRY_ASSIGN(secret_, options_.secret_hex ? Secret::from_hex(*options_.secret_hex) : Secret::generate());
    found_.problem = {options_.problem_path, sha256_hex(problem_.source), problem_.source.size()};
    found_.candidate = {options_.candidate_path, sha256_hex(source_), source_.size()};
    found_.constants = options_.constants;
    found_.precision = context_.host.precision;
    found_.device = device_.info().name;
    found_.secret = secret_.hex();
    found_.program = options_.program;
    found_.forwards = options_.forwards;
    return {};
  }

  Result<void> start_reference() {
    KBV_TRY_ASSIGN(reference_, Reference::start(context_.host, options_.stages.for_trusted()));
    KBV_TRY(reference_->hello());
    KBV_TRY(reference_->attach());
    if (problem_.size.empty()) problem_.size = k_reduced_size;
    auto loaded = reference_->load(problem_, secret_.seed("init"));
    if (!loaded && options_.size.empty() && loaded.error().code == "no_size") {
      problem_.size.clear();
      loaded = reference_->load(problem_, secret_.seed("init"));
    }
    KBV_TRY(loaded);
    found_.size = problem_.size;
    KBV_TRY(reference_->construct(secret_.seed("construct")));
    return {};
  }

  Result<void> build() {
    if (!needs_build(source_)) return {};
    KBV_TRY_ASSIGN(bundle_, make_bundle());
    BuildFacts facts;
    return run_build_stage(
        host_, source_, options_.profile, options_.limits, options_.stages,
        [this](const IsolationReport& isolation) { return check_box(isolation); }, bundle_, facts);
  }

  Result<void> check_box(const IsolationReport& isolation) {
    found_.isolation_level = isolation.level;
    return check_isolation(isolation, options_.required_profile);
  }

  /// The inputs of all calls, the same for every tool.
  Result<void> draw() {
    KBV_TRY(reference_->learn_layout(secret_.seed("layout"), secret_.seed("forward/layout")));
    KBV_TRY(reference_->bind_draws(device_, options_.forwards));
    std::vector<Draw> draws;
    for (int i = 0; i < options_.forwards; ++i)
      draws.push_back({secret_.seed(fmt::format("draw/sanitize-{}", i)), false});
    KBV_TRY_ASSIGN(drawn_, reference_->draw(draws, 1.0, secret_.seed("forward/sanitize")));
    KBV_TRY_ASSIGN(inputs_, BufferSet::allocate(device_, reference_->input_tree(), "input", BufferSet::Kind::shared));
    return {};
  }

  /// Of a tool that gave no report.
  void add_unseen(SanitizerTool tool, SanitizerStatus status, const std::string& why) {
    SanitizerResult result;
    result.tool = tool;
    result.status = status;
    result.why = why;
    found_.tools.push_back(std::move(result));
  }

  Result<void> run_tool(SanitizerTool tool) {
    const auto start = Clock::now();
    const Fd report(::memfd_create("kbv-sanitizer", MFD_CLOEXEC));
    if (!report) return fail_errno("memfd_create");
    // The tool opens it by its path, as the box's user.
    if (::fchmod(report.get(), 0666) != 0) return fail_errno("fchmod");
    BoxLimits limits = options_.limits;
    limits.file_bytes = std::min(limits.file_bytes, k_file_bytes);
    const Runner runner{tool_command(options_.program, tool), report.get(), after_seconds(options_.timeout_s)};
    auto worker = start_candidate(host_, source_, options_.profile, limits, bundle_, runner);
    if (!worker) {
      if (worker.error().code == "interrupted") return tl::make_unexpected(std::move(worker).error());
      add_unseen(tool, SanitizerStatus::not_available, worker.error().message);
      return {};
    }
    KBV_TRY(check_box((*worker)->process().isolation()));

    SanitizerRun run;
    auto ran = make_calls(**worker);
    if (!ran) {
      const Error& error = ran.error();
      if (error.code == "interrupted") return tl::make_unexpected(error);
      run.failure = error.message;
      if (const std::string line = last_line(error.detail); !line.empty() && error.code == "worker_start")
        run.failure += ": " + line;
    }
    // What ran into the limit is not waited for once more.
    const double left_s = std::chrono::duration<double>(runner.deadline - Clock::now()).count();
    const auto status = (*worker)->finish(ran ? std::max(left_s, k_least_end_s) : std::clamp(left_s, 0.0, 30.0));
    (*worker)->process().kill();
    if (interrupted()) return fail(Fault::machine, "interrupted", "interrupted");
    if (status && status->signal == 0) run.exit_code = status->code;
    if (!status && run.failure.empty()) run.failure = fmt::format("the tool did not end in {:g} s", options_.timeout_s);
    KBV_TRY_ASSIGN(const std::string bytes, read_report(report.get()));
    SanitizerResult result = conclude_sanitizer(tool, parse_sanitizer_report(bytes), run, kernels_);
    result.seconds = seconds_since(start);
    found_.tools.push_back(std::move(result));
    return {};
  }

  /// Construction and calls as in an evaluation, without a clock.
  Result<void> make_calls(Worker& worker) {
    StageLimits stages;
    stages.load_s = options_.timeout_s;
    KBV_TRY(worker.hello(options_.timeout_s));
    KBV_TRY(worker.attach(options_.timeout_s));
    std::uint64_t state_bytes = 0;
    KBV_TRY(load_candidate(device_, worker, *reference_, bundle_, secret_.seed("construct"), stages, state_bytes,
                           arguments_));
    KBV_TRY(worker.bind("in0", reference_->input_tree(), inputs_.buffers));
    for (int i = 0; i < options_.forwards; ++i) {
      KBV_TRY(copy_set(device_, inputs_, reference_->draw_in(i)));
      KBV_TRY(device_.sync());
      const json& tree = drawn_.inputs[static_cast<std::size_t>(i)];
      KBV_TRY(worker.request({{"op", "inputs"}, {"set", "in0"}, {"tree", tree}}, options_.timeout_s, "runtime_error"));
      KBV_TRY(worker.request({{"op", "forward"}, {"forward_seed", secret_.seed(fmt::format("forward/sanitize-{}", i))}},
                             options_.timeout_s, "runtime_error"));
    }
    return {};
  }

  const EvaluateContext& context_;
  const SanitizeOptions& options_;
  Device& device_;
  SanitizeFindings& found_;
  const WorkerHost host_;
  Secret secret_;
  std::string source_;
  ProblemSpec problem_;
  ProvenanceContext kernels_;
  BuildBundle bundle_;
  std::unique_ptr<Reference> reference_;
  DrawReply drawn_;
  BufferSet inputs_, arguments_;  // mapped by one worker after the other
};

}  // namespace

Result<SanitizeFindings> sanitize(const EvaluateContext& context, const SanitizeOptions& options) {
  SanitizeFindings findings;
  KBV_TRY(Sanitizing(context, options, findings).run());
  return findings;
}

}  // namespace kbv
