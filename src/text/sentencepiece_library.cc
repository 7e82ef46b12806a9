#include "text/sentencepiece_library.h"

#include <dlfcn.h>

#include <stdexcept>

namespace rotary::text {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int kHidden = RTLD_LOCAL;  // AddressSanitizer forbids RTLD_DEEPBIND
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr int kHidden = RTLD_LOCAL;
#else
constexpr int kHidden = RTLD_LOCAL | RTLD_DEEPBIND;
#endif
#else
constexpr int kHidden = RTLD_LOCAL | RTLD_DEEPBIND;
#endif

const SentencePieceLibrary& open_module() {
  const auto must = [](const void* found) {
    if (!found)
      throw std::runtime_error(std::string("SentencePiece: librotary-sentencepiece.so must load, got ") + dlerror());
  };
  void* module = dlopen("librotary-sentencepiece.so", RTLD_NOW | kHidden);
  must(module);
  void* entry = dlsym(module, "rotary_sentencepiece");
  must(entry);
  return *reinterpret_cast<const SentencePieceLibrary* (*)()>(entry)();
}

}  // namespace

const SentencePieceLibrary& sentencepiece_library() {
  static const SentencePieceLibrary& library = open_module();
  return library;
}

}  // namespace rotary::text
