//! Every outcome of a settings page's test button.

use std::time::Duration;

use pling_core::llm::{OpenAi, Probe, Verdict};
use serde_json::{Value, json};

use crate::{
    llm_stream::client,
    support::server::{Answer, Server},
};

/// Words in ten pieces, from a model with a name of its own.
fn counting() -> Answer {
    (0..10)
        .fold(Answer::sse(), |stream, _| {
            stream.event(&json!({ "model": "real-model-1", "choices": [{ "delta": { "content": "one " } }] }))
        })
        .event(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }))
        .done()
}

fn call_in_pieces() -> Answer {
    let piece = |id: Option<&str>, function: Value| {
        let mut call = json!({ "index": 0, "function": function });
        if let Some(id) = id {
            call["id"] = id.into();
        }
        json!({ "tool_calls": [call] })
    };
    Answer::deltas(
        [
            piece(Some("a"), json!({ "name": "note_word", "arguments": "" })),
            piece(None, json!({ "arguments": "{\"word\":" })),
            piece(None, json!({ "arguments": "\"pling\"}" })),
        ],
        "tool_calls",
    )
}

fn whole_call() -> Answer {
    Answer::call("a", "note_word", "{\"word\":\"pling\"}")
}

fn refused(status: u16, words: &str) -> Answer {
    Answer::json(status, &json!({ "error": { "message": words } }))
}

async fn probe(answers: impl IntoIterator<Item = Answer>) -> (Probe, Server) {
    let server = Server::start(answers);
    let probe = client(&server, 3).api_key("sk-probe-0123456789").unwrap().probe().await;
    assert!(!format!("{probe:?} {probe}").contains("0123456789"), "{probe}");
    (probe, server)
}

/// The verdicts on answers, streams, calls, streamed calls, results.
fn verdicts(probe: &Probe) -> [Verdict; 5] {
    let Probe {
        answers,
        streams,
        calls_tools,
        streams_calls,
        takes_results,
        ..
    } = probe;
    [answers, streams, calls_tools, streams_calls, takes_results].map(|finding| finding.verdict)
}

use Verdict::{No, Unknown, Yes};

#[tokio::test]
async fn everything_works() {
    let (probe, server) = probe([counting(), call_in_pieces(), Answer::text("Noted.")]).await;
    assert_eq!(verdicts(&probe), [Yes; 5], "{probe}");
    assert!(probe.is_usable() && !probe.needs_stream_off);
    assert_eq!(
        probe.to_string(),
        "Answers: yes\nModel: real-model-1\nStreams: yes, ten words came in 10 pieces\nCalls tools: yes\n\
         Streams calls: yes, a call came in 3 pieces\nTakes results: yes"
    );
    let sent = server.requests();
    assert_eq!(sent.len(), 3);
    assert_eq!(sent[0].body.get("tools"), None);
    assert_eq!(sent[1].body["tools"][0]["function"]["name"], "note_word");
    let last = sent[2].body["messages"].as_array().unwrap();
    assert_eq!(
        (&last[2]["tool_calls"][0]["id"], &last[3]["tool_call_id"]),
        (&json!("a"), &json!("a"))
    );
}

#[tokio::test]
async fn nothing_answers() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let probe = OpenAi::new(&base, "m").unwrap().probe().await;
    assert_eq!(verdicts(&probe), [No, Unknown, Unknown, Unknown, Unknown]);
    assert!(
        probe
            .answers
            .words
            .starts_with("nothing answers there: no answer from http"),
        "{probe}"
    );
    assert!(!probe.is_usable());
}

#[tokio::test]
async fn the_key_is_refused() {
    let (probe, server) = probe([refused(401, "Incorrect API key provided: sk-probe-0123456789")]).await;
    assert_eq!(verdicts(&probe), [No, Unknown, Unknown, Unknown, Unknown]);
    assert!(probe.answers.words.starts_with("the key is refused: "), "{probe}");
    assert!(probe.answers.words.contains("provided: ***"), "{probe}");
    assert_eq!(server.requests().len(), 1, "asking otherwise would not help");
}

