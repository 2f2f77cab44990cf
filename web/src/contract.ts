// Made from karat.report.contract by scripts/web. Do not edit.

export const SCHEMA = "karat.page/1";

/** What marks say, by their numbers. */
export const KINDS = ["matched", "missing", "surplus", "changed", "moved", "clipped", "stem", "synonym", "ignored"] as const;

/** The head of a page: everything but the items. */
export interface Page {
  schema: string;
  title: string;
  headline: string[];
  warnings: string[];
  made: Made;
  systems: System[];
  metrics: MetricInfo[];
  sets: ItemSet[];
  left_out: LeftOut[];
  served: boolean;
}

/** How the figures were made. */
export interface Made {
  version: string;
  level: number;
  resamples: number;
  seed: number;
  method: string;
  trials: number;
  alpha: number;
  cluster: string;
}

/** What was measured; its letter is its sign everywhere. */
export interface System {
  name: string;
  letter: string;
  path: string;
  short: string;
}

/** A metric, and the scores it has. */
export interface MetricInfo {
  key: string;
  name: string;
  label: string;
  digits: number;
  scale: number;
  perfect: number;
  lower_is_better: boolean;
  headline: number;
  leaves: Leaf[];
  layers: string[];
}

/** One of the scores of a metric. */
export interface Leaf {
  name: string;
  digits: number;
  count: boolean;
  lower_is_better: boolean;
}

/** Runs that share their items; nearly always all of them. */
export interface ItemSet {
  name: string;
  n: number;
  block: number;
  blocks: number[];
  kept: number;
  systems: number[];
  scores: ScoreTable[];
  facets: Facet[];
  errors: ErrorRow[];
  errors_left_out: number;
  confusions: Confusion[];
  columns: Column[];
  agreements: Agreement[];
  source_label: string;
  tests: MetricTest[];
  repairs: RepairView[];
  audit: AuditView | null;
  trace: TraceView | null;
}

/** The scores of all systems by one metric, in the order of systems; null: not measured. */
export interface ScoreTable {
  runs: (RunInfo | null)[];
  figures: (([number | null, number | null, number | null])[] | null)[];
  means: (number | null)[];
  ranks: (number | null)[];
  pairs: Pair[];
  test: string;
  reasons: string;
  untested: string;
}

/** What is to be known of one run: a system by a metric. */
export interface RunInfo {
  signature: string;
  items: number;
  skipped: number;
  inexact: number | null;
  warnings: string[];
  files: InputFile[];
}

/** A file that was measured. */
export interface InputFile {
  role: string;
  name: string;
  reading: string;
  sha256: string;
}

/** The test of two systems: the first minus the second. */
export interface Pair {
  first: number;
  second: number;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  floor: boolean;
}

/** A way to break the items down. */
export interface Facet {
  name: string;
  groups: Group[];
  column: string;
  level: number;
}

/** A group of items. */
export interface Group {
  name: string;
  items: number;
  figures: (([number | null, number | null, number | null] | null)[])[];
  pairs: Pair[][];
}

/** A frequent error: how often each system makes it, and in how many items. */
export interface ErrorRow {
  part: string;
  kind: number;
  gold: string;
  system: string;
  metric: number;
  times: number[];
  items: number[];
  columns: string[];
}

/** Which labels a system takes for which others: a table of counts, gold in rows. */
export interface Confusion {
  part: string;
  metric: number;
  system: number;
  labels: string[];
  counts: number[][];
}

/** Values of all items, in an element of their own. */
export interface Column {
  id: string;
  name: string;
  role: string;
  dtype: string;
  size: number;
  metric: number;
  system: number;
  values: string[];
}

/** A metric held against people: points, correlations, and where they disagree. */
export interface Agreement {
  metric: string;
  human: string;
  correlations: Correlation[];
  outputs: Point[];
  systems: Point[];
  disagreements: [number, number][];
}

/** How a metric agrees with a judgement at one level. */
export interface Correlation {
  metric: string;
  human: string;
  level: string;
  coefficients: Record<string, [number | null, number | null, number | null]>;
  n: number;
}

/** An output, or a system: the metric's value and the people's. */
export type Point = [name: string, row: number, system: number, metric: number, human: number];

/** The test of two metrics against one judgement: the first's correlation minus the second's. */
export interface MetricTest {
  human: string;
  level: string;
  coefficient: string;
  first: string;
  second: string;
  difference: number | null;
  p: number | null;
  method: string;
}

/** Which errors of one run, fixed, gain how much; edits of items are in their views. */
export interface RepairView {
  metric: number;
  system: number;
  partition: string;
  rank: string;
  before: number | null;
  after: number | null;
  scores: Record<string, number | null>;
  repaired: Record<string, number | null>;
  classes: RepairClass[];
  plan: RepairStep[];
  exact: boolean;
  warnings: string[];
}

