// SPDX-License-Identifier: Apache-2.0
#include "runtime/api/session_user.hpp"

namespace {

template <class T>
concept Complete = requires { sizeof(T); };

// The front door is cheap because these stay behind it.
static_assert(!Complete<tenon::GraphDef> && !Complete<tenon::GraphBuilder> && !Complete<tenon::Registry>);
static_assert(Complete<tenon::Session> && Complete<tenon::Callable> && Complete<tenon::Tensor>);

}  // namespace

tenon::Result<float> top_test::RunGraph(std::span<const std::byte> bytes, float x) {
  TENON_ASSIGN_OR_RETURN(const auto session, tenon::Session::FromGraphDef(bytes, {.intra_op_threads = 1}));
  TENON_ASSIGN_OR_RETURN(const auto outputs, session.Run({{"x", tenon::MakeTensor<float>({1}, {x})}}, {"y"}));
  return outputs[0].flat<float>()(0);
}

tenon::Result<float> top_test::CallSession(const tenon::Session& session, float x) {
  TENON_ASSIGN_OR_RETURN(const tenon::Callable call, session.MakeCallable({.feeds = {"x"}, .fetches = {"y"}}));
  TENON_ASSIGN_OR_RETURN(const auto outputs, call({tenon::MakeTensor<float>({1}, {x})}));
  return outputs[0].flat<float>()(0);
}

top_test::LoadFile top_test::LoaderOfOtherFile() { return &tenon::detail::Runtime::FromGraphFile; }
