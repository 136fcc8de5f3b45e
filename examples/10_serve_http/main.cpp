// SPDX-License-Identifier: Apache-2.0
// Serves a frozen graph with one input and one output over HTTP, in batches.
//
//   serve_http GRAPH.pb [PORT]     serves until SIGINT or SIGTERM
//   serve_http GRAPH.pb --check    serves itself a thousand requests and shows what came back
//
//   POST /predict    float32 values of one example -> JSON {"output": [...]}
//   GET  /healthz    200 while it serves
//   GET  /metrics    counts for Prometheus

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/ops/cnn.hpp>
#include <tenon/tenon.hpp>

#include "batcher.hpp"

TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::Cnn);

namespace {

// Counts of the server. thread-safe.
struct Metrics {
  static constexpr double kBounds[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 1};  // latencies [s]
  std::atomic<long> ok{0}, refused{0}, bad{0}, failed{0};
  std::atomic<long> buckets[9] = {};
  std::atomic<long> total_us{0};

  void Count(const tenon::Status& status, double seconds) {
    switch (status.code()) {
      case tenon::Code::kOk: ++ok; break;
      case tenon::Code::kUnavailable: ++refused; break;
      case tenon::Code::kInvalidArgument: ++bad; break;
      default: ++failed;
    }
    std::size_t i = 0;
    while (i < 8 && seconds > kBounds[i]) ++i;
    ++buckets[i];
    total_us += static_cast<long>(seconds * 1e6);
  }
  std::string Text(const Batcher& batcher) const {
    std::string text = "# TYPE tenon_requests_total counter\n";
    const auto line = [&text](const std::string& name, const std::string& value) { text += name + " " + value + "\n"; };
    line("tenon_requests_total{code=\"ok\"}", std::to_string(ok));
    line("tenon_requests_total{code=\"unavailable\"}", std::to_string(refused));
    line("tenon_requests_total{code=\"invalid_argument\"}", std::to_string(bad));
    line("tenon_requests_total{code=\"error\"}", std::to_string(failed));
    text += "# TYPE tenon_request_seconds histogram\n";
    long sum = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      sum += buckets[i];
      char bound[16] = "+Inf";
      if (i < 8) std::snprintf(bound, sizeof bound, "%g", kBounds[i]);
      line("tenon_request_seconds_bucket{le=\"" + std::string(bound) + "\"}", std::to_string(sum));
    }
    line("tenon_request_seconds_sum", std::to_string(static_cast<double>(total_us) / 1e6));
    line("tenon_request_seconds_count", std::to_string(sum));
    text += "# TYPE tenon_batches_total counter\n# TYPE tenon_examples_total counter\n# TYPE tenon_waiting gauge\n";
    const auto [batches, examples] = batcher.counts();
    line("tenon_batches_total", std::to_string(batches));
    line("tenon_examples_total", std::to_string(examples));
    line("tenon_waiting", std::to_string(batcher.waiting()));
    return text;
  }
};

int HttpCode(const tenon::Status& status) {
  switch (status.code()) {
    case tenon::Code::kOk: return 200;
    case tenon::Code::kInvalidArgument: return 400;
    case tenon::Code::kUnavailable: return 503;
    case tenon::Code::kDeadlineExceeded: return 504;
    default: return 500;
  }
}

void Predict(Batcher* batcher, Metrics* metrics, const httplib::Request& request, httplib::Response* response) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<float> example(request.body.size() / sizeof(float));
  std::memcpy(example.data(), request.body.data(), example.size() * sizeof(float));
  const Batcher::Row row = batcher->Submit(std::move(example)).get();
  metrics->Count(row.status(), std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  response->status = HttpCode(row.status());
  if (!row.ok()) return response->set_content(row.status().ToString() + "\n", "text/plain");
  std::string text = "{\"output\": [";
  char number[32];
  for (const float value : *row) {
    std::snprintf(number, sizeof number, "%s%.9g", text.back() == '[' ? "" : ", ", static_cast<double>(value));
    text += number;
  }
  response->set_content(text + "]}\n", "application/json");
}

httplib::Server server;  // for the handler of signals
void Stop(int) { server.stop(); }

