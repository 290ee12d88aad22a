// SPDX-License-Identifier: MIT
#include "os/call_rules.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

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

void add_processes(std::vector<CallRule>& rules, BoxTool tool) {
  const char* const memory = "reads or writes another process's memory";
  if (tool != BoxTool::debugger) {
    rules.push_back({"ptrace", SYS_ptrace, Caller::attack, EPERM, "takes control of another process"});
    rules.push_back({"process_vm_readv", SYS_process_vm_readv, Caller::attack, EPERM, memory});
    rules.push_back({"process_vm_writev", SYS_process_vm_writev, Caller::attack, EPERM, memory});
  }
  rules.push_back({"pidfd_getfd", k_pidfd_getfd, Caller::attack, EPERM, "takes another process's descriptors"});
  rules.push_back({"process_madvise", k_process_madvise, Caller::probe, EPERM, "drops another process's pages"});
  rules.push_back({"process_mrelease", k_process_mrelease, Caller::attack, EPERM, "drops another process's memory"});
  rules.push_back({"kcmp", SYS_kcmp, Caller::probe, EPERM, "tells addresses in the kernel apart by comparing"});
}

void add_kernel(std::vector<CallRule>& rules) {
  const auto deny = [&](const char* name, long number, Caller caller, const char* reason, int error = EPERM) {
    rules.push_back({name, number, caller, error, reason});
  };
  deny("kexec_load", SYS_kexec_load, Caller::attack, "replaces the kernel");
#ifdef SYS_kexec_file_load
  deny("kexec_file_load", SYS_kexec_file_load, Caller::attack, "replaces the kernel");
#endif
  for (const auto& [name, number] : {std::pair{"init_module", long{SYS_init_module}},
                                     std::pair{"finit_module", long{SYS_finit_module}},
                                     std::pair{"delete_module", long{SYS_delete_module}}})
    deny(name, number, Caller::attack, "changes the kernel's code");
  deny("bpf", SYS_bpf, Caller::attack, "runs code in the kernel; its verifier has had many holes");
  // Libraries ask for these three and go on without them.
  deny("perf_event_open", SYS_perf_event_open, Caller::probe, "watches others, by counters and by addresses");
  deny("userfaultfd", SYS_userfaultfd, Caller::probe, "holds the kernel at a page fault, which wins races");
  for (const auto& [name, number] : {std::pair{"io_uring_setup", k_io_uring_setup},
                                     std::pair{"io_uring_enter", k_io_uring_enter},
                                     std::pair{"io_uring_register", k_io_uring_register}})
    deny(name, number, Caller::probe, "makes system calls that no filter sees", ENOSYS);
  deny("memfd_secret", k_memfd_secret, Caller::probe, "memory that the judge's watch can't count", ENOSYS);
  deny("vmsplice", SYS_vmsplice, Caller::probe, "shares pages with the kernel; rarely used, often broken");
  for (const auto& [name, number] : {std::pair{"add_key", long{SYS_add_key}},
                                     std::pair{"request_key", long{SYS_request_key}},
                                     std::pair{"keyctl", long{SYS_keyctl}}})
    deny(name, number, Caller::attack, "the kernel's keys belong to no namespace");
  deny("syslog", SYS_syslog, Caller::attack, "reads the kernel's log, with addresses and others' names");
#ifdef SYS_lookup_dcookie
  deny("lookup_dcookie", SYS_lookup_dcookie, Caller::attack, "turns a kernel's number into a path of the host");
#endif
#ifdef SYS_iopl
  deny("iopl", SYS_iopl, Caller::attack, "opens the machine's ports");
  deny("ioperm", SYS_ioperm, Caller::attack, "opens the machine's ports");
  deny("modify_ldt", SYS_modify_ldt, Caller::probe, "16-bit segments, a corner of the kernel with many holes");
#endif
  rules.push_back({"personality", SYS_personality, Caller::probe, EPERM,
                   "makes data executable, or a kernel of another age; without random addresses a program harms itself only",
                   CallTest::none_of, 0, {0, k_query_personality, k_no_randomize}});
}

