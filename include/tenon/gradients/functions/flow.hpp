// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of Switch and Merge, TensorArrays and TensorLists.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// ------------------------------------------------------------------------------------------------ Switch and Merge
inline TensorGradient AsSlices(G& g, const TensorGradient& gradient, DataType indices) {
  if (gradient.is_slices()) {
    TensorGradient out = gradient;
    out.indices = g.Cast(g.editor().At(gradient.indices), indices).edge();
    return out;
  }
  const Symbol dense = g.editor().At(gradient.dense), shape = g.editor().Add("Shape", {dense});
  return {{}, g.Cast(g.Range(g.Int(0), g.Item(shape, 0)), indices).edge(), dense.edge(), shape.edge()};
}
// Output `side` of a Switch of each part of the gradient.
inline TensorGradient Switched(G& g, const TensorGradient& gradient, Symbol predicate, int side) {
  const auto one = [&](InEdge edge) {
    return edge.node < 0 ? InEdge() : g.Add("Switch", {g.editor().At(edge), predicate})[side].edge();
  };
  return {one(gradient.dense), one(gradient.indices), one(gradient.values), one(gradient.dense_shape)};
}
inline void MergeGradient(G& g) {
  const TensorGradient dy = g.raw_grad(0);
  const int n = g.num_inputs();
  if (!dy) return;
  for (int i = 0; i < n; ++i) {
    const Symbol taken = n == 2 ? g.Cast(g.output(1), DataType::kBool) : g.Add("Equal", {g.output(1), g.Int(i)});
    g.set(i, Switched(g, dy, taken, n == 2 ? i : 1));
  }
}
inline void SwitchGradient(G& g) {
  const Symbol x = g.x(), predicate = g.input(1);
  TensorGradient sides[2] = {g.raw_grad(0), g.raw_grad(1)};
  for (int side = 0; side < 2; ++side)
    if (!sides[side]) sides[side] = Switched(g, {g.ZerosLike(x).edge(), {}, {}, {}}, predicate, side);
  const auto merge = [&](InEdge a, InEdge b) {
    return g.Add("Merge", {G::Input{g.editor().At(a), g.editor().At(b)}}).edge();
  };
  if (!sides[0].is_slices() && !sides[1].is_slices())
    return g.set(0, {merge(sides[0].dense, sides[1].dense), {}, {}, {}});
  DataType type = DataType::kInt32;
  for (const TensorGradient& side : sides)
    if (side.is_slices() && g.editor().At(side.indices).dtype() == DataType::kInt64) type = DataType::kInt64;
  for (TensorGradient& side : sides) side = AsSlices(g, side, type);
  g.set(0, {{},
            merge(sides[0].indices, sides[1].indices),
            merge(sides[0].values, sides[1].values),
            merge(sides[0].dense_shape, sides[1].dense_shape)});
}

// ------------------------------------------------------------------------------------------------ TensorArrays
// The array of gradients that belongs to the array of the node. Its flow waits for that of the forward array.
struct GradientArray {
  Symbol handle, flow;
};
inline GradientArray ArrayOf(G& g, Symbol handle, Symbol flow) {
  // Gradients of one call of AddGradients meet in one array: "gradients", "gradients_1", ...
  const std::string scope = g.editor().scope();
  const std::string source = scope.substr(0, scope.find('/'));
  const Symbol both = g.Add("TensorArrayGradV3", {handle, flow}, {{"source", source}});
  return {both, both[1]};
}
inline void ArrayRead(G& g) {  // (handle, index, flow_in)
  const GradientArray array = ArrayOf(g, g.input(0), g.input(2));
  g.set(2, g.Add("TensorArrayWriteV3", {array.handle, g.input(1), g.dy(), array.flow}));
}
inline void ArrayWrite(G& g) {  // (handle, index, value, flow_in)
  const Symbol flow = g.dy();
  const GradientArray array = ArrayOf(g, g.input(0), flow);
  g.set(2, g.Add("TensorArrayReadV3", {array.handle, g.input(1), array.flow}, {{"dtype", g.input(2).dtype()}}));
  g.set(3, flow);
}
inline void ArrayGather(G& g) {  // (handle, indices, flow_in)
  const GradientArray array = ArrayOf(g, g.input(0), g.input(2));
  g.set(2, g.Add("TensorArrayScatterV3", {array.handle, g.input(1), g.dy(), array.flow}));
}
inline void ArrayScatter(G& g) {  // (handle, indices, value, flow_in)
  const Symbol flow = g.dy();
  const GradientArray array = ArrayOf(g, g.input(0), flow);
  g.set(2, g.Add("TensorArrayGatherV3", {array.handle, g.input(1), array.flow}, {{"dtype", g.input(2).dtype()}}));
  g.set(3, flow);
}
inline void ArrayConcat(G& g) {  // (handle, flow_in) -> (value, lengths)
  const GradientArray array = ArrayOf(g, g.input(0), g.input(1));
  g.set(1, g.Add("TensorArraySplitV3", {array.handle, g.dy(), g.output(1), array.flow}));
}
inline void ArraySplit(G& g) {  // (handle, value, lengths, flow_in)
  const Symbol flow = g.dy();
  const GradientArray array = ArrayOf(g, g.input(0), flow);
  g.set(1, g.Add("TensorArrayConcatV3", {array.handle, array.flow}, {{"dtype", g.input(1).dtype()}}));
  g.set(3, flow);
}