#[tokio::test]
async fn the_model_is_not_known() {
    let (probe, server) = probe([refused(404, "model m not found")]).await;
    assert_eq!(probe.answers.verdict, No);
    assert!(probe.answers.words.contains("model m not found"), "{probe}");
    assert!(probe.answers.words.contains("/v1/chat/completions"), "{probe}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn too_many_requests_are_not_waited_for() {
    let (probe, server) = probe([refused(429, "slow down").header("retry-after", "30")]).await;
    assert!(
        probe.answers.words.starts_with("too many requests at the moment"),
        "{probe}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_web_page_is_no_endpoint() {
    let page = || Answer::status(200).header("content-type", "text/html").bytes("<html>");
    let (probe, _) = probe([page(), page()]).await;
    assert_eq!(probe.answers.verdict, No);
    assert!(probe.answers.words.contains("HTML"), "{probe}");
}

#[tokio::test]
async fn it_answers_only_in_one_piece() {
    let message = |message: Value| Answer::json(200, &json!({ "model": "m-1", "choices": [{ "message": message }] }));
    let call = json!({ "id": "a", "function": { "name": "note_word", "arguments": "{\"word\":\"pling\"}" } });
    let (probe, server) = probe([
        refused(400, "streaming is not available"),
        message(json!({ "content": "one two" })),
        message(json!({ "content": null, "tool_calls": [call] })),
        message(json!({ "content": "Noted." })),
    ])
    .await;
    assert_eq!(verdicts(&probe), [Yes, No, Yes, No, Yes], "{probe}");
    assert!(probe.streams.words.contains("streaming is not available"), "{probe}");
    assert!(probe.streams.words.contains("turn streaming off"), "{probe}");
    assert!(probe.needs_stream_off && probe.is_usable());
    assert_eq!(probe.model.as_deref(), Some("m-1"));
    let streams: Vec<_> = server
        .requests()
        .iter()
        .map(|sent| sent.body["stream"].clone())
        .collect();
    assert_eq!(streams, [true, false, false, false]);
}

#[tokio::test]
async fn it_ignores_that_a_stream_is_asked_for() {
    let whole = Answer::json(200, &json!({ "choices": [{ "message": { "content": "one" } }] }));
    let (probe, _) = probe([whole, whole_call(), Answer::text("Noted.")]).await;
    assert_eq!((probe.streams.verdict, probe.needs_stream_off), (No, false));
    assert!(probe.streams.words.contains("one piece though"), "{probe}");
    assert!(probe.is_usable());
}

#[tokio::test]
async fn something_holds_the_words_back() {
    let (probe, _) = probe([Answer::text("one two three"), whole_call(), Answer::text("Noted.")]).await;
    assert_eq!(probe.streams.verdict, No);
    assert!(probe.streams.words.contains("all words come at once"), "{probe}");
}

#[tokio::test]
async fn a_call_comes_whole() {
    let (probe, _) = probe([counting(), whole_call(), Answer::text("Noted.")]).await;
    assert_eq!(verdicts(&probe), [Yes, Yes, Yes, No, Yes]);
    assert!(probe.streams_calls.words.contains("works as well"), "{probe}");
    assert!(probe.is_usable());
}

#[tokio::test]
async fn tools_are_refused() {
    let words = "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set";
    let (probe, _) = probe([counting(), refused(400, words)]).await;
    assert_eq!(verdicts(&probe), [Yes, Yes, No, Unknown, Unknown]);
    assert!(probe.calls_tools.words.contains("started without tools"), "{probe}");
    assert!(probe.calls_tools.words.contains("--tool-call-parser"), "{probe}");
    assert!(!probe.is_usable());
}

#[tokio::test]
async fn calls_come_as_text() {
    for text in [
        "{\"name\": \"note_word\", \"arguments\": {\"word\": \"pling\"}}",
        "<tool_call>\n{\"name\": \"note_word\"}\n</tool_call>",
        "<function=note_word><parameter=word>pling</parameter></function>",
        "note_word(\"pling\")",
    ] {
        let (probe, server) = probe([counting(), Answer::text(text)]).await;
        assert_eq!(verdicts(&probe), [Yes, Yes, No, Unknown, Unknown], "{text}");
        assert!(probe.calls_tools.words.contains("plain text"), "{probe}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn it_talks_instead_of_calling() {
    let (probe, _) = probe([counting(), Answer::text("I cannot call anything.")]).await;
    assert_eq!(verdicts(&probe), [Yes, Yes, Unknown, Unknown, Unknown]);
    assert!(!probe.is_usable());
}

#[tokio::test]
async fn calls_that_cannot_be_used() {
    for (name, arguments, words) in [
        ("note_wort", "{\"word\":\"pling\"}", "“note_wort”"),
        ("note_word", "{\"word\":", "no usable arguments"),
        ("note_word", "", "no usable arguments"),
    ] {
        let (probe, _) = probe([counting(), Answer::call("a", name, arguments), Answer::text("Noted.")]).await;
        assert_eq!(probe.calls_tools.verdict, No, "{name} {arguments}");
        assert!(probe.calls_tools.words.contains(words), "{probe}");
        assert!(!probe.is_usable());
    }
}

#[tokio::test]
async fn the_output_limit_cuts_everything() {
    let cut = || Answer::deltas([json!({ "reasoning_content": "hmm" })], "length");
    let (probe, _) = probe([cut(), cut()]).await;
    assert_eq!(verdicts(&probe), [Yes, Unknown, Unknown, Unknown, Unknown]);
    assert!(probe.answers.words.contains("maxTokens"), "{probe}");
    assert!(probe.calls_tools.words.contains("maxTokens"), "{probe}");
}

#[tokio::test]
async fn results_are_refused() {
    let (probe, _) = probe([counting(), whole_call(), refused(400, "unexpected role 'tool'")]).await;
    assert_eq!(verdicts(&probe), [Yes, Yes, Yes, No, No]);
    assert!(probe.takes_results.words.contains("unexpected role 'tool'"), "{probe}");
    assert!(!probe.is_usable());
}

/// What a provider wants otherwise does not fail the test of it.
#[tokio::test]
async fn a_field_it_refuses_is_no_failure() {
    let words =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let (probe, server) = probe([
        refused(400, words),
        counting(),
        call_in_pieces(),
        Answer::text("Noted."),
    ])
    .await;
    assert!(probe.is_usable(), "{probe}");
    assert_eq!(server.requests()[3].body["max_completion_tokens"], 1024);
}

#[tokio::test]
async fn a_test_that_is_given_up_closes_its_connection() {
    let server = Server::start([counting(), Answer::sse().stall()]);
    let llm = client(&server, 0);
    let task = tokio::spawn(async move { llm.probe().await });
    let asked = async {
        while server.requests().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), asked)
        .await
        .expect("the second request");
    task.abort();
    server.hung_up(1).await;
}
