// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops that are declared to have no gradient: nothing flows through them, and a graph with them is not refused.

#include <tenon/gradients/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline constexpr GradientRow kNone[] = {
    {"ApproximateEqual"}, {"AsString"}, {"Assert"}, {"Assign"}, {"AssignAdd"}, {"AssignSub"}, {"BitwiseAnd"},
    {"BitwiseOr"}, {"BitwiseXor"}, {"BroadcastGradientArgs"}, {"CTCGreedyDecoder"}, {"ConcatOffset"}, {"Const"},
    {"DecodeBase64"}, {"DecodePaddedRaw"}, {"DecodeRaw"}, {"DeleteSessionTensor"}, {"DenseToDenseSetOperation"},
    {"DenseToSparseSetOperation"}, {"DrawBoundingBoxes"}, {"EditDistance"}, {"EncodeBase64"}, {"Equal"},
    {"FakeQuantWithMinMaxArgsGradient"}, {"FakeQuantWithMinMaxVarsGradient"},
    {"FakeQuantWithMinMaxVarsPerChannelGradient"}, {"GetSessionHandle"}, {"GetSessionHandleV2"}, {"GetSessionTensor"},
    {"Greater"}, {"GreaterEqual"}, {"HSVToRGB"}, {"HashTable"}, {"HashTableV2"}, {"InitializeTable"},
    {"InitializeTableV2"}, {"InitializeTableFromTextFile"}, {"InitializeTableFromTextFileV2"}, {"Invert"},
    {"InvertPermutation"}, {"LeftShift"}, {"Less"}, {"LessEqual"}, {"LinSpace"}, {"LogicalAnd"}, {"LogicalNot"},
    {"LogicalOr"}, {"LookupTableFind"}, {"LookupTableFindV2"}, {"LookupTableInsert"}, {"LookupTableInsertV2"},
    {"LookupTableSize"}, {"LookupTableSizeV2"}, {"Multinomial"}, {"MutableHashTable"}, {"MutableHashTableV2"},
    {"MutableHashTableOfTensors"}, {"MutableHashTableOfTensorsV2"}, {"NonMaxSuppression"}, {"NonMaxSuppressionV2"},
    {"NotEqual"}, {"OneHot"}, {"OnesLike"}, {"ParameterizedTruncatedNormal"}, {"ParseTensor"}, {"PopulationCount"},
    {"QueueClose"}, {"QueueDequeue"}, {"QueueDequeueMany"}, {"QueueDequeueUpTo"}, {"QueueEnqueue"},
    {"QueueEnqueueMany"}, {"QueueSize"}, {"RaggedRange"}, {"RandomShuffle"}, {"RandomStandardNormal"},
    {"RandomUniform"}, {"Range"}, {"Rank"}, {"ReduceJoin"}, {"RegexReplace"}, {"ResizeBilinearGrad"}, {"RightShift"},
    {"ScatterAdd"}, {"ScatterDiv"}, {"ScatterMul"}, {"ScatterNdAdd"}, {"ScatterNdSub"}, {"ScatterNdUpdate"},
    {"ScatterSub"}, {"SerializeTensor"}, {"SetSize"}, {"Shape"}, {"ShapeN"}, {"Size"}, {"SparseAddGrad"},
    {"SparseConcat"}, {"SparseToSparseSetOperation"}, {"Stack"}, {"StackClose"}, {"StackPop"}, {"StackPush"},
    {"StatelessMultinomial"}, {"StatelessRandomNormal"}, {"StatelessRandomNormalV2"}, {"StatelessRandomPoisson"},
    {"StatelessRandomUniform"}, {"StatelessRandomUniformV2"}, {"StatelessRandomUniformInt"},
    {"StatelessRandomUniformIntV2"}, {"StatelessRandomUniformFullInt"}, {"StatelessRandomUniformFullIntV2"},
    {"StatelessTruncatedNormal"}, {"StatelessTruncatedNormalV2"}, {"StopGradient"}, {"StringJoin"}, {"StringSplit"},
    {"StringToHashBucket"}, {"StringToHashBucketFast"}, {"StringToHashBucketStrong"}, {"StringToNumber"},
    {"TensorArrayCloseV3"}, {"TensorArrayGradV3"}, {"TensorArraySizeV3"}, {"TensorArrayV3"},
    {"TensorListConcatLists"}, {"TensorListElementShape"}, {"TensorListLength"}, {"TensorListPushBackBatch"},
    {"Timestamp"}, {"TruncatedNormal"}, {"VarIsInitializedOp"}, {"VariableShape"}, {"ZerosLike"}, {"ArgMax"},
    {"ArgMin"}, {"Floor"}, {"Ceil"}, {"Round"}, {"Rint"}, {"FloorDiv"}, {"TruncateDiv"},
};

inline const bool registers_none = RegisterGradients<kNone>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
