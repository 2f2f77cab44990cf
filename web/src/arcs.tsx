// Arcs over a row of words: gold above, the system below the same words.
import type { JSX } from "preact";
import { KINDS, type Arc, type Arcs } from "./contract";
import { visible } from "./format";

const STEP = 24;
const GAP = 16;
const WORD = 15;
const SMALL = 11;

let pen: CanvasRenderingContext2D | null = null;
export function widthOf(text: string, font: string): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return text.length * 8;
  pen.font = font;
  return pen.measureText(text).width;
}
const SANS = "ui-sans-serif, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";
const SERIF = "ui-serif, Georgia, 'Liberation Serif', serif";
const small = (text: string): number => widthOf(text, `${SMALL}px ${SANS}`);
const large = (text: string): number => widthOf(text, `${WORD}px ${SERIF}`);

/** The lowest free level of each arc, short ones first; levels[i] is 0 for arcs from above. */
export function levelsOf(arcs: Arc[]): number[] {
  const levels = arcs.map(() => 0);
  const taken: [number, number][][] = [];
  const order = arcs.map((_, i) => i).filter((i) => (arcs[i] as Arc)[0] >= 0);
  const span = (i: number): number => Math.abs((arcs[i] as Arc)[0] - (arcs[i] as Arc)[1]);
  order.sort((a, b) => span(a) - span(b) || a - b);
  for (const i of order) {
    const [source, target] = arcs[i] as Arc;
    const low = Math.min(source, target);
    const high = Math.max(source, target);
    let level = 0;
    taken.forEach((spans, number) => {
      if (spans.some(([a, b]) => (a < high && low < b) || (a === low && b === high))) level = number + 1;
    });
    (taken[level] ??= []).push([low, high]);
    levels[i] = level + 1;
  }
  return levels;
}

function positions(words: string[], belows: string[][], all: Arc[]): number[] {
  const half = words.map((word, i) => Math.max(large(word), ...(belows[i] ?? []).map(small)) / 2);
  const x: number[] = [];
  words.forEach((_, i) => {
    let at = i ? x[i - 1]! + half[i - 1]! + GAP + half[i]! : 10 + half[0]!;
    for (const [source, target, label] of all) {
      const low = Math.min(source, target);
      if (Math.max(source, target) === i && low >= 0 && low < i) at = Math.max(at, x[low]! + small(label) + 34);
      if (source < 0 && target === i) at = Math.max(at, small(label) / 2 + 6);
    }
    x.push(at);
  });
  return x;
}

/** Where arcs end at their words, side by side so that lines do not coincide. */
function ports(arcs: Arc[], x: number[], words: string[]): [number, number][] {
  const atWord: { rank: number; far: number; arc: number; end: 0 | 1 }[][] = words.map(() => []);
  arcs.forEach(([source, target], i) => {
    const add = (here: number, there: number, end: 0 | 1): void => {
      const side = there < 0 ? 0 : Math.sign(there - here);
      atWord[here]?.push({ rank: side, far: side < 0 ? Math.abs(there - here) : -Math.abs(there - here), arc: i, end });
    };
    if (source >= 0) add(source, target, 0);
    add(target, source, 1);
  });
  const found = arcs.map(() => [0, 0] as [number, number]);
  atWord.forEach((ends, word) => {
    ends.sort((a, b) => a.rank - b.rank || a.far - b.far || a.arc - b.arc);
    const room = Math.max(large(words[word] ?? ""), 16) * 0.9;
    const step = Math.min(9, room / Math.max(ends.length, 1));
    ends.forEach(({ arc, end }, k) => {
      found[arc]![end] = x[word]! + (k - (ends.length - 1) / 2) * step;
    });
  });
  return found;
}

