// The pictures that `rotary plot` knows by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/rotation_figures.h"
#include "rotary/formats/model_config.h"

namespace rotary::cli {

struct FigureKind {
  const char* name;
  const char* shows;    ///< one line for the help
  const char* caption;  ///< how to read it
  bool takes_several;   ///< rotations on one axis
  report::Figure (*draw)(std::span<const report::NamedRotation> rotations);
};

/// mechanism, wavelength, decay, angles, yarn, precision.
std::span<const FigureKind> figure_kinds();

/// The kind of that name, which must exist.
const FigureKind& figure_kind(const std::string& name);

/// The rotation as figures take it.
report::NamedRotation named(std::string name, const ModelRotation& rotation, const ReadOptions& options);

}  // namespace rotary::cli
