'use strict';
// A trace as columns: one item an execution, in the order of the file.
const CODE = new Uint8Array(128);
for (let i = 0; i < 64; ++i) CODE['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.charCodeAt(i)] = i;

// Numbers of five bits a character, least significant first; 32 is added to all characters but a number's last.
class Numbers {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }
  next() {
    const text = this.text;
    let at = this.at, c = CODE[text.charCodeAt(at++)], value = c & 31;
    for (let shift = 5; c > 31 && shift < 30; shift += 5) {
      c = CODE[text.charCodeAt(at++)];
      value |= (c & 31) << shift;
    }
    for (let unit = 2 ** 30; c > 31; unit *= 32) {
      c = CODE[text.charCodeAt(at++)];
      value += (c & 31) * unit;
    }
    this.at = at;
    return value;
  }
  signed() {
    const v = this.next();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }
  more() { return this.at < this.text.length; }
}

class Model {
  constructor(name) {
    this.name = name;
    this.runs = [];
    this.kinds = [];
    this.folded = [];
    this.left = 0;
    this.allocations = {at: [], bytes: []};
    this.threadNames = new Map();
  }
  reserve(n, flows) {
    this.n = n;
    this.start = new Float64Array(n);
    this.dur = new Float64Array(n);
    this.wait = new Float64Array(n);
    this.kind = new Int32Array(n);
    this.thread = new Int32Array(n);
    this.flowAt = new Int32Array(n + 1);
    this.flowFrom = new Int32Array(flows);
    this.control = new Uint8Array(flows);
  }
  // Gives each node (name, op, device) a number; a kind is a node with its shapes and bytes.
  index() {
    const known = new Map();
    for (const k of [...this.kinds, ...this.folded])
      k.device = k.device.replace(/^.job:localhost.replica:0.task:0.device:/, '');
    this.nodes = [];
    this.nodeOf = new Int32Array(this.kinds.length);
    const number = k => {
      const key = k.name + '\n' + k.op + '\n' + k.device;
      let id = known.get(key);
      if (id === undefined) {
        known.set(key, id = this.nodes.length);
        this.nodes.push({id, name: k.name, op: k.op, device: k.device});
      }
      return id;
    };
    this.kinds.forEach((k, i) => {
      this.nodeOf[i] = number(k);
    });
    this.bytesOf = Float64Array.from(this.kinds, k => k.bytes);
    for (const f of this.folded) f.node = number(f);
    this.first = Infinity;
    this.last = -Infinity;
    for (const r of this.runs) {
      this.first = Math.min(this.first, r.start);
      this.last = Math.max(this.last, r.start + r.total);
    }
    if (!this.runs.length) this.first = 0;
    if (!(this.last > this.first)) this.last = this.first + 1;
    return this;
  }
  end(i) { return this.start[i] + this.dur[i]; }
  work(i) { return this.dur[i] - this.wait[i]; }
  runOf(i) {
    let low = 0, high = this.runs.length;
    while (high - low > 1) {
      const m = (low + high) >> 1;
      if (this.runs[m].at <= i)
        low = m;
      else
        high = m;
    }
    return low;
  }
  // The executions that read event i's outputs.
  consumers(i) {
    const run = this.runs[this.runOf(i)], found = [];
    for (let to = run.at; to < run.at + run.count; ++to)
      for (let f = this.flowAt[to]; f < this.flowAt[to + 1]; ++f)
        if (this.flowFrom[f] === i) found.push(to);
    return found;
  }
}

