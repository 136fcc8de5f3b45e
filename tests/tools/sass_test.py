#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_sass.py finds planted faults in machine code."""

import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
spec = importlib.util.spec_from_file_location("check_sass", ROOT / "tools/check_sass.py")
check_sass = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_sass)

GOOD = """\
	.section	.text._Z4goodv,"ax",@progbits
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDG.E.128 R4, [R2.64] ;
        /*0020*/                   FMNMX R4, RZ, R4, !PT ;
        /*0030*/                   STG.E.128 [R2.64], R4 ;
        /*0040*/              @!P0 BRA `(.L_x_1) ;
        /*0050*/                   EXIT ;
.L_x_2:
        /*0060*/                   BRA `(.L_x_2);
	.section	.text._Z5otherv,"ax",@progbits
        /*0000*/                   EXIT ;
"""


class SassTest(unittest.TestCase):
    def test_functions_and_their_hot_loops(self):
        found = dict(check_sass.functions(GOOD))
        self.assertEqual(list(found), ["_Z4goodv", "_Z5otherv"])
        self.assertEqual(len(check_sass.hot_loop(found["_Z4goodv"])), 4)
        self.assertEqual(check_sass.hot_loop(found["_Z5otherv"]), [])

    def test_narrow_stores_are_no_hot_loop(self):
        narrow = dict(check_sass.functions(GOOD.replace("G.E.128", "G.E")))
        self.assertEqual(check_sass.hot_loop(narrow["_Z4goodv"]), [])

    def test_worse_kernels_are_told(self):
        key = ("Kernel<float>", "sm_90")
        self.assertEqual(check_sass.compare({key: (20, 1, 1, 19)}, {key: (20, 1, 1, 19)}), [])
        self.assertEqual(check_sass.compare({key: (20, 2, 2, 38)}, {key: (20, 1, 1, 19)}), [])  # unrolled
        self.assertEqual(len(check_sass.compare({key: (32, 1, 1, 19)}, {key: (20, 1, 1, 19)})), 1)
        self.assertEqual(len(check_sass.compare({key: (20, 1, 1, 30)}, {key: (20, 1, 1, 19)})), 1)
        self.assertEqual(len(check_sass.compare({key: (20, 1, 1, 19)}, {})), 1)
        self.assertEqual(len(check_sass.compare({}, {key: (20, 1, 1, 19)})), 1)


if __name__ == "__main__":
    unittest.main()
