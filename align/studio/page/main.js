// The studio: a recording is opened, corrected and confirmed; every change goes to the server.

// Recordings

let left = null; // name of the one that was confirmed, until the next one is opened

async function open(name) {
  try {
    if (view.recording) enter(true);
    await show(recordingOf(await get("recording", name)));
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (error instanceof Refused) say(error.message);
  else lost(error);
  tellOutbox();
}

async function show(recording) {
  if (view.recording === recording && view.sound) return; // chosen from its own list
  take(recording);
  revisions.set(recording.name, recording.revision);
  history.replaceState(null, "", `#${encodeURIComponent(recording.name)}`);
  $("title").textContent = recording.name;
  markQueue();
  $("status").textContent = $("how").textContent = "Reading the sound ...";
  const sound = await soundOf(recording);
  if (view.recording !== recording) return; // another one was chosen meanwhile
  $("stage").inert = false;
  present(sound);
  tellOutbox();
  pane.focus({ preventScroll: true });
}

// Puts a newer state in the place of the one that is shown.
function renew(answer) {
  const { recording } = view;
  if (recording?.name !== answer.name || answer.revision !== revisions.get(answer.name)) return;
  if (state.drag) {
    setTimeout(() => renew(answer), 100); // not under the hand
    return;
  }
  const before = { ...recording };
  Object.assign(recording, recordingOf(answer));
  view.doubt = doubtsOf(recording);
  state.choice = found(recording, state.choice, before);
  edited = found(recording, edited, before);
  field.hidden = !edited;
  state.over = null;
  tellMatch(recording);
  fillList();
  redraw();
  tell();
}

function tell() {
  const { recording } = view;
  const music = recording.notes !== undefined;
  $("undo").disabled = !recording.canUndo;
  $("redo").disabled = !recording.canRedo;
  for (const id of ["split", "merge"]) $(id).disabled = music || !state.choice;
  $("remove").disabled = music || !state.choice;
  $("insert").disabled = music;
  $("rename").disabled = music || !state.choice;
  $("unplayed").hidden = !music;
  $("unplayed").disabled = !state.choice;
  $("words").hidden = typeof recording.text !== "string";
  if (document.activeElement !== $("text")) $("text").value = recording.text ?? "";
  $("confirm").disabled = left === recording.name;
  $("how").textContent = left === recording.name ? "Opening the next recording ..."
    : recording.status === "confirmed" ? "Confirmed" : "";
  $("detail").textContent = detail() + (state.choice && isCorrected(recording, state.choice) ? "; set by hand" : "");
  headMoved();
}

const recordingsListed = () => [view.recording];

// Corrections

const change = (action, told) => send("edit", action, told);
const called = (event) => labelOf(view.recording, event) || "(silence)";

function dragged(event, changes) {
  const to = changes[0][3];
  choose(event);
  change({ do: "move", ...boundaryOf(view.recording, event), to }, `${called(event)} begins at ${seconds(to)}`);
}

function nudge(by) {
  if (!state.choice) return;
  const limits = movable(view.recording, state.choice, false);
  if (!limits) return;
  dragged(state.choice, move(view.recording, limits, spanOf(view.recording, state.choice)[0] + by));
  redraw();
}

function relabelled(event, text) {
  const id = idOf(view.recording, event), tier = tierName(view.recording, event);
  const old = called(event);
  if (text === labelOf(view.recording, event)) return;
  if (id === null) change({ do: "insert", tier, at: spanOf(view.recording, event)[0], label: text }, `insert ${text}`);
  else change({ do: "relabel", tier, id, label: text }, `${old} becomes ${text || "(silence)"}`);
}

// What is chosen, with what the server calls it; tells where there is nothing to do it to.
function chosen(what) {
  const event = state.choice;
  const id = event && idOf(view.recording, event);
  if (id === null || id === undefined) {
    say(event ? `There is a hole here; nothing to ${what}.` : `Choose a label to ${what}, with the arrow keys or a click.`);
    return null;
  }
  return { id, tier: tierName(view.recording, event) };
}

function remove() {
  const which = chosen("delete");
  if (which) change({ do: "delete", ...which }, `delete ${called(state.choice)}`);
}

function merge() {
  const which = chosen("merge with the next");
  if (which) change({ do: "merge", ...which }, `merge ${called(state.choice)} with the next`);
}

// Where the head is; where it is not inside the chosen label, its middle.
function headOrMiddle() {
  const head = player.position();
  if (!state.choice) return head;
  const [from, to] = spanOf(view.recording, state.choice);
  return head > from + SHORTEST && head < to - SHORTEST ? head : (from + to) / 2;
}

function split() {
  const which = chosen("split");
  if (!which) return;
  const at = headOrMiddle();
  change({ do: "split", ...which, at }, `split ${called(state.choice)} at ${seconds(at)}`);
}

function unplayed() {
  const which = chosen("mark as not played");
  if (which) change({ do: "unplayed", id: which.id }, `${called(state.choice)} was not played`);
}

function insert() {
  const { recording } = view;
  const tier = recording.notes ? "notes" : recording.tiers[recording.main].name; // words follow their phones
  $("ask-what").textContent = `New in ${tier}`;
  $("ask-kind").textContent = recording.notes ? "pitch, 60 for the middle C" : "label";
  $("ask-time").value = headOrMiddle().toFixed(3);
  $("ask-label").value = "";
  $("ask").returnValue = "";
  $("ask").onclose = () => {
    const label = $("ask-label").value.trim(), at = Number($("ask-time").value);
    if ($("ask").returnValue === "insert" && label) change({ do: "insert", tier, at, label }, `insert ${label} at ${seconds(at)}`);
    pane.focus({ preventScroll: true });
  };
  $("ask").showModal();
  $("ask-label").focus();
}

function rewrite() {
  const text = $("text").value;
  const words = (said) => said.trim().split(/\s+/).join(" ");
  if (words(text) === words(view.recording.text ?? "")) return;
  change({ do: "text", text }, "change the text");
  pane.focus({ preventScroll: true });
}

function undo() { if (view.recording.canUndo) send("undo", undefined, "undo"); }
function redo() { if (view.recording.canRedo) send("redo", undefined, "redo"); }

// The next recording comes when the server has saved this; until it is shown, nothing is confirmed.
function confirm(event) {
  const { name } = view.recording;
  if (event.repeat) return; // a key that is held would confirm what nobody has seen
  if (left === name || !view.sound) return tooSoon();
  left = name;
  send("confirm", undefined, `confirm ${name}`);
  tell();
}

function tooSoon() {
  say("The next recording was not there yet, so C has confirmed nothing; press it again when it is right.");
}

function stayed() {
  left = null;
  if (view.sound) tell();
}

async function save() {
  $("export").disabled = true;
  try {
    await flush();
    const { folder } = await post("export", { report: $("with-report").checked });
    say(`Exported to ${folder}`, true);
  } catch (error) {
    failed(error);
  }
  $("export").disabled = false;
}

const ownKeys = {
  c: confirm, x: split, m: merge, i: insert, u: unplayed, s: save, Delete: remove, Backspace: remove,
  t: () => $("text").focus(),
  g: () => openNext().catch(failed),
  "/": () => $("find").focus(),
  "?": () => { $("keys").open = !$("keys").open; },
};

// Start

for (const [id, action] of Object.entries({
  confirm, split, merge, remove, insert, unplayed, export: save, align: rewrite,
  rename: () => edit(state.choice), next: ownKeys.g,
})) $(id).addEventListener("click", action);
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) rewrite();
  else if (event.key === "Escape") { $("text").value = view.recording.text ?? ""; pane.focus(); }
});
addEventListener("keydown", (event) => {
  const written = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  const alone = !(event.ctrlKey || event.metaKey || event.altKey || event.repeat);
  if (view.recording && !view.sound && alone && !written && event.key.toLowerCase() === "c") tooSoon();
});
addEventListener("hashchange", () => open(decodeURIComponent(location.hash.slice(1))));

async function begin() {
  try {
    await readQueue();
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (queue.some((item) => item.name === wanted && item.state !== "failed")) await open(wanted);
    else await openNext();
  } catch (error) {
    failed(error);
  }
  watch();
}

const ready = begin().then(drawn);
expose({ outbox, idle: async () => { while (sending || outbox.length) await drawn(); } });