// Sends requests of its own from several threads, and compares each answer with a run without a batch.
bool Check(int port, const tenon::Callable& model, const tenon::TensorShape& example) {
  constexpr int kThreads = 8, kRequests = 125;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      httplib::Client client("127.0.0.1", port);
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      tenon::TensorShape shape = example;
      shape.InsertDim(0, 1);
      for (int i = 0; i < kRequests; ++i) {
        tenon::Tensor input(tenon::DataType::kFloat, shape);
        float* const values = input.data<float>();
        for (tenon::Index k = 0; k < input.NumElements(); ++k)
          values[k] = static_cast<float>((k * (t + 1) + i) % 17) / 17;
        const std::string body(reinterpret_cast<const char*>(values), input.TotalBytes());
        const httplib::Result got = client.Post("/predict", body, "application/octet-stream");
        const auto wanted = model({input});
        if (!got || got->status != 200 || !wanted.ok()) continue;
        const char* text = got->body.c_str() + std::strlen("{\"output\": [");
        bool equal = true;
        for (const float value : (*wanted)[0].flat<float>()) {
          char* end = nullptr;
          equal = equal && std::abs(std::strtof(text, &end) - value) < 1e-5f;
          text = end + 2;
        }
        right += equal ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  httplib::Client client("127.0.0.1", port);
  const httplib::Result health = client.Get("/healthz"), wrong = client.Post("/predict", "abc", "text/plain");
  const httplib::Result metrics = client.Get("/metrics");
  const bool all = right == kThreads * kRequests && health && health->status == 200 && wrong && wrong->status == 400 &&
                   metrics && metrics->body.find("tenon_examples_total 1000\n") != std::string::npos;
  std::printf("%d of %d answers are those of runs without a batch.\n", right.load(), kThreads * kRequests);
  std::printf("/healthz: %d. /predict of three bytes: %d.\n", health ? health->status : 0, wrong ? wrong->status : 0);
  return all;
}

tenon::Status Serve(const std::string& path, const std::string& port_or_check) {
  // The server has a thread for each connection; a run itself takes one thread.
  TENON_ASSIGN_OR_RETURN(const tenon::Session session, tenon::Session::FromGraphFile(path, {.intra_op_threads = 1}));
  if (session.inputs().size() != 1 || session.outputs().empty())
    return tenon::errors::InvalidArgument(path, ": a graph with one input and one output is wanted, this one has ",
                                          session.inputs().size(), " and ", session.outputs().size());
  const tenon::Endpoint input = session.inputs()[0];
  TENON_ASSIGN_OR_RETURN(const tenon::Callable model,
                         session.MakeCallable({.feeds = {input.name}, .fetches = {session.outputs().back().name}}));
  // "[?,28,28,1]": the dimensions behind the first are the shape of an example.
  tenon::TensorShape example;
  const char* text = input.shape.c_str();
  while ((text = std::strchr(text, ',')) != nullptr) example.AddDim(std::strtol(++text, nullptr, 10));
  Batcher batcher(model, example, {});
  Metrics metrics;

  server.new_task_queue = [] { return new httplib::ThreadPool(64); };
  server.set_tcp_nodelay(true);
  server.Post("/predict", [&](const httplib::Request& request, httplib::Response& response) {
    Predict(&batcher, &metrics, request, &response);
  });
  server.Get("/healthz",
             [](const httplib::Request&, httplib::Response& response) { response.set_content("ok\n", "text/plain"); });
  server.Get("/metrics", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics.Text(batcher), "text/plain; version=0.0.4");
  });

  const bool check = port_or_check == "--check";
  const int asked = check ? 0 : std::atoi(port_or_check.c_str());
  const int port = asked == 0                                ? server.bind_to_any_port("127.0.0.1")
                   : server.bind_to_port("127.0.0.1", asked) ? asked
                                                             : -1;
  if (port <= 0) return tenon::errors::Unavailable("port ", port_or_check, " of 127.0.0.1 cannot be bound");
  if (!check) {
    std::printf("%s is served at http://127.0.0.1:%d/predict; an example has %lld floats.\n", path.c_str(), port,
                static_cast<long long>(example.num_elements()));
    std::fflush(stdout);
    std::signal(SIGINT, &Stop);
    std::signal(SIGTERM, &Stop);
    server.listen_after_bind();  // returns after Stop, when the requests under way have their answers
    std::printf("%s", metrics.Text(batcher).c_str());
    return tenon::OkStatus();
  }
  std::thread serving([] { server.listen_after_bind(); });
  const bool all = Check(port, model, example);
  server.stop();
  serving.join();
  return all ? tenon::OkStatus() : tenon::errors::Internal("a check failed; the metrics:\n", metrics.Text(batcher));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: serve_http GRAPH.pb [PORT | --check]\n");
    return 2;
  }
  const tenon::Status status = Serve(argv[1], argc == 3 ? argv[2] : "8500");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
