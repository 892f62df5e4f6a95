// What the file of the page holds: the recordings, and their sound as text.

const DATA = JSON.parse(document.getElementById("data").textContent);

for (const [index, recording] of DATA.recordings.entries()) {
  Object.assign(recording, { index, past: [], future: [], saved: null });
  const notes = recording.notes;
  if (notes) notes.inOrder = sortedByOnset(notes);
}

function bytesOf(recording) {
  const text = document.getElementById(`sound-${recording.index}`).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function encodedOf(recording) {
  const bytes = bytesOf(recording);
  return { bytes, url: URL.createObjectURL(new Blob([bytes], { type: recording.type })) };
}
