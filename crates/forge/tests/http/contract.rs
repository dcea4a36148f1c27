//! GitHub's published descriptions, and whether an answer or a webhook keeps to them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

/// Places where this forge is right and the description is not, or where it says less on purpose.
/// Method, route, status; then the reason.
const EXCEPTIONS: [(&str, &str, u16, &str); 6] = [
    (
        "POST",
        "/graphql",
        200,
        "GraphQL is described elsewhere; `gh auth status` asks it one question",
    ),
    ("POST", "/graphql", 422, "the same"),
    (
        "GET",
        "/app/installations",
        200,
        "described with an account that is a person and an enterprise at once; one entry alone is held \
         against the installation of a repository",
    ),
    (
        "GET",
        "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs",
        200,
        "GitHub redirects to a storage host; the text is answered at once here",
    ),
    (
        "GET",
        "/repos/{owner}/{repo}/git/refs/{ref}",
        200,
        "no longer described, still answered by GitHub as git/ref, and asked by PyGithub",
    ),
    (
        "GET",
        "/repos/{owner}/{repo}/statuses/{ref}",
        200,
        "the older name of commits/{ref}/statuses: mentioned but not described, and asked by PyGithub",
    ),
];

/// Properties that GitHub answers otherwise than its description says. Schema, property; then the
/// reason.
const OTHERWISE: [(&str, &str, &str); 2] = [
    (
        "added-to-project-issue-event",
        "state_reason",
        "the events of an issue have no schema for closed and reopened; this one has their fields",
    ),
    ("issue-search-result-item", "body", "an issue without a body has null there, as elsewhere"),
];

/// Properties that are not always there, whatever the description says. Beginning of the schema's
/// name, property; then the reason.
const NOT_ALWAYS: [(&str, &str, &str); 1] = [(
    "webhook-issue-dependencies-",
    "organization",
    "a repository of a person has no organisation",
)];

/// The parameters in the query and the fields of the body that a route takes.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) parameters: BTreeSet<String>,
    pub(crate) fields: BTreeSet<String>,
}

pub(crate) struct Contract {
    document: Value,
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

/// The REST description, read once.
pub(crate) fn rest() -> &'static Contract {
    static REST: OnceLock<Contract> = OnceLock::new();
    REST.get_or_init(|| Contract::read("api.github.com.json"))
}

/// Returns the faults of a webhook's payload, in words.
pub(crate) fn webhook_complaints(event: &str, payload: &Value) -> Vec<String> {
    static WEBHOOKS: OnceLock<Contract> = OnceLock::new();
    let webhooks = WEBHOOKS.get_or_init(|| Contract::read("webhooks.json"));
    let name = match payload["action"].as_str() {
        Some(action) => format!("{event}-{action}"),
        None => event.to_owned(),
    };
    let name = name.replace('_', "-");
    let webhook = &webhooks.document["webhooks"][&name]["post"];
    let schema = &webhook["requestBody"]["content"]["application/json"]["schema"];
    if schema.is_null() {
        return vec![format!("no webhook {name}")];
    }
    webhooks.violations(&name, schema, payload)
}

impl Contract {
    fn read(name: &str) -> Self {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
        let path = target.join("github-openapi").join(name);
        let text = std::fs::read(&path).unwrap_or_else(|error| {
            panic!(
                "{}: {error}; `cargo xtask test` fetches it from the npm registry",
                path.display()
            )
        });
        let mut document: Value =
            serde_json::from_slice(&text).expect("GitHub's description is JSON");
        let open = parts(&document);
        plain(&mut document, false);
        let schemas = &mut document["components"]["schemas"];
        for name in open {
            if let Some(schema) = schemas[&name].as_object_mut() {
                schema.remove("additionalProperties");
            }
        }
        for (schema, property, _why) in OTHERWISE {
            if !schemas[schema].is_null() {
                schemas[schema]["properties"][property] = json!({});
            }
        }
        for (name, schema) in schemas.as_object_mut().expect("schemas") {
            for (beginning, property, _why) in NOT_ALWAYS {
                if let Some(Value::Array(required)) = schema.get_mut("required")
                    && name.starts_with(beginning)
                {
                    required.retain(|needed| needed != property);
                }
            }
        }
        Self { document, validators: Mutex::new(BTreeMap::new()) }
    }

