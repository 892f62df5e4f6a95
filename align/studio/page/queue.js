// The recordings, those first of which a look is worth most.

const MOST_ROWS = 300;
const LEAST_MATCH = 0.3; // less has another text or score, most probably
let queue = [];

async function readQueue() {
  queue = await get("queue");
  fillQueue();
}

function fillQueue() {
  const wanted = $("find").value.trim().toLowerCase();
  const states = { waiting: "", confirmed: "confirmed", failed: "failed" };
  const rows = queue.filter((item) => item.name.toLowerCase().includes(wanted)
    && ($("which").value === "all" || item.state === $("which").value));
  const shown = rows.slice(0, MOST_ROWS).map((item) => {
    const button = element("button", item.state, "");
    button.type = "button";
    button.dataset.name = item.name;
    button.disabled = item.state === "failed";
    button.append(element("span", "label", item.name), element("span", "why", item.state === "failed"
      ? `failed: ${item.why ?? ""}` : [states[item.state], expected(item), item.seconds && `${item.seconds.toFixed(1)} s`].filter(Boolean).join(", ")));
    button.addEventListener("click", () => open(item.name));
    const row = document.createElement("li");
    row.append(button);
    return row;
  });
  $("queue").replaceChildren(...shown);
  $("queue-more").textContent = rows.length > shown.length ? `and ${rows.length - shown.length} more` : rows.length ? "" : "none";
  markQueue();
}

function expected({ state: how, expected_errors: errors, match, no_text: untold }) {
  if (untold && how !== "confirmed") return "no text yet";
  if (how === "confirmed" || errors === null || errors === undefined) return "";
  if (typeof match !== "number") return `${errors.toFixed(1)} errors expected`;
  const matched = `match ${match.toFixed(2)}`;
  // the confidence of boundaries means nothing where something else was played or said
  return match < LEAST_MATCH ? `perhaps another ${view.recording?.kind === "music" ? "score" : "text"}, ${matched}` : `${errors.toFixed(1)} errors expected, ${matched}`;
}

function markQueue() {
  for (const button of $("queue").querySelectorAll("button")) {
    button.setAttribute("aria-current", String(button.dataset.name === view.recording?.name));
  }
}

// The recording before or after in the list.
function step(by) {
  const names = [...$("queue").querySelectorAll("button:enabled")].map((button) => button.dataset.name);
  const name = names[clamp(names.indexOf(view.recording.name) + by, 0, names.length - 1)];
  if (name !== undefined && name !== view.recording.name) open(name);
}

async function openNext() {
  const { name } = await get("next");
  if (name === null) say("Every recording is confirmed. Export saves the model and the labels.", true);
  else if (name !== view.recording?.name) await open(name);
}

async function confirmed(name) {
  try {
    await readQueue();
    if (view.recording.name === name) await openNext();
  } catch (error) {
    failed(error);
  }
  if (left === name) stayed();
  watch();
}

$("find").addEventListener("input", fillQueue);
$("find").addEventListener("keydown", (event) => {
  const first = $("queue").querySelector("button:enabled");
  if (event.key === "Enter" && first !== null) open(first.dataset.name);
});
$("which").addEventListener("input", fillQueue);
