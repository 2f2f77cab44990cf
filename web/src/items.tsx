// All items: filters, how two systems compare on them, and a table of any length.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "./dom";
import { KINDS, type Item } from "./contract";
import { textOf, type Store } from "./data";
import { T } from "./english";
import { counted, whole } from "./format";
import { csvCell, idsOf, jsonlOf, rowsOf, save, toTsv, type Selection } from "./export";
import { Button, Chip, Chips, Choice, Link, Menu, nameOf, toneOf } from "./parts";
import { Histogram } from "./plots";
import { found, fromGaps, histogram, scrolling, select, spanOf, type Range, type Relation, type Scores } from "./select";
import { isFiltered, noFilters, related } from "./state";
import type { Shared } from "./overview";
import { extras } from "./extras";
import { highlighted, ItemPanel } from "./item";
import { chosenOf, columnsOf, ColumnMenu, sorted, TEXT, type Col } from "./columns";

const ROW = 34;

export interface ItemsProps extends Shared {
  store: Store;
  redraw: () => void;
  searchBox: { current: HTMLInputElement | null };
  exportOpen: boolean;
  setExportOpen: (open: boolean) => void;
  moveBy: { current: (step: number) => void };
}

/** Rows whose texts have the words that are searched for, found block by block. */
function useSearch(store: Store, q: string, redraw: () => void): { hits: Uint8Array | null; busy: boolean; searched: number } {
  const [known, setFound] = useState<{ q: string; hits: Uint8Array; busy: boolean; searched: number } | null>(null);
  useEffect(() => {
    const words = q.trim().toLowerCase();
    if (!words) {
      setFound(null);
      return;
    }
    let stopped = false;
    const hits = new Uint8Array(store.set.n);
    const { block, n } = store.set;
    void (async () => {
      let shown = performance.now();
      let searched = 0;
      const { ask } = store.source;
      const step = ask ? 16 : 1;
      for (let b = 0; b * block < n && !stopped; b += step) {
        if (ask) {
          const answer = await ask("search", { set: store.number, words, first: b, last: b + step });
          searched += answer.searched;
          for (const row of answer.rows) hits[row] = 1;
        } else {
          const stack = await store.haystack(b);
          searched += stack.searched;
          for (const place of found(stack.text, stack.ends, words)) hits[b * block + place] = 1;
        }
        if (stopped) return;
        if (performance.now() - shown > 300) {
          shown = performance.now();
          setFound({ q, hits: hits.slice(), busy: true, searched });
          await new Promise((resolve) => setTimeout(resolve));
        }
      }
      if (!stopped) setFound({ q, hits, busy: false, searched });
    })();
    return () => {
      stopped = true;
    };
  }, [q, store, redraw]);
  if (!q.trim()) return { hits: null, busy: false, searched: 0 };
  if (!known) return { hits: new Uint8Array(store.set.n), busy: true, searched: 0 };
  return { hits: known.hits, busy: known.busy || known.q !== q, searched: known.searched };
}

