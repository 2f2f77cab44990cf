// One item: source, gold and every system, with what differs marked.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "./dom";
import { KINDS, type Item, type Output, type Page, type Raw, type Text, type Unit, type View } from "./contract";
import { textOf } from "./data";
import { T } from "./english";
import { fixed, whole } from "./format";
import { extras } from "./extras";
import { soughtMarks, STRIDE, stretches, type Side, type Sought } from "./marks";
import { Badge, Button, Chips, Copy, Icon, nameOf, Table } from "./parts";
import type { Scores } from "./select";
import { toHash } from "./state";
import type { ItemsProps } from "./items";

const LONG = 60;

/** The layers that an item may show: those of the metric, then those of the others. */
export function layersOf(page: Page, metric: number): string[] {
  const own = page.metrics[metric]?.layers ?? [];
  return [...new Set([...own, ...page.metrics.flatMap((each) => each.layers)])];
}

/** The marks of a layer, and what they are called. */
function marksOf(output: Output | null | undefined, layer: string): [marks: number[], labels: string[]] {
  for (const view of output?.[1] ?? []) {
    const found = view?.[0][layer];
    if (found) return [found, layer === "fields" ? pathsOf(view[2].slice(-found.length / STRIDE)) : Object.keys(view[0])[0] === layer ? (view[6] ?? []) : []];
  }
  return [[], []];
}

/** The paths of differences of documents, which notes tell in the order of marks; all places of a list have one path. */
const pathsOf = (notes: string[]): string[] => notes.map((note) => (/^\S+ (.*?): /.exec(note)?.[1] ?? "").replace(/\/\d+(?=\/|$)/g, "/*"));

/** Parts of a drawing that stand out: what (a node, an arrow, an arc of gold or of the system, a mark), and which one. */
export type Places = [what: number, place: number][];

function viewOf(output: Output | null | undefined, metric: number): View | null {
  const own = output?.[1][metric];
  if (own && (own[1] || own[4].length)) return own;
  return own ?? output?.[1].find((view) => view?.[1]) ?? null;
}

export function ItemPanel(props: ItemsProps & { row: number; at: number; total: number; scores: Scores }): JSX.Element {
  const { set, state, go, store, redraw, row, at, total, scores, moveBy } = props;
  const item = store.item(row, redraw);
  const key = store.keys[row] ?? "";
  const facets = set.columns.filter((each) => each.role === "facet").slice(0, 4);
  const told = facets.flatMap((each) => {
    const value = each.values[store.column(each.id, redraw)?.[row] ?? 0];
    return value ? (/^\d/.test(value) ? `${each.name} ${value}` : value) : [];
  });
  return (
    <article class="item">
      <header class="item-head">
        <h2 tabIndex={-1} title={key}>
          {T.item}{" "}
          <span class="key">
            <bdi>{key}</bdi>
          </span>
        </h2>
        <span class="dim facets">{told.join(" · ")}</span>
        <span class="dim">{at >= 0 ? `${whole(at + 1)} / ${whole(total)}` : `– / ${whole(total)}`}</span>
        <Icon name={T.previous} keys="k" disabled={at <= 0} onClick={() => moveBy.current(-1)}>
          ↑
        </Icon>
        <Icon name={T.next} keys="j" disabled={at >= total - 1} onClick={() => moveBy.current(1)}>
          ↓
        </Icon>
        <Icon name={T.wide} keys="w" class="wide-button" aria-pressed={state.wide} onClick={() => go({ wide: !state.wide })}>
          ↔
        </Icon>
        <Icon name={T.close} keys="Esc" onClick={() => go({ item: "" }, true)}>
          ×
        </Icon>
      </header>
      {item === undefined && <p class="hint">{T.loading}</p>}
      {item === null && (
        <p class="hint">
          {store.failure || T.notInPage}. {!store.failure && set.kept > 0 && [<code>karat view</code>, " shows it."]}
        </p>
      )}
      {item && <Body {...props} item={item} scores={scores} />}
    </article>
  );
}

