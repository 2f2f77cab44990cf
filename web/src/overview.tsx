// What was measured, and which system is better.
import type { ComponentChildren, JSX } from "preact";
import type { ItemSet, Page } from "./contract";
import { T } from "./english";
import { between, counted, fixed, shown, whole } from "./format";
import { Badge, Button, Copy, Figure, Name, nameOf, Section, Table, toneOf, Warnings } from "./parts";
import { AxisLine, Interval, axisOf } from "./plots";
import { bestFirst, type State } from "./state";
import { extras } from "./extras";

export interface Shared {
  page: Page;
  set: ItemSet;
  state: State;
  go: (change: Partial<State>, push?: boolean) => void;
}

/** With more systems than that, their matrix needs the whole width. */
const WIDE = 4;
/** So many kinds of scores stand beside each other. */
const MOST_ENDS = 10;

export function Overview({ page, set, state, go }: Shared): JSX.Element {
  const single = page.sets.length === 1 || state.set === 0;
  return (
    <main class="column" id="main">
      <h1>{single ? (page.headline[0] ?? "") : set.name}</h1>
      {single && page.headline.length > 1 && <p class="lead">{page.headline.slice(1).join(" ")}</p>}
      <Notices page={page} set={set} />
      <Systems page={page} set={set} state={state} go={go} />
      <div class={set.systems.length > WIDE ? "two wide" : "two"}>
        {set.systems.length > 1 && extras.pairs && <extras.pairs.Matrix page={page} set={set} state={state} go={go} />}
        {set.facets[0] && extras.groups && <extras.groups.Forest page={page} set={set} state={state} go={go} facet={set.facets[0]} short />}
        {set.systems.length === 1 && extras.confusions && <extras.confusions.Confusions page={page} set={set} state={state} go={go} part="" metric={state.metric} short />}
      </div>
      <Details page={page} set={set} state={state} go={go} />
      <footer class="small">
        karat {page.made.version} · {100 * page.made.level} % intervals ({page.made.method}, {whole(page.made.resamples)} resamples) · tests with{" "}
        {whole(page.made.trials)} trials · seed {page.made.seed}
        {page.made.cluster && ` · clusters by ${page.made.cluster}`}
      </footer>
    </main>
  );
}

/** What is not as one would expect: contents that are left out, warnings. */
function Notices({ page, set }: { page: Page; set: ItemSet }): JSX.Element | null {
  const partial = set.kept < set.n && set.kept > 0;
  const shows = "; ``karat view`` shows all.";
  return (
    <Warnings
      texts={[
        ...(partial ? [`Contents of ${whole(set.kept)} of ${whole(set.n)} items are in this page${shows}`] : []),
        ...page.left_out.filter((each) => !(partial && each.what.startsWith("contents of"))).map((each) => `Left out: ${each.what}: ${each.why}${each.command && shows}`),
        ...page.warnings,
      ]}
    />
  );
}

function Systems({ page, set, state, go }: Shared): JSX.Element {
  const chosen = page.metrics[state.metric]!;
  const table = set.scores[state.metric]!;
  const figures = table.figures.map((each) => each?.[chosen.headline] ?? null);
  const axis = axisOf(figures.flatMap((each) => each ?? []));
  const ranked = set.systems.length > 1 && table.ranks.some((rank) => rank !== null);
  const intervals = figures.some((each) => each && each[1] !== null) ? `, with ${100 * page.made.level} % intervals` : "";
  const about = `${chosen.label}${chosen.lower_is_better ? " (lower is better)" : ""}, ${counted(set.n, "item")}${intervals}${table.reasons && `, ${table.reasons}`}.${ranked ? ` ${T.ranks}` : ""}`;
  return (
    <Section title={T.systems} about={about}>
      <Table
        label={T.systems}
        class="systems"
        rows={bestFirst(page, set, state.metric)}
        fields={[
          ranked && { head: T.rank, tone: () => "rank", cell: (s) => table.ranks[s] ?? T.undefined },
          { head: T.system, names: true, cell: (s) => <Name page={page} system={s} whole /> },
          ...page.metrics.map((metric, m) => {
            const name = `${metric.label}${metric.lower_is_better ? " ↓" : ""}`;
            const head =
              page.metrics.length > 1 ? (
                <Button class={m === state.metric ? "link on" : "link"} aria-pressed={m === state.metric} onClick={() => go({ metric: m })}>
                  {name}
                </Button>
              ) : (
                name
              );
            const cell = (s: number): JSX.Element | string => {
              const figure = set.scores[m]?.figures[s]?.[metric.headline];
              const run = set.scores[m]?.runs[s];
              if (!figure || !run) return T.undefined;
              const interval = figure[1] === null ? "" : ` [${between(figure[1], figure[2], metric.digits)}]`;
              return (
                <Figure figure={figure} digits={metric.digits}>
                  <Copy
                    class={`figure${m === state.metric ? " main" : ""}`}
                    title="Copy with signature"
                    text={() => `${page.systems[s]?.name}: ${metric.label} ${fixed(figure[0], metric.digits)}${interval}, ${run.items} items, ${run.signature}`}
                  >
                    {fixed(figure[0], metric.digits)}
                  </Copy>
                </Figure>
              );
            };
            return { head, class: "number", cell };
          }),
          {
            head: `${chosen.label} and interval`,
            class: "plot",
            cell: (s) => <Interval axis={axis} figure={figures[s] ?? null} tone={toneOf(s)} label={`${page.systems[s]?.name}: ${fixed(figures[s]?.[0], chosen.digits)}`} />,
            foot: <AxisLine axis={axis} />,
          },
        ]}
      />
    </Section>
  );
}

