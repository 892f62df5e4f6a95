// What was done and is not on the disk yet. It is sent in order, one after the other; it stays here
// until the server has said that it is saved, also where the server has gone.

const outbox = []; // {path, name, action, told, sent}
const revisions = new Map(); // newest that is known, by the name of the recording
let sending = false;
let gone = "";

function send(path, action, told) {
  const { name } = view.recording;
  const last = outbox.at(-1);
  const key = (a) => JSON.stringify({ ...a, to: 0 });
  if (last && !last.sent && last.name === name && action?.do === "move" && last.action && key(last.action) === key(action)) {
    Object.assign(last, { action, told }); // one boundary, moved on
  } else {
    outbox.push({ path, name, action, told, sent: false });
  }
  say("");
  flush();
}

async function flush() {
  tellOutbox();
  if (sending) return;
  sending = true;
  while (outbox.length) {
    const item = outbox[0];
    item.sent = true;
    try {
      const revision = revisions.get(item.name);
      const answer = await post(item.path, { name: item.name, revision, action: item.action });
      outbox.shift();
      arrived(answer);
      if (item.path === "confirm") confirmed(item.name);
    } catch (error) {
      item.sent = false;
      if (!(error instanceof Refused)) {
        lost(error);
        break;
      }
      outbox.shift();
      await refused(item, error);
    }
    tellOutbox();
  }
  sending = false;
  tellOutbox();
}

// Takes a newer state; what else is to be sent of the recording comes before it is shown.
function arrived(answer) {
  gone = "";
  revisions.set(answer.name, answer.revision);
  if (!outbox.some((item) => item.name === answer.name)) renew(answer);
  const row = queue.find((item) => item.name === answer.name);
  if (row && row.state !== answer.state) readQueue().catch(failed);
}

async function refused(item, error) {
  if (left === item.name) stayed();
  if (error.status !== 409) {
    say(`Not done: ${item.told}. ${capital(error.message)}`);
    if (item.name === view.recording.name) arrived(await get("recording", item.name).catch(() => null) ?? error.newest);
    return;
  }
  const dropped = [item, ...outbox.filter((other) => other.name === item.name)];
  for (const other of dropped.slice(1)) outbox.splice(outbox.indexOf(other), 1);
  arrived(error.newest);
  say(`Meanwhile ${item.name} was changed, in another window or just before the server stopped; this is its newest `
    + `state. Not done, do it again if it is still wanted: ${dropped.map((other) => other.told).join("; ")}.`);
}

function lost(error) {
  gone = error.message.startsWith("another") ? "Another server answers at this address."
    : "The server does not answer.";
}

// A sentence begins with a capital, but not the name of a file in front of it.
const capital = (text) => /^[^:]*[./\\][^:]*:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);

function say(text, isGood = false) {
  $("said").textContent = capital(text);
  $("message").classList.toggle("good", isGood);
  $("message").hidden = !text;
}

function tellOutbox() {
  const n = outbox.length;
  const kept = n === 1 ? "1 change is" : `${n} changes are`;
  $("gone").hidden = !gone;
  $("gone-text").textContent = gone && `${gone} ${n ? `${kept} not saved and kept in this window.` : "Nothing is lost."} `
    + "Start align studio again with the same folders; this window then goes on, or open the address that it prints.";
  $("send-again").hidden = !n;
  $("status").textContent = gone ? "" : n ? "Saving ..." : "Saved";
}

addEventListener("beforeunload", (event) => { if (outbox.length) event.preventDefault(); });
$("send-again").addEventListener("click", flush);
$("message-close").addEventListener("click", () => say(""));
