// Elements and components: what a view returns is compared with what is drawn, and only what differs is touched.
// It is what the page needs of Preact, whose types describe it, in a fifth of the size.
import type { ComponentChildren, JSX } from "preact";
import { visible } from "./format";

type Props = Record<string, unknown>;
type View = (props: never) => ComponentChildren;

/** What is to be drawn: an element, a view, or a text. */
export interface VNode {
  type: string | View;
  props: Props;
  key: unknown;
}

/** What is drawn. Texts and elements have a node of the document; views have what they returned. */
interface Live {
  made: VNode;
  up: Live | null;
  kids: (Live | null)[];
  dom: Node | null;
  /** Values that the hooks of a view keep. */
  kept: unknown[];
  due: boolean;
  gone: boolean;
}

interface Effect {
  run: () => void | (() => void);
  on: readonly unknown[];
  undo: void | (() => void);
}

const TEXT = "";
const SVG = "http://www.w3.org/2000/svg";

/** Several children that stand for one. */
export const Fragment = ({ children }: { children?: ComponentChildren }): ComponentChildren => children;

export function h(type: VNode["type"], given: Props | null, ...children: unknown[]): VNode & JSX.Element {
  // The key is for the place among others; a view that hands its properties on does not hand it on.
  const { key, ...props } = given ?? {};
  if (children.length) props["children"] = children;
  return { type, props, key } as unknown as VNode & JSX.Element;
}

/** Draws into an element that is empty. */
export function render(what: unknown, parent: Element): void {
  const root: Live = { ...live(h(parent.localName, null), null), dom: parent };
  draw(root, [what], parent, null);
  settle();
}

const live = (made: VNode, up: Live | null): Live => ({ made, up, kids: [], dom: null, kept: [], due: false, gone: false });

/** A child as it is drawn: nothing keeps its place, a list is one child. */
function childOf(child: unknown): VNode | null {
  if (child === null || child === undefined || typeof child === "boolean") return null;
  if (Array.isArray(child)) return { type: Fragment, props: { children: child }, key: undefined };
  if (typeof child === "object") return child as VNode;
  return { type: TEXT, props: { text: visible(String(child)) }, key: undefined };
}

const listOf = (children: unknown): unknown[] => (Array.isArray(children) ? children : [children]);

/** The first node of what is drawn. */
function firstOf(drawn: Live | null): Node | null {
  if (!drawn || drawn.dom) return drawn?.dom ?? null;
  for (const kid of drawn.kids) {
    const found = firstOf(kid);
    if (found) return found;
  }
  return null;
}

/** The node before which further ones of a view belong. */
function following(drawn: Live): Node | null {
  for (let at = drawn; at.up; at = at.up) {
    const { kids, dom } = at.up;
    for (let i = kids.indexOf(at) + 1; i < kids.length; i += 1) {
      const found = firstOf(kids[i]!);
      if (found) return found;
    }
    if (dom) break;
  }
  return null;
}

/** Makes the children of an element or a view what they should be; from the last to the first, as each has its place before the next. */
function draw(owner: Live, children: unknown[], parent: Node, before: Node | null): void {
  const old = owner.kids;
  const keyed = new Map<unknown, Live>();
  for (const kid of old) if (kid && kid.made.key !== undefined) keyed.set(kid.made.key, kid);
  const next = children.map(childOf);
  const kept = next.map((made, i) => {
    const known = made && (made.key === undefined ? old[i] : keyed.get(made.key));
    if (!known || known.made.type !== made.type || known.made.key !== made.key) return null;
    keyed.delete(made.key);
    return known;
  });
  const staying = new Set(kept);
  for (const kid of old) if (kid && !staying.has(kid)) remove(kid, true);
  owner.kids = kept;
  for (let i = next.length - 1; i >= 0; i -= 1) {
    const made = next[i]!;
    if (!made) continue;
    const same = kept[i]?.made === made && !kept[i]!.due;
    const drawn = (kept[i] ??= live(made, owner));
    const last = drawn.made;
    drawn.made = made;
    if (same) move(drawn, parent, before);
    else if (typeof made.type === "function") drawView(drawn, parent, before);
    else drawElement(drawn, last, parent, before);
    before = firstOf(drawn) ?? before;
  }
}

function place(dom: Node, parent: Node, before: Node | null): void {
  if (dom.parentNode !== parent || dom.nextSibling !== before) parent.insertBefore(dom, before);
}

function move(drawn: Live, parent: Node, before: Node | null): void {
  if (drawn.dom) return place(drawn.dom, parent, before);
  for (const kid of [...drawn.kids].reverse()) {
    if (!kid) continue;
    move(kid, parent, before);
    before = firstOf(kid) ?? before;
  }
}

function remove(drawn: Live, top: boolean): void {
  drawn.gone = true;
  for (const each of drawn.kept) (each as Partial<Effect>)?.undo?.();
  setRef(drawn.made, null);
  if (top && drawn.dom) drawn.dom.parentNode?.removeChild(drawn.dom);
  for (const kid of drawn.kids) if (kid) remove(kid, top && !drawn.dom);
}

