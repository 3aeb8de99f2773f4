"""The report table of score files: metrics by tier with intervals over sources, by generator, by kind of genuine picture.

    python -m measure.report --bands ../bands.json --detector full_image_specialist --test NAME=SCORES.csv ... \\
        [--seen sd1.x] [--out report.json]

`--seen` names generators whose family is in training: they are left out of the headline and get rows of their own.
"""
import argparse
import json
from pathlib import Path

import numpy as np

from measure.kinds import PHOTOGRAPHS, ai_group_of, group_of, is_recent
from measure.medium_thresholds import MEDIUMS, Classified, apply_thresholds, is_drawn
from measure.metrics import auc, rate_up, recall_at, source_bootstrap
from measure.score_file import Scores, read_scores

TIERS = ("clean", "web", "hard")


def groups_of(scores: Scores) -> np.ndarray:
    """What the bootstrap draws: genuine pictures by source; AI pictures by source and generator."""
    return np.where(scores.labels == 1, np.char.add(np.char.add(scores.source, " "), scores.generator), scores.source)


def firing(scores: Classified) -> dict:
    """Recall, false alarms and balanced accuracy of what fires; nan of a class without rows."""
    share = lambda label: float(scores.fires[scores.labels == label].mean()) if (scores.labels == label).any() else float("nan")
    return {"recall": round(share(1), 3), "false_alarms": rate_up(share(0)), "balanced_accuracy": round((share(1) + 1 - share(0)) / 2, 3),
            "ai": int(scores.labels.sum()), "genuine": int((1 - scores.labels).sum())}


def tier_metrics(scores: Classified) -> dict:
    """AUC, recall at 1% and 5% false alarms (AUC and 1% with 95% intervals), and what fires of one tier's rows."""
    groups = groups_of(scores)
    of = lambda measure: [round(value, 3) for value in source_bootstrap(
        scores.labels, groups, lambda index: measure(scores.labels[index], scores.score[index]))]
    at_1 = lambda labels, values: recall_at(labels, values, 0.01)
    return {"auc": round(auc(scores.labels, scores.score), 3), "auc_interval": of(auc),
            "recall_at_1": round(at_1(scores.labels, scores.score), 3), "recall_at_1_interval": of(at_1),
            "recall_at_5": round(recall_at(scores.labels, scores.score, 0.05), 3), **firing(scores)}


def ai_by(column: str, scores: Classified) -> dict:
    """For each generator, content or group of kinds of AI pictures, by tier: AUC against all genuine pictures, and recall."""
    table, ai = {}, scores.labels == 1
    values = np.full(len(ai), "", object)
    values[ai] = ai_group_of(scores.kind[ai]) if column == "group" else getattr(scores, column)[ai]
    for value in sorted(set(values[ai])):
        rows = scores.where(~ai | (values == value))
        table[value] = {"count": int(((rows.labels == 1) & (rows.tier == "clean")).sum())}
        for tier in TIERS:
            of_tier = rows.tier == tier
            table[value][tier] = {"auc": round(auc(rows.labels[of_tier], rows.score[of_tier]), 3),
                                  "recall": round(float(rows.fires[of_tier & (rows.labels == 1)].mean()), 3)}
    return table


def false_alarms(scores: Classified, column: str) -> dict:
    """For each kind, source or group of kinds of genuine picture: count, and the share that fires in each tier."""
    genuine = scores.where(scores.labels == 0)
    values = group_of(genuine.kind, genuine.content) if column == "group" else getattr(genuine, column)
    return {value: {"count": int(((values == value) & (genuine.tier == "clean")).sum()),
                    **{tier: rate_up(float(genuine.fires[(values == value) & (genuine.tier == tier)].mean()))
                       for tier in TIERS}} for value in sorted(set(values))}


def by_medium(scores: Classified) -> dict:
    """For each medium that there is, by tier: what fires of pictures that look so."""
    sides = {medium: scores.where(is_drawn(scores.drawn) == (medium == "drawn")) for medium in MEDIUMS} if not np.isnan(scores.drawn).any() else {}
    return {medium: {tier: firing(rows.where(rows.tier == tier)) for tier in TIERS} for medium, rows in sides.items()}


def among_photographs(scores: Scores) -> Scores:
    """AI pictures, and of the genuine ones the photographs alone: the question that is asked most."""
    genuine = scores.labels == 0
    photographs = genuine.copy()
    photographs[genuine] = np.isin(group_of(scores.kind[genuine], scores.content[genuine]), PHOTOGRAPHS)
    return scores.where(photographs | ~genuine)


