// The Porter stemmer in the variants of karat.text.porter: "1.5.5", "nltk" and "martin".
const Stems = (() => {
  const STEP_2 = [
    ["ational", "ate"], ["tional", "tion"], ["enci", "ence"], ["anci", "ance"], ["izer", "ize"],
    ["alli", "al"], ["entli", "ent"], ["eli", "e"], ["ousli", "ous"], ["ization", "ize"],
    ["ation", "ate"], ["ator", "ate"], ["alism", "al"], ["iveness", "ive"], ["fulness", "ful"],
    ["ousness", "ous"], ["aliti", "al"], ["iviti", "ive"], ["biliti", "ble"], ["bli", "ble"],
    ["logi", "log"],
  ];
  const STEP_3 = new Map([
    ["icate", "ic"], ["ative", ""], ["alize", "al"], ["iciti", "ic"], ["ical", "ic"], ["ful", ""],
    ["ness", ""],
  ]);
  const STEP_4 = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
  ];
  const IRREGULAR = new Map([
    ["skies", "sky"], ["sky", "sky"], ["dying", "die"], ["lying", "lie"], ["tying", "tie"],
    ["news", "news"], ["innings", "inning"], ["inning", "inning"], ["outings", "outing"],
    ["outing", "outing"], ["cannings", "canning"], ["canning", "canning"], ["howe", "howe"],
    ["proceed", "proceed"], ["exceed", "exceed"], ["succeed", "succeed"],
  ]);
  const STEP_2_MARTIN = new Map(STEP_2);
  const STEP_2_NLTK = new Map([...STEP_2, ["fulli", "ful"]]);
  const REMOVED = new Map([...STEP_4, "ion"].map((suffix) => [suffix, ""]));
  const REMOVED_155 = new Map(
    STEP_4.filter((suffix) => suffix !== "ment" && suffix !== "ent").map((suffix) => [suffix, ""]),
  );

  function longestSuffix(word, table) {
    for (let size = Math.min(7, word.length); size > 1; size--) {
      const suffix = word.slice(-size);
      if (table.has(suffix)) return suffix;
    }
    return null;
  }

  const endsIn = (word, ...suffixes) => suffixes.some((suffix) => word.endsWith(suffix));

  // -- 1.5.5 ----------------------------------------------------------------------

  const CONSONANTS = "[^aeiou][^aeiouy]*";
  const VOWELS = "[aeiouy][aeiou]*";
  const M_ABOVE_0 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
  const M_IS_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
  const M_ABOVE_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
  const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?[aeiouy]`);
  const SHORT = new RegExp(`^${CONSONANTS}[aeiouy][^aeiouwxy]$`);

  function stem155(whole) {
    let word = whole;
    if (word.length < 3) return word;
    // A capital letter is no vowel to the patterns, which is what an initial y needs.
    const initialY = word[0] === "y";
    if (initialY) word = `Y${word.slice(1)}`;
    word = inflection155(word);
    for (const table of [STEP_2_MARTIN, STEP_3]) {
      const suffix = longestSuffix(word, table);
      if (suffix && M_ABOVE_0.test(word.slice(0, -suffix.length))) {
        word = word.slice(0, -suffix.length) + table.get(suffix);
      }
    }
    word = derivation155(word);
    if (word.endsWith("e")) {
      const rest = word.slice(0, -1);
      if (M_ABOVE_1.test(rest) || (M_IS_1.test(rest) && !SHORT.test(rest))) word = rest;
    }
    if (word.endsWith("ll") && M_ABOVE_1.test(word)) word = word.slice(0, -1);
    return initialY ? `y${word.slice(1)}` : word;
  }

  function inflection155(whole) {
    let word = whole;
    if (endsIn(word, "sses", "ies")) word = word.slice(0, -2);
    else if (word.length > 1 && word.endsWith("s") && word.at(-2) !== "s") word = word.slice(0, -1);
    if (word.endsWith("eed")) {
      if (M_ABOVE_0.test(word.slice(0, -3))) word = word.slice(0, -1);
    } else if (endsIn(word, "ed", "ing")) {
      const rest = word.slice(0, word.endsWith("ed") ? -2 : -3);
      if (HAS_VOWEL.test(rest)) {
        const last = rest.at(-1);
        word = rest;
        if (endsIn(rest, "at", "bl", "iz")) word += "e";
        else if (rest.length > 1 && last === rest.at(-2) && !"aeiouylsz".includes(last)) {
          word = rest.slice(0, -1);
        } else if (SHORT.test(rest)) word += "e";
      }
    }
    if (word.endsWith("y") && HAS_VOWEL.test(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;
    return word;
  }

  // The fourth step, whose three parts apply one after the other.
  function derivation155(whole) {
    let word = whole;
    const suffix = longestSuffix(word, REMOVED_155);
    if (suffix && M_ABOVE_1.test(word.slice(0, -suffix.length))) {
      word = word.slice(0, -suffix.length);
    }
    if (word.endsWith("ment") && M_ABOVE_1.test(word.slice(0, -4))) word = word.slice(0, -4);
    if (word.endsWith("ent")) {
      if (M_ABOVE_1.test(word.slice(0, -3))) word = word.slice(0, -3);
    } else if (endsIn(word, "sion", "tion") && M_ABOVE_1.test(word.slice(0, -3))) {
      word = word.slice(0, -3);
    }
    return word;
  }

  // -- the published algorithm and its extensions ------------------------------------

  // One letter per letter: c for a consonant, v for a vowel; an initial y and a y after
  // a vowel are consonants.
  function shape(word) {
    let result = "";
    let previous = "v";
    for (const letter of word) {
      const vowel = "aeiou".includes(letter) || (letter === "y" && previous === "c");
      previous = vowel ? "v" : "c";
      result += previous;
    }
    return result;
  }

  const measure = (word) => shape(word).split("vc").length - 1;

  function isShort(word, nltk) {
    const letters = shape(word);
    if (letters.endsWith("cvc") && !"wxy".includes(word.at(-1))) return true;
    return nltk && letters === "vc";
  }

  function plural(word, nltk) {
    if (nltk && word.endsWith("ies") && word.length === 4) return word.slice(0, -1);
    if (endsIn(word, "sses", "ies")) return word.slice(0, -2);
    return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  }

  function past(word, nltk) {
    if (nltk && word.endsWith("ied")) return word.slice(0, word.length === 4 ? -1 : -2);
    if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
    for (const suffix of ["ed", "ing"]) {
      const rest = word.slice(0, -suffix.length);
      if (word.endsWith(suffix) && shape(rest).includes("v")) return mended(rest, nltk);
    }
    return word;
  }

  // Gives back what a removed -ed or -ing had changed.
  function mended(word, nltk) {
    if (endsIn(word, "at", "bl", "iz")) return `${word}e`;
    if (word.length > 1 && word.at(-1) === word.at(-2) && shape(word).endsWith("c")) {
      return "lsz".includes(word.at(-1)) ? word : word.slice(0, -1);
    }
    return measure(word) === 1 && isShort(word, nltk) ? `${word}e` : word;
  }

  function finalY(word, nltk) {
    if (!word.endsWith("y")) return word;
    const rest = word.slice(0, -1);
    const letters = shape(rest);
    const fits = nltk ? rest.length > 1 && letters.endsWith("c") : letters.includes("v");
    return fits ? `${rest}i` : word;
  }

  function doubleSuffix(word, nltk) {
    if (nltk && word.endsWith("alli") && measure(word.slice(0, -4)) > 0) {
      return doubleSuffix(word.slice(0, -2), nltk);
    }
    if (nltk && word.endsWith("logi")) {
      // Counted with the l, which is part of the stem.
      return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
    }
    return replaced(word, nltk ? STEP_2_NLTK : STEP_2_MARTIN);
  }

  function replaced(word, table) {
    const suffix = longestSuffix(word, table);
    if (!suffix || measure(word.slice(0, -suffix.length)) === 0) return word;
    return word.slice(0, -suffix.length) + table.get(suffix);
  }

  function removed(word) {
    const suffix = longestSuffix(word, REMOVED);
    if (!suffix) return word;
    const rest = word.slice(0, -suffix.length);
    const fits = suffix !== "ion" || endsIn(rest, "s", "t");
    return fits && measure(rest) > 1 ? rest : word;
  }

  function tidied(whole, nltk) {
    let word = whole;
    if (word.endsWith("e")) {
      const rest = word.slice(0, -1);
      const size = measure(rest);
      if (size > 1 || (size === 1 && !isShort(rest, nltk))) word = rest;
    }
    return word.endsWith("ll") && measure(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word;
  }

  function stemPublished(whole, nltk) {
    if (nltk && IRREGULAR.has(whole)) return IRREGULAR.get(whole);
    if (whole.length <= 2) return whole;
    let word = past(plural(whole, nltk), nltk);
    word = doubleSuffix(finalY(word, nltk), nltk);
    return tidied(removed(replaced(word, STEP_3)), nltk);
  }

  // Characters that take two places in a string stand as one while a word is stemmed.
  function narrowed(word, work) {
    const wide = [...new Set(word.match(/[\u{10000}-\u{10ffff}]/gu) ?? [])];
    if (!wide.length) return work(word);
    const stand = (i) => String.fromCharCode(0xe000 + i);
    let result = word;
    wide.forEach((letter, i) => { result = result.replaceAll(letter, stand(i)); });
    result = work(result);
    wide.forEach((letter, i) => { result = result.replaceAll(stand(i), letter); });
    return result;
  }

  function stem(word, variant) {
    const published = (each) => stemPublished(each, variant === "nltk");
    return narrowed(word, variant === "1.5.5" ? stem155 : published);
  }

  return { stem };
})();
