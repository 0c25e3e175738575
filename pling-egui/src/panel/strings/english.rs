//! The texts in English. An argument stands in braces; a second form, where there is one, is for a count of one.

use super::{Argument, PanelText, Strings};

macro_rules! texts {
    ($($id:ident $(($($name:ident: $kind:ty),+))? => $english:literal $(, one $one:literal)?;)+) => {
        /// Name and English of each.
        pub(super) const ALL: &[(&str, &str)] = &[$((stringify!($id), $english)),+];

        impl Strings {
            $(pub(in crate::panel) fn $id(&self $(, $($name: $kind),+)?) -> String {
                let text = PanelText {
                    id: stringify!($id),
                    english: $english,
                    arguments: &[$($((stringify!($name), Argument::from($name))),+)?],
                };
                self.say(&text, None$(.or(Some($one)))?)
            })+
        }
    };
}

texts! {
    // The panel and its views.
    assistant => "Assistant";
    chat => "Chat";
    inspector => "Inspector";
    settings => "Settings";
    clear => "Clear";
    clear_hint => "Forget the conversation and begin again";
    who_offline => "Offline planner: matches your words to what this page offers. No model";
    who_nobody => "No model is configured";

    // The conversation.
    invitation => "Say what you want done, in your own words. You see every step here";
    dropped(count: usize) => "{count} earlier entries are not kept", one "1 earlier entry is not kept";
    stopping => "Stopping…";
    paused => "Paused while you work in the app";
    working => "Working…";
    jump => "Jump to latest";
    try_again => "Try again";
    please_try_again => "Please try again.";
    copy => "Copy";
    copy_answer => "Copy the answer";
    copy_code => "Copy the code";
    continued => "Continued from before";
    stopped => "Stopped";
    condensed(count: usize) => "{count} older messages were condensed", one "1 older message was condensed";
    retry_in(count: usize, why: &str) => "Trying again in {count} s: {why}";
    notice(code: &str, message: &str) => "{message}";
    error(code: &str, message: &str) => "{message}";

    // What to do about an error.
    fix_not_configured => "Choose a model in the settings";
    fix_auth => "Check the key in the settings";
    fix_model_not_found => "Check the model's name in the settings";
    fix_rate_limited => "Wait a little, then try again";
    fix_quota => "The provider wants an account with credit; then try again";
    fix_context_length => "Clear the conversation, or set the model's window in the settings";
    fix_content_filter => "Say it in other words";
    fix_server => "The provider has a problem; try again later";
    fix_network => "Check the connection and the address in the settings, then try again";
    fix_protocol => "Test the endpoint in the settings: it may not be what the settings say";
    fix_budget_exceeded => "Ask for less at a time, or raise the limits in the settings";
    fix_no_progress => "Say more exactly what you want";
    fix_other => "Try again";

    // A call and what became of it.
    call_open => "Under way";
    call_done => "Done";
    call_failed => "Failed";
    call_working => "working…";
    call_waiting => "waiting for you";
    call_took(count: usize) => "{count} s";
    call_took_no_time => "under 1 s";
    call_region(region: &str) => "In {region}";
    details => "Details";
    hide_details => "Hide details";
    done_before => "done before";
    done_by_you => "done by you";
    no_change_seen => "no change seen";
    refusal(code: &str, message: &str) => "{message}";
    warning(message: &str) => "{message}";

    // What changed.
    added(name: &str) => "{name} added";
    removed(name: &str) => "{name} removed from view";
    is_now(name: &str, value: &str) => "{name} is now {value}";
    changed(name: &str, what: &str) => "{name}: {what}";
    and(first: &str, second: &str) => "{first} and {second}";
    list(first: &str, second: &str) => "{first}, {second}";
    went(name: &str, before: &str, after: &str) => "{name} {before} → {after}";
    opened(name: &str) => "{name} opened";
    closed(name: &str) => "{name} closed";
    page_changed => "the page changed";
    usable_now(name: &str) => "{name} can be used now";
    unusable_now(name: &str) => "{name} cannot be used now";
    message_gone => "a message went away";
    more_changes(count: usize) => "{count} more changes", one "1 more change";
    more(count: usize) => "{count} more";
    quoted(text: &str) => "“{text}”";
    yes => "yes";
    no => "no";
    nothing => "nothing";
    level_error(text: &str) => "error: {text}";
    level_warning(text: &str) => "warning: {text}";
    level_info(text: &str) => "info: {text}";
    level_success(text: &str) => "success: {text}";

    // Questions to the user.
    allow_this => "Allow this?";
    allow_danger => "Allow this? It may not be undone";
    allow_irreversible => "Allow this? It can never be undone";
    asks_assistant => "The assistant asks";
    asks_you => "You asked for this";
    asks_app => "The application asks";
    asks_client(name: &str) => "Another program asks, as \"{name}\"";
    asks_other => "Another program asks";
    preview => "What would happen, says the page";
    reason => "Reason for denying";
    reason_hint => "Why not? (optional)";
    deny => "Deny";
    allow_once => "Allow once";
    allow_session => "Allow for this session";
    allow_session_hint(keys: &str) => "{keys}: this action is not asked about again until you take that back";
    allow_keys(keys: &str) => "{keys} allows it once, Esc stops";
    done_keys(keys: &str) => "{keys} says that it is done, Esc stops";
    asked_each_time => "It is asked about every time";
    more_questions(count: usize) => "{count} more after this";
    your_turn => "Your turn";
    do_it => "Do it in the app where it is outlined, then say so here";
    decline_reason => "Reason for declining";
    decline => "Decline";
    done => "Done";
    open_address => "Open this address?";
    open => "Open";
    never_opened => "Only addresses of the web and of mail are opened from here";
    cancel => "Cancel";

    // Where to write.
    message => "Message to the assistant";
    hint => "What shall be done?";
    hint_card => "Deny it and say what to do instead";
    hint_handoff => "Decline it and say what to do instead";
    send => "Send";
    send_hint => "Enter sends, Shift+Enter breaks the line";
    stop => "Stop";
    stop_hint => "Esc";
    of_record(action: &str, record: &str) => "{action}: {record}";

    // What it may do.
    may_do => "What the assistant may do";
    as_app => "As the app says";
    read_only => "Read only";
    read_only_hint => "It only looks; everything else is refused";
    ask_first => "Ask before changes";
    ask_first_hint => "You are asked about everything that changes something";
    accept_edits => "Accept edits";
    accept_edits_hint => "You are asked about what may not be undone";
    ask_all_hint => "You are asked about everything";
    ask_none_hint => "You are asked where the app wants it";
    allowed(preset: &str, count: usize) => "{preset} · {count} allowed";
    not_asked => "Not asked about again in this session";
    ask_again => "Ask again";
    ask_again_hint(action: &str) => "Ask again before: {action}";

    // The outline.
    at_work_assistant(action: &str) => "Assistant: {action}";
    at_work_you(action: &str) => "You: {action}";
    at_work_other(action: &str) => "Another program: {action}";
    at_work_turn(action: &str) => "Your turn: {action}";

    // The settings.
    now(who: &str) => "Now: {who}";
    model => "Model";
    local_servers => "Local servers";
    endpoint => "Endpoint";
    model_name => "Model name";
    model_name_hint => "as the provider calls it";
    key => "Key";
    key_hint => "none";
    key_hint_app => "as the app has it";
    keep_key => "Keep the key on this computer";
    key_forgotten => "The key is forgotten when this page is left";
    keep_key_hint => "In plain text, with the app's other settings. Otherwise it is forgotten when the app ends";
    stream => "Show words as they are written";
    limits => "Limits";
    max_turns => "Replies for one message";
    max_tokens => "Tokens of one reply";
    context_tokens => "The model's window, tokens";
    spent => "Spent so far";
    spent_words(requests: &str, calls: &str, tokens: &str) => "{requests} requests, {calls} calls, about {tokens} tokens";
    spent_cost(words: &str, cost: &str) => "{words}, cost {cost}";
    use_it => "Use";
    use_hint => "From the next message on";
    in_use => "In use from the next message on";
    test => "Test";
    testing => "Testing…";
    test_hint => "Up to four small requests";
    test_good => "An assistant can work with it";
    test_bad => "An assistant cannot work with it";
    test_words(words: &str) => "{words}";
    endpoint_first => "enter an endpoint and a model first";
    wrong_setting(field: &str, message: &str) => "{field}: {message}";

    // The inspector.
    looking => "Looking at the page…";
    actions => "Actions";
    page_as_sent => "Page as sent";
    undeclared => "Without a declaration";
    changes => "Changes";
    last_requests => "Last requests";
    click_copies => "Click copies";
    copy_all => "Copy all";
    tokens(all: &str, window: &str, page: &str, tools: &str) => "About {all} of {window} tokens: {page} page, {tools} tools";
    part_page => "Page";
    part_structure => "Structure";
    part_actions => "Actions";
    part_unavailable => "Unavailable";
    part_records => "Records";
    part_ids => "Record ids";
    part_hidden => "Hidden";
    part_state => "State";
    part_feedback => "Feedback";
    at_most(count: usize) => "≤ {count}";
    at_most_characters(count: usize) => "≤ {count} characters";
    at_most_regions(count: usize) => "≤ {count} regions";
    at_most_entries(count: usize) => "≤ {count} entries";
    at_most_of(entries: &str, characters: &str) => "≤ {entries}, {characters} characters";
    with_above => "with the above";
    nothing_left_out => "Nothing is left out";
    left_out(what: &str) => "Left out, and said so: {what}";
    left_actions(count: usize) => "{count} actions", one "1 action";
    left_fields(count: usize) => "{count} records' fields", one "1 record's fields";
    left_ids(count: usize) => "{count} record ids", one "1 record id";
    left_regions(count: usize) => "{count} regions", one "1 region";
    left_feedback(count: usize) => "{count} messages", one "1 message";
    left_state(count: usize) => "{count} state values", one "1 state value";
    fault(words: &str) => "{words}";
    no_action => "This page declares no action";
    schema => "Schema";
    coverage(declared: &str, bare: &str) => "{declared} widgets and functions are declared, {bare} are not";
    bare(kind: &str, name: &str) => "{kind} “{name}”";
    kind_button => "button";
    kind_check_box => "check box";
    kind_radio_button => "radio button";
    kind_link => "link";
    kind_slider => "slider";
    kind_number => "number";
    kind_combo_box => "combo box";
    kind_color => "color";
    kind_section => "section";
    kind_text_field => "text field";
    bare_unnamed(kind: &str) => "{kind} without a name";
    record_requests => "Record requests";
    record_requests_hint => "They hold the page and the conversation, and no key; they are kept until this is off";
    request(number: &str, messages: &str) => "Request {number}: {messages} messages";
    request_tokens(count: usize) => "about {count} tokens";
    copy_request(number: &str) => "Copy request {number}";
    since_opened => "Since the inspector was opened, the latest first";
    first_look => "first look";
    only_moved => "moved or scrolled";
    revision_to => "to";

    // Why an action cannot be used.
    why_available => "available";
    why_disabled => "disabled";
    why_requires(reason: &str) => "requires: {reason}";
    why_covered(name: &str) => "covered by “{name}”";
    why_offscreen => "outside the viewport, scrolled into view when called";
    why_not_drawn => "not on the page now";
    why_hidden => "hidden";
    why_window_hidden => "its window is hidden or minimized";
    why_handoff(reason: &str) => "only the user can do this: {reason}";

    // The palette.
    find => "Find an action";
    find_hint => "What shall be done? A few letters are enough";
    nothing_fits => "Nothing on this page fits";
    find_keys => "Enter runs it, Esc closes";
    no_page(message: &str) => "{message}";
    item_reason(item: &str, reason: &str) => "{item}  ({reason})";
    item_record(action: &str, record: &str) => "{action} · {record}";
    item_which(action: &str) => "{action} …";
    run => "Run";
    back => "Back";
    optional(name: &str) => "{name} (optional)";
    is_missing(name: &str) => "{name} is missing";
    is_wrong(name: &str, why: &str) => "{name}: {why}";

    // What was not shown of a value.
    cut(count: usize) => "‹{count} characters not shown›", one "‹1 character not shown›";
    spaces(count: usize) => "‹{count} spaces›";
    breaks(count: usize) => "‹{count} line breaks›";
    breaks_and_spaces(breaks: &str, spaces: &str) => "‹{breaks} line breaks and {spaces} spaces›";
}
