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

// A wheel that turns: the longest time between two frames, and the longest task that kept the thread from the next one.
const events = [];
session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
const categories = ["devtools.timeline", "disabled-by-default-devtools.timeline"];
await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: categories } });
const frames = page.evaluate(
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
const box = await page.$eval(".grid-box", (each) => each.getBoundingClientRect().toJSON());
await page.mouse.move(box.x + 200, box.y + 200);
let rolling = true;
void frames.then(() => (rolling = false));
while (rolling) await page.mouse.wheel(0, 900);
const gaps = await frames;
const traced = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
await session.send("Tracing.end");
await traced;
const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
const thread = threadOf(events.find(({ name }) => name === "FireAnimationFrame"));
const done = events.filter((each) => threadOf(each) === thread).sort((a, b) => a.ts - b.ts);
const begun = done.find(({ name }) => name === "FireAnimationFrame").ts;
const tasks = done.filter(({ name, ts }) => name === "RunTask" && ts >= begun).map(({ tdur = 0 }) => tdur / 1e6);
figures.frame = [Math.max(...gaps) / 1000, Math.max(...tasks)];

await session.send("HeapProfiler.collectGarbage");
const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
figures.heap = [(usedSize + backingStorageSize) / 1e6, usedSize / 1e6];
await browser.close();
process.stdout.write(JSON.stringify(figures));
