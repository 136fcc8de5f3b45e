// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batcher: many callers, one model. While a batch runs, the examples that come make the next one.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tenon/async.hpp>
#include <tenon/tenon.hpp>

struct BatcherOptions {
  std::size_t max_batch = 32;  // examples in a batch
  std::size_t max_waiting = 1000;  // examples that wait; one more gets Unavailable
  int max_runs = 2;  // batches that run at once
};

// A model with one input and one output, whose dimension 0 are examples, both float. thread-safe. Answers of examples
// under way arrive after its end, too.
class Batcher {
 public:
  using Row = tenon::Result<std::vector<float>>;

  // `example`: shape of one example.
  Batcher(tenon::Callable model, tenon::TensorShape example, BatcherOptions options)
      : state_(std::make_shared<State>()) {
    state_->model = std::move(model);
    state_->example = std::move(example);
    state_->options = options;
  }

  // The answer for one example, or the error of its batch. InvalidArgument: another number of floats. Unavailable: too
  // many examples wait.
  std::future<Row> Submit(std::vector<float> example) {
    std::promise<Row> promise;
    std::future<Row> answer = promise.get_future();
    const auto wanted = static_cast<std::size_t>(state_->example.num_elements());
    if (example.size() != wanted) {
      promise.set_value(tenon::errors::InvalidArgument("an example has ", wanted, " floats, got ", example.size()));
      return answer;
    }
    {
      const std::lock_guard lock(state_->mutex);
      if (state_->waiting.size() < state_->options.max_waiting) {
        state_->waiting.push_back({std::move(example), std::move(promise)});
        StartLocked(state_);
        return answer;
      }
    }
    promise.set_value(tenon::errors::Unavailable("too many examples wait; try again later"));
    return answer;
  }

  std::size_t waiting() const {
    const std::lock_guard lock(state_->mutex);
    return state_->waiting.size();
  }
  // Batches and examples that have ended.
  std::pair<std::int64_t, std::int64_t> counts() const {
    const std::lock_guard lock(state_->mutex);
    return {state_->batches, state_->examples};
  }

 private:
  struct Example {
    std::vector<float> values;
    std::promise<Row> answer;
  };
  struct State {
    tenon::Callable model;
    tenon::TensorShape example;
    BatcherOptions options;
    std::mutex mutex;
    std::deque<Example> waiting;
    int runs = 0;  // under way
    std::int64_t batches = 0, examples = 0;
  };

  // Starts a batch of the examples that wait, unless enough batches run.
  static void StartLocked(const std::shared_ptr<State>& state) {
    if (state->waiting.empty() || state->runs >= state->options.max_runs) return;
    const std::size_t count = std::min(state->waiting.size(), state->options.max_batch);
    auto batch = std::make_shared<std::vector<Example>>();
    for (std::size_t i = 0; i < count; ++i) {
      batch->push_back(std::move(state->waiting.front()));
      state->waiting.pop_front();
    }
    ++state->runs;
    tenon::TensorShape shape = state->example;
    shape.InsertDim(0, static_cast<std::int64_t>(count));
    tenon::Tensor input(tenon::DataType::kFloat, shape);
    float* to = input.data<float>();
    for (const Example& example : *batch) to = std::copy(example.values.begin(), example.values.end(), to);
    state->model.RunAsync({&input, 1}, {}, [state, batch](tenon::RunResult outputs) {
      Answer(*batch, outputs);
      const std::lock_guard lock(state->mutex);
      --state->runs;
      ++state->batches;
      state->examples += static_cast<std::int64_t>(batch->size());
      StartLocked(state);
    });
  }
  static void Answer(std::vector<Example>& batch, const tenon::RunResult& outputs) {
    tenon::Status status = outputs.status();
    const auto rows = static_cast<std::int64_t>(batch.size());
    if (status.ok() && ((*outputs)[0].dims() == 0 || (*outputs)[0].dim_size(0) != rows))
      status = tenon::errors::Internal("the model gives ", (*outputs)[0].shape(), " for ", rows, " examples");
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!status.ok()) {
        batch[i].answer.set_value(status);
        continue;
      }
      const auto width = static_cast<std::size_t>((*outputs)[0].NumElements() / rows);
      const float* const row = (*outputs)[0].data<float>() + i * width;
      batch[i].answer.set_value(std::vector<float>(row, row + width));
    }
  }

  std::shared_ptr<State> state_;
};
