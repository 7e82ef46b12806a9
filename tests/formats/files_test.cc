// A file is replaced as a whole or stays as it was, and nothing is left beside it.
#include "rotary/formats/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <thread>

#include "formats/scratch_folder.h"

namespace rotary::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Files : public ScratchFolder {
 protected:
  std::string error_of_writing(const std::string& path, std::string_view bytes = "new") const {
    try {
      write_file_atomically(path, bytes);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
};

// As a full disk does, but without filling one: no file can grow beyond so many bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_signal_);
  }

 private:
  rlimit old_{};
  void (*old_signal_)(int);
};

TEST_F(Files, AreMadeAndReplacedAsAWhole) {
  const std::string bytes("a\0b\n", 4);
  write_file_atomically(file("x"), "an older and longer text");
  write_file_atomically(file("x"), bytes);
  EXPECT_EQ(contents("x"), bytes);
  EXPECT_EQ(read_file(file("x"), 4), bytes);
  write_file_atomically(file("x"), "");
  EXPECT_EQ(read_file(file("x"), 0), "");
  EXPECT_THAT(listing(), ElementsAre("x"));
}

TEST_F(Files, HaveTheRightsThatTheProcessGives) {
  const ::mode_t mask = ::umask(027);
  write_file_atomically(file("x"), "");
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(file("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(Files, StayAsTheyWereWhenTheDiskIsFull) {
  write("x", "old");
  std::string error;
  {
    const FileSizeLimit limit(4096);
    error = error_of_writing(file("x"), std::string(5000, 'n'));
  }
  EXPECT_THAT(error, AllOf(StartsWith(file("x") + ": must be writable"), HasSubstr("written: File too large")));
  EXPECT_EQ(contents("x"), "old");
  EXPECT_THAT(listing(), ElementsAre("x"));
}

TEST_F(Files, AreNotWrittenWhereTheyCannotBe) {
  EXPECT_EQ(error_of_writing(file("none/x")),
            file("none/x") +
                ": must be writable, got an error when its temporary file was opened: "
                "No such file or directory");
  EXPECT_EQ(error_of_writing(folder_.string()),
            folder_.string() + ": must be a regular file to be written, got a folder");
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of_writing(file("pipe")), HasSubstr("must be a regular file to be written, got something else"));
  EXPECT_THAT(error_of_writing(""), HasSubstr("must be"));
  EXPECT_THAT(listing(), ElementsAre("pipe"));
}

TEST_F(Files, AreWholeWhoeverOfSeveralWritersComesLast) {
  const std::string texts[] = {std::string(100'000, 'a'), std::string(70'000, 'b')};
  std::vector<std::thread> writers;
  for (const std::string& text : texts)
    writers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) write_file_atomically(file("x"), text);
    });
  bool whole = true;
  for (int i = 0; i < 50; ++i) {
    const std::string read = contents("x");
    whole = whole && (read.empty() || read == texts[0] || read == texts[1]);
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(whole);
  EXPECT_THAT(listing(), ElementsAre("x"));
}

TEST_F(Files, AreReadUpToALimit) {
  write("x", "12345");
  const auto error = [&](const std::string& path, std::size_t limit) {
    try {
      return read_file(path, limit);
    } catch (const std::runtime_error& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(error(file("x"), 5), "12345");
  EXPECT_EQ(error(file("x"), 4), file("x") + ": must be at most 4 bytes, got 5 bytes");
  EXPECT_EQ(error("/dev/zero", std::size_t{1} << 20), "/dev/zero: must be at most 1 MiB, got more");
  EXPECT_EQ(error(file("none"), 4), file("none") + ": must be a readable file, got: No such file or directory");
  EXPECT_THAT(error(folder_.string(), 4096), HasSubstr("must be"));
}

}  // namespace
}  // namespace rotary::testing
