// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rendezvous with TensorFlow's keys and arguments: a view of the one that a run has, and a table of a program's own.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <tenon/kernel/rendezvous.hpp>
#include <tenon/compat/tensorflow/base/refcount.hpp>
#include <tenon/compat/tensorflow/op_kernel_context.hpp>
#include <tenon/compat/tensorflow/base/device_names.hpp>

namespace tensorflow {

// One side sends tensors under a key, the other receives them in their order. thread-safe.
class RendezvousInterface {
 public:
  struct Args {
    DeviceContext* device_context = nullptr;
    AllocatorAttributes alloc_attrs;
    CancellationManager* cancellation_manager = nullptr;
  };
  // A key that was read.
  struct ParsedKey {
    StringPiece src_device, dst_device, edge_name;
    DeviceNameUtils::ParsedName src, dst;
    uint64_t src_incarnation = 0;

    ParsedKey() = default;
    ParsedKey(const ParsedKey& other) { Set(other.key_); }
    ParsedKey& operator=(const ParsedKey& other) {
      Set(other.key_);
      return *this;
    }
    StringPiece FullKey() const { return key_.text; }
    const tenon::RendezvousKey& key() const { return key_; }
    void Set(const tenon::RendezvousKey& key) {
      key_ = key;
      src_device = key_.src_device;
      dst_device = key_.dst_device;
      edge_name = key_.edge_name;
      src_incarnation = key_.src_incarnation;
      src = NameOf(key_.src);
      dst = NameOf(key_.dst);
    }

   private:
    static DeviceNameUtils::ParsedName NameOf(const tenon::DeviceName& name) {
      return {name.has_job, name.job,      name.has_replica, name.replica, name.has_task,
              name.task,    name.has_type, name.type,        name.has_id,  name.id};
    }
    tenon::RendezvousKey key_;
  };
  using DoneCallback = std::function<void(const Status&, const Args& send, const Args& recv, const Tensor&, bool)>;

  virtual ~RendezvousInterface() = default;
  virtual Status Send(const ParsedKey& key, const Args& args, const Tensor& value, bool is_dead) = 0;
  virtual void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) = 0;
  virtual void StartAbort(const Status& status) = 0;
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value, bool* is_dead) {
    return Recv(key, args, value, is_dead, 0);
  }
  // DeadlineExceeded after `timeout_ms` milliseconds (0: never).
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value, bool* is_dead, int64_t timeout_ms) {
    struct State {
      Status status;
      Tensor value;
      bool is_dead = false;
      Notification done;
    };
    const auto state = std::make_shared<State>();
    RecvAsync(key, args, [state](const Status& s, const Args&, const Args&, const Tensor& v, bool dead) {
      state->status = s;
      state->value = v;
      state->is_dead = dead;
      state->done.Notify();
    });
    if (timeout_ms > 0) {
      if (!WaitForNotificationWithTimeout(&state->done, timeout_ms * 1000))
        return errors::DeadlineExceeded("Timed out waiting for notification");
    } else {
      state->done.WaitForNotification();
    }
    *value = state->value;
    *is_dead = state->is_dead;
    return state->status;
  }
};

class Rendezvous : public RendezvousInterface, public core::RefCounted {
 public:
  static std::string CreateKey(const std::string& src_device, uint64_t src_incarnation, const std::string& dst_device,
                               const std::string& name, const FrameAndIter& where) {
    return tenon::RendezvousKey::Create(src_device, src_incarnation, dst_device, name, {where.frame_id, where.iter_id});
  }
  static Status ParseKey(StringPiece text, ParsedKey* out) {
    TF_ASSIGN_OR_RETURN(const tenon::RendezvousKey key, tenon::RendezvousKey::Parse(std::string(text)));
    out->Set(key);
    return Status();
  }

 protected:
  ~Rendezvous() override = default;
};

// The rendezvous of a run, which Tenon has.
class RendezvousView final : public RendezvousInterface {
 public:
  void Reset(tenon::Rendezvous* base) { base_ = base; }
  Status Send(const ParsedKey& key, const Args& args, const Tensor& value, bool is_dead) override {
    return base_->Send(key.key(), ToTenon(args), value, is_dead);
  }
  void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) override {
    base_->RecvAsync(
        key.key(), ToTenon(args),
        [done = std::move(done), args](const Status& status, const tenon::Rendezvous::Args& send,
                                       const tenon::Rendezvous::Args&, const tenon::Tensor& value, bool is_dead) {
          done(status, {nullptr, send.alloc_attributes, nullptr}, args, Tensor(value), is_dead);
        });
  }
  void StartAbort(const Status& status) override { base_->StartAbort(status); }

 private:
  static tenon::Rendezvous::Args ToTenon(const Args& args) { return {args.alloc_attrs, args.cancellation_manager}; }
  tenon::Rendezvous* base_ = nullptr;
};
inline RendezvousInterface* OpKernelContext::rendezvous() const {
  thread_local RendezvousView view;
  tenon::Rendezvous* const base = Base::rendezvous();
  view.Reset(base);
  return base == nullptr ? nullptr : &view;
}

