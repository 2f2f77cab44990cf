// Parts of the application that stand in scripts of their own, in the pages that need them. Each is a
// function of what it shares with the application; the build makes them so.
import { Fragment, h } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { KINDS } from "./contract";
import { T } from "./english";
import { save, toTsv } from "./export";
import { counted, fixed, plainFixed, pText, signed, tickDigits, ticks, visible, whole } from "./format";
import { Badge, Button, Choice, nameOf, pairOf, Said, Scroll, Section, toneOf } from "./parts";
import { axisOf, AxisLine, Interval } from "./plots";
import { noFilters } from "./state";
import type * as graph from "./graph";
import type * as people from "./people";
import type * as beyond from "./beyond";
import type * as errors from "./errors";
import type * as groups from "./breakdowns";
import type * as served from "./served";

interface Extras {
  graph?: typeof graph;
  people?: typeof people;
  beyond?: typeof beyond;
  errors?: typeof errors;
  groups?: typeof groups;
  served?: typeof served;
}
const shared = {
  preact: { Fragment, h },
  "preact/hooks": { useEffect, useMemo, useRef, useState },
  "./contract": { KINDS },
  "./english": { T },
  "./export": { save, toTsv },
  "./format": { counted, fixed, plainFixed, pText, signed, tickDigits, ticks, visible, whole },
  "./parts": { Badge, Button, Choice, nameOf, pairOf, Said, Scroll, Section, toneOf },
  "./plots": { axisOf, AxisLine, Interval },
  "./state": { noFilters },
};

/** The parts that this page has. */
export const extras: Extras = {};
for (const [name, make] of Object.entries((globalThis as { karatParts?: Record<string, (shared: object) => object> }).karatParts ?? {})) {
  Object.assign(extras, { [name]: make(shared) });
}
