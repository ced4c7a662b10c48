"""Lets the search of the site work in pages that are opened as files, where a browser lets no script read other files.

Usage: finish.py SITE. The index of the search and its worker become a script, which every page loads.
"""

import json
import re
import sys
from pathlib import Path


def main(site):
    index = json.loads((site / "search/search_index.json").read_text())
    (worker,) = (site / "assets/javascripts/workers").glob("search.*.min.js")
    code = re.sub(r"\n//# sourceMappingURL.*", "", worker.read_text())
    (site / "search/offline.js").write_text(
        f"var __search = {{index: Promise.resolve({json.dumps(index)}),\n"
        f'  worker: URL.createObjectURL(new Blob([{json.dumps(code)}], {{type: "text/javascript"}}))}};\n'
    )
    for page in site.rglob("*.html"):
        up = "../" * len(page.relative_to(site).parent.parts) or "./"
        text = page.read_text()
        page.write_text(re.sub(r'(<script src="[^"]*assets/javascripts/bundle)', rf'<script src="{up}search/offline.js"></script>\1', text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
