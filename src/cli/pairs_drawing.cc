#include "cli/pairs_drawing.h"

#include <algorithm>
#include <cctype>

#include "cli/inspect_text.h"

namespace rotary::cli {
namespace {

constexpr std::size_t kLabel = 9, kTick = 16;

// One line of the drawing for all channels.
struct Strip {
  std::string pair, end, axis;
};

char letter_of(const RotationMap& map, int pair, const std::vector<char>& letters) {
  const int axis = axis_of(map, pair);
  return axis >= 0 ? letters[static_cast<std::size_t>(axis)] : axis == -1 ? '-' : '+';
}

Strip strip_of(const RotationMap& map, const std::vector<char>& letters) {
  const std::string copied(static_cast<std::size_t>(map.channels), '.');
  Strip out{copied, copied, copied};
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
    const auto a = static_cast<std::size_t>(p.a), b = static_cast<std::size_t>(p.b);
    out.pair[a] = out.pair[b] = static_cast<char>('0' + i % 10);
    out.end[a] = '<';
    out.end[b] = '>';
    out.axis[a] = out.axis[b] = letter_of(map, i, letters);
  }
  return out;
}

std::string labelled(const std::string& label, const std::string& text) {
  std::string line = label + std::string(kLabel - label.size(), ' ') + text;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string ruler(std::size_t begin, std::size_t end) {
  std::string out;
  for (std::size_t c = begin; c < end; c += kTick) {
    const std::string number = std::to_string(c);
    out += number + std::string(kTick - number.size(), ' ');
  }
  return out;
}

// "0-63", or "0, 2 ... 126" for a step other than 1.
std::string channels(int first, int second, int last) {
  if (first == last) return std::to_string(first);
  if (second == first + 1) return std::to_string(first) + "-" + std::to_string(last);
  const std::string start = std::to_string(first) + ", " + std::to_string(second);
  return second == last ? start : start + " ... " + std::to_string(last);
}

std::string run_text(const RotationMap& map, std::size_t begin, std::size_t end) {
  const ChannelPair &first = map.pairs[begin], &last = map.pairs[end - 1],
                    &second = map.pairs[std::min(begin + 1, end - 1)];
  std::string out = end - begin == 1 ? "pair " + std::to_string(begin) + ": channel "
                                     : "pairs " + std::to_string(begin) + "-" + std::to_string(end - 1) + ": channels ";
  out += channels(first.a, second.a, last.a) + (end - begin == 1 ? " meets " : " meet ") +
         channels(first.b, second.b, last.b);
  if (first.a != first.c || first.b != first.d || last.a != last.c || last.b != last.d)
    out += ", written to " + channels(first.c, second.c, last.c) + " and " + channels(first.d, second.d, last.d);
  return out + "\n";
}

// Pairs whose four channels go on as they began.
std::string runs_text(const RotationMap& map) {
  const auto step = [&](std::size_t i) {
    const ChannelPair &p = map.pairs[i], &q = map.pairs[i + 1];
    return ChannelPair{q.a - p.a, q.b - p.b, q.c - p.c, q.d - p.d};
  };
  std::string out;
  for (std::size_t begin = 0; begin < map.pairs.size();) {
    std::size_t end = begin + 1;
    while (end < map.pairs.size() && step(end - 1) == step(begin)) ++end;
    out += run_text(map, begin, end);
    begin = end;
  }
  return out;
}

}  // namespace

std::vector<char> axis_letters(const std::vector<PositionAxis>& axes) {
  std::vector<char> out;
  for (const PositionAxis& axis : axes)
    out.push_back(axis.name.empty() ? '?' : static_cast<char>(std::toupper(static_cast<unsigned char>(axis.name[0]))));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::count(out.begin(), out.end(), out[i]) > 1) {
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<char>('A' + j);
      break;
    }
  return out;
}

std::string pairs_drawing(const RotationMap& map, const std::vector<PositionAxis>& axes, std::size_t width) {
  const Strip strip = strip_of(map, axis_letters(axes));
  const auto total = static_cast<std::size_t>(map.channels);
  const std::size_t row = std::max(kTick, (width - kLabel) / kTick * kTick);
  const bool plain = axes.size() == 1 && strip.axis.find('-') == std::string::npos;
  std::string out;
  for (std::size_t begin = 0; begin < total; begin += row) {
    const std::size_t count = std::min(row, total - begin);
    out += (out.empty() ? "" : "\n") + labelled("channel", ruler(begin, begin + count)) +
           labelled("pair", strip.pair.substr(begin, count)) + labelled("end", strip.end.substr(begin, count));
    if (!plain) out += labelled("axis", strip.axis.substr(begin, count));
  }
  return out;
}

std::string pairs_in_words(const RotationMap& map, const std::vector<PositionAxis>& axes) {
  std::string out = runs_text(map);
  std::vector<int> still, copied;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i)
    if (axis_of(map, i) == -1) still.push_back(i);
  for (int c = 0; c < map.channels; ++c)
    if (map.pass_to[static_cast<std::size_t>(c)] >= 0) copied.push_back(c);
  const std::vector<char> letters = axis_letters(axes);
  for (int axis = 0; map.num_axes > 1 && axis < map.num_axes; ++axis) {
    std::vector<int> pairs;
    for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i)
      if (map.at(0, i, axis).hi != 0) pairs.push_back(i);
    const auto at = static_cast<std::size_t>(axis);
    out += std::string(1, letters[at]) + " = " + axes[at].name + ": " + std::to_string(pairs.size()) + " pairs (" +
           ranges(pairs) + ")\n";
  }
  if (!still.empty()) out += "standing still: pairs " + ranges(still) + "\n";
  if (!copied.empty()) out += "copied as they are: channels " + ranges(copied) + "\n";
  return out;
}

}  // namespace rotary::cli
