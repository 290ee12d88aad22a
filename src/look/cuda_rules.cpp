// SPDX-License-Identifier: MIT
#include "look/cuda_rules.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "look/cuda_names.h"
#include "look/cuda_tokens.h"

namespace kbv {
namespace {

using Kind = LookTokenKind;

constexpr std::size_t k_longest_statement =
    400;                          // [tokens], for rules that look around: text without an end costs no more
constexpr int k_deepest_asm = 2;  // text within assembly within text

bool is_type_word(std::string_view text) {
  static const std::set<std::string_view> words{"int",      "unsigned", "auto",   "long",    "short",
                                                "float",    "double",   "size_t", "int64_t", "int32_t",
                                                "uint32_t", "bool",     "char",   "const",   "constexpr"};
  return words.contains(text);
}

bool is_container(std::string_view text) {
  return text == "Tensor" || text == "map" || text == "unordered_map" || text == "vector" || text == "unique_ptr" ||
         text == "shared_ptr" || text == "optional" || text == "deque" || text == "array";
}

class Looker {
 public:
  Looker(const TextPlaces& places, LabelCollector& labels, int depth, std::size_t base)
      : places_(places), labels_(labels), depth_(depth), base_(base) {}

  bool look(std::string_view text) {
    const CudaTokens tokens(text);
    tokens_ = &tokens.all();
    learn_names();
    for (std::size_t i = 0; i < tokens_->size(); ++i) {
      const LookToken& token = (*tokens_)[i];
      if (token.kind == Kind::name)
        name(i);
      else if (token.kind == Kind::text)
        string(i);
      else if (token.text == "##")
        add("token_paste", i, at(i - 1) + "##" + at(i + 1));
      else if (token.text == "<<<")
        launch(i);
      else if (token.line_start)
        directive(i);
      else if (token.text == "{" || token.text == "}")
        brace(i);
    }
    return !tokens.cut_off();
  }

 private:
  std::string at(std::size_t i) const {
    return i < tokens_->size() ? std::string((*tokens_)[i].text.substr(0, k_max_label_detail)) : std::string();
  }
  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_->size() && (*tokens_)[i].kind != Kind::text && (*tokens_)[i].text == text;
  }
  bool is_name(std::size_t i) const { return i < tokens_->size() && (*tokens_)[i].kind == Kind::name; }

  void add(std::string_view rule, std::size_t i, std::string_view detail) {
    const LinePlace place = places_.at(base_ + (*tokens_)[i].offset);
    labels_.add(rule, place.line, place.column, detail);
  }

  /// The first token of the statement that token i stands in.
  std::size_t statement_begin(std::size_t i) const {
    const std::size_t least = i > k_longest_statement ? i - k_longest_statement : 0;
    while (i > least && !is(i - 1, ";") && !is(i - 1, "{") && !is(i - 1, "}")) --i;
    return i;
  }
  /// One past its last.
  std::size_t statement_end(std::size_t i) const {
    const std::size_t most = std::min(tokens_->size(), i + k_longest_statement);
    while (i < most && !is(i, ";") && !is(i, "{") && !is(i, "}")) ++i;
    return i;
  }

  /// Which names hold the current stream, and whether "half" is a variable here.
  void learn_names() {
    for (std::size_t i = 0; i < tokens_->size(); ++i) {
      const std::string_view text = (*tokens_)[i].text;
      if (text == "half" && i > 0 && is_type_word((*tokens_)[i - 1].text) && !is_name(i + 1) && !is(i + 1, "*") &&
          !is(i + 1, "&"))
        half_is_variable_ = true;
      if (text == "getCurrentCUDAStream" || text == "getCurrentHIPStream")
        for (std::size_t k = statement_begin(i); k + 1 < i; ++k)
          if (is_name(k) && (is(k + 1, "=") || is(k + 1, "(") || is(k + 1, "{"))) current_.insert((*tokens_)[k].text);
      // A parameter: whoever calls knows which stream it is.
      if ((text == "cudaStream_t" || text == "CUstream" || text == "CUDAStream") && is_name(i + 1) &&
          (is(i + 2, ",") || is(i + 2, ")")))
        current_.insert((*tokens_)[i + 1].text);
    }
  }

