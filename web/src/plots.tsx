// Plots in SVG and on canvas; each stands beside a text or table with the same content.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { fixed, tickDigits, ticks, whole } from "./format";
import type { Range } from "./select";

export interface Axis {
  low: number;
  high: number;
  steps: number[];
}

export function axisOf(values: (number | null | undefined)[], around?: number): Axis {
  const known = values.filter((v): v is number => v !== null && v !== undefined && Number.isFinite(v));
  if (around !== undefined) known.push(around);
  if (!known.length) return { low: 0, high: 1, steps: [0, 1] };
  let low = Math.min(...known);
  let high = Math.max(...known);
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.02 || 0.01;
  low -= margin;
  high += margin;
  return { low, high, steps: ticks(low, high, 5) };
}

const place = (axis: Axis, value: number): number => ((value - axis.low) / (axis.high - axis.low)) * 100;

/** A point and its interval; `zero` draws the line of no difference. */
export function Interval({ axis, figure, tone, zero, faint, label }: { axis: Axis; figure: (number | null)[] | null; tone: string; zero?: boolean; faint?: boolean; label: string }): JSX.Element {
  const [value, low, high] = figure ?? [null, null, null];
  return (
    <svg class={`interval ${tone}${faint ? " faint" : ""}`} width="100%" height="26" role="img" aria-label={label}>
      {axis.steps.map((step) => (
        <line key={step} class={zero && step === 0 ? "zero" : "grid"} x1={`${place(axis, step)}%`} x2={`${place(axis, step)}%`} y1="0" y2="26" />
      ))}
      {typeof low === "number" && typeof high === "number" && (
        <line class="range" x1={`${place(axis, low)}%`} x2={`${place(axis, high)}%`} y1="13" y2="13" />
      )}
      {typeof value === "number" && <circle cx={`${place(axis, value)}%`} cy="13" r="5" />}
    </svg>
  );
}

export function AxisLine({ axis, digits }: { axis: Axis; digits?: number }): JSX.Element {
  const decimals = digits ?? tickDigits(axis.steps);
  return (
    <svg class="axis" width="100%" height="18" aria-hidden="true">
      {axis.steps.map((step) => (
        <text key={step} x={`${place(axis, step)}%`} y="13" text-anchor="middle">
          {fixed(step, decimals)}
        </text>
      ))}
    </svg>
  );
}

/** Bars of counts; `split` is where the colour changes. */
export function Histogram({ counts, low, high, split, tones, label, digits, onPick }: { counts: number[]; low: number; high: number; split?: number; tones: [string, string, string]; label: string; digits: number; onPick?: (range: Range) => void }): JSX.Element {
  const most = Math.max(1, ...counts);
  const step = (high - low) / counts.length;
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${counts.length * 10} 80`} preserveAspectRatio="none" width="100%" height="80" role="img" aria-label={label}>
        {counts.map((count, i) => {
          const from = low + i * step;
          const tone = split === undefined ? tones[0] : from + step <= split + 1e-12 ? tones[2] : from >= split - 1e-12 ? tones[0] : tones[1];
          const height = count ? Math.max(1.5, (count / most) * 78) : 0;
          return (
            <rect key={i} class={tone} x={i * 10 + 0.6} width="8.8" y={80 - height} height={height} onClick={onPick && count ? () => onPick([from, from + step]) : undefined}>
              <title>{`${fixed(from, digits)} to ${fixed(from + step, digits)}: ${whole(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{fixed(low, digits)}</span>
        {split !== undefined && <span>{fixed(split, 0)}</span>}
        <span>{fixed(high, digits)}</span>
      </figcaption>
    </figure>
  );
}

/** System 1 against system 2, each item a point; dragging selects a region. */
export function Scatter({ rows, x, y, low, high, digits, tone, onRegion, label }: { rows: Uint32Array; x: ArrayLike<number>; y: ArrayLike<number>; low: number; high: number; digits: number; tone: string; onRegion: (x: Range, y: Range) => void; label: string }): JSX.Element {
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
    const ink = [...style.color.matchAll(/[\d.]+/g)].map(Number);
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
    const faint = Math.max(0.14, Math.min(0.8, 60 / Math.sqrt(rows.length + 1)));
    for (let place = 0; place < counts.length; place += 1) {
      const count = counts[place]!;
      if (!count) continue;
      const alpha = 255 * (1 - (1 - faint) ** count);
      for (let k = 0; k < dot * dot; k += 1) {
        const at = 4 * (place + (k % dot) + side * Math.floor(k / dot));
        image.data.set([ink[0]!, ink[1]!, ink[2]!, Math.max(alpha, image.data[at + 3]!)], at);
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
  }, [rows, x, y, low, high, tone, document.documentElement.style.colorScheme]);
  const toValue = (pixel: number): number => low + (Math.max(0, Math.min(size, pixel)) / size) * (high - low);
  return (
    <div class={`scatter ${tone}`}>
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
        <canvas ref={canvas} role="img" aria-label={label} />
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
