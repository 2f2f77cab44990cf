// Numbers as the command line writes them.

const MINUS = "\u2212";
export const NOTHING = "–";

/** Fixed decimals, ties to even as Python has them, with a real minus. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  return plainFixed(value, digits).replace("-", MINUS);
}

/** The same with a hyphen, for files. */
export function plainFixed(value: number, digits: number): string {
  const usual = value.toFixed(digits);
  const shifted = Math.abs(value * 10 ** digits);
  if (Math.abs((shifted % 1) - 0.5) > 1e-6 || shifted > 1e15) return usual;
  // All digits tell whether this is a tie, which toFixed rounds away from zero.
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 40));
  const cut = exact.indexOf(".") + 1 + digits;
  if (!/^\.?50*$/.test(exact.slice(cut))) return usual;
  const kept = exact.slice(0, cut).replace(/\.$/, "");
  const even = Number(kept.at(-1)) % 2 === 0;
  return even ? (value < 0 ? "-" : "") + kept : usual;
}

/** The ends of an interval. */
export const between = (low: number | null | undefined, high: number | null | undefined, digits: number): string => `${fixed(low, digits)} – ${fixed(high, digits)}`;

/** A whole number with commas. */
export function whole(value: number): string {
  return value.toLocaleString("en-US");
}

/** So many of something. */
export const counted = (value: number, noun: string): string => `${whole(value)} ${noun}${value === 1 ? "" : "s"}`;

/** A score of a leaf: counts as whole numbers where they are whole. */
export function shown(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  if (digits === 0) return Number.isInteger(value) ? whole(value).replace("-", MINUS) : fixed(value, 4);
  return fixed(value, digits);
}

/** With a sign. */
export function signed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING;
  const text = fixed(value, digits);
  return value > 0 ? `+${text}` : text;
}

export function pText(p: number | null, floor: boolean): string {
  if (p === null) return "";
  return `p ${floor ? "≤" : "="} ${p.toFixed(p < 0.001 ? 4 : 3)}`;
}

/** Control characters, and those that turn the direction of text, as visible signs. */
export function visible(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, (mark) =>
    mark < " " ? String.fromCharCode(0x2400 + mark.charCodeAt(0)) : "\ufffd",
  );
}

/** Steps of an axis: round numbers. */
export function ticks(low: number, high: number, most = 5): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => span / s <= most) ?? 10 * power;
  const found: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k += 1) {
    found.push(Number((k * step).toPrecision(12)));
  }
  return found;
}

/** Decimals that tell the steps of an axis apart. */
export function tickDigits(values: number[]): number {
  if (values.length < 2) return 2;
  const step = Math.abs((values[1] ?? 0) - (values[0] ?? 0));
  return step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
}
