//! One client: the four verbs.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{
    Answer, ClientLimits, Description, Failure, Found, InvokeRequest, SearchRequest, WaitRequest, calls::OpenCall,
    limits::Used, search,
};
use crate::{
    act::{Arguments, Call, Code, Executor, Origin, Receipt, Refusal},
    observe::{Discovery, Observation, ToolSchema, ToolTarget},
    platform,
};

/// Calls whose end is kept, for each that may be open.
const KEPT_FOR_EACH: usize = 4;

/// One client; a cheap handle. All handles of one name are one client.
#[derive(Clone)]
pub struct Client {
    state: Arc<State>,
}

pub(super) struct State {
    executor: Executor,
    name: Arc<str>,
    limits: ClientLimits,
    ids: Arc<Ids>,
    used: Mutex<Used>,
    /// What it was last shown: names are resolved against it.
    seen: Mutex<Option<Arc<Observation>>>,
    calls: Mutex<Vec<Arc<OpenCall>>>,
}

/// Ids of calls: unique among all clients, and never those of another run of the application.
pub(super) struct Ids {
    run: u64,
    next: AtomicU64,
}

impl Ids {
    pub(super) fn new() -> Self {
        Self {
            run: platform::unix_millis(),
            next: AtomicU64::new(1),
        }
    }