function Body(props: ItemsProps & { row: number; item: Item; scores: Scores }): JSX.Element {
  const { page, set, state, go, row, item, scores, store, redraw } = props;
  const [source, golds, outputs] = item;
  const [unit, setUnit] = useState(-1);
  const hover: Hover = useState(-1);
  const present = layersOf(page, state.metric).filter((layer) => outputs.some((output) => output?.[1].some((view) => view && layer in view[0])));
  const layer = present.includes(state.layer) ? state.layer : (present[0] ?? "");
  const systems = set.systems.filter((s) => outputs[s]);
  const worse = ((scores.one?.[row] ?? 0) - (scores.two?.[row] ?? 0)) * (scores.lower ? -1 : 1) > 0 ? state.two : state.one;
  const usual = scores.two && outputs[worse] ? worse : state.one;
  const against = [state.against, state.errors[0]?.[1] ?? -1].find((s) => s >= 0 && outputs[s]) ?? usual;
  const soughtOf = (system: number): Sought[] => state.errors.flatMap(([error, of]) => (of === system ? set.errors[error]! : []));
  const own = viewOf(outputs[against], state.metric);
  const overlaid = outputs.some((output) => output?.[1].some((view) => view?.[1]));
  const isText = !overlaid && (golds[0]?.[0] === "text" || golds[0]?.[0] === "raw");
  const isArcs = golds[0]?.[0] === "arcs";
  const isForm = golds[0]?.[0] === "form";
  const units = own?.[4] ?? [];
  const chosenUnit = units[unit];
  const [goldMarks, goldLabels] = marksOf(outputs[against], layer);
  const goldLit = soughtMarks(golds.map(textOf), textOf(outputs[against]?.[0] ?? ["raw", ""]), goldMarks, goldLabels, soughtOf(against));
  const visibleRef = (ref: number): boolean => !state.hidden.includes(ref);
  const words = Math.max(...golds.map((gold) => textOf(gold).split(/\s+/).length), 0);
  const columns = isText && words > LONG;
  const ordered = [state.one, ...(state.two >= 0 && state.two !== state.one ? [state.two] : []), ...systems].filter((s, i, all) => outputs[s] && all.indexOf(s) === i);
  return (
    <>
      <div class="layers">
        {present.length > 1 && <Chips label="Layer of marks" value={layer} options={present.map((each): [string, string] => [each, each])} onChange={(each) => go({ layer: each })} />}
        <Legend kinds={kindsOf(item, layer, state.metric)} counting={isText && layer !== "what differs"} drawn={!isText} />
      </div>
      {source !== null && (
        <section class="side">
          <h3 class="input-name">{/^(gold)?$/.test(set.source_label) ? T.source : set.source_label}</h3>
          <p class="text" dir="auto">
            {highlighted(source, state.q)}
          </p>
        </section>
      )}
      {isText && units.length === 0 && (
        <section class={`side gold${columns && golds.length > 1 ? " beside-each-other" : ""}`}>
          {golds.map((gold, g) => (
            <div key={g} class="gold-text">
              <h3>
                {golds.length === 1 ? (
                  T.gold
                ) : (
                  <label class="toggle">
                    <input type="checkbox" checked={visibleRef(g)} onChange={() => go({ hidden: visibleRef(g) ? [...state.hidden, g] : state.hidden.filter((each) => each !== g) })} />
                    {T.reference} {(gold[0] === "text" && gold[2]) || String(g + 1)}
                  </label>
                )}
                {g === 0 && layer && systems.length > 0 && (
                  <span class="right dim">
                    {T.marksAgainst} {nameOf(page, against)}
                  </span>
                )}
              </h3>
              {(golds.length === 1 || visibleRef(g)) && <Marked content={gold as Text | Raw} marks={goldMarks} labels={goldLabels} lit={goldLit} side="gold" refs={(ref) => ref === g} q={state.q} hover={hover} />}
            </div>
          ))}
        </section>
      )}
      {units.length > 0 && extras.graph && <extras.graph.Units units={units} golds={golds} chosen={unit} choose={setUnit} draw={(gold, g) => <Marked content={gold} marks={chosenUnit ? unitMarks(chosenUnit, g) : []} side="gold" refs={() => true} q="" />} />}
      {!isText && !isArcs && !isForm && !overlaid && golds.length > 0 && (
        <section class="side">
          <h3>{T.gold}</h3>
          {golds.map((gold, g) => (
            <Plain key={g} content={gold} label="" />
          ))}
        </section>
      )}
      <div class={columns && systems.length > 1 ? "outputs beside-each-other" : "outputs"}>
        {ordered.map((s) => {
          const view = viewOf(outputs[s], state.metric);
          // Arcs are marked for one system and metric: these may have their own.
          const marked = view?.[7] ?? [];
          const theirs = marked.length ? marked.slice(0, -1) : golds;
          const output: Output = marked.length ? [marked.at(-1)!, outputs[s]![1]] : outputs[s]!;
          return (
            <section key={s} class={`side output${s === against ? " against" : ""}`}>
              <h3>
                <Button class="link name" aria-pressed={s === against} title={`${T.marksAgainst} ${page.systems[s]?.name}`} onClick={() => go({ against: s })}>
                  <Badge page={page} system={s} /> <span class="word">{page.systems[s]?.name ?? ""}</span>
                </Button>
                <span class="right">
                  {page.metrics.map((metric, m) => {
                    const column = store.scoreColumn(m, s);
                    if (!column) return null;
                    const value = store.column(column.id, redraw)?.[row];
                    return (
                      <span key={metric.key} class="item-score">
                        {metric.label} <b>{fixed(value, metric.digits)}</b>
                      </span>
                    );
                  })}
                </span>
              </h3>
              {view?.[5].length && extras.beyond ? (
                <extras.beyond.Repairable key={row} golds={theirs} output={output} view={view} name={nameOf(page, s)} digits={page.metrics[state.metric]!.digits} label={page.metrics[state.metric]!.label} draw={drawOutput} />
              ) : (
                <OutputView golds={theirs} output={output} view={view} layer={layer} refs={visibleRef} q={state.q} name={page.systems[s]?.name ?? ""} sought={soughtOf(s)} unit={s === against ? chosenUnit : undefined} hover={s === against ? hover : undefined} />
              )}
              <Notes view={view} />
              {overlaid && extras.graph && output[0]?.[0] === "raw" && <extras.graph.Written texts={[...golds, output[0]] as Raw[]} name={nameOf(page, s)} />}
            </section>
          );
        })}
      </div>
      {store.source.ask && extras.served && <extras.served.Rescore key={row} {...props} draw={drawOutput} />}
      <p class="small keys no-print">
        <span>
          <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>/</kbd> search · {scores.two && [<kbd>x</kbd>, " swap · "]}<kbd>?</kbd> all keys ·{" "}
        </span>
        <Copy class="link under-line" text={() => location.href.split("#")[0] + toHash(state, page)}>copy address</Copy>
      </p>
    </>
  );
}

