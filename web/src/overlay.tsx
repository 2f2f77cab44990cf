// Drawings of items: graphs laid over each other, words with arcs, terms side by side.
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef } from "./dom";
import { KINDS, type Arcs, type Form, type Overlay } from "./contract";
import { arcsFigure } from "./arcs";
import { T } from "./english";
import { Button } from "./parts";
import { save } from "./export";
import { visible } from "./format";
import { lineText, overlayFigure } from "./layers";
import { differingTokens, STRIDE } from "./marks";
import { sameWords } from "./repairing";
import { picture, type Figure } from "./svg";

const MOST_NODES = 150;

/** The class of a part that is switched off, if it is. */
export type Switched = (what: number, place: number) => string;

/** A drawing that scrolls, and can be saved as karat draw would write it. */
function Drawing({ figure, label, children }: { figure: Figure; label: string; children?: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const write = (): void => {
    const svg = box.current!.querySelector("svg")!.cloneNode(true) as SVGElement;
    const paper = document.createElementNS(svg.namespaceURI, "rect");
    for (const name of ["width", "height"]) paper.setAttribute(name, svg.getAttribute(name)!);
    paper.setAttribute("fill", "#FFFFFF");
    svg.prepend(paper);
    save(`${label.replace(/[^\p{L}\p{N}]+/gu, "-")}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(svg));
  };
  return (
    <div class="drawing">
      <div class="scroll" ref={box} tabIndex={0} role="region" aria-label={label}>
        {picture(figure, label)}
        {children}
      </div>
      <Button class="link under-line small no-print save-svg" onClick={write}>
        {T.saveSvg}
      </Button>
    </div>
  );
}

export function OverlayView({ overlay, label, switched }: { overlay: Overlay; label: string; switched?: Switched }): JSX.Element {
  const small = overlay[0].length <= MOST_NODES;
  const figure = useMemo(() => (small ? overlayFigure(overlay, switched) : null), [overlay, switched]);
  const beside = overlay[2].map((line, i) => (
    <li key={i} class={KINDS[line[1]]}>
      {visible(lineText(line))}
    </li>
  ));
  if (!figure) return <Indented overlay={overlay} beside={beside} />;
  return (
    <Drawing figure={figure} label={label}>
      {beside.length > 0 && <ul class="beside">{beside}</ul>}
    </Drawing>
  );
}

/** One tree, or gold and a system's over the same words; two rows if their words differ. */
export function ArcDiagram({ gold, system, label, switched }: { gold: Arcs; system: Arcs | null; label: string; switched?: Switched }): JSX.Element {
  const both = system !== null && sameWords(gold, system);
  const figures = useMemo(
    () => (both || !system ? [arcsFigure(gold, system, switched)] : [arcsFigure(gold, null, switched), arcsFigure(system, null, switched && ((_, i) => switched(3, i)))]),
    [gold, system, switched],
  );
  if (figures.length === 1) {
    return (
      <>
        {both && <p class="small">{T.goldAbove}</p>}
        <Drawing figure={figures[0]!} label={label} />
      </>
    );
  }
  return (
    <>
      <p class="small">{T.gold}</p>
      <Drawing figure={figures[0]!} label={T.gold} />
      <p class="small">{T.system}</p>
      <Drawing figure={figures[1]!} label={label} />
    </>
  );
}

/** The graph as text, each node below what leads to it. */
function Indented({ overlay, beside }: { overlay: Overlay; beside: JSX.Element[] }): JSX.Element {
  const [nodes, arrows] = overlay;
  const out = nodes.map(() => [] as number[]);
  const incoming = nodes.map(() => 0);
  arrows.forEach(([source, target], i) => {
    out[source]?.push(i);
    incoming[target] = (incoming[target] ?? 0) + 1;
  });
  const seen = new Set<number>();
  const lines: JSX.Element[] = [];
  const name = (node: number): string => (nodes[node]?.[1] ?? []).map(lineText).join(", ") || "·";
  const isTop = (node: number): number => Number((nodes[node]?.[2] ?? -1) >= 0);
  const roots = nodes.map((_, i) => i).sort((a, b) => isTop(b) - isTop(a) || (incoming[a] ?? 0) - (incoming[b] ?? 0) || a - b);
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
          {arrow && <span class={`role ${KINDS[arrow[2]]}`}>{visible([lineText([arrow[3], arrow[2], ""]), ...arrow[4].map(lineText)].join(" "))} </span>}
          <span class={KINDS[nodes[node]?.[0] ?? 0]}>
            {again && "↑ "}
            {visible(name(node))}
          </span>
        </li>,
      );
      if (!again) for (const next of [...(out[node] ?? [])].reverse()) stack.push([arrows[next]![1], depth + 1, next]);
    }
  }
  return (
    <ul class="indented">
      {lines}
      {beside}
    </ul>
  );
}

/** A term that does not break inside its constants. */
const glued = (term: string): string => visible(term).replace(/ _ /g, "\u00a0_\u00a0");

/** Terms of gold and system side by side; those that differ inside have the place marked. */
export function Terms({ gold, system, marks }: { gold: Form; system: Form; marks: number[] }): JSX.Element {
  const ofGold = new Map<number, [number, number]>();
  const ofSystem = new Map<number, number>();
  for (let i = 0; i + STRIDE <= marks.length; i += STRIDE) {
    const [kind, , g, , s] = marks.slice(i, i + STRIDE) as [number, number, number, number, number, number];
    if (g >= 0) ofGold.set(g, [kind, s]);
    if (s >= 0) ofSystem.set(s, kind);
  }
  const matched = new Map<string, number[]>();
  system[1].forEach((term, s) => {
    if (!ofSystem.has(s)) matched.set(term, [...(matched.get(term) ?? []), s]);
  });
  const rows: { kind: number; gold: string | null; system: string | null }[] = gold[1].map((term, g) => {
    const mark = ofGold.get(g);
    if (!mark) return { kind: 0, gold: term, system: system[1][matched.get(term)?.shift() ?? -1] ?? term };
    return { kind: mark[0], gold: term, system: mark[1] >= 0 ? (system[1][mark[1]] ?? null) : null };
  });
  system[1].forEach((term, s) => {
    if (KINDS[ofSystem.get(s) ?? 0] === "surplus") rows.push({ kind: 2, gold: null, system: term });
  });
  const cell = (term: string | null, other: string | null, kind: number): ComponentChildren => {
    if (term === null) return <span class="dim">–</span>;
    if (KINDS[kind] !== "changed" || other === null) return glued(term);
    return differingTokens(term, other).map(([token, differs], i, all) => (
      <span key={i}>
        {i > 0 && (token === "_" || all[i - 1]![0] === "_" ? "\u00a0" : " ")}
        {differs ? <span class="m changed">{visible(token)}</span> : visible(token)}
      </span>
    ));
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Terms">
      <table class="terms">
        <thead>
          <tr>
            <td />
            <th scope="col">{T.gold}</th>
            <th scope="col">{T.system}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} class={KINDS[row.kind]}>
              <td class="sign">{["", "−", "+", "~"][row.kind] ?? ""}</td>
              <td>{cell(row.gold, row.system, row.kind)}</td>
              <td>{cell(row.system, row.gold, row.kind)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