export function Items(props: ItemsProps): JSX.Element {
  const { page, set, state, go, store, redraw } = props;
  const metric = page.metrics[state.metric]!;
  const column = (system: number): Float64Array | null => {
    const found = system >= 0 ? store.scoreColumn(state.metric, system) : undefined;
    return found ? (store.column(found.id, redraw) as Float64Array | null) : null;
  };
  const scores: Scores = { one: column(state.one), two: state.two === state.one ? null : column(state.two), perfect: metric.perfect, lower: metric.lower_is_better };
  const all = columnsOf(props, scores);
  const cols = chosenOf(all, state.cols);
  const search = useSearch(store, state.q, redraw);
  const facetColumns = set.columns.filter((each) => each.role === "facet");
  const facets = Object.entries(state.facets).map(([id, value]) => ({ codes: store.column(id, redraw), value }));
  const fixes = state.fix ? (store.column(state.fix, redraw) as Uint32Array | null) : null;
  const within = [
    ...(search.hits ? [search.hits] : []),
    ...state.errors.flatMap(([error, system]) => {
      const id = set.errors[error]?.columns[system];
      const gaps = id ? (store.column(id, redraw) as Uint32Array | null) : null;
      return id ? (gaps ? [gapsSet(gaps, set.n)] : []) : [new Uint8Array(set.n)];
    }),
    ...(fixes ? [gapsSet(fixes, set.n)] : []),
  ];
  const ready = facets.every(({ codes }) => codes) && scores.one !== null;
  const filtered = useMemo(
    () =>
      ready
        ? select(set.n, scores, {
            relation: state.relation,
            facets: facets.map(({ codes, value }) => ({ codes: codes!, value })),
            range1: state.range1,
            range2: state.range2,
            delta: state.delta,
            within,
          })
        : new Uint32Array(0),
    [ready, scores.one, scores.two, state.relation, JSON.stringify([state.facets, state.range1, state.range2, state.delta, state.errors, state.fix]), search.hits, within.length, store],
  );
  const sorting = store.version;
  const rows = useMemo(() => sorted(filtered, state.sort, state.down, all), [filtered, state.sort, state.down, scores.one, scores.two, state.metric, state.sort && sorting]);
  const chosen = state.item ? store.rowOf(state.item) : undefined;
  const at = chosen === undefined ? -1 : rows.indexOf(chosen);
  props.moveBy.current = (step: number): void => {
    if (!rows.length) return;
    const next = Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step));
    go({ item: store.keys[rows[next] as number] ?? "" }, true);
  };
  const selection: Selection = { page, store, rows, pair: scores, one: state.one, two: state.two };
  return (
    <main class={`bench${state.item && ` with-item${state.wide ? " wide" : ""}${extras.graph ? " drawn" : ""}`}`} id="main">
      <h1 class="offscreen">{T.items}</h1>
      <FilterBar {...props} scores={scores} count={rows.length} search={search} facetColumns={facetColumns} selection={selection} all={all} />
      <div class="panes">
        <div class="pane-table">
          <Strip {...props} rows={filtered} scores={scores} />
          <Grid {...props} rows={rows} cols={cols} at={at} />
        </div>
        {chosen !== undefined && (
          <aside class="pane-item" aria-label={T.item}>
            <ItemPanel {...props} row={chosen} at={at} total={rows.length} scores={scores} />
          </aside>
        )}
      </div>
    </main>
  );
}

const known = new WeakMap<Uint32Array, Uint8Array>();
function gapsSet(gaps: Uint32Array, n: number): Uint8Array {
  let found = known.get(gaps);
  if (!found) known.set(gaps, (found = fromGaps(gaps, n)));
  return found;
}

type FacetColumns = Shared["set"]["columns"];

// -- filters

function relations(names: string[], both: boolean): [Relation, string][] {
  if (!both) return [["all", T.all], ["perfect", T.perfect], ["wrong", T.wrong]];
  return [
    ["all", T.all],
    ["better", `${names[0]} better`],
    ["equal", T.equal],
    ["worse", `${names[1]} better`],
    ["only1", `only ${names[0]} perfect`],
    ["only2", `only ${names[1]} perfect`],
    ["perfect", T.bothPerfect],
    ["wrong", T.bothWrong],
  ];
}

function FilterBar(props: ItemsProps & { scores: Scores; count: number; search: { busy: boolean; searched: number }; facetColumns: FacetColumns; selection: Selection; all: Col[] }): JSX.Element {
  const { page, set, state, go, scores, count, search, facetColumns, selection, all } = props;
  const names = [nameOf(page, state.one), nameOf(page, state.two)];
  const both = scores.two !== null;
  const list = relations(names, both);
  const [typed, setTyped] = useState(state.q);
  const timer = useRef<number>(0);
  useEffect(() => setTyped(state.q), [state.q]);
  const [open, setOpen] = useState(false);
  const incomplete = set.kept < set.n;
  const facetChoice = (column: FacetColumns[number]): JSX.Element => (
    <Choice
      key={column.id}
      label={column.name}
      value={state.facets[column.id] ?? -1}
      options={[[-1, `any ${column.name}`], ...column.values.map((value, i): [number, string] => [i, value || "(none)"])]}
      onChange={(value) => {
        const facets = { ...state.facets };
        if (value < 0) delete facets[column.id];
        else facets[column.id] = value;
        go({ facets });
      }}
    />
  );
  return (
    <div class="filters" role="search">
      <div class="filter-row">
        <input
          ref={props.searchBox}
          type="search"
          class="search"
          placeholder={T.search}
          aria-label={T.search}
          value={typed}
          onInput={(event) => {
            const value = event.currentTarget.value;
            setTyped(value);
            clearTimeout(timer.current);
            timer.current = window.setTimeout(() => go({ q: value }), 180);
          }}
        />
        {facetColumns.slice(0, 3).map(facetChoice)}
        <Chips label="Which items" value={state.relation} options={list.slice(0, both ? 4 : 3)} onChange={(relation) => go(related(relation))} />
        <Chip on={open} aria-expanded={open} onClick={() => setOpen(!open)}>
          {T.moreFilters}
        </Chip>
        <div class="bar-end">
          <p class="count" role="status" aria-live="polite">
            <b>{whole(count)}</b> of {counted(set.n, "item")}{search.busy && state.q ? ` · ${T.searching}` : ""}
            {state.q && !search.busy && incomplete ? ` · ${whole(search.searched)} of ${whole(set.n)} items searched` : ""}
          </p>
          <ColumnMenu all={all} chosen={state.cols} source={set.source_label} onChange={(cols) => go({ cols })} />
          <ExportMenu selection={selection} open={props.exportOpen} setOpen={props.setExportOpen} />
        </div>
      </div>
      {open && (
        <div class="filter-row more">
          {both && (
            <Choice label="Which items" hideLabel={false} value={state.relation} options={list} onChange={(relation) => go(related(relation))} />
          )}
          {facetColumns.slice(3).map(facetChoice)}
          {rangesOf(names).slice(0, both ? 3 : 1).map(([key, name]) => (
            <RangeField key={key} label={name} value={state[key]} onChange={(range) => go({ [key]: range })} />
          ))}
        </div>
      )}
      <Active {...props} names={names} list={list} />
    </div>
  );
}

