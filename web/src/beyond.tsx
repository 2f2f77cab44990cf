// What fixing errors would gain, and suspects in gold; in a script of its own.
import type { JSX } from "preact";
import { useMemo, useState } from "./dom";
import type { AuditSystem, Edit, Item, Output, Picture, RepairClass, View } from "./contract";
import type { Store } from "./data";
import { T } from "./english";
import { save, toTsv } from "./export";
import { counted, fixed, signed, whole } from "./format";
import { Badge, Bar, Button, Choice, Figure, Link, nameOf, Section, Table, toneOf, Warnings } from "./parts";
import { AxisLine, axisOf, Interval } from "./plots";
import { STRIDE } from "./marks";
import { repairedArcs, repairedMarks, repairedOverlay, repairedText, sameWords, withMarks } from "./repairing";
import { noFilters } from "./state";
import type { Places } from "./item";
import type { Shared } from "./overview";

export { TraceView } from "./trace";

interface Drawn {
  store: Store;
  draw: (golds: Item[1], output: Output, view: View | null, name: string, lit?: Places) => JSX.Element;
}

// -- repair

const gainOf = (each: RepairClass, label: string): number | null => each.delta["f"] ?? each.delta[label] ?? Object.values(each.delta)[0] ?? null;

export function RepairView({ page, set, state, go }: Shared): JSX.Element {
  const place = Math.max(0, set.repairs.findIndex((each) => each.metric === state.metric && each.system === state.one));
  const found = set.repairs[place];
  if (!found) return <main class="column" id="main" />;
  const { digits, label, name } = page.metrics[found.metric]!;
  const gain = (each: RepairClass): number | null => gainOf(each, name);
  const axis = axisOf(found.classes.flatMap((each) => [gain(each), ...each.interval]), 0);
  const deltas = Object.keys(found.classes[0]?.delta ?? {});
  const others = deltas.length > 1 ? deltas.filter((key) => key !== "f") : [];
  const measured = found.classes.some((each) => each.remeasured !== null);
  const open = (each: RepairClass): void => go({ view: "items", ...noFilters(), metric: found.metric, one: found.system, fix: each.column, item: "" }, true);
  const again = found.plan.some((step) => step.remeasured !== null);
  const steps = [{ classes: ["as it is"], f: found.before, remeasured: null }, ...found.plan];
  return (
    <main class="column" id="main">
      <h1>{T.repairTitle}</h1>
      <p class="lead">
        {nameOf(page, found.system)}: {label} {fixed(found.before, digits)}; with everything repaired {fixed(found.after, digits)}. {!found.exact && T.bounds}
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
      <Section title={T.classes} about={`Edits by ${found.partition}, ordered by ${found.rank}: what ${label} gains if all edits of a class are made, with ${100 * page.made.level} % intervals. ${T.notAdded}`}>
        <Table
          label={T.classes}
          class="repair forest"
          rows={found.classes}
          fields={[
            { head: "class", names: true, cell: (each) => (each.column ? <Link onClick={() => open(each)}>{each.class}</Link> : each.class) },
            { head: "edits", class: "number", cell: (each) => whole(each.edits), by: (each) => each.edits },
            { head: "items", class: "number dim", cell: (each) => whole(each.items) },
            ...others.map((key) => ({ head: `${T.difference} ${key}`, class: "number dim", cell: (each: RepairClass) => signed(each.delta[key], digits) })),
            {
              head: T.gain,
              class: "number",
              cell: (each) => (
                <Figure figure={[null, ...each.interval]} digits={digits}>
                  <b>{signed(gain(each), digits)}</b>
                </Figure>
              ),
              by: gain,
            },
            { head: T.perEdit, class: "number dim", cell: (each) => signed(each.per_edit, digits + 2), by: (each) => each.per_edit },
            measured && { head: T.remeasured, class: "number", cell: (each) => fixed(each.remeasured, digits) },
            {
              head: <span class="offscreen">{T.gain} and interval</span>,
              class: "plot",
              cell: (each) => <Interval axis={axis} figure={[gain(each), ...each.interval]} zero tone={toneOf(found.system)} faint={each.interval[0] !== null && each.interval[0] <= 0} label={`${each.class}: ${signed(gain(each), digits)}`} />,
              foot: <AxisLine axis={axis} />,
            },
          ]}
        />
      </Section>
      {found.plan.length > 0 && (
        <Section title={T.plan} about={T.planAbout}>
          <Table
            label={T.plan}
            class="plan"
            rows={[...steps.keys()]}
            fields={[
              { head: "#", class: "number dim", cell: (k) => k },
              { head: "then also", names: true, cell: (k) => (added(steps[k - 1]?.classes ?? [], steps[k]!.classes).join(", ")) },
              { head: label, class: "number", cell: (k) => <b>{fixed(steps[k]!.f, digits)}</b> },
              again && { head: T.remeasured, class: "number", cell: (k) => (k ? fixed(steps[k]!.remeasured, digits) : "") },
            ]}
          />
        </Section>
      )}
    </main>
  );
}

