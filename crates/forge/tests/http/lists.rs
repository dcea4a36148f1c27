//! Lists: filters, order and the links between pages.

use serde_json::{Value, json};

use crate::site::{BASE, REPO, World};

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|item| item["number"].as_u64().unwrap()).collect()
}

#[test]
fn pages_are_linked_and_at_most_100_long() {
    let mut world = World::new();
    for _issue in 0..105 {
        world.issue(&json!({"title": "T"}));
    }
    let first = world.get("reed", &format!("{REPO}/issues"));
    assert_eq!(first.json.as_array().unwrap().len(), 30);
    let link = format!(
        "<{BASE}{REPO}/issues?page=2>; rel=\"next\", <{BASE}{REPO}/issues?page=4>; rel=\"last\""
    );
    assert_eq!(first.header("link"), link);
    let largest = world.get("reed", &format!("{REPO}/issues?per_page=500"));
    assert_eq!(largest.json.as_array().unwrap().len(), 100);
    let mut seen = Vec::new();
    let mut next = Some(format!("{REPO}/issues?per_page=40&direction=asc"));
    while let Some(path) = next {
        let got = world.get("reed", &path);
        seen.extend(numbers(&got.json));
        let links = got.header("link").to_owned();
        let link = links.split(", ").find(|link| link.ends_with("rel=\"next\""));
        next = link.map(|link| {
            let (url, _rel) = link.split_once('>').unwrap();
            url.trim_start_matches('<').trim_start_matches(BASE).to_owned()
        });
    }
    assert_eq!(seen, (1..=105).collect::<Vec<u64>>());
}

#[test]
fn issues_are_filtered_by_state_labels_since_and_author() {
    let mut world = World::new();
    let open = world.issue(&json!({"title": "Open", "labels": ["bug", "ui"]}));
    let closed = world.issue(&json!({"title": "Closed", "labels": ["bug"]}));
    let path = format!("{REPO}/issues/{closed}");
    let changed = world.patch("will", &path, &json!({"state": "closed"})).json;
    let since = changed["updated_at"].as_str().unwrap().to_owned();
    let ask = |world: &mut World, query: &str| {
        numbers(&world.get("reed", &format!("{REPO}/issues?{query}")).json)
    };
    assert_eq!(ask(&mut world, ""), [open]);
    assert_eq!(ask(&mut world, "state=closed"), [closed]);
    assert_eq!(ask(&mut world, "state=all"), [closed, open]);
    assert_eq!(ask(&mut world, "state=all&labels=BUG,ui"), [open]);
    assert_eq!(ask(&mut world, &format!("state=all&since={since}")), [closed]);
    assert_eq!(ask(&mut world, "state=all&sort=updated&direction=asc"), [open, closed]);
    assert_eq!(ask(&mut world, "state=all&creator=ada"), Vec::<u64>::new());
}

#[test]
fn pulls_are_found_by_whose_head_they_come_from() {
    let mut world = World::new();
    let (one, two) = (world.pull("one"), world.pull("two"));
    let ask = |world: &mut World, query: &str| {
        numbers(&world.get("reed", &format!("{REPO}/pulls?{query}")).json)
    };
    assert_eq!(ask(&mut world, "head=ada:one"), [one]);
    assert_eq!(ask(&mut world, "head=zoe:one"), Vec::<u64>::new());
    assert_eq!(ask(&mut world, "head=one"), [two, one], "a head without an owner is ignored");
    assert_eq!(ask(&mut world, "base=main&direction=asc"), [one, two]);
    let list = world.get("reed", &format!("{REPO}/pulls")).json;
    assert!(list[0].get("mergeable").is_none() && list[0].get("mergeable_state").is_none());
}

