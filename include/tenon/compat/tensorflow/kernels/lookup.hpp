// SPDX-License-Identifier: Apache-2.0
#pragma once
// Look-up tables of kernels: InitializableLookupTable, HashTable, their look-up, and LookupTableOp.

#include <atomic>
#include <cstddef>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/lookup_interface.hpp>

namespace tensorflow {
namespace lookup {

// A copy of a number, which another thread may change meanwhile; other values themselves.
template <class T>
std::conditional_t<std::is_integral_v<T>, T, const T&> SubtleMustCopyIfIntegral(const T& value) {
  if constexpr (std::is_integral_v<T>)
    return internal::SubtleMustCopy(value);
  else
    return value;
}

// A table that is filled once and then read. thread-safe when it is filled.
class InitializableLookupTable : public LookupInterface {
 public:
  class InitTableIterator {
   public:
    virtual ~InitTableIterator() = default;
    virtual void Next() = 0;
    virtual bool Valid() const = 0;
    virtual const Tensor& keys() const = 0;
    virtual const Tensor& values() const = 0;
    virtual Status status() const = 0;  // OutOfRange: at the end
    virtual int64_t total_size() const { return -1; }
  };
  class InitializerSerializer {};

  Status Find(OpKernelContext* context, const Tensor& keys, Tensor* values, const Tensor& default_value) final {
    if (!is_initialized()) return errors::FailedPrecondition("Table not initialized.");
    TF_RETURN_IF_ERROR(CheckFindArguments(keys, default_value));
    static_cast<void>(context);
    return DoFind(keys, values, default_value);
  }
  Status Insert(OpKernelContext*, const Tensor&, const Tensor&) final {
    return errors::Unimplemented("Insert not supported by InitializableLookupTable implementations");
  }
  Status Remove(OpKernelContext*, const Tensor&) final {
    return errors::Unimplemented("Remove not supported by InitializableLookupTable implementations");
  }
  Status ImportValues(OpKernelContext*, const Tensor& keys, const Tensor& values) override {
    TF_RETURN_IF_ERROR(CheckKeyAndValueTensorsForImport(keys, values));
    mutex_lock lock(mu_);
    TF_RETURN_IF_ERROR(DoPrepare(static_cast<std::size_t>(keys.NumElements())));
    TF_RETURN_IF_ERROR(DoInsert(keys, values));
    is_initialized_ = true;
    return Status();
  }
  TensorShape key_shape() const final { return TensorShape(); }
  TensorShape value_shape() const override { return TensorShape(); }
  InitializableLookupTable* AsInitializable() final { return this; }
  bool is_initialized() const { return is_initialized_; }
  Status Initialize(InitTableIterator& items) {
    mutex_lock lock(mu_);
    if (is_initialized()) return Status();
    TF_RETURN_IF_ERROR(DoPrepare(static_cast<std::size_t>(items.total_size() < 0 ? 0 : items.total_size())));
    for (; items.Valid(); items.Next()) TF_RETURN_IF_ERROR(DoInsert(items.keys(), items.values()));
    if (!items.status().ok() && !errors::IsOutOfRange(items.status())) return items.status();
    is_initialized_ = true;
    return Status();
  }

 protected:
  virtual Status DoPrepare(std::size_t size) = 0;
  virtual Status DoInsert(const Tensor& keys, const Tensor& values) = 0;
  virtual Status DoFind(const Tensor& keys, Tensor* values, const Tensor& default_value) = 0;
  mutex mu_;
  std::atomic<bool> is_initialized_{false};
};

template <class K, class V>
class HashTable : public InitializableLookupTable {
 public:
  HashTable(OpKernelContext*, OpKernel*) {}
  std::size_t size() const override { return table_.size(); }
  DataType key_dtype() const override { return DataTypeToEnum<K>::v(); }
  DataType value_dtype() const override { return DataTypeToEnum<V>::v(); }
  Status ExportValues(OpKernelContext* context) override {
    Tensor *keys = nullptr, *values = nullptr;
    const int64_t n = static_cast<int64_t>(table_.size());
    TF_RETURN_IF_ERROR(context->allocate_output("keys", TensorShape({n}), &keys));
    TF_RETURN_IF_ERROR(context->allocate_output("values", TensorShape({n}), &values));
    int64_t i = 0;
    for (const auto& [key, value] : table_) {
      keys->flat<K>()(i) = K(key);
      values->flat<V>()(i++) = value;
    }
    return Status();
  }

