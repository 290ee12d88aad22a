// SPDX-License-Identifier: MIT
// Options that several verbs have.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace kbv {

void add_session_options(CLI::App& app, SessionOptions& options);
/// How a candidate is shut in.
void add_box_options(CLI::App& app, SessionOptions& options);
void add_instrument_option(CLI::App& app, SessionOptions& options);
/// What an evaluation tries, and for how long.
void add_evaluate_options(CLI::App& app, EvaluateOptions& options);

}  // namespace kbv
