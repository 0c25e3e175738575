//! Where configuration comes from, and every complaint about it.

use std::{cell::RefCell, collections::BTreeMap};

use pling_core::{
    act::DefaultApproval,
    agent::{Config, ConfigError, ConfigPatch, ExposeSecret as _, LimitsPatch, RetryPatch, SecretPairs},
};
use pling_egui::Pling;
use serde_json::{Value, json};

/// Resolves variables and a JSON layer.
fn resolve(variables: &[(&str, &str)], explicit: &Value) -> Result<Config, ConfigError> {
    let variables: BTreeMap<_, _> = variables.iter().copied().collect();
    Config::resolve(
        |name| variables.get(name).map(ToString::to_string),
        ConfigPatch::from_value(explicit.clone())?,
    )
}

/// The field and the words of the complaint about a JSON layer.
#[track_caller]
fn complaint(explicit: &Value) -> (String, String) {
    let error = resolve(&[], explicit).expect_err("a complaint");
    let line = error.to_string();
    assert!(!line.contains('\n'), "one line: {line}");
    assert!(line.starts_with(&error.field), "the field comes first: {line}");
    (error.field, error.message)
}

#[test]
fn defaults_are_what_the_chapter_says() {
    let config = resolve(&[], &json!({})).expect("defaults are valid");
    assert_eq!(
        serde_json::to_value(&config).expect("serializes"),
        json!({
            "baseUrl": "", "model": "", "systemPrompt": "", "temperature": 0.3, "maxTokens": 1024, "stream": true,
            "idleTimeoutMs": 60_000, "provider": { "profile": "" },
            "defaultApproval": "danger", "minActionIntervalMs": 0,
            "retry": { "maxRetries": 3, "baseDelayMs": 500, "maxDelayMs": 4000 },
            "limits": {
                "maxTurns": 10, "contextTokens": 8192, "reserveForOutput": 1024, "compactRatio": 0.8, "keepRecent": 6,
                "maxActions": 40, "maxRecords": 20, "maxRegions": 24, "maxFeedback": 8, "maxToolResultTokens": 1000,
                "maxStateChars": 1200, "maxRecordChars": 1500, "maxFeedbackChars": 800, "maxPageChars": 500,
                "maxCitationIds": 200, "maxCitedLabels": 0,
            },
        })
    );
    assert!(config.endpoint().is_none());
}

#[test]
fn every_field_stands_in_the_chapter_with_its_default() {
    let chapter = include_str!("../pling-core/src/doc/sessions.md");
    let asked = RefCell::new(Vec::new());
    let config = Config::resolve(
        |name| {
            asked.borrow_mut().push(name.to_owned());
            None
        },
        ConfigPatch::new(),
    );
    let defaults = serde_json::to_value(config.expect("defaults are valid")).expect("serializes");
    let asked = asked.into_inner();
    assert!(asked.len() > 30, "each field has a variable: {asked:?}");
    for variable in asked {
        let path = path_of(&variable);
        let row = chapter.lines().find(|line| line.starts_with(&format!("| `{path}` |")));
        let row = row.unwrap_or_else(|| panic!("{path} has no row in the chapter"));
        let said = row.split('|').nth(2).expect("a default").trim().trim_matches('`');
        let default = path.split('.').fold(&defaults, |at, name| &at[name]);
        match default {
            Value::Null => assert!(["none", "empty", "0"].contains(&said), "{row}"),
            Value::String(text) if text.is_empty() => assert_eq!(said, "empty", "{row}"),
            Value::String(text) => assert_eq!(said, text, "{row}"),
            other => assert_eq!(said, other.to_string(), "{row}"),
        }
    }
}

/// `PLING_AGENT_LIMITS_MAX_TURNS` is `limits.maxTurns`.
fn path_of(variable: &str) -> String {
    let name = variable
        .strip_prefix("PLING_AGENT_")
        .expect("the prefix")
        .to_lowercase();
    let (section, field) = ["provider", "retry", "limits"]
        .into_iter()
        .find_map(|section| Some((format!("{section}."), name.strip_prefix(&format!("{section}_"))?)))
        .unwrap_or((String::new(), &name));
    let mut words = field.split('_');
    let first = words.next().unwrap_or_default();
    let rest = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    section + first + &rest.collect::<String>()
}

