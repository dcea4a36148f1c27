"""A project of one tool, and the faults planted in it one at a time."""

import dataclasses


@dataclasses.dataclass
class Fault:
    id: str
    # What the excerpt of this fault's log must contain.
    says: str
    # regression, flake or infra.
    kind: str = "regression"
    # Files by path: a pair is replaced in the project's file, a text is the whole file.
    edits: dict = dataclasses.field(default_factory=dict)
    command: str = ""

    def changed(self, files: dict) -> dict:
        changed = dict(files)
        for path, edit in self.edits.items():
            if isinstance(edit, str):
                changed[path] = edit
                continue
            old, new = edit
            assert old in changed[path], f"{self.id}: {old!r} is not in {path}"
            changed[path] = changed[path].replace(old, new)
        return changed


@dataclasses.dataclass
class Project:
    tool: str
    name: str
    files: dict
    command: str
    faults: list
    colour: bool = False
