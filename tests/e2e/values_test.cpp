// SPDX-License-Identifier: MIT
// What KernelBench's problems may take and give: each kind is accepted when right and rejected when wrong.
#include "run_kbv.h"

namespace kbv::test {
namespace {

struct Kind {
  std::string name;
  ProblemText problem;
  std::string wrong_forward;   ///< a forward that must be rejected, in the same place
  std::string code = "wrong_output";
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Values : public WithTorch, public testing::WithParamInterface<Kind> {};

TEST_P(Values, RightIsCorrectAndWrongIsRejected) {
  const Kind& kind = GetParam();
  Ended ended = eval(kind.problem.text(), kind.problem.candidate());
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, testing::StartsWith("CORRECT"));

  ProblemText wrong = kind.problem;
  wrong.forward = kind.wrong_forward;
  ended = eval(kind.problem.text(), wrong.candidate());
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["verdicts"][0]["code"], kind.code) << ended.out;
}

ProblemText with(std::string forward, std::string parameters = "x", std::string inputs = "[torch.randn(8, 16)]") {
  ProblemText problem;
  problem.forward = std::move(forward);
  problem.parameters = std::move(parameters);
  problem.inputs = std::move(inputs);
  return problem;
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  const auto add = [&](const char* name, ProblemText problem, const char* wrong, const char* code = "wrong_output") {
    all.push_back({name, std::move(problem), wrong, code});
  };
  add("tuple", with("return x + 1, x.sum()"), "return x + 1, x.mean()");
  add("list_for_tuple", with("return [x + 1, x.sum()]"), "return [x + 1]", "wrong_structure");
  add("dict", with("return {'a': x + 1, 'b': x.sum(0)}"), "return {'a': x + 1, 'b': x.sum(0) + 1}");
  add("dict_key_missing", with("return {'a': x + 1, 'b': x.sum(0)}"), "return {'a': x + 1}", "wrong_structure");
  add("nested", with("return {'a': [x, (x * 2, None)]}"), "return {'a': [x, (x * 3, None)]}");
  add("none_beside_a_tensor", with("return x, None"), "return x, x", "wrong_output");
  add("float_scalar", with("return float(x.sum())"), "return float(x.sum()) + 1");
  add("int_scalar", with("return int(x.shape[0]) * 7, x"), "return int(x.shape[0]) * 7 + 1, x");
  add("bool_scalar", with("return bool((x > -100).all()), x"), "return False, x");
  add("number_for_a_tensor", with("return x.sum()"), "return float(x.sum())", "wrong_structure");
  add("empty_tensor", with("return x[:0], x.sum()"), "return x[:1], x.sum()", "wrong_shape");
  add("zero_dimensions", with("return x.sum()"), "return x.sum().reshape(1)", "wrong_shape");
  add("int64_input", with("return x * 2, i[:, :3]", "x, i", "[torch.randn(8, 16), torch.randint(0, 1 << 40, (8, 16))]"),
      "return x * 2, (i[:, :3].double() + 0.6).long() + 1");
  add("int64_beyond_double", with("return i + 1", "i", "[(torch.randint(0, 1 << 10, (8,)) + (1 << 60))]"),
      "return i + 2");
  add("bool_input", with("return x.masked_fill(m, 0.0), ~m", "x, m", "[torch.randn(8, 16), torch.rand(8, 16) > 0.5]"),
      "return x.masked_fill(m, 0.0), m");
  add("half_input", with("return h + 1", "h", "[torch.randn(8, 16).half()]"), "return (h + 1).float()", "wrong_dtype");
  add("bfloat16_input", with("return h * 2", "h", "[torch.randn(8, 16).bfloat16()]"), "return h * 3");
  add("float64_input", with("return d * 2", "d", "[torch.randn(8, 16, dtype=torch.float64)]"), "return d * 2.5");
  add("uint8_input", with("return u.float() + 0.5", "u", "[torch.randint(0, 255, (64,), dtype=torch.uint8)]"),
      "return u.float()");
  add("complex_output", with("return torch.fft.fft(x)"), "return torch.fft.fft(x).conj()");
  add("numbers_and_text_as_inputs",
      with("return x * s if mode == 'mul' and flag else x", "x, s, mode, flag, nothing",
           "[torch.randn(8, 16), 3, 'mul', True, None]"),
      "return x * (s + 1)");
  add("a_random_number_as_input", with("return x * s", "x, s", "[torch.randn(8, 16), float(torch.rand(1)) + 1]"),
      "return x * 1.5");
  add("a_list_of_tensors_as_input", with("return xs[0] + xs[1]", "xs", "[[torch.randn(8), torch.randn(8)]]"), "return xs[0]");
  add("strided_input", with("return x.contiguous() + 1", "x", "[torch.randn(16, 8).t()]"), "return x.contiguous()");
  add("expanded_input", with("return x + 1", "x", "[torch.randn(1, 8).expand(4, 8)]"), "return x");
  add("no_inputs", [] {
    ProblemText p = with("return self.w * 2", "", "[]");
    p.constructor = "self.w = nn.Parameter(torch.randn(8))";
    return p;
  }(), "return self.w");
  add("seeded_parameters", [] {
    ProblemText p = with("return self.f(x)");
    p.constructor = "self.f = nn.Linear(16, 4)";
    return p;
  }(), "return x @ self.f.weight.t()");
  add("tensor_as_constructor_argument", [] {
    ProblemText p = with("return x * self.w");
    p.init_parameters = "w, n";
    p.init_inputs = "[torch.randn(16), 3]";
    p.constructor = "self.register_buffer('w', w * n)";
    return p;
  }(), "return x * self.w.abs()");
  add("state_that_changes_in_training_mode", [] {
    ProblemText p = with("return self.b(x)");
    p.constructor = "self.b = nn.BatchNorm1d(16)";
    return p;
  }(), "self.b.eval(); return self.b(x)");
  add("running_state_in_the_output", [] {
    ProblemText p = with("self.n.add_(1); return x * self.n");
    p.constructor = "self.register_buffer('n', torch.zeros(1))";
    return p;
  }(), "self.n.add_(2); return x * self.n");
  add("dropout_under_the_same_seed", with("return nn.functional.dropout(x, 0.5, True)"),
      "return nn.functional.dropout(x, 0.25, True)");
  add("transposed_output_view", with("return x.t()"), "return x.t() * 1.01");
  add("two_leaves_that_share_memory", with("return x, x.view(-1)"), "return x, x.view(-1).flip(0)");
  add("nan_in_the_candidate", with("return x * 1.0"), "return x / torch.zeros_like(x) * 0");
  add("output_on_another_device", with("return x * 1.0"), "return (x * 1.0).to('meta')", "wrong_structure");
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Values, testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param.name; });

