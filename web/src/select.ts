// Selecting and sorting rows. Pure functions on typed arrays: nothing is scored here.

export type Relation = "all" | "better" | "equal" | "worse" | "perfect" | "wrong" | "only1" | "only2";
export type Range = [number | null, number | null];

export interface Scores {
  /** Scores of system 1, and of system 2 where there is one. */
  one: Float64Array | null;
  two: Float64Array | null;
  perfect: number;
  lower: boolean;
}

export interface Filter {
  relation: Relation;
  facets: { codes: ArrayLike<number>; value: number }[];
  range1: Range;
  range2: Range;
  delta: Range;
  /** Each is a set of rows that must have the row. */
  within: Uint8Array[];
}

/** System 1 minus system 2, positive where system 1 is ahead. */
export function delta(scores: Scores, row: number): number {
  const { one, two, lower } = scores;
  if (!one || !two) return NaN;
  const gap = (one[row] ?? NaN) - (two[row] ?? NaN);
  return lower ? -gap : gap;
}

function outside(value: number, [low, high]: Range): boolean {
  if (low === null && high === null) return false;
  return !((low === null || value >= low) && (high === null || value <= high));
}

export function relates(scores: Scores, row: number, relation: Relation): boolean {
  const { one, two, perfect } = scores;
  const a = one ? (one[row] ?? NaN) : NaN;
  const b = two ? (two[row] ?? NaN) : NaN;
  switch (relation) {
    case "all":
      return true;
    case "better":
      return delta(scores, row) > 0;
    case "worse":
      return delta(scores, row) < 0;
    case "equal":
      return a === b || (Number.isNaN(a) && Number.isNaN(b) && two !== null);
    case "perfect":
      return a === perfect && (two === null || b === perfect);
    case "wrong":
      return a !== perfect && (two === null || b !== perfect);
    case "only1":
      return a === perfect && b !== perfect;
    case "only2":
      return a !== perfect && b === perfect;
  }
}

/** The rows that pass all filters, in file order. */
export function select(n: number, scores: Scores, filter: Filter): Uint32Array {
  const rows = new Uint32Array(n);
  let size = 0;
  const { facets, within, relation, range1, range2 } = filter;
  const gaps = filter.delta[0] !== null || filter.delta[1] !== null;
  for (let row = 0; row < n; row += 1) {
    if (!within.every((set) => set[row]) || !facets.every(({ codes, value }) => codes[row] === value)) continue;
    if (relation !== "all" && !relates(scores, row, relation)) continue;
    if (outside(scores.one ? (scores.one[row] ?? NaN) : NaN, range1)) continue;
    if (outside(scores.two ? (scores.two[row] ?? NaN) : NaN, range2)) continue;
    if (gaps && outside(delta(scores, row), filter.delta)) continue;
    rows[size++] = row;
  }
  return rows.slice(0, size);
}

/** Rows by a key; what is undefined comes last in both directions, ties stay in file order. */
export function sortRows(rows: Uint32Array, key: (row: number) => number, down: boolean): Uint32Array {
  const n = rows.length;
  const keys = new Float64Array(n);
  const sign = down ? -1 : 1;
  for (let i = 0; i < n; i += 1) {
    const value = key(rows[i] as number);
    keys[i] = value === value ? sign * value || 0 : Infinity;
  }
  // Sixteen bits at a time, from the lowest: stable, and as fast as reading.
  const halves = new Uint16Array(keys.buffer);
  for (let i = 3; i < halves.length; i += 4) {
    const high = halves[i]!;
    if (high & 0x8000) for (let k = 0; k < 4; k += 1) halves[i - k] = ~halves[i - k]!;
    else halves[i] = high | 0x8000;
  }
  let order = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) order[i] = i;
  let other = new Uint32Array(n);
  const starts = new Uint32Array(65537);
  for (let digit = 0; digit < 4; digit += 1) {
    starts.fill(0);
    for (let i = digit; i < halves.length; i += 4) starts[halves[i]! + 1]! += 1;
    if (starts[(halves[digit] ?? 0) + 1] === n) continue;
    for (let value = 0; value < 65536; value += 1) starts[value + 1]! += starts[value]!;
    for (let i = 0; i < n; i += 1) {
      const at = order[i]!;
      other[starts[halves[4 * at + digit]!]!++] = at;
    }
    [order, other] = [other, order];
  }
  for (let i = 0; i < n; i += 1) other[i] = rows[order[i]!]!;
  return other;
}

/** Browsers limit how tall an element is. */
const TALLEST = 8_000_000;

/** How tall a table of rows is made, and how many pixels of rows one of the scroll bar stands for: at its end is the last row. */
export function scrolling(full: number, height: number): { tall: number; ratio: number } {
  if (full <= TALLEST) return { tall: full, ratio: 1 };
  return { tall: TALLEST, ratio: (full - height) / (TALLEST - height) };
}

export interface Tally {
  better: number;
  equal: number;
  worse: number;
  undefined: number;
}

export function tally(rows: Uint32Array, scores: Scores): Tally {
  const result = { better: 0, equal: 0, worse: 0, undefined: 0 };
  rows.forEach((row) => {
    const gap = delta(scores, row);
    if (gap > 0) result.better += 1;
    else if (gap < 0) result.worse += 1;
    else if (gap === 0) result.equal += 1;
    else if (relates(scores, row, "equal")) result.equal += 1;
    else result.undefined += 1;
  });
  return result;
}

/** Counts in equal steps between two ends. */
export function histogram(rows: Uint32Array, key: (row: number) => number, low: number, high: number, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  const span = high - low || 1;
  rows.forEach((row) => {
    const value = key(row);
    if (Number.isNaN(value)) return;
    const place = Math.max(0, Math.min(bins - 1, Math.floor(((value - low) / span) * bins)));
    counts[place] = (counts[place] ?? 0) + 1;
  });
  return counts;
}

/** Row numbers from their distances. */
export function fromGaps(gaps: Uint32Array, n: number): Uint8Array {
  const set = new Uint8Array(n);
  let row = 0;
  gaps.forEach((gap) => {
    row += gap;
    set[row] = 1;
  });
  return set;
}

/** Which items of a block have the words: their places. */
export function found(text: string, ends: Uint32Array, words: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; ) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    places.push(low);
    at = text.indexOf(words, ends[low]);
  }
  return places;
}

/** The ends of a plot of items: those of all scores, to the next twentieth of the scale. */
export function spanOf(columns: (ArrayLike<number> | null)[], scale: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of columns) {
    for (let row = 0; row < (values?.length ?? 0); row += 1) {
      const value = values![row]!;
      if (value < low) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  if (low > high) return [0, scale];
  const step = scale / 20;
  low = Math.floor(low / step);
  high = Math.ceil(high / step);
  if (low === high) high ? (low -= 1) : (high = 1);
  return [low * step, high * step];
}
