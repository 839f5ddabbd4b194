"""Runs the FOCUS validator on each named file and prints, a file a list, the rules that failed and say something themselves."""

import contextlib
import json
import logging
import os
import sys
from pathlib import Path

import focus_validator
from focus_validator.validator import Validator

# Those of other rules: they fail with what they hold.
COMPOSITES = {"AND", "OR", "CheckModelRule"}

logging.disable(logging.CRITICAL)
# It reads its list of currencies by a path beside its package.
os.chdir(Path(focus_validator.__file__).parents[1])


def findings(file: str) -> dict:
    validator = Validator(
        data_filename=file,
        output_destination=None,
        output_type="console",
        focus_dataset="CostAndUsage",
        rules_version="1.2",
        rules_block_remote_download=True,
        applicability_criteria="ALL",
    )
    with contextlib.redirect_stdout(sys.stderr):
        results = validator.validate()
    found = []
    for rule, result in results.by_rule_id.items():
        details = result["details"] or {}
        criteria = results.rules[rule].validation_criteria
        if result["ok"] or details.get("skipped") or criteria.requirement.get("CheckFunction") in COMPOSITES:
            continue
        found.append({"rule": rule, "rows": details.get("violations"), "says": criteria.must_satisfy})
    found.sort(key=lambda finding: finding["rule"])
    return {"model": results.model_version, "rules": len(results.by_rule_id), "findings": found}


print(json.dumps([findings(file) for file in sys.argv[1:]]))
