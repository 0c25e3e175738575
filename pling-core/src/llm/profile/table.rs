//! The providers that are known, one row each, with the source of every fact that differs from the default.
//!
//! | provider | what differs |
//! | --- | --- |
//! | `openai` | `max_completion_tokens`; `max_tokens` is deprecated, and refused by the o-series and gpt-5 (openai/openai-python#2046) |
//! | `azure` | the header `api-key` (learn.microsoft.com, Azure OpenAI `api-version-lifecycle`); the version, where the path wants one, belongs in the base URL's query |
//! | `gemini` | the root `/v1beta/openai` (ai.google.dev/gemini-api/docs/openai); a call's `extra_content` must come back (ai.google.dev/gemini-api/docs/thought-signatures), which holds for every unknown field here |
//! | `deepseek` | nothing in the body; `reasoning_content` must come back with calls, empty or not (api-docs.deepseek.com/guides/thinking_mode) |
//! | `qwen` | nothing in the body (alibabacloud.com/help/en/model-studio/deep-thinking shows `stream_options.include_usage`) |
//! | `glm` | no `stream_options`; `tool_stream`, or arguments come in one piece after a long silence (docs.z.ai/guides/tools/stream-tool) |
//! | `kimi` | no `temperature`: current models take one fixed value (platform.kimi.ai/docs/guide/migrating-from-openai-to-kimi) |
//! | `openrouter` | nothing in the body; `reasoning_details` must come back unmodified (openrouter.ai/docs, reasoning tokens) |
//! | `mistral` | unknown fields are refused, among them `stream_options` and `max_completion_tokens` (avante-corp/avante.nvim#2347, editor-code-assistant/eca#231) |
//! | `ollama` | `null` content is refused (pydantic/pydantic-ai#5206) |
//! | `llama.cpp` | several calls in one reply only with `parallel_tool_calls` (ggml-org/llama.cpp `docs/function-calling.md`) |
//! | `vllm` | nothing in the body; tools need `--enable-auto-tool-choice` on its side (docs.vllm.ai, tool calling) |

use serde_json::Value;

use super::{Profile, ToolContent};

/// Fields that servers refuse in a request without tools.
pub(super) const NEEDS_TOOLS: &[&str] = &["parallel_tool_calls", "tool_stream", "tool_choice"];

/// What is known of one provider.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Hosts, or what their names end in; a port alone means this port, wherever.
    hosts: &'static [&'static str],
    /// What model names begin with, for endpoints that the host says nothing of.
    models: &'static [&'static str],
    root: &'static str,
    key_header: &'static str,
    output_limit: &'static str,
    temperature: bool,
    stream_usage: bool,
    tool_content: ToolContent,
    flags: &'static [&'static str],
}