    /// Returns the faults of an answer, in words; nothing when it keeps to the description.
    pub(crate) fn complaints(
        &self,
        method: &str,
        route: &str,
        status: u16,
        body: &[u8],
    ) -> Vec<String> {
        let excepted = |(known, at, when, _why): &(&str, &str, u16, &str)| {
            *known == method && *at == route && *when == status
        };
        if EXCEPTIONS.iter().any(excepted) {
            return Vec::new();
        }
        let operation = &self.document["paths"][route][method.to_lowercase()];
        if operation.is_null() {
            // A route that GitHub answers without describing it is refused as any other.
            let is_known =
                EXCEPTIONS.iter().any(|(known, at, ..)| *known == method && *at == route);
            if is_known && status >= 400 && is_error(body) {
                return Vec::new();
            }
            return vec![format!("{method} {route} is not in the description")];
        }
        let response = self.resolve(&operation["responses"][status.to_string()]);
        if status == 304 || status == 204 {
            let silent = if body.is_empty() { None } else { Some("a body where none may be") };
            return silent.map(str::to_owned).into_iter().collect();
        }
        if status >= 400 && !is_error(body) {
            return vec!["an error without message, documentation_url and status".to_owned()];
        }
        let described = &response["content"]["application/json"]["schema"];
        let schema = if !described.is_null() {
            described.clone()
        } else if status >= 400 {
            json!({"$ref": "#/components/schemas/basic-error"})
        } else {
            return vec![format!("status {status} is not in the description")];
        };
        let Ok(value) = serde_json::from_slice::<Value>(body) else {
            return vec!["the body is not JSON".to_owned()];
        };
        self.violations(&format!("{method} {route} {status}"), &schema, &value)
    }

    /// Returns the parameters and fields that a route takes.
    pub(crate) fn asked_for(&self, method: &str, route: &str) -> Asked {
        let path = &self.document["paths"][route];
        let operation = &path[method.to_lowercase()];
        let lists = [&path["parameters"], &operation["parameters"]];
        let parameters = lists.into_iter().filter_map(Value::as_array).flatten();
        let parameters = parameters.map(|parameter| self.resolve(parameter));
        let parameters = parameters
            .filter(|parameter| parameter["in"] == "query")
            .filter_map(|parameter| parameter["name"].as_str().map(str::to_owned))
            .collect();
        let body = self.resolve(&operation["requestBody"]);
        let mut fields = BTreeSet::new();
        self.collect_fields(&body["content"]["application/json"]["schema"], &mut fields);
        Asked { parameters, fields }
    }

    fn collect_fields(&self, schema: &Value, fields: &mut BTreeSet<String>) {
        let schema = self.resolve(schema);
        if let Some(properties) = schema["properties"].as_object() {
            fields.extend(properties.keys().cloned());
        }
        for kind in ["oneOf", "anyOf", "allOf"] {
            for part in schema[kind].as_array().into_iter().flatten() {
                self.collect_fields(part, fields);
            }
        }
    }

    pub(crate) fn violations(&self, name: &str, schema: &Value, value: &Value) -> Vec<String> {
        let known = self.validators.lock().expect("no test panics here").get(name).map(Arc::clone);
        let validator = known.unwrap_or_else(|| self.compile(name, schema));
        let errors = validator.iter_errors(value).map(|error| {
            let words: String = error.to_string().chars().take(400).collect();
            format!("{}: {words}", error.instance_path())
        });
        errors.collect()
    }

