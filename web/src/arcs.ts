// Arcs over words, gold's above and a system's below, drawn as karat/drawing/arcs.py draws them; labels keep clear of lines, too.
import type { Arc, Arcs } from "./contract";
import { most } from "./layering";
import { arrowHead, at, CHANGED, FAINT, group, label, nothing, shortened, styleOf, tag, textWidth, type Figure, type Shape } from "./svg";

const STEP = 26;
const GAP = 18;
const SIZE = 14;
const SMALL = 11;
const MARGIN = 14;
/** How many places on each side of its middle are tried for a label, three pixels apart. */
const TRIES = 100;

interface Word {
  form: string;
  color: string;
  notes: [text: string, color: string][];
}
interface Drawn {
  source: number;
  target: number;
  label: string;
  color: string;
  dash: string;
  /** Its place in the contract. */
  i: number;
}
/** Names of classes for arcs of gold (2) and of the system (3), so that a page may switch them. */
export type Names = (what: 2 | 3, place: number) => string;

export function arcsFigure(gold: Arcs, system: Arcs | null, names: Names = () => ""): Figure {
  const words = gold[1].map(([form, below, kind, note], i): Word => {
    const other = system?.[1][i];
    const notes: Word["notes"] = [];
    if (other && other[1].join("\n") !== below.join("\n")) notes.push([shortened(`${below.join(" ")} → ${other[1].join(" ")}`), CHANGED]);
    else notes.push(...below.map((each): [string, string] => [shortened(each), FAINT]));
    const same = other?.[3] === note;
    const say = (text: string, of: number, alone: number): void => {
      const [color, , sign] = styleOf(of || (!other || same ? 3 : alone));
      notes.push([shortened(sign + text), color]);
    };
    if (note && !same) say(note, kind, 1);
    if (other?.[3]) say(other[3], other[2], 2);
    const own = kind && other?.[2] && kind !== other[2] ? 3 : other?.[2] || kind;
    return { form: shortened(form), color: styleOf(own)[0], notes };
  });
  if (!words.length) return nothing();
  const above = drawn(gold[2], system !== null);
  const below = system ? drawn(system[2], true) : [];
  const x = positions(words, [...above, ...below]);
  const height = depth(above) + 34;
  const parts = side(words, above, x, height - 20, 16, (i) => names(2, i));
  const lines = most(words.map(({ notes }) => notes.length));
  let bottom = height + 10 + lines * 14;
  if (system) {
    bottom += depth(below) + 26;
    parts.push(...side(words, below, x, height + 14 + lines * 14, bottom - 16, (i) => names(3, i)));
  }
  words.forEach(({ form, color, notes }, i) => {
    parts.push(...label(x[i]!, height, form, { size: SIZE, color }));
    notes.forEach(([text, tone], k) => parts.push(...label(x[i]!, height + 2 + (k + 1) * 14, text, { size: SMALL, color: tone })));
  });
  const loops = [...above, ...below].filter((arc) => arc.source === arc.target);
  const right = most([...words.map((word, i) => x[i]! + half(word)), ...loops.map((arc) => x[arc.source]! + textWidth(arc.label, SMALL) + 44)]);
  return { parts, width: right + MARGIN, height: bottom };
}

function drawn(arcs: Arc[], compared: boolean): Drawn[] {
  return arcs.map(([source, target, name, kind], i) => {
    const [color, dash, sign] = styleOf(kind);
    return { source, target, label: name ? shortened(sign + name) : "", color: compared && !kind ? FAINT : color, dash, i };
  });
}

const half = ({ form, notes }: Word): number => Math.max(textWidth(form, SIZE), ...notes.map(([text]) => textWidth(text, SMALL))) / 2;
const isRoot = (arc: Drawn): boolean => arc.source < 0;

/** The middles of words far enough apart for each other and for the labels between them. */
function positions(words: Word[], arcs: Drawn[]): number[] {
  const x: number[] = [];
  const loops = new Map(arcs.filter((arc) => arc.source === arc.target).map((arc) => [arc.source, arc]));
  const ending = words.map((): Drawn[] => []);
  for (const arc of arcs) ending[Math.max(arc.source, arc.target)]!.push(arc);
  words.forEach((word, i) => {
    let place = i ? x[i - 1]! + half(words[i - 1]!) + GAP + half(word) : MARGIN + half(word);
    const loop = loops.get(i - 1);
    if (loop) place = Math.max(place, x[i - 1]! + textWidth(loop.label, SMALL) + 44 + half(word));
    for (const arc of ending[i]!) {
      const wide = textWidth(arc.label, SMALL);
      const first = Math.min(arc.source, arc.target);
      if (isRoot(arc)) place = Math.max(place, MARGIN + wide / 2);
      else if (first < i) place = Math.max(place, x[first]! + wide + 34);
    }
    x.push(place);
  });
  return x;
}

/** The lowest free level for each arc, short ones first; roots have none. */
function levelsOf(arcs: Drawn[]): number[] {
  const levels = arcs.map(() => 0);
  // The highest level so far at each word and, between these, at each gap between words.
  const highest: number[] = new Array<number>(2 * most(arcs.map((arc) => Math.max(arc.source, arc.target)), 0) + 1).fill(0);
  const span = (i: number): number => Math.abs(arcs[i]!.source - arcs[i]!.target);
  const order = arcs.map((_, i) => i).filter((i) => !isRoot(arcs[i]!));
  order.sort((a, b) => span(a) - span(b) || a - b);
  for (const i of order) {
    const low = Math.min(arcs[i]!.source, arcs[i]!.target);
    const high = Math.max(arcs[i]!.source, arcs[i]!.target);
    // An arc goes above all that it spans, and shares a level only with arcs apart from it.
    const [from, to] = low < high ? [2 * low + 1, 2 * high] : [2 * low, 2 * low + 1];
    let level = 0;
    for (let k = from; k < to; k += 1) level = Math.max(level, highest[k]!);
    highest.fill(level + 1, from, to);
    levels[i] = level + 1;
  }
  return levels;
}

