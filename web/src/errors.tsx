// The most frequent errors, each leading to its items.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { KINDS, type ErrorRow } from "./contract";
import { T } from "./english";
import { visible, whole } from "./format";
import { Badge, Button, Choice, nameOf, Scroll, Section, toneOf } from "./parts";
import type { Shared } from "./overview";
import { noFilters } from "./state";

const AT_ONCE = 60;

export function Errors({ page, set, state, go }: Shared): JSX.Element {
  const [kind, setKind] = useState(-1);
  const [all, setAll] = useState(false);
  const [sort, setSort] = useState(-1);
  const metrics = [...new Set(set.errors.map((row) => row.metric))];
  const metric = metrics.includes(state.metric) ? state.metric : (metrics[0] ?? 0);
  const own = set.errors.map((row, i) => ({ row, i })).filter(({ row }) => row.metric === metric);
  const parts = [...new Set(own.map(({ row }) => row.part))];
  const part = parts.includes(state.part) ? state.part : "";
  const rows = own.filter(({ row }) => (!part || row.part === part) && (kind < 0 || row.kind === kind));
  const systems = set.systems.filter((s) => set.errors.some((row) => row.times[s]));
  const total = (row: ErrorRow): number => row.times.reduce((a, b) => a + b, 0);
  rows.sort((a, b) => (sort < 0 ? total(b.row) - total(a.row) : (b.row.times[sort] ?? 0) - (a.row.times[sort] ?? 0)) || a.i - b.i);
  const most = Math.max(1, ...rows.flatMap(({ row }) => row.times));
  const shownRows = all ? rows : rows.slice(0, AT_ONCE);
  const open = (error: number, system: number): void => go({ view: "items", ...noFilters(), errors: [[error, system]], one: system, two: state.two === system ? state.one : state.two, sort: "one", down: false, item: "" }, true);
  return (
    <main class="column" id="main">
      <h1>{T.errors}</h1>
      <div class="toolbar">
        <div class="chips" role="group" aria-label="Part">
          {["", ...parts].map((each) => (
            <Button key={each} class={each === part ? "chip on" : "chip"} aria-pressed={each === part} onClick={() => go({ part: each })}>
              {visible(each) || T.all}
            </Button>
          ))}
        </div>
        <Choice
          label="Kind"
          value={kind}
          options={[[-1, "any kind"], [3, T.changed], [1, T.missing], [2, T.surplus]]}
          onChange={setKind}
        />
      </div>
      <Section
        title={part ? `Errors in ${visible(part)}` : "The most frequent errors"}
        about={`What differs from gold${metrics.length > 1 || page.metrics.length > 1 ? ` by ${visible(page.metrics[metric]?.name ?? "")}` : ""}: how often, and in how many items. A count opens its items.${set.errors_left_out ? ` ${whole(set.errors_left_out)} rarer errors are not listed.` : ""}`}
      >
        <Scroll label={T.errors}>
          <table class="errors">
            <thead>
              <tr>
                <th scope="col">kind</th>
                <th scope="col">part</th>
                <th scope="col">gold</th>
                <th scope="col">system</th>
                {systems.map((s) => (
                  <th key={s} scope="col" class="number" aria-sort={sort === s ? "descending" : undefined}>
                    <Button class={sort === s ? "link on" : "link"} onClick={() => setSort(sort === s ? -1 : s)}>
                      <Badge page={page} system={s} small /> {nameOf(page, s)}
                    </Button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shownRows.map(({ row, i }) => (
                <tr key={i} class={KINDS[row.kind]}>
                  <td>
                    <span class={`kind ${KINDS[row.kind]}`}>{KINDS[row.kind]}</span>
                  </td>
                  <td class="dim">{visible(row.part)}</td>
                  <td class="error-text" dir="auto">{visible(row.gold) || "–"}</td>
                  <td class="error-text" dir="auto">{visible(row.system) || "–"}</td>
                  {systems.map((s) => (
                    <td key={s} class="number error-count">
                      {row.times[s] ? (
                        <Button class="link" title={`${whole(row.times[s] ?? 0)} times in ${whole(row.items[s] ?? 0)} items`} onClick={() => open(i, s)}>
                          <span class="under-line">{whole(row.times[s] ?? 0)}</span>
                          {row.items[s] !== row.times[s] && <small> in {whole(row.items[s] ?? 0)}</small>}
                          <svg class="bar" width="60" height="8" aria-hidden="true">
                            <rect class={toneOf(s)} width={Math.max(2, ((row.times[s] ?? 0) / most) * 60)} height="8" rx="1" />
                          </svg>
                        </Button>
                      ) : (
                        <span class="dim">
                          0 <svg class="bar" width="60" height="8" aria-hidden="true" />
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
        {rows.length > shownRows.length && (
          <p>
            <Button class="chip" onClick={() => setAll(true)}>
              Show all {whole(rows.length)}
            </Button>
          </p>
        )}
      </Section>
      <Confusions page={page} set={set} state={state} go={go} part={part} open={open} />
    </main>
  );
}

function Confusions({ page, set, part, open }: Shared & { part: string; open: (error: number, system: number) => void }): JSX.Element | null {
  const known = set.confusions.filter((each) => !part || each.part === part);
  const [chosen, choose] = useState(0);
  const found = known[Math.min(chosen, known.length - 1)];
  if (!found) return null;
  const most = Math.max(1, ...found.counts.flat());
  const find = (gold: string, system: string): number => set.errors.findIndex((row) => row.metric === found.metric && row.part === found.part && KINDS[row.kind] === "changed" && row.gold === gold && row.system === system);
  return (
    <Section title="What is taken for what" about={`${visible(found.part)} of gold in rows, of ${nameOf(page, found.system)} in columns.`}>
      {known.length > 1 && (
        <Choice label="Table" value={Math.min(chosen, known.length - 1)} options={known.map((each, i): [number, string] => [i, `${each.part}: ${page.systems[each.system]?.name}`])} onChange={choose} />
      )}
      <Scroll label="Confusions">
        <table class="confusions">
          <thead>
            <tr>
              <td />
              {found.labels.map((label) => (
                <th key={label} scope="col">
                  <span>{visible(label)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.labels.map((gold, g) => (
              <tr key={gold}>
                <th scope="row">{visible(gold)}</th>
                {found.labels.map((system, s) => {
                  const count = found.counts[g]?.[s] ?? 0;
                  const error = count ? find(gold, system) : -1;
                  return (
                    <td key={system} class={count ? `heat h${Math.ceil((count / most) * 4)}` : g === s ? "self" : ""}>
                      {count > 0 &&
                        (error >= 0 ? (
                          <Button title={`${gold} → ${system}`} onClick={() => open(error, found.system)}>
                            {whole(count)}
                          </Button>
                        ) : (
                          whole(count)
                        ))}
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
