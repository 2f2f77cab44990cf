// Which labels a system takes for which others; in a script of its own.
import type { JSX } from "preact";
import { useState } from "./dom";
import { KINDS } from "./contract";
import { counted, whole } from "./format";
import { Bar, Button, Choice, Link, nameOf, Section, Table, toneOf } from "./parts";
import type { Shared } from "./overview";
import { ofError } from "./state";

/** So many labels are in the table at first, and so many confusions in the list beside it. */
const [FIRST, LISTED] = [12, 6];

interface Pair {
  gold: string;
  system: string;
  times: number;
  /** Its place among the errors, or -1. */
  error: number;
}

/** The most frequent ones as a list and, unless that is `short`, as a table of counts. */
export function Confusions({ page, set, state, go, part, metric, short = false }: Shared & { part: string; metric: number; short?: boolean }): JSX.Element | null {
  const known = set.confusions.filter((each) => each.metric === metric && (!part || each.part === part));
  const [chosen, choose] = useState(-1);
  const [all, setAll] = useState(false);
  // At first the table with the most frequent confusion.
  const highest = known.map((each) => Math.max(...each.counts.flat()));
  const at = chosen < 0 || chosen >= known.length ? highest.indexOf(Math.max(...highest)) : chosen;
  const found = known[at];
  if (!found) return null;
  const { labels, counts } = found;
  const places = [...labels.keys()];
  const pairs = places.flatMap((g) => places.flatMap((s): Pair[] => (g !== s && counts[g]![s] ? [{ gold: labels[g]!, system: labels[s]!, times: counts[g]![s]!, error: -1 }] : [])));
  set.errors.forEach((row, error) => {
    if (row.metric !== metric || row.part !== found.part || KINDS[row.kind] !== "changed") return;
    const pair = pairs.find((each) => each.gold === row.gold && each.system === row.system);
    if (pair) pair.error = error;
  });
  pairs.sort((a, b) => b.times - a.times);
  const [first] = pairs;
  const most = first?.times ?? 1;
  // The labels that are confused most come first, so that the dark cells are near the corner.
  const often = (side: "gold" | "system"): number[] => {
    const times = places.map((i) => pairs.reduce((sum, each) => sum + (each[side] === labels[i] ? each.times : 0), 0));
    return places.filter((i) => times[i]).sort((a, b) => times[b]! - times[a]!);
  };
  const [rows, columns] = [often("gold"), often("system")];
  const shown = all ? undefined : FIRST;
  // One row or column says no more than the list.
  const table = !short && Math.min(rows.length, columns.length) > 1;
  const open = (error: number): void => go(ofError(state, error, found.system), true);
  const name = nameOf(page, found.system);
  const said = (each: Pair): JSX.Element => (
    <>
      <bdi>{each.gold}</bdi> → <bdi>{each.system}</bdi>
    </>
  );
  return (
    <Section title="What is taken for what" about={`${first ? `Most often in ${found.part}: ${first.gold} → ${first.system}, ${counted(first.times, "time")}. ` : ""}${table ? `Gold in rows, what ${name} has instead in columns; a` : "A"} count opens its items.`}>
      {!short && known.length > 1 && <Choice label="Table" value={at} options={known.map((each, i): [number, string] => [i, `${each.part}: ${page.systems[each.system]?.name}`])} onChange={choose} />}
      <div class="taken">
        <ol class="most">
          {pairs.slice(0, LISTED).map((each) => (
            <li key={`${each.gold} ${each.system}`}>
              <Button class="link" disabled={each.error < 0} onClick={() => open(each.error)}>
                <span class="under-line">{said(each)}</span> <b>{whole(each.times)}</b> <Bar tone={toneOf(found.system)} share={each.times / most} />
              </Button>
            </li>
          ))}
        </ol>
        {table && <Table
          label="Confusions"
          class="confusions"
          rows={rows.slice(0, shown)}
          fields={[
            { names: true, cell: (g) => labels[g]! },
            ...columns.slice(0, shown).map((s) => ({
              head: <span>{labels[s]!}</span>,
              tone: (g: number) => (counts[g]![s] ? `heat h${Math.ceil((counts[g]![s]! / most) * 4)}` : g === s ? "self" : ""),
              cell: (g: number) => {
                const pair = pairs.find((each) => each.gold === labels[g] && each.system === labels[s]);
                if (!pair) return "";
                return pair.error < 0 ? whole(pair.times) : <Button title={`${pair.gold} → ${pair.system}`} onClick={() => open(pair.error)}>{whole(pair.times)}</Button>;
              },
            })),
          ]}
        />}
      </div>
      {table && Math.max(rows.length, columns.length) > FIRST && (
        <p class="small">
          <Link onClick={() => setAll(!all)}>{all ? `the ${FIRST} labels that are confused most` : `all ${labels.length} labels`}</Link>
        </p>
      )}
    </Section>
  );
}
