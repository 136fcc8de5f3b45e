// SPDX-License-Identifier: Apache-2.0
#pragma once
// Registry: which ops there are and which kernel runs a node. Plain rows; the index is built at the first look-up.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/name_table.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/registry/create_kernel.hpp>  // CreateKernel(), for callers of Find()
#include <tenon/kernel/registry/kernel_text.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Asks for the kernel of an op on a device; `types` are the types of the attrs that its kernels are templates
// over, in order.
struct KernelKey {
  std::string_view op;
  std::string_view device;
  SlimVector<DataType> types;
  std::string_view label = {};
};
struct KernelDef {
  const KernelRow* row = nullptr;
};

// The ops and kernels that sessions know. thread-safe; a look-up takes no lock. Rows are never removed: a shared
// library that registered ops stays loaded (io/load_library.hpp). A registry outlives its sessions.
class Registry {
 public:
  // Returns the registry of this process: everything that TENON_REGISTER and LoadLibrary added.
  static Registry& Global() {
    static Registry* registry = new Registry(true);
    return *registry;
  }
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry() {
    while (tables_ != nullptr) {
      const Table* const older = tables_->older;
      delete tables_;
      tables_ = older;
    }
  }

  // Adds the ops and kernels of a batch; see Register(). A second registration of one struct does nothing.
  // AlreadyExists: another struct or signature has the op's name; it is left out.
  Status Add(const RegistrationBatch& batch) {
    Refresh();
    const MutexLock lock(mutex_);
    return AddLocked(batch);
  }
  // Returns the Status that Add would return; adds nothing.
  Status Check(const RegistrationBatch& batch) const {
    Refresh();
    const MutexLock lock(mutex_);
    Status status = batch.failure != nullptr ? *batch.failure : OkStatus();
    for (std::size_t i = 0; i < batch.op_count; ++i) status.Update(CheckOp(*batch.ops[i]));
    return status;
  }

  // An eager call looks its kernel up every time.
  TENON_DETAIL_COLD_CODE_END
  // Finds a kernel that serves every node of the op (a struct without a KernelMatch). NotFound: there is none; the
  // message names the types that have kernels.
  Result<KernelDef> Find(const KernelKey& key) const {
    Refresh();
    const OpKernels* const kernels = kernels_.Find(key.op);
    const TypeKey types(key.types);
    const KernelRow* row = kernels == nullptr ? nullptr : FindRow(*kernels, key.device, types);
    if (row == nullptr && kernels != nullptr) row = FindRow(*kernels, LenderTo(*kernels, key.device), types);
    if (row != nullptr) [[likely]]
      return KernelDef{row};
    return NoKernel(key, kernels);
  }
  // Finds the kernel for a node by the node's type attrs and its label `_kernel`. Without a kernel for the device it
  // takes one of the device type whose kernels the device runs, then one of the type "DEFAULT". NotFound: there is
  // none. InvalidArgument: two kernels fit equally well, or the node lacks an attr that a kernel asks for.
  Result<KernelDef> FindForNode(const NodeDef& node, std::string_view device) const {
    Refresh();
    const OpKernels* const kernels = kernels_.Find(node.op);
    if (kernels == nullptr) return NoKernelFor(node, {node.op, device, {}, {}}, kernels, false);
    std::string_view label;
    if (const AttrValue* asked = node.attr.Find("_kernel");
        asked != nullptr && asked->kind() == AttrValue::Kind::kString)
      label = asked->s();
    TypeKey types;
    if (const OpRow* const op = PlainOp(*kernels); op != nullptr) TENON_RETURN_IF_ERROR(ReadTypes(node, *op, &types));
    if (label.empty() && !HasMatches(*kernels)) [[likely]] {
      const KernelRow* const row = FindRow(*kernels, device, types);
      if (row != nullptr) return KernelDef{row};
    }
    return FindAmongMatches(*kernels, node, device, label, types);
  }
  TENON_DETAIL_COLD_CODE_BEGIN
  // Lists the kernels of an op, in the order of their registration.
  SlimVector<const KernelRow*> KernelsOf(std::string_view op) const {
    Refresh();
    return RowsOf(kernels_.Find(op));
  }

