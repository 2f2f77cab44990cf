// The page: header, views, keys, address.
import type { JSX } from "preact";
import { render, useCallback, useEffect, useMemo, useRef, useState } from "./dom";
import { open, Store, type Source } from "./data";
import { KEYS, T } from "./english";
import { counted } from "./format";
import { extras } from "./extras";
import { Items } from "./items";
import { drawOutput, layersOf } from "./item";
import { Overview } from "./overview";
import { Button, Choice, Icon, Link, nameOf, setCompared, toneOf } from "./parts";
import { fromHash, initial, toHash, type State, type ViewName } from "./state";

const WRITE_EVERY = 400;

function App({ source, stores }: { source: Source; stores: Store[] }): JSX.Element {
  const { page } = source;
  const first = useMemo(() => fromHash(location.hash, page), [page]);
  const [state, setState] = useState(first.state);
  const [stale, setStale] = useState(first.stale);
  const [, count] = useState(0);
  // Parts of the page come in one by one; they are drawn together.
  const due = useRef(false);
  const redraw = useCallback(() => {
    if (due.current) return;
    due.current = true;
    setTimeout(() => {
      due.current = false;
      count((n) => n + 1);
    }, 16);
  }, []);
  const [keys, setKeys] = useState(false);
  const [exportOpen, setExportOpen] = useState(false);
  const searchBox = useRef<HTMLInputElement>(null);
  const moveBy = useRef<(step: number) => void>(() => undefined);
  const latest = useRef(state);
  latest.current = state;
  const menus = useRef({ keys, exportOpen });
  menus.current = { keys, exportOpen };
  const timer = useRef(0);
  const store = stores[state.set]!;
  const set = store.set;

  const go = useCallback(
    (change: Partial<State>, push = false) => {
      const before = latest.current;
      const next = { ...before, ...change };
      if (next.one === next.two && page.systems.length > 1 && change.one !== undefined && change.two === undefined) next.two = before.one;
      latest.current = next;
      setState(next);
      clearTimeout(timer.current);
      const hash = toHash(next, page);
      if (push) history.pushState(null, "", hash);
      else timer.current = window.setTimeout(() => history.replaceState(null, "", toHash(latest.current, page)), WRITE_EVERY);
      if (change.view && change.view !== before.view) window.scrollTo(0, 0);
    },
    [page],
  );

  useEffect(() => {
    const back = (): void => {
      const found = fromHash(location.hash, page);
      latest.current = found.state;
      setState(found.state);
      setStale(found.stale);
    };
    for (const event of ["popstate", "hashchange"]) window.addEventListener(event, back);
  }, [page]);

  useEffect(() => {
    if (state.item && store.rowOf(state.item) === undefined) {
      setStale((known) => [...known, `item ${state.item}`]);
      go({ item: "" });
    }
  }, [state.item, store, go]);

  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const now = latest.current;
      const target = event.target as HTMLElement;
      const field = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (event.key === "Escape") {
        if (menus.current.keys) setKeys(false);
        else if (menus.current.exportOpen) setExportOpen(false);
        else if (field) target.blur();
        else if (now.item) go({ item: "" }, true);
        return;
      }
      if (field || event.ctrlKey || event.metaKey || event.altKey) return;
      const move = (step: number): void => {
        if (now.view === "items") moveBy.current(step);
        else go({ view: "items" }, true);
        event.preventDefault();
      };
      switch (event.key) {
        case "j":
          return move(1);
        case "k":
          return move(-1);
        case "ArrowDown":
        case "ArrowUp":
          if (now.view === "items" && !target.closest(".pane-item")) move(event.key === "ArrowDown" ? 1 : -1);
          return;
        case "/":
          if (now.view !== "items") go({ view: "items" }, true);
          event.preventDefault();
          setTimeout(() => searchBox.current?.focus());
          return;
        case "x":
          if (now.two >= 0) go({ one: now.two, two: now.one });
          return;
        case "w":
          if (now.item) go({ wide: !now.wide });
          return;
        case "e":
          if (now.view === "items") setExportOpen((open) => !open);
          return;
        case "?":
          setKeys((open) => !open);
          return;
        case "[":
        case "]": {
          const layers = layersOf(page, now.metric);
          if (!layers.length) return;
          const at = Math.max(0, layers.indexOf(now.layer));
          go({ layer: layers[(at + (event.key === "]" ? 1 : layers.length - 1)) % layers.length] ?? "" });
          return;
        }
        default:
          if (/^[1-9]$/.test(event.key)) {
            const system = store.set.systems[Number(event.key) - 1];
            if (system !== undefined) go({ against: system });
          }
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [go, page, store]);

  useEffect(() => {
    setTimeout(() => document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" }));
  }, [state.view]);

  setCompared(page, state.one, state.two);
  const shared = { page, set, state, go };
  // A view that would be empty is not there.
  const all: [ViewName, string, unknown][] = [
    ["overview", T.overview, true],
    ["breakdowns", T.breakdowns, set.facets.length],
    ["items", T.items, true],
    ["errors", T.errors, set.errors.length],
    ["repair", T.repair, set.repairs.length],
    ["audit", T.audit, set.audit],
    ["trace", T.trace, set.trace],
    ["agreement", T.agreement, set.agreements.length],
  ];
  const views = all.filter(([, , there]) => there);
  const shown = views.some(([view]) => view === state.view) ? state.view : "overview";
  const systems = set.systems.filter((s) => set.scores[state.metric]?.figures[s]);
  const named = (s: number): [number, string] => [s, `${page.systems[s]?.letter}: ${nameOf(page, s)}`];
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        {T.skip}
      </a>
      <header class="top">
        <div class="brand">
          <Gem />
          <b>karat</b>
          <span class="dim title">
            {page.title} · {counted(set.n, "item")}
          </span>
        </div>
        <nav aria-label="Views">
          {views.map(([view, text]) => (
            <a
              key={view}
              href={location.href.split("#")[0] + toHash({ ...state, view }, page)}
              aria-current={shown === view ? "page" : undefined}
              onClick={(event) => {
                event.preventDefault();
                go({ view }, true);
              }}
            >
              {text}
            </a>
          ))}
        </nav>
        <div class="controls">
          {page.sets.length > 1 && <Choice label={T.itemSet} value={state.set} options={page.sets.map((each, i): [number, string] => [i, each.name])} onChange={(set) => go({ ...initial(page, set), view: state.view })} />}
          {page.metrics.length > 1 && <Choice label={T.metric} value={state.metric} options={page.metrics.map((each, i): [number, string] => [i, each.label])} onChange={(metric) => go({ metric })} />}
          {systems.length > 1 && (
            <>
              <Choice label={T.system1} class={toneOf(state.one)} value={state.one} options={systems.map(named)} onChange={(one) => go({ one })} />
              <Choice label={T.system2} class={toneOf(state.two)} value={state.two} options={[[-1, "none"], ...systems.filter((s) => s !== state.one).map(named)]} onChange={(two) => go({ two })} />
            </>
          )}
        </div>
        <div class="tools">
          <Theme />
          <Icon name={T.keysHelp} keys="?" onClick={() => setKeys(!keys)}>
            ?
          </Icon>
        </div>
      </header>
      {stale.length > 0 && (
        <div class="stale" role="status">
          {T.stale} {stale.join(", ")}{" "}
          <Link onClick={() => setStale([])}>ok</Link>
        </div>
      )}
      {shown === "overview" && <Overview {...shared} />}
      {shown === "breakdowns" && extras.groups && <extras.groups.Breakdowns {...shared} />}
      {shown === "items" && <Items {...shared} key={state.set} store={store} redraw={redraw} searchBox={searchBox} exportOpen={exportOpen} setExportOpen={setExportOpen} moveBy={moveBy} />}
      {shown === "errors" && extras.errors && <extras.errors.Errors {...shared} more={extras.confusions} />}
      {shown === "agreement" && extras.people && <extras.people.AgreementView {...shared} store={store} />}
      {shown === "repair" && extras.beyond && <extras.beyond.RepairView {...shared} />}
      {shown === "audit" && extras.beyond && <extras.beyond.AuditView {...shared} store={store} draw={drawOutput} />}
      {shown === "trace" && extras.beyond && <extras.beyond.TraceView {...shared} />}
      {keys && <Keys alone={set.systems.length < 2} close={() => setKeys(false)} />}
    </>
  );
}

