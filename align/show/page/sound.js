// The samples of a recording, decoded when it is first shown; the last few are kept.

const KEPT = 3;
const BLOCK = 256; // samples of a step of the envelope
const sounds = new Map();

async function decode(recording) {
  const { bytes, url } = await encodedOf(recording);
  const context = new OfflineAudioContext(1, 1, recording.rate); // decodes to this rate
  const buffer = await context.decodeAudioData(bytes.buffer);
  const samples = buffer.getChannelData(0);
  return { url, buffer, samples, rate: buffer.sampleRate, envelope: envelopeOf(samples) };
}

function envelopeOf(samples) {
  const n = Math.ceil(samples.length / BLOCK);
  const low = new Float32Array(n), high = new Float32Array(n);
  let loudest = 1e-4;
  for (let b = 0; b < n; b++) {
    let a = 0, z = 0;
    const last = Math.min((b + 1) * BLOCK, samples.length);
    for (let i = b * BLOCK; i < last; i++) {
      const x = samples[i];
      if (x < a) a = x; else if (x > z) z = x;
    }
    low[b] = a;
    high[b] = z;
    loudest = Math.max(loudest, -a, z);
  }
  return { low, high, loudest };
}

function soundOf(recording) {
  const key = recording.index;
  const known = sounds.get(key);
  if (known) {
    sounds.delete(key); // to the end: used last
    sounds.set(key, known);
    return known;
  }
  const promise = decode(recording);
  sounds.set(key, promise);
  promise.catch(() => sounds.delete(key));
  if (sounds.size > KEPT) {
    const [oldest, dropped] = sounds.entries().next().value;
    sounds.delete(oldest);
    dropped.then((sound) => URL.revokeObjectURL(sound.url), () => {});
  }
  return promise;
}

// Lowest and highest sample between two times.
function extremes(sound, from, to) {
  const { samples, rate, envelope } = sound;
  let first = Math.max(0, Math.floor(from * rate));
  const last = Math.min(samples.length, Math.max(first + 1, Math.ceil(to * rate)));
  let low = Infinity, high = -Infinity;
  if (last - first > 4 * BLOCK) {
    const end = Math.ceil(last / BLOCK);
    for (let b = Math.floor(first / BLOCK); b < end; b++) {
      if (envelope.low[b] < low) low = envelope.low[b];
      if (envelope.high[b] > high) high = envelope.high[b];
    }
  } else {
    for (; first < last; first++) {
      const x = samples[first];
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  return low <= high ? [low, high] : [0, 0];
}
