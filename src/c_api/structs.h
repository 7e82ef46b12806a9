// Structs of callers that were compiled with another version of the header: shorter, or longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "core/require.h"

namespace rotary::c_api {

/// No struct is ever this large: a larger size was never set.
inline constexpr std::size_t kLargestStruct = 4096;

template <class T, class Field>
std::size_t end_of(const T& x, Field T::*field) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&(x.*field) + 1) - reinterpret_cast<const char*>(&x));
}

template <class T>
void require_given(const T* given, std::size_t least, std::string_view function, std::string_view name) {
  if (given == nullptr) detail::require(false, function, std::string(name) + " must not be null", "null");
  const std::size_t size = given->struct_size;
  if (size < least || size > kLargestStruct)
    detail::require(false, function,
                    std::string(name) + ".struct_size must be the size of the struct, " + std::to_string(sizeof(T)) +
                        " (at least " + std::to_string(least) + ")",
                    size);
}

/// A struct of another size than ours, as read_struct().
template <class T>
[[gnu::noinline]] const T& copy_struct(const T* given, T& room, std::size_t least, std::string_view function,
                                       std::string_view name, const T& absent) {
  require_given(given, least, function, name);
  const std::size_t size = given->struct_size;
  const char* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      detail::require(false, function,
                      std::string(name) +
                          " must be zero in what this version of the library does not know, from byte " +
                          std::to_string(sizeof(T)),
                      i);
  room = absent;
  std::memcpy(&room, given, std::min(size, sizeof(T)));
  return room;
}

/// The caller's struct as this version knows it: itself where it has our size, else copied into `room`, over the
/// values of `absent`.
/// \param last  the last field that the call cannot do without
template <class T, class Field>
const T& read_struct(const T* given, T& room, Field T::*last, std::string_view function, std::string_view name,
                     const T& absent = {}) {
  if (given != nullptr && given->struct_size == sizeof(T)) [[likely]]
    return *given;
  return copy_struct(given, room, end_of(room, last), function, name, absent);
}

/// Writes as much of `value` as the caller's struct holds, and zeros beyond.
template <class T>
void write_struct(T* given, T value, std::string_view function, std::string_view name) {
  require_given(given, sizeof value.struct_size, function, name);
  const std::size_t size = given->struct_size;
  value.struct_size = size;
  std::memcpy(given, &value, std::min(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(reinterpret_cast<char*>(given) + sizeof(T), 0, size - sizeof(T));
}

}  // namespace rotary::c_api