  // Lists the kernels of all ops, in the order of their registration.
  SlimVector<const KernelRow*> AllKernels() const {
    Refresh();
    const MutexLock lock(mutex_);
    SlimVector<const Table*> tables;
    for (const Table* table = tables_; table != nullptr; table = table->older) tables.push_back(table);
    SlimVector<const KernelRow*> rows;
    for (std::size_t t = tables.size(); t-- > 0;)
      for (const KernelRow* row = tables[t]->rows; row != tables[t]->rows + tables[t]->count; ++row)
        if (row->op != nullptr) rows.push_back(row);
    return rows;
  }

  // Returns the op's description, or null. It lives as long as the registry.
  const OpView* FindOp(std::string_view name) const { return ops().Find(name); }
  const OpRegistry& ops() const {  // descriptions of all ops
    Refresh();
    return ops_;
  }
  // Returns the first error of the registrations; sessions then refuse to start. Logs, once, kernels whose op is not
  // registered yet.
  Status status() const {
    Refresh();
    LogWaiting();
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  explicit Registry(bool global) : global_(global) {}

  // The rows of one op in one batch; the rows of other batches follow. Only `next` changes, from null, once.
  struct Table {
    const KernelRow* rows;
    std::size_t count;
    const OpRow* op;
    bool plain;  // no match: for every node
    std::atomic<Table*> next{nullptr};
    const Table* older = nullptr;  // the next older table of the registry
  };
  struct OpKernels {
    const OpRow* op;
    Table* first;
  };
  // A kernel by name whose op is not registered yet.
  struct Waiting {
    const KernelRow* row;
    bool logged;
  };

  TENON_DETAIL_COLD_CODE_END
  // Takes in batches that were linked since the last time.
  void Refresh() const {
    if (!global_) return;
    if (detail::registration_batches.load(std::memory_order_acquire) == seen_.load(std::memory_order_acquire)) return;
    TakeIn();
  }

  // The types that a look-up asks for, as rows have them.
  struct TypeKey {
    TypeKey() = default;
    explicit TypeKey(const SlimVector<DataType>& list) {
      for (const DataType type : list) Add(type);
    }
    void Add(DataType type) {
      const int number = static_cast<int>(type);
      if (count < kMaxTypedAttrs) types[count] = static_cast<std::uint8_t>(number);
      count = count < kMaxTypedAttrs && number >= 0 && number <= 255 ? count + 1 : kNoRow;
    }
    bool Fits(const KernelRow& row) const { return std::memcmp(types, row.types, sizeof(types)) == 0; }
    SlimVector<DataType> ToList() const {
      SlimVector<DataType> list;
      for (int k = 0; k < count && k < kMaxTypedAttrs; ++k) list.push_back(static_cast<DataType>(types[k]));
      return list;
    }

    static constexpr int kNoRow = kMaxTypedAttrs + 1;  // more types, or other ones, than a row can have
    std::uint8_t types[kMaxTypedAttrs]{};
    int count = 0;
  };

  TENON_DETAIL_COLD static Status NoType(const NodeDef& node, std::string_view attr) {
    if (!HasNodeAttr(node, attr)) return detail::NoConstrainedAttr(node, attr);
    DataType type = DataType::kInvalid;
    return GetNodeAttr(node, attr, &type);
  }
  // The struct whose kernels serve every node; null when there is none.
  static const OpRow* PlainOp(const OpKernels& kernels) {
    for (const Table* table = kernels.first; table != nullptr; table = table->next.load(std::memory_order_acquire))
      if (table->plain) return table->op;
    return nullptr;
  }
  static bool HasMatches(const OpKernels& kernels) {
    for (const Table* table = kernels.first; table != nullptr; table = table->next.load(std::memory_order_acquire))
      if (!table->plain) return true;
    return false;
  }
  static Status ReadTypes(const NodeDef& node, const OpRow& op, TypeKey* types) {
    for (int k = 0; k < op.typed_count; ++k) {
      const std::string_view name = op.view->attrs[static_cast<std::size_t>(op.typed_attr[k])].name();
      const AttrValue* const attr = node.attr.Find(name);
      if (attr == nullptr || attr->kind() != AttrValue::Kind::kType) [[unlikely]]
        return NoType(node, name);
      types->Add(attr->type());
    }
    return OkStatus();
  }
  static const KernelRow* FindRow(const OpKernels& kernels, std::string_view device, const TypeKey& types) {
    for (const Table* table = kernels.first; table != nullptr; table = table->next.load(std::memory_order_acquire)) {
      if (!table->plain || table->op->typed_count != types.count) continue;
      for (const KernelRow *row = table->rows, *const end = row + table->count; row != end; ++row)
        if (types.Fits(*row) && row->op != nullptr && SameText(row->device, device)) return row;
    }
    return nullptr;
  }

  TENON_DETAIL_COLD_CODE_BEGIN
  // Where labels, constraints and other devices count.
  TENON_DETAIL_COLD Result<KernelDef> FindAmongMatches(const OpKernels& kernels, const NodeDef& node,
                                                       std::string_view device, std::string_view label,
                                                       const TypeKey& types) const {
    const KernelRow* row = nullptr;
    bool attrs_differ = false;
    TENON_RETURN_IF_ERROR(FindMatch(kernels, node, device, label, &row, &attrs_differ));
    for (const std::string_view other : {LenderTo(kernels, device), AnyDevice::type})
      if (row == nullptr && !other.empty())
        TENON_RETURN_IF_ERROR(FindMatch(kernels, node, other, label, &row, &attrs_differ));
    if (row != nullptr) return KernelDef{row};
    return NoKernelFor(node, {node.op, device, types.ToList(), label}, &kernels, attrs_differ);
  }
  // Finds, among the op's kernels with this label whose constraints the node satisfies, the one of highest priority.
  // *row stays null when there is none; *attrs_differ then says whether a device's kernel was refused.
  TENON_DETAIL_COLD static Status FindMatch(const OpKernels& kernels, const NodeDef& node, std::string_view device,
                                            std::string_view label, const KernelRow** row, bool* attrs_differ) {
    const auto priority = [](const KernelRow& of) { return of.op->match == nullptr ? 0 : of.op->match->priority; };
    for (const Table* table = kernels.first; table != nullptr; table = table->next.load(std::memory_order_acquire)) {
      const OpRow& op = *table->op;
      if ((op.match == nullptr ? std::string_view() : op.match->label) != label || !Serves(*table, device)) continue;
      *attrs_differ = true;
      const KernelRow* fits = nullptr;
      TENON_RETURN_IF_ERROR(FindFitting(*table, node, device, &fits));
      if (fits == nullptr || (*row != nullptr && SameKernels(*(*row)->op, op))) continue;
      const bool any_device = device == AnyDevice::type;
      if (*row != nullptr && (any_device || priority(*fits) == priority(**row)))
        return errors::InvalidArgument("Multiple ", any_device ? "Default " : "",
                                       "OpKernel registrations match NodeDef",
                                       any_device ? "" : " at the same priority", " '", FormatNodeForError(node.name),
                                       "': '", (*row)->op->struct_name, "' and '", op.struct_name, "'");
      if (*row == nullptr || priority(*fits) > priority(**row)) *row = fits;
    }
    return OkStatus();
  }
  static bool Serves(const Table& table, std::string_view device) {
    for (const KernelRow* row = table.rows; row != table.rows + table.count; ++row)
      if (row->op != nullptr && row->device == device) return true;
    return false;
  }
  // *fits stays null when the node has other types or does not satisfy the constraints.
  TENON_DETAIL_COLD static Status FindFitting(const Table& table, const NodeDef& node, std::string_view device,
                                              const KernelRow** fits) {
    const OpRow& op = *table.op;
    TypeKey types;
    TENON_RETURN_IF_ERROR(ReadTypes(node, op, &types));
    const KernelRow *row = table.rows, *const end = row + table.count;
    if (types.count != op.typed_count) return OkStatus();
    while (row != end && (row->op == nullptr || row->device != device || !types.Fits(*row))) ++row;
    bool satisfied = row != end;
    if (satisfied && op.match != nullptr)
      if (const Status status = Satisfies(*op.match, node, &satisfied); !status.ok())
        return status.WithAppended(
            StrCat(", KernelDef: '", detail::KernelText(*row), "' when instantiating ", node.op));
    if (satisfied) *fits = row;
    return OkStatus();
  }

  // The type whose kernels run on the device if it has none of its own (DeviceFactory::kernels), or "". Not for ops
  // that call functions: their kernels run whole programs.
  TENON_DETAIL_COLD static std::string_view LenderTo(const OpKernels& kernels, std::string_view device) {
    const DeviceFactory* factory = detail::device_factories.load(std::memory_order_acquire);
    while (factory != nullptr && (factory->type != device || factory->kernels.empty())) factory = factory->next;
    if (factory == nullptr) return {};
    for (const AttrSpec& attr : kernels.op->view->attrs)
      if (attr.kind == AttrKind::kFunc) return {};
    return factory->kernels;
  }
  static SlimVector<DataType> TypesOf(const KernelRow& row) {
    SlimVector<DataType> types;
    for (int k = 0; k < row.op->typed_count; ++k) types.push_back(static_cast<DataType>(row.types[k]));
    return types;
  }
  // All rows of the op; only the first of several rows for the same types.
  static SlimVector<const KernelRow*> RowsOf(const OpKernels* kernels) {
    SlimVector<const KernelRow*> rows;
    const Table* table = kernels == nullptr ? nullptr : kernels->first;
    for (; table != nullptr; table = table->next.load(std::memory_order_acquire))
      for (const KernelRow* row = table->rows; row != table->rows + table->count; ++row)
        if (row->op != nullptr &&
            (row->op->match != nullptr || FindRow(*kernels, row->device, TypeKey(TypesOf(*row))) == row))
          rows.push_back(row);
    return rows;
  }
  TENON_DETAIL_COLD static Status NoKernel(const KernelKey& key, const OpKernels* kernels) {
    std::string have;
    for (const KernelRow* row : RowsOf(kernels))
      StrAppend(&have, have.empty() ? "" : ", ", detail::ShortKernelText(*row));
    return errors::NotFound(
        "no kernel for op '", key.op, "' on ", key.device, " with types {", StrJoin(key.types, ","), "}",
        key.label.empty() ? std::string() : StrCat(" and label '", key.label, "'"), "; ",
        have.empty() ? std::string("the op has none: add it to the TENON_REGISTER list") : "registered: " + have);
  }
  // NoKernel with TensorFlow's sentence and list appended.
  TENON_DETAIL_COLD static Status NoKernelFor(const NodeDef& node, const KernelKey& key, const OpKernels* kernels,
                                              bool attrs_differ) {
    std::string lines = detail::KernelLines(RowsOf(kernels));
    lines.pop_back();
    const std::string attrs =
        attrs_differ
            ? StrCat(" (OpKernel was found, but attributes didn't match) Requested Attributes: ", SummarizeAttrs(node))
            : std::string();
    return NoKernel(key, kernels)
        .WithAppended(StrCat(". No registered '", node.op, "' OpKernel for ", key.device,
                             " devices compatible with node ", FormatNodeForError(node.name), attrs,
                             ".  Registered:", lines));
  }

  TENON_DETAIL_COLD void TakeIn() const {
    const MutexLock lock(mutex_);
    const RegistrationBatch* const head = detail::registration_batches.load(std::memory_order_acquire);
    SlimVector<const RegistrationBatch*> fresh;
    for (const RegistrationBatch* b = head; b != seen_.load(std::memory_order_relaxed); b = b->next) fresh.push_back(b);
    for (std::size_t i = fresh.size(); i-- > 0;) status_.Update(AddLocked(*fresh[i]));
    seen_.store(head, std::memory_order_release);
  }

  static bool SameStruct(const OpRow& a, const OpRow& b) {
    if (a.struct_name != b.struct_name || a.typed_count != b.typed_count) return false;
    for (int k = 0; k < a.typed_count; ++k)
      if (a.typed_attr[k] != b.typed_attr[k]) return false;
    return true;
  }
  // Whether both are one struct for the same nodes: a repeated registration.
  static bool SameKernels(const OpRow& a, const OpRow& b) {
    if ((a.match == nullptr) != (b.match == nullptr) || !SameStruct(a, b)) return false;
    return a.match == b.match || SameMatch(*a.match, *b.match);
  }
  Status CheckOp(const OpRow& op) const {
    TENON_RETURN_IF_ERROR(ops_.Check(*op.view));
    if (op.match != nullptr) TENON_RETURN_IF_ERROR(CheckMatch(*op.match, *op.view));
    const OpKernels* const kernels = kernels_.Find(op.view->name);
    if (kernels == nullptr || kernels->op == &op || op.match != nullptr) return OkStatus();
    const OpRow* const plain = PlainOp(*kernels);
    if (plain == nullptr || plain == &op || SameStruct(*plain, op)) return OkStatus();
    return errors::AlreadyExists("two structs define kernels for op '", op.view->name, "': ", plain->struct_name,
                                 " and ", op.struct_name, "; one may serve some nodes only, with a kernel_match");
  }
  Status AddLocked(const RegistrationBatch& batch) const {
    Status status = batch.failure != nullptr ? *batch.failure : OkStatus();
    for (std::size_t i = 0; i < batch.op_count; ++i) status.Update(ops_.Register(*batch.ops[i]->view));
    if (batch.op_count != 0 && !waiting_.empty()) status.Update(AddWaiting());
    for (std::size_t t = 0; t < batch.table_count; ++t) {
      const KernelRow* row = batch.tables[t];
      const KernelRow* const end = row + batch.table_sizes[t];
      while (row != end && row->op == nullptr) ++row;
      if (row != end) status.Update(AddTable(row, static_cast<std::size_t>(end - row)));
    }
    return status;
  }
  // Adds the waiting kernels whose op is registered by now.
  TENON_DETAIL_COLD Status AddWaiting() const {
    Status status;
    SlimVector<Waiting> waiting;
    waiting.swap(waiting_);
    for (const Waiting& kernel : waiting) status.Update(AddTable(kernel.row, 1, kernel.logged));
    return status;
  }
  // Without the lock: a sink may look kernels up.
  TENON_DETAIL_COLD void LogWaiting() const {
    std::string text;
    {
      const MutexLock lock(mutex_);
      for (Waiting& kernel : waiting_) {
        if (!kernel.logged)
          StrAppend(&text, text.empty() ? "" : "\n", "OpKernel ('", detail::KernelText(*kernel.row),
                    "') for unknown op: ", kernel.row->op->view->name);
        kernel.logged = true;
      }
    }
    if (!text.empty()) TENON_LOG(kError, text);
  }
  Status AddTable(const KernelRow* rows, std::size_t count, bool logged = false) const {
    const OpRow& op = *rows->op;
    if (op.by_name) {
      const OpView* const view = ops_.Find(op.view->name);
      if (view == nullptr) {
        waiting_.push_back({rows, logged});
        return OkStatus();
      }
      const_cast<OpRow&>(op).view = view;
    }
    TENON_RETURN_IF_ERROR(CheckOp(op));
    const OpKernels* const kernels = kernels_.Find(op.view->name);
    Table* last = nullptr;
    for (Table* table = kernels == nullptr ? nullptr : kernels->first; table != nullptr; table = last->next.load()) {
      if (table->rows == rows) return OkStatus();
      last = table;
    }
    Table* const table = new Table{rows, count, &op, op.match == nullptr};
    table->older = tables_;
    tables_ = table;
    if (last != nullptr)
      last->next.store(table, std::memory_order_release);
    else
      kernels_.Insert(op.view->name, OpKernels{&op, table});
    return OkStatus();
  }

  bool global_ = false;
  mutable Mutex mutex_;  // for calls that add
  mutable std::atomic<const RegistrationBatch*> seen_{nullptr};
  mutable OpRegistry ops_;
  mutable NameTable<OpKernels> kernels_;
  mutable const Table* tables_ = nullptr;  // the newest
  mutable SlimVector<Waiting> waiting_;
  mutable Status status_;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_STEP_NAMESPACE_END
