//! A bridge from stdio to the listener of a running application.
//!
//! Each line of JSON-RPC that comes in is posted as it is; each message that comes back goes out as one line. The
//! bridge is a process of its own, so nothing that the application prints can get between the lines, and it prints
//! nothing else itself. It finds the application anew when the connection is lost.

mod link;
mod message;

use std::{io, path::PathBuf, sync::Arc};

use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::JoinSet,
};

use link::Link;
use message::{Message, error};

/// Messages on their way out.
const OUTBOX: usize = 64;
/// Bytes of one message that comes in.
const MAX_LINE: u64 = 4 * 1024 * 1024;

/// Carries messages until the client closes its end. `directory` is where applications are looked for; by default
/// where they put their notices by themselves.
///
/// # Errors
/// When the client's end breaks.
pub async fn bridge(
    name: &str,
    directory: Option<PathBuf>,
    from_client: impl AsyncRead + Unpin,
    to_client: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (out, outbox) = mpsc::channel(OUTBOX);
    let link = Arc::new(Link::new(name, directory, out));
    tokio::select! {
        read = read(&link, from_client) => read,
        written = write(outbox, to_client) => written,
    }
}

async fn read(link: &Arc<Link>, from_client: impl AsyncRead + Unpin) -> io::Result<()> {
    let mut lines = BufReader::new(from_client);
    // Dropped at the end: whoever closes its end has left, and its calls are withdrawn.
    let mut posts = JoinSet::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = (&mut lines).take(MAX_LINE + 1).read_until(b'\n', &mut line).await?;
        if length == 0 {
            return Ok(());
        }
        while posts.try_join_next().is_some() {}
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.len() as u64 > MAX_LINE {
            link.say(error(None, -32600, "the message is too long")).await;
            if !line.ends_with(b"\n") {
                skip_line(&mut lines).await?;
            }
            continue;
        }
        let message = match Message::parse(&line) {
            Ok(message) => message,
            Err(words) => {
                link.say(error(None, -32700, &words)).await;
                continue;
            }
        };
        if let Some(id) = message.cancels() {
            link.abort(&id);
        }
        if message.must_be_first() {
            // What comes next needs the session that this opens.
            Box::pin(link.post(message)).await;
            continue;
        }
        let key = message.id_text();
        let posted = Arc::clone(link);
        let task = posts.spawn(async move { Box::pin(posted.post(message)).await });
        if let Some(key) = key {
            link.remember(key, task);
        }
    }
}

/// Reads to the end of the line, and keeps none of it.
async fn skip_line(lines: &mut (impl AsyncBufRead + Unpin)) -> io::Result<()> {
    loop {
        let piece = lines.fill_buf().await?;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let (length, is_over) = (piece.len(), piece.is_empty() || end.is_some());
        lines.consume(end.map_or(length, |end| end + 1));
        if is_over {
            return Ok(());
        }
    }
}

async fn write(mut outbox: mpsc::Receiver<String>, mut to_client: impl AsyncWrite + Unpin) -> io::Result<()> {
    while let Some(mut line) = outbox.recv().await {
        line.push('\n');
        to_client.write_all(line.as_bytes()).await?;
        to_client.flush().await?;
    }
    Ok(())
}
