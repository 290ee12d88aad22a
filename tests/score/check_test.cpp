// SPDX-License-Identifier: MIT
#include "score/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sample_observation.h"

namespace kbv {
namespace {

using ::testing::HasSubstr;
using test::make_output;
using test::protocol;

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

std::string failure(const OutputCheck& output, const std::string& rules, std::optional<double> tolerance = {}) {
  return output_failure(output, protocol(rules), tolerance).value_or("");
}

TEST(OutputFailure, NamesIndexValuesErrorAndTolerance) {
  std::vector<double> expected(24, 1.0), got = expected;
  got[23] = 1.5;  // error 0.5 / 2
  const OutputCheck output = make_output(expected, got, DType::float32, {2, 3, 4}, "output[1]");
  EXPECT_EQ(failure(output, "verified"), "output[1][1, 2, 3] is 1.5, expected 1: error 0.25, tolerance 0.001");
}

TEST(OutputFailure, ToleranceIsThatOfTheDtype) {
  const OutputCheck single = make_output({0.0}, {0.005});
  const OutputCheck half = make_output({0.0}, {0.005}, DType::bfloat16);
  EXPECT_NE(failure(single, "verified"), "");
  EXPECT_EQ(failure(half, "verified"), "");
  EXPECT_EQ(failure(single, "kernelbench"), "");
}

TEST(OutputFailure, ToleranceItselfPasses) {
  OutputCheck output = make_output({0.0}, {1e-3});
  EXPECT_EQ(failure(output, "verified"), "");
  output.stats.tau = std::nextafter(1e-3, 1);
  EXPECT_THAT(failure(output, "verified"), HasSubstr("error 0.0010000000000000002, tolerance 0.001"));
  output.stats.tau = k_nan;
  EXPECT_NE(failure(output, "verified"), "");
}

TEST(OutputFailure, GivenToleranceReplacesThatOfFloatingTypesOnly) {
  EXPECT_NE(failure(make_output({0.0}, {5e-4}), "verified", 1e-4), "");
  EXPECT_EQ(failure(make_output({0.0}, {0.5}), "verified", 1.0), "");
  EXPECT_NE(failure(make_output({0.0}, {1.0}, DType::int64), "verified", 1.0), "");
}

TEST(OutputFailure, NanFailsUnderEveryTolerance) {
  const OutputCheck output = make_output({1.0, 2.0, 3.0}, {1.0, k_nan, 3.0});
  const std::string text = failure(output, "kernelbench", std::numeric_limits<double>::infinity());
  EXPECT_THAT(text, HasSubstr("output[1] is nan, expected 2: 1 of 3 elements are NaN or infinite"));
}

TEST(OutputFailure, IntegersByToleranceOrExactly) {
  const OutputCheck near = make_output({4000, 7}, {3999, 7}, DType::int64);  // error 1 / 4001: KernelBench's argmax hole
  EXPECT_EQ(failure(near, "kernelbench"), "");
  EXPECT_EQ(failure(near, "verified"), "");
  EXPECT_EQ(failure(near, "attested"), "output[0] is 3999, expected 4000: 1 of 2 integer elements differ, and they must "
                                       "be equal");
}

TEST(OutputFailure, IntegersThatLookEqualAsDoubles) {
  OutputCheck output = make_output({9007199254740992.0}, {9007199254740992.0}, DType::int64);
  output.stats.unequal = 1;
  EXPECT_EQ(failure(output, "attested"), "output: 1 of 1 integer elements differ, and they must be equal");
}

TEST(OutputFailure, RmsRuleSeesZerosForASmallOutput) {
  const std::vector<double> small(100, 6e-5);  // softmax over many columns
  const OutputCheck output = make_output(small, std::vector<double>(100, 0.0));
  EXPECT_EQ(failure(output, "kernelbench"), "");
  EXPECT_EQ(failure(output, "verified"), "");
  EXPECT_THAT(failure(output, "attested"), HasSubstr("the difference is 100 % of the output's own size (rms)"));
  EXPECT_THAT(failure(output, "attested", 1e-2), HasSubstr("within the tolerance 0.01"));
}

TEST(OutputFailure, RmsRuleSparesNoiseAndZeros) {
  EXPECT_EQ(failure(make_output({0.0, 0.0}, {1e-9, 0.0}), "attested"), "");
  EXPECT_EQ(failure(make_output({1e-8, -1e-8}, {-1e-8, 1e-8}), "attested"), "");  // a mean after a normalisation
  EXPECT_EQ(failure(make_output({1.0, 1.0}, {1.0005, 1.0}), "attested"), "");
}

TEST(ElementName, FromFlatIndex) {
  OutputCheck output = make_output({1.0}, {1.0}, DType::float32, {4, 5});
  EXPECT_EQ(element_name(output, 13), "output[2, 3]");
  EXPECT_EQ(element_name(output, 20), "output element 20");
  output.shape = {};
  EXPECT_EQ(element_name(output, 0), "output");
  output.shape = {-1, 5};
  EXPECT_EQ(element_name(output, 3), "output element 3");
  output.shape = {0, 5};
  EXPECT_EQ(element_name(output, 0), "output element 0");
  output.shape = {4'000'000'000'000'000'000, 4'000'000'000'000'000'000};
  EXPECT_EQ(element_name(output, 3), "output element 3");
}

TEST(ElementName, ComplexElementsAreTwoRealOnes) {
  const OutputCheck output = make_output({1, 2, 3, 4}, {1, 2, 3, 4}, DType::complex64, {2});
  EXPECT_EQ(element_name(output, 2), "output[1] (real part)");
  EXPECT_EQ(element_name(output, 3), "output[1] (imaginary part)");
}

TEST(ComparisonGap, FindsWhatWasNotLookedAt) {
  CaseResult result = test::make_case("trial-0", "trial", "D1", {make_output({1, 2}, {1, 2})});
  const std::vector<OutputCheck> layout = result.outputs;
  EXPECT_FALSE(comparison_gap(result, layout));
  EXPECT_FALSE(comparison_gap(result, {}));
  result.outputs[0].shape = {3};
  EXPECT_EQ(comparison_gap(result, layout), "2 elements of output, of shape [3], were compared");
  result.outputs[0].shape = {-2};
  EXPECT_TRUE(comparison_gap(result, layout));
  result.outputs.clear();
  EXPECT_EQ(comparison_gap(result, layout), "no output was compared");
  result.outputs = {layout[0], layout[0]};
  EXPECT_EQ(comparison_gap(result, layout), "2 of 1 outputs were compared");
}

TEST(ComparisonGap, EmptyAndComplexOutputsAreWhole) {
  EXPECT_FALSE(comparison_gap(test::make_case("t", "trial", "D1", {make_output({}, {}, DType::float32, {0, 5})}), {}));
  EXPECT_FALSE(comparison_gap(
      test::make_case("t", "trial", "D1", {make_output({1, 2, 3, 4}, {1, 2, 3, 4}, DType::complex64, {2})}), {}));
}

}  // namespace
}  // namespace kbv