 protected:
  using Key = std::conditional_t<std::is_same_v<K, tstring>, std::string, K>;
  Status DoPrepare(std::size_t size) override {
    if (is_initialized()) return errors::Aborted("HashTable already initialized.");
    table_.reserve(size);
    return Status();
  }
  Status DoInsert(const Tensor& keys, const Tensor& values) override {
    const auto k = keys.flat<K>();
    const auto v = values.flat<V>();
    for (int64_t i = 0; i < k.size(); ++i) {
      const auto [at, is_new] = table_.try_emplace(Key(k(i)), V(v(i)));
      if (!is_new && !(at->second == v(i)))
        return errors::InvalidArgument("HashTable has different value for same key. Key ", k(i), " has ", at->second,
                                       " and trying to add value ", v(i));
    }
    return Status();
  }
  Status DoFind(const Tensor& keys, Tensor* values, const Tensor& default_value) override {
    const V otherwise = default_value.flat<V>()(0);
    const auto k = keys.flat<K>();
    auto v = values->flat<V>();
    for (int64_t i = 0; i < k.size(); ++i) {
      const auto found = table_.find(Key(k(i)));
      v(i) = found == table_.end() ? otherwise : found->second;
    }
    return Status();
  }

 private:
  std::unordered_map<Key, V> table_;
};

// The table that an input names; *table has a reference of its own.
inline Status GetLookupTable(StringPiece input_name, OpKernelContext* context, LookupInterface** table) {
  return GetResourceFromContext(context, std::string(input_name), table);
}
inline Status GetResourceLookupTable(StringPiece input_name, OpKernelContext* context, LookupInterface** table) {
  return GetLookupTable(input_name, context, table);
}
inline Status GetInitializableLookupTable(StringPiece input_name, OpKernelContext* context,
                                          InitializableLookupTable** table) {
  LookupInterface* found = nullptr;
  TF_RETURN_IF_ERROR(GetLookupTable(input_name, context, &found));
  *table = found->AsInitializable();
  if (*table != nullptr) return Status();
  found->Unref();
  return errors::InvalidArgument("Table ", input_name, " is not initializable");
}
inline Status CheckTableDataTypes(const LookupInterface& table, DataType key, DataType value, const std::string& name) {
  if (table.key_dtype() == key && table.value_dtype() == value) return Status();
  return errors::InvalidArgument("Conflicting key/value dtypes ", DataTypeString(key), "->", DataTypeString(value),
                                 " with ", DataTypeString(table.key_dtype()), "-", DataTypeString(table.value_dtype()),
                                 " for table ", name);
}

}  // namespace lookup

// A kernel that makes a table when it first runs and gives its handle.
template <class Container, class K, class V>
class LookupTableOp : public OpKernel {
 public:
  explicit LookupTableOp(OpKernelConstruction* context) : OpKernel(context) {
    use_node_name_sharing_ = false;
    static_cast<void>(context->GetAttr("use_node_name_sharing", &use_node_name_sharing_));
  }
  void Compute(OpKernelContext* context) override {
    mutex_lock lock(mu_);
    if (!is_set_) OP_REQUIRES_OK(context, cinfo_.Init(context->resource_manager(), def(), use_node_name_sharing_));
    lookup::LookupInterface* table = nullptr;
    OP_REQUIRES_OK(context,
                   cinfo_.resource_manager()->template LookupOrCreate<lookup::LookupInterface>(
                       cinfo_.container(), cinfo_.name(), &table, [this, context](lookup::LookupInterface** made) {
                         Container* const container = new Container(context, this);
                         if (!context->status().ok()) {
                           container->Unref();
                           return Status(context->status());
                         }
                         *made = container;
                         return Status();
                       }));
    core::ScopedUnref unref(table);
    OP_REQUIRES_OK(context,
                   lookup::CheckTableDataTypes(*table, DataTypeToEnum<K>::v(), DataTypeToEnum<V>::v(), cinfo_.name()));
    OP_REQUIRES_OK(context,
                   MakeResourceHandleToOutput<lookup::LookupInterface>(context, 0, cinfo_.container(), cinfo_.name()));
    is_set_ = true;
  }

 private:
  mutex mu_;
  bool is_set_ = false, use_node_name_sharing_;
  ContainerInfo cinfo_;
};

}  // namespace tensorflow
