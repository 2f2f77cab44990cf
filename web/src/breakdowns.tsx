// Every group: the score of each system, and the difference of two.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Facet } from "./contract";
import { T } from "./english";
import { fixed, signed, visible, whole } from "./format";
import { Badge, Button, nameOf, pairOf, Scroll, Section, toneOf } from "./parts";
import { AxisLine, Interval, axisOf } from "./plots";
import type { Shared } from "./overview";
import { noFilters } from "./state";

export function Breakdowns(shared: Shared): JSX.Element {
  const { set } = shared;
  return (
    <main class="column" id="main">
      <h1>{T.breakdowns}</h1>
      {set.facets.map((facet) => (
        <Forest key={facet.name} {...shared} facet={facet} />
      ))}
    </main>
  );
}

export function Forest({ page, set, state, go, facet, short }: Shared & { facet: Facet; short?: boolean }): JSX.Element {
  const [order, setOrder] = useState<"" | "items" | "one" | "two" | "delta">(short ? "delta" : "");
  const metric = page.metrics[state.metric]!;
  const { one, two } = state;
  const both = two >= 0 && one !== two && set.scores[state.metric]?.figures[one] && set.scores[state.metric]?.figures[two];
  const rows = facet.groups.map((group) => {
    const figures = group.figures[state.metric] ?? [];
    const a = figures[one] ?? null;
    const b = figures[two] ?? null;
    const tested = both ? pairOf(group.pairs[state.metric] ?? [], one, two, metric.lower_is_better) : null;
    const gap = a && b && a[0] !== null && b[0] !== null ? (a[0] - b[0]) * (metric.lower_is_better ? -1 : 1) : null;
    return { group, a, b, tested, gap };
  });
  const sign = metric.lower_is_better ? 1 : -1;
  const last = (value: number | null | undefined): number => (value === null || value === undefined ? Infinity : value);
  if (order === "items") rows.sort((x, y) => y.group.items - x.group.items);
  if (order === "one") rows.sort((x, y) => last(x.a?.[0] == null ? null : sign * x.a[0]) - last(y.a?.[0] == null ? null : sign * y.a[0]));
  if (order === "two") rows.sort((x, y) => last(x.b?.[0] == null ? null : sign * x.b[0]) - last(y.b?.[0] == null ? null : sign * y.b[0]));
  if (order === "delta" && both) rows.sort((x, y) => last(x.gap === null ? null : -x.gap) - last(y.gap === null ? null : -y.gap));
  const shownRows = short ? rows.slice(0, 12) : rows;
  const axis = both ? axisOf(rows.flatMap((row) => (row.tested ? [row.tested.difference, row.tested.low, row.tested.high] : [row.gap])), 0) : axisOf(rows.flatMap((row) => row.a ?? []));
  const names = [nameOf(page, one), nameOf(page, two)];
  const title = short ? (both ? `Where ${names[0]} and ${names[1]} differ` : `By ${visible(facet.name)}`) : `By ${visible(facet.name)}`;
  const level = `${100 * facet.level} % intervals`;
  const about = both
    ? `Difference in ${visible(metric.label)} by ${visible(facet.name)}, with ${level}, ${T.notCorrected}; groups of fewer than 10 items without. Choose a row to see its items.`
    : `${visible(metric.label)} by ${visible(facet.name)}, with ${level}. Choose a row to see its items.`;
  const head = (key: typeof order, text: JSX.Element | string, name = "number"): JSX.Element => (
    <th scope="col" class={name} aria-sort={order === key ? "descending" : undefined}>
      <Button class={order === key ? "link on" : "link"} onClick={() => setOrder(order === key ? "" : key)}>
        {text}
      </Button>
    </th>
  );
  const open = (name: string): void => {
    const column = set.columns.find((each) => each.id === facet.column);
    const value = column?.values.indexOf(name) ?? -1;
    if (column && value >= 0) go({ view: "items", ...noFilters(), facets: { [column.id]: value }, item: "" }, true);
  };
  return (
    <Section title={title} about={about}>
      <Scroll label={title}>
        <table class="forest">
          <thead>
            <tr>
              <th scope="col">{visible(facet.name)}</th>
              {head("items", "items")}
              {(!short || !both) && head("one", <><Badge page={page} system={one} small /> {names[0]}</>)}
              {!short && both && head("two", <><Badge page={page} system={two} small /> {names[1]}</>)}
              {both && head("delta", T.difference)}
              <th scope="col" class="plot">
                {both ? (
                  <span class="ends">
                    <span>← {names[1]}</span>
                    <span>{names[0]} →</span>
                  </span>
                ) : (
                  <span class="offscreen">plot</span>
                )}
              </th>
            </tr>
          </thead>
          <tbody>
            {shownRows.map(({ group, a, b, tested, gap }) => {
              const ahead = (tested?.difference ?? gap ?? 0) > 0;
              const figure = both ? [tested?.difference ?? gap, tested?.low ?? null, tested?.high ?? null] : a;
              const unsure = both && (tested?.low == null || ((tested.low ?? 0) <= 0 && (tested.high ?? 0) >= 0));
              return (
                <tr key={group.name}>
                  <th scope="row">
                    {facet.column ? (
                      <Button class="link under-line" onClick={() => open(group.name)}>
                        {visible(group.name) || "(none)"}
                      </Button>
                    ) : (
                      visible(group.name) || "(none)"
                    )}
                  </th>
                  <td class="number dim">{whole(group.items)}</td>
                  {(!short || !both) && <Score figure={a} digits={metric.digits} />}
                  {!short && both && <Score figure={b} digits={metric.digits} />}
                  {both && <td class="number">{signed(gap, metric.digits)}</td>}
                  <td class="plot">
                    <Interval axis={axis} figure={figure as (number | null)[]} zero={!!both} faint={!!unsure} tone={toneOf(both && !ahead ? two : one)} label={`${group.name}: ${both ? signed(gap, metric.digits) : fixed(a?.[0], metric.digits)}${tested?.low != null ? `, interval ${fixed(tested.low, metric.digits)} to ${fixed(tested.high, metric.digits)}` : ""}`} />
                  </td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <td colSpan={2 + (!short || !both ? 1 : 0) + (!short && both ? 1 : 0) + (both ? 1 : 0)} />
              <td class="plot">
                <AxisLine axis={axis} />
              </td>
            </tr>
          </tfoot>
        </table>
      </Scroll>
      {short && rows.length > shownRows.length && (
        <p class="small">
          <Button class="link under-line" onClick={() => go({ view: "breakdowns" }, true)}>
            all {rows.length} groups
          </Button>
        </p>
      )}
    </Section>
  );
}

function Score({ figure, digits }: { figure: (number | null)[] | null; digits: number }): JSX.Element {
  return (
    <td class="number">
      {fixed(figure?.[0], digits)}
      {figure && figure[1] != null && (
        <span class="under">
          {fixed(figure[1], digits)} – {fixed(figure[2], digits)}
        </span>
      )}
    </td>
  );
}