/** The classes that a step has and the one before it had not. */
function added(before: string[], classes: string[]): string[] {
  const fresh = classes.filter((each) => !before.includes(each));
  return fresh.length ? fresh : classes;
}

/** The edits of an output; those that its drawing shows can be switched, and the drawing follows. */
export function Repairable({ golds, output, view, name, digits, label, draw }: { golds: Item[1]; output: Output; view: View; name: string; digits: number; label: string; draw: Drawn["draw"] }): JSX.Element {
  const [gold, system] = [golds[0], output[0]];
  const [layer, edits] = useMemo(() => withMarks(view[5], gold, system, view[0]), [view, gold, system]);
  const [on, setOn] = useState<Set<Edit>>(new Set());
  const [over, setOver] = useState<Edit | null>(null);
  const marks = view[0][layer] ?? [];
  const trees = gold?.[0] === "arcs" && system?.[0] === "arcs" ? ([gold, system] as const) : null;
  const toggle = (edit: Edit): void => {
    const next = new Set(on);
    if (!next.delete(edit)) next.add(edit);
    setOn(next);
  };
  const made = [...on];
  const isWritten = (gold?.[0] === "text" || gold?.[0] === "raw") && (system?.[0] === "text" || system?.[0] === "raw");
  // What gold has and a document lacks has no place there.
  const isPlaced = (edit: Edit): boolean => edit[5].some(([what, place]) => what !== 4 || !isWritten || marks[place * STRIDE + 4]! >= 0);
  const switched = trees && !sameWords(...trees) ? [] : edits.filter(isPlaced);
  const [written, moved] = isWritten ? repairedText(gold[1], system[1], marks, made) : ["", repairedMarks(marks, made)];
  const after = isWritten ? ([system[0], written, ...system.slice(2)] as typeof system) : system;
  const [mine, theirs] = trees && on.size ? repairedArcs(...trees, edits, made) : [gold, after];
  const changed: View = [layer ? { [layer]: moved } : view[0], view[1] && repairedOverlay(view[1], made), view[2], view[3], view[4], view[5], view[6], view[7]];
  // What is said of nodes and arrows is at them.
  const lit = over && !on.has(over) ? over[5].map(([what, place]): Places[number] => [what < 5 ? what : what < 7 ? 0 : 1, place]) : [];
  const all = on.size === switched.length;
  return (
    <>
      {draw(trees ? [mine!] : golds, [theirs ?? null, [changed]], changed, name, on.size && view[1] ? [] : lit)}
      <fieldset class="edits">
        <legend>
          {counted(edits.length, "edit")}
          {switched.length > 0 && (
            <>
              ; {whole(on.size)} switched on <Link onClick={() => setOn(new Set(all ? [] : switched))}>{all ? T.noneOn : T.allOn}</Link>
            </>
          )}
        </legend>
        <ul>
          {edits.map((edit, i) => (
            <li key={i} onPointerEnter={() => setOver(edit)} onPointerLeave={() => setOver(null)} onFocusIn={() => setOver(edit)} onFocusOut={() => setOver(null)}>
              <label class="toggle">
                {switched.includes(edit) && <input type="checkbox" checked={on.has(edit)} onChange={() => toggle(edit)} />}
                <span class={on.has(edit) ? "edit done" : "edit"}>
                  {edit[0]} <EditText edit={edit} />
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
      {system && <span class="m surplus">{system}</span>}
      {system && gold && " → "}
      {gold && <span class="m missing">{gold}</span>}
    </>
  );
}

// -- audit

/** What a list of findings, as `karat audit --verdicts` reads it, says of a value that is not there. */
const NONE = "(nothing)";

export function AuditView({ page, set, state, go, store, draw }: Shared & Drawn): JSX.Element {
  const found = set.audit!;
  const [kind, setKind] = useState("");
  const kinds = [...new Set(found.findings.map((each) => each.part.kind))];
  const rows = found.findings.map((each, i) => ({ each, i })).filter(({ each }) => !kind || each.part.kind === kind);
  const most = Math.max(1e-9, ...found.findings.map((each) => each.evidence));
  const chosen = found.findings[state.finding];
  const item = chosen && found.items.find((each) => each.row === chosen.row);
  const judged = found.findings.some((each) => each.verdict);
  const shared = (one: number, other: number): number | null => found.shared_errors[one]?.[other] ?? null;
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
        ["id", "part", "where", "gold", "suggestion", "systems", "evidence", "verdict"],
        ...rows.map(({ each }) => [each.id, each.part.kind, each.part.where, each.gold || NONE, each.suggestion || NONE, each.systems.join(", "), each.evidence.toFixed(2), each.verdict]),
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
        {rows.length > 0 && (
          <Table
            label={T.findings}
            class="findings"
            rows={rows}
            most={500}
            tone={({ i }) => (i === state.finding ? "on" : "")}
            fields={[
              { head: T.rank, class: "number dim", cell: ({ i }) => i + 1 },
              {
                head: T.item,
                names: true,
                cell: ({ each, i }) => (
                  <Link aria-pressed={i === state.finding} onClick={() => choose(i)}>
                    {each.id}
                  </Link>
                ),
              },
              { head: T.part, cell: ({ each: { part } }) => [part.kind, " ", <span class="dim">{part.where}</span>] },
              { head: T.gold, class: "error-text", cell: ({ each }) => <bdi>{each.gold || T.undefined}</bdi> },
              {
                head: T.suggestion,
                class: "error-text",
                cell: ({ each }) => (
                  <b>
                    <bdi>{each.suggestion || T.undefined}</bdi>
                  </b>
                ),
              },
              {
                head: T.agree,
                cell: ({ each }) => (
                  <>
                    {each.systems.map((name) => (place(name) < 0 ? <span key={name}>{name} </span> : <Badge key={name} page={page} system={place(name)} small />))}
                    <span class="offscreen">{each.systems.join(", ")}</span>
                  </>
                ),
              },
              { head: T.evidence, class: "number error-count", cell: ({ each }) => [fixed(each.evidence, 2), <Bar tone="tie" share={each.evidence / most} />] },
              judged && { head: T.verdict, cell: ({ each }) => each.verdict },
            ]}
          />
        )}
      </Section>
      {chosen && (
        <Section title={`${T.item} ${chosen.id}`} about={`${chosen.part.kind} ${chosen.part.where}: ${chosen.gold || T.undefined} → ${chosen.suggestion || T.undefined}`} table={false}>
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
          <Table
            label={T.voters}
            rows={found.systems}
            fields={[
              { head: T.system, names: true, cell: ({ name }) => [place(name) >= 0 && <Badge page={page} system={place(name)} />, " ", name] },
              ...accuracies(found.systems).map((name) => ({ head: name, class: "number", cell: ({ accuracy }: AuditSystem) => fixed(accuracy[name], 3) })),
              { head: T.weight, class: "number", cell: (each) => (each.votes ? fixed(each.weight, 2) : T.noVote) },
            ]}
          />
        </Section>
        <Section title={T.shared} about={T.sharedAbout}>
          <Table
            label={T.shared}
            class="confusions shared"
            rows={[...found.systems.keys()]}
            fields={[
              { names: true, cell: (r) => found.systems[r]!.name },
              ...found.systems.map(({ name }, c) => ({
                head: place(name) < 0 ? name : [<Badge page={page} system={place(name)} />, <span class="offscreen">{name}</span>],
                tone: (r: number) => (r === c ? "self" : shared(r, c) ? `heat h${Math.max(1, Math.min(4, Math.ceil(shared(r, c)! * 4)))}` : ""),
                cell: (r: number) => (r === c ? "" : fixed(shared(r, c), 2)),
              })),
            ]}
          />
        </Section>
      </div>
    </main>
  );
}

const accuracies = (systems: { accuracy: Record<string, number | null> }[]): string[] => [...new Set(systems.flatMap((each) => Object.keys(each.accuracy)))];

function Side({ picture, name, draw }: { picture: Picture; name: string; draw: Drawn["draw"] }): JSX.Element {
  const view: View = [{}, picture[1], [], [], [], [], [], []];
  return draw([], [picture[0], [view]], view, name);
}
