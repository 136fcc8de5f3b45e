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
    "tb1rdxvH1Sb6Hb+i5aMEaBGEQEqiJYKiluwo73hiWz62Mk4OjDdqAg2yQxBAugGRDIP/PvvZl7o0GhTlOeO1LKLrXruqdu17tddVnlSrshiv2oPxYl"
    "6tkm/f/+ld8jqZ59fJX4v56uXbssxuOweHL9NBa7ook84sXyUFlegP6M9JcvR8kOztFSlXHLbffvPtn979+b/+x3f/8y/f//Dj+5/+359/+fDX//Xr"
    "3/7+/2Vn40k+Pb8o/nk5u5ovlv8qq9X60/XN7b/7B4fPnr84+vrlq72n7d74Iiu/XUzyt6tOkY6oo2LQGs+yqkp+XF+d5WWV3PFIy/V4tSg7q/xmlS"
    "Z3q4ui6uE3VcCfASdkKx7oZk4pnVQrJlbMqgxamFPm0rJVNxnTB88IBcIxZau9vXTUTT5ls3VOhcbJH5NnBwFsqotiiqZeDCjvlPKSP/5RE0+SZwQ1"
    "+b1HJTCi+/sZSDf/eZ10pKM0OTmRFgYb3+d6XqDLw+TJE+5COh5I+pPXybPDB3e1F3T1hBsYbDwsMwJWma/W5VwAMNhUxfk8n3jgfjIoCswHVjr5Aw"
    "3vTbLf+ZTsJdT2U/o8pmT6SzO5WpQ52ki0uPV44lepN8vn56uLQbLZyHb4gUY/izfDPLvKbTPgNzYy/ZHNUK7nFSUMR4MWf18W84km8Pd0MZvkkyBh"
    "lk9l/8hoZrPFOFsVC27lLlsdU8Fucna7yiv83Eix1UWZZ5MfqddKj9EP2ZLgsCG4VXn5Ke/Mu8l0triu3EBRTipXq6xcabU/zxbZ6ui5nL95KgUm63"
    "JHtszpOivurY85a/5389WzwzhXxt6YL81j3G9XDQV4TQeuzJ/LxdV2KZm1lKJVW5WL2Tam0UKbFo00v/H76nK+uJ5HEOXdr5nJYpoMe72eX9huYp+y"
    "rqO0ddmb5J+KMXaF/eyV+XKWjfPO0//u/XNxdowlnl0sqhVnFOPsuN9bZdUl/ZEKx0+7Sbutk5jTDoy2FBLeT7dn7oeluzhVbDtnlIYBJa9Pk7uWTi"
    "e/5THyFt5L2r/N2/TnsrdYhl8yoAHjYywaQ6h3nq86VD8dFNOkg/TXr+kUE+Yt6JgSNFtSrJJiXanqZ+PGFyQt19VF566YdPkwHevAusliecyD6iYK"
    "GzeoDS2gnuRiMtiEB46Wo3yXjS86nUvqPOVpB7AbFkD5ApbOJTVjW4/PGcM23Ni9Ke20TrjqDMhLKR7tkSn2SLAh0mTKffrupm6bF3Q3Ufp3c4Jasb"
    "pVdJBx4r5LDRovXePAMnayrZ0fstVF76qYd3xqNynltFuf2roUzW46LtGVpEUve6vFKpsRWLC6j1yHtmpJ1G1/0OJivi26FnyJVItrz0FVOsyDABEP"
    "Nvl8QpdxDT3zoLBee4nhJvoi/Ny6XpSX2+UlP9lPHKaS4jSB91Mujq1Mxx9D7yYXxfmFDSuY4+D6opjlSYez97n4Ke4TOzvAOx2k7nELaXJK2XwYXE"
    "vDqxHfLURapC3p72qQz6q8pX1eud1LuYMNGl5fEeXBg9QFX8/DwQ3tF8+EroXpYj3Xu8Rf06sFpVAh6n2AjxP9wMrSjzHVWYGaWi1SX2nq1oaR73C1"
    "IKBN7WZ0iVi0ESpP05abreHi4XTEiIDGzwOTI03d2DJz6mCzma7nY1xxCS6Cn7LznOkrOfgBjPnmVVyM33LxdpMZIRlFiBj6XFaSUTrvRzcpJcwSue"
    "KD2x2doEDO0OMcvggIrkB8XaohqA0FTpJ+GpbUNnj6WzROyhAgUtPPA4j3f/7y/sfeMisrmWqvIqyfd0ACUsOp9FUKKfAoQqUthoIRCVKEdxHtY4BB"
    "YFymgzloqlJXV2DBCfj5D0ndbBggmArO3kaa3iIYBjruOz56hHbXZTfBQSK0R1DqJnKBS/G3K/mL9Sd6Vu7bDXY3Gh/4VZBigi/qKI1nQgCr37Vlr8"
    "SAFAaC2OWa0Cti2B/pBTE8GAUXxPCQvqqLbMkfzzwBdTl8Th+r/IrrvKDfSzpxRbXK5yukHI02aTQ+uvXmQIg8ZRqjDCUgv/iO22P8qYWGq9H2lVDa"
    "faCTkS+dDR3LY205wEF2EU7dLKfRLKc8S15afGCWjLfxgVnSVYCfNMkWoXr8PPKAmA6/Hsmq4vfLUWtjxILgnLtVsZpRJzQr/CBo5lVFRxYp+pPSsE"
    "GO7eZw3ev9QXu7LBclvvmHbZxjB6pui5kgmYHuXZpfuVgucy6mP13ah+IqD9L/saLv1mYQgE6Ow3pus8kVgShXR4cs/0RrXREamW5l2f6POdCuHn6d"
    "pjCkpcejRZf+wcm/ww4dZivQFrlxJraNgiSZvBZcydUh2JQ4Irpk+NKqNcOHFt/GCQ1w0dUKyV2piVRhP9FCA0XgkoWPYJKXSLIm6OsUKHN//xLTQt"
    "GI6bKCtJGyMWp+kvHryR+iwoiT/4hZ+atB0wkZ7CcdrksFmFWTL2bXTvmSPZa2+YOQluDGgDHyqDXbWsKwGGMfbJFg8fRez3rCC4KGQgECbeZBq2c0"
    "aIuuT73NqHQ62M7nYyVFMgURxr5RwM8d3PUqlBaU+wCTHV6J314QyPLOPyscsgdeijQYShZytaiEIUADKcEYfwmq+NNblcSIvOMzkPznP0w5SMuzgg"
    "k0cJtbXBDQT15LYTIkTpKNHada88s1Wu8QJllVfKcIUe7XMe9l5TmP6W5DaLlcjAnNcPqSuAdKVkIzV56brsk2jaENwUemTNKjGhvShNGEq3DoTDty"
    "yIzA8iQ56Pf73ZaiM3DDmmQYLROMhlG12x6v5YQsJ12GpLDtDpX1ayisvwtrMVT5TnEDk3TeNkqRS6GLrLJC6X1zbe2cq/EYDnP7Gf7OaXVb2CgExX"
    "Kdf+kUN3bz0/jl5pNlBZQzWXT6JcuPfhry39APYl9dseQ4SKCjGjTgrtHM+HVdTCUbCB3gh6a29NrM5KDzdjQ6Iuvh7z/CjJCoyHr+KyhE0AnZcCYQ"
    "ISOdnxfTW/CkvNLCRmOlwW3jion56pAyMp56i1oCg2u0KJNgdriIzX8KLp8XeKDMnhxh7pNKM4a0NHRLaf6gE8r8dy5SmVYzZRSV7CZtFf64Xt2yy8"
    "aVvXHu90aqmxU3pZ1MwQPgZbDZ3NaXW9qxtsh3HC39VprEkvypprH7sgEb7RK1Eu9cacbdr66MQK/jS5wS5UDAC6v4LiGnowycKCUBsVzHNeGKP4EO"
    "iueyAgYVRqQxhhKSLmPO9x9z2WsQlERUbQ6SlG4MjzZ4Xwiq3d4VlH4hCPdv7bRFmBxofI/yK/6D7tFNKoxJXOObNnXCwMFiBduKP92OGhLNzCk2Q4"
    "EL3bWtTdLQ7Lu2G/sZjTxqGzdCra0FbiK0cJbiJuqc0cDPePyYBS0kPnb1VfAdE947Qr1rMl9b7pfQhbvJfLc/+91tkp8GcpDaGvZZuCitYgVDrokO"
    "C62grw8Cwe2oalGuOp2MSDS+YzN3DDJeKkxWUvALN/FABQSvGccbg+uEBSpOCPO2NpMVSBO/qWnxaHz5Kne5dZ4zaLKL/cPfTnSXO9FdwAGK6C7n34"
    "MQ51iGfGmWkx4x6cwHVTJUTIRk+mnYS8VFnIzfEAw2E2wRvfZ2fhtLMJxsgBD61S/otpNK99Wvxeqi0z5ppwFNl5W49NrF5PVXdPBaIGuqr05ZDOGE"
    "Dlm1+k5FFCgvu5kFG31I2HCAQXO9w/XdaUMukyyz8zyhQ5HMFwmTfVioD/l8MW87sqxJAnLylEdRjctiuTpVaYiCIZLYODEG7S0Myi2lik3oPg4kJn"
    "QZQ9ihQBpsVuUtdq1vV8nemqzEV0joBh9f0MlMH1LPC927b36rnjyGSH1EWGPvM0tz1wbJ3N60E1BBqe8+INLnebXq8I7wq3g3d0jZBCQiNKH95QQi"
    "RBpkZT5vUm6kvWkxm3X2gQAm+XJ1sa21gIaEeRoRNFCBA+qTTjsrlEBzDZqUp3PRnarAzs7K6evESTV8gz4fIiKdGk1rfGmKJtM1SFUiC2lnvnP6nk"
    "gfZIV0ZkZu7tDxzlmFybNRZS+fIzuTT5JDYk3l3KYsaSrmNOFwGweyYhUTtxx0dJhDN8ERRLNUb9CQIxkbDHBRTlh1Ml/PZnLJS5NpS3NafhFFT3An"
    "252ob+JjOv8wJFakdcQsKAVS7ywlXOw/KZvuU5nNGWTZytiPdP1NR3DQlaWx4UUsfR+8vC7+pbssAW8Z+Bv5O7wc0Ua/FJrqM7CONxCYLYwEInUT7m"
    "sewV3HJVtniAKj+qewnxtlyTnLqRhMiU7Eu9YahgVwUY5kzAIbKkgL6ncAtW0o/jUoseSMhnY5kNMnpaHzlzaFPNhYc76X0+R5/9VRKgPoVUtGd3Qv"
    "H/afv0ytMq66wu5ng/4cI2RpymsVp3hMsXMN0L+OUA4ojZtRgdxJjjI9eqYoYuhKj4QKNzrf8+91Be09CAK1pCenRDH9yefQSn3UaCkY2741+dmGdA"
    "gn1ggPpz94f/bPfLzqZRVkNB1FpXfSg8ICPP1seoxaXQGrIWKmnjzyvsou8+8zQuEOgwfofOCRuWFxbT0Qgyua5068rFtBzyRTtY3gQ1oFnMzRc0ae"
    "80ZVbmNhdC56j24LFVUHct+K7sagLW7N7V5WTO3tyeA9KuSugU51F47ArqGIp9JUaguGhWk1xpFCBKtibiCzHFKREWPiudMAD2QipvwlRpqY7BospC"
    "3PDIFhPj1NjnRlJOGPydGzDStybXy4cvppTc75hUjxATgxUqbvhBuDAHjPAWLU49kOFeJI2tsTpBRS+jPWj6CynA+iXIU2EKw2I8LwjAWC2+w3uB9L"
    "4QslZL4tY9BaEhLryGao3U9267gL6GxEy1D4rGKkn/7qKqjEQT9t+f3B06T9wU02rHb9+uRkPho0MVoEEGNMi2GMxfy8LQeBfomYaZPGGpsAYra+0h"
    "VOKmGNs3WFpZr19McWkuTCdgMwVmWDq/VVoLyq7aewim4ttD5ksTbfe1R7T5EgL/sljpLq9vQo818vMvtek3l9WgGreJUtO58nK1hfnI0cpxeknmlq"
    "Gq0eZxWa1W3tygGpH6WqXOV5yBTxmIVOolHl58WceQJwvEwveGmU4jPkhujMziUtpZJborcXmCvFAMijCVsr8ODUDA7vqfRK2zHFcgilcMmnplYDje"
    "ioOIf3JqQRuZOf9dUSgi/zoHrKwwnbw53fQgKNwaNWHVMgm9IknjbG6CwBUDeAI0F2dmvX3QxyEtgOdJPzcrFeVvr3/TRQiDRwFlKYdzLdmbgkA85E"
    "dLrBJRbdJlBY8H2CbvVKga5rqB0PlSMfiV2Aq3suR+OcakrvqHueJqgpRwIKF/pw2gega1YPKU+Zqu1j1XRCvVUGNBPNpI70m3ZbdmvuKjH47IwVi2"
    "BS9XkPWjLKIcZP0xEUvkU+gZI550kD/EjhUWmaldpEp8LzWjbQ1mfheyeb7xyDiEkmQkDEod92ZLi9an2Wcdu8CF2/MKntESakOE+kUTbgTX2zesIq"
    "7sPBDcuj3SqGtEEAb6mWTkWk/R2soa6EFNuz9gA0b48zF02kDu5O1cpzVW50W1f5pMjmlEI3ylwNRbWdK1z3Hftg5oKg4TLNjhSS/VevpAXN5CM9zo"
    "tZZ053fr/36lUq1VkZwnr3oPTc5bU2wTE/u/2RDp+d8zKbn+ehZJb58hATcIke4wP5KVhB8HJoYBemvZ86Ib0UcTc0PgmX8OUR7xrdTbQlCiK8zs0i"
    "ARUC6zz+DA30OEE+ui3Vp0C1okoUpzmhH7RnJIWLVQyZ1KjwdcWsO/78BeqMGEK29ItqtYuAjo0NIzuSBgNBplzRGVN4SruG8nEGRwhRQQGUrGqhUP"
    "1giV1vJ4g0zLxeDmkohr+p3lWqfsINpT8fyeUlX8DD7qNiQlVHnpwySIbILSY0kbvwU8HJPLqrz2ag/GuwofOdTSZ/Zrl1BO8uT5/NJk7VqNFLBXEH"
    "Egpc5WWnRL6aR0R8145ltI2ui924jpGCS64sR/KyIDjGGu58qK2GOyPuCmMYOCSus0BiOOD74SDmnLHV0tRL5c38806UVTwEiO3BH2NVp/zFa2p5W1"
    "KtYNc549ER7yKRy+/BHkPsUGQx6TBBye5+s1aGMJmVQgYbb3NN/sWKdd6Ehlun+nM/6QRlUu2Crob7CqEMbev6Dqe/tHPwJw3t/85u3y/ru6G1wxK7"
    "C9g+5Jx3k8Bi+h6EZ7qFmqJVsVmsbHUoTpOKf9PmD+yWMapfcjH6WKh5sVfmWZNsZ/zFaN13GaNzZgRgWH2aoEs66tT6jkO2za57lKe8Os9mSC1FCI"
    "74lFGPDkKnlipzCbb+ENAhwoMWiQes9DTdHj2W4dmHOkwslgOXoqslA6AETJXO4QPQEI1WMNHoIago2Ha/jBfLfMfOq5DH20fNENodqErbTt5At9Wa"
    "bq/9g80OW5npF91H921OtZ2BdkIhxABkUeSq037aFvJpvRRDtWXGaoN2O0CIEyGj2OaTkCG3FbCqQFFcDS45EzDbT1XzQRW48HAyqhsjoEIam/kjqa"
    "uwczPUz9BmU8opJHlQgCaoSp6EPzTchz9N62VwehTRafPMEDO8hhBQmM5yi+CPByeE7QPKteaMhj/bXJU7E6lAZ1ODiE7A9vzWDAJE4pewTIJbQm6Q"
    "N0HCMda3pLXt3FMIq99gZJpiD5QBS85mGAGHX7JZ6Xp8YU5L8U2rZubFTivzwretfhARJokUu0HjAA4tPZ/tAX2JGN2DbFiNeuulmRYA9JSCrvQndG"
    "MDHbfsP7j70Eoib88GYdyYCj4pjxmzqIzjzkKxXMWeGNI890obEkOSy4B7wf1wLSPpD/yo+tTQZ5E0CkQ4GgmBtb5Cp46p7wOUYNdqNzJX/Cm1WrIl"
    "+YN2dgNrYMzetp+MwoI5STnz3Iwzu+KTL0kiWm8pq2ZrwPZgxAoYUI2X8YwoF+IZHfuJ4doA89D6HPqfFZ/yb0CRN6lwxcR9p2l7aHijDM37qWl1Qz"
    "XvolAtQCQwc2LvmrgmQixSN9Xm7y2hird7dMmtaZnnk9+hDLqLfEPUjhUS30qUcpaiLiFT1r7Rte6dQ5xNsCrhQPZiwMPAYQSqHupsO9kLwneNL7Jg"
    "4AZU/UR4zz6PE6eFcv4coqFisAzpm4+6LqRnCTYtJ26sqdgh0KRx5TudtBpsc1hpS7uuQcIhWNNBtQmJFgFo2dj8smbz1qD35t6aJpatRBYJBTdnyi"
    "fKD7jS/muFTQCyE51z6kExzWZVPnCgYH15yxpvtL2z7kRG1lcDluGlyEQ+34Urq5raR04ybErPadM2v4SYGzJ3Zx4da+kva1p6OuoXQMfNbQ3sPq65"
    "sexYdDf4ftNZe127KrvuLuYR0N2b6Ari57625iFiWTCSZw1E3fJLtTcZq24G8S5UBXshLsRe8DqQprz+Bve/3ES2qXR4tEG4OpzFZH0g6pzqJ+8okG"
    "wmkIMvM5d3gqDFdOOEiXc4BJweSsbGZbEqxtnsJyIG3WX5GWrlulhdFCFJPhzCUmJInEwam0gY9XK5k3oJtPZqHy+tM4Uq/SqCwS3KCjoYwbW8Edyl"
    "6la1XrVdj4bGV7Cqjy8yHnxWim/f6T0DkDJfYleSOh4hchksYtM/IFD6GoZJKrjcP8DONSEG2rICJ7H1oLIVTgvSkuOghiuD6HJRiYldMXKZxImB46"
    "Hhvqm4f/tyeneIAE2Bw2Zo//lPEsEcNeVOUghiLh0eXFQcMEPZNAmBinIpcT86GRRQjORagEuCdC+XTaPPaQgt1WihyIl6lN7d52nK3fkh8WpBTn3i"
    "KFu9EpzrKdtz1dxPeb9SNu5lXm/6zev8SLw4dYZRHtUC5slhzKlHl9e5zD/lML0j0mOWrXDs8nDzFvM5m1EFuzdPzQHFnLhRJlDNHSZPNK3MJ2vCTS"
    "AtjSxmjWrijTlxjgjSp6+DtHxEO5kPFDo7TihhILbQxlfzUZAS+6roddjV23aH82S6OHfEubZ0nkVCXWfbK8uQe+Sdeuztly+P+MKIRarJmwN2KR95"
    "yeVdtcrh0SjsNHu4HSeQIkxUGO/d6r3svvVZ2X0ClL01kcAufsVeH8onwR07d9bLAfOU09IQgKDyCMnw8eIK5/HnxXXFuEto77QWn4CJeBH4wvJ6sW"
    "yDrYVMCY6AceyCkmcS6M8iD6Tri8WMgYsW6f5fXB/baaTh9ubMdrBYx2Q4V019i8yyK811rlL2V1MFTpBqvV7lJdMSfEaJzCsmueycbSdYMaXLQ7mv"
    "+QJ0SnUSfgR7dtbymRMIZXVbUkPZrTLQzQhIsA9wB/K99panzT+/4Z+iGHsb/JZ0ptre+p9I3ah+gjoctrkNAB6zCo1ikuTp0yST3awhC3j7JZCqzx"
    "erC8IFtuHoI5GAAGIK02poOvGuzZwro4yzJU3yebhxtpCgYuJXTNSO/207TUQxwmUQRWIz4BXrLKZ0e3a5iE85Q8o3bU/UIBoIL4Yo+DrpiBFE2aBK"
    "60I7C29B5+r6FkhOf38jv3UpeIvrUiRPg/Tj5Mfsx67ShzsaCuvub9ct6NSNVzvrMg7LzuBL2dAIovW4irKnFvPZ7XHyKGiCrc/byXHrkSuaIJnXHe"
    "ntNiv5zFjxMZg9JnUmi/H6ipAXtv27WY6f39x+N+nAT8jYvQoRhiqU/oXdpTpV6k29h388Of2qPXp6zrGVTpP2H/8fbINx6KTPGpH2wNvAwxIcJ/RT"
    "lyMR8fHsfMJVctAHM/mJNs+fi5t8gqqIJsQ5UQZ7rfrPw5T7YEsrDm5k6J1l/mh/pfbx7X2UmVedfer3uIVk+PEk7j9dEaYmOitpds7Q5bL5URKWxV"
    "Q6K9oyB/kz2qq/rfv9sxdV2zWdv9pV/IiKX2lJn/qKUilR9VHs7fUaDjen9A9Gevg8HuCZDPAbjE9KPH/54utwjNbrGdqn+tTBX4pvuF+p8PWzr58f"
    "vKSGGytwc1TnB60TZFlFyv0v5A5itD8Ptsw82DK/fdN587rz2+Tu2Sbde5xi67S7fnMs83IsBvs3vC+wJZ4kN2m49JjyHyy0GW1y1nDcTbLy8liYWO"
    "fsd7GOAzYBD88WZXxfBTck5b2fdhZLvRiw9aUCXwxQKYm5pekZH6EDFtGzBou/Ki7Z1Q8s4ZPk4NnXvRfJH5JnR32eKTdpBdHLx4tq1nl8x3W0q+AU"
    "bJLHdzzPHiaJbfz88A/J86M/sOrgxcs/JEf0e5N+9MYi47qT8wfU95GXqtUtLxN19i0RBmvi7H9BUsfhBPuhiCFWP8ntMk2G7TNYCLan/O+kuMIfxJ"
    "fA32U2z2f4Ucmfi2KFPyBS2kQp84yGaElM1al3zP2nckGbYHX7v4DiO+19ObHwCWEfkg7H1nGwIKoBXio/AF922p1lmU+JLt5nEO9XYxQ8TlAybac9"
    "LppXA12A8SzPysi7SKzYxtn8Uxa4vZ8toGCVVIzwG5w92tffzgoCzM9062BnVcQ3A6Jy0f5ESzf7GfcPqG7C29chwUrf4Sle3PSuiwl0PN3Wxf3lLn"
    "Kin1apkgU6Jq7MXERQ+pr2HY+J6X4tKdXrRS9cUZ502OiOJgdxeztac1fOeQS/b4lugct++3BC++Eumy0vMj25RO+c42B8KLN5RfvtqsMtdUEU9RXG"
    "8oGC57PFGZFMqM8KiNY5C2J/0b0t2+TsfCDJvFDSDiz70MB0waimfXCwvEmqWyLrr/bXBfVDve9XeVlM21QKg/0mo01M+xqlr4rJZJa3vajlXFqMJC"
    "mzYtk57ybipyarq+bhDFdCvc/N6AUKxMi4hoFJLPai1NJPkxe9I13z0MVLbE+AYHrP6ED5SIkqXeqrCaj3FD0n0iKr1mX+ASvADl+60ievdZg2LY6i"
    "qJxy3ClHP9xuiTmD9WH/8KhtjZ7a1BvHBh4w7C3sQXzZgiZZSxpA+BzxIJZm78xq/MLkgODPxF3LmH+E4AiDTMVGxJjPo6KSxoYoMMJREF6ey4Odlx"
    "+vufUBd/HkNQc61E6cw4gYEoQdpF8scuBIbzaiKxqOFySwWCGUM0SBrbx9II3w4PBFh7Acszpq9yNRJYmgevIk3Gj8c7Y4P+hrBb80/I39wXXfyJ9j"
    "n3yoMSUpy/0Msl/47Bc+GwPQSJT+oloV40veTti1XZ6BR8NDlBa+esRMe+XItzfJkNa6TYTaiLWulRFryIhIsyj/leQrLYasodFgzlJ2UpyLQWsobf"
    "BmiAHYeGJPddD71Pz+qwCITIYymcdEr7vdpX1Pv3JoSxVO/tdfP3x49zOv1stu8vNfv+ePQxrA929/REDXg5cDDzzWUuWlXgrd5FORX+t5UNkde60p"
    "Hs4mEw5L8j2HSqBqba0/WVwjJJeKk7Tm3Q3iUiymU8LNf+smt/7r70AxnxCdQhC4tU9ZP0mD32ZLgkAOD29J+G7i7o8pERlVRy11PjMwdOMGhuMhsk"
    "Ld15MbdiPWIRL8kdu76SaT2yDj75ZxK8iUf/P4cUk6ZmxygwXxn7cQSSLGGGDaI7qGSqDlLjdGJCT3FQ5AkqKuB62gN/UfvSDe+EPB7nDiC99a0Vcu"
    "i9e7oKJlJ4C7aysV35vPQGy99Atps2VU5weSSk90XY0vG3uinzI/2z8PWSo6+7xWYmRxF8zynkFfX+RMJ+qAabuULFr7Uz7N1jMf3EkxGMRms1WGqD"
    "x0jJ/1gVMYa7pl0xJ/w+LVEwmCLbeY+1ZSURLTCHebKMBCNlv9Jb+ViCYcqpe+giZwm1nTrhVrQor9e7G4ksHlN8tOrTBbM/f7By/SbtK44IMNe+BV"
    "VfEp98TS7pWYnM14UaMT84gHkmOJMJPgc8cuk90xLVaydhGq5n2qkZpDQvlxp02ZbeWVpIAiQb8RQMsii2nBuQvw3EK6sAKToiKWESeofTZb0ESMwQ"
    "RLTKVkjL+CvKBrPkr8H0yVho1pQL8tHI7bOsfupzH8DXcpsbMsA+d24VJA/z8X8cLyph02KQpkV/vvqP0SdzjtNm5CRkF70xfZT9DmS7jmR9Vc+wGA"
    "HaySOwfSbdDMF8RrDRKNnoywQEylRgGUs+XSgpfSTyi7lksNUCrbxxZNKlsgXJmgBkq+ZiFe8rKv386XaGDXTtBel0WQtF1mi4yjSAdhPG0YPXGAiR"
    "rr9XpXzhdLRP9QM5r0n0N6VA2uakgm9jflCB5X4uFl0XuZpQO5IGFQpUPR419xmId4shumV7eiVmP6CIJ6A5mQy9L7GSEOLAIqdwexnVXjxp5q6E6J"
    "YhMURJuAe+em3qOMm5q+oRrSEZrd0Q71EHZIzVYXi+uO9wW7bxG6SquBzhDnO8Jo4Wnh7PDEcPfaeEfACM2nhqBlfqR/GAjlmWHCabFZ8YieJodE48"
    "3Ec72xGUKJxNXZErrxaAk4SqJ2MDLtaV+mwB1ou3vak2Slusetaf6rO0Y2h40UpQcOXpMyuwYqZFw+zXC8usmNB64KrsK4aLRLO9GKWifm5hJHB1ao"
    "yqaUnWHRhHlJOaDf9nazsax4NwZ7xGfSsD3lEkg3gEf2iXx68OaSwYzLBWyeqKlBMLpwome3XTdZ/sQFovXObj3/s6jquNlhBePPngjFu6dEsA5PLz"
    "/BpIJuDVZynhvxvfAWrhQPDEKgYtW5/5SUjDN8ZGBkOYtPsd4p02CpXKBOH+vZW+mbI+dBqjSCr3dl0aRl67JQ71OezWAbMp4tKnaD2D1Md9quwmjO"
    "VxaDB7H5W8Epb1xzFS9xZ6ygt9pbiI1bOQFxHGENgjO+u+GhdU28REiHfh8bu45qpFJQ9qB3mG6Pxk3sJMSWnKVhrU/9xBDcA91A6tW8w0PgN2AQSd"
    "pzSWnkMGKblaNEO3WdbdkTv9NoHJzDsTc1+zTciLs2NY2G9717EkMvq1Z4EoM+iWTps+NHQbCQCHL37hiz12LdHH5r3JOaBUXkdr1bnnG5U56hi6Me"
    "2Ww+sTKLicsti4nLWK5hEL5vIuqpzns/DiRgO6pm5q2W3HV8Y1baTcvMFmC6yPL8BCjpR+brg+6x0ez3f/7T6jyyD9i9sPOPRAZAuasgnhY1hFwJOS"
    "CZFtEgJX7F6Xsjq6otvOlX3Z8TCCQO4arjnejdYgcyMJzkV2yIBdu4eWqbuWdrZgHHzftDaHydXpBsK0cElVyZ3ujXhKV2x4aEI42waVmFarXUiCB1"
    "s38Bsa4nleKz0XcqNRXSP4w6c8YNbu29/3RZNTIUIkxzp/QpH0jI9avwRirE19OZWnt5UidABxepqy9zPi+LSUfh1zUZ+3mvIma7gx88arbdSyELLy"
    "HwFnio9MhLvlk+Hdjn4TAIgcwHwuxf/SEAlSCX715SekRjw3V4D8dDTDJlBbD8P9Mnxh1md5NbHo3Owl+BqAAGIKhQK8uGVNgeVT6jKeZm9uWq/xmB"
    "pVE/LIRZlzlNDIGIm1UFrLCqaQsUbkrq77NM+WFwaz0McCHcJLoIHcRbTMloHa6Ba4cOT8OowbPZfGzUtzLSa9AXg6ZKU9OKsLjVtBXROMJJ9+ksvE"
    "Cze340CNH2UIVLtAubRzQprmwWPCbaMjvIUYhKcVdDTPnC5KLBtSyxmbfJR+czdGEXquxalD/lvB0QDobGc2KhQNetanDa0dQTbqqbPAuIn4ND7Tws"
    "wiGrm860940TPYZJ8l/1QXBxkW7y77xchLhyURbApmnX6VpMmB6AEZVUrv7wIyAKM1267bsnwFtChkk3qcnCBzXL3hsb9U2H57BHTT3RoliOG2iNLI"
    "KYJJw4DtjdgQ86CTc8+APT9jUurPSwlxz1qRvqN9iCrKV0gyNGj4o9izYcHYEIwW0htt3UyqCJxIreI5gsWN+4f+BUVw+ltiJehf+Bu5JEdq89O8NE"
    "WEAJ30ONRUvP7t5qyV2LxRO+xFEbQzdc/dLFxYl0zar4tvE5ZfLW3mjZ0plKlQG2J+pJSzsM9owC1FXBXol1yNt8nZkoN+RweBuZGDH58Pfr9569qJ"
    "8rfY4BCk3ec3QfJcfB/ou3KzDsYTcCxLWKIhFPRi+PF8pnmJL1Wb9upu0auOk6kuheZB3eA62PmN7jO5scgXRDX/YShepn2y6seyLWoPYFRe3mmOrP"
    "K+NzU65vgIAVCNeQBC7/sdvySylKGohKU1GxUM7z+PqhzH7vBWPQLTuATY2GqB/J1hewQt34YRYXvse7vV+J5bAkcHS5K7Uf7tLhWYWdXEArML4gPn"
    "YeJosPsppHu1R8D0wJyUriC/H7Z1dd7PF+7+DIoQ7dGs8GzpWqxg2EYscgpFOkpg5DtBnNP/BhHy2OqQmw9Bxu4XXHdvij7Rh6XoRBZAnRO/SLsryJ"
    "DSBucKH13cuOkIgtOe2gliYRl4zOjq0DzFLbx1LLZSYHTkap4ckcfU7FJagIAotVHMFyP3EJlyNhGw5AmkCQIY9EMu4sYKRJfx/Z7YLVgwmOrDvTqp"
    "4L/Rdwq2PM/qU0pDFjzxG9nLDqv4QfUz0ebwQqQX+G5lXKDme8Yv8awfWGpQ28pcxxBGZqVgIOFXc8SlZD2sg1dyDryvRdfLYWiK5DWI7g2e99TavJ"
    "YDtOAgrJ4b2AITbcxy7gx87QTizuwxlgIAiBAFO7ADEub/gIqz1HOpBQp+A6HG5XlTmbFkcwwaXj1sND5U0AFFiTApYI6jBonPKBzfEzSFbRNL8J5r"
    "aSw2vgUCUumDgwUDHFdITC7Qr53XCk0dfhNmVfWn5wwuNU6tvg2DIb914gofCik1N2pmm6Njhad0hpOVBIl9xfKIMxqvU2EMS6QXUbi8oQxdVH3zyU"
    "I8Rjqlbl4jKPR1Ux6Qoq8FfFOgVXcyjVMYxvWPLOFmPSkAMX72xldfhHeBXXwKirrfHRDpQzDVf18CXO7OcZsJazFwsqH7yAZUu4uMz6iJmIS9WHN8"
    "Ji8UCDO/RZt3WrhCLfoXt6hyJm36571DHTxf03J9s6AMFGbJFI7fJ0m/GFosLurFSk0uZ4x1SaOqmoV3MYn+Om72+aK3W8A3V+ECYHITRvUf6W/Qtu"
    "D/jnGV0UZ7UHLF52vZHADfD6TR/DeqYWid/TqP6UVRfmZg3TIeIFnrHV0KgufTln64oPi84NmPE+M1tn+b+LvPx2XWoGNA8cpfG2z4Pft88DfOIvd8"
    "3bEzqnwUM3Pd2ng/ipwate4FCuVw07/cUOf3brHMqlM9VLB213rkKfvy4uuaue9zhP/UmKR0doNfTWpn1pb2pi67hHGL1N4CH0AtIlu8KqqWe4AgA3"
    "nJ+ZXt4ppQ1oiM6tMfwBt+6EayOPBnE93BIApCx9hKynijTZCCZQ94WaOq/OPHywOq1J5BnJl3Hs6t5LLk88E80b14UflWGAtcOashlevdBekKLBqK"
    "Sam6m8oFFuBuHMN7FnKSwviR8yP9M4XGudALWBPUwQfai0z6XRPp40DUXS6pzpVUKnycpPxUsRQqWRh4tTGPlZqz9fsdFqSrme2kz5NUs3aadYUJAU"
    "RDZpS84/9Q2DjhCFtY2czWAj9l26i4200DdG9bFsyd25Rx5NxaHWGxKznRc/B2oBz6KHgrc4c1fWO4Yq9+dbAf/nmb2AE9zi8rqcy15ImyS/ycdrfq"
    "/t8V0r4P7MezDk/pzGwKvac7yIcZbrbBhycNtmS7Xo5DeCTA+1wKdVowDY+9QZd+0Cl6+1pD5/Xs+DkhFZ4UUCb+gQ0IxcuVCwHXQfT8mePs+vFnij"
    "47OmO1uWO1dcE040DzHGuccMRKIVBAFbTI8yxq0VBelarFfL9aqiNjIJc8DPp0C33hZHVqT1XJQB/dYQjaB7NJy0O7+15/+UIQ27jwJbtbV8PtH+6i"
    "24jq+2Xw6sBVMbu0tJOgKQemqW0BhJIhnrC4Re7qUB9TVDEIY0Erbmswfj3vUFiwHGvUwjHslk6/YQB/7Vc4UDLKPY3047cJYdMCJyi2r2XM5etc/m"
    "RmK6IlYrDYV9NhVWm4iGYmISmIiKeSwK5kal8dgv5u/SGTN0LkdfoivmuNCGKGLbnK2JNCsclb9b6b3ONoDK1bm0PU4bW21ZmmF/tDP0wm5l7VjtiF"
    "O5EAOQ4ZYKIbAQEWsrhMypBEXYCqpge+1StqJ8oMDIR1OQq9FquSisjVGBr3rhyxHO0IL5MgxFmk7qeFxRHp7s0PvOPzfStCJGS3nLeQ/elt/6wcaJ"
    "AOnfTvr4mM4dkAXfUvDEY3kXrmMYC3vwpBtxCsnx4KKW1JO1ST8OWpu01fsnIVZ+rDr1Gu2HKbQbJznwT70byjHQqzgqq3LVVD1zZwlfh33vaqZ8nM"
    "Mau3TBNVVwf0sN/DlkqC9tzBYln2iOHv7GU/hOnl3lMxdaaYUN0iSMxCI5BTu4Rp7rfrJrdZzMcAeLZdNCM8yHAMBB+q0qrernTx7Bvf/IiZSpprsi"
    "/lILpHBhXhUzjxciyaV/zsAMLP0ToHa9uKBiFuHoMwPi/kzRolU9sCQmDjveJOr3Y12zrWvL5Z9qGH4dB+dKhBIp/9oP1ndkbdVuM8SYgvxAAa/0V/"
    "itSyz1n3jTha0S6s+mBYLdMQtqDmpdbXxfTrgEfqOnNpUOs4s9XcqV6vwqb+86J61XEDa8CHK+rBvZkjhmiyp3+zYWs/R7hy9qqhkZioqNOk2ejptQ"
    "MBDaNXyBTrdm0vAAKZURmqx2P+jv1qmGdRSzSqXDlzFFGQTKdTFe4kYvGxVnECsEnYQom/t5Dgn1AdzNLtPIqmCswTqc6fYRCn4NZzTiM1+Jl4MS5P"
    "9VZsuL32VKf46aZkfv9CK33pzeMPjB583nJYTPvUb0ZoiyzZCIIEHu9rsyJmeDB1Wuelta3FCwcDnSCNingczA3hwS6kvkLvKo7CAOF+ZDhXEIgIZg"
    "vXGg3uBhvuCR7Hxy7nz5OWJrV18rw/NMEmhKHRLcTfM9MVizSl5BVomLhirb+lEz2NYmymrFbXSgIJCiA30LN239jsCsgYriyoUY8tFY9cXAApCgXt"
    "+CaBJbQt0CtXjlRfVjzu8LA6wQ/WKd1XH0R/b98zlx/KsgYBpifRAg3dMrCkr/MMtmlySxUYRoMcNiRYmMoz7nSKQ4Go2UwnaDHjifNaVopTVw3otd"
    "T0JxkSfJ88NXz18dfX34CsebqGb24cIOCh53dg1IBgK1IsMggLh6AgXx8WsFgCWAadg9b7wvSbwrNeKZPBGniqlZdpuX9vxOcyDSYIWAJWlRHHacuR"
    "DVHWloOJO3vew3h/ZK/et4RHZwXtAEvulIhZL068yFbtbYTVwqikZ4GYXG5heSBD4wpkUDHMiCCrLh2tLHtFv6OGLd5J8SRQyv4q6G/5TgYU99aXjz"
    "7Mt0LEnsa9yQakH3uGMOypfywy/6daaq2LmYQO17eot99jwCDF484vaxZbNV+PAfrelcnPetcbwcpA1nK3uzU9rlZ2VcMYkBCZZecp++jqYWkdvhEL"
    "TV1zJYeV1NghQWs0nJwgLeI1EEbndi3aItfQjJsCc+GtQZ3WDWoGxU2TVUxfdoD8Tcv0f/T3Dhg3FdK9h5jWikGKlt09LsQDH44VKCSkugNBwJjM8J"
    "dULArCS6NASYW84o6ixC2zCOL4WhdxGiE9k8Lj75ONpdPZYWprjqOnjb4ziJNMuI51j+cKiYTWq3FztctgLY7LYjsxeTe/GrkHQCtxGufyRSo0tuah"
    "flZ331eEjuDUXBGpzBd/h3UWz+/4uXJXzWPvFLfLVNpHLfcKyi5J+kaRKlMtqaaENRPZ0K15NcrWoZqMoZ3TCCfFTk3IqkfLPgmoVDRkBSqLxMpxFK"
    "iuw9YrwjwD9PkqPn/HoAvuII7+Y42dnRu94Mo66LCakPIEjQbgkEtjVrQEsgEpJmUGijvShyJA7tgSlabDZcAsIwJ5ZDxmAjvsaxxoOXGFq3g5cmP1"
    "dJPgcQUB4PY9FC0NwE5JwY1MjSgmDeWvqgcGrEneUDUFH+sUQlccqBYuLCrzZCKegYa8xCSZ2zBFQ2KRbsbDbLGz7LkZDsxpSSmRpAQO+vflbC7iab"
    "1vJ2u+JtoM2Ums+f1yuqBDf0zw69jHZEM1L/H3GaJlax1Cg/0eWZeVWuRFIMXKyJM8Y3ocN0UIYhgtj3DQmcZfGB1JlDclhOgDtV3KQOXnhhssBaCB"
    "tn2v0cL38eeG8o4axCQy4v9en1DwMDFBd4iYgNDKGb+BBLlMSSaDsHQeNEjfaeY0PU68Ngpvc8TZoH0u99/aK7Vcf44Rv1YLc8GDh2FA4MFnEXbdgd"
    "jrdk9/ODo4bc0HW1Ffuu1jaEuJ39aoMQAd1OvzRxSmjFvjUhtPv9FwG8n3VD0Dw1v1Q8McUPKEhqMHgPGsjgWRAvKdgYl37m0O+zkl9Sglwb1A5gxA"
    "6xdhxfJ5Mbaxwft9sVzSPTPTn1SHaI57iEFjG0seMq2sJXTEBO3JNshUHfM0XCh9RYViDlSILvYyXsWF2JmbBrZRv3/AsTfRhQsaMbZBz7B/krs8dz"
    "GYz5gu3ECM1MuE9gfc/mFqfsxHVk3jy8GNd6HG7cJXD4XCw1TkUkbkeOV8sOz+0Xup4FInmJDRsL5J0bmMYgi33SRI0UaJCcka/Z9xpNFqymZSkp9j"
    "DXss6+ThWqADZCZaRfpU1OZtv4MvI1u3AnBlbncWvCveqYLrIZKL4j4BaIp8TDJtRQHko152ITvlwz8z5Ss8BHKngJhIcY43diahs9JCJG6ksVin5X"
    "03bklljBsCcTxPm5T8PIw8lUr0dbvNkfIhpg9HpEeBZc53YE9mUMW64vKvk+Ea8Gq8ZUl1lDOlZJB3fD798IV+f72dhly5JXgMdMNaPQ2t64binGnG"
    "ZAZ6dWoi7tySbgK8Ib3i0hBzEzO6uADvZ98dZZuHWOunSiYft2y9vvsMF0bttyjke0B+tAsZOD6Zy3mdto2GHAwILlsyE1242GKiSmtQlHzBvlAuoQ"
    "1sBBy8ycGERkpUSdc1MnySvui8GsMC7SHUZwjhG3Vhw9B/HS6WtnDN7cujwW4bUBjW5rse6gYlT+jM24D1+wz8qLF1tqj0C90KB8YKVIYM3uNCPeAv"
    "HoXmvFyFH1cwCWnkYxRHXvxwPdZYC4u8Ompaj1J58C6FDroo+gcKuK583c3n4jSnm1Le3RjRWHoNfw8+7+ESb3/uuz22LDdh3DG/3hn1UEdXKcPFLP"
    "E1yZ+nOo2aPd1u7wLanrhEJ787qpuWEw8T31yCG6JOiOQJlUrpA0pGV0P8E+X+dDgFzM0y829taGmi28d43SRmYD4y1eGT3PFtwSKjSIc+pm9qqbHB"
    "wkTyKWA/exBHXaHVf0wUbhnS3O0y3vG46P+eLsZeKfEQzeLWSrWv+NC+I7IhpvaBHxmqHwWHutdsLxEb9ONDq2YiGI0diJx8AD0oz9IPW2YndIZc4F"
    "Wl8/0IU2XAh/l4CoCXp7kkQDcY76LKRDWF0MDTfbpjkW7IOiu36JD+zBy4f5LpsfXacup9D16j97ZaqnNhviBodf0p1dv+kSqdhHtvxl20ynboNpJo"
    "xWWvISgkMfJqPd8G7QCuEDMzgqBy6CVtVm082gERZKUnX8fayskerg6jU/SuSFAwSYOBIlaiS70dhzW6R1QPTO4qMV8XJGlHrqGxyjkqTuENK+OYpZ"
    "X0e97qAuhW2TzDD4o+8bxNe2VMWFE0S3tP8PntUGF0wvNgXbIfdvRVELPboHy8NBUniudfOu3RW2s/gNHc5N05YzVN42U/bCN76C2KKrZqbs5XBpK4"
    "6QxttZw+xja3zUpMd3NeuIHZt989v8bTJZrM/oYLHxHsxFJlWyWK96HwehsHCHeLCYhCywj6o83xJl95y3jDd6fnw3t2Hg52K5SdjYea7Ps0h6hBtj"
    "zhx2ZIVAA6fUDk1NYCgG0LWJwu2t4qc5RKSrkCtWvbazj44Mn4NVqPGpDwDQTmvoega/sgIRuaEbbxvx5xnQ0++wVZ6i4v+5qfIdB3wGb7bZMnzA+y"
    "yLlX+gBabC7W7Cb4b4x1j411nO79IEDwTgqWFY69srLptQBweuab2UGMQooJyTvRWwXva4QXmFGiHr3XsBLqvSLDEdvZOfDx0a+gzeeBsPNi4m6kRk"
    "+770tJSnn5Ekujv1U6NmTbzEZViZ05HGgwnZS8vcNM9obe8f6IvTklNxjn+Zeagvs/E3u1TagXQp7n0OGeFVL/ZmIyjQivF8CGwmgH/jynHiyD1GpA"
    "8o+1em5PXmjjYCbxKmheD9Uf1KJ0tzcBQDKkkSnSP0sb45UHv6eSpvI7fkXedQ5ap68im/cEV7BUbUS7Uy5DszfAqauqZ5ia5hI/Ca9gx/TeWBnGLi"
    "FtpBDpIUt+iLUhb9qse/YnkEAYvtoOlD3qjd37+MfGik9hv5C5HCcXJpBPkJi11YqHj6WgUoNeOTJffhn/s06RXbYPCuEn2sPni2VAENfnP+cClbEa"
    "ETagnHCc5vt0ntB+6NCxdWGACZyntAou/1jwxPVaG4ca9Yo3T9NSi2d53q6bR3hQhSVLwzRn++8bH8HGjDkqR9THtmrNTr9erNjermC2fa6H6SyS+I"
    "LdAjZm4qAcViohFGoGz2fFqsXKzCKMdVaZZyU/Fa1EpVwvHe4zS4nIaaeW6ZXzPe7sjyBhK22rniRJa+gSMO0y9TH4KP6wfPrExNljemRsXilf7Wi/"
    "ODLOhVzDK3hjZ2ThTh9L/MXvtewW4gJOaVql2+62VVk31OI4ANaJ5yRHjsVLy3nrOxR2dqEUkXN7k2YsJXEUAeEJu5XK9YcMerpy7lqua1EM8WVKHf"
    "O8IBFoXsE2nkFCHF4hHfslVvUIbDj6hQYtqAfJGGI8p3pMgfQgEDM5smA4GkgcuzFnrqnab8NuXpqmOPTOvWzYxv93TQ2imjmEvsb4gqRJBVY840vy"
    "62cFakTfGCbiN14ZEPv+KDrZiEJI18v01Zzhu9pw7rJuIXGcLDxBiHg5rIgmNX3MqfpsAwz/w4npnDvA328GgHQz5tDvzy+G4qVDDRujoZBRsfRskE"
    "DZt0zA1d/dJTJVUTcQlUtJnyd0ufdbJUx8ljI2gS8/MpM5M6r5c+5FLotQ4idNDC2XHX7zQ8BnRIkCAcu5pv6KXFWPm+E4Qjm4kMvbV9R+ibgZp2ne"
    "iLKXR0xn5e03A+gqiu5TyaYB8DHIul0Pja25/w4LYyRA+TyWVzjalLOY9UbKqAiFlmNQhtPUaOzcLOnARUUI/Yi8gDq70bsJ832AVQ0p2xrcKZ6qih"
    "ACce+QTqVw5Zd8LfKCAUg/GXvWnsQdzo9tpwcYgDZ8jPYXk0TI7sxMBTaa1odUC/aDhr/fmaf6VWbR2SjXucGrKA+DZGz+1gSEYevoG9HEXJhDT0hP"
    "0Im4cGF9bPTt/TiEGwwxqrNuWHR9l+RUqHAp8YA++42+slBJnRTfxG/hzTBbZ1v5pi6cO7v32AvA1h04z3/vn9r0Bph/r57fvv//rDj78w54Pr5DgZ"
    "toZtLAliQiGJ/qIdPNOMF0C7ifyLNPgc9DlDnqukPPvBAO8mR5It71FStv1AVLajo1GX+gJ5yK1ez/k9Vc19dcg1qwsiaPnJMv2h607VpYA+hYkXY+"
    "wXqn99yI0vX73ih8/4j3WKWtkNV+E/QTo/haZPohXz86AxvKwG3xrk2g9YCFJuX+ZxkS1tpMvcQ+hAKovMgh9ls19SQOexyq8YuPi7KDN26pD2Xz4f"
    "tRAyZ1lbHLcMXJ9Xz9as8ivw9f0L9PKeBXrVv2+BbOl3r5B2fZaVyPYQOZR2d6zcK6m1tXKavrVymt68cpQJ2FXjxZL3drC1gXU4/f8HKOoW4GcPuo"
    "n93XEG6hv9d4PxqBGMKpOubJkOX9bgWS/QrwN2q4B01AzhlwJhTfxS9KGw2Xk4Dg4+v313Ds1mprEh+CVE9zMs4JYGpslBHiaGC0hmhZiTvEDyN17d"
    "h0/5+WemrKcuW0lfLDzJVvFmOc+4WUQ8kue06xOS7RXO53PHRFHY7j0IYOiT1V+6yrqI/Pov5/EDyGJYBjkgKL2i+jH7sfMpNWG1f0wW1DRPjPqUh3"
    "95I9ivxtpELXxKPc6Qx3v9GTm2rhloB4fBQfrGDdBvcLcD37ot6FrQbfDqpS8VNRFjCHlS2iHaaByvnvvNuGsUeGyYs+hvUswdiHV9TBD14e03uNJ5"
    "lQyjse67rSvEKe+X+i3okQs5rKhZfp+0f9Wfgk7oWCDx25ISx9mMz0mb5ygCZcpjkXRb4cIbh2voTxqwjvaX9z9/ePengASxK4evPPswHA4M6LCN7W"
    "c5pchyW7QtDz233duzf3n3dwYKTQo2U3vJfjf5bX148OpA/jzD6CCRgdIgm0+g55DRZ8lEi/blzyFvJaKaWb9Q8CxBbWTnOQuF+Ye+2yblVhflYk3s"
    "ElQKiIYkFZ7KY6xZOb4YJO/4FajzBZH8q4XoHuDbwiEqf4FIYk9KaCZCp+rh57bmCZ87roPR47GuYkEUo6N1ha/ITSHP55bnN3Uzp7avET+kqLSUtN"
    "0XpECsGvTC2syqhPPgorRvujKkuWEy4qvGBoDR8LCkBLV3gI6+5mOAhrKzWc66hjzhzcOPXMm3LGdRLbTtczcS6hgvMnEpUckKhpAjypuA1TZJllQ5"
    "7YCJDFiaeVdxObAp54vjADAF/Eb0UxZGKryRwRJcQMJLV/w+WhcGS+cGQHl7byAd86JhnG9njC+adkCodQqBPBDNlU7tOJEnwvRJ+ausvMwnidgZ8G"
    "NBtMPObmVVitVMDxfrhd4ul7FWiMVmJqvkD/Yfd/4ktBryjhXQhdrsLkSCf7dRGdHte4jkxJzeK9WcQaYF9WMdqwjzLK5Y4BEqoViZA1XzImYIfYJc"
    "E5piPr3ji3zb1YW1TBggB8iSIFjXx2akeJyojhGBs9zDywMXJ0zj26FNe6+rI3ovjf8icYC0V/7QfH0EAF7JksseymGm7Gfz26LfmonnvbKzqp325G"
    "myDz98n7xuAW+LM9mQtXx0aEamyPh4crZerfB4NF0or7+i2l8lk2yV7dOv1189vismm69k9fHFWo7NV6eP79DI5uSpVD79mGrkDGj8aBAX+WwZDyJp"
    "n/CBPAU7DpypA7qk8Yx0JKvy9GQ1ocbzaty5TDf+g5jroAuw9SdPtTmF5oxfxAObagHSXcA420CyXP5dn+BNH3vQgi56i5x9HFYSs1ZvaOztS3N2qn"
    "Dce5hoUVfL/F9rog7fzosrDk70Z2g21LHvrlZBNr9uXGh19T0+/bCHYSyGirLmwX6yJJYquEe+zxaT2x6fXLwcyAH9qMGq04ZrQtvM1HnLWQOBmSKO"
    "7mtaQbmCna07f6p8PEhw2ggNpiXuZjUVr2AGtaiHgYs530go7shRHZYW7GJOx74p4rg9AWfHFauII6vHteQgUXJiS3VCs9Blx7vPNs41tjJul1RFP9"
    "K22uOINtLjD/fOeDPa8dCKkmuRllrBQoh2XHHl+orQM8IfBM9wfcjO3AoRwIMy2+59qk/HouTOdMAHNFPp//Cq8Xzwa7rynEdruphNcvHWk5/mYjZ1"
    "HmZbQdWncSw1l68OSOAnxPibA97yr0m5WC65H/qYZsXMftMsq+14XUG7bKFduNd+OA1rag6HLe4u0iFyt3vBa0LqDW9CO0iFea5U3WpPNZriPgRw3A"
    "BNtJ8OeHycrxrDraCOsgbUlM1xD9Hj9WNg7bsUXB4a058j6aVwvWeAmMbTVOHDljRdt/2igy4Zw77GgIRu5KPJL6NK6YaZ9I+sIwjsxDwczWzKQTsW"
    "fHbZxKbqYB5iKXOZl/N8Vn1sifsuYJWqlpwVQloeyRujwT+qsSEBs15WBsU5G7qCiR7zvSfMwWQV75KPisQUjs3tWOYGKyOkgdjmsE8W0erWyhU/Lt"
    "rciOZtklkGeopfi7L6x0KAQulJZN6UDr61KIsYtdi8fn7xLJQi9Ddce6Nn46PcuzRtQlbxg6s+Gbd4YgYKcpkSbQjNqcVgLHZjDjE2gIK+ivxzo+gf"
    "/Ief74osri69xdUlLK7wR+QTrGLSlwVcWviwgHPsxtMCLR8/GvXAAaglq8uQZ2OMv5Smfpt/TPZaPA6WolJl+7UnjxRwMQseJtGOIOGny0IH4WKK7r"
    "MHszxosfGGmn7iGkWTBytPfoH7ZRfMTvAIGKtK2/pAmBiHujyYgVk4tS4bje26QOuEcRHTzUVo79cUimSLirYaQ0H5LgtOXGIzYp4AfDx5aPE95t8w"
    "lGjzIBzkSb92SNlaOTfcVIPLTHIiTWaOBOdSPy+uO95a4rqyXOfrWFTfMl+JALSB+yzix3L0zTjiJ+5wl+NuJQfGY4k76x2C9dOVxHDhrBsMLjCnqJ"
    "NLeDbOXdnzumJerUnokDIHmGrQEF+BVUVszN0p3Q3r55vCCfLn97/qE0crN2j8PpE4EvI62gd5mpAJoEOphGC3cYE9SYie2kxbtUKIiwG7nHpJhNG2"
    "netsCpujDWw/tQk6o6tuYEKHZ44Id1eNf0DHSjhiLi7LF/6uCI2F+XEVaq0UxTvcOiXyGN5kyzI3CBksP2tBFwtZE/6SUxMa0uoBR26X+YQgsIBYhX"
    "0J1+tOze5DAgFzB2+1EhdC5Gq1A6c02lyqvaVwRvXzEno8+kPUOoPfZj9p/u+NBfCkgrwC0eJY5Oqz24GYpql1mV+vAiTS2a2umUyoae3SRqAXBvE4"
    "YIWOWMZ27Gw+/i+PYSMCoU70xHodz+tTX/SntyqLK3PdLypjJhj9SAvIyG+WpcZxNm4DMYfj5Pw6+Tk/f3ez5Jp0DxZg3zfJGHNJEM3/Lnn6BOTUcp"
    "ZBcIRRPHnaslBHEomdx7T4fnGdl99mFRgUHlUFZBX09yb4IAqlWnUqUKFVXLdXzMezNdEjHTZfVSsvoEC+napQxlOw2vqvxBi/ZMPXHlzGOv6ZHpHg"
    "d8Tcm+9b/oJlkP0WgiN1lj4CVcEnrzXIlvWYhoT8hbOmQE7i7AQvRPxRrKotOsyN/I0nvc1wQJw3tN8tvwu1e41umEf+hkmTHRxhdPxZXNJB+m4Sj0"
    "NroXU8Lm3XmAnZ7YizmI59kIIhCQfsg25FMV05D/QPx93iKHbuWXluwboS6WDa0uyzW75FrroBEgriebtqUDwEld4vP19FlRFBrV+Q8vmKRlkCiuGr"
    "oQJem4HxxHxjl8Ie4pUVFnqV8sh9r9crXVh92nwb/5D6Ioy7ww8cunrDko0/SsIqv5MD1mvO0cuBmGwxVTK1wSC37Plg+MHz1poYPO2CU6vWohHkWJ"
    "XjAB5JeGC8pxofdt60VUAViJDSlF/faFgOtzlNKMUsnOtFs3/GdWiNcolusJffsFoRW5p1F2ZExidUz0O4Z/DQO7880edwbHebVCUBx614rrULrxPK"
    "VtzMttrg5Q4iqpUuohoe0stnU5EzcJjvpvciEGK4x5pWGMA1DN4e3DtOasPlrIK90aQn9skSMIiVW6vxDNlpntM+yCfvYWfOAEpD4Vglx1/eHnWxm/"
    "mt3Y0DRihZjWVTMUbxcS8ldIDtS4266QW93nSwdJb78oKtAuF0SzSsrTlBiW/9EqJYF36cUxH5TbEuI9ZA1UH/Drbs77x83tyQiVoEbN6u6Fo/W68I"
    "hWRlke0bHUXc6VkP8ngq4zgLRu4t72RD7OjtDN6JFd3Tt+GWVRbELpP5Yp63B47XeEg9rqIXUCjYdL9/1OBUTGQ8BgZc5Vt3nz5YUWvfxVS5T5ysUt"
    "DWzqbfq+ELyDdvftNL3qrTFeu4KujrkD7Ycj3DgwfZbNZrx5HI7d4MrqsA0fMSNJJqDTjPQs6YTFhDicWIvdR3IgL5sQPtjgoSvWvL62E3Bin5TR8g"
    "j0hqU8NIPpzbLph//Nl7p/rDaz6q8wrSuY6Yi6QiJYEQh4UilskadsvUR8kgz/HVYY2iBehnlbCLYfDa74afa60GpiVOVovFpXYBGY0+VdJLvpvT4s"
    "OoZb6Ql3ZVEcvLQaik91iu8l61uMoFts7jRVfFwvxA6vRj6LqXsQ8TGBYaO0575MuX3EM/7ARu+KDxm1Yb4l8JmMC6ZNWUZ9R1dTsfX5SLOZThImOF"
    "/ptIz4Tfl8JosuRf63zN6nT+nIuEU8heDLTV/nFhlTG0fELnYPc1S1vZDzvU7gWa1Tetj/jCToDq7krI701XpKuW7Cto/iARS5lKp+eEur3EVJTF5P"
    "VXhG6/OqWTbm6XdoPz1Q3A01Ue6CUxw28vFguaUKyw79I321MwlL4lOF7llkNJEAszKFlwS6MkaHluQIkMUPqLa4LEYi7YhC7cQKun+uxH7iPW3Hig"
    "DjbhVqltxbLHou6d+6XVfheIv+kwXRTji8CSgmhykYqzYkJYDNq4/EPjVPLBI3IODiGcqSZ/bO/x6lUv5D2Y3QnxoVG6lNTVm0kx0iKQFUDVP6RcJn"
    "c69bTXyd3Z7bFa7HCSOGiyNlT95lCcoOi5lzPcWJoquxS2jNgLYmcG5lJyYfJ6PrfSbOV8kIjSz7wZ6+ZeLqIsbMa61ONsfYVyatjMY9RnDviBFhCD"
    "GAMNcKDQkXVkn8NU/MKsGbg98a/hodRii+o3ifcb62TDs1vEeT7jv0JAQorbkoxTzeCJtAgxPWnxFI9bQRs8N2kJTuHyyfVYaMgVRGe18eJGHbgtYn"
    "61XAHOPMsan8YCsbFHayzq1G+2O+awaI/q+3k4Hrk9ImCotgHLe4o7fXQPsc8nDNA08OP0S6888A4y/B1pzxpor/6OXCPSjNySa7yfSPWe8U7FK3VC"
    "aXuiKUR7H8WoIWFC6vVXV8V8n50mjh/fcWeb5c1XpyfU33m5WC9PoYawzt0LJx+RT8w/unyTfLS2rB2koxmRAmxOt+wgXOsndOizySnMKNq+o1bYE1"
    "0pbNxxdgtrDkBn81XCdgHyHe9HsfCXfp0RyC+0k2EAMh4ejKCSCU8gr8Ob4Ji1xZroOTciv3O7Ht1rK20OTXLy1IYPY4VT+rS/auehsk/bMPorpGYD"
    "AbVyAo3Kgi2MtUsQiospikU/2BI7CDq7d4OmNUccNphTKVUaIdbhXJzouF8OJ8vSqpBZigQLUg5Cl9KkWl5cJmnmJ+ZERp5p29FoGTgDuoGV6g0YNe"
    "/Eatud7pxvGCMkmLGPAu1kGhI7vTmezQC5p/B2vqdUV7QUB3R1hgANXMH7KJKmLnjtFiwelT0JzEuTDIHNM0c93l7+RqING+pyekR8lbe/MCu3KIkg"
    "RoG22uZwYQPeFmMUK4lU6fHz+1/dWwkeY3e3nimOIwk2HRANeipxflrxM8aBM5F7UNYHE/St1TQ/0iDxAM9VinqxupoJiiwNp0nIVUJqGr6fdQyMIp"
    "8S0voYe7ajjITas+ewoncNOXLJJbwwfHjoQC024O73tH9Gepdswbahf1AFyEkxH31+1Tb0uuuRJEE3Dld8wkU5BMITfslfQaBC0lbQ/cT6ATqluVZL"
    "oq00iQp/Vcf4nYMDhH5VKU7qLNb7KcFqcJaNL885fM6x0cAxRvKOsGXkBUvHbQNIo3uapqM3I6x/z8CpNz/JuVmC2QkJbq4lHTRicfZhAUFj5Gi1z3"
    "lCXDS4zLxhIViCTylbFrbw+56eQpnaJz3Jn3aEvDoOhiwOVNIS/0YkKwjaP7HJAMI1HR6BJaJxfNSYkAEsaGSfuKG+ozgEocJvA7tJ1lVhsFhmY6Ie"
    "j3vPXnx12legY48B2h3uYbNpsVleSE9Ih81nJjyYsMFZpA0naGOKwJ1CfgkOTcdYSio68qpHeUMGIYpDE9L2ycXh6Y8L8LznasN98pSSvmW+J2TXwF"
    "iVYkitdsXKbovaPzm5PJucvjl5ij98iCUgzmV+WxGjoXhv09odNY9DqXbDd4C3ZO94idbdZZHanqi5oq7ArKnil1lRsvKqfTKZMSXFKXYxLNn3mIgf"
    "WX7eUO7TPyrKVNdSqK7JijbPEsTWycQsWlGlwagVPdbQJ0FZqrj4bumGYf9RtfWdoXrHqJd27AjEifI1GtWNOHwQ1UbTHhMRsWGLYVTshWenbLTuFp"
    "3G84wte2U8sGI3H6HAgqfm+hEa88QmPEAO4lISOrV1nMFeKn5FkRdTbKRTewVZuoYpJ2aFB2zYbYYNbngkn7PUCb7Nr45d/NSOSAYrT6Wqh6WzI5Ku"
    "Av/Lyx6+QCdLMXwFc17mZcXGzCsu6z99DZ+m9VojjWUI+5cAbdGqsMysV1MtwsvDLR7QkqgjXUmxovJ2dRCpUFsfwxUO3Cu5onyngVugZtBHGvgCWv"
    "HsJo3c5DRdxHaR45g5ZSNb7kS/BgC3pnuMHiQ48EQb371Af2mv2X88yYRKYHkfX0mh4btKshgL1dVjdK5Gei7d/fWAsidPs9OPjnhDHJDf8wITqovt"
    "YPTMkpkYItdCHdm24POLzVy5Y8vlHFH8QhWVgE9o2O+1ve49951tJ2e3rvVanQf1U3/mpNaFiF8DtDO/DKvQaajdYFx9sGGhaUIs0LwDyR5UNrCLML"
    "2ruoZgAm/nt52MFbcoyDI3DreFD4n5dZVd5t9n87zqiDwwdi/hv4PImKK1S/63U87+bTaHSE6MBIlsts43bZaj0pmrquw8J2rCXZwB9Qp9Pl2+Q/es"
    "MGvicNN2Ug39QB9hxCw/pjTU3RPhkK9yUd/vlGGaBwaLiFXL5QWjude9ETCzkpBsqNeq2TA0FhlsAmafJsjcjJO5hvx+KywXjyCQHW51Aknhqgxz2H"
    "CR8F17VQ6FhxgpwRRKIquamFNpEvNLqKWKtFMEnJVJTujPm+RRJbEXnCzMquyQNIaE+2bQ2uUXIBx3WXszoIyYyOGqdGDQ50XLJtNJDSqoNkxaxCyZ"
    "vN4g4kqcyOFOmnWv22hTbP0EK2VxjPPOFu3/lrNNZFc2m906kQNH9UBAimRHj2wQ8oAO8ptsvOKGRVQSCOFdBI5wwmyOUrroG7wfjYx+4F4XJV9kCb"
    "bXXMjZh4llt419MS/mGh/K7/tdc2TUElSlEzwRIW/uIkkxRhC4sSdoO1LDs7xf+oD9YN7jMFZ/yW/NrPigmwSPC0GmA4lOCMuwg2oMugk9NC64eQbK"
    "dNqCGs20GKQ9gpXQAUeYv8Xyp5LYrHP2qepItCDnr0OLcaHuQAGYzCWp7tYjhLxOqJbJQZ/QsHrFbmt7oqYbHGDe1G0MPBN3EFutoobrL5vyYnxRdx"
    "xE6HGAlrdqw2qAbhGR34wvFVlq0hbUeIP4fPyB3YvuCL5GG3IHPi1YWVke3D7Nw1KfQaCjHxaTDMasPnV3eUbRmEY2mbzDufme7yHi1NpwoUUMIiIR"
    "ZbvnPXgPU5k/5dNsPYNEd5eLHISFbWgB2/I6YXPrbD5AzcugdrVV5nDftebSQVNbzMAp4viCYcZNDxTnAI98oF1RTfHIY8Oi7SqCqW6PrszBd7hp3o"
    "Xi9MjeeAOiiMidH8AKdNodmgY1X+2zQGq/GkMOdUxkdnmZtvm9tFpHLvqCdrTlV7uj0+2WFNEZTLk8pXVYbCs/HIYer8oZEBqxeaCoVpn7yGYr/R3s"
    "xGU+j4I1Oey9ys450AGjk+9+/OmvH7YEuU5yaziNeEVIjfQZdYh15A0DM8Zk3Fn3B5LEyG6W8Ain6uVO1xrIjNb1sSGNHgeFROB26rKWepA8TSTnbU"
    "lA/euysRbn/YmAuqt2q73XbqzZ3m/v7DHzOTj5HZ0/QYIB8wTPV3QddHwadTfZUXWvoepeXJXn8j3kk7+7d27iZ5bN/d5hJD8R7R5C9M68LDrfv/3x"
    "HRV7Wdv3G6njV8jX2G+uQjWIWHLFw1vXLtMwTUkS1Gu137h6jeiZWPbj8J7wMsQgdBlTDY5G2BLHYXx+Mq37m9m/v53p9mgiHwUi5SKvI8sMyVcqoo"
    "9ydpO+X1hOI0gOQ4g4gkBvUsofhfl2gbvscz/RXfh8tTg/hyxT/LLrKzk+3nWLdxMhrbZBwATcg8mtOknt1yEi/ONI4kaMME3cTTZDQkRQn7fAMaJ2"
    "+4DFpPg6eZ38siqL+XmHoxKY/ACmBCE9q1wMyqA1UEUj1uWr9owQnMetDfdlJpvYPBWMhVB/Be4HfgtlzmHdO0+HvSd7b/778d2mk/5n+Nvot99GT8"
    "9pPX/77fEf285+QNmFoJE6hyIeGMSfPG4Ppuv5mOOjbNnFOi5Uw1QG0bwX61UoDNoy7b2zALTJa6cQOUkO2XbXFDHtDt42EYUW2/LGKs+yWadqL6NK"
    "RGPoOddL9mWyaOaIQIOg3z70ORUQ0VPp3skRzmS93HqVmOfQieraY9ZbMZPNsTpTYSBNG48DWFeIq6msIIh+fLLYSLW4VNRGg1uWI4wwRj6GIJGGdJ"
    "XNxzntbDpUrc3gjgtBdFSxl9VWGTPz1JgmoEmAg5WJqPl5dNkvIn7hLTAu7tPCuqNv/rjM4qxmeZPnrsvQshpyRKJ/SAdv5K8WYStfibNGZBJPjaVH"
    "TRPzAiyJ3mLEA0dG5njyy6VlSZzRD0y75HP2H7qTuMmiVuKuiMRHwEjnC6q2uxy+MghgEJWxEBY8VHula3usrfuiaND2hJkkrbwLq6GLircHmifPjz"
    "fFgTo4/LNE0TCrYyRF0Rh4Lib9Uo0TJzoPvLhhCegRtKzz9Q3b3d7M6folvG2Gi9tO9uPdLJdvFSZY3eDdlaBR0M8wEvnf";

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
