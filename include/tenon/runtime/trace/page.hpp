// SPDX-License-Identifier: Apache-2.0
#pragma once
// TracePage: the page that shows traces, up to its first run. A program that writes no page does not have it.
// tools/make_trace_page.py writes this file from tools/trace_page/.

#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline constexpr std::string_view kTracePageHead = R"page(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Trace</title>
<style>
:root { color-scheme: light dark; --bg: #fff; --fg: #222; --dim: #777; --line: #d8d8d4; --panel: #f6f6f3; --sel: #d22; --hit: #06c; --row: #eef3fb; --wait: #b9b9b4; }
@media (prefers-color-scheme: dark) {
:root { --bg: #1b1b1d; --fg: #ddd; --dim: #999; --line: #3c3c40; --panel: #252528; --sel: #ff6b5e; --hit: #6cb2ff; --row: #2b3240; --wait: #5a5a5e; }
}* { box-sizing: border-box; }html, body { height: 100%; margin: 0; }
body { font: 13px/1.4 system-ui, sans-serif; color: var(--fg); background: var(--bg); display: grid; overflow: hidden;
grid: auto minmax(160px, 55fr) auto minmax(120px, 45fr) / minmax(0, 1fr) 270px; }
header { grid-column: 1 / 3; display: flex; gap: 10px; align-items: center; padding: 5px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
h1 { font-size: 14px; margin: 0; overflow: hidden; text-overflow: ellipsis; max-width: 22em; }
#sum { color: var(--dim); overflow: hidden; text-overflow: ellipsis; flex: 1; }#search { width: 17em; }
#run { width: 5.5em; }#hits { min-width: 4em; color: var(--dim); }
input, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 3px; padding: 1px 6px; }
button { cursor: pointer; }
main { grid-column: 1 / 3; display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); min-height: 0; }
body.wide main { grid-template-columns: minmax(0, 1fr); }body.wide #right { display: none; }
#left { display: grid; grid-template-rows: minmax(0, 1fr) 84px; min-height: 0; }
#right { border-left: 1px solid var(--line); min-height: 0; }
canvas { width: 100%; height: 100%; display: block; touch-action: none; outline: none; }
canvas:focus-visible { outline: 1px solid var(--hit); outline-offset: -1px; }
#memory { border-top: 1px solid var(--line); }
#tabs { grid-column: 1 / 3; display: flex; gap: 2px; overflow-x: auto; white-space: nowrap; padding: 3px 8px; background: var(--panel); border: solid var(--line); border-width: 1px 0; }
#tabs button { border-color: transparent; background: none; }
#tabs button[aria-selected=true] { background: var(--bg); border-color: var(--line); font-weight: 600; }
#bottom { min-height: 0; min-width: 0; display: grid; grid-template-rows: auto minmax(0, 1fr); }
#note { padding: 2px 10px; color: var(--dim); }#note:empty { display: none; }#list { overflow: auto; grid-row: 2; }
#flame { grid-row: 2; }table { border-collapse: collapse; table-layout: fixed; width: 100%; }
th { position: sticky; top: 0; z-index: 1; background: var(--panel); text-align: right; cursor: pointer; user-select: none; border-bottom: 1px solid var(--line); }
th, td { padding: 0 6px; height: 22px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td { text-align: right; font-variant-numeric: tabular-nums; }th.text, td.text { text-align: left; }
td.tail { direction: rtl; }tbody tr { cursor: pointer; }tbody tr:hover { background: var(--row); }
tbody tr.sel { background: var(--row); box-shadow: inset 3px 0 var(--sel); }
.bar { display: inline-block; height: 9px; vertical-align: baseline; border-radius: 1px; }
#detail { border-left: 1px solid var(--line); padding: 6px 10px; overflow: auto; min-height: 0; overflow-wrap: anywhere; }
#detail h2 { font-size: 13px; margin: 0 0 4px; }
#detail h3 { font-size: 12px; margin: 8px 0 2px; color: var(--dim); font-weight: 600; }
#detail dl { display: grid; grid-template-columns: 7em 1fr; margin: 0; }#detail dt { color: var(--dim); }
#detail dd { margin: 0; }
#detail a { display: block; color: var(--hit); cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#tip { position: fixed; pointer-events: none; z-index: 2; display: none; max-width: 46em; padding: 3px 7px; background: var(--panel); border: 1px solid var(--line); border-radius: 3px; box-shadow: 0 2px 6px #0004; white-space: pre-wrap; overflow-wrap: anywhere; }
dialog { color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; }
dialog td { text-align: left; white-space: normal; height: auto; }
dialog td:first-child { width: 11em; font-family: monospace; }dialog table { width: min(36em, 84vw); }
kbd { font-family: monospace; }body.drop { outline: 3px dashed var(--hit); outline-offset: -6px; }
@media (max-width: 900px) {header { flex-wrap: wrap; row-gap: 4px; }#sum { order: 9; flex-basis: 100%; }
#search { flex: 1; min-width: 9em; width: auto; }#hits:empty { display: none; }
body { grid-template-columns: minmax(0, 1fr) 200px; }}@media (max-width: 600px) {
body { grid: auto minmax(150px, 45fr) auto minmax(120px, 40fr) auto / minmax(0, 1fr); }
header, main, #tabs { grid-column: 1; }
#detail { border: solid var(--line); border-width: 1px 0 0; max-height: 24vh; }}
</style>
<header>
<h1 id="title"></h1>
<span id="sum"></span>
<label>run <button id="before" title="Run before">&#8249;</button><input id="run" type="number" min="1" placeholder="all"><button id="after" title="Run after">&#8250;</button></label>
<input id="search" type="search" placeholder="Search: name, op, device ( / )" aria-label="Search">
<span id="hits"></span>
<button id="compare" title="Choose a second trace, or drop its file on the page">Compare&#8230;</button>
<input id="file" type="file" accept=".html,.json" hidden>
<button id="keys" title="Keys">?</button>
</header>
<main>
<section id="left"><canvas id="timeline" tabindex="0" aria-label="Timeline"></canvas><canvas id="memory" aria-label="Memory over time"></canvas></section>
<section id="right"><canvas id="graph" aria-label="Graph"></canvas></section>
</main>
<nav id="tabs"></nav>
<section id="bottom"><div id="note"></div><div id="list"></div><canvas id="flame" aria-label="Flame view"></canvas></section>
<aside id="detail"></aside>
<div id="tip"></div>
<dialog id="help"></dialog>
<script type="text/plain" id="code">)page";

// The scripts, deflated, in base64. The page unpacks them.
inline constexpr std::string_view kTracePageCode =
    "tb1rdxvH1Sb6Hb+i5aMEaBGEQEqiJYKklqwo73hiSz62Mk4OzDdqAg2yQxBAugGRDIP/PvvZl7o0GhTlOeO1LKLrXruqdu17tVdVnlTLshgt24PRfF"
    "Ytk7cf/vQuOU5m+XXy12K2fPmmLLPbzt7+y3TQmszLpDPNl0lBJfoD+nOUHDwfJDs7RcoVh+03373907s//9f/+P5//uWHH99/+On//fmXj3/9X7/+"
    "7e//X3Y2GueT84vin5fTq9l88a+yWq4+X9/c/ru/t//s+YuDb1++2nna7o0usvLtfJy/WXaK9JQ6Kgat0TSrquT96uosL6vkjkdarkbLedlZ5jfLNL"
    "lbXhRVD7+pAv4MOCFb8kDXM0rppFoxsWJWZdDCnDKXli27yYg+eEYoEI4pW+7spKfd5HM2XeVUaJT8MXm2F8CmuigmaOrFgPJOKC/54x818Sh5RlCT"
    "3ztUAiO6v5+BdPOf46QjHaXJ0ZG0MFj7PlezAl3uJ0+ecBfS8UDSnxwnz/Yf3NVO0NUTbmCw9rDMCFhlvlyVMwHAYF0V57N87IH72aAoMB9Y6eQPNL"
    "zXyW7nc7KTUNtP6fOQkukvzeRqXuZoI9Hi1uORX6XeNJ+dLy8GyXot2+FHGv003gyz7Cq3zYDf2Mj0RzZDuZpVlDA8HbT4+7KYjTWBvyfz6TgfBwnT"
    "fCL7R0Yznc5H2bKYcyt32fKQCnaTs9tlXuHnWootL8o8G7+nXis9Rj9mC4LDmuBW5eXnvDPrJpPp/LpyA0U5qVwts3Kp1f48nWfLg+dy/mapFBivyi"
    "3ZMqfrrLi3Puas+d/Pls/241wZe2O+NI9xv1k2FOA1Hbgyfy7nV5ulZNZSilZtWc6nm5hGC61bNNL8xu+ry9n8ehZBlHe/ZibzSTLs9Xp+YbuJfcq6"
    "nqaty944/1yMsCvsZ6/MF9NslHee/nfvn/OzQyzx9GJeLTmjGGWH/d4yqy7pj1Q4fNpN2m2dxIx2YLSlkPBhsjlzPyzdxali2xmjNAwoOT5J7lo6nf"
    "yWx8hbeCdp/zZr05/L3nwRfsmABoyPsWgMod55vuxQ/XRQTJIO0o+P6RQT5i3omBI0W1KskmJdqepn48YXJC1W1UXnrhh3+TAd6sC6yXxxyIPqJgob"
    "N6g1LaCe5GI8WIcHjpajfJeNLjqdS+o85WkHsBsWQPkCls4lNWNbj88Zwzbc2L0J7bROuOoMyEspHu2RCfZIsCHSZMJ9+u4mbpsXdDdR+vczglqxvF"
    "V0kHHirksNGi9d48AydrKtnR+z5UXvqph1fGo3KeW0W5/auhTNbjou0ZWkRS97y/kymxJYsLqPXIe2aknUbX/Q4mK+LboWfIlUi2vPQVU6zIMAEQ/W"
    "+WxMl3ENPfOgsF47ieEm+iL83Lqel5eb5SU/2U0cppLiNIEPEy6OrUzHH0PvJhfF+YUNK5jj4PqimOZJh7N3ufgJ7hM7O8A7HaTucAtpckLZfBhcS8"
    "OrU75biLRIW9Lf1SCfVnlL+7xyu5dyB2s0vLoiyoMHqQu+moWDG9ovngldC5P5aqZ3ib+ml3NKoULU+wAfR/qBlaUfI6qzBDW1nKe+0sStDSPf4XJO"
    "QJvYzegSsWinqDxJW262houHk1NGBDR+HpgcaerGlplTB+v1ZDUb4YpLcBH8lJ3nTF/JwQ9gzDev4mL8lou3m0wJyShCxNBnspKM0nk/ukkpYZbIFR"
    "/c7ugEBXKGHufwRUBwBeLrUg1BbShwlPTTsKS2wdPfoHFShgCRmn4eQLz/85cP73uLrKxkqr2KsH7eAQlIDafSVymkwKMIlbYYCkYkSBHeRbSPAQaB"
    "cZkOZqCpSl1dgQUn4Oc/JHW9ZoBgKjh7a2l6g2AY6Ljv+OgR2l2V3QQHidAeQambyAUuxd8s5S/Wn+hZuW/X2N1ofOBXQYoJvqijNJ4JAax+15a9Eg"
    "NSGAhil2tCr4hh/1QviOHeaXBBDPfpq7rIFvzxzBNQl8Pn9LHMr7jOC/q9oBNXVMt8tkTKwek6jcZHt94MCJGnTGOUoQTkF99xO4w/tdBwebp5JZR2"
    "H+hk5EtnQ8fyUFsOcJBdhBM3y0k0ywnPkpcWH5gl4218YJZ0FeAnTbJFqB4/DzwgJsNvT2VV8fvlaWttxILgnLtlsZxSJzQr/CBo5lVFRxYp+pPSsE"
    "EO7eZw3ev9QXu7LOclvvmHbZxDB6pui5kgmYHuXZpfOV8sci6mP13ax+IqD9L/saTv1noQgE6Ow2pms8kVgShXR4cs/0xrXREamWxk2f6POdCuHn6d"
    "pjCkpcejRZf+wcm/ww4dZkvQFrlxJraNgiSZvBZcytUh2JQ4Irpk+NKqNcOHFt/GCQ1w0dUKyV2piVRhN9FCA0XgkoWPYJKXSLIm6OsEKHN39xLTQt"
    "GI6bKCtJGyEWp+lvHryR+iwikn/xGz8leDphMy2E06XJcKMKsmX8yunfAleyht8wchLcGNAWPkUWu2sYRhMcY+2CLB4um9nvWEFwQNhQIE2syDVs9o"
    "0BZdn3qbUel0sJnPx0qKZAoijH2tgJ85uOtVKC0o9wEmO7wS314QyPLOPyscsgdeijQYShZytaiEIUADKcEYfwmq+NNblsSIvOMzkPznP0w5SMvTgg"
    "k0cJsbXBDQT15LYTIkTpKNHada84sVWu8QJllWfKcIUe7XMe9l5TmP6W5NaLmcjwjNcPqCuAdKVkIzV56brsk2jaENwUemTNKjGhvShNGEq3DoTDty"
    "yIzA8iTZ6/f73ZaiM3DDmmQYLROMhlG12x6v5YQsx12GpLDtDpX1ayisvw1rMVT5TnEDk3TeNkqRS6GLrLJC6X1zbW2dq/EYDnP7Gf7OaXVb2CgExX"
    "KVf+0U13bz0/jl5pNlBZQzWXT6JcuPfhryX9MPYl9dseQwSKCjGjTgrtHM+HVdTCUbCB3gh6a29NrM5KDzdjQ6Iuvh7z/CjJCoyHr+KyhE0AnZcCYQ"
    "ISOdnReTW/CkvNLCRmOlwW3jion56pAyMp56g1oCg2u0KJNgdriIzX8KLp8XeKDMnhxh7pNKM4a0NHRLaf6gE8r8dy5SmVYzZRSV7CZtFf64Xt2yy8"
    "aVvXHu90aqmxU3pZ1MwQPgZbDZ3NaXW9qxtsh3HC39VprEkvypprH7sgEb7RK1Eu9cacbdr66MQK/jS5wQ5UDAC6v4LiGnowycKCUBsVyHNeGKP4EO"
    "iueyAgYVRqQxhhKSLmPO9x8z2WsQlERUbQ6SlG4MjzZ4Xwiq3dwVlH4hCPdv7bRFmBxofIfyK/6D7tFNKoxJXOO7NnXCwMFiBduKP92OGhLNzCk2Q4"
    "EL3bWtddLQ7Lu2G/sZjTxqGzdCra05biK0cJbiJuqc0cDPePyYBS0kPrb1VfAdE947Qr1rMl9b7pfQhdvJfLc/+91Nkp8GspfaGvZZuCitYgVDrokO"
    "C62grw8Cwe2oal4uO52MSDS+YzN3DDJeKkxWUvALN/FABQTHjOONwXXCAhUnhHkbm8kKpInf1LR4NL58mbvcOs8ZNNnF/uFvJ7rLnegu4ABFdJfz70"
    "GIcyxDvjTLSY+YdOaDKhkqJkIy/TTspeIiTsZvCAabCbaIXnszu40lGE42QAj96hd020ml++rXYnnRaR+104Cmy0pceu1ifPwNHbwWyJrqmxMWQzih"
    "Q1Ytv1cRBcrLbmbBRh8SNhxg0FzvcH132pDLJIvsPE/oUCSzecJkHxbqYz6bz9qOLGuSgBw95VFUo7JYLE9UGqJgiCQ2ToxBewuDckupYhO6jwOJCV"
    "3GEHYokAbrZXmLXevbVbK3JivxFRK6wUcXdDLTh9TzQvfu69+qJ48hUj8lrLHzhaW5a4Nkbq/bCaig1HcfEOmzvFp2eEf4VbybOaRsAhIRmtD+cgIR"
    "Ig2yMp81KTfS3qSYTju7QADjfLG82NRaQEPCPI0IGqjAHvVJp50VSqC5Bk3K05noTlVgZ2fl5DhxUg3foM+HiEinRtMaXZqiyXQNUpXIQtqZ75y+J9"
    "IHWSGdmZGbW3S8M1Zh8mxU2cvnyM7kk2SfWFM5tylLmooZTTjcxoGsWMXELQcdHebQTfAUolmqN2jIkYw1Bjgvx6w6ma2mU7nkpcm0pTktv4iiJ7iT"
    "7U7UN/ExnX8YEivSOmIWlAKpd5YSLvaflE33qczmDLJsZexPdf1NR7DXlaWx4UUsfR+8vC7+pbssAW8Z+Gv5O7w8pY1+KTTVF2AdbyAwWxgJROom3N"
    "c8gruOS7bOEAVO65/Cfq6VJecsp2IwJToR71prGBbARXkqYxbYUEFaUL8DqG1D8cegxJIzGtrlQE6flIbOX9oU8mBtzfleTpLn/VcHqQygVy0Y3dG9"
    "vN9//jK1yrjqCrufDfozjJClKccqTvGYYusaoH8doRxQGjejArmTHGV68ExRxNCVPhUq3Oh8z7/XFbT3IAjUkp6cEsX0J19CK/VRo6VgbLvW5Bcb0i"
    "EcWSM8nP7gw9k/89Gyl1WQ0XQUld5JDwoL8PTTySFqdQWshoiZevLI+yq7zH/ICIU7DB6g84FH5obFtfVADK5onjvxsm4FPZNM1SaCD2kVcDIHzxl5"
    "zhpVuY2F0bnoPbotVFQdyH0ruh2Dtrg1t3tZMbWzI4P3qJC7BjrVXXgKdg1FPJWmUlswLEyrMY4UIlgVcwOZ5ZCKnDImnjkN8EAmYspfYqSJya7BQt"
    "ryzBAY5pOT5EBXRhL+mBw8W7Mi18aHK6ef1uScX4kUH4ATI2X6VrgxCID3HCBOezzboUIcSTs7gpRCSn/K+hFUlvNBlKvQBoLVpkQYnrFAcJP9Bvdj"
    "KXyhhMy3ZQxaC0JiHdkMtfvJbh13AZ2d0jIUPqs41U9/dRVUYq+ftvz+4GnS/uAmG1a7fn1yMh8NmhgtAogxpsUwxmJ23paDQL9EzLROY41NADFbX+"
    "kKJ5WwxtmqwlJNe/pjA0lyYbsBGKuywdXqKlBe1fZTWEW3Flofslib7z2qvaNIkJf9EkdJdXt6lPmvF5n9oMm8Pq2AVbzKFp0vkxWsL85OHacXpJ5p"
    "ahqtHmcVmtVtbcsBqR+lqlzlecgU8ZiFTqJR5efFjHkCcLxML3hplOIz5IbozM4lLaWSW6K3F5grxQDIowlbK/Dg1AwO74n0StsxxXIIpXDJp6ZWA4"
    "3oqDiH9yakEbmTn/XVEoIv86B6ysMJ28Od30ICjcGjVh1TIJvSJJ42xugsAVA3gCNBdnpr190UchLYDnST83K+WlT698MkUIg0cBZSmHcy3Zm4JAPO"
    "RHS6wSUW3SZQWPB9gm71SoGua6gdD5UjPxW7AFf3XI7GOdWU3lH3PE1QU44EFC704bQPQNesHlKeMlXbx6rphHqrDGgmmkkd6TfttuzW3FZi8MUZKx"
    "bBpOrzHrRklEOMn6YjKHyDfAIlc86TBviRwqPSNCu1jk6F57VsoK0vwvdONt85BhGTTISAiEO/7chwe9XqLOO2eRG6fmFS2yNMSHGeSKNswOv6ZvWE"
    "VdyHgxuWR7tVDGmDAN5SLZ2KSPtbWENdCSm2Y+0BaN4eZyaaSB3cnaqVZ6rc6Lau8nGRzSiFbpSZGopqO1e47jv2wcwFQcNlmh0pJPuvXkkLmslHep"
    "QX086M7vx+79WrVKqzMoT17kHpmctrrYNjfnb7ng6fnfMym53noWSW+fIQE3CJHuMD+SlYQfByaGAXpn2YOCG9FHE3ND4Jl/DlEe8a3U20JQoivM7N"
    "IgEVAus8/gwN9DhBProt1adAtaJKFKc5oR+0ZySFi1UMmdSo8FXFrDv+/AXqjBhCtvTzarmNgI6NDSM7kgYDQaZc0RlTeEq7hvJxBkcIUUEBlKxqoV"
    "D9YIldbyeINMy8Xg5pKIa/qd5Vqn7CDaU/H8nlJV/Aw+6jYkJVR56cMEiGyC3GNJG78FPByTy6q89moPxrsKbznY3Hf2a5dQTvLk+fzSZO1KjRSwVx"
    "BxIKXOZlp0S+mkdEfNeWZbSNrovduI6RgkuuLEfysiA4xhrufKithjsj7gpjGDgkrrNAYjjg++Eg5pyx1dLES+XN/PNOlFU8BIjtwR9jVSf8xWtqeR"
    "tSrWDXOePRU95FIpffgT2G2KHIYtJhgpLd/WatDGEyK4UMNt7mmvyLFeu8CQ23TvTnbtIJyqTaBV0N9xVCGdrW9R1Of2nn4E8a2v+d3X5Y1HdDa4sl"
    "dhewfcg57yaBxfQ9CM90CzVFq2KzWNnqUJwmFf+mzR/YLWNUv+Ri9DFX82KvzLMm2c74q9G67zJG58wIwLD6JEGXdNSp9S2HbJNd9yhPeXWezZBaih"
    "Ac8SmnPToInVqqzCXY+kNAhwgPWiQesNLTdHv0WIZnH+owMV8MXIqulgyAEjBVOocPQEM0WsFEpw9BRcG2+2U0X+Rbdl6FPN4+aobQ7kBV2nbyBrqt"
    "VnR77e6tt9jKTL7qPrpvc6rtDLQTCiEGIIsil53207aQT6uFGKotMlYbtNsBQhwLGcU2n4QMua2AVQWK4mpwyRmD2X6qmg+qwIWH49O6MQIqpLGZP5"
    "K6Cjs3Q/0MbTalnEKSBwVogqrkSfhDw33407RaBKdHEZ02zwwxw2sIAYXpLDcI/nhwQtg+oFxrxmj4i81VuTORCnQ2NYjoBGzPb8wgQCR+CcskuCXk"
    "BnkdJBxifUta2849hbD6DUamKfZAGbDkbIYRcPglm5WuRhfmtBTftGpmXmy1Mi982+oHEWGSSLEbNA7g0NLz2R7Ql4jRPciG1WlvtTDTAoCeUtCV/o"
    "RubKDjlv0Hdx9aSeTt2CCMG1PBJ+UxYxaVcdxZKJar2BNDmudeaUNiSHIZcC+4H65lJP2BH1WfGvoikkaBCEcjIbDWV+jUMfV9gBLsWm1H5oo/pVZL"
    "tiR/0M5uYA2M2dv0k1FYMCcpZ56bcWZXfPIlSUTrLWXVbA3YHoxYAQOq8TKeEeVCPKNDPzFcG2AeWl9C/9Pic/4dKPImFa6YuG81bQ8Nb5Sh+TAxrW"
    "6o5p0XqgWIBGZO7F0T10SIReqm2vy9JVTxdo8uuTUp83z8O5RBd5FviNqxQuJbiVLOUtQlZMLaN7rWvXOIswlWJRzIXgx4GDiMQNVDnW0me0H4tvFF"
    "FgzcgKqfCO/Z52HitFDOn0M0VAyWIX3zUdeF9CzBuuXEjTUVOwSaNK58q5NWg20OK21p1zVIOARrOqg2IdEiAC0bm1/WbN4a9N7cW9PEsqXIIqHg5k"
    "z5RPkBV9o9VtgEIDvSOaceFJNsWuUDBwrWl7es8UbbO+tOZGR9NWAZXopM5MtduLKqqX3kJMOm9Jw0bfNLiLkhc3fm0bGW/rKmpaejfgF03NzWwO7j"
    "mhvLlkV3g+83nbXj2lXZdXcxj4Du3kRXED93tTUPEcuCkTxrIOqWX6q9yVh1M4h3oSrYC3Eh9oLXgTTl9Te4/+Umsk2lw6MNwtXhLCbrA1HnRD95R4"
    "FkM4EcfJm5vBMEzSdrJ0y8wyHg9FAyNiqLZTHKpj8RMeguyy9QK9fF8qIISfLhEJYSQ+Jk0thEwqiXy63US6C1V/t4aZ0pVOlXEQxuUVbQwQiu5Y3g"
    "LlW3qvWqzXo0NL6CVX18kfHgs1J8+07uGYCU+Rq7ktTxCJHLYBGb/gGB0tcwTFLB5e4edq4JMdCWFTiKrQeVrXBakJYcBzVcGUSXi0pM7IqRyyRODB"
    "wPDfdNxP3bl9O7QwRoChw2Q/vPf5II5qgpd5JCEHPp8OCi4oAZyqZJCFSUS4n70cmggGIk1wJcEqR7uWwafU5DaKlGC0WO1KP07j5PU+7OD4lXC3Lq"
    "I0fZ6pXgXE/Znqvmfsr7lbJxL/N6029e50fixakzjPKoFjBPDmNOPbq8zmX+OYfpHZEe02yJY5eHm7eYzdiMKti9eWoOKObEjTKBam4/eaJpZT5eEW"
    "4CaWlkMWtUE2/MiXNEkD45DtLyU9rJfKDQ2WFCCQOxhTa+mo+ClNhVRa/Drt62O5wn08W5I861pfMsEuo6215Zhtwj79Rjb798ecQXRixSTd4csEv5"
    "qZdc3lXLHB6Nwk6zh9thAinCWIXx3q3ey+5bX5TdJ0DZGxMJ7OKX7PWhfBLcsXNnvRwwTzktDQEIKo+QDB/Nr3Aef55fV4y7hPZOa/EJmIgXgS8sr+"
    "eLNthayJTgCBjHLih5JoH+LPJAur6YTxm4aJHu//n1oZ1GGm5vxmwHi3VMhnPV1LfILLvSXOcqZX81VeAEqdbrVV4yLcFnlMi8YpzLztl0ghVTujyU"
    "+5ovQKdUJ+FHsGdnLZ85gVBWtyU1lN0qA92MgAT7AHcg32tveNr88zv+KYqxN8FvSWeq7Y3/idS16ieow2Gb2wDgMavQKCZJnj5NMtnNGrKAt18Cqf"
    "psvrwgXGAbjj4SCQggpjCthqYT79rMuTLKOFvSJJ+HG2cLCSomfsVY7fjftNNEFCNcBlEk1gNesc58Qrdnl4v4lDOkfNf2RA2igfBiiIKvk54ygigb"
    "VGldaGfhLehcXd8Ayenv7+S3LgVvcV2K5GmQfpi8z953lT7c0lBYd3ezbkGnbrTcWpdxWHYGX8qGRhCtx1WUPTWfTW8Pk0dBE2x93k4OW49c0QTJvO"
    "5Ib7dZyWfGio/B7DGpM56PVleEvLDt301z/Pzu9vtxB35Cxu5ViDBUofQv7C7VqVJv6j3849HJN+3Tp+ccW+kkaf/x/8E2GIVO+qwRaQ+8DTwswXFC"
    "P3c5EhEfz85nXCV7fTCTn2nz/Lm4yceoimhCnBNlsNeq/9xPuQ+2tOLgRobeWeaP9pdqH9/eRZlZ1dmlfg9bSIYfT+L+0xVhaqKzlGZnDF0umx8kYV"
    "lMpbOkLbOXP6Ot+tuq3z97UbVd0/mrbcUPqPiVlvSpryiVElUfxd5ex3C4OaF/MNL95/EAz2SA32F8UuL5yxffhmO0Xs/QPtWnDv5SfMf9SoVvn337"
    "fO8lNdxYgZujOj9qnSDLKlLufyF3EKP9WbBlZsGW+e27zuvjzm/ju2frdOdxiq3T7vrNscjLkRjs3/C+wJZ4ktyk4dJjyn+w0Ga0yVnDcTfOystDYW"
    "Kds9/FKg7YBDw8nZfxfRXckJT3YdKZL/RiwNaXCnwxQKUk5pamZ3yEDlhEzxos/qq4ZFc/sIRPkr1n3/ZeJH9Inh30eabcpBVEL58uqmnn8R3X0a6C"
    "U7BOHt/xPHuYJLbx8/0/JM8P/sCqgxcv/5Ac0O91+skbi4zqTs4fUd9HXqqWt7xM1NlbIgxWxNn/gqSOwwn2QxFDrH6S22WSDNtnsBBsT/jfcXGFP4"
    "gvgb+LbJZP8aOSPxfFEn9ApLSJUuYZDdGSmKpT75j7T+WcNsHy9n8BxXfau3Ji4RPCPiQdjq3jYEFUA7xUfgS+7LQ7izKfEF28yyDerUYoeJigZNpO"
    "e1w0rwa6AKNpnpWRd5FYsY2y2ecscHs/m0PBKqkY4Xc4e7Sv304LAszPdOtgZ1XENwOictH+REs3/Rn3D6huwtvXIcFK3+Epnt/0rosxdDzd1sX95S"
    "5yop+WqZIFOiauzFxEUPqa9h2Piel+LSnV60UvXFGedNjoliYHcXtbWnNXznkEv7dEt8Blv70/pv1wl00XF5meXKJ3znEwPpbZrKL9dtXhlrogivoK"
    "Y/lAwfPp/IxIJtRnBUTrnAWxv+jelm1ydj6QZF4oaQeWfWhgMmdU097bW9wk1S2R9Ve7q4L6od53q7wsJm0qhcF+l9Empn2N0lfFeDzN217Uci4tRp"
    "KUabHonHcT8VOT1VXzcIYrod7nZvQCBWJkXMPAJBZ7Xmrpp8mL3oGueejiJbYnQDC9Z3SgfKRElS711QTUe4qeE2mRVasy/4gVYIcvXemjYx2mTYuj"
    "KCqnHHfK0Q83W2LOYLXf3z9oW6MnNvXGsYEHDHsLexBftqBJ1pIGED5HPIiF2TuzGr8wOSD4M3HXMuYfITjCIFOxETHm86iopLEhCpziKAgvz+XBzs"
    "uPY259wF08OeZAh9qJcxgRQ4Kwg/SrRQ4c6c1GdEXD8YIEFiuEcoYosJW3D6QR7u2/6BCWY1ZH7X4kqiQRVE+ehBuNf07n53t9reCXhr+xP7jua/lz"
    "6JP3NaYkZbmfQfYLn/3CZ2MAGonSX1TLYnTJ2wm7tssz8Gh4iNLCV58y01458u11MqS1bhOhdspa18qINWREpFmU/0rylRZD1tBoMGcpOy7OxaA1lD"
    "Z4M8QAbDyxpzroXWp+91UARCZDmcxjotfd7tK+p185tKUKJ//rrx8/vvuZV+tlN/n5rz/wxz4N4Ic37xHQde/lwAOPtVR5qZdCN/lc5Nd6HlR2x15r"
    "ioez8ZjDkvzAoRKoWlvrj+fXCMml4iSteXeDuBTzyYRw89+6ya3/+jtQzGdEpxAEbu1T1k/S4NtsQRDI4eEtCd+P3f0xISKj6qilzhcGhm7cwHA8RF"
    "ao+3p8w27EOkSCP3J7N91kfBtk/N0ybgWZ8m8ePy5Jx4yNb7Ag/vMWIknEGANMe0TXUAm03OXGiITkvsIBSFLU9aAV9Kb+oxfEG38s2B1OfOFbS/rK"
    "ZfF6F1S07ARwd22l4nvzBYitFn4hbbaM6vxAUumJrqvRZWNP9FPmZ/vnIUtFZ5/XSows7oJZ3jPo64uc6UQdMG2XkkVrf8on2WrqgzspBoPYbLrMEJ"
    "WHjvGzPnAKY023bFrib1i8eiJBsOUWc9dKKkpiGuFuHQVYyKbLv+S3EtGEQ/XSV9AEbjNr2rViTUixf8/nVzK4/GbRqRVma+Z+f+9F2k0aF3ywZg+8"
    "qio+555Y2r4S47MpL2p0Yh7xQHIsEWYSfG7ZZbI7JsVS1i5C1bxPNVJzSCg/7rQps628khRQJOg3AmhZZDEtOHMBnltIF1ZgXFTEMuIEtc+mc5qIMZ"
    "hgiamUjPFXkBd0zUeJ/4Op0rAxDei3gcNxW+fY/TSGv+EuJXaWZeDcLlwK6P/nIl5Y3LTDJkWB7Gr/HbVf4g6n3cZNyChob/oiuwnafAnX/Kiaaz8A"
    "sINVcudAugma2Zx4rUGi0ZMRFoip1CiAcrZYWPBS+gll12KhAUpl+9iiSWULhCsT1EDJ1yzES1729dv5Eg3s2gna67IIkrbLdJ5xFOkgjKcNoycOMF"
    "FjvV7vyvliiegfakaT/nNIj6rBVQ3JxP6mHMHjSjy8LHovs3QgFyQMqnQoevwrDvMQT3bN9OpG1GpMH0FQbyATcll6PyPEgUVA5e4gtrNq3NhTDd0p"
    "UWyCgmgTcO/c1HuUcVPTN1RDOkKzW9qhHsIOqdnqYn7d8b5g9y1CV2k10BnifEcYLTwtnB2eGO5eG+8IGKH51BC0zI/09wOhPDNMOC02Kx7R02SfaL"
    "ypeK43NkMokbg6W0I3Hi0BR0nUDkamPe3KFLgDbXdHe5KsVPe4Nc1/dcfI5rCRovTAwWtcZtdAhYzLJxmOVze58cBVwVUYF412aSdaUevE3Fzi6MAK"
    "VdmUsjMsmjAvKQf029xuNpYl78Zgj/hMGranXALpBvDILpFPD95cMphROYfNEzU1CEYXTvTstusmy5+4QLTe2a3nf+ZVHTc7rGD82ROheHeUCNbh6e"
    "UnmFTQrcFKznMjvhfewpXigUEIVCw795+SknGGjwyMLGfxKdY7ZRoslQvU6WM9eyt9c+TcS5VG8PWuLJq0bF0W6n3OsylsQ0bTecVuENuH6U7bVRjN"
    "+cpi8CA2fys45Y1rruIl7owV9FZ7A7FxK0cgjiOsQXDGdzc8tK6Jlwjp0O9jY9dRjVQKyu719tPN0biJHYXYkrM0rPWJnxiCe6AbSL2ad3gI/AYMIk"
    "k7LimNHEZss3KUaKeusy175HcajYNzOPamZp+EG3HbpqbR8L53T2LoZdUKT2LQJ5EsfXb8KAgWEkHu3h1j9lqsm8NvjXtSs6CI3K63yzMut8ozdHHU"
    "I5vNJ5ZmMXG5YTFxGcs1DML3TUQ91Xnvx4EEbEfVzLzVkruOb8xKu2mZ2QJMF1menwAl/ch8fdA9Npr9/s9/Wp1H9gG7F3b+kcgAKHcVxNOihpArIQ"
    "ck0yIapMSvOH1vZFW1gTf9qvtzAoHEPlx1vBO9W+xABoaT/IoNsWAbN0ttM/dszSzguHl/CI2v0wuSbeWIoJIr0xv9mrDU7tiQcKQRNi2rUK2WGhGk"
    "bvYvINb1pFJ8NvpOpaZC+odRZ864wa29958uq0aGQoRp7pQ+5QMJuX4V3kiF+Ho6U2svT+oE6OAidfVlzudlMe4o/LomYz/vVcRsd/CDR822eylk4S"
    "UE3gIPlR55yTfLpwP7PBwGIZD5QJj9qz8EoBLk8t1JSo9obLgO7+F4iEmmrACW/2f6xLjD7G5yy6PRWfgrEBXAAAQVamXZkArbo8qnNMXczL5c9T8j"
    "sDTqh4Uw6zKniSEQcbOqgBVWNW2Bwk1J/V2WKT8Mbq2HAS6Em0QXoYN4iykZrcM1cO3Q4WkYNXg2m4+N+lZGeg36YtBUaWJaERa3mrYiGkc46T6dhR"
    "dodsePBiHaHqpwiXZh84jGxZXNgsdEW2YLOQpRKe5qiClfmFw0uJYlNvMm+eh8hi7sQpVdi/InnLcFwsHQeE4sFOi6VQ1OO5p6wk11k2cB8bO3r52H"
    "RThkddOZ9r5xoscwSf6rPgguLtJN/p2X8xBXzssC2DTtOl2LCdMDMKKSytUffgREYaZLt3n3BHhLyDDpJjVZ+KBm2Xtjo77p8Bx2qKknWhTLcQOtkU"
    "UQk4QjxwG7O/BBJ+GGB79n2r7GhZUedpKDPnVD/QZbkLWUbnDE6FGxZ9GGoyMQIbgNxLadWhk0kVjRewTjOesbd/ec6uqh1FbEq/A/cFeSyO61Z2eY"
    "CAso4XuosWjp2d1bLblrsXjClzhqY+iGq1+6uDiRrlkV3zY+p0ze2BstWzpTqTLAdkQ9aWn7wZ5RgLoq2CuxDnmTrzMT5YYcDm8jEyMmH/5+/d6zF/"
    "Vzpc8xQKHJe47uo+Qw2H/xdgWG3e9GgLhWUSTiyejl8UL5DFOyPuvXzbRdAzddRxLdi6zDe6D1CdN7fGeTI5Cu6cteolD9bNuFdU/EGtS+oKhdH1L9"
    "WWV8bsr1DRCwAuEaksDlP3VbfilFSQNRaSoqFsp5Hl8/lNnvvWAMumEHsK7REPUj2foKVqgbP8ziwvd4t/crsRyWBI4ud6X2w106PMuwkwtoBUYXxM"
    "fOwmTxQVbzaJeK74EpIVlJfCF+/+yqiz3e7+0dONShW+PZwLlS1biBUOwYhHSK1NRhiDaj+Qc+7KPFMTUBlp7DDbzu2A5/tB1Dz4swiCwhevt+URY3"
    "sQHEDS60vnvZERKxBaft1dIk4pLR2bF1gFlq+1hqucxkz8koNTyZo8+puAQVQWCxiiNY7iYu4fJU2IY9kCYQZMgjkYw7Cxhp0t9Hdrtg9WCCI+vOtK"
    "rnQv8F3OoYs38pDWnM2HNELyes+i/hx1SPxxuBStCfoXmVssMZr9i/TuF6w9IG3lLmOAIzNSsBh4o7HiWrIW3kmjuQdWX6Lj5bc0TXISxH8Oz3vqXV"
    "ZLAdJgGF5PBewBAb7mMX8ENnaCcW9+EMMBCEQICpXYAYFzd8hNWeIx1IqFNwHQ63q8qcTYsjmODScevhofI6AAqsSQFLBHUYNE55z+b4BSSraJrfBH"
    "NbyeE1cKgSF0wcGKiYYjpC4XaF/G440ujrcJuwLy0/OOFxKvVtcGyZjXsvkFB40ckJO9M0XRscrTuktBwopEvuL5TBGNV6Gwhi3aC6jUVliOLqo28e"
    "yhHiMVXLcn6Zx6OqmHQFFfirYp2CqzmU6hjG1yx5Z4sxaciBi3e2sjr8I7yKa2DU1db4aHvKmYaruv8SZ/bLDFjL2YsFlfdewLIlXFxmfcRMxKXqwx"
    "thsXigwR36rNu6VUKR79AdvUMRs2/bPeqY6eL+m5NtHYBgI7ZIpHZ5usn4QlFhd1YqUmlzvGMqTZ1U1Ks5jM9x0/c3zZU63oE63wuTgxCatyh/y/4F"
    "t3v884wuirPaAxYvu95I4AZ4/aaPYT1Ti8QfaFR/yqoLc7OG6RDxAs/Yaui0Ln05Z+uKj/PODZjxPjNbZ/m/i7x8uyo1A5oHjtJ42+fB79rnHj7xl7"
    "vm7Qmd0+Chm57u00H81OBVL3Ao16uGnf5ihz+7dfbl0pnopYO2O1ehz18Xl9xVz3ucp/4kxaMjtBp6a9O+tDc1sXXcI4zeJnAfegHpkl1h1dQzXAGA"
    "G87PTC9vldIGNETn1hj+gFt3wrVTjwZxPdwSAKQsfYSsp4o02QgmUPeFmjqvztx/sDqtSeQZyZdx7OreSy5PPBPNG9eFH5VhgLXDmrIZXr3QTpCiwa"
    "ikmpupvKBRrgfhzNexZyksL4kfMj/TOFxrnQC1gT1MEL2vtM+l0T6eNA1F0uqc6VVCJ8nST8VLEUKlkYeLUxj5Was/X7HWakq5nthM+TVLN2mnWFCQ"
    "FEQ2aUvOP/U1g44QhbWNnPVgLfZduouNtNA3RvWxbMndukceTcSh1hsSs50XPwdqAc+ih4I3OHNX1juGKvfnWwH/55m9gBPc4PK6nMteSOskv8lHK3"
    "6v7fFdK+D+zHsw5P6cxsCr2nO8iHGW62wYcnDbZku16OQ3gkwPtcCnVaMA2PvUGXdtA5evtaA+f17NgpIRWeFFAq/pENCMXLlQsB10H0/Jnj7Pr+Z4"
    "o+OLpjsbljtXXBNONA8xxrnHDESiFQQBW0yPMsKtFQXpmq+Wi9WyojYyCXPAz6dAt94WR1ak9VyUAf3WEI2gezSctDu/tef/lCENu48CW7W1fD7W/u"
    "otuI6vNl8OrAVTG7lLSToCkHpqltAYSSIZ6QuEXu6lAfU1QxCGNBK25rMHo971BYsBRr1MIx7JZOv2EHv+1XOFAyyj2N9OO3CWHTAicotq9lzOXrXP"
    "5kZiuiJWKw2FfTYVVpuIhmJiEpiIinkkCuZGpfHIL+bv0hkzdC5Pv0ZXzHGhDVHEtjkbE2lWOCp/t9R7nW0AlatzaTucNrLasjTD/unW0AvblbUjtS"
    "NO5UIMQIZbKoTAXESsrRAyJxIUYSOogu21S9mK8oECpz6aglyNVstFYW2MCnzVC1+OcIYWzJdhKNJ0UsfjivLwZIfed/65kaYVMVrKW8578Lb81g82"
    "TgRI/3bSp8d07oAs+JaCJx7Lu3Adw1jYgyddi1NIjgcXtaSerHX6adBap63ePwmx8mPVqddoP0yh3TjJgX/q3VCOgV7FUVmVq6bqmTtL+Nrve1cz5e"
    "Mc1timC66pgvsbauAvIUN9aWM6L/lEc/Tw157Cd/LsKp+60EpLbJAmYSQWySnYwTXyXHeTbavjZIZbWCybFpphPgQADtJvVWlVP3/yCO79R06kTDXd"
    "FfGXWiCFC/OymHq8EEku/XMGZmDpnwC168UFFbMIR18YEPdnihat6oElMXHY8SZRvx/rmm1dWy7/RMPw6zg4VyKUSPljP1jfkbVVu80QYwryAwW80l"
    "/hty6x1H/iTRc2Sqg/mxYIdsc0qDmodbX2fTnhEviNntpUOswu9nQpV6rzq7y965y0XkHY8CLI+bpuZEvimM2r3O3bWMzS7+2/qKlmZCgqNuo0eTqu"
    "Q8FAaNfwFTrdmknDA6RURmiy2n2vv12nGtZRzCqV9l/GFGUQKNfFeIkbvWxUnEGsEHQSomzu5zkk1HtwN7tMI6uCkQbrcKbbByj4LZzRiM98JV4OSp"
    "D/V5ktLn6XKf05apodvdOL3HpzesPge182n5cQPvca0ZshyiZDIoIEudvvypicDR5UueptaHFDwcLlqUbAPglkBvbmkFBfIneRR2UHcbgwHyqMQwA0"
    "BOuNA/UGD/MFj2Tn43Pny88RW7v6WhmeZ5JAU+qQ4G6aH4jBmlbyCrJKXDRU2caPmsG2NlFWS26jAwWBFB3oW7hp63cEZg1UFFcuxJCPxqovBhaABP"
    "X6BkST2BLqFqjFKy+q9zm/LwywQvSLdVbH0ffs++dz4vhXQcA0xPogQLqnVxSU/mGW9TZJYqMI0WKGxYoSGUd9zpFI8fT0VClsN+iB81lTilZaA+c9"
    "3/YkFBd5kjzff/X81cG3+69wvIlqZh8u7KDgcWfXgGQgUCsyDAKIqydQEB+/VgBYApiG3fPG+5LEu1IjnskTcaqYmma3eWnP7zQHIg1WCFiSFsVhx6"
    "kLUd2RhoZTedvLfnNor9S/jkdkB+cFTeCbjlQoSb/OXOhmjd3EpaJohJdRaGx+IUngA2NaNMCBLKggG64tfEy7hY8j1k3+KVHE8CrucvhPCR721JeG"
    "N8+uTMeSxL7GDakWdI875qB8KT/8ol9nqoqdiQnUrqe32GfPI8DgxSNuH1s2W4YP/9GazsR53xrHy0HacLa0NzulXX5WxhWTGJBg6SX36XE0tYjcDo"
    "egrR7LYOV1NQlSWEzHJQsLeI9EEbjdiXWLtvAhJMOe+GhQZ3SDWYOyUWXXUBXfoz0Qc/8e/T/BhQ/Gda1g5zWikeJUbZsWZgeKwQ8XElRaAqXhSGB8"
    "TqgTAmYp0aUhwNxwRlFnEdqGcXwpDL2LEJ3I5nHxycfR7uqxtDDFVdfB2x7HSaRZRjyH8odDxaxTu73Y4bIVwGa7HZm9mNyLX4WkE7iJcP0jkRpdcl"
    "27KL/oq8dDcm8oCtbgDL7Dv49i8/9fvCzhs/aZX+KrbSKV+4ZjFSX/OE2TKJXR1lgbiurpVLie5GpVy0BVzuiGEeSjIudWJOWbBdcsHDICkkLlZTqN"
    "UFJk7xHjHQH+eZQcPOfXA/AVR3g3x8nOlt71ZjjtupiQ+gCCBO2WQGAbswa0BCIhaQaFNtqLIkfi0O6ZosVmwyUgDHNiOWQM1uJrHGs8eImhddt7af"
    "JzleRzAAHl8TAWLQTNTUDOiUGNLC0I5o2lDwqnRtxZPgAV5R9KVBKnHCjGLvxqI5SCjrHGLJTUOUtAZZNiwc5mvbjhsxwJyW5MKZmpAQT0/upnJexu"
    "sm4tbjcr3gbaTKn5/Hm9okpwQ//s0MtoSzQj9f8Rp2liFUuN8hNdnplX5UokxcDFmjhjfBM6TAdlGCKIfd+QwFkWH0idOSSH5QS4U8VNau+FFyYLrI"
    "Wwcabdz/Hy5573hhLOKjTk8lKfXn8/MEBxgZeI2MAQuokPsURJLIm2cxA0TtRo7zk2RL0+DGZ6z9OkeSD93rcvuht1jB++UQ92y4OBY0fhwGARd9GG"
    "3eF4S3Y/3ztoyA1dV1ux72ptQ4jb2a82CBHQbfVLE6eEVuxbE0K7338RwPtZNwTNU/NLxRNT/ICCpAaD96CBDJ4F8ZKCjXHpZw79Piv5JSXItUFtAU"
    "bsEGvH8TgZ31jj+LjdrGgeme7JqUeyQzzHJbSIoY0tV9EGvmICcuyeZCsM+p4pEj6kxrICKUcSfB8rYcvqSsyEbSvbuOdfmOjDgIod3SDj2N3LX5k9"
    "nstgzBdsJ0ZoZsJ9BOt7Nrc4YSeuA/Pm4cW41uNw4y6B/ediqXEiInE7crxadnhuv9L1LBDJS2zYWCDv3MA0BlnskyZqpECD5Ix8zb7XaLJgNS1LSb"
    "GHuZZ1dnWqUAWwESoj/SptcjLbxJeRr9mFOzGwOo9bE+5Vx3SRTUHxHQC3QDwlHjahhnJfqjkXm/Dlmqn3kZoGPlLBSyA8xBi/E1Pb6CERMVJfq1D0"
    "u5q2I7fECoYdmSDOz30aRh5Opno92uLN/hDRAKPXI8Kz4Dq3I7ArY9hwfVHJ95F4NVg1prrMGtKxSjq4G37/Rrg638/aLluWvAI8ZqoZhdb2xnULMe"
    "Y0Azo7tRJ1aUc2AV8R3vBuATmImdlZBXSw64u3zsKtc9ClEw3bt1vefvsNpnOblnM8oh1YB4qdHEznvM3cWsMOAwYWLJ8NqdluNFQhMa1NOGLWKBdQ"
    "h7AGDlpm5sQgIisl6pybOkpecV8MZoVxkW4xgnOMuLXi6DmIl06OnTF4c+vyWITXBjS6rcW6g4pR+TM2495/wT4rL15sqD0C9UKD8oGVIoE1u9OMeA"
    "vEg3utFSNH1S8BWHo6jSGqez8e6DYDxO0dNi1FrT/5FECHWhd9BIVbVTxv5vb2G1HKq01pj26sOAS9hp93948wufdfn90WG7brGF7rD/+sIqiTw+SR"
    "ep7gytSfQ80+3W7tDt+Suk4otDevm5obBhPfU48cokuC7giUSeUKSUNaRvcT7PN1PgTI+Sz9amNvbajZwnvbKG1kNjDe4pXR82zBLaFCgzinbmavus"
    "neXvIkYjlwH0tQp+1xRR9sFN7Z4Dzd8r7m+Jgvzl4m/hnB4N1Ctqr137ggviei8YYWEa8ZCo+102onHB/x20SjYysWghiNnXgMPCDN2A9Sbyt2h1Tm"
    "XKD17QNdaMOF8HcJiJqgtydJNBDnqM9COoTVxdBws62bY8E+KLrr1/jA7r18mO+y+dF16nIKXa/+s1ememqzIW5w+CXd2fWbLpGKfWLLX7bNdOo2mG"
    "bCaKUlLyE49GEy2jXvBq0QPjCDo7LnImhVbTbdDBphoSRVx9/HyhqpDq5e85NEXthDgIkDUaJGshuNPbdBWgdE7zQ+WhEvZ0Spp77BMSpJ6g4h7ZuD"
    "mPV11OsW6lLYNskMgz/6vkF8bUpVXDhBdEv7f+9ZbXDB9GJTsC1y/1YUtdCje7A8HCSF51o379peYTOL39Dh3DRtOUPlTTNlL3zjK4gtumpmyl4Ol7"
    "biCGm8nTXMPrbGJ016fFezjtiy2de/zd4k4/nqjA4WG+/BXGRcJfPVsvdpEAoLt4gHi3HIAvuoyrMNUXbPect4o+fHdzMbBn7OF+uEjZ1n+jyLpEe4"
    "MebMYUdWCDRwSu3Q1ASGYgBdmyjc3ip+mkNEugq5YtlrO/voyPA5WIUan/oAAG21hq5n8CsrEJEbuvG2EX+eAj39DlvlCSr+n5sq33HAZ/Bm6w3DB7"
    "zPMl/6B1pgKtzuJvxmiH+MhX+d5fwuTfBAAJ4ahrW+veKyDnVw4JpWC4lBjALKOdlbAatFjxuUV6gRst69F+CyKs0S09E7+fnQoaHP4I230WDtYqKO"
    "RbbvS09KefoZSaK7Uz81atbES1yGlTkdaTyYkL20zE3zjFb2/oG+OC05Fef4l5mH+jIbf7NLpR1Il+Le55ARXvVibzaCAq0Yz4fAZgL4164cJ566x4"
    "j0AWX/ypS83tzRRuBNwrQQvD+qX+lkaQ6OYkAlSaJzhD7UNwdqTz9P5G3klrzrHKpcVU8+4ReuaK/AiHqhVoZ8Z4ZPQVPXNC/RNawFXpOe4a+JPJBT"
    "jN1CO8hBkuIWfV7Kol/1+FcsjyBgsR00fcgbtbu7l5EPjdR+LX8hUjhMLo0gP2KxCwsVT45VgFIzPllwH/65T5NesQ0G7yrRx+qDZwsV0OA35w8Xsh"
    "UROqGWcJjg/Hab1H7g3rhwYYUBkIm8ByT6Xv/I8EQVimv3ijVK11+DYnvXiZ5Oe1eIIEXFOyP05xsfyc+BNixJ2sekZ8ZKvV6v3txp3XzhTBvdTTL5"
    "BbEFesTMTSWgWEw0wgiUzZ5P86WLVRjluCrNUm4qXotaqUo43nucBpfTUDPPLfNrxpsdWd5AwlY7V5zI0jdwxGH6ZeJD8HH94JmVicnyRtSoWLzS33"
    "pxfpAFvYpZ5sbQRs6JIpz+19lr3yvYDYTEvFK1y3e1qGqyz0kEsAHNU44Ij52K91YzNvboTCwi6fwm10ZM+CoCyD1iMxerJQvuePXUpVzVvBbi2YIq"
    "9HsHOMCikH0ijZwgpFg84lu26g3KcPgRFUpMGpAv0nBE+Y4U+UMoYGBm02QgkDRwedZCT7zTlN+mPF117JFp3bqZ8e2eDlpbZRQzif0NUYUIsmrMme"
    "bXxRbOirQpXtBtpC488OFXfLAVk5Ckke+3Kct5o/fUYd1E/CJDeJgYY39QE1lw7Ipb+dMUGOaZH8czc5i3we4fbGHIJ82BXx7fTYQKJlpXJ6Ng48Mo"
    "maBhk465oatfeqqkaiIugYo2U/5u6bNOluo4eWwETWJ+PmVmUuf10odcCr3WQYQOWjg77vqdhMeADgkShGNX8w29tBgr33eCcGQzkaG3Nu8IfTNQ06"
    "4TfTGFjs7Iz2sSzkcQ1bWcRxPsY4AjsRQaXXv7Ex7cRoboYTK5bK4xdSnnkYpNFRAxy6wGoa3HyLFZ2JmTgArqEXsReWC1dwP28wa7AEq6M7ZVOFMd"
    "NRTgxCMfQf3KIeuO+BsFhGIw/rI3iT2IG91eGy4OceAM+Tksj4bJkZ0YeCqtFK0O6BcNZ6U/j/lXatVWIdm4w6khC4hvY/TcDoZk5OEb2MtRlExIQ0"
    "/YT7B5aHBh/eL0PY0YBDussWoTfniU7VekdCjwiTHwlru9XkKQGd3Er+XPIV1gG/erKZY+vvvbR8jbEDbNeO+fP/wKlLavn28//PDXH9//wpwPrpPD"
    "ZNgatrEkiAmFJPqLdvBMM14A7SbyL9Lgc9DnDHmukvLsBwO8mxxItrxHSdn2A1HZDg5Ou9QXyENu9XrG76lq7qt9rlldEEHLT5bpD113qi4F9ClMvB"
    "hjv1D9231ufPHqFT98xn+sU9TKbrgK/wnS+Sk0fRKtmJ0HjeFlNfjWINd+wEKQcvsyj4tsYSNd5B5Ce1JZZBb8KJv9kgI6j2V+xcDF33mZsVOHtE+Q"
    "aCFkzqK2OG4ZuD6vnq1Z5Vfg2/sX6OU9C/Sqf98C2dJvXyHt+iwrke0hsi/tblm5V1JrY+U0fWPlNL155SgTsKtG8wXv7WBrA+tw+v8PUNQtwM8edB"
    "P7u+UM1Df67wbjQSMYVSZd2TLtv6zBs16gXwfsRgHpqBnCLwXCmvi16ENhs/Vw7O19eftuHZrNTGND8EuI7mdYwC0NTJODPEwMF5DMCjEneYHkb7y6"
    "D5/y8y9MWU9dtpS+WHiSLePNcp5xs4h4JM9p1yck2yucz5eOiaKw7XsQwNAnq792lXUR+fVfzuMHkMWwDHJAUHpF9T573/mcmrDaPyYLaponRn3Kw7"
    "+8EexXY22iFj6nHmfI473+jBxa1wy0vf3gIH3nBug3uNuBb9wWdC3oNnj10peKmogxhDwp7RBtNI5Xz/1m3DYKPDbMWfQ3KWYOxLo+Joj6+OY7XOm8"
    "SobRWPfd1hXilA8L/Rb0yIUcVtQsv0/av+pPQSd0LJD4tqTEUTblc9LmOYpAmfJYJN1WuPDG4Rr6kwaso/3lw88f3/0pIEHsyuErzz4MhwMDOmxj+1"
    "lOKbLcFm3LQ89t9/bsX979nYFCk4LN1E6y201+W+3vvdqTP88wOkhkoDTIZmPoOWT0WTLWon35s89biahm1i8UPEtQG9l5zkJh/qHvtkm55UU5XxG7"
    "BJUCoiFJhafyGGtWji4GyTt+Bep8TiT/ci66B/i2cIjKXyCS2JESmonQqXr4ua1ZwueO62D0eKyrmBPF6Ghd4StyU8jzueX5TdzMqe1rxA8pKi0lbf"
    "cFKRCrBr2wNrMs4Tw4L+2brgxpbpic8lVjA8BoeFhSgtrbQ0ff8jFAQ9nZNGddQ57w5uFHruRblrOo5tr2uRsJdYwXmbiUqGQFQ8gR5U3AapskS6qc"
    "dsBYBizNvKu4HNiU8/lhAJgCfiP6KQsjFV7LYAkuIOGlK34frQuDpXMDoLy9N5COedEwzjdTxhdNOyDUOoVAHojmSqd2mMgTYfqk/FVWXubjROwM+L"
    "Eg2mFnt7IqxXKqh4v1Qm8Wi1grxGIzk1XyB/uPO38SWg15xwroQm125yLBv1urjOj2A0RyYk7vlWrOINOC+rGOVYR5Flcs8AiVUKzMgap5ETOEPkGu"
    "CU0xn97RRb7p6sJaJgyQA2RJEKzrQzNSPExUx4jAWe7h5YGLE6bx7dCmvdfVEb2Xxn+ROEDaK39ovj4CAK9kyWUP5TBT9rP5bdFvzcTzXtlZ1U578j"
    "TZxx9/SI5bwNviTDZkLR8dmlNTZHw6Olstl3g8mi6U42+o9jfJOFtmu/Tr+JvHd8V4/Y2sPr5Yy7H+5uTxHRpZHz2VyiefUo2cAY0fDeIiny7iQSTt"
    "Iz6QJ2DHgTN1QJc0nlMdybI8OVqOqfG8GnUu07X/IOY66AJs/dFTbU6hOeUX8cCmWoB0FzDONpAsl3/XJ3jTxx60oIveImcfhpXErNUbGnv70pydKh"
    "z3HiZa1NUy/9eKqMM3s+KKgxP9GZoNdey7q1WQza8bF1pdfY9PP+xhGIuhoqx5sJ8siaUK7pHvs/n4tscnFy8HckA/arDqtOGa0DYzdd5y1kBgpoij"
    "e0wrKFews3XnT5WPBwlOG6HBtMTdrKbiFcygFvUwcDHnGwnFHTmqw9KCXczp2DdFHLcn4Oy4YhVxZPW4lhwkSk5sqU5oFrrscPvZxrnGVsbtkqroR9"
    "pWexzRRnr84d4Zb0Y7HlpRci3SUitYCNGOK65cXRF6RviD4Bmuj9mZWyECeFBm071P9elYlNyZDviAZir9H141ng9+TVee82hN5tNxLt568tNczCbO"
    "w2wjqPokjqXm8tUBCfyEGH9zwFv+NS7niwX3Qx+TrJjab5pltRmvK2iXLbQL99oPp2FNzeGwxd1FOkTudid4TUi94U1oB6kwz5WqW+2JRlPchQCOG6"
    "CJ9tMBj4/zVWO4EdRR1oCasjnuIHq8fgysfZeCy0Nj+nMkvRSu9wwQ03iaKnzYkqbrtl900CVj2NcYkNCNfDL5ZVQpXTOT/ol1BIGdmIejmU05aMeC"
    "zy6b2FQdzEMsZS7zcpZPq08tcd8FrFLVkrNCSMsjeW00+Cc1NiRg1svKoDhnTVcw0WO+94Q5mKziXfJJkZjCsbkdy1xjZYQ0ENsc9skiWt1aueLHRZ"
    "sb0bx1Ms1AT/FrUVb/UAhQKD2JzJvQwbcWZRGjFpvXzy+ehVKE/oZrr/VsfJJ7l6ZNyCp+cNUn4xZPzEBBLlOiDaE5tRiMxXbMIcYGUNBXkX9uFP2D"
    "//DzXZHF1aW3uLqExRX+iHyCVUz6soBLCx8WcI7deFqg5eNHox44ALVkdRnybIzxl9LUb7NPyU6Lx8FSVKpsv3bkkQIuZsHDJNoRJPx0WeggXEzRXf"
    "Zglgct1t5Q009co2jyYOXJL3C/7ILZCR4BY1VpWx8IE+NQlwczMAun1mWjsW0XaJ0wLmK6uQjt/ZpCkWxQ0VZjKCjfZcGJS2xGzBOAjycPLb7H/BuG"
    "Em0ehIM86dcOKVsr54abanCZcU6kydSR4Fzq5/l1x1tLXFeW63wdi+ot85UIQBu4zyJ+LEffjCN+4g53Oe5WcmA8lLiz3iFYP11JDBfOusHgAnOKOr"
    "mEZ+PclT2rK+bVmoQOKXOAqQYN8RVYVcTG3J3S3bB+vimcIH/+8Ks+cbR0g8bvI4kjIa+jfZSnCZkA2pdKCHYbF9iRhOipzbRVK4S4GLDLqZdEGG3b"
    "uc6msDnawOZTm6AzuuoGJnR45ohwd9X4B3SshCPm4rJ84W+L0FiYH1eh1kpRvMONUyKP4Y03LHODkMHysxZ0sZA14S85NaEhrR5w5HaZTwgCC4hV2N"
    "dwve7UbD8kEDB38FYrcSFErlZbcEqjzaXaWwpnVD8vocejP0StM/ht9pPm/15bAE8qyCsQLY5Frj67HYhpmlqX+fUqQCKd3eqayYSa1i5tBHphEI8D"
    "VuiIZWyHzubj//IY1iIQ6kRPrNfxvD71RX96y7K4Mtf9ojJmgtGPtICM/GZRahxn4zYQczhOzq+Tn/PzdzcLrkn3YAH2fZ2MMJcE0fzvkqdPQE4tph"
    "kERxjFk6ctC3Ukkdh5TPMf5td5+TarwKDwqCogq6C/18EHUSjVslOBCq3iur1iNpquiB7psPmqWnkBBfLtVIUynoLV1n8lxvglG7724DLW8c/0iAS/"
    "I+befN/yFyyD7LcQHKmz9BGoCj451iBb1mMaEvIXzpoCOYmzE7wQ8UexrDboMDfy1570NsMBcd7Qfjf8LtTuNbphHvkbJk22cITR8WdxSQfp20k8Dq"
    "2F1vG4tF1jJmS3I85iOvZBCoYkHLAPuhXFdOU80D8cd4uj2Lln5bkF60qkg2lLs89u+Ra56gZIKIjn7apB8RBU+rD4chVVRgS1fkHKlysaZQkohq+G"
    "CnhtBsYT841dCnuIV1ZY6FXKI/e9Xq90YfVp8639Q+rzMO4OP3Do6g1LNv4oCav8Tg5YrzlHLwdisvlEydQGg9yy54PhB89ba2LwtAtOrVqLRpBjVY"
    "4DeCThgfGeanzYedNWAVUgQkpTfn2jYTnc5jShFLNwrhfN/hnXoTXKJbrBXn7NakVsadZdmBEZn1A9D+GewUPv/PJEn8Ox3a1TlQQctuK51i68Tihb"
    "cTPbaIOXO4ioVrqIanhIL59ORM7AYb6b3otAiOEea1phANcweHtw7zCpDZezCvZGk57YJ0vAIFZurcYzZKd5RvsgH3+AnTkDKA2FY5Ucf3l71MVu5r"
    "d21w4YoWQ1lk3FGMXHvZTQAbYvNeqmF/R608HSWe7LC7YKhJMN0bC25gQlvvVLiGJd+HFOReQ3xbqMWANVB/072LC/8/J5c0MmahGwebOka/1stSQU"
    "kpVFtmt0FHGnZz3I46mM4ywYube8kw2xo7dTeCdWdE/fhltWWRC7TGbzWd4eOF7jIfW4il5AoWDT/X6vwamYyHgMDLjMN+4+fbCi1r6LqXKfOFmloK"
    "2tTX9QwxeQb978ppe8Uacr1nFV0NchfbDheoYHD7LptNeOI5HbvRlcVwGi5yVoJNUacJ6FnDGZsIYSixF7qe9EBPJjB9otFSR614bXw3YMUvKbPkAe"
    "kdSmhpF8OLdtMP/0s/dO9YfXfFRnFaRzHTEXSUVKAiEOC0UskzXslqmPkkGe46vDGkUL0M8qYRfD4LXfNT/XWg1MS5ws5/NL7QIyGn2qpJd8P6PFh1"
    "HLbC4v7aoilpeDUEnvsVzlvWp+lQtsnceLroqF+YHU6X3oupexDxMYFho7Tnvky5fcQz9sBW74oPHrVhviXwmYwLpk1ZRn1HV1OxtdlPMZlOEiY4X+"
    "m0jPhN+Xwmiy5F+rfMXqdP6ciYRTyF4MtNV+P7fKGFo+pnOw/ZqlreyHHWr3As3q69YnfGEnQHV3JeT3uivSVUv2FTR/kIilTKXTc0LdXmIqymJ8/A"
    "2h229O6KSb26Xd4Hx1A/B0lQd6Sczw7cV8ThOKFfZd+mZ7CobSW4LjVW45lASxMIOSBbc0SoKW5waUyAClP78mSMxngk3owg20eqrPfuQ+Ys2NB+pg"
    "HW6V2lYseyzq3rpfWu13gfibDtNFMboILCmIJhepOCsmhMWgjcs/NE4lHzwi5+AQwplq8sf2Hq9e9ULeg9mdEB8apUtJXb2ZFCPNA1kBVP1DymVyp1"
    "NPO07uzm4P1WKHk8RBk7Wh6jeH4gRFz72c4cbSVNmlsGXEXhA7MzCXkguT1/OZlWYr571ElH7mzVg393IRZWEz1qUep6srlFPDZh6jPnPAD7SAGMQY"
    "aIADhY6sI/scpuIXZs3A7Yl/DfelFltUv06831gnG57dIs7zGf8VAhJS3JZknGgGT6RFiOlJi6d42Ara4LlJS3AKl0+ux0JDriA6q7UXN+rAbRHzq8"
    "UScOZZ1vg0FoiNPFpjUad+s90xh0V7VN/Pw9Gp2yMChmoTsLynuNNH9xD7fMIATQM/Tr/0ygPvIMPfkfasgfbq78gVIs3ILbnC+4lU7xnvVLxSJ5S2"
    "J5pCtPdJjBoSJqSOv7kqZrvsNHH4+I47Wy9uvjk5ov7Oy/lqcQI1hHXuXjj5hHxi/tHl6+STtWXtIB3NiBRgfbJhB+FaP6JDn41PYEbR9h21wp7oSm"
    "HjjrNbWHMAOutvErYLkO94P4qFv/TrjEB+oZ0MA5DRcO8UKpnwBPI6vA6OWVusiZ5zI/I7t+vRvbbS5tAkR09t+DBWOKFP+6t2Hir7tA2jv0JqNhBQ"
    "KyfQqCzYwFjbBKG4mKJY9IMNsYOgs3s3aFpzxGGDOZVSpRFiHc7EiY775XCyLK0KmaVIsCDlIHQpTarlxWWSZn5iTmTkmbYtjZaBM6AbWKnegFHzTq"
    "y22enW+YYxQoIZ+yjQTqYhsdOb49kMkHsCb+d7SnVFS7FHV2cI0MAVvI8iaeqC127A4lHZk8C8NMkQ2Dxz1OPt5W8k2rChLqdHxFd5+wuzcvOSCGIU"
    "aKttDhc24G0wRrGSSJUeP3/41b2V4DF2d+OZ4jiSYNMB0aCnEuenFT9jHDgTuQdlfTBB31pN8yMNEg/wXKWoF8urqaDI0nCahFwlpKbh+1nHwCjyKS"
    "GtT7FnO8pIqD17Dit615Ajl1zCC8OHhw7UYgPufkf7Z6R3yRZsa/oHVYCcFPPR5zdtQ6/bHkkSdONwxWdclEMgPOGX/BUEKiRtBd2PrR+gU5prtSDa"
    "SpOo8Dd1jN/Z20PoV5XipM5ivZ8SrAZn2ejynMPnHBoNHGMk7whbRl6wdNzWgDS6p2k6etOPfBaZd22gjK1zSqB7CqwEQd9/TtHZ2bg4cd9EldNn1H"
    "Nw39wDMppnwyDtbAZ35oKOODFXu7C9IOhwnNznDEouGlyjDYOlXvD7np5Cad5nxSGftwTbOgyGLK5b0hL/RgwtiPg/s7ECAkXtH4AZo3F80miUASxo"
    "ZJ+5ob6jdWRd4DGCfSw7SmEwX2QjolsPe89efHPS1+XG7ga0O9zDet1ig8CQkpEOm09riBJg/TNPG87u2lSQW9ULEpaaEIiUVETolZ7yeg2CI4fGq+"
    "2ji/2T93Nw2+dqPX70lJLeMscVMopg6Uox4VaLZmX0xeAgObo8G5+8PnqKP4w+JBTPZX5bEYujGHfd2h6vj4O4dsMXiDek/ngD192ikcEA0ZFFXXVa"
    "MwJYZEXJarP20XjKNByn2JW0YK9nIrtk+XlDuU//nCnTewuh98ZL2jwLkHlHY7OlRZUGc1r0WEPcBGWp4iLL4RBT6ie1E+gM1S9H/cNjFyROlK/T07"
    "r5iA/f2mhUZMIpNqkxXI698OyEzeXdotN4nrFNsYwH9vPmnRTYDtWcTkIzoth4CMhBnFlCd7qOMxVMxaMp8p+KzYNq7y9L1zAixazwdA477LCpD4/k"
    "SzZCwbd59LFzoVowyWDlkVb17XQWTNJV4Pl52cMXKHQphq9gzou8rNiMesll/aev4dO0XutUoyjC8iZAW7QqLK3r1ZSa8C9xiwe0JIpQV1Lst7xFH4"
    "Q51NancIUDx06uKN9p4JCoGfSRBl6IVjy7SSMHPU0XgWHksmbu4MiW29ivAcCt6R6jBwkOPNHGtwM/w9bP5ZRmQp+wpJGvpHXtMjUsVFfM0bk61XPp"
    "7q8HlD16mp18cmQjIpD8nrefUF2sFqMHnsy4EbkWZMm2BZ9fbObKHVsu58jxF6oiBXxClwKvZ3YvyW9tOzm7da3X6jyon/oDK7UuRPAboJ3ZZViFTk"
    "PtBuPqgzWLaxOipGYdyBShLIJFhml81SkFE3gzu+1krDJGQZb2caAvfEi0savsMv8hm+VVRySRsWML/x1EZhytbZLHrRL+t9kMwkAxTySC3Tpft1mC"
    "S2euqrLznKgJd3EGdDMsCejyHboHjVkHiJu2k2rQCfoIY3X5MaWh1QARDvkyF8OBrdJT8/1g4bTq17xINvdaPwJmVhKSDTVqNeuJxiKDdSBmoAkyH+"
    "WkvaGkoRWWi0cQSC03OoGMclmGOWwySfiuvSyHwr2cKsEUykCrmoBVaRLziKilipxVRKuVyWzoz+vkUSVRH5wUzqpskXGGhPt60NrmkSC8fll7raCM"
    "2NfhsnRg0IdNyyajTQ1nqNZTWsRsqLzGIuKHnLDjTpp17+poU2x3Bftoccnzbh7t/5azTWRXNp3eOmEHxxNBKIxkS49sivKADvKbbLTkhkVIE4j/Xe"
    "yPcMJsCFO6uB+8H42MfuBeF/ViZIO201zIWaaJTbmNfT4rZhqZyu/7bXNk1BJUpRM8FvFy7mJYMUYQuLEPajsyAGBNg/QBy8W8xwG0/pLfmkHzXjcJ"
    "njWCNAmypBCWYQfVCHQTemhccPNJlOm0BTWaUTNIe4RJoQOOAIPzxU8lsVnn7M3VkThFzlOIFuNCHZECMJkzVN2hSAh5nVAtk8NNoWH1x93UM0VNN7"
    "jevK5bN3gmbi+2l0UN11824cX4qu44fNHjAC1v1Ia9At0iIjkaXSqy1KQNqPEG8fn4A4sb3RF8jTbkDnxasLKyPLh9moel3opARz/OxxnMaH3q9vKM"
    "ojGNbDx+h3PzA99DxKm14byL6EdEIsp2z3vwW6Yyf8on2WoKWfI25zyIKdvQP7blXcTm1tlwgZqXQW1rq8zhOGzNpYOmtpiBU8TxFcOMmx4ozgEe+U"
    "i7oprgecmGRdtWBFPdHF2Zg+9w07wLBfmRpfMaRBGROz+CFei0OzQNar7aZVHYbjWCBOyQyOzyMm3zS221jlzcB+1ow6N3S6ebLSmiM5hyeUrrsMBY"
    "fjgMPVqWUyA0YvNAUS0z95FNl/o72ImLfBaFiXLYe5mdc4gFRiffv//prx83RMhOZmw4jXhFSI30AXeIdeT1BDMDZdxZ90SSxMhil/AIp+rlTtcayI"
    "zW9aEhjR6Ho0TIeOqylrqXPE0k501JQP3rorEW5/2JgLqtdqu9026s2d5tb+0x8zk4+R2dP0GCAfMED2d0HXR8GnU33lJ1p6HqTlyV5/ID5JO/u3du"
    "4meWzf3eYSQ/Ee0eQvTO/Ds6P7x5/46Kvazt+7XU8Svka+w2V6EaRCy54uGta5dpmKYkCeq12q9dvUb0TCz7YXhPeBliEDSNqQZHI2yI4zA+P5nW/c"
    "3s3t/OZHM0kXcEkXKRv5NlhuQrFdHnQLtJ3y8spxEkhyFEHEGgNynln4b5doG77HM/0W34fDk/P4csUzzC6ys5Otx2i3cTIa02QcAE3IPJrTpJ7dch"
    "IvzjGOZGjDBN3E3WQ0JEUNy3wDGidnuPxaT4OjpOflmWxey8w/EQTH4AI4aQnlUuBmXQGqiiU7YiUL0dITiPWxvuy0w2sflIGAuhnhLcDzwmypwDyn"
    "eeDntPdl7/9+O7dSf9z/C3099+O316Tuv522+P/9h2lgvKLgSN1DkU8f0g/uRxezBZzUYcmWXDItdxoRogM4gjPl8tQ2HQhlHxnYW+TY6dQuQo2Wer"
    "YVPEtDt4VUVUaWxFHCtby2Ztrr3JKrGUoWFdLdiLyuKoI/YNwo37oOtUQERPpXuhRziT1WLjPWSeQyeqa89ob0RrNpfuTIWBNG08S2BdIaKnsoIg+v"
    "HJYiPVH1NRGw1uWY5twhj5EIJEGtJVNhvltLPpULXWgzsuBNFRxf5dG2XMwFSjqYAmAQ5WJqLmYdJlj4z4bbnArLlPC+uOvnkCM4uznOZNPsMuQ8tq"
    "sBOJOyIdvJa/WoTtiyXCG5FJPDWWHjVNzAuwJG6MEQ8ck5kj2S8WliURTj8y7ZLP2HPpTiI2i1qJuyISH6EqnReqWg1z4MwgdEJUxoJn8FDtfbDNsb"
    "bui99B2xMGmrTyLqCHLipePWiePD8bFYcI4cDTEr/D7J2RFMWB4LmY9Es1TpzofP/ihiWUSNCyztc3bHd7M6frl/C2GS5uO9mPd9NcvlWYYHWDF1+C"
    "RkE/wzzlfwM=";

inline constexpr std::string_view kTracePageMain = R"page(</script>
<script>
addEventListener('DOMContentLoaded', async () => {
const packed = Uint8Array.from(atob(document.getElementById('code').textContent), c => c.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
const script = document.createElement('script');
script.textContent = await new Response(unpacked).text();
document.head.append(script);
});
</script>
<script type="text/plain" id="runs">
)page";

// The runs follow, one a line, then kTracePageTail.
inline std::string TracePage() { return StrCat(kTracePageHead, kTracePageCode, kTracePageMain); }
inline constexpr std::string_view kTracePageTail = "</script>\n";

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
