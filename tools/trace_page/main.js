// The page: what is chosen, the tables, keys and the second trace.
const TEXT = 'text';
const ROW = 22;
const COLUMNS = {
  nodes: [
    ['name', 'node', TEXT], ['op', 'op', TEXT, 100], ['count', 'count', whole, 60], ['total', 'total', ns, 66],
    ['self', 'own time', ns, 92], ['share', 'share', percent, 62], ['median', 'median', ns, 72],
    ['p99', 'p99', ns, 66], ['max', 'max', ns, 66], ['wait', 'waiting', ns, 72], ['bytes', 'bytes', size, 70],
    ['shape', 'shape', TEXT, 112], ['device', 'device', TEXT, 62], ['temp', 'temporary', size, 92]
  ],
  ops: [
    ['name', 'op', TEXT], ['nodes', 'nodes', whole, 70], ['count', 'count', whole, 80], ['total', 'total', ns, 90],
    ['self', 'own time', ns, 100], ['share', 'share', percent, 70], ['bar', '', TEXT, 120],
    ['median', 'median', ns, 90], ['p99', 'p99', ns, 90], ['max', 'max', ns, 90], ['wait', 'waiting', ns, 90]
  ],
  scopes: [
    ['name', 'name scope', TEXT], ['nodes', 'nodes', whole, 70], ['count', 'count', whole, 70],
    ['runs', 'runs', whole, 60], ['total', 'own time', ns, 90], ['share', 'share', percent, 70], ['bar', '', TEXT, 126],
    ['median', 'median of runs', ns, 128], ['p99', 'p99 of runs', ns, 100], ['max', 'max of runs', ns, 106],
    ['wait', 'waiting', ns, 80]
  ],
  waiting: [
    ['name', 'node', TEXT], ['op', 'op', TEXT, 160], ['device', 'device', TEXT, 110], ['count', 'count', whole, 80],
    ['wait', 'waiting', ns, 100], ['longest', 'longest', ns, 100], ['total', 'work', ns, 100]
  ],
  path: [
    ['step', 'step', whole, 60], ['name', 'node', TEXT], ['op', 'op', TEXT, 140], ['device', 'device', TEXT, 90],
    ['at', 'starts at', ns, 90], ['gap', 'gap before', ns, 100], ['time', 'work', ns, 90], ['wait', 'waiting', ns, 90],
    ['share', 'share', percent, 70]
  ],
  compare: [
    ['name', 'node', TEXT], ['op', 'op', TEXT, 110], ['ratio', 'other / this', v => isNaN(v) ? '' : v.toFixed(3), 100],
    ['change', 'change', v => isNaN(v) ? '' : ns(v), 90], ['medianA', 'median: this', ns, 112],
    ['medianB', 'other', ns, 80], ['countA', 'count: this', whole, 98], ['countB', 'other', whole, 70],
    ['totalA', 'total: this', ns, 94], ['totalB', 'other', ns, 80], ['only', 'only in', TEXT, 70]
  ],
};
const TABS = [
  ['nodes', 'Nodes'], ['ops', 'Ops'], ['scopes', 'Name scopes'], ['waiting', 'Waiting'], ['path', 'Critical path'],
  ['flame', 'Flame'], ['compare', 'Compare']
];
const SORTED = {
  nodes: 'self',
  ops: 'self',
  scopes: '',
  waiting: 'wait',
  path: '',
  compare: 'impact'
};
const KEYS = [
  ['w s, + -, \u2191 \u2193', 'zoom in and out'], ['a d, \u2190 \u2192', 'move in time'],
  ['page up, page down', 'move through the rows'],
  ['/', 'search; Enter goes to the next hit, Shift+Enter to the one before'],
  ['n p', 'next and previous execution of the chosen node'], ['f', 'zoom to what is chosen'],
  ['0', 'show all of the trace or of the run'], ['[ ]', 'previous and next run'],
  ['1 to 7', 'the tables, the flame view, the comparison'], ['g', 'show or hide the graph'],
  ['c', 'compare with a second trace'], ['Esc', 'let go: of the choice, of the search'], ['?', 'this list'],
  ['wheel, drag', 'zoom, move; with Shift or Alt: through the rows'], 
  ['double click', 'show all; in the graph: enter a node marked \u25b8, leave by the title']
];

