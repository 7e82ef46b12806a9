// Whole files: read with a limit, written so that a crash leaves the old file or the new one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rotary/version.h"

namespace rotary {

/// The bytes of a file, or of whatever else can be opened and read (a pipe).
/// Throws std::runtime_error naming the file if it cannot be read or holds more than `max_bytes`.
ROTARY_API std::string read_file(const std::string& path, std::size_t max_bytes);

/// Replaces a file by `bytes`, or makes it: written to a new file beside it ("path.PID.NUMBER.tmp"), flushed to the
/// disk, then renamed. Whoever opens `path` meanwhile, or after a crash, finds the old bytes or the new ones, never a
/// part; a file that is open or mapped elsewhere keeps its old bytes. A symbolic link is replaced, not followed.
/// Throws std::runtime_error naming the file and the system's reason (disk full, no such folder, not permitted, not a
/// regular file); the old file is then as it was, and the new one is gone.
ROTARY_API void write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace rotary
