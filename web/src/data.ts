// Where the data of a page comes from: elements of the file, or the server it came from.
import { SCHEMA, type Block, type Column, type Found, type Item, type ItemSet, type Page, type Rescored, type Selected } from "./contract";

export interface Source {
  page: Page;
  bytes(column: Column): Promise<ArrayBuffer>;
  block(set: number, number: number): Promise<Block>;
  /** What only a server answers: scores of a selection, searches, other metrics. */
  ask: Ask | null;
}
export interface Ask {
  (what: "score", question: object): Promise<Selected>;
  (what: "search", question: object): Promise<Found>;
  (what: "item", question: object): Promise<Rescored>;
}

export type Inflated = (packed: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>;
async function inflated(packed: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  const from = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (from) return from(text);
  const bits = atob(text);
  const bytes = new Uint8Array(bits.length);
  for (let i = 0; i < bits.length; i += 1) bytes[i] = bits.charCodeAt(i);
  return bytes;
}

const loaded = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.readyState !== "loading") resolve();
    else document.addEventListener("DOMContentLoaded", () => resolve(), { once: true });
  });

/** The bytes of an element; those that are still to be parsed are waited for. */
async function element(id: string): Promise<ArrayBuffer> {
  let found = document.getElementById(id);
  if (!found || !found.nextElementSibling) {
    await loaded();
    found = document.getElementById(id);
  }
  if (!found) throw new Error(`the page has no ${id}`);
  return inflated(decoded(found.textContent ?? ""));
}

function parsed<T>(bytes: ArrayBuffer): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

/** The data of this page; that of a served one is what `serve` makes of it. */
export async function open(serve: ((page: Page, inflated: Inflated) => Source) | undefined): Promise<Source> {
  const page = parsed<Page>(await element("k-head"));
  if (page.schema !== SCHEMA) throw new Error(`${page.schema} is not ${SCHEMA}`);
  return serve && page.served ? serve(page, inflated) : embedded(page);
}

function checked(bytes: ArrayBuffer, size: number, what: string): ArrayBuffer {
  if (bytes.byteLength !== size) throw new Error(`${what} is damaged`);
  return bytes;
}

function embedded(page: Page): Source {
  return {
    page,
    bytes: async (column) => checked(await element(column.id), column.size, column.id),
    block: async (set, number) => {
      const id = `k-${set}b${number}`;
      return parsed<Block>(checked(await element(id), page.sets[set]?.blocks[number] ?? -1, id));
    },
    ask: null,
  };
}

/** The columns and items of a set, fetched when they are first used. */
export class Store {
  readonly set: ItemSet;
  private columns = new Map<string, ArrayLike<number>>();
  private waiting = new Map<string, Promise<ArrayLike<number>>>();
  private blocks = new Map<number, (Item | null)[]>();
  private fetching = new Map<number, Promise<(Item | null)[]>>();
  private wanted = new Map<number, () => void>();
  private haystacks = new Map<number, Haystack>();
  keys: string[] = [];
  private lastKey: [key: string, row: number] = ["", -1];
  failure = "";
  /** How many columns are here. */
  version = 0;

  constructor(
    readonly source: Source,
    readonly number: number,
  ) {
    this.set = source.page.sets[number] as ItemSet;
  }

  async start(): Promise<void> {
    const column = this.set.columns.find((each) => each.role === "key");
    if (column && this.set.n) {
      this.keys = new TextDecoder().decode(await this.source.bytes(column)).split("\n");
    }
  }

  rowOf(key: string): number | undefined {
    if (this.lastKey[0] !== key) this.lastKey = [key, this.keys.indexOf(key)];
    return this.lastKey[1] < 0 ? undefined : this.lastKey[1];
  }

  /** A column if it is here; else it is fetched, and `then` called. */
  column(id: string, then: () => void): ArrayLike<number> | null {
    const found = this.columns.get(id);
    if (found) return found;
    void this.load(id).then(then);
    return null;
  }

  load(id: string): Promise<ArrayLike<number>> {
    const known = this.waiting.get(id);
    if (known) return known;
    const column = this.set.columns.find((each) => each.id === id);
    if (!column) return Promise.reject(new Error(`no column ${id}`));
    const made = this.source.bytes(column).then((bytes) => {
      const array = new (ARRAYS[column.dtype] ?? Uint32Array)(bytes);
      this.columns.set(id, array);
      this.version += 1;
      return array;
    });
    this.waiting.set(id, made);
    return made;
  }

