// Which stretches of a text are marked, and how. Pure functions.

/** A mark is six numbers: kind, reference, begin and end in gold, begin and end in the output. */
export const STRIDE = 6;

export interface Stretch {
  from: number;
  to: number;
  /** -1: nothing is said of it. */
  kind: number;
  /** Which mark it comes from, so that partners can be found. */
  mark: number;
}

export type Side = "gold" | "system";

const MATCHED = 0;
const MISSING = 1;
const SURPLUS = 2;
const CLIPPED = 5;

/** The stretches of a text from its beginning to its end; empty ones are places where words lack. */
export function stretches(text: string, marks: number[], side: Side, reference: (ref: number) => boolean): Stretch[] {
  const at = side === "gold" ? 2 : 4;
  const spans: Stretch[] = [];
  for (let i = 0; i + STRIDE <= marks.length; i += STRIDE) {
    if (!reference(marks[i + 1] as number)) continue;
    const from = marks[i + at] as number;
    const to = marks[i + at + 1] as number;
    if (from < 0 || to < from || to > text.length) continue;
    spans.push({ from, to, kind: marks[i] as number, mark: i / STRIDE });
  }
  spans.sort((a, b) => a.from - b.from || a.to - b.to || strength(b.kind) - strength(a.kind));
  const result: Stretch[] = [];
  let place = 0;
  for (const span of spans) {
    if (span.from < place) {
      // The same stretch in another reference: what counts there counts.
      const last = result.at(-1);
      if (last && last.from === span.from && last.to === span.to && strength(span.kind) > strength(last.kind)) {
        last.kind = span.kind;
        last.mark = span.mark;
      }
      continue;
    }
    if (span.from === span.to && result.at(-1)?.to === span.from && result.at(-1)?.from === span.from) continue;
    if (span.from > place) result.push({ from: place, to: span.from, kind: -1, mark: -1 });
    result.push({ ...span });
    place = span.to;
  }
  if (place < text.length) result.push({ from: place, to: text.length, kind: -1, mark: -1 });
  return result;
}

function strength(kind: number): number {
  return kind === MATCHED ? 2 : kind === CLIPPED ? 0 : 1;
}

/** An error that was chosen: what gold has, and what the system has instead. */
export interface Sought {
  part?: string;
  kind: number;
  gold: string;
  system: string;
}

export const squashed = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, "").toLowerCase();

/** Whether something is one of the errors that were chosen. */
export const isSought = (all: Sought[], kind: number, gold: string | null | undefined, system: string | null | undefined): boolean =>
  all.some((each) => each.kind === kind && (kind === SURPLUS || squashed(each.gold) === squashed(gold)) && (kind === MISSING || squashed(each.system) === squashed(system)));

/** The marks of texts that are about such errors, by what they cover or what they are called. */
export function soughtMarks(golds: string[], system: string, marks: number[], labels: string[], all: Sought[]): number[] {
  const found: number[] = [];
  for (let i = 0; all.length && i + STRIDE <= marks.length; i += STRIDE) {
    const [kind, reference, ...ends] = marks.slice(i, i + STRIDE) as [number, number, number, number, number, number];
    const name = labels[i / STRIDE];
    const isNamed = (each: Sought): boolean => each.kind === kind && [each.gold, each.system, `${each.gold} → ${each.system}`].includes(name ?? "");
    if (name ? all.some(isNamed) : isSought(all, kind, golds[reference]?.slice(ends[0], ends[1]), system.slice(ends[2], ends[3]))) found.push(i / STRIDE);
  }
  return found;
}
