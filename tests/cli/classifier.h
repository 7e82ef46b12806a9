// A small data set, a classifier trained on it in a second, and the program watched while it works.
#pragma once

#include <fcntl.h>

#include <chrono>
#include <csignal>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/program.h"

namespace rotary::testing {

/// Sentences of `classes` topics in turn, (label, text): each has a few words of its topic among words of none.
inline std::vector<std::pair<std::string, std::string>> sentences(int count = 60, int classes = 3) {
  static const char* const kTopics[3][5] = {{"wave", "harbour", "gull", "tide", "anchor"},
                                            {"oven", "butter", "knife", "onion", "bread"},
                                            {"rose", "spade", "worm", "hedge", "leaf"}};
  static const char* const kLabels[3] = {"sea", "kitchen", "garden"};
  static const char* const kOthers[6] = {"the", "of", "and", "was", "on", "it"};
  std::mt19937 random(1);
  std::vector<std::pair<std::string, std::string>> out;
  for (int i = 0; i < count; ++i) {
    const int topic = i % classes;
    std::string text;
    for (int word = 0; word < 12; ++word)
      text += (word ? " " : "") + std::string(random() % 3 == 0 ? kTopics[topic][random() % 5] : kOthers[random() % 6]);
    out.emplace_back(kLabels[topic], text);
  }
  return out;
}

class Classifier : public Program {
 protected:
  /// Sizes that a second is enough for. The arithmetic that every machine has.
  static std::string small(const std::string& more = "") {
    return " --d-model 16 --layers 1 --batch-size 8 --learning-rate 0.02 --dtype float32 " + more;
  }

  std::string write_csv(const std::string& name = "data.csv", int count = 60, int classes = 3) const {
    std::string text = "text,label\n";
    for (const auto& [label, sentence] : sentences(count, classes)) text += sentence + "," + label + "\n";
    write(text, name);
    return file(name);
  }

  void write_in(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write(text, name);
  }

  /// The model is in file("model").
  void train(const std::string& options = "--epochs 4") const {
    const Finished run = rotary("train --data " + write_csv() + " --output " + file("model") + small(options));
    ASSERT_EQ(run.status, 0) << run.err;
  }

  std::string bytes(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Finished rotary_reading(const std::string& input, const std::string& arguments) const {
    write(input, "in");
    const std::string command =
        std::string(ROTARY_PROGRAM) + " " + arguments + " <" + file("in") + " >" + file("out") + " 2>" + file("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes("out"), bytes("err")};
  }

  /// Sends the signal once the file holds the text. -1 for the status where the program ended by the signal.
  Finished rotary_until(const std::string& arguments, const std::string& name, const std::string& text,
                        int signal) const {
    const pid_t child = fork();
    if (child == 0) become(arguments);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (bytes(name).find(text) == std::string::npos && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes("out"), bytes("err")};
  }

 private:
  [[noreturn]] void become(const std::string& arguments) const {
    std::vector<std::string> words = {ROTARY_PROGRAM};
    std::istringstream in(arguments);
    for (std::string word; in >> word;) words.push_back(word);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    dup2(open(file("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open(file("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execv(ROTARY_PROGRAM, pointers.data());
    _exit(127);
  }
};

/// The last line on stderr is the message, and nothing on stdout reads as success: what was read of the data may stand
/// there, and the bar of a training that had begun.
inline void expect_failed_work(const Finished& run, const std::string& part) {
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  const std::size_t at = run.err.rfind("rotary: ");
  ASSERT_NE(at, std::string::npos) << run.err;
  EXPECT_THAT(run.err.substr(at), ::testing::HasSubstr(part));
  EXPECT_EQ(run.err.find('\n', at), run.err.size() - 1) << run.err;
  for (const char* success : {"trained", "accuracy", "the model is"})
    EXPECT_THAT(run.out, ::testing::Not(::testing::HasSubstr(success)));
}

/// Every element is closed where it must be, no bare < or &: enough of XML for what we write.
inline bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 8) return false;
    }
    if (xml[i] != '<') continue;
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" \n/", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (tag[0] != '?' && tag[0] != '!' && tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
  }
  return open.empty();
}

}  // namespace rotary::testing
