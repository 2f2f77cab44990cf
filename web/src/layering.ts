// Layered layout, as karat/drawing/layering.py has it: the same places for the same graph.
const GAP = 20;
const SPACE = 16;
const SWEEPS = 12;
const STEPS = 30;
/** Up to how many places all sweeps and steps are made, and how many bends there are. */
const MANY = 20_000;

export interface Place {
  /** The width of its box, where loops beside it make the place wider. */
  box?: number;
  rank: number;
  width: number;
  height: number;
  bend: boolean;
  x: number;
  y: number;
}
export type Ends = [source: number, target: number];

/** Math.max for any number of values: a call has room for some ten thousand. */
export const most = (values: number[], least = -Infinity): number => values.reduce((a, b) => Math.max(a, b), least);
const effort = (all: number, places: number): number => (places <= MANY ? all : Math.max(2, Math.floor((all * MANY) / places)));

/** The edges that bend in each layer that they pass: the shortest, as many as bends allow. Others run straight. */
export function bent(spans: number[]): Set<number> {
  let left = MANY - spans.reduce((a, b) => a + b, 0);
  const all = [...spans.keys()];
  if (left >= 0) return new Set(all);
  const found = new Set<number>();
  left = MANY;
  for (const i of all.sort((a, b) => spans[a]! - spans[b]!)) {
    left -= spans[i]!;
    if (left < 0 && spans[i]! > 2) break;
    found.add(i);
  }
  return found;
}

/** The edges to turn around so that no cycle is left: those that lead back in a walk. */
export function backEdges(count: number, edges: Ends[], tops: number[]): Set<number> {
  const out: Ends[][] = Array.from({ length: count }, () => []);
  const entered = new Array<number>(count).fill(0);
  edges.forEach(([source, target], i) => {
    out[source]!.push([i, target]);
    entered[target]! += 1;
  });
  const back = new Set<number>();
  const state = new Array<number>(count).fill(0);
  const all = entered.map((_, i) => i);
  for (const root of [...tops, ...all.filter((i) => !entered[i]), ...all]) {
    if (state[root]) continue;
    state[root] = 1;
    const stack: Ends[] = [[root, 0]];
    while (stack.length) {
      const top = stack.at(-1)!;
      const step = out[top[0]]![top[1]];
      top[1] += 1;
      if (!step) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[step[1]] === 1) back.add(step[0]);
      else if (!state[step[1]]) {
        state[step[1]] = 1;
        stack.push([step[1], 0]);
      }
    }
  }
  return back;
}

/** The layer of each node: below all that lead to it, roots just above what they lead to. */
export function ranksOf(count: number, down: Ends[]): number[] {
  const out: number[][] = Array.from({ length: count }, () => []);
  const waiting = new Array<number>(count).fill(0);
  for (const [source, target] of down) {
    out[source]!.push(target);
    waiting[target]! += 1;
  }
  const ranks = new Array<number>(count).fill(0);
  const isRoot = waiting.map((number) => !number);
  const queue = ranks.map((_, i) => i).filter((i) => isRoot[i]);
  const order: number[] = [];
  while (queue.length) {
    const node = queue.pop()!;
    order.push(node);
    for (const target of out[node]!) {
      ranks[target] = Math.max(ranks[target]!, ranks[node]! + 1);
      waiting[target]! -= 1;
      if (!waiting[target]) queue.push(target);
    }
  }
  for (const node of order) {
    if (isRoot[node] && out[node]!.length) ranks[node] = -most(out[node]!.map((target) => -ranks[target]!)) - 1;
  }
  const lowest = -most(ranks.map((rank) => -rank));
  return ranks.map((rank) => rank - lowest);
}

const mean = (values: number[], fallback: number): number => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : fallback);

/** Where each place stands in the text: by its words, or in the middle of those below it; null where most that nothing is below are no words. */
function middlesOf(places: Place[], above: number[][], below: number[][], reading: number[]): number[] | null {
  const ends = (nodes: number[]): number => nodes.filter((node) => !below[node]!.length).length;
  if (2 * ends(reading) < Math.max(1, ends([...below.keys()]))) return null;
  const middles = new Map(reading.map((node, i): Ends => [node, i]));
  const order = places.map((_, i) => i).sort((a, b) => places[a]!.rank - places[b]!.rank);
  // What has no words below stands where that above it does.
  for (const [nodes, neighbours] of [[[...order].reverse(), below], [order, above]] as const) {
    for (const node of nodes) {
      const known = neighbours[node]!.flatMap((each) => middles.get(each) ?? []);
      if (!middles.has(node) && known.length) middles.set(node, mean(known, 0));
    }
  }
  return places.map((_, node) => middles.get(node) ?? 0);
}

/**
 * Each layer in an order with few crossings: the barycentre method, best of several sweeps.
 * Where most that nothing is below are words, in order of `reading`, all stand in their order.
 */
