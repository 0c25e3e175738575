//! What somebody else on this machine may try: to keep others out, to get in by another way, to be taken for the app.

use pling_core::{
    platform::{Duration, timeout},
    surface::{
        Surface,
        server::{ServeError, ServeOptions, running},
    },
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{Served, directory, exchange};
use crate::support::Bench;

const TOGGLE: &str = r#"{"action":"toggle","arguments":{"record":"t1"}}"#;

#[tokio::test]
async fn connections_without_the_token_keep_nobody_out() {
    let served = Served::trusted();
    let mut idle = Vec::new();
    for number in 0..200 {
        let mut stream = TcpStream::connect(served.address()).await.expect("it listens");
        if number % 2 == 0 {
            // A head that never ends.
            stream
                .write_all(b"POST /invoke HTTP/1.1\r\nHost: ")
                .await
                .expect("it reads");
        }
        idle.push(stream);
    }
    assert_eq!(served.post("/invoke", TOGGLE).await.status, 200);
    // The oldest of them made room, long before their time was over.
    let mut rest = Vec::new();
    let closed = timeout(Duration::from_secs(15), idle[0].read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "it is still open");
    assert_eq!(served.bench.host.handled(), ["toggle t1"]);
}

#[tokio::test]
async fn sessions_that_nobody_ends_keep_nobody_out() {
    let served = Served::trusted();
    let host = served.address().to_string();
    let accept = ("Accept", "application/json, text/event-stream");
    let about =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about }).to_string();
    let mut sessions = Vec::new();
    for _ in 0..40 {
        let reply = served.send(&[("Host", &host), accept], "/mcp", &hello).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let id = reply
            .head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "));
        sessions.push(id.expect("a session").to_owned());
    }
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let mut statuses = Vec::new();
    for id in [&sessions[0], &sessions[39]] {
        let headers = [("Host", host.as_str()), accept, ("Mcp-Session-Id", id)];
        statuses.push(served.send(&headers, "/mcp", list).await.status);
    }
    assert_eq!(statuses, [404, 200], "the one that was not used for longest is gone");
    served.sdk("2025-11-25").await.cancel().await.expect("an end");
    served.sdk("2026-07-28").await.cancel().await.expect("an end");
}

#[tokio::test]
async fn other_paths_and_other_forms_of_the_request_lead_nowhere() {
    let served = Served::trusted();
    let port = served.address().port();
    for path in [
        "/invoke/",
        "//invoke",
        "/./invoke",
        "/x/../invoke",
        "/%69nvoke",
        "/INVOKE",
        "/invoke%00",
        "/mcp/invoke",
        "*",
    ] {
        let status = served.post(path, TOGGLE).await.status;
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
    for path in [
        format!("http://evil.test:{port}/invoke"),
        format!("http://127.0.0.1:{}/invoke", port ^ 1),
    ] {
        assert_eq!(served.post(&path, TOGGLE).await.status, 403, "{path}");
    }
    assert!(served.bench.host.handled().is_empty());

    // Names of headers are the same in any case, and a query changes nothing.
    let host = served.address().to_string();
    let bearer = format!("bEARER {}", served.token());
    let headers = [
        ("hOST", host.as_str()),
        ("AUTHORIZATION", &bearer),
        ("content-TYPE", "Application/JSON"),
    ];
    let reply = exchange(served.address(), &headers, "/invoke?token=x", TOGGLE).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let cases = [
        ("Host", "127.0.0.2"),
        ("Host", "127.1"),
        ("Host", "[0:0:0:0:0:0:0:1]"),
        ("Host", "[::ffff:127.0.0.1]"),
        ("Host", "0.0.0.0"),
        ("Host", "localhost."),
        ("Host", "user@127.0.0.1"),
    ];
    for (name, value) in cases {
        let value = format!("{value}:{port}");
        let status = served.send(&[(name, &value)], "/invoke", TOGGLE).await.status;
        assert!([400, 403].contains(&status), "{value}: {status}");
    }
    assert_eq!(served.bench.host.handled().len(), 1);
}

#[tokio::test]
async fn a_second_token_or_an_endless_head_is_no_way_in() {
    let served = Served::trusted();
    let host = served.address().to_string();
    let twice = [("Host", host.as_str()), ("Authorization", "Bearer x")];
    assert_eq!(served.send(&twice, "/invoke", TOGGLE).await.status, 401);
    let long = "x".repeat(1 << 20);
    let mut stream = super::open(
        served.address(),
        &[("Host", &host), ("X-Long", &long)],
        "/invoke",
        TOGGLE,
    )
    .await;
    let mut answer = Vec::new();
    // It is closed in the middle of it.
    drop(stream.read_to_end(&mut answer).await);
    assert!(!answer.starts_with(b"HTTP/1.1 2"));
    assert!(served.bench.host.handled().is_empty());
}

#[tokio::test]
async fn it_listens_on_the_other_loopback_address_as_well() {
    let surface = Surface::new(Bench::trusted().executor);
    let options = ServeOptions::new("six").directory(directory());
    let options = options.address((std::net::Ipv6Addr::LOCALHOST, 0).into());
    // Not every machine has it.
    let Ok(serving) = surface.serve(&options) else { return };
    let running = serving.running();
    let address = running.url["http://".len()..]
        .trim_end_matches("/mcp")
        .parse()
        .expect("an address");
    let (host, bearer) = (format!("{address}"), format!("Bearer {}", running.token));
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
    ];
    assert_eq!(exchange(address, &headers, "/invoke", TOGGLE).await.status, 200);
}

