// The pyramid viewer: content units of several people's summaries, and who has them.
(() => {
  const { make, named, card, SIDES, shown, table, select, button, stepper, neighbour } = Interface;
  const pyramids = new Map();
  const annotations = new Map();

  function take(kind, value) {
    if (kind === "pyramid") pyramids.set(value.instance_id, value);
    else {
      if (!annotations.has(value.instance_id)) annotations.set(value.instance_id, new Map());
      annotations.get(value.instance_id).set(value.summarizer_id, value);
    }
  }

  // Whoever can be looked at: annotated summaries, and those of the pyramid, each against
  // the pyramid without it.
  function candidates(pyramid) {
    const found = new Map();
    for (const annotation of annotations.get(pyramid.instance_id)?.values() ?? []) {
      found.set(annotation.summarizer_id, { annotation, pyramid, label: annotation.summarizer_id });
    }
    if (pyramid.summaries.length > 1) {
      pyramid.summarizer_ids.forEach((name, index) => {
        if (found.has(name)) return;
        const annotation = Pyramids.annotationOf(pyramid, index);
        found.set(name, { annotation, pyramid: Pyramids.without(pyramid, index), label: `${name} (human)`, index });
      });
    }
    return found;
  }

  function chosen(choice) {
    const ids = [...pyramids.keys()];
    const instance = pyramids.has(choice.get("i")) ? choice.get("i") : ids[0];
    const pyramid = pyramids.get(instance);
    const systems = candidates(pyramid);
    const given = (name) => (systems.has(choice.get(name)) ? choice.get(name) : null);
    const first = annotations.has(instance) ? [...systems.keys()][0] : null;
    const system = choice.get("s") === "-" ? null : given("s") ?? first;
    const other = given("o");
    const units = [...pyramid.scus].map((scu) => ({ ...scu, weight: Pyramids.weightOf(scu) })).sort((a, b) => b.weight - a.weight);
    const unit = units.find((scu) => String(scu.scu_id) === choice.get("u")) ?? null;
    return { ids, instance, pyramid, systems, system, other: other === system ? null : other, units, unit };
  }

  const sidesOf = (picked) => [picked.system, picked.other].filter((one) => one !== null).map((name) => picked.systems.get(name));

  // -- scores ------------------------------------------------------------------------------

  function scoreTable(picked) {
    const sides = sidesOf(picked);
    if (!sides.length) return make("p", { class: "dim" }, "Drop annotations of summaries (pyramid-annotations.jsonl), or choose a summary of the pyramid, to see its score.");
    const found = sides.map((side) => Pyramids.scored(side.annotation, side.pyramid));
    const row = (name, value, main = false) => ({ main, cells: [name, ...found.map(value)] });
    const rows = [
      row("modified pyramid score", (one) => shown(one.modified, 6), true),
      row("pyramid score (original)", (one) => shown(one.original, 6)),
      row("weight of its units", (one) => String(one.weight)),
      row("best weight of as many units as summaries have on average", (one) => `${one.best} (${one.average} units)`),
      row("best weight of as many units as it has", (one) => `${one.ownBest} (${one.units.length} units)`),
    ];
    if (found.some((one) => one.repeated)) rows.push(row("annotated more than once, counted once", (one) => String(one.repeated)));
    const notes = sides.filter((side) => side.index !== undefined).map((side) =>
      make("p", { class: "dim" }, named(side.label), ": against the pyramid of the other summaries."));
    return make("div", {}, table(["", ...sides.map((side, i) => [`${SIDES[i].sign} `, named(side.label)])], rows, { id: "scores" }), notes);
  }

  // -- units ---------------------------------------------------------------------------------

  function unitList(choice, picked) {
    const sides = sidesOf(picked);
    const has = sides.map((side) => new Set(side.annotation.scus.map((scu) => scu.scu_id)));
    const filter = choice.get("f");
    const fits = (scu) => !filter || (has[0] ? (filter === "found") === has[0].has(scu.scu_id) : true);
    const summaries = picked.pyramid.summaries.length;
    const items = picked.units.filter(fits).map((scu) => {
      const on = picked.unit?.scu_id === scu.scu_id;
      const marks = has.map((set, i) => (set.has(scu.scu_id) ? make("span", { class: i ? "found other" : "found" }, ` ✓${SIDES[i].sign}`) : null));
      const weight = make("span", { class: "weight", title: `weight ${scu.weight}` }, "●".repeat(scu.weight), "○".repeat(Math.max(0, summaries - scu.weight)));
      const label = make("span", { dir: "auto" }, scu.label || `unit ${scu.scu_id}`);
      return make("li", {},
        button(`unit-${scu.scu_id}`, [weight, `${scu.weight} · `, label, marks], on, () => choice.set({ u: on ? "" : scu.scu_id })),
        on ? make("ul", {}, scu.contributors.map((one) => make("li", { dir: "auto" }, `${picked.pyramid.summarizer_ids[one.summary_index]}: ${one.label || one.parts.map((part) => part.text).join(" … ")}`))) : null);
    });
    const known = new Set(picked.units.map((scu) => scu.scu_id));
    const unknown = sides.flatMap((side) => side.annotation.scus.filter((scu) => !known.has(scu.scu_id)).map((scu) => scu.scu_id));
    return make("div", {},
      make("h2", {}, `${picked.units.length} content units`),
      sides.length ? select(choice, "f", "Show", [["", "all"], ["found", "those that ① has"], ["missed", "those that ① misses"]]) : null,
      make("ul", { class: "units" }, items),
      unknown.length ? make("p", { class: "dim" }, `Annotated, but not in the pyramid: ${unknown.join(", ")}.`) : null);
  }

  // -- texts ---------------------------------------------------------------------------------

  const stretchesOf = (contributors, key) =>
    contributors.flatMap((one) => one.parts.map((part) => ({ start: part.start, end: part.end, key })));

  function wordsOf(choice, picked, text, stretches) {
    const labels = new Map(picked.units.map((scu) => [scu.scu_id, `${scu.weight} · ${scu.label}`]));
    const nodes = Pyramids.segments(text, stretches).map((segment) => {
      if (!segment.keys.length) return segment.text;
      const on = picked.unit && segment.keys.includes(picked.unit.scu_id);
      const next = on ? segment.keys[(segment.keys.indexOf(picked.unit.scu_id) + 1) % segment.keys.length] : segment.keys[0];
      return make("span", {
        class: `part${on ? " chosen" : ""}`,
        title: segment.keys.map((key) => labels.get(key) ?? `unit ${key}`).join("\n"),
        onclick: () => choice.set({ u: on && segment.keys.length === 1 ? "" : next }),
      }, segment.text);
    });
    return make("div", { class: "words" }, make("p", { dir: "auto" }, nodes));
  }

  function texts(choice, picked) {
    const known = new Set(picked.units.map((scu) => scu.scu_id));
    const cards = sidesOf(picked).map((side, i) => {
      const scus = side.annotation.scus.filter((scu) => known.has(scu.scu_id));
      const stretches = scus.flatMap((scu) => stretchesOf(scu.contributors, scu.scu_id));
      return card([`${SIDES[i].sign} `, named(side.label)], `${scus.length} units`, wordsOf(choice, picked, side.annotation.summary, stretches), SIDES[i].key);
    });
    const golds = picked.pyramid.summaries.map((text, index) => {
      const stretches = picked.units.flatMap((scu) =>
        stretchesOf(scu.contributors.filter((one) => one.summary_index === index), scu.scu_id));
      const count = Pyramids.unitsOf(picked.pyramid, index).size;
      return card(["Summary ", named(picked.pyramid.summarizer_ids[index])], `${count} units`, wordsOf(choice, picked, text, stretches));
    });
    return make("div", { class: "texts" }, cards, golds);
  }

  // -- the page --------------------------------------------------------------------------------

  function allOutputs() {
    return [...pyramids.values()].flatMap((pyramid) => [...candidates(pyramid).values()].map((side) => ({
      instance: pyramid.instance_id,
      system: side.annotation.summarizer_id,
      type: side.annotation.summarizer_type,
      value: Pyramids.scored(side.annotation, side.pyramid).modified,
    })));
  }

  function render(choice, _, scores) {
    const picked = chosen(choice);
    const names = [...picked.systems].map(([name, side]) => [name, side.label]);
    const go = (instance, system) => choice.set({ i: instance, s: system });
    return make("div", {},
      make("div", { class: "controls" },
        stepper(choice, "i", "Instance", picked.ids.map((id) => [id, id]), picked.instance),
        stepper(choice, "s", "Summary", [["-", "none"], ...names], picked.system ?? "-"),
        select(choice, "o", "Compare with", [["", "nothing"], ...names.filter(([name]) => name !== picked.system)], picked.other ?? "")),
      scoreTable(picked),
      make("div", { class: "pyramid" }, unitList(choice, picked), texts(choice, picked)),
      Interface.disagreement(choice, scores, { label: "modified pyramid score (this page)", outputs: async () => allOutputs() }, go));
  }

  const stepTo = (name, by) => (choice) => {
    const picked = chosen(choice);
    if (name === "i") return { i: neighbour(picked.ids, picked.instance, by), u: "" };
    if (name === "s") return { s: neighbour(["-", ...picked.systems.keys()], picked.system ?? "-", by) };
    const ids = picked.units.map((scu) => scu.scu_id);
    if (!picked.unit) return { u: ids.length ? ids[by > 0 ? 0 : ids.length - 1] : "" };
    return { u: neighbour(ids, picked.unit.scu_id, by) };
  };

  Interface.start({
    accepts: ["pyramid", "annotation"],
    wanted: "Drop files here: pyramids (pyramids.jsonl), annotations of summaries (pyramid-annotations.jsonl), and scores or judgements (metrics.jsonl). Nothing leaves this page.",
    defaults: { d: "0", dt: "peer" },
    take,
    isEmpty: () => !pyramids.size,
    render,
    keys: {
      ArrowLeft: stepTo("i", -1), ArrowRight: stepTo("i", 1), j: stepTo("s", 1), k: stepTo("s", -1),
      "[": stepTo("u", -1), "]": stepTo("u", 1), Escape: () => ({ u: "" }),
    },
  });
})();
