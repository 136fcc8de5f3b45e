// The canvases. Each view draws what is visible, at most a few items a pixel.
const $ = id => document.getElementById(id);
const esc = s => String(s).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
const trim = (v, unit) => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2)) + ' ' + unit;
const ns = t => t < 0 ? '-' + ns(-t) :
    t < 1000          ? Math.round(t) + ' ns' :
    t < 1e6           ? trim(t / 1e3, '\u00b5s') :
    t < 1e9           ? trim(t / 1e6, 'ms') :
                        trim(t / 1e9, 's');
const size = b => b < 1024 ? Math.round(b) + ' B' :
    b < 1048576            ? trim(b / 1024, 'KiB') :
    b < 1073741824         ? trim(b / 1048576, 'MiB') :
                             trim(b / 1073741824, 'GiB');
const whole = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const percent = x => (100 * x).toFixed(1) + ' %';

const theme = {
  dark: false
};
const hues = new Map(), colors = new Map();
function colorOf(op) {
  let c = colors.get(op);
  if (!c) {
    if (!hues.has(op)) hues.set(op, hues.size * 137.5 % 360);
    colors.set(op, c = `hsl(${hues.get(op).toFixed(0)} ${theme.dark ? '42% 46%' : '58% 66%'})`);
  }
  return c;
}
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['bg', 'fg', 'dim', 'line', 'panel', 'sel', 'hit', 'wait'])
    theme[name] = style.getPropertyValue('--' + name).trim();
  theme.dark = matchMedia('(prefers-color-scheme: dark)').matches;
  colors.clear();
}

// Sizes a canvas for the screen and clears it.
function begin(canvas) {
  const box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1, w = Math.max(1, Math.round(box.width)),
        h = Math.max(1, Math.round(box.height));
  if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
  }
  const g = canvas.getContext('2d', {alpha: false});
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.globalAlpha = 1;
  g.fillStyle = theme.bg;
  g.fillRect(0, 0, w, h);
  g.font = '11px system-ui, sans-serif';
  g.textBaseline = 'middle';
  return {g, w, h};
}
function clip(g, text, width) {
  if (width < 14) return '';
  const most = Math.floor(width / 5.6);
  if (text.length > most * 1.3)
    text = text.slice(0, most);
  else if (g.measureText(text).width <= width)
    return text;
  while (text.length > 1 && g.measureText(text + '\u2026').width > width) text = text.slice(0, -1);
  return text.length > 1 ? text + '\u2026' : '';
}
// The first k in [low, items.length) with is(items[k]); from low on in steps that double.
function gallop(items, low, is) {
  let step = 1, high = low;
  while (high < items.length && !is(items[high])) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, items.length);
  while (low < high) {
    const m = (low + high) >> 1;
    if (is(items[m]))
      high = m;
    else
      low = m + 1;
  }
  return low;
}
function step125(least) {
  const unit = 10 ** Math.floor(Math.log10(least));
  return least <= unit ? unit : least <= 2 * unit ? 2 * unit : least <= 5 * unit ? 5 * unit : 10 * unit;
}

// Writes times up to `most` so that those a step apart differ.
function tickText(most, step) {
  const [unit, name] = most < 1000 ? [1, 'ns'] : most < 1e6 ? [1e3, '\u00b5s'] : most < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const digits = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));
  return t => (t / unit).toFixed(digits) + ' ' + name;
}

const GUTTER = 108, RULER = 20, LANE = 18;

// Pointer: drag pans, a click picks, the wheel zooms about the pointer.
function pointer(canvas, view) {
  let from = null;
  canvas.addEventListener('pointerdown', e => {
    from = {x: e.offsetX, y: e.offsetY, moved: false};
    canvas.setPointerCapture(e.pointerId);
    canvas.focus();
  });
  canvas.addEventListener('pointermove', e => {
    if (from) {
      const dx = e.offsetX - from.x, dy = e.offsetY - from.y;
      if (from.moved || Math.abs(dx) + Math.abs(dy) > 3) {
        view.pan(dx, dy, from);
        from.x = e.offsetX;
        from.y = e.offsetY;
        from.moved = true;
        hideTip();
      }
    } else
      tip(e, view.hover(e.offsetX, e.offsetY));
  });
  canvas.addEventListener('pointerup', e => {
    if (from && !from.moved) view.click(e.offsetX, e.offsetY, e);
    from = null;
  });
  canvas.addEventListener('pointerleave', () => {
    hideTip();
  });
  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    const unit = e.deltaMode ? 30 : 1;
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
      view.pan(-e.deltaX * unit, 0, {});
    else if (e.altKey || e.shiftKey)
      view.pan(0, -e.deltaY * unit, {});
    else
      view.zoom(Math.exp(e.deltaY * unit * 0.0015), e.offsetX, e.offsetY);
  }, {passive: false});
  canvas.addEventListener('dblclick', e => {
    if (!view.enter || !view.enter(e.offsetX, e.offsetY)) view.fit();
  });
}
function tip(e, text) {
  const box = $('tip');
  if (!text) return hideTip();
  box.textContent = text;
  box.style.display = 'block';
  const w = box.offsetWidth, h = box.offsetHeight;
  box.style.left = Math.max(0, Math.min(e.clientX + 14, innerWidth - w - 4)) + 'px';
  box.style.top = (e.clientY + 18 + h > innerHeight ? e.clientY - h - 8 : e.clientY + 18) + 'px';
}
function hideTip() { $('tip').style.display = 'none'; }

