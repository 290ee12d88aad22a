// SPDX-License-Identifier: MIT
// Figures of a web page as inline SVG, each with a title and a description. Whatever the values are, every coordinate
// is finite and inside. Where a function takes a `rule`, it must be an index of input.rules.
#pragma once

#include "report/web_input.h"
#include "report/web_text.h"

namespace kbv {

enum class WebMetric { correct, speedup, fast_1 };
const char* metric_name(WebMetric metric);    ///< for people
const char* metric_figure(WebMetric metric);  ///< NamedFigure::name

/// The style sheet's number of a protocol: the three last ones are 0 to 2, what comes before them is 3.
std::string rule_style(const WebInput& input, std::size_t rule);

/// One row a run: its figure under each of the rules, joined by a line.
void rules_chart(Html& html, const WebInput& input, WebMetric metric);
void rules_legend(Html& html, const WebInput& input);

/// One row a run: its figure in each corner of the 2x2 decomposition under rules[rule], from the FP32 baseline and
/// standard tests to the TF32 baseline and hidden ones.
void corner_chart(Html& html, const WebInput& input, std::size_t rule, WebMetric metric);
void corner_legend(Html& html, const Leaderboard& board);

/// Of each run, under rules[rule]: the share of all problems that it solves faster than x, over x.
void speedup_chart(Html& html, const WebInput& input, std::size_t rule);

/// A point for each solved problem: speedup and memory ratio, under rules[rule]. The colour is the run's, the shape the
/// level's.
void memory_chart(Html& html, const WebInput& input, std::size_t rule);

/// Runs and their colours, as in the two charts above.
void run_legend(Html& html, const WebInput& input);

/// Share of all problems that the run solves faster than `factor` under rules[rule]; nothing if no problem counts.
std::optional<double> share_faster(const RunScore& score, double factor);

}  // namespace kbv
