// Playing: the recording from the head on, at any speed with its pitch kept; or a label, which is cut
// out to the sample.

class Player {
  constructor(moved) {
    this.audio = new Audio();
    this.audio.preservesPitch = true;
    this.moved = moved;
    this.cursor = 0;
    this.clip = null;
    this.heard = null; // the last clip, in seconds
    this.context = null;
    this.audio.addEventListener("ended", () => this.stop(0));
    const tick = () => {
      if (!this.playing) return;
      this.moved();
      requestAnimationFrame(tick);
    };
    this.tick = tick;
    this.audio.addEventListener("playing", () => requestAnimationFrame(tick));
  }

  load(sound) {
    this.stop(0);
    this.sound = sound;
    this.audio.src = sound.url;
  }

  get playing() { return this.clip !== null || !this.audio.paused; }

  position() {
    if (this.clip) {
      const { from, to, begin } = this.clip;
      return clamp(from + this.context.currentTime - begin, from, to);
    }
    return this.audio.paused ? this.cursor : this.audio.currentTime;
  }

  seek(time) {
    this.cursor = time;
    if (this.clip) this.stop(time);
    if (!this.audio.paused) this.audio.currentTime = time;
    this.moved();
  }

  play() {
    this.stop();
    if (this.cursor >= this.sound.buffer.duration - 0.005) this.cursor = 0;
    this.audio.currentTime = this.cursor;
    return this.audio.play().catch(() => {});
  }

  // Stops, and leaves the head where it is or at `time`.
  stop(time = this.position()) {
    if (this.clip) {
      this.clip.source.onended = null;
      this.clip.source.stop();
      this.clip = null;
    }
    this.audio.pause();
    this.cursor = time;
    this.moved();
  }

  hear(from, to) {
    this.stop(from);
    this.context ??= new AudioContext();
    this.context.resume();
    const source = this.context.createBufferSource();
    source.buffer = this.sound.buffer;
    source.connect(this.context.destination);
    source.onended = () => this.stop(from);
    const begin = this.context.currentTime + 0.01;
    source.start(begin, from, Math.max(0.01, to - from));
    this.clip = { source, from, to, begin };
    this.heard = [from, to];
    requestAnimationFrame(this.tick);
  }
}
