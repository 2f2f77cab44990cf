// What was measured, and which system is better.
import type { JSX } from "preact";
import type { ItemSet, Page } from "./contract";
import { T } from "./english";
import { counted, fixed, pText, shown, signed, visible, whole } from "./format";
import { Badge, Button, Copy, Name, nameOf, pairOf, Said, Scroll, Section, toneOf } from "./parts";
import { AxisLine, Interval, axisOf } from "./plots";
import type { State } from "./state";
import { extras } from "./extras";

export interface Shared {
  page: Page;
  set: ItemSet;
  state: State;
  go: (change: Partial<State>, push?: boolean) => void;
}

export function Overview({ page, set, state, go }: Shared): JSX.Element {
  const single = page.sets.length === 1 || state.set === 0;
  return (
    <main class="column" id="main">
      <h1>{visible(single ? (page.headline[0] ?? "") : set.name)}</h1>
      {single && page.headline.length > 1 && <p class="lead">{visible(page.headline.slice(1).join(" "))}</p>}
      <Notices page={page} set={set} />
      <Systems page={page} set={set} state={state} go={go} />
      <div class="two">
        {set.systems.length > 1 && <Matrix page={page} set={set} state={state} go={go} />}
        {set.facets[0] && extras.groups && <extras.groups.Forest page={page} set={set} state={state} go={go} facet={set.facets[0]} short />}
      </div>
      <Details page={page} set={set} state={state} go={go} />
      <footer class="small">
        karat {page.made.version} · {100 * page.made.level} % intervals, {page.made.method}, {whole(page.made.resamples)} resamples · tests with{" "}
        {whole(page.made.trials)} trials · seed {page.made.seed}
        {page.made.cluster && ` · clusters by ${page.made.cluster}`}
      </footer>
    </main>
  );
}

function Notices({ page, set }: { page: Page; set: ItemSet }): JSX.Element | null {
  const partial = set.kept < set.n && set.kept > 0;
  if (!page.warnings.length && !page.left_out.length) return null;
  return (
    <ul class="notices">
      {partial && (
        <li>
          Contents of {whole(set.kept)} of {whole(set.n)} items are in this page; <code>karat view</code> shows all.
        </li>
      )}
      {page.left_out
        .filter((each) => !(partial && each.what.startsWith("contents of")))
        .map((each) => (
          <li key={each.what}>
            Left out: {visible(each.what)}: {visible(each.why)}
          </li>
        ))}
      {page.warnings.map((each) => (
        <li key={each}>
          <Said text={each} />
        </li>
      ))}
    </ul>
  );
}