// Keeps values until they are received, in this process.
class LocalRendezvous final : public Rendezvous {
 public:
  Status Send(const ParsedKey& key, const Args& args, const Tensor& value, bool is_dead) override {
    Item receiver;
    {
      const mutex_lock lock(mu_);
      if (!status_.ok()) return status_;
      std::deque<Item>& waiting = table_[std::string(key.FullKey())];
      if (waiting.empty() || waiting.front().done == nullptr) {
        if (args.device_context != nullptr) args.device_context->Ref();
        waiting.push_back({args, value, is_dead, nullptr, 0});
        return Status();
      }
      receiver = std::move(waiting.front());
      waiting.pop_front();
    }
    Forget(receiver);
    receiver.done(Status(), args, receiver.args, value, is_dead);
    return Status();
  }
  void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) override {
    Status status;
    Item sent;
    {
      const mutex_lock lock(mu_);
      status = status_;
      std::deque<Item>& waiting = table_[std::string(key.FullKey())];
      if (status.ok() && (waiting.empty() || waiting.front().done != nullptr)) {
        Item receiver{args, Tensor(), false, std::move(done), 0};
        if (CancellationManager* const manager = args.cancellation_manager; manager != nullptr) {
          receiver.token = manager->get_cancellation_token();
          const auto cancel = [this, text = std::string(key.FullKey()), manager, token = receiver.token] {
            Cancel(text, manager, token);
          };
          if (!manager->RegisterCallback(receiver.token, cancel)) {
            status = Cancelled();
            done = std::move(receiver.done);
          }
        }
        if (status.ok()) {
          waiting.push_back(std::move(receiver));
          return;
        }
      } else if (status.ok()) {
        sent = std::move(waiting.front());
        waiting.pop_front();
      }
    }
    done(status, sent.args, args, sent.value, sent.is_dead);
    if (sent.args.device_context != nullptr) sent.args.device_context->Unref();
  }
  void StartAbort(const Status& status) override {
    std::map<std::string, std::deque<Item>> all;
    {
      const mutex_lock lock(mu_);
      if (!status_.ok()) return;
      status_ = status;
      all.swap(table_);
    }
    End(&all, status);
  }

 private:
  struct Item {
    Args args;
    Tensor value;
    bool is_dead = false;
    DoneCallback done;  // null: a value
    CancellationToken token = 0;
  };
  ~LocalRendezvous() override { End(&table_, errors::Cancelled("LocalRendezvous deleted")); }
  static Status Cancelled() { return errors::Cancelled("RecvAsync is cancelled."); }
  static void Forget(const Item& receiver) {
    if (receiver.args.cancellation_manager != nullptr)
      receiver.args.cancellation_manager->DeregisterCallback(receiver.token);
  }
  static void End(std::map<std::string, std::deque<Item>>* all, const Status& status) {
    for (auto& [key, waiting] : *all)
      for (Item& item : waiting) {
        if (item.done != nullptr) {
          Forget(item);
          item.done(status, Args(), item.args, Tensor(), false);
        } else if (item.args.device_context != nullptr) {
          item.args.device_context->Unref();
        }
      }
  }
  void Cancel(const std::string& key, const CancellationManager* manager, CancellationToken token) {
    Item receiver;
    {
      const mutex_lock lock(mu_);
      const auto found = table_.find(key);
      if (found == table_.end()) return;
      for (auto item = found->second.begin(); item != found->second.end(); ++item) {
        if (item->done == nullptr || item->args.cancellation_manager != manager || item->token != token) continue;
        receiver = std::move(*item);
        found->second.erase(item);
        break;
      }
    }
    if (receiver.done != nullptr) receiver.done(Cancelled(), Args(), receiver.args, Tensor(), false);
  }

  mutex mu_;
  Status status_;
  std::map<std::string, std::deque<Item>> table_;
};
// The caller has the only reference.
inline Rendezvous* NewLocalRendezvous() { return new LocalRendezvous(); }

}  // namespace tensorflow