/** The kinds of marks that an item has in a layer. */
function kindsOf(item: Item, layer: string, metric: number): Set<number> {
  const kinds = new Set<number>();
  for (const output of item[2]) {
    const view = viewOf(output, metric);
    for (const content of view?.[7]?.length ? view[7] : [...item[1], output?.[0]]) {
      if (content?.[0] !== "arcs") continue;
      for (const arc of content[2]) kinds.add(arc[3]);
      for (const word of content[1]) kinds.add(word[2] || (word[3] ? 3 : 0));
    }
    if (view?.[1]) {
      for (const [kind, lines, top] of view[1][0]) for (const each of [kind, top, ...lines.map((line) => line[1])]) kinds.add(each);
      for (const arrow of view[1][1]) for (const each of [arrow[2], ...arrow[4].map((note) => note[1])]) kinds.add(each);
      for (const line of view[1][2]) kinds.add(line[1]);
    } else {
      const [marks] = marksOf(output, layer);
      for (let i = 0; i < marks.length; i += STRIDE) kinds.add(marks[i]!);
    }
  }
  return kinds;
}

const SAID: Record<string, string> = { missing: "gold only", surplus: "system only", changed: "both differ", moved: "at another place", clipped: "too often to count", stem: "same stem", synonym: "synonym", accepted: "counts all the same", matched: "counts" };

