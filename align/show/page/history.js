// What was corrected in this window, step by step.

function remember(recording, changes) {
  if (changes.every((change) => change[2] === change[3])) return;
  recording.past.push(changes);
  recording.future = [];
}

function stepBack(recording) {
  const changes = recording.past.pop();
  if (!changes) return false;
  setValues(recording, changes, 2);
  recording.future.push(changes);
  return true;
}

function stepForward(recording) {
  const changes = recording.future.pop();
  if (!changes) return false;
  setValues(recording, changes, 3);
  recording.past.push(changes);
  return true;
}

const lastChange = (recording) => recording.past.at(-1) ?? null;
const unsaved = (recording) => lastChange(recording) !== recording.saved;
const isCorrected = (recording, event) =>
  recording.past.some((changes) => changes.some(([t, k]) => t === (event.tier ?? -1) && k === event.k));

// Hooks of the parts that other pages share: a boundary was dragged, a label was given another text.

function dragged(event, changes) {
  remember(view.recording, changes);
  choose(event);
  changed();
}

function relabelled(event, text) {
  remember(view.recording, rename(view.recording, event, text));
  changed();
}
