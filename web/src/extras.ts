// Parts of the application that stand in scripts of their own, in the pages that need them. Each is a
// function of what it shares with the application; the build makes them so.
import { Fragment, h, useEffect, useMemo, useRef, useState } from "./dom";
import { KINDS } from "./contract";
import { save, toTsv } from "./export";
import { counted, fixed, plainFixed, pText, signed, tickDigits, ticks, whole } from "./format";
import { Badge, Bar, Button, Chips, Choice, Figure, Link, Name, nameOf, pairOf, Section, Table, toneOf, Warnings } from "./parts";
import { isSought, squashed, STRIDE } from "./marks";
import { axisOf, AxisLine, digitsOf, Histogram, Interval } from "./plots";
import { delta, histogram, tally } from "./select";
import { bestFirst, noFilters, ofError, related } from "./state";
import type * as graph from "./graph";
import type * as pairs from "./pairs";
import type * as people from "./people";
import type * as beyond from "./beyond";
import type * as confusions from "./confusions";
import type * as errors from "./errors";
import type * as groups from "./breakdowns";
import type * as served from "./served";

interface Extras {
  graph?: typeof graph;
  pairs?: typeof pairs;
  people?: typeof people;
  beyond?: typeof beyond;
  confusions?: typeof confusions;
  errors?: typeof errors;
  groups?: typeof groups;
  served?: typeof served;
}
/** What the further parts use of the application; the build knows them by their places. */
const shared = [Fragment, h, useEffect, useMemo, useRef, useState, KINDS, save, toTsv, counted, fixed, plainFixed, pText, signed, tickDigits, ticks, whole, Badge, Bar, Button, Chips, Choice, Figure, Link, Name, nameOf, pairOf, Section, Table, toneOf, Warnings, axisOf, AxisLine, digitsOf, Histogram, Interval, delta, histogram, tally, noFilters, ofError, related, bestFirst, isSought, squashed, STRIDE];

/** The parts that this page has. */
export const extras: Extras = {};
for (const [name, make] of Object.entries((globalThis as { karatParts?: Record<string, (given: unknown[]) => object> }).karatParts ?? {})) {
  Object.assign(extras, { [name]: make(shared) });
}