/** What can be limited to a range. */
const rangesOf = (names: string[]): ["range1" | "range2" | "delta", string][] => [["range1", names[0]!], ["range2", names[1]!], ["delta", T.difference]];

function RangeField({ label, value, onChange }: { label: string; value: Range; onChange: (value: Range) => void }): JSX.Element {
  const end = (text: string): number | null => (text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text));
  return (
    <span class="range-field">
      <span>{label}</span>
      <input type="number" step="any" aria-label={`${label} ${T.from}`} placeholder={T.from} value={value[0] ?? ""} onChange={(e) => onChange([end(e.currentTarget.value), value[1]])} />
      <span>–</span>
      <input type="number" step="any" aria-label={`${label} ${T.to}`} placeholder={T.to} value={value[1] ?? ""} onChange={(e) => onChange([value[0], end(e.currentTarget.value)])} />
    </span>
  );
}

function Active({ page, set, state, go, names, list }: ItemsProps & { names: string[]; list: [Relation, string][] }): JSX.Element | null {
  if (!isFiltered(state)) return null;
  const chips: [string, () => void][] = [];
  if (state.q) chips.push([`“${state.q}”`, () => go({ q: "" })]);
  for (const [id, value] of Object.entries(state.facets)) {
    const column = set.columns.find((each) => each.id === id);
    const rest = { ...state.facets };
    delete rest[id];
    chips.push([`${column?.name}: ${column?.values[value] || "(none)"}`, () => go({ facets: rest })]);
  }
  if (state.relation !== "all") chips.push([list.find(([key]) => key === state.relation)?.[1] ?? state.relation, () => go({ relation: "all" })]);
  const span = (name: string, ends: Range): string => `${name} ${ends.map((end) => (end === null ? "…" : Number(end.toFixed(page.metrics[state.metric]!.digits)))).join(" to ")}`;
  for (const [key, name] of rangesOf(names)) if (state[key].some((end) => end !== null)) chips.push([span(name, state[key]), () => go({ [key]: [null, null] })]);
  state.errors.forEach(([error, system], i) => {
    const row = set.errors[error];
    if (row) chips.push([`${page.systems[system]?.name}: ${errorText(row.part, row.kind, row.gold, row.system)}`, () => go({ errors: state.errors.filter((_, j) => j !== i) })]);
  });
  const fix = set.columns.find((each) => each.id === state.fix);
  if (fix) chips.push([`${T.edits}: ${fix.name}`, () => go({ fix: "" })]);
  return (
    <div class="filter-row active">
      {chips.map(([text, remove]) => (
        <Button key={text} class="chip active-chip" title={T.remove} onClick={remove}>
          {text} <span aria-hidden="true">×</span>
          <span class="offscreen">{T.remove}</span>
        </Button>
      ))}
      <Link onClick={() => go(noFilters())}>{T.clear}</Link>
    </div>
  );
}

export function errorText(part: string, kind: number, gold: string, system: string): string {
  const what = KINDS[kind] === "missing" ? `missing ${gold}` : KINDS[kind] === "surplus" ? `surplus ${system}` : `${gold} → ${system}`;
  return `${part}: ${what}`;
}