// A row of bars a thread, with lanes for nested executions and for waiting. Time in nanoseconds of the trace.
class Timeline {
  constructor(app) {
    this.app = app;
    this.canvas = $('timeline');
    this.top = 0;
    this.wide = 800;
    this.rows = [];
    pointer(this.canvas, this);
  }
  load() {
    const m = this.app.model;
    this.rows = [...m.runLanes.map((runs, k) => ({runs, label: k ? '' : 'runs'})), ...m.lanes];
    this.begin = m.first;
    this.end = m.last;
    this.top = 0;
  }
  // Pixels of the time axis, as drawn last: to ask the canvas takes long.
  width() { return this.wide; }
  x(t) { return GUTTER + (t - this.begin) * this.width() / (this.end - this.begin); }
  time(x) { return this.begin + (x - GUTTER) * (this.end - this.begin) / this.width(); }
  show(begin, end) {
    const m = this.app.model, least = 10;
    let span = Math.max(least, Math.min(end - begin, (m.last - m.first) * 1.02));
    const middle = (begin + end) / 2, slack = (m.last - m.first) * 0.01;
    begin = Math.max(m.first - slack, Math.min(middle - span / 2, m.last + slack - span));
    this.begin = begin;
    this.end = begin + span;
    this.app.draw();
  }
  zoom(factor, x) {
    const t = x === undefined ? (this.begin + this.end) / 2 : Math.max(this.begin, this.time(x));
    this.show(t - (t - this.begin) * factor, t + (this.end - t) * factor);
  }
  pan(dx, dy) {
    const by = -dx * (this.end - this.begin) / this.width();
    this.scroll(-dy);
    this.show(this.begin + by, this.end + by);
  }
  scroll(by) {
    const most = Math.max(0, this.rows.length * LANE + RULER - this.canvas.clientHeight);
    this.top = Math.max(0, Math.min(most, this.top + by));
  }
  fit() {
    const m = this.app.model, r = m.runs[this.app.range.run];
    if (r)
      this.show(r.start, r.start + Math.max(r.total, 1));
    else
      this.show(m.first, m.last);
  }
  // Makes an execution visible.
  reveal(i, closer) {
    const m = this.app.model, middle = m.start[i] + m.dur[i] / 2;
    let span = this.end - this.begin;
    if (closer || m.dur[i] * this.width() / span < 3) span = Math.min(span, Math.max(m.dur[i] * 8, 2000));
    span = Math.max(span, m.dur[i] * 1.2);
    if (closer || m.start[i] < this.begin || m.end(i) > this.end || span !== this.end - this.begin)
      this.show(middle - span / 2, middle + span / 2);
    const row = this.rowOf(i);
    if (row * LANE < this.top || (row + 1) * LANE > this.top + this.canvas.clientHeight - RULER) {
      this.top = 0;
      this.scroll(row * LANE - 40);
    }
  }
  find(row, t) {
    const m = this.app.model, items = row.items;
    let low = 0, high = items.length;
    while (low < high) {
      const k = (low + high) >> 1;
      if (m.end(items[k]) <= t)
        low = k + 1;
      else
        high = k;
    }
    return low;
  }
  rowOf(i) {
    const m = this.app.model, waiting = m.wait[i] * 2 > m.dur[i];
    for (let r = 0; r < this.rows.length; ++r) {
      const row = this.rows[r];
      if (row.runs || !!row.waiting !== waiting ||
          (!waiting && (row.thread !== m.thread[i] || row.depth !== m.depth[i])))
        continue;
      for (let k = Math.max(0, this.find(row, m.start[i]) - 2), n = 0; k < row.items.length && n < 9; ++k, ++n)
        if (row.items[k] === i) return r;
      if (!waiting) return r;
    }
    return 0;
  }
  draw() {
    const {g, w, h} = begin(this.canvas), m = this.app.model, app = this.app;
    this.wide = Math.max(50, w - GUTTER);
    this.scroll(0);
    const scale = this.width() / (this.end - this.begin), rows = this.rows;
    const first = Math.max(0, Math.floor(this.top / LANE)),
          stop = Math.min(rows.length, Math.ceil((this.top + h) / LANE));
    this.grid(g, w, h, scale);
    g.save();
    g.beginPath();
    g.rect(GUTTER, RULER, w, h);
    g.clip();
    for (let r = first; r < stop; ++r) {
      const y = RULER + r * LANE - this.top;
      if (rows[r].runs)
        this.drawRuns(g, rows[r].runs, y, w, scale);
      else
        this.drawLane(g, rows[r], y, w, scale);
    }
    if (app.selected >= 0) this.drawFlows(g, app.selected);
    g.restore();
    g.fillStyle = theme.panel;
    g.fillRect(0, RULER, GUTTER - 1, h);
    for (let r = first; r < stop; ++r) {
      const y = RULER + r * LANE - this.top;
      if (rows[r].label && y >= RULER - LANE / 2) {
        g.fillStyle = theme.line;
        g.fillRect(0, y - 1, w, 1);
        g.fillStyle = theme.fg;
        g.fillText(clip(g, rows[r].label, GUTTER - 10), 5, y + LANE / 2);
      }
    }
    g.fillStyle = theme.bg;
    g.fillRect(0, 0, GUTTER, RULER);
    g.fillStyle = theme.dim;
    g.fillText(ns(this.end - this.begin) + ' shown', 5, RULER / 2);
    const all = rows.length * LANE, seen = h - RULER;
    if (all > seen) {
      g.fillStyle = theme.dim;
      g.fillRect(w - 4, RULER + this.top / all * seen, 3, Math.max(12, seen / all * seen));
    }
  }
  grid(g, w, h, scale) {
    const step = step125(90 / scale), zero = this.app.origin(), text = tickText(this.end - zero, step);
    g.fillStyle = theme.panel;
    g.fillRect(0, 0, w, RULER);
    for (let k = Math.ceil((this.begin - zero) / step);; ++k) {
      const x = this.x(zero + k * step);
      if (x > w) break;
      if (x < GUTTER) continue;
      g.fillStyle = theme.line;
      g.fillRect(x, 0, 1, h);
      g.fillStyle = theme.dim;
      if (x + 60 < w) g.fillText(text(k * step), x + 3, RULER / 2);
    }
  }
  drawRuns(g, runs, y, w, scale) {
    const m = this.app.model;
    let low = 0, high = runs.length, done = -1;
    while (low < high) {
      const k = (low + high) >> 1, r = m.runs[runs[k]];
      if (r.start + r.total <= this.begin)
        low = k + 1;
      else
        high = k;
    }
    for (let k = low; k < runs.length; ++k) {
      const r = m.runs[runs[k]], x = this.x(r.start), width = Math.max(1, r.total * scale);
      if (x > w) break;
      if (x + width < done + 1 && width < 2) continue;
      done = x + width;
      g.globalAlpha = this.app.range.run < 0 || this.app.range.run === runs[k] ? 1 : 0.35;
      g.fillStyle = r.error ? theme.sel : theme.dim;
      g.fillRect(x, y + 2, Math.max(1, width - 1), LANE - 5);
      if (width > 30) {
        const from = Math.max(x, GUTTER);
        g.fillStyle = theme.bg;
        g.fillText(
            clip(
                g,
                `run ${runs[k] + 1}${r.session > 1 ? ', session ' + r.session : ''}: ${ns(r.total)}${
                    r.error ? ', ' + r.error : ''}`,
                x + width - from - 8),
            from + 4, y + LANE / 2 - 0.5);
      }
    }
    g.globalAlpha = 1;
  }
  drawLane(g, row, y, w, scale) {
    const m = this.app.model, items = row.items, {start, dur, kind} = m, nodes = m.nodes, nodeOf = m.nodeOf,
          hit = this.app.hit, chosen = this.app.node, path = this.app.path;
    const dim = (hit || path) && 0.16, high = LANE - 3;
    let k = this.find(row, this.begin);
    while (k < items.length) {
      const i = items[k];
      if (start[i] >= this.end) break;
      const x = this.x(start[i]), width = dur[i] * scale;
      if (width < 1.2) {
        // Executions of one pixel: as opaque as the pixel is busy.
        const px = Math.floor(x), t0 = this.time(px), t1 = this.time(px + 1),
              stop = gallop(items, k + 1, e => start[e] >= t1);
        const busy = Math.min(1, (row.busy[stop] - row.busy[k]) / (t1 - t0));
        let show = i, on = !dim;
        if (dim || chosen >= 0)
          for (let q = k, n = 0; q < stop && n < 4000; ++q, ++n) {
            if ((hit && hit[nodeOf[kind[items[q]]]]) || (path && path.has(items[q]))) {
              on = true;
              show = items[q];
              break;
            }
          }
        g.globalAlpha = on ? 0.3 + 0.7 * busy : dim;
        g.fillStyle = row.waiting ? theme.wait : colorOf(nodes[nodeOf[kind[show]]].op);
        g.fillRect(px, y, 1, high);
        k = stop;
        continue;
      }
      const id = nodeOf[kind[i]], on = !dim || (path ? path.has(i) : hit[id]);
      g.globalAlpha = on ? 1 : dim;
      const from = Math.max(x, GUTTER - 1), to = Math.min(x + width, w + 1), gap = to - from > 3 ? 1 : 0;
      g.fillStyle = row.waiting ? theme.wait : colorOf(nodes[id].op);
      g.fillRect(from, y, to - from - gap, high);
      if (!row.waiting && m.wait[i] > 0) {
        g.fillStyle = theme.wait;
        g.fillRect(Math.max(from, to - m.wait[i] * scale), y, Math.min(to - from, m.wait[i] * scale), high);
      }
      if (id === chosen) {
        g.strokeStyle = theme.sel;
        g.lineWidth = i === this.app.selected ? 2 : 1;
        g.strokeRect(from + 0.5, y + 0.5, Math.max(1, to - from - gap - 1), high - 1);
      }
      if (to - from > 28) {
        g.fillStyle = theme.fg;
        g.fillText(
            clip(g, to - from > 150 ? nodes[id].op + '  ' + nodes[id].name : nodes[id].op, to - from - 8), from + 3,
            y + high / 2 + 0.5);
      }
      ++k;
    }
    g.globalAlpha = 1;
  }
  drawFlows(g, i) {
    const m = this.app.model, y = e => RULER + this.rowOf(e) * LANE - this.top + (LANE - 3) / 2;
    const line = (a, b, control) => {
      const x0 = this.x(m.end(a)), x1 = this.x(m.start[b]), y0 = y(a), y1 = y(b),
            bend = Math.max(8, Math.abs(x1 - x0) / 3);
      g.setLineDash(control ? [3, 3] : []);
      g.beginPath();
      g.moveTo(x0, y0);
      g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      g.stroke();
    };
    g.strokeStyle = theme.sel;
    g.lineWidth = 1.2;
    for (let f = m.flowAt[i], n = 0; f < m.flowAt[i + 1] && n < 200; ++f, ++n) line(m.flowFrom[f], i, m.control[f]);
    g.strokeStyle = theme.hit;
    for (const to of this.app.consumers.slice(0, 200)) line(i, to, 0);
    g.setLineDash([]);
  }
  at(x, y) {
    const row = this.rows[Math.floor((y - RULER + this.top) / LANE)];
    if (!row || y < RULER || x < GUTTER) return null;
    const t = this.time(x), slack = 2 * (this.end - this.begin) / this.width(), m = this.app.model;
    if (row.runs) {
      for (const r of row.runs)
        if (m.runs[r].start - slack <= t && t <= m.runs[r].start + m.runs[r].total + slack) return {run: r};
      return null;
    }
    let best = -1, longest = -1;
    for (let k = this.find(row, t - slack), n = 0; k < row.items.length && n < 2000; ++k, ++n) {
      const i = row.items[k];
      if (m.start[i] > t + slack) break;
      if (m.start[i] <= t && t < m.end(i)) return {event: i};
      if (m.dur[i] > longest) {
        longest = m.dur[i];
        best = i;
      }
    }
    return best < 0 ? null : {event: best};
  }
  hover(x, y) {
    const found = this.at(x, y), m = this.app.model;
    if (!found) return '';
    if (found.run !== undefined) {
      const r = m.runs[found.run];
      return `run ${found.run + 1}, session ${r.session}: ${ns(r.total)}, ${r.count} executions${
          r.error ? '\n' + r.error : ''}`;
    }
    return this.app.describe(found.event);
  }
  click(x, y) {
    const found = this.at(x, y);
    if (!found)
      this.app.select(-1);
    else if (found.run !== undefined)
      this.app.pickRun(found.run === this.app.range.run ? -1 : found.run);
    else
      this.app.select(found.event);
  }
}

