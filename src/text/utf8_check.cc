#include "text/utf8_check.h"

#include <cstdint>
#include <cstring>

namespace rotary::text {
namespace {

bool in(unsigned char byte, unsigned low, unsigned high) { return low <= byte && byte <= high; }

// Length of the character at `p`, 0 if there is none: the table of RFC 3629, section 4.
std::size_t character_length(const unsigned char* p, std::size_t size) {
  const unsigned char lead = p[0];
  if (in(lead, 0x01, 0x7F)) return 1;
  if (in(lead, 0xC2, 0xDF)) return size >= 2 && in(p[1], 0x80, 0xBF) ? 2 : 0;
  if (in(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return size >= 3 && in(p[1], low, high) && in(p[2], 0x80, 0xBF) ? 3 : 0;
  }
  if (in(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return size >= 4 && in(p[1], low, high) && in(p[2], 0x80, 0xBF) && in(p[3], 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

// Eight bytes at `p`, all of 0x01 to 0x7F.
bool plain(const unsigned char* p) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  return (((word - kOnes) | word) & kHighs) == 0;
}

}  // namespace

std::size_t find_bad_utf8(std::string_view bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (bytes.size() - i >= 8 && plain(data + i)) {
      i += 8;
      continue;
    }
    const std::size_t length = character_length(data + i, bytes.size() - i);
    if (length == 0) return i;
    i += length;
  }
  return i;
}

}  // namespace rotary::text