// Reads the lines of a page's last element.
function readPage(text, name) {
  const model = new Model(name), lines = [];
  let n = 0, flows = 0;
  for (let at = 0; at < text.length;) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    if (text.charCodeAt(at) === 123) {
      const r = JSON.parse(text.slice(at, end));
      if (r.left !== undefined)
        model.left = r.left;
      else {
        lines.push(r);
        n += r.count;
        flows += r.flow_count;
      }
    }
    at = end + 1;
  }
  model.reserve(n, flows);
  const {start, dur, wait, kind, thread, flowAt, flowFrom, control} = model;
  let at = 0, flow = 0;
  for (const r of lines) {
    for (const k of r.rows)
      model.kinds.push({name: k[0], op: k[1], device: k[2], shape: k[3], bytes: k[4], temp: k[5], persistent: k[6]});
    for (const t in r.threads) model.threadNames.set(+t, r.threads[t]);
    for (const f of r.folded)
      model.folded.push({
        run: model.runs.length,
        name: f[0],
        op: f[1],
        device: f[2],
        count: f[3],
        total: f[4],
        min: f[5],
        max: f[6],
        bytes: f[7],
        wait: f[8]
      });
    const run = {
      title: r.title,
      session: r.session,
      start: r.start,
      total: r.total,
      error: r.error,
      thread: r.thread,
      at,
      count: r.count,
      dropped: r.dropped,
      droppedTime: r.dropped_time
    };
    model.runs.push(run);
    const e = new Numbers(r.events), f = new Numbers(r.flows);
    for (let i = 0, end = r.start; i < r.count; ++i, ++at) {
      kind[at] = e.next();
      const t = e.next();
      thread[at] = t >> 1;
      if (t & 1) wait[at] = e.next();
      end += e.signed();
      dur[at] = e.next();
      start[at] = end - dur[at];
      flowAt[at] = flow;
      for (let k = f.next(); k > 0; --k, ++flow) {
        const v = f.next(), back = v >> 1;
        control[flow] = v & 1;
        flowFrom[flow] = at - (back & 1 ? -((back + 1) >> 1) : back >> 1);
      }
    }
    if (r.allocations) {
      const a = new Numbers(r.allocations);
      let time = r.start;
      while (a.more()) {
        time += a.signed();
        model.allocations.at.push(time);
        model.allocations.bytes.push(a.next());
      }
    }
  }
  flowAt[n] = flow;
  return model.index();
}

// Reads a Chrome trace, of Tenon or of another program: complete events, and pairs of begin and end.
function readChrome(json, name) {
  const model = new Model(name), all = Array.isArray(json) ? json : json.traceEvents || [];
  const list = [], known = new Map(), open = new Map(), runOf = new Map(), threadOf = new Map();
  const put = (e, ts, dur) => {
    const a = e.args || {}, process = e.pid || 0;
    if (e.name === 'run' && a.nodes !== undefined) {
      const run = {
        title: name,
        session: process,
        start: ts * 1000,
        total: dur * 1000,
        error: a.error || '',
        thread: e.tid,
        list: [],
        dropped: 0,
        droppedTime: 0
      };
      model.runs.push(run);
      runOf.set(process, run);
      return;
    }
    if (!runOf.has(process)) {
      const run = {
        title: name,
        session: process,
        start: Infinity,
        total: 0,
        error: '',
        thread: e.tid,
        list: [],
        dropped: 0,
        droppedTime: 0,
        open: true
      };
      model.runs.push(run);
      runOf.set(process, run);
    }
    const k = {
      name: a.node || a.name || e.name,
      op: a.node || a.name ? a.op || e.name : a.op || e.cat || e.name,
      device: a.device || '',
      shape: a.shape || '',
      bytes: a.bytes || 0,
      temp: a.temp_bytes || 0,
      persistent: a.persistent_bytes || 0
    };
    const key = JSON.stringify(k);
    if (!known.has(key)) {
      known.set(key, model.kinds.length);
      model.kinds.push(k);
    }
    const row = process + '/' + e.tid;
    if (!threadOf.has(row)) {
      threadOf.set(row, threadOf.size + 1);
      model.threadNames.set(threadOf.size, 'thread ' + e.tid);
    }
    const run = runOf.get(process), start = ts * 1000;
    if (run.open) {
      const end = Math.max(run.start + run.total, start + dur * 1000);
      run.start = Math.min(run.start, start);
      run.total = end - run.start;
      if (!(run.total >= 0)) run.total = dur * 1000;
    }
    run.list.push({kind: known.get(key), thread: threadOf.get(row), start, dur: dur * 1000, wait: a.wait_ns || 0});
  };
  for (const e of all) {
    const row = e.pid + '/' + e.tid;
    if (e.ph === 'X')
      put(e, +e.ts, +e.dur || 0);
    else if (e.ph === 'B') {
      if (!open.has(row)) open.set(row, []);
      open.get(row).push(e);
    } else if (e.ph === 'E') {
      const b = open.has(row) && open.get(row).pop();
      if (b) put(b, +b.ts, e.ts - b.ts);
    } else if (e.ph === 'i' && e.name === 'folded' && e.args && e.args.count)
      model.folded.push({run: Math.max(0, model.runs.length - 1), wait: 0, ...e.args});
  }
  for (const run of model.runs) {
    run.list.sort((a, b) => a.start + a.dur - b.start - b.dur);
    run.at = list.length;
    run.count = run.list.length;
    for (const e of run.list) list.push(e);
    delete run.list;
  }
  model.reserve(list.length, 0);
  list.forEach((e, i) => {
    model.kind[i] = e.kind;
    model.thread[i] = e.thread;
    model.start[i] = e.start;
    model.dur[i] = e.dur;
    model.wait[i] = e.wait;
  });
  return model.index();
}