function Gem(): JSX.Element {
  return (
    <svg class="gem" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M5 3h10l4 5-9 10L1 8z M1 8h18 M5 3l2.5 5L10 18l2.5-10L15 3 M7.5 8 10 3l2.5 5" />
    </svg>
  );
}

function Theme(): JSX.Element {
  const [theme, setTheme] = useState("");
  useEffect(() => {
    document.documentElement.style.colorScheme = theme || "light dark";
  }, [theme]);
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return (
    <Icon name={T.theme} aria-pressed={dark} onClick={() => setTheme(dark ? "light" : "dark")}>
      ◐
    </Icon>
  );
}

function Keys({ alone, close }: { alone: boolean; close: () => void }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
  }, []);
  return (
    <dialog ref={box} class="keys-box" aria-label={T.keysHelp} onClose={close} onClick={(event) => event.target === box.current && close()}>
      <h2>{T.keysHelp}</h2>
      <dl>
        {KEYS.filter(([, , two]) => !(two && alone)).map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Button class="chip" onClick={close}>
        ok
      </Button>
    </dialog>
  );
}

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  const source = await open(extras.served?.source);
  const stores = source.page.sets.map((_, i) => new Store(source, i));
  await Promise.all(stores.map((store) => store.start()));
  // The headline stays until the page can take its place.
  const made = document.createElement("div");
  render(<App source={source} stores={stores} />, made);
  root.replaceChildren(made);
  document.documentElement.dataset.ready = "yes";
}

start().catch((error: Error) => {
  // The headline stays readable; below it stands what went wrong.
  const said = document.createElement("p");
  said.className = "noscript";
  said.textContent = "DecompressionStream" in window ? `The page cannot be shown: ${error.message}` : T.oldBrowser;
  document.querySelector("main")?.append(said);
});
