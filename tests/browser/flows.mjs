// What people do with a page, done in a real browser. Reads a plan, prints what was found as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";

const plan = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const require = createRequire(plan.modules + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8");

const browser = await chromium.launch({ executablePath: plan.chromium, args: ["--no-sandbox"] });
const results = {};

/** A page of its own, and all that went wrong in it. */
async function opened(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address.split("#")[0]) && !request.url().startsWith("blob:")) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  return { page, wrong, context };
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((each) => each.textContent.replace(/\s+/g, " ").trim()));
/** What was done is drawn. Nothing here waits for a time: machines are slower than one thinks. */
const settled = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))));
const holds = (page, what, argument) => page.waitForFunction(what, argument, { polling: 30 });
/** The row at a place of the table is the open one, and its item is shown. */
const openAt = (page, place) => holds(page, (index) => document.querySelector(`.row.on[aria-rowindex="${index}"]`) && document.querySelector(".item .side"), place + 2);
const figured = (page) => holds(page, () => document.querySelectorAll(".rows .row").length && [...document.querySelectorAll(".rows .row")].every((each) => /\d/.test(each.querySelector(".score").textContent)));
const searched = (page, word) => holds(page, (text) => document.querySelector(".active-chip")?.textContent.includes(text) && !document.querySelector(".count").textContent.includes("searching"), word);
const counts = (page, other) => holds(page, (text) => document.querySelector(".count b").textContent !== text, other);
const addressHas = (page, text) => holds(page, (part) => location.hash.includes(part), text);
async function downloaded(page, text) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(text)]);
  return readFileSync(await download.path(), "utf-8").trim().split("\n");
}
/** What no item may do: leave its panel to the side, or show a text of the data in a direction that is not its own. */
const untidy = (page) =>
  page.evaluate(() => {
    const panel = document.querySelector(".pane-item");
    const texts = [...document.querySelectorAll(".text, pre, .rows .snippet")].filter(({ dir }) => dir !== "auto");
    return [...texts.map((each) => `direction: ${each.className}`), ...(panel.scrollWidth > panel.clientWidth ? [`wide: ${location.hash}`] : [])];
  });
const row = (page) => page.$eval(".row.on .key", (each) => each.textContent);
const count = (page) => page.$eval(".count b", (each) => Number(each.textContent.replace(/,/g, "")));
const view = async (page, name) => {
  await page.click(`nav a:has-text("${name}")`);
  await holds(page, (text) => document.querySelector("nav a[aria-current]")?.textContent.includes(text) && document.querySelector("main h1"), name);
  await settled(page);
};