// Reads a page or a Chrome trace.
function readAny(text, name) {
  if (text.trimStart().startsWith('<')) {
    const mark = 'id="' +
        'runs">',
          at = text.lastIndexOf(mark);
    if (at < 0) throw new Error('this page has no trace of Tenon');
    const end = text.indexOf(
        '</' +
            'script>',
        at);
    return readPage(text.slice(at + mark.length, end < 0 ? text.length : end), name);
  }
  try {
    return readChrome(JSON.parse(text), name);
  } catch (e) {
    // A Chrome trace may end without its bracket.
    return readChrome(JSON.parse(text.replace(/,?\s*$/, ']') + (text.trimStart().startsWith('{') ? '}' : '')), name);
  }
}

// Nesting on each thread: parents, and the depth of each execution. Executions of a thread come in the order of their
// ends, so that those inside another come just before it.
function nest(model) {
  const {n, start, thread, wait, dur} = model, parent = new Int32Array(n).fill(-1), depth = new Uint8Array(n);
  let threads = 1, sorted = true;
  for (let i = 0; i < n; ++i)
    if (thread[i] >= threads) threads = thread[i] + 1;
  const stacks = new Array(threads), lastEnd = new Float64Array(threads).fill(-Infinity);
  for (let i = 0; i < n && sorted; ++i) {
    if (wait[i] * 2 > dur[i]) continue;
    const end = start[i] + dur[i];
    sorted = lastEnd[thread[i]] <= end;
    lastEnd[thread[i]] = end;
  }
  let order = null;
  if (!sorted)
    order =
        Int32Array.from({length: n}, (_, i) => i).sort((a, b) => model.end(a) - model.end(b) || start[b] - start[a]);
  let last = -1, stack = null;
  for (let k = 0; k < n; ++k) {
    const i = order ? order[k] : k;
    if (wait[i] * 2 > dur[i]) continue;
    if (thread[i] !== last) {
      last = thread[i];
      stack = stacks[last] = stacks[last] || [];
    }
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (start[top] < start[i] || dur[i] === 0) break;
      parent[top] = i;
      stack.pop();
    }
    if (stack.length > 4096) stack.splice(0, 2048);
    stack.push(i);
  }
  for (let k = n - 1; k >= 0; --k) {
    const i = order ? order[k] : k;
    if (parent[i] >= 0) depth[i] = Math.min(63, depth[parent[i]] + 1);
  }
  const own = new Float64Array(n);
  for (let i = 0; i < n; ++i) own[i] = dur[i] - wait[i];
  for (let i = 0; i < n; ++i)
    if (parent[i] >= 0) own[parent[i]] -= dur[i];
  for (let i = 0; i < n; ++i)
    if (own[i] < 0) own[i] = 0;
  Object.assign(model, {parent, depth, self: own, order, threads});
}

