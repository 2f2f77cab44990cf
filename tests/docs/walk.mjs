// Walks the documentation site in a real browser, from disk. Reads a plan, prints what went wrong as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const plan = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const require = createRequire(plan.modules + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8");
const browser = await chromium.launch({ executablePath: plan.chromium, args: ["--no-sandbox"] });

/** A tab, and all that goes wrong in it. */
async function tab(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(60000);
  const page = await context.newPage();
  const wrong = [];
  const say = (what) => wrong.push(`${page.url().split("/").slice(-2).join("/")}: ${what}`);
  page.on("console", (message) => {
    if (/error|warning/.test(message.type())) say(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => say(`error: ${error.message}`));
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== "net::ERR_ABORTED") say(`not found: ${request.url()}`);
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) say(`request: ${request.url()}`);
  });
  return { page, wrong, context };
}

async function visited(pages) {
  const { page, wrong, context } = await tab();
  for (const address of pages) await page.goto(address, { waitUntil: "load" });
  await context.close();
  return wrong;
}

// Every page is opened, by two tabs at a time.
const half = Math.ceil(plan.pages.length / 2);
const wrong = (await Promise.all([visited(plan.pages.slice(0, half)), visited(plan.pages.slice(half))])).flat();

// Main pages, light and dark, wide and narrow.
const violations = [];
for (const look of [{ colorScheme: "light" }, { colorScheme: "dark", viewport: { width: 390, height: 800 } }]) {
  const { page, context } = await tab(look);
  for (const address of plan.looked_at) {
    await page.goto(address);
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const each of found.violations) {
      violations.push(`${address.split("/").pop()} ${look.colorScheme}: ${each.id} (${each.nodes.length}): ${each.nodes[0].html.slice(0, 160)}`);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
    if (wide) violations.push(`${address.split("/").pop()} is wider than ${look.colorScheme} window`);
  }
  await context.close();
}

// Searching leads to a page that has the word.
const search = await tab();
await search.page.goto(plan.home);
await search.page.keyboard.press("/");
await search.page.keyboard.type(plan.word, { delay: 20 });
const hit = search.page.locator("a", { hasText: plan.title }).last();
await hit.waitFor({ timeout: 60000 });
await hit.click();
await search.page.waitForURL((address) => !address.href.startsWith(plan.home), { timeout: 60000 });
await search.page.waitForLoadState();
const found = { address: search.page.url(), heading: await search.page.textContent("h1") };

// The header names the version, and leads to the others.
const version = await search.page.inputValue("select.karat-version");
await search.page.selectOption("select.karat-version", plan.earlier);
await search.page.waitForURL((address) => address.href.includes(`/${plan.earlier}/`), { timeout: 60000 });
const switched = search.page.url();
await search.context.close();
await browser.close();
console.log(JSON.stringify({ wrong: [...wrong, ...search.wrong], violations, found, version, switched }));
