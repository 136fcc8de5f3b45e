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
    "+vn9ux//+tPbX5jzkYdzh61hG0uCuB5Ior9oZ9RNhniQrZvIv0iDWK/PGfJ6GOXZDwZ4Nzl6ytnyPBhl2w9E1nlOVakvkIfc6uc5P2+nuQd9abm6II"
    "qWn5DRH7rwkMJwAX2aDBH87VfQ+vLFC36Ihv9YOmpl11yF/wTp/DSNPlFTzM/jTDaQRq79gK0J5T6ViVxkSxvpMvcgOpTKIlTgR3LslxT4Vuaxyq8Y"
    "uvi7KDO2zJX2X/RHLcQ9WNZWx60D1+fls0Wr/BJ8e/cK6dQaV+jF/3CFtOuzrER2DJHWzpV7IbW2Vu7FjpV7cdfKKezk+WoCX7C3gXY4/f8DKH4rM+"
    "LY1d3E/tohqIG4BscXvxuMR41gVNlrZct0+LwGz3qBfh2wWwWko51nAxDWxK/FH0dfOBxfQjB6zJuHZjNTB19+mcr9DAu4pYGNW5DX0ndjZVYIHMYL"
    "JH/j1b3/lJ9+Ycp66rKV9MXSk2wVb5bzjJtF2Ap53bQ+Idle4Xy+dEwUhe3egwCGPiH6O28Jfo2R8/hBSrE5giCQn1iu3mZvO59SCwTvH/cDOc0Toz"
    "7lIUbeCParsTaRC59SjzPkMUV/Ro6tawbawWFwkL5zA4yRvzys6Laga0G3wYvnvlTURIwh5IlPh2ijcbwILstdo8Djj5xFf5Ni7i8RWR+TRH14/R3u"
    "dF4lw2isbG3rCnHKu6V+C3rkQg4rapbfJ+1f9aegEzoWSPxen2Lmc9LmOYpEmfJYJt1WuPDG4Rr6kwaso/3l3fsPb/4U0CB25fCVZx+Gw4EBHbax/S"
    "ynFFlui7bl4c22ewvwL2/+zkChScFIZy/Z7ya/rQ8PXhzInycYHUQykOpn80myWK9k9Fky0aJ9+XPIW4nIZlYAFDxLUBvZec5SYf6h7+hIudVFuVgT"
    "v4TXVxHSQio8lsfxsnJ8MUjeQPyenC+I5l8tuCDbPnOcsV8gk9iTEpqJ+Hd6+LmtecLnjutg9Hg8pVgQyeiIXWEsctMA87nl+U3dzKntz3ACLyotJW"
    "33BSkQrwa9pTazKuEHsijtm64MaW6YjPiqsQFgNDwsKUHtHaCjb/kYoKHsbJazsiFPePPwkzTyLctZVAtt+9yNhDrGsxpcSnx0BEPIEeVNwE4cSZZU"
    "Oe2AiQxYmnlTcTnwKeeL4wAw/AyzfsrCSIVXMliCC2h46Yrfq+nCQubcAChvIQ2kY140jPP1jPHF1g7ANbBY0+QTe6nFAVmOB6t2Xi+XsWKHJV8mbu"
    "QPe8Ja37/IzuQ5ERx4NchciBD+dqNinpt3kKrxKzIq3VQZkxS32EqsThR5nIV3EVkYp0lEPGYi1SKFeTqfIIheU8y1anyRRy4QwrcBm2OA+iY0P+gW"
    "vhctajzEL3FPWQ5cuBYNM4Q27dmUjqiu1A1fwjFor/yh+RqLGTpryWVHsTBTdqRZ5tNvzcQrK9lZ1U578kLMh59+TF62gHnFXWDIijra9iPTRXw8OV"
    "uvVniOk66El99Q7W+SSbbK9unXy28e3haTzTeETVbIfHjLiorNN6cPb9HI5uSxVD79mKoDM5R2NIiLfLaMB5G0T/hInYKjBtbTAV3SeEY6klV5erKa"
    "UON5Ne5cphv/Qfxx0AU485PH2pxCc8ZvDIHTtDi1Lm6PbSBZLv+8QvC0gsUV53eTJXzNcVhJLCF9qHFvkpizxbxjwMNEC35X5v9aE333el5ccYyIP0"
    "M5oa4bt7UKsvl140IxKw6DLf2w+Pzmyq7cdbCfLIkFA+7Z1LPF5KbHJxdvMXFcJWqw6rRhd95OlcHnLWcNBJZtOLp4KVsuUQ5s4zahiriDBKdQ0Jgm"
    "UAlvaWkFM4gVAkqIBBmvUHNE1MhrEEYF7O9Hx74p8Ku9xGPHFauII6vHteRYHXJiS/VDsQgyx7vPNs41tjLuh1SlN9K2Wo6IQtHjD/dyazPa8dCKkm"
    "sBL1rBQoiCW3Hl+uqKrpx/OwwDnPwhO3MrRAAPymy7dKpKHIuSO+2/jyujAvzhVeP54PcJJap6a7qYTXLxYpSfEBBDR89Ks1qz5rIXh7Rx+am474Mj"
    "EHthjjvIvyblYrnkfuhjmhUz+02zrLbDpgTtslFv4R5d4DSsqfkctbi7SA3I3e4FjzpoLGKTu0Gwy3Ol6lZ7qkGt9iFD4wZoov10wOPjfFX6bcXWkj"
    "WgpmyOewjiqx8Da9+l4PLQ0Moc0CiFcyUDxJSWps0etqRpk+YB4AikSwddMoZ9DcUF9cZHE0FGldINs9kfWcwfWD15OJqFkIN2LLvsshVL1cE8xBjl"
    "Mi/n+az62BI3CMAqVUU363S0PJI3RkV/VHM2Ama9rAyKczZ0BRNF5Xvnh+iTrOJd8lGRmMKxuR3L3GBlhDSQuLvscEPUtrVyxW+8NTeieZtkloEY5k"
    "c7rP6xkJDQWxKhNqWDby3KIkYtNq+fXzyLaAUVDNfe6Nn4KPcuTZuQVfzunU/GLZ6YjYFcpkTdQflpobCK3ZhD7AWgY68CXXs3dsXmP/yKSmTUdOmN"
    "mi5h1IQ/ImFgLZEGeHZpYXxn5+OHCM8tH8YT9UDDq62kyxBDSuMQpanf5h+TvRaPg+WgVNl+7UmsaC5mMVwk6ASE9HRZ6CBcaLd9dmKUuOIbb1LoJ6"
    "7BzHiw8vIK+Fd5QD14i4W1nW19p6XNwfJcHqKVWVSbLkf93XWB1gnjIqabi9C0rcnrfIuKthpDQfkuy9x+Cmc8zseThxbfY/4pKQn6C8JBXlZqh5St"
    "lXPDTdXTf5ITaTJzJDiXer/43PEGD58ry3WObEX1PXOGiAMYOEcijB8HQYsDr+EOdznuVnJgPJbwfxNPk8inK4nhwqMyGFxgEVEnl/B6j7uy53Xduh"
    "qE0CFlHi5Vt3BfgbU9bC7cKd0N6+ebwsPt/btf9aWJlRs0fp+Ip7A8UvNBXohiAuhQKiHmYFxgTxKiF8/SVq0QPJ9hWlMviWimtnOdWaCQfzuQSo2Q"
    "66rnkNDhmSPC3VXj3zGwEo6Yi8vyhb8rUFZhrj+FGhxFYae2Tom8STTZMkINIjfKz1rsq0LWhL/k1IQ+u3rAkdtlPkH3tB3dyeBruF53anYfEoiIO3"
    "gyj7gQIlerHTil0WxSTSaFM6qfl9BJzh+i1hk8/fpJ83+vLI4aFeQViBbHAoie3QzEukwNxPx6FSCRzm50zWRCTWuXNgK9MIjHPus6YhnbsTPb+P95"
    "DBsR6XSip27reD54qH5VFlcdpZyLypgJRj/SAjLy62Wp4TSN20Doxzg5/5y8z8/fXC+5Jt2DBdj3TTLGXBIEVb5NHj8CObWcZRAqYhSPHrcsmIUExO"
    "UxLX5cfMaj2hUYFB5VBWQV9Pcq+CAKpVp1KlChVVy3V8zHszXRIx22QFVDLaBAvp2qUMZTsOb5r8QYP2fb1R68jDr+tQSRwXfEoprvW/6CcY/9FoIj"
    "dcY6AlXBJy81jIr1mIaE/IUziEBO4kz9LkT8UayqLTrMjfyVJ71N948hP7zVfpXqk6dnq/bmo5quRjfMA3/DpMkOjjA6/iwu6SB9N4nHwVPQOt74tG"
    "vMxOR2xFlMhxGFMgLhgH1YlSi0HueB/uHIKhxSyL3uyy1YVyIdTFuafXbDt8hVN0BCQVhVVw2qg6DSu+WXq6g6Iaj1C1K+XNEoS0AxfLxNwGszMJ6Y"
    "b+xS2EMEu2ehVylvDfd6vdJFN6bNt/Hv2S6mgTCS35ly9YYl22+UhFV+Jwes15yjlwMx2WKqZGqDTW3Z8zGJg1dGNTGIsI9TqwafEeRYGeMAHkl4YH"
    "+nOhv297NVQBWIkNKUg6A3LIfbnCaUYhbO9aLZ73EdWqNcohvs5VesGMSWZu2D2YHxCdXzEO4ZvLfLAcD7HHDndpOqJOC4Fc+1duF1QtmKm9lWG7zc"
    "Qcyc0sXMwXtG+WwqcgaOttoUthuRHnusK4UNW8Pg7d2j46Q2XM4qONi/9MTuRwIGMVRrNZ4hO81z2gf55B1MxRlAaSgcq+T4yxNwLoQmP3m4ccAIJa"
    "uxbCrGKD4ImXib277U4Gde0Out/0pnfC8PCSoQTrdEw9qaE5T41i8hinVRYDl1sHFYlxFroOqgfwdbJnRePm+eq0QtAjavV3Stn61XhEKyssj2jY4i"
    "7vSsB3k8lXGcBSP3lveT2Xq1vc6C2GUij7k7XuM+9biKXkChYNP9fquvFDGR8RAYcJVv3X0aN7zWvq33g7vEySoFbe1s+p2aroB88wY0veS1KLCSHA"
    "rKCho3pA+SULuFgJGIO53NZr12HBDW7s3gugoQPS9BI6nWgPMsnojJhDXOXIzYSw3XHciPHWh3VCgm/soIHBd2Y5CSn1YA8oikNjWM5CM67YL5x/fe"
    "j9IfXvOmnFeQznXE4CMVKQmEOCwUsUzWkVumvg0DeY6vDnsSLUA/K0gSH94Gjy5u+NW8amB63mS1WFxqF5DRaMT4XvIDIubBLGW+kAcPVZXKy0GopP"
    "dx0HRfuZt+JxjCFyBftdoQ1Io3POttVSudUe/VzXx8US7mUDyLNBS6ZiISE36QA1giS/61ztesuubPucgihUDt0Qlstd8urDKGlk9ox+6+EGnT+WGH"
    "erhAB/qq9RFfWDMo2a6EUN50RQ5qyb6C5g8SsUqpdHpO/NpLTJlYTF5+Q4jxm1M6kw9199tdy5csMApduoEGETP8/mKxoAnFyvEufbPtAkPpe4LjVW"
    "45lAQBLoOSRaw0SoKWp9uVHABNvvhMkFjM5dzT1Rjo31Tz/MB9xDoWD9TBJtwqvP4VDccOJAuld+6XVvtNIKimbX9RjC8CqwWinkV+zSoEYQZo0/MP"
    "jS7GR4QIL3hfcKaa17FtxYsXvZBLYMYkxFxGk1JSV+8QxR2LgKuHUn5IuUyYdOppL5Pbs5tjtY7hJPGGZL2lOqmhOEHR8xlnuFs0VXYp7AaxF8SmC2"
    "yg5MK89Hxupdmk+CAR9Zy5DtZNq1x0P9hndanH2foK5dSKmMeocaE5oj3INoyBBjhQ6Mg6soNfKk5Y1gx8jPjX8FBqsfnyq8Q7aXWy4dkNYm6e8V8h"
    "9SBvbUnGqWbwRFpExzxq8RSPW0EbPDdpCZ7K8sn1WLzHFUS7tPGCQR24LaKMs9qeOS86z/3BHXQzHwFM1+CD4+mvFwvMrL3462WNuB5ywazxAlRnPH"
    "zCW+fwqRGpnt4I8dBHsQdImAZ5+c1VMd9nl4Hjh7fc2WZ5/c3pCfV3Xi7Wy1NI8K1zF6P9I/KJb0aXxFVbW9YO0tGMMNCb0y0TAtf6CZ3CbHIKC4S2"
    "76gV9kQ4nu0izm5gCAEwbb5JWKUu3/EGEft26dfZT/xCWwu2E+PhwQjajPBIMNxfBfse0SAOn5095UbktxJim48uXjwm0oIthA4fev5T+rS/aiKhYk"
    "PbIPorJAQD2a4S0Y1y9i0UskuGiJsiiqk72OLYBb/cuSHTmhsKW4upgCeNMN1wLi5k3C9HcWVBT8hnRDy5lIO8ojSBkJc0SZp5STlpi+d3djRaBq5w"
    "bmCl+sJFzTuJ1HanO+cbRpIIZuwj4DpxgASWbQ42MkDuKXx97yjVFQH/Ad1lIUADR+g+iqSpexVjCxYPyt4kX4pLSQhsnjnq8fbyVwRt2FAN0iNqqL"
    "z5hbmgRUm0JAq01ayFCxvwtniKWL+i+oL37351MZ89Cu1uPbQYx21rOiAaDFKDsMQPMQauNO5JPB+6zbdWU5pIg0Q+P1UB5MXqaiYosjScJqEoCalp"
    "bGMWzzOKfExI62Ps140yEtjMHvSIXmbi+BaXcEFgK726RmnA3e9p/4z0Ltn4a0P/oAqQk2I++vymbeh11zMPgm4crviEm2sIhCeshr9yQBakraD7if"
    "UDdEpzrZZE7GgSFf6mjvE7BwcIiakCkNSZa/dTgtXgLBtfnnOQlWMjSmOM5N1Ay8gHlI7bBpBG9zRNRwBGWP+OgVNvfpJzM6KyExLcXEs6aMRz7MN4"
    "gMbIUTyf8oS4aHCZeZs80OifUjbKa+H3HT2F4qhPepI/7YhHdBwMWbyHpCX+XekTzZ80bNFh//AIPAqN46NG4AtgQSP7xA31HYUhCBVOC9hNsq4Kg8"
    "UyGxM5d9x78uyb074CHXsM0O5wD5tNiy3aQnpCOmw+M+HBhPnKIm04QRvToe2Uj0vQXDrGUlLRkdfaSSx8hG4NrS/bJxeHp28XiNx+rgbMJ48p6Xtm"
    "REL+CZxOKVbEEuLdOFXRmCcnl2eT01cnj/GHD3HFuZf5TUWUv+I9c7RrilHGgSu74UuGW2JrvKXn7rJI403UXFHX/dW02MusKFnv0z6ZzJiS4hS7GJ"
    "bseUvEjyw/byj36Z9FY6prKVTXZEWbZwli62RixqCo0mAPih5r6JOgLFVc8K10w7D/qIruzlBdQ9RHOfaC4UT5Go3q9g8+ZGWjVYxJV9gmxDAq9sKT"
    "U7bYdotO43nCRrEyHphwm4NMYPxS83sI7WBi6xcgB/GnCD26Os7WLRWnmsiFJ7Zvqb3jKF3DChKzQnR/9hlhWxUeyZeMXIJvcypj/zY1wZHBymNv6l"
    "7oTHCkq8D58LKHL9DJUgxfwZyXeVmxHfCKy/pPX8Onab3WSCPHwXQkQFu0Kixu6tW0cnBxcIsHtCSaPFdSDJC8SRpkHNTWx3CFA99CrijfaeATpxn0"
    "kQaOcFY8u04jHzFNF4lX5DVlLsnIljvRrwHArekeowcJDjzRxndv6F7ae7wfTzKhEliAyVdSaDOuoiXGQnXNUo63uOVcuvvrHmVPHmenHx3xhigYv+"
    "d5ClQXs7voDQqzzkOuBfqxbcHnF5u5cseWyzmi+Jnq+ACf0CbeK0rdi7Q7207OblzrtTr36mf7FZGoC3lEJEA788uwCp2G2g3G1QcblmImxALNOxC1"
    "QdsBkwJTWapXBSbwen7TyVjniYIsBONgU/iQiFdX2WX+YzbPq44I6GLPDP47iOwQWrsEcjtF1N9nc8jIxL6OyGbrfNNmwSaduarKznOiJtzFGVCvUI"
    "XT5Tt0DyOyEgs3bSfVwAf0EcaL8mNKQ7U3EQ75KhfN906hojkvsMxWFUReUpl7tRUBMysJyYYqoZr6v7HIYBMw+zRB5macEDTk91thuXgEgTBvqxOI"
    "7lZlmMM2f4Tv2qtyKDzESAmmUDRY1eSOSpOYSX8tVcSPInGsTHJCf14lDyqJPOBkX1Zlh+gvJNw3g9Yuk3rhuEvHVNY8SpiJHK5KBwZ9IK1ssjrUkH"
    "pq/qNFzAjIC/IjrsSJHG6lWSbj/XEQwyEY+IpXmPdTaP+3nG0iu7LZ7MaJHDimBcIxJDt6ZFuKe3SQX2fjFTcsopJAKu7iT4QTZkuO0sWe4P1oZPQ9"
    "97roxyIjqr3mQs60SoyibeyLeTHX6Eh+3++aI6OWoCqd4IlIXXMXR4kxgsCN3SDbkQabBfDSB0zv8h4HcfpLfmMWuQddjsR46oVFkOiEsAw7qMagm9"
    "BD44KbU51Mpy2o0axyQdojVAcdcAS5Wyx/LonNOmd3pI7EynGuLrQYF+pJE4DJvHnqHjFCyOuEapkc8ggNq0votvolarrBd+RVXT3vmbiD2OATNVx/"
    "2ZQX46u64xA6DwO0vFUbCne6RUR+M75UZKlJW1DjDeLz8QcmI7oj+BptyB34tGBlZXlw+zQPS93tgI5+Wkwy2IH61N3lGUVjGtlk8gbn5ke+h4hTa8"
    "N/FBF4iESU7Z734DpLZf6UT7P1DBLdXd5lEBa2oZZry9NNza2z5p2al0HtaqvM4btqzaWDpraYgVPE8RXDjJseKM4BHvlAu6Ka4gWshkXbVQRT3R5d"
    "mYPvcNO8DcXpkanuBkQRkTs/gRXotDs0DWq+2meB1H41hhzqmMjs8jKlldvuyIUe0I62XFJ3dLrdkiI6gymXp7QOi23lh8PQ41U5A0IjNg8U1SpzH9"
    "lspb+DnbjM51GoIoe9V9k5e/kzOvnh7c9//bAlyHWSW/+yMkuN9CFYiHUkYrzZMTLurLvSSGJkckp4hFP1cqdrDWRG6/OxIQ15shpRtanLWupB8jiR"
    "nNclAfWvy8ZanPcnAuqu2q32XruxZnu/vbPHzOfg5Hd0/gQJBswjPBbQddDxadTdZEfVvYaqe3FVnsuPkE/+7t65ifcsm/u9w0h+Jto9hOitOSh0fn"
    "z99g0Ve17b9xup41fI19hvrkI1iFhyxcNb1y7TME1JEtRrtV+5eo3omVj24/Ce8DLEIHAXUw2ORtgSx2F8fjKtu5vZv7ud6fZoIvN+IuUihx3LDMlX"
    "KqJvm3WTvl9YTiNIDkOIOIJAb1LKH4X5doG77HM/0V34fLU4P4csU1ya6ys5Pt51i3cTIa22QcAE3L3JrTpJ7dchIvzjONpGjDBN3E02Q0JEUJ+3wD"
    "GidvuAxaT4OnmZ/LIqi/l5hx36TX4At5SQnlUuBmXQGqiiES6oVLVnhOA8bm24LzPZxGbkbyyEmvpzPzD5L3MOOt55POw92nv13w9vN530P8PfRr/9"
    "Nnp8Tuv5228P/9h29gPKLgSN1DkUcV4g/uRhezBdz8ccHGTLpNRxoRqkMYhlvVivQmHQllXsrYVfTV46hchJcshmr6aIaXfwkoQotNgMNlZ5ls06VS"
    "UeHkg8X+g510t2A7JY3gi/gpDXPvA3FRDRU+leJRHOZL3cerKR59CJ6tpLn1sRg80nOVNhIE2b4OK6QlRJZQVB9OOTxUaqxaWiNhrcshycgzHyMQSJ"
    "NKSrbD7OaWfToWptBrdcCKKjih2UtsqYhaSGAwFNAhysTETNRaLLLgXxe1qBXW6fFtYdfXNlZRZnNcubnF5dhpbVaB0SOEM6eCV/tQgbyEqQMSKTeG"
    "osPWqamBdgSeATIx44LjBHU18uLUuibH5g2iWfs+vNrUQNFrUSd0UkPsIlOjdKNXvl4I2B739UxqI/8FDtTaTtsbbuCkBB2xN2i7TyLiKFLioi7zdP"
    "np/KiWNccPBjCUBhBrtIigIZ8FxM+qUaJ050zmtxwxILI2hZ5+sbtru9mdP1S3jTDBe3nezHm1ku3ypMsLrB6xxBo6CfYSTy/wI=";

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
