#!/bin/sh
# Two language models by the logs of the LM evaluation harness (lm_eval --log_samples), unchanged.
#
#     pip install karat
#     sh people/language_models.sh           (in the folder examples)
set -eu
old=logs/samples_reading_old.jsonl new=logs/samples_reading_new.jsonl

# 1. How good is each? Six questions share a passage: a passage, not a question, is what was drawn
#    at random, so the intervals are over passages.
karat evaluate scores -s $old $new --cluster passage

# 2. Is one better? A paired test on the same questions, passages kept whole.
karat compare scores -s $old $new --cluster passage

# 3. May the new model replace the old one, if it may lose two points at most?
#    0: not worse, 1: worse, 3: too few questions to tell (and how many would do).
status=0
karat gate scores -s $old $new --cluster passage --margin 0.02 --markdown verdict.md || status=$?
echo "karat gate says $status"
