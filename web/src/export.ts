// Files and tables that leave the page.
import type { Item, Page } from "./contract";
import { textOf, type Store } from "./data";
import { delta, type Scores } from "./select";

export type Table = string[][];

/** The cells of a table as they are shown; what is for the eye alone is left out. */
export function tableText(table: HTMLTableElement): Table {
  const rows = [...table.rows].filter((row) => row.parentElement !== table.tFoot);
  return rows.map((row) =>
    [...row.cells]
      .filter((cell) => !cell.classList.contains("plot"))
      .map((cell) => {
        const clone = cell.cloneNode(true) as HTMLElement;
        clone.querySelectorAll(".badge, svg, .offscreen").forEach((each) => each.remove());
        // What stands below a figure follows it.
        clone.querySelectorAll(".under").forEach((each) => each.replaceWith(` [${each.textContent}]`));
        clone.querySelectorAll("small").forEach((each) => each.prepend(" "));
        return (clone.textContent ?? "").replace(/\s+/g, " ").trim();
      }),
  );
}

export function toTsv(table: Table): string {
  return table.map((row) => row.map((cell) => cell.replace(/[\t\n]/g, " ")).join("\t")).join("\n") + "\n";
}

export function toMarkdown(table: Table): string {
  const [head = [], ...rows] = table;
  const line = (cells: string[]): string => `| ${cells.map((cell) => cell.replace(/\|/g, "\\|")).join(" | ")} |\n`;
  return line(head) + line(head.map((_, i) => (i ? "---:" : "---"))) + rows.map(line).join("");
}

export function toLatex(table: Table): string {
  const [head = [], ...rows] = table;
  const line = (cells: string[]): string => `${cells.map(latex).join(" & ")} \\\\\n`;
  const columns = head.map((_, i) => (i ? "r" : "l")).join("");
  return `\\begin{tabular}{${columns}}\n\\toprule\n${line(head)}\\midrule\n${rows.map(line).join("")}\\bottomrule\n\\end{tabular}\n`;
}

function latex(cell: string): string {
  return cell
    .replace(/\\/g, "\\textbackslash{}")
    .replace(/[&%$#_{}]/g, (mark) => `\\${mark}`)
    .replace(/\\textbackslash\\\{\\\}/g, "\\textbackslash{}")
    .replace(/~/g, "\\textasciitilde{}")
    .replace(/\^/g, "\\textasciicircum{}")
    .replace(/\u2212/g, "$-$")
    .replace(/Δ/g, "$\\Delta$");
}

/** A cell that no spreadsheet takes for a formula. */
export function csvCell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export interface Selection {
  page: Page;
  store: Store;
  rows: Uint32Array;
  /** Score columns by metric and system. */
  scores: { metric: number; system: number; values: ArrayLike<number> }[];
  facets: { name: string; codes: ArrayLike<number>; values: string[] }[];
  pair: Scores;
  one: number;
  two: number;
}

const defined = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value);

function scoreName(page: Page, metric: number, system: number): string {
  return `${page.metrics[metric]?.key}:${page.systems[system]?.name}`;
}

/** Ids alone, a line each. */
export function idsOf(selection: Selection): string {
  return Array.from(selection.rows, (row) => `${selection.store.keys[row]}\n`).join("");
}

/** A table of the selection: key, facets, all scores unrounded, difference. */
export function rowsOf(selection: Selection): Table {
  const { page, store, rows, scores, facets, pair, one, two } = selection;
  const both = pair.one !== null && pair.two !== null;
  const head = [
    "id",
    ...facets.map((facet) => facet.name),
    ...scores.map(({ metric, system }) => scoreName(page, metric, system)),
    ...(both ? [`${page.systems[one]?.name} - ${page.systems[two]?.name}`] : []),
  ];
  const body = Array.from(rows, (row) => [
    store.keys[row] ?? "",
    ...facets.map((facet) => facet.values[facet.codes[row] ?? 0] ?? ""),
    ...scores.map(({ values }) => String(defined(values[row]) ?? "")),
    ...(both ? [String(defined(delta(pair, row)) ?? "")] : []),
  ]);
  return [head, ...body];
}

/** Records of the selection: id, fields, texts and scores. */
export async function jsonlOf(selection: Selection): Promise<string> {
  const { page, store, rows, scores, facets } = selection;
  const { block, kept, n } = store.set;
  const lines = new Array<string>(rows.length);
  const places = new Map<number, number[]>();
  rows.forEach((row, i) => {
    const number = Math.floor(row / block);
    const known = places.get(number);
    if (known) known.push(i);
    else places.set(number, [i]);
  });
  // Block by block: all items at once may not fit into memory.
  for (const [number, here] of places) {
    const items = await store.fetch(number);
    for (const i of here) {
      const row = rows[i]!;
      lines[i] = JSON.stringify({
        id: store.keys[row],
        ...Object.fromEntries(facets.map((facet) => [facet.name, facet.values[facet.codes[row] ?? 0]])),
        ...contents(items[row % block] ?? null, page),
        scores: Object.fromEntries(scores.map(({ metric, system, values }) => [scoreName(page, metric, system), defined(values[row])])),
      });
    }
  }
  const note = kept < n ? [JSON.stringify({ note: `contents of ${kept} of ${n} items are in this page` })] : [];
  return [...note, ...lines].map((line) => `${line}\n`).join("");
}

function contents(item: Item | null, page: Page): object {
  if (!item) return {};
  const [source, golds, outputs] = item;
  return {
    ...(source === null ? {} : { source }),
    ...(golds.length ? { references: golds.map(textOf) } : {}),
    outputs: Object.fromEntries(
      outputs.flatMap((output, s) => (output?.[0] ? [[page.systems[s]?.name ?? String(s), textOf(output[0])]] : [])),
    ),
  };
}

export function save(name: string, type: string, content: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
