//! Eight clients over HTTP and the assistant at once, on one app without a window: nothing is lost, nothing runs twice,
//! each is served in its own order, and nothing is kept of what is over.

use std::{
    cell::RefCell,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use egui::{Key, TextEdit, Ui};

use pling_core::{
    act::ApprovalMode,
    agent::ConfigPatch,
    llm::{Finish, Llm, LlmError, OnDelta, Reply, Request, ToolCall},
    platform::{BoxFuture, now},
    surface::{ClientLimits, server::ServeOptions},
};
use pling_egui::{Pling, ResponseExt as _, Tool, headless::Headless};
use serde_json::json;
use tokio::task::JoinSet;

use crate::mcp::{exchange, sdk_at};

const CLIENTS: usize = 8;
/// Calls of one reply of the assistant's model.
const BATCH: usize = 25;

/// An app with one input, and a list of what came in by it.
#[derive(Default)]
struct Notes {
    draft: String,
    taken: Vec<String>,
    /// Bytes held by the process when so many were taken.
    memory: Vec<(usize, usize)>,
}

impl Notes {
    fn ui(&mut self, ui: &mut Ui, sample_each: usize) {
        let input = ui.add(TextEdit::singleline(&mut self.draft));
        let input = input.tool(Tool::new("note", "Take a note").submit());
        if input.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            self.taken.push(std::mem::take(&mut self.draft));
            if self.taken.len().is_multiple_of(sample_each) {
                self.memory.push((self.taken.len(), resident()));
            }
        }
    }
}

/// Bytes of this process in memory, where that can be asked.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}

/// Takes so many notes, some in each reply, and then says so.
struct Diligent {
    left: AtomicUsize,
    total: usize,
}

impl Llm for Diligent {
    fn name(&self) -> String {
        "diligent".to_owned()
    }

    fn complete(&self, request: Arc<Request>, _on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let answered = request.messages.last().is_some_and(|message| message["role"] == "tool");
        let left = self.left.load(Ordering::Relaxed);
        let mut reply = Reply::default();
        if answered {
            reply.text = "Done.".to_owned();
        } else {
            let count = left.min(BATCH);
            self.left.store(left - count, Ordering::Relaxed);
            reply.finish = Finish::ToolCalls;
            reply.calls = (0..count)
                .map(|call| {
                    let number = self.total - left + call;
                    let arguments = json!({ "text": format!("assistant {number}") }).to_string();
                    ToolCall::new(format!("call_{number}"), "note", arguments)
                })
                .collect();
        }
        Box::pin(std::future::ready(Ok(reply)))
    }
}

/// Lets everybody take so many notes, and returns what the app has.
fn crowd(each: usize) -> Notes {
    let mut headless = Headless::new([400.0, 300.0]);
    let model = Diligent {
        left: AtomicUsize::new(each),
        total: each,
    };
    let builder = Pling::builder()
        .environment(|_| None)
        .approval(ApprovalMode::DenyAll)
        .llm(model);
    let builder = builder.config(ConfigPatch::new());
    let (pling, driver) = builder.try_install_driven(headless.ctx()).expect("a configuration");
    let surface = pling.surface();
    surface.set_limits(ClientLimits::default().per_minute(u32::MAX));
    let directory = std::env::temp_dir().join(format!("pling-crowd-{}-{each}", std::process::id()));
    let serving = surface
        .serve(&ServeOptions::new("notes").directory(&directory).per_minute(u32::MAX))
        .expect("a free port");
    let (url, token) = (serving.running().url.clone(), serving.running().token.clone());

    let notes = RefCell::new(Notes::default());
    let session = pling.session().clone();
    let assistant = async {
        while !session.send("Take notes").await.receipts.is_empty() {
            session.reset();
        }
    };
    let all = async {
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            let (url, token) = (url.clone(), token.clone());
            clients.spawn(async move {
                match number % 3 {
                    0 => plainly(number, &url, &token, each).await,
                    1 => by_sdk(number, "2025-11-25", &url, &token, each).await,
                    _ => by_sdk(number, "2026-07-28", &url, &token, each).await,
                }
            });
        }
        assistant.await;
        clients.join_all().await;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let sample_each = (each * (CLIENTS + 1) / 10).max(1);
    runtime.block_on(headless.run(&pling, driver, |ui| notes.borrow_mut().ui(ui, sample_each), all));
    drop(serving);
    // Where it is not there, nothing is left behind.
    let _ = std::fs::remove_dir_all::<PathBuf>(directory);
    notes.into_inner()
}

async fn plainly(number: usize, url: &str, token: &str, each: usize) {
    let address = url["http://".len()..]
        .trim_end_matches("/mcp")
        .parse()
        .expect("an address");
    let (host, bearer) = (format!("{address}"), format!("Bearer {token}"));
    let name = format!("client {number}");
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
        ("X-Pling-Client", &name),
    ];
    for call in 0..each {
        let body = json!({ "action": "note", "arguments": { "text": format!("{name} {call}") } });
        let reply = exchange(address, &headers, "/invoke", &body.to_string()).await;
        assert_eq!(reply.json()["result"]["ok"], true, "{reply:?}");
    }
}

async fn by_sdk(number: usize, revision: &str, url: &str, token: &str, each: usize) {
    let name = format!("client {number}");
    let client = sdk_at(url, token, revision, &name).await;
    for call in 0..each {
        let arguments = json!({ "action": "note", "arguments": { "text": format!("{name} {call}") } });
        let done = client
            .call_tool(crate::mcp::call("pling_invoke", arguments))
            .await
            .expect("an answer");
        assert_eq!(done.is_error, Some(false), "{done:?}");
    }
    client.cancel().await.expect("an end");
}

/// All notes of everybody, each once, in the order of whoever took them.
fn assert_complete(notes: &Notes, each: usize) {
    assert_eq!(notes.taken.len(), (CLIENTS + 1) * each);
    let names = (0..CLIENTS).map(|number| format!("client {number}"));
    for name in names.chain(["assistant".to_owned()]) {
        let own = notes
            .taken
            .iter()
            .filter_map(|note| note.strip_prefix(&name)?.trim().parse::<usize>().ok());
        assert!(own.eq(0..each), "{name}: {:?}", notes.taken);
    }
}

#[test]
fn eight_clients_and_the_assistant_lose_nothing_and_do_nothing_twice() {
    let each = 40;
    assert_complete(&crowd(each), each);
}

/// Between the first tenth and the end, in bytes.
const GROWTH: usize = 4 << 20;

#[test]
#[ignore = "takes a minute, and is alone in its process: -- --ignored --exact crowd::ten_thousand_calls_keep_no_memory"]
fn ten_thousand_calls_keep_no_memory() {
    let each = 1112;
    let started = now();
    let notes = crowd(each);
    println!("{} calls in {:?}", notes.taken.len(), started.elapsed());
    println!("notes taken, bytes of memory: {:?}", notes.memory);
    assert_complete(&notes, each);
    let (first, last) = (notes.memory[0].1, notes.memory[notes.memory.len() - 1].1);
    assert!(last < first + GROWTH, "{:?}", notes.memory);
}
