// An output with some of its edits applied: what a drawing shows when they are switched on. Pure.
import type { Arcs, Edit, Line, Overlay } from "./contract";

const MISSING = 1;
const SURPLUS = 2;

type Places = Map<string, Edit>;

function placesOf(edits: Edit[]): Places {
  return new Map(edits.flatMap((edit) => edit[5].map((part): [string, Edit] => [part.join(), edit])));
}

/** A line as gold has it; none where gold has not. */
function fixedLine(line: Line, edit: Edit | undefined): Line[] {
  if (!edit || !line[1]) return [line];
  if (line[1] === SURPLUS) return [];
  return [[line[1] === MISSING ? line[0] : edit[3], 0, line[2]]];
}

/** Two graphs laid over each other, after the edits. */
export function repairedOverlay(overlay: Overlay, edits: Edit[]): Overlay {
  const places = placesOf(edits);
  const at = (what: number, place: number, line: number): Edit | undefined => places.get([what, place, line].join());
  const names: number[] = [];
  const nodes: Overlay[0] = [];
  overlay[0].forEach(([kind, lines, top], i) => {
    const edit = at(0, i, -1);
    names.push(nodes.length);
    if (edit && kind === SURPLUS) {
      names[i] = -1;
      return;
    }
    nodes.push([edit ? 0 : kind, lines.flatMap((line, k) => fixedLine(line, at(0, i, k) ?? edit)), edit && top > 0 ? (top === SURPLUS ? -1 : 0) : top]);
  });
  const arrows = overlay[1].flatMap((arrow, i): Overlay[1] => {
    const [source, target] = [names[arrow[0]]!, names[arrow[1]]!];
    const edit = at(1, i, -1);
    if (source < 0 || target < 0 || (edit && arrow[2] === SURPLUS)) return [];
    const notes = arrow[4].flatMap((note, k) => fixedLine(note, at(1, i, k)));
    if (!edit) return [[source, target, arrow[2], arrow[3], notes, arrow[5]]];
    return [[source, target, 0, arrow[2] === MISSING ? arrow[3] : edit[3], notes, arrow[5]]];
  });
  return [nodes, arrows, overlay[2]];
}

/** Gold's arcs and the system's, after the edits: the system has gold's in place of its own. */
export function repairedArcs(gold: Arcs, system: Arcs, edits: Edit[]): [Arcs, Arcs] {
  const places = placesOf(edits);
  const mine: Arcs[2] = gold[2].map((arc, i) => (places.has([2, i, -1].join()) ? [arc[0], arc[1], arc[2], 0] : arc));
  const taken = gold[2].flatMap((arc, i): Arcs[2] => (places.has([2, i, -1].join()) ? [[arc[0], arc[1], arc[2], 0]] : []));
  const theirs = system[2].filter((_, i) => !places.has([3, i, -1].join()));
  return [
    ["arcs", gold[1], mine],
    ["arcs", system[1], [...theirs, ...taken]],
  ];
}

/** Marks of a text without those of the edits. */
export function repairedMarks(marks: number[], edits: Edit[], stride: number): number[] {
  const places = placesOf(edits);
  return marks.filter((_, i) => !places.has([4, Math.floor(i / stride), -1].join()));
}
