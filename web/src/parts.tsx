// Small parts of all views.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "./dom";
import type { Page, Pair } from "./contract";
import { T } from "./english";
import { between, fixed } from "./format";
import { tableText, toLatex, toMarkdown, toTsv, type Table } from "./export";

/** What tells a system from the others, safe to show: its name, or where names are long what they do not share. */
export const nameOf = (page: Page, system: number): string => (page.systems[system]?.short ?? "");

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

type ButtonProps = JSX.IntrinsicElements["button"];
export const Button = (props: ButtonProps): JSX.Element => <button type="button" {...props} />;

/** A button in a line of text. */
export const Link = (props: ButtonProps): JSX.Element => <Button class="link under-line" {...props} />;

/** A button that is on or off. */
export const Chip = ({ on, ...props }: ButtonProps & { on: boolean }): JSX.Element => <Button class={on ? "chip on" : "chip"} aria-pressed={on} {...props} />;

/** A button with a sign for a face, and the key that does the same. */
export const Icon = ({ name, keys, class: more = "", ...props }: ButtonProps & { name: string; keys?: string; class?: string }): JSX.Element => (
  <Button class={`chip icon ${more}`} aria-label={name} title={keys ? `${name} (${keys})` : name} {...props} />
);

/** One of several, each of which can be seen. */
export function Chips<V extends string>({ label, value, options, onChange }: { label: string; value: V; options: [V, string][]; onChange: (value: V) => void }): JSX.Element {
  return (
    <div class="chips" role="group" aria-label={label}>
      {options.map(([each, text]) => (
        <Chip key={each} on={each === value} onClick={() => onChange(each)}>
          {text}
        </Chip>
      ))}
    </div>
  );
}

/** A button, and what it opens below itself. */
export function Menu({ text, label, open, setOpen, children }: { text: string; label: string; open: boolean; setOpen: (open: boolean) => void; children: ComponentChildren }): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector<HTMLElement>("input, button")?.focus(), [open]);
  return (
    <div class="menu">
      <Button class="chip" aria-expanded={open} aria-haspopup="true" onClick={() => setOpen(!open)}>
        {text}
      </Button>
      {open && (
        <div class="menu-list" ref={list} role="group" aria-label={label} onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  );
}

/** Letter, shape and colour of a system; they never change. */
export function Badge({ page, system, small }: { page: Page; system: number; small?: boolean }): JSX.Element {
  const letter = page.systems[system]?.letter ?? "?";
  return (
    <span class={`badge ${toneOf(system)}${small ? " small" : ""}`} aria-hidden="true">
      {letter}
    </span>
  );
}

export function Name({ page, system, whole }: { page: Page; system: number; whole?: boolean }): JSX.Element {
  const { name = "" } = page.systems[system] ?? {};
  return (
    <span class="name" title={name}>
      <Badge page={page} system={system} />
      <span class="word">{whole ? name : nameOf(page, system)}</span>
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
function Said({ text }: { text: string }): JSX.Element {
  return <>{text.split("``").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;
}

/** Messages that should not be missed. */
export function Warnings({ texts }: { texts: string[] }): JSX.Element | null {
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

/** A column of a table: its head, and what stands in the cell of a row. */
export interface Field<R> {
  head?: ComponentChildren;
  cell: (row: R) => ComponentChildren;
  /** Of the head and of all cells. */
  class?: string;
  /** Of the cell of a row. */
  tone?: (row: R) => string;
  /** Its cells name their rows. */
  names?: boolean;
  /** What a press on the head sorts by: the largest first, what is undefined last. */
  by?: (row: R) => number | null | undefined;
  /** What stands below the last column. */
  foot?: ComponentChildren;
}

/** A table; columns that are null are not there. */
export function Table<R>({ label, class: name, fields, rows, tone, sorted = -1, most }: { label: string; class?: string; fields: (Field<R> | null | false | undefined)[]; rows: readonly R[]; tone?: (row: R) => string; sorted?: number; most?: number }): JSX.Element {
  const [by, setBy] = useState(sorted);
  const shown = fields.flatMap((field, place) => (field ? [{ field, place }] : []));
  const key = (fields[by] || null)?.by;
  const order = rows.map((row, place) => ({ row, place, value: key?.(row) ?? -Infinity }));
  if (key) order.sort((a, b) => b.value - a.value);
  const foot = shown.at(-1)?.field.foot;
  return (
    <Scroll label={label}>
      <table class={name}>
        <thead>
          <tr>
            {shown.map(({ field, place }) =>
              field.head === undefined ? (
                <td key={place} />
              ) : (
                <th key={place} scope="col" class={field.class} aria-sort={place === by ? "descending" : undefined}>
                  {field.by ? (
                    <Button class={place === by ? "link on" : "link"} onClick={() => setBy(place === by ? -1 : place)}>
                      {field.head}
                      {place === by && <span aria-hidden="true">↓</span>}
                    </Button>
                  ) : (
                    field.head
                  )}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {order.slice(0, most).map(({ row, place }) => (
            <tr key={place} class={tone?.(row)}>
              {shown.map(({ field, place: column }) => {
                const look = `${field.class ?? ""} ${field.tone?.(row) ?? ""}`.trim();
                return field.names ? (
                  <th key={column} scope="row" class={look}>
                    {field.cell(row)}
                  </th>
                ) : (
                  <td key={column} class={look}>
                    {field.cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot>
            <tr>
              <td colSpan={shown.length - 1} />
              <td class="plot">{foot}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </Scroll>
  );
}

/** A figure, its interval below it. */
export function Figure({ figure, digits, children }: { figure: readonly (number | null)[] | null | undefined; digits: number; children?: ComponentChildren }): JSX.Element {
  const [value, low, high] = figure ?? [];
  return (
    <>
      {children ?? fixed(value, digits)}
      {low != null && <span class="under">{between(low, high, digits)}</span>}
    </>
  );
}

/** A bar as long as its share of the longest. */
export const Bar = ({ tone, share }: { tone: string; share: number }): JSX.Element => (
  <svg class="bar" width="60" height="8" aria-hidden="true">
    {share > 0 && <rect class={tone} width={Math.max(2, share * 60)} height="8" rx="1" />}
  </svg>
);

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
            {text}
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
