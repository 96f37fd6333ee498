"""As much of JSON Schema as the settings of srt use; anything else in a schema is an error."""
KNOWN = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "minLength",
         "minItems", "minimum", "maximum", "format"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}


def problems(value, schema, at=""):
    """One line for each way in which the value is not as the schema says."""
    if not KNOWN.issuperset(schema):
        raise ValueError(f"{at}: the schema says {sorted(set(schema) - KNOWN)}")
    wanted = TYPES.get(schema.get("type"), object)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        return [f"{at} must be of type {schema['type']}"]
    found = []
    if "anyOf" in schema and all(problems(value, one, at) for one in schema["anyOf"]):
        found.append(f"{at} is none of what it may be")
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        found.append(f"{at} has a wrong value")
    if isinstance(value, (str, list)) and len(value) < max(schema.get("minLength", 0), schema.get("minItems", 0)):
        found.append(f"{at} is too short")
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{at} is out of range")
    if isinstance(value, list):
        for index, one in enumerate(value):
            found += problems(one, schema.get("items", {}), f"{at}/{index}")
    if isinstance(value, dict):
        found += [f"{at}/{name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, one in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            found += [f"{at}/{name} is unknown"] if rule is False else problems(one, rule, f"{at}/{name}")
    return found
