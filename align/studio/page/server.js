// Asking the server. What it refuses is thrown with its status and its sentence; where it does not
// answer there is no status.

class Refused extends Error {
  constructor(status, { error, view: newest }) {
    super(error);
    Object.assign(this, { status, newest });
  }
}

const STRANGERS = [403, 404, 421]; // of another server at this address, or this one started anew

async function ask(path, options = {}) {
  const response = await fetch(`api/${path}`, options);
  let answer;
  try {
    answer = await response.json();
  } catch {
    answer = { error: `The server failed (${response.status}); the window of align studio says why.` };
  }
  if (STRANGERS.includes(response.status)) throw new Error("another server answers at this address");
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

const get = (path, name) => ask(name === undefined ? path : `${path}?${new URLSearchParams({ name })}`);

const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// The sound of a recording; the player reads it again, in ranges, from its address.
async function encodedOf(recording) {
  const url = `api/audio?${new URLSearchParams({ name: recording.name })}`;
  const response = await fetch(url);
  if (!response.ok) throw new Refused(response.status, await response.json());
  recording.rate = Number(response.headers.get("Audio-Rate"));
  return { bytes: new Uint8Array(await response.arrayBuffer()), url };
}