function ExportMenu({ selection, open, setOpen }: { selection: Selection; open: boolean; setOpen: (open: boolean) => void }): JSX.Element {
  const csv = async (): Promise<string> => (await rowsOf(selection)).map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
  const entries: [string, string, string, () => string | Promise<string>][] = [
    [T.jsonl, "jsonl", "application/jsonl", () => jsonlOf(selection)],
    [T.tsv, "tsv", "text/tab-separated-values", async () => toTsv(await rowsOf(selection))],
    [T.csv, "csv", "text/csv", csv],
    [T.ids, "txt", "text/plain", () => idsOf(selection)],
  ];
  const run = async (ending: string, type: string, make: () => string | Promise<string>): Promise<void> => {
    setOpen(false);
    save(`items.${ending}`, type, await make());
  };
  return (
    <Menu text={T.export} label={T.exportSelection} open={open} setOpen={setOpen}>
      {entries.map(([text, ending, type, make]) => (
        <Button key={ending} onClick={() => void run(ending, type, make)}>
          {text} (.{ending})
        </Button>
      ))}
    </Menu>
  );
}

// -- how two systems compare on the selection

/** How the scores of the selection are spread, or how two systems compare on it. */
function Strip({ page, set, state, go, rows, scores, store }: ItemsProps & { rows: Uint32Array; scores: Scores }): JSX.Element | null {
  const { label, scale } = page.metrics[state.metric]!;
  const { one, two } = scores;
  const span = useMemo(() => spanOf([one, two], scale), [one, two, scale]);
  const bars = useMemo(() => (one && !two ? histogram(rows, (row) => one[row]!, ...span, 40) : []), [rows, one, two, span]);
  if (!one || !set.n) return null;
  const below = (undefinedItems: number): JSX.Element => <Below store={store} page={page} state={state} rows={rows} undefinedItems={undefinedItems} />;
  if (two && extras.pairs) return <extras.pairs.Comparison page={page} state={state} go={go} rows={rows} scores={scores} span={span} below={below} />;
  return (
    <section class="strip" aria-label="How the items' scores are spread">
      <div class="strip-wide">
        <p class="strip-title">{label} of the items in this selection</p>
        <Histogram counts={bars} ends={span} scale={scale} tones={[toneOf(state.one)]} label={`Histogram of ${label}`} onPick={(range1) => go({ range1 })} />
        {below(rows.length - bars.reduce((a, b) => a + b, 0))}
      </div>
    </section>
  );
}

function Below(props: { store: Store; page: Shared["page"]; state: Shared["state"]; rows: Uint32Array; undefinedItems: number }): JSX.Element {
  const { store, undefinedItems } = props;
  return (
    <p class="small">
      {T.countsNotScore}
      {undefinedItems > 0 && ` The score of ${counted(undefinedItems, "item")} is undefined.`}{" "}
      {store.source.ask && extras.served ? (
        <extras.served.SelectionScore {...props} />
      ) : (
        <>
          <code>karat view</code> {T.viewScores}
        </>
      )}
    </p>
  );
}

// -- the table