#[test]
fn explicit_values_win_over_the_environment_field_by_field() {
    let config = resolve(
        &[
            ("PLING_AGENT_BASE_URL", "http://env/v1"),
            ("PLING_AGENT_MODEL", "env-model"),
            ("PLING_AGENT_RETRY_MAX_RETRIES", "1"),
            ("PLING_AGENT_RETRY_BASE_DELAY_MS", "7"),
            ("PLING_AGENT_LIMITS_MAX_TURNS", "20"),
            ("PLING_AGENT_LIMITS_KEEP_RECENT", "8"),
        ],
        &json!({ "model": "explicit", "retry": { "maxRetries": 2 }, "limits": { "maxTurns": 100, "keepRecent": null } }),
    )
    .expect("valid");
    assert_eq!(config.base_url, "http://env/v1");
    assert_eq!(config.model, "explicit");
    assert_eq!(
        (
            config.retry.max_retries,
            config.retry.base_delay_ms,
            config.retry.max_delay_ms
        ),
        (2, 7, 4000)
    );
    assert_eq!((config.limits.max_turns, config.limits.keep_recent), (100, 8));
    assert_eq!(config.limits.context_tokens, 8192);
}

/// Every leaf of the JSON form has a variable of its own, and every variable changes that leaf.
#[test]
fn every_field_has_a_variable() {
    let defaults = serde_json::to_value(Config::default()).expect("serializes");
    let mut leaves = Vec::new();
    collect_leaves(&defaults, &mut Vec::new(), &mut leaves);
    assert_eq!(
        leaves.len(),
        29,
        "every field except the secret ones and those that follow the provider's profile"
    );
    for (path, default) in leaves {
        let variable = format!(
            "PLING_AGENT_{}",
            path.iter().map(|part| capitals(part)).collect::<Vec<_>>().join("_")
        );
        let (text, expected) = match &default {
            Value::String(text) if text == "danger" => ("always".to_owned(), json!("always")),
            Value::String(_) => ("some text".to_owned(), json!("some text")),
            Value::Bool(on) => ((!on).to_string(), json!(!on)),
            Value::Number(number) if number.is_f64() => ("0.25".to_owned(), json!(0.25)),
            _ => ("77".to_owned(), json!(77)),
        };
        let patch = ConfigPatch::from_environment(|name| (name == variable).then(|| text.clone())).expect(&variable);
        let mut config = Config::default();
        config.apply(patch);
        let mut wanted = defaults.clone();
        *wanted.pointer_mut(&format!("/{}", path.join("/"))).expect("a leaf") = expected;
        assert_eq!(serde_json::to_value(&config).expect("serializes"), wanted, "{variable}");
    }
}

fn collect_leaves(value: &Value, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, Value)>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                path.push(name.clone());
                collect_leaves(value, path, leaves);
                path.pop();
            }
        }
        leaf => leaves.push((path.clone(), leaf.clone())),
    }
}

fn capitals(camel_case: &str) -> String {
    let mut text = String::new();
    for c in camel_case.chars() {
        if c.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(c.to_ascii_uppercase());
    }
    text
}

#[test]
fn blank_variables_set_nothing() {
    let config = resolve(
        &[
            ("PLING_AGENT_MODEL", ""),
            ("PLING_AGENT_MAX_TOKENS", "  "),
            ("PLING_AGENT_STREAM", ""),
        ],
        &json!({}),
    )
    .expect("valid");
    assert_eq!(
        (config.model.as_str(), config.max_tokens, config.stream),
        ("", 1024, true)
    );
}

#[test]
fn a_bad_variable_is_named() {
    for (variable, text, expected) in [
        ("PLING_AGENT_LIMITS_MAX_TURNS", "many", "a whole number"),
        ("PLING_AGENT_LIMITS_MAX_TURNS", "-1", "a whole number"),
        ("PLING_AGENT_TEMPERATURE", "warm", "a number"),
        ("PLING_AGENT_STREAM", "perhaps", "true or false"),
        (
            "PLING_AGENT_DEFAULT_APPROVAL",
            "sometimes",
            "never, danger, write or always",
        ),
    ] {
        let error = resolve(&[(variable, text)], &json!({})).expect_err(variable);
        assert_eq!(
            (error.field.as_str(), error.message.as_str()),
            (variable, format!("expected {expected}").as_str())
        );
    }
}

