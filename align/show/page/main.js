// The page: what the user does, and what follows.

const state = { choice: null, over: null, drag: null, span: null, listed: [] };
const player = new Player(headMoved);

// Recordings ------------------------------------------------------------------------------------

async function show(recording) {
  if (view.recording === recording && view.sound) return;
  enter(true);
  Object.assign(state, { choice: null, over: null, drag: null, span: null });
  Object.assign(view, { recording, sound: null, doubt: new Map(recording.doubts.map(([k, v]) => [k, v])) });
  $("recordings").value = String(recording.index);
  $("save-textgrid").hidden = recording.notes !== undefined;
  tellMatch(recording);
  $("status").textContent = "Reading the sound ...";
  let sound;
  try {
    sound = await soundOf(recording);
  } catch {
    $("status").textContent = `This browser cannot play ${recording.type}; make the page with --sound wav.`;
    return;
  }
  if (view.recording !== recording) return; // another one was chosen meanwhile
  view.sound = sound;
  view.tiles = new Tiles(recording, new Spectrum(recording, sound), redraw);
  player.load(sound);
  readColours();
  setView(0, Math.min(recording.duration, recording.notes ? 12 : 3));
  fillList();
  tell();
}

function tellMatch(recording) {
  const match = recording.match === null ? [] : [`Match ${recording.match.toFixed(2)}.`];
  const said = [...match, ...recording.warnings.map((text) => `Warning: ${text}`)];
  $("match").textContent = said.join(" ");
  $("match").hidden = said.length === 0;
  $("match").classList.toggle("warned", recording.warnings.length > 0);
}

function step(by) {
  show(DATA.recordings[clamp(view.recording.index + by, 0, DATA.recordings.length - 1)]);
}

// What is chosen --------------------------------------------------------------------------------

function choose(event, { centre = false } = {}) {
  state.choice = event;
  state.span = null;
  if (event) {
    const [from, to] = spanOf(view.recording, event);
    const length = Math.min(view.end - view.start, view.recording.notes ? 12 : 2.5);
    if (centre) setView((from + Math.min(to, from + length / 2)) / 2 - length / 2, length);
    else if (from < view.start || from > view.end) setView(from - (view.end - view.start) / 2, view.end - view.start);
  }
  redraw();
  markList();
  tell();
}

function hearChoice() {
  if (state.span) player.hear(...state.span);
  else if (state.choice) {
    const [from, to] = spanOf(view.recording, state.choice);
    player.hear(from, view.recording.notes ? Math.min(to, from + 2) : to);
  }
}

function neighbour(by) {
  const { recording } = view;
  const head = player.position();
  if (recording.notes) {
    const order = recording.notes.inOrder;
    const at = state.choice ? order.indexOf(state.choice.k)
      : after(order.map((k) => recording.notes.onsets[k]), head) - (by > 0 ? 1 : 0);
    return { k: order[clamp(at + by, 0, order.length - 1)] };
  }
  const tier = state.choice?.tier ?? recording.main;
  const count = recording.tiers[tier].labels.length;
  if (state.choice) return { tier, k: clamp(state.choice.k + by, 0, count - 1) };
  return { tier, k: clamp(after(recording.tiers[tier].edges, head) - 1, 0, count - 1) };
}

function otherTier(by) {
  const { recording } = view;
  if (recording.notes) return neighbour(by);
  const now = state.choice ?? { tier: recording.main, k: 0 };
  let tier = now.tier + by;
  while (recording.tiers[tier]?.points) tier += by;
  if (!recording.tiers[tier]) return now;
  const time = spanOf(recording, now)[0] + 1e-6;
  return { tier, k: Math.max(0, after(recording.tiers[tier].edges, time) - 1) };
}

function inList(by) {
  const at = state.listed.findIndex(({ button }) => button?.getAttribute("aria-current") === "true");
  const next = state.listed[at < 0 ? (by > 0 ? 0 : -1) : at + by];
  if (next) visit(next);
}

// Corrections -----------------------------------------------------------------------------------

function nudge(seconds) {
  if (!state.choice) return;
  const limits = movable(view.recording, state.choice, false);
  if (!limits) return;
  remember(view.recording, move(view.recording, limits, spanOf(view.recording, state.choice)[0] + seconds));
  changed();
}

function changed() {
  redraw();
  markList();
  tell();
}

function tell() {
  const { recording } = view;
  $("undo").disabled = recording.past.length === 0;
  $("redo").disabled = recording.future.length === 0;
  $("save-all").disabled = DATA.recordings.every((item) => item.past.length === 0);
  const waiting = DATA.recordings.filter(unsaved).length;
  const some = waiting > 1 ? `corrections of ${waiting} recordings are not saved` : "corrections are not saved";
  $("status").textContent = waiting ? some : "";
  for (const option of $("recordings").options) {
    const item = DATA.recordings[Number(option.value)];
    option.textContent = (unsaved(item) ? "* " : "") + item.name;
  }
  $("detail").textContent = detail();
  headMoved();
}

