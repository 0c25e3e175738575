//! From one pass's declarations to facts.

use std::sync::Arc;

use egui::{Context, Id, IdSet, Order};
use pling_core::{
    model::{Effect, Feedback, Input, PageIdentity, RegionPath, StateView},
    snapshot::{ActionFacts, Availability, RecordFacts, RegionFacts, Snapshot, SourceFacts},
};
use serde_json::Value;

use super::{
    Key, LastSeen, Pass, SeenWidget, WidgetRef,
    facts::{self, Kind, WidgetFacts},
    visibility::{self, Cover},
};

/// What one pass of one viewport said, as a part of the page's snapshot, and how to operate it.
#[derive(Debug, Default)]
pub(crate) struct ViewportFacts {
    page: Option<PageIdentity>,
    regions: Vec<RegionFacts>,
    actions: Vec<ActionFacts>,
    records: Vec<RecordFacts>,
    sources: Vec<SourceFacts>,
    state: Vec<StateView>,
    feedback: Vec<Feedback>,
    busy: Vec<String>,
    faults: Vec<String>,
    pub(crate) widgets: Vec<(Key, LastSeen)>,
}

impl ViewportFacts {
    /// The fields that hide what is written in them.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Key> {
        let secret = self.widgets.iter().filter(|(_, last)| last.facts.password);
        secret.map(|(key, _)| key)
    }

    /// A field that hid what is written in it stays secret, also while the user looks at it.
    pub(crate) fn withhold(&mut self, secrets: &[Key]) {
        for (key, last) in self.widgets.iter_mut().filter(|(key, _)| secrets.contains(key)) {
            last.facts.password = true;
            let Some(value) = last.facts.value.take() else { continue };
            let is_it = |facts: &&mut ActionFacts| {
                facts.action.id == key.action && facts.region == key.region && facts.record == key.record
            };
            for facts in self.actions.iter_mut().filter(is_it) {
                Arc::make_mut(&mut facts.action).sensitive = true;
                facts.value = None;
            }
            // It may be shown as a field of its record, too.
            for facts in &mut self.records {
                let shows_it = |field: &(String, Option<Value>)| field.1.as_ref() == Some(&value);
                if Some(&facts.record.id) == key.record.as_ref() && facts.record.fields.iter().any(shows_it) {
                    let fields = &mut Arc::make_mut(&mut facts.record).fields;
                    fields
                        .iter_mut()
                        .filter(|field| shows_it(field))
                        .for_each(|field| field.1 = None);
                }
            }
        }
    }

    /// A hidden widget does not say what it is: it takes what it took when it was seen.
    pub(crate) fn remember_inputs(&mut self, before: &Self) {
        let hidden = |facts: &&mut ActionFacts| facts.availability == Availability::Hidden;
        for facts in self.actions.iter_mut().filter(hidden) {
            let same = |known: &&ActionFacts| {
                known.action.id == facts.action.id && known.region == facts.region && known.record == facts.record
            };
            if let Some(known) = before.actions.iter().find(same)
                && known.action.input != facts.action.input
            {
                Arc::make_mut(&mut facts.action).input = known.action.input.clone();
            }
        }
    }

    /// Adds this viewport's part to the page's snapshot.
    pub(crate) fn add_to(&self, snapshot: &mut Snapshot) {
        let Self {
            page,
            regions,
            actions,
            records,
            sources,
            state,
            feedback,
            busy,
            faults,
            widgets: _,
        } = self;
        if let Some(page) = page {
            snapshot.page = page.clone();
        }
        let first_source = snapshot.sources.len();
        snapshot.regions.extend_from_slice(regions);
        snapshot.actions.extend_from_slice(actions);
        snapshot.records.extend(records.iter().cloned().map(|mut facts| {
            facts.source = facts.source.map(|index| index + first_source);
            facts
        }));
        snapshot.sources.extend_from_slice(sources);
        snapshot.state.extend_from_slice(state);
        snapshot.feedback.extend_from_slice(feedback);
        snapshot.busy.extend_from_slice(busy);
        snapshot.faults.extend_from_slice(faults);
    }
}

/// Reads the rest of the facts from egui, at the end of the pass.
pub(crate) fn assemble(ctx: &Context, mut pass: Pass) -> ViewportFacts {
    let mut facts = ViewportFacts {
        page: pass.page.take(),
        state: std::mem::take(&mut pass.state),
        busy: std::mem::take(&mut pass.busy),
        faults: std::mem::take(&mut pass.faults),
        ..ViewportFacts::default()
    };
    let front = front(ctx, &pass);
    for (index, seen) in pass.regions.iter().enumerate() {
        let mut region = RegionFacts::new(seen.region.clone(), seen.path.clone());
        region.visible = seen.visible;
        region.active = front == Some(index);
        facts.regions.push(region);
    }
    for seen in &pass.sources {
        let mut source = SourceFacts::new(&seen.id, seen.len);
        source.region = seen.region.clone();
        source.first_ids.clone_from(&seen.first_ids);
        facts.sources.push(source);
    }
    // Whoever declares a widget's action sensitive need not say so again of a field that shows it.
    let sensitive = pass.widgets.iter().filter(|seen| seen.action.sensitive);
    let withheld: IdSet = sensitive.filter_map(|seen| Some(seen.widget.as_ref()?.id)).collect();
    let shown = |id: Id| facts::shown(ctx, id).filter(|_| !withheld.contains(&id));
    let fields = pass.records.iter().flat_map(|seen| &seen.fields);
    let fields: IdSet = fields.map(|(_, widget)| *widget).collect();
    records(&mut pass, &mut facts, shown);
    for (mut feedback, widget) in std::mem::take(&mut pass.feedback) {
        if let Some(shown) = widget.and_then(shown) {
            feedback.text = shown.as_str().map_or_else(|| shown.to_string(), ToOwned::to_owned);
        }
        facts.feedback.push(feedback);
    }
    let modal = pass.regions.iter().rfind(|seen| seen.region.modal);
    let modal = modal.map(|seen| (seen.path.clone(), seen.region.label.clone()));
    facts.widgets.reserve_exact(pass.widgets.len());
    facts.actions.reserve_exact(pass.widgets.len());
    for seen in std::mem::take(&mut pass.widgets) {
        let (mut action, last) = action(ctx, &pass, &modal, seen);
        action.is_field = last.widget.as_ref().is_some_and(|widget| fields.contains(&widget.id));
        let key = Key {
            action: action.action.id.clone(),
            region: action.region.clone(),
            record: action.record.clone(),
        };
        facts.widgets.push((key, last));
        facts.actions.push(action);
    }
    facts
}