function Legend({ kinds, counting, drawn }: { kinds: Set<number>; counting: boolean; drawn: boolean }): JSX.Element | null {
  // Of trees, what stands otherwise and is accepted.
  const shown = KINDS.map((name, kind) => ({ name: drawn && name === "synonym" ? "accepted" : name, kind })).filter(({ name, kind }) => kinds.has(kind) && SAID[name] && (name !== "matched" || counting));
  if (!shown.length) return null;
  return (
    <p class="legend">
      {shown.map(({ name }) => (
        <span key={name}>
          <span class={`m ${name}`}>{name === "matched" ? SAID[name] : name}</span> {name !== "matched" && <span class="dim">{SAID[name]}</span>}
        </span>
      ))}
    </p>
  );
}

function OutputView({ golds, output, view, layer, refs, q, name, unit, hover, sought, lit = [] }: { golds: Item[1]; output: Output; view: View | null; layer: string; refs: (ref: number) => boolean; q: string; name: string; unit?: Unit | undefined; hover?: Hover | undefined; sought: Sought[]; lit?: Places }): JSX.Element {
  const content = output[0];
  const gold = golds[0];
  const draws = extras.graph;
  const shows = { sought, lit, label: `Gold and ${name}` };
  if (view?.[1] && draws) return <draws.OverlayView overlay={view[1]} {...shows} />;
  if (!content) return <p class="dim">–</p>;
  if (content[0] === "arcs" && draws) {
    if (golds.length === 1 && gold?.[0] === "arcs") return <draws.ArcDiagram gold={gold} system={content} {...shows} />;
    return (
      <>
        {golds.map((each, g) => (
          <Plain key={g} content={each} label={golds.length > 1 ? `${T.reference} ${g + 1}` : T.gold} />
        ))}
        <Plain content={content} label={name} alone={!golds.length} />
      </>
    );
  }
  const [marks, labels] = marksOf(output, layer);
  if (content[0] === "form" && gold?.[0] === "form" && draws) return <draws.Terms gold={gold} system={content} marks={marks} {...shows} />;
  if (content[0] === "form" || content[0] === "arcs") return <Plain content={content} label={name} alone={!golds.length} />;
  if (unit) return <Marked content={content} marks={unitMarks(unit, -1)} side="gold" refs={() => true} q={q} />;
  if (gold?.[0] === "form") {
    return (
      <>
        <Plain content={gold} label={T.gold} />
        <Plain content={content} label={name} />
      </>
    );
  }
  const places = [...lit.map(([, place]) => place), ...soughtMarks(golds.map(textOf), content[1], marks, labels, sought)];
  return <Marked content={content} marks={marks} labels={labels} lit={places} side="system" refs={refs} q={q} hover={hover} />;
}

/** An output alone, as other views draw it. */
export function drawOutput(golds: Item[1], output: Output, view: View | null, name: string, lit: Places = []): JSX.Element {
  return <OutputView golds={golds} output={output} view={view} layer={Object.keys(view?.[0] ?? {})[0] ?? ""} refs={() => true} q="" name={name} sought={[]} lit={lit} />;
}

/** The mark under the pointer, which its partner in the other text shares. */
type Hover = [mark: number, set: (mark: number) => void];

