//! From a configuration to the client of its endpoint.

use super::{Config, ConfigError};
use crate::{
    llm::{OpenAi, RetryPolicy},
    platform::Duration,
};

impl Config {
    /// The client of the configured endpoint. `None`: none is configured.
    ///
    /// # Errors
    /// The field that no client can be made with.
    pub fn client(&self) -> Result<Option<OpenAi>, ConfigError> {
        let Some(endpoint) = self.endpoint() else {
            return Ok(None);
        };
        let retry = RetryPolicy::new(
            self.retry.max_retries,
            Duration::from_millis(self.retry.base_delay_ms),
            Duration::from_millis(self.retry.max_delay_ms),
        );
        let blame = |field: &'static str| move |error: crate::llm::LlmError| ConfigError::new(field, error.message);
        let mut client = OpenAi::new(&endpoint.base_url, endpoint.model)
            .map_err(blame("baseUrl"))?
            .profile(self.profile())
            .map_err(blame("provider"))?
            .api_key(endpoint.api_key)
            .map_err(blame("apiKey"))?
            .retry(retry)
            .idle_timeout(Duration::from_millis(self.idle_timeout_ms));
        for (name, value) in self.headers.iter() {
            client = client.header(name, value.clone()).map_err(blame("headers"))?;
        }
        for (name, value) in self.query.iter() {
            client = client.query(name, value.clone());
        }
        Ok(Some(client))
    }
}
