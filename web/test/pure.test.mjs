// Selecting, sorting, marks and numbers, without a browser.
import { test } from "node:test";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const out = mkdtempSync(join(tmpdir(), "karat-web-"));
await build({ entryPoints: ["src/select.ts", "src/marks.ts", "src/terms.ts", "src/format.ts", "src/export.ts", "src/state.ts", "src/repairing.ts", "src/layers.ts", "src/arcs.ts"], outdir: out, bundle: true, format: "esm", outExtension: { ".js": ".mjs" }, logLevel: "error" });
const [select, marks, terms, format, exporting, state, repairing] = await Promise.all(["select", "marks", "terms", "format", "export", "state", "repairing"].map((name) => import(join(out, `${name}.mjs`))));

const scores = { one: Float64Array.of(1, 0.5, NaN, 0.2, 0.5), two: Float64Array.of(0.5, 0.5, 0.1, 0.9, NaN), perfect: 1, lower: false };
const none = { relation: "all", facets: [], range1: [null, null], range2: [null, null], delta: [null, null], within: [] };

test("every item is better, equal, worse or undefined", () => {
  const rows = select.select(5, scores, none);
  assert.deepEqual(select.tally(rows, scores), { better: 1, equal: 1, worse: 1, undefined: 2 });
  for (const [relation, expected] of [["better", [0]], ["equal", [1]], ["worse", [3]], ["only1", [0]]]) {
    assert.deepEqual([...select.select(5, scores, { ...none, relation })], expected);
  }
});

test("where lower is better, the lower one is ahead", () => {
  assert.equal(select.delta({ ...scores, lower: true }, 0), -0.5);
});

test("filters combine", () => {
  const facets = [{ codes: Uint8Array.of(0, 1, 1, 0, 0), value: 0 }];
  assert.deepEqual([...select.select(5, scores, { ...none, facets, range1: [0.3, null] })], [0, 4]);
  assert.deepEqual([...select.select(5, scores, { ...none, facets, within: [Uint8Array.of(0, 0, 0, 1, 0)] })], [3]);
});

test("what is undefined comes last in both directions, ties stay in order", () => {
  const rows = Uint32Array.of(0, 1, 2, 3, 4);
  const key = (row) => scores.one[row];
  assert.deepEqual([...select.sortRows(rows, key, false)], [3, 1, 4, 0, 2]);
  assert.deepEqual([...select.sortRows(rows, key, true)], [0, 1, 4, 3, 2]);
});

test("a scroll bar leads from the first row to the last, however many there are", () => {
  for (const rows of [0, 10, 200_000, 300_000, 10_000_000]) {
    for (const height of [200, 900]) {
      const { tall, ratio } = select.scrolling(34 * rows, height);
      assert.ok(tall <= 8_000_000);
      // Rows above the view and those in it are all there are.
      if (34 * rows > height) assert.ok(Math.abs((tall - height) * ratio + height - 34 * rows) < 1e-3);
    }
  }
});

test("a plot of items holds all scores, and not much more", () => {
  const span = (scale, ...columns) => select.spanOf(columns, scale).map((end) => Number(end.toFixed(6)));
  assert.deepEqual(span(100, [12, 34, NaN], [56.1]), [10, 60]);
  assert.deepEqual(span(1, [0.87, 1], null), [0.85, 1]);
  assert.deepEqual(span(1, [-0.2, Infinity, 3.01]), [-0.2, 3.05]);
  // One value is a plot all the same, and so is none.
  assert.deepEqual(span(1, [1, 1]), [0.95, 1]);
  assert.deepEqual(span(1, [0, 0]), [0, 0.05]);
  assert.deepEqual(span(100, [NaN], null), [0, 100]);
});

test("distances become rows", () => {
  assert.deepEqual([...select.fromGaps(Uint32Array.of(0, 2, 1), 5)], [1, 0, 1, 1, 0]);
});

test("stretches make up the whole text, whatever the marks", () => {
  const text = "The old cat sat.";
  const cases = [[], [1, 0, 4, 7, 3, 3], [0, 0, 0, 3, -1, -1, 5, 0, 0, 3, -1, -1, 0, 1, 4, 7, -1, -1], [3, 0, 2, 9, 0, 1, 3, 0, 4, 6, 0, 1]];
  for (const each of cases) {
    for (const side of ["gold", "system"]) {
      const parts = marks.stretches(text, each, side, () => true);
      assert.equal(parts.map(({ from, to }) => text.slice(from, to)).join(""), text);
    }
  }
  assert.deepEqual(marks.stretches(text, cases[2], "gold", () => true).map((part) => part.kind), [0, -1, 0, -1]);
});

