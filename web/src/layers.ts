// Two graphs laid over each other, drawn as karat/drawing/layers.py and overlays.py draw them.
import type { Line, Overlay } from "./contract";
import { backEdges, bent, most, ordered, placeAcross, placeDown, ranksOf, type Ends, type Place } from "./layering";
import { arrowHead, at, FAINT, group, label, nothing, shortened, styleOf, tag, textWidth, WORDS, type Figure, type Shape } from "./svg";

const SIZE = 13;
const SMALL = 11;
const LABEL_ROW = 20;
/** How long the arrow to a top is. */
const TOP = 22;
const LONGEST = 48;
type Node = Overlay[0][number];
type Arrow = Overlay[1][number];
type Point = [x: number, y: number];

export const lineText = ([text, kind]: Line): string => shortened(styleOf(kind)[2] + text, LONGEST);
const isBold = (line: Line): boolean => line[2] === "label";
const isMono = (line: Line): boolean => line[2] === "words" || line[2] === "anchor";
const sizeOf = (line: Line): number => (isBold(line) ? SIZE : SMALL);
const colorOf = (line: Line): string => (line[1] ? styleOf(line[1])[0] : line[2] === "label" ? styleOf(0)[0] : line[2] === "words" ? WORDS : FAINT);

/** What is written at an arrow, each with its colour. */
const textsOf = ([, , kind, name, notes]: Arrow): [string, string][] =>
  [...(name ? ([[name, kind, ""]] as Line[]) : []), ...notes].map((line): [string, string] => [lineText(line), styleOf(line[1])[0]]).filter(([text]) => text);
const widthOf = (arrow: Arrow): number => textWidth(textsOf(arrow).map(([text]) => text).join(" "), SMALL);

function extent([, lines]: Node): [number, number] {
  if (!lines.length) return [14, 14];
  const wide = Math.max(...lines.map((line) => textWidth(lineText(line), sizeOf(line), isBold(line), isMono(line)))) + 18;
  return [wide, lines.reduce((sum, line) => sum + sizeOf(line) + 3, 0) + 10];
}

/** Names of classes for nodes and arrows, so that a page may switch them. */
export type Names = (what: 0 | 1, place: number) => string;

export function overlayFigure([nodes, all, , reading]: Overlay, names: Names = () => ""): Figure {
  if (!nodes.length) return nothing();
  const loops = all.map((arrow, i) => ({ arrow, i })).filter(({ arrow }) => arrow[0] === arrow[1]);
  const edges = all.map((arrow, i) => ({ arrow, i })).filter(({ arrow }) => arrow[0] !== arrow[1]);
  const ends = edges.map(({ arrow }): Ends => [arrow[0], arrow[1]]);
  const turned = backEdges(nodes.length, ends, nodes.flatMap((node, i) => (node[2] >= 0 ? [i] : [])));
  const down = ends.map(([source, target], i): Ends => (turned.has(i) ? [target, source] : [source, target]));
  const ranks = ranksOf(nodes.length, down);
  const places = nodes.map((node, i): Place => {
    const [width, height] = extent(node);
    return { rank: 2 * ranks[i]!, width, height, bend: false, x: 0, y: 0 };
  });
  const beside = nodes.flatMap((node, i): [number, number][] => (node[2] >= 0 ? [[i, TOP]] : []));
  for (const [i, room] of [...beside, ...loops.map(({ arrow }): [number, number] => [arrow[0], widthOf(arrow) + 26])]) {
    const place = places[i]!;
    place.box = extent(nodes[i]!)[0];
    place.width = Math.max(place.width, place.box + 2 * room);
  }
  const links: Ends[] = [];
  const everywhere = bent(down.map(([source, target]) => places[target]!.rank - places[source]!.rank - 1));
  // Each edge is a chain of places, one of which is as wide as its label.
  const chains = edges.map(({ arrow }, e) => {
    const [source, target] = down[e]!;
    const [first, last] = [places[source]!.rank, places[target]!.rank];
    const labelRank = last - first <= 2 ? last - 1 : first + 1;
    const chain = [source];
    for (let rank = first + 1; rank < last; rank = everywhere.has(e) || rank === last - 1 ? rank + 1 : last - 1) {
      places.push({ rank, width: rank === labelRank ? widthOf(arrow) + 8 : 4, height: rank % 2 ? LABEL_ROW : 4, bend: true, x: 0, y: 0 });
      chain.push(places.length - 1);
    }
    chain.push(target);
    chain.slice(1).forEach((next, k) => links.push([chain[k]!, next]));
    return chain;
  });
  const layers = ordered(places, links, reading);
  placeAcross(places, links, layers);
  const height = placeDown(places, layers);
  const parts = chains.flatMap((chain, e) => group(edge(edges[e]!.arrow, turned.has(e), chain.map((i) => places[i]!)), names(1, edges[e]!.i)));
  const own = nodes.map((): typeof loops => []);
  for (const loop of loops) own[loop.arrow[0]]!.push(loop);
  nodes.forEach((node, i) => {
    parts.push(...group(box(node, places[i]!), names(0, i)));
    own[i]!.forEach((loop, k, all) => parts.push(...group(around(loop.arrow, places[i]!, extent(node)[0], k - (all.length - 1) / 2), names(1, loop.i))));
  });
  return { parts, width: most(places.map((place) => place.x + place.width / 2)) + 12, height };
}