function detail() {
  const { recording } = view;
  if (state.span) return `${seconds(state.span[0])} to ${seconds(state.span[1])}: ${milliseconds(state.span)}`;
  if (!state.choice) return "";
  const span = spanOf(recording, state.choice);
  const label = labelOf(recording, state.choice) || "(silence)";
  const why = state.choice.tier === undefined || state.choice.tier === recording.main
    ? recording.doubts.find(([k]) => k === state.choice.k)?.[2] : undefined;
  return `${label}: ${seconds(span[0])} to ${seconds(span[1])}, ${milliseconds(span)}${why ? `; ${why}` : ""}`;
}

const seconds = (time) => `${time.toFixed(3)} s`;
const milliseconds = ([from, to]) => `${((to - from) * 1000).toFixed(0)} ms`;

function saveNow(kind) {
  save(view.recording, kind);
  tell();
}

// The head --------------------------------------------------------------------------------------

function headMoved() {
  if (!view.sound) return;
  const head = player.position();
  $("clock").textContent = `${head.toFixed(3)} / ${seconds(view.recording.duration)}`;
  $("play").textContent = player.playing ? "Stop" : "Play";
  if (player.playing && !player.clip && (head > view.end || head < view.start)) {
    setView(head - 0.02 * (view.end - view.start), view.end - view.start);
  }
  if (view.width) paintOverlay();
}

function togglePlay() {
  if (player.playing) player.stop(); else player.play();
}

// The pointer -----------------------------------------------------------------------------------

const place = (event) => {
  const box = pane.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

pane.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !view.sound) return;
  pane.focus({ preventScroll: true });
  pane.setPointerCapture(event.pointerId);
  const [x, y] = place(event);
  const hit = under(x, y);
  const limits = hit.edge && movable(view.recording, hit.edge, event.shiftKey);
  state.press = { x, hit };
  if (limits) {
    const from = spanOf(view.recording, hit.edge)[0];
    state.drag = { event: hit.edge, limits, shift: from - timeOf(x), changes: null,
      from: limits.places.map(([t, k]) => numbersOf(view.recording, t)[k]) };
  }
});

pane.addEventListener("pointermove", (event) => {
  if (!view.sound) return;
  const [x, y] = place(event);
  const { press, drag } = state;
  if (drag) {
    if (!drag.changes && Math.abs(x - press.x) < 2) return;
    drag.changes = move(view.recording, drag.limits, timeOf(x) + drag.shift);
    redraw();
    $("detail").textContent = `${labelOf(view.recording, drag.event) || "(silence)"} begins at ${seconds(drag.changes[0][3])}`;
  } else if (press) {
    if (!press.hit.event && Math.abs(x - press.x) > 3) {
      const [a, b] = [press.hit.time, clamp(timeOf(x), 0, view.recording.duration)];
      state.choice = null;
      state.span = [Math.min(a, b), Math.max(a, b)];
      tell();
    }
  } else {
    state.over = under(x, y).edge ?? null;
    pane.style.cursor = state.over ? "ew-resize" : "";
    paintOverlay();
  }
});

pane.addEventListener("pointerup", () => {
  const { press, drag } = state;
  state.press = state.drag = null;
  if (!press) return;
  if (drag?.changes) {
    const first = drag.changes.map(([t, k, , to], i) => [t, k, drag.from[i], to]);
    remember(view.recording, first);
    choose(drag.event);
    changed();
  } else if (press.hit.event) {
    choose(press.hit.event);
    hearChoice();
  } else if (state.span && state.span[1] - state.span[0] > 0.01 && !state.choice) {
    hearChoice();
  } else {
    state.span = null;
    player.seek(press.hit.time);
    tell();
  }
});

pane.addEventListener("pointercancel", () => {
  if (state.drag?.changes) setValues(view.recording, state.drag.changes.map(([t, k], i) => [t, k, state.drag.from[i]]), 2);
  state.press = state.drag = null;
  redraw();
});

pane.addEventListener("pointerleave", () => {
  state.over = null;
  if (view.sound) paintOverlay();
});

pane.addEventListener("wheel", (event) => {
  if (!view.sound) return;
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 20 : 1;
  if (event.ctrlKey || event.metaKey) {
    zoom(2 ** ((event.deltaY * unit) / 200), clamp(timeOf(place(event)[0]), view.start, view.end));
  } else {
    const pixels = (event.deltaX || event.deltaY) * unit;
    setView(view.start + (pixels / view.width) * (view.end - view.start), view.end - view.start);
  }
}, { passive: false });

function goTo(event) {
  if (!view.sound || !(event.buttons & 1)) return;
  const box = overview.getBoundingClientRect();
  const length = view.end - view.start;
  setView(((event.clientX - box.left) / box.width) * view.recording.duration - length / 2, length);
}
overview.addEventListener("pointerdown", (event) => {
  overview.setPointerCapture(event.pointerId);
  goTo(event);
});
overview.addEventListener("pointermove", goTo);