test("tokens that differ inside a term", () => {
  assert.deepEqual(terms.differingTokens("see . agent ( x _ 1 )", "see . theme ( x _ 1 )").filter(([, differs]) => differs), [["agent", true]]);
  assert.deepEqual(terms.differingTokens("a b c", "a c").filter(([, differs]) => differs), [["b", true]]);
});

test("numbers are rounded as Python does, ties to even", () => {
  const cases = [[0.125, 2, "0.12"], [0.375, 2, "0.38"], [2.5, 0, "2"], [3.5, 0, "4"], [-0.03125, 4, "−0.0312"], [0.51234, 4, "0.5123"], [86.875, 2, "86.88"], [1.005, 2, "1.00"], [77.285, 2, "77.28"]];
  for (const [value, digits, expected] of cases) assert.equal(format.fixed(value, digits), expected);
  assert.equal(format.fixed(NaN, 2), "–");
});

test("cells that a spreadsheet would run are quoted, numbers are not", () => {
  assert.equal(exporting.csvCell("=1+1"), "'=1+1");
  assert.equal(exporting.csvCell("-0.5"), "-0.5");
  assert.equal(exporting.csvCell('a "b", c'), '"a ""b"", c"');
});

const set = () => ({ scores: [], systems: [0, 1], columns: [{ id: "k-0c3", role: "facet", name: "domain", values: ["", "le gal?"] }, { id: "k-0c4", role: "posting", name: "add node" }], errors: [{ part: "words", kind: 3, gold: "a#", system: "b" }], repairs: [] });
const page = {
  systems: [{ name: "a&b", letter: "A" }, { name: "c", letter: "B" }],
  metrics: [{ key: "bleu" }, { key: "chrf" }],
  sets: [set(), set()],
};

test("an address holds the whole state", () => {
  const whole = { set: 1, view: "items", metric: 1, one: 1, two: 0, q: "x & y", relation: "only1", facets: { "k-0c3": 1 }, range1: [0.5, null], range2: [null, 3], delta: [null, -1], errors: [[0, 1]], sort: "delta", down: true, layer: "ROUGE-2", item: "id ~ü", against: 1, hidden: [0, 2], part: "words", pair: 3, cols: ["text", "one"], fix: "k-0c4", finding: 2, wide: true };
  for (const [key, value] of Object.entries(state.initial(page))) assert.notDeepEqual(whole[key], value, key);
  const { state: back, stale } = state.fromHash(state.toHash(whole, page), page);
  assert.deepEqual(stale, []);
  assert.deepEqual(back, whole);
});

test("what an address names in vain is left out, and named", () => {
  const { state: back, stale } = state.fromHash("#items?a=nobody&metric=ter&in=domain%3Dz&set=4", page);
  assert.equal(back.view, "items");
  assert.equal(stale.length, 4);
});

test("a page opens with what it was made for", () => {
  const made = (parts) => state.initial({ ...page, sets: [{ ...page.sets[0], ...parts }] }).view;
  assert.deepEqual([made({}), made({ repairs: [{}] }), made({ audit: {} }), made({ trace: {} })], ["overview", "repair", "audit", "trace"]);
});

test("sorting is stable for any numbers, both ways", () => {
  const values = [3, -0, NaN, 0, -1e-300, Infinity, -Infinity, 1e300, -2.5, 3, 0.1 + 0.2, 0.3, NaN, 5e-324];
  const rows = Uint32Array.from({ length: 500 }, (_, i) => i);
  const key = (row) => values[(row * 7) % values.length];
  for (const down of [false, true]) {
    const rank = (row) => (Number.isNaN(key(row)) ? Infinity : (down ? -1 : 1) * key(row));
    const expected = [...rows].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a - b));
    assert.deepEqual([...select.sortRows(rows, key, down)], expected);
  }
  assert.deepEqual([...select.sortRows(new Uint32Array(0), key, false)], []);
});

test("words are found in the items that have them, once each", () => {
  const texts = ["a cat\u0001", "dog dog\u0001", "\u0001", "the cat, a cat\u0001", "tac\u0001"];
  const ends = Uint32Array.from(texts.map((_, i) => texts.slice(0, i + 1).join("").length));
  const at = (words) => select.found(texts.join(""), ends, words);
  assert.deepEqual([at("cat"), at("dog"), at("x"), at("ta")], [[0, 3], [1], [], [4]]);
});

