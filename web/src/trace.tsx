// Where a published figure comes from: the verdict, and what speaks for it.
import type { JSX } from "preact";
import { T } from "./english";

import type { Shared } from "./overview";
import { Section, Table } from "./parts";

const upper = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

export function TraceView({ set }: Shared): JSX.Element {
  const found = set.trace!;
  const { conclusion } = found;
  const lead = conclusion.includes(found.figures[0] ?? ":") ? upper(conclusion) : `${found.figures.join(", ")}: ${conclusion}`;
  return (
    <main class="column" id="main">
      <h1>{T.traceTitle}</h1>
      <p class="lead">{lead}</p>
      {found.tables.map((each, i) => {
        const title = each.title ? upper(each.title) : T.traceHits;
        const isWord = (k: number): boolean => each.words.includes(k) || each.rows.some((row) => /\p{L}/u.test(row[k] ?? ""));
        return (
          <Section key={i} title={title}>
            <Table
              label={title}
              rows={each.rows}
              fields={each.columns.map((head, k) => each.rows.some((row) => row[k]) && { head, class: /^(setting|command)$/.test(head) ? "code" : isWord(k) ? "" : "number", cell: (row: string[]) => (row[k] ?? "") })}
            />
          </Section>
        );
      })}
      <div class="notes">
        {found.notes.map((text) => (
          <p key={text}>
            {text.split(/(?<=: )(?=karat )/).map((part, i) => (i ? <code key={i}>{part}</code> : upper(part)))}
          </p>
        ))}
      </div>
    </main>
  );
}