/// As [`Profile::default`].
const USUAL: Row = Row {
    name: "generic",
    hosts: &[],
    models: &[],
    root: "/v1",
    key_header: "authorization",
    output_limit: "max_tokens",
    temperature: true,
    stream_usage: true,
    tool_content: ToolContent::Null,
    flags: &[],
};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "openai",
        hosts: &["api.openai.com"],
        output_limit: "max_completion_tokens",
        ..USUAL
    },
    Row {
        name: "azure",
        hosts: &[
            ".openai.azure.com",
            ".services.ai.azure.com",
            ".cognitiveservices.azure.com",
        ],
        root: "/openai/v1",
        key_header: "api-key",
        ..USUAL
    },
    Row {
        name: "gemini",
        hosts: &["generativelanguage.googleapis.com"],
        models: &["gemini-"],
        root: "/v1beta/openai",
        ..USUAL
    },
    Row {
        name: "deepseek",
        hosts: &["api.deepseek.com"],
        models: &["deepseek-"],
        ..USUAL
    },
    Row {
        name: "qwen",
        hosts: &[
            "dashscope.aliyuncs.com",
            "dashscope-intl.aliyuncs.com",
            ".maas.aliyuncs.com",
        ],
        models: &["qwen-", "qwq-"],
        root: "/compatible-mode/v1",
        ..USUAL
    },
    Row {
        name: "glm",
        hosts: &["api.z.ai", "open.bigmodel.cn"],
        root: "/api/paas/v4",
        stream_usage: false,
        flags: &["tool_stream"],
        ..USUAL
    },
    Row {
        name: "kimi",
        hosts: &["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
        models: &["kimi-", "moonshot-"],
        temperature: false,
        ..USUAL
    },
    Row {
        name: "openrouter",
        hosts: &["openrouter.ai"],
        root: "/api/v1",
        ..USUAL
    },
    Row {
        name: "mistral",
        hosts: &["api.mistral.ai", "codestral.mistral.ai"],
        stream_usage: false,
        ..USUAL
    },
    Row {
        name: "ollama",
        hosts: &["ollama.com", ":11434"],
        tool_content: ToolContent::Empty,
        ..USUAL
    },
    Row {
        name: "llama.cpp",
        hosts: &[],
        flags: &["parallel_tool_calls"],
        ..USUAL
    },
    Row {
        name: "vllm",
        hosts: &[],
        ..USUAL
    },
];

impl Row {
    pub(super) fn profile(&self) -> Profile {
        let flags = self.flags.iter().map(|flag| ((*flag).to_owned(), Value::Bool(true)));
        Profile {
            name: self.name.into(),
            root: self.root.into(),
            key_header: self.key_header.into(),
            output_limit: self.output_limit.into(),
            temperature: self.temperature,
            stream_usage: self.stream_usage,
            tool_content: self.tool_content,
            body: flags.collect(),
        }
    }
}

pub(super) fn of_name(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

pub(super) fn of_host(base_url: &str) -> Option<&'static Row> {
    let (host, port) = host_and_port(base_url);
    let is_it = |pattern: &&str| match pattern.strip_prefix(':') {
        Some(known) => port == Some(known),
        None if pattern.starts_with('.') => host.ends_with(*pattern),
        None => host == **pattern,
    };
    ROWS.iter().find(|row| row.hosts.iter().any(is_it))
}

pub(super) fn of_model(model: &str) -> Option<&'static Row> {
    let model = bare(model);
    ROWS.iter()
        .find(|row| row.models.iter().any(|start| model.starts_with(start)))
}

/// Rules that follow a model wherever it is served.
///
/// - The o-series and gpt-5: `max_completion_tokens`, and no `temperature` (openai/openai-python#2046,
///   getzep/graphiti#874). `gpt-5-chat` is none of them.
/// - Kimi from k2.5 on: no `temperature` (tinyhumansai/openhuman#2082).
pub(super) fn suit_to_model(profile: &mut Profile, base_url: &str, model: &str) {
    let model = bare(model);
    let begins = |starts: &[&str]| starts.iter().any(|start| model.starts_with(start));
    if begins(&["gpt-5", "o1", "o3", "o4"]) && !begins(&["gpt-5-chat"]) {
        // Mistral and the like never serve these; a local server may carry the name of one, and takes both fields.
        profile.temperature = false;
        if of_host(base_url).is_none_or(|row| matches!(row.name, "openai" | "azure")) {
            profile.output_limit = "max_completion_tokens".into();
        }
    }
    if begins(&["kimi-k"]) {
        profile.temperature = false;
    }
}

/// The name without the vendor that gateways put in front, in lower case.
fn bare(model: &str) -> String {
    let model = model.trim().to_lowercase();
    match model.rsplit_once('/') {
        Some((_, name)) => name.to_owned(),
        None => model,
    }
}

fn host_and_port(base_url: &str) -> (String, Option<&str>) {
    let base_url = base_url.trim();
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host.to_lowercase(), Some(port)),
        _ => (authority.to_lowercase(), None),
    }
}
