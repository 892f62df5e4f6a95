// The list of what deserves a look. Everything is put into it as text.

const MOST_SHOWN = 300;

function entries() {
  const wanted = $("filter").value.trim();
  const found = [];
  for (const recording of recordingsListed()) {
    for (const [k, value, why] of recording.doubts) {
      const event = mainEvent(recording, k);
      if (wanted && labelOf(recording, event) !== wanted) continue;
      found.push({ recording, event, value, why, time: spanOf(recording, event)[0] });
    }
  }
  if ($("order").value === "worst") found.sort((a, b) => b.value - a.value);
  else found.sort((a, b) => a.recording.index - b.recording.index || a.time - b.time);
  return found;
}

function fillList() {
  const found = entries();
  const several = recordingsListed().length > 1;
  state.listed = found;
  const shown = found.slice(0, MOST_SHOWN).map((entry) => {
    const button = element("button", "", "");
    button.type = "button";
    button.append(element("span", "time", `${entry.time.toFixed(3)} s`),
      element("span", "label", labelOf(entry.recording, entry.event) || "(silence)"),
      element("span", "why", entry.why));
    if (several) button.append(element("span", "name", entry.recording.name));
    button.addEventListener("click", () => visit(entry));
    entry.button = button;
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  $("doubts").replaceChildren(...shown);
  $("none").hidden = found.length > 0;
  const rest = found.length - shown.length;
  $("more").textContent = rest > 0 ? `and ${rest} more` : "";
  markList();
}

function markList() {
  for (const { button, recording, event } of state.listed) {
    if (!button) continue;
    const same = recording === view.recording && state.choice?.k === event.k && state.choice?.tier === event.tier;
    button.setAttribute("aria-current", String(same));
    button.classList.toggle("moved", isCorrected(recording, event));
    button.querySelector(".label").textContent = labelOf(recording, event) || "(silence)";
  }
}

async function visit(entry) {
  await show(entry.recording);
  choose(entry.event, { centre: true });
  hearChoice();
  entry.button?.scrollIntoView({ block: "nearest" });
}