test("edits that are switched on take an overlay to gold", () => {
  const node = (kind, text, of = kind) => [kind, [[text, of, "label"]], -1];
  const overlay = [
    [node(0, "run"), node(1, "dog"), node(2, "cat"), node(0, "big → small", 3)],
    [[0, 1, 1, "ARG0", [], true], [0, 2, 2, "ARG1", [], true], [0, 3, 3, "mod → poss", [], true]],
    [],
    [3, 2, 1],
  ];
  const edits = [
    ["add node", "", "", "dog", 0.1, [[0, 1, -1], [1, 0, -1]]],
    ["delete node", "", "cat", "", 0.1, [[0, 2, -1], [1, 1, -1]]],
    ["relabel", "", "small", "big", 0.1, [[5, 3, 0], [6, 3, 0]]],
    ["relabel", "", "poss", "mod", 0.1, [[7, 2, -1], [8, 2, -1]]],
  ];
  const gold = [
    [node(0, "run"), node(0, "dog"), node(0, "big")],
    [[0, 1, 0, "ARG0", [], true], [0, 2, 0, "mod", [], true]],
    [],
    [2, 1],
  ];
  assert.deepEqual(repairing.repairedOverlay(overlay, edits), gold);
  assert.deepEqual(repairing.repairedOverlay(overlay, []), overlay);
  const one = repairing.repairedOverlay(overlay, [edits[1]]);
  assert.deepEqual(one[1].map((arrow) => arrow.slice(0, 4)), [[0, 1, 1, "ARG0"], [0, 2, 3, "mod → poss"]]);
});

test("what gold and the system have at one place switches by itself", () => {
  const lines = [["num sg → num pl", 3, "property"], ["“a dog”", 1, "anchor"], ["sense 1", 2, "property"]];
  const overlay = [[[0, lines, 1], [0, [], 2], [0, [], 0]], [[0, 1, 3, "A → B", [["remote", 1, "attribute"]], true]], [], []];
  const after = (...parts) => repairing.repairedOverlay(overlay, [["", "", "", "", 0, parts]]);
  assert.deepEqual(after([5, 0, 0])[0][0][1][0], ["num sg", 0, "property"]);
  assert.deepEqual(after([5, 0, 0])[0][0][1][1], ["num pl", 2, "property"]);
  assert.deepEqual(after([6, 0, 0])[0][0][1][0], ["num sg", 1, "property"]);
  assert.deepEqual(after([5, 0, 0], [6, 0, 0], [5, 0, 1], [6, 0, 2])[0][0][1], [["num sg", 0, "property"], ["“a dog”", 0, "anchor"]]);
  assert.deepEqual(after([5, 0, -1], [6, 1, -1])[0].map((node) => node[2]), [0, -1, 0]);
  assert.deepEqual(after([7, 0, -1])[1].map((arrow) => arrow.slice(2, 4)), [[0, "A"], [2, "B"]]);
  assert.deepEqual(after([8, 0, -1], [7, 0, 0])[1], [[0, 1, 1, "A", [["remote", 0, "attribute"]], true]]);
});

test("edits that are switched on give a tree gold's arcs", () => {
  const words = [["a", [], 0, "feats"], ["b", [], 0, ""]];
  const gold = ["arcs", words, [[1, 0, "det", 1], [-1, 1, "root", 0]]];
  const system = ["arcs", words, [[-1, 0, "dep", 2], [-1, 1, "root", 0]]];
  const edits = [["head", "", "dep", "det", 0.1, [[2, 0, -1], [3, 0, -1]]], ["feats", "", "", "", 0, [[2, 0, -1], [3, 0, -1]]]];
  const [mine, theirs] = repairing.repairedArcs(gold, system, edits, edits.slice(0, 1));
  assert.deepEqual(mine[2], [[1, 0, "det", 0], [-1, 1, "root", 0]]);
  assert.deepEqual(new Set(theirs[2].map(String)), new Set(mine[2].map(String)));
  assert.equal(mine[1][0][3], "feats");
  assert.equal(repairing.repairedArcs(gold, system, edits, edits)[1][1][0][3], "");
});

