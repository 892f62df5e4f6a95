// The stage: a recording with its labels, and the buttons about it.

const state = { choice: null, over: null, drag: null, span: null, listed: [] };
const player = new Player(headMoved);
const SHORTEST_LOOK = 1; // seconds shown around a mismatch

// Takes a recording, of which the sound is not there yet.
function take(recording) {
  Object.assign(state, { choice: null, over: null, drag: null, span: null });
  Object.assign(view, { recording, sound: null, doubt: doubtsOf(recording) });
  tellMatch(recording);
}

const doubtsOf = (recording) => new Map(recording.doubts.map(([k, value]) => [k, value]));

// Shows it with its sound.
function present(sound) {
  const { recording } = view;
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
  $("mismatches").hidden = recording.mismatches.length === 0;
  $("mismatches").replaceChildren(...recording.mismatches.map((mismatch) => {
    const button = element("button", "", mismatch.text);
    button.type = "button";
    button.addEventListener("click", () => look(mismatch));
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
}

// Shows a stretch, with as much around it on both sides.
function look({ start, end }) {
  const length = Math.max(2 * (end - start), SHORTEST_LOOK);
  setView((start + end - length) / 2, length);
  state.span = [start, end];
  tell();
  redraw();
}

function detail() {
  const { recording } = view;
  if (state.span) return `${seconds(state.span[0])} to ${seconds(state.span[1])}: ${milliseconds(state.span)}`;
  if (!state.choice) return "";
  const span = spanOf(recording, state.choice);
  const label = labelOf(recording, state.choice) || "(silence)";
  const why = state.choice.tier === undefined || state.choice.tier === recording.main
    ? recording.doubts.find(([k]) => k === state.choice.k)?.[2] : undefined;
  // Isolated, so that numbers beside Arabic or Hebrew stay where they belong.
  return `\u2068${label}\u2069: ${seconds(span[0])} to ${seconds(span[1])}, ${milliseconds(span)}${why ? `; ${why}` : ""}`;
}

const seconds = (time) => `${time.toFixed(3)} s`;
const milliseconds = ([from, to]) => `${((to - from) * 1000).toFixed(0)} ms`;

$("play").addEventListener("click", togglePlay);
$("hear").addEventListener("click", hearChoice);
$("speed").addEventListener("change", (e) => { player.audio.playbackRate = player.audio.defaultPlaybackRate = Number(e.target.value); });
$("zoom-in").addEventListener("click", () => zoom(0.5, centre()));
$("zoom-out").addEventListener("click", () => zoom(2, centre()));
$("zoom-all").addEventListener("click", () => setView(0, view.recording.duration));
$("undo").addEventListener("click", undo);
$("redo").addEventListener("click", redo);
$("theme").addEventListener("click", () => setTheme(theme() === "dark" ? "light" : "dark", true));
$("help-button").addEventListener("click", () => ownKeys["?"]());
new ResizeObserver(redraw).observe(pane);
$("order").addEventListener("input", fillList);
$("filter").addEventListener("input", fillList);

const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

// For scripts that look at the page, such as its tests.
function expose(more) {
  window.alignPage = {
    ready, view, state, player, xOf, yOfPitch, rowTop, ...more,
    settled: async () => {
      await ready;
      for (;;) {
        await drawn();
        if (!pending && view.tiles.done) return;
      }
    },
  };
}
