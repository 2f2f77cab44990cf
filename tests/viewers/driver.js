// Runs after the engine: answers the jobs that come as JSON on standard input.
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const lists = JSON.parse(await new Response(stream).text());
  return {
    ...lists,
    stopwords: new Set(lists.stopwords),
    folds: new Map(Object.entries(lists.folds)),
    irregular: new Map(lists.irregular.split("\n").map((line) => line.split("\t"))),
  };
}

const answers = {
  stem: ({ words, variant }) => words.map((word) => Stems.stem(word, variant)),
  round: ({ values }) => values.map(Rouge.round5),
  rouge({ system, references, options }, lists) {
    const read = Reading.reader(options, lists);
    const [ours, ...theirs] = [system, ...references].map(read);
    return Object.fromEntries(Rouge.measures(options).map((measure) => {
      const { recall, precision, f } = Rouge.scored(measure, ours, theirs, options, lists);
      return [measure.name, [recall, precision, f]];
    }));
  },
  counts({ system, reference, options }, lists) {
    const read = Reading.reader(options, lists);
    const [ours, theirs] = [system, reference].map(read);
    return Object.fromEntries(Rouge.measures(options).map((measure) => {
      const { each } = Rouge.scored(measure, ours, [theirs], options, lists);
      const marks = Rouge.marks(measure, ours, theirs, lists);
      const matched = [...marks.gold].filter(([, mark]) => mark === "matched").map(([place]) => place);
      return [measure.name, { ...each[0], matched, tokens: theirs.sentences }];
    }));
  },
  places: ({ text, options }, lists) => {
    const { units, lines } = Reading.reader(options, lists)(text);
    return lines.map((line, i) => line.map(({ start, end, raw }) => [units[i].slice(start, end), raw]));
  },
  graphs: ({ system, references, options }, lists) =>
    NgramGraphs.scored(system, references, options, lists).scores,
  alignment({ system, reference }, lists) {
    const found = Alignment.aligned(system, reference, lists);
    return {
      ours: found.ours.map((word) => word.text),
      places: found.places.map((one) => (one ? [one.place, Alignment.STAGES[one.stage]] : null)),
      figures: [found.precision, found.recall, found.fmean, found.penalty, found.score],
    };
  },
  pyramid({ annotation, pyramid }) {
    const { modified, original } = Pyramids.scored(annotation, pyramid);
    return [modified, original];
  },
  reference({ pyramid, index }) {
    const { modified, original } =
      Pyramids.scored(Pyramids.annotationOf(pyramid, index), Pyramids.without(pyramid, index));
    return [modified, original];
  },
  segments: ({ text, stretches }) => Pyramids.segments(text, stretches),
  parsed: ({ content }) => Records.parsed(content, "file"),
  disagreements: ({ outputs }) => Records.disagreements(outputs),
};

(async () => {
  let input = "";
  for await (const part of process.stdin) input += part;
  const { packed, jobs } = JSON.parse(input);
  const lists = await unpacked(packed);
  const results = jobs.map(({ kind, ...job }) => answers[kind](job, lists));
  process.stdout.write(JSON.stringify(results));
})();
