//! Widgets that a user can operate and no declaration stands for: what an agent cannot do on this page.

use egui::{Context, Id, LayerId, accesskit::Role};

use super::Pass;

/// Most that are listed.
const MAX_BARE: usize = 200;

/// An interactive widget without a declaration.
#[derive(Clone, Debug)]
pub(crate) struct Bare {
    pub(crate) id: Id,
    pub(crate) layer: LayerId,
    pub(crate) kind: BareKind,
    /// Its words, as a screen reader has them. Page data.
    pub(crate) name: String,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BareKind {
    Button,
    CheckBox,
    RadioButton,
    Link,
    Slider,
    Number,
    ComboBox,
    Color,
    Section,
    TextField,
}

/// Those of the pass that ends, in painting order. Pling's own panel is none of the page.
pub(crate) fn bare(ctx: &Context, pass: &Pass) -> Vec<Bare> {
    let declared = pass.widgets.iter().filter_map(|seen| seen.widget.as_ref());
    let declared: Vec<_> = declared.map(|widget| (widget.id, widget.layer, widget.rect)).collect();
    ctx.viewport(|viewport| {
        let Some(tree) = &viewport.this_pass.accesskit_state else {
            return Vec::new();
        };
        let widgets = &viewport.this_pass.widgets;
        let is_own = |id: Id| {
            let mut at = Some(id);
            // Deeper nesting than this is a cycle.
            for _ in 0..256 {
                match at {
                    Some(id) if pass.own.contains(&id) => return true,
                    Some(id) => {
                        at = widgets
                            .get(id)
                            .map(|widget| widget.parent_id)
                            .filter(|parent| *parent != id)
                    }
                    None => return false,
                }
            }
            false
        };
        let mut layers: Vec<_> = widgets.layers().collect();
        layers.sort_by_key(|(layer, _)| (layer.order, layer.id.value()));
        let all = layers.into_iter().flat_map(|(_, widgets)| widgets);
        let operable = all.filter(|widget| widget.visible && widget.sense.interactive());
        let mut found = Vec::new();
        for widget in operable {
            let Some(node) = tree.nodes.get(&widget.id) else {
                continue;
            };
            let Some(kind) = kind(node.role()) else { continue };
            // A part of a declared widget, such as the number of a slider, is operated with it.
            let is_declared = declared.iter().any(|(id, layer, rect)| {
                *id == widget.id || (*layer == widget.layer_id && rect.contains_rect(widget.rect))
            });
            if is_declared || is_own(widget.id) {
                continue;
            }
            found.push(Bare {
                id: widget.id,
                layer: widget.layer_id,
                kind,
                name: node.label().or_else(|| node.value()).unwrap_or_default().to_owned(),
            });
            if found.len() == MAX_BARE {
                break;
            }
        }
        found
    })
}

/// What a widget of this role is. `None`: it only shows something, or belongs to the window around it.
fn kind(role: Role) -> Option<BareKind> {
    Some(match role {
        Role::Button => BareKind::Button,
        Role::CheckBox => BareKind::CheckBox,
        Role::RadioButton => BareKind::RadioButton,
        Role::Link => BareKind::Link,
        Role::Slider => BareKind::Slider,
        Role::SpinButton => BareKind::Number,
        Role::ComboBox => BareKind::ComboBox,
        Role::ColorWell => BareKind::Color,
        Role::DisclosureTriangle => BareKind::Section,
        Role::TextInput | Role::MultilineTextInput | Role::PasswordInput => BareKind::TextField,
        _ => return None,
    })
}
