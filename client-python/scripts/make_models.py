"""Makes `telltale_client/models.py` of the service's OpenAPI document:

    python3 client-python/scripts/make_models.py openapi.json > client-python/telltale_client/models.py

datamodel-code-generator (tried: 0.89.0) writes for Python 3.10 and newer, names one of several shapes by a number
(`ScanEntryScanEntry2`, here `ScanEntryError`) and repeats shapes that two places share.
"""

import json
import keyword
import sys
from typing import Any, Dict, List

HEAD = '''"""Shapes of the service, made from its OpenAPI document by scripts/make_models.py: not to be edited."""

from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import NotRequired, TypedDict
'''
PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class Writer:
    """Collects the classes of models.py. A class comes after the classes that it uses."""

    def __init__(self, schemas: Dict[str, Any]) -> None:
        self.schemas = schemas
        self.texts: Dict[str, str] = {}
        #: Class names by the content of the class, so that equal schemas become one class.
        self.names: Dict[str, str] = {}

    def define(self, name: str, schema: Dict[str, Any]) -> str:
        """Returns the type annotation of a schema. A schema with properties becomes a class `name`."""
        if "$ref" in schema:
            target = schema["$ref"].rsplit("/", 1)[1]
            return target if target in self.texts else self.define(target, self.schemas[target])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema['enum']))}]"
        if "anyOf" in schema or "oneOf" in schema:
            return self.union(name, schema)
        if "allOf" in schema:
            merged = self.merge(schema["allOf"])
            return self.define(name, merged[0] if len(merged) == 1 else {"anyOf": merged})
        kind = schema.get("type")
        if isinstance(kind, list):
            of_kinds = [self.define(name, {**schema, "type": one}) for one in kind if one != "null"]
            return f"Optional[{of_kinds[0]}]"
        if kind == "array":
            return f"List[{self.define(name, schema['items'])}]"
        if kind == "object" and schema.get("properties"):
            return self.define_class(name, schema)
        if kind == "object":
            return "Dict[str, Any]"
        return PRIMITIVES.get(kind or "", "Any")

    def union(self, name: str, schema: Dict[str, Any]) -> str:
        options = schema.get("anyOf") or schema["oneOf"]
        shapes = [option for option in options if option.get("properties")]
        names: List[str] = []
        for option in options:
            is_one_of_several = len(shapes) > 1 and option.get("properties")
            names.append(self.define(name + variant_of(option) if is_one_of_several else name, option))
        unique = list(dict.fromkeys(names))
        others = [one for one in unique if one != "None"]
        literals = [one[len("Literal[") : -1] for one in others if one.startswith("Literal[")]
        if len(literals) > 1:
            others = [one for one in others if not one.startswith("Literal[")]
            others.append(f"Literal[{', '.join(literals)}]")
        text = others[0] if len(others) == 1 else f"Union[{', '.join(others)}]"
        return text if len(unique) == len(names) and "None" not in unique else f"Optional[{text}]"

    def merge(self, parts: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Returns schemas with the properties of all parts: several schemas if a part allows several."""
        shapes: List[Dict[str, Any]] = [{"type": "object", "properties": {}, "required": []}]
        for part in parts:
            options = [self.resolve(option) for option in part.get("anyOf", [part])]
            shapes = [
                {
                    "type": "object",
                    "properties": {**shape["properties"], **option.get("properties", {})},
                    "required": shape["required"] + option.get("required", []),
                }
                for shape in shapes
                for option in options
            ]
        return shapes

    def resolve(self, schema: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the schema to which a reference points. Returns other schemas unchanged."""
        return self.schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema

    def define_class(self, name: str, schema: Dict[str, Any]) -> str:
        required = schema.get("required", [])
        shape_of_class = json.dumps([schema["properties"], required], sort_keys=True)
        if shape_of_class in self.names:
            return self.names[shape_of_class]
        self.names[shape_of_class] = name
        # A Python keyword, such as `with`, can't be the name of a class's attribute.
        is_class = not any(map(keyword.iskeyword, schema["properties"]))
        lines: List[str] = []
        for member, shape in schema["properties"].items():
            kind = self.define(name + member.title().replace("_", ""), shape)
            if shape.get("description"):
                lines.append(f"    #: {shape['description']}")
            annotation = kind if member in required else f"NotRequired[{kind}]"
            lines.append(f"    {member}: {annotation}" if is_class else f'    "{member}": {annotation},')
        if not is_class:
            self.texts[name] = f'{name} = TypedDict("{name}", {{\n' + "\n".join(lines) + "\n})"
            return name
        about = schema.get("description")
        body = ([f'    """{about}"""', ""] if about else []) + lines
        self.texts[name] = f"class {name}(TypedDict):\n" + "\n".join(body)
        return name


def variant_of(shape: Dict[str, Any]) -> str:
    """Returns the part of a class name that distinguishes alternatives, such as `Found` and `NotFound`."""
    properties = shape["properties"]
    for member, value in properties.items():
        const = value.get("const")
        if isinstance(const, bool):
            return ("" if const else "Not") + member.title().replace("_", "")
        if isinstance(const, str):
            return "".join(part.title() for part in const.replace(".", "_").split("_"))
    return "Error" if "error" in properties else "Result"


def make_models(document: Dict[str, Any]) -> str:
    """Returns the text of models.py."""
    schemas = document["components"]["schemas"]
    writer = Writer(schemas)
    for name, schema in schemas.items():
        annotation = writer.define(name, schema)
        if name not in writer.texts:
            writer.texts[name] = f"{name} = {annotation}"
    return HEAD + "".join(f"\n\n{text}\n" for text in writer.texts.values())


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(make_models(json.load(file)))
