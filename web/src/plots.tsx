// Plots in SVG; each stands beside a text or table with the same content.
import type { JSX } from "preact";
import { fixed, tickDigits, ticks, whole } from "./format";

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
        <text key={step} x={`${place(axis, step)}%`} y="13" text-anchor={place(axis, step) > 97 ? "end" : "middle"}>
          {fixed(step, decimals)}
        </text>
      ))}
    </svg>
  );
}

/** Bars of counts between two ends; with three tones, below zero has the last and around it the one between. */
export function Histogram({ counts, ends: [low, high], scale, tones, label, onPick }: { counts: number[]; ends: [number, number]; scale: number; tones: [string] | [string, string, string]; label: string; onPick: (range: [number, number]) => void }): JSX.Element {
  const most = Math.max(1, ...counts);
  const step = (high - low) / counts.length;
  const digits = digitsOf(scale);
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${counts.length * 10} 80`} preserveAspectRatio="none" width="100%" height="80" role="img" aria-label={label}>
        {counts.map((count, i) => {
          const from = low + i * step;
          const tone = tones[2] === undefined || from >= -1e-12 ? tones[0] : from + step <= 1e-12 ? tones[2] : tones[1];
          const height = count ? Math.max(1.5, (count / most) * 78) : 0;
          return (
            <rect key={i} class={tone} x={i * 10 + 0.6} width="8.8" y={80 - height} height={height} onClick={() => count && onPick([from, from + step])}>
              <title>{`${fixed(from, digits)} to ${fixed(from + step, digits)}: ${whole(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{fixed(low, digits)}</span>
        {tones[2] && <span>0</span>}
        <span>{fixed(high, digits)}</span>
      </figcaption>
    </figure>
  );
}

/** Decimals of the ends of a plot of items. */
export const digitsOf = (scale: number): number => (scale === 100 ? 0 : 2);
