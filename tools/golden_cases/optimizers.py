# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/optimizers.pb: the update ops of optimizers that other
files leave out, for references and resources, dense and sparse."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

R = tf.raw_ops
f16, bf16, f32, f64, i32, i64 = tf.half, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64

DENSE = '''ApplyAdaMax ApplyAdagradDA ApplyAdagradV2 ApplyAddSign ApplyCenteredRMSProp ApplyFtrlV2 ApplyPowerSign
ApplyProximalAdagrad ApplyProximalGradientDescent ResourceApplyAdaMax ResourceApplyAdagradDA
ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp ResourceApplyFtrlV2
ResourceApplyPowerSign ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent'''.split()
SPARSE = '''SparseApplyAdadelta SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl
SparseApplyFtrlV2 SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp
ResourceSparseApplyAdadelta ResourceSparseApplyAdagradDA ResourceSparseApplyAdagradV2
ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum
ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent ResourceSparseApplyRMSProp'''.split()

NUMBERS = dict(lr=0.1, rho=0.9, momentum=0.8, epsilon=0.01, l1=0.05, l2=0.02, l2_shrinkage=0.01, lr_power=-0.5, beta1=0.9,
               beta2=0.75, beta1_power=0.81, beta2_power=0.5, alpha=0.5, sign_decay=0.9, logbase=1.5, beta=0.6)  # fmt: skip
SLOTS = dict(mg=0.25, ms=1.5, mom=0.125, v=0.75, vhat=0.5, gradient_accumulator=0.25, linear=-0.25)

CASES = []


def values(rows, seed):
    return np.random.default_rng(seed).integers(-16, 17, [rows, 2]) / 8


def add(op, name, dtype=f32, index=i32, rows=3, indices=(2, 0), grad_rows=None, bad=None, empty=None, steps=2, **attrs):
    """bad: {input: value} instead of the ordinary ones. empty: a slot without a value."""
    spec = op_def_registry.get(op)

    def build(b):
        given, reads, starts, feed = dict(attrs), [], [], {}
        for i, arg in enumerate(spec.input_arg):
            is_slot = arg.is_ref or arg.type == tf.resource.as_datatype_enum
            if is_slot:
                start = values(rows, i) if i == 0 else np.full([rows, 2], SLOTS.get(arg.name, 0.5))
                if bad and arg.name in bad:
                    start = np.asarray(bad[arg.name])
                start = tf.constant(start, dtype)
                if arg.is_ref:
                    given[arg.name] = R.VariableV2(shape=start.shape, dtype=dtype, shared_name=arg.name)
                    assign = R.Assign(ref=given[arg.name], value=start)
                    reads.append(R.Identity(input=given[arg.name]))
                else:
                    given[arg.name] = R.VarHandleOp(dtype=dtype, shape=start.shape, shared_name=arg.name)
                    assign = R.AssignVariableOp(resource=given[arg.name], value=start)
                    reads.append(R.ReadVariableOp(resource=given[arg.name], dtype=dtype))
                if arg.name != empty:
                    starts.append(assign.op if hasattr(assign, 'op') else assign)
                else:
                    reads.pop()
                continue
            if arg.name == 'indices':
                kind, value = index, np.asarray(indices, np.int64)
            elif arg.name == 'global_step':
                kind, value = i64, 3
            elif arg.name in ('grad', 'delta'):
                count = grad_rows if grad_rows is not None else len(indices) if op in SPARSE else rows
                kind, value = dtype, values(count, 50)
            else:
                kind, value = dtype, NUMBERS[arg.name]
            if bad and arg.name in bad:
                value = bad[arg.name]
            given[arg.name] = b.placeholder(arg.name, kind, np.shape(value))
            feed[arg.name] = value
        out = getattr(R, op)(**given)
        run = dict(fetch=[out], feed=feed) if isinstance(out, tf.Tensor) else dict(target=[out], feed=feed)
        return [dict(target=starts)] + [run, dict(fetch=reads)] * steps

    CASES.append((f'{op}/{name}', build, 'close'))


for op in DENSE + SPARSE:
    names = [a.name for a in op_def_registry.get(op).input_arg]
    attrs = {a.name for a in op_def_registry.get(op).attr}
    slots = [a.name for a in op_def_registry.get(op).input_arg if a.is_ref or a.type == tf.resource.as_datatype_enum]
    grad = 'delta' if 'delta' in names else 'grad'
    scalar = 'lr' if 'lr' in names else 'alpha'
    add(op, 'float')
    add(op, 'double', f64, index=i64)
    if op.split('Apply')[1] not in ('AdagradDA', 'ProximalAdagrad', 'ProximalGradientDescent'):  # no kernel
        add(op, 'half', f16)
    add(op, 'one_row', rows=1, indices=(0,))
    add(op, 'no_rows', rows=0 if op in DENSE else 3, indices=())
    add(op, 'step_is_no_scalar', bad={scalar: [0.1, 0.2]})
    if len(slots) > 1:
        add(op, 'no_value', empty=slots[-1])
    add(op, 'nan', bad={grad: [[np.nan, 1]] * (3 if op in DENSE else 2)})
    for attr in ('update_slots', 'multiply_linear_by_lr', 'use_nesterov'):
        if attr in attrs:
            add(op, f'{attr}_other', **{attr: attr != 'update_slots'})
    if 'lr_power' in names:
        add(op, 'other_power', bad=dict(lr_power=-0.75))
        add(op, 'power_above_zero', bad=dict(lr_power=0.5))
    if 'l1' in names:
        add(op, 'no_l1', bad=dict(l1=0.0))
        add(op, 'negative_l1', bad=dict(l1=-0.5))
        add(op, 'negative_l2', bad=dict(l2=-0.5))
    if op in SPARSE:
        add(op, 'same_row_twice', indices=(1, 1, 0))
        add(op, 'beyond', indices=(1, 3))
        add(op, 'negative', indices=(-1, 0), index=i64)
        add(op, 'grad_of_other_rows', grad_rows=3)
        add(op, 'grad_of_other_columns', bad={grad: [[1.0], [2.0]]})
        add(op, 'indices_no_vector', bad=dict(indices=[[0], [1]]))
    else:
        add(op, 'grad_of_other_shape', grad_rows=2)
