// Two graphs laid over each other: boxes in layers, or an indented text for large ones.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { KINDS, type Line, type Overlay } from "./contract";
import { widthOf } from "./arcs";
import { visible } from "./format";

export interface Sketch {
  nodes: { width: number; height: number }[];
  edges: { source: number; target: number; width: number; height: number }[];
}
export interface Laid {
  width: number;
  height: number;
  nodes: { x: number; y: number }[];
  edges: { points: { x: number; y: number }[]; x: number; y: number }[];
}

const MOST_NODES = 150;
const SANS = "ui-sans-serif, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";
const SIGNS: Record<number, string> = { 1: "− ", 2: "+ ", 3: "~ " };
const signedText = (text: string, kind: number): string => (SIGNS[kind] ?? "") + visible(text.length > 48 ? `${text.slice(0, 47)}…` : text);
const bold = (text: string): number => widthOf(text, `600 13px ${SANS}`);
const small = (text: string): number => widthOf(text, `11.5px ${SANS}`);
const lineWidth = (line: Line): number => (line[2] === "label" ? bold(signedText(line[0], line[1])) : small(signedText(line[0], line[1])));

function edgeText(arrow: Overlay[1][number]): string {
  const notes = arrow[4].map((note) => signedText(note[0], note[1])).join(" ");
  return [signedText(arrow[3], arrow[2]), notes].filter(Boolean).join(" ");
}

export function OverlayView({ overlay, label }: { overlay: Overlay; label: string }): JSX.Element {
  const layout = (globalThis as { karatLayout?: (sketch: Sketch) => Laid }).karatLayout;
  if (overlay[0].length > MOST_NODES || !layout) return <Indented overlay={overlay} />;
  return <Drawn overlay={overlay} label={label} layout={layout} />;
}