function Side({ arcs, x, words, base, up, equalFaint }: { arcs: Arc[]; x: number[]; words: string[]; base: number; up: boolean; equalFaint: boolean }): JSX.Element {
  const levels = levelsOf(arcs);
  const ends = ports(arcs, x, words);
  const sign = up ? -1 : 1;
  const highest = Math.max(0, ...levels);
  const drawn = arcs.map(([source, , label, kind], i) => {
    const [begin, end] = ends[i]!;
    const name = KINDS[kind] ?? "matched";
    const top = base + sign * ((source < 0 ? highest + 1 : (levels[i] ?? 1)) * STEP + 4);
    let path: string;
    let middle: number;
    if (source < 0) {
      path = `M${end},${top} V${base}`;
      middle = end;
    } else {
      const bend = Math.min(9, Math.abs(end - begin) / 2);
      const way = end > begin ? bend : -bend;
      const turn = top - sign * bend;
      path = `M${begin},${base} V${turn} Q${begin},${top} ${begin + way},${top} H${end - way} Q${end},${top} ${end},${turn} V${base}`;
      middle = (begin + end) / 2;
    }
    const mark = kind === 1 ? "− " : kind === 2 ? "+ " : kind === 3 ? "~ " : "";
    const text = mark + visible(label);
    return (
      <g key={i} class={`arc ${name}${equalFaint ? " soften" : ""}`}>
        <path d={path} />
        <path class="tip" d={`M${end},${base} l-3.6,${sign * 7} h7.2 z`} />
        {text && (
          <>
            <rect class="backing" x={middle - small(text) / 2 - 2} y={top - 7 + (source < 0 ? sign * -1 : 0)} width={small(text) + 4} height="13" />
            <text x={middle} y={top + 4} text-anchor="middle">
              {text}
            </text>
          </>
        )}
      </g>
    );
  });
  // Arcs from above are drawn first: other arcs and their labels lie over them.
  return (
    <>
      {drawn.filter((_, i) => (arcs[i] as Arc)[0] < 0)}
      {drawn.filter((_, i) => (arcs[i] as Arc)[0] >= 0)}
    </>
  );
}

function depth(arcs: Arc[]): number {
  if (!arcs.length) return 0;
  return (Math.max(0, ...levelsOf(arcs)) + (arcs.some(([source]) => source < 0) ? 1 : 0)) * STEP + 14;
}

/** One tree, or gold and a system's over the same words. */
export function ArcDiagram({ gold, system, label }: { gold: Arcs | null; system: Arcs | null; label: string }): JSX.Element {
  const base = (gold ?? system)!;
  const words = base[1].map((word) => visible(word[0]));
  const tags = base[1].map((word, i) => {
    const other = system?.[1][i]?.[1] ?? [];
    return gold && system && other.join() !== word[1].join() ? [`${word[1].join(" ")} → ${other.join(" ")}`] : word[1];
  });
  const above = gold?.[2] ?? [];
  const below = system?.[2] ?? [];
  const x = positions(words, tags, [...above, ...below]);
  const top = depth(above) + 4;
  const lines = Math.max(0, ...tags.map((each) => each.length));
  const wordLine = top + 18;
  const bottom = wordLine + 6 + lines * 14 + 4;
  const height = bottom + depth(below) + 4;
  const width = Math.max(60, ...x.map((at, i) => at + Math.max(large(words[i] ?? ""), ...(tags[i] ?? []).map(small)) / 2 + 12));
  return (
    <div class="scroll drawing" tabIndex={0} role="region" aria-label={label}>
      <svg class="arcs" width={width} height={height} role="img" aria-label={label}>
        <Side arcs={above} x={x} words={words} base={top} up equalFaint={system !== null} />
        <Side arcs={below} x={x} words={words} base={bottom} up={false} equalFaint={gold !== null} />
        {words.map((word, i) => {
          const kind = system?.[1][i]?.[2] || gold?.[1][i]?.[2] || 0;
          return (
            <g key={i} class={`word ${KINDS[kind]}`}>
              <text class="form" x={x[i]} y={wordLine} text-anchor="middle">
                {word}
              </text>
              {tags[i]?.map((tag, k) => (
                <text key={k} class={`tag${tag.includes("→") ? " changed" : ""}`} x={x[i]} y={wordLine + 16 + k * 14} text-anchor="middle">
                  {visible(tag)}
                </text>
              ))}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
