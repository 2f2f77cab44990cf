// A metric held against people.
import type { JSX } from "preact";
import { useState } from "./dom";
import type { Correlation, Point } from "./contract";
import type { Store } from "./data";
import { T } from "./english";
import { fixed, signed, tickDigits, ticks, whole } from "./format";
import { Choice, Figure, Link, Section, Table } from "./parts";
import type { Shared } from "./overview";
import { noFilters } from "./state";

const LEVELS: Record<string, string> = { global: "all outputs" };

const METHODS: Record<string, string> = { "permutation-both": "permutation test of inputs and systems" };
const titled = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

export function AgreementView({ page, set, state, go, store }: Shared & { store: Store }): JSX.Element {
  const place = Math.min(state.pair, set.agreements.length - 1);
  const found = set.agreements[place];
  const [level, setLevel] = useState<"outputs" | "systems">("outputs");
  if (!found) return <main class="column" id="main" />;
  const tests = set.tests.filter((each) => each.human === found.human);
  const humans = [...new Set(set.agreements.map((each) => each.human))];
  const rows = set.agreements.filter((each) => each.human === found.human);
  const coefficients = Object.keys(found.correlations[0]?.coefficients ?? {});
  const points = level === "outputs" ? found.outputs : found.systems;
  const openRow = (point: Point): void => {
    if (point[1] >= 0) go({ view: "items", ...noFilters(), item: store.keys[point[1]] ?? "" }, true);
  };
  const decimals = (side: 3 | 4): number => (found.outputs.some((point) => Math.abs(point[side]) > 2) ? 2 : 4);
  return (
    <main class="column" id="main">
      <h1>{T.agreement}</h1>
      <div class="toolbar">
        <Choice label="Judgement" hideLabel={false} value={found.human} options={humans.map((each): [string, string] => [each, each])} onChange={(human) => go({ pair: Math.max(0, set.agreements.findIndex((each) => each.human === human && each.metric === found.metric)) })} />
        <Choice label="Metric" hideLabel={false} value={found.metric} options={rows.map((each): [string, string] => [each.metric, each.metric])} onChange={(metric) => go({ pair: Math.max(0, set.agreements.findIndex((each) => each.human === found.human && each.metric === metric)) })} />
        <Choice label="Points" hideLabel={false} value={level} options={[["outputs", "outputs"], ["systems", "systems"]]} onChange={setLevel} />
      </div>
      <div class="two">
        <Section title={`${found.metric} against ${found.human}`} about={`${whole(points.length)} ${level}, each a point.`} table={false}>
          <PointPlot points={points} x={found.metric} y={found.human} open={openRow} />
        </Section>
        <Section title="Correlations" about={`With ${100 * page.made.level} % intervals from resampling systems and inputs, ${T.notCorrected}.`}>
          <Table
            label="Correlations"
            rows={rows.flatMap((each) => each.correlations.map((one) => ({ name: each.metric, one })))}
            fields={[
              { head: "metric", names: true, class: "whole", cell: ({ name }) => name },
              { head: "level", class: "dim whole", cell: ({ one }) => `${LEVELS[one.level] ?? one.level} (${whole(one.n)})` },
              ...coefficients.map((each) => ({ head: titled(each), class: "number", cell: ({ one }: { one: Correlation }) => <Figure figure={one.coefficients[each]} digits={3} /> })),
            ]}
          />
        </Section>
      </div>
      {tests.length > 0 && (
        <Section title="Which metric follows people better" about={`Differences of ${titled(tests[0]!.coefficient)}’s coefficient, metric minus metric; two-tailed ${METHODS[tests[0]!.method] ?? `${tests[0]!.method} test`}, p‑values Holm-corrected within a level.`}>
          <Table
            label="Tests between metrics"
            class="metric-tests"
            rows={tests}
            tone={(each) => (each.p !== null && each.p <= page.made.alpha ? "sure" : "")}
            fields={[
              { head: "metrics", names: true, cell: (each) => `${each.first} − ${each.second}` },
              { head: "level", class: "dim", cell: (each) => LEVELS[each.level] ?? each.level },
              { head: T.difference, class: "number", cell: (each) => signed(each.difference, 3) },
              { head: "p", class: "number", cell: (each) => fixed(each.p, 3) },
            ]}
          />
        </Section>
      )}
      <Section title="Where they disagree" about="Outputs by the difference of their ranks: metric minus people, largest first. A row opens its item.">
        <Table
          label="Disagreements"
          most={50}
          rows={found.disagreements.flatMap(([i, gap]) => (found.outputs[i] ? [{ point: found.outputs[i], gap }] : []))}
          fields={[
            { head: "output", names: true, cell: ({ point }) => <Link onClick={() => openRow(point)}>{point[0]}</Link> },
            { head: found.metric, class: "number", cell: ({ point }) => fixed(point[3], decimals(3)) },
            { head: found.human, class: "number", cell: ({ point }) => fixed(point[4], decimals(4)) },
            { head: "ranks apart", class: "number", cell: ({ gap }) => signed(gap, Number.isInteger(gap) ? 0 : 1) },
          ]}
        />
      </Section>
    </main>
  );
}

function PointPlot({ points, x, y, open }: { points: Point[]; x: string; y: string; open: (point: Point) => void }): JSX.Element {
  const width = 520;
  const height = 380;
  const [left, bottom, margin] = [52, 40, 10];
  const ends = (values: number[]): [number, number] => {
    const low = Math.min(...values);
    const high = Math.max(...values);
    const room = (high - low) * 0.05 || 0.5;
    return [low - room, high + room];
  };
  if (!points.length) return <p class="dim">–</p>;
  const [x0, x1] = ends(points.map((p) => p[3]));
  const [y0, y1] = ends(points.map((p) => p[4]));
  const px = (value: number): number => left + ((value - x0) / (x1 - x0)) * (width - left - margin);
  const py = (value: number): number => height - bottom - ((value - y0) / (y1 - y0)) * (height - bottom - margin);
  const xs = ticks(x0, x1, 6);
  const ys = ticks(y0, y1, 6);
  return (
    <svg class="points" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${x} against ${y}`}>
      {xs.map((value) => (
        <g key={`x${value}`}>
          <line class="grid" x1={px(value)} x2={px(value)} y1={margin} y2={height - bottom} />
          <text x={px(value)} y={height - bottom + 16} text-anchor="middle">{fixed(value, tickDigits(xs))}</text>
        </g>
      ))}
      {ys.map((value) => (
        <g key={`y${value}`}>
          <line class="grid" x1={left} x2={width - margin} y1={py(value)} y2={py(value)} />
          <text x={left - 6} y={py(value) + 4} text-anchor="end">{fixed(value, tickDigits(ys))}</text>
        </g>
      ))}
      {points.slice(0, 4000).map((point, i) => (
        <circle key={i} class={point[1] < 0 ? "point system" : "point"} cx={px(point[3])} cy={py(point[4])} r={point[1] < 0 ? 6 : 4} onClick={() => open(point)}>
          <title>{`${point[0]}: ${fixed(point[3], 4)}, ${fixed(point[4], 4)}`}</title>
        </circle>
      ))}
      <text class="axis-name" x={(left + width) / 2} y={height - 6} text-anchor="middle">{x}</text>
      <text class="axis-name" transform={`translate(13 ${(height - bottom) / 2}) rotate(-90)`} text-anchor="middle">{y}</text>
    </svg>
  );
}
