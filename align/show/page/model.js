// What is shown, and what can be moved in it. Times are in seconds; tiers have K labels and K + 1 edges.

const SHORTEST = 0.001; // seconds that a correction leaves to a label
const SAME = 0.0005; // seconds within which boundaries of two tiers are one

const NAMES = ["C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"];
const pitchName = (pitch) => NAMES[pitch % 12] + (Math.floor(pitch / 12) - 1);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function sortedByOnset(notes) {
  const order = notes.onsets.map((_, k) => k);
  return order.sort((a, b) => notes.onsets[a] - notes.onsets[b] || notes.pitches[a] - notes.pitches[b]);
}

// First place whose value is greater than x, in numbers that never decrease.
function after(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}

// An event is {tier, k}: label k of a tier; of music {k}: note k.
function spanOf(recording, event) {
  if (recording.notes) return [recording.notes.onsets[event.k], recording.notes.ends[event.k]];
  const tier = recording.tiers[event.tier];
  if (tier.points) return [tier.points[event.k], tier.points[event.k]];
  return [tier.edges[event.k], tier.edges[event.k + 1]];
}

function labelOf(recording, event) {
  if (recording.notes) return (recording.notes.names || [])[event.k] ?? pitchName(recording.notes.pitches[event.k]);
  return recording.tiers[event.tier].labels[event.k];
}

// Where a boundary may go: {low, high}, and all that moves with it.
function movable(recording, event, alone) {
  if (recording.notes) {
    return { low: 0, high: recording.duration, places: [[-1, event.k]] };
  }
  const tier = recording.tiers[event.tier];
  if (tier.points || event.k === 0) return null;
  const at = tier.edges[event.k];
  const places = [];
  let low = 0, high = recording.duration;
  for (const [t, other] of recording.tiers.entries()) {
    if (other.points || (alone && t !== event.tier)) continue;
    const near = after(other.edges, at - SAME);
    const edge = t === event.tier ? event.k : near;
    if (edge < 1 || edge > other.edges.length - 2 || Math.abs(other.edges[edge] - at) > SAME) continue;
    low = Math.max(low, Math.min(other.edges[edge - 1] + SHORTEST, at));
    high = Math.min(high, Math.max(other.edges[edge + 1] - SHORTEST, at));
    places.push([t, edge]);
  }
  return { low, high, places };
}

const numbersOf = (recording, t) => (t < 0 ? recording.notes.onsets : recording.tiers[t].edges);

// A change is [tier, place, from, to], and "label" where it is not a time that changes.
function setValues(recording, changes, side) {
  for (const change of changes) {
    const values = change[4] === "label" ? recording.tiers[change[0]].labels : numbersOf(recording, change[0]);
    values[change[1]] = change[side];
  }
  if (recording.notes) recording.notes.inOrder = sortedByOnset(recording.notes);
}

// Moves a boundary and returns the changes, not yet in the history.
function move(recording, limits, time) {
  const to = clamp(Math.round(time * 1e6) / 1e6, limits.low, limits.high);
  const changes = limits.places.map(([t, k]) => [t, k, numbersOf(recording, t)[k], to]);
  setValues(recording, changes, 3);
  return changes;
}

// Gives a label another text and returns the changes, not yet in the history.
function rename(recording, event, text) {
  const changes = [[event.tier, event.k, labelOf(recording, event), text, "label"]];
  setValues(recording, changes, 3);
  return changes;
}
