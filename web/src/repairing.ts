// An output with some of its edits applied: what a drawing shows when they are switched on. Pure.
import type { Arcs, Edit, Line, Overlay } from "./contract";

const [MATCHED, MISSING, SURPLUS, CHANGED] = [0, 1, 2, 3];
// What parts of edits are about: a whole node or arrow, what gold and the system have at a node; at an arrow more.
const [NODE, ARROW, GOLD, SYSTEM, TO_ARROW] = [0, 1, 5, 6, 2];

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
  return [nodes, arrows, overlay[2]];
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
