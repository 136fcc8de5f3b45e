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
    "tb17dxvHtS/4Pz5Fy6MEaBGEQEqiJYKiluwo5/rGljyycp0MjBM1gQbZIQgg3YBEhsF3n/3bj3o0GhTlM+O1LKLrXbuqdu13tddVnlSrshiv2oPxYl"
    "6tku/f/elN8jKZ55+Tvxbz1fPXZZnddA4On6eD1nRRJp1ZvkoKKtEf0J+T5OjpINnbK1KuOGy//u77P73583/9rx/+919+/Ontu5//7/e/fPjr//n1"
    "b3//f7Kz8SSfnl8U/7ycXc0Xy3+V1Wr96fP1zb/7B4dPnj47+vb5i73H7d74Iiu/X0zy16tOkY6oo2LQGs+yqkrerq/O8rJKbnmk5Xq8WpSdVX69Sp"
    "Pb1UVR9fCbKuDPgBOyFQ90M6eUTqoVEytmVQYtzClzadmqm4zpg2eEAuGYstXeXjrqJp+y2TqnQuPkj8mTgwA21UUxRVPPBpR3SnnJH/+oiSfJE4Ka"
    "/N6jEhjR3f0MpJv/vEw60lGanJxIC4ON73M9L9DlYfLoEXchHQ8k/dHL5MnhvbvaC7p6xA0MNh6WGQGrzFfrci4AGGyq4nyeTzxwPxkUBeYDK538gY"
    "b3KtnvfEr2Emr7MX0eUzL9pZlcLcocbSRa3Ho88avUm+Xz89XFINlsZDv8RKOfxZthnl3lthnwGxuZ/shmKNfzihKGo0GLvy+L+UQT+Hu6mE3ySZAw"
    "y6eyf2Q0s9linK2KBbdym62OqWA3ObtZ5RV+bqTY6qLMs8lb6rXSY/RTtiQ4bAhuVV5+yjvzbjKdLT5XbqAoJ5WrVVautNqfZ4tsdfRUzt88lQKTdb"
    "kjW+b0OSvurI85a/4P89WTwzhXxt6YL81j3K9XDQV4TQeuzJ/LxdV2KZm1lKJVW5WL2Tam0UKbFo00v/b76nK++DyPIMq7XzOTxTQZ9no9v7DdxD5l"
    "XUdp67I3yT8VY+wK+9kr8+UsG+edx//d++fi7BhLPLtYVCvOKMbZcb+3yqpL+iMVjh93k3ZbJzGnHRhtKSS8m27P3A9Ld3Gq2HbOKA0DSl6eJrctnU"
    "5+w2PkLbyXtH+bt+nPZW+xDL9kQAPGx1g0hlDvPF91qH46KKZJB+kvX9IpJsxb0DElaLakWCXFulLVz8aNL0harquLzm0x6fJhOtaBdZPF8pgH1U0U"
    "Nm5QG1pAPcnFZLAJDxwtR/kmG190OpfUecrTDmA3LIDyBSydS2rGth6fM4ZtuLF7U9ppnXDVGZCXUjzaI1PskWBDpMmU+/TdTd02L+huovQf5gS1Yn"
    "Wj6CDjxH2XGjReusaBZexkWzs/ZauL3lUx7/jUblLKabc+tXUpml13XKIrSYte9laLVTYjsGB1H7gObdWSqNv+oMXFfFt0LfgSqRbXnoOqdJgHASIe"
    "bPL5hC7jGnrmQWG99hLDTfRF+Ln1eVFebpeX/GQ/cZhKitME3k25OLYyHX8MvZtcFOcXNqxgjoPPF8UsTzqcvc/FT3Gf2NkB3ukgdY9bSJNTyubD4F"
    "oaXo34biHSIm1Jf1eDfFblLe3zyu1eyh1s0PD6iigPHqQu+HoeDm5ov3gmdC1MF+u53iX+ml4tKIUKUe8DfJzoB1aWfoypzgrU1GqR+kpTtzaMfIer"
    "BQFtajejS8SijVB5mrbcbA0XD6cjRgQ0fh6YHGnqxpaZUwebzXQ9H+OKS3AR/Jyd50xfycEPYMw3r+Ji/JaLt5vMCMkoQsTQ57KSjNJ5P7pJKWGWyB"
    "Uf3O7oBAVyhh7n8EVAcAXi61INQW0ocJL007CktsHT36JxUoYAkZp+HkC8//uXd297y6ysZKq9irB+3gEJSA2n0lcppMCDCJW2GApGJEgR3kW0jwEG"
    "gXGZDuagqUpdXYEFJ+DnPyR1s2GAYCo4extpeotgGOi4b/noEdpdl90EB4nQHkGpm8gFLsVfr+Qv1p/oWblvN9jdaHzgV0GKCb6oozSeCQGsfteWvR"
    "IDUhgIYpdrQq+IYX+kF8TwYBRcEMND+qousiV/PPEE1OXwKX2s8iuu84x+L+nEFdUqn6+QcjTapNH46NabAyHylGmMMpSA/OI7bo/xpxYarkbbV0Jp"
    "94FORr50NnQsj7XlAAfZRTh1s5xGs5zyLHlp8YFZMt7GB2ZJVwF+0iRbhOrx88gDYjr8diSrit/PR62NEQuCc25XxWpGndCs8IOgmVcVHVmk6E9Kww"
    "Y5tpvDda/3B+3tslyU+OYftnGOHai6LWaCZAa6d2l+5WK5zLmY/nRpH4qrPEj/x4q+W5tBADo5Duu5zSZXBKJcHR2y/BOtdUVoZLqVZfs/5kC7evh1"
    "msKQlh6PFl36Byf/Fjt0mK1AW+TGmdg2CpJk8lpwJVeHYFPiiOiS4Uur1gwfWnwbJzTARVcrJHelJlKF/UQLDRSBSxY+gkleIsmaoK9ToMz9/UtMC0"
    "UjpssK0kbKxqj5ScavJ3+ICiNO/iNm5a8GTSdksJ90uC4VYFZNvphdO+VL9lja5g9CWoIbA8bIo9ZsawnDYox9sEWCxdN7PesJLwgaCgUItJkHrZ7R"
    "oC26PvU2o9LpYDufj5UUyRREGPtGAT93cNerUFpQ7gNMdnglfn9BIMs7/6xwyO55KdJgKFnI1aIShgANpARj/CWo4k9vVRIj8obPQPKf/zDlIC3PCi"
    "bQwG1ucUFAP3kthcmQOEk2dpxqzS/XaL1DmGRV8Z0iRLlfx7yXlec8ptsNoeVyMSY0w+lL4h4oWQnNXHluuibbNIY2BB+ZMkkPamxIE0YTrsKhM+3I"
    "ITMCy6PkoN/vd1uKzsANa5JhtEwwGkbVbnu8lhOynHQZksK2O1TWr6Gw/i6sxVDlO8UNTNJ52yhFLoUussoKpXfNtbVzrsZjOMztZ/g7p9VtYaMQFM"
    "t1/rVT3NjNT+OXm0+WFVDOZNHplyw/+mnIf0U/iH11xZLjIIGOatCAu0Yz49d1MZVsIHSAH5ra0mszk4PO29HoiKyHv/8IM0KiIuv5r6AQQSdkw5lA"
    "hIx0fl5Mb8CT8koLG42VBreNKybmq0PKyHjqLWoJDK7RokyC2eEiNv8xuHxe4IEye3KEuU8qzRjS0tAtpfmDTijz37lIZVrNlFFUspu0VfjjenXLLh"
    "tX9sa53xupblbclHYyBQ+Al8Fmc1tfbmnH2iLfcbT0W2kSS/KnmsbuywZstEvUSrxzpRl3v7oyAr2OL3FKlAMBL6ziu4ScjjJwopQExHId14Qr/gQ6"
    "KJ7LChhUGJHGGEpIuow533/MZa9BUBJRtTlIUroxPNrgfSGodntXUPqFINy/tdMWYXKg8T3Kr/gPukc3qTAmcY3v2tQJAweLFWwr/nQ7akg0M6fYDA"
    "UudNe2NklDs2/abuxnNPKobdwItbYWuInQwlmKm6hzRgM/4/FjFrSQ+NjVV8F3THjvCPWuyXxtuV9CF+4m893+7He3SX4ayEFqa9hn4aK0ihUMuSY6"
    "LLSCvj4IBLejqkW56nQyItH4js3cMch4qTBZScEv3MQDFRC8ZBxvDK4TFqg4Iczb2kxWIE38pqbFo/Hlq9zl1nnOoMku9g9/O9Fd7kR3AQcoorucfw"
    "9CnGMZ8qVZTnrEpDMfVMlQMRGS6adhLxUXcTJ+QzDYTLBF9Nrr+U0swXCyAULoV7+g204q3Ve/FquLTvuknQY0XVbi0msXk5ff0MFrgaypvjllMYQT"
    "OmTV6gcVUaC87GYWbPQhYcMBBs31Btd3pw25TLLMzvOEDkUyXyRM9mGhPuTzxbztyLImCcjJYx5FNS6L5epUpSEKhkhi48QYtLcwKLeUKjah+ziQmN"
    "BlDGGHAmmwWZU32LW+XSV7a7ISXyGhG3x8QSczvU89L3TvvvqtevQQIvURYY29LyzNbRskc3vTTkAFpb77gEif59WqwzvCr+Lt3CFlE5CI0IT2lxOI"
    "EGmQlfm8SbmR9qbFbNbZBwKY5MvVxbbWAhoS5mlE0EAFDqhPOu2sUALNNWhSns5Fd6oCOzsrpy8TJ9XwDfp8iIh0ajSt8aUpmkzXIFWJLKSd+cbpey"
    "J9kBXSmRm5uUPHO2cVJs9Glb18juxMPkoOiTWVc5uypKmY04TDbRzIilVM3HLQ0WEO3QRHEM1SvUFDjmRsMMBFOWHVyXw9m8klL02mLc1p+UUUPcGt"
    "bHeivomP6fzDkFiR1hGzoBRIvbOUcLH/pGy6T2U2Z5BlK2M/0vU3HcFBV5bGhhex9H3w8rr4l+6yBLxl4K/k7/ByRBv9UmiqL8A63kBgtjASiNRNuK"
    "95BHcdl2ydIQqM6p/Cfm6UJecsp2IwJToR71prGBbARTmSMQtsqCAtqN8B1Lah+JegxJIzGtrlQE6flIbOX9oU8mBjzfleTpOn/RdHqQygVy0Z3dG9"
    "fNh/+jy1yrjqCrufDfpzjJClKS9VnOIxxc41QP86QjmgNG5GBXInOcr06ImiiKErPRIq3Oh8z7/XFbR3IAjUkp6cEsX0J19CK/VRo6VgbPvW5Bcb0i"
    "GcWCM8nP7g3dk/8/Gql1WQ0XQUld5KDwoL8PSz6TFqdQWshoiZevLI+yq7zH/MCIU7DB6g84FH5obFtfVADK5onjvxsm4FPZNM1TaCD2kVcDJHTxl5"
    "zhtVuY2F0bnoPbotVFQdyF0ruhuDtrg1t3tZMbW3J4P3qJC7BjrVXTgCu4YinkpTqS0YFqbVGEcKEayKuYHMckhFRoyJ504DPJCJmPKXGGlismuwkL"
    "Y8MwSG+fQ0OdKVkYQ/JkdPNqzItfHhyumnNTnnVyLFe+DESJm+E24MAuA9B4hRj2c7VIgjaW9PkFJI6c9YP4LKcj6IchXaQLDajAjDMxYIbrPf4H4s"
    "hS+UkPm2jEFrSUisI5uhdj/ZreMuoLMRLUPhs4qRfvqrq6ASB/205fcHT5P2BzfZsNr165OT+WjQxGgRQIwxLYYxFvPzthwE+iVipk0aa2wCiNn6Sl"
    "c4qYQ1ztYVlmrW0x9bSJIL2w3AWJUNrtZXgfKqtp/CKrq10PqQxdp871HtPUWCvOyXOEqq29OjzH+9yOxHTeb1aQWs4lW27HyZrGB9cTZynF6Qeqap"
    "abR6nFVoVre1KwekfpSqcpWnIVPEYxY6iUaVnxdz5gnA8TK94KVRis+QG6IzO5e0lEpuid5eYK4UAyCPJmytwINTMzi8p9IrbccUyyGUwiWfmloNNK"
    "Kj4hzem5BG5E5+1ldLCL7Mg+opDydsD3d+Cwk0Bo9adUyBbEqTeNoYo7MEQN0AjgTZ2Y1ddzPISWA70E3Oy8V6Wenfd9NAIdLAWUhh3sl0Z+KSDDgT"
    "0ekGl1h0m0BhwfcJutUrBbquoXY8VI58JHYBru65HI1zqim9o+55mqCmHAkoXOjDaR+Arlk9pDxlqraPVdMJ9VYZ0Ew0kzrSb9pt2a25q8TgizNWLI"
    "JJ1ec9aMkohxg/TUdQ+Bb5BErmnCcN8COFR6VpVmoTnQrPa9lAW1+E761svnMMIiaZCAERh37TkeH2qvVZxm3zInT9wqS2R5iQ4jyRRtmAN/XN6gmr"
    "uA8HNyyPdqsY0gYBvKVaOhWR9newhroSUmzP2gPQvD3OXDSROrhbVSvPVbnRbV3lkyKbUwrdKHM1FNV2rnDdd+yDmQuChss0O1JI9l+8kBY0k4/0OC"
    "9mnTnd+f3eixepVGdlCOvdg9Jzl9faBMf87OYtHT4752U2P89DySzz5SEm4BI9xgfyU7CC4OXQwC5Mezd1Qnop4m5ofBIu4csj3jW6m2hLFER4nZtF"
    "AioE1nn8GRrocYJ8dFuqT4FqRZUoTnNCP2jPSAoXqxgyqVHh64pZd/z5C9QZMYRs6RfVahcBHRsbRnYkDQaCTLmiM6bwlHYN5eMMjhCiggIoWdVCof"
    "rBErveThBpmHm9HNJQDH9TvatU/YQbSn8+kMtLvoCH3UfFhKqOPDllkAyRW0xoIrfhp4KTeXRXn81A+ddgQ+c7m0z+zHLrCN5dnj6bTZyqUaOXCuIO"
    "JBS4ystOiXw1j4j4rh3LaBtdF7txHSMFl1xZjuRlQXCMNdz5UFsNd0bcFcYwcEhcZ4HEcMB3w0HMOWOrpamXypv5560oq3gIENuDP8aqTvmL19Tytq"
    "Rawa5zxqMj3kUil9+DPYbYochi0mGCkt39Zq0MYTIrhQw23uaa/IsV67wJDbdO9ed+0gnKpNoFXQ13FUIZ2tb1HU5/aefgTxra/53dvFvWd0NrhyV2"
    "F7C9zznvJoHF9B0Iz3QLNUWrYrNY2epQnCYV/6bNH9gtY1S/5GL0sVDzYq/MsybZzvir0brvMkbnzAjAsPo0QZd01Kn1HYdsm133KE95dZ7NkFqKEB"
    "zxKaMeHYROLVXmEmz9IaBDhActEg9Y6Wm6PXosw7MPdZhYLAcuRVdLBkAJmCqdw3ugIRqtYKLRfVBRsO1+GS+W+Y6dVyGPt4+aIbQ7UJW2nbyBbqs1"
    "3V77B5sdtjLTr7qP7tqcajsD7YRCiAHIoshVp/24LeTTeimGasuM1QbtdoAQJ0JGsc0nIUNuK2BVgaK4GlxyJmC2H6vmgypw4eFkVDdGQIU0NvNHUl"
    "dh52aon6HNppRTSPKgAE1QlTwJf2i4D3+a1svg9Cii0+aZIWZ4DSGgMJ3lFsEfD04I23uUa80ZDX+xuSp3JlKBzqYGEZ2A7fmtGQSIxC9hmQS3hNwg"
    "r4KEY6xvSWvbuaMQVr/ByDTFHigDlpzNMAIOv2Sz0vX4wpyW4ptWzcyLnVbmhW9b/SAiTBIpdoPGARxaej7bA/oSMboH2bAa9dZLMy0A6CkFXelP6M"
    "YGOm7Zf3D3oZVE3p4NwrgxFXxSHjNmURnHnYViuYo9MaR57pU2JIYklwH3gvvhs4ykP/Cj6lNDX0TSKBDhaCQE1voKnTqmvgtQgl2r3chc8afUasmW"
    "5A/a2Q2sgTF7234yCgvmJOXMczPO7IpPviSJaL2lrJqtAduDEStgQDVexjOiXIhndOwnhmsDzEPrS+h/VnzKvwNF3qTCFRP3nabtoeGNMjTvpqbVDd"
    "W8i0K1AJHAzIm9a+KaCLFI3VSbv7OEKt7u0CW3pmWeT36HMug28g1RO1ZIfCtRylmKuoRMWftG17p3DnE2waqEA9mLAQ8DhxGoeqiz7WQvCN81vsiC"
    "gRtQ9RPhPfs8TpwWyvlziIaKwTKkbz7qupCeJdi0nLixpmKHQJPGle900mqwzWGlLe26BgmHYE0H1SYkWgSgZWPzy5rNW4Pem3trmli2ElkkFNycKZ"
    "8oP+BK+y8VNgHITnTOqQfFNJtV+cCBgvXlLWu80fbOuhMZWV8NWIaXIhP5cheurGpqHzjJsCk9p03b/BJibsjcnXl0rKW/rGnp6ahfAB03tzWw+7jm"
    "xrJj0d3g+01n7WXtquy6u5hHQHdvoiuIn/vamoeIZcFInjUQdcsv1d5krLoZxLtQFeyFuBB7wetAmvL6G9z/chPZptLh0Qbh6nAWk/WBqHOqn7yjQL"
    "KZQA6+zFzeCYIW040TJt7iEHB6KBkbl8WqGGezn4kYdJflF6gVJYLVO6xgQ4nYNMKolsudVMulYDBpWVHIJaulgcQ6Bf8ijtcrvuhMxnowoo/R96Vp"
    "KwpFPExtO+WAbBI15xjE/ngqSDDMKzg2Tgz88QwlTMUr2pdTlCpyJe5ra/CoE48f5WgGOjTkiw6EB++sIxzMzL4CM0YdOqJcssw/5TDIsonqxvVms7"
    "r6SxEWLNno7zLkfc6zSFzmrCYF5+X+WNBOc+37eTgx4RbxWZPkBYRoPvIyodtqlcNXTBgV9h06TvJuC/JQZse8w/LXSEUTHIatiQQWxyu2p1cKFI6u"
    "uaoyjkOyNKftTgCCMDkkcMaLK+zZ98QKMzIQqiateX4zeSSiNNi0LpZtMAzg1uFiFXuFlzyTQDMR+XZ8vljMGLhokTDr4vOx+dbScHtzJuiYYTbu+K"
    "qpb5EGdaW5zlXKnkAqGg9SrdervGQszVakdIEWk1w2zrZ7oRgp5aFEzaysO6W6Xz6ApTDrT8y8nrK6LamhhGwZrK+ABPsAdlh8Cl7ztPnnd/xTVA6v"
    "g9+Szvfha/8TqRuV/FKHwza3AcBjVqG5QZI8fpxkspvVGZy3XwJ55XyxushLt+HoIxFXazEyaDU0nXinUc6VUcbZkib5PNw4Wy53MZ4qJmoh/bqdJi"
    "Jy5jLwz98MeMU6i2kno32AIj7lDCnftf11gTgLvBiiOumkI8YPZYOSogu9F/ywnBPha2Bp/f2d/Nal4C2uS5E8DtKPk7fZ267evDsaCuvub9ct6NSN"
    "VzvrMg7LzuCl1tAI4qC4irKnFvPZzXHyIGiC7XrbyXHrgSuaIJnXHentNqtPzAzsIcholhBOFuP1FSEvbPs3sxw/v7v5ge6piTcFrhC7pULpX9gRhV"
    "hmb0Q7/OPJ6Tft0eNzjlpzmrT/+H9hG4xD92eWNbcH3roYNrY4oZ+6HOOFj2fnEy7Cgz7I9E+0ef5cXOcTVEWcFs6JMtgf0H8eptwH27Bw2BiTLbA0"
    "Fe2v1PK4vY8y86qzT/0et5AMD4nE/acrUsIpvbOSZucMXS6bHyVhWUyls6Itc5A/oa3627rfP3tWtV3T+YtdxY+o+JWW9KkvKJUS9XZiP5qXcGU4pX"
    "8w0sOn8QDPZIDfYXxS4unzZ9+GY7Rez9A+1acO/lJ8x/1KhW+ffPv04Dk13FiBm6M6P2mdIMsqUu5/IXcQo/15sGXmwZb57bvOq5ed3ya3Tzbp3sMU"
    "W6fd9ZtjmZdjMYW+5n2BLfEouU7DpceU/2BBo2iTs+z4dpKVl8fCHjg3qot1HAoHeHi2KOP7KrghKe/dtLNY6sWArS8V+GKAsF4M2UyD8wAdsPCTdQ"
    "P8VXHJrn5gCR8lB0++7T1L/pA8OerzTLlJK4hePl5Us87DW66jXQWnYJM8vOV59jBJbOOnh39Inh79gYWyz57/ITmi35v0o1fDj+vuox9Q38e0qVY3"
    "vEzU2fdEGKyJZ/oFSR2HE+yHIoZYsC+3yzQZts9ge9We8r+T4gp/4LmPv8tsns/wo5I/F8UKf0CktEdpi2c0REtiBEy9Y+4/lwvaBKub/wMU32nvy4"
    "mFtT1b53c4aomDBVENsP//Cfiy0+4sy3xKtOU+g3i/GqPgcYKSaTvtcdG8GugCjGd5VkZ+G2IfNM7mn7LAofhsAdWVpGKE3+Hs0b7+flYQYN7TrYOd"
    "VRFHAojKRfszLd3sPe4fENWEtz+HBCt9h6d4cd37XEwgPe+2Lu4ud5ET/bRKlSzQMXFlVhsGpT/TvuMxsZmflpTq9aIXrihPOmx0R5ODuL0drbkr5z"
    "yC3/dEt8AZun04of1wm82WF5meXKJ3znEwPpTZvKL9dtXhlrogivoKY/lAwfPZ4oxIJtRn0W7rnEVcv+jelm1ydj6QZF4oaQc2U2hgumBU0z44WF4n"
    "1Q2R9Vf7a+JtK+p9v8rLYtqmUhjsdxltYtrXKH1VTCazvO2Z2HNpMeJRZ8Wyc95NxANIVlcNbxmuhHqfmjkBVDOR2QIDk7i0RamlHyfPeke65qHzjG"
    "j1gWB6T+hA+Rh0yrf31bjO++CdE2mRVesy/4AVYFcaXemTlzpMmxbHp1M+Ne6U48ptt8Scwfqwf3jUtkZPbeqNY9s/8KRdvQfxEgqaZP1TAOFzeNov"
    "zZKUFaSFSVjAn4kjjIbV4eAGYfie2DwT83lQVNLYEAVGOAoSm4TLw/FFfrzk1gfcxaOXHEJOO3Gm+KKiDTtIDZBo8kTDA91+KWyQG9EVDcdHCGKzbA"
    "0eJEFbwpBB3vKKRnhw+KxDWI5ZHbWokHh9RFA9ehRuNP45W5wf9LWCXxr+xv7guq/kz7FPPtRofZTlfgbZz3z2M5+NAWiMP39RrYrxJW8n7Nouz8Cj"
    "4SFKC189Yqa9cuTbq2RIa90mQm3E+qzKiDVkRKRZlP9C8pUWQ9bQaDBngzgpzsVUMJQ2eAOvAGw8scc66H1qfv9FAEQmQ5nMY6LX3e7SvqdfOWigGv"
    "39118/fHjznlfreTd5/9cf+eOQBvDj67cIlXnwfOCBx/L/vNRLoZt8KvLPeh5U/MP+QIqHs8mEAz78yE7oVK2t9SeLzwh2lIsdhNa8vYbH/2I6Jdz8"
    "t25y47/+DhTzCX7/gsCtfcr6WRr8PlsSBHL4zkrCDxN3f0yJyKg6agPxhYGhGzcwHA8RUOm+nlyzg6YOkeCP3N51N5ncBBl/t4wbQab8m8ePS9IxY5"
    "NrLIj/vIEcDNGbANMe0TVUAi13uTEiIbmvcACSFHU9aAW9qWfeBfHGHwp2NBIv49aKvnJZvN4FFS07AdxdW6l4NXwBYuulX0ibLaM6P5BUeqLranzZ"
    "2BP9lPnZ/rnPUtHZ57US9fVtMMs7Bv35Imc6UQdM26Vk0dqf8mm2nvmwOYrBIDabrTLEO6Fj/KQPnMJY0y2blvgbFq+eSBBsucXct5KKkphGuN1Eru"
    "vZbPWX/EZiRXAQVPoKmsBtZk27VqwJKfbvxeJKBpdfLzu1wmwn2u8fPEu7SeOCDzbs21RVxafcE0u7V2JyNuNF9avAg5gWK1mGwJ5cdpxGsw1J3oed"
    "NmW2lfB4ICUUn/k1BVmKLCbr5i4KLpKFqJ8UFTF/OAvts9mChuREhOBuqZjM8VdQCnRjR4n/iwnMQcu3plHPttAxLt4cG5nG8Ddci8SZFnOCBbcLu2"
    "v6/6lICpbX7bBJ0bK52n9H7ee4jmnjcBMyCtpmvsh+gjafw385qubaD641B6vk1sF0GzbzBbFNg0RDzCJ2ChOcUZTZbLm0CI/0E/qV5VKjOMpOsFWT"
    "yhYtVCao0WQ/szwued7Xb+dwMbAbJGivy9JE2i6zRcahdoNYhzaMnngJRI31er0r57AiQnzoYkyOz3EPqgZ/HiQTJ5tymIMrcYOxEKfMneHml1iR0q"
    "EoO6/YFz6e7IZJz63Qvpg+IkVeQ7zjsvSqhR+4hYnk7iCBs2rc2GONbyihPoKCaBNw71zXe5RxU9PXVEM6QrM72qEewg6p2epi8bnjHWbuWoSukl0g"
    "GcRDiZBTeFo4Ozwx3L023hEwwjFI43Qya9E/DOTrzPvgtNiseESPk0Mi12bi3tvYDGG3AyhjZAndeLQEvMlQOxiZ9rQvU+AOtN097UmyUt3j1jT/1R"
    "0jm8NGitIDB69JmX0GKmS0PM1wvLrJtQeuyqDC4FG0SzvRilon5gsQh1BVqMqmlJ1hIVd5STnq2fZ2s7GseDcGe8Rn0rA9ERIIKoBH9okSuvfmksGM"
    "ywUMQ6ipQTC6cKJnN103Wf4Eb6/1zm48K7Oo6rjZYQVjtR4J8bqn9KwOT+8xwaSCbg1Wcp4b8b2wCa4UDwxXW7Hq3H1KSsYZPnwqspxZnJg4lGmwVC"
    "6aoQ+I602ZzdvtINXr3te7spC7snVZPvcpz2ZQoI9ni4ptxXcP0522qzDk7ZUFKkEA81ZwyhvXXCVF3BkreK32FmLjVk5A50ZYg+CM7254aF0Tz+H3"
    "3u9jY9dRjVQKyh70DtPt0biJnYTYkrM09u+pnxgiIKAbCLCad3gI/AYMIkl7LimNrOpts3IoXad5sy174ncajYNzOEChZp+GG3HXpqbR8L537wboZd"
    "UKT2LQJ5EsfbaOLwgWEmbrzh1jRi2sZsNvDQ5RC20c+abuFk1c7hRN6OKo22oKPn9lEY1ZLx5FNb6MRRQG4bsmou68vPdjb2vbUTVbWDV3reMbM2Vt"
    "WmY2k9FFlhj9tK4PHphDBLrHRrPf//lPq/PAPmDxwR4S4j6NcldB0CFqCLnily2Z5vadEuvhVLeRCcoW3vSr7s8JZAuH8GfwnsZusQNxFk7yC7ZagQ"
    "HRPLXN3LM1s6jMZiIvqg2dXpBsK0cElVyZ3jLS5J52x4aEI42waVmFarXUiCB1s38GCa0nleKz0XfaMZW33486c3YKbu29k2lZNTIUIhdzp/QxH0iI"
    "6KvwRirEIc7Zo3rRUCdABxepqy9zPi+LSUfh1zVx+XmvIr65gx88ajZwSiHWLiG7FnioIMgLsVnUHJht4jAIgcwHwowE/SEAlSCX715SekRjw3V4D8"
    "dD7NZkBbD87+kT4w6zu8kNj0Zn4a9AVAADEFSolWXzIWyPKp/RFHMzxHTV/4zou6gfFsKsy5wmhmitzVJ/1j3VBP8KNyX191k8fD+4te4HuBBuEoKB"
    "DuINpmS0DtfAtUOHp2HU4NlsPjbqGxnpZ9AXg6ZKU1NwsOTUFA/ROMJJ9+ksPEOze340iGN1X91JtAubRzQprmwWPCbaMjvIUUg9cVdD4vjMRJzBtS"
    "wBbLfJR+dYcWEXquxalD/lvB0QDobGc2KhQNetanDa0dQjbqqbPAmIn4ND7TwswnF9m860dyASlYQJ5V/0QXBxkW7y77xchLhyURbApmnXqU1MLh6A"
    "EZVURH7/IyC6L1267bsnwFtChkk3qYm1BxYiRSd1baO+7vAc9qipR1oUy3ENBZAzA+SEE8cBuzvwXifhmgd/YIq7xoWVHvaSoz51Q/0GW5AVjm5wxO"
    "hRsSfRhqMjECG4LcS2m1oZNJFYUdD2yYJVh7Dm/EpqK+JV+B/4dEj469rbHEyEBZTwHdRYtPTsE6tmr7WAJeFzBbUxdMPVL13wkEhtrDpsG5/TC2/t"
    "jZYtnWlHGWB7omm0tMNgzyhAXRXslVgdvM3XmYlrQw7HAJGJEZMPp6h+78mz+rnSmPXQTfKeo/soOQ72X7xdgWEPuxEgPqsoEkE39PJ4pnyG6Uuf9O"
    "tGu66B664jie5E1uE90PqI6T28tckRSDf0ZeH6VdXadrGvEzHstC/oXDfHVH9eGZ+bcn0DBAw6uIYkcPmP3ZZfStG3QFSairaEcp7G1w9l9nvPGINu"
    "qfQ3NRqifiRbX8EKdePXK1yME+8bfCVGwJLAIbiu1BS4S4dnFXZyAQH/+IL42HmYLI6aam3uUvE9MH0i63svxDma/Rmxx/u9gyOHOnRrPBk4f5MaNx"
    "CKHYO4N5HGOYxjZTT/wMfGs2CPJsDSc7iF1x3b4Y+2Y+h5EQaRUUPv0C/K8jq2ZbjGhdZ3z99BIrbktINamoSlMTo7VvSb0bUPOJXLTA6cjFJjODn6"
    "nIpL5AVEX6o4zN9+4hIuR8I2HIA0gSBDXtJj3FnA3pL+PrDbBasHaxpZd6ZVPRf6L+BWx5j9S2lIY8aeIsQzYdV/CT+mKjneCFSC/gzN9Y69cnjF/j"
    "Wi/9h+h23sUZCN4mFxZiXgU3DLo2SNoo1ccweyrkzfxWdrgRAkhOUInv3et7SaDLbjJKCQHN4LGGLDfewne+xs5sR4PpwBBgI/cVjNBYhxec1HWE0z"
    "0oHEgwTX4XC7ar/ZSjiCCS4dtx4eKq8CoMAwFLCE5/ugccoHNscvIFlF0/xwkttKDq+BQ5XgSeKLQMUU0xEKtyvkd8ORRl+H25QdDjkqv8ep1LfBsW"
    "Xm6r1AQuFFJ6fsZdJ0bXBI45DScqCQLrm/UAZjVOtNIIh1g+o2FpUhioeWPgwnR4jHVK3KxWUej6pi0hVU4K+KdQqu5lCqYxhfseSdjb+kIQcu3tnK"
    "6vCP8CqugVFXW4NIHShnGq7q4XOc2S8zYC1n+hVUPngGI5VwcZn1EYsPl6qvE4TF4oEGd+iTbutGCUW+Q/f0DkVgs133qGOmi7tvTjZbAIKN2CKR2u"
    "XpNuMLRYXdWalIpe35EKbS1N9EXT9DR57rvr9prjTqLajzgzA5iDN4g/I37Cpwc8A/z+iiOKtF+X/e9fr+a+D16z6G9USNC3+kUf0pqy7MFxVWQMQL"
    "PGEDoFFd+nLOhhIfFp1rMON9ZrbO8n8Xefn9utQMaB44lN1Nnwe/b58H+MRf7pq3J3ROg/tuerpP6/5fvcDrVq8adgGL3b/s1jmUS2eqlw7a7lyFHm"
    "BdXHJXPe+Wm/qTFI+O0Gro0kr70h4exNZxL9V5875D6AWkS/YXVKvNcAUAbniIMr28U0ob0BCdG2P4A27dCddGHg3ierghAEhZ+ghZTxVpsj1LoO4L"
    "NXVenXl4b3Vak8gzki/j2NUdkVyeOBeay6KL0SjDAGuHNWWLunqhvSBFI/ZINTdTeWag3AzCmYs7s3M0hBEl8UPbbodNBKgN7H6C6EOlfS6N9vGkaS"
    "iSHigIPIWarPxUvBQhVBp5uDiFkZ+1uuYVG62mlOupzZSf/HOTdooFBUlBZJO25DwkXzHoCFFY28jZDDZiqqW72EgLfYhRXxSW3J175AEXD22C2WSL"
    "30y0qFDRa6pbnLkrO3JWh8r9+VbA/3lmL+AEt7i8LueyQ9Emya/z8ZoftXp42wq4P3MEDLk/pzHwqvYczwac5TobhhzeeGGjs+jkN4JMD7XAp1WjAB"
    "DPwNtp7QKXr7WkPt+v50HJiKzwIoFXdAhoRq5cKNgOuo+nZO9D51cLPGTwRdOdLcudK64Jk6v7GOPcYQYiLt1BVAvTo4xxa0WRjBbr1XK9qqiNTHzB"
    "+Y0J6Nbb4pOKtJ5zxdZvjWMHukdj7rrzW3sjTRnSsPso+k9by+cT7a/eguv4avt5tVrEqbG7lKQjAKmnZgmN7vbJWJ9p83IvjTquGYIwpJGwNZ89GP"
    "c+X7AYYNzLNCyMTLZuD3Hgn4ZWOMAyil3ntANn2QEjIreoZs/lTE/7bG4kpititdJQ2GdTYbWJaCgmJoGJqJjHomBuVBqP/WL+Lp0xQ+dy9DW6Yg6e"
    "a4gits3ZmkizwlH5u5Xe62wDqFydS9vjtLHVlqUZ9keD+IK8j7J2rCbBqVyIAchwS4UQWAQhBSz9VLzqWbkcOuXbXruUrSgfKDDy7vhyNVotF6qyMX"
    "TqVS8Mr+8MLZgvw1Ck6aSOxxXl4V0Dve/8mwxNK2K0lDeC9+Bt+a0fbJwIkP6BmY8P6dwBWfAtBac6lnfhOobdrwdPuhH/jhyv0mlJPVmb9OOgtUlb"
    "vX8SYuUXfVOv0b6fQrtxkgP/HrahHAO9iqOyKldN1RN3lvB12PdeY8rHOayxSxdcUwX3t9TAX0KG+hzBbFHyieYQy688he/k2VU+c/FnVtggTcJILJ"
    "JTsINr5LnuJ7tWx8kMd7BYNi00w3wIAByk36jSqn7+5KXQu4+cSJlquiviL7VACm/kVTHzeCGSXPqY72Zg6d9JtOvFRV6yMDBfGBD3Z4oWreqBxfuK"
    "U08SdeGxrtnWteXyTzVWuY6Dc1l8oeVf+sH6jqyt2m2GQDyQHyjglf4Kv3WJpf4jb7qwVUJd07RAsDtmQc1BrauN78sJl8Bv9NSm0mF2sadLuVKdX+"
    "XtXeek9QrChhdBztd1I1sSx2xR5W7fxmKWfu/wWU01I0NRsVGnyWlxEwoGQruGr9Dp1kwa7iGlMkKT1e4H/d061bCOYlapdPg8piiDaKIuWkvc6GWj"
    "4gxihaCTEGVzP08hoT6A59hlGlkVjDXuhjPdPkLBb+FXRnzmC/FyUIL8v8psefG7TOnPUdPs6J1e5Mab0xsGP/gfms+bCco2KyIiBLnVb8uYkA3em7"
    "jqbelvQ5HC5UgDBJ8G0gJ7kkXoLpG4yJubgziaUhBJCX78DbFM4zimwbtlwRvC+eTcOeRzQMuuPuaE12skopK6Iuhjnmnrd0SWDNQHVy6Sjw8nqUCp"
    "v04UR1P5XBAw5hpUxZ5oqt7m/FIqIAD5LJZEHTXfsq+dz4lfTfTPHyK0Bk3ZvSGhk/YvTGx2ivsa5XwW5inWZsg46pOP5H6j0UjJYDfogfMRU7JTWg"
    "N7vNj1uA0XeZQ8PXzx9MXRt4cvcAaJtGWfKSx28Eyta0AyEHISGQYCRAgTMIhPXSsALEFMA4h5C3tJ4g00RA177Eq1R7PsJi/tIZHmkIrBCgGV0ao4"
    "FDZzwXY70tBwJq8U2W9+piz173wRbcB5QRP4pt0firs/Zy4IrcZK4lJRXLUo0NWS33oR+MDiFQ1w4AgqyNZlS6MsXtHPMp+sx3mnQ2jnn/JYD973XA"
    "3/OQLHSOTl0r+6eMkXMTrXJDGCcUOqRY3jjhGZgl+lc19nqi+di53SvieK2EfO46rg7RZuH1s2W4VPmNGazsVZ3hrHGyjacLay1welXX4gwxWTaHbg"
    "uyX38ctoahFNHA5BW30pg5V3opg8JuZ2UjJHz3skiiXsjqxbtKUPhhf2xEeDOqNrxhqUjaqPxi9S36M9dXH3Hv2fI8XlTuRQjAw1Ls0GE2MaLiXqrc"
    "Qbw05Ht7FAxThAjn4L2eGWH4j6adDmiqM04cLpIoQgsnlcfJ5xYLt62CyMatV1ULTHOxJpltHJsfzhgCsbva3V17G1vGZb84idvTb1QaaqSmjo1CNC"
    "CNNks7zZrncTqB2k4tOn9XotlbWErpShP8COECLKXUyVlyg1skYE5MzrXFRMM42ep8Y3QY8Y5zAuB3upIIGzLCiHml1LDlP0OFji0HDwzIt9uDvFbs"
    "4I8ykeMjvwfgtCA4UmF54/6/UPA1Wxi3aSPOYhdBMf14SSWGZk8U2CxulK6j0FxqvXh2q79zRNmgfS7337rLtVxyjXa/U1tTyYInUUDgwWcexq2B2O"
    "CmRH0YOjhtzQyawVe5nVNoQ4iPxqgxBWeqcHiZgPt2Ir+BDa/f6zAN5PuiFoHpsHGV7M4HjQkhoM3oMG0jIWmUkKNsalnzk0cayOk5Qg1wa1Axix65"
    "odx5fJ5Noax8fNdkXznZpEGiQuFhMxRc1vj27rIpaKeQfkHQshjsi7FmHQsDufGTth08feC6DpALd/kL8wIxeXwUgqWHlGPs5m9qgvKsxTdow4Mgt5"
    "Bttn3bjXcmag9Dx8KurPU5Ez2elgwNo+v/k66Vcg5pLQiTEknWuFhuiJ/TxENBtIZZ3hnNnMWYzmYDEta8SR7+7prtHZ15lCvMaGXYyfq7TJcWMbs0"
    "X+Gxdub8OSM25NiE0d00U2A61+BCwAlk+s1kOp/6FUc2brYcj8mfc7mAV+B0EIch5ijImJBm20Oo7onq8V0nucS7uRW2Kh3Z5MEOfnLql99Agx7fBm"
    "G+NogFHY6vAouM7NMnhfxrBlTq7SpBOxFLZqrP0zCyPHd+jgrjnwvhBhvp+NXYsszQB4zPxJKbu6wcpSDKTMKMUOrQQl2ZNNwMjcG7MswbaY6YpVQA"
    "f7vnjrLNw6R1060LAnueHtd9hgjrJtjcIj2oPFjdiewBzF26FsNConYKDXuRgnsi1WKJblh0IIRcwbyXh1smggeGVmjmsRKcTenjR1krzgvhjMCuMi"
    "3WFY4uhma8WRXuAGT186A8vm1iVKtZewNbqCxPK4ilH5EzaNPHzGduDPnm2JEgORXYNAjwWNgYWokzZ6q56jOy2AIuevLwFYehrFENW9Hw90l1HP7g"
    "6blqLWn3wKoENJpkZf51YVz5sJq/1GEN9qmznTjRVHaNbozO7+EWPQu2/PbouNRXUMr/SHf88JdMRx8kCtuXFj6s+hZo92W5DCXrsuZw1tOOvmm4bB"
    "xJ/LI4fokqA7AmVSuUJMBBKYS7LNq86HALmYp19tQKkNNVtN7hqljcwGxlu8MsqbrSIlkl4QBtDN7EU3OThIHkXMAe5jCZSyO+zevQ0tgxeQ2PTMfw"
    "Pj/0BU4DWtCt5FEvYGlpccD+zbRKPBKloBv8uW7jZf0FopvBn0+mGfoRuhhWT6397TzyyErL8cQKUEvT1KooE4b1ZmpxFGEkPDVbVpjn14r2iGX+Mo"
    "dvD8fg5+bik+sriczdrY8MhJlGF3BI2sBOx2x9hEG5tEHS+iEszSUx7//ShOwQfwfT5i+X5rk0mMMbMhaiZRA+JxFm/RiHsx4s5TseCRlLRzm5mW6y"
    "hm9hwVuINKE+MlyQxjjPm+QcRsCxJc1Cp0S9vu4EltcMH0mh4M2BJ3taLgWB5tgnVgB36ea930YHeF7Sx+H4Bz07TljOi2TejYsMqjcrY2qJnQBTJ8"
    "FXcEKz1QO/KAo+PnzfzTsjUlnrOo9oZxD2/nYlHw2xw/F8tNwgZxc43GL+kRaogZTdgaFCIVwmb/WLNna917Bjst2uoZHPQeTwvYqfL6rT/PYDr+O+"
    "zNpqj4Pzc3u3XvUG+2VFgIl79Y+Xj5MPdq60vOPjY+/zrL+ZmAIF4z3tSDxaUF1d+EIlpQ6eulhIREAaXULXTzetnjBuW5RUQQduGbXValWWL+cys/"
    "7zs09Bk8ZjIebFyIugmjgqD0tJQ3Dv0LzsGD1QOj76gMu511pPFgQvakIDfNM1pbOGp9WlFyKs7xTxBCYs1vx+Kb3WLsxLgUd3BkhFe92COBoEArxv"
    "MhsBUTY9WtHCeO3NsQ+lKgC+itzxR2tBFYBPNVDQve6teCaE7JSWFb6y9xSXTObMcaArr2xuFUHgFsyQOGoURe1SgowHsFhnBLtRRhQih885C6pnkd"
    "c0DajcBr2jMEM5X3CoqJW2gHOXDubtEXpSz6VY9/xfwvAYtt2ZJLfYxtf/8ykmJJ7VfyFyzscXJpBOAJs/ksxDp9qQx77VXYJffh37UyaQmr6HhXiV"
    "wfDUFtpAIBfnQW+cOlbEW4v9YSjhOc326TLhXcAhcurDAAMpXnGURv4F/Ts/dmN+65RpSuP87BNktTPZ32zANBiop3xujPNz6Wn4Opf/l2bH1Me6Z2"
    "7vV69eZGde3WmTa6n2TyC2wyesTMTVisWExUC4hbytbri5WLNxXluCrN8k8qXos8ptcG7z1Og9uQEjW+ZX62b7sjyxtIFFFnTh1ZawXG1HzPT30YJa"
    "4fRL2fmuxoTI2K1RL9rRfn+PjoVUxrtoY2doaw4fS/zubuTkFiIJTklaoJJdfLqiZrm0YAG9A85Yjw2Kl4bz1nXWBnalHlFtf2arAJ+0TgdUBszXK9"
    "YkERr566Bc7yT/nMv9FojrH93hEOMOeC3EcjpwgLE4/4hi2zgjLsQq5M8LQB+U75/W69I4XfDRla5oWM5wZnO5Xnv6Hc94bvfpvydNU4W6Z142bGt3"
    "s6aO3kiecSihWssQhOaryD5tfZZGcJ1BTz4SZSJB15F3rvMG8ceRr57wH4NnnB4C+9tFl41vuxzYeDGovM/sc38qfJuf+JH8cTc3q0wR4e7eAXp83O"
    "+w9vp0KlEi2qk1Gw8WGUTDhiJB1zJVTfwlSu4U0ibh2KNlP+bukrG5bqGE1sBE1idjPdfPTzeu7DZoSehyBCBy2cHXf9TsNjQIcECcJQSrLRO4yV7z"
    "pBOLKZyGxb23eEPuGkaWhIhvrIbgbMaxrORxDVZzmPJkjGAMeich67ISJUJQ1uK0Pk/plcNp8xdSnnkYpNFRAxxX2DkNBj5Nhq4MxJ3AT1iKGJPNPW"
    "uwabdo1dAKXQGWuxz1R7CdUo8ZInUMxx2KET/kYBoRiMD+tNYy+wRtelhotDnHBChgvLo6EOZCcG1uZrRasD+kXDWevPl/wrtWrrkGzc49SQRcO3MW"
    "JuB0NIcP8N7EUKSiakoTfTR2jDG9yQvjh9TyMGAatqrNqU34HjRw6kdCDxqGHgHXd7vYQgM7qJX8mfY7rAtu5XU2R8ePO3DxAHIfSNPTDx/t2vQGmH"
    "+vn9ux//+tPbX5jzkYdzh61hG0uCuB5Ior9oZ9RNhniQrZvIv0iD3WifM+T1MMqzHwzwbnIk2fI8GGXbD0TWOToadakvkIfc6uc5P2+nuS8OuWZ1QQ"
    "QtvyCjP3TdqboU0JfJEMDffqH6t4fc+PLFC36Hhv9Yp6iVXXMV/hOk88s0+kJNMT8PGsNDN7CPRq79gKkJ5fZlHhfZ0ka6zD2EDqSyyBT4jRz7JQV0"
    "Hqv8ioGLv4syY8Ncaf/501ELYQ+WtcVxy8D1efVszSq/At/evUDP71igF/27FsiWfvcKaddnWYlsD5FDaXfHyr2QWlsrp+lbK6fpzStHmYCdvF5N4A"
    "u2NrAOp/9/AEXdAhy6upvY3x1noL7RfzcYjxrBqKLXypbp8HkNnvUC/TpgtwpIR80Qfi4Q1sSvRR8Km52H4+Dgy9t359BsZurfyw9TuZ9hAbc0MHEL"
    "8lr6bKzMCnHDeIHkb7y695/y0y9MWU9dtpK+WHiSreLNcp5xs4haIY+b1ick2yucz5eOiaKw3XsQwNAXRL92lXUR+TFGzuP3KMXkCHJAfmG5epu97X"
    "xKLQ68f9sP1DRPjPqUdxh5I9ivxtpELXxKPc6QtxT9GTm2rhloB4fBQfrODdBvcLcDX7st6FrQbfDiuS8VNRFjCHnh0yHaaBwvnvrNuGsUePuRs+hv"
    "UswdiHV9TBD14fV3uNJ5lQyjsa61rSvEKe+W+i3okQs5rKhZfp+0f9Wfgk7oWCDxe32Jmc9Jm+coAmXKY5F0W+HCG4dr6E8asI72l3fvP7z5U0CC2J"
    "XDV559GA4HBnTYxvaznFJkuS3alnc32+4pwL+8+TsDhSYFG529ZL+b/LY+PHhxIH+eYHSQyECon80nyWK9ktFnyUSL9uXPIW8loppZ/l/wLEFtZOc5"
    "C4X5hz6jI+VWF+ViTewSHl9FRAup8FjexsvK8cUgeQPpe3K+IJJ/teCCbPrMYcZ+gUhiT0poJsLf6eHntuYJnzuug9Hj7ZRiQRSjo3WFr8hNAcznlu"
    "c3dTOntj/DB7yotJS03RekQKwa1JbazKqEG8iitG+6MqS5YTLiq8YGgNHwsKQEtXeAjr7lY4CGsrNZzrqGPOHNwy/SyLcsZ1EttO1zNxLqGK9qcClx"
    "0REMIUeUNwH7cCRZUuW0AyYyYGnmTcXlwKacL44DwPArzPopCyMVXslgCS4g4aUrfq6mCwOZcwOgPIU0kI550TDO1zPGF1s7ANfAYk2TT+yhFgdkOR"
    "6s2Xm9XMZ6HRZ8mbSRP+wFa33+IjuT10Rw4NUecyEy+NuNSnlu3kGoxo/IqHBTRUxS3EIrsTZRxHEW3UVEYZwmAfGYh1SDFGbpfIIgek0xz6rxRR55"
    "QAjbBmyOAeqT0PyeW/hctGjxEL7EvWQ5cNFaNMoQ2rRXUzqiuVIvfInGoL3yh+ZrKGaorCWX/cTCTNmRZphPvzUTj6xkZ1U77ckDMR9++jF52QLmFW"
    "+BIevpaNuPTBXx8eRsvVrhNU66El5+Q7W/SSbZKtunXy+/eXhbTDbfEDZZIfPhLespNt+cPrxFI5uTx1L59GOq/svQ2dEgLvLZMh5E0j7hI3UKhhpY"
    "Twd0SeMZ6UhW5enJakKN59W4c5lu/Aexx0EXYMxPHmtzCs0ZPzEERtPC1LqwPbaBZLn86wrBywoWVpyfTZboNcdhJTGE9JHGvUVizgbzjv8OEy32XZ"
    "n/a0303et5ccUhIv4M3YR6btzWKsjm140Lvaz4C7b0w8Lzmye7MtfBfrIklgu4V1PPFpObHp9cPMXEYZWowarThtl5O1X+nrecNRAYtuHo4qFsuUQ5"
    "ro3bhCrhDhKcPkFDmkAjvKWkFcwgRggoIQJkPELNAVEjp0HYFLC7Hx37priv9hCPHVesIo6sHteSQ3XIiS3VDcUCyBzvPts419jKuB9SFd5I22o4Iv"
    "pEjz/cw63NaMdDK0quxbtoBQsh+m3FleurK7py/u0wDHDyh+zMrRABPCiz7dGpGnEsSu6U/z6sjMrvh1eN54OfJ5Sg6q3pYjbJxYlRfkI+DBU968xq"
    "zZrHXhzRxuWn4r0PjkDMhTnsIP+alIvlkvuhj2lWzOw3zbLajpoStMs2vYV7c4HTsKbmctTi7iItIHe7F7zpoKGITewGuS7Plapb7anGtNqHCI0boI"
    "n20wGPj/NV57cVWkvWgJqyOe4hhq9+DKx9l4LLQyMrczyjFL6VDBDTWZoye9iSpk2YB4Ajji4ddMkY9jUSF7QbH00CGVVKN8xmf2Qpf2D05OFoBkIO"
    "2rHosstGLFUH8xBblMu8nOez6mNLvCAAq1T13KzS0fJI3hgV/VGt2QiY9bIyKM7Z0BVMFJXvnd+hT7KKd8lHRWIKx+Z2LHODlRHSQMLusr8NUdvWyh"
    "U/8dbciOZtklkGYpjf7LD6x0JCQm1JhNqUDr61KIsYtdi8fn7xLKAVNDBce6Nn46PcuzRtQlbxs3c+Gbd4YiYGcpkSdQfdp0XCKnZjDjEXgIq9ClTt"
    "3dgTm//wIyqRTdOlt2m6hE0T/oiEgZVEGt/ZpYXhnZ2LHwI8t3wUT9QDDa+mki5D7CiNQ5Smfpt/TPZaPA6Wg1Jl+7UnoaK5mIVwkZgTkNHTZaGDcJ"
    "Hd9tmHUcKKb7xFoZ+4xjLjwcrDK+Bf5f304CkWVna29ZmWNsfKc3kIVmZBbboc9HfXBVonjIuYbi5Cy7Ymp/MtKtpqDAXluyzz+imc7TgfTx5afI/5"
    "l6Qk5i8IB3lYqR1StlbODTdVR/9JTqTJzJHgXOr94nPH2zt8rizX+bEV1ffMGSIMYOAbiSh+HAMtjruGO9zluFvJgfFYov9NPE0in64khguHymBwgU"
    "FEnVzC4z3uyp7XVetqD0KHlHm4VL3CfQVW9rC1cKd0N6yfbwoHt/fvftWHJlZu0Ph9Io7C8kbNB3kgigmgQ6mEkINxgT1JiB48S1u1QnB8hmVNvSSC"
    "mdrOdVaBQv7tQCo1Qq6rjkNCh2eOCHdXjX/GwEo4Yi4uyxf+rjhZhXn+FGpvFEWd2jol8iTRZMsGNQjcKD9roa8KWRP+klMTuuzqAUdul/kE3dN2dC"
    "eDr+F63anZfUggIu7gxTziQohcrXbglEarSbWYFM6ofl5CHzl/iFpncPTrJ83/vbIwalSQVyBaHIsfenYzEOMytQ/z61WARDq70TWTCTWtXdoI9MIg"
    "Hrus64hlbMfOauP/5zFsRKTTiV66reP54J36VVlcdZRyLipjJhj9SAvIyK+XpUbTNG4DkR/j5Pxz8j4/f3O95Jp0DxZg3zfJGHNJEFP5Nnn8COTUcp"
    "ZBqIhRPHrcslgWEg+Xx7T4cfEZb2pXYFB4VBWQVdDfq+CDKJRq1alAhVZx3V4xH8/WRI902ABV7bSAAvl2qkIZT8GK578SY/ycTVd7cDLq+McSRAbf"
    "EYNqvm/5C7Y99lsIjtTZ6ghUBZ+81Cgq1mMaEvIXzh4COYmz9LsQ8UexqrboMDfyV570NtU/hvzwVvtVqk9enq3am49quRrdMA/8DZMmOzjC6PizuK"
    "SD9N0kHsdOQet44tOuMROT2xFnMR1GFMoIhAP2UVWiyHqcB/qHA6twRCH3uC+3YF2JdDBtafbZDd8iV90ACQVRVV01qA6CSu+WX66i6oSg1i9I+XJF"
    "oywBxfDtNgGvzcB4Yr6xS2EPEeuehV6lPDXc6/VKF9yYNt/GP2e7mAbCSH5mytUblmy+URJW+Z0csF5zjl4OxGSLqZKpDSa1Zc+HJA4eGdXEIMA+Tq"
    "3ae0aQY2WMA3gk4YH5neps2N3PVgFVIEJKU46B3rAcbnOaUIpZONeLZr/HdWiNcolusJdfsWIQW5q1D2YGxidUz0O4Z/DcLsf/7nO8ndtNqpKA41Y8"
    "19qF1wllK25mW23wcgchc0oXMgfPGeWzqcgZONhqU9RuBHrssa4UJmwNg7dnj46T2nA5q+BY/9ITex8JGMROrdV4huw0z2kf5JN3sBRnAKWhcKyS4y"
    "8vwLkImvzi4cYBI5SsxrKpGKP4GGTibG77UmOfeUGvN/4rne29vCOoQDjdEg1ra05Q4lu/hCjWBYHl1MHGYV1GrIGqg/4dbFnQefm8Oa4StQjYvF7R"
    "tX62XhEKycoi2zc6irjTsx7k8VTGcRaM3FveTWbr0fY6C2KXibzl7niN+9TjKnoBhYJN9/utPlLERMZDYMBVvnX3adjwWvu23g/uEierFLS1s+l3ar"
    "oC8s0b0PSS16LASnIoKCto3JA+SELtFuJFIux0Npv12nE8WLs3g+sqQPS8BI2kWgPOs3AiJhPWMHMxYi81WncgP3ag3VGhmPgrI/Bb2I1BSn5ZAcgj"
    "ktrUMJIP6LQL5h/fezdKf3jNmXJeQTrXEYOPVKQkEOKwUMQyWUdumfo0DOQ5vjrsSbQA/awgSXx4G7y5uOFH86qB6XmT1WJxqV1ARqMB43vJDwiYB7"
    "OU+ULeO1RVKi8HoZLex0HTfeVu+p1gCB+AfNVqQ1ArzvCst1WtdEa9Vzfz8UW5mEPxLNJQ6JqJSEz4PQ5giSz51zpfs+qaP+ciixQCtUcnsNV+u7DK"
    "GFo+oR27+0KkTeeHHerhAh3oq9ZHfGHNoGS7EkJ50xU5qCX7Cpo/SMQqpdLpOfFrLzFlYjF5+Q0hxm9O6Uw+1N1vdy1fssAodOkGGkTM8PuLxYImFC"
    "vHu/TNtgsMpe8Jjle55VASBLgMShax0igJWp5uV3IANPniM0FiMZdzT1djoH9TzfMD9xHrWDxQB5twq/D6VzQcO5AslN65X1rtN4Ggmrb9RTG+CKwW"
    "iHoW+TWrEIQZoE3PPzS4GB8RIrzgfMGZal7HthUvXvRCLoEZkxBzGU1KSV29QxR3LAKuHkr5IeUyYdKpp71Mbs9ujtU6hpPEGZL1luqjhuIERc9nnO"
    "Fu0VTZpbAbxF4Qmy6wgZIL89LzuZVmi+KDRNRz5jlYN61ywf1gn9WlHmfrK5RTI2Ieo4aF5oD2INswBhrgQKEj68j+fan4YFkzcDHiX8NDqcXWy68S"
    "76PVyYZnNwi5ecZ/hdSDvLUlGaeawRNpER3zqMVTPG4FbfDcpCU4Kssn12PxHlcQ7dLGCwZ14LaI+dVyBTjzLGscFYuuxh6tsVBSv9nGlx/7e1Dfz8"
    "PxyO0RAUO1DVjeU9zpgzvIcj5hgKaBH6dfeuWBd5DhbzMLA629+ttsjSgicp+t8d4U1XvCOxWv+ghN7MmbEO19FPODhEmel99cFfN9dlA4fnjLnW2W"
    "19+cnlB/5+VivTyFwsA6dxHhPyKf2HR0SUy8tWXtIB3NCL++Od2yWHCtn9ChzyanMHho+45aYU90pbAZxtkN7C4Anc03CWvw5Tvej2JNL/06c41faC"
    "fDVGM8PBhBeRKeQF6HV8ExQ+yJw2dnT7kR+a103+aji06PibRgeqHDh1nBKX3aX7XIUCmlbRj9FdKdgShZafZGsf4WxtolssTFFEXwHWwJCASd3blB"
    "05rTCxunqTwpjRDrcC4Oa9wvx4xluVLI1kQiACkH8Uhp8icv2JI088lywh3PXu1otAwc79zASvW8i5p3ArDtTnfON4xbEczYx9t10gcJY9sc2mSA3F"
    "N4Ft9Rqiv6hAO6OkOABm7XfRRJU/cGxxYsHpS9Sb4UB5YQ2Dxz1OPt5W8k2rCh1qVHxFd58wszXYuSSFcUaKsVDRc24G2xMLE6R9UT79/96iJMe4zd"
    "3XrWMY4S13RANPSkhnyJn30MHHfcA3w+UJxvraajkQaJWn+q8s6L1dVMUGRpOE0CXxJS00jKrA1gFPmYkNbH2IscZSSMmj0fEr0DxdE0LuHxwEaBdQ"
    "XWgLvf0/4Z6V2yrdmG/kEVICfFfPT5TdvQ665HJQTdOFzxCRflEAhPOBt/BYEKSVtB9xPrB+iU5lotibbSJCr8TR3jdw4OEIBT5S2psw7vpwSrwVk2"
    "vjznkC7HRgPHGMk7nZaRxykdtw0gje5pmo7ejLD+HQOn3vwk52azZSckuLmWdNCIxdmHrQKNkWOGPuUJcdHgMvMmgGAJPqVsA9jC7zt6CqVfn/Qkf9"
    "oR/eg4GLI4K0lL/LvSB6E/aZCkw/7hEVgiGsdHjfcXwIJG9okb6juKQxAqfCSwm2RdFQaLZTYm6vG49+TZN6d9BTr2GKDd4R42mxYb0IX0hHTYfGbC"
    "gwlrmUXacII2prLbKY6XEL10jKWkoiOvJJTI+wgUGxp7tk8uDk/fLhAn/lztpU8eU9L3zPeE7BoYq1KMliWgvDHGoqBPTi7PJqevTh7jDx/iinMv85"
    "uKGA3Fe+bW1xQRjcNkdsN3E7ek5Hi5z91lkYKdqLmirmqsKc2XWVGymql9MpkxJcUpdjEs2c+XiB9Zft5Q7tM/wsZU11KorsmKNs8SxNbJxGxPUaXB"
    "/BQ91tAnQVmquFBf6YZh/1H16p2heqKoR3TsdMOJ8jUa1c0tfIDMRiMcE+awCYphVOyFJ6dsIO4WncbzhG1wZTywGDd/nMDWpuZmEZrdxMY2QA7ivh"
    "E6kHWcaV0qPjyRx1BsTlN7NVK6htElZoW3BNhFhU1jeCRfsqkJvs2Hjd3p1OJHBitPy6k3o7P4ka4CX8fLHr5AJ0sxfAVzXuZlxWbHKy7rP30Nn6b1"
    "WiONUwdLlQBt0aqwdKtXUwLCo8ItHtCSKA5dSbF38hZwEKlQWx/DFQ5cGbmifKeBC55m0Eca+N1Z8ew6jVzSNF0EbJGTljlAI1vuRL8GALeme4weJD"
    "jwRBvfvdh7aa//fjzJhEpgeSlfSaGJukqyGAvVFVk5Xv6Wc+nur3uUPXmcnX50xBtibvyexzBQXaz8ohcvzBgQuRZWyLYFn19s5sodWy7niOJnqlIE"
    "fEITfK+Xde/f7mw7Obtxrdfq3Kuf7TdLoi7kyZIA7cwvwyp0Gmo3GFcfbFhomhALNO9AsgflCiwYTEOqThyYwOv5TSdjFSsKssyNQ1vhQ+JrXWWX+Y"
    "/ZPK86Ig+MHUH47yAye2jtkv/tlIh/n80hkhNzPiKbrfNNm+WodOaqKjvPiZpwF2dAvULzTpfv0D3DyDoz3LSdVMMs0EcYncqPKQ217EQ45KtcFO07"
    "ZZjmK8EiYtVHecFo7rVkBMysJCQbaqBq1gaNRQabgNmnCTI342SuIb/fCsvFIwhkh1udQFK4KsMcNjEkfNdelUPhIUZKMIWSyKom5lSaxDwIaqki7R"
    "QBZ2WSE/rzKnlQSZwDJwuzKjskjSHhvhm0dlnwC8ddOqay5sDCTORwVTow6HNsZZORowbwU2sjLWI2R15vEHElTuRwK80yGe+Pg9gpwZ5YnNC8W0T7"
    "v+VsE9mVzWY3TuTAETQQ/CHZ0SObbtyjg/w6G6+4YRGVBEJ4F+0inDAbjpQu0gXvRyOj77nXRR0X2WztNRdyllxig21jX8yLucZi8vt+1xwZtQRV6Q"
    "RPRMibu6hNjBEEbux12Y4U5izvlz5g6Zf3OGTUX/IbMwA+6HLcx1MvLIJEJ4Rl2EE1Bt2EHhoX3Hz4ZDptQY1mBAzSHoFB6IAjpN5i+XNJbNY5ez91"
    "JDKP86yhxbhQx50ATOY8VHfAEUJeJ1TL5ABLaFg9ULe1PVHTDa4qr+rWAJ6JO4jtS1HD9ZdNeTG+qjsO2PMwQMtbtaHfp1tE5DfjS0WWmrQFNd4gPh"
    "9/YKGiO4Kv0YbcgU8LVlaWB7dP87DUuw/o6KfFJIPZqU/dXZ5RNKaRTSZvcG5+5HuIOLU23FUR74dIRNnueQ+eulTmT/k0W88g0d3lzAZhYRtawLY8"
    "FNXcOiv6qXkZ1K62yhyustZcOmhqixk4RRxfMcy46YHiHOCRD7Qrqine22pYtF1FMNXt0ZU5+A43zdtQnB5ZBm9AFBG58xNYgU67Q9Og5qt9FkjtV2"
    "PIoY6JzC4vU1q57Y5cpAPtaMsDdken2y0pojOYcnlK67DYVn44DD1elTMgNGLzQFGtMveRzVb6O9iJy3weBUZy2HuVnXNQAUYnP7z9+a8ftgS5TnLr"
    "33FmqZE+OwuxjsSnN7NJxp11zx1JjCxcCY9wql7udK2BzGh9PjakIQ9kI4Y3dVlLPUgeJ5LzuiSg/nXZWIvz/kRA3VW71d5rN9Zs77d39pj5HJz8js"
    "6fIMGAeYSnCboOOj6NupvsqLrXUHUvrspz+RHyyd/dOzfxnmVzv3cYyc9Eu4cQvTV/iM6Pr9++oWLPa/t+I3X8Cvka+81VqAYRS654eOvaZRqmKUmC"
    "eq32K1evET0Ty34c3hNehhiECWOqwdEIW+I4jM9PpnV3M/t3tzPdHk3kTUCkXOQfZJkh+UpF9CW1btL3C8tpBMlhCBFHEOhNSvmjMN8ucJd97ie6C5"
    "+vFufnkGWKB3V9JcfHu27xbiKk1TYImIC7N7lVJ6n9OkSEfxy124gRpom7yWZIiAjq8xY4RtRuH7CYFF8nL5NfVmUxP+9w/ACTH8CUIKRnlYtBGbQG"
    "qmjEunzVnhGC87i14b7MZBObT4GxEOpZwP3Aw6DMOcR55/Gw92jv1X8/vN100v8Mfxv99tvo8Tmt52+/Pfxj29kPKLsQNFLnUMRXgviTh+3BdD0fcy"
    "ySLQtWx4VqSMggcvZivQqFQVtGuLcW7DV56RQiJ8khW9maIqbdwbsVotBiq9tY5Vk261SVeHgg0YOh51wv2evIIocj2gsCbPsw41RARE+lewNFOJP1"
    "cuuBSJ5DJ6pr74puxSc2F+hMhYE0bYKL6woxLJUVBNGPTxYbqRaXitpocMtyLBDGyMcQJNKQrrL5OKedTYeqtRncciGIjir2h9oqYwaZGn0ENAlwsD"
    "IRNY+MLnswxK93BWbAfVpYd/TNc5ZZnNUsb/KxdRlaVoODSJwO6eCV/NUibI8rMc2ITOKpsfSoaWJegCVxVox44CjEHLt9ubQsien5gWmXfM6ePrcS"
    "o1jUStwVkfgIzui8NtXKlkNFBqEGojIWbIKHai8wbY+1dVe8C9qeMJOklXcBMHRREee/efL8ME8cUoNDLUu8C7MPRlIUN4HnYtIv1ThxovOVixuW0B"
    "tByzpf37Dd7c2crl/Cm2a4uO1kP97McvlWYYLVDd4CCRoF/Qwjkf8X";

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
