#include "formats/gguf_parts.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "formats/gguf_bytes.h"
#include "formats/mapped_file.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMaxParts = 65535;  // split.count is a u16
constexpr std::string_view kCount = "split.count", kNumber = "split.no", kTensors = "split.tensors.count";

[[noreturn]] void fail(const std::string& path, const std::string& must_hold, const std::string& got) {
  throw std::runtime_error(path + ": " + must_hold + ", got " + got);
}

// A whole number from 0 to `largest`; `otherwise` if the key is absent, an error if that is negative.
std::int64_t whole(const std::string& path, std::span<const GgufKey> metadata, std::string_view key,
                   std::int64_t largest, std::int64_t otherwise) {
  const GgufValue* value = find_key(metadata, key);
  if (value == nullptr && otherwise >= 0) return otherwise;
  const auto number = value ? value->integer() : std::nullopt;
  if (!number || *number < 0 || *number > largest)
    fail(path, key_item(key) + " must be a whole number up to " + std::to_string(largest),
         value ? show(*value) : "nothing");
  return *number;
}

std::int64_t num_parts(const std::string& path, const GgufHeader& header) {
  return std::max<std::int64_t>(1, whole(path, header.metadata, kCount, kMaxParts, 1));
}

std::string five_digits(std::int64_t number) {
  const std::string text = std::to_string(number);
  return std::string(5 - std::min<std::size_t>(5, text.size()), '0') + text;
}

// "-00002-of-00003.gguf" for number 1 of 3.
std::string part_suffix(std::int64_t number, std::int64_t count) {
  return "-" + five_digits(number + 1) + "-of-" + five_digits(count) + ".gguf";
}

class PartsReader {
 public:
  explicit PartsReader(const std::string& path) : path_(path) {}

  GgufParts read() {
    const MappedFile opened_file = map_file(path_);
    GgufHeader opened = read_gguf_header(opened_file.bytes, path_);
    count_ = num_parts(path_, opened);
    std::int64_t opened_number = 0;
    std::string prefix;
    if (count_ > 1) {
      opened_number = whole(path_, opened.metadata, kNumber, count_ - 1, -1);
      prefix = prefix_of(opened_number);
    }
    for (std::int64_t number = 0; number < count_; ++number) {
      if (number == opened_number) {
        add(path_, number, opened_file, GgufHeader(opened));
        continue;
      }
      const std::string path = prefix + part_suffix(number, count_);
      const MappedFile file = map_file(path);
      add(path, number, file, read_gguf_header(file.bytes, path));
    }
    check_total();
    return std::move(out_);
  }

 private:
  std::string prefix_of(std::int64_t opened_number) const {
    const std::string suffix = part_suffix(opened_number, count_);
    if (!path_.ends_with(suffix))
      fail(path_, "the name, by split.no and split.count within, must end with " + suffix, "another name");
    return path_.substr(0, path_.size() - suffix.size());
  }

  void add(const std::string& path, std::int64_t number, const MappedFile& file, GgufHeader part) {
    if (count_ > 1) check_part(path, part, number);
    for (const GgufTensor& tensor : part.tensors)
      if (!names_.insert(tensor.name).second)
        fail(path, tensor_item(tensor.name) + " must be in one part only", "it in an earlier one too");
    out_.paths.push_back(path);
    out_.memory.push_back(file.memory);
    if (number == 0) {
      out_.whole = std::move(part);
      return;
    }
    std::ranges::move(part.tensors, std::back_inserter(out_.whole.tensors));
  }

  // A part must be the one that its name says, of as many as the others say, and repeat no key with another value.
  void check_part(const std::string& path, const GgufHeader& part, std::int64_t number) const {
    const std::int64_t own_count = num_parts(path, part);
    if (own_count != count_)
      fail(path, key_item(kCount) + " must be as in the part that was opened, " + std::to_string(count_),
           std::to_string(own_count));
    const std::int64_t own_number = whole(path, part.metadata, kNumber, kMaxParts, -1);
    if (own_number != number)
      fail(path, key_item(kNumber) + " must be " + std::to_string(number) + ", by the file's name",
           std::to_string(own_number));
    if (number == 0) return;
    for (const GgufKey& key : part.metadata) {
      if (key.name == kNumber) continue;
      const GgufValue* same = find_key(out_.whole.metadata, key.name);
      if (same && (same->type() != key.value.type() || !std::ranges::equal(same->encoded(), key.value.encoded())))
        fail(path, key_item(key.name) + " must be as in the first part, " + show(*same), show(key.value));
    }
  }

  void check_total() const {
    if (count_ == 1) return;
    const auto num_tensors = static_cast<std::int64_t>(out_.whole.tensors.size());
    const std::int64_t told = whole(out_.paths[0], out_.whole.metadata, kTensors, 1 << 30, num_tensors);
    if (told != num_tensors)
      fail(out_.paths[0], key_item(kTensors) + " must be the number of tensors in all parts",
           std::to_string(told) + " where there are " + std::to_string(num_tensors));
  }

  const std::string& path_;
  std::int64_t count_ = 1;
  GgufParts out_;
  std::set<std::string> names_;
};

}  // namespace

GgufParts open_gguf_parts(const std::string& path) { return PartsReader(path).read(); }

}  // namespace rotary::detail
