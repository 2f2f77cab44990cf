// Two systems against each other, over all items and item by item; in a script of its own.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "./dom";
import { T } from "./english";
import { fixed, pText, signed, whole } from "./format";
import { Badge, Button, Name, nameOf, pairOf, Section, Table, toneOf } from "./parts";
import { digitsOf, Histogram } from "./plots";
import { delta, histogram, tally, type Range, type Relation, type Scores } from "./select";
import { bestFirst, related } from "./state";
import type { Shared } from "./overview";

/** Every system against every other one. */
export function Matrix({ page, set, state, go }: Shared): JSX.Element {
  const metric = page.metrics[state.metric]!;
  const table = set.scores[state.metric]!;
  const systems = bestFirst(page, set, state.metric).filter((s) => table.figures[s]);
  const several = table.pairs.length > 1;
  const about = table.untested
    ? `No test: ${table.untested}`
    : `Row minus column in ${metric.label}; ${{ randomization: "paired randomization test", permutation: "paired permutation test, exact" }[table.test] ?? `paired test (${table.test})`}${several ? ", p‑values Holm-corrected" : ""}.`;
  return (
    <Section title={T.whoBeats} about={about}>
      <Table
        label={T.whoBeats}
        class="matrix"
        rows={systems}
        fields={[
          { names: true, cell: (row) => <Name page={page} system={row} /> },
          ...systems.map((column) => ({
            head: <Name page={page} system={column} />,
            tone: (row: number) => (row === column ? "self" : ""),
            cell: (row: number) => {
              const pair = row === column ? null : pairOf(table.pairs, row, column, false);
              if (!pair) return "·";
              const good = (pair.difference ?? 0) * (metric.lower_is_better ? -1 : 1);
              const sure = pair.p !== null && pair.p <= page.made.alpha;
              const interval = pair.low === null ? "" : `, ${100 * page.made.level} % interval ${fixed(pair.low, metric.digits)} to ${fixed(pair.high, metric.digits)}${several ? `, ${T.notCorrected}` : ""}`;
              return (
                <Button
                  class={`duel ${sure ? (good > 0 ? "ahead" : "behind") : "unsure"}`}
                  title={`${signed(pair.difference, metric.digits)}${interval}. See the items, ${nameOf(page, row)} furthest ahead first.`}
                  onClick={() => go({ view: "items", one: row, two: column, sort: "delta", down: true }, true)}
                >
                  <b>{signed(pair.difference, metric.digits)}</b>
                  <small>{pText(pair.p, pair.floor)}</small>
                </Button>
              );
            },
          })),
        ]}
      />
    </Section>
  );
}

/** How two systems compare on the items of a selection. */
export function Comparison({ page, state, go, rows, scores, span, below }: Pick<Shared, "page" | "state" | "go"> & { rows: Uint32Array; scores: Scores; span: [number, number]; below: (undefinedItems: number) => JSX.Element }): JSX.Element {
  const { scale, perfect } = page.metrics[state.metric]!;
  const one = scores.one!;
  const two = scores.two!;
  const binary = useMemo(() => isBinary(one) && isBinary(two), [one, two]);
  const counts = useMemo(() => tally(rows, scores), [rows, one, two]);
  const most = span[1] - span[0];
  const bars = useMemo(() => histogram(rows, (row) => delta(scores, row), -most, most, 41), [rows, one, two, most]);
  const names = [nameOf(page, state.one), nameOf(page, state.two)];
  const [first, second] = [toneOf(state.one), toneOf(state.two)];
  const parts: [Relation, string, number, string][] = [
    // As in the histogram: on the right where system 1 is ahead.
    ["worse", names[1]!, counts.worse, second],
    ["equal", T.equal, counts.equal, "tie"],
    ["better", names[0]!, counts.better, first],
  ];
  return (
    <section class="strip" aria-label="How two systems compare">
      {binary ? (
        <Square page={page} state={state} one={one} two={two} rows={rows} perfect={perfect} go={go} />
      ) : (
        <div class="strip-scatter">
          <p class="strip-title">
            <Badge page={page} system={state.two} small /> against <Badge page={page} system={state.one} small /> · drag to select
          </p>
          <Scatter rows={rows} x={one} y={two} low={span[0]} high={span[1]} digits={digitsOf(scale)} tones={[first, second]} lower={scores.lower} label={`${names[1]} against ${names[0]}, each item a point`} onRegion={(range1, range2) => go({ range1, range2 })} />
        </div>
      )}
      <div class="strip-wide">
        <p class="strip-title">Item by item in this selection</p>
        <div class="wins">
          {parts.map(([relation, name, count, tone]) => count > 0 && (
            <Button
              key={relation}
              class={`win ${tone}`}
              style={{ flexGrow: String(count) }}
              title={name}
              aria-pressed={state.relation === relation}
              onClick={() => go(related(state.relation === relation ? "all" : relation))}
            >
              <b>{whole(count)}</b> {name}
              {tone !== "tie" && <span class="roomy"> better</span>}
            </Button>
          ))}
        </div>
        {!binary && <Histogram counts={bars} ends={[-most, most]} scale={scale} tones={[first, "tie", second]} label="Histogram of the differences" onPick={(range) => go({ delta: range })} />}
        {below(counts.undefined)}
      </div>
    </section>
  );
}

const isBinary = (values: Float64Array): boolean => values.length > 0 && values.every((value) => value === 0 || value === 1 || Number.isNaN(value));

