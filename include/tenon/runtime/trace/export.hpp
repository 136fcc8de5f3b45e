// SPDX-License-Identifier: Apache-2.0
#pragma once
// The timeline of a run as files: Chrome trace JSON (chrome://tracing, Perfetto) or one self-contained HTML page.
// <tenon/runtime/trace/file_sink.hpp> writes all runs of a session.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/runtime/trace/allocation_log.hpp>
#include <tenon/runtime/trace/edges.hpp>
#include <tenon/runtime/executor/thread_ids.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// JSON, piece by piece; safe inside <script>, too. A key that is empty is left out: an item of an array. one thread.
class JsonWriter {
 public:
  void Begin(char bracket, std::string_view key = {}) {
    Key(key);
    text_ += bracket;
  }
  void End(char bracket) { text_ += bracket; }
  void Add(std::string_view key, std::string_view value) {
    Key(key);
    AppendQuoted(value);
  }
  void Add(std::string_view key, std::int64_t value) {
    Key(key);
    AppendNumber(value);
  }
  // As a number of microseconds.
  void AddTime(std::string_view key, std::int64_t ns) {
    Key(key);
    const auto count = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    const auto digit = [&](std::uint64_t unit) { return static_cast<char>('0' + count / unit % 10); };
    const char fraction[] = {'.', digit(100), digit(10), digit(1)};
    if (ns < 0) text_ += '-';
    AppendNumber(static_cast<std::int64_t>(count / 1000));
    text_.append(fraction, sizeof fraction);
  }
  // For items on lines of their own; no comma comes after a line end.
  void AddComma() { text_ += ','; }
  void AddLineEnd() { text_ += '\n'; }

  // Makes room for so many more characters.
  void Reserve(std::size_t characters) { text_.reserve(text_.size() + characters); }

  const std::string& text() const { return text_; }
  std::string Take() { return std::exchange(text_, std::string()); }

 private:
  void Key(std::string_view key) {
    const char last = text_.empty() ? '{' : text_.back();
    if (last != '{' && last != '[' && last != '\n') text_ += ',';
    if (key.empty()) return;
    AppendQuoted(key);
    text_ += ':';
  }
  void AppendNumber(std::int64_t value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void AppendQuoted(std::string_view text) {
    text_ += '"';
    std::size_t plain = 0;  // where the characters begin that are not written yet
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && c != '"' && c != '\\' && c != '<') continue;
      text_.append(text, plain, i - plain);
      plain = i + 1;
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
        text_ += escaped;
      }
    }
    text_.append(text, plain, text.size() - plain);
    text_ += '"';
  }

  std::string text_;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
inline Status WriteTextFile(const std::string& path, std::string_view text) {
  const Owned<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return errors::PermissionDenied("cannot open '", path, "' for writing");
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
    return errors::ResourceExhausted("cannot write ", text.size(), " bytes to '", path, "'");
  return OkStatus();
}

