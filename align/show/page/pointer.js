// The pointer: dragging, choosing, scrolling and zooming.

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
    dragged(drag.event, first);
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