function Drawn({ overlay, label, layout }: { overlay: Overlay; label: string; layout: (sketch: Sketch) => Laid }): JSX.Element {
  const [nodes, arrows, beside] = overlay;
  const { laid, boxes } = useMemo(() => {
    const boxes = nodes.map(([, lines]) => ({
      width: lines.length ? Math.max(...lines.map(lineWidth)) + 18 : 14,
      height: lines.length ? lines.length * 16 + 10 : 14,
    }));
    const edges = arrows.map((arrow) => {
      const text = edgeText(arrow);
      return { source: arrow[0], target: arrow[1], width: text ? small(text) + 6 : 4, height: text ? 14 : 4 };
    });
    return { laid: layout({ nodes: boxes, edges }), boxes };
  }, [overlay, layout]);
  const tops = nodes.some(([, , top]) => top >= 0) ? 18 : 0;
  return (
    <div class="scroll drawing" tabIndex={0} role="region" aria-label={label}>
      <svg class="graph" width={Math.max(40, laid.width)} height={laid.height + tops} viewBox={`0 ${-tops} ${Math.max(40, laid.width)} ${laid.height + tops}`} role="img" aria-label={label}>
        {arrows.map((arrow, i) => {
          const { points } = laid.edges[i]!;
          const text = edgeText(arrow);
          const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
          const wide = small(text);
          return (
            <g key={i} class={`edge ${KINDS[arrow[2]]}`}>
              <path d={curve(points)} />
              {arrow[5] && <path class="tip" d={head(points)} />}
              {text && (
                <>
                  <rect class="backing" x={middle.x - wide / 2 - 2} y={middle.y - 7} width={wide + 4} height="14" />
                  <text x={middle.x} y={middle.y + 4} text-anchor="middle">
                    {text}
                  </text>
                </>
              )}
            </g>
          );
        })}
        {nodes.map(([kind, lines, top], i) => {
          const { x, y } = laid.nodes[i]!;
          const { width, height } = boxes[i]!;
          return (
            <g key={i} class={`node ${KINDS[kind]}`}>
              {top >= 0 && <path class={`top ${KINDS[top]}`} d={`M${x},${y - height / 2 - 18} v11 m-4,0 h8 l-4,7 z`} />}
              {lines.length ? <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="5" /> : <circle cx={x} cy={y} r="5" />}
              {lines.map((line, k) => (
                <text key={k} class={`${line[2]} ${KINDS[line[1]]}`} x={x} y={y - height / 2 + 17 + k * 16} text-anchor="middle">
                  {signedText(line[0], line[1])}
                </text>
              ))}
            </g>
          );
        })}
      </svg>
      {beside.length > 0 && (
        <ul class="beside">
          {beside.map((line, i) => (
            <li key={i} class={KINDS[line[1]]}>
              {signedText(line[0], line[1])}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A smooth line through all points: the label, which stands at one of them, lies on it. */
function curve(points: { x: number; y: number }[]): string {
  const at = (i: number): { x: number; y: number } => points[Math.max(0, Math.min(points.length - 1, i))]!;
  if (!points.length) return "";
  let path = `M${at(0).x},${at(0).y}`;
  for (let i = 0; i < points.length - 1; i += 1) {
    const [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
    path += ` C${b.x + (c.x - a.x) / 6},${b.y + (c.y - a.y) / 6} ${c.x - (d.x - b.x) / 6},${c.y - (d.y - b.y) / 6} ${c.x},${c.y}`;
  }
  return path;
}

function head(points: { x: number; y: number }[]): string {
  const end = points.at(-1);
  const before = points.at(-2);
  if (!end || !before) return "";
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const ux = (end.x - before.x) / length;
  const uy = (end.y - before.y) / length;
  const at = (back: number, side: number): string => `${end.x - back * ux - side * uy},${end.y - back * uy + side * ux}`;
  return `M${end.x},${end.y} L${at(8, 3.6)} L${at(8, -3.6)} z`;
}

/** The graph as text, each node below what leads to it. */
function Indented({ overlay }: { overlay: Overlay }): JSX.Element {
  const [nodes, arrows, beside] = overlay;
  const out = nodes.map(() => [] as number[]);
  const incoming = nodes.map(() => 0);
  arrows.forEach(([source, target], i) => {
    out[source]?.push(i);
    incoming[target] = (incoming[target] ?? 0) + 1;
  });
  const seen = new Set<number>();
  const lines: JSX.Element[] = [];
  const name = (node: number): string => (nodes[node]?.[1] ?? []).map((line) => signedText(line[0], line[1])).join(", ") || "·";
  const roots = nodes.map((_, i) => i);
  roots.sort((a, b) => Number((nodes[b]?.[2] ?? -1) >= 0) - Number((nodes[a]?.[2] ?? -1) >= 0) || (incoming[a] ?? 0) - (incoming[b] ?? 0) || a - b);
  for (const root of roots) {
    if (seen.has(root)) continue;
    const stack: [number, number, number][] = [[root, 0, -1]];
    while (stack.length) {
      const [node, depth, edge] = stack.pop()!;
      const arrow = arrows[edge];
      const again = seen.has(node);
      seen.add(node);
      lines.push(
        <li key={lines.length} style={{ paddingLeft: `${Math.min(depth, 40) * 14}px` }}>
          {arrow && <span class={`role ${KINDS[arrow[2]]}`}>{edgeText(arrow)} </span>}
          <span class={KINDS[nodes[node]?.[0] ?? 0]}>{again ? `↑ ${name(node)}` : name(node)}</span>
        </li>,
      );
      if (!again) for (const next of [...(out[node] ?? [])].reverse()) stack.push([arrows[next]![1], depth + 1, next]);
    }
  }
  return (
    <ul class="indented">
      {lines}
      {beside.map((line, i) => (
        <li key={`b${i}`} class={KINDS[line[1]]}>
          {signedText(line[0], line[1])}
        </li>
      ))}
    </ul>
  );
}