// Rows of the timeline. In a lane executions do not overlap: `items` are in order of time, busy[k] is the time of those
// before k.
function makeLanes(model) {
  nest(model);
  const {n, thread, depth, dur, wait, start, order} = model;
  const counts = new Int32Array(model.threads * 64), laneOf = new Int32Array(model.threads * 64), waits = [],
        lanes = [];
  for (let i = 0; i < n; ++i) {
    if (wait[i] * 2 > dur[i])
      waits.push(i);
    else
      ++counts[thread[i] * 64 + depth[i]];
  }
  counts.forEach((count, key) => {
    if (!count) return;
    laneOf[key] = lanes.length;
    lanes.push({items: new Int32Array(count), thread: key >> 6, depth: key & 63});
  });
  counts.fill(0);
  for (let k = 0; k < n; ++k) {
    const i = order ? order[k] : k;
    if (wait[i] * 2 > dur[i]) continue;
    const key = thread[i] * 64 + depth[i];
    lanes[laneOf[key]].items[counts[key]++] = i;
  }
  for (const l of lanes)
    if (l.depth === 0) l.label = model.threadNames.get(l.thread) || 'thread ' + l.thread;
  pack(waits.sort((a, b) => start[a] - start[b]), i => start[i], i => model.end(i), 10)
      .forEach((items, k) => lanes.push({items: Int32Array.from(items), label: k ? '' : 'waiting', waiting: true}));
  for (const l of lanes) {
    const {items} = l, busy = l.busy = new Float64Array(items.length + 1);
    let sum = 0;
    for (let k = 0; k < items.length; ++k) busy[k + 1] = sum += dur[items[k]];
  }
  model.lanes = lanes;
  model.runLanes = pack(
      model.runs.map((_, i) => i).sort((a, b) => model.runs[a].start - model.runs[b].start), i => model.runs[i].start,
      i => model.runs[i].start + model.runs[i].total, 4);
}
function pack(sorted, begin, end, most) {
  const rows = [], ends = [];
  for (const i of sorted) {
    let k = 0;
    while (k < rows.length && ends[k] > begin(i)) ++k;
    if (k === rows.length && k < most) {
      rows.push([]);
      ends.push(0);
    }
    if (k >= rows.length) k = rows.length - 1;
    rows[k].push(i);
    ends[k] = Math.max(ends[k], end(i));
  }
  return rows;
}

// Count, total, median, p99 and maximum of the work of the events [low, high), by groupOf[kind].
function tally(model, low, high, groups, groupOf) {
  const at = new Int32Array(groups + 1), {self, wait, dur, kind} = model;
  for (let i = low; i < high; ++i) ++at[groupOf[kind[i]] + 1];
  for (let g = 0; g < groups; ++g) at[g + 1] += at[g];
  const fill = at.slice(), values = new Float64Array(high - low), own = new Float64Array(groups),
        waits = new Float64Array(groups);
  for (let i = low; i < high; ++i) {
    const g = groupOf[kind[i]];
    values[fill[g]++] = dur[i] - wait[i];
    own[g] += self[i];
    waits[g] += wait[i];
  }
  const rows = new Array(groups);
  for (let g = 0; g < groups; ++g) {
    rows[g] = Object.assign(summary(values.subarray(at[g], at[g + 1])), {self: own[g], wait: waits[g]});
  }
  return rows;
}
// The median of an even count is the mean of the middle two; p99 is the value at rank ceil(0.99 n).
function summary(values) {
  const n = values.length;
  values.sort();
  let total = 0;
  for (let i = 0; i < n; ++i) total += values[i];
  const m = n >> 1;
  return {
    count: n,
    total,
    median: n ? n % 2 ? values[m] : (values[m - 1] + values[m]) / 2 : 0,
    p99: n ? values[Math.ceil(n * 0.99) - 1] : 0,
    max: n ? values[n - 1] : 0
  };
}

