// Parts of the application that stand in scripts of their own, in the pages that need them. Each is a
// function of what it shares with the application; the build makes them so.
import { Fragment, h } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import * as contract from "./contract";
import * as english from "./english";
import * as exporting from "./export";
import * as format from "./format";
import * as marks from "./marks";
import * as parts from "./parts";
import * as plots from "./plots";
import * as state from "./state";
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
const shared = { preact: { Fragment, h }, "preact/hooks": { useEffect, useMemo, useRef, useState }, "./contract": contract, "./english": english, "./export": exporting, "./format": format, "./marks": marks, "./parts": parts, "./plots": plots, "./state": state };

/** The parts that this page has. */
export const extras: Extras = {};
for (const [name, make] of Object.entries((globalThis as { karatParts?: Record<string, (shared: object) => object> }).karatParts ?? {})) {
  Object.assign(extras, { [name]: make(shared) });
}