// Bytes over the same time as the timeline.
class Memory {
  constructor(app) {
    this.app = app;
    this.canvas = $('memory');
    pointer(this.canvas, this);
  }
  load() {
    const m = this.app.model, live = liveBytes(m);
    this.curves = [{name: 'outputs that live, at most', at: live.at, bytes: live.bytes, fill: true}];
    if (m.allocations.at.length)
      this.curves.push({name: 'allocated', at: m.allocations.at, bytes: m.allocations.bytes});
    for (const c of this.curves) {
      c.most = 0;
      for (let i = 0; i < c.bytes.length; ++i)
        if (c.bytes[i] > c.most) {
          c.most = c.bytes[i];
          c.when = c.at[i];
        }
    }
    this.most = Math.max(1, ...this.curves.map(c => c.most));
  }
  pan(dx) { this.app.timeline.pan(dx, 0); }
  zoom(f, x) { this.app.timeline.zoom(f, x); }
  fit() { this.app.timeline.fit(); }
  find(c, t) {
    let low = 0, high = c.at.length;
    while (low < high) {
      const k = (low + high) >> 1;
      if (c.at[k] <= t)
        low = k + 1;
      else
        high = k;
    }
    return low - 1;
  }
  click(x) {
    // The curve's highest step near the pointer: the execution that made it.
    const t = this.app.timeline, m = this.app.model, from = t.time(x - 4), to = t.time(x + 4), c = this.curves[0];
    let best = -1;
    for (let k = Math.max(0, this.find(c, from)); k < c.at.length && c.at[k] <= to; ++k)
      if (c.at[k] >= from && (best < 0 || c.bytes[k] > c.bytes[best])) best = k;
    if (best < 0) return;
    for (let i = 0; i < m.n; ++i)
      if (m.end(i) === c.at[best]) return this.app.select(i);
  }
  hover(x) {
    const t = this.app.timeline.time(x);
    return this.curves
        .map(c => {
          const k = this.find(c, t);
          return `${c.name}: ${size(k < 0 ? 0 : c.bytes[k])} (highest: ${size(c.most)})`;
        })
        .join('\n');
  }
  draw() {
    const {g, w, h} = begin(this.canvas), t = this.app.timeline;
    if (!this.curves) return;
    const base = h - 3, high = h - 20, scale = high / this.most;
    g.save();
    g.beginPath();
    g.rect(GUTTER, 0, w, h);
    g.clip();
    for (const c of this.curves) {
      const color = c.fill ? theme.hit : theme.sel, stop = t.end;
      let k = this.find(c, t.begin), y = base - (k < 0 ? 0 : c.bytes[k]) * scale;
      g.beginPath();
      g.moveTo(GUTTER, base);
      g.lineTo(GUTTER, y);
      for (k = Math.max(0, k + 1); k < c.at.length && c.at[k] < stop;) {
        // One pixel: its lowest, its highest and its last value.
        const x = t.x(c.at[k]), until = t.time(Math.floor(x) + 1);
        let least = Infinity, most = 0, last = 0;
        for (; k < c.at.length && c.at[k] < until; ++k) {
          last = c.bytes[k];
          if (last < least) least = last;
          if (last > most) most = last;
        }
        if (least === Infinity) {
          last = least = most = c.bytes[k++];
        }
        g.lineTo(x, y);
        g.lineTo(x, base - least * scale);
        g.lineTo(x, base - most * scale);
        y = base - last * scale;
        g.lineTo(x, y);
      }
      g.lineTo(Math.min(w, t.x(this.app.model.last)), y);
      g.strokeStyle = color;
      g.lineWidth = 1;
      if (c.fill) {
        g.lineTo(Math.min(w, t.x(this.app.model.last)), base);
        g.closePath();
        g.globalAlpha = 0.25;
        g.fillStyle = color;
        g.fill();
        g.globalAlpha = 1;
      }
      g.stroke();
    }
    g.restore();
    g.fillStyle = theme.panel;
    g.fillRect(0, 0, GUTTER - 1, h);
    g.fillStyle = theme.fg;
    g.fillText('memory', 5, 10);
    g.fillStyle = theme.dim;
    g.fillText('highest', 5, 28);
    this.curves.forEach((c, k) => {
      g.fillStyle = k ? theme.sel : theme.hit;
      g.fillText(size(c.most), 5, 43 + 15 * k);
      g.fillText(c.name, GUTTER + 6 + 170 * k, 9);
    });
  }
}

