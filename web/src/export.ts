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

const quoted = (cell: string): string => `"${cell.replace(/"/g, '""')}"`;

/** Cells with tabs, line breaks or quotation marks are quoted, as spreadsheets and csv modules read them. */
export function toTsv(table: Table): string {
  return table.map((row) => row.map((cell) => (/["\t\n\r]/.test(cell) ? quoted(cell) : cell)).join("\t")).join("\n") + "\n";
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
  return /[",\n\r]/.test(safe) ? quoted(safe) : safe;
}

/** The rows of the table, in its order. */
export interface Selection {
  page: Page;
  store: Store;
  rows: Uint32Array;
  /** The scores of the two systems that are compared. */
  pair: Scores;
  one: number;
  two: number;
}

interface Field {
  name: string;
  cell: (row: number) => string | number | null;
}

const defined = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value);

/** The columns of some role, all of which are fetched. */
function fieldsOf({ page, store }: Selection, role: string): Promise<Field[]> {
  return Promise.all(
    store.set.columns
      .filter((each) => each.role === role)
      .map(async ({ id, name, values, metric, system }): Promise<Field> => {
        const found = await store.load(id);
        if (role === "facet") return { name, cell: (row) => values[found[row] ?? 0] ?? "" };
        return { name: `${page.metrics[metric]?.key}:${page.systems[system]?.name}`, cell: (row) => defined(found[row]) };
      }),
  );
}

/** Ids alone, a line each. */
export function idsOf(selection: Selection): string {
  return Array.from(selection.rows, (row) => `${selection.store.keys[row]}\n`).join("");
}

/** A table of the selection: key, facets, all scores unrounded, difference. */
export async function rowsOf(selection: Selection): Promise<Table> {
  const { page, store, rows, pair, one, two } = selection;
  const fields = [{ name: "id", cell: (row: number) => store.keys[row] ?? "" }, ...(await fieldsOf(selection, "facet")), ...(await fieldsOf(selection, "score"))];
  if (pair.one && pair.two) fields.push({ name: `${page.systems[one]?.name} - ${page.systems[two]?.name}`, cell: (row) => defined(delta(pair, row)) });
  return [fields.map(({ name }) => name), ...Array.from(rows, (row) => fields.map(({ cell }) => String(cell(row) ?? "")))];
}

/** Records of the selection: id, fields, texts and scores. */
export async function jsonlOf(selection: Selection): Promise<string> {
  const { page, store, rows } = selection;
  const { block, kept, n } = store.set;
  const [facets, scores] = [await fieldsOf(selection, "facet"), await fieldsOf(selection, "score")];
  const all = (fields: Field[], row: number): object => Object.fromEntries(fields.map(({ name, cell }) => [name, cell(row)]));
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
      lines[i] = JSON.stringify({ id: store.keys[row], ...all(facets, row), ...contents(items[row % block] ?? null, page), scores: all(scores, row) });
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
