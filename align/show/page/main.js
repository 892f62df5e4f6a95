// The report page: its recordings, what is corrected and saved.

// Recordings

async function show(recording) {
  if (view.recording === recording && view.sound) return;
  enter(true);
  take(recording);
  $("recordings").value = String(recording.index);
  for (const [k, row] of every.entries()) row.firstChild.setAttribute("aria-current", String(k === recording.index));
  $("save-textgrid").hidden = recording.notes !== undefined;
  $("status").textContent = "Reading the sound ...";
  let sound;
  try {
    sound = await soundOf(recording);
  } catch {
    $("status").textContent = `This browser cannot play ${recording.type}; make the page with --sound wav.`;
    return;
  }
  if (view.recording !== recording) return; // another one was chosen meanwhile
  present(sound);
}

const recordingsListed = () => ($("scope").value === "all" ? DATA.recordings : [view.recording]);

function step(by) {
  show(DATA.recordings[clamp(view.recording.index + by, 0, DATA.recordings.length - 1)]);
}

// Corrections

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
    every[item.index].querySelector(".label").textContent = option.textContent;
  }
  $("detail").textContent = detail();
  headMoved();
}

function saveNow(kind) {
  save(view.recording, kind);
  tell();
}

const ownKeys = {
  s: () => saveNow(view.recording.notes ? "csv" : "textgrid"),
  "?": () => $("help").showModal(),
};

function undo() { if (stepBack(view.recording)) changed(); }
function redo() { if (stepForward(view.recording)) changed(); }

// Every recording, with how much of it is in doubt.

const every = DATA.recordings.map((recording) => {
  const button = element("button", "", "");
  button.type = "button";
  const many = recording.doubts.filter(([, value]) => value >= UNSURE).length;
  const [one, more] = recording.notes ? ["onset", "onsets"] : ["boundary", "boundaries"];
  const what = `${many} ${many === 1 ? one : more} in doubt, ${seconds(recording.duration)}`;
  button.append(element("span", "label", recording.name), element("span", "why", what));
  button.addEventListener("click", () => show(recording));
  const row = document.createElement("li");
  row.append(button);
  return row;
});

// Start

$("title").textContent = DATA.title;
for (const recording of DATA.recordings) {
  const option = element("option", "", recording.name);
  option.value = String(recording.index);
  $("recordings").append(option);
}
$("every-list").append(...every);
$("every").hidden = $("choice").hidden = $("scope").hidden = $("save-all").hidden = DATA.recordings.length === 1;
$("recordings").addEventListener("change", (e) => show(DATA.recordings[Number(e.target.value)]));
$("save-textgrid").addEventListener("click", () => saveNow("textgrid"));
$("save-csv").addEventListener("click", () => saveNow("csv"));
$("save-all").addEventListener("click", () => { saveAll(); tell(); });
$("scope").addEventListener("input", fillList);
addEventListener("beforeunload", (event) => { if (DATA.recordings.some(unsaved)) event.preventDefault(); });

const ready = show(DATA.recordings[0]).then(drawn);
expose({});
