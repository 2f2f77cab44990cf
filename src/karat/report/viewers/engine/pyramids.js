// Pyramids and their score, as karat.text.pyramids and karat.text.metrics.pyramid have them.
const Pyramids = (() => {
  const weightOf = (scu) => new Set(scu.contributors.map((one) => one.summary_index)).size;

  // The units that a summary of the pyramid contributes to.
  const unitsOf = (pyramid, index) => new Set(
    pyramid.scus.filter((scu) => scu.contributors.some((one) => one.summary_index === index))
      .map((scu) => scu.scu_id),
  );

  // The pyramid of the other summaries; units that only this one made are gone.
  function without(pyramid, index) {
    const rest = (list) => list.filter((_, i) => i !== index);
    const scus = pyramid.scus.map((scu) => ({
      ...scu,
      contributors: scu.contributors
        .filter((one) => one.summary_index !== index)
        .map((one) => ({ ...one, summary_index: one.summary_index - (one.summary_index > index ? 1 : 0) })),
    })).filter((scu) => scu.contributors.length);
    return { ...pyramid, summaries: rest(pyramid.summaries), summarizer_ids: rest(pyramid.summarizer_ids), scus };
  }

  // A summary of the pyramid as if it had been annotated like a peer.
  function annotationOf(pyramid, index) {
    const own = (scu) => scu.contributors.filter((one) => one.summary_index === index);
    return {
      instance_id: pyramid.instance_id,
      summarizer_id: pyramid.summarizer_ids[index],
      summarizer_type: "reference",
      summary: pyramid.summaries[index],
      scus: pyramid.scus.map((scu) => ({ scu_id: scu.scu_id, label: scu.label, contributors: own(scu) }))
        .filter((scu) => scu.contributors.length),
    };
  }

  // The scores of an annotation and what they are made of; null where nothing can be scored.
  function scored(annotation, pyramid) {
    const weights = new Map(pyramid.scus.map((scu) => [scu.scu_id, weightOf(scu)]));
    const annotated = annotation.scus.map((scu) => scu.scu_id).filter((unit) => weights.has(unit));
    const units = [...new Set(annotated)];
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const weight = sum(units.map((unit) => weights.get(unit)));
    const ranked = [...weights.values()].sort((a, b) => b - a);
    const size = pyramid.summaries.length;
    const contributed = sum(pyramid.summaries.map((_, index) => unitsOf(pyramid, index).size));
    const average = size ? Math.ceil(contributed / size) : 0;
    const best = sum(ranked.slice(0, average));
    const ownBest = sum(ranked.slice(0, units.length));
    const known = { weight, best, ownBest, average, units, repeated: annotated.length - units.length };
    if (best === 0) return { ...known, modified: null, original: null };
    return { ...known, modified: weight / best, original: ownBest ? weight / ownBest : 0 };
  }

  // Places in a text are counted in characters; strings count some characters twice.
  function placesIn(text) {
    if (!/[\ud800-\udfff]/.test(text)) return (place) => Math.min(Math.max(place, 0), text.length);
    const places = [];
    let place = 0;
    for (const letter of text) {
      places.push(place);
      place += letter.length;
    }
    places.push(place);
    return (wanted) => places[Math.min(Math.max(wanted, 0), places.length - 1)];
  }

  // A text cut where marked stretches begin or end: [{text, keys}].
  function segments(text, stretches) {
    const at = placesIn(text);
    const spans = stretches.map(({ start, end, key }) => ({ start: at(start), end: at(end), key }))
      .filter(({ start, end }) => start < end);
    const cuts = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])]
      .sort((a, b) => a - b);
    const result = [];
    for (let i = 0; i + 1 < cuts.length; i++) {
      const keys = spans.filter(({ start, end }) => start <= cuts[i] && end >= cuts[i + 1]).map(({ key }) => key);
      result.push({ text: text.slice(cuts[i], cuts[i + 1]), keys: [...new Set(keys)] });
    }
    return result;
  }

  return { weightOf, unitsOf, without, annotationOf, scored, segments };
})();
