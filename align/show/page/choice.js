// What is chosen and heard, and where the head is.

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
