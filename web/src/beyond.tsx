// What fixing errors would gain, and suspects in gold; in a script of its own.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Edit, Item, Output, Picture, RepairClass, View } from "./contract";
import type { Store } from "./data";
import { T } from "./english-beyond";
import { save, toTsv } from "./export";
import { counted, fixed, signed, visible, whole } from "./format";
import { STRIDE } from "./marks";
import { Badge, Button, Choice, nameOf, Said, Scroll, Section, toneOf } from "./parts";
import { AxisLine, axisOf, Interval } from "./plots";
import { repairedArcs, repairedMarks, repairedOverlay } from "./repairing";
import { noFilters } from "./state";
import type { Shared } from "./overview";

interface Drawn {
  store: Store;
  draw: (golds: Item[1], output: Output, view: View | null, name: string) => JSX.Element;
}

function Warnings({ texts }: { texts: string[] }): JSX.Element | null {
  if (!texts.length) return null;
  return (
    <ul class="notices">
      {texts.map((text) => (
        <li key={text}>
          <Said text={text} />
        </li>
      ))}
    </ul>
  );
}

// -- repair

const gainOf = (each: RepairClass, label: string): number | null => each.delta["f"] ?? each.delta[label] ?? Object.values(each.delta)[0] ?? null;

export function RepairView({ page, set, state, go }: Shared): JSX.Element {
  const place = Math.max(0, set.repairs.findIndex((each) => each.metric === state.metric && each.system === state.one));
  const found = set.repairs[place];
  const [sort, setSort] = useState<"" | "edits" | "gain" | "per">("");
  if (!found) return <main class="column" id="main" />;
  const { digits, label, name } = page.metrics[found.metric]!;
  const rows = found.classes.map((each, i) => ({ each, i, gain: gainOf(each, name) }));
  const down = (value: number | null): number => (value === null ? Infinity : -value);
  if (sort === "edits") rows.sort((a, b) => b.each.edits - a.each.edits);
  if (sort === "gain") rows.sort((a, b) => down(a.gain) - down(b.gain));
  if (sort === "per") rows.sort((a, b) => down(a.each.per_edit) - down(b.each.per_edit));
  const axis = axisOf(rows.flatMap(({ each, gain }) => [gain, ...each.interval]), 0);
  const others = Object.keys(found.classes[0]?.delta ?? {}).filter((key) => key !== "f" && found.classes.length > 0 && Object.keys(found.classes[0]!.delta).length > 1);
  const measured = found.classes.some((each) => each.remeasured !== null);
  const open = (each: RepairClass): void => go({ view: "items", ...noFilters(), metric: found.metric, one: found.system, fix: each.column, item: "" }, true);
  const head = (key: typeof sort, text: string): JSX.Element => (
    <th scope="col" class="number" aria-sort={sort === key ? "descending" : undefined}>
      <Button class={sort === key ? "link on" : "link"} onClick={() => setSort(sort === key ? "" : key)}>
        {text}
      </Button>
    </th>
  );
  return (
    <main class="column" id="main">
      <h1>{T.repairTitle}</h1>
      <p class="lead">
        {nameOf(page, found.system)}: {visible(label)} {fixed(found.before, digits)}; with everything repaired {fixed(found.after, digits)}. {!found.exact && T.bounds}
      </p>
      <Warnings texts={found.warnings} />
      {set.repairs.length > 1 && (
        <div class="toolbar">
          <Choice
            label={T.system}
            hideLabel={false}
            value={place}
            options={set.repairs.map((each, i): [number, string] => [i, `${nameOf(page, each.system)}: ${page.metrics[each.metric]?.label}`])}
            onChange={(i) => go({ metric: set.repairs[i]!.metric, one: set.repairs[i]!.system })}
          />
        </div>
      )}
      <Section title={T.classes} about={`Edits by ${visible(found.partition)}, ordered by ${visible(found.rank)}: what ${visible(label)} gains if all edits of a class are made, with ${100 * page.made.level} % intervals. ${T.notAdded}`}>
        <Scroll label={T.classes}>
          <table class="repair forest">
            <thead>
              <tr>
                <th scope="col">class</th>
                {head("edits", "edits")}
                <th scope="col" class="number">items</th>
                {others.map((key) => (
                  <th key={key} scope="col" class="number">
                    {T.difference} {visible(key)}
                  </th>
                ))}
                {head("gain", T.gain)}
                {head("per", T.perEdit)}
                {measured && <th scope="col" class="number">{T.remeasured}</th>}
                <th scope="col" class="plot">
                  <span class="offscreen">{T.gain} and interval</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ each, i, gain }) => {
                const [low, high] = each.interval;
                return (
                  <tr key={i}>
                    <th scope="row">
                      {each.column ? (
                        <Button class="link under-line" onClick={() => open(each)}>
                          {visible(each.class)}
                        </Button>
                      ) : (
                        visible(each.class)
                      )}
                    </th>
                    <td class="number">{whole(each.edits)}</td>
                    <td class="number dim">{whole(each.items)}</td>
                    {others.map((key) => (
                      <td key={key} class="number dim">{signed(each.delta[key], digits)}</td>
                    ))}
                    <td class="number">
                      <b>{signed(gain, digits)}</b>
                      {low !== null && (
                        <span class="under">
                          {fixed(low, digits)} – {fixed(high, digits)}
                        </span>
                      )}
                    </td>
                    <td class="number dim">{signed(each.per_edit, digits + 2)}</td>
                    {measured && <td class="number">{fixed(each.remeasured, digits)}</td>}
                    <td class="plot">
                      <Interval axis={axis} figure={[gain, low, high]} zero tone={toneOf(found.system)} faint={low !== null && low <= 0} label={`${each.class}: ${signed(gain, digits)}`} />
                    </td>
                  </tr>
                );
              })}
            </tbody>
            <tfoot>
              <tr>
                <td colSpan={5 + others.length + (measured ? 1 : 0)} />
                <td class="plot">
                  <AxisLine axis={axis} />
                </td>
              </tr>
            </tfoot>
          </table>
        </Scroll>
      </Section>
      {found.plan.length > 0 && (
        <Section title={T.plan} about={T.planAbout}>
          <Scroll label={T.plan}>
            <table class="plan">
              <thead>
                <tr>
                  <th scope="col" class="number">#</th>
                  <th scope="col">then also</th>
                  <th scope="col" class="number">{visible(label)}</th>
                  {found.plan.some((step) => step.remeasured !== null) && <th scope="col" class="number">{T.remeasured}</th>}
                </tr>
              </thead>
              <tbody>
                <tr>
                  <td class="number dim">0</td>
                  <th scope="row" class="dim">as it is</th>
                  <td class="number">{fixed(found.before, digits)}</td>
                  {found.plan.some((step) => step.remeasured !== null) && <td />}
                </tr>
                {found.plan.map((step, k) => {
                  const before = new Set(found.plan[k - 1]?.classes ?? []);
                  const added = step.classes.filter((each) => !before.has(each));
                  return (
                    <tr key={k}>
                      <td class="number dim">{k + 1}</td>
                      <th scope="row">{visible((added.length ? added : step.classes).join(", "))}</th>
                      <td class="number">
                        <b>{fixed(step.f, digits)}</b>
                      </td>
                      {found.plan.some((each) => each.remeasured !== null) && <td class="number">{fixed(step.remeasured, digits)}</td>}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Scroll>
        </Section>
      )}
    </main>
  );
}

/** The edits of an output, each of which can be switched; the drawing follows. */
export function Repairable({ golds, output, view, layer, name, digits, label, draw }: { golds: Item[1]; output: Output; view: View; layer: string; name: string; digits: number; label: string; draw: Drawn["draw"] }): JSX.Element {
  const edits = view[5];
  const [on, setOn] = useState<Set<number>>(new Set());
  const made = edits.filter((_, i) => on.has(i));
  const toggle = (i: number): void => {
    const next = new Set(on);
    if (!next.delete(i)) next.add(i);
    setOn(next);
  };
  const [newGolds, newOutput, newView] = applied(golds, output, view, layer, made);
  return (
    <>
      {draw(newGolds, newOutput, newView, name)}
      <fieldset class="edits">
        <legend>
          {counted(edits.length, "edit")}; {whole(on.size)} switched on{" "}
          <Button class="link under-line" onClick={() => setOn(on.size === edits.length ? new Set() : new Set(edits.keys()))}>
            {on.size === edits.length ? T.noneOn : T.allOn}
          </Button>
        </legend>
        <ul>
          {edits.map((edit, i) => (
            <li key={i}>
              <label class="toggle">
                <input type="checkbox" checked={on.has(i)} onChange={() => toggle(i)} />
                <span class={on.has(i) ? "edit done" : "edit"}>
                  {visible(edit[0])} <EditText edit={edit} />
                </span>
                {edit[4] !== null && (
                  <span class="right dim" title={`${label} gains this by the edit alone`}>
                    {signed(edit[4], digits + 2)}
                  </span>
                )}
              </label>
            </li>
          ))}
        </ul>
      </fieldset>
    </>
  );
}

function EditText({ edit }: { edit: Edit }): JSX.Element {
  const [, , system, gold] = edit;
  return (
    <>
      {system && <span class="m surplus">{visible(system)}</span>}
      {system && gold && " → "}
      {gold && <span class="m missing">{visible(gold)}</span>}
    </>
  );
}

function applied(golds: Item[1], output: Output, view: View, layer: string, edits: Edit[]): [Item[1], Output, View] {
  if (!edits.length) return [golds, output, view];
  const overlay = view[1] && repairedOverlay(view[1], edits);
  const marks = view[0][layer];
  const layers = marks ? { ...view[0], [layer]: repairedMarks(marks, edits, STRIDE) } : view[0];
  const changed: View = [layers, overlay, view[2], view[3], view[4], view[5]];
  const gold = golds[0];
  if (gold?.[0] !== "arcs" || output[0]?.[0] !== "arcs") return [golds, [output[0], [changed]], changed];
  const [mine, theirs] = repairedArcs(gold, output[0], edits);
  return [[mine], [theirs, [changed]], changed];
}

// -- audit

export function AuditView({ page, set, state, go, store, draw }: Shared & Drawn): JSX.Element {
  const found = set.audit!;
  const [kind, setKind] = useState("");
  const kinds = [...new Set(found.findings.map((each) => each.part.kind))];
  const rows = found.findings.map((each, i) => ({ each, i })).filter(({ each }) => !kind || each.part.kind === kind);
  const most = Math.max(1e-9, ...found.findings.map((each) => each.evidence));
  const chosen = found.findings[state.finding];
  const item = chosen && found.items.find((each) => each.row === chosen.row);
  const judged = found.findings.some((each) => each.verdict);
  const place = (name: string): number => page.systems.findIndex((each) => each.name === name || each.path === name);
  const choose = (i: number): void => {
    go({ finding: i });
    setTimeout(() => document.querySelector("[data-finding]")?.scrollIntoView({ block: "center" }), 50);
  };
  const review = (): void =>
    save(
      "review.tsv",
      "text/tab-separated-values",
      toTsv([
        ["id", "part", "gold", "suggestion", "systems", "evidence", "verdict"],
        ...rows.map(({ each }) => [each.id, `${each.part.kind} ${each.part.where}`.trim(), each.gold, each.suggestion, each.systems.join(" "), String(each.evidence), each.verdict]),
      ]),
    );
  return (
    <main class="column" id="main">
      <h1>{T.auditTitle}</h1>
      <p class="lead">
        {counted(found.findings.length, "finding")} in {counted(found.items.length, "item")}, among {whole(found.parts)} parts of gold. {T.hints}
      </p>
      <Warnings texts={found.warnings} />
      {found.precision && (
        <p>
          {whole(found.judged)} findings are judged; {fixed(found.precision[0], 3)} of them are right
          {found.precision[1] !== null && ` (${fixed(found.precision[1], 3)} – ${fixed(found.precision[2], 3)})`}.
        </p>
      )}
      <Section title={T.findings} about={T.findingsAbout}>
        <div class="toolbar no-print">
          {kinds.length > 1 && <Choice label={T.part} hideLabel={false} value={kind} options={[["", T.all], ...kinds.map((each): [string, string] => [each, each])]} onChange={setKind} />}
          <Button class="chip" onClick={review}>
            {T.review}
          </Button>
        </div>
        {!rows.length && <p class="lead">{T.noFindings}</p>}
        <Scroll label={T.findings}>
          <table class="findings" hidden={!rows.length}>
            <thead>
              <tr>
                <th scope="col" class="number">{T.rank}</th>
                <th scope="col">{T.item}</th>
                <th scope="col">{T.part}</th>
                <th scope="col">{T.gold}</th>
                <th scope="col">{T.suggestion}</th>
                <th scope="col">{T.agree}</th>
                <th scope="col" class="number">{T.evidence}</th>
                {judged && <th scope="col">{T.verdict}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, 500).map(({ each, i }) => (
                <tr key={i} class={i === state.finding ? "on" : ""}>
                  <td class="number dim">{i + 1}</td>
                  <th scope="row">
                    <Button class="link under-line" aria-pressed={i === state.finding} onClick={() => choose(i)}>
                      {visible(each.id)}
                    </Button>
                  </th>
                  <td>
                    {visible(each.part.kind)} <span class="dim">{visible(each.part.where)}</span>
                  </td>
                  <td class="error-text" dir="auto">{visible(each.gold) || T.undefined}</td>
                  <td class="error-text" dir="auto">
                    <b>{visible(each.suggestion) || T.undefined}</b>
                  </td>
                  <td>
                    {each.systems.map((name) => (place(name) < 0 ? <span key={name}>{visible(name)} </span> : <Badge key={name} page={page} system={place(name)} small />))}
                    <span class="offscreen">{visible(each.systems.join(", "))}</span>
                  </td>
                  <td class="number error-count">
                    {fixed(each.evidence, 2)}
                    <svg class="bar" width="60" height="8" aria-hidden="true">
                      <rect class="tie" width={Math.max(2, (each.evidence / most) * 60)} height="8" rx="1" />
                    </svg>
                  </td>
                  {judged && <td>{visible(each.verdict)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </Section>
      {chosen && (
        <Section title={`${T.item} ${visible(chosen.id)}`} about={`${chosen.part.kind} ${chosen.part.where}: ${chosen.gold || T.undefined} → ${chosen.suggestion || T.undefined}`} table={false}>
          <div class="two" data-finding={state.finding}>
            {([[T.gold, item?.gold], [T.consensus, item?.consensus]] as [string, Picture | null | undefined][]).map(([title, picture]) => (
              <section key={title} class="side">
                <h3>{title}</h3>
                {picture ? <Side picture={picture} name={title} draw={draw} /> : <p class="dim">{T.undefined}</p>}
              </section>
            ))}
          </div>
          <p>
            <Button class="chip" onClick={() => go({ view: "items", ...noFilters(), item: store.keys[chosen.row] ?? "" }, true)}>
              {T.openItem}
            </Button>
          </p>
        </Section>
      )}
      <div class="two">
        <Section title={T.voters} about={T.votersAbout}>
          <Scroll label={T.voters}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{T.system}</th>
                  {accuracies(found.systems).map((each) => (
                    <th key={each} scope="col" class="number">
                      {visible(each)}
                    </th>
                  ))}
                  <th scope="col" class="number">{T.weight}</th>
                </tr>
              </thead>
              <tbody>
                {found.systems.map((each) => (
                  <tr key={each.name}>
                    <th scope="row">
                      {place(each.name) >= 0 && <Badge page={page} system={place(each.name)} />} {visible(each.name)}
                    </th>
                    {accuracies(found.systems).map((name) => (
                      <td key={name} class="number">{fixed(each.accuracy[name], 3)}</td>
                    ))}
                    <td class="number">{each.votes ? fixed(each.weight, 2) : T.noVote}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </Section>
        <Section title={T.shared} about={T.sharedAbout}>
          <Scroll label={T.shared}>
            <table class="confusions shared">
              <thead>
                <tr>
                  <td />
                  {found.systems.map((each) => (
                    <th key={each.name} scope="col">
                      <span>{visible(each.name)}</span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {found.systems.map((each, r) => (
                  <tr key={each.name}>
                    <th scope="row">{visible(each.name)}</th>
                    {found.systems.map((other, c) => {
                      const value = found.shared_errors[r]?.[c] ?? null;
                      return (
                        <td key={other.name} class={r === c ? "self" : value ? `heat h${Math.max(1, Math.min(4, Math.ceil(value * 4)))}` : ""}>
                          {r === c ? "" : fixed(value, 2)}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </Section>
      </div>
    </main>
  );
}

const accuracies = (systems: { accuracy: Record<string, number | null> }[]): string[] => [...new Set(systems.flatMap((each) => Object.keys(each.accuracy)))];

function Side({ picture, name, draw }: { picture: Picture; name: string; draw: Drawn["draw"] }): JSX.Element {
  const view: View = [{}, picture[1], [], [], [], []];
  return draw([], [picture[0], [view]], view, name);
}
