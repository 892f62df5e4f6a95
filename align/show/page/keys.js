// Keys: those that every page has, and `ownKeys` of the page.

const centre = () => {
  const head = state.choice ? spanOf(view.recording, state.choice)[0] : player.position();
  return head >= view.start && head <= view.end ? head : (view.start + view.end) / 2;
};

function scroll(share) {
  const length = view.end - view.start;
  setView(view.start + share * length, length);
}

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
  d: () => setTheme(theme() === "dark" ? "light" : "dark", true),
  Home: () => (player.seek(0), setView(0, view.end - view.start)),
  End: () => setView(view.recording.duration, view.end - view.start),
};

document.addEventListener("keydown", (event) => {
  if (!view.sound || document.querySelector("dialog[open]") || event.altKey) return;
  const at = event.target;
  const ticked = at instanceof HTMLInputElement && at.type === "checkbox";
  if (!ticked && [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement].some((kind) => at instanceof kind)) return;
  if (ticked && event.key === " ") return; // ticks it
  if (at instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter")) return; // presses it
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo(); else undo();
    return;
  }
  const action = ownKeys[event.key] ?? keys[event.key] ?? ownKeys[event.key.toLowerCase()] ?? keys[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action(event);
});
