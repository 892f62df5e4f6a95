// Drawing. What changes with every frame (the head, what the pointer is on) has a canvas of its own.

const GUTTER = 62, WAVE = 84, ROW = 34, AXIS = 22; // CSS pixels
const NEAR = 5; // pixels within which a boundary is meant
const UNSURE = 0.5; // doubt from which a boundary is red
const SHORTEST_VIEW = 0.02; // seconds

const $ = (id) => document.getElementById(id);
const pane = $("pane"), overview = $("overview");
const view = { start: 0, end: 1, width: 0, height: 0, recording: null, sound: null, tiles: null, doubt: new Map() };
const colour = {};

function element(name, className, text) {
  const node = document.createElement(name);
  node.className = className;
  node.textContent = text;
  return node;
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "panel", "line", "text", "faint", "wave", "aligned", "true", "unsure", "chosen", "mismatch", "head"]) {
    colour[name] = style.getPropertyValue(`--${name}`).trim();
  }
  if (view.tiles) view.tiles.repaint();
}

const pictureHeight = () => (view.recording.notes ? 380 : 230);
const rows = () => (view.recording.notes ? [] : view.recording.tiers.concat(view.recording.reference ?? []));
const xOf = (time) => GUTTER + ((time - view.start) * (view.width - GUTTER)) / (view.end - view.start);
const timeOf = (x) => view.start + ((x - GUTTER) * (view.end - view.start)) / (view.width - GUTTER);
const rowTop = (t) => WAVE + pictureHeight() + t * ROW;
const keyHeight = () => pictureHeight() / view.tiles.spectrum.rows;
const yOfPitch = (pitch) => WAVE + pictureHeight() - (pitch - view.tiles.spectrum.low + 0.5) * keyHeight();

function setView(start, length) {
  const whole = view.recording.duration;
  const span = clamp(length, Math.min(SHORTEST_VIEW, whole), whole);
  view.start = clamp(start, 0, whole - span);
  view.end = view.start + span;
  redraw();
}

function zoom(factor, about) {
  const length = (view.end - view.start) * factor;
  const share = (about - view.start) / (view.end - view.start);
  setView(about - share * clamp(length, SHORTEST_VIEW, view.recording.duration), length);
}

function fit(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    if (canvas !== overview) canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

let pending = false;
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    if (view.recording && view.sound) paint();
  });
}

function paint() {
  view.width = pane.clientWidth;
  view.height = rowTop(rows().length) + AXIS;
  pane.style.height = `${view.height}px`;
  const context = fit($("picture"), view.width, view.height);
  context.textBaseline = "middle";
  context.font = "13px system-ui, sans-serif";
  paintWave(context, GUTTER, 0, view.width - GUTTER, WAVE, view.start, view.end);
  const box = { x: GUTTER, y: WAVE, width: view.width - GUTTER, height: pictureHeight() };
  view.tiles.draw(context, box, view.start, view.end);
  paintMismatches(context);
  if (view.recording.notes) paintNotes(context); else paintTiers(context);
  paintScale(context);
  paintAxis(context);
  paintOverview();
  paintOverlay();
  placeField();
}

function paintWave(context, x, y, width, height, from, to) {
  const middle = y + height / 2;
  const scale = (0.47 * height) / view.sound.envelope.loudest;
  context.fillStyle = colour.wave;
  const step = (to - from) / width;
  if (step * view.sound.rate < 1) { // single samples: a line through them
    context.strokeStyle = colour.wave;
    context.lineWidth = 1;
    context.beginPath();
    const last = Math.min(view.sound.samples.length - 1, Math.ceil(to * view.sound.rate));
    for (let i = Math.max(0, Math.floor(from * view.sound.rate)); i <= last; i++) {
      context.lineTo(x + (i / view.sound.rate - from) / step, middle - view.sound.samples[i] * scale);
    }
    context.stroke();
    return;
  }
  for (let column = 0; column < width; column++) {
    const [low, high] = extremes(view.sound, from + column * step, from + (column + 1) * step);
    const top = middle - high * scale;
    context.fillRect(x + column, top, 1, Math.max(1, (high - low) * scale));
  }
}