/** Edits of one class, and what the run would gain by all of them. */
export interface RepairClass {
  class: string;
  edits: number;
  items: number;
  delta: Record<string, number | null>;
  interval: [number | null, number | null];
  per_edit: number | null;
  remeasured: number | null;
  column: string;
}

/** The first classes of the plan, taken together. */
export interface RepairStep {
  classes: string[];
  f: number | null;
  remeasured: number | null;
}

/** Where systems agree with each other against gold. */
export interface AuditView {
  metric: number;
  systems: AuditSystem[];
  shared_errors: ((number | null)[])[];
  findings: Finding[];
  items: AuditItem[];
  parts: number;
  warnings: string[];
  precision: [number | null, number | null, number | null] | null;
  judged: number;
}

/** A voter: how often it is right on each kind of part, and how much it counts. */
export interface AuditSystem {
  name: string;
  accuracy: Record<string, number | null>;
  weight: number;
  votes: boolean;
}

/** A part of gold that systems agree against. */
export interface Finding {
  row: number;
  id: string;
  part: AuditPart;
  gold: string;
  suggestion: string;
  systems: string[];
  evidence: number;
  verdict: string;
}

/** A slot of a gold item. */
export interface AuditPart {
  kind: string;
  where: string;
}

/** An item with findings: gold and what the systems agree on, the parts in question marked. */
export interface AuditItem {
  row: number;
  id: string;
  evidence: number;
  findings: number[];
  gold: Picture | null;
  consensus: Picture | null;
}

/** A drawing of one side: words with arcs, terms or a text, or a graph; marks are in it. */
export type Picture = [content: Text | Form | Raw | Arcs | null, overlay: Overlay | null];

/** A text; marks are spans of it, counted in UTF-16 units as browsers do. */
export type Text = [tag: "text", text: string, name: string];

/** A logical form as its terms; marks are places of terms. */
export type Form = [tag: "form", terms: string[]];

/** Anything else, as it is written. */
export type Raw = [tag: "raw", text: string];

/** Words with arcs above them. */
export type Arcs = [tag: "arcs", words: Word[], arcs: Arc[]];

/** A word in a row, with the lines below it, a kind and a note. */
export type Word = [form: string, below: string[], kind: number, note: string];

/** From one word to another by position; from -1, that is from above, to a root. */
export type Arc = [source: number, target: number, label: string, kind: number];

/** Gold with the marks of what a system's graph lacks and has besides; no coordinates. */
export type Overlay = [nodes: Node[], arrows: Arrow[], beside: Line[], reading: number[]];

/** A node of two graphs laid over each other. */
export type Node = [kind: number, lines: Line[], top: number];

/** A line in a box or at an arrow; `look` is label, top, anchor, property or attribute. */
export type Line = [text: string, kind: number, look: string];

/** An edge of two graphs laid over each other. */
export type Arrow = [source: number, target: number, kind: number, label: string, notes: Line[], directed: boolean];

/** Where published figures come from. */
export interface TraceView {
  figures: string[];
  conclusion: string;
  tables: TraceTable[];
  notes: string[];
}

/** Settings that give a figure, or come near to it. */
export interface TraceTable {
  title: string;
  columns: string[];
  words: number[];
  rows: string[][];
}

/** What is not in the page, and how to see it. */
export interface LeftOut {
  what: string;
  why: string;
  command: string;
}

/** Items that are neighbours; null where an item is left out of the page. */
export interface Block {
  items: (Item | null)[];
}

/** A row of the table, with all that there is to see of it. */
export type Item = [source: string | null, golds: (Text | Form | Raw | Arcs)[], outputs: (Output | null)[]];

/** A system's output; no content where the overlay holds it all. */
export type Output = [content: Text | Form | Raw | Arcs | null, views: (View | null)[]];

/** What one metric says of one output. */
export type View = [layers: Record<string, number[]>, overlay: Overlay | null, notes: string[], counts: [string, number, number, number][], units: Unit[], edits: Edit[], labels: string[], contents: (Text | Form | Raw | Arcs)[]];

/** A statement that several texts make, such as a content unit of a pyramid. */
export type Unit = [label: string, weight: number, found: boolean, spans: number[]];

/** One change that takes an output nearer to gold, such as another label of an edge. */
export type Edit = [kind: string, name: string, system: string, gold: string, gain: number | null, parts: [number, number, number][]];

/** The answer of the server: how good systems are on some items. */
export interface Selected {
  n: number;
  figures: ([number | null, number | null, number | null] | null)[];
  pair: Pair | null;
  test: string;
}

/** The answer of the server: the rows that have words, and how many were searched. */
export interface Found {
  rows: number[];
  searched: number;
}

/** The answer of the server: what another metric, or other options, say of one item. */
export interface Rescored {
  signature: string;
  label: string;
  digits: number;
  values: (number | null)[];
  outputs: (Output | null)[];
  golds: (Text | Form | Raw | Arcs)[];
  layers: string[];
}
