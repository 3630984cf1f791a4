"""Reads the C2PA manifests of files: for each path on a line of input, a line of JSON; null for a file without a manifest."""

import json
import sys

from c2pa import C2paError, Reader


def judge(path: str) -> dict | None:
    try:
        with Reader(path) as reader:
            store = json.loads(reader.json())
    except C2paError.ManifestNotFound:
        return None
    manifests = store["manifests"]

    def signers(label: str | None) -> list[str]:
        """Reads a manifest and its ingredients, down to the first."""
        manifest = manifests.get(label)
        if manifest is None:
            return []
        mine = manifest["signature_info"]["common_name"]
        return [mine] + [
            name for each in manifest.get("ingredients", []) for name in signers(each.get("active_manifest"))
        ]

    failures = store.get("validation_status", [])
    return {
        "state": store["validation_state"],
        "signers": signers(store["active_manifest"]),
        "failures": [status["code"] for status in failures],
    }


for line in sys.stdin:
    print(json.dumps(judge(line.rstrip("\n"))), flush=True)