def report(scores: Classified, seen: set[str]) -> dict:
    """Everything the card states of one score file, judged by the balanced profile."""
    unseen = scores.where(~np.isin(scores.generator, list(seen)))
    recent = unseen.where((unseen.labels == 0) | is_recent(unseen.generator))
    asked_most = among_photographs(recent)
    return {"recent_photographs": {} if asked_most.labels.all() else {
                tier: tier_metrics(asked_most.where(asked_most.tier == tier)) for tier in TIERS},
            "tiers": {tier: tier_metrics(unseen.where(unseen.tier == tier)) for tier in TIERS},
            "media": by_medium(unseen),
            "recent": {tier: tier_metrics(recent.where(recent.tier == tier)) for tier in TIERS},
            "by_generator": ai_by("generator", scores),
            "by_content": ai_by("content", unseen),
            "by_group": ai_by("group", unseen),
            "false_alarms_by_group": false_alarms(scores, "group"),
            "false_alarms_by_kind": false_alarms(scores, "kind"),
            "false_alarms_by_source": false_alarms(scores, "source")}


def markdown(name: str, content: dict) -> str:
    """A report as a table in Markdown; repositories of which nothing fires are one row."""
    lines = [f"| {name} | clean | web | hard |", "|---|---|---|---|"]
    cell = lambda t, key: f"{t[key]:.3f} ({t[key + '_interval'][0]:.2f}-{t[key + '_interval'][1]:.2f})"
    tiers = [content["tiers"][tier] for tier in TIERS]
    lines.append("| AUC | " + " | ".join(cell(t, "auc") for t in tiers) + " |")
    lines.append("| recall at 1% false alarms | " + " | ".join(cell(t, "recall_at_1") for t in tiers) + " |")
    lines.append("| recall at 5% false alarms | " + " | ".join(f"{t['recall_at_5']:.3f}" for t in tiers) + " |")
    lines.append("| balanced accuracy, balanced profile | " + " | ".join(f"{t['balanced_accuracy']:.3f}" for t in tiers) + " |")
    recent = [content["recent"][tier] for tier in TIERS]
    lines.append(f"| generators of 2024 to 2026 ({recent[0]['ai']}): AUC | " + " | ".join(cell(t, "auc") for t in recent) + " |")
    lines.append("| the same: recall at 1% false alarms | " + " | ".join(cell(t, "recall_at_1") for t in recent) + " |")
    if content["recent_photographs"]:
        asked_most = [content["recent_photographs"][tier] for tier in TIERS]
        lines.append("| the same against photographs: AUC | " + " | ".join(cell(t, "auc") for t in asked_most) + " |")
        lines.append("| the same against photographs: recall at 1% | " + " | ".join(cell(t, "recall_at_1") for t in asked_most) + " |")
    lines.append("| recall, balanced profile | " + " | ".join(f"{t['recall']:.3f}" for t in tiers) + " |")
    lines.append("| false alarms, balanced profile | " + " | ".join(f"{rate_up(t['false_alarms'], 3):.3f}" for t in tiers) + " |")
    for medium, by_tier in content["media"].items():
        found = [by_tier[tier] for tier in TIERS]
        lines.append(f"| {medium} ({found[0]['ai']} AI, {found[0]['genuine']} genuine): recall, false alarms, balanced profile | "
                     + " | ".join(f"{t['recall']:.3f}, {rate_up(t['false_alarms'], 3):.3f}" for t in found) + " |")
    for part in ("group", "generator", "content"):
        for value, row in content[f"by_{part}"].items():
            lines.append(f"| {value} ({row['count']}): AUC, recall | " + " | ".join(
                f"{row[tier]['auc']:.3f}, {row[tier]['recall']:.2f}" for tier in TIERS) + " |")
    for part in ("group", "kind", "source"):
        rows = content[f"false_alarms_by_{part}"]
        quiet = [row["count"] for row in rows.values() if part == "source" and not any(row[tier] for tier in TIERS)]
        for value, row in rows.items():
            if part != "source" or any(row[tier] for tier in TIERS):
                lines.append(f"| false alarms, {value} ({row['count']}) | " + " | ".join(f"{rate_up(row[t], 3):.3f}" for t in TIERS) + " |")
        if quiet:
            lines.append(f"| false alarms, {len(quiet)} other repositories ({sum(quiet)}) | none | none | none |")
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bands", type=Path, required=True)
    parser.add_argument("--detector", required=True)
    parser.add_argument("--test", nargs="+", required=True, metavar="NAME=CSV")
    parser.add_argument("--seen", nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    balanced = json.loads(arguments.bands.read_text())["profiles"]["balanced"][arguments.detector]
    contents = {}
    for entry in arguments.test:
        name, path = entry.split("=", 1)
        contents[name] = report(apply_thresholds(read_scores(Path(path)), balanced), set(arguments.seen))
        print(markdown(name, contents[name]) + "\n")
    if arguments.out:
        arguments.out.write_text(json.dumps(contents, indent=1) + "\n")


if __name__ == "__main__":
    main()
