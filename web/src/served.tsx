// What only a served page can ask: the score of a selection, other metrics; in a script of its own.
import type { JSX } from "preact";
import { useState } from "./dom";
import type { Block, Item, Output, Page, Rescored, Selected, View } from "./contract";
import type { Inflated, Source, Store } from "./data";
import { T } from "./english";
import { fixed, pText, signed, whole } from "./format";
import { Badge, Button, nameOf } from "./parts";
import type { Shared } from "./overview";

/** Where the data of a served page comes from. */
export function source(page: Page, inflated: Inflated): Source {
  const answered = async (path: string, question?: object): Promise<Response> => {
    const answer = await fetch(path, question && { method: "POST", body: JSON.stringify(question) });
    if (!answer.ok) throw new Error((await answer.text()) || `${answer.status}`);
    return answer;
  };
  const get = async (path: string): Promise<ArrayBuffer> => inflated(new Uint8Array(await (await answered(path)).arrayBuffer()));
  return {
    page,
    bytes: (column) => get(`c/${column.id}`),
    block: async (set, number) => JSON.parse(new TextDecoder().decode(await get(`b/${set}/${number}`))) as Block,
    ask: async (what: string, question: object) => (await answered(what, question)).json(),
  };
}

/** Asks the server how good systems are on the selection. */
export function SelectionScore({ store, page, state, rows }: { store: Store; page: Shared["page"]; state: Shared["state"]; rows: Uint32Array }): JSX.Element {
  const [answer, setAnswer] = useState<{ rows: Uint32Array; found?: Selected; failed?: string } | null>(null);
  const metric = page.metrics[state.metric]!;
  const { ask } = store.source;
  const systems = [state.one, ...(state.two >= 0 && state.two !== state.one ? [state.two] : [])];
  const current = answer && answer.rows === rows ? answer : null;
  return (
    <>
      {ask && rows.length > 0 && !current && (
        <Button
          class="link under-line"
          onClick={() => {
            ask("score", { set: state.set, metric: state.metric, systems, rows: Array.from(rows) }).then(
              (found) => setAnswer({ rows, found }),
              (error: Error) => setAnswer({ rows, failed: error.message }),
            );
          }}
        >
          {T.scoreSelection}
        </Button>
      )}
      {current?.failed}
      {current?.found && (
        <span class="answer" data-answer>
          {whole(current.found.n)} items:{" "}
          {current.found.figures.map((figure, i) => (
            <span key={i}>
              {page.systems[systems[i] ?? 0]?.name ?? ""} <b>{fixed(figure?.[0], metric.digits)}</b>
              {figure && figure[1] !== null && ` (${fixed(figure[1], metric.digits)} – ${fixed(figure[2], metric.digits)})`}
              {"; "}
            </span>
          ))}
          {current.found.pair && (
            <>
              difference {signed(current.found.pair.difference, metric.digits)}, {pText(current.found.pair.p, current.found.pair.floor)}
            </>
          )}
        </span>
      )}
    </>
  );
}

/** Asks the server what another metric, or other options, say of this item. */
export function Rescore({ page, set, state, store, row, draw }: Shared & { store: Store; row: number; draw: (golds: Item[1], output: Output, view: View | null, name: string) => JSX.Element }): JSX.Element {
  const [typed, setTyped] = useState("");
  const [answer, setAnswer] = useState<Rescored | string>("");
  const ask = (event: Event): void => {
    event.preventDefault();
    store.source.ask!("item", { set: state.set, row, metric: typed }).then(setAnswer, (error: Error) => setAnswer(error.message));
  };
  return (
    <section class="side no-print">
      <h3>{T.rescore}</h3>
      <form class="filter-row" onSubmit={ask}>
        <input class="search" aria-label={T.rescore} placeholder="rouge(stem=True)" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        <button type="submit" class="chip" disabled={!typed.trim()}>
          {T.score}
        </button>
      </form>
      {typeof answer === "string" ? (
        answer && <p class="stale">{answer}</p>
      ) : (
        <>
          <p class="small">
            <code>{answer.signature}</code>
          </p>
          {set.systems.map(
            (s) =>
              answer.outputs[s] && (
                <div key={s} class="again" data-rescored={s}>
                  <h3>
                    <Badge page={page} system={s} /> {nameOf(page, s)}
                    <span class="right">
                      {answer.label} <b>{fixed(answer.values[s], answer.digits)}</b>
                    </span>
                  </h3>
                  {draw(answer.golds, answer.outputs[s]!, answer.outputs[s]![1][0] ?? null, nameOf(page, s))}
                </div>
              ),
          )}
        </>
      )}
    </section>
  );
}

