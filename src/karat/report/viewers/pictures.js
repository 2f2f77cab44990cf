// Views of the ROUGE viewer beyond marked words: graphs of n-grams, and alignments.
const Pictures = (() => {
  const { make, draw, named, card, SIDES, shown, table, select, number } = Interface;

  // -- graphs of character n-grams -------------------------------------------------------

  const visible = (gram) => gram.replaceAll(" ", "␣").replaceAll("\n", "⏎");

  function graph(choice, sides, golds, lists) {
    const options = { n: Math.max(1, choice.number("gn") ?? 3), window: Math.max(1, choice.number("gw") ?? 3) };
    const found = sides.map(({ summary }) =>
      NgramGraphs.scored(summary, golds.map((gold) => gold.text), options, lists));
    const names = ["AutoSummENG", "MeMoG", "NPowER"];
    const rows = [
      ...names.map((name) => ({ main: name === "NPowER", cells: [name, ...found.map((one) => shown(one.scores[name], 6))] })),
      ...golds.map((gold, k) => ({ cells: [["similarity to ", named(gold.name)], ...found.map((one) => shown(one.each[k], 6))] })),
    ];
    const against = choice.number("ga");
    const other = against !== null && golds[against] ? found[0].graphs[against] : found[0].model;
    const links = NgramGraphs.heaviest(found[0].own, other, found[0].names, 40);
    const choices = [["", "all references merged"], ...golds.map((gold, k) => [String(k), `reference ${gold.name}`])];
    return [
      make("div", { class: "controls" }, number(choice, "gn", "Characters", 1, 32), number(choice, "gw", "Window", 1, 1000),
        select(choice, "ga", "① against", choices, other === found[0].model ? "" : String(against))),
      table(["", ...sides.map(({ name }, i) => [`${SIDES[i].sign} `, named(name)])], rows, { id: "graph-scores" }),
      circle(links),
      make("ul", { class: "legend" }, [["common", "in both"], ["system", "only in ①"], ["gold", "only in the references"]].map(([name, text]) =>
        make("li", {}, draw("svg", { width: 34, height: 10, "aria-hidden": "true" }, draw("line", { class: name, x1: 0, x2: 34, y1: 5, y2: 5, "stroke-width": 2 })), ` ${text}`))),
      table(["from", "to", "weight in ①", "weight in the references"],
        links.map((link) => ({ cells: [visible(link.from), visible(link.to), String(link.system), link.gold.toFixed(3).replace(/\.?0+$/, "")] }))),
    ];
  }

  // The heaviest links, between n-grams on a circle.
  function circle(links) {
    const nodes = [...new Set(links.flatMap((link) => [link.from, link.to]))];
    const at = new Map(nodes.map((node, i) => {
      const angle = (2 * Math.PI * i) / nodes.length;
      return [node, { x: Math.cos(angle), y: Math.sin(angle) }];
    }));
    const x = (node, r = 240) => (340 + r * at.get(node).x).toFixed(1);
    const y = (node, r = 240) => (290 + r * at.get(node).y).toFixed(1);
    const most = Math.max(1, ...links.map((link) => Math.max(link.system, link.gold)));
    const lines = links.filter((link) => link.from !== link.to).map((link) => draw("line", {
      class: link.system && link.gold ? "common" : link.system ? "system" : "gold",
      x1: x(link.from), y1: y(link.from), x2: x(link.to), y2: y(link.to),
      "stroke-width": (0.8 + (4 * Math.max(link.system, link.gold)) / most).toFixed(2),
    }, draw("title", {}, `${visible(link.from)} – ${visible(link.to)}: ${link.system} in ①, ${link.gold} in the references`)));
    const labels = nodes.map((node) => draw("text", {
      x: x(node, 252), y: y(node, 252), "dominant-baseline": "middle",
      "text-anchor": at.get(node).x > 0.2 ? "start" : at.get(node).x < -0.2 ? "end" : "middle",
    }, visible(node)));
    return draw("svg", { class: "graph", viewBox: "0 0 680 580", role: "img", "aria-label": "the heaviest links between n-grams" }, lines, labels);
  }

  // -- alignments ------------------------------------------------------------------------

  function alignment(choice, sides, golds, lists) {
    const place = golds[choice.number("ar")] ? choice.number("ar") : 0;
    const found = sides.map(({ summary }) => golds.map((gold) => Alignment.aligned(summary, gold.text, lists)));
    const parts = ["precision", "recall", "fmean", "penalty", "score"];
    const rows = sides.flatMap(({ name }, s) => golds.map((gold, k) => {
      const one = found[s][k];
      return {
        main: k === place,
        cells: [[`${SIDES[s].sign} `, named(name), ", reference ", named(gold.name)], ...parts.map((part) => shown(one[part], 6)), String(one.matches), String(one.chunks)],
      };
    }));
    return [
      make("p", { class: "dim" }, "METEOR by equal words and Porter stems (the engine “native”, without synonyms); an item's score is the mean over its references."),
      table(["", "precision", "recall", "F mean", "penalty", "METEOR", "matches", "chunks"], rows, { id: "alignment-scores" }),
      make("div", { class: "controls" }, select(choice, "ar", "Shown against", golds.map((gold, k) => [String(k), `reference ${gold.name}`]), String(place))),
      make("ul", { class: "legend" }, [["exact", "the same word"], ["stem", "the same stem"]].map(([name, text]) =>
        make("li", {}, draw("svg", { width: 34, height: 10, "aria-hidden": "true" }, draw("line", { class: name, x1: 0, x2: 34, y1: 5, y2: 5 })), ` ${text}`))),
      make("div", { class: "texts" }, found.map((each, s) => card([`${SIDES[s].sign} `, named(sides[s].name)], ["and reference ", named(golds[place].name)], columns(each[place]), SIDES[s].key))),
    ];
  }

  // The words of both texts below each other, and lines between those that match.
  function columns({ ours, theirs, places }) {
    const height = 18;
    const y = (i) => height * (i + 1);
    const matched = new Set(places.filter(Boolean).map(({ place }) => place));
    const word = (token, i, right, alone) =>
      draw("text", { x: right ? 270 : 130, y: y(i) + 4, "text-anchor": right ? "start" : "end", class: alone ? "alone" : null }, token.text);
    return draw("svg", { class: "alignment", viewBox: `0 0 400 ${height * (Math.max(ours.length, theirs.length) + 1)}`, role: "img", "aria-label": "words that match" },
      places.map((found, i) => found && draw("line", { class: Alignment.STAGES[found.stage], x1: 136, x2: 264, y1: y(i), y2: y(found.place) })),
      ours.map((token, i) => word(token, i, false, !places[i])),
      theirs.map((token, i) => word(token, i, true, !matched.has(i))));
  }

  return { graph, alignment };
})();
