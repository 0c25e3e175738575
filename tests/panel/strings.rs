//! The panel in another language.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use egui::{Key, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use parking_lot::Mutex;
use pling_core::{
    act::ApprovalMode,
    agent::Status,
    llm::{ErrorKind, Turn},
};
use pling_egui::{
    AssistantPanel, Feedback, PanelText, Pling, Record, Region, ResponseExt as _, Tool, UiExt as _,
    testing::AgentHarness,
};
use serde_json::json;

use super::painted_texts;
use crate::support::Scripted;

/// A page, and what is said to it, without a single letter: every letter on the screen is then the panel's own.
#[derive(Default)]
struct Page {
    pling: Option<Pling>,
    gone: bool,
    text: String,
    number: i32,
    choice: usize,
}

impl Page {
    fn ui(&mut self, ui: &mut egui::Ui) {
        if let Some(pling) = &self.pling {
            AssistantPanel::new(pling).show(ui);
        }
        egui::CentralPanel::default().show(ui, |ui| {
            ui.state("7", "77", &self.number);
            ui.region(Region::new("0", "00"), |ui| {
                if !self.gone {
                    ui.record(Record::new("1", "11"), |ui| {
                        let delete = Tool::new("2", "22").danger().preview("222");
                        self.gone |= ui.button("2").tool(delete).clicked();
                    });
                }
                if ui.button("3").tool(Tool::new("3", "33")).clicked() {
                    self.number += 1;
                }
                let _ = ui.button("4").tool(Tool::new("4", "44").handoff("444"));
                let _ = ui.button("5").tool(Tool::new("5", "55").danger().irreversible());
                let no = Tool::new("6", "66").available_if(false, "666");
                let _ = ui.add_enabled(false, egui::Button::new("6")).tool(no);
                let field = ui.add(egui::TextEdit::singleline(&mut self.text).id_salt("8").hint_text("8"));
                let _ = field.tool(Tool::new("8", "88"));
                let _ = ui.add(egui::Slider::new(&mut self.number, 0..=9).text("9"));
                let _ = ui.add(egui::Button::new("99"));
                let combo = egui::ComboBox::from_label("10").selected_text(self.choice.to_string());
                combo.show_ui(ui, |ui| ui.selectable_value(&mut self.choice, 1, "1"));
                ui.feedback(Feedback::warning(), "12");
            });
        });
    }
}

/// The panel with numbers for words, and every text that was seen in it.
struct Walk {
    harness: AgentHarness<'static, Page>,
    model: Scripted,
    asked: Arc<Mutex<BTreeSet<&'static str>>>,
    /// Texts with letters, and where they were seen.
    letters: BTreeMap<String, String>,
}

fn number(id: &str) -> String {
    let at = PanelText::all().position(|text| text.id() == id);
    format!("[{}]", at.unwrap_or_else(|| panic!("no text {id}")))
}

impl Walk {
    fn new() -> Self {
        let model = Scripted::default();
        let asked = Arc::<Mutex<BTreeSet<&'static str>>>::default();
        let seen = Arc::clone(&asked);
        let ui = |ui: &mut egui::Ui, page: &mut Page| page.ui(ui);
        let mut harness = AgentHarness::<()>::builder()
            .llm(model.clone())
            .approval(ApprovalMode::Ask)
            .size([1000.0, 900.0])
            .accessibility_check(true)
            .pling(move |pling| {
                pling.strings(move |text| {
                    seen.lock().insert(text.id());
                    Some(number(text.id()))
                })
            })
            .build_ui_state(ui, Page::default());
        harness.state_mut().pling = Some(harness.pling().clone());
        harness.kittest().run_steps(4);
        Self {
            harness,
            model,
            asked,
            letters: BTreeMap::new(),
        }
    }

    fn steps(&mut self, steps: usize) {
        self.harness.run(tokio::task::yield_now());
        self.harness.kittest().run_steps(steps);
    }

    /// Takes in every text there is, whoever can read it.
    fn look(&mut self, state: &str) {
        let mut texts = painted_texts(&self.harness.kittest().output().shapes);
        let root = self.harness.kittest().root();
        for node in root.children_recursive() {
            let node = node.accesskit_node();
            let all = [
                node.label(),
                node.value(),
                node.description(),
                node.placeholder().map(Into::into),
            ];
            texts.extend(all.into_iter().flatten());
        }
        for text in texts {
            let is_word = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
            let is_ours = text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                // Stable codes are the same in every language.
                .any(|word| is_word(word) && word.chars().any(char::is_lowercase));
            if is_ours {
                self.letters.entry(text).or_insert_with(|| state.to_owned());
            }
        }
    }

    /// [`Self::look`], and what is said of each button when the pointer rests on it.
    fn look_closely(&mut self, state: &str) {
        self.look(state);
        let buttons: Vec<_> = {
            let all = self.harness.kittest().query_all_by_role(Role::Button);
            all.map(|button| button.rect())
                .filter(|rect| rect.left() > 600.0)
                .collect()
        };
        for button in buttons {
            self.harness.kittest().hover_at(button.center());
            self.harness.kittest().run_steps(3);
            self.look(&format!("{state}, pointed at"));
        }
        self.harness.kittest().hover_at(egui::pos2(20.0, 880.0));
        self.steps(2);
    }

