// Drives a page of many items in Chromium, and prints what each step took as JSON: seconds by the clock, and of the
// page's main thread. Reads a plan: { modules, chromium, address, word }.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const plan = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const { chromium } = createRequire(plan.modules + "/")("playwright-core");
const browser = await chromium.launch({ executablePath: plan.chromium, args: ["--no-sandbox", "--js-flags=--expose-gc"] });
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true })).newPage();
const session = await page.context().newCDPSession(page);
await session.send("Performance.enable", { timeDomain: "threadTicks" });

const figures = {};
const worked = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;

/** Runs a step in the page until what it leads to is painted. */
async function timed(name, step, argument, done, known) {
  const before = await worked();
  const seconds = await page.evaluate(
    async ([what, value, holds, old]) => {
      const [act, isDone] = [what, holds].map((text) => globalThis.eval(`(${text})`));
      const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const begin = performance.now();
      act(value);
      do await painted();
      while (!isDone(old));
      return (performance.now() - begin) / 1000;
    },
    [String(step), argument, String(done), known],
  );
  figures[name] = [seconds, (await worked()) - before];
}

const press = (text) => [...document.querySelectorAll(".chips .chip, .row.head button")].find((each) => each.textContent.includes(text)).click();
const type = (text) => {
  const box = document.querySelector(".search");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
};
const key = (name) => window.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
const shownCount = () => page.$eval(".count b", (each) => each.textContent);
const differs = (text) => document.querySelector(".count b").textContent !== text && !document.querySelector(".count").textContent.includes("searching");
const firstKey = () => page.$eval(".rows .row .key", (each) => each.textContent);
const moved = (text) => document.querySelector(".rows .row .key").textContent !== text;
const opened = (text) => document.querySelector(".item h2")?.textContent !== text && !!document.querySelector(".item .outputs");

const before = await worked();
const begin = performance.now();
await page.goto(`${plan.address}#items`, { waitUntil: "commit" });
await page.waitForFunction(() => document.querySelector(".rows .row .score")?.textContent, null, { polling: "raf" });
figures.table = [(performance.now() - begin) / 1000, (await worked()) - before];
await page.waitForFunction(() => [...document.querySelectorAll(".rows .snippet")].every((each) => each.textContent.length > 3), null, { polling: "raf" });
figures.texts = [(performance.now() - begin) / 1000, (await worked()) - before];

const count = await shownCount();
await timed("filter", press, "better", differs, count);
await timed("unfilter", press, "all", differs, await shownCount());
await timed("sort", press, "Δ", moved, await firstKey());
await timed("sort again", press, "Δ", moved, await firstKey());

await timed("next", key, "j", opened, "");
const steps = [];
for (let i = 0; i < 9; i += 1) {
  await timed("next", key, "j", opened, await page.$eval(".item h2", (each) => each.textContent));
  steps.push(figures.next);
}
// Some have to unpack their texts first.
figures.next = [0, 1].map((i) => steps.map((each) => each[i]).sort((a, b) => a - b)[steps.length >> 1]);

for (const [name, word] of [["search", plan.word], ["search again", plan.other]]) {
  await timed(name, type, word, differs, count);
  await timed("cleared", type, "", (text) => document.querySelector(".count b").textContent === text, count);
}

// A wheel that turns, here and over a box that holds nothing but its height: the longest time between two frames, and
// the most CPU time that a task kept the thread from the next one. On a shared machine a frame waits for a processor
// more often than for the page, so both are scrolled in turns and the round that was disturbed least counts.
const ROUNDS = 5;
async function scrolled(tab) {
  await tab.bringToFront();
  const traced = await tab.context().newCDPSession(tab);
  const events = [];
  traced.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const categories = ["devtools.timeline", "disabled-by-default-devtools.timeline"];
  await traced.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: categories } });
  const frames = tab.evaluate(
    () =>
      new Promise((resolve) => {
        const gaps = [];
        let last = performance.now();
        const frame = (now) => {
          gaps.push(now - last);
          last = now;
          if (gaps.length < 90) requestAnimationFrame(frame);
          else resolve(gaps.slice(1));
        };
        requestAnimationFrame(frame);
      }),
  );
  const box = await tab.$eval(".grid-box", (each) => each.getBoundingClientRect().toJSON());
  await tab.mouse.move(box.x + 200, box.y + 200);
  let rolling = true;
  void frames.then(() => (rolling = false));
  while (rolling) await tab.mouse.wheel(0, 900);
  const gaps = await frames;
  const complete = new Promise((resolve) => traced.once("Tracing.tracingComplete", resolve));
  await traced.send("Tracing.end");
  await complete;
  await traced.detach();
  const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
  const first = events.filter(({ name }) => name === "FireAnimationFrame").sort((a, b) => a.ts - b.ts)[0];
  const tasks = events.filter((each) => threadOf(each) === threadOf(first) && each.name === "RunTask" && each.ts >= first.ts);
  return [Math.max(...gaps) / 1000, Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1e6))];
}
const control = await page.context().newPage();
const { width, height } = await page.$eval(".grid-box", (each) => each.getBoundingClientRect().toJSON());
await control.setContent(`<div class="grid-box" style="width: ${width}px; height: ${height}px; overflow: auto"><div style="height: 3400000px; background: repeating-linear-gradient(#fff 0 33px, #ddd 33px 34px)">`);
const rounds = { frame: [], control: [] };
for (let i = 0; i < ROUNDS; i += 1) {
  await page.$eval(".grid-box", (each) => each.scrollTo(0, 0));
  rounds.frame.push(await scrolled(page));
  rounds.control.push(await scrolled(control));
}
for (const [name, found] of Object.entries(rounds)) figures[name] = [0, 1].map((i) => Math.min(...found.map((each) => each[i])));
await page.bringToFront();

await session.send("HeapProfiler.collectGarbage");
const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
figures.heap = [(usedSize + backingStorageSize) / 1e6, usedSize / 1e6];
await browser.close();
process.stdout.write(JSON.stringify(figures));