// Before the runs: each is an add({...}) in a script of its own, so that the file is a whole page after every one.
inline constexpr std::string_view kTimelinePage = R"page(<!doctype html><meta charset="utf-8"><style>
body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.3em;margin:0 0 .2em}table{border-collapse:collapse;margin-top:1.5em}td,th{padding:.15em .8em;text-align:right}
td:first-child,th:first-child{text-align:left}th{border-bottom:1px solid #999}svg{width:100%;background:#f6f6f4;border:1px solid #ddd}
rect:hover{stroke:#000}#tip{min-height:1.5em;font-family:monospace}.bar{display:inline-block;height:.7em}
@media (prefers-color-scheme:dark){body{background:#1c1c1e;color:#ddd}svg{background:#262628;border-color:#444}}
</style><h1 id="title"></h1><div><select id="pick"></select> <span id="sum"></span></div>
<div id="tip"></div><svg id="rows"></svg><table id="ops"></table><table id="folded"></table><script>
let left=0;const leave=n=>left=n;
const runs=[],add=r=>runs.push(r),$=id=>document.getElementById(id),hue=new Map(),W=1200,H=42;
const color=o=>{if(!hue.has(o))hue.set(o,hue.size*47%360);return`hsl(${hue.get(o)} 60% 55%)`};
const us=n=>(n/1000).toFixed(n<1e4?2:1)+' \u00b5s',esc=s=>String(s).replace(/[&<>"]/g,c=>'&#'+c.charCodeAt(0)+';');
let nodes,rows,first,last,begin,end;
const X=t=>(t-begin)/(end-begin)*W,Y=n=>n.row*H+14;
function load(){
 const k=$('pick').value,picked=k==='all'?runs:[runs[k]];nodes=[];rows=new Map();
 for(const r of picked){
  const base=nodes.length;
  for(const n of r.nodes){
   const key=r.session+'/'+n.thread;
   if(!rows.has(key))rows.set(key,{y:rows.size,text:`${r.session>1?'session '+r.session+', ':''}${r.threads[n.thread]}`});
   nodes.push({...n,start:n.start+r.start,end:n.end+r.start,row:rows.get(key).y,near:[]})}
  for(const[a,b]of r.flows){nodes[base+a].near.push(base+b);nodes[base+b].near.push(base+a)}}
 first=picked.length?Math.min(...picked.map(r=>r.start)):0;
 last=picked.reduce((t,r)=>Math.max(t,r.start+r.total),first+1);
 [begin,end]=[first,last];
 const by=new Map(),folded=picked.flatMap(r=>r.folded),all=(a,f)=>a.reduce((s,x)=>s+f(x),0);
 const dropped=all(picked,r=>r.dropped),busy=all(nodes,n=>n.end-n.start)+all(folded,f=>f.total)+all(picked,r=>r.dropped_time);
 $('sum').textContent=`${nodes.length} nodes, ${us(last-first)} in all, ${us(busy)} in kernels`+
  (folded.length?`; ${all(folded,f=>f.count)} more executions of ${folded.length} nodes only as sums, below`:'')+
  (dropped?`; ${dropped} of other nodes left out`:'')+(left?`; ${left} later runs left out: the file is full`:'');
 const tally=(op,t,c)=>{const r=by.get(op)||{op,t:0,c:0};r.t+=t;r.c+=c;by.set(op,r)};
 nodes.forEach(n=>tally(n.op,n.end-n.start,1));folded.forEach(f=>tally(f.op,f.total,f.count));
 $('folded').innerHTML=folded.length?'<tr><th>only as sums<th>op<th>executions<th>time<th>least<th>most</tr>'+
  folded.sort((a,b)=>b.total-a.total).slice(0,500).map(f=>`<tr><td>${esc(f.name)}<td>${esc(f.op)}<td>${f.count}<td>${us(f.total)}<td>${us(f.min)}<td>${us(f.max)}`).join(''):'';
 $('ops').innerHTML='<tr><th>op<th>nodes<th>time<th>share<th></tr>'+[...by.values()].sort((a,b)=>b.t-a.t).map(r=>
  `<tr><td>${esc(r.op)}<td>${r.c}<td>${us(r.t)}<td>${(100*r.t/busy).toFixed(1)} %<td style="text-align:left"><span class="bar" style="width:${200*r.t/busy}px;background:${color(r.op)}"></span></tr>`).join('');
 paint()}
function paint(){
 let s='';
 nodes.forEach((n,i)=>{if(n.end<begin||n.start>end)return;
  const x=X(n.start),w=Math.max(.6,X(n.end)-x);
  s+=`<rect data-i="${i}" x="${x}" y="${Y(n)}" width="${w}" height="${H-18}" fill="${color(n.op)}"/>`;
  if(w>60)s+=`<text x="${Math.max(x,0)+4}" y="${Y(n)+16}" font-size="11" pointer-events="none">${esc(n.op)}</text>`});
 for(const r of rows.values())s+=`<text x="4" y="${r.y*H+11}" font-size="10" fill="#888">${esc(r.text)}</text>`;
 for(let k=0;k<=4;k++)s+=`<text x="${Math.min(1130,k*300)}" y="${rows.size*H+14}" font-size="11" fill="#888">${us(begin-first+(end-begin)*k/4)}</text>`;
 $('rows').setAttribute('viewBox',`0 0 ${W} ${rows.size*H+20}`);$('rows').innerHTML=s+'<g id="lines" stroke="#d22" pointer-events="none"></g>'}
function point(e){
 const n=nodes[e.target.dataset?.i];if(!n)return;
 $('tip').textContent=`${n.name} (${n.op}) on ${n.device}: ${us(n.end-n.start)}, ${n.bytes} bytes out`;
 $('lines').innerHTML=n.near.map(i=>nodes[i]).map(m=>{const[a,b]=m.start<n.start?[m,n]:[n,m];
  return`<line x1="${X(a.end)}" y1="${Y(a)+12}" x2="${X(b.start)}" y2="${Y(b)+12}"/>`}).join('')}
addEventListener('load',()=>{
 document.title=$('title').textContent=runs.length?runs[0].title:'no runs';
 $('pick').innerHTML=(runs.length===1?'':'<option value="all">all runs</option>')+runs.map((r,i)=>
  `<option value="${i}">run ${i+1}${r.session>1?', session '+r.session:''}: ${us(r.total)}${r.error?', '+esc(r.error):''}</option>`).join('');
 $('pick').onchange=load;$('rows').onmousemove=point;$('rows').ondblclick=()=>{[begin,end]=[first,last];paint()};
 $('rows').onwheel=e=>{e.preventDefault();const box=$('rows').getBoundingClientRect(),k=e.deltaY<0?.8:1.25,
  t=begin+(end-begin)*(e.clientX-box.left)/box.width;begin=Math.max(first,t-(t-begin)*k);end=Math.min(last,t+(end-t)*k);paint()};
 $('tip').textContent='Point at a bar; zoom with the wheel, back with a double click.';
 if(runs.length)load()});
</script>
)page";

inline std::string ThreadName(int number) {
  const std::string name = TracedThreads::Global().NameOf(number);
  return name.empty() ? StrCat("thread ", number) : StrCat(name, " (", number, ")");
}
// The numbers of the threads of a run, each once.
inline SlimVector<int> ThreadsOf(const RunTrace& trace) {
  SlimVector<int> threads;
  const auto add = [&](int number) {
    for (const int known : threads)
      if (known == number) return;
    threads.push_back(number);
  };
  add(trace.thread);
  for (const NodeTiming& n : trace.nodes) add(n.thread);
  return threads;
}

// Executions that a trace holds only as sums.
inline std::int64_t CountFolded(const RunTrace& trace) {
  std::int64_t count = 0;
  for (const NodeTotal& n : trace.folded) count += n.count;
  return count;
}
// The members of an object; times in nanoseconds.
inline void AddTotal(const NodeTotal& n, JsonWriter* json) {
  json->Add("name", n.name);
  json->Add("op", n.op);
  json->Add("device", n.device);
  json->Add("count", n.count);
  json->Add("total", n.total_ns);
  json->Add("min", n.min_ns);
  json->Add("max", n.max_ns);
  json->Add("bytes", n.output_bytes);
}

// A run for the page. `start_ns`: on the page's clock; `error`: empty where it went well.
inline std::string TimelineRun(const RunTrace& trace, std::string_view title, int session, std::int64_t start_ns,
                               std::string_view error) {
  JsonWriter json;
  json.Begin('{');
  json.Add("title", title);
  json.Add("session", session);
  json.Add("start", start_ns);
  json.Add("total", trace.total_ns);
  json.Add("error", error);
  json.Begin('{', "threads");
  for (const int number : ThreadsOf(trace)) json.Add(StrCat(number), ThreadName(number));
  json.End('}');
  json.Begin('[', "nodes");
  for (const NodeTiming& n : trace.nodes) {
    json.Begin('{');
    json.Add("name", n.name);
    json.Add("op", n.op);
    json.Add("device", n.device);
    json.Add("start", n.start_ns);
    json.Add("end", n.end_ns);
    json.Add("bytes", n.output_bytes);
    json.Add("thread", n.thread);
    json.End('}');
  }
  json.End(']');
  json.Begin('[', "folded");
  for (const NodeTotal& n : trace.folded) {
    json.Begin('{');
    AddTotal(n, &json);
    json.End('}');
  }
  json.End(']');
  json.Add("dropped", trace.num_dropped);
  json.Add("dropped_time", trace.dropped_ns);
  json.Begin('[', "flows");
  for (const TraceFlow& flow : FlowsOf(trace)) {
    json.Begin('[');
    json.Add("", static_cast<std::int64_t>(flow.from));
    json.Add("", static_cast<std::int64_t>(flow.to));
    json.End(']');
  }
  json.End(']');
  json.End('}');
  return StrCat("<script>add(", json.text(), ")</script>\n");
}

// Chrome's trace events, one a line, each after a comma but the first of all. A session is a process there; times come
// in nanoseconds and are shown in microseconds. one thread.
class ChromeEvents {
 public:
  struct Count {
    std::string_view name;
    std::int64_t value;
  };

  void NameProcess(int process, std::string_view name) { AddName("process_name", process, 0, name); }
  // `start_ns`: of the run on the file's clock; `error`: empty where it went well.
  void AddRun(int process, const RunTrace& trace, std::int64_t start_ns, std::string_view error) {
    json_.Reserve(700 * trace.nodes.size());  // more than most take; pages that nothing is written to cost nothing
    for (const int thread : ThreadsOf(trace)) NameThread(process, thread);
    BeginSpan(process, trace.thread, "run", start_ns, start_ns + trace.total_ns);
    json_.Add("nodes", static_cast<std::int64_t>(trace.nodes.size()));
    if (!error.empty()) json_.Add("error", error);
    if (!trace.folded.empty()) json_.Add("folded", CountFolded(trace));
    if (trace.num_dropped > 0) json_.Add("dropped", trace.num_dropped);
    End();
    for (const NodeTotal& n : trace.folded) AddFolded(process, trace.thread, n, start_ns);
    for (const NodeTiming& n : trace.nodes) {
      BeginSpan(process, n.thread, n.op, start_ns + n.start_ns, start_ns + n.end_ns);
      json_.Add("node", n.name);
      json_.Add("device", n.device);
      json_.Add("bytes", n.output_bytes);
      json_.Add("temp_bytes", n.temp_bytes);
      json_.Add("persistent_bytes", n.persistent_bytes);
      End();
    }
    for (const TraceFlow& flow : FlowsOf(trace)) AddFlow(process, trace, flow, start_ns);
  }
  void AddCounter(int process, std::string_view name, std::int64_t at_ns, std::initializer_list<Count> counts) {
    Begin("C", name, process, 0);
    json_.AddTime("ts", at_ns);
    json_.Begin('{', "args");
    for (const Count& count : counts) json_.Add(count.name, count.value);
    End();
  }
  // Marks the number of runs that a full file leaves out, across all rows.
  void AddRunsLeftOut(std::int64_t at_ns, std::int64_t count) {
    BeginInstant(0, 0, "runs left out: the file is full", "g", at_ns);
    json_.Add("runs", count);
    End();
  }
  // Instants on the threads' rows, and the bytes in use as a counter. `origin_ns`: the file's zero.
  void AddAllocations(int process, Span<const AllocationRecord> records, std::int64_t origin_ns) {
    for (const AllocationRecord& record : records) {
      using Kind = AllocationRecord::Kind;
      const std::string_view what = record.kind == Kind::kAllocated ? "allocate"
                                    : record.kind == Kind::kFreed   ? "free"
                                                                    : "refuse";
      NameThread(process, record.thread);
      BeginInstant(process, record.thread, what, "t", record.at_ns - origin_ns);
      json_.Add("bytes", record.bytes);
      json_.Add("block", static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(record.block)));
      End();
      AddCounter(process, "allocated bytes", record.at_ns - origin_ns, {{"in use", record.bytes_in_use}});
    }
  }
  std::string Take() { return json_.Take(); }

 private:
  void Begin(std::string_view phase, std::string_view name, int process, int thread) {
    if (!is_first_) json_.AddComma();
    is_first_ = false;
    json_.AddLineEnd();
    json_.Begin('{');
    json_.Add("ph", phase);
    json_.Add("pid", process);
    json_.Add("tid", thread);
    json_.Add("name", name);
  }
  // Closes the arguments and the event.
  void End() {
    json_.End('}');
    json_.End('}');
  }
  // Opens a span, up to its arguments.
  void BeginSpan(int process, int thread, std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    Begin("X", name, process, thread);
    json_.AddTime("ts", start_ns);
    json_.AddTime("dur", end_ns - start_ns);
    json_.Begin('{', "args");
  }
  // Opens an instant, up to its arguments. `scope`: "t" for the thread's row, "g" for all rows.
  void BeginInstant(int process, int thread, std::string_view name, std::string_view scope, std::int64_t at_ns) {
    Begin("i", name, process, thread);
    json_.Add("s", scope);
    json_.AddTime("ts", at_ns);
    json_.Begin('{', "args");
  }
  // Where the first of the executions begins that are only summed up.
  void AddFolded(int process, int thread, const NodeTotal& total, std::int64_t start_ns) {
    BeginInstant(process, thread, "folded", "t", start_ns + total.start_ns);
    AddTotal(total, &json_);
    End();
  }
  void AddName(std::string_view what, int process, int thread, std::string_view name) {
    Begin("M", what, process, thread);
    json_.Begin('{', "args");
    json_.Add("name", name);
    End();
  }
  void NameThread(int process, int thread) {
    for (const auto& [known_process, known_thread] : named_)
      if (known_process == process && known_thread == thread) return;
    named_.push_back({process, thread});
    AddName("thread_name", process, thread, ThreadName(thread));
  }
  // From within the span of the producer, a nanosecond before its end, to the start of the consumer's.
  void AddFlow(int process, const RunTrace& trace, const TraceFlow& flow, std::int64_t start_ns) {
    const NodeTiming &from = trace.nodes[flow.from], &to = trace.nodes[flow.to];
    const std::int64_t leaves = from.end_ns > from.start_ns ? from.end_ns - 1 : from.start_ns;
    ++flows_;
    AddFlowEnd("s", process, from.thread, flow.control, start_ns + leaves);
    AddFlowEnd("f", process, to.thread, flow.control, start_ns + to.start_ns);
  }
  void AddFlowEnd(std::string_view phase, int process, int thread, bool control, std::int64_t at_ns) {
    const std::string_view kind = control ? "control" : "data";
    Begin(phase, kind, process, thread);
    json_.Add("cat", kind);
    json_.Add("id", flows_);
    if (phase == "f") json_.Add("bp", "e");
    json_.AddTime("ts", at_ns);
    json_.End('}');
  }

  JsonWriter json_;
  bool is_first_ = true;
  std::int64_t flows_ = 0;  // until now
  SlimVector<std::pair<int, int>> named_;
};
inline constexpr std::string_view kChromeTraceHead = "{\"traceEvents\":[", kChromeTraceTail = "\n]}\n";

}  // namespace detail

// One self-contained page, which loads nothing from elsewhere: a row of bars per thread and a table of time by op.
// Lines join the bar under the pointer to the bars that it waited for and to those that waited for it.
inline std::string TimelineHtml(const RunTrace& trace, std::string_view title) {
  return StrCat(detail::kTimelinePage, detail::TimelineRun(trace, title, 1, 0, ""));
}
inline Status WriteTimelineHtml(const RunTrace& trace, std::string_view title, const std::string& path) {
  return detail::WriteTextFile(path, TimelineHtml(trace, title));
}

// Complete ("X") events for the run and its nodes, one thread id per thread (NodeTiming::thread), flow events ("s",
// "f") for the edges between them (FlowsOf), names of threads ("M"); allocations, from an AllocationLog, as
// instants ("i") and a counter ("C"). Both functions want the trace's session to live.
inline std::string ChromeTraceJson(const RunTrace& trace, Span<const AllocationRecord> allocations = {}) {
  detail::ChromeEvents events;
  events.AddRun(1, trace, 0, "");
  events.AddAllocations(1, allocations, trace.start_ns);
  return StrCat(detail::kChromeTraceHead, events.Take(), detail::kChromeTraceTail);
}
inline Status WriteChromeTrace(const RunTrace& trace, const std::string& path) {
  return detail::WriteTextFile(path, ChromeTraceJson(trace));
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
