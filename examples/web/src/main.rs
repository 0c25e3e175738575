//! The examples in a browser tab: the page says which one, see `index.html`.

#[cfg(target_arch = "wasm32")]
fn main() {
    example_common::in_page(|page| match page.app().as_str() {
        #[cfg(feature = "orders")]
        "orders" => page.show(&orders::EXAMPLE),
        _ => page.show(&todo::EXAMPLE),
    });
}

#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::print_stderr, reason = "a command line talks to its terminal")]
fn main() -> std::process::ExitCode {
    eprintln!("web: this is for a browser; build it with examples/web/build.sh");
    std::process::ExitCode::from(2)
}
