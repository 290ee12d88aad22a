// SPDX-License-Identifier: MIT
// Theory of operation. The filter is a list of comparisons with the call's number. Modern kernels find out once which
// numbers always pass and skip the filter for them, so that an honest program pays nothing for its length. A refused
// call is held until the keeper has said so to the judge and lets it fail (SECCOMP_RET_USER_NOTIF). The keeper looks at
// nothing but the number, never says "go on", and so can't be raced. An outer filter that also refuses wins: the call
// fails there, and goes unnoticed.
#include "os/seccomp.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace kbv {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_AARCH64;
#else
#error "which architecture do system calls come from?"
#endif
constexpr std::uint32_t k_x32_bit = 0x40000000;
constexpr std::uint32_t k_no_call = 0xffffffff;  // what a skipped call's number is; the kernel refuses it itself

constexpr unsigned k_with_listener = 1u << 3;
/// Without it, older kernels switch a mitigation on for the process that slows an honest kernel's memory accesses.
constexpr unsigned k_spec_allow = 1u << 2;

class Program {
 public:
  void load(std::size_t offset) { add({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)}); }
  /// Jumps count the instructions to be left out.
  void jump(unsigned test, std::uint32_t value, std::size_t if_so, std::size_t if_not) {
    add({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), static_cast<std::uint8_t>(if_so),
         static_cast<std::uint8_t>(if_not), value});
  }
  void end(std::uint32_t action) { add({BPF_RET | BPF_K, 0, 0, action}); }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  void add(const sock_filter& instruction) { code_.push_back(instruction); }
  std::vector<sock_filter> code_;
};

void load_number(Program& program) { program.load(offsetof(seccomp_data, nr)); }

void check_entry(Program& program) {
  program.load(offsetof(seccomp_data, arch));
  program.jump(BPF_JEQ, k_architecture, 1, 0);
  program.end(SECCOMP_RET_KILL_PROCESS);
  load_number(program);
#if defined(__x86_64__)
  program.jump(BPF_JGE, k_x32_bit, 0, 2);
  program.jump(BPF_JEQ, k_no_call, 1, 0);
  program.end(SECCOMP_RET_KILL_PROCESS);
#endif
}

void add_rule(Program& program, const CallRule& rule, std::uint32_t action) {
  const auto number = static_cast<std::uint32_t>(rule.number);
  if (rule.test == CallTest::always) {
    program.jump(BPF_JEQ, number, 0, 1);
    program.end(action);
    return;
  }
  const std::size_t n = rule.values.size();
  program.jump(BPF_JEQ, number, 0, n + 3);  // load, n comparisons, end, load
  program.load(offsetof(seccomp_data, args) + rule.argument * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const unsigned test = rule.test == CallTest::any_bit ? BPF_JSET : BPF_JEQ;
    // To `end`, or past it.
    const std::size_t to_end = n - 1 - i, past_end = n - i;
    if (rule.test == CallTest::none_of)
      program.jump(test, rule.values[i], past_end, 0);
    else
      program.jump(test, rule.values[i], to_end, last ? 1 : 0);
  }
  program.end(action);
  load_number(program);
}

long install(std::vector<sock_filter> code, unsigned flags) {
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | k_spec_allow, &program);
  if (result < 0 && errno == EINVAL) result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  return result;
}

}  // namespace

std::vector<sock_filter> make_call_filter(const std::vector<CallRule>& rules, Refusal refusal) {
  Program program;
  check_entry(program);
  for (const CallRule& rule : rules) {
    const bool notice = refusal == Refusal::notice && rule.caller != Caller::silent;
    add_rule(program, rule,
             notice ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(rule.error) & SECCOMP_RET_DATA));
  }
  program.end(SECCOMP_RET_ALLOW);
  return program.take();
}

Result<Fd> install_call_filter(BoxTool tool) {
  const auto rules = call_rules(tool);
  // It comes back close-on-exec.
  if (const long fd = install(make_call_filter(rules, Refusal::notice), k_with_listener); fd >= 0)
    return Fd(static_cast<int>(fd));
  if (install(make_call_filter(rules, Refusal::quiet), 0) < 0) return fail_errno("seccomp");
  return Fd();
}

CallListener::CallListener(Fd fd, BoxTool tool) : fd_(std::move(fd)), rules_(call_rules(tool)), told_(rules_.size()) {
  // A newer kernel's structs may be longer than ours.
  seccomp_notif_sizes sizes{};
  ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
  request_bytes_ = std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif));
  response_bytes_ = std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp));
}

void CallListener::answer(const std::function<void(const RefusedCall&)>& tell) {
  std::vector<char> request_space(request_bytes_), response_space(response_bytes_);  // zeros, as the kernel wants it
  // Fails if the caller was killed meanwhile.
  if (::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_RECV, request_space.data()) != 0) return;
  seccomp_notif request{};
  std::memcpy(&request, request_space.data(), sizeof request);
  const auto rule = std::find_if(rules_.begin(), rules_.end(),
                                 [&](const CallRule& one) { return one.number == request.data.nr; });
  seccomp_notif_resp response{};
  response.id = request.id;
  response.error = rule == rules_.end() ? -EPERM : -rule->error;
  std::memcpy(response_space.data(), &response, sizeof response);
  if (rule != rules_.end()) {
    const auto index = static_cast<std::size_t>(rule - rules_.begin());
    if (!told_[index]) tell({"seccomp", rule->name, rule->caller == Caller::attack});
    told_[index] = true;
  }
  ::ioctl(fd_.get(), SECCOMP_IOCTL_NOTIF_SEND, response_space.data());
}

}  // namespace kbv
