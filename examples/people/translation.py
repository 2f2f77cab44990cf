"""Two translation systems for a paper: scores, a paired test, a table, and where they differ.

pip install 'karat[text]' pandas
python people/translation.py          (in the folder examples)
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import karat
from karat.report.exports import ranking_latex

# One row for each sentence, as it comes from a spreadsheet or a data set.
names = ("careful", "hasty", "gold")
frame = pd.DataFrame(
    {name: Path(f"translation/{name}.txt").read_text("utf-8").splitlines() for name in names}
)
frame["length"] = ["short" if len(text.split()) < 13 else "long" for text in frame["gold"]]

# 1. How good is each system, and how sure are we?
for metric in ("bleu", "chrf"):
    for system in ("careful", "hasty"):
        run = karat.evaluate(metric, frame, system=system, gold="gold")
        sure = run.confidence()[metric]
        print(
            f"{system:8} {metric:5} {run.scores()[metric]:6.2f}  [{sure.low:.2f}, {sure.high:.2f}]"
        )

# 2. Is one better? A paired test on the same sentences; * in the table marks what is significant.
rankings = [
    karat.compare(metric, frame, system=["careful", "hasty"], gold="gold")
    for metric in ("bleu", "chrf")
]
for ranking in rankings:
    difference = ranking.comparisons[0][ranking.score]
    print(f"{ranking.score}: {difference.difference:+.2f}, p = {difference.p_value:.4f}")
Path("table.tex").write_text(ranking_latex(rankings), encoding="utf-8")

# 3. Which sentences differ most? Results are frames too, a row for each sentence.
careful, hasty = (
    karat.evaluate("chrf", frame, system=system, gold="gold", by="length")
    for system in ("careful", "hasty")
)
frame["difference"] = careful.to_pandas()["chrf"] - hasty.to_pandas()["chrf"]
for row in frame.nlargest(3, "difference").itertuples():
    print(f"\n{row.difference:+.1f}  gold     {row.gold}")
    print(f"{'':7}careful  {row.careful}")
    print(f"{'':7}hasty    {row.hasty}")

# 4. Is it the long ones?
print()
for length, scores in hasty.by("length").items():
    print(f"hasty, {length} sentences: chrF {scores['chrf']:.2f}")
