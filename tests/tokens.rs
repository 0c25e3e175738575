//! The estimate, held to a tokenizer's counts.

use std::sync::{Arc, LazyLock};

use pling_core::{
    llm::{Calibrated, Estimate, Request, TokenEstimate as _, Turn, Usage, estimate_tokens},
    observe::{Budget, Observation},
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tiktoken_rs::CoreBPE;

use crate::support::{Scripted, todo_page::snapshot};

/// What GPT-4o and later count with; the one that the bounds are stated for.
static O200K: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::o200k_base().expect("comes with the crate"));
/// What came before, with far fewer words of other scripts.
static CL100K: LazyLock<CoreBPE> = LazyLock::new(|| tiktoken_rs::cl100k_base().expect("comes with the crate"));

fn counted(text: &str) -> usize {
    O200K.encode_ordinary(text).len()
}

/// The documented bounds.
#[track_caller]
fn assert_within(text: &str) {
    let (estimate, counted) = (estimate_tokens(text), counted(text));
    assert!(estimate * 5 + 40 >= counted * 4, "{estimate} for {counted}: {text:?}");
    assert!(estimate <= counted * 2 + 8, "{estimate} for {counted}: {text:?}");
}

/// Sentences and other pieces of the kinds that the documentation names.
const PIECES: &[&str] = &[
    "Mark the weekly report as done, then add “buy milk” to the list.",
    "The quick brown fox jumps over the lazy dog near the riverbank.",
    "Internationalization and misunderstanding are characteristically long words.",
    "请把这个任务标记为已完成，然后添加一个新的任务：购买牛奶和面包。",
    "系统会显示当前页面的状态，包括待办事项、提醒以及错误信息。",
    "請把這個任務標記為已完成，然後新增一個新的任務。",
    "このタスクを完了としてマークし、新しいタスクを追加してください。",
    "이 작업을 완료로 표시하고 새로운 작업을 추가해 주세요.",
    "Пожалуйста, отметьте задачу как выполненную и добавьте новую.",
    "يرجى وضع علامة على المهمة كمكتملة وإضافة مهمة جديدة.",
    "कृपया कार्य को पूर्ण के रूप में चिह्नित करें।",
    "Bitte markieren Sie die Aufgabe als erledigt und fügen Sie eine neue hinzu.",
    "Veuillez marquer la tâche comme terminée et en ajouter une nouvelle.",
    "🎉🚀👍😂🔥✨🙏😊🥳🍞🥛📅✅❌",
    "Ship it 🚀 and buy 🥛 + 🍞 today ✅",
    "👩🏽‍💻 and 🏳️‍🌈 and 👨‍👩‍👧‍👦",
    r#"{"result":{"ok":true,"action":{"id":"toggle","record":"t3"},"changed":{"observed":true}}}"#,
    r#"{"type":"function","function":{"name":"add_todo","parameters":{"type":"object","properties":{}}}}"#,
    "fn main() {\n    let total: usize = items.iter().map(|item| item.len()).sum();\n}\n",
    "maxToolResultTokens reserveForOutput PLING_AGENT_LIMITS_MAX_TURNS kebab-case-name",
    "https://example.org/path/to/item?id=7919&sort=desc#section-4",
    "3.14159, 2718, 1000000, 42, 7, 0.5772, 16180339887",
    "6f1c9a52-0d3e-4b7a-9c11-e2f8a5b04d77",
    "- `toggle`: Mark the task as complete [record: t1, t2 …] (3 rows)\n",
    "\n\n## Records\n\n    t1  Buy milk        done: false\n",
];

#[test]
fn b10_every_kind_of_text_is_within_its_bounds() {
    for piece in PIECES {
        assert_within(piece);
        assert_within(&piece.repeat(20));
    }
}

#[test]
fn b10_pages_and_schemas_are_within_their_bounds() {
    let page = Observation::new(&Arc::new(snapshot()), &Budget::default());
    assert_within(&page.text);
    for tool in &page.tools {
        assert_within(&tool.to_json().to_string());
    }
}

/// Older tokenizers need a token for each Chinese character: a history of those must not look smaller than it is.
#[test]
fn b10_chinese_is_a_token_for_each_character() {
    let text = PIECES[3].repeat(100);
    let (estimate, old) = (estimate_tokens(&text), CL100K.encode_ordinary(&text).len());
    assert!(estimate >= text.chars().count(), "{estimate}");
    assert!(estimate * 10 >= old * 9, "{estimate} for {old}");
}

