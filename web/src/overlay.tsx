// Drawings of items: graphs laid over each other, words with arcs, terms side by side.
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef } from "./dom";
import { KINDS, type Arc, type Arcs, type Form, type Line, type Overlay, type Raw } from "./contract";
import { arcsFigure } from "./arcs";
import { T } from "./english";
import { Button } from "./parts";
import { save } from "./export";

import { lineText, overlayFigure } from "./layers";
import { isSought, squashed, STRIDE, type Sought } from "./marks";
import { differingTokens } from "./terms";
import type { Places } from "./item";
import { sameWords } from "./repairing";
import { picture, type Figure } from "./svg";

const MOST_NODES = 150;
/** So far drawings are scaled down to fit; wider ones scroll. */
const SMALLEST = 0.8;

/** What of a drawing stands out: errors that were chosen, and parts by their places. */
interface Shows {
  sought?: Sought[];
  lit?: Places;
}

/** The class of a part that stands out. */
const classed = (isLit: boolean): string => (isLit ? "lit" : "");
const isAt = (lit: Places, what: number, place: number): boolean => lit.some((each) => each[0] === what && each[1] === place);

/** Whether a line of a drawing is one of the errors. */
function isLine(sought: Sought[], [text, kind]: Line): boolean {
  const [gold = "", ...system] = text.split(" → ");
  return sought.length > 0 && isSought(sought, kind, gold, kind === 3 ? system.join(" → ") : text);
}

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
      <div class="scroll" ref={box} style={{ "--least": `${SMALLEST * figure.width}px` }} tabIndex={0} role="region" aria-label={label}>
        {picture(figure, label)}
        {children}
      </div>
      <Button class="link under-line small no-print save-svg" onClick={write}>
        {T.saveSvg}
      </Button>
    </div>
  );
}

export function OverlayView({ overlay, label, sought = [], lit = [] }: Shows & { overlay: Overlay; label: string }): JSX.Element {
  const small = overlay[0].length <= MOST_NODES;
  const names = (what: 0 | 1, place: number): string => {
    const arrow = overlay[1][place]!;
    const lines: Line[] = what ? [[arrow[3], arrow[2], ""], ...arrow[4]] : overlay[0][place]![1];
    const isTop = what === 0 && sought.some((each) => each.part === "tops" && each.kind === overlay[0][place]![2]);
    return classed(isTop || isAt(lit, what, place) || lines.some((line) => isLine(sought, line)));
  };
  const figure = useMemo(() => (small ? overlayFigure(overlay, names) : null), [overlay, JSON.stringify([sought, lit])]);
  const beside = overlay[2].map((line, i) => (
    <li key={i} class={KINDS[line[1]]}>
      {lineText(line)}
    </li>
  ));
  if (!figure) return <Indented overlay={overlay} beside={beside} label={label} />;
  return (
    <Drawing figure={figure} label={label}>
      {beside.length > 0 && <ul class="beside">{beside}</ul>}
    </Drawing>
  );
}

/** One tree, or gold and a system's over the same words; two rows if their words differ. */
export function ArcDiagram({ gold, system, label, sought = [], lit = [] }: Shows & { gold: Arcs; system: Arcs | null; label: string }): JSX.Element {
  const both = system !== null && sameWords(gold, system);
  const theirs = (target: number): Arc | undefined => system?.[2].find((arc) => arc[1] === target);
  // An error is a label, or a label of a word of some kind: nsubj of VERB.
  const isFound = ([, target, name, kind]: Arc): boolean =>
    kind > 0 && sought.some((each) => each.gold.split(" of ")[0] === name && (each.kind === 1 || each.gold !== name || theirs(target)?.[2] === each.system));
  const names = (what: 2 | 3, place: number): string => {
    const [, target, name, kind] = (what === 2 ? gold : system)![2][place]!;
    const found = what === 2 ? isFound(gold[2][place]!) : kind > 0 && (isSought(sought, 2, "", name) || gold[2].some((arc) => arc[1] === target && isFound(arc)));
    return classed(isAt(lit, what, place) || found);
  };
  const figures = useMemo(
    () => (both || !system ? [arcsFigure(gold, system, names)] : [arcsFigure(gold, null, names), arcsFigure(system, null, (_, i) => names(3, i))]),
    [gold, system, JSON.stringify([sought, lit])],
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
function Indented({ overlay, beside, label }: { overlay: Overlay; beside: JSX.Element[]; label: string }): JSX.Element {
  const [nodes, arrows] = overlay;
  const out = nodes.map(() => [] as number[]);
  const incoming = nodes.map(() => 0);
  arrows.forEach(([source, target], i) => {
    out[source]?.push(i);
    incoming[target] = (incoming[target] ?? 0) + 1;
  });
  const seen = new Set<number>();
  const lines: JSX.Element[] = [];
  const name = ([kind, said]: Overlay[0][number]): ComponentChildren => (said.length ? said.map((line, i) => [i > 0 && ", ", <span class={KINDS[line[1] || kind]}>{lineText(line)}</span>]) : "·");
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
          {arrow && <span class={`role ${KINDS[arrow[2]]}`}>{[lineText([arrow[3], arrow[2], ""]), ...arrow[4].map(lineText)].join(" ")} </span>}
          {again && "↑ "}
          {name(nodes[node]!)}
        </li>,
      );
      if (!again) for (const next of [...(out[node] ?? [])].reverse()) stack.push([arrows[next]![1], depth + 1, next]);
    }
  }
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <ul class="indented">
        {lines}
        {beside}
      </ul>
    </div>
  );
}

