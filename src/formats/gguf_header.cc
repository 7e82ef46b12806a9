#include "formats/gguf_header.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "formats/gguf_bytes.h"
#include "formats/json_reader.h"

namespace rotary::detail {
namespace {

constexpr std::uint64_t kSmallestKey = 8 + 4 + 1;         // an empty name, a type, a byte
constexpr std::uint64_t kSmallestTensor = 8 + 4 + 4 + 8;  // an empty name, no extents, a type, an offset

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> file, const std::string& path) : file_(file), in_(file, path) {}

  GgufHeader read() {
    read_version();
    const std::uint64_t num_tensors = count("tensors", kMaxGgufTensors, kSmallestTensor);
    const std::uint64_t num_keys = count("keys", kMaxGgufKeys, kSmallestKey);
    read_keys(num_keys);
    read_alignment();
    read_tensors(num_tensors);
    place_data();
    return std::move(out_);
  }

 private:
  void read_version() {
    const auto magic = in_.take(std::min<std::size_t>(kGgufMagic.size(), in_.left()), "the magic");
    const std::string_view text(reinterpret_cast<const char*>(magic.data()), magic.size());
    if (text != kGgufMagic) in_.fail_at(0, "the file must begin with \"GGUF\"", show(Json(text)));
    out_.version = in_.number<std::uint32_t>("the version");
    if (out_.version == 2 || out_.version == kGgufVersion) return;
    const bool swapped = out_.version != 0 && out_.version % 0x10000 == 0;
    in_.fail_at(kGgufMagic.size(), "the version must be 2 or 3, little-endian",
                swapped ? "a big-endian file" : std::to_string(out_.version));
  }

  std::uint64_t count(const std::string& what, std::uint64_t limit, std::uint64_t smallest) {
    const std::size_t begin = in_.at();
    const auto n = in_.number<std::uint64_t>("the counts");
    if (n > limit)
      in_.fail_at(begin, "the number of " + what + " must be at most " + std::to_string(limit), std::to_string(n));
    if (n > in_.left() / smallest)
      in_.fail_at(begin, "the " + what + " must lie within the file's " + std::to_string(file_.size()) + " bytes",
                  std::to_string(n) + " " + what);
    return n;
  }

  void read_keys(std::uint64_t n) {
    std::set<std::string_view> names;
    for (std::uint64_t i = 0; i < n; ++i) {
      in_.set_item("key number " + std::to_string(i));
      const std::size_t begin = in_.at();
      const std::string_view name = in_.text("the name", kMaxGgufName);
      in_.set_item(key_item(name));
      if (!names.insert(name).second) in_.fail_at(begin, "must be there once", "the name again");
      const GgufType type = in_.type();
      out_.metadata.push_back({name, {type, in_.value(type)}});
    }
    in_.set_item("");
  }

  void read_alignment() {
    const GgufValue* value = find_key(out_.metadata, kAlignmentKey);
    out_.alignment = kDefaultGgufAlignment;
    if (value == nullptr) return;
    const auto given = value->type() == GgufType::kUint32 ? value->integer() : std::nullopt;
    const auto alignment = static_cast<std::uint64_t>(given.value_or(0));
    if (!std::has_single_bit(alignment) || alignment > kMaxGgufAlignment) {
      in_.set_item(key_item(kAlignmentKey));
      in_.fail_at(static_cast<std::size_t>(value->encoded().data() - file_.data()),
                  "must be a u32 and a power of two up to " + std::to_string(kMaxGgufAlignment), show(*value));
    }
    out_.alignment = alignment;
  }

  std::vector<std::int64_t> read_extents() {
    const std::size_t begin = in_.at();
    const auto n = in_.number<std::uint32_t>("the number of extents");
    if (n > kMaxGgufExtents)
      in_.fail_at(begin, "must have at most " + std::to_string(kMaxGgufExtents) + " extents", std::to_string(n));
    std::vector<std::int64_t> out;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto extent = in_.number<std::uint64_t>("the extents");
      if (extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        in_.fail_at(in_.at() - 8, "every extent must be below 2^63", std::to_string(extent));
      out.push_back(static_cast<std::int64_t>(extent));
    }
    return out;
  }

  void read_tensors(std::uint64_t n) {
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < n; ++i) {
      in_.set_item("tensor number " + std::to_string(i));
      begins_.push_back(in_.at());
      GgufTensor tensor;
      tensor.name = in_.text("the name", kMaxGgufName);
      in_.set_item(tensor_item(tensor.name));
      if (!names.insert(tensor.name).second) in_.fail_at(begins_.back(), "must be there once", "the name again");
      tensor.extents = read_extents();
      tensor.type = static_cast<GgmlType>(in_.number<std::uint32_t>("the type"));
      if (to_string(tensor.type).empty())
        in_.fail_at(in_.at() - 4, "the type must be one of ggml's",
                    std::to_string(static_cast<std::uint32_t>(tensor.type)));
      tensor.offset = in_.number<std::uint64_t>("the offset");
      if (tensor.offset % out_.alignment != 0)
        in_.fail_at(in_.at() - 8, "the offset must be a multiple of the alignment, " + std::to_string(out_.alignment),
                    std::to_string(tensor.offset));
      out_.tensors.push_back(std::move(tensor));
    }
    in_.set_item("");
  }

  // From offsets within the data to parts of the file.
  void place_data() {
    const std::uint64_t begin = aligned(in_.at(), out_.alignment);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < out_.tensors.size(); ++i) {
      GgufTensor& tensor = out_.tensors[i];
      in_.set_item(tensor_item(tensor.name));
      const auto bytes = num_bytes(tensor.type, tensor.extents);
      const std::string what = std::string(to_string(tensor.type)) + " of extents " + show(Json(tensor.extents));
      if (!bytes) in_.fail_at(begins_[i], "must have whole blocks of its type and a size below 2^63", what);
      if (*bytes == 0) continue;
      if (begin > file_.size() || tensor.offset > file_.size() - begin || *bytes > file_.size() - begin - tensor.offset)
        in_.fail_at(begins_[i], "the data must lie within the file's " + std::to_string(file_.size()) + " bytes",
                    std::to_string(*bytes) + " bytes at offset " + std::to_string(tensor.offset));
      tensor.offset += begin;
      tensor.data = file_.subspan(tensor.offset, *bytes);
      order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return out_.tensors[i].offset; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const GgufTensor &before = out_.tensors[order[i - 1]], &after = out_.tensors[order[i]];
      in_.set_item(tensor_item(after.name));
      if (after.offset < before.offset + before.data.size())
        in_.fail_at(begins_[order[i]], "must not overlap another", "data shared with " + tensor_item(before.name));
    }
  }

  std::span<const std::byte> file_;
  GgufCursor in_;
  GgufHeader out_;
  std::vector<std::size_t> begins_;  // of the tensors' entries in the header
};

}  // namespace

GgufHeader read_gguf_header(std::span<const std::byte> file, const std::string& path) {
  return HeaderReader(file, path).read();
}

std::string key_item(std::string_view name) { return "key " + show(Json(std::string(name.substr(0, 200)))); }
std::string tensor_item(std::string_view name) { return "tensor " + show(Json(std::string(name.substr(0, 200)))); }

const GgufValue* find_key(std::span<const GgufKey> metadata, std::string_view name) {
  for (const GgufKey& key : metadata)
    if (key.name == name) return &key.value;
  return nullptr;
}

}  // namespace rotary::detail
