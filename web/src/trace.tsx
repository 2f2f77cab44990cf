// Where a published figure comes from: the verdict, and what speaks for it.
import type { JSX } from "preact";
import { T } from "./english";
import { visible } from "./format";
import type { Shared } from "./overview";
import { Section, Table } from "./parts";

export function TraceView({ set }: Shared): JSX.Element {
  const found = set.trace!;
  const { conclusion } = found;
  const lead = conclusion.includes(found.figures[0] ?? ":") ? conclusion[0]!.toUpperCase() + conclusion.slice(1) : `${found.figures.join(", ")}: ${conclusion}`;
  return (
    <main class="column" id="main">
      <h1>{T.traceTitle}</h1>
      <p class="lead">{visible(lead)}</p>
      {found.tables.map((each, i) => {
        const title = each.title ? each.title[0]!.toUpperCase() + each.title.slice(1) : T.traceHits;
        const isWord = (k: number): boolean => each.words.includes(k) || each.rows.some((row) => /\p{L}/u.test(row[k] ?? ""));
        return (
          <Section key={i} title={title}>
            <Table
              label={title}
              rows={each.rows}
              fields={each.columns.map((head, k) => each.rows.some((row) => row[k]) && { head, class: isWord(k) ? "" : "number", cell: (row: string[]) => visible(row[k] ?? "") })}
            />
          </Section>
        );
      })}
      <div class="notes">
        {found.notes.map((text) => (
          <p key={text}>{visible(text)}</p>
        ))}
      </div>
    </main>
  );
}