#[test]
fn comments_of_one_issue_ascend_and_those_of_all_sort_both_ways() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    let path = format!("{REPO}/issues/{number}/comments");
    let mut ids = Vec::new();
    for text in ["a", "b", "c"] {
        ids.push(world.post("will", &path, &json!({"body": text})).json["id"].clone());
    }
    let first = format!("{REPO}/issues/comments/{}", ids[0]);
    let since = world.patch("will", &first, &json!({"body": "a!"})).json["updated_at"].clone();
    let since = since.as_str().unwrap().to_owned();
    let bodies = |world: &mut World, path: String| {
        let list = world.get("reed", &path).json;
        let body = |item: &Value| item["body"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(body).collect::<String>()
    };
    assert_eq!(bodies(&mut world, path.clone()), "a!bc");
    assert_eq!(world.get("reed", &format!("{path}?sort=updated")).status, 422);
    assert_eq!(bodies(&mut world, format!("{path}?since={since}")), "a!");
    let all = format!("{REPO}/issues/comments");
    assert_eq!(bodies(&mut world, format!("{all}?direction=desc")), "a!bc");
    assert_eq!(bodies(&mut world, format!("{all}?sort=created&direction=desc")), "cba!");
    assert_eq!(bodies(&mut world, format!("{all}?sort=updated&direction=asc")), "bca!");
    assert_eq!(bodies(&mut world, format!("{all}?since={since}")), "a!");
}

#[test]
fn search_knows_the_qualifiers_that_programs_send() {
    let mut world = World::new();
    let bug = world.issue(&json!({"title": "Crash", "body": "boom", "labels": ["good first"]}));
    let other = world.issue(&json!({"title": "Wish"}));
    world.patch("will", &format!("{REPO}/issues/{other}"), &json!({"state": "closed"}));
    let pull = world.pull("f");
    let found = |world: &mut World, query: &str| {
        let query = query.replace(' ', "+").replace('"', "%22");
        let got = world.get("reed", &format!("/search/issues?q={query}"));
        assert_eq!(got.status, 200, "{query}: {}", got.json);
        let mut found = numbers(&got.json["items"]);
        found.sort_unstable();
        assert_eq!(got.json["total_count"], found.len());
        found
    };
    let cases: [(&str, Vec<u64>); 13] = [
        ("repo:ada/app", vec![bug, other, pull]),
        ("repo:ada/app is:issue", vec![bug, other]),
        ("is:pr head:f", vec![pull]),
        ("is:issue state:open", vec![bug]),
        ("is:issue -is:open", vec![other]),
        ("label:\"good first\"", vec![bug]),
        ("is:issue -label:\"good first\"", vec![other]),
        ("author:will type:pr", vec![pull]),
        ("boom", vec![bug]),
        ("boom in:title", vec![]),
        ("crash in:title,body", vec![bug]),
        ("is:pr is:merged", vec![]),
        ("user:nobody", vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(found(&mut world, query), expected, "{query}");
    }
    world.patch("ada", REPO, &json!({"private": true}));
    assert_eq!(world.get("zoe", "/search/issues?q=boom").json["total_count"], 0);
    assert_eq!(world.get("zoe", "/search/issues?q=is:odd").status, 422);
    assert_eq!(world.get("zoe", "/search/issues").status, 422);
}

#[test]
fn a_search_is_done_as_it_is_asked_or_refused() {
    let mut world = World::new();
    for title in ["bug", "is:open"] {
        let body = json!({"title": title, "labels": [title.to_uppercase()]});
        assert_eq!(world.post("ada", &format!("{REPO}/issues"), &body).status, 201);
    }
    world.pull("feature");
    let found = |world: &mut World, query: &str| {
        let got = world.get("ada", &format!("/search/issues?q={query}"));
        (got.status, got.json["items"].as_array().map_or(0, Vec::len))
    };
    for (query, count) in [
        ("IS:issue", 2),
        ("Label:bug", 1),
        ("author:@me", 2),
        ("author:@ME is:issue bug", 1),
        ("%22is:open%22", 1),
        ("is:unmerged", 1),
        ("-is:merged", 3),
        ("user:zoe user:ada", 3),
        ("user:zoe repo:ada/app", 3),
        ("is:open is:open", 3),
        ("label:%22bug,is:open%22", 0),
    ] {
        assert_eq!(found(&mut world, &query.replace(' ', "+")), (200, count), "{query}");
    }
    for query in [
        "bug OR feature",
        "NOT bug",
        "(bug)",
        "label:bug,other",
        "is:open is:closed",
        "is:open state:closed",
        "author:ada author:will",
        "draft:maybe",
        "state:pr",
        "type:open",
        "-draft:true",
        "Assignee:ada",
    ] {
        assert_eq!(found(&mut world, &query.replace(' ', "+")).0, 422, "{query}");
    }
}