/** A text with its marks; a place where words of gold lack has a caret. */
function Marked({ content, marks, labels = [], lit = [], side, refs, q, hover }: { content: Text | Raw; marks: number[]; labels?: string[]; lit?: number[]; side: Side; refs: (ref: number) => boolean; q: string; hover?: Hover | undefined }): JSX.Element {
  const text = content[1];
  const own = useState(-1);
  const [over, setOver] = hover ?? own;
  const parts: ComponentChildren[] = [];
  for (const { from, to, kind, mark } of stretches(text, marks, side, refs)) {
    const piece = text.slice(from, to);
    if (kind < 0) {
      parts.push(...highlighted(piece, q));
      continue;
    }
    const name = KINDS[kind] ?? "matched";
    if (from === to) {
      if (side === "system" && name === "missing") parts.push(<span key={`c${from}`} class={lit.includes(mark) ? "caret lit" : "caret"} title={T.missing} role="img" aria-label={T.missing} />);
      continue;
    }
    parts.push(
      <span key={from} class={`m ${name}${over === mark ? " over" : ""}${lit.includes(mark) ? " lit" : ""}`} data-mark={mark} title={labels[mark] ? `${name}: ${labels[mark]}` : partner(marks, mark, name)} onPointerEnter={() => setOver(mark)} onPointerLeave={() => setOver(-1)}>
        {highlighted(piece, q)}
        {labels[mark] && content[0] === "text" && <span class="tag">{labels[mark]}</span>}
      </span>,
    );
  }
  return (
    <p class={content[0] === "raw" ? "text raw" : "text"} dir="auto" data-side={side}>
      {text ? parts : <span class="dim">{T.empty}</span>}
    </p>
  );
}

function partner(marks: number[], mark: number, name: string): string {
  const from = marks[mark * STRIDE + 2] ?? -1;
  return from < 0 ? name : name === "moved" ? "moved: stands at another place in the other text" : name;
}

/** A text in which the words that are searched for stand out. */
export function highlighted(text: string, q: string): ComponentChildren[] {
  const words = q.trim().toLowerCase();
  const lower = text.toLowerCase();
  if (!words || lower.length !== text.length || !lower.includes(words)) return [text];
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (let found = lower.indexOf(words); found >= 0; found = lower.indexOf(words, at)) {
    parts.push(text.slice(at, found), <mark>{text.slice(found, found + words.length)}</mark>);
    at = found + words.length;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Something alone, without marks. */
function Plain({ content, label, alone = false }: { content: Item[1][number]; label: string; alone?: boolean }): JSX.Element {
  return (
    <>
      {!alone && label && <p class="small">{label}</p>}
      {content[0] === "arcs" && extras.graph ? (
        <extras.graph.ArcDiagram gold={content} system={null} label={label} />
      ) : (
        <pre class="raw scroll" tabIndex={0} dir="auto">
          {content[0] === "form" ? content[1].join("\n") : textOf(content)}
        </pre>
      )}
    </>
  );
}

function Notes({ view }: { view: View | null }): JSX.Element | null {
  if (!view || (!view[2].length && !view[3].length)) return null;
  return (
    <div class="notes">
      {view[2].length > 0 && (
        <ul>
          {view[2].map((note, i) => (
            <li key={i}>{note}</li>
          ))}
        </ul>
      )}
      {view[3].length > 0 && (
        <details>
          <summary>{T.counts}</summary>
          <Table
            label={T.counts}
            class="counts"
            rows={view[3]}
            fields={[{ head: "part", names: true, cell: ([part]) => part }, ...["gold", "system", "matched"].map((head, i) => ({ head, class: "number", cell: (row: View[3][number]) => whole(row[i + 1] as number) }))]}
          />
        </details>
      )}
    </div>
  );
}

function unitMarks(unit: Unit, text: number): number[] {
  const marks: number[] = [];
  for (let i = 0; i + 3 <= unit[3].length; i += 3) {
    if (unit[3][i] === text) marks.push(0, 0, unit[3][i + 1]!, unit[3][i + 2]!, -1, -1);
  }
  return marks;
}

