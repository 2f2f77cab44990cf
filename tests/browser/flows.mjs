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
const settled = (page) => page.waitForTimeout(60);
const row = (page) => page.$eval(".row.on .key", (each) => each.textContent);
const count = (page) => page.$eval(".count b", (each) => Number(each.textContent.replace(/,/g, "")));
const view = async (page, name) => {
  await page.click(`nav a:has-text("${name}")`);
  await settled(page);
};

const flows = {
  // Every number of overview and breakdowns, as it is shown.
  async figures({ address }) {
    const { page, wrong, context } = await opened(address);
    const found = { headline: await page.$eval("h1", (each) => each.textContent) };
    found.systems = await page.$$eval(".systems tbody tr", (rows) =>
      rows.map((each) => ({ name: each.querySelector(".word").textContent, cells: [...each.querySelectorAll("td.number")].map((cell) => [...cell.children].map((part) => part.textContent)) })),
    );
    found.duels = await texts(page, ".duel");
    await page.click("summary");
    found.scores = await texts(page, ".scores tbody tr");
    await view(page, "Breakdowns");
    found.groups = await page.$$eval(".forest tbody tr", (rows) => rows.map((each) => [...each.querySelectorAll("th, td.number")].map((cell) => cell.textContent)));
    await view(page, "Items");
    found.rows = await page.$$eval(".rows .row", (rows) => rows.map((each) => [...each.querySelectorAll(".key, .score")].map((cell) => cell.textContent)));
    await context.close();
    return { ...found, wrong };
  },

  // From the headline to a group, its items, the largest difference, three further, and the same in a new tab.
  async wander({ address, group }) {
    const { page, wrong, context } = await opened(address, { acceptDownloads: true });
    await page.click(`.forest button:has-text("${group}")`);
    await page.waitForSelector(".rows .row");
    const inGroup = await count(page);
    await page.click('.row.head button:has-text("Δ")');
    await settled(page);
    for (let i = 0; i < 4; i += 1) await page.keyboard.press("j");
    await settled(page);
    const item = await row(page);
    await page.waitForTimeout(500);
    const address2 = page.url();
    const other = await opened(address2);
    await other.page.waitForSelector(".row.on");
    const same = { item: await row(other.page), count: await count(other.page), chips: await texts(other.page, ".active-chip") };
    // Parts of the selection add up to it.
    const parts = [];
    for (const each of await page.$$(".wins .win")) parts.push(Number((await each.textContent()).replace(/.* · /, "").replace(/,/g, "")));
    // The file has these rows, in this order.
    const order = await texts(page, ".rows .row .key");
    await page.keyboard.press("e");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click('.menu-list button:has-text("Ids")')]);
    const ids = readFileSync(await download.path(), "utf-8").trim().split("\n");
    await page.keyboard.press("e");
    const [tsv] = await Promise.all([page.waitForEvent("download"), page.click('.menu-list button:has-text("TSV")')]);
    const table = readFileSync(await tsv.path(), "utf-8").trim().split("\n").map((line) => line.split("\t"));
    await page.keyboard.press("e");
    const [lines] = await Promise.all([page.waitForEvent("download"), page.click('.menu-list button:has-text("JSON")')]);
    const records = readFileSync(await lines.path(), "utf-8").trim().split("\n").map((line) => JSON.parse(line));
    await page.goBack();
    await settled(page);
    const before = await row(page);
    await context.close();
    await other.context.close();
    return { inGroup, item, same, parts, order, ids, table, records, before, wrong: [...wrong, ...other.wrong] };
  },

  // A word that only an output has; an error and its items, each of which shows the mark.
  async seek({ address, word, error }) {
    const { page, wrong, context } = await opened(address);
    await page.keyboard.press("/");
    await page.waitForSelector(".search");
    await page.waitForTimeout(50);
    await page.keyboard.type(word);
    await page.waitForFunction(() => !document.querySelector(".count").textContent.includes("searching"));
    await page.waitForTimeout(400);
    const hits = await texts(page, ".rows .row .key");
    await page.keyboard.press("Escape");
    await view(page, "Errors");
    const line = page.locator(`.errors tbody tr:has-text("${error}")`).first();
    const times = await line.locator("button").first().textContent();
    await line.locator("button").first().click();
    await page.waitForSelector(".rows .row");
    await settled(page);
    const listed = await count(page);
    const marked = [];
    for (let i = 0; i < Math.min(listed, 5); i += 1) {
      await page.keyboard.press("j");
      await settled(page);
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
          await page.evaluate((key) => (location.hash = `#items?item=${encodeURIComponent(key)}`), item);
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
    await page.waitForSelector(".item .side");
    await settled(page);
    const found = {};
    for (const selector of selectors) found[selector] = await texts(page, selector);
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
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const still = await plain.newPage();
    await still.goto(address);
    const without = await still.$eval("main", (each) => each.textContent);
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
      await page.waitForTimeout(80);
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
    await page.click(`.repair button:has-text("${name}")`);
    await page.waitForSelector(".rows .row");
    const rows = await texts(page, ".rows .row .key");
    await page.click(`.rows .row:has-text("${item}")`);
    await page.waitForSelector(".edits");
    const drawings = [await texts(page, ".drawing text")];
    for (const box of await page.$$(".edits input")) {
      await box.click();
      await settled(page);
      drawings.push(await texts(page, ".drawing text"));
    }
    await context.close();
    return { classes, plan, rows, drawings, wrong };
  },

  // Findings in gold: the table, both drawings, the list to review.
  async audit({ address }) {
    const { page, wrong, context } = await opened(`${address}#audit`, { acceptDownloads: true });
    const findings = await page.$$eval(".findings tbody tr", (rows) => rows.map((each) => [...each.querySelectorAll("th, td")].map((cell) => cell.textContent.trim())));
    await page.click(".findings tbody tr:nth-child(2) button");
    await page.waitForSelector('[data-finding="1"]');
    const drawings = await page.$$eval("[data-finding] .side", (all) => all.map((each) => [...each.querySelectorAll(".drawing text")].map((text) => text.textContent)));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click('button:has-text("review")')]);
    const review = readFileSync(await download.path(), "utf-8").trim().split("\n").map((line) => line.split("\t"));
    const shared = await texts(page, ".shared tbody td");
    await page.waitForTimeout(500);
    const address2 = page.url();
    await page.click('button:has-text("Open the item")');
    await page.waitForSelector(".item .side");
    const item = await page.$eval(".item h2 span", (each) => each.textContent);
    await context.close();
    return { findings, drawings, review, shared, address2, item, wrong };
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
    await page.waitForTimeout(500);
    const other = await opened(page.url());
    await other.page.waitForSelector(".rows .row");
    const again = await texts(other.page, ".row.head [role=columnheader]");
    await context.close();
    await other.context.close();
    return { before, after, again, cells, wrong: [...wrong, ...other.wrong] };
  },

  // A served page answers how good systems are on a selection.
  async served({ address }) {
    const { page, wrong, context } = await opened(address);
    await view(page, "Items");
    await page.click('.chip:has-text("better")');
    await settled(page);
    const rows = await texts(page, ".rows .row .key");
    await page.click('button:has-text("Score this selection")');
    const answer = await page.waitForSelector("[data-answer]");
    const said = await answer.textContent();
    await page.click('.chips .chip:has-text("all")');
    await page.fill(".search", "zeppelin");
    await page.waitForTimeout(400);
    await page.waitForFunction(() => !document.querySelector(".count").textContent.includes("searching"));
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

for (const [name, [flow, options]] of Object.entries(plan.flows)) {
  try {
    results[name] = await flows[flow](options);
  } catch (error) {
    results[name] = { failed: String(error.stack ?? error) };
  }
}
await browser.close();
assert.ok(Object.keys(results).length);
process.stdout.write(JSON.stringify(results));