  scoreColumn(metric: number, system: number): Column | undefined {
    return this.set.columns.find((each) => each.role === "score" && each.metric === metric && each.system === system);
  }

  /** An item: null is left out of the page, undefined is not here yet. */
  item(row: number, then?: () => void): Item | null | undefined {
    const number = Math.floor(row / this.set.block);
    const block = this.blocks.get(number);
    if (block) return block[row % this.set.block] ?? null;
    if (!this.set.blocks[number]) return null;
    if (then) this.want(number, then);
    return undefined;
  }

  /** Fetches blocks one by one, the last that was asked for first, so that the page stays quick. */
  private want(number: number, then: () => void): void {
    const idle = !this.wanted.size;
    this.wanted.delete(number);
    this.wanted.set(number, then);
    if (!idle) return;
    let since = performance.now();
    const next = (): void => {
      const last = [...this.wanted].at(-1);
      if (!last) return;
      void this.fetch(last[0]).then(() => {
        this.wanted.delete(last[0]);
        last[1]();
        if (performance.now() - since < SLICE) return next();
        requestAnimationFrame(() => {
          since = performance.now();
          setTimeout(next);
        });
      });
    };
    setTimeout(next);
  }

  /** The items of a block; only those that were used last are kept, since they take much room. */
  fetch(number: number): Promise<(Item | null)[]> {
    const known = this.fetching.get(number);
    if (known) {
      // The last one that was asked for is the last to go.
      this.fetching.delete(number);
      this.fetching.set(number, known);
      return known;
    }
    const made = (this.set.blocks[number] ? this.source.block(this.number, number) : Promise.resolve({ items: [] })).then(
      ({ items }) => items,
      (error: Error) => {
        this.failure = error.message;
        return [];
      },
    );
    this.fetching.set(number, made);
    for (const [other] of this.fetching) {
      if (this.fetching.size <= MOST_BLOCKS) break;
      this.fetching.delete(other);
      this.blocks.delete(other);
    }
    void made.then((items) => {
      if (this.fetching.get(number) === made) this.blocks.set(number, items);
    });
    return made;
  }

  /** What there is to search in, of a block. */
  async haystack(number: number): Promise<Haystack> {
    const known = this.haystacks.get(number);
    if (known) return known;
    const items = this.blocks.get(number) ?? (this.set.blocks[number] ? (await this.source.block(this.number, number)).items : []);
    const first = number * this.set.block;
    const size = Math.min(this.set.block, this.set.n - first);
    const ends = new Uint32Array(size);
    const parts: string[] = [];
    let at = 0;
    let searched = 0;
    for (let i = 0; i < size; i += 1) {
      const item = items[i];
      if (item) searched += 1;
      const part = [this.keys[first + i] ?? "", ...(item ? textsOf(item) : []), ""].join("\u0001").toLowerCase();
      parts.push(part);
      at += part.length;
      ends[i] = at;
    }
    const made = { text: parts.join(""), ends, searched };
    this.haystacks.set(number, made);
    return made;
  }
}

/** So many milliseconds go to unpacking before what there is is drawn. */
const SLICE = 12;

/** So many blocks of items are kept at once: more than there are rows on a screen. */
const MOST_BLOCKS = 80;

/** The texts of a block in one, in small letters, and where those of each item end. */
export interface Haystack {
  text: string;
  ends: Uint32Array;
  searched: number;
}

/** How columns are read; those of gaps between rows, as whole numbers. */
const ARRAYS: Record<string, Float64ArrayConstructor | Uint8ArrayConstructor | Uint16ArrayConstructor> = { f8: Float64Array, u1: Uint8Array, u2: Uint16Array };

/** All texts of an item: source, gold, outputs, labels of graphs. */
export function textsOf(item: Item): string[] {
  const [source, golds, outputs] = item;
  const found: string[] = source ? [source] : [];
  for (const content of golds) found.push(textOf(content));
  for (const output of outputs) {
    if (!output) continue;
    if (output[0]) found.push(textOf(output[0]));
    for (const view of output[1]) {
      if (view?.[1]) {
        for (const [, lines] of view[1][0]) for (const line of lines) found.push(line[0]);
        for (const arrow of view[1][1]) found.push(arrow[3]);
      }
    }
  }
  return found;
}

export function textOf(content: Item[1][number]): string {
  switch (content[0]) {
    case "text":
    case "raw":
      return content[1];
    case "form":
      return content[1].join(" ; ");
    case "arcs":
      return content[1].map((word) => word[0]).join(" ");
  }
}
