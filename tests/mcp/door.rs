//! Who is let in, and what is asked of a request before anything is done.

use pling_core::{
    act::{Decision, Permissions},
    surface::{
        ClientLimits, Surface,
        server::{ServeError, ServeOptions, running},
    },
};
use serde_json::json;

use super::{Served, directory, exchange, exchange_by, open};

const TOGGLE: &str = r#"{"action":"toggle","arguments":{"record":"t1"}}"#;

#[tokio::test]
async fn e04_host_origin_and_token_are_checked() {
    let served = Served::trusted();
    let port = served.address().port();
    let bearer = format!("Bearer {}", served.token());
    let own = format!("127.0.0.1:{port}");
    let with = |name: &str| format!("{name}:{port}");
    let cases: Vec<(Vec<(&str, String)>, u16)> = vec![
        (vec![("Host", own.clone())], 200),
        (vec![("Host", with("localhost"))], 200),
        (vec![("Host", with("LOCALHOST"))], 200),
        (vec![("Host", with("[::1]"))], 200),
        (vec![("Host", own.clone()), ("Origin", format!("http://{own}"))], 200),
        // A name that some DNS server made point here.
        (vec![("Host", with("evil.test"))], 403),
        (vec![("Host", with("127.0.0.1.evil.test"))], 403),
        (vec![("Host", with("localhost.evil.test"))], 403),
        // Without a port it is port 80, which is somebody else's.
        (vec![("Host", "localhost".to_owned())], 403),
        (vec![("Host", "localhost:1".to_owned())], 403),
        (vec![("Host", own.clone()), ("Host", with("evil.test"))], 400),
        (
            vec![("Host", own.clone()), ("Origin", "https://evil.test".to_owned())],
            403,
        ),
        (vec![("Host", own.clone()), ("Origin", "null".to_owned())], 403),
        (
            vec![("Host", own.clone()), ("Origin", "http://localhost:1".to_owned())],
            403,
        ),
        (
            vec![("Host", own.clone()), ("Origin", with("http://localhost.evil.test"))],
            403,
        ),
    ];
    for path in ["/invoke", "/mcp"] {
        for (headers, status) in &cases {
            let before = served.bench.host.handled().len();
            let mut headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            headers.extend([("Authorization", bearer.as_str()), ("Content-Type", "application/json")]);
            headers.push(("Accept", "application/json, text/event-stream"));
            let body = if path == "/mcp" { PING } else { TOGGLE };
            let reply = exchange(served.address(), &headers, path, body).await;
            let ran = served.bench.host.handled().len() - before;
            if *status == 200 && path == "/mcp" {
                assert_ne!(reply.status, 403, "{headers:?}: {reply:?}");
            } else if *status == 400 {
                assert!([400, 403].contains(&reply.status), "{headers:?}: {reply:?}");
            } else {
                assert_eq!(reply.status, *status, "{headers:?}: {reply:?}");
            }
            assert_eq!(ran, usize::from(*status == 200 && path == "/invoke"), "{headers:?}");
        }
    }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[tokio::test]
async fn e04_without_the_token_of_this_run_nothing_is_executed() {
    let served = Served::trusted();
    let other = Served::trusted();
    let host = served.address().to_string();
    let own = served.token().to_owned();
    let other = format!("Bearer {}", other.token());
    let shorter = format!("Bearer {}", &own[..own.len() - 1]);
    let basic = format!("Basic {own}");
    for given in [
        None,
        Some("Bearer "),
        Some("Bearer x"),
        Some(&other),
        Some(&shorter),
        Some(&basic),
    ] {
        let mut headers = vec![("Host", host.as_str()), ("Content-Type", "application/json")];
        headers.extend(given.map(|given| ("Authorization", given)));
        for path in ["/describe", "/invoke", "/wait", "/search", "/mcp", "/elsewhere"] {
            let reply = exchange(served.address(), &headers, path, TOGGLE).await;
            assert_eq!(reply.status, 401, "{given:?} {path}");
            assert!(reply.head.contains("www-authenticate: bearer"), "{reply:?}");
            assert!(!reply.body.contains(&own), "it does not tell");
        }
    }
    assert!(served.bench.host.handled().is_empty());
}

#[tokio::test]
async fn e04_what_a_web_page_can_send_unasked_is_not_executed() {
    let served = Served::trusted();
    let host = served.address().to_string();
    let bearer = format!("Bearer {}", served.token());
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
    ] {
        let headers = [
            ("Host", host.as_str()),
            ("Authorization", &bearer),
            ("Content-Type", kind),
        ];
        for path in ["/invoke", "/mcp"] {
            let reply = exchange(served.address(), &headers, path, TOGGLE).await;
            assert_eq!(reply.status, 415, "{kind} {path}");
        }
    }
    assert!(served.bench.host.handled().is_empty());
}

