// The colours of figures. Series: eight hues that stay apart for colour-blind readers (after Okabe and Ito), darkened
// or lightened until each has a contrast of 3 to its background; the ninth repeats the first, dashed.
#include <string>

#include "report/figure.h"

namespace rotary::report {

// A viewer that does not know @media (librsvg) shows the light colours.
std::string figure_style() {
  return R"(.figure .card{fill:#ffffff}
.figure .text{fill:#1f2328}
.figure .soft{fill:#59636e}
.figure .title{fill:#1f2328;font-weight:600}
.figure .over{fill:#ffffff}
.figure .between{fill:#0d0f12}
.figure .lead{stroke:currentColor;stroke-width:1;fill:none}
.figure .grid{stroke:#e1e5e9;stroke-width:1;shape-rendering:crispEdges}
.figure .axis{stroke:#8c959f;stroke-width:1;shape-rendering:crispEdges}
.figure .mark{stroke:#59636e;stroke-width:1.2;stroke-dasharray:5 4;fill:none}
.figure .frame{stroke:#b1bac4;stroke-width:1;fill:none;shape-rendering:crispEdges}
.figure .line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:butt}
.figure .thin{stroke:currentColor;stroke-width:1.2;fill:none}
.figure .dashed{stroke-dasharray:7 3}
.figure .faint{stroke-width:1.5;stroke-dasharray:4 3;stroke-opacity:.75}
.figure .fill{fill:currentColor}
.figure .band{fill:currentColor;fill-opacity:.16}
.figure .whisker{stroke:#1f2328;stroke-width:1.2;fill:none}
.figure .cell{shape-rendering:crispEdges}
.figure .more{fill:#08458c}
.figure .less{fill:#a63a00}
.figure .missing{fill:#c4cad0}
.figure .c0{color:#0068b0}
.figure .c1{color:#d04a00}
.figure .c2{color:#00855f}
.figure .c3{color:#b4508f}
.figure .c4{color:#2c9bd6}
.figure .c5{color:#9a7400}
.figure .c6{color:#444c56}
.figure .c7{color:#7b4fd0}
@media screen and (prefers-color-scheme:dark){
.figure .card{fill:#16191d}
.figure .text{fill:#e6e9ec}
.figure .soft{fill:#a0a9b2}
.figure .title{fill:#f2f4f6}
.figure .over{fill:#0d0f12}
.figure .grid{stroke:#2b3138}
.figure .axis{stroke:#6b757f}
.figure .mark{stroke:#a0a9b2}
.figure .frame{stroke:#4b545d}
.figure .whisker{stroke:#e6e9ec}
.figure .band{fill-opacity:.25}
.figure .more{fill:#8ccaff}
.figure .less{fill:#ffab70}
.figure .missing{fill:#4b545d}
.figure .c0{color:#4aa8f0}
.figure .c1{color:#ff8040}
.figure .c2{color:#2fc49a}
.figure .c3{color:#e58cc4}
.figure .c4{color:#9fdcff}
.figure .c5{color:#e3b93c}
.figure .c6{color:#c4cad0}
.figure .c7{color:#b196ff}
}
)";
}

}  // namespace rotary::report
