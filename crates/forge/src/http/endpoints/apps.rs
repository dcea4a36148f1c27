//! Tokens of app installations. The app signs in with a token of its own instead of a signed claim,
//! and every installation acts as that user.

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::http::answer::Answer;
use crate::http::auth::hex;
use crate::http::desk::Desk;
use crate::http::moment::Moment;
use crate::http::problem::Problem;
use crate::http::render::object;

/// GitHub's lifetime of such a token, in seconds. It is said, not enforced.
const LIFETIME_SECONDS: u64 = 3600;

pub(in crate::http) fn create_token(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (installation, now) = (desk.ask.number("installation_id")?, desk.ask.now);
    let seed = format!("{} {installation} {now} {}", desk.ask.who, desk.site.last_request);
    let digest = hex(&Sha256::digest(seed.as_bytes()));
    let token = format!("ghs_{}", digest.get(..36).unwrap_or_default());
    let login = desk.ask.who.to_owned();
    desk.site.add_token(&login, &token);
    Answer::created(&TokenJson { token, expires_at: now + LIFETIME_SECONDS })
}

struct TokenJson {
    token: String,
    expires_at: u64,
}

impl Serialize for TokenJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "token": self.token,
            "expires_at": Moment(self.expires_at),
            "permissions": Permissions {
                checks: "write",
                contents: "write",
                issues: "write",
                metadata: "read",
                pull_requests: "write",
            },
            "repository_selection": "all",
        })
    }
}

#[derive(Serialize)]
struct Permissions {
    checks: &'static str,
    contents: &'static str,
    issues: &'static str,
    metadata: &'static str,
    pull_requests: &'static str,
}
