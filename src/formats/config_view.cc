#include "formats/config_view.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rotary::detail {

namespace {

// Once each, and not without end.
void add_once(std::vector<ConfigWarning>& list, const std::string& key, const std::string& message) {
  constexpr std::size_t kMaxWarnings = 1000;
  if (list.size() > kMaxWarnings) return;
  for (const ConfigWarning& w : list)
    if (w.key == key && w.message == message) return;
  if (list.size() == kMaxWarnings)
    list.push_back({"", "further warnings are left out"});
  else
    list.push_back({key, message});
}

}  // namespace

void Reading::warn(const std::string& key, const std::string& message) { add_once(warnings, key, message); }

void Reading::depart(const std::string& key, const std::string& message, std::span<const Reference> also) {
  const bool shared =
      as(Reference::kTransformers) || std::any_of(also.begin(), also.end(), [&](Reference r) { return as(r); });
  add_once(shared ? warnings : unsettled, key, message);
}

void Reading::spend(std::size_t bytes, const std::string& path) {
  if (bytes > budget)
    fail(*this, path, "be of a sensible size (at most 131072 frequencies in all layers that differ)", "more");
  budget -= bytes;
}

// A frequency takes as long as copying 2 KiB.
void Reading::spend_on(const RopeSpec& spec, const std::string& path) {
  spend(16 * static_cast<std::size_t>(spec.head_dim), path);
  spend(2048 * static_cast<std::size_t>(spec.rotary_dim / 2) * static_cast<std::size_t>(spec.axes.num_axes), path);
}

Source Value::source(std::string field) const { return {std::move(field), path, show(*json), assumed}; }

void fail(const Reading& reading, const std::string& path, std::string_view must_hold, const std::string& got) {
  throw std::runtime_error(reading.name + ": " + path + " must " + std::string(must_hold) + ", got " + got);
}

double to_number(const Reading& reading, const Value& value) {
  if (!value.json->is_number()) fail(reading, value.path, "be a finite number", show(*value.json));
  const double x = value.json->get<double>();
  if (!std::isfinite(x)) fail(reading, value.path, "be a finite number", show(*value.json));
  return x;
}

std::int64_t to_integer(const Reading& reading, const Value& value) {
  const double x = value.json->is_number() ? value.json->get<double>() : std::nan("");
  if (!(std::abs(x) <= 9007199254740992.0) || x != std::floor(x))
    fail(reading, value.path, "be an integer", show(*value.json));
  return static_cast<std::int64_t>(x);
}

bool to_boolean(const Reading& reading, const Value& value) {
  if (!value.json->is_boolean()) fail(reading, value.path, "be true or false", show(*value.json));
  return value.json->get<bool>();
}

std::string to_text(const Reading& reading, const Value& value) {
  if (!value.json->is_string()) fail(reading, value.path, "be a string", show(*value.json));
  return value.json->get<std::string>();
}

namespace {

template <class T, class Convert>
std::vector<T> to_list(const Reading& reading, const Value& value, std::string_view must_be, Convert convert) {
  constexpr std::size_t kMaxEntries = 1 << 16;
  if (!value.json->is_array()) fail(reading, value.path, must_be, show(*value.json));
  if (value.json->size() > kMaxEntries) fail(reading, value.path, "have at most 65536 entries", show(*value.json));
  std::vector<T> out;
  for (std::size_t i = 0; i < value.json->size(); ++i)
    out.push_back(
        convert(reading, Value{&(*value.json)[i], value.path + "[" + std::to_string(i) + "]", value.assumed}));
  return out;
}

int to_int(const Reading& reading, const Value& value) {
  const std::int64_t x = to_integer(reading, value);
  if (std::abs(x) > (1 << 30)) fail(reading, value.path, "be an integer of at most 2^30", show(*value.json));
  return static_cast<int>(x);
}

}  // namespace

std::vector<double> to_numbers(const Reading& reading, const Value& value) {
  return to_list<double>(reading, value, "be a list of numbers", to_number);
}

std::vector<int> to_integers(const Reading& reading, const Value& value) {
  return to_list<int>(reading, value, "be a list of integers", to_int);
}

std::vector<std::string> to_texts(const Reading& reading, const Value& value) {
  return to_list<std::string>(reading, value, "be a list of strings", to_text);
}

Value member(const Json& object, const std::string& path, const std::string& key, bool assumed) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  return {&*found, path.empty() ? key : path + "." + key, assumed};
}

namespace {

// A key of the object, or a path of keys into objects within.
Value reach(const Json& object, const std::string& path, const std::string& key) {
  if (Value found = member(object, path, key)) return found;
  const auto dot = key.find('.');
  if (dot == std::string::npos) return {};
  const Value inner = member(object, path, key.substr(0, dot));
  return inner && inner.json->is_object() ? reach(*inner.json, inner.path, key.substr(dot + 1)) : Value{};
}

}  // namespace

std::vector<std::string> ConfigView::names_of(const std::string& name) const {
  std::vector<std::string> names;
  if (const auto keys = row_->find("keys"); keys != row_->end())
    if (const auto own = keys->find(name); own != keys->end()) {
      if (own->is_string()) return {own->get<std::string>(), name};
      for (const Json& n : *own) names.push_back(n.get<std::string>());
      return names;
    }
  return {name};
}

// Files of command-line arguments ("arguments") spell a key with _ or -, with or without the leading --, and may hold
// it in one of the objects that "within" names.
std::vector<std::string> ConfigView::spellings_of(const std::string& key) const {
  if (!row_->value("arguments", false)) return {key};
  std::string dashed = key;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  std::vector<std::string> out{key, dashed, "--" + dashed};
  for (const Json& object : row_->value("within", Json::array()))
    for (int i = 0; i < 3; ++i) out.push_back(object.get<std::string>() + "." + out[static_cast<std::size_t>(i)]);
  return out;
}

Value ConfigView::in_file(const std::string& name) const {
  for (const std::string& key : names_of(name))
    for (const std::string& spelling : spellings_of(key))
      if (Value found = reach(*node_, path_, spelling)) return found;
  return {};
}

Value ConfigView::get(const std::string& name) const {
  if (Value found = in_file(name)) return found;
  const auto defaults = row_->find("defaults");
  if (defaults == row_->end()) return {};
  for (const std::string& key : names_of(name))
    if (Value found = member(*defaults, path_, key, true)) return found;
  return member(*defaults, path_, name, true);
}

std::optional<double> ConfigView::number(const std::string& name) const {
  const Value value = get(name);
  return value ? std::optional(to_number(*reading_, value)) : std::nullopt;
}

std::optional<std::int64_t> ConfigView::integer(const std::string& name) const {
  const Value value = get(name);
  return value ? std::optional(to_integer(*reading_, value)) : std::nullopt;
}

int ConfigView::require_size(const std::string& name) const {
  const Value value = get(name);
  if (!value) fail(*reading_, path_of(names_of(name).front()), "be given (this family has no default)", "nothing");
  const std::int64_t x = to_integer(*reading_, value);
  if (x < 1 || x > (1 << 24)) fail(*reading_, value.path, "be in 1 .. 2^24", show(*value.json));
  return static_cast<int>(x);
}

}  // namespace rotary::detail