test("edits of texts find their marks, and all of them make gold of the system's text", () => {
  const edit = (system, gold) => ["edit", "edit", system, gold, null, []];
  const cases = [
    ["please hold the line", "please hold line", [1, 0, 12, 15, 12, 12], [edit("", "the")]],
    ["at nine", "at night", [3, 0, 3, 7, 3, 8], [edit("night", "nine")]],
    ["the cat", "the old cat", [2, 0, -1, -1, 4, 7], [edit("old", "")]],
    ["a b c d", "x b d e", [3, 0, 0, 1, 0, 1, 1, 0, 4, 5, 4, 4, 2, 0, -1, -1, 6, 7], [edit("x", "a"), edit("", "c"), edit("e", "")]],
  ];
  for (const [gold, system, marks, edits] of cases) {
    const [layer, placed] = repairing.withMarks(edits, ["text", gold, ""], ["text", system, ""], { words: marks });
    assert.equal(layer, "words");
    assert.ok(placed.every((each) => each[5].length === 1));
    const [text, moved] = repairing.repairedText(gold, system, marks, placed);
    assert.equal(text.trim(), gold);
    // Each edit alone leaves the other marks on what they were on.
    for (const [i, each] of placed.entries()) {
      const [alone, kept] = repairing.repairedText(gold, system, marks, [each]);
      for (let k = 0; k < marks.length; k += 6) {
        if (k / 6 !== each[5][0][1] && marks[k + 4] >= 0) assert.equal(alone.slice(kept[k + 4], kept[k + 5]), system.slice(marks[k + 4], marks[k + 5]), `${gold} ${i} ${k}`);
      }
    }
    assert.ok(moved.every((n, k) => k % 6 || n === 0));
  }
  // Values of documents stand behind their pointers; terms are compared without their spaces.
  const [, fields] = repairing.withMarks([edit("/a/1 3.5", "/a/0 3"), edit("/b 7", "/b 3")], ["raw", "[3, 3]"], ["raw", "[7, 3.5]"], { fields: [3, 0, 1, 2, 4, 7, 3, 0, 4, 5, 1, 2] });
  assert.deepEqual(fields.map((each) => each[5]), [[[4, 0, -1]], [[4, 1, -1]]]);
  const [, terms] = repairing.withMarks([edit("", "fox ( x _ 1 )")], ["form", ["hen(x_2)", "fox(x_1)"]], ["form", ["hen(x_2)"]], { terms: [1, 0, 1, 2, -1, -1] });
  assert.deepEqual(terms[0][5], [[4, 0, -1]]);
  assert.deepEqual(repairing.repairedMarks([1, 0, 1, 2, -1, -1], terms), []);
  const [, renamed] = repairing.withMarks([edit("see(x_6) AND hen(x_6)", "see(x_5) AND hen(x_5)")], ["form", ["see(x_5)", "hen(x_5)"]], ["form", ["see(x_6)", "hen(x_6)"]], { terms: [3, 0, 0, 1, 0, 1, 3, 0, 1, 2, 1, 2] });
  assert.deepEqual(renamed[0][5], [[4, 0, -1], [4, 1, -1]]);
});

test("an error that was chosen leads to its marks", () => {
  const sought = [{ kind: 3, gold: "cat", system: "dog" }, { kind: 1, gold: "PER", system: "" }];
  assert.deepEqual(marks.soughtMarks(["The cat sat"], "The dog sat", [0, 0, 0, 3, 0, 3, 3, 0, 4, 7, 4, 7], [], sought), [1]);
  assert.deepEqual(marks.soughtMarks(["Ada left"], "Ada left", [1, 0, 0, 3, -1, -1, 2, 0, -1, -1, 0, 3], ["PER", "PER"], sought), [0]);
  assert.deepEqual(marks.soughtMarks(["a"], "b", [3, 0, 0, 1, 0, 1], ["LOC → ORG"], [{ kind: 3, gold: "LOC", system: "ORG" }]), [0]);
  assert.deepEqual(marks.soughtMarks(["a"], "b", [3, 0, 0, 1, 0, 1], [], []), []);
});

// -- drawings

/** Numbers that look random, the same each time. */
function numbers(seed) {
  let at = seed;
  return (below) => {
    at = (at * 1103515245 + 12345) % 2147483648;
    return Math.floor((at / 2147483648) * below);
  };
}