export function ordered(places: Place[], links: Ends[], reading: number[]): number[][] {
  const layers: number[][] = Array.from({ length: most(places.map((place) => place.rank)) + 1 }, () => []);
  const above: number[][] = places.map(() => []);
  const below: number[][] = places.map(() => []);
  for (const [source, target] of links) {
    below[source]!.push(target);
    above[target]!.push(source);
  }
  const seen = new Set<number>();
  places.forEach((_, root) => {
    if (above[root]!.length) return;
    const stack = [root];
    while (stack.length) {
      const node = stack.pop()!;
      if (seen.has(node)) continue;
      seen.add(node);
      layers[places[node]!.rank]!.push(node);
      for (let i = below[node]!.length; i; i -= 1) stack.push(below[node]![i - 1]!);
    }
  });
  const middles = middlesOf(places, above, below, reading);
  if (middles) {
    const standing = new Map<number, number>();
    for (const layer of layers) {
      // Of edges to one place, that from the left is on the left.
      const origin = new Map(layer.map((node) => [node, mean(above[node]!.map((each) => standing.get(each)!), 0)]));
      layer.sort((a, b) => middles[a]! - middles[b]! || origin.get(a)! - origin.get(b)!).forEach((node, i) => standing.set(node, i));
    }
    return layers;
  }
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(layers, below);
  for (let sweep = 0; sweep < effort(SWEEPS, places.length); sweep += 1) {
    const downward = sweep % 2 === 0;
    const neighbours = downward ? above : below;
    for (let step = 1; step < layers.length; step += 1) {
      const number = downward ? step : layers.length - 1 - step;
      const position = new Map(layers[downward ? number - 1 : number + 1]!.map((node, i) => [node, i]));
      const keys = new Map(layers[number]!.map((node, i) => [node, mean(neighbours[node]!.flatMap((n) => position.get(n) ?? []), i)]));
      layers[number]!.sort((a, b) => keys.get(a)! - keys.get(b)!);
    }
    const found = crossings(layers, below);
    if (found < fewest) {
      best = layers.map((layer) => [...layer]);
      fewest = found;
    }
  }
  return best;
}

/** The number of crossings between neighbouring layers: inversions, by a Fenwick tree. */
function crossings(layers: number[][], below: number[][]): number {
  let total = 0;
  for (let l = 0; l + 1 < layers.length; l += 1) {
    const position = new Map(layers[l + 1]!.map((node, i) => [node, i + 1]));
    const tree = new Array<number>(position.size + 1).fill(0);
    let count = 0;
    for (const node of layers[l]!) {
      const ends = below[node]!.flatMap((n) => position.get(n) ?? []);
      for (const end of ends) {
        let before = 0;
        for (let i = end; i; i -= i & -i) before += tree[i]!;
        total += count - before;
      }
      for (const end of ends) {
        count += 1;
        for (let i = end; i < tree.length; i += i & -i) tree[i]! += 1;
      }
    }
  }
  return total;
}

/** Moves each place towards the middle of its neighbours as far as the others let it. */
export function placeAcross(places: Place[], links: Ends[], layers: number[][]): void {
  const around: number[][] = places.map(() => []);
  for (const [source, target] of links) {
    around[source]!.push(target);
    around[target]!.push(source);
  }
  for (const layer of layers) {
    let right = 0;
    for (const node of layer) {
      const place = places[node]!;
      place.x = right + place.width / 2;
      right += place.width + GAP;
    }
  }
  for (let step = 0; step < effort(STEPS, places.length); step += 1) {
    for (const layer of step % 2 === 0 ? layers : [...layers].reverse()) {
      settle(places, layer, layer.map((node) => mean(around[node]!.map((n) => places[n]!.x), places[node]!.x)));
    }
  }
  const left = -most(places.map((place) => place.width / 2 - place.x));
  for (const place of places) place.x += 12 - left;
}

/** Positions in order and apart, as near to the wanted ones as can be (least squares). */
function settle(places: Place[], layer: number[], wanted: number[]): void {
  // First member, its place, the sum of the places that members want it at, how many, their width.
  type Block = [begin: number, position: number, total: number, count: number, wide: number];
  const blocks: Block[] = [];
  const apart = (i: number): number => GAP + (places[layer[i - 1]!]!.width + places[layer[i]!]!.width) / 2;
  layer.forEach((_, i) => {
    let last: Block = [i, wanted[i]!, wanted[i]!, 1, 0];
    for (let one = blocks.at(-1); one; one = blocks.at(-1)) {
      const shift = one[4] + apart(last[0]);
      if (last[1] >= one[1] + shift) break;
      const total = one[2] + last[2] - shift * last[3];
      const count = one[3] + last[3];
      last = [one[0], total / count, total, count, shift + last[4]];
      blocks.pop();
    }
    blocks.push(last);
  });
  for (const [begin, position, , count] of blocks) {
    let offset = 0;
    for (let i = begin; i < begin + count; i += 1) {
      if (i > begin) offset += apart(i);
      places[layer[i]!]!.x = position + offset;
    }
  }
}

export function placeDown(places: Place[], layers: number[][]): number {
  let y = 12;
  for (const layer of layers) {
    const tall = most(layer.map((node) => places[node]!.height), 0);
    for (const node of layer) {
      const place = places[node]!;
      place.y = y + tall / 2;
      if (place.bend) place.height = tall;
    }
    y += tall + SPACE;
  }
  return y - SPACE + 12;
}
