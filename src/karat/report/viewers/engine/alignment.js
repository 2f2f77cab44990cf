// The alignment of words by form and stem of karat's native METEOR, and its score.
const Alignment = (() => {
  const WIDTH = 40;
  const MOST_STEPS = 2e7;
  const STAGES = ["exact", "stem"];
  const WEIGHTS = [1.0, 0.6];
  const [ALPHA, BETA, GAMMA, DELTA] = [0.85, 0.2, 0.6, 0.75];
  const SPACE = " \\t\\n\\r\\f\\v\\x1c-\\x1f\\x85\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const TOKEN = new RegExp(`[\\p{L}\\p{N}_]+|[^\\p{L}\\p{N}_${SPACE}]`, "gu");

  // Words and marks in lower case, each with its place in the text.
  const tokens = (text) => Reading.foundInLower(text, TOKEN);

  const joined = (text) => Reading.sentences(text).join(" ");

  function candidatesOf(ours, theirs, stems) {
    if (ours.length * theirs.length > MOST_STEPS) throw new Rouge.TooLong("the texts are too long to be aligned");
    const each = ours.map((word) => {
      const found = [];
      theirs.forEach((other, place) => {
        if (word === other) found.push({ place, stage: 0 });
        else if (stems.get(word) === stems.get(other)) found.push({ place, stage: 1 });
      });
      return found;
    });
    if (each.flat().length * WIDTH > MOST_STEPS) throw new Rouge.TooLong("the texts are too long to be aligned");
    return each;
  }

  function better(a, b) {
    return b.matches - a.matches || a.chunks - b.chunks || a.distance - b.distance
      || a.candidate - b.candidate || a.rank - b.rank;
  }

  // As many matches as possible, then as few chunks, then as little movement: a beam search
  // from left to right. The place and stage of each word, or null.
  function search(ours, theirs, stems) {
    const candidates = candidatesOf(ours, theirs, stems);
    const rivals = new Map();
    for (const { place } of candidates.flat()) rivals.set(place, (rivals.get(place) ?? 0) + 1);
    let states = [{ matches: 0, chunks: 0, distance: 0, last: -2, rank: 0, used: new Set(), chosen: null, parent: null }];
    let number = 0;
    candidates.forEach((found, i) => {
      const next = [];
      // Two words that can only match each other do so in every best alignment.
      const forced = found.length === 1 && rivals.get(found[0].place) === 1;
      for (const state of states) {
        if (!forced) next.push({ ...state, last: -2, candidate: -1, chosen: null, parent: state });
        found.forEach((choice, c) => {
          if (state.used.has(choice.place)) return;
          next.push({
            ...state,
            matches: state.matches + 1,
            chunks: state.chunks + (choice.place !== state.last + 1 || state.last < 0 ? 1 : 0),
            distance: state.distance + Math.abs(i - choice.place),
            last: choice.place,
            candidate: number + c,
            chosen: choice,
            parent: state,
          });
        });
      }
      number += found.length;
      next.sort(better);
      states = next.slice(0, WIDTH);
      states.forEach((state, rank) => {
        state.rank = rank;
        if (state.chosen) state.used = new Set(state.used).add(state.chosen.place);
      });
    });
    const result = [];
    for (let state = states[0]; state.parent; state = state.parent) result.push(state.chosen);
    return result.reverse();
  }

  function chunksOf(places) {
    let count = 0;
    let previous = -2;
    for (const found of places) {
      const place = found ? found.place : -1;
      if (place >= 0 && !(previous >= 0 && place === previous + 1)) count += 1;
      previous = place;
    }
    return count;
  }

  // The alignment of two texts, the counts behind it and its figures.
  function aligned(system, gold, lists) {
    const ours = tokens(joined(system));
    const theirs = tokens(joined(gold));
    const stems = new Map();
    for (const { text } of [...ours, ...theirs]) {
      if (!stems.has(text)) stems.set(text, Stems.stem(text, "martin"));
    }
    const places = search(ours.map((word) => word.text), theirs.map((word) => word.text), stems);
    // Marks count as function words.
    const isFunction = (word) =>
      lists.stopwords.has(word.text) || !/^[\p{L}\p{N}_]/u.test(word.text);
    const matched = [0, 1].map(() => ({ content: [0, 0], function: [0, 0] }));
    let matches = 0;
    places.forEach((found, i) => {
      if (!found) return;
      matches += 1;
      const counts = matched[found.stage];
      counts[isFunction(ours[i]) ? "function" : "content"][0] += 1;
      counts[isFunction(theirs[found.place]) ? "function" : "content"][1] += 1;
    });
    const chunks = chunksOf(places);
    const sides = [ours, theirs].map((words, side) => {
      const functions = words.filter(isFunction).length;
      let hits = 0;
      WEIGHTS.forEach((weight, stage) => {
        const { content, function: rest } = matched[stage];
        hits += weight * (DELTA * content[side] + (1 - DELTA) * rest[side]);
      });
      return Rouge.ratio(hits, DELTA * (words.length - functions) + (1 - DELTA) * functions);
    });
    const [precision, recall] = sides;
    const fmean = Rouge.ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall);
    // One chunk that is all of both sides has no order to get wrong.
    const whole = matches === ours.length && matches === theirs.length && chunks === 1;
    const fragmentation = whole ? 0 : Rouge.ratio(chunks, (matches + matches) / 2);
    const penalty = GAMMA * Math.pow(fragmentation, BETA);
    const score = fmean * (1 - penalty);
    return { ours, theirs, places, matches, chunks, precision, recall, fmean, penalty, score };
  }

  return { aligned, tokens, joined, STAGES };
})();