// ------------------------------------------------------------------------------------------------ TensorLists
inline Symbol ElementShape(G& g, Symbol list) {
  return g.Add("TensorListElementShape", {list}, {{"shape_type", DataType::kInt32}});
}
inline Symbol ListLength(G& g, Symbol list) { return g.Add("TensorListLength", {list}); }
// Shape of the elements as far as the tensor's own shape says it.
inline Symbol RowShape(G& g, Symbol tensor) { return g.Part(g.Shape(tensor), 1, 0, true); }
inline void ListFromTensor(G& g) {
  const Symbol tensor = g.x();
  g.set(0, g.Add("TensorListStack", {g.dy(), RowShape(g, tensor)}, {{"element_dtype", tensor.dtype()}}));
}
inline void ListStack(G& g) {
  const Symbol dy = g.dy();
  g.set(0, g.Add("TensorListFromTensor", {dy, ElementShape(g, g.x())}));
}
inline void ListPushBack(G& g) {  // (list, tensor)
  const Symbol tensor = g.input(1);
  const Symbol both = g.Add("TensorListPopBack", {g.dy(), g.Shape(tensor)}, {{"element_dtype", tensor.dtype()}});
  g.set(0, both[0]);
  g.set(1, both[1]);
}
inline void ListPopBack(G& g) {  // (list, element_shape) -> (list, tensor)
  Symbol list = g.has_grad(0) ? g.grad(0) : Symbol();
  const DataType type = g.type_attr("element_dtype");
  if (!list) {
    list = g.Add("TensorListReserve", {ElementShape(g, g.output(0)), ListLength(g, g.output(0))},
                 {{"element_dtype", type}});
  }
  g.set(0, g.Add("TensorListPushBack", {list, g.has_grad(1) ? g.grad(1) : g.ZerosLike(g.output(1))}));
}
inline void ListGetItem(G& g) {  // (list, index, element_shape)
  const Symbol dy = g.dy(), list = g.x();
  const Symbol zeros =
      g.Add("TensorListReserve", {ElementShape(g, list), ListLength(g, list)}, {{"element_dtype", dy.dtype()}});
  g.set(0, g.Add("TensorListSetItem", {zeros, g.input(1), dy}));
}
inline void ListSetItem(G& g) {  // (list, index, item)
  const Symbol dlist = g.dy(), index = g.input(1), item = g.input(2), shape = g.Shape(item);
  g.set(0, g.Add("TensorListSetItem", {dlist, index, g.ZerosLike(item)}));
  g.set(2, g.Add("TensorListGetItem", {dlist, index, shape}, {{"element_dtype", item.dtype()}}));
}
inline void ListGather(G& g) {  // (list, indices, element_shape)
  const Symbol dy = g.dy(), list = g.x();
  const Symbol zeros =
      g.Add("TensorListReserve", {ElementShape(g, list), ListLength(g, list)}, {{"element_dtype", dy.dtype()}});
  g.set(0, g.Add("TensorListScatterIntoExistingList", {zeros, dy, g.input(1)}));
}
inline void ListScatter(G& g, bool existing) {
  // (tensor, indices, ...) -> list; existing: (list, tensor, indices) -> list
  const int tensor = existing ? 1 : 0;
  const Symbol value = g.input(tensor), indices = g.input(tensor + 1), dlist = g.dy();
  g.set(tensor, g.Add("TensorListGather", {dlist, indices, RowShape(g, value)}, {{"element_dtype", value.dtype()}}));
  if (existing) g.set(0, g.Add("TensorListScatterIntoExistingList", {dlist, g.ZerosLike(value), indices}));
}
inline void ListConcat(G& g) {  // (list, ...) -> (tensor, lengths)
  g.set(0, g.Add("TensorListSplit", {g.dy(), ElementShape(g, g.x()), g.output(1)}));
}
inline void ListSplit(G& g) {  // (tensor, element_shape, lengths)
  const Symbol tensor = g.x();
  const Symbol shape = Concat2(g, g.Ints({-1}), RowShape(g, tensor));
  g.set(0, g.Add("TensorListConcatV2", {g.dy(), shape, g.input(2)}, {{"element_dtype", tensor.dtype()}}));
}
inline void ListResize(G& g) { g.set(0, g.Add("TensorListResize", {g.dy(), ListLength(g, g.x())})); }