// Keys ------------------------------------------------------------------------------------------

const centre = () => {
  const head = state.choice ? spanOf(view.recording, state.choice)[0] : player.position();
  return head >= view.start && head <= view.end ? head : (view.start + view.end) / 2;
};

const keys = {
  " ": togglePlay,
  Enter: hearChoice,
  F2: () => edit(state.choice),
  e: () => edit(state.choice),
  ArrowLeft: (e) => (e.shiftKey ? scroll(-0.5) : choose(neighbour(-1))),
  ArrowRight: (e) => (e.shiftKey ? scroll(0.5) : choose(neighbour(1))),
  ArrowUp: () => choose(otherTier(-1)),
  ArrowDown: () => choose(otherTier(1)),
  "+": () => zoom(0.5, centre()),
  "=": () => zoom(0.5, centre()),
  "-": () => zoom(2, centre()),
  0: () => setView(0, view.recording.duration),
  ",": () => nudge(-0.001),
  ".": () => nudge(0.001),
  "<": () => nudge(-0.01),
  ">": () => nudge(0.01),
  ";": () => nudge(-0.01), // Shift and the comma on many keyboards of Europe
  ":": () => nudge(0.01),
  n: () => inList(1),
  p: () => inList(-1),
  "[": () => step(-1),
  "]": () => step(1),
  s: () => saveNow(view.recording.notes ? "csv" : "textgrid"),
  d: () => setTheme(theme() === "dark" ? "light" : "dark", true),
  "?": () => $("help").showModal(),
  Home: () => (player.seek(0), setView(0, view.end - view.start)),
  End: () => setView(view.recording.duration, view.end - view.start),
};

function scroll(share) {
  const length = view.end - view.start;
  setView(view.start + share * length, length);
}

function undo() { if (stepBack(view.recording)) changed(); }
function redo() { if (stepForward(view.recording)) changed(); }

document.addEventListener("keydown", (event) => {
  if (!view.sound || $("help").open || event.altKey) return;
  const at = event.target;
  if (at instanceof HTMLInputElement || at instanceof HTMLSelectElement) return;
  const onButton = at instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
  if (onButton) return; // presses it
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo(); else undo();
    return;
  }
  const action = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action(event);
});

// Light and dark --------------------------------------------------------------------------------

const wishes = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme;

function setTheme(name, byHand) {
  document.documentElement.dataset.theme = name;
  setTheme.byHand ||= byHand;
  $("theme").textContent = name === "dark" ? "Light" : "Dark";
  $("theme").setAttribute("aria-pressed", String(name === "dark"));
  readColours();
  redraw();
}

wishes.addEventListener("change", () => {
  if (!setTheme.byHand) setTheme(wishes.matches ? "dark" : "light", false);
});

// Start -----------------------------------------------------------------------------------------

$("title").textContent = DATA.title;
for (const recording of DATA.recordings) {
  const option = element("option", "", recording.name);
  option.value = String(recording.index);
  $("recordings").append(option);
}
$("choice").hidden = $("scope").hidden = $("save-all").hidden = DATA.recordings.length === 1;
$("recordings").addEventListener("change", (e) => show(DATA.recordings[Number(e.target.value)]));
$("play").addEventListener("click", togglePlay);
$("hear").addEventListener("click", hearChoice);
$("speed").addEventListener("change", (e) => { player.audio.playbackRate = player.audio.defaultPlaybackRate = Number(e.target.value); });
$("zoom-in").addEventListener("click", () => zoom(0.5, centre()));
$("zoom-out").addEventListener("click", () => zoom(2, centre()));
$("zoom-all").addEventListener("click", () => setView(0, view.recording.duration));
$("undo").addEventListener("click", undo);
$("redo").addEventListener("click", redo);
$("save-textgrid").addEventListener("click", () => saveNow("textgrid"));
$("save-csv").addEventListener("click", () => saveNow("csv"));
$("save-all").addEventListener("click", () => { saveAll(); tell(); });
$("theme").addEventListener("click", () => setTheme(theme() === "dark" ? "light" : "dark", true));
$("help-button").addEventListener("click", () => $("help").showModal());
for (const id of ["order", "scope", "filter"]) $(id).addEventListener("input", fillList);
new ResizeObserver(redraw).observe(pane);
addEventListener("beforeunload", (event) => { if (DATA.recordings.some(unsaved)) event.preventDefault(); });

setTheme(wishes.matches ? "dark" : "light", false);
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
const ready = show(DATA.recordings[0]).then(drawn);

// For scripts that look at the page, such as its tests.
window.alignPage = {
  ready, view, state, player, xOf, yOfPitch, rowTop,
  settled: async () => {
    await ready;
    for (;;) {
      await drawn();
      if (!pending && view.tiles.done) return;
    }
  },
};