#[test]
fn an_endpoint_needs_both_halves() {
    let (field, message) = complaint(&json!({ "baseUrl": "http://h/v1" }));
    assert_eq!(field, "model");
    assert!(message.contains("baseUrl"), "{message}");
    let (field, message) = complaint(&json!({ "model": "m" }));
    assert_eq!(field, "baseUrl");
    assert!(message.contains("model"), "{message}");

    let config = resolve(&[], &json!({ "baseUrl": " http://h/v1 ", "model": "m\n" })).expect("an empty key is allowed");
    let endpoint = config.endpoint().expect("configured");
    assert_eq!(
        (endpoint.base_url.as_str(), endpoint.model.as_str()),
        ("http://h/v1", "m")
    );
    assert_eq!(endpoint.api_key.expose_secret(), "");
}

#[test]
fn a_base_url_is_a_url_or_a_path() {
    for base_url in ["http://localhost:11434", "HTTPS://api.example.com/v1", "/api/agent"] {
        assert!(
            resolve(&[], &json!({ "baseUrl": base_url, "model": "m" })).is_ok(),
            "{base_url}"
        );
    }
    for base_url in ["localhost:11434", "ftp://h", "api.example.com/v1"] {
        assert_eq!(complaint(&json!({ "baseUrl": base_url, "model": "m" })).0, "baseUrl");
    }
}

#[test]
fn bad_ranges_name_the_field_and_what_is_expected() {
    for (explicit, field, expected) in [
        (json!({ "temperature": -0.1 }), "temperature", "from 0 to 2"),
        (json!({ "temperature": 2.5 }), "temperature", "from 0 to 2"),
        (json!({ "maxTokens": 0 }), "maxTokens", "at least 1"),
        (
            json!({ "retry": { "maxRetries": 6 } }),
            "retry.maxRetries",
            "from 0 to 5",
        ),
        (
            json!({ "retry": { "maxDelayMs": 499 } }),
            "retry.maxDelayMs",
            "at least retry.baseDelayMs",
        ),
        (json!({ "limits": { "maxTurns": 0 } }), "limits.maxTurns", "at least 1"),
        (
            json!({ "limits": { "contextTokens": 0 } }),
            "limits.contextTokens",
            "at least 1",
        ),
        (
            json!({ "limits": { "contextTokens": 1024 } }),
            "limits.reserveForOutput",
            "less than limits.contextTokens",
        ),
        (
            json!({ "limits": { "compactRatio": 0.0 } }),
            "limits.compactRatio",
            "above 0",
        ),
        (
            json!({ "limits": { "compactRatio": 1.1 } }),
            "limits.compactRatio",
            "up to 1",
        ),
        (
            json!({ "limits": { "keepRecent": 0 } }),
            "limits.keepRecent",
            "at least 1",
        ),
        (
            json!({ "limits": { "maxActions": 0 } }),
            "limits.maxActions",
            "at least 1",
        ),
        (
            json!({ "limits": { "maxToolResultTokens": 10 } }),
            "limits.maxToolResultTokens",
            "at least 64",
        ),
    ] {
        let (named, message) = complaint(&explicit);
        assert_eq!(named, field, "{message}");
        assert!(message.contains(expected), "{field}: {message}");
    }
    let not_a_number = ConfigPatch::new().temperature(f64::NAN);
    assert_eq!(
        Config::resolve(|_| None, not_a_number).expect_err("NaN").field,
        "temperature"
    );
}

