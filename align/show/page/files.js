// Corrected labels as files, in the very forms that Align and Praat read.

function digits(seconds) {
  const text = String(seconds);
  return text.includes("e") ? seconds.toFixed(20).replace(/\.?0+$/, "") : text;
}

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

function textGrid(recording) {
  const end = digits(recording.duration);
  const out = [
    'File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", `xmax = ${end}`,
    "tiers? <exists>", `size = ${recording.tiers.length}`, "item []:",
  ];
  for (const [t, tier] of recording.tiers.entries()) {
    const points = tier.points !== undefined;
    out.push(
      `    item [${t + 1}]:`, `        class = "${points ? "TextTier" : "IntervalTier"}"`,
      `        name = ${quoted(tier.name)}`, "        xmin = 0", `        xmax = ${end}`,
      `        ${points ? "points" : "intervals"}: size = ${tier.labels.length}`,
    );
    for (const [k, label] of tier.labels.entries()) {
      if (points) {
        out.push(`        points [${k + 1}]:`, `            number = ${digits(tier.points[k])}`,
          `            mark = ${quoted(label)}`);
      } else {
        out.push(`        intervals [${k + 1}]:`, `            xmin = ${digits(tier.edges[k])}`,
          `            xmax = ${digits(tier.edges[k + 1])}`, `            text = ${quoted(label)}`);
      }
    }
  }
  return out.join("\n") + "\n";
}

const cell = (text) => (/[",\n\r;\t]|^\s|\s$/.test(text) ? quoted(text) : text);
const row = (cells) => cells.map(cell).join(",");

function table(recording) {
  const out = [];
  const notes = recording.notes;
  if (notes) {
    out.push("score_onset_s,performed_onset_s,pitch,name,id,duration_s");
    for (const [k, pitch] of notes.pitches.entries()) {
      out.push(row([notes.score[k].toFixed(6), notes.onsets[k].toFixed(6), String(pitch),
        labelOf(recording, { k }), notes.ids[k], notes.lengths[k].toFixed(6)]));
    }
  } else {
    const tier = recording.tiers[recording.main];
    out.push("start,end,label");
    for (const [k, label] of tier.labels.entries()) {
      if (label !== "") out.push(row([tier.edges[k].toFixed(6), tier.edges[k + 1].toFixed(6), label]));
    }
  }
  return out.join("\n") + "\n";
}

function offer(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function save(recording, kind) {
  if (kind === "textgrid") offer(`${recording.stem}.TextGrid`, textGrid(recording), "text/plain");
  else offer(`${recording.stem}.csv`, table(recording), "text/csv");
  recording.saved = lastChange(recording);
}

// All recordings with corrections in one archive, in the folders they are of.
function saveAll() {
  const chosen = DATA.recordings.filter((recording) => recording.past.length > 0);
  const files = chosen.map((recording) => {
    const folders = recording.folder.split(/[\\/:]+/).filter((part) => part && part !== "." && part !== "..");
    const name = recording.stem + (recording.notes ? ".csv" : ".TextGrid");
    return [[...folders, name].join("/"), recording.notes ? table(recording) : textGrid(recording)];
  });
  offer("corrected.zip", new Blob(archive(files)), "application/zip");
  for (const recording of chosen) recording.saved = lastChange(recording);
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// Parts of a ZIP file of [name, text], not compressed; names in UTF-8, dated 1980.
function archive(files) {
  const encoder = new TextEncoder();
  const parts = [], directory = [];
  let offset = 0;
  for (const [path, text] of files) {
    const name = encoder.encode(path), bytes = encoder.encode(text);
    const common = [20, 0x800, 0, 0, 33]; // version, UTF-8, stored, time, date
    const sizes = [checksum(bytes), bytes.length, bytes.length];
    const head = numbers([4, 0x04034b50], [2, ...common], [4, ...sizes], [2, name.length, 0]);
    directory.push(numbers([4, 0x02014b50], [2, 20, ...common], [4, ...sizes],
      [2, name.length, 0, 0, 0, 0], [4, 0, offset]), name);
    parts.push(head, name, bytes);
    offset += head.length + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([4, 0x06054b50], [2, 0, 0, files.length, files.length], [4, size, offset], [2, 0]);
  return [...parts, ...directory, end];
}

// Little-endian numbers: [bytes of each, number, number ...].
function numbers(...groups) {
  const out = [];
  for (const [width, ...values] of groups) {
    for (const value of values) for (let b = 0; b < width; b++) out.push((value >>> (8 * b)) & 255);
  }
  return Uint8Array.from(out);
}
