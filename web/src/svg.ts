// Elements of drawings, as karat/drawing/svg.py makes them: the same widths, colours and signs.
import { h, type VNode } from "./dom";
import { plainFixed } from "./format";

export type Shape = VNode | null;

const INK = "#222222";
export const FAINT = "#767676";
const PAPER = "#FFFFFF";
const MISSING = "#A83A00";
const SURPLUS = "#0A5FA8";
export const CHANGED = "#8B2F74";
export const WORDS = "#0B6E63";
const MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace";
const FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif";
const LONGEST = 40;

/** How a difference looks: colour, broken line, sign, ground of a box. */
export type Style = [color: string, dash: string, sign: string, soft: string];

/** By kind. */
export const STYLES: Style[] = [
  [INK, "", "", PAPER],
  [MISSING, "5 3", "\u2212 ", "#FDEADF"],
  [SURPLUS, "2 3", "+ ", "#E1EFFB"],
  [CHANGED, "", "~ ", PAPER],
  [INK, "", "", PAPER],
  [INK, "", "", PAPER],
  [INK, "", "", PAPER],
  [WORDS, "", "", PAPER],
  [FAINT, "", "", PAPER],
];
export const styleOf = (kind: number): Style => STYLES[kind] ?? STYLES[0]!;

const SQUARE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** About how wide a text is; rather too wide than too narrow. */
export function textWidth(text: string, size: number, bold = false, mono = false): number {
  let total = 0;
  for (const mark of text) {
    if (mark > "\x7f" && /[\p{Mn}\p{Me}]/u.test(mark)) continue;
    if (mark > "\x7f" && SQUARE.test(mark)) total += 1;
    else if (mono) total += 0.61;
    else if ("iIljt.,:;'|!()[]{}f ‘’`".includes(mark)) total += 0.35;
    else if ("mMwW@%+~=→−…".includes(mark)) total += 0.95;
    else total += /\p{Uppercase}/u.test(mark) ? 0.74 : 0.62;
  }
  return total * size * (bold ? 1.11 : 1);
}

export function shortened(text: string, longest = LONGEST): string {
  const marks = [...text];
  return marks.length <= longest ? text : `${marks.slice(0, longest - 1).join("")}…`;
}

/** One decimal, as all coordinates have. */
export const at = (value: number): string => plainFixed(value, 1);
const plain = (value: number): string => at(value).replace(/\.0$/, "");

export function tag(name: string, attributes: Record<string, string | number | undefined>, ...children: (Shape | string)[]): VNode {
  const shown: Record<string, string> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== "") shown[key] = typeof value === "number" ? plain(value) : value;
  }
  return h(name, shown, ...children);
}

export interface Lettering {
  size: number;
  color?: string;
  start?: boolean;
  bold?: boolean;
  mono?: boolean;
  backed?: boolean;
}

/** A line of text; backed ones cover what lies below them. */
export function label(x: number, y: number, text: string, { size, color = INK, start = false, bold = false, mono = false, backed = false }: Lettering): Shape[] {
  const element = tag("text", { x, y, "font-size": size, fill: color, "text-anchor": start ? "" : "middle", "font-weight": bold ? "bold" : "", "font-family": mono ? MONO : "" }, text);
  if (!backed) return [element];
  const wide = textWidth(text, size, bold, mono) + 4;
  return [tag("rect", { x: start ? x - 2 : x - wide / 2, y: y - size * 0.85, width: wide, height: size * 1.1, fill: PAPER }), element];
}

export function arrowHead(x: number, y: number, dx: number, dy: number, color: string, size = 7): VNode {
  const length = Math.sqrt(dx * dx + dy * dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const points = [
    [x, y],
    [x - size * ux - size * 0.42 * uy, y - size * uy + size * 0.42 * ux],
    [x - size * ux + size * 0.42 * uy, y - size * uy - size * 0.42 * ux],
  ];
  return tag("polygon", { points: points.map(([a, b]) => `${plain(a!)},${plain(b!)}`).join(" "), fill: color });
}

export interface Figure {
  parts: Shape[];
  width: number;
  height: number;
}

/** A whole drawing. */
export function picture({ parts, width, height }: Figure, title: string): VNode {
  return tag("svg", { width, height, viewBox: `0 0 ${plain(width)} ${plain(height)}`, "font-family": FONT, role: "img", "aria-label": title }, ...parts);
}

export const nothing = (): Figure => ({ parts: label(14, 24, "(empty)", { size: 13, color: FAINT, start: true }), width: 90, height: 36 });

/** Parts in a group, where they have a name by which they can be switched. */
export const group = (parts: Shape[], name: string): Shape[] => (name ? [tag("g", { class: name }, ...parts)] : parts);
