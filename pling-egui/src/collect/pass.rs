//! What the declarations of one pass said.

use std::sync::Arc;

use egui::{
    Context, Id, LayerId, Order, PopupCloseBehavior, Rect, Response, Sense, Ui, ViewportId,
    containers::menu::MenuConfig,
};
use pling_core::model::{Action, ActionId, Feedback, PageIdentity, Record, Region, RegionPath, StateView};

use super::{
    nesting::{Key, Nesting, Scope},
    visibility::share_inside,
};
use crate::{
    act::Errand,
    declare::{Declared, Manner, Tool},
};

/// What the declarations of one pass of one viewport said, in document order.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) viewport: ViewportId,
    pub(crate) nesting: Nesting,
    pub(crate) regions: Vec<SeenRegion>,
    pub(crate) records: Vec<SeenRecord>,
    pub(crate) widgets: Vec<SeenWidget>,
    pub(crate) sources: Vec<SeenSource>,
    pub(crate) state: Vec<StateView>,
    /// With the widget whose text it is, where the text is not known yet.
    pub(crate) feedback: Vec<(Feedback, Option<Id>)>,
    pub(crate) page: Option<PageIdentity>,
    pub(crate) busy: Vec<String>,
    pub(crate) faults: Vec<String>,
    /// What Pling itself draws: ids of `Ui`s.
    #[cfg(feature = "panel")]
    pub(crate) own: Vec<Id>,
    /// Where the last declaration stood: a widget id that only recurs when nothing before it moved.
    last_hook: Option<Id>,
    /// Where the declaration before that stood, elsewhere: one widget may be declared in several ways.
    earlier_hook: Option<Id>,
    /// Whether that was [`crate::UiExt::tool`], about to add its widget.
    hooked_by_ui: bool,
    /// Popups that a click on their content does not close, as far as that is known.
    lasting_popups: Vec<LayerId>,
}

/// A region that was drawn.
#[derive(Debug)]
pub(crate) struct SeenRegion {
    pub(crate) region: Region,
    pub(crate) path: RegionPath,
    pub(crate) layer: Option<LayerId>,
    /// The share of its area inside the clip rectangle, 0 to 1.
    pub(crate) visible: f32,
}

/// A record that was drawn.
#[derive(Debug)]
pub(crate) struct SeenRecord {
    pub(crate) record: Record,
    pub(crate) region: RegionPath,
    /// The share of its area inside the clip rectangle, 0 to 1.
    pub(crate) visible: f32,
    /// Fields whose values are those of widgets.
    pub(crate) fields: Vec<(String, Id)>,
}

/// A source that was declared.
#[derive(Debug)]
pub(crate) struct SeenSource {
    pub(crate) id: String,
    pub(crate) region: RegionPath,
    pub(crate) len: usize,
    pub(crate) first_ids: Vec<pling_core::model::RecordId>,
}

/// A declared action.
#[derive(Debug)]
pub(crate) struct SeenWidget {
    pub(crate) key: Key,
    pub(crate) action: Arc<Action>,
    pub(crate) effect_given: bool,
    pub(crate) requires: Option<String>,
    /// The widget; `None` for a function, and for an operation whose widget is not drawn.
    pub(crate) widget: Option<WidgetRef>,
    /// Whether it stands in a record that does not keep ids stable.
    pub(crate) inline: bool,
}

/// A widget as it was drawn in this pass.
#[derive(Clone, Debug)]
pub(crate) struct WidgetRef {
    pub(crate) id: Id,
    pub(crate) layer: LayerId,
    pub(crate) rect: Rect,
    /// Clipped.
    pub(crate) interact_rect: Rect,
    pub(crate) enabled: bool,
    pub(crate) visible: bool,
    pub(crate) sense: Sense,
    /// Where the declaration right before it stood.
    pub(crate) before: Option<Id>,
    /// Whether that was its own: nothing can come between.
    pub(crate) own: bool,
    /// Whether it stands in a popup that a click on its content does not close.
    pub(crate) lasting: bool,
    pub(crate) manner: Manner,
}

impl WidgetRef {
    fn new(response: &Response, before: Option<Id>, pass: &Pass, manner: Manner) -> Self {
        Self {
            id: response.id,
            layer: response.layer_id,
            rect: response.rect,
            interact_rect: response.interact_rect,
            enabled: response.enabled(),
            visible: response.visible(),
            sense: response.sense,
            before,
            own: pass.hooked_by_ui,
            lasting: pass.lasting_popups.contains(&response.layer_id),
            manner,
        }
    }
}

impl Pass {
    /// With room for as many widgets and records.
    pub(crate) fn new(viewport: ViewportId, (widgets, records): (usize, usize)) -> Self {
        Self {
            viewport,
            nesting: Nesting::default(),
            regions: Vec::new(),
            records: Vec::with_capacity(records),
            widgets: Vec::with_capacity(widgets),
            sources: Vec::new(),
            state: Vec::new(),
            feedback: Vec::new(),
            page: None,
            busy: Vec::new(),
            faults: Vec::new(),
            #[cfg(feature = "panel")]
            own: Vec::new(),
            last_hook: None,
            earlier_hook: None,
            hooked_by_ui: false,
            lasting_popups: Vec::new(),
        }
    }

