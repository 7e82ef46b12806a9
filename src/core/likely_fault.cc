// The faults that are made again and again, tried on a specification until one gives what was measured.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "core/scaled_frequencies.h"
#include "rotary/measure.h"

namespace rotary {
namespace {

struct Fault {
  std::string name;
  RopeSpec spec;
};

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", x);
  return text;
}

class Faults {
 public:
  Faults(const RopeSpec& spec, const MeasuredRotation& measured) : spec_(spec), measured_(measured) {}

  std::vector<Fault> list() {
    layouts();
    widths();
    bases();
    scalings();
    factors();
    fitted_bases();
    return std::move(faults_);
  }

 private:
  template <class Change>
  void add_fault(const std::string& name, Change change) {
    RopeSpec changed = spec_;
    change(changed);
    if (changed == spec_) return;
    try {
      validate_spec(changed);
    } catch (const std::invalid_argument&) {
      return;  // not a fault that this specification can have
    }
    faults_.push_back({name, std::move(changed)});
  }

  void layouts() {
    const bool half = spec_.pairing == Pairing::kHalf;
    add_fault(half ? "pairing: adjacent channels meet, not halves" : "pairing: halves meet, not adjacent channels",
              [&](RopeSpec& s) { s.output_pairing = s.pairing = half ? Pairing::kInterleaved : Pairing::kHalf; });
    add_fault("output layout: written where it was read", [](RopeSpec& s) { s.output_pairing = s.pairing; });
    add_fault("output layout: written in halves", [](RopeSpec& s) { s.output_pairing = Pairing::kHalf; });
    add_fault("sign: turned the other way", [](RopeSpec& s) { s.negate_angle = !s.negate_angle; });
    add_fault("slice offset: the first channels rotate", [](RopeSpec& s) { s.rotary_offset = 0; });
    add_fault("slice offset: the last channels rotate",
              [](RopeSpec& s) { s.rotary_offset = s.head_dim - s.rotary_dim; });
  }

  void widths() {
    add_fault("rotary width: the whole head rotates", [](RopeSpec& s) {
      s.rotary_dim = s.head_dim;
      s.rotary_offset = 0;
    });
    for (int divisor : {2, 4})
      add_fault("rotary width: one " + std::string(divisor == 2 ? "half" : "quarter") + " of the head rotates",
                [&](RopeSpec& s) { s.rotary_dim = s.head_dim / divisor; });
    add_fault("exponent denominator: head_dim, not rotary_dim", [](RopeSpec& s) { s.frequency_dim = s.head_dim; });
    add_fault("exponent denominator: rotary_dim / 2", [](RopeSpec& s) { s.frequency_dim = s.rotary_dim / 2; });
    add_fault("exponent denominator: rotary_dim", [](RopeSpec& s) { s.frequency_dim = 0; });
  }

  // The base that the first pairs have, which most methods keep, to a few digits.
  void fitted_bases() {
    const std::vector<Frequency>& f = measured_.map.frequency;
    for (std::size_t i : {f.size() - 1, f.size() / 4, f.size() / 8, std::size_t{1}}) {
      if (i == 0 || i >= f.size() || !(f[i].hi > 0) || !(f[0].hi > 0)) continue;
      const double exact =
          std::exp(-std::log(f[i].hi / f[0].hi) * static_cast<double>(f.size()) / static_cast<double>(i));
      if (!(exact > 1 && exact < 1e12)) continue;
      for (int digits : {1, 2, 3, 4, 6}) {
        const double unit = std::pow(10.0, std::floor(std::log10(exact)) + 1 - digits);
        const double base = std::round(exact / unit) * unit;
        if (base > 1)
          add_fault("base " + number(base) + " instead of " + number(spec_.base), [&](RopeSpec& s) { s.base = base; });
      }
    }
  }