const depth = (arcs: Drawn[]): number => most(levelsOf(arcs), 0) * STEP + (arcs.some(isRoot) ? STEP : 0);

/** The ends of each arc at its words, side by side so that lines do not coincide. */
function ports(words: Word[], arcs: Drawn[], x: number[]): [number, number][] {
  type End = { side: number; far: number; arc: number; end: 0 | 1 };
  const ends: End[][] = words.map(() => []);
  const last = arcs.length;
  arcs.forEach((arc, i) => {
    const add = (here: number, there: number, end: 0 | 1): void => {
      const way = Math.sign(there - here);
      ends[here]!.push({ side: way, far: way < 0 ? Math.abs(there - here) : -Math.abs(there - here), arc: i, end });
    };
    // Roots count after all arcs.
    if (isRoot(arc)) ends[arc.target]!.push({ side: 0, far: 0, arc: last + i, end: 0 });
    else {
      add(arc.source, arc.target, 0);
      add(arc.target, arc.source, 1);
    }
  });
  const found = arcs.map((): [number, number] => [0, 0]);
  ends.forEach((here, word) => {
    here.sort((a, b) => a.side - b.side || a.far - b.far || a.arc - b.arc || a.end - b.end);
    const step = Math.min(9, (Math.max(2 * half(words[word]!), 16) * 0.9) / Math.max(here.length, 1));
    here.forEach(({ arc, end }, k) => {
      found[arc % last]![end] = x[word]! + (k - (here.length - 1) / 2) * step;
    });
  });
  return found;
}

/** The arcs on one side of the words, which end at `base`; roots come from `far`. */
function side(words: Word[], arcs: Drawn[], x: number[], base: number, far: number, name: (i: number) => string): Shape[] {
  const levels = levelsOf(arcs);
  const places = ports(words, arcs, x);
  const way = far < base ? 1 : -1;
  // Roots are drawn first, then high arcs: the labels of low ones lie over their lines.
  const height = (k: number): number => (isRoot(arcs[k]!) ? Infinity : levels[k]!);
  const order = [...arcs.keys()].sort((a, b) => (height(a) === height(b) ? a - b : height(b) - height(a)));
  // Lines that come down through the height of an arc, from left to right: its label keeps clear.
  const lines: number[] = [];
  const parts: Shape[] = [];
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && height(order[to]!) === height(order[from]!)) to += 1;
    const here = order.slice(from, to);
    for (const k of here) {
      const arc = arcs[k]!;
      parts.push(...group(isRoot(arc) ? root(arc, places[k]![0], base, far, way) : curve(arc, places[k]!, base - way * (4 + levels[k]! * STEP), base, way, lines), name(arc.i)));
    }
    for (const k of here) for (const x of places[k]!.slice(0, isRoot(arcs[k]!) ? 1 : 2)) lines.splice(firstFrom(lines, x), 0, x);
  }
  return parts;
}

/** Where the first number stands, in order, that is not below another. */
function firstFrom(numbers: number[], x: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place nearest to the middle of an arc where its label covers none of the lines. */
function clear([begin, end]: number[], wide: number, lines: number[]): number {
  const middle = (begin! + end!) / 2;
  const room = Math.abs(end! - begin!) / 2 - wide / 2 - 6;
  for (let step = 0; step <= room && step < 3 * TRIES; step += 3) {
    for (const x of [middle - step, middle + step]) {
      const after = firstFrom(lines, x);
      if (lines.slice(Math.max(after - 1, 0), after + 1).every((line) => Math.abs(line - x) > wide / 2 + 3)) return x;
    }
  }
  return middle;
}

function curve(arc: Drawn, [from, to]: [number, number], top: number, base: number, way: number, lines: number[]): Shape[] {
  const loop = arc.source === arc.target;
  let [begin, end] = [from, to];
  let path: string;
  if (loop) {
    begin = Math.max(from, to);
    end = begin + 8;
    path = `M${at(begin)},${at(base)} C${at(begin)},${at(base - way * 26)} ${at(end + 24)},${at(base - way * 22)} ${at(end)},${at(base)}`;
  } else {
    const bend = Math.min(8, Math.abs(end - begin) / 2);
    const turn = end > begin ? bend : -bend;
    path = `M${at(begin)},${at(base)} V${at(top + way * bend)} Q${at(begin)},${at(top)} ${at(begin + turn)},${at(top)} H${at(end - turn)} Q${at(end)},${at(top)} ${at(end)},${at(top + way * bend)} V${at(base)}`;
  }
  const [dx, dy] = loop ? [-3, 4 * way] : [0, way];
  const parts: Shape[] = [tag("path", { d: path, fill: "none", stroke: arc.color, "stroke-dasharray": arc.dash }), arrowHead(end, base + way, dx, dy, arc.color, 6)];
  if (arc.label) parts.push(...label(loop ? end + 20 : clear([begin, end], textWidth(arc.label, SMALL), lines), loop ? base - way * 12 : top + 3.5, arc.label, { size: SMALL, color: arc.color, start: loop, backed: true }));
  return parts;
}

function root(arc: Drawn, x: number, base: number, far: number, way: number): Shape[] {
  return [
    tag("line", { x1: x, y1: far, x2: x, y2: base - way, stroke: arc.color, "stroke-dasharray": arc.dash }),
    arrowHead(x, base, 0, way, arc.color),
    ...label(x, way > 0 ? far - 3 : far + 11, arc.label, { size: SMALL, color: arc.color, backed: true }),
  ];
}
