#include "formats/model_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/require.h"
#include "formats/config_comparison.h"
#include "formats/gguf_config.h"
#include "formats/stored_frequencies.h"
#include "formats/weight_check.h"
#include "rotary/formats/files.h"
#include "rotary/formats/model_tensors.h"

namespace rotary {
namespace {

using namespace detail;
namespace fs = std::filesystem;

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::kDocument: return "configuration";
    case FileKind::kSafetensors: return "safetensors";
    case FileKind::kSafetensorsIndex: return "index of safetensors";
    case FileKind::kGguf: return "GGUF";
  }
  return "";
}

bool is_weights(FileKind kind) { return kind == FileKind::kSafetensors || kind == FileKind::kSafetensorsIndex; }

// A document with its tree, which the comparison with the weights needs too.
struct ReadDocument {
  Json root;
  ModelConfig config;
};

ReadDocument read_document_file(const std::string& path, const ReadOptions& options) {
  const std::string text = read_file(path, kMaxFileBytes);
  JsonDocument document = parse_document(text, path);
  ModelConfig config = read_document(document, text.size(), path, options);
  return {std::move(document.root), std::move(config)};
}

ModelConfig read_weights(const std::string& path, const ReadOptions& options) {
  require_original(options, path, "safetensors file");
  return read_stored_frequencies(ModelTensors(path), path, options);
}

// What a folder may hold, in the order of authority: what the program that most people run reads, then what the
// publisher's own program reads, then conversions, then the weights, which say least.
std::vector<std::string> files_of_folder(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code ignored;
  const auto add = [&](const fs::path& name) {
    if (fs::exists(folder / name, ignored)) out.push_back((folder / name).string());
  };
  for (const char* name : {"config.json", "params.json", "original/params.json"}) add(name);
  std::vector<std::string> converted;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".gguf") converted.push_back(entry.path().string());
  std::sort(converted.begin(), converted.end());
  out.insert(out.end(), converted.begin(), converted.end());
  for (const char* name : {"model.safetensors", "model.safetensors.index.json", "consolidated.safetensors"}) add(name);
  return out;
}

// Reads the first of the files and compares the others with it. What cannot be read beside it is a warning.
class SetReader {
 public:
  SetReader(std::vector<std::string> files, const ReadOptions& options) : files_(std::move(files)), options_(options) {}

  ModelConfig read() {
    const FileKind kind = kind_of_file(files_[0]);
    if (kind == FileKind::kGguf) {
      out_ = read_gguf_config(files_[0], options_);
    } else if (is_weights(kind)) {
      out_ = read_weights(files_[0], options_);
    } else {
      ReadDocument read = read_document_file(files_[0], options_);
      root_ = std::move(read.root);
      out_ = std::move(read.config);
    }
    for (std::size_t i = 1; i < files_.size(); ++i) add(files_[i]);
    return std::move(out_);
  }

 private:
  void add(const std::string& path) {
    const FileKind kind = kind_of_file(path);
    ModelFile file{path, std::string(name_of(kind)), "compared"};
    try {
      if (kind == FileKind::kDocument || kind == FileKind::kGguf)
        compare_other(path, kind, file);
      else if (is_weights(kind) && root_.is_object())
        check_weights(ModelTensors(path), root_, out_);
      else
        file.role = "left aside: " + out_.files[0].path + " comes first";
    } catch (const std::runtime_error& error) {
      file.role = "left aside: it cannot be read";
      out_.warnings.push_back({path, std::string("not compared: ") + error.what()});
    }
    out_.files.push_back(std::move(file));
  }

  void compare_other(const std::string& path, FileKind kind, ModelFile& file) {
    const ReadOptions own{{}, options_.arithmetic, options_.seq_len};
    const ModelConfig other =
        kind == FileKind::kGguf ? read_gguf_config(path, own) : read_document_file(path, own).config;
    file.format = other.files[0].format;
    compare_configs(out_, other);
  }

  std::vector<std::string> files_;
  const ReadOptions& options_;
  Json root_;
  ModelConfig out_;
};

ModelConfig read_folder(const std::string& folder, const ReadOptions& options) {
  std::vector<std::string> files = files_of_folder(folder);
  if (files.empty())
    throw std::runtime_error(folder + ": must hold config.json, params.json, a GGUF file or safetensors, got none");
  return SetReader(std::move(files), options).read();
}

}  // namespace

namespace detail {

FileKind kind_of_file(const std::string& path) {
  std::error_code ignored;
  if (path.ends_with(".index.json")) return FileKind::kSafetensorsIndex;
  if (!fs::is_regular_file(path, ignored)) return FileKind::kDocument;
  std::array<char, 9> head{};
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), head.size());
  const auto got = static_cast<std::size_t>(in.gcount());
  if (got >= 4 && std::string_view(head.data(), 4) == "GGUF") return FileKind::kGguf;
  // Eight bytes of length, which text would make far too long, then the header's brace.
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(head[static_cast<std::size_t>(i)]);
  const bool header = got == head.size() && head[8] == '{' && length < fs::file_size(path, ignored);
  if (header || path.ends_with(".safetensors")) return FileKind::kSafetensors;
  return path.ends_with(".gguf") ? FileKind::kGguf : FileKind::kDocument;
}

}  // namespace detail

ModelConfig read_model_config(const std::string& path, const ReadOptions& options) {
  detail::require(options.seq_len >= 0, "read_model_config", "seq_len must not be negative", options.seq_len);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path, options);
  std::vector<std::string> files{path};
  const fs::path config = fs::path(path).parent_path() / "config.json";
  if (is_weights(kind_of_file(path)) && fs::exists(config, ignored)) files.insert(files.begin(), config.string());
  return SetReader(std::move(files), options).read();
}

}  // namespace rotary
