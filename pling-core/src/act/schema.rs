//! Arguments of a function tool against its JSON Schema: what is missing, unknown or of the wrong type.
//!
//! Only what a model gets wrong in practice is checked: required and unknown properties, simple types, `enum`
//! and `const`, through objects, arrays and `anyOf`/`oneOf`/`allOf`. The typed arguments of the application have
//! the last word, so everything else (formats, bounds, references) passes here. Messages name the path of what
//! is wrong and never repeat a value.

use serde_json::{Map, Value};

use super::words::{list as list_words, quoted, word};

/// Checks an arguments object against a schema of type `object`; an error is one sentence for a model.
pub(super) fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), String> {
    match schema {
        Value::Object(schema) => check_object(schema, arguments, ""),
        _ => Ok(()),
    }
}

fn check_value(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let schema = match schema {
        Value::Object(schema) => schema,
        Value::Bool(false) => return Err(format!("`{path}` is not taken")),
        _ => return Ok(()),
    };
    if let Some(expected) = schema.get("const")
        && expected != value
    {
        return Err(format!("`{path}` must be {}", one_of(std::slice::from_ref(expected))));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        return Err(format!("`{path}` must be {}", one_of(allowed)));
    }
    check_type(schema, value, path)?;
    for branch in list(schema, "allOf") {
        check_value(branch, value, path)?;
    }
    for keyword in ["anyOf", "oneOf"] {
        check_branches(list(schema, keyword), value, path)?;
    }
    match value {
        Value::Object(object) => check_object(schema, object, path),
        Value::Array(items) => match schema.get("items") {
            Some(of) => (items.iter().enumerate())
                .try_for_each(|(index, item)| check_value(of, item, &format!("{path}[{index}]"))),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// At least one branch must fit; the words are those of the only branch that is not `null`, if there is one.
fn check_branches(branches: &[Value], value: &Value, path: &str) -> Result<(), String> {
    let mut errors = Vec::new();
    for branch in branches {
        match check_value(branch, value, path) {
            Ok(()) => return Ok(()),
            Err(error) if branch.get("type") != Some(&"null".into()) => errors.push(error),
            Err(_) => {}
        }
    }
    match (errors.pop(), errors.is_empty()) {
        (None, _) => Ok(()),
        (Some(only), true) => Err(only),
        (Some(_), false) => Err(format!("`{path}` fits none of the forms in its schema")),
    }
}

fn check_object(schema: &Map<String, Value>, object: &Map<String, Value>, path: &str) -> Result<(), String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in list(schema, "required").iter().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            let of = properties.and_then(|properties| properties.get(name));
            let expected = of.and_then(expected_type).unwrap_or_else(|| "a value".to_owned());
            return Err(format!("`{}` is missing: {expected} is expected", join(path, name)));
        }
    }
    for (name, value) in object {
        let path = join(path, name);
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => check_value(schema, value, &path)?,
            None if is_closed(schema) => return Err(unknown(&path, properties)),
            None => {}
        }
    }
    Ok(())
}

/// Whether names that are not listed are mistakes. Schemas derived from types seldom say `additionalProperties`,
/// and the names they list are all that is read.
fn is_closed(schema: &Map<String, Value>) -> bool {
    match schema.get("additionalProperties") {
        Some(Value::Bool(additional)) => !additional,
        Some(_) => false,
        None => {
            schema.contains_key("properties")
                && ["allOf", "anyOf", "oneOf", "patternProperties", "$ref"]
                    .iter()
                    .all(|keyword| !schema.contains_key(*keyword))
        }
    }
}

fn unknown(path: &str, properties: Option<&Map<String, Value>>) -> String {
    let mut names: Vec<_> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    names.sort_unstable();
    super::arguments::unknown_argument(path, &names)
}

fn check_type(schema: &Map<String, Value>, value: &Value, path: &str) -> Result<(), String> {
    let fits = match schema.get("type") {
        Some(Value::String(name)) => is_type(name, value),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(|name| is_type(name, value)),
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let expected = expected_of(schema).unwrap_or_else(|| "another type".to_owned());
    Err(format!("`{path}` must be {expected}, not {}", kind(value)))
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        // JSON has no integers: 7.0 is one.
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn expected_type(schema: &Value) -> Option<String> {
    expected_of(schema.as_object()?)
}

fn expected_of(schema: &Map<String, Value>) -> Option<String> {
    if let Some(Value::Array(allowed)) = schema.get("enum") {
        return Some(one_of(allowed));
    }
    let names: Vec<_> = match schema.get("type")? {
        Value::String(name) => vec![with_article(name)],
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(with_article).collect(),
        _ => return None,
    };
    Some(names.join(" or "))
}

fn with_article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// What sort of value it is, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn one_of(allowed: &[Value]) -> String {
    let words = allowed.iter().map(|value| match value {
        Value::String(text) => quoted(text),
        other => word(&other.to_string()),
    });
    format!("one of {}", list_words(words))
}

fn list<'a>(schema: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_the_path_and_what_was_expected() {
        let schema = json!({
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "count": { "type": "integer" },
                "color": { "enum": ["red", "blue"] },
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "due": { "type": ["string", "null"] },
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "name": { "type": "string" } },
                        "required": ["name"],
                        "additionalProperties": false
                    }
                },
                "extra": { "type": "object", "additionalProperties": true }
            },
            "required": ["title"]
        });
        let check = |arguments: Value, expect: Result<(), &str>| {
            let found = check(&schema, arguments.as_object().unwrap());
            assert_eq!(found, expect.map_err(str::to_owned), "{arguments}");
        };
        check(json!({ "title": "a" }), Ok(()));
        check(
            json!({ "title": "a", "count": 7.0, "note": null, "due": null, "extra": { "x": 1 } }),
            Ok(()),
        );
        check(json!({ "title": "a", "items": [{ "name": "b" }] }), Ok(()));
        check(json!({}), Err("`title` is missing: a string is expected"));
        check(json!({ "title": 3 }), Err("`title` must be a string, not a number"));
        check(
            json!({ "title": "a", "count": 1.5 }),
            Err("`count` must be an integer, not a number"),
        );
        check(
            json!({ "title": "a", "count": "7" }),
            Err("`count` must be an integer, not a string"),
        );
        check(
            json!({ "title": "a", "color": "green" }),
            Err("`color` must be one of \"red\", \"blue\""),
        );
        check(
            json!({ "title": "a", "note": 1 }),
            Err("`note` must be a string, not a number"),
        );
        check(
            json!({ "title": "a", "due": 1 }),
            Err("`due` must be a string or null, not a number"),
        );
        check(
            json!({ "title": "a", "items": [{ "name": "b" }, {}] }),
            Err("`items[1].name` is missing: a string is expected"),
        );
        check(
            json!({ "title": "a", "items": [{ "name": "b", "nmae": "c" }] }),
            Err("`items[0].nmae` is not an argument; it takes: name"),
        );
        check(
            json!({ "title": "a", "titel": "b" }),
            Err("`titel` is not an argument; it takes: color, count, due, extra, items, note, title"),
        );
    }
}