/// Bytes as base64 writes them.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |chunk: &[u8]| chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
    let digits = bytes.chunks_exact(3).flat_map(|chunk| {
        let bits = bits(chunk);
        [18, 12, 6, 0].map(|shift| char::from(DIGITS[(bits >> shift & 63) as usize]))
    });
    digits.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn mixtures_are_within_the_bounds(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..12)) {
        assert_within(&pieces.join("\n"));
        assert_within(&pieces.join(" "));
    }

    #[test]
    fn b10_base64_is_within_the_bounds(bytes in prop::collection::vec(any::<u8>(), 30..1500)) {
        assert_within(&base64(&bytes));
    }

    #[test]
    fn numbers_are_within_the_bounds(numbers in prop::collection::vec(any::<u32>(), 1..50)) {
        assert_within(&json!(numbers).to_string());
    }

    #[test]
    fn no_text_is_below_half_or_above_its_bytes(text in any::<String>()) {
        let estimate = estimate_tokens(&text);
        prop_assert!(estimate <= text.len());
        prop_assert!(estimate * 2 + 2 >= counted(&text), "{} for {}", estimate, counted(&text));
    }

    #[test]
    fn more_text_never_costs_much_less(a in any::<String>(), b in any::<String>()) {
        let whole = estimate_tokens(&format!("{a}{b}"));
        prop_assert!(whole + 8 >= estimate_tokens(&a).max(estimate_tokens(&b)) * 9 / 10);
    }
}

fn request(content: &str) -> Request {
    let page = Arc::new(Observation::new(&Arc::new(snapshot()), &Budget::default()));
    let messages = vec![
        json!({ "role": "system", "content": page.text }),
        json!({ "role": "user", "content": content }),
    ];
    Request::new("m", messages, page)
}

#[test]
fn b10_a_request_costs_its_messages_and_its_schemas() {
    let request = request("Add milk");
    let whole = Estimate.request(&request);
    let mut bare = request.clone();
    bare.tools.clear();
    let tools = Estimate.tools(&request.tools);
    assert!(tools > 100, "{tools}");
    assert_eq!(whole, Estimate.request(&bare) + tools);
    // All that is sent counts: calls, and fields that only the provider knows.
    let call = json!({ "role": "assistant", "content": null, "reasoning_content": "long thoughts ".repeat(50),
        "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "x", "arguments": "{}" } }] });
    assert!(Estimate.message(&call) > 100);
    // The body of the request as a tokenizer sees it.
    let body = request.body();
    let counted = counted(&body["messages"].to_string()) + counted(&body["tools"].to_string());
    assert!(
        whole * 5 >= counted * 4 && whole <= counted * 2,
        "{whole} for {counted}"
    );
}

/// What a provider counts for a prompt.
fn usage(prompt_tokens: u64) -> Usage {
    let llm = Scripted::new([Turn::text("x").usage(prompt_tokens, 1)]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let reply = pling_core::llm::Llm::complete(&llm, Arc::new(request("x")), Arc::new(|_| {}));
    runtime.block_on(reply).expect("scripted").usage.expect("usage")
}

#[test]
fn b10_the_providers_counts_correct_the_estimate() {
    let request = request(&PIECES[10].repeat(30));
    let estimated = Estimate.request(&request) as u64;
    let meter = Calibrated::<Estimate>::default();
    assert_eq!(meter.request(&request) as u64, estimated);

    // Up at once: the next request would overflow otherwise.
    meter.learn(&request, usage(estimated * 3 / 2));
    assert!((1.45..=1.5).contains(&meter.factor()), "{}", meter.factor());
    let calibrated = meter.request(&request) as u64;
    assert!(calibrated * 100 >= estimated * 149, "{calibrated} of {estimated}");

    // Down slowly, and then all the way.
    meter.learn(&request, usage(estimated));
    assert!(meter.factor() > 1.3, "{}", meter.factor());
    for _ in 0..40 {
        meter.learn(&request, usage(estimated / 2));
    }
    assert!((0.49..=0.52).contains(&meter.factor()), "{}", meter.factor());

    // Counts that are not of this request.
    let before = meter.factor();
    for nonsense in [0, 7, estimated * 40] {
        meter.learn(&request, usage(nonsense));
        assert!((meter.factor() - before).abs() < 1e-9, "{nonsense}");
    }
}

/// Whatever a provider's tokenizer does, the next estimate is not below what it counted for the same request.
#[test]
fn b10_after_a_count_the_same_request_is_never_underestimated() {
    let request = request(&PIECES[5].repeat(40));
    let old = |value: &Value| CL100K.encode_ordinary(&value.to_string()).len();
    let body = request.body();
    let truth = (old(&body["messages"]) + old(&body["tools"])) as u64;
    let meter = Calibrated::<Estimate>::default();
    meter.learn(&request, usage(truth));
    assert!(meter.request(&request) as u64 + 1 >= truth, "{truth}");
}