void add_machine(std::vector<CallRule>& rules) {
  const auto deny = [&](const char* name, long number, Caller caller, const char* reason) {
    rules.push_back({name, number, caller, EPERM, reason});
  };
  deny("reboot", SYS_reboot, Caller::attack, "ends the machine");
  deny("swapon", SYS_swapon, Caller::attack, "changes where the machine keeps its memory");
  deny("swapoff", SYS_swapoff, Caller::attack, "changes where the machine keeps its memory");
  deny("settimeofday", SYS_settimeofday, Caller::attack, "sets the machine's clock");
  deny("clock_settime", SYS_clock_settime, Caller::attack, "sets the machine's clock");
  deny("clock_adjtime", SYS_clock_adjtime, Caller::probe, "bends the machine's clock; asking is honest, and rare");
  deny("adjtimex", SYS_adjtimex, Caller::probe, "bends the machine's clock; asking is honest, and rare");
  deny("sethostname", SYS_sethostname, Caller::attack, "renames the machine");
  deny("setdomainname", SYS_setdomainname, Caller::attack, "renames the machine");
  deny("acct", SYS_acct, Caller::attack, "writes down what everybody runs");
  deny("quotactl", SYS_quotactl, Caller::attack, "changes what others may store");
  deny("quotactl_fd", k_quotactl_fd, Caller::attack, "changes what others may store");
  deny("vhangup", SYS_vhangup, Caller::attack, "takes the terminal from others");
  // A terminal that is shared with whoever started the judge would run what is pushed into it.
  rules.push_back({"ioctl", SYS_ioctl, Caller::attack, EPERM, "TIOCSTI, TIOCLINUX: types into somebody's terminal",
                   CallTest::any_of, 1, {TIOCSTI, k_tioclinux}});
}

void add_namespaces(std::vector<CallRule>& rules) {
  const char* const root_again = "in a new namespace it would hold capabilities, and reach parts of the kernel that need them";
  rules.push_back({"unshare", SYS_unshare, Caller::attack, EPERM, root_again, CallTest::any_bit, 0,
                   {k_new_namespaces | k_clone_newtime}});
  rules.push_back({"clone", SYS_clone, Caller::attack, EPERM, root_again, CallTest::any_bit, 0, {k_new_namespaces}});
  // Its flags are in memory, where a filter can't look; without it the C library uses clone().
  rules.push_back({"clone3", k_clone3, Caller::silent, ENOSYS, "its flags can't be seen; clone() does the same"});
  rules.push_back({"setns", SYS_setns, Caller::attack, EPERM, "enters another's namespace"});
  for (const auto& [name, number] :
       {std::pair{"mount", long{SYS_mount}}, std::pair{"umount2", long{SYS_umount2}},
        std::pair{"pivot_root", long{SYS_pivot_root}}, std::pair{"chroot", long{SYS_chroot}},
        std::pair{"move_mount", k_move_mount}, std::pair{"open_tree", k_open_tree},
        std::pair{"open_tree_attr", k_open_tree_attr}, std::pair{"fsopen", k_fsopen}, std::pair{"fsconfig", k_fsconfig},
        std::pair{"fsmount", k_fsmount}, std::pair{"fspick", k_fspick}, std::pair{"mount_setattr", k_mount_setattr}})
    rules.push_back({name, number, Caller::attack, EPERM, "changes which files there are"});
  rules.push_back({"open_by_handle_at", SYS_open_by_handle_at, Caller::attack, EPERM,
                   "opens a file by its number, past every root and mount"});
  rules.push_back({"name_to_handle_at", SYS_name_to_handle_at, Caller::probe, EPERM, "tells such a number"});
  rules.push_back({"fanotify_init", SYS_fanotify_init, Caller::attack, EPERM, "watches or stops others' file accesses"});
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