  void launch(std::size_t i) {
    int nested = 0, commas = 0;
    std::size_t stream = 0, end = i + 1;
    for (; end < tokens_->size() && end < i + k_longest_statement; ++end) {
      if (is(end, "(") || is(end, "{") || is(end, "[")) ++nested;
      if (is(end, ")") || is(end, "}") || is(end, "]")) --nested;
      if (nested <= 0 && is(end, ">>>")) break;
      if (nested == 0 && is(end, ",") && ++commas == 3) stream = end + 1;
    }
    if (stream == 0 || stream >= end || !is(end, ">>>")) return;
    for (std::size_t k = stream; k < end; ++k)
      if (is(k, "getCurrentCUDAStream") || is(k, "getCurrentHIPStream") || current_.contains((*tokens_)[k].text))
        return;
    if (end == stream + 1 && (is(stream, "0") || is(stream, "nullptr") || is(stream, "NULL"))) return;
    add("side_stream", stream, "launch on " + at(stream));
  }

  void directive(std::size_t i) {
    const std::string word = at(i + 1);
    if (word == "embed") add("odd_include", i, "#embed");
    if (word != "include" && word != "include_next" && word != "import") return;
    const std::size_t what = i + 2;
    if (what >= tokens_->size() || !(*tokens_)[what].directive) return;
    if ((*tokens_)[what].kind == Kind::text) {
      const std::string_view path = (*tokens_)[what].text;
      if (path.starts_with("/") || path.find("..") != std::string_view::npos) add("odd_include", i, path);
    } else if (is(what, "<")) {
      if (is(what + 1, "/") || is(what + 1, "..") || is(what + 1, "."))
        add("odd_include", i, "<" + at(what + 1) + at(what + 2));
    } else {
      add("odd_include", i, "#include " + at(what));  // a macro says which
    }
  }

  /// "/proc/self" and the like; text of assembly is looked at by its own words.
  void string(std::size_t i) {
    const std::string_view text = (*tokens_)[i].text;
    if (text.starts_with("/proc") || text.starts_with("/sys/")) add("environment", i, text);
    if (text.starts_with("/dev/shm") || text.starts_with("/tmp")) add("files", i, text);
    if (text.find(".init_array") != std::string_view::npos || text.find(".preinit_array") != std::string_view::npos)
      add("native_start", i, text);
    if (text.find("\x1b") != std::string_view::npos || text.find("\\x1b") != std::string_view::npos ||
        text.find("\\033") != std::string_view::npos)
      add("writes_output", i, "escape codes of a terminal");
    if (in_asm_ && depth_ < k_deepest_asm) {
      if (text.find(".incbin") != std::string_view::npos) add("odd_include", i, ".incbin");
      // Its places are those of the surrounding text: exact, but for escapes within it.
      Looker(places_, labels_, depth_ + 1, base_ + (*tokens_)[i].text_offset).look(text);
    }
    if (is(i + 1, ")") || is(i + 1, ";")) in_asm_ = false;
  }

  void name(std::size_t i) {
    const std::string_view text = (*tokens_)[i].text;
    if (text == "asm" || text == "__asm__" || text == "__asm") {
      in_asm_ = true;
      std::size_t k = i + 1;
      while (k < i + 4 && !(k < tokens_->size() && (*tokens_)[k].kind == Kind::text)) ++k;
      add("inline_asm", i, k < tokens_->size() && (*tokens_)[k].kind == Kind::text ? (*tokens_)[k].text : text);
      return;
    }
    if (text == "half") return half(i);
    if (text == "static" || text == "thread_local" || text == "__device__" || text == "__managed__") return variable(i);
    if (text == "Tensor" || text == "at" || text == "torch") {
      if (text == "Tensor")
        global_tensor(i);
      else if (is(i + 1, "::"))
        library_call(i);
      return;
    }
    if (text == "data_ptr" || text == "const_data_ptr" || text == "mutable_data_ptr") return pointer_key(i);
    if (text == "constructor" && i > 1 && (is(i - 1, "(") || is(i - 1, "::")) && attribute_before(i))
      return add("native_start", i, text);
    if ((is(i - 1, ".") || is(i - 1, "->")) && is(i + 1, "(") && is_tensor_operation(text))
      return add("library_op", i, text);
    const std::string_view rule = rule_of_cuda_name(text);
    if (!rule.empty() && means_it(i, rule)) add(rule, i, text);
  }

