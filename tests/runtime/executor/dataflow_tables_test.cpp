// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/dataflow_tables.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/tensor.hpp>

namespace dataflow_tables_test {
using namespace tenon;
using tenon::detail::DataflowTables;

namespace {

// Values: 0 a feed, 1 a constant, 2 the sum of both, 3 fetched. Nodes: the sum, one that does nothing, the last.
Program SumProgram() {
  Program program;
  program.num_values = 4;
  program.readers = {2, 1, 1, 1};
  program.escapes = {0, 0, 0, 1};
  program.constants.push_back({1, Tensor::Scalar(1.0f)});
  program.consumers = {1, 2, 2};
  program.nodes.resize(3);
  program.nodes[0].first_consumer = 0;
  program.nodes[1].first_consumer = 2;
  program.nodes[2].first_consumer = 3;
  program.nodes[1].kind = ProgramNode::Kind::kNothing;
  program.nodes[0].pending = 0;
  program.nodes[1].pending = 1;
  program.nodes[2].pending = 2;
  return program;
}
struct Run final : DataflowTables<Run> {
  explicit Run(const Program& program) : DataflowTables(program) { CHECK(FillTables(program) == costs()); }
  static Owned<Run> Make(const Program& program) { return Owned<Run>(new (program) Run(program)); }
  std::int64_t other = 7;
};

}  // namespace

TEST_SUITE("DataflowTables") {
  TEST_CASE("holds the counts of nodes and values") {
    const Program program = SumProgram();
    const Owned<Run> run = Run::Make(program);
    const Run& tables = *run;
    for (int n = 0; n < 3; ++n) {
      CHECK(tables.CountsOf(n).number == n);
      CHECK(tables.CountsOf(n).pending.load() == n);
      CHECK(static_cast<int>(tables.CountsOf(n).waits_for) == n);
      CHECK((tables.CountsOf(n).does_nothing != 0) == (n == 1));
      CHECK(Run::RunOf(&tables.CountsOf(n)) == run.get());
    }
    CHECK(tables.CountsOf(1).first_consumer == 2);
    CHECK(tables.CountsOf(3).first_consumer == 3);  // behind the last node
    const int first[] = {2, Run::kStays, 1, Run::kStays};
    for (int v = 0; v < 4; ++v) {
      CHECK(tables.first_readers()[v] == first[v]);
      if (v != 1) CHECK(tables.Readers(v).load() == first[v]);
    }
  }
  TEST_CASE("its arrays do not overlap") {
    const Program program = SumProgram();
    const Owned<Run> run = Run::Make(program);
    const Run& tables = *run;
    for (int n = 0; n < 3; ++n) tables.After(n) = 10 + n;
    for (int v = 0; v < 4; ++v) tables.first_readers()[v] = 20 + v;
    for (int v = 0; v < 4; ++v) tables.Readers(v).store(30 + v);
    for (int n = 0; n < 3; ++n) tables.costs()[n] = 40 + n;
    for (int n = 0; n < 2; ++n) tables.queue()[n] = 50 + n;  // one that does nothing, and one more
    for (int n = 0; n < 3; ++n) {
      CHECK(tables.After(n) == 10 + n);
      CHECK(tables.costs()[n] == 40 + n);
      CHECK(tables.CountsOf(n).number == n);
      CHECK(Run::RunOf(&tables.CountsOf(n)) == run.get());
    }
    for (int v = 0; v < 4; ++v) {
      CHECK(tables.first_readers()[v] == 20 + v);
      CHECK(tables.Readers(v).load() == 30 + v);
    }
    CHECK(tables.other == 7);
  }
  TEST_CASE("a program without nodes") {
    const Owned<Run> run = Run::Make(Program());
    CHECK(Run::RunOf(&run->CountsOf(0)) == run.get());
  }
}
}  // namespace dataflow_tables_test