    fn press(&mut self, id: &str) {
        let label = number(id);
        let harness = self.harness.kittest();
        let Some(node) = harness.query_all_by_label(&label).next() else {
            panic!("{id} is not there");
        };
        node.click_accesskit();
        self.steps(3);
    }

    fn send(&mut self, turns: impl IntoIterator<Item = Turn>) {
        for turn in turns {
            self.model.push(turn);
        }
        let field = self.harness.kittest().get_by_role(Role::MultilineTextInput);
        field.focus();
        self.harness.kittest().step();
        self.harness.kittest().event(egui::Event::Text("1".to_owned()));
        self.harness.kittest().step();
        self.harness.kittest().key_press(Key::Enter);
        self.harness.kittest().step();
    }

    fn until_idle(&mut self) {
        let idle = |pling: &Pling| pling.session().status() == Status::Idle;
        self.harness.run_until("the session is idle", idle);
        self.steps(3);
    }

    fn until_asked(&mut self) {
        let asked = |pling: &Pling| !pling.session().waiting_for().is_empty();
        self.harness.run_until("a card is open", asked);
        self.steps(4);
    }
}

fn palette_is_open(walk: &mut Walk) -> bool {
    let find = number("find");
    walk.harness.kittest().query_all_by_label(&find).next().is_some()
}

#[test]
fn another_table_leaves_no_english() {
    let mut walk = Walk::new();
    walk.steps(4);
    walk.look_closely("empty");

    // A change, a refusal, an answer with code and a link.
    let answer = "1\n\n```\n2\n```\n\n[3](4)";
    let turns = [
        Turn::call("3", json!({})),
        Turn::call("9", json!({})),
        Turn::text(answer),
    ];
    walk.send(turns);
    walk.until_idle();
    walk.look_closely("an answer");
    walk.harness
        .kittest()
        .get_by_role_and_label(Role::Link, "3")
        .click_accesskit();
    walk.steps(3);

    // Questions.
    walk.send([Turn::call("2", json!({ "record": "1" }))]);
    walk.until_asked();
    walk.look_closely("a question");
    walk.press("allow_session");
    walk.model.push(Turn::text("1"));
    walk.until_idle();
    walk.look("what went");
    walk.send([Turn::call("5", json!({}))]);
    walk.until_asked();
    walk.look_closely("what can never be undone");
    walk.press("stop");
    walk.until_idle();
    walk.look("stopped");
    walk.send([Turn::call("4", json!({}))]);
    walk.until_asked();
    walk.look_closely("a step of the user");
    walk.model.push(Turn::text("1"));
    walk.press("done");
    walk.until_idle();
    walk.look("done by the user");

    // What it may do.
    walk.press("allowed");
    walk.look_closely("the menu");
    walk.press("read_only");
    walk.harness.kittest().key_press(Key::Escape);
    walk.steps(2);
    walk.send([Turn::call("3", json!({})), Turn::text("1")]);
    walk.until_idle();
    walk.look("read only");

    for kind in [ErrorKind::Auth, ErrorKind::Network, ErrorKind::Quota] {
        walk.send([Turn::error(kind, "1")]);
        walk.until_idle();
        walk.look("an error");
    }

    // The other views.
    walk.press("inspector");
    walk.steps(4);
    for section in ["page_as_sent", "undeclared", "changes", "last_requests"] {
        walk.press(section);
    }
    walk.press("record_requests");
    walk.look_closely("the inspector");
    walk.press("settings");
    walk.look_closely("the settings");
    walk.press("test");
    walk.look("nothing to test");
    walk.press("local_servers");
    walk.look("local servers");
    walk.harness.kittest().key_press(Key::Escape);
    walk.steps(2);

    // The palette.
    let open = |walk: &mut Walk| {
        walk.harness
            .kittest()
            .key_press_modifiers(egui::Modifiers::COMMAND, Key::K);
        for _ in 0..100 {
            walk.steps(1);
            if palette_is_open(walk) {
                break;
            }
        }
        walk.steps(2);
    };
    open(&mut walk);
    assert!(palette_is_open(&mut walk));
    walk.look("the palette");
    walk.harness.kittest().event(egui::Event::Text("88".to_owned()));
    walk.steps(2);
    walk.harness.kittest().key_press(Key::Enter);
    walk.steps(3);
    walk.look("its form");
    walk.press("back");
    walk.harness.kittest().event(egui::Event::Text("zzz".to_owned()));
    walk.steps(2);
    walk.look("nothing fits");

    // The data of others: the model's name, a URL, exact JSON and the page as it is sent.
    let page = walk.harness.observation();
    let data = |text: &str| {
        page.contains(text)
            || text == "scripted model"
            || text.contains("zzz")
            // egui's own.
            || ["Ctrl+Enter", "Resize panel"].contains(&text)
            || text.starts_with("http://")
            || ["Ollama", "LM Studio", "llama.cpp", "vLLM"].contains(&text)
            || (text.contains('{') && text.contains('"'))
    };
    let letters: Vec<_> = walk.letters.iter().filter(|(text, _)| !data(text)).collect();
    assert!(letters.is_empty(), "{letters:#?}");
    let (asked, all) = (walk.asked.lock().len(), PanelText::all().count());
    assert!(2 * asked > all, "the walk met {asked} of {all} texts");
}
