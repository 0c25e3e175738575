//! One tool for each action, where that is switched on, over an app that draws all the time.

use std::{
    cell::Cell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use egui::Ui;
use pling_core::{
    act::{ApprovalMode, Permissions},
    platform::{Duration, now, sleep, timeout},
    surface::{ClientLimits, Surface, server::ServeOptions},
};
use pling_egui::{Pling, Record, ResponseExt as _, Tool, UiExt as _, headless::Headless};
use rmcp::{
    ClientHandler, RoleClient,
    model::{ProtocolVersion, SubscriptionFilter},
    service::{ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RunningService, ServiceError},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::json;

use super::{PATIENCE, call, directory, structured};

/// What the app does with its frames.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Calm,
    /// An action can be used in every other frame, and the number of rows changes.
    Blinking,
    /// An action is described in other words in each frame.
    Talking,
}

#[derive(Clone)]
struct App {
    mood: Rc<Cell<Mood>>,
    frames: Rc<Cell<u64>>,
    saved: Rc<Cell<u32>>,
}

impl App {
    fn new() -> Self {
        Self {
            mood: Rc::new(Cell::new(Mood::Calm)),
            frames: Rc::default(),
            saved: Rc::default(),
        }
    }

    fn ui(&self, ui: &mut Ui) {
        let frame = self.frames.get() + 1;
        self.frames.set(frame);
        ui.request_repaint();
        let mood = self.mood.get();
        let usable = mood != Mood::Blinking || frame.is_multiple_of(2);
        let save = ui.button("Save").tool(
            Tool::new("save", "Save the form")
                .read()
                .available_if(usable, "it is being saved"),
        );
        if save.clicked() {
            self.saved.set(self.saved.get() + 1);
        }
        let words = match mood {
            Mood::Talking => format!("Says frame {frame}"),
            _ => "Says nothing".to_owned(),
        };
        drop(ui.button("Say").tool(Tool::new("say", words)));
        let rows = if mood == Mood::Blinking { 1 + frame % 5 } else { 3 };
        for row in 0..rows {
            ui.record(Record::new(row, "Row"), |ui| {
                ui.button("Remove").tool(Tool::new("remove", "Remove the row").danger())
            });
        }
    }
}

/// Runs an app with each action a tool, and a test beside it.
fn beside<T>(app: &App, test: impl AsyncFnOnce(Surface, String, String) -> T) -> T {
    let mut headless = Headless::new([400.0, 400.0]);
    let builder = Pling::builder()
        .environment(|_| None)
        .approval(ApprovalMode::AllowAll)
        .offline();
    let (pling, driver) = builder.try_install_driven(headless.ctx()).expect("a configuration");
    let surface = pling.surface().clone();
    surface.set_limits(ClientLimits::default().per_minute(100_000));
    let directory = directory();
    let options = ServeOptions::new("blink").directory(&directory).tool_per_action();
    let serving = surface.serve(&options).expect("a free port");
    let (url, token) = (serving.running().url.clone(), serving.running().token.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let test = Box::pin(test(surface, url, token));
    let result = runtime.block_on(headless.run(&pling, driver, |ui| app.ui(ui), test));
    drop(serving);
    // Where it is not there, nothing is left behind.
    let _ = std::fs::remove_dir_all(directory);
    result
}

/// Counts how often it is told that the list changed.
#[derive(Clone, Default)]
struct Told(Arc<AtomicUsize>);

impl Told {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    async fn more_than(&self, before: usize) {
        timeout(PATIENCE, async {
            while self.count() <= before {
                sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .expect("it is told");
    }
}

impl ClientHandler for Told {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A client that is told of changes, in a revision with sessions and in one without.
async fn listening(url: &str, token: &str, is_modern: bool) -> (RunningService<RoleClient, Told>, Told) {
    let told = Told::default();
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(token));
    let lifecycle = if is_modern {
        let version: ProtocolVersion = serde_json::from_value(json!("2026-07-28")).expect("a version");
        ClientLifecycleMode::Discover {
            preferred_versions: vec![version],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    let client = told
        .clone()
        .serve_with_lifecycle(transport, lifecycle)
        .await
        .expect("a connection");
    if is_modern {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let mut subscription = client.peer().listen(filter).await.expect("a subscription");
        let counter = told.clone();
        tokio::spawn(async move {
            while let Ok(Some(_notification)) = subscription.next().await {
                counter.0.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    (client, told)
}

async fn names(client: &RunningService<RoleClient, Told>) -> Vec<String> {
    let tools = client.list_all_tools().await.expect("a list");
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

#[test]
fn e06_changes_of_the_list_are_told_seldom_and_only_where_it_is_another() {
    for is_modern in [false, true] {
        let app = App::new();
        let own = app.clone();
        beside(&app, async move |_surface, url, token| {
            let (client, told) = listening(&url, &token, is_modern).await;
            let all = names(&client).await;
            assert_eq!(all[4..], ["remove", "save", "say"], "{all:?}");

            // Availability and rows change in each frame: the list does not, and asking for it tells nobody.
            own.mood.set(Mood::Blinking);
            let begun = own.frames.get();
            let before = client.list_all_tools().await.expect("a list");
            for _ in 0..12 {
                sleep(Duration::from_millis(250)).await;
                assert_eq!(client.list_all_tools().await.expect("a list"), before);
            }
            assert!(own.frames.get() > begun + 30, "it draws all the while");
            assert_eq!(told.count(), 0);

            // The words do: a few times, not as often as the frames.
            let (begun, since) = (own.frames.get(), now());
            own.mood.set(Mood::Talking);
            told.more_than(2).await;
            let at_most = since.elapsed().as_secs() as usize + 2;
            assert!(told.count() <= at_most, "{} > {at_most}", told.count());
            assert!(own.frames.get() > begun + 30);
            client.cancel().await.expect("an end");
        });
    }
}

#[test]
fn however_often_a_client_says_that_it_is_ready_it_is_told_once() {
    let app = App::new();
    let own = app.clone();
    beside(&app, async move |_surface, url, token| {
        let (client, told) = listening(&url, &token, false).await;
        for _ in 0..20 {
            client.peer().notify_initialized().await.expect("it is sent");
        }
        let _ = names(&client).await;
        let since = now();
        own.mood.set(Mood::Talking);
        told.more_than(1).await;
        sleep(Duration::from_millis(300)).await;
        let at_most = since.elapsed().as_secs() as usize + 2;
        assert!(told.count() <= at_most, "{} > {at_most}", told.count());
        client.cancel().await.expect("an end");
    });
}

#[test]
fn an_action_is_called_by_its_own_tool_and_the_four_stay() {
    let app = App::new();
    let saved = Rc::clone(&app.saved);
    beside(&app, async |_surface, url, token| {
        let (client, _told) = listening(&url, &token, false).await;
        let tools = client.list_all_tools().await.expect("a list");
        let hints = |name: &str| {
            let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
            assert!(tool.title.is_some() && tool.output_schema.is_some(), "{tool:?}");
            let hints = tool.annotations.clone().expect("annotations");
            [hints.read_only_hint, hints.destructive_hint].map(|hint| hint.expect("a hint"))
        };
        assert_eq!(hints("save"), [true, false]);
        assert_eq!(hints("say"), [false, false]);
        assert_eq!(hints("remove"), [false, true]);
        let done = client.call_tool(call("save", json!({}))).await.expect("an answer");
        assert_eq!(structured(&done)["result"]["ok"], true, "{done:?}");
        let again = json!({ "action": "save" });
        assert_eq!(
            client
                .call_tool(call("pling_invoke", again))
                .await
                .expect("an answer")
                .is_error,
            Some(false)
        );

        let wrong = client
            .call_tool(call("remove", json!({ "rekord": "1" })))
            .await
            .expect("an answer");
        assert_eq!(structured(&wrong)["error"]["code"], "INVALID_ARGUMENTS", "{wrong:?}");
        let unknown = client.call_tool(call("no_such", json!({}))).await.unwrap_err();
        let ServiceError::McpError(error) = unknown else {
            panic!("{unknown:?}")
        };
        assert_eq!(error.code.0, -32602);
        client.cancel().await.expect("an end");
    });
    assert_eq!(saved.get(), 2);
}

#[test]
fn what_a_client_may_not_call_is_not_on_its_list() {
    beside(&App::new(), async |surface, url, token| {
        surface.set_limits(ClientLimits::default().permissions(Permissions::read_only()));
        let (client, _told) = listening(&url, &token, true).await;
        assert_eq!(names(&client).await[4..], ["save"]);
        let refused = client.call_tool(call("say", json!({}))).await.expect("an answer");
        assert_eq!(structured(&refused)["error"]["code"], "NOT_PERMITTED", "{refused:?}");
        client.cancel().await.expect("an end");
    });
}
