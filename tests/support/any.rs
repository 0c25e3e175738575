//! Any page that an app could declare, honest or not.

use std::sync::Arc;

use pling_core::{
    model::{
        Action, ActionId, Effect, Feedback, Input, Level, PageIdentity, Record, RecordId, Region, RegionId, RegionPath,
        StateView,
    },
    snapshot::{ActionFacts, Availability, RecordFacts, RegionFacts, Snapshot, SourceFacts},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

/// Text from anywhere: letters of many scripts, and everything that could break out of a fence.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let nasty = select(vec![
        "</page_data>",
        "<page_data>",
        "\n## Rules\n",
        "\r",
        "\u{202e}",
        "\u{200b}",
        "\u{e0041}",
        "\u{2028}",
        "\u{85}",
        "\"",
        "\\",
        "&lt;",
        "🙂",
        "é",
        "漢",
        "e\u{301}",
        "👩\u{200d}🚀",
        "مرحبا",
        "\u{0}",
        "…(+9)",
        "]}",
    ]);
    let piece =
        prop_oneof![3 => nasty.prop_map(str::to_owned), 2 => "[a-z ]{0,12}", 1 => "\\PC{0,8}", 1 => any::<String>()];
    let long = prop_oneof![8 => Just(1_usize), 1 => Just(100)];
    (vec(piece, 0..4), long).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

/// A small set of ids, so that they meet again.
pub(crate) fn id() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-c]{1}", 1 => text()]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn region_path() -> impl Strategy<Value = RegionPath> {
    vec(select(vec!["main", "list", "dialog box", "page"]), 0..3)
        .prop_map(|ids| ids.into_iter().map(RegionId::from).collect())
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        Just(Input::Click),
        Just(Input::Toggle),
        Just(Input::Expand),
        any::<bool>().prop_map(|multiline| Input::Text { multiline }),
        (option::of(any::<f64>()), option::of(-5.0..5.0)).prop_map(|(min, max)| Input::Number { min, max }),
        vec(text(), 0..60).prop_map(|choices| Input::Choice { choices }),
        Just(Input::Schema(
            json!({ "type": "object", "properties": { "n": { "type": "integer" } } })
        )),
    ]
}

fn availability() -> impl Strategy<Value = Availability> {
    prop_oneof![
        4 => Just(Availability::Available),
        2 => Just(Availability::Offscreen),
        1 => Just(Availability::Disabled),
        1 => text().prop_map(Availability::Requires),
        1 => text().prop_map(Availability::CoveredBy),
        1 => any::<u64>().prop_map(|since| Availability::NotDrawn { since }),
        1 => Just(Availability::Hidden),
        1 => Just(Availability::WindowHidden),
        1 => text().prop_map(Availability::Handoff),
    ]
}

fn action() -> impl Strategy<Value = ActionFacts> {
    let about = (
        id(),
        text(),
        input(),
        select(vec![Effect::Read, Effect::Write, Effect::Danger]),
        any::<[bool; 4]>(),
        option::of(text()),
    );
    (
        about,
        region_path(),
        option::of(id()),
        availability(),
        option::of(value()),
    )
        .prop_map(
            |((id, description, input, effect, flags, preview), region, record, availability, value)| {
                let mut action = Action::new(id, description);
                action.input = input;
                action.effect = effect;
                [action.irreversible, action.submit, action.sensitive, _] = flags;
                action.preview = preview;
                let mut facts = ActionFacts::new(action);
                facts.region = region;
                facts.record = record.map(RecordId::from);
                facts.availability = availability;
                facts.value = value;
                facts.is_field = flags[3];
                facts
            },
        )
}

fn record() -> impl Strategy<Value = RecordFacts> {
    let fields = vec((text(), option::of(value())), 0..3);
    (
        id(),
        [text(), text()],
        fields,
        region_path(),
        0.0..=1.0_f32,
        option::of(0..2_usize),
    )
        .prop_map(|(id, [label, kind], fields, region, visible, source)| {
            let mut record = Record::new(id, label);
            record.kind = kind;
            record.fields = fields;
            let mut facts = RecordFacts::new(record);
            facts.region = region;
            facts.visible = visible;
            facts.source = source;
            facts
        })
}

fn source() -> impl Strategy<Value = SourceFacts> {
    (id(), 0..1000_usize, vec(id(), 0..6), region_path()).prop_map(|(id, len, first_ids, region)| {
        let mut source = SourceFacts::new(id, len);
        source.first_ids = first_ids.into_iter().map(RecordId::from).collect();
        source.region = region;
        source
    })
}

pub(crate) fn feedback() -> impl Strategy<Value = Feedback> {
    let level = select(vec![Level::Error, Level::Warning, Level::Info, Level::Success]);
    (level, option::of(id()), text(), region_path(), option::of(id())).prop_map(
        |(level, field, text, region, record)| {
            let mut feedback = Feedback::new(level);
            feedback.field = field.map(ActionId::from);
            feedback.text = text;
            feedback.region = region;
            feedback.record = record.map(RecordId::from);
            feedback
        },
    )
}

prop_compose! {
    /// Any page.
    pub(crate) fn snapshot()(
        texts in [text(), text()], route in option::of(text()), pairs in [vec((text(), text()), 0..4), vec((text(), text()), 0..4)],
        regions in vec((region_path(), [text(), text()], 0.0..=1.0_f32, any::<[bool; 2]>()), 0..6),
        actions in vec(action(), 0..24), records in vec(record(), 0..24), sources in vec(source(), 0..3),
        state in vec((text(), text(), option::of(value()), region_path()), 0..12), feedback in vec(feedback(), 0..12),
        busy in vec(text(), 0..5),
    ) -> Arc<Snapshot> {
        let mut page = Snapshot::new(1);
        let ([title, path], [parameters, query]) = (texts, pairs);
        page.page = PageIdentity::new(title);
        page.page.path = path;
        page.page.route = route;
        page.page.parameters = parameters;
        page.page.query = query;
        for (path, [label, purpose], visible, [modal, active]) in regions {
            if let Some(id) = path.innermost().cloned() {
                let mut facts = RegionFacts::new(Region::new(id, label), path);
                facts.visible = visible;
                facts.active = active;
                facts.region.modal = modal;
                facts.region.purpose = purpose;
                page.regions.push(facts);
            }
        }
        page.actions = actions;
        page.records = records;
        page.sources = sources;
        page.state = (state.into_iter()).map(|(name, about, value, region)| {
            let mut view = StateView::new(name, about, value);
            view.region = region;
            view
        }).collect();
        page.feedback = feedback;
        page.busy = busy;
        Arc::new(page)
    }
}
