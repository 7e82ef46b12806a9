#include "c_api/guard.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>

namespace rotary::c_api {
namespace {

// No allocation: the text of bad_alloc must fit as well.
thread_local char last_error[1024] = "";

rotary_status note(rotary_status status, const char* text) noexcept {
  const std::size_t length = std::strlen(text);
  const std::size_t kept = length < sizeof last_error ? length : sizeof last_error - 1;
  std::memcpy(last_error, text, kept);
  last_error[kept] = '\0';
  return status;
}

rotary_status status_of(const std::error_code& code) noexcept {
  if (code == std::errc::no_such_file_or_directory) return ROTARY_NOT_FOUND;
  if (code == std::errc::not_supported) return ROTARY_UNSUPPORTED;
  if (code == std::errc::not_enough_memory) return ROTARY_OUT_OF_MEMORY;
  return ROTARY_INTERNAL;
}

}  // namespace

rotary_status report() noexcept {
  try {
    throw;
  } catch (const std::invalid_argument& e) {
    return note(ROTARY_INVALID_ARGUMENT, e.what());
  } catch (const std::out_of_range& e) {
    return note(ROTARY_OUT_OF_RANGE, e.what());
  } catch (const std::length_error& e) {
    return note(ROTARY_OUT_OF_MEMORY, e.what());
  } catch (const std::bad_alloc&) {
    return note(ROTARY_OUT_OF_MEMORY, "out of memory");
  } catch (const std::system_error& e) {
    return note(status_of(e.code()), e.what());
  } catch (const std::runtime_error& e) {
    return note(ROTARY_BAD_CONFIG, e.what());
  } catch (const std::exception& e) {
    return note(ROTARY_INTERNAL, e.what());
  } catch (...) {
    return note(ROTARY_INTERNAL, "unknown exception");
  }
}

void throw_not_found(const std::string& file) {
  throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory), file);
}

void throw_unsupported(const std::string& text) {
  throw std::system_error(std::make_error_code(std::errc::not_supported), text);
}

}  // namespace rotary::c_api

const char* rotary_last_error(void) { return rotary::c_api::last_error; }
