//! Where clients find a running application: one file for each, readable by this user only.

use std::{
    env, fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

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
        let port = running.url.rsplit(':').next().and_then(|rest| rest.split('/').next());
        let file = format!("{}-{}-{}.json", running.name, running.pid, port.unwrap_or("0"));
        let path = directory.join(file);
        // Of a process that had this id before: never written into, it may have been opened by anybody.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let notice = Self { path };
        let mut file = private_file(&notice.path)?;
        file.write_all(&serde_json::to_vec(running)?)?;
        file.sync_all()?;
        Ok(notice)
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
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let name = file_name(name);
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let text = fs::read_to_string(&path).ok()?;
            let running: Running = serde_json::from_str(&text).ok()?;
            let modified = fs::metadata(&path).and_then(|facts| facts.modified()).ok()?;
            (running.name == name).then_some((modified, running))
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    Ok(found.into_iter().map(|(_, running)| running).collect())
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

#[cfg(unix)]
fn private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    // A directory that others may write to lets them put their own application in the place of this one.
    if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
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