// Rows of the table by node. Executions that a trace has only sums of count in count, total and max.
function byNode(model, range) {
  const rows = tally(model, range.low, range.high, model.nodes.length, model.nodeOf);
  model.nodes.forEach((node, g) => Object.assign(rows[g], {
    id: g,
    name: node.name,
    op: node.op,
    device: node.device,
    shape: '',
    bytes: 0,
    temp: 0,
    sums: 0,
    shapes: 0
  }));
  const used = usedKinds(model, range);
  const most = new Int32Array(model.nodes.length);
  model.kinds.forEach((k, i) => {
    if (!used[i]) return;
    const row = rows[model.nodeOf[i]];
    row.bytes = Math.max(row.bytes, k.bytes);
    row.temp = Math.max(row.temp, k.temp);
    if (k.shape && k.shape !== row.shape) ++row.shapes;
    if (used[i] > most[row.id]) {
      most[row.id] = used[i];
      row.shape = k.shape;
    }
  });
  addFolded(model, range, rows, f => f.node);
  return rows.filter(r => r.count);
}
function usedKinds(model, range) {
  const used = new Int32Array(model.kinds.length), kind = model.kind;
  for (let i = range.low; i < range.high; ++i) ++used[kind[i]];
  return used;
}
function addFolded(model, range, rows, number) {
  for (const f of model.folded) {
    if (range.run >= 0 && f.run !== range.run) continue;
    const row = rows[number(f)];
    row.count += f.count;
    row.sums = (row.sums || 0) + f.count;
    row.wait += f.wait || 0;
    row.total += f.total - (f.wait || 0);
    row.self += f.total - (f.wait || 0);
    row.max = Math.max(row.max, f.max);
  }
}
function byOp(model, range) {
  const known = new Map(), of = new Int32Array(model.nodes.length), nodes = [];
  model.nodes.forEach((node, i) => {
    if (!known.has(node.op)) {
      known.set(node.op, known.size);
      nodes.push(new Set());
    }
    of[i] = known.get(node.op);
  });
  const rows = tally(model, range.low, range.high, known.size, model.nodeOf.map(id => of[id]));
  usedKinds(model, range).forEach((count, k) => {
    if (count) nodes[of[model.nodeOf[k]]].add(model.nodeOf[k]);
  });
  for (const [op, g] of known) {
    rows[g].op = rows[g].name = op;
    rows[g].nodes = nodes[g].size;
  }
  addFolded(model, range, rows, f => of[f.node]);
  return rows.filter(r => r.count);
}
// By name scope: the own time of all nodes below a scope; median, p99 and maximum are of the sums of single runs.
function byScope(model, range) {
  const scopes = [{name: '(all)', depth: 0, up: -1}], known = new Map(), of = new Int32Array(model.nodes.length);
  model.nodes.forEach((node, i) => {
    const parts = node.name.split('/');
    let up = 0, path = '';
    for (let d = 0; d + 1 < parts.length; ++d) {
      path += (d ? '/' : '') + parts[d];
      if (!known.has(path)) {
        known.set(path, scopes.length);
        scopes.push({name: path, depth: d + 1, up});
      }
      up = known.get(path);
    }
    of[i] = up;
  });
  const sums = scopes.map(() => []), count = new Float64Array(scopes.length), wait = new Float64Array(scopes.length),
        now = new Float64Array(scopes.length), seen = new Uint8Array(scopes.length);
  const nodes = scopes.map(() => new Set());
  for (let r = range.run >= 0 ? range.run : 0; r < (range.run >= 0 ? range.run + 1 : model.runs.length); ++r) {
    const run = model.runs[r], touched = [];
    for (let i = run.at; i < run.at + run.count; ++i) {
      const node = model.nodeOf[model.kind[i]];
      for (let s = of[node]; s >= 0; s = scopes[s].up) {
        if (!seen[s]) {
          seen[s] = 1;
          touched.push(s);
        }
        now[s] += model.self[i];
        ++count[s];
        wait[s] += model.wait[i];
      }
    }
    for (const s of touched) {
      sums[s].push(now[s]);
      now[s] = 0;
      seen[s] = 0;
    }
  }
  usedKinds(model, range).forEach((used, k) => {
    if (used)
      for (let s = of[model.nodeOf[k]]; s >= 0; s = scopes[s].up) nodes[s].add(model.nodeOf[k]);
  });
  return scopes
      .map((scope, s) => Object.assign(summary(Float64Array.from(sums[s])), {
        name: scope.name,
        depth: scope.depth,
        count: count[s],
        runs: sums[s].length,
        wait: wait[s],
        nodes: nodes[s].size
      }))
      .filter(r => r.count);
}

// Bytes of outputs that live: an output lives from its node's end to the end of its last reader; without a reader in
// the trace, to the end of the node that it is within, or of the run. An output in the memory of an input counts twice:
// the curve is an upper bound.
function liveBytes(model) {
  const {n, kind, flowAt, flowFrom, control, start, dur, bytesOf, parent} = model, points = n + model.runs.length;
  const at = new Float64Array(points), bytes = new Float64Array(points), last = new Int32Array(n).fill(-1),
        freed = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    for (let f = flowAt[i], stop = flowAt[i + 1]; f < stop; ++f)
      if (control[f] === 0 && last[flowFrom[f]] < i) last[flowFrom[f]] = i;
  }
  for (let i = 0; i < n; ++i) {
    const end = last[i] >= 0 ? last[i] : parent[i];
    if (end >= 0) freed[end] += bytesOf[kind[i]];
  }
  let k = 0, sorted = true, before = -Infinity;
  for (const run of model.runs) {
    let live = 0;
    for (let i = run.at, stop = run.at + run.count; i < stop; ++i, ++k) {
      const end = start[i] + dur[i];
      live += bytesOf[kind[i]];
      at[k] = end;
      bytes[k] = live;
      live -= freed[i];
      if (end < before) sorted = false;
      before = end;
    }
    at[k] = run.start + run.total;
    bytes[k++] = 0;
    if (at[k - 1] < before) sorted = false;
    before = at[k - 1];
  }
  if (!sorted) {
    // Runs at the same time: the sum of their curves.
    const of = new Float64Array(k), items = Array.from({length: k}, (_, i) => i), change = new Float64Array(k);
    let r = 0;
    for (const run of model.runs) {
      let before = 0;
      for (let i = 0; i <= run.count; ++i, ++r) {
        change[r] = bytes[r] - before;
        before = bytes[r];
      }
    }
    items.sort((a, b) => at[a] - at[b]);
    let live = 0;
    const times = at.slice();
    items.forEach((i, to) => {
      live += change[i];
      times[to] = at[i];
      of[to] = live;
    });
    return {at: times, bytes: of};
  }
  return {at, bytes};
}