  void bases() {
    for (double base : {10000.0, 100000.0, 150000.0, 160000.0, 500000.0, 1e6, 5e6, 1e7})
      add_fault("base " + number(base) + " instead of " + number(spec_.base), [&](RopeSpec& s) { s.base = base; });
    for (double base : {10000.0, 500000.0, 1e6})
      add_fault("base " + number(base) + " instead of " + number(spec_.base) + ", and the scaling is left out",
                [&](RopeSpec& s) {
                  if (std::holds_alternative<DefaultScaling>(s.scaling) || s.base == base) return;
                  s.base = base;
                  s.scaling = DefaultScaling{};
                });
  }

  // Changes the parameters of a method, where the specification has that method.
  template <class Method, class Change>
  void add_change(const std::string& name, Change change) {
    if (std::holds_alternative<Method>(spec_.scaling))
      add_fault(name, [&](RopeSpec& s) { change(std::get<Method>(s.scaling)); });
  }

  void scalings() {
    add_fault("the scaling is left out", [](RopeSpec& s) { s.scaling = DefaultScaling{}; });
    add_change<YarnScaling>("the correction range is rounded where it should not be, or the reverse (truncate)",
                            [](YarnScaling& y) { y.truncate = !y.truncate; });
    add_change<YarnScaling>("beta_fast and beta_slow are not read: 32 and 1",
                            [](YarnScaling& y) { y.beta_fast = 32, y.beta_slow = 1; });
    if (const double present = spec_.max_position; present > 0) {
      const std::string name = "the present limit is taken for the original length";
      add_change<YarnScaling>(name, [&](YarnScaling& y) { y.original_max_position = present; });
      add_change<Llama3Scaling>(name, [&](Llama3Scaling& y) { y.original_max_position = present; });
    }
    add_change<YarnScaling>("four times the original length is taken for it",
                            [](YarnScaling& y) { y.original_max_position *= 4; });
    add_change<LongRopeScaling>("the list of the other lengths (short or long)",
                                [](LongRopeScaling& y) { std::swap(y.short_factor, y.long_factor); });
    twice_or_linear<YarnScaling>();
    twice_or_linear<Llama3Scaling>();
    twice_or_linear<LinearScaling>();
  }

  template <class Method>
  void twice_or_linear() {
    const auto* method = std::get_if<Method>(&spec_.scaling);
    if (method == nullptr) return;
    const double factor = method->factor;
    add_change<Method>("the scaling is applied twice", [](Method& y) { y.factor *= y.factor; });
    add_fault("linear scaling instead", [&](RopeSpec& s) { s.scaling = LinearScaling{factor}; });
  }

  void factors() {
    const double factor = make_rotation_map(spec_).attention_factor;
    const auto set = [&](const std::string& name, double value) {
      add_fault(name, [&](RopeSpec& s) {
        if (auto* yarn = std::get_if<YarnScaling>(&s.scaling)) yarn->attention_factor = value;
        if (auto* longrope = std::get_if<LongRopeScaling>(&s.scaling)) longrope->attention_factor = value;
      });
    };
    if (factor != 1) set("attention factor missing", 1);
    if (factor != 1) set("attention factor squared", factor * factor);
    if (factor > 0 && factor != 1) set("attention factor inverted", 1 / factor);
    if (const auto* yarn = std::get_if<YarnScaling>(&spec_.scaling)) {
      const double rule = detail::yarn_magnitude(yarn->factor, 1);
      if (rule != factor) set("attention_factor or mscale is not read: 0.1 ln(factor) + 1", rule);
    }
  }

  const RopeSpec& spec_;
  const MeasuredRotation& measured_;
  std::vector<Fault> faults_;
};

}  // namespace

std::string likely_fault(const RopeSpec& spec, const MeasuredRotation& measured, std::int64_t seq_len) {
  MeasuredRotation turning = measured;  // positions are named beside
  turning.first_position = 0;
  turning.stops_at = -1;
  turning.irregular.clear();
  if (compare(make_rotation_map(spec, seq_len), turning).same) return "";
  for (const Fault& fault : Faults(spec, measured).list())
    if (compare(make_rotation_map(fault.spec, seq_len), turning).same) return fault.name;
  return "";
}

}  // namespace rotary
