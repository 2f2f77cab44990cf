// Small parts of all views.
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Page, Pair } from "./contract";
import { T } from "./english";
import { visible } from "./format";
import { tableText, toLatex, toMarkdown, toTsv, type Table } from "./export";

/** The name of a system, safe to show; none is nobody's. */
export const nameOf = (page: Page, system: number): string => visible(page.systems[system]?.name ?? "");

const TONES = 6;
let compared: number[] | null = null;

/** Where there are more systems than colours, only the two that are compared have one. */
export function setCompared(page: Page, one: number, two: number): void {
  compared = page.systems.length > TONES ? [one, two] : null;
}

/** The class of a system's colour and shape. */
export function toneOf(system: number): string {
  if (!compared) return `s${system % TONES}`;
  const place = compared.indexOf(system);
  return place < 0 ? "tie" : `s${place}`;
}

export const Button = (props: JSX.IntrinsicElements["button"]): JSX.Element => <button type="button" {...props} />;

/** Letter, shape and colour of a system; they never change. */
export function Badge({ page, system, small }: { page: Page; system: number; small?: boolean }): JSX.Element {
  const letter = page.systems[system]?.letter ?? "?";
  return (
    <span class={`badge ${toneOf(system)}${small ? " small" : ""}`} aria-hidden="true">
      {letter}
    </span>
  );
}

export function Name({ page, system }: { page: Page; system: number }): JSX.Element {
  return (
    <span class="name">
      <Badge page={page} system={system} />
      <span class="word">{nameOf(page, system)}</span>
    </span>
  );
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A button that copies, and says so. */
export function Copy({ text, children, title, class: name }: { text: () => string; children: ComponentChildren; title?: string; class?: string }): JSX.Element {
  const [done, setDone] = useState(false);
  return (
    <Button
      class={name ?? "link"}
      title={title}
      onClick={() => {
        void copy(text()).then((ok) => {
          setDone(ok);
          setTimeout(() => setDone(false), 1200);
        });
      }}
    >
      {done ? T.copied : children}
    </Button>
  );
}

/** A message in which ``names`` stand out. */
export function Said({ text }: { text: string }): JSX.Element {
  return <>{text.split("``").map((part, i) => (i % 2 ? <code key={i}>{visible(part)}</code> : visible(part)))}</>;
}

/** A section whose table can be copied. */
export function Section({ title, about, children, table = true }: { title: string; about?: ComponentChildren; children: ComponentChildren; table?: boolean }): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const read = (): Table => {
    const found = box.current?.querySelector("table");
    return found ? tableText(found) : [];
  };
  return (
    <section ref={box} class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {table && (
          <p class="copies no-print">
            {T.copyAs} <Copy text={() => toTsv(read())}>TSV</Copy> <Copy text={() => toMarkdown(read())}>Markdown</Copy>{" "}
            <Copy text={() => toLatex(read())}>LaTeX</Copy>
          </p>
        )}
      </div>
      {about && <p class="about">{about}</p>}
      {children}
    </section>
  );
}

export function Scroll({ children, label }: { children: ComponentChildren; label: string }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

export function Choice<V extends string | number>({ label, value, options, onChange, hideLabel = true, class: name }: { label: string; value: V; options: [V, string][]; onChange: (value: V) => void; hideLabel?: boolean; class?: string }): JSX.Element {
  return (
    <label class={`choice ${name ?? ""}`}>
      <span class={hideLabel ? "offscreen" : "choice-label"}>{label}</span>
      <select
        value={String(value)}
        onChange={(event) => {
          const chosen = options.find(([each]) => String(each) === event.currentTarget.value);
          if (chosen) onChange(chosen[0]);
        }}
      >
        {options.map(([each, text]) => (
          <option key={String(each)} value={String(each)}>
            {visible(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The pair of two systems, turned so that it is the first minus the second, favouring the first. */
export function pairOf(pairs: Pair[], one: number, two: number, lower: boolean): Pair | null {
  const found = pairs.find((p) => (p.first === one && p.second === two) || (p.first === two && p.second === one));
  if (!found) return null;
  const sign = (found.first === one ? 1 : -1) * (lower ? -1 : 1);
  const turn = (value: number | null): number | null => (value === null ? null : sign * value || 0);
  const ends = [turn(found.low), turn(found.high)];
  return { ...found, first: one, second: two, difference: turn(found.difference), low: sign > 0 ? ends[0]! : ends[1]!, high: sign > 0 ? ends[1]! : ends[0]! };
}
