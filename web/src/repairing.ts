// An output with some of its edits applied: what a drawing shows when they are switched on. Pure.
import type { Arcs, Edit, Item, Line, Overlay } from "./contract";
import { squashed, STRIDE } from "./marks";

const [MATCHED, MISSING, SURPLUS, CHANGED] = [0, 1, 2, 3];
// What parts of edits are about: a whole node or arrow, what gold and the system have at a node; at an arrow more.
const [NODE, ARROW, MARK, GOLD, SYSTEM, TO_ARROW] = [0, 1, 4, 5, 6, 2];

type Places = Map<string, Edit>;

function placesOf(edits: Edit[]): Places {
  return new Map(edits.flatMap((edit) => edit[5].map((part): [string, Edit] => [part.join(), edit])));
}

/** What is left of a text once gold's half of it is there, and the system's half is gone. */
function fixedLine([text, kind, look]: Line, gold: boolean, system: boolean): Line[] {
  if (kind === MISSING) return [[text, gold ? MATCHED : MISSING, look]];
  if (kind === SURPLUS) return system ? [] : [[text, SURPLUS, look]];
  if (kind !== CHANGED || !(gold || system)) return [[text, kind, look]];
  const [theirs = "", ...ours] = text.split(" → ");
  return [[theirs, gold ? MATCHED : MISSING, look], ...(system ? [] : ([[ours.join(" → "), SURPLUS, look]] as Line[]))];
}

/** Two graphs laid over each other, after the edits. */
export function repairedOverlay(overlay: Overlay, edits: Edit[]): Overlay {
  const places = placesOf(edits);
  const has = (...place: number[]): boolean => places.has(place.join());
  // A part switches as a whole, or what either side has of it does.
  const fixed = (line: Line, all: boolean, side: number, place: number, k: number): Line[] => fixedLine(line, all || has(GOLD + side, place, k), all || has(SYSTEM + side, place, k));
  const names: number[] = [];
  const nodes: Overlay[0] = [];
  overlay[0].forEach(([kind, lines, top], i) => {
    const all = has(NODE, i, -1);
    const gone = all && kind === SURPLUS;
    names.push(gone ? -1 : nodes.length);
    if (gone) return;
    const tops = top < 0 ? [] : fixed(["", top, "top"], all, 0, i, -1);
    nodes.push([all ? MATCHED : kind, lines.flatMap((line, k) => fixed(line, all || has(NODE, i, k), 0, i, k)), tops[0]?.[1] ?? -1]);
  });
  const arrows = overlay[1].flatMap((arrow, i): Overlay[1] => {
    const [source, target] = [names[arrow[0]]!, names[arrow[1]]!];
    if (source < 0 || target < 0) return [];
    const all = has(ARROW, i, -1);
    const notes = arrow[4].flatMap((note, k) => fixed(note, all, TO_ARROW, i, k));
    const lines = fixed([arrow[3], arrow[2], ""], all, TO_ARROW, i, -1);
    return lines.map(([label, kind], k) => [source, target, kind, label, k ? [] : notes, arrow[5]]);
  });
  return [nodes, arrows, overlay[2], overlay[3].flatMap((node) => (names[node]! < 0 ? [] : names[node]!))];
}

type Content = Item[1][number] | null | undefined;

/** What a mark covers in a text, or the term it is about. */
const coveredBy = (content: Content, from: number, to: number): string =>
  squashed(content?.[0] === "form" ? content[1][from] : content?.[0] === "text" || content?.[0] === "raw" ? content[1].slice(from, to) : "");