#[test]
fn json_of_the_wrong_shape_names_the_path() {
    for (explicit, field, expected) in [
        (
            json!({ "limits": { "maxTurns": "ten" } }),
            "limits.maxTurns",
            "expected a whole number",
        ),
        (
            json!({ "limits": { "maxTurns": -1 } }),
            "limits.maxTurns",
            "expected a whole number",
        ),
        (json!({ "limits": { "maxTurn": 3 } }), "limits.maxTurn", "no such field"),
        (json!({ "baseURL": "x" }), "baseURL", "no such field"),
        (json!({ "stream": "yes" }), "stream", "expected true or false"),
        (json!({ "retry": 3 }), "retry", "expected an object"),
        (json!({ "defaultApproval": "maybe" }), "defaultApproval", "danger"),
        (json!({ "provider": 1 }), "provider", "expected an object"),
        (json!({ "provider": { "name": "x" } }), "provider.name", "no such field"),
        (json!({ "limits": [5] }), "limits", "expected an object"),
        (json!([1, 2]), "configuration", "expected an object"),
        (json!({ "limits": { "max_turns": 3 } }), "limits.max_turns", "maxTurns"),
        (json!({ "a_é": 1 }), "a_é", "no such field"),
        (json!({ "retry": { "x_日": 1 } }), "retry.x_日", "no such field"),
        (
            json!({ "headers": { "X-Title": 5 } }),
            "headers.X-Title",
            "expected text",
        ),
        (json!({ "query": [] }), "query", "expected a JSON object of texts"),
        (
            json!({ "prices": { "m": { "in": 1, "output": 2 } } }),
            "prices.m.input",
            "expected a number",
        ),
        (
            json!({ "prices": { "m": { "input": 1, "output": 2, "x": 3 } } }),
            "prices.m.x",
            "no such field",
        ),
        (json!({ "prices": { "m": 5 } }), "prices.m", "expected an object"),
        (
            json!({ "provider": { "body": 5 } }),
            "provider.body",
            "expected a JSON object",
        ),
    ] {
        let (named, message) = complaint(&explicit);
        assert_eq!(named, field, "{message}");
        assert!(message.contains(expected), "{field}: {message}");
    }
    let error = ConfigPatch::from_json("{ \"model\": ").expect_err("cut off");
    assert_eq!(error.field, "configuration");
    assert!(error.message.contains("not valid JSON"), "{error}");
}

#[test]
fn an_injected_model_needs_no_endpoint_but_sane_bounds() {
    let resolve = |patch| Config::resolve_injected(|_| None, patch);
    assert!(resolve(ConfigPatch::new().model("named only")).is_ok());
    let error = resolve(ConfigPatch::new().limits(LimitsPatch::new().max_turns(0))).expect_err("bounds");
    assert_eq!(error.field, "limits.maxTurns");
    let error = resolve(ConfigPatch::new().retry(RetryPatch::new().max_retries(9))).expect_err("bounds");
    assert_eq!(error.field, "retry.maxRetries");
}