class Options : public WithTorch {};

TEST_F(Options, PrecisionCastsFloatingInputsAndParametersOnly) {
  ProblemText problem = with("return self.f(x), i, d", "x, i, d",
                             "[torch.randn(8, 16), torch.arange(4), torch.randn(3, dtype=torch.float64)]");
  problem.constructor = "self.f = nn.Linear(16, 4)";
  for (const auto& [precision, dtype] : {std::pair{"fp32", "float32"}, {"fp16", "float16"}, {"bf16", "bfloat16"}}) {
    const Ended ended = eval(problem.text(), problem.candidate(), {"--no-timing", "--precision", precision});
    ASSERT_EQ(ended.code, 0) << precision << ended.out << ended.err;
    EXPECT_EQ(json["output_layout"][0]["dtype"], dtype);
    EXPECT_EQ(json["output_layout"][1]["dtype"], "int64");
    EXPECT_EQ(json["output_layout"][2]["dtype"], dtype);
  }
}

TEST_F(Options, ConstantsAndSizesReplaceWhatTheFileSays) {
  ProblemText problem;
  problem.more = "rows = 4\nSIZES = {'big': {'rows': 32}}";
  problem.inputs = "[torch.randn(rows, 16)]";
  ASSERT_EQ(eval(problem.text(), problem.candidate()).code, 0);
  EXPECT_EQ(json["output_layout"][0]["shape"][0], 4);
  ASSERT_EQ(eval(problem.text(), problem.candidate(), {"--no-timing", "--size", "big"}).code, 0);
  EXPECT_EQ(json["output_layout"][0]["shape"][0], 32);
  ASSERT_EQ(eval(problem.text(), problem.candidate(), {"--no-timing", "--set", "rows=5"}).code, 0);
  EXPECT_EQ(json["output_layout"][0]["shape"][0], 5);
  const Ended unknown = eval(problem.text(), problem.candidate(), {"--no-timing", "--size", "huge"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.out + unknown.err, testing::HasSubstr("'huge'"));
}

// What a reference that writes to its inputs leaves behind is nothing that right implementations start from.
TEST_F(Options, AReferenceThatWritesItsInputsIsJudgedAsCloselyAsAnother) {
  const ProblemText problem = with("return x.mul_(2.0) @ torch.ones(x.shape[1], 4)");
  const Ended right = eval(problem.text(), problem.candidate(), {"--no-timing"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const Ended wrong = eval(problem.text(), with("return x.mul_(2.02) @ torch.ones(x.shape[1], 4)").candidate(), {"--no-timing"});
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, testing::HasSubstr("wrong_output"));
}

TEST_F(Options, TheSameSecretGivesTheSameInputsAndAnotherGivesOthers) {
  const ProblemText problem = with("return x * 2");
  ASSERT_EQ(eval(problem.text(), with("return x * 2.00001").candidate()).code, 0);
  const auto first = json;
  ASSERT_EQ(eval(problem.text(), with("return x * 2.00001").candidate(),
                 {"--no-timing", "--seed", first["secret"].get<std::string>()}).code, 0);
  EXPECT_EQ(json["cases"], first["cases"]);
  ASSERT_EQ(eval(problem.text(), with("return x * 2.00001").candidate()).code, 0);
  EXPECT_NE(json["secret"], first["secret"]);
  EXPECT_NE(json["cases"], first["cases"]);
}

TEST_F(Options, TimingFillsBaselinesMemoryAndTimedCases) {
  const ProblemText problem = with("return torch.relu(x)", "x", "[torch.randn(512, 512)]");
  const Ended ended = eval(problem.text(), problem.candidate(), {"--max-calls", "4", "--time-budget", "0"});
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, testing::HasSubstr("── Speed"));
  EXPECT_THAT(ended.out, testing::HasSubstr("── Memory"));
  ASSERT_EQ(json["baselines"].size(), 1);
  EXPECT_TRUE(json["baselines"][0]["ok"]);
  const auto& time = json["candidate_time"];
  EXPECT_EQ(json["timing"]["rounds"], 4);
  EXPECT_EQ(time["attested_us"].size() + time["batch_us"].size(), 4u);
  EXPECT_EQ(time["forward_us"].size(), time["attested_us"].size());
  EXPECT_EQ(time["batch_forward_us"].size(), time["batch_us"].size());
  EXPECT_EQ(json["null"]["attested_us"].size(), time["attested_us"].size());
  for (std::size_t i = 0; i < time["attested_us"].size(); ++i)
    EXPECT_GT(time["attested_us"][i].get<double>(), time["forward_us"][i].get<double>()) << "a forward is a part of the whole";
  int timed = 0;
  for (const auto& one : json["cases"]) timed += one["kind"] == "timed";
  EXPECT_EQ(timed, 5);  // the memory run's output is checked too
  EXPECT_FALSE(json["candidate_memory"]["observed_growth_bytes"].is_null());
}

TEST_F(Options, ProductsAndConvolutionsAreCounted) {
  const ProblemText problem = with("return torch.relu(x @ x)", "x", "[torch.randn(96, 96)]");
  ASSERT_EQ(eval(problem.text(), problem.candidate(), {"--max-calls", "4", "--time-budget", "0"}).code, 0);
  EXPECT_EQ(json["timing"]["operations"], 2 * 96 * 96 * 96);
  EXPECT_EQ(json["timing"]["operations_per_s"], 0.0) << "no GPU, no rate, no floor";
  EXPECT_EQ(json["timing"]["warm_calls"], 1);
  EXPECT_TRUE(json["verdicts"][0]["time_us"].is_number());
}

TEST_F(Options, ShortCallsComeSeveralInAHandOver) {
  const ProblemText problem = with("return torch.relu(x)", "x", "[torch.randn(64, 64)]");
  ASSERT_EQ(eval(problem.text(), problem.candidate(), {"--max-calls", "8"}).code, 0);
  const int calls = json["timing"]["batch_calls"];
  EXPECT_GT(calls, 1);
  EXPECT_EQ(json["timing"]["why_single"], "");
  EXPECT_EQ(json["candidate_time"]["batch_us"].size(), 4u) << "8 rounds: 3 to learn how long a call is, and each fifth is single";
  int in_batches = 0;
  for (const auto& one : json["cases"])
    if (one["calls"] != 1) in_batches += one["calls"].get<int>();
  EXPECT_EQ(in_batches, 4 * calls) << "every call is checked";
}

TEST_F(Options, WhatEachCallOfAHandOverGivesIsChecked) {
  // Right whenever it is asked once; wrong from the second call on within a hand-over, which is seeded once.
  const ProblemText problem = with("return torch.relu(x)", "x", "[torch.randn(64, 64)]");
  const std::string cheat =
      "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    last = None\n\n    def forward(self, x):\n"
      "        again, ModelNew.last = ModelNew.last == torch.initial_seed(), torch.initial_seed()\n"
      "        y = torch.relu(x)\n        if again:\n            y[-1, -1] += 1\n        return y\n";
  const Ended ended = eval(problem.text(), cheat, {"--max-calls", "8", "--no-families"});
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.out, testing::HasSubstr("wrong_output"));
  EXPECT_THAT(ended.out, testing::HasSubstr("timed-"));
}

