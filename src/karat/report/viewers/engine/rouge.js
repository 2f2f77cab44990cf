// ROUGE as karat.text.metrics.rouge counts it: the same counts, the same order of the same
// floating-point operations, so that the figures are the same to the last digit.
const Rouge = (() => {
  const MOST_CELLS = 25e6;
  const MOST_SKIPS = 4e6;

  class TooLong extends Error {}

  // -- numbers ----------------------------------------------------------------------

  const ratio = (part, whole) => (whole === 0 ? 0 : part / whole);

  function halfEven(value) {
    const low = Math.floor(value);
    const rest = value - low;
    if (rest !== 0.5) return rest < 0.5 ? low : low + 1;
    return low % 2 === 0 ? low : low + 1;
  }

  // Rounded to 5 decimals as printf does: the exact binary value decides. Only multiples of
  // 1/64 lie in the middle between two.
  function round5(value) {
    const scaled = value * 1e5;
    const whole = halfEven(scaled);
    if (Math.abs(Math.abs(scaled - whole) - 0.5) >= 1e-6) return whole / 1e5;
    const parts = value * 64;
    if (Number.isInteger(parts) && parts % 2 === 1) return halfEven((parts * 3125) / 2) / 1e5;
    return Number(value.toFixed(5));
  }

  // The sum as numpy forms it: eight partial sums, in blocks.
  function pairwise(values, begin = 0, size = values.length - begin) {
    if (size < 8) {
      let sum = 0;
      for (let i = begin; i < begin + size; i++) sum += values[i];
      return sum;
    }
    if (size <= 128) {
      const r = values.slice(begin, begin + 8);
      let i = 8;
      for (; i < size - (size % 8); i += 8) for (let k = 0; k < 8; k++) r[k] += values[begin + i + k];
      let sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
      for (; i < size; i++) sum += values[begin + i];
      return sum;
    }
    let half = Math.floor(size / 2);
    half -= half % 8;
    return pairwise(values, begin, half) + pairwise(values, begin + half, size - half);
  }

  // numpy's reduceat: the first value, and to it the sum of the others.
  const segmentSum = (values) => (values.length > 1 ? values[0] + pairwise(values, 1) : values[0]);

  const sum = (values) => values.reduce((whole, value) => whole + value, 0);

  // -- counts -----------------------------------------------------------------------

  const bump = (bag, key) => bag.set(key, (bag.get(key) ?? 0) + 1);

  function bagOf(keys) {
    const bag = new Map();
    for (const key of keys) bump(bag, key);
    return bag;
  }

  function common(ours, theirs) {
    let hits = 0;
    for (const [gram, count] of theirs) hits += Math.min(count, ours.get(gram) ?? 0);
    return hits;
  }

  // The n-grams of a text, each with the places of its tokens.
  function* ngrams(tokens, n) {
    for (let i = 0; i + n <= tokens.length; i++) {
      const places = Array.from({ length: n }, (_, k) => i + k);
      yield { gram: tokens.slice(i, i + n).join(" "), places };
    }
  }

  // Pairs with at most `gap` tokens between (any number if negative); with unigrams, all
  // tokens but the last.
  function* skips(tokens, gap, unigrams) {
    const size = tokens.length;
    const reach = gap < 0 ? size : Math.min(size, gap + 2);
    if (size * reach > MOST_SKIPS) throw new TooLong("the texts have too many skip-bigrams");
    for (let i = 0; i + 1 < size; i++) {
      if (unigrams) yield { gram: tokens[i], places: [i] };
      const end = gap < 0 ? size : Math.min(size, i + gap + 2);
      for (let j = i + 1; j < end; j++) yield { gram: `${tokens[i]} ${tokens[j]}`, places: [i, j] };
    }
  }

  const gramsOf = (measure, tokens) =>
    measure.kind === "skip" ? skips(tokens, measure.gap, measure.unigrams) : ngrams(tokens, measure.n);

  const bags = new WeakMap();

  // The grams of a text and how often it has each, made once per text and measure.
  function gramBag(measure, text) {
    if (!bags.has(text)) bags.set(text, new Map());
    const known = bags.get(text);
    if (!known.has(measure.name)) {
      const bag = new Map();
      for (const { gram } of gramsOf(measure, text.tokens)) bump(bag, gram);
      known.set(measure.name, bag);
    }
    return known.get(measure.name);
  }

  const total = (bag) => sum([...bag.values()]);

  function gramCounts(measure, ours, theirs) {
    const system = gramBag(measure, ours);
    const gold = gramBag(measure, theirs);
    return { hits: common(system, gold), gold: total(gold), system: total(system) };
  }

  // -- common subsequences ----------------------------------------------------------

  function checkCells(ours, theirs) {
    const size = (lines) => sum(lines.map((line) => line.length));
    if (size(ours) * size(theirs) > MOST_CELLS) {
      throw new TooLong("the texts are too long for their common subsequences");
    }
  }

  // The places, in a gold and a system sentence, of one longest common subsequence; ties
  // drop gold tokens. With powers, runs weigh more than their tokens.
  function traced(gold, system, powers) {
    const n = system.length;
    const up = new Uint8Array(gold.length * n);
    const score = new Float64Array(n + 1);
    const runs = new Uint32Array(n + 1);
    for (let i = 0; i < gold.length; i++) {
      let diagonal = 0;
      let run = 0;
      for (let j = 1; j <= n; j++) {
        const above = score[j];
        const runAbove = runs[j];
        if (gold[i] === system[j - 1]) {
          score[j] = powers ? diagonal + powers(run + 1) - powers(run) : diagonal + 1;
          runs[j] = run + 1;
        } else {
          const higher = above >= score[j - 1];
          up[i * n + j - 1] = higher ? 1 : 0;
          if (!higher) score[j] = score[j - 1];
          runs[j] = 0;
        }
        diagonal = above;
        run = runAbove;
      }
    }
    const found = [];
    for (let i = gold.length, j = n; i > 0 && j > 0;) {
      if (gold[i - 1] === system[j - 1]) found.push([--i, --j]);
      else if (up[(i - 1) * n + j - 1]) i--;
      else j--;
    }
    return found;
  }

  // What is in the union of common subsequences, by gold and by system sentence: true where
  // it counts, false where one side has the token too rarely.
  function union(ours, theirs, powers, weight) {
    checkCells(ours.sentences, theirs.sentences);
    const leftOurs = bagOf(ours.tokens);
    const leftTheirs = bagOf(theirs.tokens);
    const systemMarks = ours.sentences.map(() => new Map());
    let hits = 0;
    const goldMarks = theirs.sentences.map((gold) => {
      const mask = new Set();
      ours.sentences.forEach((system, s) => {
        for (const [i, j] of traced(gold, system, powers)) {
          mask.add(i);
          systemMarks[s].set(j, true);
        }
      });
      const marks = new Map();
      let run = 0;
      for (let i = 0; i < gold.length; i++) {
        if (!mask.has(i)) continue;
        const counts = (leftTheirs.get(gold[i]) ?? 0) > 0 && (leftOurs.get(gold[i]) ?? 0) > 0;
        marks.set(i, counts);
        if (!counts) continue;
        leftTheirs.set(gold[i], leftTheirs.get(gold[i]) - 1);
        leftOurs.set(gold[i], leftOurs.get(gold[i]) - 1);
        if (!powers) hits += 1;
        else {
          // A run ends before a token that is not in the union or with the sentence; a
          // token that may not count any more neither extends nor ends it.
          run += 1;
          if (i + 1 === gold.length || !mask.has(i + 1)) {
            hits += powers(run);
            run = 0;
          }
        }
      }
      return marks;
    });
    const size = (line) => (powers ? Math.pow(line.length, weight) : line.length);
    const gold = sum(theirs.sentences.map(size));
    return { hits, gold, system: ours.tokens.length, goldMarks, systemMarks };
  }

  // k to the power of the weight; the list has what Python computes, for the usual weight.
  function powersOf(weight, lists) {
    const known = weight === lists.weight ? lists.powers : [];
    return (k) => known[k] ?? Math.pow(k, weight);
  }

  // -- measures ---------------------------------------------------------------------

  // What a page measures: options maxNgram, longest, weight, gap, unigrams.
  function measures({ profile, maxNgram, longest, weight, gap, unigrams }) {
    const found = [];
    const google = profile === "google";
    for (let n = 1; n <= maxNgram; n++) {
      found.push({ name: google ? `rouge${n}` : `rouge-${n}`, kind: "ngram", n });
    }
    if (longest && google) found.push({ name: "rougeL", kind: "whole" });
    if (longest) found.push({ name: google ? "rougeLsum" : "rouge-l", kind: "union" });
    if (google) return found;
    // Elsewhere W is not rounded, and browsers raise to a power each in its own way.
    if (weight !== null && profile === "1.5.5") found.push({ name: `rouge-w-${weight}`, kind: "weighted", weight });
    if (gap !== null) {
      const name = `rouge-${unigrams ? "su" : "s"}${gap < 0 ? "*" : gap}`;
      found.push({ name, kind: "skip", gap, unigrams });
    }
    return found;
  }

  // Hits, gold and system sizes of a pair, and the key that the best recall is judged by.
  function counts(measure, ours, theirs, options, lists) {
    const rounded = options.profile === "1.5.5";
    if (measure.kind === "whole") {
      checkCells([ours.tokens], [theirs.tokens]);
      const hits = traced(theirs.tokens, ours.tokens).length;
      const gold = theirs.tokens.length;
      return { hits, gold, system: ours.tokens.length, key: ratio(hits, gold) };
    }
    if (measure.kind === "union") {
      const { hits, gold, system } = union(ours, theirs);
      return { hits, gold, system, key: ratio(hits, gold) };
    }
    if (measure.kind === "weighted") {
      const { weight } = measure;
      const { hits, gold, system } = union(ours, theirs, powersOf(weight, lists), weight);
      // The engine weights the gold size a second time.
      const twice = Math.pow(gold, weight);
      return { hits, gold: twice, system: Math.pow(system, weight), key: ratio(hits, gold) };
    }
    const found = gramCounts(measure, ours, theirs);
    const recall = ratio(found.hits, found.gold);
    return { ...found, key: rounded ? round5(recall) : recall };
  }

  // Recall, precision and F of hits, gold and system sizes.
  function figures({ hits, gold, system }, measure, rounded) {
    const power = measure.kind === "weighted" ? 1 / measure.weight : 1;
    const raised = (value) => (power === 1 ? value : Math.pow(value, power));
    const last = rounded ? round5 : (value) => value;
    const recall = last(raised(ratio(hits, gold)));
    const precision = last(raised(ratio(hits, system)));
    const f = rounded
      ? round5(ratio(precision * recall, 0.5 * precision + 0.5 * recall))
      : ratio(2 * precision * recall, precision + recall);
    return [recall, precision, f];
  }

  function firstBest(keys) {
    let best = 0;
    keys.forEach((key, i) => { if (key > keys[best]) best = i; });
    return best;
  }

  // The scores of one measure, the counts per reference, and which reference was taken.
  function scored(measure, ours, references, options, lists) {
    const rounded = options.profile === "1.5.5";
    const each = references.map((theirs) => counts(measure, ours, theirs, options, lists));
    let parts;
    let taken = null;
    if (options.refs === "micro") {
      const added = (name) => segmentSum(each.map((one) => one[name]));
      parts = figures({ hits: added("hits"), gold: added("gold"), system: added("system") }, measure, rounded);
    } else {
      const scores = each.map((one) => figures(one, measure, rounded));
      if (options.refs === "mean") {
        parts = [0, 1, 2].map((k) => segmentSum(scores.map((one) => one[k])) / scores.length);
      } else {
        const keys = options.refs === "best-f" ? scores.map((one) => one[2]) : each.map((one) => one.key);
        taken = firstBest(keys);
        parts = scores[taken];
      }
    }
    const scale = options.profile === "google" ? 1 : 100;
    // Rounded figures as percentages of three decimals, without the dust of binary products.
    const exact = rounded && options.refs !== "mean";
    const shown = exact ? (value) => Math.round(value * 1e5) / 1e3 : (value) => scale * value;
    const [recall, precision, f] = parts.map(shown);
    return { recall, precision, f, each, taken };
  }

  // -- what matched -----------------------------------------------------------------

  // For the tokens of both texts, in order: "matched", "clipped" or nothing.
  function marks(measure, ours, theirs, lists) {
    if (measure.kind === "whole") {
      const found = traced(theirs.tokens, ours.tokens);
      return {
        system: placed(found.map(([, j]) => [j, "matched"])),
        gold: placed(found.map(([i]) => [i, "matched"])),
      };
    }
    if (measure.kind === "union" || measure.kind === "weighted") {
      const powers = measure.kind === "weighted" ? powersOf(measure.weight, lists) : undefined;
      const found = union(ours, theirs, powers, measure.weight);
      return {
        system: flatMarks(ours.sentences, found.systemMarks),
        gold: flatMarks(theirs.sentences, found.goldMarks),
      };
    }
    const system = gramBag(measure, ours);
    const gold = gramBag(measure, theirs);
    return { system: gramMarks(measure, ours, gold), gold: gramMarks(measure, theirs, system) };
  }

  const placed = (pairs) => new Map(pairs);

  function flatMarks(sentences, bySentence) {
    const result = new Map();
    let first = 0;
    sentences.forEach((line, s) => {
      for (const [i, counts] of bySentence[s]) result.set(first + i, counts ? "matched" : "clipped");
      first += line.length;
    });
    return result;
  }

  // The first occurrences of a gram count, as many as the other text has.
  function gramMarks(measure, text, other) {
    const seen = new Map();
    const result = new Map();
    for (const { gram, places } of gramsOf(measure, text.tokens)) {
      const most = other.get(gram);
      if (most === undefined) continue;
      bump(seen, gram);
      const counts = seen.get(gram) <= most;
      for (const place of places) {
        if (counts) result.set(place, "matched");
        else if (!result.has(place)) result.set(place, "clipped");
      }
    }
    return result;
  }

  // The grams of the texts, with how often each of them has it and what it counts for each
  // system; what counts most first.
  function gramTable(measure, systems, references) {
    const own = systems.map((text) => gramBag(measure, text));
    const others = references.map((text) => gramBag(measure, text));
    const grams = new Set([...own, ...others].flatMap((bag) => [...bag.keys()]));
    const rows = [...grams].map((gram) => {
      const system = own.map((bag) => bag.get(gram) ?? 0);
      const gold = others.map((bag) => bag.get(gram) ?? 0);
      const hits = system.map((most) => sum(gold.map((count) => Math.min(count, most))));
      return { gram, system, gold, hits };
    });
    const all = (row) => sum(row.system) + sum(row.gold);
    return rows.sort((a, b) => sum(b.hits) - sum(a.hits) || all(b) - all(a));
  }

  return { measures, scored, marks, gramTable, gramsOf, round5, pairwise, ratio, TooLong };
})();
