// Changing what a label says, in a field over it.

const field = $("label-field");
const NARROWEST = 72; // CSS pixels
let edited = null; // the label in the field

function edit(event) {
  const { recording } = view;
  if (!event || recording.notes || recording.tiers[event.tier].points) return;
  enter(true);
  choose(event);
  edited = event;
  field.value = labelOf(recording, event);
  field.hidden = false;
  placeField();
  field.focus({ preventScroll: true });
  field.select();
}

function placeField() {
  if (!edited) return;
  const [from, to] = spanOf(view.recording, edited);
  const left = Math.max(xOf(from), GUTTER), right = Math.min(xOf(to), view.width);
  const width = Math.max(NARROWEST, right - left);
  const middle = clamp((left + right) / 2, GUTTER + width / 2, view.width - width / 2);
  field.style.left = `${middle - width / 2}px`;
  field.style.width = `${width}px`;
  field.style.top = `${rowTop(edited.tier) + 2}px`;
  field.style.height = `${ROW - 4}px`;
}

// Closes the field, and takes over what it holds or leaves the label as it was.
function enter(take) {
  if (!edited) return;
  const event = edited;
  edited = null;
  field.hidden = true;
  if (!take) return;
  relabelled(event, field.value.trim());
}

field.addEventListener("keydown", (event) => {
  if (event.isComposing || !["Enter", "Escape", "Tab"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  enter(event.key !== "Escape");
  pane.focus({ preventScroll: true });
  if (event.key === "Tab") edit(neighbour(event.shiftKey ? -1 : 1));
});
field.addEventListener("blur", () => enter(true));
for (const name of ["pointerdown", "dblclick"]) field.addEventListener(name, (event) => event.stopPropagation());

pane.addEventListener("dblclick", (event) => {
  if (view.sound) edit(under(...place(event)).event);
});