function Systems({ page, set, state, go }: Shared): JSX.Element {
  const chosen = page.metrics[state.metric]!;
  const table = set.scores[state.metric]!;
  const figures = table.figures.map((each) => each?.[chosen.headline] ?? null);
  const axis = axisOf(figures.flatMap((each) => each ?? []));
  const order = [...set.systems].sort((a, b) => {
    const va = figures[a]?.[0] ?? NaN;
    const vb = figures[b]?.[0] ?? NaN;
    if (Number.isNaN(va) || Number.isNaN(vb)) return Number.isNaN(va) ? 1 : -1;
    return (chosen.lower_is_better ? va - vb : vb - va) || a - b;
  });
  const ranked = set.systems.length > 1 && table.ranks.some((rank) => rank !== null);
  const about = `${chosen.label}${chosen.lower_is_better ? " (lower is better)" : ""}, ${counted(set.n, "item")}, with ${100 * page.made.level} % intervals.${ranked ? " Systems of one rank cannot be told apart." : ""}`;
  return (
    <Section title={T.systems} about={<>{visible(about)} {table.reasons && visible(table.reasons)}</>}>
      <Scroll label={T.systems}>
        <table class="systems">
          <thead>
            <tr>
              {ranked && <th scope="col">{T.rank}</th>}
              <th scope="col">{T.system}</th>
              {page.metrics.map((metric, m) => (
                <th key={metric.key} scope="col" class="number">
                  {page.metrics.length > 1 ? (
                    <Button class={m === state.metric ? "link on" : "link"} aria-pressed={m === state.metric} onClick={() => go({ metric: m })}>
                      {visible(metric.label)}
                    </Button>
                  ) : (
                    visible(metric.label)
                  )}
                </th>
              ))}
              <th scope="col" class="plot">
                <span class="offscreen">{chosen.label} and interval</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {order.map((s) => (
              <tr key={s}>
                {ranked && <td class="rank">{table.ranks[s] ?? T.undefined}</td>}
                <th scope="row">
                  <Name page={page} system={s} />
                </th>
                {page.metrics.map((metric, m) => {
                  const figure = set.scores[m]?.figures[s]?.[metric.headline];
                  const run = set.scores[m]?.runs[s];
                  if (!figure || !run) return <td key={metric.key} class="number">{T.undefined}</td>;
                  const interval = figure[1] === null ? "" : `${fixed(figure[1], metric.digits)} – ${fixed(figure[2], metric.digits)}`;
                  return (
                    <td key={metric.key} class="number">
                      <Copy
                        class={`figure${m === state.metric ? " main" : ""}`}
                        title="Copy this figure with its signature"
                        text={() => `${page.systems[s]?.name}: ${metric.label} ${fixed(figure[0], metric.digits)}${interval ? ` [${interval}]` : ""}, ${run.items} items, ${run.signature}`}
                      >
                        {fixed(figure[0], metric.digits)}
                      </Copy>
                      {interval && <span class="under">{interval}</span>}
                    </td>
                  );
                })}
                <td class="plot">
                  <Interval axis={axis} figure={figures[s] ?? null} tone={toneOf(s)} label={`${page.systems[s]?.name}: ${fixed(figures[s]?.[0], chosen.digits)}`} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td colSpan={(ranked ? 2 : 1) + page.metrics.length} />
              <td class="plot">
                <AxisLine axis={axis} />
              </td>
            </tr>
          </tfoot>
        </table>
      </Scroll>
    </Section>
  );
}

function Matrix({ page, set, state, go }: Shared): JSX.Element {
  const metric = page.metrics[state.metric]!;
  const table = set.scores[state.metric]!;
  const systems = set.systems.filter((s) => table.figures[s]);
  const several = table.pairs.length > 1;
  const about = table.untested
    ? `No test: ${table.untested}`
    : `Row minus column in ${metric.label}; ${{ randomization: "paired randomization test", permutation: "paired permutation test, exact" }[table.test] ?? `paired test (${table.test})`}${several ? ", p-values Holm-corrected" : ""}.`;
  return (
    <Section title={T.whoBeats} about={visible(about)}>
      <Scroll label={T.whoBeats}>
        <table class="matrix">
          <thead>
            <tr>
              <td />
              {systems.map((s) => (
                <th key={s} scope="col">
                  {nameOf(page, s)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {systems.map((row) => (
              <tr key={row}>
                <th scope="row">
                  <Name page={page} system={row} />
                </th>
                {systems.map((column) => {
                  const pair = row === column ? null : pairOf(table.pairs, row, column, false);
                  if (!pair) return <td key={column} class="self">·</td>;
                  const good = (pair.difference ?? 0) * (metric.lower_is_better ? -1 : 1);
                  const sure = pair.p !== null && pair.p <= page.made.alpha;
                  const interval = pair.low === null ? "" : `, ${100 * page.made.level} % interval ${fixed(pair.low, metric.digits)} to ${fixed(pair.high, metric.digits)}${several ? `, ${T.notCorrected}` : ""}`;
                  return (
                    <td key={column}>
                      <Button
                        class={`duel ${sure ? (good > 0 ? "ahead" : "behind") : "unsure"}`}
                        title={`${signed(pair.difference, metric.digits)}${interval}. See the items.`}
                        onClick={() => go({ view: "items", one: row, two: column }, true)}
                      >
                        <b>{signed(pair.difference, metric.digits)}</b>
                        <small>{pText(pair.p, pair.floor)}</small>
                      </Button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Section>
  );
}

function Details({ page, set, state }: Shared): JSX.Element {
  const metric = page.metrics[state.metric]!;
  const table = set.scores[state.metric]!;
  const systems = set.systems.filter((s) => table.figures[s]);
  return (
    <details class="details">
      <summary>{T.details}: all scores of {visible(metric.name)}, signatures, files</summary>
      <Section title={T.allScores}>
        <Scroll label={T.allScores}>
          <table class="scores">
            <thead>
              <tr>
                <th scope="col">score</th>
                {systems.map((s) => (
                  <th key={s} scope="col" class="number">
                    {nameOf(page, s)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {metric.leaves.map((leaf, i) => (
                <tr key={leaf.name} class={i === metric.headline ? "main" : ""}>
                  <th scope="row">
                    {visible(leaf.name)}
                    {leaf.lower_is_better && <span class="dim"> ↓</span>}
                  </th>
                  {systems.map((s) => {
                    const figure = table.figures[s]?.[i];
                    return (
                      <td key={s} class="number">
                        {shown(figure?.[0], leaf.digits)}
                        {figure && figure[1] !== null && (
                          <span class="under">
                            {fixed(figure[1], leaf.digits)} – {fixed(figure[2], leaf.digits)}
                          </span>
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
              <tr>
                <th scope="row">mean of the items' {visible(metric.label)}</th>
                {systems.map((s) => (
                  <td key={s} class="number">{fixed(table.means[s], metric.digits)}</td>
                ))}
              </tr>
            </tbody>
          </table>
        </Scroll>
      </Section>
      <Section title={T.files} table={false}>
        {systems.map((s) => {
          const run = table.runs[s]!;
          return (
            <div key={s} class="run">
              <Badge page={page} system={s} small /> <code>{visible(run.signature)}</code> <Copy text={() => run.signature}>copy</Copy>
              <ul>
                {run.files.map((file) => (
                  <li key={file.role + file.name}>
                    {file.role}: {visible(file.name)}
                    {file.reading && <> ({visible(file.reading)})</>}
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
