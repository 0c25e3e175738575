//! The listener and its thread.

use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;

use super::{
    door::Door,
    guard::Guard,
    rendezvous::{Notice, Running},
    rooms::Rooms,
};
use crate::{platform::Duration, surface::Surface};

/// For the head of a request; an idle connection is closed after it, too.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// What to listen on, and who is listening.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// What the application is found by.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// A loopback address; port 0 takes a free one.
    pub address: SocketAddr,
    /// Web origins that may ask, such as `https://app.example.com`. None by default.
    pub origins: Vec<String>,
    /// Bytes of a request's body.
    pub max_body: usize,
    /// Requests of all clients in a minute.
    pub per_minute: u32,
    /// Where the file is put that clients find the application by; by default a directory of the user's own.
    pub directory: Option<PathBuf>,
    /// Whether each action is a tool of its own, beside the four. For clients that show tools to people, or that
    /// have no model to read a description; the list then changes with the page. Off by default.
    pub tool_per_action: bool,
}

impl ServeOptions {
    /// A free port on 127.0.0.1.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            title: name.clone(),
            name,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            origins: Vec::new(),
            max_body: 1024 * 1024,
            per_minute: 3000,
            directory: None,
            tool_per_action: false,
        }
    }

    /// What people call the application.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// A loopback address; port 0 takes a free one.
    #[must_use]
    pub fn address(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// Lets pages of a web origin ask, too. They need the token like everybody else; browsers are told that they may.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Bytes of a request's body.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Requests of all clients in a minute.
    #[must_use]
    pub fn per_minute(mut self, per_minute: u32) -> Self {
        self.per_minute = per_minute;
        self
    }

    /// Where the file is put that clients find the application by.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Makes each action a tool of its own, beside the four. While a client listens for changes of that list, the
    /// page is looked at once a second.
    #[must_use]
    pub fn tool_per_action(mut self) -> Self {
        self.tool_per_action = true;
        self
    }
}

/// Why nothing listens. The application goes on all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Other machines could reach it.
    #[error("{0} is not a loopback address: use 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// Somebody else listens there.
    #[error("{0} is taken by another program or another window of this one: choose another port, or 0 for a free one")]
    Taken(SocketAddr),
    /// The system does not let it listen.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, #[source] io::Error),
    /// Clients could not find it.
    #[error("the file that clients find this application by could not be written: {0}")]
    Notice(#[source] io::Error),
    /// No thread, no runtime, no random numbers.
    #[error("the listener cannot run: {0}")]
    Run(#[source] io::Error),
}

/// A listener at work; it ends when this is dropped, and with it every call of its clients that was not delivered, and
/// what the user allowed clients for the session.
#[must_use = "it listens as long as this is kept"]
pub struct Serving {
    surface: Surface,
    running: Running,
    notice: Notice,
    stop: CancellationToken,
    thread: Option<thread::JoinHandle<()>>,
}

impl Serving {
    /// Where it listens, with the token of this run.
    #[must_use]
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// The file that clients find it by.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.notice.path
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.cancel();
        // Its thread waits for nobody, so this takes no longer than a turn of its loop.
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of the Surface's listener panicked");
        }
        self.surface.revoke_grants();
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving")
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

impl Surface {
    /// Lets outside agents in that know the token of this run, on a thread of its own named `pling-surface`.
    ///
    /// # Errors
    /// A [`ServeError`]; nothing listens then, and nothing else is changed.
    pub fn serve(&self, options: &ServeOptions) -> Result<Serving, ServeError> {
        let address = options.address;
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let listener = TcpListener::bind(address).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => ServeError::Taken(address),
            _ => ServeError::Listen(address, error),
        })?;
        let bound = listener
            .local_addr()
            .and_then(|bound| listener.set_nonblocking(true).map(|()| bound));
        let bound = bound.map_err(|error| ServeError::Listen(address, error))?;
        let token = token().map_err(ServeError::Run)?;
        let running = Running::new(&options.name, format!("http://{bound}/mcp"), token.clone());
        let guard = Guard {
            port: bound.port(),
            token,
            origins: options.origins.clone(),
        };
        let stop = CancellationToken::new();
        let door = Arc::new(Door::new(self.clone(), guard, options, stop.clone()));

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServeError::Run)?;
        let notice = Notice::put(&running, options.directory.as_deref()).map_err(ServeError::Notice)?;
        let stopped = stop.clone();
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = stopped.cancelled() => {}
                    () = accept(listener, door) => {}
                }
            });
            // Open connections and calls end here, whatever they wait for.
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("pling-surface".to_owned()).spawn(run);
        Ok(Serving {
            surface: self.clone(),
            running,
            notice,
            stop,
            thread: Some(thread.map_err(ServeError::Run)?),
        })
    }
}

async fn accept(listener: TcpListener, door: Arc<Door>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the Surface does not listen"),
    };
    let rooms = Rooms::default();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection to the Surface could not be taken");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Some(room) = rooms.take() else { continue };
        // An answer is several small pieces, each awaited. Where it cannot be set, they are slow.
        let _ = stream.set_nodelay(true);
        let door = Arc::clone(&door);
        tokio::spawn(async move {
            let own = &room;
            let service = service_fn(move |request| {
                let door = Arc::clone(&door);
                async move { Ok::<_, std::convert::Infallible>(door.answer(request, own).await) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_WITHIN)
                .serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                // However it ends, its requests know.
                ended = Box::pin(connection) => if let Err(error) = ended {
                    tracing::debug!(%error, "a connection to the Surface ended");
                },
                () = room.left() => tracing::debug!("a connection to the Surface made room for another"),
            }
        });
    }
}

/// 256 bits that nobody can guess.
fn token() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
