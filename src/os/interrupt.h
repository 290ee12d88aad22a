// SPDX-License-Identifier: MIT
// Ctrl-C as a value: a flag, and a descriptor that every blocking wait of the judge polls as well.
#pragma once

namespace kbv {

/// Makes SIGINT and SIGTERM set the flag from now on. A second signal ends the process the usual way, so that a judge
/// that fails to return early can still be stopped; its boxes die with it.
void catch_interrupts();

/// True once SIGINT or SIGTERM came, or `interrupt()` was called.
bool interrupted();

/// Readable (never read it) once interrupted, so that poll() returns early.
int interrupt_fd();

/// Does what the signal does; for other parts of the judge, and for tests.
void interrupt();

/// Back to not interrupted; for tests.
void clear_interrupt();

}  // namespace kbv
