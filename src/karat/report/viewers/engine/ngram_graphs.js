// Graphs of character n-grams, as karat.text.metrics.autosummeng with one size of n-grams.
const NgramGraphs = (() => {
  const MOST_CHARACTERS = 5e6;
  const WIDE = 2 ** 26;

  // The directed edges between n-grams that stand near each other, in order of their keys.
  // `numbers` gives n-grams their numbers, in order of first sight.
  function graph(text, n, window, numbers) {
    let whole = Reading.sentences(text).join("\n");
    if ([...whole].length * window > MOST_CHARACTERS) throw new Rouge.TooLong("the text is too long");
    if (!whole.endsWith("\n")) whole += "\n";
    const letters = [...whole];
    const codes = [];
    for (let i = 0; i + n <= letters.length; i++) {
      const gram = letters.slice(i, i + n).join("");
      if (!numbers.has(gram)) numbers.set(gram, numbers.size);
      codes.push(numbers.get(gram));
    }
    const weights = new Map();
    const link = (a, b) => weights.set(a * WIDE + b, (weights.get(a * WIDE + b) ?? 0) + 1);
    for (let distance = 1; distance <= window; distance++) {
      for (let i = 0; i + distance < codes.length; i++) {
        link(codes[i + distance], codes[i]);
        link(codes[i], codes[i + distance]);
      }
    }
    return inOrder(weights);
  }

  const inOrder = (weights) => new Map([...weights].sort(([a], [b]) => a - b));

  // The mean over edges of the larger graph of the smaller by the larger weight.
  function similarity(mine, other, n) {
    const largest = Math.max(mine.size, other.size);
    if (!largest) return 0;
    const shares = [];
    for (const [edge, weight] of mine) {
      const theirs = other.get(edge);
      if (theirs !== undefined) shares.push(Math.min(weight, theirs) / Math.max(weight, theirs));
    }
    // One level of importance n, weighted and divided as if there were several.
    return (n * (Rouge.pairwise(shares) / largest)) / n;
  }

  // With another graph taken in as the number-th: common weights move to its mean.
  function merged(mine, other, number) {
    const weights = new Map(mine);
    for (const [edge, weight] of other) {
      const known = mine.get(edge);
      weights.set(edge, known === undefined ? weight : known + (weight - known) / number);
    }
    return inOrder(weights);
  }

  // Python's sum of floats, which from version 3.12 on carries what rounding loses.
  function pythonSum(values, compensated) {
    let sum = 0;
    let lost = 0;
    for (const value of values) {
      const next = sum + value;
      if (compensated) {
        lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      }
      sum = next;
    }
    return sum + lost;
  }

  // AutoSummENG, MeMoG and NPowER, the similarity to each reference, and the graphs.
  function scored(system, references, { n, window }, lists) {
    const numbers = new Map();
    const own = graph(system, n, window, numbers);
    const graphs = references.map((reference) => graph(reference, n, window, numbers));
    let model = graphs[0];
    graphs.slice(1).forEach((each, i) => { model = merged(model, each, i + 2); });
    const each = graphs.map((one) => similarity(own, one, n));
    const mean = pythonSum(each, lists.compensated) / each.length;
    const memog = similarity(own, model, n);
    return {
      scores: {
        AutoSummENG: mean,
        MeMoG: memog,
        NPowER: (5.2905 * mean + 3.0053 * memog + 0.5866) / 10,
      },
      each, own, graphs, model,
      names: [...numbers.keys()],
    };
  }

  // The heaviest links of two graphs, each pair of n-grams once.
  function heaviest(own, other, names, most) {
    const rows = [];
    for (const edge of new Set([...own.keys(), ...other.keys()])) {
      const a = Math.floor(edge / WIDE);
      const b = edge % WIDE;
      if (a > b) continue;
      const system = own.get(edge) ?? 0;
      const gold = other.get(edge) ?? 0;
      rows.push({ from: names[a], to: names[b], system, gold });
    }
    return rows.sort((x, y) => Math.max(y.system, y.gold) - Math.max(x.system, x.gold)).slice(0, most);
  }

  return { scored, heaviest };
})();
