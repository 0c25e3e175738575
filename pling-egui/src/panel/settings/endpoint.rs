//! The test of an endpoint: what it can do, found out by asking it.

use std::sync::Arc;

use egui::{Context, Ui};
use parking_lot::Mutex;
use pling_core::agent::ConfigError;

use super::kept::Values;
use crate::{
    Pling,
    panel::{
        look::{detail, success, sunken},
        strings::Strings,
        visible::visible,
    },
};

/// How far it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Test(Arc<Mutex<Stage>>);

#[derive(Clone, Debug, Default)]
enum Stage {
    #[default]
    None,
    #[cfg_attr(
        not(feature = "openai"),
        expect(dead_code, reason = "there is no client to ask with")
    )]
    Running,
    /// What was found, and whether an agent can work with it.
    #[cfg_attr(
        not(feature = "openai"),
        expect(dead_code, reason = "there is no client to ask with")
    )]
    Done(String, bool),
}

impl Test {
    pub(super) fn is_running(&self) -> bool {
        matches!(*self.0.lock(), Stage::Running)
    }

    /// Begins. `Err`: why not, in words.
    pub(super) fn begin(&self, ctx: &Context, pling: &Pling, values: &Values) -> Result<(), String> {
        let say = pling.say();
        let wrong = |error: ConfigError| say.wrong_setting(&error.field, &error.message);
        let config = values.on(pling.own_config());
        config.check().map_err(wrong)?;
        if crate::pling::client(&config).map_err(wrong)?.is_none() {
            return Err(say.endpoint_first());
        }
        #[cfg(feature = "openai")]
        if let Some(client) = config.client().map_err(wrong)? {
            let (stage, ctx) = (Arc::clone(&self.0), ctx.clone());
            *stage.lock() = Stage::Running;
            pling.spawn(async move {
                let probe = client.probe().await;
                *stage.lock() = Stage::Done(probe.to_string(), probe.is_usable());
                ctx.request_repaint();
            });
        }
        #[cfg(not(feature = "openai"))]
        let _ = ctx;
        Ok(())
    }

    /// Draws what was found.
    pub(super) fn ui(&self, ui: &mut Ui, say: &Strings) {
        let Stage::Done(words, is_usable) = self.0.lock().clone() else {
            return;
        };
        sunken(ui).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let (verdict, color) = match is_usable {
                true => (say.test_good(), success(ui)),
                false => (say.test_bad(), ui.visuals().error_fg_color),
            };
            ui.label(detail(ui, verdict).color(color));
            ui.label(detail(ui, visible(&say.test_words(&words))));
        });
    }
}
