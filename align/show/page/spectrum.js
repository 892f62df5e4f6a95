// Spectra of single columns of the picture, as levels 0 (nothing) to 255 (the loudest).
// Speech: windows of 5 ms, 6 dB per octave, 60 dB. Music: windows of 93 ms, semitone bands, 55 dB.

class Fourier {
  constructor(size) {
    this.size = size;
    this.re = new Float32Array(size);
    this.im = new Float32Array(size);
    this.cos = new Float32Array(size / 2);
    this.sin = new Float32Array(size / 2);
    for (let i = 0; i < size / 2; i++) {
      this.cos[i] = Math.cos((2 * Math.PI * i) / size);
      this.sin[i] = -Math.sin((2 * Math.PI * i) / size);
    }
    const bits = Math.log2(size);
    this.reversed = new Uint16Array(size);
    for (let i = 0; i < size; i++) {
      this.reversed[i] = (this.reversed[i >> 1] >> 1) | ((i & 1) << (bits - 1));
    }
  }

  // Transforms this.re, this.im in place; the input stands in bit-reversed order.
  run() {
    const { size, re, im, cos, sin } = this;
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let first = 0; first < size; first += 2 * half) {
        for (let j = 0, w = 0; j < half; j++, w += step) {
          const a = first + j, b = a + half;
          const x = re[b] * cos[w] - im[b] * sin[w];
          const y = re[b] * sin[w] + im[b] * cos[w];
          re[b] = re[a] - x;
          im[b] = im[a] - y;
          re[a] += x;
          im[a] += y;
        }
      }
    }
  }
}

class Spectrum {
  constructor(recording, sound) {
    this.sound = sound;
    this.music = recording.notes !== undefined;
    const rate = sound.rate;
    const power2 = (n) => 2 ** Math.ceil(Math.log2(n));
    if (this.music) {
      this.window = Math.min(4096, power2(0.07 * rate));
      this.fourier = new Fourier(this.window);
      const pitches = recording.notes.pitches;
      this.low = pitches.reduce((a, b) => Math.min(a, b), 127) - 3;
      this.rows = pitches.reduce((a, b) => Math.max(a, b), 0) + 4 - this.low;
      this.range = 55;
      const bin = (pitch) => (440 * 2 ** ((pitch - 69) / 12) * this.window) / rate;
      this.bands = Array.from({ length: this.rows }, (_, r) =>
        [bin(this.low + r - 0.5), bin(this.low + r + 0.5)].map((b) => Math.min(b, this.window / 2 - 1)));
    } else {
      this.window = Math.max(16, Math.round(0.005 * rate));
      this.fourier = new Fourier(Math.max(128, power2(2 * this.window)));
      this.top = Math.min(8000, rate / 2);
      this.rows = Math.floor((this.top / rate) * this.fourier.size);
      this.range = 60;
    }
    this.power = new Float32Array(this.rows);
    this.taper = Float32Array.from({ length: this.window }, (_, i) =>
      0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / this.window));
    this.loudest = 1e-9;
    const duration = recording.duration, many = this.music ? 100 : 240;
    for (let i = 0; i < many; i++) {
      this.measure(((i + 0.5) / many) * duration, 0);
      for (let r = 1; r < this.rows; r++) this.loudest = Math.max(this.loudest, this.power[r]);
    }
  }

  // Mean power of a few windows about a time, over `span` seconds, into this.power.
  measure(time, span) {
    const { rate } = this.sound;
    const many = Math.min(4, Math.max(1, Math.ceil((span * rate) / this.window)));
    this.power.fill(0);
    for (let m = 0; m < many; m++) this.add(time + span * ((m + 0.5) / many - 0.5), 1 / many);
  }

  add(time, weight) {
    const { samples, rate } = this.sound;
    const { fourier, taper, window, power } = this;
    const { re, im, reversed, size } = fourier;
    const first = Math.round(time * rate) - (window >> 1);
    re.fill(0);
    im.fill(0);
    for (let i = 0; i < window; i++) {
      const at = first + i;
      if (at > 0 && at < samples.length) re[reversed[i]] = (samples[at] - samples[at - 1]) * taper[i];
    }
    fourier.run();
    const square = (b) => re[b] * re[b] + im[b] * im[b];
    if (!this.music) {
      for (let r = 0; r < this.rows; r++) power[r] += weight * square(r);
      return;
    }
    for (let r = 0; r < this.rows; r++) {
      const [from, to] = this.bands[r];
      let best = 0;
      for (let b = Math.ceil(from); b <= to; b++) best = Math.max(best, square(b));
      if (best === 0) best = square(Math.min(Math.round((from + to) / 2), size / 2 - 1));
      power[r] += weight * best;
    }
  }

  // Writes the levels of one column, the highest row first.
  column(time, span, out, at, stride) {
    this.measure(time, span);
    const scale = 2550 / (Math.LN10 * this.range);
    for (let r = 0; r < this.rows; r++) {
      const level = 255 + scale * Math.log(Math.max(this.power[r], 1e-20) / this.loudest);
      out[at + (this.rows - 1 - r) * stride] = clamp(level, 0, 255);
    }
  }
}