  /// A short word is a function of the system only where it is called, or named with its namespace.
  bool means_it(std::size_t i, std::string_view rule) const {
    static const std::set<std::string_view> everyday{
        "thread",  "async",  "signal", "alarm",  "sleep",  "select", "open",      "stat",    "rename",
        "connect", "system", "clone",  "pipe",   "kill",   "raise",  "nice",      "exit",    "abort",
        "clock",   "rand",   "mount",  "fork",   "daemon", "socket", "terminate", "setattr", "random_device",
        "approx",  "ftz",    "dup",    "unlink", "prctl",  "bpf",    "backtrace", "autocast"};
    const std::string_view text = (*tokens_)[i].text;
    if ((*tokens_)[i].directive && !is(i + 1, "("))
      return text.size() > 6 || rule == "threads" || rule == "low_precision";
    if (!everyday.contains(text)) return true;
    if (rule == "threads") return is(i - 1, "::") || (!is_name(i - 1) && is_name(i + 1));  // std::thread t, thread t
    if (rule == "fast_math") return is(i - 1, ".");                                        // of PTX: ex2.approx.ftz.f32
    const bool member = is(i - 1, ".") || is(i - 1, "->");
    if (member && text != "setattr") return false;
    if (is(i - 1, "::")) return true;
    if (text == "clock" && is(i - 1, "%")) return true;
    // `int clock(` declares one of its own; `return open(` calls.
    const bool declared = is_name(i - 1) && !is(i - 1, "return") && !is(i - 1, "else");
    return is(i + 1, "(") && !declared;
  }

  bool attribute_before(std::size_t i) const {
    const std::size_t least = i > 6 ? i - 6 : 0;
    for (std::size_t k = i; k-- > least;)
      if (is(k, "__attribute__") || is(k, "gnu")) return true;
    return false;
  }

  void half(std::size_t i) {
    if (is(i - 1, ".") || is(i - 1, "->")) {
      if (is(i + 1, "(")) add("low_precision", i, "half()");
      return;
    }
    const bool in_template =
        (is(i - 1, "<") || is(i - 1, ",")) && (is(i + 1, ">") || is(i + 1, "*")) && !half_is_variable_;
    const bool declares = is_name(i + 1) && !is(i + 1, "if") && !is(i + 1, "else");
    const bool pointer = !half_is_variable_ && is(i + 1, "*") && (is_name(i + 2) || is(i + 2, ")") || is(i + 2, ">"));
    const bool cast = !half_is_variable_ && is(i - 1, "(") && is(i + 1, ")");
    if (in_template || declares || pointer || cast) add("low_precision", i, "half");
  }

  /// `static T name = ...;`, `__device__ float buffer[n];`: what comes first of ( = ; [ { decides.
  void variable(std::size_t i) {
    bool constant = false, pointer = false, container = false;
    std::size_t k = i + 1, name_at = i;
    int angles = 0;
    for (; k < tokens_->size() && k < i + 60; ++k) {
      if (is(k, "<")) ++angles;
      if (is(k, ">")) --angles;
      if (angles > 0) continue;
      if (is(k, "(") || is(k, "=") || is(k, ";") || is(k, "[") || is(k, "{")) break;
      if (is(k, "constexpr") || is(k, "const") || is(k, "__constant__")) constant = true;
      if (is(k, "*")) pointer = true;
      if (is_name(k)) {
        container = container || is_container((*tokens_)[k].text);
        name_at = k;
      }
    }
    if (k >= tokens_->size() || name_at == i) return;
    if (is(k, "{") && name_at < i + 2) return;  // static struct { ... }
    // `static T name(x)` may be a variable, but a function is what most are.
    if (is(k, "(") || (constant && !pointer && !container)) return;
    if (is(i - 1, "static") || is(i - 1, "__device__")) return;  // seen already
    add("static_state", i, std::string((*tokens_)[i].text) + " " + at(name_at));
  }