/// The index of the region in front of the others, where the user works: the last one that is declared modal, or the
/// outermost one in the topmost window or popup.
fn front(ctx: &Context, pass: &Pass) -> Option<usize> {
    let regions = || pass.regions.iter().enumerate();
    let modal = regions().rfind(|(_, seen)| seen.region.modal);
    if let Some((index, _)) = modal {
        return Some(index);
    }
    let windows = regions().filter_map(|(index, seen)| {
        let layer = seen
            .layer
            .filter(|layer| matches!(layer.order, Order::Middle | Order::Foreground))?;
        let height = ctx.memory(|memory| memory.layer_ids().position(|known| known == layer))?;
        Some((height, std::cmp::Reverse(index)))
    });
    windows.max().map(|(_, std::cmp::Reverse(index))| index)
}

/// A record belongs to the source declared nearest around it.
fn records(pass: &mut Pass, facts: &mut ViewportFacts, shown: impl Fn(Id) -> Option<Value>) {
    let mut first_in_region = IdSet::default();
    for mut seen in std::mem::take(&mut pass.records) {
        for (name, widget) in std::mem::take(&mut seen.fields) {
            seen.record.fields.push((name, shown(widget)));
        }
        let source = pass
            .sources
            .iter()
            .enumerate()
            .filter(|(_, source)| seen.region.is_within(&source.region))
            .max_by_key(|(_, source)| source.region.ids().len())
            .map(|(index, _)| index);
        let place = Id::unique((&seen.region, &seen.record.id));
        if !first_in_region.insert(place) {
            facts.faults.push(format!(
                "the record id \"{}\" is declared twice in the region \"{}\": calls on it are refused as ambiguous",
                seen.record.id, seen.region
            ));
        }
        let mut record = RecordFacts::new(seen.record);
        record.region = seen.region;
        record.visible = seen.visible;
        record.source = source;
        facts.records.push(record);
    }
}

fn action(
    ctx: &Context,
    pass: &Pass,
    modal: &Option<(RegionPath, String)>,
    seen: SeenWidget,
) -> (ActionFacts, LastSeen) {
    let SeenWidget {
        key,
        mut action,
        effect_given,
        requires,
        widget,
        inline,
    } = seen;
    let read = widget.as_ref().map(|widget| facts::read(ctx, widget));
    let widget_facts = read.unwrap_or_default();
    // Nobody else has it yet, so nothing is copied.
    let known = Arc::make_mut(&mut action);
    if widget.is_some() {
        known.input = widget_facts.kind.input(&widget_facts, &known.input);
    }
    known.sensitive |= widget_facts.password;
    if widget_facts.link && !effect_given {
        known.effect = Effect::Read;
    }
    let behind = modal
        .as_ref()
        .filter(|(path, _)| !key.region.is_within(path))
        .map(|(_, label)| label.clone());
    let availability = availability(ctx, pass, &action, requires, behind, widget.as_ref(), &widget_facts);
    let last = LastSeen {
        viewport: pass.viewport,
        inline,
        availability: availability.clone(),
        widget,
        facts: widget_facts,
    };
    let mut facts = ActionFacts::new(action);
    facts.value = last.facts.value.clone().filter(|_| !facts.action.sensitive);
    facts.region = key.region;
    facts.record = key.record;
    facts.availability = availability;
    (facts, last)
}

/// Why an action cannot be used comes in this order: what covers it, what its author says, what its widget says.
fn availability(
    ctx: &Context,
    pass: &Pass,
    action: &pling_core::model::Action,
    requires: Option<String>,
    behind: Option<String>,
    widget: Option<&WidgetRef>,
    facts: &WidgetFacts,
) -> Availability {
    if let Some(name) = behind {
        return Availability::CoveredBy(name);
    }
    if let Some(widget) = widget {
        if !widget.visible {
            return Availability::Hidden;
        }
        if let Cover::By(layer) = visibility::cover(ctx, widget.layer, widget.interact_rect) {
            return Availability::CoveredBy(visibility::name_of(ctx, pass, layer));
        }
    }
    if let Some(reason) = requires {
        return Availability::Requires(reason);
    }
    if let Some(widget) = widget {
        if !widget.enabled {
            return Availability::Disabled;
        }
        if facts.read_only && matches!(action.input, Input::Text { .. }) {
            return Availability::Requires("the field is read-only".to_owned());
        }
        if let Some(words) = facts.in_use {
            return Availability::Requires(words.to_owned());
        }
    }
    if let Some(reason) = &action.handoff {
        return Availability::Handoff(reason.clone());
    }
    match widget {
        Some(widget) if !widget.interact_rect.is_positive() && !matches!(facts.kind, Kind::Inert(_)) => {
            Availability::Offscreen
        }
        _ => Availability::Available,
    }
}
