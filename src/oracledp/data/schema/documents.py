"""Schema files: YAML and JSON in, refusing repeated keys that their parsers would drop silently."""

from __future__ import annotations

import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from oracledp.errors import ParameterError, SchemaError
from oracledp.whole_files import write_whole


def read_document(path: Path) -> Any:
    """The plain content of a schema file: JSON where the name ends so, YAML otherwise."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SchemaError(f"{path.name}: not a UTF-8 text file") from None
    except OSError as error:
        raise SchemaError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        return _read_json(path, text) if path.suffix.lower() == ".json" else _read_yaml(path, text)
    except RecursionError:
        raise SchemaError(f"{path.name}: nested too deeply for a schema") from None


def _read_json(path: Path, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise SchemaError(f"{path.name}: line {error.lineno}: not valid JSON: {error.msg}") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise SchemaError(f"key {key!r} is given twice")
        found[key] = value
    return found


_LINE_ENDS = "\x85\u2028\u2029"


class _StrictLoader(yaml.SafeLoader):
    """The safe loader, but for keys given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise SchemaError(f"line {key_node.start_mark.line + 1}: key {key!r} is given twice")
            seen.add(key)
        return super().construct_mapping(node, deep)

    def construct_moment(self, node: yaml.ScalarNode) -> object:
        """A date or time stamp; one that no calendar has is the text that stands there."""
        try:
            return super().construct_yaml_timestamp(node)
        except ValueError:
            return self.construct_scalar(node)


_StrictLoader.add_constructor("tag:yaml.org,2002:timestamp", _StrictLoader.construct_moment)


def _read_yaml(path: Path, text: str) -> Any:
    try:
        return yaml.load(text, Loader=_StrictLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise SchemaError(f"{path.name}: {line}not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, TypeError):  # a list as a key
        raise SchemaError(f"{path.name}: not valid YAML") from None


def as_yaml(content: dict[str, Any]) -> str:
    """A definition as YAML, a line per column where it fits."""

    def dumped(*, letters: bool) -> str:
        return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=letters, default_flow_style=None, width=110))

    text = dumped(letters=True)  # as they are, unless one of them would be read as the end of a line
    return dumped(letters=False) if any(mark in text for mark in _LINE_ENDS) else text


def write_document(path: Path, content: dict[str, Any]) -> None:
    """Write JSON or YAML by the name's ending, whole or not at all."""
    if path.suffix.lower() == ".json":
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    else:
        text = as_yaml(content)
    try:
        write_whole(path, text)
    except ParameterError as error:
        raise SchemaError(str(error)) from None
