"""Gathers the pages of the site: those of docs/, CHANGELOG.md and CONTRIBUTING.md, and a page for every input file.

Usage: prepare.py SOURCE FOLDER. FOLDER gets mkdocs.yml and pages/.
"""

import re
import shutil
import sys
from pathlib import Path

MOVED = {"CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}  # pages that are not in docs/
KATEX = Path("/usr/share/javascript/katex")


def page_of(target):
    """The page of the site that stands for a file outside of docs/, or None."""
    if target in MOVED:
        return MOVED[target]
    if target.startswith("inputs/") and target.endswith(".toml"):
        return target.removesuffix(".toml") + ".md"
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return None


def relinked(text, page, source):
    """The text of a page with its relative links to files of the repository turned into links to pages of the site.

    page is its place in the repository, "docs/howto/robot.md"; a link to a file that has no page becomes plain text.
    """
    here = page_of(page) or page

    def replace(match):
        label, link = match.groups()
        if link is None:  # code
            return match.group(0)
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not path:
            return match.group(0)
        target = (source / page).parent.joinpath(path).resolve().relative_to(source.resolve()).as_posix()
        if not (source / target).exists():
            raise SystemExit(f"{page}: the link {link} leads nowhere")
        there = page_of(target)
        if there is None:
            return label
        up = "../" * here.count("/")
        return f"[{label}]({up}{there}{'#' + anchor if anchor else ''})"

    fence, link, code = r"^```.*?^```$", r"(?<!!)\[((?:`[^`\n]*`|[^\[\]`])*)\]\(([^)\s]+)\)", r"`[^`\n]*`"
    return re.sub(f"{fence}|{link}|{code}", replace, text, flags=re.MULTILINE | re.DOTALL)



def main(source, folder):
    pages = folder / "pages"
    pages.mkdir(parents=True)
    shutil.copy(source / "scripts/site/mkdocs.yml", folder)
    for file in sorted((source / "docs").rglob("*")):
        copy = pages / file.relative_to(source / "docs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            copy.write_text(relinked(file.read_text(), file.relative_to(source).as_posix(), source))
        elif file.is_file():
            shutil.copy(file, copy)
    for file, page in MOVED.items():
        (pages / page).write_text(relinked((source / file).read_text(), file, source))
    for file in sorted((source / "inputs").rglob("*.toml")):
        page = pages / page_of(file.relative_to(source).as_posix())
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"# {file.name}\n\n```toml\n{file.read_text()}```\n")
    shutil.copytree(source / "scripts/site", pages / "site", ignore=shutil.ignore_patterns("*.py", "*.yml", "__pycache__"))
    shutil.copytree(KATEX, pages / "site/katex", ignore=shutil.ignore_patterns("contrib", "*.mjs", "katex.js", "katex.css"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
