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
#tabs { grid-column: 1 / 3; display: flex; gap: 2px; padding: 3px 8px; background: var(--panel); border: solid var(--line); border-width: 1px 0; }
#tabs button { border-color: transparent; background: none; }
#tabs button[aria-selected=true] { background: var(--bg); border-color: var(--line); font-weight: 600; }
#bottom { min-height: 0; min-width: 0; display: grid; grid-template-rows: auto minmax(0, 1fr); }
#note { padding: 2px 10px; color: var(--dim); }#note:empty { display: none; }#list { overflow: auto; grid-row: 2; }
#flame { grid-row: 2; }table { border-collapse: collapse; table-layout: fixed; width: 100%; }
th { position: sticky; top: 0; z-index: 1; background: var(--panel); text-align: right; cursor: pointer; user-select: none; border-bottom: 1px solid var(--line); }
th, td { padding: 0 8px; height: 22px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td { text-align: right; font-variant-numeric: tabular-nums; }th.text, td.text { text-align: left; }
tbody tr { cursor: pointer; }tbody tr:hover { background: var(--row); }
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
dialog td:first-child { width: 11em; font-family: monospace; }dialog table { width: 36em; }
kbd { font-family: monospace; }body.drop { outline: 3px dashed var(--hit); outline-offset: -6px; }
@media (max-width: 900px) { #sum { display: none; } body { grid-template-columns: minmax(0, 1fr) 200px; } }
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
    "tb15dxvXtS/4Pz5Fya0EKBGEQEqiJYKiluwo9/nFltyy8pw0jBsVgQJZIQggVYBEhsF37/3bwxkKBYry7fZaFlFnHve892mvqzypVmUxXrUH48W8Wi"
    "Xfv/vTm+RlMs8/J38t5qvnr8syu+kcHD5PB63pokw6s3yVFFSiP6A/J8nR00Gyt1ekXHHYfv3d93968+f/+l8//O+//PjT23c//9/vf/nw1//z69/+"
    "/v9kZ+NJPj2/KP55ObuaL5b/KqvV+tPn65t/9w8Onzx9dvTt8xd7j9u98UVWfr+Y5K9XnSIdUUfFoDWeZVWVvF1fneVlldzySMv1eLUoO6v8etVNqt"
    "lilSa3GNvZzSqvqJqW7p2tp1P6O0SR0aBVTJPOAynzn/9I4d4sn5+vLmgyaEy/0uYGqGHroLZEh8mjqP6ghQIfKOXNfEzzKTtpL+dfP8xXCx03t5UO"
    "VhcF9aPt8l9JyucTSghaleRsxeu/mVNGh6bdkq2zBnxrAywIl9Z63WRMH7xVXGCYrfb2RqNu8imbrXPKGid/TJ4cBFtdXRRTNPBsQHmnlJf88Y+aeJ"
    "I8oUMgv/eoBI2ksfWBNP6fl0lHmk+TkxOpN9j4ntbzAh3ROj7ihqW7gaQ/epk8OfxCB3tBB4+42mDj1ytbDVplvlqXc5nsYFMV5/N8ggWU9ftk6yTr"
    "OrDSyR9oUK+S/c6nZC+hth/T5zEl018a/9WizNFGosWtx5PEtnCQbDa1w0Q9DUcDOdY/0ZGYxYd6nl3l1KQMhn7jtNGfQYtTyvVcG+DPy2I+Cb+ni9"
    "kknwQJs3wqB0aGNpstxtmqWHAjt9nqmArqScTPjfayuijzbPKWurXD/lO2pFXZlHmVl5/yzrybTGeLz5UbKIpJH9UqK1da68+zRbY6eiqXZJ5q65N1"
    "uSOfsz9nxequfMxZ8+k2PTmstS5jbywgS0Tjfr1qyOcN9mX+XC6utkvJrLUr2rZVuZhtwwMttaGR5tf+kF3OF5/n0YLKDdDcZDFNhr1ez+9sN7FP2d"
    "hR2rrsTfJPxRjHwn72ynw5y8Z55/F/9/65ODvGHs8uFtWKM4pxdtzvrbLqkv5IhePH3aTd1rnO6QjqEWq5hHfT7an7YTkwJwOf8/nGgJKXpw4iXeY3"
    "PEY+w3tJ+7d5m/5c9hbL8EsGxLCqwKbxEvXO81WH6qcDQGykv3xJd5pQSEGXFkBPilVSrCtV/Wzc+IKk5bq66NwWky7fpmMdWDdZLI95UN1E18YNas"
    "Pnne91MRnY1ZAFoG17k40vOp1L6jzlaQdrNyyAK2RZOpfUjB0Yvmi8tuHJ7k3pqHXCXeeFvOwphgjOyBRnJDgQaTLlPn13U+trWhCSpfQf5rRqxepG"
    "4UHGifsuNWi8dI0DytjVtnZ+ylYXvati3vGp3aSU6259autSNLvuuERXkja97K0Wq2yG6wF87Dp0yDfqtq9o27dFqMGXSLW49hxUpds8CMDyYEPQmK"
    "iKGrDmQWG/9hKDTfRFULv1eVFebpeX/GQ/caBKitME3k25OI4yXX8MvZtcFOcXNqxgjoPPF8UsTzqcvc/FT4Fd7O4A8HSQusctpMkpZfNlcC0Nr0aM"
    "aYhGSlvS39Ugn1V5S/u8cqeXcgcbNLy+IvTDg9QNX8/DwQ3tF8+E8MJ0sZ4rMvGoerWgFCpEvQ/wcaIf2Fn6MaY6K5CFq0XqK03d3jD0Ha4WtGhTw5"
    "MuEZs2QuVp2nKzNWA8nI4YEND4eWBypakb22ZOHWw20/V8DByXABH8nJ3nSnApZrU1ZtSrwBi/BfN2kxkBGQWIGPpcdpJBOp9HNyklxRJB+AGhhk5Q"
    "ICDhGBPQugLwdamGgDYUOEn6abJN7PH08R3QxFSNV4BoZj8PAN7//cu7t71lVlYy1V5FUD/vgOSjhlPpqxRa4EEESlu8CkYlSBE+RXSOsQyyxmU6mI"
    "PCKnV3ZS04AT//IambDS8IpoK7t5GmtyiGgY77lq8egd112U1wkQjs0Sp1E0HgUvz1Sv5i/4l+FXy7welG457E1Q0SeFEHaTwTWrA6ri17JQakayCA"
    "XdCEoohhf6QIYngwChDE8JC+qotsyR9PPAV1OXxKH6v8ius8o99LunFFtcrnK6QcjTYxziesNwdA5CnTGGUoAfnFOG6P4acWGq5G2yihNHygk5EvnQ"
    "1dy2NtOYBBhginbpbTaJZTniVvLT4wS4bb+MAsCRXgJ02yRaAeP4/8QkyH345kV/H7+ai1MWJBYM7tqljNqBOaFX7QauZVRVcWKfqT0nBAjg1zuO4V"
    "f9DZLstFiW/+YQfn2C1Vt8VMj8xAzy7Nr1wslzkX058u7UNxlQfp/1jRd2szCJZOrsN6brPJFYAoiU+XLP9Ee00ovE+QZLqVy1egCzqzxlB3FQToZI"
    "W/Lj00Lbr0D+7/Lc4p8T6gMHLjVuwwBUmyBFpwJQhEYCpxSYRqGHXVmuGri2/jjgZAd7VCgjE1kSrsJ1pooGBcsvARTPISSdYEfZ0CcO7vX2JaKBox"
    "YlaQjlM2Rs1PMn69/0NUGHHyHzErjyA0nUDCftLhulSA2Tf5YhbulFHtsbTNHwS6BEIG/JEHsNnWLgbFuslhymAIZyXYP0XwWU9YRBBTKECrm/nV1c"
    "saNEd4VNEalU4H2/kitOAima4Shr/RtZ+7pVecKC0oHwKOO8SN31/QquWdf1a4bffEjjQYSha6taiEM0ADKS0z/tLC4k9vVRJH8oYvA4QtICGk5VnB"
    "lBr4zi1+CHAor6UwPRInydmOU6355Rqtdwik4BbS0RTq3G9l3svKcx7T7Ybgc7kYE7zh9CWxEZSsFGeu3DfhyzaNoQ3ZR6bc0oMaP9IE2oS9cHBNO3"
    "JQjZblUXLQ7/e7LYVrYIs1yUBbJqANo2q3PYDLCWpOurySwsA7mNavwbL+LvDFq8rIxQ1M0vnYKGkuhS6yygqld821tXOuxmw4EO5n+Dun1W3hoNAq"
    "luv8a6e4MRKAxi8oULYVq5zJptMv2X7005D/in4QH+uKJcdBAl3VoAGHTzNj3HUzlX4gcIAfmtpS/Jn1nJiybwRF1sPff4QZIXWR9fxXUIhWJ+THmV"
    "KE1Hd+XkxvwJzyTgs/jZ0G2w0sEzPYIYlkzPUW2QRO14hSpsXschG//xjsPm/wQLk+ucLcJ5VmCGlp6JbS/EUnkPnvXOQzrWYSKSrZTdoqBXK9um2X"
    "gytn49yfjVQPK5Cl3UyBA2BqcNjc0RdE7Xhc5DvWln4rcWJJ/lbT2H3ZgJ92iVqJT64041CsKyOr1/ElTol4oMULq/guaT+QgRultCC267gmZfE30K"
    "3iueyArQoD0hhCCW2XMQv8j7mcNUhMIvI2B21KGMODDT4XAmq3TwWlXwjA/Vs7bREkBxjfo/yK/6B7dJMKhxLX+K5NnfDiYLOCY8Wf7kQNiXjmFJuh"
    "rAvh2tYmaWj2TduN/YxGHrUNjFBrawFMhBbOUmCizhkN/IzHj1nQRuJjV18F45gQ7wgZr8mMttwvIQ130/vufPa727Q/DeQgtT3ss5RRWsUOhuwTXR"
    "baQV8fBII7UdWiXHU6GVFpjGMzdw0y3ipMVlLwC5h4oJKClwzjjdN1UgOVK4R5W4fJCqSJP9S0eTS+fJW73DrzGTQJynzA306GlzsZXsAKigwv59+D"
    "EOZYhnxplhMjMfXMF1UyVF6EZPpp0EvlRpyM35AQNhNsEb32en4TizKckIAA+tUv6LaTSvfVr8XqotM+aacBTZeVQHrtYvLyG7p4LZA11TenLI9w0o"
    "esWv2gsgqUl9PMEo4+RG24wKC53gB9d9oQ0CTL7DxP6FIk80XCZB826kM+X8zbjixrEoWcPOZRVOOyWK5OVSyiyxCJbpw8g84WBuW2UuUnhI8D0Qkh"
    "Y0g9dJEGm1V5g1Pr21WytyY08RUSwuDjC7qZ6X3qeel799Vv1aOHkK2PCGrsfWFrbtsgmdubdgIqKPXdB0T6PK9WHT4Rfhdv5w4om6REpCd0vpxkhE"
    "iDrMznTWqOtDctZrPOPgDAJF+uLrbVF9ClME8jEgcqcEB90m1n1RJorkGTOngu2mCV3NldOX2ZOPGGb9DnQ1akU6NpjS9N42RKB6lKZCGdzDdO8xNp"
    "hqyQzszIzR1a6zlrMXk2qr7me2R38lFySNyp3NuURU7FnCYcHuNAaKzy4pZbHR3m0E1wBBktNIENOZKxwQAX5YR1KPP1bCZIXppMW5rT8psoCoNbOe"
    "5EfRMf0/mHAbEirQNmASkQf2cpwWL/SdmET2U2ZxBqK28/0v03ZcFBV7bGhhdx9X2w87r5lw5ZYr1l4K/k7/ByRAf9UmiqL6x1fIDAbGEkkK2blF/z"
    "aN11XHJ0higwqn8K+7lRlpyznK5Bh7si4l1rDcMCQJRqOCBrQwVpQ/0JoLYNxL8EJZac0dAuB3L7pDSsGKRNIQ821pzv5TR52n9xlMoAetWSwR3h5c"
    "P+0+epVQaqKww/2+rPMUIWqLxUiYqHFDv3AP3rCOWC0rgZFAhOcpTp0RMFEUNXeiRUuNH5nn+vq2rvABCoJT05bYopUr4EVuqjRkvB2PatyS82pEM4"
    "sUZ4OP3Bu7N/5uNVL6sgo+koKL2VHnQtwNPPpseo1ZVlNUDM1JMH3lfZZf5jRiDcQfAAnA88MDcorq0H8nAF89yJF3rr0jPJVG0D+JBWASdz9JSB57"
    "xRp9tYGJ2LAqTbQkVVhty1o7shaItbc6eXNVR7ezJ4Dwq5a4BTPYUjsGso4qk0Fd+CYWFajWGkEMGqoRvILIdUZMSQeO5UwQOZiGmBiZEmJru2FtKW"
    "Z4bAMJ+eJke6M5Lwx+ToyYY1ujY+oJx+WhN1fiVQvAdMjLTqO9eNlwBwzy3EqMezHeqKI2lvT4BSSOnPWFGCynI/iHIV2kCg2owIwzMWCG6z3+B+LI"
    "URSsh8W8agtSQg1pHDUMNPhnUcAjob0TYUPqsY6adHXQWVOOinLX8+eJp0PrjJht2uo09O5qtBE6NNADHGtBjGWMzP23IR6JeImTZprLoJVowQU+9s"
    "Xd00gcKZrL9B+r1Y9h+clbigHhxpd8iSaz7T+m2kh1aihJHxPHZj+a8xHETp/6jpvA+tgCW8ypadL5MPrCDORo6jC1LPNDWNdomzCs3qtnblgKSPUl"
    "V+8jRkfnjMQg/RqPLzYs60Pzhbpgu81EnhFnJDsGX3j7ZMySpR1Mv6K2WAXUATtlfgtakZrPap9ErHLsXGCEVwybejVgON6Kg4h88gpA65k5P11fSB"
    "kXZQPeXhhO0Bt7eQQGPwIFTHFMigNImnjTE61T/qButIKzu7MbQ2gzwExgLd5LxcrJeV/n03DXQfDRyEFOaTTLgRyDDgQESJGyCrCGtAMcF4A90q6o"
    "Baa6gdD5XzHokhgKt7LtfknGpK76h7niaoKVcDihX6cFoGgGXWBCnvmKqZY9V0R70ZBjQQzSSN9Jt2W4Ydd5UYfHHGig0wqfq8By0Z5RDjp+kIqN4i"
    "k0CxnPOksfxI4VFpmpXaRLfC81Q20NYX1/dWDt85BhGTRtX6ijjxm44Mt1etzzJumzeh6zcmtTPCBBPnidTJBrypH1ZPQMV9uHXD9mi3CittEIBbqo"
    "1TUWh/BwuoOyHF9qw9LJo3wJmL0lEHd6t65LkqMbqtq3xSZHNKIcwxVztRbecKaL1jH8xE0Gq4TDMjhQT/xQtpQTP5So/zYtaZE27v9168SKU6Kz1Y"
    "0R6Unru81ia45mc3b+ny2T0vs/l5Hkpgmf8OIQGX6DE8kJ8CFQQuhxZ1Ydq7qRPGSxGHifFJsISRR3xq9DTRkSiIwDo3EwRUCMzx+DO0yOME+ei2VG"
    "8CFYoqS5yGhH7QmZEULlbxyqRGba8rZtHx5y9QW8QrZFu/qFa7COXYujAyHGmwCGQKFZ0xJac0aigH5+UIV1RAACU7g3CvZrDErjcMRBpmXi+HNBTD"
    "31RxlaqZgKH05wNBXvIFOOw+KiZIdeTJKS/JELnFhCZyG37qcjIv7uqz3Sf/GmzofmeTyZ9ZPh2td5enz0YSp2rF6KV/wIEEAld52SmRr5YQEX+1Yx"
    "vtoOtmN+5jpMgSlOVIWxb4xlDD3Q81y3B3xKEwXgMHxHUWSAwHfPc6iP1mbKY09dJ3s/e8FaUUDwHiefDB2NUpf/GeWt6W9Co4dc5adMSnSOTvezC9"
    "EJMT2Uy6TFCmu9+sfSFIZqWQwebaXJN/sQKdD6HB1qn+3E86QZlUuyDUcFchlKFjXT/h9JdODv6kocHf2c27Zf00tHbYXnextve5590kMJG+A+CZDq"
    "GmUFVoFitVHYjTpOLfdPgDQ2WM6pdcjDsWak/slXbWJBsWfzVY913G4JwZAVhSnybokq46tb7jkm2z5R7kKU/OsxlSSxGAI0Zl1KOL0KmlylyCoz/E"
    "6hDhQZvEA1Z6mrBHj2V19qEuEovlwKXobskAKAFTpXt4DzBEoxVINLoPKAqO3S/jxTLfcfIq5PHxUXODdgcq0baTKxC2WhP22j/Y7LCJmX4VPrrrcK"
    "qNDLQQukK8gCxyXHXaj9tCPq2XYpO2zFg90G4HAHEiZBQbeRIw5LYCphUgiqvBI2cCpvqxajioAhceTkZ1owNUSGO7fiR1de3cDPUzNNKUcrqSPCis"
    "JqhKnoS/NNyHv03rZXB7FNBp88wQ83oNIYgw3eQWwR8PTgjbe5RrzRkMf7G5KnemUIFuprYiOgE781szCACJ38IyCbCEYJBXQcIx9rekve3cUQi732"
    "BVmuIMlAFLzuYWAYdfsh3penxhbkoxplW78mKnWXnh21bHhwiSRArcoHEsDm093+0BfYm43C/ZsBr11kszIcDSUwq60p/QgQ103HL+4N9DO4m8PRuE"
    "cWMq4KQ8ZsyiMo47C8VvFbteSPPcKx1IDEmQAfcC/PBZRtIf+FH1qaEvAmkUiGA0EgLzfF2dOqS+a6EEula7gbnCT6nVkiPJH3SyG1gDY/a2HWN0LZ"
    "iTlDvPzTjzKr75kiQi9JayarYHbPdFrIAtqvEynhHlQjyjYz8xoA0wD60vgf9Z8Sn/DhR5k6pWbNp32rKHBjbK0LybmvY2VOcuCpX2RwIzJ96uiWsi"
    "wCJ1027kvdpcQhVsd+iMW9Myzye/Q+lzGzmDqL0qJLuVKN8sRX1ApqxlI7TuvUGc+a8q20D2YsDDwEMEKh3qbDvZC7x3jS+yVOAGVM1EcM8+jxOnbX"
    "IOHKKJ4mUZ0jdfdd1IzxJsWk7cWFOlQ6BJ48p3emU12OCwcpZOXYOEQ6CmW9UmIFoES8t25Zc127YG/Tb31jSxbCWySCiyxS+XP1F+wJX2X+raBEt2"
    "onNO/VJMs1mVD9xSsF68ZY032thZdyIj66uhyvBSZCJf7sKVVY3sAycZNuXmtOmYX0LMDaG7M4OOtfGXNW08XfULgOPmtgaGj2t+Kzs23Q2+33TXXt"
    "ZQZdfhYh4B4V5zMcfPfW3Nr4hlwR6edRF1Cy/V0mSsohnEp1AV6YX4DHvB60Ca8noa4H/BRHaodHh0QLg6vMNkfyDqnOonnyiQbCaQg/cyl3eCoMV0"
    "44SJt5m52IeSsXFZrIpxNvuZiEGHLL9ArSgRrO5gBRtExCYQRrVc7qRaLgWCScsKQi5Z/Qwg1in4F3G8XsFFdzLWdxF9jL4vTVtRKOBhatspB+SQqN"
    "nGIHbAU0GCQV6BsXFi4IBnIGEqftC+nIJUkStxX1uDR514/ChHM9ChIV90IDx4ZwXh1szsKDBj1KEryiXL/FMOwyubqB5cbx6ru78UYcGSjfsuQ97n"
    "PIvEZc46UmBe7q8FnTTXvp+HExNuEZ81SV5AiOYjLxO6rVY5nMOEUWFnoeMk77YgD2V2zHsof41UNMFl2JpIYFm8Yrt5pUDh2ZqrKuM4JEtzOu60QB"
    "AmhwTOeHGFM/ueWGEGBkLVpDVXbyaPRJQG29XFsg2GAdw6fKpiN/CSZxJoJiIfjs8XixkvLlokyLr4fGzOtDTc3pwJOmaYjTu+aupbpEFdaa5zlbLT"
    "j4rGg1Tr9SovGUqztSgh0GKSy8HZ9iesLOCIl6iZNXWnVH/LB7AIZv2JmdFTVrclNZSQLYP9lSXBOYC9Fd+C1zxt/vkd/xSVw+vgt6QzPnztfyJ1o5"
    "Jf6nDY5jaw8JhVaFaQJI8fJ5mcZvX+5uOXQF45X6wu8tIdOPpIxLdajAlaDU0n3kuUc2WUcbakST4PN84W5C5GUsVELaFft9NERM5cBg75mwHvWGcx"
    "7WR0DlDEp5wh5bu2RxcIrMCbIaqTTjpi+FA2KCm60HvB38p5Db4GlNbf38lv3Qo+4roVyeMg/Th5m73tKubd0VBYd3+7bkG3brzaWZdhWHYGh7SGRh"
    "AGxVWUM7WYz26OkwdBE2y/206OWw9c0QTJvO9Ib7dZfWLmXg9BRrOEcLIYr68IeOHYv5nl+PndzQ+Epybe5LdCwJYKpX9hhxNimb2x7PCPJ6fftEeP"
    "zzkszWnS/uP/hWMwDv2dWdbcHngrYtjS4oZ+6nKIF76enU9AhAd9kOmf6PD8ubjOJ6iKMC2cE2Ww65//PEy5D7ZV4agxJltgaSraX6mFcXsfZeZVZ5"
    "/6PW4hGZ4QiftPd6SEF3pnJc3OeXW5bH6UhGUxlc6KjsxB/oSO6m/rfv/sWdV2TecvdhU/ouJXWtKnvqBUSlTsxP4yL+GycEr/YKSHT+MBnskAv8P4"
    "pMTT58++DcdovZ6hfapPHfyl+I77lQrfPvn26cFzarixAjdHdX7SOkGWVaTc/0LuIAb7cxZc0Rb9iEAmuR6edh6Yky/zcizmzdd8BrD9j5LrNNxmTO"
    "8PFtqKDjTLiW8nWXl5LKyAc426WMdxbgBzZ4syxk0BNqS8d9POYqlIAMdcKjASgGBejNNMW/MAHbCgk/UA/FVxya5+YLseJQdPvu09S/6QPDnq80y5"
    "SSuIXj5eVLPOw1uuo10FJ36TPLzlefYwSRzZp4d/SJ4e/YEFsM+e/yE5ot+b9KNXuY/rLqEfUN9HrKlWN7wl1Nn3RASsiT/6BUkdd//thwKBWIgvmG"
    "SaDNtnsKdqT/nfSXGFP3DLx99lNs9n+FHJn4tihT8gSNqjtMUzGqIlMeyl3jH3n8sFHYLVzf8BOO+09+V2woKeLe47HJLErQVRCLDp/wmwsdPuLMsc"
    "kZj2eYn3qzEKHicombbTHhfNq4FuwHiWZ2XkiyG2QONs/ikL/ITPFlBTSSpG+B3uGZ3c72cFLcx7wjA4WRWONGw6GKn+TFs3ew9cAwKaYPTnkDil7/"
    "DGLq57n4sJJOXd1sXd5S5yopVWqZIAOiauzCrCoPRnOnc8Jjbd05JSvV70whXlSYeN7mhyELe3ozWHXs6j9fueaBQ4OLcPJ3QebrPZ8iLTm0u0zTku"
    "xocym1d03q463FIXBFBf11g+UPB8tjgj8gj1WYzbOmdx1i96tuWYnJ0PJJk3StqBfRQamC4Y1LQPDpbXSXVDJPzV/pr42Ip636/yspi2qRQG+11Gh5"
    "jONUpfFZPJLG97hvVcWoz40Vmx7Jx3E/Hqkd1VY1peVwKzT810AGqYyESBF5M4skWppR8nz3pHuuehQ4xo8AFgek/oQlGO+eJUZmnOJmver+6cyIis"
    "Wpc5YtiJe4zu9MlLHaZNC5nGk8adcri47ZaYC1gf9g+P2tboqU29cWz7B56Mq/cgnj9Bk6xrClb4HN7zS7MOZWVoYdIU8GLi3KIxczhmQRib5ySJrD"
    "dpPg+KShobosAIV0ECj3B5OLPIj5fc+oC7ePSSo8VpJ868XtSxYQepLSSaPNHYP7dfignkRnRFw/Hhf9jUWiMDSUSWMB6Qt7KiER4cPusQlGO2Rq0n"
    "JCAfEU+PHoUHjX/OFucHfa3gt4a/cT647iv5c+yTDzUwH2W5n0H2M5/9zGdjABrOzyOqVTG+5OOEU9vlGXgwPERp4aFHzKBXjlR7lQxpr9tElI1Yd1"
    "UZYYaMiAyL8l9IvtJdyBoaveXsDSfFuZgFhpIFb8wVLBtP7LEOep+a338RLCKTnEzSMYHrsLu072lVDgmoBn7/9dcPH96859163k3e//VH/jikAfz4"
    "+i0Ceh48H/jFY1l/XipS6Cafivyz3gcV9bCPj8LhbDLhIA4/smM5VWtr/cniMyIZ5WLzoDVvr+HFv5hOCTb/rZvc+K+/A8R8gi+/AHBrn7J+lga/z5"
    "a0Ajn8YSXhh4nDH1MiMqqO2jt8YWDoxg0M10OEUXquJ9fsdKlDpPVHbu+6m0xugoy/W8aNAFP+zeMHknSM1+QaG+I/byDzQmgmrGmP6BoqgZa73BiR"
    "kNxXOABJiroetILe1NvugvjgDwU7D4nncGtFX7lsXu+CipadYN1dW6l4KnxhxdZLv5E2WwZ1fiCp9EToanzZ2BP9lPnZ+bnPVtHd570SVfVtMMs7Bv"
    "35Imc6UQdMx6VkMdqf8mm2nvloOArBICKbrTLEMKFr/KQPmMJQ022blvgbNq+eSCvYcpu5byUVJDGNcLuJ3NGz2eov+Y3Ef+Aop/QVNAFsZk27VqwJ"
    "KfbvxeJKBpdfLzu1wmwT2u8fPEu7SeOGDzbsr1RVxafcE0u7d2JyNuNN9bvAg5gWK9mGwHZcThzTAs4lnkneh502ZbaV8HggJRSe+T0FWYosJuvmhu"
    "U5WYj6SVEtZxnuQvtstqAhOXEgOFkqJnP8FZQCYewo8X8xgTlo+dY0pNkWOAbizXGQaQx/A1okLrSY01pwu7Cxpv+filRged0OmxSNmqv9d9R+DnRM"
    "B4ebkFHQMfNF9hO0+Rw+yVE1136A1txaJbduTbfXZr4gtmmQbCSALOKhMMEZxZDNlksL30g/oUtZLi1mKZ8E2zWpbKFAZYIaK/Yzy96S5339ds4VA8"
    "MgQXtdlhzScZktskknDmRow+iJR0DUWK/Xu3LOKSKwh97FZPYcy6Bq8NFBMnGyKYcuuBKfF4tfytwZML8EggyjKV+xf3s82Q2TnltRfDF9hIG8hijH"
    "ZSmqhW+3xYDk7iBts2rc2GMNXijhO4KCaBPr3rmu9yjjpqavqYZ0hGZ3tEM9hB1Ss9XF4nPHO8fctQldJbtAMrAmpSLgFN4Wzg5vDHevjXdkGeEEpE"
    "E4mbXoHwaydOZ9cFtsVjyix8kh4nWLy25jMwTdDqB4kS1049ES8BBD7WBk2tO+TIE70Hb3tCfJSi3StjbNf/XEyOGwkaL0wK3XpMw+AxQyWJ5muF7d"
    "5NovrsqgwoBQdEo70Y5aJ2b3H8dH1VWVQyknw+Kp8pZyMLPt42ZjWfFpDM6Iz6RheyIkjBUO7SBRQvc+XDKYcbmAEQg1NQhGF0707KbrJsuf4O213t"
    "mNZ2UWVR02O6hgrNYjIV73lJ7V4SkeE0gq4NbFfV4sd8F7YRNcKR4YUFux6tx9S0qGGT42KrKcCZyYM5RpsFUuVKGPduvNls2z7SBVdO/rXVk8XTm6"
    "LJ/7lGczKMvHs0XFduG7h+lu21UYz/bKgo8gVnkruOWNe66SIu6MlblWewuwcSsnoHMjqEHrjO9ueGldE8/hy97v42DXQY1UCsoe9A7T7dG4iZ2E0J"
    "KzNLDvqZ8YohqgGwiwmk94uPgNEESS9lxSGlnQ22HlOLlOy2ZH9sSfNBoH53DcQc0+DQ/irkNNo+Fzb1jckFUrvIlBn0Sy9NkSvqC1kNBZd54YM2Bh"
    "lRp+a8CHWtziyCN1t2jicqdoQjdHfVRT8PkrC1fMOvAoZPFlLKKwFb5rIuqiy2c/9qC2E1Wze1XT1jq8MbPVpm1mkxjdZAnAT/v64IE5P6B7HDT7/Z"
    "//tDoP7APWHewNIS7RKHcVBBKihpArvtaSaa7cKbEeTk0bmZtswU2/6/6eQLZwCN8F72HsNjsQZ+Emv2ALFRgLzVM7zM6v2EIumzm8qDZ0ekGy7RwR"
    "VIIyvRWkyT0Nx4aEI42waVuFarXUiCB1s38GCa0nleK70XeaMJW33486czYJbu+9Q2lZNTIUIhdzt/QxX0iI6KsQIxXi/OZsT71oqBOAg4vU1Zc5n5"
    "fFpKPr1zVx+XmvIr65gx88ajZmSiHWLiG7lvVQQZAXYrOoOTDRxGUQApkvhBkE+ksAKkGQ715SekBjw3VwD9dDbNT0eQfa/vf0iXGH2d3khkejs/Ao"
    "EBXAAAQVamXZVAjHo8pnNMXcjC5d9T8jri7qh4Uw6zKniSECa7PUn3VPNcG/rpuS+vssHr7furXut3DhuklYBbqIN5iS0TpcA2iHLk/DqMGz2Xxs1D"
    "cy0s8cXLip0tQUHCw5NcVDNI5w0ohf/AzN7vnRIDbVfXUn0SlsHtGkuLJZ8JjoyOwgRyH1BK6GxPGZiTgDtCxBabfJR+dEcWEIVU4typ9y3o4VDobG"
    "c2KhQNftanDb0dQjbqqbPAmIn4ND7TwswrF6m+60dxYSlYQJ5V/0QXBxkW7y77xchLByURaApmnXqU1MLh4sIyqpiPz+V0B0X7p127gngFtChkk3qY"
    "m1Bxb2RCd1baO+7vAc9qipR1oU23ENBZAz+eOEE8cBOxx4r5twzYM/MMVd48ZKD3vJUZ+6oX6DI8gKRzc4YvSo2JPowNEViADcFmDbTa0MmkisKCL7"
    "ZMGqQ1hufiW1FfEq/A/8NySqde3hDSbCAkr4Dmos2nr2f1UT11qYkvAtgtoYuuHuly5QSKQ2Vh22jc/phbfORsu2zrSjvGB7omm0tMPgzOiCuio4K7"
    "E6eJuvM3PWhhyO9yETIyYfDlD93pNn9XulAemhm+QzR/goOQ7OX3xcAWEPu9FCfFZRJAJsKPJ4pnyG6Uuf9OsGuq6B664jie4E1iEeaH3E9B7e2uRo"
    "STf0ZbH4VdXadvGsEzHitC/oXDfHVH9eGZ+bcn1bCBh0cA1J4PIfuy2/laJvgag0FW0J5TyN0Q9l9nvPGIJuqfQ3NRqifiVbX8EKdeOnKVw8E+8HfC"
    "UGv5LAYbWu1Oy3S5dnFXZyAQH/+IL42HmYLE6ZalnuUvE9MH0i63svxBGafRdxxvu9gyMHOvRoPBk435IaNxCKHYMYN5HGOYxNZTT/wMe7swCOJsDS"
    "e7gF1x3b4a+2Y+h5EwaRUUPv0G/K8jq2ZbgGQutb0ywRW3LaQS1NQtAYnR0r+s3A2geRymUmB05GqRGbHH1OxSXKAiIsVRy6bz9xCZcjYRsOQJpAkC"
    "EP5DHsLGBbSX8fGHbB7sGaRvadaVXPhf4LsNUxZv9SGtKYsacI20xQ9V/Cj6lKjg8ClaA/Q3OzYw8c3rF/jeg/tt9he3oUZAN4WJxZCfgP3PIoWaNo"
    "I9fcgewr03fx3Vog3AhBOVrPfu9b2k1etuMkoJAc3AsYYoN97BN77GzmxFA+nAEGAp9wWM0FgHF5zVdYTTPSgcR4BNfhYLtqv9kiOFoTIB23H35VXg"
    "WLAiNQrCW83AeNUz6wOX4ByCqY5leR3FFycA0cqgRKEr8DKqaQjkC4oZDfvY40+vq6Tdm5kCPte5hKfds6tsw0vRdIKLzo5JQ9SprQBocpDikttxTS"
    "JfcXymCMar0JBLFuUN3GojJE8cbSV9/kCvGYqlW5uMzjUVVMuoIK/FWhTsHVHEh1DOMrlryz8Zc05JaLT7ayOvwjRMW1ZdTd1oBRB8qZhrt6+Bx39s"
    "sMWMuZfgWVD57BSCXcXGZ9xOLDpeqLA2GxeKABDn3Sbd0oocg4dE9xKIKY7cKjjpku7sacbLYAABuxRSK1y9NtxheKCsNZqUil7UkQptLUt0TdPEOn"
    "neu+xzRXGskW1PlBmBzEDrxB+Rt2C7g54J9nhCjOapH7n3e9vv8acP26j2E9UePCH2lUf8qqC/M7hRUQ8QJP2ABoVJe+nLOhxIdF5xrMeJ+ZrbP830"
    "Vefr8uNQOaBw5bd9Pnwe/b5wE+8Ze75uMJndPgvoee8Gnd16sXeNgqqmF3r9jVy7DOoSCdqSIdtN25Cr29ukByVz3vgpv6mxSPjsBq6L5K59JeFcTR"
    "cc/QefO+Q+gFpEv2DVSrzXAHsNzwBmV6eaeUNqAhOjfG8AfcuhOujTwYBHq4oQWQsvQRsp4q0mR7lkDdF2rqvDrz8N7qtCaRZyRfxrWrOx25PHEkNP"
    "dEF49RhgHWDnvKFnX1QntBikbnkWpupvJ0QLkZhDMX12XnVAgjSuKHtl0MmwhQG9j9BNGHSvtcGu3jSdNQJD3QJfAUarLyU/FShFBp5NfFKYz8rNUN"
    "r9hoNaVcT22m/J6fm7RTLOiSFEQ2aUvOG/IVLx0BCmsbOZvBRky19BQbaaGvLOrjwZK784w84OKhTTCbbPGDiBYBKnoqdYszd2VHzupQuT/fCvg/z+"
    "wFnOAWl9flXHYe2iT5dT5e80NVD29bAfdnTn8h9+c0Bl7VnuMpgLNcZ8Mrh3db2OgsuvmNS6aXWtanVaMAELvA22ntWi5fa0l9vl/Pg5IRWeFFAq/o"
    "EtCMXLlQsB10H09JjXd+yq8WeJzgi6Y7W5Y7V1wTJlf3Mca5wwxE3LeDCBbubWNgrShq0WK9Wq5XFbWRid83vxsB3Xpb/E+R1nNu1/qtMetA92gcXX"
    "d/a++eKUMadh9F+mlr+Xyi/dVbcB1fbT+ZVosuNXZISTrCIvXULKHRtT4Z98L34oNI4pohAEMaCVvz2YNx7/MFiwHGvUxDwMhk6/YQB/7dZ10HWEax"
    "m5x24Cw7YETkNtXsuZzpaZ/NjcR0RaxWGgr7bCqsNhENxcQkMBEV81gUzI1K47HfzN+lM+bVuRx9ja6YA+UaoIhtc7Ym0qxwVP5upXidbQCVq3Npe5"
    "w2ttqyNcP+aBAjyPsoa8dqEpwKQgyWDFgqXIFFED7A0k/Fg56Vy6EDvp21SzmK8oECI+96L6jRarmwlI1hUq96Ych8Z2jBfBmGIk0ndTiuIA9vFSi+"
    "8+8sNO2I0VLeCN4vb8sf/eDgRAvpH435+JDuHYAFYyk41bG8C+gYdr9+edKN+HfkeGlOS+rN2qQfB61N2ur9kwArP9ebeo32/RTajZMc+MeuDeTY0q"
    "s4Kqty1VQ9cXcJX4d97zWmfJyDGrt0wTVVcH9LDfwlYKhPDMwWJd9oDqf8ylP4Tp5d5TMXa2aFA9IkjMQmOQU7uEae636ya3eczHAHi2XTQjPMh2CB"
    "g/QbVVrV7588AHr3lRMpU013RfylFkjhebwqZh4uRJJL6YChohpY+rcPDb24KEsW8uULA+L+TNGiVf1i8bni1JNEXXisa7Z1bbn8U41LruPgXBZfaP"
    "mXfrC+I2urhs0QdAfyA114pb/Cb91iqf/Imy5slVDXNC0QnI5ZUHNQ62rj+3LCJfAbPbWpdJBd7OlSrlTnV/l41zlpRUE48CLI+bpu5Ejimi2q3J3b"
    "WMzS7x0+q6lmZCgqNuo0OS1uQsFAaNfwFTrdmknDPaRURmiy2v2gv1unGtZRyCqVDp/HFGUQOdRFZokbvWxUnEGsEHQSgmzu5ykk1AfwHLtMI6uCsc"
    "bYcKbbRyj4LfzKiM98IV4OSpD/V5ktL36XKf05apodvdOL3HhzeoPgB/9D83kzQdlmRUSEIFj9towJ2eCdiavelv42FClcjjQY8GkgLbBnVoTuEomL"
    "vKM5iCMnBVGTEOahIW5pHLM0eIsseBc4n5w7h3wOXtnVB5rwIo1ET1JXBH2gM239jiiSgfrgykXt8aEjdVHqLw7FkVM+F7QYcw2gYs8uVW9zfv0UKw"
    "D5LLZEHTXfsq+dz4lfQvRPGiKMBk3ZvRehk/avSWx2ivsa5XwW0inWZsg46pOP5H6j0UjJYDfogfMRU7JTWgN7vNj1YA0XeZQ8PXzx9MXRt4cvcAeJ"
    "tGWfKWx28PSsa0AyEF4SGbYEiAYmyyA+da1gYWnFNFiYt7CXJD5AQ9SwB6xUezTLbvLSHg1pDp8Y7BBAGe2KA2EzF1i3Iw0NZ/LykP3mp8dS/3YX0Q"
    "acFzSBbzr9obj7c+YCzmpcJC4VxVCLglot+V0XWR9YvKIBDhxBBdm6bGmUxSv6WeaT9TjvdAjs/FMe4MGbnavhP0fgGIm8XPqXFC8ZEaNzTRIjGDek"
    "WoQ47hiRKfilOfd1pvrSudgp7XuiiH3kPKwK3mnh9nFks1X4LBnt6Vyc5a1xvHeiDWcre1FQ2uXHMFwxiVwHvltyH7+MphbRxOEQtNWXMlh5+4nJY2"
    "JuJyVz9HxGorjB7sq6TVv6wHdhT3w1qDNCM9agHFR9CH6R+h7tWYu7z+j/HCgudwKHYmSgcWk2mBjTcCkRbiW2GE46uo0FKsYBcqRbyA63/EDUT4MO"
    "VxyRCQini3CByOZx8X3Ghe3qZbOQqVXXraI91JFIswxOjuUPB1zZKLZWX8fW8pptzSN29trUB5mqKqGhU48IIUyTzfJmu95NoHaQik+f1uu1VNYSul"
    "KG/gA7QogodzFVXqLUyBrRImde56Jimmn05DS+afWIcQ7jcrCXChI4y4JyqNm15DBFj4slDg0Hz7zYh7tT6OaMMJ/icbID77cgNFBocuH5s17/MFAV"
    "u2gnyWMeQjfxcU0oiWVGFt8kaJxQUu8pIF69PlTbvadp0jyQfu/bZ92tOka5XquvqeXBFKmj68DLIo5dDafDUYHsKHpw1JAbOpm1Yi+z2oEQB5FfbR"
    "DCSu/0IBHz4VZsBR+udr//LFjvJ91waR6bBxlex+DYz5IaDN4vDaRlLDKTFByMSz9zaOJYHScpQa4NasdixK5rdh1fJpNraxwfN9sVzXdqEmmQuFhM"
    "xBQ1vz3C1kUsFfMOyDs2QhyRd23CoOF0PjN2wqaPsxesplu4/YP8hRm5uAwGUsHOM/BxNrNHfVFhnrJjxJFZyPOyfdaDey13BkrPw6ei/jwVOZPdDl"
    "5YO+c3Xyf9CsRcEiYxXknnWqEhemI/DxHNBlJZZzhnNnMWjznYTMsacZS7e7prdPZ1phCvsWEXw+cqbXLc2IZskf/GhTvbsOSMW9P3/jTMWDYDrX4E"
    "KACWT6zWQ6n/oVRzZuthePyZ9zuYBX4HQbhxHmIMiYkGbbQ6juierxXSe5hLp5FbYqHdnkwQ9+cuqX30sDCd8GYb42iAUYjq8Cq4zs0yeF/GsGVOrt"
    "KkE7EUtmqs/TMLI8d36OCuOci+EGG+n42hRZZmYHnM/Ekpu7rBylIMpMwoxS6tBCXZk0PAwNwbsyzBtpjpilVAB/u+eOssPDpHXbrQsCe54eN32GCO"
    "sm2NwiPag8WN2J7AHMXboWw0AifWQNG5GCeyLVYoluVHQQhEzBvJeHWyaCB4ZWaOaxEpxN6eNHWSvOC+eJl1jYt0h2GJo5utFUd6gRs8fekMLJtbl4"
    "jUXsLW6AoSy+MqBuVP2DTy8BnbgT97tiVKDER2DQI9FjQGFqJO2uiteo7utACKnL++tMDS0yheUT378UB3GfXs7rBpK2r9yacsdCjJ1Ejr3KrCeTNh"
    "td8I2FttM2d6sOJozBqJ2eEfMQa9G3t2W2wsqmN4pT/8202gI46TB2rNDYypP4eaPdptQQp77bqcNbThrJtvGgQTfy4PHCIkQTgCZVJBISYCCcwl2e"
    "ZV50MLuZinX21AqQ01W03uGqWNzAbGR7wyyputIiWSXhAG0M3sRTc5OEgeRcwB8LEEStkddu/ehpbBa0dseua/AfF/ICrwmnYFbyAJewPLS44H9m2i"
    "kV8VrIDfZUt3my9orRTeDIp+2GfoRmghmf639/QzC1fWIwdQKUFvj5JoIM6bldlphJHE0ICqNs2xD+8VzfBrHMUOnt/Pwc9txUcWl7NZGxseOYky7I"
    "6gkZXg3O4am2hjk6jjRVSCWXrK478fxSn4AL7PRyzfb20yiTFmNkTNJGpAPM7iIxpxL0bceSoWPJKSdu4w03YdxcyeowJ3UGlivCSZYYwx3zeImG1B"
    "gotahW7p2B08qQ0umF7T4wBb4q5WFBzLg02wDuzAz3Otmx7srrCdxW8BcG6atpwR3bYJHRtWeVDO1gY1E7pAhq/ijmCnB2pHHnB0/JSZf0a2psRzFt"
    "XeMO7h7VwsCn6b4+diuUnYIG6ukfclPQINMaMJW4NCpEI47B9r9myte89gp0VbPYMD3OMZAbtVXr/15xlMx3+HvdkUFf/n5ma37s3pzZYKC6HxFysf"
    "Gx/mXm19tdnHwedfZzk/CRDEa8b7ebC4tAD6m1BECyp9vZSQkCiglLqFbl4ve9ygPK2ICMIufLPLqjRLzH9u5ed9h4Y+g4dLxoONC1E3YVAQlJ6W8p"
    "6hf605eJx6YPQdlWG3s440HkzIng/kpnlGawtHrc8oSk7FOf65QUis+Z1YfLNbjN0Yl+Iujozwqhd7JNAq0I7xfGjZiomx6laOE0fuHQh9FdAF9NYn"
    "CTvaCCyCGVXDgrf6tSCaU3JS2NZ6JC6JzpntWENA194znMqDfy15rDCUyKsaBQX4rMAQbqmWIkwIhe8bUtc0r2MOSLuR9Zr2DMBM5W2CYuI22q0cOH"
    "e36YtSNv2qx79i/pcWi23Zkkt9eG1//zKSYkntV/IXLOxxcmkE4Amz+SzEOn2pDHvtBdgl9+HfsDJpCavo+FSJXB8NQW2kAgF+YBb5w6UcRbi/1hKO"
    "E9zfbpMuFdwCFy6sMBZkKk8xiN7Av5xnb8tu3NOMKF1/iINtlqZ6O+1JB1opKt4Zoz/f+Fh+Dqb+ldux9THtmdq51+vVmxvVtVtn2uh+kskvsMnoET"
    "M3YbFCMVEtIG4pW68vVi7eVJTjqjTLP6l4LfKYog0+e5wGtyElanzL/ETfdkeWN5Aoos6cOrLWCoypGc9PfRglrh9EvZ+a7GhMjYrVEv2tF+f4+OhV"
    "TGu2hjZ2hrDh9L/O5u5OQWIglOSdqgkl18uqJmubRgs2oHnKFeGxU/Hees66wM7Uosotru2FYBP2icDrgNia5XrFgiLePXULnOWf8pl/j9EcY/u9I1"
    "xgzgW5j0ZOERYmHvENW2YFZdiFXJngaQPwnfJb3Yojhd8NGVrmhYznBmc7lae+odz3hu/+mPJ01ThbpnXjZsbYPR20dvLEcwnFCtZYBCc13kHz62yy"
    "swRqivlwEymSjrwLvXeYN448jfz3sPg2eYHgL720WXjW+7HNh4Mai8z+xzfyp8m5/4kfxxNzerTBHh7t4Benzc77D2+nQqUSLaqT0WXjyyiZcMRIOu"
    "ZKqL6FqaDhTSJuHQo2U/5u6SsbluoYTRwETWJ2M9189PN67sNmhJ6HIEIHLdwdh36n4TWgS4IEYSgl2egdhsp33SBc2Uxktq1tHKHPNWkaGpKhPjLM"
    "gHlNw/kIoPos99EEyRjgWFTOYzdEhKqkwW1liNw/E2TzGVOXch6o2FSxIqa4bxASeogcWw2cOYmbgB4xNJEn2XrXYNOucQqgFDpjLfaZai+hGiVe8g"
    "SKOQ47dMLfKCAUg/FhvWnsBdboutSAOMQJJ2S4sD0a6kBOYmBtvlawOqBfNJy1/nzJv1Krtg7Jxj1ODVk0fBsj5k4whAT3P8BepKBkQhp6M32ENrzB"
    "DemL0/c0YhCwqsaqTfnNN37kQEoHEo8aBN6B2+slBJgRJn4lf44JgW3hV1NkfHjztw8QByH0jT0w8f7drwBph/r5/bsf//rT21+Y85FHcoetYRtbgr"
    "geSKK/aGfUTYZ4fK2byL9Ig1ivzxnyUhjl2Q9e8G5y9JSz5SkwyrYfiKzznKpSXyAPudXPc37KTnMP+tJydUEULT8hoz904yGF4QL6DBki+NuvoPXl"
    "ixf8EA3/sXTUyq65Cv8J0vlpGn2ippifx5lsII1c+wFbE8p9KhO5yJY20mXul+hQKotQgR/JsV9S4FuZxyq/4tXF30WZsWWutP+iP2oh7sGytjtuH7"
    "g+b59tWuW34Nu7d0in1rhDL/6HO6Rdn2UlsuMVae3cuRdSa2vnXuzYuRd37ZyunTxVTcsXnG2AHU7//2AVv5UZcezqbmJ/7RLUlri2ji9+9zIeNS6j"
    "yl4r26bD57X1rBfo1xd2q4B0tPNuYIU18Wvhx9EXLseXAIxe8+ah2czUwZdfpnI/wwJua2DjFuS19I1YmRUCh/EGyd94d+8/5adfmLLeumwlfbH0JF"
    "vFh+U842YRtkJeMq1PSI5XOJ8vXRMFYbvPIBZDnwv9nViCX17kPH58UmyOIAjk55Srt9nbzqfUAsH7h/xATvPEqE95dJEPgv1qrE3kwqfUwwx5ONHf"
    "kWPrmhft4DC4SN+5AcbAXx5RdEfQtaDH4MVzXypqIoYQ8pynA7TROF4EyHLXKPDQI2fR36SYeyQi+2OSqA+vvwNO510yiMbK1rbuEKe8W+q3gEcu5K"
    "CiZvlz0v5Vfwo4oWuBxO/12WW+J22eo0iUKY9l0m1dFz44XEN/0oB1tL+8e//hzZ8CGsRQDqM8+zAYDgjooI2dZ7mlyHJHtC2PbLbdW4B/efN3XhSa"
    "FIx09pL9bvLb+vDgxYH8eYLRQSQDqX42nySL9UpGnyUTLdqXP4d8lIhsZgVAwbMEtZGd5ywV5h/6jo6UW12UizXxS3hpFSEtpMJjeRwvK8cXg+QNxO"
    "/J+YJo/tWCC7LtM8cZ+wUyiT0poZmIf6eXn9uaJ3zvuA5Gj8dTigWRjI7YFcYiNw0w31ue39TNnNr+DCfwotJS0nZfgALxatBbajOrEn4gi9K+CWVI"
    "c8NkxKjGBoDR8LCkBLV3gI6+5WuAhrKzWc7Khjzhw8NP0si3bGdRLbTtczcS6hjPanAp8dERCCFXlA8BO3EkWVLldAImMmBp5k3F5cCnnC+Og4XhJ5"
    "f1UzZGKrySwdK6gIaXrvi9mi4sZM5tAeUtpIF0zJuGcb6eMbzYOgFAA4s1TT6xl1rcIsv1YNXO6+UyVuyw5MvEjfxhz1Xr+xfZmTwngguvBpkLEcLf"
    "blTMc/MOUjV+RUalmypjkuIWW4nViSKPs/AuIgvjNImIx0ykWqQwT+cTBNBrirlWjS/yyAVC+DZAcwxQ33/mB93Ct6FFjYf4Je4py4EL16JhhtCmPZ"
    "vSEdWVuuFLOAbtlT80X2MxQ2ctuewoFmbKiTTLfPqtmXhlJTur2mlPXoj58NOPycsWIK+4CwxZUUfHfmS6iI8nZ+vVCs9xEkp4+Q3V/iaZZKtsn369"
    "/ObhbTHZfEPQZIXMh7esqNh8c/rwFo1sTh5L5dOPqTowQ2lHg7jIZ8t4EEn7hK/UKThqQD0d0CWNZ6QjWZWnJ6sJNZ5X485luvEfxB8HXYAzP3msze"
    "lqzviNIXCaFqfWxe2xAyTb5Z9XCJ5WsLji/EayhK85DiuJJaQPNe5NEnO2mHcMeJhowe/K/F9rou9ez4srjhHxZygn1HXjtlZBDr8eXChmxWGwpR8W"
    "n99c2ZW7Ds6TJbFgwD2beraY3PT45uItJo6rRA1WnTbsztupMvh85KyBwLINVxevYgsS5cA27hCqiDtIcAoFjWkClfCWllYgg1ghoIRIkPHiNEdEjb"
    "wGYVTA/n507ZsCv9pLPHZdsYu4snpdS47VITe2VD8UiyBzvPtu417jKAM/pCq9kbbVckQUih5+uJdbm8GOX60ouRbwohVshCi4FVaur64I5fzbQRjA"
    "5A/ZmdshWvCgzLZLp6rEsSm50/77uDIqwB9eNd4Pfp9Qoqq3povZJBcvRvkJATF09Kw0qzVrLntxSBuXn4r7PjgCsRfmuIP8a1Iulkvuhz6mWTGz3z"
    "TLajtsStAuG/UW7tEFTsOems9Ri7uL1IDc7V7wqIPGIja5GwS7PFeqbrWnGtRqHzI0boAm2k8HPD7OV6XfVmwt2QNqyua4hyC++jGw9l0KkIeGVuaA"
    "RimcK3lBTGlp2uxhS5o2aR4WHIF06aJLxrCvobig3vhoIsioUrphNvsji/kDqye/jmYh5FY7ll122Yql6mAeYoxymZfzfFZ9bIkbBNYqVUU363S0PJ"
    "I3RkV/VHM2Wsx6WRkU52wIBRNF5XvnR+eTrOJT8lGBmK5jczuWucHOCGkgcXfZ4YaobWvlit94a25E8zbJLAMxzI92WP1jISGhtyRCbUoX31qUTYxa"
    "bN4/v3kW0QoqGK690bvxUfAuTZuAVfzunU8GFk/MxkCQKVF3UH5aKKxiN+QQewHo2KtA196NXbH5D7+iEhk1XXqjpksYNeGPSBhYS6QBnl1aGN/Z+f"
    "ghwnPLh/FEPdDwaivpMsSQ0jhEaeq3+cdkr8XjYDkoVbZfexIrmotZDBcJOgEhPSELHYQL7bbPTowSV3zjTQr9xDWYGQ9WXl4B/yoPqAdvsbC2s63v"
    "tLQ5WJ7LQ7Qyi2rT5ai/uxBonTAuYrq5CE3bmrzOt6hoqzEUkO+yzO2ncMbjfD15aDEe809JSdBfEA7yslI7pGytnBtuqp7+k5xIk5kjwbnU+8Xnjj"
    "d4+FxZrnNkK6rvmTNEHMDAORJh/DgIWhx4DTjc5Tis5JbxWML/TTxNIp+uJIYLj8pgcIFFRJ1cwus9DmXP67p1NQihS8o8XKpu4b4Ca3vYXLhTOgzr"
    "55vCw+39u1/1pYmVGzR+n4insDxS80FeiGIC6FAqIeZgXGBPEqIXz9JWrRA8n2FaUy+JaKZ2cp1ZoJB/O4BKjZDrqueQ0OGZI8IdqvHvGFgJR8zFZR"
    "nh7wqUVZjrT6EGR1HYqa1bIm8STbaMUIPIjfKzFvuqkD3hL7k1oc+uXnDkdplP0DNtV3cy+Bqu192a3ZcEIuIOnswjLoTI1WoHTGk0m1STSeGM6vcl"
    "dJLzl6h1Bk+/ftL83yuLo0YFeQeizbEAomc3A7EuUwMxv18FSKSzG90zmVDT3qWNi17Yisc+6zpiGduxM9v4/3kMGxHpdKKnbutwPnioflUWVx2lnI"
    "vKmAkGP9ICMvLrZanhNI3bQOjHODn/nLzPz99cL7km4cEC7PsmGWMuCYIq3yaPH4GcWs4yCBUxikePWxbMQgLi8pgWPy4+41HtCgwKj6oCsAr6exV8"
    "EIVSrToVqNAqrtsr5uPZmuiRDlugqqEWQCBjpyqU8RSsef4rMcbP2Xa1By+jjn8tQWTwHbGoZnzLXzDusd9CcKTOWEdWVeDJSw2jYj2mISF/4QwikJ"
    "M4U78LEX8Uq2qLDnMjf+VJb9P9Y8gPb7Vfpfrk6dmqvfmopqsRhnngMUya7OAIo+vP4pIO0neTeBw8Ba3jjU9DYyYmtyvOYjqMKJQRCAfsw6pEofU4"
    "D/QPR1bhkELudV9uwboS6WDa0uyzG8YiV90ACAVhVV01qA6CSu+WX66i6oSg1i9I+XJFoyyxiuHjbbK8NgPjiRljl8IeItg9C71KeWu41+uVLroxHb"
    "6Nf892MQ2EkfzOlKs3LNl+oySo8js5YEVzjl4OxGSLqZKpDTa1Zc/HJA5eGdXEIMI+bq0afEYrx8oYt+CRhAf2d6qzYX8/2wVUgQgpTTkIesN2uMNp"
    "Qilm4Vwvmv0e6NAa5RLd4Cy/YsUgjjRrH8wOjG+o3ofwzOC9XQ4A3ueAO7ebVCUBx614rjWE1wllK25mW23wdgcxc0oXMwfvGeWzqcgZONpqU9huRH"
    "rssa4UNmwNg7d3j46T2nA5q+Bg/9ITux/JMoihWqvxDtltntM5yCfvYCrOC5SGwrFKrr88AedCaPKThxu3GKFkNZZNxRDFByETb3M7lxr8zAt6vfVf"
    "6Yzv5SFBXYTTLdGwtuYEJb71S4hiXRRYTh1sHNRlwBqoOujfwZYJnZfPm+cqUYtYm9crQutn6xWBkKwssn2jo4g7PetBHk9lHGfBwL3l/WS2Xm2vsy"
    "CGTOQxd8dr3KceV1EEFAo23e+3+koRExkPAQFX+Rbu07jhtfZtvx/cJU5WKWhrZ9Pv1HQF5Js3oOklr0WBleRQUFbQuCF9kITaLQSMRNzpbDbrteOA"
    "sIY3A3QVAHregkZSrQHmWTwRkwlrnLkYsJcarjuQH7ul3VGhmHiUETgu7IYgJT+tAOARSW1qEMlHdNq15h/fez9Kf3nNm3JeQTrXEYOPVKQkEOKwUM"
    "QyWUdumfo2DOQ5vjrsSbQA/awgSXx4Gzy6uOFX86qB6XmT1WJxqV1ARqMR43vJD4iYB7OU+UIePFRVKm8HgZLex0ETvnKYfucyhC9Avmq1IagVb3jW"
    "26pWOqPeq5v5+KJczKF4FmkodM1EJCb8IAegRJb8a52vWXXNn3ORRQqB2qMb2Gq/XVhlDC2f0IndjRDp0Plhh3q4QAf6qvURX9gzKNmuhFDedEUOas"
    "m+guYPErFKqXR6TvzaS0yZWExefkOA8ZtTupMP9fQbrmUkC4hCSDfQIGKG318sFjShWDnepW+2XeBV+p7W8Sq3HEqCAJeXkkWsNEpaLU+3KzkAmnzx"
    "mVZiMZd7T6gx0L+p5vmB+4h1LH5RB5vwqPD+VzQcu5AslN55XlrtN4Ggmo79RTG+CKwWiHoW+TWrEIQZoEPPPzS6GF8RIrzgfcGZal7HthUvXvRCLo"
    "EZkxByGU1KSV3FIQo7FgFXD6X8kHKZMOnU014mt2c3x2odw0niDcl6S3VSQ3FaRc9nnAG3aKqcUtgN4iyITRfYQMmFeen53EqzSfFBIuo5cx2sm1a5"
    "6H6wz+pSj7P1FcqpFTGPUeNCc0R7kG0YAw1woKsj+8gOfqk4YVkz8DHiX8NDqcXmy68S76TVyYZnN4i5ecZ/hdSDvLUlGaeawRNpER3zqMVTPG4Fbf"
    "DcpCV4Kssn12PxHlcQ7dLGCwZ14LaJMs5qe+a86Tz3B3fQzXwFMF1bH1xPj14sMLP24tHLGnE9BMGs8QJUZzx8wkfn8KkRqZ7eCOHQR7EHSJgGefnN"
    "VTHfZ5eB44e33Nlmef3N6Qn1d14u1stTSPCtcxej/SPyiW9Gl8RVW1vWDtLRjDDQm9MtEwLX+gndwmxyCguEtu+oFfZEMJ7tIs5uYAiBZdp8k7BKXb"
    "7jAyL27dKvs5/4hY4WbCfGw4MRtBnhleB1fxWce0SDOHx29pQbkd9KiG0+unjxmEgLthA6fOj5T+nT/qqJhIoN7YDor5AQDGS7SkQ3ytm3QMguGSIw"
    "RRRTd7DFsQt8ufNApjU3FLYWUwFPGkG64VxcyLhfjuLKgp6Qz4h4cikHeUVpAiEvaZI085Jy0hbP7+xotAxc4dzASvWFi5p3EqntTnfON4wkEczYR8"
    "B14gAJLNscbGSA3FP4+t5RqisC/gPCZeGCBo7QfRRJU/cqxtZaPCh7k3wpLiXhYvPMUY+Pl0cRdGBDNUiPqKHy5hfmghYl0ZIo0FazFi5si7fFU8T6"
    "FdUXvH/3q4v57EFod+uhxThuW9MF0WCQGoQlfogxcKVxT+L50G2+tZrSRBok8vmpCiAvVlczAZGlwTQJRUlATWMbs3ieQeRjAlofY79ulJHAZvagR/"
    "QyE8e3uIQLAlvp1TVKA+5+T/tnoHfJxl8b+gdVAJwU8tHnN20Dr7ueeRBw42DFJ2CuIQCesBoe5YAsSFtB9xPrB+CU5lotidjRJCr8TR3idw4OEBJT"
    "BSCpM9fup7RWg7NsfHnOQVaOjSiNIZJ3Ay0jH1C6bhusNLqnaToCMIL6dwycevOTnJsRld2QAHMt6aIRz7EP4wEaI0fxfMoT4qIBMvM2eaDRP6VslN"
    "fC7zt6CsVRn/Qmf9oRj+g4GLJ4D0lL/LvSJ5o/adiiw/7hEXgUGsdHjcAXrAWN7BM31HcUhgBUOC3gNMm+6hosltmYyLnj3pNn35z2ddFxxrDaHe5h"
    "s2mxRVtIT0iHzXcmvJgwX1mkDTdoYzq0nfJxCZpL11hKKjjyWjuJhY/QraH1Zfvk4vD07QKR28/VgPnkMSV9z4xIyD+B0ynFilhCvBunKhrz5OTybH"
    "L66uQx/vAlrjj3Mr+piPJXuGeOdk0xyjhwZTd8yXBLbI239BwuizTeRM0Vdd1fTYu9zIqS9T7tk8mMKSlOMcSwZM9bIn5k+/lAuU//LBpTXUuhuiYr"
    "OjxLEFsnEzMGRZUGe1D0WAOftMpSxQXfSje89h9V0d0ZqmuI+ijHXjCcKF+jUd3+wYesbLSKMekK24QYRMVZeHLKFttu02k8T9goVsYDE25zkAmMX2"
    "p+D6EdTGz9AuAg/hShR1fH2bql4lQTufDE9i21dxyla1hBYlaI7s8+I2yrwiP5kpFL8G1OZezfpiY4Mlh57E3dC50JjnQVOB9e9vAFOlmK4SuY8zIv"
    "K7YDXnFZ/+lr+DSt1xpp5DiYjgRgi3aFxU29mlYOLg5u8wCWRJPnSooBkjdJg4yD2voY7nDgW8gV5TsNfOI0gz7SwBHOimfXaeQjpuki8Yq8pswlGd"
    "mCE/0eYLk13UP0IMEtT3Tw3Ru6l/Ye78eTTKgEFmAySgptxlW0xFCorlnK8Ra33EuHv+5R9uRxdvrREW+IgvF7nqdAdTG7i96gMOs85FqgHzsWfH9x"
    "mCt3bbmcI4qfqY4P6xPaxHtFqXuRdmfbydmNa71W5179bL8iEnUhj4gEYGd+GVah21DDYFx9sGEpZkIs0LwDURu0HTApMJWlelVgAq/nN52MdZ4oyE"
    "IwDjaFD4l4dZVd5j9m87zqiIAu9szgv4PIDqG1SyC3U0T9fTaHjEzs64hsts43bRZs0p2rquw8J2rCIc6AeoUqnJDv0D2MyEosYNpOqoEP6COMF+XH"
    "lIZqbyIc8lUumu+dQkVzXmCZrSqIvKQy92orWsysJCAbqoRq6v/GIoNNwOzTBJmbcULQkN9vheXiEQTCvK1OILpblWEO2/wRvGuvyqHwECMlmELRYF"
    "WTOypNYib9tVQRP4rEsTLJCf15lTyoJPKAk31ZlR2iv5Bw3wxau0zqheMuHVNZ8yhhJnK4Kt0y6ANpZZPVoYbUU/MfLWJGQF6QH3ElTuRwK80yGe+v"
    "gxgOwcBXvMK8n0L7v+VuE9mVzWY3TuTAMS0QjiHZ0SPbUtyjg/w6G6+4YRGVBFJxF38inDBbcpQu9gSfRyOj73nWRT8WGVHtNRdyplViFG1jX8yLuU"
    "ZH8ud+1xwZtARV6QZPROqauzhKDBFk3dgNsh1psFkAL33A9C7vcRCnv+Q3ZpF70OVIjKdeWASJTriWYQfVGHQTemjccHOqk+m0BTSaVS5Ie4TqoAuO"
    "IHeL5c8lsVnn7I7UkVg5ztWFNuNCPWmCZTJvnrpHjBDyOqFaJoc8QsPqErqtfomabvAdeVVXz3sm7iA2+EQN11825c34qu44hM7DACxv1YbCnbCIyG"
    "/GlwosNWlr1fiA+Hz8gcmInghGow25A58W7KxsD7BP87DU3Q7g6KfFJIMdqE/dXZ5BNKaRTSZvcG9+ZDxEnFob/qOIwEMkohz3vAfXWSrzp3yarWeQ"
    "6O7yLoOwsA21XFuebmpunTXv1LwMaldbZQ7fVWsuHTS1xQycAo6vGGbc9EBhDuDIBzoV1RQvYDVs2q4imOr26MocfIeb5m0oTo9MdTcgiojc+QmsQK"
    "fdoWlQ89U+C6T2qzHkUMdEZpeXKe3cdkcu9IB2tOWSuqPT7ZYU0NmacnlK67DYVn44CD1elTMANGLzQFGtMveRzVb6OziJy3wehSpy0HuVnbOXP4OT"
    "H97+/NcPW4JcJ7n1Lyuz1EgfgoVYRyLGmx0jw866K40kRianBEc4VZE7oTWQGa3PxwY05MlqRNWmLmupB8njRHJel7Sof1021uK8P9Gi7qrdau+1G2"
    "u299s7e8x8Dm5+R+dPK8EL8wiPBXTd6vg06m6yo+peQ9W9uCrP5UfIJ39379zEe5bN/d5hJD8T7R6u6K05KHR+fP32DRV7Xjv3G6njd8jX2G+uQjWI"
    "WHLFQ6xryDRMU5IE9VrtV65eI3gmlv04xBNehhgE7mKqwdEIW+I4jM9PpnV3M/t3tzPdHk1k3k+kXOSwY5kh+UpF9G2zbtL3G8tptJLDcEUcQaCYlP"
    "JHYb4hcJd97ie6C56vFufnkGWKS3N9J8fHu7B4NxHSansJmIC7N7lVJ6n9PkSEfxxH24gRpom7yWZIgAjq8xY4RtRuH7CYFF8nL5NfVmUxP++wQ7/J"
    "D+CWEtKzysWgDFoDVTQCgkpVe0YAzsPWBnyZySE2I39jIdTUn/uByX+Zc9DxzuNh79Heq/9+eLvppP8Z/jb67bfR43Paz99+e/jHtrMfUHYhaKTOoY"
    "jzAvEnD9uD6Xo+5uAgWyaljgvVII1BLOvFehUKg7asYm8t/Gry0ilETpJDNns1RUy7g5ckRKHFZrCxyrNs1qkq8fBA4vlCz7leshuQxfJG+BWEvPaB"
    "v6mAiJ5K9yqJcCbr5daTjTyHTlTXXvrcihhsPsmZCgNp2rQuritElVRWEEQ/PllspFpcKmqjAZbl4BwMkY8hSKQhXWXzcU4nmy5VazO45UIQHVXsoL"
    "RVxiwkNRwIaBLAYGUiai4SXXYpiN/TCuxy+7Sx7uqbKyuzOKtZ3uT06jK0rEbrkMAZ0sEr+atF2EBWgowRmcRTY+lR08S8AEsCnxjxwHGBOZr6cmlZ"
    "EmXzA9Mu+Zxdb24larColbgrIvERLtG5UarZKwdvDHz/ozIW/YGHam8ibY+1dVcACjqesFuknXcRKXRTEXm/efIc6ViiTQTDjIIW8GScqEvVS1zMea"
    "rJgzsS46KZVfV7cNM8MXce7MebWS7fKg2wusHzGkGjIIBh5fH/Ag==";

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