/** For scores of 0 and 1: who is right, as a table whose cells filter. */
function Square({ page, state, one, two, rows, perfect, go }: Pick<Shared, "page" | "state" | "go"> & { one: Float64Array; two: Float64Array; rows: Uint32Array; perfect: number }): JSX.Element {
  const counts = [0, 0, 0, 0];
  rows.forEach((row) => {
    const place = (one[row] === perfect ? 0 : 2) + (two[row] === perfect ? 0 : 1);
    counts[place]! += 1;
  });
  const cells: [Relation, Relation][] = [["perfect", "only1"], ["only2", "wrong"]];
  const named = (system: number, place: number): ComponentChildren => [<Name page={page} system={system} />, " ", [T.isRight, T.isWrong][place]];
  return (
    <Table
      label={T.whoIsRight}
      class="square"
      rows={[0, 1]}
      fields={[
        { names: true, cell: (row) => named(state.one, row) },
        ...[0, 1].map((column) => ({
          head: named(state.two, column),
          cell: (row: number) => (
            <Button class="chip" onClick={() => go({ relation: cells[row]![column]! })}>
              {whole(counts[2 * row + column]!)}
            </Button>
          ),
        })),
      ]}
    />
  );
}

/** System 1 against system 2, each item a point; dragging selects a region. */
export function Scatter({ rows, x, y, low, high, digits, tones, lower, onRegion, label }: { rows: Uint32Array; x: ArrayLike<number>; y: ArrayLike<number>; low: number; high: number; digits: number; tones: [string, string]; lower: boolean; onRegion: (x: Range, y: Range) => void; label: string }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<[number, number, number, number] | null>(null);
  const size = 168;
  useEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (!element || !pen) return;
    const ratio = window.devicePixelRatio || 1;
    element.width = size * ratio;
    element.height = size * ratio;
    const style = getComputedStyle(element);
    const side = element.width;
    // A pixel is one number: from its lowest byte on red, green, blue, and how much it covers.
    const inks = [style.color, style.caretColor].map((colour) => colour.match(/[\d.]+/g)!.slice(0, 3).reduce((ink, part, i) => ink | (Number(part) << (8 * i)), 0));
    // How many points lie on each pixel: one pass, however many there are.
    const dot = Math.max(1, Math.round(ratio * (rows.length > 5000 ? 1 : rows.length > 300 ? 2 : 4)));
    const room = side - dot;
    const span = high - low || 1;
    const counts = new Uint32Array(side * side);
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      const px = Math.round(((x[row]! - low) / span) * room);
      const py = Math.round(room - ((y[row]! - low) / span) * room);
      if (px >= 0 && py >= 0 && px <= room && py <= room) counts[py * side + px]! += 1;
    }
    const image = pen.createImageData(side, side);
    const pixels = new Uint32Array(image.data.buffer);
    const faint = Math.max(0.14, Math.min(0.8, 60 / Math.sqrt(rows.length + 1)));
    for (let place = 0; place < counts.length; place += 1) {
      const count = counts[place]!;
      if (!count) continue;
      // Above the diagonal system 2 is ahead, unless lower is better.
      const ink = inks[Number((place % side) + Math.floor(place / side) < room !== lower)]!;
      const alpha = Math.round(255 * (1 - (1 - faint) ** count));
      for (let k = 0; k < dot * dot; k += 1) {
        const at = place + (k % dot) + side * Math.floor(k / dot);
        if (alpha > pixels[at]! >>> 24) pixels[at] = (alpha << 24) | ink;
      }
    }
    pen.putImageData(image, 0, 0);
    pen.globalCompositeOperation = "destination-over";
    pen.strokeStyle = style.borderTopColor;
    pen.lineWidth = ratio;
    pen.beginPath();
    pen.moveTo(0, side);
    pen.lineTo(side, 0);
    pen.stroke();
  }, [rows, x, y, low, high, tones.join(""), document.documentElement.style.colorScheme]);
  const toValue = (pixel: number): number => low + (Math.max(0, Math.min(size, pixel)) / size) * (high - low);
  return (
    <div class={`scatter ${tones[0]}`}>
      <span class="y-high">{fixed(high, digits)}</span>
      <span class="y-low">{fixed(low, digits)}</span>
      <div
        class="scatter-box"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([event.offsetX, event.offsetY, event.offsetX, event.offsetY]);
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], drag[1], event.offsetX, event.offsetY])}
        onPointerUp={() => {
          if (drag && Math.abs(drag[2] - drag[0]) > 3 && Math.abs(drag[3] - drag[1]) > 3) {
            const xs = [toValue(drag[0]), toValue(drag[2])].sort((a, b) => a - b) as [number, number];
            const ys = [toValue(size - drag[1]), toValue(size - drag[3])].sort((a, b) => a - b) as [number, number];
            const round = (value: number): number => Number(value.toFixed(digits));
            onRegion([round(xs[0]), round(xs[1])], [round(ys[0]), round(ys[1])]);
          }
          setDrag(null);
        }}
      >
        <canvas ref={canvas} class={tones[1]} role="img" aria-label={label} />
        {drag && (
          <span
            class="region"
            style={{ left: `${Math.min(drag[0], drag[2])}px`, top: `${Math.min(drag[1], drag[3])}px`, width: `${Math.abs(drag[2] - drag[0])}px`, height: `${Math.abs(drag[3] - drag[1])}px` }}
          />
        )}
      </div>
    </div>
  );
}
