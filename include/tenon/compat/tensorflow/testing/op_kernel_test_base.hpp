// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelBuilderTest: a test that makes kernels from attrs in text, or expects that none can be made. Needs
// GoogleTest.

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/kernels/registered_kernels.hpp>
#include <tenon/compat/tensorflow/testing/test.hpp>

namespace tensorflow {

// The better one first.
inline std::vector<DeviceType> DeviceTypes() { return {DeviceType(DEVICE_GPU), DeviceType(DEVICE_CPU)}; }

// Kernels of tests that say which one they are.
class BaseKernel : public OpKernel {
 public:
  explicit BaseKernel(OpKernelConstruction* construction) : OpKernel(construction) {}
  void Compute(OpKernelContext*) override {}
  virtual int Which() const = 0;
};

// one thread.
class OpKernelBuilderTest : public ::testing::Test {
 protected:
  // A node of the op. An attr is its name, its type and its value: "T|type|DT_FLOAT".
  static NodeDef CreateNodeDef(const std::string& op, const std::vector<std::string>& attrs) {
    NodeDef node;
    node.set_name(op + "-op");
    node.set_op(op);
    for (const std::string& attr : attrs) {
      const std::vector<std::string> parts = str_util::Split(attr, '|');
      TENON_CHECK(parts.size() == 3, "CreateNodeDef: attr '", attr, "' is not of the form name|type|value");
      AttrValue value;
      TENON_CHECK(ParseAttrValue(parts[1], parts[2], &value), "CreateNodeDef: attr '", attr, "' cannot be parsed");
      node.mutable_attr()->insert({parts[0], value});
    }
    return node;
  }
  // The kernel, which must have these inputs and no outputs.
  std::unique_ptr<OpKernel> ExpectSuccess(const std::string& op, const DeviceType& device,
                                          const std::vector<std::string>& attrs, DataTypeSlice inputs = {}) {
    Status status;
    std::unique_ptr<OpKernel> kernel = Make(NodeWithInputs(op, attrs, inputs.size()), device, &status);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_NE(nullptr, kernel);
    if (kernel != nullptr) {
      EXPECT_EQ(static_cast<int>(inputs.size()), kernel->num_inputs());
      EXPECT_EQ(0, kernel->num_outputs());
    }
    return kernel;
  }
  template <class Code>
  void ExpectFailure(const std::string& op, const DeviceType& device, const std::vector<std::string>& attrs,
                     Code code) {
    Status status;
    EXPECT_EQ(nullptr, Make(CreateNodeDef(op, attrs), device, &status));
    EXPECT_EQ(static_cast<int>(code), static_cast<int>(status.code())) << status;
  }
  // The kernel's class; "not found"; or the error.
  std::string GetKernelClassName(const std::string& op, const DeviceType& device, const std::vector<std::string>& attrs,
                                 DataTypeSlice inputs = {}) {
    const KernelDef* kernel = nullptr;
    std::string name;
    const Status status = FindKernelDef(device, NodeWithInputs(op, attrs, inputs.size()), &kernel, &name);
    if (status.ok()) return name;
    return errors::IsNotFound(status) ? "not found" : status.ToString();
  }

 private:
  static NodeDef NodeWithInputs(const std::string& op, const std::vector<std::string>& attrs, std::size_t inputs) {
    NodeDef node = CreateNodeDef(op, attrs);
    for (std::size_t i = 0; i < inputs; ++i) node.add_input("ignored");
    return node;
  }
  static std::unique_ptr<OpKernel> Make(const NodeDef& node, const DeviceType& device, Status* status) {
    DeviceBase base;
    return CreateOpKernel(device, &base, cpu_allocator(), node, TF_GRAPH_DEF_VERSION, status);
  }
};

}  // namespace tensorflow
