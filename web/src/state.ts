// The whole state of the page, as it stands in its address.
import type { ErrorRow, ItemSet, Page } from "./contract";
import type { Range, Relation } from "./select";

export type ViewName = "overview" | "breakdowns" | "items" | "errors" | "agreement" | "repair" | "audit" | "trace";
export const VIEWS: ViewName[] = ["overview", "breakdowns", "items", "errors", "agreement", "repair", "audit", "trace"];
export const RELATIONS: Relation[] = ["all", "better", "equal", "worse", "perfect", "wrong", "only1", "only2"];

export interface State {
  view: ViewName;
  set: number;
  metric: number;
  one: number;
  two: number;
  q: string;
  relation: Relation;
  /** Column id → value. */
  facets: Record<string, number>;
  range1: Range;
  range2: Range;
  delta: Range;
  /** Place of the error in the list, and of the system. */
  errors: [number, number][];
  sort: string;
  down: boolean;
  layer: string;
  item: string;
  against: number;
  hidden: number[];
  part: string;
  pair: number;
  /** Columns of the table; none: the usual ones. */
  cols: string[];
  /** The column of a class of edits that items must have. */
  fix: string;
  /** The place of a finding in gold. */
  finding: number;
  /** Whether the item has the whole width. */
  wide: boolean;
}

/** The systems of a set, the best by a metric first; those without a score come last. */
export function bestFirst(page: Page, set: ItemSet | undefined, metric: number): number[] {
  const { headline = 0, lower_is_better = false } = page.metrics[metric] ?? {};
  const worth = (system: number): number => {
    const value = set?.scores[metric]?.figures[system]?.[headline]?.[0] ?? null;
    return value === null ? Number.MAX_VALUE : lower_is_better ? value : -value;
  };
  return [...(set?.systems ?? [])].sort((a, b) => worth(a) - worth(b) || a - b);
}

export function initial(page: Page, set = 0): State {
  const found = page.sets[set];
  const systems = bestFirst(page, found, 0);
  return {
    ...noFilters(),
    // A page that was made by `karat trace`, `audit` or `repair` opens with what was asked for.
    view: found?.trace ? "trace" : found?.audit ? "audit" : found?.repairs.length ? "repair" : "overview",
    set,
    metric: 0,
    one: systems[0] ?? 0,
    two: systems[1] ?? -1,
    sort: "",
    down: false,
    layer: "",
    item: "",
    against: -1,
    hidden: [],
    part: "",
    pair: 0,
    cols: [],
    wide: false,
    finding: 0,
  };
}

/** Items by who is ahead; where one system is, those come first where it is by most. */
export const related = (relation: Relation): Partial<State> => (relation === "better" || relation === "worse" ? { relation, sort: "delta", down: relation === "better" } : { relation });

export function noFilters(): Pick<State, "q" | "relation" | "facets" | "range1" | "range2" | "delta" | "errors" | "fix"> {
  return { q: "", relation: "all", facets: {}, range1: [null, null], range2: [null, null], delta: [null, null], errors: [], fix: "" };
}

/** The items in which a system has an error, its worst first. */
export const ofError = (state: State, error: number, system: number): Partial<State> => ({ view: "items", ...noFilters(), errors: [[error, system]], one: system, two: state.two === system ? state.one : state.two, sort: "one", down: false, item: "" });

export function isFiltered(state: State): boolean {
  return JSON.stringify({ ...state, ...noFilters() }) !== JSON.stringify(state);
}

// -- the address

interface Known {
  page: Page;
  set: ItemSet;
  /** The state without an address. */
  usual: State;
}

/** How a part of the state stands in the address. `read` gives false where it names what is not there. */
interface Entry {
  write: (state: State, known: Known) => string[];
  read: (state: State, value: string, known: Known) => unknown;
}

type Keys<V> = { [K in keyof State]: State[K] extends V ? K : never }[keyof State];

const text = (key: Keys<string>): Entry => ({
  write: (state) => (state[key] ? [state[key]] : []),
  read: (state, value) => Object.assign(state, { [key]: value }),
});

const number = (key: Keys<number>): Entry => ({
  write: (state) => (state[key] ? [String(state[key])] : []),
  read: (state, value) => Object.assign(state, { [key]: Number(value) || 0 }),
});

const range = (key: Keys<Range>): Entry => ({
  write: (state) => (state[key].some((end) => end !== null) ? [state[key].map((end) => end ?? "").join("..")] : []),
  read: (state, value) => Object.assign(state, { [key]: [0, 1].map((i) => end(value.split("..")[i])) }),
});
const end = (value: string | undefined): number | null => (value && Number.isFinite(Number(value)) ? Number(value) : null);

