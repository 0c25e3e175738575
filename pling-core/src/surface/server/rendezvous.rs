//! Where clients find a running application: one file for each, readable by this user only.

use std::{
    env, fs, io,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// Bytes of a file that are read.
const MAX_FILE: u64 = 64 * 1024;
/// Files of earlier runs that are looked after in one go.
const SWEPT: usize = 32;
/// For an answer of an earlier run's port.
const SWEEP_WAITS: Duration = Duration::from_millis(50);

/// A running application that listens. Its token is in here: it is as secret as a password.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Running {
    /// The application's name.
    pub name: String,
    /// Where it listens, such as `http://127.0.0.1:43127/mcp`.
    pub url: String,
    /// The token of this run.
    pub token: String,
    /// The process.
    pub pid: u32,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("name", &self.name)
            .field("url", &self.url)
            .field("pid", &self.pid)
            .finish_non_exhaustive()
    }
}

impl Running {
    pub(super) fn new(name: &str, url: String, token: String) -> Self {
        Self {
            name: file_name(name),
            url,
            token,
            pid: std::process::id(),
        }
    }

    /// `None`: it is none of this machine's own.
    fn address(&self) -> Option<SocketAddr> {
        let authority = self.url.strip_prefix("http://")?.split('/').next()?;
        let address: SocketAddr = authority.parse().ok()?;
        address.ip().is_loopback().then_some(address)
    }
}

/// The file of this process; gone when dropped.
#[derive(Debug)]
pub(super) struct Notice {
    pub(super) path: PathBuf,
}

impl Notice {
    /// Writes the file, in `directory` or where [`running`] looks by itself.
    pub(super) fn put(running: &Running, directory: Option<&Path>) -> io::Result<Self> {
        let directory = match directory {
            Some(directory) => directory.to_owned(),
            None => default_directory().ok_or_else(|| io::Error::other("there is no directory of the user's own"))?,
        };
        private_directory(&directory)?;
        sweep(&directory, &running.name);
        let port = running.address().map_or(0, |address| address.port());
        let path = directory.join(format!("{}-{}-{port}.json", running.name, running.pid));
        // Of a process that had this id before: never written into, it may have been opened by anybody.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let notice = Self { path };
        let mut file = private_file(&notice.path)?;
        if !is_of_one_owner(&directory, &file)? {
            let words = format!("{} belongs to another user", directory.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
        }
        file.write_all(&serde_json::to_vec(running)?)?;
        file.sync_all()?;
        Ok(notice)
    }
}

/// Removes what runs of this application left behind that ended without a word: nobody answers at their ports.
fn sweep(directory: &Path, name: &str) {
    let left = listed(directory).unwrap_or_default();
    for (path, running) in left.into_iter().filter(|(_, running)| running.name == name).take(SWEPT) {
        let answers = running
            .address()
            .is_some_and(|address| TcpStream::connect_timeout(&address, SWEEP_WAITS).is_ok());
        if !answers {
            // Where it cannot be removed, it is as it was.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        // One that stays behind names a port where nobody answers to its token.
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the file that tells clients about this run could not be removed");
        }
    }
}

/// Applications of this name that said they listen, latest first; some may have ended without a word.
///
/// # Errors
/// When the directory cannot be read; one that is not there has nobody in it.
pub fn running(name: &str, directory: Option<&Path>) -> io::Result<Vec<Running>> {
    let Some(directory) = directory.map(Path::to_owned).or_else(default_directory) else {
        return Ok(Vec::new());
    };
    let name = file_name(name);
    let mut found: Vec<_> = listed(&directory)?
        .into_iter()
        .filter_map(|(path, running)| {
            let modified = fs::metadata(&path).and_then(|facts| facts.modified()).ok()?;
            (running.name == name).then_some((modified, running))
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    Ok(found.into_iter().map(|(_, running)| running).collect())
}

/// What is said by the files of a directory that can be believed: a file of the directory's owner that nobody else may
/// write to, which names an address of this machine.
fn listed(directory: &Path) -> io::Result<Vec<(PathBuf, Running)>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let found = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let mut text = String::new();
        let file = fs::File::open(&path).ok()?;
        let is_believed = is_of_one_owner(directory, &file).ok()? && is_only_written_by_its_owner(&file);
        file.take(MAX_FILE).read_to_string(&mut text).ok()?;
        let running: Running = serde_json::from_str(&text).ok()?;
        (is_believed && running.address().is_some()).then_some((path, running))
    });
    Ok(found.collect())
}

/// A directory of this user: `PLING_RUN_DIR`, or below the runtime or home directory.
fn default_directory() -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("PLING_RUN_DIR")
        .or_else(|| Some(variable("XDG_RUNTIME_DIR")?.join("pling")))
        .or_else(|| Some(variable("LOCALAPPDATA")?.join("pling").join("run")))
        .or_else(|| Some(variable("HOME")?.join(".pling").join("run")))
}

fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    name.chars().take(60).map(plain).collect()
}

/// Makes it for this user alone. One that is there stays as it is, and has to be so that nobody else can put an
/// application of their own in the place of this one.
#[cfg(unix)]
fn private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o022 != 0 {
        let words = format!("others may write to {}: choose another directory", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
    }
    Ok(())
}

#[cfg(not(unix))]
fn private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn is_of_one_owner(directory: &Path, file: &fs::File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    Ok(fs::metadata(directory)?.uid() == file.metadata()?.uid())
}

#[cfg(unix)]
fn is_only_written_by_its_owner(file: &fs::File) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    file.metadata()
        .is_ok_and(|facts| facts.permissions().mode() & 0o022 == 0)
}

/// Directories of a user's profile are closed to others there.
#[cfg(not(unix))]
fn is_of_one_owner(_directory: &Path, _file: &fs::File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(not(unix))]
fn is_only_written_by_its_owner(_file: &fs::File) -> bool {
    true
}

fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}
