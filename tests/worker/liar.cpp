// SPDX-License-Identifier: MIT
#include "liar.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

namespace kbv::test {
namespace {

constexpr int k_socket = 3, k_page = 4;

void say(const std::string& bytes) { ::send(k_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

std::string hear() {
  std::string bytes(1 << 20, '\0');
  const ssize_t n = ::recv(k_socket, bytes.data(), bytes.size(), 0);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

/// Packets that answer one request.
const std::map<std::string, std::string>& packets() {
  static const std::map<std::string, std::string> all = {
      {"good", R"({"ok":true,"value":7})"},
      {"empty", ""},
      {"text", "hello"},
      {"bytes", std::string("\x00\xff\xfe{", 4)},
      {"number", "7"},
      {"array", R"([{"ok":true}])"},
      {"half", R"({"ok":true)"},
      {"twice", R"({"ok":true}{"ok":true})"},
      {"ok-text", R"({"ok":"true"})"},
      {"ok-missing", R"({"fine":true})"},
      {"deep", R"({"ok":true,"x":)" + std::string(60000, '[') + std::string(60000, ']') + "}"},
      {"bad-utf8", "{\"ok\":true,\"x\":\"\xff\xfe\"}"},
      {"claims-verdict", R"({"ok":false,"code":"machine_error","text":"the GPU is gone"})"},
      {"claims-interrupted", R"({"ok":false,"code":"interrupted","text":"x"})"},
      {"code-number", R"({"ok":false,"code":7,"text":[1],"parts":"3"})"},
      {"parts-negative", R"({"ok":false,"code":"runtime_error","text":"x","parts":-5})"},
      {"parts-absent", R"({"ok":false,"code":"runtime_error","text":"x","parts":1000000000000})"},
      {"long-text", R"({"ok":false,"code":"runtime_error","text":")" + std::string(100000, 'a') + "\"}"},
      {"wrong-shape", R"({"ok":false,"code":"wrong_shape","text":"output: expected shape [2], got [3]"})"},
  };
  return all;
}

}  // namespace

int lie(const std::string& behaviour) {
  hear();
  say(R"({"ok":true,"python":"3"})");
  if (behaviour == "closes-early") {
    ::close(k_socket);
    ::pause();
  }
  while (behaviour == "answers-unheard") say(R"({"ok":true})");
  hear();
  if (const auto packet = packets().find(behaviour); packet != packets().end()) {
    say(packet->second);
  } else if (behaviour == "huge") {
    const int size = 8 << 20;
    ::setsockopt(k_socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    say(std::string(1 << 20, 'x'));
    say(std::string(190 << 10, 'x'));
  } else if (behaviour == "exit0") {
    return 0;
  } else if (behaviour == "closes") {
    ::close(k_socket);
    ::pause();
  } else if (behaviour == "stops-sending-parts") {
    say(R"({"ok":false,"code":"runtime_error","text":"x","parts":32})");
    say("first part ");
    return 0;
  } else if (behaviour == "descriptors") {
    char control[CMSG_SPACE(8 * sizeof(int))] = {};
    char text[] = R"({"ok":true})";
    iovec part{text, std::strlen(text)};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(8 * sizeof(int));
    for (int i = 0; i < 8; ++i) std::memcpy(CMSG_DATA(header) + i * sizeof(int), &k_page, sizeof(int));
    ::sendmsg(k_socket, &message, MSG_NOSIGNAL);
  } else if (behaviour == "page") {
    // Every word of the page at once, claims that are no numbers, and no reply.
    auto* words = static_cast<std::uint32_t*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, k_page, 0));
    const double nan = std::nan("");
    for (int i = 0; i < 3; ++i) std::memcpy(reinterpret_cast<char*>(words) + 64 + 8 * i, &nan, 8);
    for (std::uint32_t word = 0; word < 16; ++word) words[word] = 1;
  } else if (behaviour == "answers-instead-of-running") {
    say(R"({"ok":true})");
  }
  while (!hear().empty()) say(R"({"ok":true,"later":1})");
  return 0;
}

}  // namespace kbv::test