function Details({ page, set, state }: Shared): JSX.Element {
  const metric = page.metrics[state.metric]!;
  const table = set.scores[state.metric]!;
  const systems = set.systems.filter((s) => table.figures[s]);
  const { leaves } = metric;
  const placeOf = (name: string): number => leaves.findIndex((each) => each.name === name);
  const endOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
  const named = (i: number, name: string): ComponentChildren => [name, leaves[i]!.lower_is_better && <span class="dim"> ↓</span>];
  const cell = (s: number, i: number): ComponentChildren => {
    const figure = table.figures[s]?.[i];
    return i >= 0 && <Figure figure={figure} digits={leaves[i]!.digits}>{shown(figure?.[0], leaves[i]!.digits)}</Figure>;
  };
  // The scores of one system are a table of their parts: precision, recall, … of each.
  const ends = [...new Set(leaves.map(({ name }) => endOf(name)))];
  const parts = [...new Set(leaves.map(({ name }) => name.slice(0, name.lastIndexOf(".") + 1)))];
  const grid = systems.length === 1 && ends.length <= MOST_ENDS && parts.length > 1;
  const mean = `mean of the items' ${metric.label}`;
  return (
    <details class="details" open={systems.length === 1}>
      <summary>{T.details}: all scores by {metric.label}, signatures, files</summary>
      <Section title={T.allScores}>
        {grid ? (
          <>
            <Table
              label={T.allScores}
              class="scores"
              rows={parts}
              fields={[
                { head: "score", names: true, cell: (part) => part.slice(0, -1) || (parts.includes("all.") ? "items" : "all") },
                ...ends.map((end) => ({ head: named(leaves.findIndex(({ name }) => endOf(name) === end), end), class: "number", tone: (part: string) => (placeOf(part + end) === metric.headline ? "main" : ""), cell: (part: string) => cell(systems[0]!, placeOf(part + end)) })),
              ]}
            />
            <p class="small">
              {mean}: {fixed(table.means[systems[0]!], metric.digits)}
            </p>
          </>
        ) : (
          <Table
            label={T.allScores}
            class="scores"
            rows={[...leaves.keys(), -1]}
            tone={(i) => (i === metric.headline ? "main" : "")}
            fields={[
              { head: "score", names: true, cell: (i) => (i < 0 ? mean : named(i, leaves[i]!.name)) },
              ...systems.map((s) => ({ head: nameOf(page, s), class: "number", cell: (i: number) => (i < 0 ? fixed(table.means[s], metric.digits) : cell(s, i)) })),
            ]}
          />
        )}
      </Section>
      <Section title={T.files} table={false}>
        {systems.map((s) => {
          const run = table.runs[s]!;
          return (
            <div key={s} class="run">
              <Badge page={page} system={s} small /> <code>{run.signature}</code> <Copy class="link under-line" text={() => run.signature}>copy</Copy>
              <ul>
                {run.files.map((file) => (
                  <li key={file.role + file.name}>
                    {file.role}: {file.name}
                    {file.reading && <> ({file.reading})</>}
                    {file.sha256 && <code class="sha"> sha256 {file.sha256.slice(0, 16)}…</code>}
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </Section>
    </details>
  );
}