// The graph of the nodes that ran in one run, in layers: each node stands below its producers. It shows one level: the
// nodes of the run, or those within a node, such as a call of a function.
class Graph {
  constructor(app) {
    this.app = app;
    this.canvas = $('graph');
    this.x = this.y = 0;
    this.scale = 1;
    pointer(this.canvas, this);
  }
  // `within`: the node whose inside is shown; -1: the run; undefined: the first level with more than a call or two.
  load(within) {
    const m = this.app.model;
    let r = this.app.range.run;
    if (r < 0) {
      r = 0;
      for (let k = 0; k < m.runs.length; ++k)
        if (m.runs[k].count > m.runs[r].count) r = k;
    }
    this.run = r;
    const run = m.runs[r], place = new Int32Array(m.nodes.length).fill(-1), list = [], edges = new Set(), top = [],
          parents = [];
    this.findLevels(run);
    this.within = within = within === undefined ? this.firstLevel() : within;
    if (run)
      for (let i = run.at; i < run.at + run.count; ++i) {
        const id = m.nodeOf[m.kind[i]];
        if (this.levelAt(i) !== within) continue;
        const isNew = place[id] < 0;
        if (isNew) {
          place[id] = list.length;
          list.push(id);
          top.push(0);
          parents.push([]);
        }
        for (let f = m.flowAt[i]; f < m.flowAt[i + 1]; ++f) {
          const from = place[m.nodeOf[m.kind[m.flowFrom[f]]]], to = place[id];
          if (from < 0 || from === to) continue;
          const key = from * 4294967296 + to;
          if (edges.has(key)) continue;
          edges.add(key);
          parents[to].push(from);
          if (isNew) top[to] = Math.max(top[to], top[from] + 1);
        }
      }
    // Order in a layer: by the mean place of the producers.
    const layers = [], at = new Float64Array(list.length);
    top.forEach((l, i) => {
      (layers[l] = layers[l] || []).push(i);
    });
    layers.forEach((layer, l) => {
      const want = new Map();
      layer.forEach((i, k) => {
        const p = parents[i];
        want.set(i, l && p.length ? p.reduce((s, j) => s + at[j], 0) / p.length : k - layer.length / 2);
      });
      layer.sort((a, b) => want.get(a) - want.get(b));
      // As near to its producers as its neighbours let it be; then centred.
      let next = -Infinity, shift = 0;
      for (const i of layer) {
        at[i] = Math.max(next, want.get(i));
        next = at[i] + 1;
        shift += want.get(i) - at[i];
      }
      shift /= layer.length;
      for (const i of layer) at[i] += shift;
    });
    const children = list.map(() => []);
    parents.forEach((p, to) => {
      for (const from of p) children[from].push(to);
    });
    const total = new Float64Array(list.length);
    if (run)
      for (let i = run.at; i < run.at + run.count; ++i) {
        if (this.levelAt(i) !== within) continue;
        const p = place[m.nodeOf[m.kind[i]]];
        if (p >= 0) total[p] += m.work(i);
      }
    let most = 0;
    for (const t of total) most = Math.max(most, t);
    Object.assign(this, {list, place, top, at, layers, parents, children, total, most, edges: edges.size});
    this.fit();
  }
  // The node around an execution; -1: none.
  levelAt(i) {
    const m = this.app.model;
    return m.parent[i] >= 0 ? m.nodeOf[m.kind[m.parent[i]]] : -1;
  }
  // levelOf: the level of each node; nodesIn: the nodes of each level.
  findLevels(run) {
    const m = this.app.model;
    this.levelOf = new Map();
    this.nodesIn = new Map();
    if (run)
      for (let i = run.at; i < run.at + run.count; ++i) {
        const id = m.nodeOf[m.kind[i]], level = this.levelAt(i);
        if (!this.levelOf.has(id)) this.levelOf.set(id, level);
        if (!this.nodesIn.has(level)) this.nodesIn.set(level, new Set());
        this.nodesIn.get(level).add(id);
      }
  }
  firstLevel() {
    let level = -1;
    for (let depth = 0; depth < 64; ++depth) {
      const nodes = [...(this.nodesIn.get(level) || [])], inner = nodes.filter(id => this.nodesIn.has(id));
      if (nodes.length > 2 || inner.length !== 1) break;
      level = inner[0];
    }
    return level;
  }
  // A double click shows what is within a node; on the title, what is around it.
  enter(x, y) {
    const id = y < 18 ? -1 : this.atPoint(x, y);
    if (y < 18 && this.within >= 0)
      this.load(this.levelOf.has(this.within) ? this.levelOf.get(this.within) : -1);
    else if (id >= 0 && this.nodesIn.has(id))
      this.load(id);
    else
      return false;
    return true;
  }
  // One layer is 44 high, one node 150 wide, at scale 1.
  px(i) { return this.x + this.at[i] * 150 * this.scale; }
  py(i) { return this.y + this.top[i] * 44 * this.scale; }
  fit() {
    const box = this.canvas.getBoundingClientRect();
    let left = 0, right = 0;
    for (const a of this.at) {
      left = Math.min(left, a);
      right = Math.max(right, a);
    }
    const wide = (right - left + 1) * 150, high = this.layers.length * 44 + 10;
    this.scale = Math.min(1, Math.max(0.02, Math.min(box.width / wide, box.height / high)));
    // A long thin graph begins at its top, at a scale that can be read.
    if (this.scale < 0.4 && box.width / wide > 0.4) this.scale = Math.min(0.75, box.width / wide);
    this.x = box.width / 2 - (left + right) / 2 * 150 * this.scale;
    this.y = 18 + 16 * this.scale;
    this.app.draw();
  }
  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.max(0.0005, Math.min(3, this.scale / factor)), k = scale / this.scale;
    this.x = x - (x - this.x) * k;
    this.y = y - (y - this.y) * k;
    this.scale = scale;
    this.app.draw();
  }
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.app.draw();
  }
  reveal(id) {
    if (!(this.place[id] >= 0) && this.levelOf.has(id)) this.load(this.levelOf.get(id));
    const i = this.place[id];
    if (i === undefined || i < 0) return;
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (this.scale < 0.5) {
      this.scale = 0.75;
      this.x = this.y = -1e9;
    }
    const x = this.px(i), y = this.py(i);
    if (x < 60 || x > w - 60) this.x += w / 2 - x;
    if (y < 24 || y > h - 24) this.y += h / 2 - y;
  }
  draw() {
    const {g, w, h} = begin(this.canvas);
    if (!this.list) return;
    const s = this.scale, app = this.app, m = app.model, chosen = app.node >= 0 ? this.place[app.node] : -1;
    const first = Math.max(0, Math.floor((-this.y - 20) / (44 * s))),
          stop = Math.min(this.layers.length, Math.ceil((h - this.y + 20) / (44 * s)) + 1);
    const half = 66 * s, tall = Math.max(1, 24 * s), seen = [];
    for (let l = first; l < stop; ++l) {
      const layer = this.layers[l];
      let low = 0, high = layer.length;
      while (low < high) {
        const k = (low + high) >> 1;
        if (this.px(layer[k]) + half < 0)
          low = k + 1;
        else
          high = k;
      }
      let last = -1e9;
      for (let k = low; k < layer.length; ++k) {
        const x = this.px(layer[k]);
        if (x - half > w) break;
        if (x - last < 1 && layer[k] !== chosen) continue;
        last = x;
        seen.push(layer[k]);
      }
    }
    const curve = (from, to) => {
      const x0 = this.px(from), y0 = this.py(from) + tall / 2, x1 = this.px(to), y1 = this.py(to) - tall / 2,
            b = Math.max(6, (y1 - y0) / 2);
      g.moveTo(x0, y0);
      g.bezierCurveTo(x0, y0 + b, x1, y1 - b, x1, y1);
    };
    if (seen.length < 4000) {
      g.beginPath();
      let drawn = 0;
      for (const i of seen) {
        for (const from of this.parents[i])
          if (++drawn < 9000) curve(from, i);
        for (const to of this.children[i])
          if (this.top[to] >= stop && ++drawn < 9000) curve(i, to);
      }
      g.strokeStyle = theme.dim;
      g.globalAlpha = s < 0.3 ? 0.25 : 0.55;
      g.lineWidth = 1;
      g.stroke();
      g.globalAlpha = 1;
    }
    if (chosen >= 0) {
      g.lineWidth = 1.6;
      g.strokeStyle = theme.sel;
      g.beginPath();
      for (const from of this.parents[chosen]) curve(from, chosen);
      g.stroke();
      g.strokeStyle = theme.hit;
      g.beginPath();
      for (const to of this.children[chosen]) curve(chosen, to);
      g.stroke();
    }
    const onPath = app.path && app.pathNodes;
    for (const i of seen) {
      const node = m.nodes[this.list[i]], x = this.px(i), y = this.py(i),
            on = onPath ? onPath.has(node.id) : !app.hit || app.hit[node.id];
      g.globalAlpha = on ? 1 : 0.16;
      g.fillStyle = colorOf(node.op);
      g.fillRect(x - half, y - tall / 2, Math.max(1, 2 * half), tall);
      if (i === chosen || (onPath && on)) {
        g.strokeStyle = theme.sel;
        g.lineWidth = i === chosen ? 2 : 1;
        g.strokeRect(x - half, y - tall / 2, 2 * half, tall);
      }
      if (s > 0.4) {
        g.font = Math.round(Math.max(9, 11 * Math.min(1, s))) + 'px system-ui, sans-serif';
        g.fillStyle = theme.fg;
        g.fillText(
            clip(
                g,
                (this.nodesIn.has(node.id) ? '\u25b8 ' : '') + node.name.slice(node.name.lastIndexOf('/') + 1) +
                    ' \u00b7 ' + ns(this.total[i]),
                2 * half - 6),
            x - half + 3, y);
        if (s > 0.7) {
          g.fillStyle = theme.dim;
          g.fillRect(x - half, y + tall / 2 - 2, 2 * half * this.total[i] / (this.most || 1), 2);
        }
      }
    }
    g.globalAlpha = 1;
    g.font = '11px system-ui, sans-serif';
    g.fillStyle = theme.panel;
    g.fillRect(0, 0, w, 18);
    g.fillStyle = theme.dim;
    g.fillText(
        clip(
            g,
            (this.within >= 0 ? '\u2039 within ' + m.nodes[this.within].name : 'graph') + ` of run ${this.run + 1}: ${
                whole(this.list.length)} node${this.list.length === 1 ? '' : 's'}, ${whole(this.edges)} edge${
                this.edges === 1 ? '' : 's'}`,
            w - 12),
        6, 9);
  }
  atPoint(x, y) {
    if (!this.list) return -1;
    const l = Math.round((y - this.y) / (44 * this.scale)), half = Math.max(2, 66 * this.scale);
    const layer = this.layers[l];
    if (!layer || Math.abs(y - this.y - l * 44 * this.scale) > Math.max(3, 13 * this.scale)) return -1;
    let best = -1;
    for (const i of layer)
      if (Math.abs(this.px(i) - x) <= half && (best < 0 || Math.abs(this.px(i) - x) < Math.abs(this.px(best) - x)))
        best = i;
    return best < 0 ? -1 : this.list[best];
  }
  hover(x, y) {
    if (y < 18)
      return this.within < 0 ? '' : `within ${this.app.model.nodes[this.within].name}\nA double click leads out.`;
    const id = this.atPoint(x, y);
    if (id < 0) return '';
    const n = this.app.model.nodes[id];
    return `${n.name}\n${n.op} on ${n.device}\n${ns(this.total[this.place[id]])} in this run${
        this.nodesIn.has(id) ? '\nA double click shows the nodes within it.' : ''}`;
  }
  click(x, y) {
    if (y < 18) return;
    const id = this.atPoint(x, y);
    if (id < 0)
      this.app.select(-1);
    else
      this.app.selectNode(id, this.run);
  }
}