const flows = {
  // What is drawn after any number of changes is what would be drawn anew, and elements that stay are the same ones.
  async dom({ source, seed }) {
    const { build } = require("esbuild");
    const { outputFiles } = await build({ entryPoints: [source], bundle: true, write: false, format: "iife", globalName: "dom" });
    const page = await (await browser.newContext()).newPage();
    await page.goto("about:blank");
    await page.evaluate(`${outputFiles[0].text}; globalThis.dom = dom`);
    const found = await page.evaluate(async (first) => {
      const { h, Fragment, render, useEffect, useMemo, useRef, useState } = globalThis.dom;
      let state = first;
      const below = (n) => (state = (state * 48271) % 2147483647) % n;
      const effects = { done: 0, undone: 0 };
      const Counted = ({ n, kids, ...rest }) => {
        if ("key" in rest) throw new Error("a key is handed on");
        const twice = useMemo(() => 2 * n, [n]);
        const box = useRef(null);
        const [own, setOwn] = useState(0);
        useEffect(() => {
          effects.done += 1;
          setOwn(n);
          return () => (effects.undone += 1);
        }, [n]);
        return [own ? h("i", { ref: box, "data-own": own, "aria-pressed": own > 2 }, twice) : null, kids];
      };
      const tree = (depth) => {
        const kids = Array.from({ length: depth ? below(5) : 0 }, () => tree(depth - 1));
        const shuffled = kids.map((kid, i) => ({ kid, by: below(99), i })).sort((a, b) => a.by - b.by);
        const keyed = () => shuffled.map(({ kid, i }) => h(i % 2 ? "li" : Counted, { key: i, ...(i % 2 ? {} : { n: i, kids: kid }) }, kid));
        switch (below(8)) {
          case 0: return null;
          case 1: return `text ${below(3)}`;
          case 2: return keyed();
          case 3: return h(Fragment, null, ...kids);
          case 4: return h(Counted, { n: below(4), kids });
          case 5: return h("svg", { viewBox: "0 0 1 1", class: below(2) ? "x" : undefined }, h("path", { d: `M${below(3)}` }), kids);
          case 6: return h("input", { value: String(below(3)), disabled: !below(2), style: below(2) ? { color: "red", "--w": `${below(3)}px` } : undefined });
          default: return h("div", { ...(below(2) ? { lang: "en" } : {}), class: `c${below(3)}`, hidden: below(2) === 0, title: below(2) ? "t" : null }, below(2) ? keyed() : kids, below(2) && "end");
        }
      };
      // The same by the plainest means: every node made anew, in order.
      const anew = (child, parent) => {
        if (child === null || child === undefined || typeof child === "boolean") return;
        if (Array.isArray(child)) return child.forEach((each) => anew(each, parent));
        if (typeof child !== "object") return parent.append(String(child));
        const { type, props } = child;
        if (type === Fragment) return anew(props.children, parent);
        if (type === Counted) return anew([props.n ? h("i", { "data-own": props.n, "aria-pressed": props.n > 2 }, 2 * props.n) : null, props.kids], parent);
        const isSvg = type === "svg" || parent.namespaceURI.endsWith("svg");
        const made = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", type) : document.createElement(type);
        for (const [name, value] of Object.entries(props)) {
          if (name === "style" && value) for (const [key, text] of Object.entries(value)) made.style.setProperty(key, text);
          else if (name === "value") made.value = value;
          else if (name.startsWith("aria-") || !["children", "style"].includes(name) && value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
        }
        anew(props.children, made);
        parent.append(made);
      };
      // As text, whatever the order of attributes and declarations.
      const plain = (node) => {
        if (!node.attributes) return node.data;
        const style = [...(node.style ?? [])].sort().map((name) => `${name}:${node.style.getPropertyValue(name)}`);
        const names = [...node.attributes].filter(({ name }) => name !== "style").map(({ name, value }) => `${name}=${value}`);
        return `<${node.localName} ${node.namespaceURI.slice(-4)} ${[...names.sort(), ...style, node.value].join(" ")}>${[...node.childNodes].map(plain).join("")}</>`;
      };
      const settled = () => new Promise((resolve) => setTimeout(resolve));
      const [box, set] = [document.createElement("div"), { now: null }];
      const Root = () => {
        const [what, setWhat] = useState({ made: null });
        set.now = setWhat;
        return what.made;
      };
      render(h(Root, null), box);
      const wrong = [];
      for (let i = 0; i < 400 && !wrong.length; i += 1) {
        const made = below(9) ? tree(4) : null;
        const before = below(4) ? made : [h("b", null, "before"), made];
        set.now({ made: before });
        await settled();
        const fresh = document.createElement("div");
        anew(before, fresh);
        if (plain(box) !== plain(fresh)) wrong.push([i, plain(box), plain(fresh)]);
      }
      set.now({ made: null });
      await settled();
      // Elements with keys are moved, not made again; a view that is gone has undone what it did.
      const list = (keys) => ({ made: h("ol", null, keys.map((key) => h("li", { key }, key))) });
      set.now(list(["a", "b", "c", "d"]));
      await settled();
      const known = [...box.querySelectorAll("li")];
      set.now(list(["d", "b", "x", "a"]));
      await settled();
      const now = [...box.querySelectorAll("li")];
      const same = [now[0] === known[3], now[1] === known[1], now[3] === known[0], now.map((each) => each.textContent).join("")];
      return { wrong, same, left: box.childNodes.length, effects };
    }, seed);
    return found;
  },

  // Every number of overview and breakdowns, as it is shown.
  async figures({ address }) {
    const { page, wrong, context } = await opened(address);
    const found = { headline: await page.$eval("h1", (each) => each.textContent) };
    found.systems = await page.$$eval(".systems tbody tr", (rows) =>
      rows.map((each) => ({ name: each.querySelector(".word").textContent, cells: [...each.querySelectorAll("td.number")].map((cell) => [...cell.children].map((part) => part.textContent)) })),
    );
    found.duels = await texts(page, ".duel");
    found.said = { lead: await texts(page, ".lead"), about: await texts(page, ".about"), footer: await texts(page, "footer") };
    // Another metric is chosen by its head.
    await page.click(".systems thead button >> nth=1");
    await page.waitForSelector(".systems thead th:nth-child(4) .on");
    found.chosen = await texts(page, ".systems .figure.main");
    await page.click(".systems thead button >> nth=0");
    await page.waitForSelector(".systems thead th:nth-child(3) .on");
    await page.click("summary");
    found.ranks = await texts(page, ".systems .rank");
    found.scores = await page.$$eval(".scores tbody tr", (rows) => rows.map((each) => [...each.querySelectorAll("th, td")].map((cell) => cell.textContent.trim())));
    found.signatures = await texts(page, ".run > code");
    found.files = await texts(page, ".run li");
    found.plots = await page.$$eval(".systems .interval", (all) => {
      const at = (each, name) => Number.parseFloat(each.getAttribute(name));
      return all.map((each) => [at(each.querySelector("circle"), "cx"), at(each.querySelector(".range"), "x1"), at(each.querySelector(".range"), "x2")]);
    });
    await view(page, "Breakdowns");
    found.groups = await page.$$eval(".forest tbody tr", (rows) => rows.map((each) => [...each.querySelectorAll("th, td.number")].map((cell) => cell.textContent)));
    await view(page, "Items");
    await figured(page);
    const rows = new Map();
    for (let first = 0, all = await count(page); rows.size < all; first += 8) {
      await page.$eval(".grid-box", (box, top) => (box.scrollTop = top), first * 34);
      await holds(page, (index) => document.querySelector(`.rows .row[aria-rowindex="${index}"]`), Math.min(first, all - 1) + 2);
      for (const row of await page.$$eval(".rows .row", (list) => list.map((each) => [...each.querySelectorAll(".key, .score")].map((cell) => cell.textContent)))) rows.set(row[0], row);
    }
    found.rows = [...rows.values()];
    await context.close();
    return { ...found, wrong };
  },

  // The scores of one system: a row for each part of the metric, a column for each kind of score.
  async scores({ address }) {
    const { page, wrong, context } = await opened(address);
    const heads = await texts(page, ".scores thead th");
    const rows = await page.$$eval(".scores tbody tr", (all) => all.map((each) => [...each.children].map((cell) => cell.firstChild?.textContent ?? "")));
    const bold = await texts(page, ".scores td.main");
    const mean = await page.$eval(".details .section .small", (each) => each.textContent);
    await context.close();
    return { heads, rows, bold, mean, wrong };
  },

  // How sure a difference is can be seen.
  async duels({ addresses }) {
    const found = [];
    const wrong = [];
    for (const address of addresses) {
      const { page, wrong: own, context } = await opened(address);
      found.push(await page.$$eval(".duel", (all) => all.map((each) => each.className)));
      wrong.push(...own);
      await context.close();
    }
    return { found, wrong };
  },

  // From the headline to a group, its items, the largest difference, three further, and the same in a new tab.
  async wander({ address, group }) {
    const { page, wrong, context } = await opened(address, { acceptDownloads: true });
    await page.click(`.forest button:has-text("${group}")`);
    await page.waitForSelector(".rows .row");
    const inGroup = await count(page);
    await page.click('.row.head button:has-text("Δ")');
    await page.waitForSelector('[aria-sort="descending"]');
    for (let i = 0; i < 4; i += 1) {
      await page.keyboard.press("j");
      await openAt(page, i);
    }
    const item = await row(page);
    const address2 = page.url();
    const other = await opened(address2);
    await openAt(other.page, 3);
    const same = { item: await row(other.page), count: await count(other.page), chips: await texts(other.page, ".active-chip") };
    // Parts of the selection add up to it.
    const parts = [];
    for (const each of await page.$$(".wins .win")) parts.push(Number((await each.textContent()).replace(/ .*/, "").replace(/,/g, "")));
    // The file has these rows, in this order.
    const order = await texts(page, ".rows .row .key");
    const files = {};
    for (const kind of ["Ids", "TSV", "JSON"]) {
      await page.keyboard.press("e");
      files[kind] = await downloaded(page, `.menu-list button:has-text("${kind}")`);
    }
    const ids = files.Ids;
    const table = files.TSV.map((line) => line.split("\t"));
    const records = files.JSON.map((line) => JSON.parse(line));
    await page.goBack();
    await openAt(page, 2);
    const before = await row(page);
    await context.close();
    await other.context.close();
    return { inGroup, item, same, parts, order, ids, table, records, before, wrong: [...wrong, ...other.wrong] };
  },

  // What stands over the table: as wide as the page until an item is open, system 2 on the left as in the histogram, and whole words.
  async strip({ address, tab }) {
    const { page, wrong, context } = await opened(`${address}#items`);
    await figured(page);
    const wide = () => page.$eval(".pane-table", (each) => Math.round((100 * each.getBoundingClientRect().width) / innerWidth));
    const closed = await wide();
    const wins = await page.$$eval(".wins .win", (all) => all.map((each) => ({ text: each.textContent, cut: each.scrollWidth > each.clientWidth, colour: getComputedStyle(each).backgroundColor })));
    const axis = await texts(page, ".histogram figcaption span");
    const bars = await page.$$eval(".histogram rect", (all) => [all[0], all.at(-1)].map((each) => getComputedStyle(each).fill));
    // Points on both sides of the diagonal have the colours of both systems.
    const points = await page.$eval(".scatter canvas", (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const found = new Set();
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 100) found.add([...data.slice(i, i + 3)].map((value) => Math.round(value / 32)).join());
      return found.size;
    });
    // The head of the differences ends where they end, not above their bars.
    const ends = await page.evaluate(() => {
      const text = document.querySelector(".rows .delta").firstChild;
      const range = document.createRange();
      range.selectNode(text);
      return [range.getBoundingClientRect().right, document.querySelector(".row.head .delta .link").getBoundingClientRect().right];
    });
    // What is picked in the histogram is named with the digits of the metric.
    await page.click(".histogram rect:nth-child(15)");
    await page.waitForSelector(".active-chip");
    const picked = await page.$eval(".active-chip", (each) => each.textContent);
    await page.keyboard.press("j");
    await openAt(page, 0);
    const open = await wide();
    await view(page, "Breakdowns");
    const order = await texts(page, ".forest [aria-sort=descending]");
    await context.close();
    // On a phone, the tab of the view that is shown can be seen.
    const phone = await opened(tab, { viewport: { width: 390, height: 800 } });
    await holds(phone.page, () => document.querySelector("nav [aria-current]").getBoundingClientRect().right <= innerWidth);
    await phone.context.close();
    return { closed, open, wins, axis, bars, points, ends, picked, order, wrong: [...wrong, ...phone.wrong] };
  },

  // How a metric agrees with people: correlations, and the outputs on which they disagree; warnings are on the overview.
  async people({ address }) {
    const { page, wrong, context } = await opened(address);
    const warnings = await texts(page, ".notices li");
    await view(page, "Agreement");
    const cells = (label) => page.$$eval(`[aria-label="${label}"] tbody tr`, (rows) => rows.map((each) => [...each.querySelectorAll("th, td")].map((cell) => cell.textContent)));
    const found = { correlations: await cells("Correlations"), disagreements: await cells("Disagreements"), tests: await cells("Tests between metrics") };
    found.choices = await page.$$eval(".toolbar select", (all) => all.map((each) => [...each.options].map((option) => option.textContent)));
    const points = () => page.$$eval(".points circle", (all) => all.length);
    found.points = [await points()];
    await page.locator(".toolbar select").last().selectOption("systems");
    await settled(page);
    found.points.push(await points());
    await page.locator(".toolbar select").last().selectOption("outputs");
    await settled(page);
    found.point = await page.$eval(".points circle", (each) => {
      each.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return each.textContent;
    });
    await page.waitForSelector(".item h2 .key");
    found.opened = await page.$eval(".item h2 .key", (each) => each.textContent);
    await context.close();
    return { ...found, warnings, wrong };
  },

  // What people and their machines ask for: no motion, their own colours, dark, paper, a phone, words for changes.
  async wishes({ address, item }) {
    const { page, wrong, context } = await opened(`${address}#items?item=${item}`);
    await page.waitForSelector(".item .side");
    const styles = (selector, ...names) => page.$eval(selector, (each, all) => all.map((name) => getComputedStyle(each)[name]), names);
    const seen = (selector) => page.$eval(selector, (each) => each.checkVisibility());
    const live = await page.$eval(".count", (each) => [each.role, each.ariaLive]);
    await page.emulateMedia({ media: "print" });
    const printed = [await seen(".pane-item"), await seen(".pane-table"), await seen(".filters")];
    await page.emulateMedia({ media: "screen" });
    const shades = [];
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      shades.push((await styles("body", "backgroundColor"))[0]);
    }
    await page.emulateMedia({ forcedColors: "active" });
    const badge = await styles(".item .badge", "borderTopStyle", "forcedColorAdjust");
    await page.emulateMedia({ forcedColors: "none" });
    await page.setViewportSize({ width: 390, height: 700 });
    await settled(page);
    const sheet = await page.$eval(".pane-item", (each) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      return [x, y, width, height];
    });
    await page.evaluate(() => (location.hash = "#overview"));
    await page.waitForSelector(".copies");
    const moving = [];
    for (const reducedMotion of ["no-preference", "reduce"]) {
      await page.emulateMedia({ reducedMotion });
      moving.push((await styles(".copies", "transitionDuration", "transitionProperty")).join(" "));
    }
    const policy = await page.$eval("meta[http-equiv]", (each) => each.content);
    await context.close();
    return { live, printed, shades, badge, sheet, moving, policy, wrong };
  },

  // A word that only an output has; an error and its items, each of which shows the mark.
  async seek({ address, word, error }) {
    const { page, wrong, context } = await opened(address);
    await page.keyboard.press("/");
    await holds(page, () => document.activeElement?.classList.contains("search"));
    const all = await page.$eval(".count b", (each) => each.textContent);
    await page.keyboard.type(word);
    await searched(page, word);
    const hits = await texts(page, ".rows .row .key");
    await page.keyboard.press("Escape");
    await view(page, "Errors");
    const line = page.locator(`.errors tbody tr:has-text("${error}")`).first();
    const times = await line.locator("button").first().textContent();
    await line.locator("button").first().click();
    await page.waitForSelector(".rows .row");
    await counts(page, all);
    const listed = await count(page);
    const marked = [];
    for (let i = 0; i < Math.min(listed, 5); i += 1) {
      await page.keyboard.press("j");
      await openAt(page, i);
      marked.push(await page.$$eval(".item .m", (all) => all.map((each) => each.textContent)));
    }
    await context.close();
    return { hits, times, listed, marked, wrong };
  },

  // Every view is without violations of axe, in light and dark, on a desk and on a phone.
  async axe({ address, views, item }) {
    const found = [];
    let wide = 0;
    for (const [width, colorScheme] of [[1440, "light"], [390, "dark"]]) {
      const { page, context } = await opened(address, { bypassCSP: true, viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
      await page.evaluate(axe);
      for (const name of views) {
        await view(page, name);
        if (name === "Items" && item) {
          await page.evaluate((key) => (location.hash = key.startsWith("#") ? key : `#items?item=${encodeURIComponent(key)}`), item);
          await page.waitForSelector(".side");
        }
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        for (const each of violations) found.push(`${name} ${width} ${colorScheme}: ${each.id}: ${each.nodes[0].html.slice(0, 160)} ${each.nodes[0].failureSummary.slice(0, 300)}`);
        if (name === "Items" && item) await page.evaluate(() => (location.hash = "#items"));
      }
      await page.setViewportSize({ width: 320, height: 700 });
      for (const name of views) {
        await view(page, name);
        wide = Math.max(wide, await page.evaluate(() => document.documentElement.scrollWidth));
      }
      await context.close();
    }
    return { found, wide };
  },

  // An item is drawn, without a word in the console.
  async show({ address, item, selectors, pdf }) {
    const { page, wrong, context } = await opened(`${address}#items?item=${encodeURIComponent(item)}`);
    for (const selector of [".item .side", ...selectors]) await page.waitForSelector(selector);
    const found = {};
    for (const selector of selectors) found[selector] = await texts(page, selector);
    wrong.push(...(await untidy(page)));
    if (pdf) found.pdf = (await page.pdf()).length;
    await context.close();
    return { ...found, wrong };
  },

  // A browser that cannot unpack the page shows the headline, and says what it needs.
  async old({ address }) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(() => delete globalThis.DecompressionStream);
    await page.goto(address);
    await page.waitForFunction(() => document.querySelectorAll(".noscript").length > 1);
    const old = await page.$eval("main", (each) => each.textContent);
    await context.close();
    const without = [];
    const poor = await browser.newContext();
    const tab = await poor.newPage();
    await tab.addInitScript(() => delete Array.prototype.at);
    await tab.goto(address);
    // The driver's own way of waiting needs what was taken away.
    while ((await tab.evaluate(() => document.querySelectorAll(".noscript").length)) < 2) await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    without.push(await tab.evaluate(() => document.querySelector("main").textContent));
    await poor.close();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const still = await plain.newPage();
    await still.goto(address);
    without.push(await still.$eval("main", (each) => each.textContent));
    await plain.close();
    return { old, without };
  },

  // Texts that want to be more stay texts.
  async hostile({ address }) {
    const { page, wrong, context } = await opened(address);
    for (const name of ["Breakdowns", "Items", "Errors", "Overview", "Items"]) await view(page, name);
    const shown = [];
    for (let i = 0; i < 6; i += 1) {
      await page.keyboard.press("j");
      await openAt(page, i);
      shown.push(await page.$$eval(".item .text", (all) => all.map((each) => each.textContent.slice(0, 300))));
    }
    const elements = await page.$$eval("img, iframe, object, embed, video, b > script, .item script, a[href^='javascript']", (all) => all.length);
    const before = [...wrong];
    const refused = await page.evaluate(() => {
      try {
        document.body.innerHTML = "<b>x</b>";
        return false;
      } catch {
        return true;
      }
    });
    await context.close();
    return { shown, elements, refused, wrong: before };
  },

  // Classes of edits lead to their items, where each edit can be switched and the drawing follows.
  async repair({ address, name, item }) {
    const { page, wrong, context } = await opened(`${address}#repair`);
    const classes = await page.$$eval(".repair tbody tr", (rows) => rows.map((each) => [...each.querySelectorAll("th, td.number")].map((cell) => cell.textContent)));
    const plan = await page.$$eval(".plan tbody tr", (rows) => rows.map((each) => each.textContent));
    const said = [await texts(page, ".lead"), await texts(page, ".notices li")];
    const plots = await page.$$eval(".repair .interval", (all) => all.map((each) => ["circle cx", ".range x1", ".range x2", ".zero x1"].map((place) => Number.parseFloat(each.querySelector(place.split(" ")[0])?.getAttribute(place.split(" ")[1])))));
    const orders = [];
    for (const head of ["edits", "gain", "per edit"]) {
      await page.click(`.repair thead button:has-text("${head}")`);
      await settled(page);
      orders.push(await texts(page, ".repair tbody th"));
    }
    await page.click(`.repair button:has-text("${name}")`);
    await page.waitForSelector(".rows .row");
    const rows = await texts(page, ".rows .row .key");
    await page.click(`.rows .row:has-text("${item}")`);
    await page.waitForSelector(".edits");
    const edits = await texts(page, ".edits li");
    const drawings = [await texts(page, ".drawing text")];
    for (const box of await page.$$(".edits input")) {
      await box.click();
      await settled(page);
      drawings.push(await texts(page, ".drawing text"));
    }
    await context.close();
    return { classes, plan, said, plots, orders, edits, rows, drawings, wrong };
  },

  // The repairs of several systems, one at a time.
  async repairs({ address }) {
    const { page, wrong, context } = await opened(address);
    const lead = () => page.$eval(".lead", (each) => each.textContent);
    const choices = await page.$$eval(".toolbar option", (all) => all.map((each) => each.textContent));
    const leads = [];
    for (const index of [0, 1]) {
      await page.locator(".toolbar select").selectOption({ index });
      await settled(page);
      leads.push(await lead());
    }
    await context.close();
    return { choices, leads, wrong };
  },

  // An error that was chosen stands out in the item that has it, whatever the item is.
  async places({ address, errors }) {
    const { page, wrong, context } = await opened(`${address}#items`);
    const found = [];
    for (const [hash, key] of errors) {
      await page.evaluate((text) => (location.hash = text), hash);
      await holds(page, (name) => document.querySelector(".item h2 .key")?.textContent === name && document.querySelector(".item .side"), key);
      await settled(page);
      found.push(await page.$$eval(".item .lit", (all) => all.length));
      wrong.push(...(await untidy(page)));
    }
    await context.close();
    return { found, wrong };
  },

  // Edits are switched on where they are: the output becomes gold. One under the pointer stands out.
  async switching({ address, item, selector }) {
    const { page, wrong, context } = await opened(`${address}#items?item=${item}`);
    await page.waitForSelector(".edits input");
    const shown = () => texts(page, `.outputs ${selector}`);
    const before = await shown();
    await page.hover(".edits li");
    await page.waitForSelector(".outputs .lit");
    await page.click('.edits button:has-text("switch all on")');
    await settled(page);
    const after = await shown();
    const gold = await texts(page, `.gold ${selector}`);
    await context.close();
    return { before, after, gold, wrong };
  },

  // Where a figure comes from: verdict, tables without empty columns, notes.
  async trace({ address }) {
    const { page, wrong, context } = await opened(address);
    await view(page, "Trace");
    const lead = await page.$eval(".lead", (each) => each.textContent.trim());
    const heads = await page.$$eval("main thead tr", (rows) => rows.map((each) => [...each.children].map((cell) => [cell.textContent, cell.className])));
    const rows = await texts(page, "main tbody tr");
    const titles = await texts(page, "main h2");
    const said = await texts(page, "main > .notes p");
    const commands = await texts(page, "main > .notes code");
    await context.close();
    return { lead, heads, rows, titles, said, commands, wrong };
  },

  // What stands around and in an item: where it is in the list, its fields, marks and their partners, words that were searched for.
  async inside({ address, word, long, far, graph, item, large }) {
    const { page, wrong, context } = await opened(`${address}#items?q=${word}`);
    await searched(page, word);
    await page.evaluate(() => {
      globalThis.copied = [];
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void globalThis.copied.push(text) } });
    });
    await holds(page, () => [...document.querySelectorAll(".rows .row")].every((each) => each.querySelector("mark")));
    await page.keyboard.press("j");
    await openAt(page, 0);
    const found = { marked: await texts(page, ".item mark"), legend: await texts(page, ".legend .m"), place: [await texts(page, ".item-head .dim")] };
    await page.click('.item-head [aria-label="Next item"]');
    await openAt(page, 1);
    found.place.push(await texts(page, ".item-head .dim"));
    await page.click('.item-head [aria-label="Previous item"]');
    await openAt(page, 0);
    found.lacking = [await page.$$eval(".outputs .against .caret", (all) => all.length), await page.$$eval(".gold .m.missing", (all) => all.length)];
    await page.hover(".gold .m.changed");
    await page.waitForSelector(".outputs .m.over");
    found.partners = [await texts(page, ".gold .m.over"), await texts(page, ".outputs .m.over")];
    await page.click('.item-head [aria-label="Item in the whole width"]');
    await page.waitForSelector(".bench.wide");
    await page.click('button:has-text("copy address")');
    await holds(page, () => globalThis.copied.length);
    // The address is written a moment later.
    await addressHas(page, "wide=1");
    found.copied = [await page.evaluate(() => globalThis.copied[0]), page.url()];
    await page.click('.item-head [aria-label="Close item"]');
    await holds(page, () => !document.querySelector(".item"));
    await page.click('.filters button:has-text("Clear all filters")');
    await holds(page, () => !document.querySelector(".active-chip"));
    found.all = await count(page);
    // Of a long text, the table shows where the words are.
    const texted = await opened(`${long}#items?q=${far}`, { viewport: { width: 940, height: 800 } });
    await searched(texted.page, far);
    await holds(texted.page, () => document.querySelectorAll(".rows .row").length && [...document.querySelectorAll(".rows .row")].every((each) => each.querySelector("mark")));
    found.begins = await texts(texted.page, ".rows .row .snippet");
    await texted.page.keyboard.press("j");
    await openAt(texted.page, 0);
    found.cut = await texted.page.$$eval(".rows .snippet", (all) => all.filter((each) => each.querySelector("mark").getBoundingClientRect().right > each.getBoundingClientRect().right).length);
    // What was counted, and how graphs are written.
    const drawn = await opened(`${graph}#items?item=${item}`);
    await drawn.page.waitForSelector(".item .drawing");
    for (const each of await drawn.page.$$(".item summary")) await each.click();
    found.counts = await drawn.page.$$eval(".counts tbody tr", (rows) => rows.map((each) => [...each.children].map((cell) => cell.textContent)));
    found.written = await texts(drawn.page, ".notes pre");
    // A graph that is too large to be drawn is a list.
    const listed = await opened(`${large}#items?item=many`);
    await listed.page.waitForSelector(".indented li");
    found.lines = await texts(listed.page, ".indented li");
    wrong.push(...(await untidy(listed.page)));
    found.changed = await texts(listed.page, ".indented .changed");
    for (const each of [texted, drawn, listed]) {
      wrong.push(...each.wrong);
      await each.context.close();
    }
    await context.close();
    return { ...found, wrong };
  },

  // Where marks and carets stand in texts, as brackets; and how texts, spans and the table are laid out.
  async marked({ address, items, spans }) {
    const { page, wrong, context } = await opened(`${address}#items?q=source`);
    await searched(page, "source");
    const found = { texts: {}, titles: {}, beside: {}, sources: new Set() };
    found.rows = await page.$eval(".grid", (each) => each.ariaRowCount);
    for (const item of items) {
      await page.evaluate((key) => (location.hash = `#items?q=source&item=${key}`), item);
      await holds(page, (key) => document.querySelector(".item h2 .key")?.textContent === key && document.querySelector(".item .output"), item);
      await settled(page);
      found.texts[item] = await page.$$eval(".item [data-side]", (all) => {
        const written = (node) => (node.nodeType === 3 ? node.data : node.matches(".caret") ? "‸" : node.matches(".m") ? `[${node.classList[1]} ${node.textContent}]` : [...node.childNodes].map(written).join(""));
        return all.map(written);
      });
      found.titles[item] = await page.$$eval(".item [data-side] .m", (all) => [...new Set(all.map((each) => each.title))]);
      found.beside[item] = (await page.$$(".item .outputs.beside-each-other")).length;
      for (const each of await texts(page, ".item mark")) found.sources.add(each);
    }
    await context.close();
    const other = await opened(`${spans}#items`);
    await figured(other.page);
    await other.page.keyboard.press("j");
    await openAt(other.page, 0);
    found.labels = await texts(other.page, ".outputs .m .tag");
    await other.context.close();
    return { ...found, sources: [...found.sources], wrong: [...wrong, ...other.wrong] };
  },

  // Errors of one kind, of one part, all of them; tables of confusions of other parts and with all labels.
  async kinds({ address, words }) {
    const { page, wrong, context } = await opened(`${words}#errors`);
    const rows = () => page.$$eval(".errors tbody tr", (all) => all.length);
    const found = { at: [await rows()], kinds: {} };
    await page.click('.section button:has-text("Show all")');
    await settled(page);
    found.at.push(await rows());
    for (const kind of ["changed", "missing", "surplus"]) {
      await page.click(`.toolbar .chip:has-text("${kind}")`);
      await settled(page);
      found.kinds[kind] = [[...new Set(await texts(page, ".errors .kind"))], await rows()];
    }
    const other = await opened(`${address}#errors`);
    found.before = await texts(other.page, ".errors tbody tr td:nth-child(2)");
    await other.page.click('.toolbar .chip:has-text("labels")');
    await settled(other.page);
    found.part = [await texts(other.page, ".errors tbody .error-text"), await texts(other.page, "main h2")];
    await context.close();
    await other.context.close();
    return { ...found, wrong: [...wrong, ...other.wrong] };
  },

  // The tables of confusions: one for each part and system, at first with the labels that are confused most.
  async tables({ address }) {
    const { page, wrong, context } = await opened(`${address}#errors`);
    const size = () => page.$eval(".confusions", (each) => [each.rows.length - 1, each.rows[0].cells.length - 1]);
    const choices = await page.$$eval(".section:has(.most) select option", (all) => all.map((each) => each.textContent));
    const before = await texts(page, ".most li");
    await page.locator(".section:has(.most) select").selectOption({ index: 1 });
    await settled(page);
    const after = await texts(page, ".most li");
    const sizes = [await size()];
    await page.click('.section:has(.most) button:has-text("labels")');
    await settled(page);
    sizes.push(await size());
    await context.close();
    return { choices, before, after, sizes, wrong };
  },

  // The author of a parser: which role is confused most, and five such graphs.
  async confused({ address }) {
    const { page, wrong, context } = await opened(address);
    let clicks = 0;
    const click = async (selector) => {
      clicks += 1;
      await page.click(selector);
      await settled(page);
    };
    // The overview names it, too.
    const named = await texts(page, ".most li");
    await click('nav a:has-text("Errors")');
    const said = await page.$eval(".section:has(.confusions) .about", (each) => each.textContent);
    const worst = (await texts(page, ".most li"))[0];
    await click(".most li:first-child button");
    await page.waitForSelector(".rows .row");
    const listed = await count(page);
    const hash = await page.evaluate(() => location.hash);
    await page.goto(address.split("#")[0]);
    await page.click(".most li:first-child button");
    await page.waitForSelector(".rows .row");
    const same = (await page.evaluate(() => location.hash)) === hash;
    const seen = [];
    for (let i = 0; i < 5; i += 1) {
      await page.keyboard.press("j");
      await openAt(page, i);
      seen.push([await row(page), await texts(page, ".item .drawing .lit text")]);
    }
    await context.close();
    return { clicks, said, worst, named, same, listed, seen, wrong };
  },

  // A researcher of translation: the sentences where the second system beats the first by most, from the
  // table of items, and from the overview.
  async beaten({ address, name }) {
    const { page, wrong, context } = await opened(address);
    await page.click('nav a:has-text("Items")');
    await figured(page);
    await page.click(`.chips .chip:has-text("${name} better")`);
    await page.waitForSelector('[aria-sort="ascending"]');
    const order = await texts(page, ".rows .row .key");
    await page.keyboard.press("j");
    await openAt(page, 0);
    const item = { key: await row(page), sides: await texts(page, ".item .side h3"), input: await page.$eval(".item .side .text", (each) => each.textContent) };
    await page.goto(address.split("#")[0]);
    await page.click(`.matrix tbody tr:has(th:has-text("${name}")) .duel`);
    await page.waitForSelector('[aria-sort="descending"]');
    await figured(page);
    const fromOverview = await texts(page, ".rows .row .key");
    await context.close();
    return { order, fromOverview, item, wrong };
  },

  // What leaves the page by the clipboard: figures with their signatures, tables; what is printed; what an address may not say.
  async copied({ address }) {
    const { page, wrong, context } = await opened(address, { acceptDownloads: true });
    await page.evaluate(() => {
      globalThis.copied = [];
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void globalThis.copied.push(text) } });
    });
    for (const kind of ["TSV", "Markdown", "LaTeX"]) await page.click(`.section:has(.systems) .copies button:has-text("${kind}")`);
    await page.click('.section:has(.matrix) .copies button:has-text("TSV")');
    await page.click(".systems .figure");
    await holds(page, () => globalThis.copied.length === 5);
    const copied = await page.evaluate(() => globalThis.copied);
    const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const shades = [await shade()];
    await page.click('button[aria-label="Light or dark"]');
    await settled(page);
    shades.push(await shade());
    await page.emulateMedia({ media: "print" });
    shades.push(await shade());
    const printed = await page.$$eval(".top nav, .controls, .copies, .systems, h1", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.className || each.localName));
    await page.emulateMedia({ media: "screen" });
    // From the matrix to the items of two systems, the second against the first.
    await page.click(".matrix tbody tr:nth-child(2) .duel");
    await figured(page);
    const heads = await texts(page, ".row.head .score .cell");
    await page.keyboard.press("e");
    const csv = await downloaded(page, '.menu-list button:has-text("CSV")');
    await page.evaluate(() => (location.hash = "#items?item=nobody&is=nonsense&a=atlas"));
    await page.waitForSelector(".stale");
    const stale = await page.$eval(".stale", (each) => each.textContent);
    await context.close();
    return { copied, shades, printed, heads, csv, stale, wrong };
  },

  // Ranges, bars of the histogram and the table of right and wrong filter; layers, references and systems are switched.
  async switches({ texts: address, binary, references, pyramid }) {
    const wrong = [];
    const found = {};
    const at = async (where, step) => {
      const { page, wrong: own, context } = await opened(`${where}#items`);
      await figured(page);
      await step(page);
      wrong.push(...own);
      await context.close();
    };
    const chips = (page) => texts(page, ".active-chip");
    await at(address, async (page) => {
      await page.click('.chip:has-text("More filters")');
      await page.fill('input[aria-label="atlas from"]', "80");
      await page.keyboard.press("Tab");
      await page.waitForSelector(".active-chip");
      found.range = [await count(page), await chips(page)];
      await page.click(".active-chip");
      await holds(page, () => !document.querySelector(".active-chip"));
      // The fullest bar of differences.
      const tallest = await page.$$eval(".histogram rect", (all) => all.map((each) => Number(each.getAttribute("height"))).reduce((best, height, i, heights) => (height > heights[best] ? i : best), 0));
      const said = await page.$eval(`.histogram rect:nth-child(${tallest + 1})`, (each) => each.textContent);
      await page.click(`.histogram rect:nth-child(${tallest + 1})`);
      await page.waitForSelector(".active-chip");
      found.bar = [said, await count(page)];
    });
    await at(binary, async (page) => {
      const cells = await texts(page, ".square tbody .chip");
      await page.click(".square tbody tr:nth-child(2) td:nth-child(2) .chip");
      await page.waitForSelector(".active-chip");
      found.square = [cells, await count(page), await texts(page, ".rows .row .score")];
    });
    await at(references, async (page) => {
      await page.keyboard.press("j");
      await openAt(page, 0);
      const layer = () => page.$eval('.layers .chip[aria-pressed="true"]', (each) => each.textContent);
      found.layers = [await layer()];
      await page.keyboard.press("]");
      await holds(page, () => document.querySelector('.layers .chip[aria-pressed="true"]').textContent !== "what differs");
      found.layers.push(await layer());
      await page.keyboard.press("[");
      await holds(page, () => document.querySelector('.layers .chip[aria-pressed="true"]').textContent === "what differs");
      await page.keyboard.press("]");
      await holds(page, () => document.querySelector('.layers .chip[aria-pressed="true"]').textContent !== "what differs");
      const shown = async () => [(await texts(page, ".gold-text .text")).length, (await texts(page, ".outputs .against .m")).length];
      found.references = [await shown()];
      await page.click(".gold-text input");
      await settled(page);
      found.references.push(await shown());
      await page.click('nav a:has-text("Agreement")');
      await page.waitForSelector(".points circle");
      found.points = (await page.$$(".points circle")).length;
      found.disagreement = (await texts(page, "main > .section:last-child tbody tr"))[0];
      await page.click("main > .section:last-child tbody button");
      await page.waitForSelector(".item h2 .key");
      found.disagrees = await page.$eval(".item h2 .key", (each) => each.textContent);
    });
    await at(address, async (page) => {
      await page.keyboard.press("j");
      await openAt(page, 0);
      const against = () => page.$eval(".gold .right", (each) => each.textContent);
      found.against = [];
      for (const key of ["1", "2"]) {
        await page.keyboard.press(key);
        await settled(page);
        found.against.push(await against());
      }
    });
    await at(pyramid, async (page) => {
      await page.keyboard.press("j");
      await page.waitForSelector(".unit");
      found.units = await texts(page, ".unit");
      found.inSummary = await page.$eval(".units h3 .right", (each) => each.textContent);
      await page.click(".unit");
      await page.waitForSelector(".gold-text .m");
      found.contributors = await texts(page, ".gold-text .m");
      found.found = await texts(page, ".outputs .m");
    });
    return { ...found, wrong };
  },

  // A cell of the table of confusions opens its items; a drawing is saved as a file.
  async confusions({ address, item }) {
    const { page, wrong, context } = await opened(`${address}#errors`, { acceptDownloads: true });
    const cells = await page.$$eval(".confusions button", (all) => all.map((each) => [each.title, each.textContent]));
    const heads = [await texts(page, ".confusions tbody th"), await texts(page, ".confusions thead th")];
    await page.keyboard.press("?");
    const keys = await texts(page, ".keys-box dt");
    await page.keyboard.press("Escape");
    await page.locator(".confusions button").last().click();
    await page.waitForSelector(".rows .row");
    const listed = [await count(page), await texts(page, ".active-chip")];
    await page.goto(`${address}#items?item=${item}`);
    await page.waitForSelector(".drawing .save-svg");
    const svg = (await downloaded(page, ".drawing .save-svg")).join("\n");
    const hint = await page.$eval(".item .keys", (each) => each.textContent);
    await context.close();
    return { cells, heads, keys, hint, listed, svg, wrong };
  },

  // Findings in gold: the table, both drawings, the list to review.
  async audit({ address, clean }) {
    const { page, wrong, context } = await opened(`${address}#audit`, { acceptDownloads: true });
    const said = await texts(page, "main > p");
    const voters = await page.$$eval('[aria-label="Systems that vote"] tbody tr', (rows) => rows.map((each) => [...each.children].map((cell) => cell.textContent.trim())));
    await page.locator(".toolbar select").selectOption("label");
    await settled(page);
    const ofKind = await texts(page, ".findings tbody th");
    await page.locator(".toolbar select").selectOption("");
    await settled(page);
    const none = await opened(`${clean}#audit`);
    const empty = [await texts(none.page, "main .lead"), await texts(none.page, ".notices li")];
    await none.context.close();
    const findings = await page.$$eval(".findings tbody tr", (rows) => rows.map((each) => [...each.querySelectorAll("th, td")].map((cell) => cell.textContent.trim())));
    await page.click(".findings tbody tr:nth-child(2) button");
    await page.waitForSelector('[data-finding="1"]');
    const drawings = await page.$$eval("[data-finding] .side", (all) => all.map((each) => [...each.querySelectorAll(".drawing text")].map((text) => text.textContent)));
    const review = (await downloaded(page, 'button:has-text("review")')).map((line) => line.split("\t"));
    const shared = await texts(page, ".shared tbody td");
    await addressHas(page, "finding=1");
    const address2 = page.url();
    await page.click('button:has-text("Open the item")');
    await page.waitForSelector(".item .side");
    const item = await page.$eval(".item h2 span", (each) => each.textContent);
    await context.close();
    return { findings, said, voters, ofKind, empty, drawings, review, shared, address2, item, wrong: [...wrong, ...none.wrong] };
  },

  // Columns can be chosen, and stay in the address.
  async columns({ address }) {
    const { page, wrong, context } = await opened(`${address}#items`);
    await page.waitForSelector(".rows .row");
    const heads = () => texts(page, ".row.head [role=columnheader]");
    const before = await heads();
    await page.click('button:has-text("Columns")');
    await page.click('.menu-list label:has-text("domain")');
    await page.click('.menu-list label:has-text("atlas edit")');
    await settled(page);
    const after = await heads();
    const cells = await page.$$eval(".rows .row:first-child .cell", (all) => all.map((each) => each.textContent));
    await addressHas(page, "edit-distance");
    const other = await opened(page.url());
    await other.page.waitForSelector(".rows .row");
    const again = await texts(other.page, ".row.head [role=columnheader]");
    await context.close();
    await other.context.close();
    return { before, after, again, cells, wrong: [...wrong, ...other.wrong] };
  },

  // A region of the scatter, a group and a relation combine; their parts add up, and the file has these rows.
  async region({ address, group }) {
    const { page, wrong, context } = await opened(`${address}#items`, { acceptDownloads: true });
    await figured(page);
    const { x, y, width, height } = await page.locator(".scatter-box").boundingBox();
    const all = await page.$eval(".count b", (each) => each.textContent);
    await page.mouse.move(x + 0.3 * width, y + 0.9 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.97 * width, y + 0.15 * height, { steps: 4 });
    await page.mouse.up();
    await counts(page, all);
    const inRegion = await count(page);
    const parts = (await texts(page, ".wins .win")).map((text) => Number(text.replace(/ .*/, "").replace(/,/g, "")));
    await page.locator(".filters select").first().selectOption({ label: group });
    await holds(page, (text) => [...document.querySelectorAll(".active-chip")].some((each) => each.textContent.includes(text)), group);
    await page.click(".wins .win:last-child");
    await page.waitForSelector('.win[aria-pressed="true"]');
    await addressHas(page, "is=better");
    await page.click('.row.head button:has-text("item")');
    const listed = await count(page);
    await page.keyboard.press("e");
    const table = (await downloaded(page, '.menu-list button:has-text("TSV")')).map((line) => line.split("\t"));
    const address2 = page.url();
    await context.close();
    return { inRegion, parts, listed, table, address2, wrong };
  },

  // A page without all contents has all rows, and says in three places what it lacks.
  async limited({ address, absent, layered }) {
    const { page, wrong, context } = await opened(address, { acceptDownloads: true });
    const notice = await texts(page, ".notices li");
    await view(page, "Items");
    await page.fill(".search", "q");
    await searched(page, "q");
    const found = await page.$eval(".count", (each) => each.textContent);
    await page.goto(`${address}#items?item=${absent}`);
    await page.waitForSelector(".item .hint");
    const item = await page.$eval(".item .hint", (each) => each.textContent);
    await page.waitForSelector(".row.on .snippet");
    const snippet = await page.$eval(".row.on .snippet", (each) => each.textContent);
    await page.focus(".row.on");
    await page.keyboard.press("e");
    const record = JSON.parse((await downloaded(page, '.menu-list button:has-text("JSON")'))[0]);
    const score = await page.$eval(".row.on .score", (each) => each.textContent);
    await context.close();
    const other = await opened(layered);
    const layers = await texts(other.page, ".notices li");
    wrong.push(...other.wrong);
    await other.context.close();
    return { notice, found, item, snippet, score, record, layers, wrong };
  },

  // Without a pointer: search, items, layers, swap, export, the list of keys.
  async keyboard({ address, word }) {
    const { page, wrong, context } = await opened(address, { acceptDownloads: true });
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("Tab");
    const first = await page.evaluate(() => document.activeElement.className);
    await press("/");
    await holds(page, () => document.activeElement?.classList.contains("search"));
    await page.keyboard.type(word);
    await searched(page, word);
    await press("Escape", "j");
    await openAt(page, 0);
    await press("ArrowDown");
    await openAt(page, 1);
    const rowsWith = (selector) => page.$$eval(`.rows .row${selector}`, (all) => all.map((each) => each.ariaRowIndex));
    const stops = [await rowsWith('[tabindex="0"]'), await rowsWith('[aria-selected="true"]')];
    await press("k");
    await openAt(page, 0);
    const item = await row(page);
    const heads = () => texts(page, ".row.head .score .cell");
    const before = await heads();
    await press("x");
    await holds(page, (text) => document.querySelector(".row.head .score .cell").textContent !== text, before[0]);
    const after = await heads();
    await press("w");
    await page.waitForSelector(".bench.wide");
    await press("w", "?");
    await page.waitForSelector("dialog[open]");
    await press("Escape");
    await holds(page, () => !document.querySelector("dialog"));
    await press("e");
    await holds(page, () => document.activeElement?.matches(".menu-list button"));
    const [download] = await Promise.all([page.waitForEvent("download"), press("Tab", "Enter")]);
    const file = download.suggestedFilename();
    await press("Escape");
    await holds(page, () => !document.querySelector(".item"));
    // A row that has the focus opens with Enter.
    await page.$eval(".rows .row", (each) => each.focus());
    await press("Enter");
    await openAt(page, 0);
    await context.close();
    return { first, item, stops, before, after, file, wrong };
  },

  // Pages of nothing, of one item, of repeated ids and undefined scores: every view opens.
  async odd({ addresses }) {
    const found = {};
    for (const [name, address] of Object.entries(addresses)) {
      const { page, wrong, context } = await opened(address);
      for (const each of await texts(page, "nav a")) await view(page, each);
      await view(page, "Items");
      found[name] = { keys: await texts(page, ".rows .row .key"), scores: await texts(page, ".rows .row .score"), count: await count(page) };
      found[name].sets = await texts(page, '.controls .choice:has-text("Set of items") option');
      if (found[name].sets.length) {
        await page.selectOption('.controls .choice:has-text("Set of items") select', { index: 1 });
        await holds(page, (key) => ![null, undefined, key].includes(document.querySelector(".rows .row .key")?.textContent), found[name].keys[0]);
        found[name].others = await texts(page, ".rows .row .key");
      }
      if (found[name].count) {
        await page.keyboard.press("j");
        await page.waitForSelector(".item");
      }
      found[name].said = await texts(page, ".strip .small");
      await context.close();
      found[name].wrong = wrong;
    }
    return { found, wrong: Object.values(found).flatMap((each) => each.wrong) };
  },

  // A served page answers how good systems are on a selection.
  async served({ address }) {
    const { page, wrong, context } = await opened(address);
    await view(page, "Items");
    await figured(page);
    const all = await page.$eval(".count b", (each) => each.textContent);
    await page.click('.chip:has-text("better")');
    await counts(page, all);
    const rows = await texts(page, ".rows .row .key");
    await page.click('button:has-text("Score this selection")');
    const answer = await page.waitForSelector("[data-answer]");
    const said = await answer.textContent();
    await page.click('.chips .chip:has-text("all")');
    await page.fill(".search", "zeppelin");
    await searched(page, "zeppelin");
    const hits = await texts(page, ".rows .row .key");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.waitForSelector(".item form");
    await page.fill(".item form input", "bleu(lowercase=True)");
    await page.click('.item form button');
    await page.waitForSelector("[data-rescored]");
    const rescored = await texts(page, "[data-rescored] h3");
    const signature = await page.$eval(".item code", (each) => each.textContent);
    await page.fill(".item form input", "no-such-metric");
    await page.click('.item form button');
    await page.waitForSelector(".item .stale");
    const refused = await page.$eval(".item .stale", (each) => each.textContent);
    await context.close();
    return { rows, said, hits, rescored, signature, refused, wrong: wrong.filter((each) => !each.includes("400")) };
  },
};

// Flows mostly wait: some are done side by side, each in pages of its own.
const left = Object.entries(plan.flows);
const doAll = async () => {
  for (let next = left.shift(); next; next = left.shift()) {
    const [name, [flow, options]] = next;
    try {
      results[name] = await flows[flow](options);
    } catch (error) {
      results[name] = { failed: String(error.stack ?? error) };
    }
  }
};
await Promise.all([doAll(), doAll(), doAll()]);
await browser.close();
assert.ok(Object.keys(results).length);
process.stdout.write(JSON.stringify(results));
