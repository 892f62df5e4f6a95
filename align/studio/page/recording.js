// What the server says of a recording, as the shared parts draw it: tiers without holes, or notes.

const WORTH = 0.2; // doubt from which a boundary is listed

// A tier of K labels and K + 1 edges. Holes become labels without a text and without an id.
function tiled({ name, intervals }, duration) {
  const tier = { name, labels: [], edges: [0], ids: [], fixed: [], confidence: [] };
  const add = (label, end, interval) => {
    tier.labels.push(label);
    tier.edges.push(end);
    tier.ids.push(interval?.id ?? null);
    tier.fixed.push(interval?.fixed ?? false);
    tier.confidence.push(interval?.confidence ?? null);
  };
  for (const interval of intervals) {
    if (interval.start - tier.edges.at(-1) > SAME) add("", interval.start, null);
    add(interval.label, interval.end, interval);
  }
  if (duration - tier.edges.at(-1) > SAME || tier.labels.length === 0) add("", duration, null);
  else tier.edges[tier.labels.length] = duration;
  return tier;
}

function notesOf(intervals, duration) {
  const notes = {
    ids: intervals.map((note) => note.id),
    pitches: intervals.map((note) => note.pitch),
    names: intervals.map((note) => note.label),
    onsets: intervals.map((note) => note.start),
    ends: intervals.map((note) => note.end ?? Math.min(duration, note.start + 0.2)),
    fixed: intervals.map((note) => note.fixed),
    played: intervals.map((note) => note.played ?? true),
    confidence: intervals.map((note) => note.confidence),
  };
  notes.inOrder = sortedByOnset(notes);
  return notes;
}

// [place, doubt, why] of what is worth a look; what a person has set is not.
function doubtsIn({ confidence, fixed }) {
  return confidence.flatMap((sure, k) => {
    if (sure === null || sure === undefined || fixed[k] || k === 0 || 1 - sure < WORTH) return [];
    return [[k, 1 - sure, `confidence ${sure.toFixed(2)}`]];
  });
}

function recordingOf(answer) {
  const { name, seconds: duration, revision, match } = answer;
  const recording = {
    index: name, name, duration, revision, match, kind: answer.kind, status: answer.state, text: answer.text,
    canUndo: answer.can_undo, canRedo: answer.can_redo, warnings: answer.warnings ?? [],
    mismatches: (answer.mismatches ?? []).map((found) => ({ ...found, text: found.text ?? found.label })),
  };
  if (answer.kind === "music") {
    recording.notes = notesOf(answer.tiers[0].intervals, duration);
    recording.doubts = doubtsIn(recording.notes);
  } else {
    recording.tiers = answer.tiers.map((tier) => tiled(tier, duration));
    recording.main = Math.max(0, recording.tiers.findIndex((tier) => tier.name === "phones"));
    recording.doubts = doubtsIn(recording.tiers[recording.main]);
  }
  return recording;
}

const idOf = (recording, { tier, k }) => (recording.notes ? recording.notes : recording.tiers[tier]).ids[k];
const tierName = (recording, { tier }) => (recording.notes ? "notes" : recording.tiers[tier].name);
const isCorrected = (recording, { tier, k }) => (recording.notes ?? recording.tiers[tier]).fixed[k];

// The beginning of an event as the server names it: that of its interval, else the end of the one before.
function boundaryOf(recording, event) {
  const id = idOf(recording, event);
  if (id !== null) return { tier: tierName(recording, event), id, edge: "start" };
  return { tier: tierName(recording, event), id: idOf(recording, { ...event, k: event.k - 1 }), edge: "end" };
}

// Where an event of an older state is now: by its id, else by its time.
function found(recording, event, before) {
  if (!event) return null;
  const { ids } = recording.notes ?? recording.tiers[event.tier];
  const id = idOf(before, event);
  const k = id === null ? -1 : ids.indexOf(id);
  if (k >= 0) return { ...event, k };
  if (recording.notes) return null;
  const time = spanOf(before, event)[0] + 1e-6;
  return { ...event, k: clamp(after(recording.tiers[event.tier].edges, time) - 1, 0, ids.length - 1) };
}