#[tokio::test]
async fn a_page_of_a_listed_origin_is_answered_as_browsers_want_it_and_no_other() {
    let served = Served::trusted();
    let options = ServeOptions::new("pages")
        .directory(directory())
        .origin("https://desk.test");
    let serving = served.surface.serve(&options).expect("a free port");
    let url = &serving.running().url;
    let host = url["http://".len()..].trim_end_matches("/mcp").to_owned();
    let address = host.parse().expect("an address");
    let bearer = format!("Bearer {}", serving.running().token);

    // What a browser asks first carries no token.
    let asks = [("Host", host.as_str()), ("Origin", "https://desk.test")];
    let reply = exchange_by("OPTIONS", address, &asks, "/invoke", "").await;
    assert_eq!(reply.status, 204, "{reply:?}");
    for line in [
        "access-control-allow-origin: https://desk.test",
        "access-control-allow-methods: post",
        "x-pling-client",
        "authorization, content-type",
        "vary: origin",
    ] {
        assert!(reply.head.contains(line), "{line}: {reply:?}");
    }
    let with_token = [
        asks[0],
        asks[1],
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
    ];
    let reply = exchange(address, &with_token, "/invoke", TOGGLE).await;
    assert_eq!(reply.status, 200);
    assert!(
        reply.head.contains("access-control-allow-origin: https://desk.test"),
        "{reply:?}"
    );
    let without = [asks[0], asks[1], ("Content-Type", "application/json")];
    let reply = exchange(address, &without, "/invoke", TOGGLE).await;
    assert_eq!(reply.status, 401, "the token is needed all the same");

    for (host, origin, status) in [
        (host.as_str(), "https://evil.test", 403),
        ("evil.test", "https://desk.test", 403),
        (host.as_str(), "null", 403),
    ] {
        let asks = [("Host", host), ("Origin", origin)];
        let reply = exchange_by("OPTIONS", address, &asks, "/invoke", "").await;
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(!reply.head.contains("access-control-allow-headers"), "{reply:?}");
    }
    let reply = exchange_by(
        "OPTIONS",
        served.address(),
        &[("Host", &served.address().to_string())],
        "/invoke",
        "",
    )
    .await;
    assert_eq!(reply.status, 401, "nobody is listed there");
    assert_eq!(served.bench.host.handled(), ["toggle t1"]);
}

#[tokio::test]
async fn bodies_and_rates_are_bounded() {
    let served = Served::trusted();
    let long = json!({ "action": "add_todo", "arguments": { "text": "x".repeat(2_000_000) } }).to_string();
    assert_eq!(served.post("/invoke", &long).await.status, 413);
    assert_eq!(served.post("/invoke", "{\"action\":").await.status, 400);
    assert!(served.bench.host.handled().is_empty());

    let options = ServeOptions::new("slow").directory(directory()).per_minute(2);
    let slow = served.surface.serve(&options).unwrap();
    let address = slow.running().url["http://".len()..]
        .trim_end_matches("/mcp")
        .parse()
        .unwrap();
    let host = format!("{address}");
    let bearer = format!("Bearer {}", slow.running().token);
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
    ];
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let reply = exchange(address, &headers, "/describe", "").await;
        assert!(reply.status == 200 || reply.head.contains("retry-after: "), "{reply:?}");
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[tokio::test]
async fn e07_whoever_closes_the_connection_has_left() {
    let served = Served::new();
    let host = served.address().to_string();
    let bearer = format!("Bearer {}", served.token());
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
    ];
    let body = r#"{"action":"clear_done"}"#;
    let stream = open(served.address(), &headers, "/invoke", body).await;
    let card = served.card().await;
    drop(stream);
    served.no_card().await;
    let approvals = served.bench.executor.approvals();
    assert!(!approvals.decide(&card, pling_core::act::Decision::Allow));
    assert!(served.bench.host.handled().is_empty());

    // The next one is served, and is a call of its own.
    let stream = open(served.address(), &headers, "/invoke", body).await;
    let card = served.card().await;
    assert!(approvals.decide(&card, pling_core::act::Decision::Allow));
    let mut stream = stream;
    let mut answer = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut answer)
        .await
        .unwrap();
    assert!(answer.contains("\"ok\":true"), "{answer}");
    assert_eq!(served.bench.host.handled(), ["clear_done"]);
}

