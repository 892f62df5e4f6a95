// The picture in tiles, computed when they are seen, a few milliseconds at a time. A column of
// level L lasts 2 ** L ms; where a tile is not there yet, a coarser one is drawn in its place.

const COLUMNS = 128;
const BUDGET = 9; // ms of work before the page may answer the user again
const MOST_TILES = 700;

class Tiles {
  constructor(recording, spectrum, redraw) {
    Object.assign(this, { recording, spectrum, redraw, tiles: new Map(), queue: [], busy: false });
    this.levels = new Uint8ClampedArray(COLUMNS * spectrum.rows);
    this.at = null;
    this.repaint();
  }

  // Takes the colours of the theme; levels are computed anew.
  repaint() {
    const style = getComputedStyle(document.documentElement);
    const parse = (name) => style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/gi).map((h) => parseInt(h, 16));
    const back = parse("--back"), ink = parse("--ink");
    this.palette = new Uint32Array(256);
    const bytes = new Uint8Array(this.palette.buffer);
    for (let i = 0; i < 256; i++) {
      const share = (i / 255) ** 1.3 * (this.spectrum.music ? 0.75 : 1);
      for (let c = 0; c < 3; c++) bytes[4 * i + c] = back[c] + (ink[c] - back[c]) * share;
      bytes[4 * i + 3] = 255;
    }
    this.tiles.clear();
    this.queue = [];
    this.at = null;
  }

  get done() { return this.queue.length === 0 && this.at === null; }

  levelFor(secondsPerPixel) {
    return clamp(Math.round(Math.log2(1000 * secondsPerPixel)), -2, 12);
  }

  draw(context, box, from, to) {
    const perSecond = box.width / (to - from);
    const level = this.levelFor(1 / perSecond);
    const length = (COLUMNS * 2 ** level) / 1000;
    const last = Math.min(Math.floor(to / length), Math.floor(this.recording.duration / length));
    this.queue = [];
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width, box.height);
    context.clip();
    for (let i = Math.max(0, Math.floor(from / length)); i <= last; i++) {
      const key = `${level}:${i}`;
      const x = box.x + (i * length - from) * perSecond;
      const tile = this.tiles.get(key);
      if (tile) {
        this.tiles.delete(key);
        this.tiles.set(key, tile);
        context.drawImage(tile, x, box.y, length * perSecond + 0.5, box.height);
      } else {
        this.drawCoarser(context, box, level, i, x, length * perSecond);
        if (this.at?.level !== level || this.at.i !== i) this.queue.push([level, i]);
      }
    }
    context.restore();
    if (this.queue.length && !this.busy) {
      this.busy = true;
      setTimeout(() => this.work(), 0);
    }
  }

  drawCoarser(context, box, level, i, x, width) {
    for (let up = 1; up <= 8; up++) {
      const parent = this.tiles.get(`${level + up}:${i >> up}`);
      if (!parent) continue;
      const part = COLUMNS / 2 ** up;
      const first = (i - ((i >> up) << up)) * part;
      context.drawImage(parent, first, 0, part, this.spectrum.rows, x, box.y, width + 0.5, box.height);
      return;
    }
  }

  work() {
    const begin = performance.now();
    let finished = false;
    while (performance.now() - begin < BUDGET) {
      if (this.at === null) {
        const next = this.queue.shift();
        if (!next) break;
        this.at = { level: next[0], i: next[1], column: 0 };
      }
      const { level, i } = this.at;
      const hop = 2 ** level / 1000;
      for (let n = 0; n < 8 && this.at.column < COLUMNS; n++, this.at.column++) {
        const time = (i * COLUMNS + this.at.column + 0.5) * hop;
        this.spectrum.column(time, hop, this.levels, this.at.column, COLUMNS);
      }
      if (this.at.column === COLUMNS) {
        this.keep(`${level}:${i}`);
        this.at = null;
        finished = true;
      }
    }
    this.busy = !this.done;
    if (this.busy) setTimeout(() => this.work(), 0);
    if (finished) this.redraw();
  }

  keep(key) {
    const rows = this.spectrum.rows;
    const canvas = document.createElement("canvas");
    canvas.width = COLUMNS;
    canvas.height = rows;
    const context = canvas.getContext("2d");
    const image = context.createImageData(COLUMNS, rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let p = 0; p < pixels.length; p++) pixels[p] = this.palette[this.levels[p]];
    context.putImageData(image, 0, 0);
    this.tiles.set(key, canvas);
    if (this.tiles.size > MOST_TILES) this.tiles.delete(this.tiles.keys().next().value);
  }
}