/** A term that does not break inside its constants. */
const glued = (term: string): string => term.replace(/ _ /g, "\u00a0_\u00a0");

/** Terms of gold and system side by side; those that differ inside have the place marked. */
export function Terms({ gold, system, marks, label, sought = [], lit = [] }: Shows & { gold: Form; system: Form; marks: number[]; label: string }): JSX.Element {
  const ofGold = new Map<number, [number, number, number]>();
  const ofSystem = new Map<number, [number, number]>();
  for (let i = 0; i + STRIDE <= marks.length; i += STRIDE) {
    const [kind, , g, , s] = marks.slice(i, i + STRIDE) as [number, number, number, number, number, number];
    if (g >= 0) ofGold.set(g, [kind, s, i / STRIDE]);
    if (s >= 0) ofSystem.set(s, [kind, i / STRIDE]);
  }
  const matched = new Map<string, number[]>();
  system[1].forEach((term, s) => {
    if (!ofSystem.has(s)) matched.set(term, [...(matched.get(term) ?? []), s]);
  });
  const rows: { kind: number; gold: string | null; system: string | null; mark: number }[] = gold[1].map((term, g) => {
    const [kind, s, mark] = ofGold.get(g) ?? [0, -1, -1];
    if (mark < 0) return { kind, gold: term, system: system[1][matched.get(term)?.shift() ?? -1] ?? term, mark };
    return { kind, gold: term, system: s >= 0 ? (system[1][s] ?? null) : null, mark };
  });
  system[1].forEach((term, s) => {
    const [kind, mark] = ofSystem.get(s) ?? [0, -1];
    if (KINDS[kind] === "surplus") rows.push({ kind, gold: null, system: term, mark });
  });
  const differing = (term: string | null, other: string | null): string[] => (term === null || other === null ? [] : differingTokens(term, other).flatMap(([token, differs]) => (differs ? token : [])));
  // Errors name a predicate, a constant or an argument of a term, not the whole of it.
  const isFound = (row: (typeof rows)[number]): boolean =>
    row.kind > 0 &&
    sought.some(({ kind, gold: theirs, system: ours }) => {
      if (kind !== row.kind) return false;
      if (kind !== 3) return squashed(row.gold ?? row.system).replace(/^\*/, "").startsWith(squashed(theirs || ours));
      const [mine, yours] = [differing(row.gold, row.system), differing(row.system, row.gold)];
      return (!theirs || mine.includes(theirs)) && (!ours || yours.includes(ours));
    });
  const cell = (term: string | null, other: string | null, kind: number): ComponentChildren => {
    if (term === null) return <span class="dim">–</span>;
    if (KINDS[kind] !== "changed" || other === null) return glued(term);
    return differingTokens(term, other).map(([token, differs], i, all) => (
      <span key={i}>
        {i > 0 && (token === "_" || all[i - 1]![0] === "_" ? "\u00a0" : " ")}
        {differs ? <span class="m changed">{token}</span> : token}
      </span>
    ));
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
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
            <tr key={i} class={`${KINDS[row.kind]} ${classed(isAt(lit, 4, row.mark) || isFound(row))}`}>
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

/** What was drawn, as the files have it: gold, and the system's. */
export function Written({ texts, name }: { texts: Raw[]; name: string }): JSX.Element {
  return (
    <details class="notes">
      <summary>{T.raw}</summary>
      {texts.map(([, text], i) => (
        <div key={i}>
          <p class="small">{i < texts.length - 1 ? T.gold : name}</p>
          <pre class="raw scroll" tabIndex={0} dir="auto">
            {text}
          </pre>
        </div>
      ))}
    </details>
  );
}
