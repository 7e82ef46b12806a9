// rotary bench: how fast the rotation is on this machine, beside what the machine can do.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/case_list.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "cli/commands.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string filter;
  int threads = 0;
  double seconds = -1;
  bool quick = false, full = false, json = false;
};

constexpr int kNameWidth = 62;

// On a terminal only, on one line that the next one overwrites.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }
  void clear() const {
    if (shown_) std::fputs("\r\33[K", stderr);
  }
  void show(const std::string& name) {
    ++done_;
    if (shown_) std::fprintf(stderr, "\r\33[K[%zu/%zu] %s", done_, total_, name.c_str());
  }

 private:
  std::size_t total_, done_ = 0;
  bool shown_;
};

nlohmann::ordered_json to_json(const bench::Row& row) {
  const bench::Case& c = row.measured;
  return {{"name", bench::name_of(c)},
          {"kind", c.kind},
          {"dtype", to_string(c.dtype)},
          {"pairing", bench::pairing_of(c)},
          {"in_place", c.in_place},
          {"threads", c.threads},
          {"batch", c.batch},
          {"tokens", c.tokens},
          {"heads", c.heads},
          {"head_dim", c.spec.head_dim},
          {"rotary_dim", c.spec.rotary_dim},
          {"bytes", static_cast<std::int64_t>(row.bytes)},
          {"moved_bytes", static_cast<std::int64_t>(row.moved_bytes)},
          {"gbps", row.gbps()},
          {"limit_gbps", row.limit_gbps()},
          {"share", row.limit.ratio_to_first},
          {"ns_per_token", row.ns_per_token()},
          {"ms", row.own.median * 1e3},
          {"best_ms", row.own.best * 1e3},
          {"limit_best_ms", row.limit.best * 1e3},
          {"limit", row.limit_name}};
}

nlohmann::ordered_json to_json(const bench::Machine& m) {
  return {{"simd_target", m.simd_target},
          {"cpu", m.cpu},
          {"cores", m.cores},
          {"l2_bytes", m.l2_bytes},
          {"l3_bytes", m.l3_bytes}};
}

void print_heading(const bench::Machine& m) {
  std::printf("%s, %s, %d cores, L2 %.1f MiB, L3 %.0f MiB; GB/s count what is read and what is written\n\n",
              m.cpu.c_str(), m.simd_target.c_str(), m.cores, static_cast<double>(m.l2_bytes) / 0x1p20,
              static_cast<double>(m.l3_bytes) / 0x1p20);
  std::printf("%-*s %8s %8s %6s %10s\n", kNameWidth, "", "GB/s", "limit", "share", "ns/token");
}

void print_row(const bench::Row& row) {
  std::printf("%-*s %8.1f %8.1f %5.0f%% %10.1f", kNameWidth, bench::name_of(row.measured).c_str(), row.gbps(),
              row.limit_gbps(), 100 * row.limit.ratio_to_first, row.ns_per_token());
  if (row.measured.kind == "table") std::printf("   (%.1f ms)", row.own.median * 1e3);
  std::putchar('\n');
  std::fflush(stdout);
}

bench::Effort effort_of(const Request& request) {
  bench::Effort effort;
  effort.seconds = request.seconds >= 0 ? request.seconds : request.quick ? 0.25 : 0.5;
  effort.min_rounds = request.quick ? 3 : 5;
  return effort;
}

void run(const Request& request) {
  const auto extent = request.full    ? bench::Extent::kFull
                      : request.quick ? bench::Extent::kQuick
                                      : bench::Extent::kDefault;
  const std::vector<bench::Case> cases = bench::list_cases(extent, request.filter, request.threads);
  const bench::Machine machine = bench::this_machine();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  Progress progress(cases.size());
  if (!request.json) print_heading(machine);
  for (const bench::Case& c : cases) {
    progress.show(bench::name_of(c));
    const bench::Row row = bench::measure(c, effort_of(request));
    progress.clear();
    if (request.json)
      rows.push_back(to_json(row));
    else
      print_row(row);
  }
  if (!request.json) return;
  nlohmann::ordered_json out = to_json(machine);
  out["rows"] = std::move(rows);
  std::cout << out.dump() << '\n';
}

}  // namespace

void add_bench(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* bench = app.add_subcommand(
      "bench", "How fast the rotation is on this machine, beside the fastest loop over the same memory");
  CLI::Option* quick = bench->add_flag("--quick", request->quick, "a few rows, in about ten seconds");
  bench->add_flag("--full", request->full, "every combination; give a --filter too")->excludes(quick);
  bench->add_option("--filter", request->filter, "only rows whose name holds this text");
  bench->add_option("--threads", request->threads, "for every row, instead of one and all")->check(CLI::Range(1, 1024));
  bench->add_option("--seconds", request->seconds, "measuring time of a row (default 0.5, quick 0.25)")
      ->check(CLI::Range(0.0, 3600.0).description("0 to 3600"));
  bench->add_flag("--json", request->json, "machine-readable");
  bench->footer(
      "Every answer is checked before it is timed; a wrong one ends the run with status 1.\n"
      "Examples:\n  rotary bench --quick\n  rotary bench --filter 'bfloat16 half' --threads 1 --json");
  bench->callback([request] { run(*request); });
}

}  // namespace rotary::cli
