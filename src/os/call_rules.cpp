// SPDX-License-Identifier: MIT
#include "os/call_rules.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <initializer_list>
#include <utility>

namespace kbv {
namespace {

// From 424 on a call has one number on all architectures; older headers lack the newer names.
constexpr long k_io_uring_setup = 425, k_io_uring_enter = 426, k_io_uring_register = 427, k_open_tree = 428,
               k_move_mount = 429, k_fsopen = 430, k_fsconfig = 431, k_fsmount = 432, k_fspick = 433, k_clone3 = 435,
               k_pidfd_getfd = 438, k_process_madvise = 440, k_mount_setattr = 442, k_quotactl_fd = 443,
               k_memfd_secret = 447, k_process_mrelease = 448, k_open_tree_attr = 467;

constexpr std::uint32_t k_clone_newtime = 0x80, k_clone_newcgroup = 0x02000000;
/// In clone() the low byte is a signal, so a time namespace can't be asked for there.
constexpr std::uint32_t k_new_namespaces =
    CLONE_NEWNS | k_clone_newcgroup | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t k_query_personality = 0xffffffff, k_no_randomize = 0x0040000;
constexpr std::uint32_t k_tioclinux = 0x541C;

/// Refuses calls whatever their arguments are.
void deny(std::vector<CallRule>& rules, std::initializer_list<std::pair<const char*, long>> calls, Caller caller,
          const char* reason, int error = EPERM) {
  for (const auto& [name, number] : calls) rules.push_back({name, number, caller, error, reason});
}

void add_processes(std::vector<CallRule>& rules, BoxTool tool) {
  if (tool != BoxTool::debugger) {
    deny(rules, {{"ptrace", SYS_ptrace}}, Caller::attack, "takes control of another process");
    deny(rules, {{"process_vm_readv", SYS_process_vm_readv}, {"process_vm_writev", SYS_process_vm_writev}},
         Caller::attack, "reads or writes another process's memory");
  }
  deny(rules, {{"pidfd_getfd", k_pidfd_getfd}}, Caller::attack, "takes another process's descriptors");
  deny(rules, {{"process_madvise", k_process_madvise}}, Caller::probe, "drops another process's pages");
  deny(rules, {{"process_mrelease", k_process_mrelease}}, Caller::attack, "drops another process's memory");
  deny(rules, {{"kcmp", SYS_kcmp}}, Caller::probe, "tells addresses in the kernel apart by comparing");
}

void add_kernel(std::vector<CallRule>& rules) {
  deny(rules, {{"kexec_load", SYS_kexec_load}}, Caller::attack, "replaces the kernel");
#ifdef SYS_kexec_file_load
  deny(rules, {{"kexec_file_load", SYS_kexec_file_load}}, Caller::attack, "replaces the kernel");
#endif
  deny(rules,
       {{"init_module", SYS_init_module}, {"finit_module", SYS_finit_module}, {"delete_module", SYS_delete_module}},
       Caller::attack, "changes the kernel's code");
  deny(rules, {{"bpf", SYS_bpf}}, Caller::attack, "runs code in the kernel; its verifier has had many holes");
  // Libraries ask for these three and go on without them.
  deny(rules, {{"perf_event_open", SYS_perf_event_open}}, Caller::probe,
       "watches others, by counters and by addresses");
  deny(rules, {{"userfaultfd", SYS_userfaultfd}}, Caller::probe, "holds the kernel at a page fault, which wins races");
  deny(rules,
       {{"io_uring_setup", k_io_uring_setup},
        {"io_uring_enter", k_io_uring_enter},
        {"io_uring_register", k_io_uring_register}},
       Caller::probe, "makes system calls that no filter sees", ENOSYS);
  deny(rules, {{"memfd_secret", k_memfd_secret}}, Caller::probe, "memory that the judge's watch can't count", ENOSYS);
  deny(rules, {{"vmsplice", SYS_vmsplice}}, Caller::probe, "shares pages with the kernel; rarely used, often broken");
  deny(rules, {{"add_key", SYS_add_key}, {"request_key", SYS_request_key}, {"keyctl", SYS_keyctl}}, Caller::attack,
       "the kernel's keys belong to no namespace");
  deny(rules, {{"syslog", SYS_syslog}}, Caller::attack, "reads the kernel's log, with addresses and others' names");
#ifdef SYS_lookup_dcookie
  deny(rules, {{"lookup_dcookie", SYS_lookup_dcookie}}, Caller::attack,
       "turns a kernel's number into a path of the host");
#endif
#ifdef SYS_iopl
  deny(rules, {{"iopl", SYS_iopl}, {"ioperm", SYS_ioperm}}, Caller::attack, "opens the machine's ports");
  deny(rules, {{"modify_ldt", SYS_modify_ldt}}, Caller::probe,
       "16-bit segments, a corner of the kernel with many holes");
#endif
  rules.push_back(
      {"personality",
       SYS_personality,
       Caller::probe,
       EPERM,
       "makes data executable, or a kernel of another age; without random addresses a program harms itself only",
       CallTest::none_of,
       0,
       {0, k_query_personality, k_no_randomize}});
}

void add_machine(std::vector<CallRule>& rules) {
  deny(rules, {{"reboot", SYS_reboot}}, Caller::attack, "ends the machine");
  deny(rules, {{"swapon", SYS_swapon}, {"swapoff", SYS_swapoff}}, Caller::attack,
       "changes where the machine keeps its memory");
  deny(rules, {{"settimeofday", SYS_settimeofday}, {"clock_settime", SYS_clock_settime}}, Caller::attack,
       "sets the machine's clock");
  deny(rules, {{"clock_adjtime", SYS_clock_adjtime}, {"adjtimex", SYS_adjtimex}}, Caller::probe,
       "bends the machine's clock; asking is honest, and rare");
  deny(rules, {{"sethostname", SYS_sethostname}}, Caller::attack, "renames the machine");
  deny(rules, {{"setdomainname", SYS_setdomainname}}, Caller::attack, "renames the machine");
  deny(rules, {{"acct", SYS_acct}}, Caller::attack, "writes down what everybody runs");
  deny(rules, {{"quotactl", SYS_quotactl}, {"quotactl_fd", k_quotactl_fd}}, Caller::attack,
       "changes what others may store");
  deny(rules, {{"vhangup", SYS_vhangup}}, Caller::attack, "takes the terminal from others");
  // A terminal that is shared with whoever started the judge would run what is pushed into it.
  rules.push_back({"ioctl",
                   SYS_ioctl,
                   Caller::attack,
                   EPERM,
                   "TIOCSTI, TIOCLINUX: types into somebody's terminal",
                   CallTest::any_of,
                   1,
                   {TIOCSTI, k_tioclinux}});
}

void add_namespaces(std::vector<CallRule>& rules) {
  const char* const root_again =
      "in a new namespace it would hold capabilities, and reach parts of the kernel that need them";
  rules.push_back({"unshare",
                   SYS_unshare,
                   Caller::attack,
                   EPERM,
                   root_again,
                   CallTest::any_bit,
                   0,
                   {k_new_namespaces | k_clone_newtime}});
  rules.push_back({"clone", SYS_clone, Caller::attack, EPERM, root_again, CallTest::any_bit, 0, {k_new_namespaces}});
  // Its flags are in memory, where a filter can't look; without it the C library uses clone().
  deny(rules, {{"clone3", k_clone3}}, Caller::silent, "its flags can't be seen; clone() does the same", ENOSYS);
  deny(rules, {{"setns", SYS_setns}}, Caller::attack, "enters another's namespace");
  deny(rules,
       {{"mount", SYS_mount},
        {"umount2", SYS_umount2},
        {"pivot_root", SYS_pivot_root},
        {"chroot", SYS_chroot},
        {"move_mount", k_move_mount},
        {"open_tree", k_open_tree},
        {"open_tree_attr", k_open_tree_attr},
        {"fsopen", k_fsopen},
        {"fsconfig", k_fsconfig},
        {"fsmount", k_fsmount},
        {"fspick", k_fspick},
        {"mount_setattr", k_mount_setattr}},
       Caller::attack, "changes which files there are");
  deny(rules, {{"open_by_handle_at", SYS_open_by_handle_at}}, Caller::attack,
       "opens a file by its number, past every root and mount");
  deny(rules, {{"name_to_handle_at", SYS_name_to_handle_at}}, Caller::probe, "tells such a number");
  deny(rules, {{"fanotify_init", SYS_fanotify_init}}, Caller::attack, "watches or stops others' file accesses");
}

void add_network(std::vector<CallRule>& rules, BoxTool tool) {
  // The net namespace holds nothing but a loopback that is down; this keeps the code of the other families, where most
  // of the kernel's holes are, out of reach too. Libraries ask at import whether there is IPv6.
  std::vector<std::uint32_t> families = {AF_UNIX};
  if (tool == BoxTool::debugger) families.insert(families.end(), {AF_INET, AF_INET6, AF_NETLINK});
  rules.push_back({"socket", SYS_socket, Caller::probe, EAFNOSUPPORT, "only UNIX sockets have a use in a box",
                   CallTest::none_of, 0, families});
}

}  // namespace

std::vector<CallRule> call_rules(BoxTool tool) {
  std::vector<CallRule> rules;
  add_processes(rules, tool);
  add_kernel(rules);
  add_machine(rules);
  add_namespaces(rules);
  add_network(rules, tool);
  return rules;
}

}  // namespace kbv
