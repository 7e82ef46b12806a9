// The version of these headers, and the macro that marks what the library exports.
#pragma once

// clang-format off
#define ROTARY_VERSION_MAJOR 0
#define ROTARY_VERSION_MINOR 1
#define ROTARY_VERSION_PATCH 0
#define ROTARY_VERSION_STRING "0.1.0"
// clang-format on

#if defined(__GNUC__)
#define ROTARY_API __attribute__((visibility("default")))
#else
#define ROTARY_API
#endif

#ifdef __cplusplus
namespace rotary {

/// The version of the library that is linked, "major.minor.patch"; differs from ROTARY_VERSION_STRING when a program
/// runs with another library than it was compiled for.
ROTARY_API const char* version() noexcept;

}  // namespace rotary
#endif