#[test]
fn the_key_is_nowhere_to_be_seen() {
    let secret = "sk-very-secret";
    let config = resolve(
        &[("PLING_AGENT_API_KEY", secret)],
        &json!({
            "baseUrl": "http://h", "model": "m", "systemPrompt": "You help.",
            "headers": { "X-Key": secret }, "query": { "sig": secret },
        }),
    )
    .expect("valid");
    assert_eq!(config.endpoint().expect("configured").api_key.expose_secret(), secret);
    let patch = ConfigPatch::new()
        .api_key(secret)
        .headers(SecretPairs::new().with("X-Key", secret));
    for text in [
        format!("{config:?}{config:#?}"),
        format!("{:?}", config.endpoint()),
        format!("{patch:?}"),
        serde_json::to_string(&config).expect("serializes"),
        // A key in the wrong place, or of the wrong sort, is not repeated in the complaint.
        complaint(&json!({ "temperature": secret })).1,
        complaint(&json!({ "apiKey": [secret] })).1,
        complaint(&json!({ "headers": [secret] })).1,
        complaint(&json!({ "defaultApproval": secret })).1,
        resolve(&[("PLING_AGENT_MAX_TOKENS", secret)], &json!({}))
            .expect_err("no number")
            .to_string(),
    ] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn the_policy_follows_the_configuration() {
    let config = resolve(
        &[],
        &json!({ "defaultApproval": "write", "minActionIntervalMs": 250, "limits": { "maxRecords": 3 } }),
    )
    .expect("valid");
    let policy = config.policy();
    assert_eq!(policy.default_approval, DefaultApproval::Write);
    assert_eq!(policy.min_action_interval.as_millis(), 250);
    assert_eq!(policy.budget.max_records, 3);
}

/// Fields that follow the provider's profile have no default of their own, and secret ones no JSON form.
#[test]
fn the_providers_fields_have_variables() {
    let variables = [
        ("PLING_AGENT_BASE_URL", "http://h/v1"),
        ("PLING_AGENT_MODEL", "m"),
        ("PLING_AGENT_PROVIDER_PROFILE", "azure"),
        ("PLING_AGENT_PROVIDER_ROOT", "/own"),
        ("PLING_AGENT_PROVIDER_KEY_HEADER", "x-key"),
        ("PLING_AGENT_PROVIDER_OUTPUT_LIMIT", "max_completion_tokens"),
        ("PLING_AGENT_PROVIDER_SEND_TEMPERATURE", "no"),
        ("PLING_AGENT_PROVIDER_STREAM_USAGE", "off"),
        ("PLING_AGENT_PROVIDER_TOOL_CONTENT", "empty"),
        ("PLING_AGENT_PROVIDER_BODY", r#"{"thinking":{"type":"disabled"}}"#),
        ("PLING_AGENT_HEADERS", r#"{"X-Title":"Todo"}"#),
        ("PLING_AGENT_QUERY", r#"{"api-version":"1"}"#),
    ];
    let config = resolve(&variables, &json!({ "provider": { "keyHeader": "explicit" } })).expect("valid");
    assert_eq!(
        serde_json::to_value(&config.provider).expect("serializes"),
        json!({
            "profile": "azure", "root": "/own", "keyHeader": "explicit", "outputLimit": "max_completion_tokens",
            "sendTemperature": false, "streamUsage": false, "toolContent": "empty",
            "body": { "thinking": { "type": "disabled" } },
        })
    );
    let pairs = |pairs: &SecretPairs| -> Vec<_> {
        pairs
            .iter()
            .map(|(name, value)| format!("{name}={}", value.expose_secret()))
            .collect()
    };
    assert_eq!(pairs(&config.headers), ["X-Title=Todo"]);
    assert_eq!(pairs(&config.query), ["api-version=1"]);
    assert!(config.client().expect("a client").is_some());

    for (variable, text, expected) in [
        ("PLING_AGENT_HEADERS", "X-Title: Todo", "a JSON object of texts"),
        ("PLING_AGENT_PROVIDER_BODY", "[]", "a JSON object"),
        ("PLING_AGENT_PROVIDER_TOOL_CONTENT", "none", "null or empty"),
    ] {
        let error = resolve(&[(variable, text)], &json!({})).expect_err("a complaint");
        assert_eq!(
            (error.field.as_str(), error.message),
            (variable, format!("expected {expected}"))
        );
    }
}

#[test]
fn a_client_that_cannot_be_made_names_the_field() {
    let client = |explicit: Value| {
        let mut all = json!({ "baseUrl": "http://h/v1", "model": "m" });
        all.as_object_mut()
            .expect("fields")
            .extend(explicit.as_object().expect("fields").clone());
        resolve(&[], &all).and_then(|config| config.client())
    };
    for (explicit, field) in [
        (json!({ "provider": { "profile": "no such" } }), "provider.profile"),
        (json!({ "provider": { "keyHeader": " " } }), "provider.keyHeader"),
        (json!({ "provider": { "keyHeader": "two words" } }), "provider"),
        (json!({ "provider": { "root": "v1" } }), "provider.root"),
        (
            json!({ "provider": { "toolContent": "missing" } }),
            "provider.toolContent",
        ),
        (json!({ "headers": { "two words": "x" } }), "headers"),
        (json!({ "apiKey": "line\nbreak" }), "apiKey"),
        (json!({ "baseUrl": "http://" }), "baseUrl"),
        (json!({ "idleTimeoutMs": 0 }), "idleTimeoutMs"),
    ] {
        let error = client(explicit.clone()).expect_err("a complaint");
        assert_eq!(error.field, field, "{explicit}: {error}");
        assert!(!error.message.is_empty());
    }
    assert!(
        resolve(&[], &json!({}))
            .expect("valid")
            .client()
            .expect("none")
            .is_none()
    );
}

#[test]
fn a_bad_configuration_lets_nobody_do_more() {
    let ctx = egui::Context::default();
    let wrong = |name: &str| (name == "PLING_AGENT_MAX_TOKENS").then(|| "many".to_owned());
    let mut strict = ConfigPatch::new();
    strict.default_approval = Some(DefaultApproval::Write);
    let pling = Pling::builder().environment(wrong).config(strict).install(&ctx);
    assert_eq!(pling.executor().policy().default_approval, DefaultApproval::Always);
}
