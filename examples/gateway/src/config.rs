//! What the gateway is set up with.

use secrecy::SecretString;

/// What the gateway is set up with. From the environment:
///
/// | variable | what |
/// | --- | --- |
/// | `GATEWAY_UPSTREAM` | the provider, such as `https://api.example.com/v1` |
/// | `GATEWAY_API_KEY` | its key |
/// | `GATEWAY_MODEL` | the model, whatever is asked for |
/// | `GATEWAY_TOKENS` | session tokens, separated by commas |
/// | `GATEWAY_ORIGINS` | origins of the app's own pages, separated by commas |
/// | `GATEWAY_PER_MINUTE` | requests of a session in a minute; 30 |
/// | `GATEWAY_MAX_OUTPUT` | tokens of one reply; 2048 |
/// | `GATEWAY_MAX_BODY` | bytes of one request; 1 MiB |
/// | `GATEWAY_ADDRESS` | where the command listens; `127.0.0.1:8787` |
/// | `GATEWAY_SPEND` | tokens that a session may spend in all; 2,000,000 |
#[derive(Debug)]
pub struct Config {
    /// The provider's endpoint, whole.
    pub upstream: String,
    /// Its key.
    pub api_key: SecretString,
    /// The model.
    pub model: String,
    /// Session tokens.
    pub tokens: Vec<SecretString>,
    /// Origins of the app's own pages.
    pub origins: Vec<String>,
    /// Requests of a session in a minute.
    pub per_minute: u32,
    /// Tokens of one reply.
    pub max_output: u64,
    /// Bytes of one request.
    pub max_body: usize,
    /// Tokens that a session may spend in all.
    pub spend: u64,
}

impl Config {
    /// Reads variables.
    ///
    /// # Errors
    /// What is missing or cannot be read, without its value.
    pub fn from_env(read: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let needed = |name: &str| {
            let value = read(name).filter(|value| !value.trim().is_empty());
            value.ok_or_else(|| format!("{name} is not set"))
        };
        let number = |name: &str, default: u64| match read(name) {
            Some(text) => text.trim().parse().map_err(|_error| format!("{name} is not a number")),
            None => Ok(default),
        };
        let list = |text: String| -> Vec<String> {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            items.map(str::to_owned).collect()
        };
        let upstream = needed("GATEWAY_UPSTREAM")?;
        Ok(Self {
            upstream: format!("{}/chat/completions", upstream.trim_end_matches('/')),
            api_key: needed("GATEWAY_API_KEY")?.into(),
            model: needed("GATEWAY_MODEL")?,
            tokens: list(needed("GATEWAY_TOKENS")?)
                .into_iter()
                .map(SecretString::from)
                .collect(),
            origins: read("GATEWAY_ORIGINS").map(list).unwrap_or_default(),
            per_minute: u32::try_from(number("GATEWAY_PER_MINUTE", 30)?).unwrap_or(u32::MAX),
            max_output: number("GATEWAY_MAX_OUTPUT", 2048)?,
            max_body: usize::try_from(number("GATEWAY_MAX_BODY", 1024 * 1024)?).unwrap_or(usize::MAX),
            spend: number("GATEWAY_SPEND", 2_000_000)?,
        })
    }
}
