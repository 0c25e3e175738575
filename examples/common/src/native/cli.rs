//! The command line: a window, or with `--ask`, `--observe` and `--headless` none.

use std::{
    cell::RefCell,
    ffi::OsString,
    fs::File,
    io::{BufWriter, Write as _},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use parking_lot::Mutex;
use pling_egui::{
    Builder, Pling,
    core::{
        act::ApprovalMode,
        agent::{ConfigPatch, End, TraceSink},
    },
    headless::Headless,
};

use super::{output::Output, serve::serve, window};
use crate::{App, Example, Options};

/// What every example understands, after the lines that begin with its name.
const USAGE: &str = "  --json                            one JSON object a line, as it happens; with a window, too
  --approve all|none                without a window: answers to approvals; none (deny) is the default
  --observe                         print what a model would see first, and exit
  --trace FILE                      with --ask: write the exact request bodies, one a line
  --config FILE                     configuration as JSON
  --offline                         the offline planner, whatever is configured
  --serve-mcp [ADDR]                lets outside agents in, on 127.0.0.1:0 (a free port) by default;
                                    prints one line of JSON with url, token and pid
  --headless                        with --serve-mcp: no window; --approve says who is let through";

/// What was asked for.
#[derive(Debug, Default)]
struct Arguments {
    ask: Vec<String>,
    json: bool,
    /// Whether every question is answered with yes, or with no.
    approve_all: Option<bool>,
    observe: bool,
    trace: Option<PathBuf>,
    config: Option<PathBuf>,
    offline: bool,
    /// Where outside agents are let in.
    serve: Option<SocketAddr>,
    headless: bool,
    help: bool,
    own: Options,
}

/// Runs the command line of an example. `args` begins with the program's name.
pub fn main<A: App>(example: &Example<A>, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match parse(example, args) {
        Ok(arguments) => arguments,
        Err(error) => return usage_error(example.name, &format!("{error}; see --help")),
    };
    if arguments.help {
        println!("{}", usage(example));
        return ExitCode::SUCCESS;
    }
    match run(example, &arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => usage_error(example.name, &error),
    }
}

fn usage<A>(example: &Example<A>) -> String {
    let line = |left: &str, right: &str| format!("{left:<36}{right}\n");
    let name = example.name;
    let mut text = line(name, "the window, assistant panel at the side");
    let ask = format!("{name} --ask TEXT [--ask TEXT]…");
    text += &line(&ask, "no window: sends each text in order, prints what happens");
    for option in example.options {
        text += &line(&format!("  --{} {}", option.name, option.value), option.help);
    }
    text + USAGE
}

fn usage_error(name: &str, message: &str) -> ExitCode {
    eprintln!("{name}: {}", message.replace('\n', " "));
    ExitCode::from(2)
}

fn parse<A>(example: &Example<A>, args: impl IntoIterator<Item = OsString>) -> Result<Arguments, lexopt::Error> {
    use lexopt::prelude::{Long, Short, ValueExt as _};

    let mut arguments = Arguments::default();
    let mut parser = lexopt::Parser::from_iter(args);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("ask") => arguments.ask.push(parser.value()?.string()?),
            Long("json") => arguments.json = true,
            Long("observe") => arguments.observe = true,
            Long("offline") => arguments.offline = true,
            Long("headless") => arguments.headless = true,
            Long("serve-mcp") => arguments.serve = Some(address(&mut parser)?),
            Long("trace") => arguments.trace = Some(parser.value()?.into()),
            Long("config") => arguments.config = Some(parser.value()?.into()),
            Long("approve") => {
                let value = parser.value()?.string()?;
                arguments.approve_all = match value.as_str() {
                    "all" => Some(true),
                    "none" => Some(false),
                    _ => return Err(format!("--approve takes all or none, not \"{value}\"").into()),
                };
            }
            Long("help") | Short('h') => arguments.help = true,
            Long(name) if let Some(option) = example.options.iter().find(|option| option.name == name) => {
                let value = parser.value()?.string()?;
                arguments.own.0.push((option.name, value));
            }
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(arguments)
}

/// The address behind `--serve-mcp`, where there is one.
fn address(parser: &mut lexopt::Parser) -> Result<SocketAddr, lexopt::Error> {
    use lexopt::prelude::ValueExt as _;

    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    if let Some(value) = parser.optional_value() {
        return value.parse();
    }
    let Some(mut rest) = parser.try_raw_args() else {
        return Ok(free);
    };
    match rest.peek().and_then(|next| next.to_str()) {
        Some(next) if !next.starts_with('-') => {
            let address = next
                .parse()
                .map_err(|_error| format!("--serve-mcp takes an address, not \"{next}\""))?;
            rest.next();
            Ok(address)
        }
        _ => Ok(free),
    }
}

impl Arguments {
    fn has_no_window(&self) -> bool {
        self.observe || self.headless || !self.ask.is_empty()
    }

    /// Refuses what would do nothing.
    fn check(&self) -> Result<(), String> {
        let asks = !self.ask.is_empty();
        let mistake = if self.headless && self.serve.is_none() {
            "--headless is for --serve-mcp; use --ask TEXT to send a text without a window"
        } else if self.serve.is_some() && (asks || self.observe) {
            "--serve-mcp runs until it is stopped; --ask and --observe are for another run"
        } else if self.trace.is_some() && !asks {
            "--trace writes the requests of --ask TEXT; in a window the panel's inspector shows them"
        } else if self.approve_all.is_some() && !self.has_no_window() {
            "--approve is for runs without a window; in a window the user answers"
        } else {
            return Ok(());
        };
        Err(mistake.to_owned())
    }
}

/// `Ok(false)`: a text got no answer. `Err`: bad usage or configuration, in one line.
fn run<A: App>(example: &Example<A>, arguments: &Arguments) -> Result<bool, String> {
    arguments.check()?;
    let builder = builder(example.role, arguments)?;
    let app = (example.create)(&arguments.own)?;
    if arguments.has_no_window() {
        return headless(example, app, arguments, builder);
    }
    if cfg!(target_os = "linux")
        && ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .all(|name| std::env::var_os(name).is_none())
    {
        return Err(
            "there is no display to open a window on; use --ask TEXT to run without one, or --headless".to_owned(),
        );
    }
    let output = arguments.json.then(|| Output::new(true));
    window::run(example, app, builder, arguments.serve, output)
        .map(|()| true)
        .map_err(|error| format!("no window could be opened ({error}); use --ask TEXT to run without one"))
}

fn builder(role: &str, arguments: &Arguments) -> Result<Builder, String> {
    let mut config = ConfigPatch::new();
    if let Some(path) = &arguments.config {
        let text = std::fs::read_to_string(path).map_err(|error| format!("--config {}: {error}", path.display()))?;
        config = ConfigPatch::from_json(&text).map_err(|error| format!("--config {}: {error}", path.display()))?;
    }
    let builder = Pling::builder().role(role).config(config);
    Ok(if arguments.offline {
        builder.offline()
    } else {
        builder.offline_if_unconfigured()
    })
}

fn headless<A: App>(example: &Example<A>, app: A, arguments: &Arguments, builder: Builder) -> Result<bool, String> {
    let output = Output::new(arguments.json);
    let approval = if arguments.approve_all == Some(true) {
        ApprovalMode::AllowAll
    } else {
        ApprovalMode::DenyAll
    };
    let told = output.clone();
    let builder = builder.approval(approval).on_event(move |event| told.event(event));

    let mut headless = Headless::new(example.screen);
    let (pling, driver) = builder
        .try_install_driven(headless.ctx())
        .map_err(|error| error.to_string())?;
    if let Some(path) = &arguments.trace {
        pling.session().set_trace(Some(trace_to(example.name, path)?));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let app = RefCell::new(app);
    let ui = |ui: &mut egui::Ui| {
        egui::CentralPanel::default().show(ui, |ui| app.borrow_mut().ui(ui));
    };

    if arguments.observe {
        let executor = pling.executor().clone();
        let seen = runtime.block_on(headless.run(&pling, driver, ui, async { executor.observe().await }));
        let seen = seen.map_err(|refusal| format!("{}: {}", refusal.code, refusal.message))?;
        output.observation(&seen);
        return Ok(true);
    }

    if arguments.headless
        && let Some(address) = arguments.serve
    {
        // Without it there is nothing to do here.
        let _serving = serve(example, &pling, address).map_err(|error| error.to_string())?;
        runtime.block_on(headless.run(&pling, driver, ui, stopped()));
        return Ok(true);
    }

    if pling.is_offline() {
        output.notice(
            "OFFLINE",
            "no model is configured or used: the offline planner answers, a small matcher of words",
        );
    }
    let session = pling.session().clone();
    let talk = async {
        let mut answer = None;
        for text in &arguments.ask {
            let outcome = session.send(text.clone()).await;
            let answered = outcome.is_answered() || outcome.end == End::Ignored;
            answer = outcome.answer;
            if !answered {
                return (false, answer);
            }
        }
        (true, answer)
    };
    let (answered, answer) = runtime.block_on(headless.run(&pling, driver, ui, talk));
    output.last(answer.as_deref(), &app.borrow().summary());
    Ok(answered)
}

/// The user, or whoever started it, wants it to end.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Where it cannot be waited for, the process just ends.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Writes each request body as it is sent; what was written so far is there when the process ends early.
fn trace_to(name: &'static str, path: &PathBuf) -> Result<TraceSink, String> {
    let file = File::create(path).map_err(|error| format!("--trace {}: {error}", path.display()))?;
    let file = Mutex::new(BufWriter::new(file));
    Ok(Arc::new(move |body| {
        let mut file = file.lock();
        if let Err(error) = writeln!(file, "{body}").and_then(|()| file.flush()) {
            eprintln!("{name}: --trace: {error}");
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_do_nothing_is_refused() {
        let serve = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let ask = || vec!["Hello".to_owned()];
        let (trace, approve_all) = (Some(PathBuf::from("trace")), Some(true));
        let none = Arguments::default;
        for (arguments, named) in [
            (
                Arguments {
                    headless: true,
                    ..none()
                },
                Some("--headless"),
            ),
            (
                Arguments {
                    serve,
                    ask: ask(),
                    ..none()
                },
                Some("--serve-mcp"),
            ),
            (
                Arguments {
                    serve,
                    observe: true,
                    ..none()
                },
                Some("--serve-mcp"),
            ),
            (
                Arguments {
                    trace: trace.clone(),
                    ..none()
                },
                Some("--trace"),
            ),
            (Arguments { approve_all, ..none() }, Some("--approve")),
            (none(), None),
            (Arguments { serve, ..none() }, None),
            (
                Arguments {
                    serve,
                    headless: true,
                    approve_all,
                    ..none()
                },
                None,
            ),
            (
                Arguments {
                    ask: ask(),
                    trace,
                    approve_all,
                    ..none()
                },
                None,
            ),
        ] {
            let said = arguments.check().err();
            assert_eq!(said.is_some(), named.is_some(), "{arguments:?}");
            assert!(
                named.is_none_or(|named| said.is_some_and(|said| said.starts_with(named))),
                "{arguments:?}"
            );
        }
    }
}
