// Every group: the score of each system, and the difference of two.
import type { JSX } from "preact";
import type { Facet } from "./contract";
import { T } from "./english";
import { fixed, signed, whole } from "./format";
import { Badge, Figure, Link, nameOf, pairOf, Section, Table, toneOf, type Field } from "./parts";
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

interface Row {
  group: Facet["groups"][number];
  a: Figures;
  b: Figures;
  tested: ReturnType<typeof pairOf>;
  gap: number | null;
}
type Figures = (number | null)[] | null;

const SHORT = 12;

export function Forest({ page, set, state, go, facet, short }: Shared & { facet: Facet; short?: boolean }): JSX.Element {
  const metric = page.metrics[state.metric]!;
  const { digits, lower_is_better } = metric;
  const { one, two } = state;
  const figured = (system: number): boolean => !!set.scores[state.metric]?.figures[system];
  const both = two >= 0 && one !== two && figured(one) && figured(two);
  const sign = lower_is_better ? -1 : 1;
  const rows = facet.groups.map((group): Row => {
    const figures = group.figures[state.metric] ?? [];
    const [a, b] = [figures[one] ?? null, figures[two] ?? null];
    const tested = both ? pairOf(group.pairs[state.metric] ?? [], one, two, lower_is_better) : null;
    return { group, a, b, tested, gap: a && b && a[0] !== null && b[0] !== null ? sign * (a[0] - b[0]) : null };
  });
  const figureOf = ({ a, tested, gap }: Row): Figures => (both ? [tested?.difference ?? gap, tested?.low ?? null, tested?.high ?? null] : a);
  const axis = axisOf(rows.flatMap((row) => figureOf(row) ?? []), both ? 0 : undefined);
  const names = [nameOf(page, one), nameOf(page, two)];
  // Classes of lengths and the like have an order of their own.
  const named = facet.groups.some(({ name }) => !/^\d/.test(name));
  const title = short && both ? (names.join("").length > 24 ? "Where the two differ" : `Where ${names[0]} and ${names[1]} differ`) : `By ${facet.name}`;
  const level = `${facet.name}, with ${100 * facet.level} % intervals`;
  const about = both
    ? `Difference in ${metric.label} by ${level}, ${T.notCorrected}; groups of fewer than 10 items without. Choose a row to see its items.`
    : `${metric.label} by ${level}. Choose a row to see its items.`;
  const open = (name: string): void => {
    const column = set.columns.find((each) => each.id === facet.column);
    const value = column?.values.indexOf(name) ?? -1;
    if (column && value >= 0) go({ view: "items", ...noFilters(), facets: { [column.id]: value }, item: "" }, true);
  };
  const score = (system: number, of: (row: Row) => Figures): Field<Row> => {
    const head = [<Badge page={page} system={system} small />, " ", nameOf(page, system)];
    return { head, class: "number", cell: (row) => <Figure figure={of(row)} digits={digits} />, by: (row) => (of(row)?.[0] == null ? null : sign * of(row)![0]!) };
  };
  return (
    <Section title={title} about={about}>
      <Table
        label={title}
        class="forest"
        rows={rows}
        sorted={named ? (both ? 4 : 2) : -1}
        most={short ? SHORT : undefined}
        fields={[
          {
            head: facet.name,
            names: true,
            cell: ({ group: { name } }) => {
              const text = name || "(none)";
              return facet.column ? <Link onClick={() => open(name)}>{text}</Link> : text;
            },
          },
          { head: "items", class: "number dim", cell: ({ group }) => whole(group.items), by: ({ group }) => group.items },
          (!short || !both) && score(one, ({ a }) => a),
          !short && both && score(two, ({ b }) => b),
          both && { head: T.difference, class: "number", cell: ({ gap }) => signed(gap, digits), by: ({ gap }) => gap },
          {
            head: both ? (
              <span class="ends">
                <span>
                  ← <Badge page={page} system={two} small /> <span class="cell">{names[1]}</span>
                </span>
                <span>
                  <span class="cell">{names[0]}</span> <Badge page={page} system={one} small /> →
                </span>
              </span>
            ) : (
              <span class="offscreen">plot</span>
            ),
            class: "plot",
            cell: (row) => {
              const { group, tested } = row;
              const figure = figureOf(row);
              const [value, low, high] = figure ?? [];
              const unsure = both && (low == null || (low <= 0 && high! >= 0));
              const told = both ? signed(row.gap, digits) : fixed(value, digits);
              return <Interval axis={axis} figure={figure} zero={both} faint={unsure} tone={toneOf(both && (value ?? 0) <= 0 ? two : one)} label={`${group.name}: ${told}${tested && low != null ? `, interval ${fixed(low, digits)} to ${fixed(high, digits)}` : ""}`} />;
            },
            foot: <AxisLine axis={axis} />,
          },
        ]}
      />
      {short && rows.length > SHORT && (
        <p class="small">
          <Link onClick={() => go({ view: "breakdowns" }, true)}>all {rows.length} groups</Link>
        </p>
      )}
    </Section>
  );
}