/** The points of a path of absolute lines and curves. */
const pointsOf = ({ props }) => [...props.d.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

test("edges of a drawing begin and end at their boxes, and stay inside the picture", async () => {
  const { overlayFigure } = await import(join(out, "layers.mjs"));
  for (let seed = 1; seed <= 60; seed += 1) {
    const below = numbers(seed);
    const count = 2 + below(30);
    const nodes = Array.from({ length: count }, (_, i) => [below(3), [["n".repeat(1 + below(14)), 0, ""]], i ? -1 : 0]);
    const arrows = Array.from({ length: 2 * count }, () => [below(count), below(count), below(3), "ARG".repeat(1 + below(3)), [], true]);
    const { parts, width, height } = overlayFigure([nodes, arrows, [], []], (what, i) => `${what} ${i}`);
    const groups = new Map(parts.map((part) => [part.props.class, part.props.children.flat()]));
    arrows.forEach(([source, target], i) => {
      const path = groups.get(`1 ${i}`).find(({ type }) => type === "path");
      if (source === target) return;
      const points = pointsOf(path);
      for (const [x, y] of points) assert.ok(x >= 0 && x <= width && y >= 0 && y <= height, `seed ${seed}: ${x},${y}`);
      const boxes = [source, target].map((node) => groups.get(`0 ${node}`).find(({ type }) => type === "rect").props).map((box) => ["x", "y", "width", "height"].map((name) => Number(box[name])));
      for (const [x, y] of [points[0], points.at(-1)]) {
        const near = ([left, top, wide, tall]) => x >= left - 1 && x <= left + wide + 1 && y >= top - 1 && y <= top + tall + 1;
        assert.ok(boxes.some(near), `seed ${seed}: an edge ends at ${x},${y}, beside its boxes`);
      }
    });
  }
});

test("labels of loops of one box stand apart", async () => {
  const { overlayFigure } = await import(join(out, "layers.mjs"));
  const { parts } = overlayFigure([[[0, [["a", 0, ""]], 0]], [1, 2, 3].map((i) => [0, 0, 0, `L${i}`, [], true]), [], []]);
  const heights = parts.filter(({ type, props }) => type === "text" && /^L/.test(props.children.flat().join(""))).map(({ props }) => props.y);
  assert.equal(heights.length, 3);
  heights.slice(1).forEach((y, i) => assert.ok(y - heights[i] >= 12));
});

test("no line of a higher arc runs through a label where there is room beside it", async () => {
  const { arcsFigure } = await import(join(out, "arcs.mjs"));
  // Words one to four; the low arc's label would lie on the line of the high one that comes down in its middle.
  const words = ["one", "two", "three", "four"].map((form) => [form, [], 0, ""]);
  const { parts } = arcsFigure(["arcs", words, [[1, 3, "low", 0], [0, 2, "high", 0]]], null);
  const label = parts.find(({ type, props }) => type === "text" && props.children.flat().join("") === "low").props;
  const high = parts.filter(({ type }) => type === "path")[0];
  const lines = [...high.props.d.matchAll(/[MH](-?[\d.]+)/g)].map(([, x]) => Number(x));
  const last = Number(high.props.d.match(/ (-?[\d.]+),-?[\d.]+ V/g).at(-1).match(/-?[\d.]+/)[0]);
  for (const x of [lines[0], last]) assert.ok(Math.abs(label.x - x) > 8, `the label at ${label.x} is on a line at ${x}`);
});

test("of two trees over the same words, the arcs that both have are faint", async () => {
  const { arcsFigure } = await import(join(out, "arcs.mjs"));
  const words = ["one", "two", "three"].map((form) => [form, [], 0, ""]);
  const colours = (system) => {
    const { parts } = arcsFigure(["arcs", words, [[0, 1, "same", 0], [0, 2, "lost", 1]]], system);
    return Object.fromEntries(parts.filter(({ type }) => type === "text").map(({ props }) => [props.children.flat().join(""), props.fill]));
  };
  const [alone, compared] = [colours(null), colours(["arcs", words, [[0, 1, "same", 0]]])];
  assert.notEqual(alone.same, compared.same);
  assert.equal(alone["− lost"], compared["− lost"]);
  assert.notEqual(compared.same, compared["− lost"]);
});

test("where leaves are words, every layer is in the order of the text", async () => {
  const { overlayFigure } = await import(join(out, "layers.mjs"));
  const words = ["d", "b", "a", "c"].map((text) => [0, [[text, 0, "words"]], -1]);
  const units = [[0, [], 0], [0, [], -1], [0, [], -1]];
  const edge = (source, target) => [source, target, 0, "A", [], true];
  // The unit of c and d is listed before that of a and b; a remote edge leads from it to b.
  const arrows = [edge(4, 5), edge(4, 6), edge(5, 0), edge(5, 3), edge(5, 1), edge(6, 1), edge(6, 2)];
  const { parts } = overlayFigure([[...words, ...units], arrows, [], [2, 1, 3, 0]]);
  const text = (each) => each.props.children?.flat().join("") ?? "";
  const found = parts.filter((each) => each.type === "text" && /^[abcd]$/.test(text(each)));
  assert.equal(found.sort((one, other) => one.props.x - other.props.x).map(text).join(""), "abcd");
});
