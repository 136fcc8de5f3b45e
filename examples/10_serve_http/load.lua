-- SPDX-License-Identifier: Apache-2.0
-- Load for serve_http: wrk -t1 -c16 -d10s --latency -s load.lua http://127.0.0.1:8500/predict
wrk.method = "POST"
wrk.body = string.rep("\0\0\0\63", 784)  -- 0.5, as often as an image of the digits has pixels
