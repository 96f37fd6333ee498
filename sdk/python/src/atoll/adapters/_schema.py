"""What adapters of frameworks that want pydantic models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Literal, Optional, Type

from pydantic import BaseModel, Field, create_model

if TYPE_CHECKING:
    from .tools import Tool


def arguments_model(tool: Tool) -> Type[BaseModel]:
    """The arguments of a tool as a pydantic model, one field for each."""
    fields: Dict[str, Any] = {}
    for name, schema in tool.parameters["properties"].items():
        kind: Any = Literal[tuple(schema["enum"])] if "enum" in schema else str
        said = schema.get("description")
        if name in tool.parameters["required"]:
            fields[name] = (kind, Field(..., description=said))
        else:
            fields[name] = (Optional[kind], Field(None, description=said))
    return create_model(f"{tool.name}_arguments", **fields)


def given(arguments: Dict[str, Any]) -> Dict[str, Any]:
    """Without the arguments that a framework fills with None."""
    return {name: value for name, value in arguments.items() if value is not None}
