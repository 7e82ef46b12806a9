#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "text/byte_source.h"
#include "text/data_error.h"

namespace rotary::text {
namespace {

constexpr unsigned char kMagic[] = {0x1f, 0x8b};

// Decides at its first block whether the bytes are gzip.
class UnpackedSource : public ByteSource {
 public:
  explicit UnpackedSource(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)), block_(std::size_t{1} << 16) {}

  ~UnpackedSource() override {
    if (gzip_) inflateEnd(&stream_);
  }
  UnpackedSource(const UnpackedSource&) = delete;
  UnpackedSource& operator=(const UnpackedSource&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    if (!begun_) begin();
    if (gzip_) return inflate_into(out, size);
    if (stream_.avail_in == 0 && !refill()) return 0;
    size = std::min<std::size_t>(size, stream_.avail_in);
    std::memcpy(out, stream_.next_in, size);
    stream_.next_in += size;
    stream_.avail_in -= static_cast<uInt>(size);
    return size;
  }

 private:
  void begin() {
    begun_ = true;
    std::size_t size = 0;
    while (size < sizeof kMagic) {  // a pipe may give a byte at a time
      const std::size_t count = packed_->read(block_.data() + size, block_.size() - size);
      if (count == 0) break;
      size += count;
    }
    provide(size);
    if (size < sizeof kMagic || std::memcmp(block_.data(), kMagic, sizeof kMagic) != 0) return;
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
    gzip_ = true;
    in_member_ = true;
  }

  std::size_t inflate_into(char* out, std::size_t size) {
    constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;  // zlib counts in unsigned int
    size = std::min(size, kMaxAtOnce);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0 && !refill()) {
        if (in_member_) fail({name()}, "must be whole gzip data", "its end inside");
        return 0;
      }
      if (!in_member_) next_member();
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        in_member_ = false;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail({name()}, "must be sound gzip data", stream_.msg != nullptr ? stream_.msg : "an error of zlib");
      }
    }
    return size - stream_.avail_out;
  }

  // gzip data may be several files, one after the other.
  void next_member() {
    if (*stream_.next_in != kMagic[0]) fail({name()}, "must end where its gzip data end", "other bytes behind them");
    inflateReset(&stream_);
    in_member_ = true;
  }

  bool refill() {
    provide(packed_->read(block_.data(), block_.size()));
    return stream_.avail_in != 0;
  }

  void provide(std::size_t size) {
    stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_in = static_cast<uInt>(size);
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> block_;
  z_stream stream_{};
  bool begun_ = false, gzip_ = false, in_member_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<UnpackedSource>(std::move(packed));
}

}  // namespace rotary::text