// The chain that ends the run last: from each execution back to the producer that ended last. An execution that spends
// half of its time on others within it is replaced by their chain. There, an execution without a producer follows the
// one that ended last before it: the iterations of a loop.
function criticalPath(model, r) {
  const run = model.runs[r], within = new Map([[-1, []]]);
  for (let k = run.at; k < run.at + run.count; ++k) {
    const list = within.get(model.parent[k]);
    if (list)
      list.push(k);
    else
      within.set(model.parent[k], [k]);
  }
  const chain = around => {
    const list = within.get(around).sort((a, b) => model.end(a) - model.end(b)), path = [];
    for (let i = list.length ? list[list.length - 1] : -1; i >= 0 && path.length <= list.length;) {
      path.push(i);
      let best = -1;
      for (let f = model.flowAt[i]; f < model.flowAt[i + 1]; ++f) {
        const from = model.flowFrom[f];
        if ((around < 0 || model.parent[from] === around) && (best < 0 || model.end(from) > model.end(best))) best = from;
      }
      if (best < 0 && around >= 0) {
        let low = 0, high = list.length;
        while (low < high) {
          const m = (low + high) >> 1;
          if (model.end(list[m]) <= model.start[i])
            low = m + 1;
          else
            high = m;
        }
        if (low && list[low - 1] !== i) best = list[low - 1];
      }
      i = best;
    }
    return path.reverse().flatMap(e => {
      const inner = within.get(e) || [];
      return inner.length && 2 * inner.reduce((sum, k) => sum + model.dur[k], 0) >= model.dur[e] ? chain(e) : [e];
    });
  };
  const path = chain(-1);
  let before = run.start;
  return path.map((e, k) => {
    const gap = Math.max(0, model.start[e] - before);
    before = model.end(e);
    const node = model.nodes[model.nodeOf[model.kind[e]]];
    return {
      step: k + 1,
      event: e,
      id: node.id,
      name: node.name,
      op: node.op,
      device: node.device,
      at: model.start[e] - run.start,
      time: model.work(e),
      wait: model.wait[e],
      gap
    };
  });
}

// Rows of two traces side by side, by node (name and op) or by op.
function compareRows(a, b, kind) {
  const key = r => kind === 'op' ? r.op : r.name + '\n' + r.op, rows = new Map();
  const whole = m => ({low: 0, high: m.n, run: -1}), of = m => kind === 'op' ? byOp(m, whole(m)) : byNode(m, whole(m));
  const merge = (list, side) => {
    for (const r of list) {
      let row = rows.get(key(r));
      if (!row)
        rows.set(
            key(r),
            row = {name: r.name, op: r.op, id: -1, countA: 0, countB: 0, medianA: 0, medianB: 0, totalA: 0, totalB: 0});
      if (row['count' + side]) continue;  // a node of this name on another device: the first counts
      row['count' + side] = r.count;
      row['median' + side] = r.median;
      row['total' + side] = r.total;
      if (side === 'A') row.id = r.id;
    }
  };
  merge(of(a), 'A');
  merge(of(b), 'B');
  return [...rows.values()].map(r => Object.assign(r, {
    ratio: r.countA && r.countB && r.medianA ? r.medianB / r.medianA : NaN,
    change: r.countA && r.countB ? r.medianB - r.medianA : NaN,
    impact: r.countA && r.countB ? Math.abs(r.medianB - r.medianA) * r.countA : -1,
    only: !r.countB ? 'this' :
        !r.countA   ? 'other' :
                      ''
  }));
}
