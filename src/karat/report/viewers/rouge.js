// The ROUGE viewer: what of a text is in its references, by every measure.
(() => {
  const { make, named, card, SIDES, shown, table, select, checkbox, number, button, stepper, neighbour } = Interface;
  const instances = new Map();
  const MOST_ROWS = 200;
  const RULES = { "1.5.5": "micro", google: "best-f", unicode: "micro" };
  const PICTURES = ["graph", "alignment"];

  const outputsOf = (instance) => instances.get(instance) ?? new Map();
  const systemName = (system) => system || "(system)";

  function take(_, output) {
    version += 1;
    if (!instances.has(output.instance)) instances.set(output.instance, new Map());
    instances.get(output.instance).set(output.system, output);
  }

  // What is looked at, and what it is compared with: names and summaries.
  const sidesOf = ({ instance, system, other }) => [system, other].filter((one) => one !== null)
    .map((one) => ({ name: systemName(one), summary: outputsOf(instance).get(one).summary }));

  // -- what is chosen ------------------------------------------------------------------

  function optionsOf(choice) {
    const profile = Object.hasOwn(RULES, choice.get("p")) ? choice.get("p") : "1.5.5";
    const gap = choice.number("g");
    return {
      profile,
      stemming: choice.is("st") && profile !== "unicode",
      stopwords: choice.is("sw") && profile === "1.5.5",
      maxWords: choice.number("w"),
      maxBytes: choice.number("w") ? null : choice.number("b"),
      maxNgram: Math.min(9, Math.max(1, choice.number("n") ?? 4)),
      longest: true,
      weight: 1.2,
      gap: gap === null || gap < -1 ? 4 : gap,
      unigrams: choice.is("su"),
      refs: choice.get("rule") || RULES[profile],
    };
  }

  function chosen(choice) {
    const ids = [...instances.keys()];
    const instance = instances.has(choice.get("i")) ? choice.get("i") : ids[0];
    const outputs = outputsOf(instance);
    const systems = [...outputs.keys()];
    const given = (name) => (choice.given.has(name) && outputs.has(choice.get(name)) ? choice.get(name) : null);
    const system = given("s") ?? systems.find((one) => outputs.get(one).type === "peer") ?? systems[0];
    const other = given("o");
    const references = outputs.get(system).references;
    const wanted = choice.get("r") ? choice.get("r").split(",").map(Number) : null;
    const taken = references.map((_, i) => i).filter((i) => !wanted || wanted.includes(i + 1));
    const options = optionsOf(choice);
    const measures = Rouge.measures(options);
    const view = choice.get("m");
    const measure = measures.find((one) => one.name === view) ?? measures.find((one) => one.n === 2) ?? measures[0];
    return {
      ids, instance, systems, system, options, measures, measure,
      picture: PICTURES.includes(view) ? view : null,
      other: other === system ? null : other,
      references, taken: taken.length ? taken : references.map((_, i) => i),
    };
  }

  // -- texts as tokens, kept as long as the options stay ---------------------------------

  let readings = { key: "", read: null, texts: new Map() };

  function reading(options, lists) {
    const key = JSON.stringify([options.profile, options.stemming, options.stopwords, options.maxWords, options.maxBytes]);
    if (readings.key !== key) readings = { key, read: Reading.reader(options, lists), texts: new Map() };
    const { read, texts } = readings;
    return (text) => {
      if (!texts.has(text)) texts.set(text, read(text));
      return texts.get(text);
    };
  }

  // -- scores ----------------------------------------------------------------------------

  function scoresOf(output, picked, lists) {
    const read = reading(picked.options, lists);
    const references = picked.taken.map((i) => output.references[i]).filter(Boolean).map(({ text }) => read(text));
    if (!references.length) return null;
    const ours = read(output.summary);
    return new Map(picked.measures.map((measure) => {
      try {
        return [measure.name, Rouge.scored(measure, ours, references, picked.options, lists)];
      } catch (error) {
        if (!(error instanceof Rouge.TooLong)) throw error;
        return [measure.name, null];
      }
    }));
  }

  function scoreTable(choice, picked, lists) {
    const outputs = outputsOf(picked.instance);
    const sides = [picked.system, picked.other].filter((one) => one !== null);
    const scores = sides.map((system) => scoresOf(outputs.get(system), picked, lists));
    const digits = picked.options.profile === "google" ? 5 : 3;
    const parts = ["recall", "precision", "f"];
    const figures = (found) => (found ? parts.map((part) => shown(found[part], digits)) : ["too long", "", ""]);
    const rows = picked.measures.map((measure) => {
      const found = scores.map((one) => one?.get(measure.name) ?? null);
      const counts = found[0]?.each ?? [];
      const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
      const whole = measure.kind !== "weighted";
      const times = picked.options.refs === "micro" && counts.length > 1 ? ` × ${counts.length}` : "";
      const best = found[0] && found[0].taken !== null ? picked.references[picked.taken[found[0].taken]].name : "";
      return {
        main: !picked.picture && measure.name === picked.measure.name,
        cells: [
          button(`measure-${measure.name}`, measure.name, !picked.picture && measure.name === picked.measure.name,
            () => choice.set({ m: measure.name, t: "" })),
          ...found.flatMap(figures),
          sides.length > 1 && found[0] && found[1] ? shown(found[0].f - found[1].f, digits) : "",
          ...(whole && counts.length ? [String(sum("hits")), counts.map((one) => one.gold).join(" + "), String(counts[0].system) + times] : ["", "", ""]),
          best,
        ],
      };
    });
    const head = sides.flatMap((_, i) => ["R", "P", "F"].map((part) => `${part} ${SIDES[i].sign}`));
    return table(["measure", ...head, sides.length > 1 ? "F ① − F ②" : "", "hits ①", "in references", "in ①",
      picked.options.refs.startsWith("best") ? "reference" : ""], rows, { id: "scores" });
  }

  // -- texts with marks ------------------------------------------------------------------

  // For each token of a text the classes of its marks.
  function classesOf(sideMarks) {
    const classes = new Map();
    for (const { marks, side } of sideMarks) {
      for (const [place, mark] of marks) {
        const known = classes.get(place) ?? new Set();
        if (mark === "matched") {
          known.add(`hit-${side}`);
          known.delete(`clipped-${side}`);
        } else if (!known.has(`hit-${side}`)) known.add(`clipped-${side}`);
        classes.set(place, known);
      }
    }
    return classes;
  }

  // The places of the tokens that belong to what was clicked on.
  function placesOf(measure, text, wanted) {
    const places = new Set();
    if (!wanted) return places;
    if (measure.kind === "ngram" || measure.kind === "skip") {
      for (const found of Rouge.gramsOf(measure, text.tokens)) {
        if (found.gram === wanted) found.places.forEach((place) => places.add(place));
      }
    } else {
      text.sentences.flat().forEach((token, i) => { if (token === wanted) places.add(i); });
    }
    return places;
  }

  function wordsOf(choice, measure, text, classes, wanted) {
    const bySentence = measure.kind === "union" || measure.kind === "weighted";
    const lines = bySentence ? text.sentenceLines : text.lines;
    const tokens = lines.flat();
    let place = 0;
    const clicked = (at) => () => {
      const size = measure.kind === "ngram" ? measure.n : 1;
      const first = Math.max(0, Math.min(at, tokens.length - size));
      const gram = tokens.slice(first, first + size).map((token) => token.text).join(" ");
      choice.set({ t: gram === wanted ? "" : gram });
    };
    const chosenPlaces = placesOf(measure, text, wanted);
    const paragraphs = text.units.map((unit, i) => {
      const line = lines[i];
      if (!line) return make("p", { dir: "auto", class: "beyond", title: "beyond the limit" }, unit);
      const nodes = [];
      let end = 0;
      for (const token of line) {
        if (token.start > end) nodes.push(unit.slice(end, token.start));
        const marks = [...(classes.get(place) ?? [])];
        const names = ["t", ...marks, ...(chosenPlaces.has(place) ? ["chosen"] : [])];
        const title = token.text === token.raw ? null : `counts as ${token.text}`;
        nodes.push(make("span", { class: names.join(" "), title, onclick: clicked(place) }, unit.slice(token.start, token.end)));
        end = token.end;
        place += 1;
      }
      if (end < unit.length) nodes.push(unit.slice(end));
      return make("p", { dir: "auto" }, nodes);
    });
    return make("div", { class: "words" }, paragraphs);
  }

  function texts(choice, picked, lists) {
    const read = reading(picked.options, lists);
    const outputs = outputsOf(picked.instance);
    const { measure } = picked;
    const wanted = choice.get("t");
    const references = picked.taken.map((i) => ({ ...picked.references[i], read: read(picked.references[i].text) }));
    const goldMarks = references.map(() => []);
    const cards = [picked.system, picked.other].filter((one) => one !== null).map((system, i) => {
      const { key: side, sign } = SIDES[i];
      const output = outputs.get(system);
      const text = read(output.summary);
      const own = references.map((reference, k) => {
        const found = Rouge.marks(measure, text, reference.read, lists);
        goldMarks[k].push({ marks: found.gold, side });
        return { marks: found.system, side };
      });
      return card([`${sign} `, named(systemName(system))], `${text.tokens.length} tokens`, wordsOf(choice, measure, text, classesOf(own), wanted), side);
    });
    const golds = references.map((reference, k) => card(["Reference ", named(reference.name)], `${reference.read.tokens.length} tokens`,
      wordsOf(choice, measure, reference.read, classesOf(goldMarks[k]), wanted)));
    return make("div", { class: "texts" }, cards, golds);
  }

  function legend(picked) {
    const entry = (name, text) => make("li", {}, make("span", { class: name }, "word"), ` ${text}`);
    const others = picked.other === null ? [] : [entry("hit-b", "counts for ②"), entry("hit-a hit-b", "for both")];
    return make("ul", { class: "legend" },
      entry("hit-a", picked.other === null ? "counts" : "counts for ①"), others,
      entry("clipped-a", "matches, but more often than the other text has it"), entry("chosen", "selected: click a word"));
  }

  function grams(choice, picked, lists) {
    const { measure } = picked;
    if (measure.kind !== "ngram" && measure.kind !== "skip") return null;
    const read = reading(picked.options, lists);
    const references = picked.taken.map((i) => read(picked.references[i].text));
    const outputs = outputsOf(picked.instance);
    const sides = [picked.system, picked.other].filter((one) => one !== null).map((system) => read(outputs.get(system).summary));
    const rows = Rouge.gramTable(measure, sides, references);
    const wanted = choice.get("t");
    const signs = sides.map((_, i) => SIDES[i].sign);
    const golds = picked.taken.map((i) => ["in ", named(picked.references[i].name)]);
    const head = ["", ...signs.map((sign) => `hits ${sign}`), ...signs.map((sign) => `in ${sign}`), ...golds];
    const shownRows = rows.slice(0, MOST_ROWS);
    const selected = rows.find((row) => row.gram === wanted);
    if (selected && !shownRows.includes(selected)) shownRows.unshift(selected);
    const open = choice.is("gr");
    const box = make("details", { id: "grams", open },
      make("summary", {}, `${rows.length} different ${measure.kind === "skip" ? "skip-bigrams" : `${measure.n}-grams`}`));
    box.addEventListener("toggle", () => { if (box.open !== choice.is("gr")) choice.set({ gr: box.open }); });
    if (open) {
      box.append(table(head, shownRows.map((row, i) => ({
        main: row.gram === wanted,
        cells: [button(`gram-${i}`, row.gram, row.gram === wanted, () => choice.set({ t: row.gram === wanted ? "" : row.gram })),
          ...row.hits.map(String), ...row.system.map(String), ...row.gold.map(String)],
      }))));
      if (rows.length > shownRows.length) box.append(make("p", { class: "dim" }, `and ${rows.length - shownRows.length} more`));
    }
    return box;
  }

  // -- all outputs by one measure ----------------------------------------------------------

  let computed = { key: "", values: null, progress: null };
  let version = 0;

  async function computedFor(measure, options, lists) {
    const read = reading(options, lists);
    const outputs = [...instances.values()].flatMap((one) => [...one.values()]).filter((one) => one.references.length);
    const own = computed;
    const values = [];
    for (const [i, output] of outputs.entries()) {
      if (i % 20 === 0) {
        own.progress?.(i, outputs.length);
        await new Promise((resume) => { setTimeout(resume); });
        if (own !== computed) break;
      }
      const references = output.references.map(({ text }) => read(text));
      const { f } = Rouge.scored(measure, read(output.summary), references, options, lists);
      values.push({ instance: output.instance, system: output.system, type: output.type, value: f });
    }
    return values;
  }

  // Computed once, whatever else is chosen meanwhile.
  const allOutputs = (picked, lists) => (progress) => {
    const key = JSON.stringify([picked.options, picked.measure.name, version]);
    if (computed.key !== key) {
      computed = { key, values: null, progress };
      computed.values = computedFor(picked.measure, picked.options, lists);
    }
    computed.progress = progress;
    return computed.values;
  };

  // -- the page ----------------------------------------------------------------------------

  function controls(choice, picked) {
    const option = (system) => [system, `${systemName(system)}${outputsOf(picked.instance).get(system).type === "reference" ? " (human)" : ""}`];
    const rules = [["micro", "added up (formula A)"], ["mean", "mean"], ["best-recall", "best recall (formula B)"], ["best-f", "best F"]];
    const { profile } = picked.options;
    const google = profile === "google";
    return [
      make("div", { class: "controls" },
        stepper(choice, "i", "Instance", picked.ids.map((id) => [id, id]), picked.instance),
        stepper(choice, "s", "System", picked.systems.map(option), picked.system),
        select(choice, "o", "Compare with", [["", "nothing"], ...picked.systems.filter((one) => one !== picked.system).map(option)], picked.other ?? "")),
      make("div", { class: "controls" },
        select(choice, "p", "Profile", [["1.5.5", "ROUGE-1.5.5"], ["google", "rouge-score (google)"], ["unicode", "any script (unicode)"]], profile),
        profile === "unicode" ? null : checkbox(choice, "st", "stems"), profile === "1.5.5" ? checkbox(choice, "sw", "no stop words") : null,
        select(choice, "rule", "Several references", rules, picked.options.refs),
        number(choice, "n", "Longest n-grams", 1, 9),
        google ? null : number(choice, "g", "Skip at most (-1: any)", -1, 99),
        google ? null : checkbox(choice, "su", "with unigrams (SU)"),
        number(choice, "w", "Cut after words", 1, 1e6, "all"), number(choice, "b", "or bytes", 1, 1e7, "all")),
      picked.references.length > 1 ? make("div", { class: "controls", role: "group", "aria-label": "References" }, "References:",
        picked.references.map((reference, i) => {
          const on = picked.taken.includes(i);
          const next = on ? picked.taken.filter((one) => one !== i) : [...picked.taken, i].sort((a, b) => a - b);
          const all = next.length === picked.references.length;
          return button(`reference-${i}`, named(reference.name), on, () => choice.set({ r: all ? "" : next.map((one) => one + 1).join(",") }));
        })) : null,
    ];
  }

  function warning(picked) {
    if (picked.options.profile === "unicode") return null;
    const output = outputsOf(picked.instance).get(picked.system);
    const counts = [output.summary, ...picked.taken.map((i) => picked.references[i].text)].map(Reading.letters);
    const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
    if (sum("dropped") <= 0.1 * sum("total")) return null;
    const share = Math.round((100 * sum("dropped")) / sum("total"));
    return make("p", { class: "wrong" }, `The profile keeps only ASCII and drops ${share} % of the letters of these texts; the profile unicode reads any script.`);
  }

  // What was chosen to be seen, or why it cannot be.
  function view(choice, picked, lists) {
    try {
      if (picked.picture) return Pictures[picked.picture](choice, sidesOf(picked), picked.taken.map((i) => picked.references[i]), lists);
      return [legend(picked), texts(choice, picked, lists), grams(choice, picked, lists)];
    } catch (error) {
      if (!(error instanceof Rouge.TooLong)) throw error;
      return make("p", { class: "wrong", role: "alert" }, `${error.message}: choose another view, or cut the texts.`);
    }
  }

  function render(choice, lists, scores) {
    const picked = chosen(choice);
    const go = (instance, system) => choice.set({ i: instance, s: system });
    const label = `${picked.measure.name} F (this page)`;
    const parts = [...controls(choice, picked)];
    const tabs = make("div", { class: "controls" }, [["", "words"], ["graph", "n-gram graph"], ["alignment", "alignment (METEOR)"]].map(([view, text]) =>
      button(`view-${view || "words"}`, text, (picked.picture ?? "") === view, () => choice.set({ m: view }))));
    if (!picked.references.length) parts.push(make("p", { class: "wrong" }, "This output has no references."));
    else parts.push(warning(picked), scoreTable(choice, picked, lists), tabs, view(choice, picked, lists));
    const given = scores.names.map((name) => [name, scores.value(picked.instance, picked.system, name)]).filter(([, value]) => value !== null);
    if (given.length) {
      parts.push(make("details", {}, make("summary", {}, `${given.length} scores of this output from files`),
        table(["score", "value"], given.map(([name, value]) => ({ cells: [name, shown(value, 4)] })))));
    }
    parts.push(Interface.disagreement(choice, scores, { label, outputs: allOutputs(picked, lists) }, go));
    return make("div", {}, parts);
  }

  const stepTo = (name, by) => (choice) => {
    const picked = chosen(choice);
    if (name === "i") return { i: neighbour(picked.ids, picked.instance, by), t: "" };
    if (name === "s") return { s: neighbour(picked.systems, picked.system, by) };
    return { m: neighbour(picked.measures.map((one) => one.name), picked.measure.name, by), t: "" };
  };

  Interface.start({
    accepts: ["summary"],
    wanted: "Drop files here: summaries with references (summaries.jsonl), and scores or judgements (metrics.jsonl). Nothing leaves this page.",
    defaults: { p: "1.5.5", st: "1", sw: "0", n: "4", g: "4", su: "1", d: "0", gr: "0", dt: "peer", gn: "3", gw: "3" },
    take,
    isEmpty: () => !instances.size,
    render,
    keys: {
      ArrowLeft: stepTo("i", -1), ArrowRight: stepTo("i", 1), j: stepTo("s", 1), k: stepTo("s", -1),
      "[": stepTo("m", -1), "]": stepTo("m", 1), Escape: () => ({ t: "" }),
    },
  });
})();