// Own time by name scope, from the top: a scope is as wide as all that is in it. What runs within a node stands below
// it.
class Flame {
  constructor(app) {
    this.app = app;
    this.canvas = $('flame');
    pointer(this.canvas, this);
  }
  load() {
    const m = this.app.model, {low, high} = this.app.range,
          root = {name: 'all', value: 0, count: 0, below: new Map(), up: null, id: -1};
    const child = (up, name, id) => {
      let c = up.below.get(name);
      if (!c) up.below.set(name, c = {name, value: 0, count: 0, below: new Map(), up, id});
      return c;
    };
    const under = new Map(), frame = new Array(high - low);
    const frameOf = (up, id) => {
      let known = under.get(up);
      if (!known) under.set(up, known = []);
      if (known[id]) return known[id];
      // Nodes of a called function may bear the caller's name.
      const name = m.nodes[id].name, caller = up.id >= 0 ? m.nodes[up.id].name + '/' : '';
      const parts = (caller && name.startsWith(caller) ? name.slice(caller.length) : name).split('/');
      let f = up;
      parts.forEach((p, k) => {
        f = child(f, p, k + 1 === parts.length ? id : -1);
      });
      if (f.id < 0) f.id = id;
      return known[id] = f;
    };
    // Those around an execution come after it.
    const order = m.order;
    for (let k = m.n - 1; k >= 0; --k) {
      const i = order ? order[k] : k;
      if (i < low || i >= high) continue;
      const p = m.parent[i];
      const f = frameOf(p >= low && p < high && frame[p - low] ? frame[p - low] : root, m.nodeOf[m.kind[i]]);
      frame[i - low] = f;
      f.value += m.self[i];
      ++f.count;
    }
    const sum = f => {
      for (const c of f.below.values()) {
        sum(c);
        f.value += c.value;
        f.count += c.count;
      }
      f.list = [...f.below.values()].sort((a, b) => b.value - a.value);
    };
    sum(root);
    this.root = this.focus = root;
  }
  fit() {
    this.focus = this.root;
    this.app.draw();
  }
  pan() {}
  zoom(factor, x, y) {
    if (factor > 1) {
      if (this.focus.up) this.focus = this.focus.up;
    } else {
      const f = this.find(x, y);
      if (f && f !== this.focus) {
        let c = f;
        while (c.up && c.up !== this.focus) c = c.up;
        if (c.up) this.focus = c;
      }
    }
    this.app.draw();
  }
  draw() {
    const {g, w, h} = begin(this.canvas), app = this.app, m = app.model;
    if (!this.root) return;
    const ups = [];
    for (let f = this.focus; f; f = f.up) ups.unshift(f);
    this.boxes = [];
    const high = 19, put = (f, x, width, level) => {
      if (width < 0.6 || level * high > h) return;
      const y = level * high + 2, node = f.id >= 0 ? m.nodes[f.id] : null,
            on = !app.hit || (node && app.hit[f.id]) || f === this.root;
      this.boxes.push({f, x, y, width, high});
      g.globalAlpha = on ? 1 : node ? 0.16 : 0.5;
      g.fillStyle = node ? colorOf(node.op) : theme.line;
      g.fillRect(x, y, Math.max(0.6, width - (width > 3 ? 1 : 0)), high - 1);
      if (node && f.id === app.node) {
        g.strokeStyle = theme.sel;
        g.lineWidth = 2;
        g.strokeRect(x + 1, y + 1, Math.max(1, width - 3), high - 3);
      }
      if (width > 26) {
        g.fillStyle = theme.fg;
        g.fillText(
            clip(
                g,
                `${f.name}${node && node.op !== f.name ? ' (' + node.op + ')' : ''}  ${ns(f.value)}  ${
                    percent(f.value / (this.root.value || 1))}`,
                width - 8),
            x + 3, y + high / 2);
      }
    };
    ups.forEach((f, level) => put(f, 0, w, level));
    const below = (f, x, width, level) => {
      let at = x;
      for (const c of f.list) {
        const cw = width * c.value / (f.value || 1);
        if (cw < 0.6) break;
        put(c, at, cw, level);
        below(c, at, cw, level + 1);
        at += cw;
      }
    };
    below(this.focus, 0, w, ups.length);
    g.globalAlpha = 1;
  }
  find(x, y) {
    for (const b of this.boxes || [])
      if (b.x <= x && x < b.x + b.width && b.y <= y && y < b.y + b.high) return b.f;
    return null;
  }
  hover(x, y) {
    const f = this.find(x, y);
    if (!f) return '';
    let path = f.name;
    for (let u = f.up; u && u.up; u = u.up) path = u.name + '/' + path;
    return `${path}\n${ns(f.value)}, ${percent(f.value / (this.root.value || 1))}, ${whole(f.count)} executions`;
  }
  click(x, y) {
    const f = this.find(x, y);
    if (!f) return;
    if (f.id >= 0) this.app.selectNode(f.id, -1);
    if (f.list.length || f === this.focus.up) this.focus = f === this.focus && f.up ? f.up : f;
    this.app.draw();
  }
}