function setRef({ props: { ref } }: VNode, dom: Node | null): void {
  if (ref) (ref as { current: Node | null }).current = dom;
}

// -- elements

function drawElement(drawn: Live, last: VNode, parent: Node, before: Node | null): void {
  const { type, props } = drawn.made;
  if (type === TEXT) {
    const text = props["text"] as string;
    if (!drawn.dom) drawn.dom = document.createTextNode(text);
    else if (last.props["text"] !== text) (drawn.dom as Text).data = text;
    return place(drawn.dom, parent, before);
  }
  const fresh = !drawn.dom;
  const dom = (drawn.dom ??= type === "svg" || (parent as Element).namespaceURI === SVG ? document.createElementNS(SVG, type as string) : document.createElement(type as string)) as Element;
  draw(drawn, listOf(props["children"]), dom, null);
  // A choice can be made once there is something to choose from.
  const known = fresh ? {} : last.props;
  for (const name in known) if (!(name in props)) setProp(dom, name, undefined, known[name]);
  for (const name in props) setProp(dom, name, props[name], known[name]);
  place(dom, parent, before);
  setRef(drawn.made, dom);
}

type Heard = Element & { heard?: Record<string, (event: Event) => void> };

function hear(this: Heard, event: Event): void {
  this.heard?.[event.type]?.(event);
}

function setProp(dom: Heard, name: string, value: unknown, last: unknown): void {
  if (name === "value" || name === "checked") {
    const field = dom as unknown as Props;
    if (field[name] !== value) field[name] = value ?? "";
  } else if (value === last || name === "ref" || name === "children") {
    return;
  } else if (name.startsWith("on")) {
    const type = name.slice(2).toLowerCase();
    (dom.heard ??= {})[type] = value as never;
    if (!last) dom.addEventListener(type, hear);
  } else if (name === "style") {
    const { style } = dom as HTMLElement;
    const [now, known] = [value, last] as Record<string, string>[];
    for (const key in { ...known, ...now }) {
      const text = now?.[key] ?? "";
      if (known?.[key] === text) continue;
      if (key.startsWith("--")) style.setProperty(key, text);
      else style[key as "color"] = text;
    }
  } else if (value === undefined || value === null || (value === false && name[4] !== "-")) {
    dom.removeAttribute(name);
  } else {
    dom.setAttribute(name, value === true && name[4] !== "-" ? "" : visible(String(value)));
  }
}

// -- views

let current: Live;
let at = 0;
const waiting: Live[] = [];
const effects: Effect[] = [];

function drawView(drawn: Live, parent: Node, before: Node | null): void {
  current = drawn;
  at = 0;
  drawn.due = false;
  const shown = (drawn.made.type as (props: Props) => ComponentChildren)(drawn.made.props);
  draw(drawn, listOf(shown), parent, before);
}

/** Draws the views whose values have changed, outer ones first, then does what they want done afterwards. */
function settle(): void {
  const depth = (drawn: Live): number => (drawn.up ? 1 + depth(drawn.up) : 0);
  for (const drawn of waiting.splice(0).sort((a, b) => depth(a) - depth(b))) {
    if (!drawn.due || drawn.gone) continue;
    let up = drawn.up!;
    while (!up.dom) up = up.up!;
    drawView(drawn, up.dom, following(drawn));
  }
  for (const effect of effects.splice(0)) {
    effect.undo?.();
    effect.undo = effect.run();
  }
}

const keep = <K>(make: (owner: Live) => K): K => (current.kept[at++] ??= make(current)) as K;
const differ = (a: readonly unknown[], b: readonly unknown[]): boolean => a.some((each, i) => !Object.is(each, b[i]));

export function useState<V>(first: V): [V, (value: V | ((last: V) => V)) => void] {
  const pair = keep((owner): [V, (value: V | ((last: V) => V)) => void] => [
    first,
    (value) => {
      const next = typeof value === "function" ? (value as (last: V) => V)(pair[0]) : value;
      if (Object.is(next, pair[0])) return;
      pair[0] = next;
      if (owner.due || owner.gone) return;
      owner.due = true;
      if (waiting.push(owner) === 1) queueMicrotask(settle);
    },
  ]);
  return [...pair];
}

export function useRef<V extends Element>(first: null): { current: V | null };
export function useRef<V>(first: V): { current: V };
export function useRef<V>(first: V): { current: V } {
  return keep(() => ({ current: first }));
}

export function useMemo<V>(make: () => V, on: readonly unknown[]): V {
  const known = keep((): { on: readonly unknown[]; value: V } => ({ on: [{}], value: undefined as V }));
  if (differ(on, known.on) || on.length !== known.on.length) Object.assign(known, { value: make(), on });
  return known.value;
}

export const useCallback = <F>(call: F, on: readonly unknown[]): F => useMemo(() => call, on);

/** Does something once what the view returned is drawn, and again when one of the values has changed. */
export function useEffect(run: Effect["run"], on: readonly unknown[]): void {
  const known = keep((): Effect => ({ run, on: [{}], undo: undefined }));
  if (on.length === known.on.length && !differ(on, known.on)) return;
  Object.assign(known, { run, on });
  effects.push(known);
}
