//! One tool for each action, where that is switched on: what is listed, and who is told that it changed.
//!
//! Actions that cannot be used now stay on the list, and say why when they are called, so that what comes and goes
//! with every pass changes nothing. What does change is looked at once a second, only while somebody listens, and told
//! only where the client's own list differs from the one before. Listing itself tells nobody.

use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::tools;
use crate::{
    model::{Action, Effect},
    observe::{self, Observation, ToolSchema, ToolTarget},
    platform::{Duration, sleep},
    surface::{Client, Surface, Verb},
};

/// Between two looks at the page while somebody listens.
const LOOK: Duration = Duration::from_secs(1);
/// The same while the page cannot be seen.
const LOOK_WHILE_HIDDEN: Duration = Duration::from_secs(10);

/// Looks at the page for those who listen.
pub(super) struct Watcher {
    surface: Surface,
    pages: watch::Sender<Option<Arc<Observation>>>,
    is_running: Mutex<bool>,
}

impl Watcher {
    pub(super) fn new(surface: Surface) -> Arc<Self> {
        Arc::new(Self {
            surface,
            pages: watch::Sender::new(None),
            is_running: Mutex::new(false),
        })
    }

    /// Waits until the list of a client is another than it was.
    pub(super) fn listen(self: &Arc<Self>, client: Client) -> Listening {
        let pages = self.pages.subscribe();
        let mut is_running = self.is_running.lock();
        if !*is_running {
            *is_running = true;
            tokio::spawn(Arc::clone(self).run());
        }
        Listening {
            client,
            pages,
            known: None,
        }
    }

    async fn run(self: Arc<Self>) {
        loop {
            let seen = self.surface.look().await;
            let pause = match seen {
                Some(seen) => {
                    self.pages.send_replace(Some(seen));
                    LOOK
                }
                None => LOOK_WHILE_HIDDEN,
            };
            sleep(pause).await;
            let mut is_running = self.is_running.lock();
            if self.pages.receiver_count() == 0 {
                *is_running = false;
                return;
            }
        }
    }
}

/// One who is told of changes.
pub(super) struct Listening {
    client: Client,
    pages: watch::Receiver<Option<Arc<Observation>>>,
    /// The list as it was last seen.
    known: Option<Vec<Tool>>,
}

impl Listening {
    /// Waits until the list is another than it was. Never, once nothing is watched any more.
    pub(super) async fn changed(&mut self) {
        loop {
            if self.pages.changed().await.is_err() {
                return std::future::pending().await;
            }
            let seen = self.pages.borrow_and_update().clone();
            let Some(seen) = seen else { continue };
            let now = listed(&self.client, &seen);
            match self.known.replace(now) {
                Some(before) if self.known.as_ref() != Some(&before) => return,
                _ => {}
            }
        }
    }
}

/// The tools of the actions on a page that a client may call, in the order of their names.
pub(super) fn listed(client: &Client, seen: &Observation) -> Vec<Tool> {
    let all = seen.tools.iter().chain(&seen.unavailable);
    let mut listed: Vec<Tool> = all
        .filter(|tool| Verb::of_tool(&tool.name).is_none() && client.may_call(seen, tool))
        .filter_map(|tool| Some(action_tool(tool, declared(seen, tool)?)))
        .collect();
    // Whether it can be used decides where it stands on the page.
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    listed
}

fn declared<'a>(seen: &'a Observation, tool: &ToolSchema) -> Option<&'a Action> {
    let ToolTarget::Action { id, region, .. } = &tool.target else {
        return None;
    };
    let mut all = seen.snapshot.actions.iter();
    let facts = all.find(|facts| facts.action.id == *id && facts.region == *region)?;
    Some(&facts.action)
}

/// Only what its author wrote: no counts, no example of a record, nothing that is another in each pass.
fn action_tool(tool: &ToolSchema, action: &Action) -> Tool {
    let mut input = match &tool.parameters {
        Value::Object(schema) => schema.clone(),
        _ => JsonObject::new(),
    };
    if let Some(record) = input.get_mut("properties").and_then(|all| all.get_mut("record")) {
        *record = json!({ "type": "string", "description": "record id, from pling_describe or pling_search" });
    }
    let (reads, destroys) = (action.effect == Effect::Read, action.effect == Effect::Danger);
    let words = observe::sentence(&action.description).into_owned();
    Tool::new(tool.name.clone(), words.clone(), Arc::new(input))
        .with_title(words)
        .with_raw_output_schema(tools::receipt_schema())
        .with_annotations(
            tools::hints()
                .read_only(reads)
                .destructive(destroys)
                .idempotent(reads)
                .open_world(!reads),
        )
}
