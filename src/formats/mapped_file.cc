#include "formats/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "formats/descriptor.h"

namespace rotary::detail {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& got) {
  throw std::runtime_error(path + ": must be a readable file, got " + got);
}

}  // namespace

MappedFile map_file(const std::string& path) {
  const Descriptor descriptor(path);
  struct stat status {};
  if (descriptor.number() < 0 || ::fstat(descriptor.number(), &status) != 0)
    fail(path, "an error: " + std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "a folder");
  if (!S_ISREG(status.st_mode)) fail(path, "something that is not a file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (memory == MAP_FAILED) fail(path, "an error: " + std::generic_category().message(errno));
  return {std::shared_ptr<const void>(memory, [size](const void* at) { ::munmap(const_cast<void*>(at), size); }),
          {static_cast<const std::byte*>(memory), size}};
}

}  // namespace rotary::detail
