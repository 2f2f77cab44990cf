// How the profiles of ROUGE read a text: lines, length limits, tokens, stems. Tokens keep
// their places in the line, so that a page can mark them.
const Reading = (() => {
  const PERL_SPACE = /[ \t\n\r\f\v]+/g;

  const sentences = (text) => (typeof text === "string" ? [text] : text);

  // The units that sentence-wise measures see; a page shows each as a line.
  const units = (text) => sentences(text).flatMap((unit) => unit.split("\n")).filter(Boolean);

  // Where the words of a line end, as Perl's split sees them: a blank at the beginning gives
  // an empty word.
  function wordEnds(line) {
    const ends = [];
    let begin = 0;
    for (const gap of line.matchAll(PERL_SPACE)) {
      if (gap.index > begin || begin === 0) ends.push(gap.index);
      begin = gap.index + gap[0].length;
    }
    if (begin < line.length) ends.push(line.length);
    else if (!line.replace(PERL_SPACE, "")) return [];
    return ends;
  }

  function byteSize(line) {
    let size = 0;
    for (const letter of line) size += byteLength(letter.codePointAt(0));
    return size;
  }

  // A lone surrogate is written as one question mark.
  const byteLength = (code) =>
    code < 0x80 || (code >= 0xd800 && code < 0xe000) ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

  // The longest beginning of a line that fits in so many bytes.
  function cutBytes(line, limit) {
    let size = 0;
    let end = 0;
    for (const letter of line) {
      size += byteLength(letter.codePointAt(0));
      if (size > limit) break;
      end += letter.length;
    }
    return line.slice(0, end);
  }

  // The lines up to the limit of words or bytes; the last one may be cut.
  function cut(lines, { maxWords, maxBytes }, accumulate) {
    const result = [];
    let used = 0;
    for (const line of lines) {
      const ends = maxWords ? wordEnds(line) : null;
      const size = ends ? ends.length : byteSize(line);
      const limit = maxWords || maxBytes;
      if (used + size >= limit) {
        const rest = limit - used;
        if (!ends) result.push(cutBytes(line, rest));
        else result.push(line.slice(0, rest > 0 && ends.length ? ends[Math.min(rest, ends.length) - 1] : 0));
        break;
      }
      result.push(line);
      used += accumulate ? size : 0;
    }
    return result;
  }

  // What a pattern finds in a line in lower case, with its place in the line as it was: a
  // letter in lower case may be two.
  function foundInLower(line, pattern) {
    const starts = [];
    const ends = [];
    let place = 0;
    for (const letter of line) {
      for (let i = letter.toLowerCase().length; i > 0; i--) {
        starts.push(place);
        ends.push(place + letter.length);
      }
      place += letter.length;
    }
    return [...line.toLowerCase().matchAll(pattern)].map(({ 0: text, index }) => (
      { text, start: starts[index], end: ends[index + text.length - 1] }));
  }

  function rawTokens(line, profile) {
    if (profile === "google") {
      return foundInLower(line, /[a-z0-9]+/g).map(({ text, ...place }) => ({ raw: text, ...place }));
    }
    return [...line.matchAll(/[A-Za-z0-9]+/g)].map((found) => ({
      raw: found[0].toLowerCase(),
      start: found.index,
      end: found.index + found[0].length,
    }));
  }

  // A reader by the options of a metric: profile, stemming, stopwords, maxWords, maxBytes.
  // `lists` has the stop words and the irregular forms.
  function reader(options, lists) {
    const stems = new Map();
    function normalized(raw) {
      if (options.stopwords && lists.stopwords.has(raw)) return null;
      if (!options.stemming || options.profile === "unicode" || raw.length <= 3) return raw;
      let stem = stems.get(raw);
      if (stem === undefined) {
        if (options.profile === "google") stem = Stems.stem(raw, "nltk");
        else stem = lists.irregular.get(raw) ?? Stems.stem(raw, "1.5.5");
        stems.set(raw, stem);
      }
      return stem;
    }
    function lines(text, sentenceWise) {
      let given = units(text);
      if (options.maxWords || options.maxBytes) {
        const differ = options.profile === "1.5.5" && options.maxBytes;
        given = cut(given, options, !(sentenceWise && differ));
      }
      return given.map((line) => {
        const found = options.profile === "unicode"
          ? Words.words(line, lists.folds)
          : { line, tokens: rawTokens(line, options.profile) };
        const tokens = found.tokens.map((token) => ({ ...token, text: normalized(token.raw) }))
          .filter((token) => token.text !== null);
        if (found.line !== line) tokens.shown = found.line;
        return tokens;
      });
    }
    // A text as the measures take it: its tokens, and its tokens by sentence.
    return (text) => {
      const whole = lines(text, false);
      const bySentence = options.maxBytes ? lines(text, true) : whole;
      return {
        units: units(text).map((unit, i) => whole[i]?.shown ?? unit),
        lines: whole,
        sentenceLines: bySentence,
        tokens: whole.flat().map((token) => token.text),
        sentences: bySentence.map((line) => line.map((token) => token.text)),
      };
    };
  }

  // How many letters a text has, and how many of them an ASCII profile drops.
  function letters(text) {
    let total = 0;
    let dropped = 0;
    for (const unit of sentences(text)) {
      total += (unit.match(/\p{L}/gu) ?? []).length;
      dropped += (unit.match(/(?![A-Za-z])\p{L}/gu) ?? []).length;
    }
    return { total, dropped };
  }

  return { reader, units, sentences, foundInLower, letters };
})();
