// The columns of the table of items: which there are, what they show, and how they sort.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "./dom";
import type { Column } from "./contract";
import type { Store } from "./data";
import { T } from "./english";
import { fixed, signed } from "./format";
import { Badge, Button, Menu, nameOf, toneOf } from "./parts";
import { delta, sortRows, type Scores } from "./select";
import type { Shared } from "./overview";

export interface Shows extends Shared {
  store: Store;
  redraw: () => void;
}

export interface Col {
  id: string;
  /** What it is called in the menu. */
  name: string;
  head: ComponentChildren;
  look: string;
  width: string;
  usual: boolean;
  cell: (row: number) => ComponentChildren;
  /** Gives the numbers to sort by. */
  key: () => (row: number) => number;
}

const MOST_OTHERS = 2;

/** All columns that the table may have, those of gold's text aside. */
export function columnsOf({ page, set, state, store, redraw }: Shows, scores: Scores): Col[] {
  const metric = page.metrics[state.metric]!;
  const both = scores.two !== null;
  const values = (id: string): ArrayLike<number> | null => store.column(id, redraw);
  const facet = (each: Column, i: number): Col => {
    const key = (): ((row: number) => number) => {
      const codes = values(each.id) ?? [];
      const places = new Float64Array(each.values.length);
      each.values
        .map((value, at) => ({ value, at }))
        .sort((a, b) => a.value.localeCompare(b.value, "en", { numeric: true }))
        .forEach(({ at }, place) => (places[at] = place));
      return (row) => places[codes[row] ?? 0] ?? NaN;
    };
    return {
      id: each.name,
      name: each.name,
      head: each.name,
      look: "facet",
      width: `minmax(${Math.min(132, 8 * Math.max(6, each.name.length, ...each.values.slice(0, 99).map((value) => value.length)))}px, .8fr)`,
      // An open item says them itself.
      usual: i < (state.item ? 1 : 2),
      cell: (row) => (each.values[values(each.id)?.[row] ?? 0] ?? ""),
      key,
    };
  };
  const score = (id: string, m: number, system: number, usual: boolean): Col[] => {
    const column = system < 0 ? undefined : store.scoreColumn(m, system);
    if (!column) return [];
    const { digits, label } = page.metrics[m]!;
    const name = m === state.metric ? nameOf(page, system) : `${nameOf(page, system)} ${label}`;
    const key = (): ((row: number) => number) => {
      const known = values(column.id) ?? [];
      return (row) => known[row] ?? NaN;
    };
    return [{ id, name, head: [<Badge page={page} system={system} small />, <span class="cell">{name}</span>], look: id === "one" || id === "two" ? "score" : "score other", width: `${Math.max(76, Math.min(set.systems.length > 2 ? 88 : 120, 46 + 7 * name.length))}px`, usual, cell: (row) => fixed(key()(row), digits), key }];
  };
  const others = set.systems.filter((s) => s !== state.one && s !== state.two);
  const letters = [state.one, state.two].map((s) => page.systems[s]?.letter).join("−");
  return [
    ...set.columns.filter((each) => each.role === "facet").map(facet),
    ...score("one", state.metric, state.one, true),
    ...(both ? score("two", state.metric, state.two, true) : []),
    ...(both
      ? [{ id: "delta", name: `${T.difference} ${letters}`, head: `${T.difference} ${letters}`, look: "score delta", width: `${80 + 9 * (metric.digits + (metric.scale === 100 ? 1 : 0))}px`, usual: true, cell: (row: number) => <Gap gap={delta(scores, row)} digits={metric.digits} most={largestGap(scores)} one={state.one} two={state.two} />, key: () => (row: number) => delta(scores, row) }]
      : []),
    ...others.flatMap((s, i) => score(`s${s}`, state.metric, s, i < MOST_OTHERS)),
    ...page.metrics.flatMap((each, m) => (m === state.metric ? [] : [...new Set([state.one, state.two])].flatMap((s) => score(`${each.key}:${nameOf(page, s)}`, m, s, false)))),
  ];
}

let known: [one: Float64Array | null, two: Float64Array | null, gap: number] = [null, null, 1];

/** The largest difference of all items, which has the longest bar. */
function largestGap(scores: Scores): number {
  if (known[0] !== scores.one || known[1] !== scores.two) {
    let most = 0;
    for (let row = 0; row < scores.one!.length; row += 1) {
      const gap = Math.abs(delta(scores, row));
      if (gap > most) most = gap;
    }
    known = [scores.one, scores.two, most || 1];
  }
  return known[2];
}

function Gap({ gap, digits, most, one, two }: { gap: number; digits: number; most: number; one: number; two: number }): JSX.Element {
  const wide = ((Math.abs(gap) || 0) / most) * 22;
  return (
    <>
      {signed(gap, digits)}
      <svg class="bar" width="44" height="12" aria-hidden="true">
        <rect class={toneOf(gap > 0 ? one : two)} x={gap > 0 ? 22 : 22 - wide} width={wide} y="2" height="8" />
        <line x1="22" x2="22" y1="0" y2="12" />
      </svg>
    </>
  );
}

export const TEXT = "text";

/** The columns that are shown: those that were chosen, or the usual ones. */
export function chosenOf(all: Col[], chosen: string[]): Col[] {
  return all.filter((each) => (chosen.length ? chosen.includes(each.id) : each.usual));
}

/** Rows in the order of a column. */
export function sorted(rows: Uint32Array, sort: string, down: boolean, all: Col[]): Uint32Array {
  if (sort === "item") return down ? rows.slice().reverse() : rows;
  const key = all.find((each) => each.id === sort)?.key;
  return key ? sortRows(rows, key(), down) : rows;
}

/** Which columns the table has. */
export function ColumnMenu({ all, chosen, source, onChange }: { all: Col[]; chosen: string[]; source: string; onChange: (ids: string[]) => void }): JSX.Element {
  const [open, setOpen] = useState(false);
  const usual = [...all.filter((each) => each.usual).map((each) => each.id), TEXT];
  const shown = chosen.length ? chosen : usual;
  const names: [string, string][] = [[TEXT, source || T.item], ...all.map((each): [string, string] => [each.id, each.name])];
  const toggle = (id: string): void => {
    const next = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id];
    onChange(next.length === usual.length && next.every((each) => usual.includes(each)) ? [] : next);
  };
  return (
    <Menu text={T.columns} label={T.columns} open={open} setOpen={setOpen}>
      {names.map(([id, name]) => (
        <label key={id} class="toggle">
          <input type="checkbox" checked={shown.includes(id)} onChange={() => toggle(id)} />
          {name}
        </label>
      ))}
      <Button onClick={() => onChange([])}>{T.reset}</Button>
    </Menu>
  );
}
