// Content units of a pyramid.
import type { JSX } from "preact";
import type { Item, Text, Unit } from "./contract";
import { T } from "./english";
import { Button } from "./parts";

const named = (gold: Item[1][number], place: number): string => (gold[0] === "text" && gold[2]) || String(place + 1);

/** The references that have a unit. */
const namesOf = (unit: Unit, golds: Item[1]): string => golds.flatMap((gold, g) => (unit[3].some((text, i) => i % 3 === 0 && text === g) ? named(gold, g) : [])).join(" ");

/** Content units by weight, beside the texts that make them. */
export function Units({ units, golds, chosen, choose, draw }: { units: Unit[]; golds: Item[1]; chosen: number; choose: (unit: number) => void; draw: (gold: Text, place: number) => JSX.Element }): JSX.Element {
  const found = units.filter((each) => each[2]).length;
  return (
    <section class="side units">
      <h3>
        {T.units} <span class="right dim">{found} of {units.length} in the summary</span>
      </h3>
      <ol class="unit-list">
        {units.map((each, i) => (
          <li key={i}>
            <Button class={`unit${each[2] ? "" : " missing"}${i === chosen ? " on" : ""}`} aria-pressed={i === chosen} onClick={() => choose(i === chosen ? -1 : i)}>
              <b>{each[1]}</b> <span>{each[2] ? "✓" : "−"}</span> {each[0] || `unit ${i + 1}`} <small class="dim">{namesOf(each, golds)}</small>
            </Button>
          </li>
        ))}
      </ol>
      {golds.map(
        (gold, g) =>
          gold[0] === "text" && (
            <div key={g} class="gold-text">
              <h3>{T.reference} {named(gold, g)}</h3>
              {draw(gold, g)}
            </div>
          ),
      )}
    </section>
  );
}