// Where text or score and recording disagree: a band over the sound.
function paintMismatches(context) {
  context.fillStyle = colour.mismatch;
  for (const { start, end } of view.recording.mismatches) {
    const left = Math.max(GUTTER, xOf(start));
    const right = Math.min(view.width, Math.max(xOf(end), xOf(start) + 2));
    if (right > left) context.fillRect(left, 0, right - left, WAVE + pictureHeight());
  }
}

const widths = new Map();
function widthOf(context, label) {
  if (!widths.has(label)) widths.set(label, context.measureText(label).width);
  return widths.get(label);
}

function paintTiers(context) {
  for (const [t, tier] of rows().entries()) {
    const top = rowTop(t);
    const isMain = t === view.recording.main, isTruth = t >= view.recording.tiers.length;
    context.fillStyle = colour.panel;
    context.fillRect(GUTTER, top, view.width - GUTTER, ROW);
    context.fillStyle = colour.line;
    context.fillRect(0, top, view.width, 1);
    context.fillStyle = isTruth ? colour.true : colour.text;
    context.fillText(tier.name, 4, top + ROW / 2, GUTTER - 8);
    const paint = isTruth ? colour.true : colour.aligned;
    if (tier.points) paintPoints(context, tier, top, paint);
    else paintTier(context, tier, top, paint, isMain);
    if (isTruth) paintThrough(context, tier, paint, [3, 3]);
    if (isMain) paintThrough(context, tier, paint, []);
  }
}

function paintTier(context, tier, top, paint, isMain) {
  const { edges, labels } = tier;
  let drawn = -9;
  for (let k = Math.max(0, after(edges, view.start) - 1); k < labels.length && edges[k] < view.end; k++) {
    const x = xOf(edges[k]);
    const left = Math.max(x, GUTTER), right = Math.min(xOf(edges[k + 1]), view.width);
    if (k > 0 && x >= GUTTER && x - drawn >= 0.7) {
      const red = isMain && view.doubt.get(k) >= UNSURE;
      context.fillStyle = red ? colour.unsure : paint;
      context.fillRect(x - 0.75, top, red ? 2.5 : 1.5, ROW);
      drawn = x;
      if (tier.fixed?.[k]) pin(context, x, top);
    }
    const label = labels[k];
    if (right - left > 4 && label && widthOf(context, label) <= 1.35 * (right - left - 3)) {
      context.fillStyle = colour.text;
      context.textAlign = "center";
      context.fillText(label, (left + right) / 2, top + ROW / 2, right - left - 3);
      context.textAlign = "start";
    }
  }
}

// A mark on what a person has set, told by its form as well as by its colour.
function pin(context, x, y) {
  context.fillStyle = colour.text;
  context.beginPath();
  context.moveTo(x - 5, y);
  context.lineTo(x + 5, y);
  context.lineTo(x, y + 8);
  context.fill();
}

function paintPoints(context, tier, top, paint) {
  for (let k = after(tier.points, view.start); k < tier.points.length && tier.points[k] < view.end; k++) {
    const x = xOf(tier.points[k]);
    context.fillStyle = paint;
    context.fillRect(x - 0.5, top, 1, ROW);
    context.fillStyle = colour.text;
    context.fillText(tier.labels[k], x + 3, top + ROW / 2);
  }
}

