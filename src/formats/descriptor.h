// A file that is open for reading, closed with its owner.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace rotary::detail {

class Descriptor {
 public:
  /// Never waits: without O_NONBLOCK, opening a pipe would until somebody writes.
  explicit Descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace rotary::detail
