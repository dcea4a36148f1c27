//! The conversation with a program that runs: its output becomes events, and what the protocol or the operator has to
//! say goes to its standard input.

use super::event::Event;
use super::protocol::{End, LINE_BYTES_MAX, Protocol};
use crate::private_files;
use crate::transcript::Secrets;
use crate::wall_clock;
use ralph_contain::Ending;
use serde::Serialize;
use std::fs::File;
use std::io::{self, PipeWriter, Write as _};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The events of a turn on disk. Long enough for any turn that a person will read.
const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The two sides of a conversation. The thread that follows the program and the one that passes on the operator's
/// words share it.
pub(super) struct Conversation(Mutex<Talk>);

struct Talk {
    protocol: Box<dyn Protocol>,
    /// To the thread that writes to the program; `None` when its standard input is closed.
    voice: Option<Sender<Vec<u8>>>,
}

impl Conversation {
    pub(super) fn new(protocol: Box<dyn Protocol>) -> Self {
        Self(Mutex::new(Talk { protocol, voice: None }))
    }

    /// Opens the standard input of the program with the first words. A program that reads slowly must not hold up the
    /// reading of its output, so a separate thread writes. It ends when the input is closed on either side.
    pub(super) fn open(&self, mut input: PipeWriter, first: Vec<u8>) -> io::Result<()> {
        let (voice, words) = channel::<Vec<u8>>();
        let thread = std::thread::Builder::new().name("words to an agent".to_owned());
        let mut write = move || words.iter().try_for_each(|words| input.write_all(&words));
        // A program that does not listen any longer ends by itself.
        thread.spawn(move || drop(write()))?;
        drop(voice.send(first));
        self.talk().voice = Some(voice);
        Ok(())
    }

    /// Passes on words of the operator. False if the program takes none now.
    pub(super) fn tell(&self, words: &str) -> bool {
        let mut talk = self.talk();
        let Talk { protocol, voice } = &mut *talk;
        let Some(voice) = voice else { return false };
        protocol.tell(words).is_some_and(|bytes| voice.send(bytes).is_ok())
    }

    pub(super) fn end(&self, ending: Ending, log: &str) -> End {
        let mut talk = self.talk();
        talk.voice = None;
        talk.protocol.end(ending, log, wall_clock::now())
    }

    fn hear(&self, line: &str) -> Vec<Event> {
        let mut talk = self.talk();
        let events = talk.protocol.hear(line);
        let reply = talk.protocol.reply();
        if let Some(voice) = talk.voice.as_ref().filter(|_| !reply.is_empty()) {
            drop(voice.send(reply));
        }
        if talk.protocol.is_over() {
            talk.voice = None;
        }
        events
    }

    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the lines of a program, and keeps the events in them.
pub(super) struct Listener<'a> {
    conversation: &'a Conversation,
    secrets: Secrets,
    file: File,
    written: usize,
    pending: Vec<u8>,
}

/// A line of the file.
#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since 1970.
    at: i64,
    #[serde(flatten)]
    event: &'a Event,
}

impl<'a> Listener<'a> {
    pub(super) fn create(
        conversation: &'a Conversation,
        path: &Path,
        secrets: Secrets,
    ) -> io::Result<Self> {
        let file = private_files::create(path)?;
        Ok(Self { conversation, secrets, file, written: 0, pending: Vec::new() })
    }

    /// Takes output as it comes, and shows the events in it to a person who watches.
    pub(super) fn take(&mut self, bytes: &[u8], show: &mut dyn FnMut(&str)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.line(show);
            } else if self.pending.len() > LINE_BYTES_MAX {
                let text = String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned();
                self.keep(Event::Unknown { text }, show);
            }
        }
    }

    /// Takes the last line, which may have no end.
    pub(super) fn finish(&mut self, show: &mut dyn FnMut(&str)) {
        self.line(show);
    }

    fn line(&mut self, show: &mut dyn FnMut(&str)) {
        let bytes = std::mem::take(&mut self.pending);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim();
        if !line.is_empty() {
            for event in self.conversation.hear(line) {
                self.keep(event, show);
            }
        }
    }

    /// Keeps an event. A disk that is full loses the event, not the turn.
    fn keep(&mut self, event: Event, show: &mut dyn FnMut(&str)) {
        let event = event.clean(&self.secrets);
        event.line().as_deref().into_iter().for_each(show);
        let line = Line { at: wall_clock::now().0, event: &event };
        let Ok(mut line) = serde_json::to_vec(&line) else { return };
        line.push(b'\n');
        if self.written.saturating_add(line.len()) <= FILE_BYTES_MAX {
            self.written += line.len();
            drop(self.file.write_all(&line));
        }
    }
}
