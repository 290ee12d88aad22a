// SPDX-License-Identifier: MIT
#include "report/web_page.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/secret.h"

namespace kbv {

extern const std::string_view k_web_page_style, k_web_tools_script, k_web_candidate_script, k_web_page_script;

namespace {

constexpr std::size_t k_key_digits = 24;

tl::unexpected<Error> cannot_write(const std::string& path) {
  return fail(Fault::usage, "cannot_write", fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace

const std::string& web_script() {
  static const std::string script = fmt::format("{}{}{}", k_web_tools_script, k_web_candidate_script, k_web_page_script);
  return script;
}

std::string web_head(const WebInput& input) {
  Html html;
  html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  // First of all: what stands before it would not be under it.
  html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"");
  html.text(content_security_policy(k_web_page_style, web_script()));
  html.raw(
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n");
  html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n").element("title", input.title).raw("\n");
  html.own_style(k_web_page_style);
  html.raw("</head>\n");
  return html.take();
}

std::string web_tail() {
  Html html;
  html.own_script(web_script());
  html.raw("</body>\n</html>\n");
  return html.take();
}

Result<WebPage> WebPage::begin(const std::string& path) {
  const std::string name = path + ".data-XXXXXX";
  std::string made = name;
  const int fd = mkstemp(made.data());
  if (fd < 0) return cannot_write(path);
  unlink(made.c_str());
  File data(fdopen(fd, "w+b"));
  if (!data) {
    close(fd);
    return cannot_write(path);
  }
  return WebPage(path, std::move(data));
}

WebPage::~WebPage() = default;

Result<void> WebPage::put(std::string_view bytes, std::FILE* file) const {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) return fail_errno("writing the page");
  return {};
}

Result<std::string> WebPage::add_source(std::string_view source) {
  if (source.empty()) return std::string();
  std::string key = sha256_hex(source).substr(0, k_key_digits);
  if (!sources_.insert(key).second) return key;
  JsonText json;
  json.text(source, k_source_limit);
  Html html;
  html.data("s", key, json);
  KBV_TRY(put(html.take(), data_.get()));
  return key;
}

Result<void> WebPage::add_details(std::int64_t id, const WebDetails& details) {
  Html html;
  html.data("d", std::to_string(id), candidate_details(details, shared_));
  return put(html.take(), data_.get());
}

Result<std::uint64_t> WebPage::finish(const WebInput& input) {
  std::string made = path_ + ".XXXXXX";
  const int fd = mkstemp(made.data());
  if (fd < 0) return cannot_write(path_);
  fchmod(fd, 0644);
  File page(fdopen(fd, "wb"));
  if (!page) {
    close(fd);
    unlink(made.c_str());
    return cannot_write(path_);
  }
  const auto write_all = [&]() -> Result<std::uint64_t> {
    KBV_TRY(put(web_head(input), page.get()));
    KBV_TRY(put(web_body(input), page.get()));
    std::rewind(data_.get());
    std::array<char, 65536> buffer;
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), data_.get()))
      KBV_TRY(put({buffer.data(), got}, page.get()));
    if (std::ferror(data_.get())) return fail_errno("reading the page's data back");
    Html html;
    html.data("shared", "", shared_.json());
    KBV_TRY(put(html.take(), page.get()));
    KBV_TRY(put(web_tail(), page.get()));
    const long size = std::ftell(page.get());
    if (std::fflush(page.get()) != 0 || size < 0) return fail_errno("writing the page");
    if (std::rename(made.c_str(), path_.c_str()) != 0) return cannot_write(path_);
    return static_cast<std::uint64_t>(size);
  };
  auto size = write_all();
  if (!size) unlink(made.c_str());
  return size;
}

}  // namespace kbv