TEST_F(Options, AForwardThatDrawsRandomNumbersIsCalledOneByOne) {
  const ProblemText problem = with("return torch.nn.functional.dropout(x, 0.5, training=True)", "x", "[torch.randn(64, 64)]");
  ASSERT_EQ(eval(problem.text(), problem.candidate(), {"--max-calls", "5"}).code, 0);
  EXPECT_EQ(json["timing"]["batch_calls"], 1);
  EXPECT_EQ(json["timing"]["why_single"], "the forward draws random numbers");
}

TEST_F(Options, TimingEndsWhenItIsPreciseEnoughOrAtItsLimits) {
  // Long beside all noise, so that it is the rule that is tested and not the machine.
  const ProblemText problem = with("import time; time.sleep(0.05); return torch.relu(x)");
  ASSERT_EQ(eval(problem.text(), problem.candidate(), {"--time-precision", "1", "--time-budget", "60"}).code, 0);
  EXPECT_EQ(json["timing"]["ended_by"], "precision");
  EXPECT_LT(json["baselines"][0]["time"]["attested_us"].size(), 100u);
  const Ended ended = eval(problem.text(), problem.candidate(), {"--time-precision", "0", "--max-calls", "12"});
  ASSERT_EQ(ended.code, 0);
  EXPECT_EQ(json["timing"]["ended_by"], "call limit");
  EXPECT_EQ(json["candidate_time"]["attested_us"].size(), 12u);
  EXPECT_THAT(ended.out, testing::HasSubstr("12 rounds"));
}

TEST_F(Options, JsonOnStandardOutputIsNothingButJson) {
  const ProblemText problem;
  const std::string p = file("problem.py", problem.text()), c = file("candidate.py", problem.candidate());
  const Ended ended = kbv({"eval", p, c, "--device", "cpu", "--no-timing", "--json", "-"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto parsed = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(parsed.is_object()) << ended.out.substr(0, 200);
  EXPECT_EQ(parsed["schema"], "kbv-observation/5");
  EXPECT_THAT(ended.err, testing::HasSubstr("CORRECT"));
}

}  // namespace
}  // namespace kbv::test