  /// torch::Tensor kept; outside of every function.
  void global_tensor(std::size_t i) {
    if (!is_name(i + 1) || !(is(i + 2, ";") || is(i + 2, "=") || is(i + 2, "{"))) return;
    std::size_t first = i;
    if (first > 1 && is(first - 1, "::")) first -= 2;
    if (first > 0 && !is(first - 1, ";") && !is(first - 1, "}") && !is(first - 1, "{") &&
        !(*tokens_)[first - 1].directive)
      return;
    if (blocks_ == 0) add("static_state", i, "global " + at(i + 1));
  }

  /// Keeps `blocks_` right: how many braces are open that are not a namespace's or an extern "C".
  void brace(std::size_t i) {
    if ((*tokens_)[i].text == "{") {
      const bool scope = is(i - 1, "namespace") || is(i - 2, "namespace") ||
                         (i > 0 && (*tokens_)[i - 1].kind == Kind::text && is(i - 2, "extern"));
      braces_.push_back(!scope);
      if (!scope) ++blocks_;
    } else if (!braces_.empty()) {
      if (braces_.back()) --blocks_;
      braces_.pop_back();
    }
  }

  void library_call(std::size_t i) {
    std::size_t last = i;
    while (is(last + 1, "::") && is_name(last + 2)) last += 2;
    const std::string_view what = (*tokens_)[last].text;
    if (last == i || !is(last + 1, "(") || !is_library_operation(what)) return;
    std::string path = at(i);
    for (std::size_t k = i + 2; k <= last; k += 2) path += "::" + at(k);
    add("library_op", i, path);
  }

  /// A tensor's address in a comparison, or as a key.
  void pointer_key(std::size_t i) {
    const std::size_t begin = statement_begin(i), end = statement_end(i);
    for (std::size_t k = begin; k < end; ++k)
      if (is(k, "==") || is(k, "!=") ||
          ((is(k, "find") || is(k, "count") || is(k, "contains") || is(k, "emplace") || is(k, "insert")) &&
           is(k + 1, "(")))
        return add("identity_cache", i, at(k) + " of " + at(i));
    // cache[x.data_ptr()]
    for (std::size_t k = i; k-- > begin;) {
      if (is(k, "]") || is(k, "(")) return;
      if (is(k, "[") && k > 0 && (is_name(k - 1) || is(k - 1, "]") || is(k - 1, ")")) && !is(k - 1, "return"))
        return add("identity_cache", i, at(k - 1) + "[" + at(k + 1));
    }
  }

  const TextPlaces& places_;
  LabelCollector& labels_;
  const int depth_;
  const std::size_t base_;
  const std::vector<LookToken>* tokens_ = nullptr;
  std::set<std::string_view> current_;
  bool half_is_variable_ = false, in_asm_ = false;
  std::vector<bool> braces_;
  std::size_t blocks_ = 0;
};

}  // namespace

TextPlaces::TextPlaces(const SourceText& source) : source_(source) {
  for (std::size_t i = 0; i < source.text.size(); ++i)
    if (source.text[i] == '\n') newlines_.push_back(i);
}

LinePlace TextPlaces::at(std::size_t offset) const {
  offset = std::min(offset, source_.text.size());
  const auto after = std::upper_bound(source_.places.begin(), source_.places.end(), offset,
                                      [](std::size_t at, const TextPlace& place) { return at < place.offset; });
  const TextPlace place = after == source_.places.begin() ? TextPlace{} : *std::prev(after);
  const auto first = std::lower_bound(newlines_.begin(), newlines_.end(), place.offset);
  const auto last = std::lower_bound(first, newlines_.end(), offset);
  if (first == last) return {place.line, place.column + static_cast<std::int64_t>(offset - place.offset)};
  return {place.line + std::distance(first, last), static_cast<std::int64_t>(offset - *std::prev(last))};
}

bool look_at_cuda(const SourceText& source, LabelCollector& labels) {
  const TextPlaces places(source);
  return Looker(places, labels, 0, 0).look(source.text);
}

}  // namespace kbv