function Grid(props: ItemsProps & { rows: Uint32Array; cols: Col[]; at: number }): JSX.Element {
  const { set, state, go, store, redraw, rows, cols, at } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const { tall, ratio } = scrolling(rows.length * ROW, height - ROW);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const y = at * ROW;
    const from = element.scrollTop * ratio;
    if (y < from || y > from + element.clientHeight - 3 * ROW) {
      element.scrollTop = Math.max(0, (y - element.clientHeight / 3) / ratio);
    }
  }, [at, rows, ratio]);
  const first = Math.max(0, Math.floor((top * ratio) / ROW) - 4);
  const size = Math.ceil(height / ROW) + 9;
  const last = Math.min(rows.length, first + size);
  const texts = !state.cols.length || state.cols.includes(TEXT);
  const before = cols.filter((each) => each.look === "facet");
  const after = cols.filter((each) => each.look !== "facet");
  const key = Math.min(140, Math.max(64, 8.3 * Math.max(...[0, rows.length >> 1, rows.length - 1].map((i) => (store.keys[rows[i] ?? 0] ?? "").length))));
  const widths = [`minmax(${key}px, 1.3fr)`, ...before.map((each) => each.width), ...(texts ? ["minmax(116px, 5fr)"] : []), ...after.map((each) => each.width)].join(" ");
  const narrowest = 60 + key + before.reduce((sum, each) => sum + Number.parseInt(each.width.slice(7)) + 12, 0) + (texts ? 128 : 0) + after.reduce((sum, each) => sum + Number.parseInt(each.width) + 12, 0);
  const head = (key: string, text: ComponentChildren, name: string): JSX.Element => (
    <div key={key} role="columnheader" class={`cell ${name}`} aria-sort={state.sort === key ? (state.down ? "descending" : "ascending") : "none"}>
      <Button
        class={state.sort === key ? "link on" : "link"}
        title={typeof text === "string" ? text : undefined}
        onClick={() => go(state.sort !== key ? { sort: key, down: key === "delta" } : state.down === (key === "delta") ? { down: !state.down } : { sort: "", down: false })}
      >
        {text}
        {state.sort === key && <span aria-hidden="true">{state.down ? " ↓" : " ↑"}</span>}
      </Button>
    </div>
  );
  const visibleRows: JSX.Element[] = [];
  for (let i = first; i < last; i += 1) {
    const row = rows[i] as number;
    const item = texts ? store.item(row, redraw) : null;
    const cell = (each: Col): JSX.Element => (
      <div key={each.id} role="gridcell" class={`cell ${each.look}`}>
        {each.cell(row)}
      </div>
    );
    visibleRows.push(
      <div
        key={i % size}
        role="row"
        class={`row${i === at ? " on" : ""}`}
        aria-rowindex={i + 2}
        aria-selected={i === at}
        tabIndex={i === at || (at < 0 && i === first) ? 0 : -1}
        style={{ top: `${i * ROW - top * (ratio - 1)}px` }}
        onClick={() => go({ item: store.keys[row] ?? "" }, true)}
        onKeyDown={(event) => {
          if (event.key === "Enter") go({ item: store.keys[row] ?? "" }, true);
        }}
      >
        <div role="gridcell" class="cell key" title={store.keys[row]}>
          <bdi>{store.keys[row]!}</bdi>
        </div>
        {before.map(cell)}
        {texts && (
          <div role="gridcell" class="cell snippet" dir="auto">
            {item === undefined ? <span class="dim">{T.loading}</span> : item === null ? <span class="dim">{T.notInPage}</span> : <Snippet item={item} q={state.q} />}
          </div>
        )}
        {after.map(cell)}
      </div>,
    );
  }
  return (
    <div class="grid-box" ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)} tabIndex={rows.length ? -1 : 0}>
      <div class="grid" role="grid" aria-label={T.items} aria-rowcount={rows.length + 1} style={{ height: `${tall + ROW}px`, "--cols": widths, minWidth: `${narrowest}px` }}>
        <div role="row" class="row head" aria-rowindex={1}>
          {head("item", "item", "key")}
          {before.map((each) => head(each.id, each.head, each.look))}
          {texts && <div role="columnheader" class="cell snippet">{set.source_label || "content"}</div>}
          {after.map((each) => head(each.id, each.head, each.look))}
        </div>
        <div class="rows" role="rowgroup">{visibleRows}</div>
      </div>
      {!rows.length && (
        <p class="hint">
          {set.n ? T.nothingSelected : T.noItems}{" "}
          {isFiltered(state) && (
            <Link onClick={() => go(noFilters())}>{T.clear}</Link>
          )}
        </p>
      )}
    </div>
  );
}

/** A line of an item: where the search words are in it, around them. */
function Snippet({ item, q }: { item: Item; q: string }): JSX.Element {
  const words = q.trim().toLowerCase();
  const texts = [item[0] ?? "", ...item[1].map(textOf), ...item[2].map((output) => (output?.[0] ? textOf(output[0]) : ""))];
  let text = texts.find((each) => each) ?? labelsOf(item);
  if (words) text = texts.find((each) => each.toLowerCase().includes(words)) ?? text;
  text = text.slice(0, 4000).replace(/\s+/g, " ");
  const found = words ? text.toLowerCase().indexOf(words) : -1;
  // A word or so before them: the column may be narrow.
  const begin = found > 14 ? Math.max(found - 14, text.lastIndexOf(" ", found - 4) + 1) : 0;
  return (
    <>
      {begin > 0 && "…"}
      {highlighted(text.slice(begin, begin + 200), q)}
    </>
  );
}

function labelsOf(item: Item): string {
  for (const output of item[2]) {
    for (const view of output?.[1] ?? []) {
      if (view?.[1]) return view[1][0].map(([, lines]) => lines[0]?.[0] ?? "").join(" ");
    }
  }
  return "";
}