    fn compile(&self, name: &str, schema: &Value) -> Arc<Validator> {
        let root = self.closure(schema);
        let built = jsonschema::options()
            .with_draft(Draft::Draft7)
            .should_validate_formats(true)
            .build(&root)
            .expect("GitHub's schemas compile");
        let built = Arc::new(built);
        let mut validators = self.validators.lock().expect("no test panics here");
        validators.insert(name.to_owned(), Arc::clone(&built));
        built
    }

    /// The schema with all that it refers to, and nothing else.
    fn closure(&self, schema: &Value) -> Value {
        let mut open = references(schema);
        let mut schemas = Map::new();
        while let Some(name) = open.pop_first() {
            if schemas.contains_key(&name) {
                continue;
            }
            let found = self.document["components"]["schemas"][&name].clone();
            assert!(!found.is_null(), "no schema {name}");
            open.extend(references(&found));
            schemas.insert(name, found);
        }
        json!({"components": {"schemas": schemas}, "allOf": [schema]})
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
            Some(path) => self.document.pointer(path).expect("a reference leads somewhere"),
            None => value,
        }
    }
}

fn is_error(body: &[u8]) -> bool {
    let Ok(json) = serde_json::from_slice::<Value>(body) else { return false };
    ["message", "documentation_url", "status"].iter().all(|key| json[key].is_string())
}

fn references(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match schema {
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                found.extend(name.strip_prefix("#/components/schemas/").map(str::to_owned));
            }
            found.extend(object.values().flat_map(references));
        }
        Value::Array(items) => found.extend(items.iter().flat_map(references)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

/// Schemas that are parts of others, which say more.
fn parts(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match value {
        Value::Object(object) => {
            if let Some(Value::Array(items)) = object.get("allOf") {
                let names = items.iter().filter_map(|item| item["$ref"].as_str());
                found.extend(names.filter_map(|name| name.rsplit('/').next()).map(str::to_owned));
            }
            found.extend(object.values().flat_map(parts));
        }
        Value::Array(items) => found.extend(items.iter().flat_map(parts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

/// Makes plain JSON Schema of the description: `nullable` becomes a type, and an object that lists
/// its properties has no others, so that a misspelt name is seen. A part of an `allOf` stays open.
fn plain(value: &mut Value, is_part: bool) {
    let Value::Object(object) = value else {
        if let Value::Array(items) = value {
            items.iter_mut().for_each(|item| plain(item, is_part));
        }
        return;
    };
    for (key, inner) in object.iter_mut() {
        if key != "example" && key != "examples" && key != "default" {
            plain(inner, key == "allOf");
        }
    }
    object.remove("discriminator");
    // Every user has it, and some inline descriptions of users forget it.
    if let Some(Value::Object(properties)) = object.get_mut("properties")
        && properties.contains_key("gravatar_id")
    {
        properties.insert("user_view_type".to_owned(), json!({"type": "string"}));
    }
    // Every error has it, and most descriptions of errors forget it.
    if let Some(Value::Object(properties)) = object.get_mut("properties")
        && properties.contains_key("documentation_url")
    {
        properties.insert("status".to_owned(), json!({"type": "string"}));
    }
    let combines = ["allOf", "anyOf", "oneOf"].iter().any(|key| object.contains_key(*key));
    let is_schema = object.get("properties").is_some_and(Value::is_object)
        && object.get("type").is_some_and(|kind| kind == "object");
    if is_schema && !combines && !is_part && !object.contains_key("additionalProperties") {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if object.remove("nullable") == Some(Value::Bool(true)) {
        allow_null(object);
    }
}

fn allow_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.push(Value::Null);
    }
    match object.get_mut("type") {
        Some(kind) => *kind = json!([kind.clone(), "null"]),
        None => {
            let inner = Value::Object(std::mem::take(object));
            object.insert("anyOf".to_owned(), json!([inner, {"type": "null"}]));
        }
    }
}