#[cfg(unix)]
mod files {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{PermissionsExt as _, chown, symlink},
        path::Path,
    };

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    fn serve(options: &ServeOptions) -> Result<pling_core::surface::server::Serving, ServeError> {
        Surface::new(Bench::trusted().executor).serve(options)
    }

    fn made(mode: u32) -> std::path::PathBuf {
        let directory = directory();
        fs::create_dir_all(&directory).expect("a directory");
        fs::set_permissions(&directory, Permissions::from_mode(mode)).expect("its owner's");
        directory
    }

    #[test]
    fn a_directory_that_others_may_write_to_is_not_used_and_not_changed() {
        for wide in [0o777, 0o1777, 0o770] {
            let directory = made(wide & 0o777);
            let error = serve(&ServeOptions::new("x").directory(&directory)).unwrap_err();
            assert!(error.to_string().contains("others may write"), "{error}");
            assert_eq!(mode(&directory), wide & 0o777);
            fs::remove_dir(&directory).expect("nothing was left in it");
        }
        let directory = made(0o755);
        let serving = serve(&ServeOptions::new("x").directory(&directory)).expect("readable is enough");
        assert_eq!((mode(&directory), mode(serving.file())), (0o755, 0o600));
    }

    #[test]
    fn a_directory_of_another_user_gets_no_token() {
        let directory = made(0o755);
        // Only some users can give a directory away.
        if chown(&directory, Some(65534), None).is_err() {
            return;
        }
        let error = serve(&ServeOptions::new("x").directory(&directory)).unwrap_err();
        assert!(error.to_string().contains("another user"), "{error}");
        assert_eq!(fs::read_dir(&directory).expect("it is there").count(), 0);
    }

    #[test]
    fn a_link_in_the_place_of_the_file_is_not_followed() {
        let directory = made(0o700);
        let elsewhere = directory.join("elsewhere");
        fs::write(&elsewhere, "mine").expect("a file");
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("a port")
            .port();
        let name = format!("x-{}-{port}.json", std::process::id());
        symlink(&elsewhere, directory.join(&name)).expect("a link");
        let options = ServeOptions::new("x")
            .directory(&directory)
            .address(([127, 0, 0, 1], port).into());
        let serving = serve(&options).expect("a port");
        assert_eq!(serving.file(), directory.join(name));
        assert!(!fs::symlink_metadata(serving.file()).expect("a file").is_symlink());
        assert_eq!(fs::read_to_string(&elsewhere).expect("a file"), "mine");
    }

    #[test]
    fn only_files_that_can_be_believed_are_and_dead_ones_go() {
        let directory = made(0o700);
        let put = |file: &str, url: &str, mode: u32| {
            let text = json!({ "name": "x", "url": url, "token": "t", "pid": 1 }).to_string();
            let path = directory.join(file);
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("its owner's");
        };
        let nobody = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("a port");
        put("wide.json", &format!("http://{nobody}/mcp"), 0o666);
        put("away.json", "http://192.0.2.1:80/mcp", 0o600);
        put("name.json", "http://evil.test:80/mcp", 0o600);
        assert!(running("x", Some(&directory)).expect("a list").is_empty());
        put("dead.json", &format!("http://{nobody}/mcp"), 0o600);
        assert_eq!(running("x", Some(&directory)).expect("a list").len(), 1);

        let first = serve(&ServeOptions::new("x").directory(&directory)).expect("a port");
        let second = serve(&ServeOptions::new("x").directory(&directory)).expect("a port");
        let found = running("x", Some(&directory)).expect("a list");
        let mut urls: Vec<_> = found.iter().map(|running| running.url.as_str()).collect();
        let mut both = [first.running().url.as_str(), second.running().url.as_str()];
        urls.sort_unstable();
        both.sort_unstable();
        assert_eq!(urls, both, "the one that nobody answers for is gone, and nobody else");
        assert!(!directory.join("dead.json").exists());
    }
}
