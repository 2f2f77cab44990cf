// What differs inside terms.

/** The tokens of a term that differ from those of its partner. */
export function differingTokens(one: string, other: string): [string, boolean][] {
  const a = one.split(" ");
  const b = other.split(" ");
  if (a.length === b.length) return a.map((token, i) => [token, token !== b[i]]);
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return a.map((token, i) => [token, i >= begin && i < a.length - end]);
}