/** Edits with the marks that they are about, in the layer that has most of them: each the first mark that covers what the edit names. */
export function withMarks(edits: Edit[], gold: Content, system: Content, layers: Record<string, number[]>): [layer: string, edits: Edit[]] {
  let best: [string, Edit[], number] = ["", edits, 0];
  if (edits.some((edit) => edit[5].length)) return ["", edits];
  for (const [layer, marks] of Object.entries(layers)) {
    const free = new Set(Array.from({ length: marks.length / STRIDE }, (_, i) => i));
    // A pointer into a document stands before its value.
    const isAbout = (text: string, covered: string): boolean => !text || squashed(text) === covered || (gold?.[0] === "raw" && covered !== "" && squashed(text).endsWith(covered));
    const placed = edits.map((edit): Edit => {
      const [kind, name, ours, theirs, gain] = edit;
      const wanted = ours && theirs ? CHANGED : ours ? SURPLUS : MISSING;
      for (const i of free) {
        const [of, , ...ends] = marks.slice(i * STRIDE, (i + 1) * STRIDE) as [number, number, number, number, number, number];
        if (of !== wanted || !isAbout(theirs, coveredBy(gold, ends[0], ends[1])) || !isAbout(ours, coveredBy(system, ends[2], ends[3]))) continue;
        free.delete(i);
        return [kind, name, ours, theirs, gain, [[MARK, i, -1]]];
      }
      // Names that are changed throughout are an edit of the whole form.
      const all = [...free].filter((i) => squashed(theirs).includes(coveredBy(gold, marks[i * STRIDE + 2]!, -1) || "?"));
      return gold?.[0] === "form" && edits.length === 1 ? [kind, name, ours, theirs, gain, all.map((i) => [MARK, i, -1])] : edit;
    });
    const found = placed.filter((edit) => edit[5].length).length;
    if (found > best[2]) best = [layer, placed, found];
  }
  return [best[0], best[1]];
}

const marksOf = (made: Edit[]): Set<number> => new Set(made.flatMap((edit) => edit[5].flatMap(([what, place]) => (what === MARK ? place : []))));

/** The marks that are left after the edits; terms without any are those of gold. */
export function repairedMarks(marks: number[], made: Edit[]): number[] {
  const done = marksOf(made);
  return marks.filter((_, i) => !done.has(Math.floor(i / STRIDE)));
}

/** A text after the edits, and where the marks then are; those of edits that were made stay, as matched. */
export function repairedText(gold: string, system: string, marks: number[], made: Edit[]): [string, number[]] {
  const done = marksOf(made);
  const moved = [...marks];
  let text = system;
  // From the end, so that what comes before stays where it is.
  const order = [...done].filter((i) => marks[i * STRIDE + 4]! >= 0).sort((a, b) => marks[b * STRIDE + 4]! - marks[a * STRIDE + 4]! || b - a);
  for (const i of order) {
    const [, , g, h, from, to] = marks.slice(i * STRIDE, (i + 1) * STRIDE) as [number, number, number, number, number, number];
    let put = g < 0 ? "" : gold.slice(g, h);
    const [before, after] = [text.slice(0, from), text.slice(to)];
    // A word that is put in or taken out takes a space with it.
    const lead = put && from === to && /\S$/.test(before) ? " " : "";
    const tail = put && from === to && /^\S/.test(after) ? " " : "";
    const end = !put && /^\s/.test(after) && !/\S$/.test(before) ? to + 1 : to;
    const shift = lead.length + put.length + tail.length - (end - from);
    text = before + lead + put + tail + text.slice(end);
    for (let k = 0; k < moved.length; k += STRIDE) {
      for (const side of [4, 5]) if (moved[k + side]! >= to && k / STRIDE !== i && !(moved[k + side] === to && from === to && k / STRIDE < i)) moved[k + side]! += shift;
    }
    moved.splice(i * STRIDE, STRIDE, MATCHED, 0, g, h, put ? from + lead.length : -1, put ? from + lead.length + put.length : -1);
  }
  return [text, moved];
}

/** Whether two drawings are over the same words, so that their arcs can be compared. */
export function sameWords(gold: Arcs, system: Arcs): boolean {
  return gold[1].length === system[1].length && gold[1].every((word, i) => word[0] === system[1][i]![0]);
}

/** Gold's arcs and the system's over the same words, after some of the edits: there the system has gold's arcs. */
export function repairedArcs(gold: Arcs, system: Arcs, edits: Edit[], made: Edit[]): [Arcs, Arcs] {
  const [done, left] = [placesOf(made), placesOf(edits.filter((each) => !made.includes(each)))];
  const isDone = (i: number): boolean => done.has(`2,${i},-1`);
  const words = (side: Arcs): Arcs[1] => side[1].map((word, i) => (isDone(i) && !left.has(`2,${i},-1`) ? [word[0], word[1], 0, ""] : word));
  const taken = gold[2].map((arc, i): Arcs[2][number] => (isDone(i) ? [arc[0], arc[1], arc[2], 0] : arc));
  const theirs = system[2].filter((_, i) => !done.has(`3,${i},-1`));
  return [
    ["arcs", words(gold), taken],
    ["arcs", words(system), [...theirs, ...taken.filter((_, i) => isDone(i))]],
  ];
}