inline void OptionalOf(G& g) {  // (components...) -> optional
  SlimVector<DataType> types;
  SlimVector<PartialTensorShape> shapes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    types.push_back(g.input(i).dtype());
    shapes.push_back(g.input(i).shape());
  }
  const Symbol values = g.Add("OptionalGetValue", {g.dy()}, {{"output_types", types}, {"output_shapes", shapes}});
  for (int i = 0; i < g.num_inputs(); ++i) g.set(i, values[i]);
}
inline void OptionalValue(G& g) {  // optional -> (components...)
  SlimVector<Symbol> values;
  for (int i = 0; i < g.num_outputs(); ++i)
    values.push_back(IsTrainable(g.output(i).dtype()) ? g.grad(i) : g.ZerosLike(g.output(i)));
  g.set(0, g.Add("OptionalFromValue", {G::Input(std::move(values))}));
}
inline void ComponentsOf(G& g) {  // (components...) -> encoded
  const Symbol parts = g.AddLike("CompositeTensorVariantToComponents", {g.dy()}, {"metadata", "Tcomponents"});
  for (int i = 0; i < g.num_inputs(); ++i) g.set(i, parts[i]);
}
inline void CompositeOf(G& g) {  // encoded -> (components...)
  SlimVector<Symbol> parts;  // splits of rows and the like stay
  for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(IsTrainable(g.output(i).dtype()) ? g.grad(i) : g.output(i));
  g.set(0, g.AddLike("CompositeTensorVariantFromComponents", {G::Input(std::move(parts))}, {"metadata"}));
}

inline constexpr GradientRow kFlow[] = {
    {"CompositeTensorVariantFromComponents", ComponentsOf},
    {"CompositeTensorVariantToComponents", CompositeOf},
    {"OptionalFromValue", OptionalOf},
    {"OptionalGetValue", OptionalValue},
    {"Merge", MergeGradient},
    {"RefMerge", MergeGradient},
    {"Switch", SwitchGradient},
    {"RefSwitch", SwitchGradient},
    {"TensorArrayReadV3", ArrayRead},
    {"TensorArrayWriteV3", ArrayWrite},
    {"TensorArrayGatherV3", ArrayGather},
    {"TensorArrayScatterV3", ArrayScatter},
    {"TensorArrayConcatV3", ArrayConcat},
    {"TensorArraySplitV3", ArraySplit},
    {"EmptyTensorList", nullptr},
    {"TensorListReserve", nullptr},
    {"TensorListFromTensor", ListFromTensor},
    {"TensorListStack", ListStack},
    {"TensorListPushBack", ListPushBack},
    {"TensorListPopBack", ListPopBack},
    {"TensorListGetItem", ListGetItem},
    {"TensorListSetItem", ListSetItem},
    {"TensorListGather", ListGather},
    {"TensorListScatter", [](G& g) { ListScatter(g, false); }},
    {"TensorListScatterV2", [](G& g) { ListScatter(g, false); }},
    {"TensorListScatterIntoExistingList", [](G& g) { ListScatter(g, true); }},
    {"TensorListConcat", ListConcat},
    {"TensorListConcatV2", ListConcat},
    {"TensorListSplit", ListSplit},
    {"TensorListResize", ListResize},
};

inline const bool registers_flow = RegisterGradients<kFlow>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
