// SPDX-License-Identifier: Apache-2.0
#pragma once
// The timeline of a run as files: Chrome trace JSON (chrome://tracing, Perfetto) or one self-contained HTML page.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <tenon/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

// A JSON string that is also safe inside <script>.
inline std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out += '"';
}

inline Status WriteTextFile(const std::string& path, std::string_view text) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return errors::PermissionDenied("cannot open '", path, "' for writing");
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    return errors::ResourceExhausted("cannot write ", text.size(), " bytes to '", path, "'");
  return OkStatus();
}

inline constexpr std::string_view kTimelinePage = R"page(<style>
body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.3em;margin:0 0 .2em}table{border-collapse:collapse;margin-top:1.5em}td,th{padding:.15em .8em;text-align:right}
td:first-child,th:first-child{text-align:left}th{border-bottom:1px solid #999}svg{width:100%;background:#f6f6f4;border:1px solid #ddd}
rect:hover{stroke:#000}#tip{min-height:1.5em;font-family:monospace}.bar{display:inline-block;height:.7em}
@media (prefers-color-scheme:dark){body{background:#1c1c1e;color:#ddd}svg{background:#262628;border-color:#444}}
</style><h1 id="title"></h1><div id="sum"></div><div id="tip">Move over a bar.</div><svg id="rows"></svg><table id="ops"></table><script>
const hue=new Map(),color=o=>{if(!hue.has(o))hue.set(o,hue.size*47%360);return`hsl(${hue.get(o)} 60% 55%)`};
const us=n=>(n/1000).toFixed(n<1e4?2:1)+' \u00b5s',esc=s=>s.replace(/[&<>]/g,c=>'&#'+c.charCodeAt(0)+';');
document.title=document.getElementById('title').textContent=run.title;
const busy=run.nodes.reduce((a,n)=>a+n.end-n.start,0);
document.getElementById('sum').textContent=`${run.nodes.length} nodes, ${us(run.total)} in all, ${us(busy)} in kernels`;
const threads=1+Math.max(0,...run.nodes.map(n=>n.thread)),svg=document.getElementById('rows'),H=34;
svg.setAttribute('viewBox',`0 0 1200 ${threads*H+20}`);
let s='';run.nodes.forEach((n,i)=>{const x=n.start/run.total*1200,w=Math.max(.6,(n.end-n.start)/run.total*1200);
s+=`<rect data-i="${i}" x="${x}" y="${n.thread*H+4}" width="${w}" height="${H-8}" fill="${color(n.op)}"/>`;
if(w>60)s+=`<text x="${x+4}" y="${n.thread*H+21}" font-size="11" pointer-events="none">${esc(n.op)}</text>`});
for(let k=0;k<=4;k++)s+=`<text x="${Math.min(1130,k*300)}" y="${threads*H+14}" font-size="11" fill="#888">${us(run.total*k/4)}</text>`;
svg.innerHTML=s;svg.onmousemove=e=>{const n=run.nodes[e.target.dataset?.i];if(n)document.getElementById('tip').textContent=
`${n.name} (${n.op}) on ${n.device}: ${us(n.end-n.start)}, ${n.bytes} bytes out`};
const by=new Map();run.nodes.forEach(n=>{const r=by.get(n.op)||{op:n.op,t:0,c:0};r.t+=n.end-n.start;r.c++;by.set(n.op,r)});
document.getElementById('ops').innerHTML='<tr><th>op<th>nodes<th>time<th>share<th></tr>'+[...by.values()].sort((a,b)=>b.t-a.t).map(r=>
`<tr><td>${esc(r.op)}<td>${r.c}<td>${us(r.t)}<td>${(100*r.t/busy).toFixed(1)} %<td style="text-align:left"><span class="bar" style="width:${200*r.t/busy}px;background:${color(r.op)}"></span></tr>`).join('');
</script>)page";

}  // namespace detail

// One self-contained page: a row of bars per thread, a table of time by op. It loads nothing from anywhere.
inline std::string TimelineHtml(const RunTrace& trace, std::string_view title) {
  std::string html = "<!doctype html><meta charset=\"utf-8\"><script>const run={title:";
  StrAppend(&html, detail::JsonString(title), ",total:", trace.total_ns, ",nodes:[");
  for (const NodeTiming& n : trace.nodes)
    StrAppend(&html, "\n{name:", detail::JsonString(n.name), ",op:", detail::JsonString(n.op),
              ",device:", detail::JsonString(n.device), ",start:", n.start_ns, ",end:", n.end_ns,
              ",bytes:", n.output_bytes, ",thread:", n.thread, "},");
  StrAppend(&html, "]};</script>", detail::kTimelinePage, "\n");
  return html;
}
inline Status WriteTimelineHtml(const RunTrace& trace, std::string_view title, const std::string& path) {
  return detail::WriteTextFile(path, TimelineHtml(trace, title));
}

// Complete ("X") events, one process, one thread id per worker thread; times in microseconds.
inline std::string ChromeTraceJson(const RunTrace& trace) {
  std::string json = "{\"traceEvents\":[";
  bool first = true;
  for (const NodeTiming& n : trace.nodes) {
    StrAppend(&json, first ? "" : ",", "\n{\"ph\":\"X\",\"pid\":1,\"tid\":", n.thread,
              ",\"name\":", detail::JsonString(n.op), ",\"ts\":", static_cast<double>(n.start_ns) / 1000,
              ",\"dur\":", static_cast<double>(n.end_ns - n.start_ns) / 1000,
              ",\"args\":{\"node\":", detail::JsonString(n.name), ",\"device\":", detail::JsonString(n.device),
              ",\"bytes\":", n.output_bytes, "}}");
    first = false;
  }
  return json += "\n]}\n";
}
inline Status WriteChromeTrace(const RunTrace& trace, const std::string& path) {
  return detail::WriteTextFile(path, ChromeTraceJson(trace));
}

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
