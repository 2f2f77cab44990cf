// Where a published figure comes from: the verdict, and what speaks for it.
import type { JSX } from "preact";
import { T } from "./english";
import type { Shared } from "./overview";
import { Section, Table } from "./parts";

export function TraceView({ set }: Shared): JSX.Element {
  const found = set.trace!;
  return (
    <main class="column" id="main">
      <h1>{T.traceTitle}</h1>
      <p class="lead">
        {found.figures.join(", ")}: {found.conclusion}
      </p>
      {found.tables.map((each, i) => (
        <Section key={i} title={each.title || T.traceHits}>
          <Table
            label={each.title || T.traceHits}
            rows={each.rows}
            fields={each.columns.map((head, k) => ({ head, class: each.words.includes(k) ? "" : "number", cell: (row: string[]) => row[k] }))}
          />
        </Section>
      ))}
      {found.notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </main>
  );
}