/** By its name, so that the address outlives a new run; it may be none. */
const named = (key: Keys<number>, names: (page: Page) => string[], none = false): Entry => ({
  write: (state, { page, usual }) => (state[key] === usual[key] ? [] : [names(page)[state[key]] ?? ""]),
  read: (state, value, { page }) => {
    const place = names(page).indexOf(value);
    const known = place >= 0 || (none && !value);
    if (known) Object.assign(state, { [key]: place });
    return known;
  },
});
const metrics = (page: Page): string[] => page.metrics.map((each) => each.key);
const systems = (page: Page): string[] => page.systems.map((each) => each.name);

const ENTRIES: Record<string, Entry> = {
  metric: named("metric", metrics),
  a: named("one", systems),
  b: named("two", systems, true),
  q: text("q"),
  is: {
    write: ({ relation }) => (relation === "all" ? [] : [relation]),
    read: (state, value) => RELATIONS.includes(value as Relation) && (state.relation = value as Relation),
  },
  in: {
    write: ({ facets }, { set }) =>
      Object.entries(facets).flatMap(([id, value]) => {
        const column = set.columns.find((each) => each.id === id);
        return column ? [`${column.name}=${column.values[value] ?? ""}`] : [];
      }),
    read: ({ facets }, value, { set }) =>
      set.columns.some((column) => {
        const place = column.role === "facet" && value.startsWith(`${column.name}=`) ? column.values.indexOf(value.slice(column.name.length + 1)) : -1;
        if (place >= 0) facets[column.id] = place;
        return place >= 0;
      }),
  },
  s1: range("range1"),
  s2: range("range2"),
  d: range("delta"),
  error: {
    write: ({ errors }, { page, set }) =>
      errors.flatMap(([error, system]) => {
        const row = set.errors[error];
        return row ? [errorName(row, systems(page)[system])] : [];
      }),
    read: ({ errors }, value, { page, set }) =>
      set.errors.some((row, error) => {
        const system = systems(page).findIndex((name) => errorName(row, name) === value);
        if (system >= 0) errors.push([error, system]);
        return system >= 0;
      }),
  },
  sort: {
    write: ({ sort, down }) => (sort ? [(down ? "-" : "") + sort] : []),
    read: (state, value) => Object.assign(state, { down: value.startsWith("-"), sort: value.replace(/^-/, "") }),
  },
  layer: text("layer"),
  item: text("item"),
  against: named("against", systems, true),
  hide: {
    write: ({ hidden }) => (hidden.length ? [hidden.join(".")] : []),
    read: (state, value) => (state.hidden = value.split(".").map(Number).filter(Number.isInteger)),
  },
  part: text("part"),
  pair: number("pair"),
  fix: {
    write: ({ fix }, { set }) => set.columns.flatMap((each) => (each.id === fix ? [each.name] : [])),
    read: (state, value, { set }) => {
      const column = set.columns.find((each) => each.role === "posting" && each.name === value);
      return column !== undefined && (state.fix = column.id);
    },
  },
  finding: number("finding"),
  wide: {
    write: ({ wide }) => (wide ? ["1"] : []),
    read: (state, value) => Object.assign(state, { wide: value === "1" }),
  },
  col: {
    write: ({ cols }) => cols,
    read: ({ cols }, value) => cols.push(value),
  },
};

const errorName = ({ part, kind, gold, system }: ErrorRow, who: string | undefined): string => JSON.stringify([part, kind, gold, system, who]);

/** The address of a state. */
export function toHash(state: State, page: Page): string {
  const known = { page, set: page.sets[state.set]!, usual: initial(page, state.set) };
  const out = new URLSearchParams(state.set ? { set: String(state.set) } : {});
  for (const [name, { write }] of Object.entries(ENTRIES)) for (const value of write(state, known)) out.append(name, value);
  const rest = out.toString();
  return `#${state.view}${rest ? `?${rest}` : ""}`;
}

/** The state of an address; what is unknown is left out and named. */
export function fromHash(hash: string, page: Page): { state: State; stale: string[] } {
  const [view, rest] = hash.replace(/^#/, "").split(/\?(.*)/s) as [string, string?];
  const given = new URLSearchParams(rest ?? "");
  const stale: string[] = [];
  const asked = Number(given.get("set") ?? 0);
  const number = page.sets[asked] ? asked : 0;
  const state = initial(page, number);
  const known = { page, set: page.sets[number]!, usual: initial(page, number) };
  if (asked !== number) stale.push(`set=${asked}`);
  given.delete("set");
  if (VIEWS.includes(view as ViewName)) state.view = view as ViewName;
  else if (view) stale.push(view);
  for (const [name, value] of given) {
    if (!ENTRIES[name] || ENTRIES[name].read(state, value, known) === false) stale.push(`${name}=${value}`);
  }
  return { state, stale };
}