    /// A declaration stands here. What has to happen between here and the next one begins or ends.
    pub(crate) fn hook(&mut self, ctx: &Context, errand: &mut Option<Errand>, at: Id) {
        if self.last_hook != Some(at) {
            self.earlier_hook = self.last_hook.replace(at);
        }
        self.hooked_by_ui = false;
        if let Some(errand) = errand {
            errand.at_hook(ctx, self.viewport, at);
        }
    }

    /// [`crate::UiExt::tool`] is about to add the widget of an action.
    pub(crate) fn hook_of_widget(&mut self, ui: &Ui, errand: &mut Option<Errand>, tool: &Tool) {
        self.within_popup(ui);
        let at = ui.next_auto_id();
        self.hook(ui.ctx(), errand, at);
        self.hooked_by_ui = true;
        if let Some(errand) = errand {
            let key = self.key(ActionId::new(tool.id()));
            let is_usable = ui.is_enabled() && ui.is_visible() && !tool.is_unavailable();
            errand.at_own_hook(ui.ctx(), self.viewport, &key, at, is_usable);
        }
    }

    /// Whether the popup around, if there is one, stays when its content is clicked: only its own `Ui` knows.
    pub(crate) fn within_popup(&mut self, ui: &Ui) {
        let layer = ui.layer_id();
        if layer.order == Order::Foreground
            && !self.lasting_popups.contains(&layer)
            && MenuConfig::find(ui).close_behavior != PopupCloseBehavior::CloseOnClick
        {
            self.lasting_popups.push(layer);
        }
    }

    fn key(&self, action: ActionId) -> Key {
        Key {
            action,
            region: self.nesting.path(),
            record: self.nesting.record().map(|(_, id, _)| id.clone()),
        }
    }

    pub(crate) fn widget(&self, response: &Response, declared: Declared) -> SeenWidget {
        let inline = self.nesting.record().is_some_and(|(_, _, inline)| inline);
        let before = match self.last_hook {
            Some(hook) if hook == response.id && !self.hooked_by_ui => self.earlier_hook,
            hook => hook,
        };
        SeenWidget {
            widget: Some(WidgetRef::new(response, before, self, declared.manner)),
            inline,
            ..self.function(declared)
        }
    }

    pub(crate) fn function(&self, declared: Declared) -> SeenWidget {
        SeenWidget {
            key: self.key(declared.action.id.clone()),
            action: declared.action,
            effect_given: declared.effect_given,
            requires: declared.requires,
            widget: None,
            inline: false,
        }
    }

    pub(crate) fn field(&mut self, widget: Id, name: &str) {
        match self.nesting.record() {
            Some((index, _, _)) => self.records[index].fields.push((name.to_owned(), widget)),
            None => self
                .faults
                .push(format!("the field \"{name}\" is declared outside a record")),
        }
    }

    pub(crate) fn feedback(&mut self, mut feedback: Feedback, widget: Option<Id>) {
        feedback.region = self.nesting.path();
        feedback.record = self.nesting.record().map(|(_, id, _)| id.clone());
        self.feedback.push((feedback, widget));
    }

    pub(crate) fn open_record(&mut self, record: Record, inline: bool) -> Scope {
        let region = self.nesting.path();
        let id = record.id.clone();
        self.records.push(SeenRecord {
            record,
            region,
            visible: 0.0,
            fields: Vec::new(),
        });
        Scope::Record {
            index: self.records.len() - 1,
            id,
            inline,
        }
    }

    pub(crate) fn open_region(&mut self, region: Region, _scope: Id) -> Scope {
        let path = self.nesting.path().child(region.id.clone());
        self.regions.push(SeenRegion {
            region,
            path: path.clone(),
            layer: None,
            visible: 0.0,
        });
        Scope::Region {
            index: self.regions.len() - 1,
            path,
        }
    }

    pub(crate) fn close(&mut self, scope: &Scope, parent: &Ui, response: &Response) {
        let visible = if parent.is_visible() {
            share_inside(response.rect, parent.clip_rect())
        } else {
            0.0
        };
        match scope {
            Scope::Region { index, .. } => {
                self.regions[*index].layer = Some(response.layer_id);
                self.regions[*index].visible = visible;
            }
            Scope::Record { index, .. } => self.records[*index].visible = visible,
        }
    }

    #[cfg(feature = "table")]
    pub(crate) fn close_row(&mut self, scope: &Scope, response: &Response) {
        if let Scope::Record { index, .. } = scope {
            self.records[*index].visible = share_inside(response.rect, response.interact_rect);
        }
    }
}