    fn next(&self) -> String {
        format!("call_{:x}_{}", self.run, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

impl Client {
    pub(super) fn new(executor: Executor, name: Arc<str>, limits: ClientLimits, ids: Arc<Ids>) -> Self {
        Self {
            state: Arc::new(State {
                executor,
                name,
                limits,
                ids,
                used: Mutex::new(Used::new()),
                seen: Mutex::default(),
                calls: Mutex::default(),
            }),
        }
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.state.name
    }

    /// What it may do.
    #[must_use]
    pub fn limits(&self) -> &ClientLimits {
        &self.state.limits
    }

    /// Waits for the page to settle and describes it. Names of later calls are read as they are given here.
    ///
    /// # Errors
    /// `WINDOW_HIDDEN` or `TIMEOUT` when no pass is drawn, `RATE_LIMITED`.
    pub async fn describe(&self) -> Result<Description, Failure> {
        self.count_request()?;
        let seen = self.state.observe().await?;
        Ok(Description::new(&seen, |tool| self.state.may_call(&seen, tool)))
    }

    /// Looks for actions and records by words.
    ///
    /// # Errors
    /// As [`Self::describe`]; `INVALID_ARGUMENTS` for an endless query.
    pub async fn search(&self, request: SearchRequest) -> Result<Found, Failure> {
        self.count_request()?;
        let seen = self.state.observe().await?;
        let may_call = |tool: &ToolSchema| self.state.may_call(&seen, tool);
        search::search(&self.state.executor, &seen, request, may_call).await
    }

    /// Calls one action, through every gate. What takes longer than a client should wait is answered with a handle.
    ///
    /// Dropping the future withdraws the call, unless it was delivered or somebody else waits for it. The same call
    /// again while one is open joins that one. So it does for a while after a delivered one ended that nobody was told
    /// the end of: it is not run twice. Has to be polled within a tokio runtime natively.
    pub async fn invoke(&self, request: InvokeRequest) -> Answer {
        match self.begin(request) {
            Ok((call, is_again)) => call.answer(&self.state.limits, is_again).await,
            Err(failure) => failure.into(),
        }
    }

    /// Waits for a call that was not over. Dropping the future withdraws it, as with [`Self::invoke`].
    pub async fn wait(&self, request: &WaitRequest) -> Answer {
        if let Err(failure) = self.count_request() {
            return failure.into();
        }
        let call = self.state.find(&request.handle);
        match call {
            Some(call) => call.answer(&self.state.limits, false).await,
            None => Failure::invalid(
                "no call has this `handle` any more: it was withdrawn because nobody waited for it, or its end was \
                 told long ago. Describe the page to see how things stand",
            )
            .into(),
        }
    }

    /// Withdraws everything that is open, and what the user allowed it for the session: the next of this name may be
    /// another.
    pub fn leave(&self) {
        let calls = std::mem::take(&mut *self.state.calls.lock());
        calls.iter().for_each(|call| call.cancel.cancel());
        self.revoke_grants();
    }

    pub(super) fn revoke_grants(&self) {
        let origin = Origin::Client(Arc::clone(&self.state.name));
        self.state.executor.approvals().revoke_of(&origin);
    }

    #[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
    pub(super) fn may_call(&self, seen: &Observation, tool: &ToolSchema) -> bool {
        self.state.may_call(seen, tool)
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.state.calls.lock().is_empty()
    }

    pub(super) fn count_request(&self) -> Result<(), Failure> {
        self.state.used.lock().request(&self.state.limits)
    }

    /// The open call that this is, or a new one, running; and whether somebody gave up on it before.
    fn begin(&self, request: InvokeRequest) -> Result<(Arc<OpenCall>, bool), Failure> {
        self.count_request()?;
        let state = &self.state;
        let InvokeRequest { action, arguments } = request;
        let mut calls = state.calls.lock();
        if let Some(open) = calls.iter().find(|open| open.is_same(&action, &arguments)) {
            return Ok((Arc::clone(open), open.is_given_up()));
        }
        let open = calls.iter().filter(|call| !call.is_over()).count();
        if open >= state.limits.max_open {
            let message = format!("{open} calls of this client are open, and no more may be: wait for one of them");
            return Err(Failure::new("RATE_LIMITED", message));
        }
        state.used.lock().call(&state.limits)?;
        if calls.len() >= KEPT_FOR_EACH * state.limits.max_open
            && let Some(oldest) = calls.iter().position(|call| call.is_over())
        {
            calls.remove(oldest);
        }
        let call = Arc::new(OpenCall::new(state.ids.next(), action, arguments));
        calls.push(Arc::clone(&call));
        platform::spawn(Arc::clone(state).run(Arc::clone(&call)));
        Ok((call, false))
    }
}

impl State {
    async fn run(self: Arc<Self>, call: Arc<OpenCall>) {
        let _listed = Listed {
            calls: &self.calls,
            call: &call,
        };
        let invoke = Box::pin(self.invoke(&call));
        call.run(self.executor.approvals(), &self.limits, invoke).await;
        call.keep(self.limits.keep).await;
    }

    async fn invoke(&self, open: &OpenCall) -> Receipt {
        let seen = tokio::select! {
            biased;
            () = open.cancel.cancelled() => {
                return Receipt::refused(&open.handle, Code::Cancelled, "the caller left; nothing was run");
            }
            seen = self.seen_with(&open.action) => seen,
        };
        let seen = match seen {
            Ok(seen) => seen,
            Err(refusal) => return Receipt::refused(&open.handle, refusal.code, refusal.message),
        };
        let (tool, arguments) = route(&seen, open);
        let mut call = Call::new(&open.handle, tool, Arguments::from(arguments), seen);
        call.origin = Origin::Client(Arc::clone(&self.name));
        call.permitted = self.limits.permissions.clone();
        self.executor.invoke(call, &open.cancel).await
    }

    async fn observe(&self) -> Result<Arc<Observation>, Refusal> {
        let seen = self.executor.observe().await?;
        *self.seen.lock() = Some(Arc::clone(&seen));
        Ok(seen)
    }

    /// What the client was last shown; where that has no such action, the page as it is now.
    async fn seen_with(&self, action: &str) -> Result<Arc<Observation>, Refusal> {
        let last = self.seen.lock().clone();
        match last {
            Some(seen) if seen.tool(action).is_some() || !seen.lookup(action, None).is_empty() => Ok(seen),
            _ => self.observe().await,
        }
    }

    fn may_call(&self, seen: &Observation, tool: &ToolSchema) -> bool {
        let ToolTarget::Action { id, region, .. } = &tool.target else {
            return true;
        };
        let permitted = self.executor.policy().permissions().and(&self.limits.permissions);
        let mut declared = seen.snapshot.actions.iter();
        let facts = declared.find(|facts| facts.action.id == *id && facts.region == *region);
        facts.is_none_or(|facts| permitted.permits(&facts.action))
    }

    fn find(&self, handle: &str) -> Option<Arc<OpenCall>> {
        self.calls.lock().iter().find(|call| call.handle == handle).cloned()
    }
}

/// A call among the open ones, until its task ends, in whatever way: a runtime may be shut down under it.
struct Listed<'a> {
    calls: &'a Mutex<Vec<Arc<OpenCall>>>,
    call: &'a OpenCall,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.call.end();
        self.calls.lock().retain(|other| other.handle != self.call.handle);
    }
}

/// The tool that a call goes through: the action's own, or the way to those that are not listed.
fn route(seen: &Observation, call: &OpenCall) -> (String, Value) {
    let direct = |name: &str| (name.to_owned(), Value::Object(call.arguments.clone()));
    if seen.tool(&call.action).is_some() {
        return direct(&call.action);
    }
    let meant = seen.lookup(&call.action, None);
    if let [only] = &meant[..]
        && seen.tool(&only.name).is_some()
    {
        return direct(&only.name);
    }
    let indirect = ToolTarget::Discovery(Discovery::InvokeAction);
    match seen.tools.iter().find(|tool| tool.target == indirect) {
        Some(tool) if !meant.is_empty() => {
            let arguments = json!({ "action": call.action, "arguments": call.arguments });
            (tool.name.clone(), arguments)
        }
        _ => direct(&call.action),
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("name", &self.state.name)
            .field("calls", &self.state.calls.lock().len())
            .finish_non_exhaustive()
    }
}
