// Files of JSON lines that are dropped on a page: summaries, pyramids, annotations, scores;
// and where two scores disagree.
const Records = (() => {
  const TEXTS = ["summary", "text", "hypothesis", "prediction", "system"];
  const DEEPEST = 100;

  class Unfit extends Error {}

  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

  function firstOf(record, names) {
    for (const name of names) {
      if (Object.hasOwn(record, name) && record[name] !== null) return { name, value: record[name] };
    }
    return null;
  }

  function idOf(record, names) {
    const found = firstOf(record, names);
    if (!found) return null;
    if (typeof found.value !== "string" && !Number.isInteger(found.value)) {
      throw new Unfit(`$.${found.name} must be a string`);
    }
    return String(found.value);
  }

  function textOf(path, given) {
    const value = isObject(given) ? given.text : given;
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
    throw new Unfit(`$.${path} must be a string or a list of strings`);
  }

  function referencesOf(record) {
    const found = firstOf(record, ["references", "reference", "gold", "target"]);
    if (!found) return [];
    const many = found.name === "references";
    if (many && !Array.isArray(found.value)) throw new Unfit("$.references must be a list");
    return (many ? found.value : [found.value]).map((given, i) => ({
      name: isObject(given) && given.summarizer_id != null ? String(given.summarizer_id) : String(i + 1),
      text: textOf(found.name, given),
    }));
  }

  function whose(record, line) {
    return {
      instance: idOf(record, ["instance_id", "id"]) ?? `line ${line}`,
      system: idOf(record, ["summarizer_id"]) ?? "",
      type: record.summarizer_type === "reference" ? "reference" : "peer",
    };
  }

  const lists = (value, path) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw new Unfit(`$.${path} must be a list`);
    return value;
  };

  const stringOf = (value, path) => {
    if (typeof value !== "string") throw new Unfit(`$.${path} must be a string`);
    return value;
  };

  function contributorOf(given, summaries) {
    const parts = lists(given.parts, "scus.contributors.parts").map((part) => {
      if (!Number.isInteger(part.start) || !Number.isInteger(part.end)) throw new Unfit("a part has no start or end");
      return { text: stringOf(part.text, "text"), start: part.start, end: part.end };
    });
    const contributor = { label: stringOf(given.label ?? "", "label"), parts };
    if (summaries === null) return contributor;
    const index = given.summary_index;
    if (!Number.isInteger(index) || index < 0 || index >= summaries) {
      throw new Unfit(`a contributor has summary_index ${index}, there are ${summaries} summaries`);
    }
    return { ...contributor, summary_index: index };
  }

  function scusOf(record, summaries) {
    return lists(record.scus, "scus").map((scu) => {
      if (!isObject(scu) || !Number.isInteger(scu.scu_id)) throw new Unfit("an SCU has no scu_id");
      const contributors = lists(scu.contributors, "scus.contributors");
      return {
        scu_id: scu.scu_id,
        label: stringOf(scu.label ?? "", "label"),
        contributors: contributors.map((given) => contributorOf(given, summaries)),
      };
    });
  }

  function pyramidOf(record, line) {
    const summaries = lists(record.summaries, "summaries").map((text) => stringOf(text, "summaries"));
    const names = lists(record.summarizer_ids, "summarizer_ids").map(String);
    if (names.length !== summaries.length) {
      throw new Unfit(`${summaries.length} summaries have ${names.length} summarizer_ids`);
    }
    return {
      instance_id: whose(record, line).instance,
      summaries,
      summarizer_ids: names,
      scus: scusOf(record, summaries.length),
    };
  }

  function annotationOf(record, line) {
    const { instance, system, type } = whose(record, line);
    const summary = stringOf(record.summary ?? "", "summary");
    return { instance_id: instance, summarizer_id: system, summarizer_type: type, summary, scus: scusOf(record, null) };
  }

  // The exact sum, rounded once (Shewchuk).
  function exactSum(values) {
    const partials = [];
    for (const value of values) {
      let x = value;
      let kept = 0;
      for (let y of partials.slice()) {
        if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
        const high = x + y;
        const low = y - (high - x);
        if (low) partials[kept++] = low;
        x = high;
      }
      partials.length = kept;
      partials.push(x);
    }
    return partials.reduceRight((sum, part) => sum + part, 0);
  }

  function numberOf(name, given) {
    let value = given;
    if (Array.isArray(value)) {
      const there = value.filter((each) => each !== null);
      if (there.some((each) => typeof each !== "number")) throw new Unfit(`the score ${name} must be a number`);
      value = there.length ? exactSum(there) / there.length : null;
    }
    if (value !== null && typeof value !== "number") throw new Unfit(`the score ${name} must be a number`);
    return value;
  }

  // For each name at the top, flat names, joined by _, over numbers; lists count by their
  // mean, null is absent.
  function flatScores(metrics) {
    const result = {};
    for (const [top, whole] of Object.entries(metrics)) {
      const scores = {};
      const waiting = [[top, whole, 0]];
      while (waiting.length) {
        const [name, given, depth] = waiting.pop();
        if (isObject(given)) {
          if (depth > DEEPEST) throw new Unfit("the metrics are nested too deeply");
          const inner = Object.entries(given).map(([key, value]) => [`${name}_${key}`, value, depth + 1]);
          waiting.push(...inner.reverse());
          continue;
        }
        const value = numberOf(name, given);
        if (value !== null) scores[name] = value;
      }
      result[top] = scores;
    }
    return result;
  }

  // What a line holds: {kind, value}.
  function recordOf(record, line) {
    if (!isObject(record)) throw new Unfit("expected a JSON object");
    if (isObject(record.metrics)) {
      const { instance, system, type } = whose(record, line);
      return { kind: "scores", value: { instance, system, type, scores: flatScores(record.metrics) } };
    }
    if (Object.hasOwn(record, "scus")) {
      return Object.hasOwn(record, "summaries")
        ? { kind: "pyramid", value: pyramidOf(record, line) }
        : { kind: "annotation", value: annotationOf(record, line) };
    }
    const found = firstOf(record, TEXTS);
    if (!found) throw new Unfit("there is no text");
    const summary = textOf(found.name, found.value);
    return { kind: "summary", value: { ...whose(record, line), summary, references: referencesOf(record) } };
  }

  // The records of a file, or an error that names its line.
  function parsed(content, file) {
    const result = [];
    content.split("\n").forEach((text, i) => {
      if (!text.trim()) return;
      try {
        result.push(recordOf(JSON.parse(text), i + 1));
      } catch (error) {
        throw new Unfit(`${file}:${i + 1}: ${error.message}`);
      }
    });
    return result;
  }

  // Ranks from 0 to 1; equal values share the mean of their ranks.
  function ranks(values) {
    const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
    const result = new Array(values.length);
    for (let first = 0; first < order.length;) {
      let last = first;
      while (last + 1 < order.length && values[order[last + 1]] === values[order[first]]) last += 1;
      const rank = values.length > 1 ? (first + last) / 2 / (values.length - 1) : 0.5;
      for (let i = first; i <= last; i++) result[order[i]] = rank;
      first = last + 1;
    }
    return result;
  }

  // Outputs [{metric, judgement, …}] with the difference of their ranks, the largest first.
  function disagreements(outputs) {
    const metric = ranks(outputs.map((one) => one.metric));
    const judgement = ranks(outputs.map((one) => one.judgement));
    return outputs.map((one, i) => ({ ...one, difference: metric[i] - judgement[i] }))
      .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  }

  return { parsed, flatScores, disagreements, ranks, Unfit };
})();
