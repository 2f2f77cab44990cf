// The whole state of the page, as it stands in its address.
import type { Page } from "./contract";
import type { Range, Relation } from "./select";

export type ViewName = "overview" | "breakdowns" | "items" | "errors" | "agreement" | "repair" | "audit";
export const VIEWS: ViewName[] = ["overview", "breakdowns", "items", "errors", "agreement", "repair", "audit"];
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

/** The systems of a set, the best by the first metric first, as the headline has them. */
function bestFirst(page: Page, set: number): number[] {
  const found = page.sets[set];
  const metric = page.metrics[0];
  const worth = (system: number): number => {
    const value = found?.scores[0]?.figures[system]?.[metric?.headline ?? 0]?.[0] ?? null;
    return value === null ? Infinity : metric?.lower_is_better ? value : -value;
  };
  return [...(found?.systems ?? [])].sort((a, b) => worth(a) - worth(b) || a - b);
}

export function initial(page: Page, set = 0): State {
  const systems = bestFirst(page, set);
  return {
    view: "overview",
    set,
    metric: 0,
    one: systems[0] ?? 0,
    two: systems[1] ?? -1,
    q: "",
    relation: "all",
    facets: {},
    range1: [null, null],
    range2: [null, null],
    delta: [null, null],
    errors: [],
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
    fix: "",
    finding: 0,
  };
}

export function noFilters(): Pick<State, "q" | "relation" | "facets" | "range1" | "range2" | "delta" | "errors" | "fix"> {
  return { q: "", relation: "all", facets: {}, range1: [null, null], range2: [null, null], delta: [null, null], errors: [], fix: "" };
}

export function isFiltered(state: State): boolean {
  return JSON.stringify({ ...state, ...noFilters() }) !== JSON.stringify(state);
}

const range = (value: Range): string => value.map((end) => (end === null ? "" : String(end))).join("..");

/** The address of a state: names, not numbers, so that it outlives a new run. */
export function toHash(state: State, page: Page): string {
  const usual = initial(page, state.set);
  const out = new URLSearchParams();
  const put = (name: string, value: string, when: boolean): void => {
    if (when) out.set(name, value);
  };
  put("set", String(state.set), state.set !== 0);
  put("metric", page.metrics[state.metric]?.key ?? "", state.metric !== 0);
  put("a", page.systems[state.one]?.name ?? "", state.one !== usual.one);
  put("b", page.systems[state.two]?.name ?? "", state.two !== usual.two);
  put("q", state.q, state.q !== "");
  put("is", state.relation, state.relation !== "all");
  for (const [id, value] of Object.entries(state.facets)) {
    const column = page.sets[state.set]?.columns.find((each) => each.id === id);
    if (column) out.append("in", `${column.name}=${column.values[value] ?? ""}`);
  }
  put("s1", range(state.range1), range(state.range1) !== "..");
  put("s2", range(state.range2), range(state.range2) !== "..");
  put("d", range(state.delta), range(state.delta) !== "..");
  for (const [error, system] of state.errors) {
    const row = page.sets[state.set]?.errors[error];
    if (row) out.append("error", JSON.stringify([row.part, row.kind, row.gold, row.system, page.systems[system]?.name]));
  }
  put("sort", (state.down ? "-" : "") + state.sort, state.sort !== "");
  put("layer", state.layer, state.layer !== "");
  put("item", state.item, state.item !== "");
  put("against", page.systems[state.against]?.name ?? "", state.against >= 0);
  put("hide", state.hidden.join("."), state.hidden.length > 0);
  put("part", state.part, state.part !== "");
  put("pair", String(state.pair), state.pair !== 0);
  const fix = page.sets[state.set]?.columns.find((each) => each.id === state.fix);
  put("fix", fix?.name ?? "", fix !== undefined);
  put("finding", String(state.finding), state.finding !== 0);
  put("wide", "1", state.wide);
  for (const id of state.cols) out.append("col", id);
  const rest = out.toString();
  return `#${state.view}${rest ? `?${rest}` : ""}`;
}

/** The state of an address; what is unknown is left out and named. */
export function fromHash(hash: string, page: Page): { state: State; stale: string[] } {
  const [view, rest] = hash.replace(/^#/, "").split(/\?(.*)/s) as [string, string?];
  const given = new URLSearchParams(rest ?? "");
  const stale: string[] = [];
  const number = Number(given.get("set") ?? 0);
  const known = page.sets[number] !== undefined;
  if (!known) stale.push(`set ${number}`);
  const state = initial(page, known ? number : 0);
  const set = page.sets[state.set];
  if (VIEWS.includes(view as ViewName)) state.view = view as ViewName;
  else if (view) stale.push(view);
  const find = (name: string, names: string[], what: string): number => {
    const place = names.indexOf(name);
    if (place < 0) stale.push(`${what} ${name}`);
    return place;
  };
  const names = page.systems.map((each) => each.name);
  for (const [name, value] of given) {
    if (name === "metric") state.metric = Math.max(0, find(value, page.metrics.map((m) => m.key), "metric"));
    else if (name === "a") state.one = orElse(find(value, names, "system"), state.one);
    else if (name === "b") state.two = value === "" ? -1 : orElse(find(value, names, "system"), state.two);
    else if (name === "q") state.q = value;
    else if (name === "is" && RELATIONS.includes(value as Relation)) state.relation = value as Relation;
    else if (name === "in") {
      const cut = value.indexOf("=");
      const column = set?.columns.find((each) => each.role === "facet" && each.name === value.slice(0, cut));
      const place = column ? column.values.indexOf(value.slice(cut + 1)) : -1;
      if (column && place >= 0) state.facets[column.id] = place;
      else stale.push(value);
    } else if (name === "s1") state.range1 = toRange(value);
    else if (name === "s2") state.range2 = toRange(value);
    else if (name === "d") state.delta = toRange(value);
    else if (name === "error") {
      const found = toError(value, page, state.set);
      if (found) state.errors.push(found);
      else stale.push(value);
    } else if (name === "sort") {
      state.down = value.startsWith("-");
      state.sort = value.replace(/^-/, "");
    } else if (name === "layer") state.layer = value;
    else if (name === "item") state.item = value;
    else if (name === "against") state.against = find(value, names, "system");
    else if (name === "hide") state.hidden = value.split(".").map(Number).filter(Number.isInteger);
    else if (name === "part") state.part = value;
    else if (name === "fix") {
      const column = set?.columns.find((each) => each.role === "posting" && each.name === value);
      if (column) state.fix = column.id;
      else stale.push(value);
    } else if (name === "finding") state.finding = Number(value) || 0;
    else if (name === "wide") state.wide = value === "1";
    else if (name === "col") state.cols.push(value);
    else if (name === "pair") state.pair = Number(value) || 0;
    else if (name !== "set") stale.push(name);
  }
  return { state, stale };
}

function orElse(place: number, usual: number): number {
  return place < 0 ? usual : place;
}

function toRange(text: string): Range {
  const [low, high] = text.split("..");
  const end = (value: string | undefined): number | null => (value && Number.isFinite(Number(value)) ? Number(value) : null);
  return [end(low), end(high)];
}

function toError(text: string, page: Page, set: number): [number, number] | null {
  try {
    const [part, kind, gold, system, name] = JSON.parse(text) as [string, number, string, string, string];
    const rows = page.sets[set]?.errors ?? [];
    const place = rows.findIndex((row) => row.part === part && row.kind === kind && row.gold === gold && row.system === system);
    const who = page.systems.findIndex((each) => each.name === name);
    return place >= 0 && who >= 0 ? [place, who] : null;
  } catch {
    return null;
  }
}
