// The most frequent errors, each leading to its items.
import type { JSX } from "preact";
import { useState } from "./dom";
import { KINDS, type ErrorRow } from "./contract";
import { T } from "./english";
import { counted, whole } from "./format";
import { Badge, Bar, Button, Chips, nameOf, Section, Table, toneOf } from "./parts";
import type * as confusions from "./confusions";
import type { Shared } from "./overview";
import { ofError } from "./state";

const AT_ONCE = 60;

/** An error, and its place in the list. */
interface Listed {
  row: ErrorRow;
  i: number;
}

export function Errors({ page, set, state, go, more }: Shared & { more: typeof confusions | undefined }): JSX.Element {
  const [kind, setKind] = useState(-1);
  const [all, setAll] = useState(false);
  const metrics = [...new Set(set.errors.map((row) => row.metric))];
  const metric = metrics.includes(state.metric) ? state.metric : (metrics[0] ?? 0);
  const own = set.errors.map((row, i) => ({ row, i })).filter(({ row }) => row.metric === metric);
  const parts = [...new Set(own.map(({ row }) => row.part))];
  const part = parts.includes(state.part) ? state.part : "";
  const rows = own.filter(({ row }) => (!part || row.part === part) && (kind < 0 || row.kind === kind));
  const systems = set.systems.filter((s) => set.errors.some((row) => row.times[s]));
  const total = (row: ErrorRow): number => row.times.reduce((a, b) => a + b, 0);
  rows.sort((a, b) => total(b.row) - total(a.row) || a.i - b.i);
  const most = Math.max(1, ...rows.flatMap(({ row }) => row.times));
  return (
    <main class="column" id="main">
      <h1>{T.errors}</h1>
      <div class="toolbar">
        {parts.length > 1 && <Chips label="Part" value={part} options={["", ...parts].map((each): [string, string] => [each, each || T.all])} onChange={(each) => go({ part: each })} />}
        <Chips label="Kind" value={String(kind)} options={[["-1", "any kind"], ["3", T.changed], ["1", T.missing], ["2", T.surplus]]} onChange={(each) => setKind(Number(each))} />
      </div>
      {more && <more.Confusions page={page} set={set} state={state} go={go} part={part} metric={metric} />}
      <Section
        title={part ? `Errors in ${part}` : "The most frequent errors"}
        about={`What differs from gold${metrics.length > 1 || page.metrics.length > 1 ? ` by ${page.metrics[metric]?.label ?? ""}` : ""}: how often, and in how many items. A count opens its items.${set.errors_left_out ? ` ${whole(set.errors_left_out)} rarer errors are not listed.` : ""}`}
      >
        <Table
          label={T.errors}
          class="errors"
          rows={rows}
          most={all ? undefined : AT_ONCE}
          tone={({ row }) => KINDS[row.kind]!}
          fields={[
            { head: "kind", cell: ({ row }) => <span class={`kind ${KINDS[row.kind]}`}>{KINDS[row.kind]}</span> },
            parts.length > 1 && !part && { head: "part", class: "dim", cell: ({ row }) => row.part },
            { head: "gold", class: "error-text", cell: ({ row }) => <bdi>{row.gold || T.undefined}</bdi> },
            { head: "system", class: "error-text", cell: ({ row }) => <bdi>{row.system || T.undefined}</bdi> },
            ...systems.map((s) => ({
              head: [<Badge page={page} system={s} small />, " ", nameOf(page, s)],
              class: "number error-count",
              by: ({ row }: Listed) => row.times[s],
              cell: ({ row, i }: Listed) => {
                const [times, items] = [row.times[s] ?? 0, row.items[s] ?? 0];
                const bar = <Bar tone={toneOf(s)} share={times / most} />;
                if (!times) return <span class="dim">0 {bar}</span>;
                return (
                  <Button class="link" title={`${whole(times)} times in ${counted(items, "item")}`} onClick={() => go(ofError(state, i, s), true)}>
                    <span class="under-line">{whole(times)}</span>
                    {items !== times && <small> in {whole(items)}</small>}
                    {bar}
                  </Button>
                );
              },
            })),
          ]}
        />
        {!all && rows.length > AT_ONCE && (
          <p>
            <Button class="chip" onClick={() => setAll(true)}>
              Show all {whole(rows.length)}
            </Button>
          </p>
        )}
      </Section>
    </main>
  );
}