class App {
  constructor(model) {
    this.model = model;
    this.tab = 'nodes';
    this.sorts = {};
    this.byOp = false;
    this.node = this.selected = -1;
    this.consumers = [];
    this.hit = null;
    this.path = null;
    this.other = null;
    this.cache = new Map();
    this.range = {run: -1, low: 0, high: model.n};
    readTheme();
    this.timeline = new Timeline(this);
    this.memory = new Memory(this);
    this.graph = new Graph(this);
    this.flame = new Flame(this);
    $('tabs').innerHTML =
        TABS.map(([id, text], k) => `<button role="tab" data-tab="${id}" title="${k + 1}">${text}</button>`).join('');
    $('help').innerHTML = '<table>' + KEYS.map(([k, t]) => `<tr><td>${esc(k)}<td>${esc(t)}`).join('') + '</table>';
    this.listen();
  }
  // -- what is shown
  origin() {
    const r = this.model.runs[this.range.run];
    return r ? r.start : this.model.first;
  }
  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }
  paint() {
    this.timeline.draw();
    this.memory.draw();
    if (!document.body.classList.contains('wide')) this.graph.draw();
    if (this.tab === 'flame' && this.flame.root) this.flame.draw();
  }
  pickRun(run) {
    const m = this.model;
    if (!(run >= 0 && run < m.runs.length)) run = -1;
    const r = m.runs[run];
    this.range = r ? {run, low: r.at, high: r.at + r.count} : {run: -1, low: 0, high: m.n};
    $('run').value = r ? run + 1 : '';
    this.cache.clear();
    this.path = null;
    this.flame.root = null;
    this.timeline.fit();
    this.graph.load();
    this.summarize();
    this.showTab(this.tab);
  }
  summarize() {
    const m = this.model, picked = this.range.run >= 0 ? [m.runs[this.range.run]] : m.runs,
          folded = m.folded.filter(f => this.range.run < 0 || f.run === this.range.run);
    let work = 0, wait = 0, dropped = 0, failed = 0, sums = 0;
    for (let i = this.range.low; i < this.range.high; ++i) {
      work += m.self[i];
      wait += m.wait[i];
    }
    for (const f of folded) {
      work += f.total - (f.wait || 0);
      sums += f.count;
    }
    for (const r of picked) {
      dropped += r.dropped;
      work += r.droppedTime;
      if (r.error) ++failed;
    }
    const parts = [
      picked.length === 1 ? ns(picked[0].total) : `${whole(picked.length)} runs`,
      `${whole(this.range.high - this.range.low)} executions`, `${ns(work)} in kernels`
    ];
    if (wait) parts.push(`${ns(wait)} waiting`);
    if (sums) parts.push(`${whole(sums)} more executions only as sums`);
    if (dropped) parts.push(`${whole(dropped)} of other nodes left out`);
    if (m.left) parts.push(`${whole(m.left)} later runs left out: the file is full`);
    if (failed) parts.push(picked.length === 1 ? picked[0].error : `${failed} failed`);
    $('sum').textContent = $('sum').title = parts.join(', ');
  }
  describe(i) {
    const m = this.model, k = m.kinds[m.kind[i]], run = m.runs[m.runOf(i)];
    return `${k.name}\n${k.op}${k.device ? ' on ' + k.device : ''}: ${ns(m.work(i))}${
               m.wait[i] ? ' and ' + ns(m.wait[i]) + ' waiting' : ''}\n` +
        `${k.shape ? k.shape + ', ' : ''}${size(k.bytes)}, at ${ns(m.start[i] - run.start)} of run ${m.runOf(i) + 1}, ${
               m.threadNames.get(m.thread[i]) || 'thread ' + m.thread[i]}`;
  }
  // -- choosing
  select(i, show) {
    const m = this.model;
    this.selected = i;
    this.node = i < 0 ? -1 : m.nodeOf[m.kind[i]];
    this.consumers = i < 0 ? [] : m.consumers(i);
    if (i >= 0) {
      if (show) this.timeline.reveal(i, show === 'closer');
      this.graph.reveal(this.node);
    }
    this.detail();
    this.revealRow();
    this.rows();
    this.draw();
  }
  isChosen(row) { return row.event !== undefined ? row.event === this.selected : row.id >= 0 && row.id === this.node; }
  // Scrolls the table to the chosen row.
  revealRow() {
    if (this.tab === 'flame' || !this.shown) return;
    const list = $('list'), at = this.shown.findIndex(r => this.isChosen(r)) * ROW;
    if (at >= 0 && (at < list.scrollTop || at + 2 * ROW > list.scrollTop + list.clientHeight))
      list.scrollTop = at - list.clientHeight / 3;
  }
  // The longest execution of a node in the runs that are shown; in run `run` where that is not negative.
  selectNode(id, run) {
    const m = this.model, r = m.runs[run], low = r ? r.at : this.range.low, high = r ? r.at + r.count : this.range.high;
    let best = -1;
    for (let i = low; i < high; ++i)
      if (m.nodeOf[m.kind[i]] === id && (best < 0 || m.dur[i] > m.dur[best])) best = i;
    if (best >= 0) return this.select(best, true);
    this.node = id;
    this.selected = -1;
    this.consumers = [];
    this.detail();
    this.rows();
    this.draw();
  }
  step(by, matches) {
    const m = this.model, {low, high} = this.range,
          start = this.selected >= 0 ? this.selected :
        by > 0                       ? low - 1 :
                                       high;
    for (let i = start + by; i >= low && i < high; i += by)
      if (matches(m.nodeOf[m.kind[i]])) return this.select(i, true);
    for (let i = by > 0 ? low : high - 1; i >= low && i < high; i += by)
      if (matches(m.nodeOf[m.kind[i]])) return this.select(i, true);
  }
  search(text) {
    const m = this.model;
    text = text.trim();
    let is = null;
    if (text) {
      let expression = null;
      try {
        expression = new RegExp(text, 'i');
      } catch (e) { /* as plain text */
      }
      const low = text.toLowerCase();
      is = s => expression ? expression.test(s) : s.toLowerCase().includes(low);
    }
    this.finds = is;
    this.hit = is && Uint8Array.from(m.nodes, n => is(n.name) || is(n.op) || is(n.device) ? 1 : 0);
    let count = 0;
    if (this.hit)
      for (const h of this.hit) count += h;
    $('hits').textContent = this.hit ? `${whole(count)} node${count === 1 ? '' : 's'}` : '';
    if (this.tab !== 'flame') this.showTab(this.tab);
    this.draw();
  }
  // -- tables
  table(tab) {
    const m = this.model, key = tab + (tab === 'compare' ? this.byOp : '');
    if (this.cache.has(key)) return this.cache.get(key);
    let rows = [];
    if (tab === 'nodes')
      rows = byNode(m, this.range);
    else if (tab === 'ops')
      rows = byOp(m, this.range);
    else if (tab === 'scopes')
      rows = byScope(m, this.range);
    else if (tab === 'waiting') {
      rows = this.table('nodes').filter(r => r.wait > 0).map(r => ({...r, longest: 0}));
      const of = new Map(rows.map(r => [r.id, r]));
      for (let i = this.range.low; i < this.range.high; ++i)
        if (m.wait[i]) {
          const r = of.get(m.nodeOf[m.kind[i]]);
          r.longest = Math.max(r.longest, m.wait[i]);
        }
    } else if (tab === 'path')
      rows = m.runs.length ? criticalPath(m, this.pathRun()) : [];
    else if (tab === 'compare' && this.other)
      rows = compareRows(m, this.other, this.byOp ? 'op' : 'node');
    const whole = tab === 'scopes' ? (rows[0] || {}).total :
        tab === 'path'             ? (m.runs[this.pathRun()] || {}).total :
                                     rows.reduce((s, r) => s + (r.self || 0), 0);
    for (const r of rows) r.share = (tab === 'scopes' ? r.total : tab === 'path' ? r.time : r.self) / (whole || 1);
    if (tab === 'scopes') rows = nestedOrder(rows);
    this.cache.set(key, rows);
    return rows;
  }
  pathRun() {
    if (this.range.run >= 0) return this.range.run;
    let longest = 0;
    this.model.runs.forEach((r, k) => {
      if (r.total > this.model.runs[longest].total) longest = k;
    });
    return longest;
  }
  showTab(tab) {
    this.tab = tab;
    for (const b of $('tabs').children) b.setAttribute('aria-selected', b.dataset.tab === tab);
    $('flame').style.display = tab === 'flame' ? '' : 'none';
    $('list').style.display = tab === 'flame' ? 'none' : '';
    this.path = this.pathNodes = null;
    $('note').textContent = '';
    if (tab === 'flame') {
      if (!this.flame.root) this.flame.load();
      $('note').textContent = 'Own time by name scope. A click enters a scope; double click leaves all.';
      return this.draw();
    }
    let rows = this.table(tab);
    const m = this.model;
    if (tab === 'path') {
      this.path = new Set(rows.map(r => r.event));
      this.pathNodes = new Set(rows.map(r => r.id));
      const sum = f => rows.reduce((s, r) => s + r[f], 0), run = m.runs[this.pathRun()];
      if (run)
        $('note').textContent = `Run ${this.pathRun() + 1}: ${ns(sum('time'))} of work, ${
            ns(sum('wait'))} of waiting and ${ns(sum('gap'))} of gaps in ${rows.length} steps; the run took ${
            ns(run.total)}. In a gap no step of the path ran.${
            rows.some(r => m.parent[r.event] >= 0) ? ' Nodes within a call stand for it.' : ''}`;
    } else if (tab === 'waiting')
      $('note').textContent = rows.length ?
          'Time from the call of an asynchronous kernel to its end, for a queue or for another device.' :
          'No kernel waited.';
    else if (tab === 'compare') {
      $('note').innerHTML = this.other ?
          `this: ${esc(m.name)}, other: ${esc(this.other.name)}; medians of an execution. <button id="how">by ${
              this.byOp ? 'node' : 'op'}</button>` :
          'Choose a second trace, a page or a Chrome trace, or drop its file here.';
      if (this.other)
        $('how').onclick = () => {
          this.byOp = !this.byOp;
          this.showTab('compare');
        };
    } else if (rows.some(r => r.sums))
      $('note').textContent =
          'Executions of which the trace has only sums count in count, total and max, not in median and p99.';
    if (this.hit) rows = this.filter(rows, tab);
    const sort = this.sorts[tab] || (this.sorts[tab] = {by: SORTED[tab], up: false});
    if (sort.by) {
      const by = sort.by === 'bar' ? 'share' : sort.by, sign = sort.up ? 1 : -1, known = v => isNaN(v) ? -Infinity : v,
            column = COLUMNS[tab].find(c => c[0] === by);
      rows = rows.slice().sort(
          column && column[2] === TEXT ? (a, b) => (a[by] < b[by]     ? -1 :
                                                        a[by] > b[by] ? 1 :
                                                                        0) *
                  sign :
                                         (a, b) => (known(a[by]) - known(b[by])) * sign || 0);
    }
    this.shown = rows;
    // The room of empty columns is for names.
    const empty = c => tab === 'nodes' && (c === 'wait' || c === 'temp') && !rows.some(r => r[c]);
    const columns = COLUMNS[tab].filter(c => !(tab === 'compare' && this.byOp && c[0] === 'op') && !empty(c[0]));
    const least = columns.reduce((sum, c) => sum + (c[3] || 200), 0);
    $('list').innerHTML = `<table style="min-width:${least}px"><colgroup>` +
        columns.map(c => `<col${c[3] ? ` style="width:${c[3]}px"` : ''}>`).join('') + '</colgroup><thead><tr>' +
        columns
            .map(
                c => `<th data-by="${c[0]}" class="${c[2] === TEXT ? 'text' : ''}" title="Sort">${c[1]}${
                    sort.by === c[0] ? sort.up ? ' \u25b4' : ' \u25be' : ''}`)
            .join('') +
        '</thead><tbody></tbody></table>';
    this.columns = columns;
    $('list').scrollTop = 0;
    this.rows();
    this.draw();
  }
  // The rows that the search finds: of the nodes that it hits, with their ops and scopes.
  filter(rows, tab) {
    const m = this.model, names = new Set();
    if (tab === 'ops' || (tab === 'compare' && this.byOp)) {
      for (const n of m.nodes)
        if (this.hit[n.id]) names.add(n.op);
      return rows.filter(r => names.has(r.op) || this.finds(r.op));
    }
    if (tab !== 'scopes') return rows.filter(r => r.id >= 0 ? this.hit[r.id] : this.finds(r.name) || this.finds(r.op));
    for (const n of m.nodes) {
      if (!this.hit[n.id]) continue;
      for (let at = n.name.lastIndexOf('/'); at > 0; at = n.name.lastIndexOf('/', at - 1))
        names.add(n.name.slice(0, at));
    }
    return rows.filter(r => !r.depth || names.has(r.name));
  }
  // The visible rows: a table of 80,000 holds some forty.
  rows() {
    const body = $('list').querySelector('tbody');
    if (!body || this.tab === 'flame') return;
    const high = ROW, list = this.shown, from = Math.max(0, Math.floor($('list').scrollTop / high) - 6),
          to = Math.min(list.length, from + Math.ceil($('list').clientHeight / high) + 14);
    let html = `<tr style="height:${from * high}px"></tr>`;
    for (let k = from; k < to; ++k) {
      const r = list[k], sel = this.isChosen(r);
      html += `<tr data-k="${k}"${sel ? ' class="sel"' : ''}>`;
      for (const c of this.columns) {
        const v = r[c[0]];
        if (c[0] === 'bar')
          html += `<td class="text"><span class="bar" style="width:${(110 * r.share).toFixed(0)}px;background:${
              this.tab === 'ops' ? colorOf(r.op) : theme.hit}"></span>`;
        else if (c[0] === 'name' && this.tab !== 'scopes')
          // Too long: the end of the name stays.
          html += `<td class="text tail" title="${esc(v)}"><bdi>${esc(v)}</bdi>`;
        else if (c[2] === TEXT)
          html += `<td class="text"${
              c[0] === 'name' && r.depth ? ` style="padding-left:${8 + 14 * r.depth}px"` : ''} title="${esc(v)}">${
              esc(c[0] === 'name' && r.depth           ? v.slice(v.lastIndexOf('/') + 1) :
                      c[0] === 'shape' && r.shapes > 1 ? v + ' \u2026' :
                                                         v)}`;
        else
          html += `<td>${v === 0 && c[0] !== 'step' ? '<span style="opacity:.35">0</span>' : c[2](v)}`;
      }
    }
    body.innerHTML = html + `<tr style="height:${(list.length - to) * high}px"></tr>`;
  }
  detail() {
    const m = this.model, box = $('detail');
    if (this.node < 0) {
      box.innerHTML =
          '<h2>Nothing chosen</h2>Click an execution, a row or a node of the graph. <kbd>?</kbd> lists the keys.';
      return;
    }
    const node = m.nodes[this.node], row = this.table('nodes').find(r => r.id === this.node), i = this.selected;
    const list = pairs => '<dl>' +
        pairs.filter(p => p[1] !== '' && p[1] !== undefined).map(p => `<dt>${p[0]}<dd>${esc(p[1])}`).join('') + '</dl>';
    let html = `<h2>${esc(node.name)}</h2>` + list([['op', node.op], ['device', node.device]]);
    if (i >= 0) {
      const k = m.kinds[m.kind[i]], r = m.runOf(i);
      html +=
          '<h3>this execution</h3>' + list([
            ['work', ns(m.work(i))], ['waiting', m.wait[i] ? ns(m.wait[i]) : ''], ['own time', ns(m.self[i])],
            ['starts at', ns(m.start[i] - m.runs[r].start)], ['run', r + 1],
            ['thread', m.threadNames.get(m.thread[i]) || m.thread[i]], ['shape', k.shape], ['outputs', size(k.bytes)],
            ['temporary', k.temp ? size(k.temp) : ''], ['persistent', k.persistent ? size(k.persistent) : '']
          ]);
    }
    if (row)
      html += `<h3>${row.count === 1 ? 'one execution' : whole(row.count) + ' executions'}</h3>` + list([
                ['median', ns(row.median)], ['p99', ns(row.p99)], ['max', ns(row.max)], ['total', ns(row.total)],
                ['share', percent(row.share)], ['shapes', row.shapes > 1 ? row.shapes : '']
              ]);
    if (i >= 0) {
      const link = e => `<a data-event="${e}" title="${esc(m.nodes[m.nodeOf[m.kind[e]]].name)}">${
                esc(m.nodes[m.nodeOf[m.kind[e]]].name)}</a>`,
            from = [];
      for (let f = m.flowAt[i]; f < m.flowAt[i + 1]; ++f) from.push(m.flowFrom[f]);
      if (from.length) html += '<h3>reads</h3>' + from.slice(0, 50).map(link).join('');
      if (this.consumers.length) html += '<h3>read by</h3>' + this.consumers.slice(0, 50).map(link).join('');
      if (m.parent[i] >= 0) html += '<h3>within</h3>' + link(m.parent[i]);
    }
    box.innerHTML = html;
  }
  // -- a second trace
  async open(file) {
    try {
      const other = readAny(await file.text(), file.name);
      makeLanes(other);
      this.other = other;
    } catch (e) {
      this.showTab('compare');
      $('note').textContent = `Cannot read '${file.name}': ${e.message}`;
      return;
    }
    for (const key of [...this.cache.keys()])
      if (key.startsWith('compare')) this.cache.delete(key);
    this.showTab('compare');
  }
  // -- events
  listen() {
    $('tabs').onclick = e => {
      if (e.target.dataset.tab) this.showTab(e.target.dataset.tab);
    };
    $('list').onscroll = () => this.rows();
    $('list').onclick = e => {
      const by = e.target.dataset.by, tr = e.target.closest('tr[data-k]');
      if (by) {
        const s = this.sorts[this.tab];
        this.sorts[this.tab] = {by, up: s.by === by ? !s.up : COLUMNS[this.tab].find(c => c[0] === by)[2] === TEXT};
        this.showTab(this.tab);
      }
      if (!tr) return;
      const r = this.shown[tr.dataset.k];
      if (r.event !== undefined)
        this.select(r.event, true);
      else if (this.tab === 'scopes') {
        if (r.depth) {
          this.search($('search').value = '^' + literally(r.name) + '/');
        }
      } else if (this.tab === 'ops') {
        this.search($('search').value = exactly(r.op));
      } else if (r.id >= 0)
        this.selectNode(r.id, -1);
    };
    $('detail').onclick = e => {
      if (e.target.dataset.event) this.select(+e.target.dataset.event, true);
    };
    $('search').oninput = () => this.search($('search').value);
    $('search').onkeydown = e => {
      if (e.key === 'Enter') {
        if (this.hit) this.step(e.shiftKey ? -1 : 1, id => this.hit[id]);
      } else if (e.key === 'Escape') {
        $('search').value = '';
        this.search('');
        $('timeline').focus();
        e.stopPropagation();
      }
    };
    $('run').onchange = () => this.pickRun($('run').value === '' ? -1 : $('run').value - 1);
    $('before').onclick = () => this.pickRun(this.range.run < 0 ? this.model.runs.length - 1 : this.range.run - 1);
    $('after').onclick = () => this.pickRun(this.range.run + 1);
    $('compare').onclick = () => $('file').click();
    $('file').onchange = () => {
      if ($('file').files[0]) this.open($('file').files[0]);
      $('file').value = '';
    };
    $('keys').onclick = () => $('help').showModal();
    $('help').onclick = () => $('help').close();
    addEventListener('dragover', e => {
      e.preventDefault();
      document.body.classList.add('drop');
    });
    addEventListener('dragleave', () => document.body.classList.remove('drop'));
    addEventListener('drop', e => {
      e.preventDefault();
      document.body.classList.remove('drop');
      if (e.dataTransfer.files[0]) this.open(e.dataTransfer.files[0]);
    });
    addEventListener('resize', () => {
      this.draw();
      this.rows();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      readTheme();
      this.draw();
      this.rows();
    });
    addEventListener('keydown', e => this.key(e));
  }
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || $('help').open) return;
    if (e.target.tagName === 'INPUT') return;
    const t = this.timeline, span = t.end - t.begin, key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const act = {
      w: () => t.zoom(0.7),
      s: () => t.zoom(1 / 0.7),
      ArrowUp: () => t.zoom(0.7),
      ArrowDown: () => t.zoom(1 / 0.7),
      '+': () => t.zoom(0.7),
      '-': () => t.zoom(1 / 0.7),
      a: () => t.show(t.begin - span * 0.2, t.end - span * 0.2),
      d: () => t.show(t.begin + span * 0.2, t.end + span * 0.2),
      ArrowLeft: () => t.show(t.begin - span * 0.2, t.end - span * 0.2),
      ArrowRight: () => t.show(t.begin + span * 0.2, t.end + span * 0.2),
      PageDown: () => {
        t.scroll(LANE * 8);
        this.draw();
      },
      PageUp: () => {
        t.scroll(-LANE * 8);
        this.draw();
      },
      '/': () => {
        $('search').focus();
        $('search').select();
      },
      '?': () => $('help').showModal(),
      n: () => {
        if (this.node >= 0) this.step(1, id => id === this.node);
      },
      p: () => {
        if (this.node >= 0) this.step(-1, id => id === this.node);
      },
      f: () => {
        if (this.selected >= 0)
          t.reveal(this.selected, true);
        else
          t.fit();
      },
      0: () => t.fit(),
      '[': () => $('before').click(),
      ']': () => $('after').click(),
      g: () => {
        document.body.classList.toggle('wide');
        this.draw();
      },
      c: () => $('file').click(),
      Escape: () => {
        if (this.hit) {
          $('search').value = '';
          this.search('');
        } else if (this.node >= 0)
          this.select(-1);
        else
          this.pickRun(-1);
      },
    }[key] ||
        (key >= '1' && key <= String(TABS.length) && (() => this.showTab(TABS[key - 1][0])));
    if (!act) return;
    e.preventDefault();
    act();
  }
}
const literally = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const exactly = text => '^' + literally(text) + '$';
// Scopes below their scopes, the longest first.
function nestedOrder(rows) {
  const below = new Map(), out = [];
  for (const r of rows) {
    const up = r.depth < 2 ? r.depth ? '(all)' : '' : r.name.slice(0, r.name.lastIndexOf('/'));
    if (!below.has(up)) below.set(up, []);
    below.get(up).push(r);
  }
  const put = up => {
    for (const r of (below.get(up) || []).sort((a, b) => b.total - a.total)) {
      out.push(r);
      put(r.name);
    }
  };
  put('');
  return out;
}

const times = {
  begin: performance.now()
};
{
  times.parsed = performance.now();
  const model = readPage($('runs').textContent, '');
  const first = model.runs[0];
  document.title = $('title').textContent = $('title').title = model.name = first ? first.title : 'no runs';
  times.read = performance.now();
  makeLanes(model);
  const app = new App(model);
  globalThis.tenon = {app, model, times};
  app.timeline.load();
  app.summarize();
  app.timeline.draw();
  times.drawn = performance.now();
  requestAnimationFrame(() => setTimeout(() => {
                          times.painted = performance.now();
                          app.pending = true;
                          app.memory.load();
                          app.graph.load();
                          app.showTab('nodes');
                          app.detail();
                          app.pending = false;
                          app.memory.draw();
                          app.graph.draw();
                          $('timeline').focus();
                          times.ready = performance.now();
                          document.documentElement.dataset.ready = Math.round(times.ready);
                        }));
}
