//! Texts that people wrote, shown without markup or as a page beside or instead of as they are.

use serde_json::Value;

use super::media::Media;

/// An answer with its texts shown as the media type wants them.
pub(super) fn show(media: Media, body: Vec<u8>) -> Vec<u8> {
    match media {
        Media::Text | Media::Html | Media::Full => {}
        Media::Json | Media::Raw | Media::Diff | Media::Patch | Media::Sha | Media::Object => {
            return body;
        }
    }
    let Ok(mut answer) = serde_json::from_slice::<Value>(&body) else { return body };
    walk(media, &mut answer);
    serde_json::to_vec(&answer).unwrap_or(body)
}

fn walk(media: Media, value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| walk(media, value)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(_name, value)| walk(media, value));
            // Only what someone wrote has both.
            if !fields.contains_key("body") || !fields.contains_key("user") {
                return;
            }
            let text = fields.get("body").and_then(Value::as_str).map(str::to_owned);
            if media != Media::Html {
                fields.insert("body_text".to_owned(), text.clone().into());
            }
            if media != Media::Text {
                fields.insert("body_html".to_owned(), text.map(|text| page(&text)).into());
            }
            if media != Media::Full {
                fields.remove("body");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Paragraphs and lines; other markup stays as it was written.
fn page(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = escaped.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    let parts = parts.map(|part| format!("<p dir=\"auto\">{}</p>", part.replace('\n', "<br>\n")));
    parts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_someone_wrote_is_shown_otherwise() {
        let before = json!([{"user": {"login": "ada"}, "body": "a <b>\nc\n\nd"}, {"body": "x"}]);
        let shown = |media| -> Value {
            serde_json::from_slice(&show(media, before.to_string().into_bytes())).unwrap()
        };
        assert_eq!(shown(Media::Json), before);
        let full = shown(Media::Full);
        assert_eq!(full[0]["body_text"], full[0]["body"]);
        let page = "<p dir=\"auto\">a &lt;b&gt;<br>\nc</p>\n<p dir=\"auto\">d</p>";
        assert_eq!(full[0]["body_html"], page);
        assert_eq!(full[1], before[1]);
        let text = shown(Media::Text);
        assert!(text[0].get("body").is_none() && text[0].get("body_html").is_none());
        assert!(shown(Media::Html)[0].get("body_text").is_none());
    }
}