#[tokio::test]
async fn a_name_has_its_limits_whoever_takes_it_and_its_grants_until_the_token_is_another() {
    let served = Served::new();
    let reader = ClientLimits::default().permissions(Permissions::read_only());
    let _ = served.surface.admit("dashboard", reader);
    let host = served.address().to_string();
    let headers = [("Host", host.as_str()), ("X-Pling-Client", "dashboard")];
    let refused = served.send(&headers, "/invoke", TOGGLE).await.json();
    assert_eq!(refused["error"]["code"], "NOT_PERMITTED", "{refused}");

    let approvals = served.bench.executor.approvals().clone();
    let (reply, ()) = tokio::join!(served.post("/invoke", r#"{"action":"clear_done"}"#), async {
        assert!(approvals.decide(&served.card().await, Decision::AllowForSession));
    });
    assert_eq!(reply.json()["result"]["ok"], true, "{reply:?}");
    assert_eq!(approvals.grants().len(), 1);
    let options = ServeOptions::new("next").directory(directory());
    drop(served.surface.serve(&options).expect("a free port"));
    assert!(approvals.grants().is_empty());
}

#[tokio::test]
async fn e10_a_taken_port_is_said_and_nobody_answers_for_another() {
    let served = Served::trusted();
    let taken = ServeOptions::new("second")
        .directory(directory())
        .address(served.address());
    let second = Surface::new(crate::support::Bench::trusted().executor);
    let error = second.serve(&taken).unwrap_err();
    assert!(
        matches!(error, ServeError::Taken(address) if address == served.address()),
        "{error}"
    );
    assert!(error.to_string().contains("taken"), "{error}");
    assert_eq!(served.post("/invoke", TOGGLE).await.status, 200, "the first goes on");

    let second = Served::trusted();
    assert_ne!(second.address(), served.address());
    assert_ne!(second.token(), served.token());
    assert_eq!(second.bench.host.handled().len(), 0);

    let outside = ServeOptions::new("open").address(([0, 0, 0, 0], 0).into());
    assert!(matches!(
        second.surface.serve(&outside),
        Err(ServeError::NotLoopback(_))
    ));
}

#[tokio::test]
async fn e10_a_restart_right_after_the_end_works_and_old_tokens_do_not() {
    let served = Served::trusted();
    let address = served.address();
    let host = address.to_string();
    let old = format!("Bearer {}", served.token());
    assert_eq!(served.post("/invoke", TOGGLE).await.status, 200);
    drop(served);
    let surface = Surface::new(crate::support::Bench::trusted().executor);
    let options = ServeOptions::new("again").directory(directory()).address(address);
    let again = surface.serve(&options).expect("the port is free at once");
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &old),
        ("Content-Type", "application/json"),
    ];
    assert_eq!(exchange(address, &headers, "/invoke", TOGGLE).await.status, 401);
    drop(again);
}

#[tokio::test]
async fn the_file_of_a_run_is_the_user_s_own_and_goes_with_it() {
    let served = Served::trusted();
    let found = running("fake", Some(&served.directory)).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].token, served.token());
    assert!(running("other", Some(&served.directory)).unwrap().is_empty());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(served.serving.file()), 0o600);
        assert_eq!(mode(&served.directory), 0o700);
    }
    assert!(!format!("{:?}", served.serving).contains(served.token()));
    let directory = served.directory.clone();
    let Served { serving, .. } = &served;
    let file = serving.file().to_owned();
    drop(served);
    assert!(!file.exists());
    assert!(running("fake", Some(&directory)).unwrap().is_empty());
}
