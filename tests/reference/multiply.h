// The slow twin of matrix products, in plain double.
#pragma once

#include <cstddef>
#include <vector>

namespace rotary::reference {

/// Row-major, [rows, columns].
struct Table {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  Table(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

inline Table multiply(const Table& a, const Table& b) {
  Table c(a.rows, b.columns);
  for (std::size_t m = 0; m < a.rows; ++m)
    for (std::size_t n = 0; n < b.columns; ++n)
      for (std::size_t k = 0; k < a.columns; ++k) c.at(m, n) += a.at(m, k) * b.at(k, n);
  return c;
}

inline Table transpose(const Table& a) {
  Table out(a.columns, a.rows);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < a.columns; ++c) out.at(c, r) = a.at(r, c);
  return out;
}

}  // namespace rotary::reference