// Boundaries through waveform and spectrogram, where they do not cover them.
function paintThrough(context, tier, paint, dash) {
  const first = after(tier.edges, view.start), last = after(tier.edges, view.end);
  if ((last - first) * 7 > view.width) return;
  context.strokeStyle = paint;
  context.globalAlpha = 0.6;
  context.lineWidth = 1;
  context.setLineDash(dash);
  context.beginPath();
  for (let k = Math.max(1, first); k < Math.min(last, tier.edges.length - 1); k++) {
    context.moveTo(xOf(tier.edges[k]), 0);
    context.lineTo(xOf(tier.edges[k]), WAVE + pictureHeight());
  }
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function notesInView() {
  const { notes } = view.recording;
  return notes.inOrder.filter((k) =>
    Math.max(notes.ends[k], notes.onsets[k]) >= view.start && notes.onsets[k] <= view.end);
}

function paintNotes(context) {
  const { notes, reference } = view.recording;
  const high = keyHeight();
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, view.width - GUTTER, view.height);
  context.clip();
  for (const k of notesInView()) {
    const x = xOf(notes.onsets[k]), y = yOfPitch(notes.pitches[k]) - high / 2;
    const red = view.doubt.get(k) >= UNSURE;
    context.fillStyle = red ? colour.unsure : colour.aligned;
    context.strokeStyle = context.fillStyle;
    const width = Math.max(1, xOf(notes.ends[k]) - x);
    if (notes.played?.[k] === false) {
      paintUnplayed(context, x, y, width, high);
      continue;
    }
    context.globalAlpha = 0.3;
    context.fillRect(x, y + 1, width, high - 2);
    context.globalAlpha = 0.8;
    context.lineWidth = 1;
    context.strokeRect(x, y + 1, width, high - 2);
    context.globalAlpha = 1;
    context.fillRect(x - 1.5, y - 1, 3, high + 2);
    if (notes.fixed?.[k]) pin(context, x, y - 8);
  }
  if (reference) {
    context.fillStyle = colour.true;
    for (const [k, onset] of reference.onsets.entries()) {
      if (onset < view.start || onset > view.end) continue;
      context.fillRect(xOf(onset) - 0.75, yOfPitch(reference.pitches[k]) - high, 1.5, high);
    }
  }
  context.restore();
}

function paintUnplayed(context, x, y, width, high) {
  context.strokeStyle = colour.faint;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.strokeRect(x, y + 1, width, high - 2);
  context.setLineDash([]);
}

function paintScale(context) {
  context.fillStyle = colour.faint;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  const { spectrum } = view.tiles;
  if (view.recording.notes) {
    for (let p = spectrum.low; p < spectrum.low + spectrum.rows; p++) {
      if (p % 12 === 0) context.fillText(pitchName(p), GUTTER - 5, yOfPitch(p));
    }
  } else {
    for (let kilo = 0; kilo * 1000 <= spectrum.top; kilo += 2) {
      const y = WAVE + pictureHeight() * (1 - (kilo * 1000) / spectrum.top);
      context.fillText(`${kilo} kHz`, GUTTER - 5, clamp(y, WAVE + 8, WAVE + pictureHeight() - 8));
    }
  }
  context.textAlign = "start";
}

function paintAxis(context) {
  const top = view.height - AXIS;
  const wanted = ((view.end - view.start) * 90) / (view.width - GUTTER);
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= wanted);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  context.fillStyle = colour.line;
  context.fillRect(GUTTER, top, view.width - GUTTER, 1);
  context.fillStyle = colour.faint;
  context.textAlign = "center";
  for (let n = Math.ceil(view.start / step); n * step <= view.end; n++) {
    const x = xOf(n * step);
    context.fillRect(x, top, 1, 5);
    if (x > GUTTER + 12 && x < view.width - 12) context.fillText((n * step).toFixed(decimals), x, top + 13);
  }
  context.textAlign = "start";
  context.fillText("s", GUTTER - 12, top + 13);
}

function paintOverview() {
  const width = overview.clientWidth, height = overview.clientHeight;
  const context = fit(overview, width, height);
  const whole = view.recording.duration;
  const x = (time) => (time / whole) * width;
  context.fillStyle = colour.panel;
  context.fillRect(0, 0, width, height);
  paintWave(context, 0, 0, width, height, 0, whole);
  context.fillStyle = colour.mismatch;
  for (const { start, end } of view.recording.mismatches) context.fillRect(x(start), 0, Math.max(1.5, x(end) - x(start)), height);
  context.fillStyle = colour.unsure;
  for (const [k, value] of view.doubt) {
    if (value >= UNSURE) context.fillRect(x(spanOf(view.recording, mainEvent(view.recording, k))[0]), height - 5, 1.5, 5);
  }
  context.fillStyle = colour.chosen;
  context.fillRect(x(view.start), 0, Math.max(3, x(view.end) - x(view.start)), height);
  context.strokeStyle = colour.aligned;
  context.strokeRect(x(view.start) + 0.5, 0.5, Math.max(2, x(view.end) - x(view.start) - 1), height - 1);
}

const mainEvent = (recording, k) => (recording.notes ? { k } : { tier: recording.main, k });

