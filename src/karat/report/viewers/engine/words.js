// Words of any script, as karat.text.words finds them: Unicode's word boundaries, without
// regard to case; characters of scripts without blanks are words of their own.
const Words = (() => {
  const RANGES = [
    [0x0e00, 0x0eff], [0x1000, 0x109f], [0x1780, 0x17ff], [0x2e80, 0x2fff], [0x3005, 0x3007],
    [0x3021, 0x3029], [0x3031, 0x30ff], [0x3100, 0x312f], [0x31a0, 0x31ff], [0x3400, 0x4dbf],
    [0x4e00, 0x9fff], [0xf900, 0xfaff], [0xff66, 0xff9f], [0x1aff0, 0x1b16f], [0x20000, 0x323af],
  ];
  const code = (value) => `\\u{${value.toString(16)}}`;
  const listed = (text) => [...text].map((letter) => code(letter.codePointAt(0))).join("");
  const NO_BLANKS = `(?:(?=[\\p{L}\\p{N}])[${RANGES.map(([low, high]) => `${code(low)}-${code(high)}`).join("")}])`;
  const LETTER = `(?:(?!${NO_BLANKS})[\\p{L}\\p{Nl}\\p{No}])`;
  const DIGIT = `(?:(?!${NO_BLANKS})\\p{Nd})`;
  const EXTEND = "[\\p{M}\\u{200d}]*";
  const MID_LETTER = `[${listed("':·.’‘․‧︓﹕：﹒＇．՟״")}]`;
  const MID_NUMBER = `[${listed("',.;’․،؍٬߸⁄︐︔﹐﹔，；")}]`;
  const bridge = (side, middle) => `(?<=${side}|\\p{M})${middle}${EXTEND}(?=${side})`;
  const WORD = new RegExp(
    `${NO_BLANKS}${EXTEND}|(?:${LETTER}|${DIGIT})${EXTEND}(?:(?:${LETTER}|${DIGIT}|\\p{Pc})${EXTEND}`
      + `|${bridge(LETTER, MID_LETTER)}|${bridge(DIGIT, MID_NUMBER)})*`,
    "gu",
  );

  const composed = (text) => text.normalize("NFC");

  function folded(text, folds) {
    let result = "";
    for (const letter of composed(text)) result += folds.get(letter) ?? letter;
    return composed(result);
  }

  // The words of a line, each with its place, and the line that the places are in: the one
  // given, or what it counts as where that cannot be laid over it letter by letter.
  function words(line, folds) {
    const whole = folded(line, folds);
    const starts = [];
    const ends = [];
    let place = 0;
    let laid = "";
    for (const [cluster] of line.matchAll(/\P{M}?\p{M}*/gu)) {
      const one = folded(cluster, folds);
      for (let i = 0; i < one.length; i++) {
        starts.push(place);
        ends.push(place + cluster.length);
      }
      laid += one;
      place += cluster.length;
    }
    const fits = laid === whole;
    const tokens = [...whole.matchAll(WORD)].map(({ 0: raw, index }) => ({
      raw,
      start: fits ? starts[index] : index,
      end: fits ? ends[index + raw.length - 1] : index + raw.length,
    }));
    return { line: fits ? line : whole, tokens };
  }

  return { words };
})();
