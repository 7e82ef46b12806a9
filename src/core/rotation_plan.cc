#include "core/rotation_plan.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace rotary::detail {
namespace {

constexpr int kMinPairsPerRun = 4;  // on average; below, gathering is faster than short vectors

PlannedPair planned(const ChannelPair& p, PlanUse use, int row) {
  switch (use) {
    case PlanUse::kForward: return {p.a, p.b, p.c, p.d, row};
    case PlanUse::kBackward: return {p.c, p.d, p.a, p.b, row};
    case PlanUse::kOnOutputs: break;
  }
  return {p.c, p.d, p.c, p.d, row};
}

struct Steps {
  int x0, x1, y0, y1;
};

std::optional<Steps> steps_of(PairLayout layout) {
  switch (layout) {
    case PairLayout::kHalf: return Steps{1, 1, 1, 1};
    case PairLayout::kInterleaved: return Steps{2, 2, 2, 2};
    case PairLayout::kInterleavedToHalf: return Steps{2, 2, 1, 1};
    case PairLayout::kHalfToInterleaved: return Steps{1, 1, 2, 2};
  }
  return {};
}

// An interleaved side holds the ends of a pair beside each other.
bool starts_run(const PlannedPair& p, const Steps& step) {
  return (step.x0 == 1 || p.x1 == p.x0 + 1) && (step.y0 == 1 || p.y1 == p.y0 + 1);
}

bool continues(const Run& run, const PlannedPair& p, const Steps& step) {
  const int n = run.count;
  return p.row == run.first + n && p.x0 == run.x0 + n * step.x0 && p.x1 == run.x1 + n * step.x1 &&
         p.y0 == run.y0 + n * step.y0 && p.y1 == run.y1 + n * step.y1;
}

// The runs of all pairs in one layout; empty if it does not fit.
std::vector<Run> runs_in(const std::vector<PlannedPair>& pairs, PairLayout layout) {
  const Steps step = *steps_of(layout);
  std::vector<Run> runs;
  for (const PlannedPair& p : pairs) {
    if (!starts_run(p, step)) return {};
    if (runs.empty() || !continues(runs.back(), p, step))
      runs.push_back({p.x0, p.x1, p.y0, p.y1, p.row, 1});
    else
      ++runs.back().count;
  }
  return runs;
}

void add_copy(std::vector<Copy>& copies, int from, int to) {
  if (!copies.empty() && copies.back().from + copies.back().count == from &&
      copies.back().to + copies.back().count == to)
    ++copies.back().count;
  else
    copies.push_back({from, to, 1});
}

bool never_turns(const RotationMap& map, int pair) { return axis_of(map, pair) == -1; }

// Splits the map into pairs that turn and channels that pass (to[channel], -1 for the others).
std::vector<int> split(const RotationMap& map, PlanUse use, bool drop_still, std::vector<PlannedPair>& pairs) {
  std::vector<int> to(static_cast<std::size_t>(map.channels), -1);
  const auto pass = [&](int from, int target) { to[static_cast<std::size_t>(from)] = target; };
  for (int channel = 0; channel < map.channels; ++channel) {
    const int target = map.pass_to[static_cast<std::size_t>(channel)];
    if (target < 0) continue;
    if (use == PlanUse::kForward) pass(channel, target);
    if (use == PlanUse::kBackward) pass(target, channel);
    if (use == PlanUse::kOnOutputs) pass(target, target);
  }
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const PlannedPair p = planned(map.pairs[static_cast<std::size_t>(i)], use, i);
    if (drop_still && never_turns(map, i))
      pass(p.x0, p.y0), pass(p.x1, p.y1);
    else
      pairs.push_back(p);
  }
  return to;
}

void choose_layout(RotationPlan& plan) {
  for (const PairLayout layout :
       {PairLayout::kHalf, PairLayout::kInterleaved, PairLayout::kInterleavedToHalf, PairLayout::kHalfToInterleaved}) {
    std::vector<Run> runs = runs_in(plan.pairs, layout);
    if (runs.empty() || (!plan.runs.empty() && runs.size() >= plan.runs.size())) continue;
    plan.layout = layout;
    plan.runs = std::move(runs);
  }
  const auto average = plan.pairs.size() / std::max<std::size_t>(plan.runs.size(), 1);
  plan.regular = plan.runs.size() <= 1 || average >= kMinPairsPerRun;
}

}  // namespace

RotationPlan make_plan(const RotationMap& map, PlanUse use, bool drop_still) {
  RotationPlan plan;
  plan.channels = map.channels;
  plan.row_pairs = static_cast<int>(map.pairs.size());
  const std::vector<int> to = split(map, use, drop_still, plan.pairs);
  for (int channel = 0; channel < map.channels; ++channel)
    if (const int target = to[static_cast<std::size_t>(channel)]; target >= 0) {
      add_copy(plan.copies, channel, target);
      plan.copies_stay &= target == channel;
    }
  plan.stays = plan.copies_stay;
  plan.turned_begin = plan.pairs.empty() ? 0 : plan.channels;
  for (const PlannedPair& p : plan.pairs) {
    plan.stays &= p.x0 == p.y0 && p.x1 == p.y1;
    plan.turned_begin = std::min({plan.turned_begin, p.x0, p.x1});
    plan.turned_end = std::max({plan.turned_end, p.x0 + 1, p.x1 + 1});
  }
  choose_layout(plan);
  return plan;
}

RotationPlan halves_plan(int row_pairs) {
  RotationPlan plan;
  plan.channels = 2 * row_pairs;
  plan.row_pairs = row_pairs;
  plan.turned_end = plan.channels;
  if (row_pairs > 0) plan.runs = {{0, row_pairs, 0, row_pairs, 0, row_pairs}};
  return plan;
}

}  // namespace rotary::detail