function paintOverlay() {
  const context = fit($("overlay"), view.width, view.height);
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, view.width - GUTTER, view.height);
  context.clip();
  const { recording } = view;
  const head = player.position();
  if (state.span) shade(context, state.span, 0, view.height - AXIS);
  if (state.choice) shadeEvent(context, state.choice, true);
  if (player.playing) for (const event of soundingAt(head)) shadeEvent(context, event, false);
  const edge = state.drag?.event ?? state.over;
  if (edge) {
    const x = xOf(spanOf(recording, edge)[0]);
    context.fillStyle = colour.head;
    if (recording.notes) context.fillRect(x - 2, yOfPitch(recording.notes.pitches[edge.k]) - keyHeight() / 2, 4, keyHeight());
    else context.fillRect(x - 1.5, state.drag ? 0 : rowTop(edge.tier), 3, state.drag ? view.height - AXIS : ROW);
  }
  context.fillStyle = colour.head;
  context.fillRect(xOf(head) - 0.75, 0, 1.5, view.height - AXIS);
  context.restore();
}

function shade(context, [from, to], top, bottom) {
  context.fillStyle = colour.chosen;
  context.fillRect(xOf(from), top, Math.max(2, xOf(to) - xOf(from)), bottom - top);
}

function shadeEvent(context, event, through) {
  const span = spanOf(view.recording, event);
  if (view.recording.notes) {
    const y = yOfPitch(view.recording.notes.pitches[event.k]), high = keyHeight();
    shade(context, span, y - high / 2 - 2, y + high / 2 + 2);
    if (through) {
      context.strokeStyle = colour.head;
      context.strokeRect(xOf(span[0]), y - high / 2 - 2, Math.max(3, xOf(span[1]) - xOf(span[0])), high + 4);
    }
    return;
  }
  if (through) shade(context, span, 0, WAVE + pictureHeight());
  shade(context, span, rowTop(event.tier), rowTop(event.tier) + ROW);
}

// What sounds at a time: a label of each tier, or the notes.
function soundingAt(time) {
  const { recording } = view;
  if (recording.notes) {
    const { onsets, ends } = recording.notes;
    return notesInView().filter((k) => onsets[k] <= time && time < ends[k]).map((k) => ({ k }));
  }
  return recording.tiers.flatMap((tier, t) => {
    if (tier.points) return [];
    const k = after(tier.edges, time) - 1;
    return k >= 0 && k < tier.labels.length ? [{ tier: t, k }] : [];
  });
}

// What lies under a point of the pane: {event} a label or note, {edge} its beginning, {time}.
function under(x, y) {
  const time = clamp(timeOf(x), 0, view.recording.duration);
  if (x < GUTTER) return { time: view.start };
  if (view.recording.notes) return underRoll(x, y, time);
  const t = Math.floor((y - rowTop(0)) / ROW);
  const { tiers, main } = view.recording;
  if (t >= tiers.length) return { time };
  const tier = t < 0 ? main : t;
  const { edges, points } = tiers[tier];
  if (points) return { time };
  let k = clamp(after(edges, time) - 1, 0, edges.length - 2);
  const event = { tier, k };
  if (edges[k + 1] - time < time - edges[k]) k += 1;
  const inside = k > 0 && k < edges.length - 1 && Math.abs(xOf(edges[k]) - x) <= NEAR;
  const edge = inside && clearOf(edges, k) ? { tier, k } : null;
  return t < 0 ? { time, edge } : { time, edge, event };
}

// Whether a boundary stands far enough from its neighbours to be taken with the pointer.
function clearOf(edges, k) {
  const gap = Math.max(xOf(edges[k]) - xOf(edges[k - 1]), xOf(edges[k + 1]) - xOf(edges[k]));
  return gap >= 4;
}

function underRoll(x, y, time) {
  const { notes } = view.recording;
  const high = keyHeight();
  let edge = null, event = null, nearest = NEAR + 0.5;
  for (const k of notesInView()) {
    if (Math.abs(yOfPitch(notes.pitches[k]) - y) > high / 2 + 1) continue;
    const away = Math.abs(xOf(notes.onsets[k]) - x);
    if (away < nearest) {
      nearest = away;
      edge = { k };
    }
    if (notes.onsets[k] <= time && time <= notes.ends[k]) event = { k };
  }
  return { time, edge, event: edge ?? event };
}
