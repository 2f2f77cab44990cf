"""The pictures of the workbench in the docs: pages of made-up runs, as Chromium shows them.

Run it after a change of ``web/`` that can be seen. Needs Node, Chromium and the modules that
``scripts/web`` brings; ImageMagick, where it is there, makes the files smaller.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

from karat import evaluate
from karat.report.page import write

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
EXAMPLES = ROOT / "examples" / "amr"

SUBJECTS = (
    "Two engineers", "The old harbour", "A new captain", "Three passengers", "The night crew",
    "The city council", "A green light", "The ferry",
)  # fmt: skip
VERBS = ("repaired", "looked after", "sold", "asked for", "wrote about", "forgot", "found",
         "waited for", "left behind")  # fmt: skip
OBJECTS = ("the spare key", "the north gate", "an old map", "the last letter", "the pump",
           "the morning train", "the wooden boat")  # fmt: skip
PLACES = (
    "near the bridge", "without a word", "on Friday", "before the storm", "in the small office",
    "about noon",
)  # fmt: skip
WORDS = ("night", "boat", "small", "wooden", "after", "before", "sold", "about", "word", "letter")
DOMAINS = ("news", "legal", "chat", "subtitles", "patents", "medical")
OFTEN = {
    "atlas": {"chat": 0.04, "subtitles": 0.08, "legal": 0.2, "patents": 0.18},
    "birch": {"chat": 0.16, "subtitles": 0.15},
    "cedar": {"chat": 0.19, "subtitles": 0.16, "legal": 0.12, "patents": 0.13},
}
"""How often a system has another word, where that is not one in seven, or in nine."""


def runs(folder: Path) -> list[object]:
    """Three systems in six domains, by two metrics."""
    draw = random.Random(5)
    gold = [
        {"id": f"seg-{i}", "domain": draw.choice(DOMAINS),
         "text": " ".join(map(draw.choice, (SUBJECTS, VERBS, OBJECTS, PLACES)))
                 + f" and {draw.choice(VERBS)} {draw.choice(OBJECTS)}."}
        for i in range(2000)
    ]  # fmt: skip
    files = {"gold": gold}
    for system, often in OFTEN.items():
        usual = 0.11 if system == "atlas" else 0.14
        files[system] = [
            {**row, "text": noisy(draw, row["text"], often.get(row["domain"], usual))}
            for row in gold
        ]
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [
        evaluate(metric, system=str(folder / f"{name}.jsonl"), gold=str(folder / "gold.jsonl"))
        for metric in ("bleu", "chrf")
        for name in OFTEN
    ]


def noisy(draw: random.Random, text: str, often: float) -> str:
    """A text with other words, and without some."""
    words = [draw.choice(WORDS) if draw.random() < often else word for word in text.split()]
    return " ".join(word for word in words if draw.random() > often / 3)


SHOOT = """
import { createRequire } from "node:module";
const [modules, executablePath, ...shots] = process.argv.slice(2);
const { chromium } = createRequire(modules + "/")("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
for (const shot of shots) {
  const { address, file, width, height, colorScheme, keys, wait } = JSON.parse(shot);
  const viewport = { width, height };
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 2 });
  await page.goto(address);
  await page.waitForSelector(wait);
  for (const key of keys) {
    if (key.startsWith(".")) await page.click(key);
    else await page.waitForSelector(".rows .row").then(() => page.keyboard.press(key));
  }
  if (keys.length) await page.waitForSelector(".item .outputs");
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: file });
}
await browser.close();
"""


COVER = """<!doctype html>
<style>
  body { margin: 0; width: 1240px; height: 1111px; background: #dfe6f1; position: relative; }
  img { position: absolute; width: 1080px; border-radius: 12px; box-shadow: 0 6px 22px #1c1b1940; }
  .front { left: 136px; top: 520px; }
  .behind { left: 24px; top: 24px; }
</style>
<img class="behind" src="overview.png"><img class="front" src="graph.png">
"""
"""The picture of the README: an answer, and where it comes from."""


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graphs = [
            evaluate("smatch", system=str(EXAMPLES / "parsed.amr"), gold=str(EXAMPLES / "gold.amr"))
        ]
        for page, some in (("texts", runs(folder)), ("graphs", graphs)):
            with (folder / f"{page}.html").open("wb") as stream:
                write(stream, some)  # type: ignore[arg-type]
        (folder / "cover.html").write_text(COVER)
        texts, trees, cover = (
            (folder / f"{page}.html").as_uri() for page in ("texts", "graphs", "cover")
        )
        # The errors of a role, and an item that has it: what an author of a parser does first.
        role = [".most .link", "j", "j"]
        shots = [
            {"file": str(folder / "overview.png"), "address": texts, "width": 1200, "height": 585,
             "colorScheme": "light", "keys": [], "wait": ".duel"},
            {"file": str(folder / "graph.png"), "address": f"{trees}#errors", "width": 1200,
             "height": 630, "colorScheme": "dark", "keys": role, "wait": ".most"},
            {"file": "workbench.png", "address": cover, "width": 1240, "height": 1111,
             "colorScheme": "light", "keys": [], "wait": ".front"},
            {"file": "workbench-items.png", "address": f"{texts}#items?sort=-delta", "width": 1280,
             "height": 800, "colorScheme": "light", "keys": ["j"] * 6, "wait": ".scatter"},
            {"file": "workbench-graph.png", "address": f"{trees}#errors", "width": 1280,
             "height": 620, "colorScheme": "light", "keys": role, "wait": ".most"},
        ]  # fmt: skip
        (folder / "shoot.mjs").write_text(SHOOT)
        subprocess.run(
            ["node", str(folder / "shoot.mjs"), str(ROOT / "web" / "node_modules"), chromium,
             *(json.dumps({**shot, "file": str(IMAGES / str(shot["file"]))}) for shot in shots)],
            check=True,
        )  # fmt: skip
    if shutil.which("mogrify"):
        files = [str(path) for path in IMAGES.glob("workbench*.png")]
        subprocess.run(["mogrify", "-strip", "+dither", "-colors", "255", *files], check=True)


if __name__ == "__main__":
    main()
