#!/usr/bin/env python3
"""validate.py SCHEMA ANSWER...: whether JSON answers of penta keep to the schema, and whether the schema is strict.

Of each answer one copy is made for each object in it, with one more member there: the schema must refuse these, but in
objects whose names are not ours. Names that the answers never had are listed on stdout, so that the test can tell what
it did not see.
"""
import copy
import json
import sys

import jsonschema

# Maps from names that are not ours; below them nothing is tried.
FREE = {"parameters", "standard_errors", "recipe", "values"}
# Maps from our names to objects: what is added must be wrong there, as it is no description of a command.
complaints = 0


def complain(text):
    global complaints
    complaints += 1
    print("validate:", text, file=sys.stderr)


def objects(value, path=()):
    """The paths of all objects; of an array the first and the last element."""
    if isinstance(value, dict):
        yield path
        for key, below in value.items():
            if key not in FREE:
                yield from objects(below, path + (key,))
    elif isinstance(value, list):
        for i in sorted({0, len(value) - 1}) if value else []:
            yield from objects(value[i], path + (i,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def check(validator, name, answer):
    errors = list(validator.iter_errors(answer))
    for error in errors[:3]:
        best = jsonschema.exceptions.best_match([error])
        complain(f"{name}: {'/'.join(map(str, best.absolute_path))}: {best.message[:600]}")
    return not errors


def check_strictness(validator, name, answer):
    """The answers of penta options are large; a command of them stands for all."""
    for path in objects(answer):
        wrong = copy.deepcopy(answer)
        at(wrong, path)["misspelt"] = 1
        if validator.is_valid(wrong):
            complain(f"{name}: the schema takes a member 'misspelt' in /{'/'.join(map(str, path))}")


def names_of(value):
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            if key not in FREE:
                yield from names_of(below)
    elif isinstance(value, list):
        for below in value:
            yield from names_of(below)


def names_in_schema(schema):
    """The members that the schema knows."""
    if isinstance(schema, dict):
        for key, below in schema.items():
            if key == "properties":
                yield from below
            yield from names_in_schema(below)
    elif isinstance(schema, list):
        for below in schema:
            yield from names_in_schema(below)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    seen = set()
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            answer = json.load(file)
        seen.update(names_of(answer))
        if check(validator, name, answer) and answer["command"] != "options":
            check_strictness(validator, name, answer)
    for name in sorted(set(names_in_schema(schema)) - seen):
        print(name)
    return 1 if complaints else 0


sys.exit(main())