/** A smooth line through the places of a chain, and the label at its own. */
function edge(arrow: Arrow, turned: boolean, chain: Place[]): Shape[] {
  const [color, dash] = styleOf(arrow[2]);
  const [upper, lower] = [chain[0]!, chain.at(-1)!];
  const points: Point[] = chain.slice(1, -1).flatMap((place): Point[] =>
    place.rank % 2
      ? [[place.x, place.y]]
      : [
          [place.x, place.y - place.height / 2],
          [place.x, place.y + place.height / 2],
        ],
  );
  points.unshift([leave(upper, points[0]![0]), upper.y + upper.height / 2]);
  points.push([leave(lower, points.at(-1)![0]), lower.y - lower.height / 2]);
  const parts: Shape[] = [tag("path", { d: smooth(points), fill: "none", stroke: color, "stroke-dasharray": dash })];
  if (arrow[5]) {
    const [end, before] = turned ? [points[0]!, points[1]!] : [points.at(-1)!, points.at(-2)!];
    parts.push(arrowHead(end[0], end[1], end[0] - before[0], end[1] - before[1], color));
  }
  const texts = textsOf(arrow);
  if (!texts.length) return parts;
  const place = chain.slice(1, -1).reduce((widest, each) => (each.width > widest.width ? each : widest));
  if (texts.length === 1) return [...parts, ...label(place.x, place.y + 4, texts[0]![0], { size: SMALL, color: texts[0]![1], backed: true })];
  return [...parts, ...row(texts, place.x - widthOf(arrow) / 2, place.y + 4, true)];
}

function row(texts: [string, string][], x: number, y: number, backed: boolean): Shape[] {
  let from = x;
  return texts.flatMap(([text, color]) => {
    const parts = label(from, y, text, { size: SMALL, color, start: true, backed });
    from += textWidth(`${text} `, SMALL);
    return parts;
  });
}

/** A line through all points, from above to below, that never swings out beyond them: a label at one of them lies on it. */
function smooth(points: Point[]): string {
  const slopes = points.slice(1).map(([x, y], i) => (x - points[i]![0]) / (y - points[i]![1] || 1));
  const slope = (i: number): number => {
    const [before, after] = [slopes[i - 1] ?? slopes[i]!, slopes[i] ?? slopes[i - 1]!];
    return before * after > 0 ? (2 * before * after) / (before + after) : 0;
  };
  let path = `M${at(points[0]![0])},${at(points[0]![1])}`;
  points.slice(1).forEach(([x, y], i) => {
    const [from, above] = points[i]!;
    const third = (y - above) / 3;
    path += ` C${at(from + slope(i) * third)},${at(above + third)} ${at(x - slope(i + 1) * third)},${at(y - third)} ${at(x)},${at(y)}`;
  });
  return path;
}

/** The x at which a line leaves a box: shifted a little towards its target. */
function leave(place: Place, towards: number): number {
  const room = Math.max((place.box ?? place.width) / 2 - 8, 0);
  return place.x + Math.max(-room, Math.min(room, (towards - place.x) * 0.35));
}

function box(node: Node, place: Place): Shape[] {
  const [kind, lines, top] = node;
  const [stroke, dash, , soft] = styleOf(kind);
  const [wide, tall] = extent(node);
  const upper = place.y - tall / 2;
  const parts: Shape[] = [
    lines.length
      ? tag("rect", { x: place.x - wide / 2, y: upper, width: wide, height: tall, rx: 7, fill: soft, stroke, "stroke-dasharray": dash })
      : tag("circle", { cx: place.x, cy: place.y, r: 5, fill: dash ? styleOf(0)[3] : stroke, stroke, "stroke-dasharray": dash }),
  ];
  let y = upper + 6;
  for (const line of lines) {
    y += sizeOf(line) + 3;
    parts.push(...label(place.x, y - 3.5, lineText(line), { size: sizeOf(line), bold: isBold(line), mono: isMono(line), color: colorOf(line) }));
  }
  if (top >= 0) {
    const [color, broken] = styleOf(top);
    // From the left, where no edge arrives.
    const left = place.x - wide / 2;
    parts.push(tag("path", { d: `M${at(left - TOP)},${at(place.y)} h${TOP - 7}`, stroke: color, "stroke-width": 2, "stroke-dasharray": broken }), arrowHead(left, place.y, 1, 0, color, 8));
  }
  return parts;
}

/** An edge from a box to itself; several stand below each other. */
function around(arrow: Arrow, place: Place, wide: number, number: number): Shape[] {
  const [color, dash] = styleOf(arrow[2]);
  const [x, y] = [place.x + wide / 2, place.y - 6 + 14 * number];
  const parts: Shape[] = [tag("path", { d: `M${at(x)},${at(y)} c24,-16 24,26 0,12`, fill: "none", stroke: color, "stroke-dasharray": dash })];
  if (arrow[5]) parts.push(arrowHead(x, y + 12, -2, -1, color, 6));
  return [...parts, ...row(textsOf(arrow), x + 21, y + 9, false)];
}
