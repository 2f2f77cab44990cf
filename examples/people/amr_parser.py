"""An AMR parser under development: Smatch, the role it confuses most, its worst graphs, a page.

pip install karat
python people/amr_parser.py           (in the folder examples)
"""

from __future__ import annotations

from collections import Counter

import karat

GOLD, PARSED = "amr/gold.amr", "amr/parsed.amr"

# 1. How good is it? The mapping of variables is the best there is, not the best one found.
smatch = karat.evaluate("smatch", PARSED, GOLD)
scores, interval = smatch.scores(), smatch.confidence()["f"]
print(f"Smatch {scores['f']:.3f}  [{interval.low:.3f}, {interval.high:.3f}]")
print(f"proven to be the best for all but {smatch.inexact} of {scores['n']} graphs")

# 2. In which respect? Tops, labels, properties and edges apart.
mrp = karat.evaluate("mrp", PARSED, GOLD)
for part in ("tops", "labels", "properties", "edges"):
    print(f"{part:11} {mrp.scores()[part]['f']:.3f}")

# 3. Which role is confused most? Nodes correspond, and gold has one role, the parser another.
golds = {graph.id: graph for graph in karat.read(GOLD)}
metric = karat.parse("smatch")
confused: Counter[tuple[str, str]] = Counter()
for graph in karat.read(PARSED):
    found = metric.explain(graph, golds[graph.id])
    partner = dict(found["correspondences"])
    surplus = {tuple(ends): role for role, *ends in found["surplus"] if role != "instance"}
    for role, *ends in found["missing"]:
        other = surplus.get(tuple(partner.get(end) for end in ends))
        if role != "instance" and other:
            confused[role, other] += 1
for (gold, ours), times in confused.most_common(3):
    print(f"{gold} parsed as {ours}: {times} times")

# 4. The five worst graphs.
worst = sorted(zip(smatch.ids, smatch.per_item(), strict=True), key=lambda each: each[1]["f"])
for name, item in worst[:5]:
    print(f"{item['f']:.3f}  {name}  {golds[name].input}")

# 5. All of it as a page to click through: drawings of both graphs with what differs in colour.
karat.report([mrp], "parser.html")
