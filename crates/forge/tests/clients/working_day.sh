# A working day with `gh api`, one area at a time: `sh working_day.sh AREA`. Each step asserts what it sees and then says
# its name, so that whoever started this knows how far it came.
set -eu

if ! command -v gh > /dev/null; then
    echo "gh is not on the PATH; \`cargo xtask test\` installs it" >&2
    exit 1
fi

# How often a thing that happens soon is looked for; a look takes tens of milliseconds.
LOOKS_MAX=400

# `{owner}` and `{repo}` in a path stand for this.
export GH_REPO="$GH_HOST/$FORGE_REPOSITORY"
R='repos/{owner}/{repo}'

# One token is for github.localhost, the other for the address that links lead to.
as() {
    export GH_TOKEN="$1" GH_ENTERPRISE_TOKEN="$1"
}
as "$BOT_TOKEN"

done_with() {
    echo "$1"
}

fail() {
    echo "$1" >&2
    exit 1
}

# expect VALUE ARGUMENT...: what `gh api ARGUMENT...` prints.
expect() {
    wanted=$1
    shift
    seen=$(gh api "$@") || fail "gh api $* failed: $seen"
    [ "$seen" = "$wanted" ] || fail "gh api $*: $seen is not $wanted"
}

# refused STATUS WORDS ARGUMENT...: the call fails with this status, and the answer's body has these words in it.
refused() {
    status=$1 words=$2
    shift 2
    if gh api "$@" > answer 2> complaint; then
        fail "gh api $* was not refused with $status"
    fi
    grep -q "HTTP $status" complaint || fail "gh api $*: not $status: $(cat complaint)"
    grep -qF -- "$words" answer || fail "gh api $*: not with $words: $(cat answer)"
}

# soon VALUE ARGUMENT...: what `gh api ARGUMENT...` prints before long.
soon() {
    wanted=$1 looks=0
    shift
    until [ "$(gh api "$@")" = "$wanted" ]; do
        looks=$((looks + 1))
        [ "$looks" -lt "$LOOKS_MAX" ] || fail "gh api $* did not become $wanted"
    done
}

# header NAME ARGUMENT...: a header of the answer, whatever its status.
header() {
    name=$1
    shift
    { gh api --include "$@" 2> complaint || true; } | tr -d '\r' | sed -n "s/^$name: //Ip" | head -n 1
}

now() {
    date -u +%Y-%m-%dT%H:%M:%SZ
}

in_an_hour() {
    date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ
}

# A moment of this hour, in GitHub's form; for jq, whose `fromdate` takes no other.
RECENT='(fromdate - now | fabs) < 3600'

repository() {
    expect "ralph-bot User" user --jq '"\(.login) \(.type)"'
    expect "$FORGE_REPOSITORY" user/repos --jq '.[].full_name'
    done_with "who asks"

    expect "ada/app main false true false" "$R" \
        --jq '"\(.full_name) \(.default_branch) \(.private) \(.permissions.push) \(.permissions.admin)"'
    expect true "$R" --jq ".created_at | $RECENT"
    done_with "the repository"

    expect "pub fn f() {}" "$R/contents/src/lib.rs?ref=main" --jq '.content | @base64d | rtrimstr("\n")'
    expect "lib.rs file" "$R/contents/src" --jq '.[] | "\(.name) \(.type)"'
    done_with "a file and a folder"

    newest=$(gh api "$R/commits" --jq '.[0].sha')
    oldest=$(gh api "$R/commits" --jq '.[1].sha')
    expect "$oldest" "$R/commits/$newest" --jq '.parents[0].sha'
    expect "Write src/lib.rs src/lib.rs" "$R/commits/$newest" --jq '"\(.commit.message) \(.files[0].filename)"'
    expect "ahead 1 0 $newest" "$R/compare/main...topic" \
        --jq '"\(.status) \(.ahead_by) \(.behind_by) \(.merge_base_commit.sha)"'
    expect '"@@ -0,0 +1 @@\n+1"' "$R/compare/main...topic" --jq '.files[0].patch | tojson'
    done_with "commits and what lies between two"

    expect refs/heads/made/here "$R/git/refs" -f ref=refs/heads/made/here -f "sha=$oldest" --jq .ref
    expect "$newest" -X PATCH "$R/git/refs/heads/made/here" -f "sha=$newest" --jq .object.sha
    expect "$newest" "$R/branches/made/here" --jq .commit.sha
    expect "made/here main topic" "$R/branches" --jq 'map(.name) | sort | join(" ")'
    expect "" -X DELETE "$R/git/refs/heads/made/here"
    refused 404 "Not Found" "$R/git/ref/heads/made/here"
    done_with "a branch made, moved and deleted"

    expect "write write true" "$R/collaborators/ralph-bot/permission" \
        --jq '"\(.permission) \(.role_name) \(.user.permissions.push)"'
    as "$OWNER_TOKEN"
    expect "" "$R/collaborators/ralph-bot"
    expect "ada ralph-bot" "$R/collaborators" --jq 'map(.login) | sort | join(" ")'
    done_with "a collaborator and the permission"

    expect "build true" "$R/branches/main/protection" \
        --jq '"\(.required_status_checks.contexts | join(",")) \(.enforce_admins.enabled)"'
    refused 404 "Branch not protected" "$R/branches/topic/protection"
    done_with "protection, and none"
}

labels() {
    expect Ready "$R/labels" -f name=Ready -f color=00ff00 -f description='can begin' --jq .name
    expect Ready "$R/labels/rEADY" --jq .name
    expect ready -X PATCH "$R/labels/ready" -f new_name=ready -f description='may begin' --jq .name
    expect "00ff00 may begin" "$R/labels/ready" --jq '"\(.color) \(.description)"'
    done_with "a label made, found in any case and changed"

    expect ffffff "$R/labels" -f name=gone -f color=ffffff --jq .color
    expect "gone ready" "$R/issues/1/labels" -f 'labels[]=ready' -f 'labels[]=gone' --jq 'map(.name) | sort | join(" ")'
    expect ready -X PUT "$R/issues/1/labels" -f 'labels[]=ready' --jq '.[].name'
    expect '[]' -X DELETE "$R/issues/1/labels/READY"
    refused 404 "Label does not exist" -X DELETE "$R/issues/1/labels/ready"
    done_with "labels put on an issue, replaced and taken off"

    expect 2 "$R/issues/1/labels" -f 'labels[]=new here' -f 'labels[]=ready' --jq length
    expect ededed "$R/labels/new%20here" --jq .color
    done_with "a label that was not there is made by putting it on"

    expect "" -X DELETE "$R/labels/gone"
    expect "new here ready" --paginate "$R/labels?per_page=100" \
        --jq 'map(.name) | map(select(IN("new here", "ready", "gone"))) | sort | join(" ")'
    done_with "labels listed and one deleted"
}

issues() {
    number=$((MANY_ISSUES + 1))
    expect "$number open 0" "$R/issues" -f title=Plain -f body=one -f 'labels[]=todo' \
        --jq '"\(.number) \(.state) \(.comments)"'
    expect "ralph-bot todo null" "$R/issues/$number" --jq '"\(.user.login) \(.labels[0].name) \(.pull_request)"'
    expect true "$R/issues/$number" --jq ".created_at | $RECENT"
    done_with "an issue made and read"

    printf '{"title": "Größer \\"und\\" $(schöner) 🎉", "body": "two\\nlines"}' > edit.json
    expect 'Größer "und" $(schöner) 🎉' -X PATCH "$R/issues/$number" --input edit.json --jq .title
    done_with "its title and text changed"

    expect "closed not_planned ralph-bot true" -X PATCH "$R/issues/$number" -f state=closed -f state_reason=not_planned \
        --jq "\"\(.state) \(.state_reason) \(.closed_by.login) \(.closed_at | $RECENT)\""
    expect "open reopened null" -X PATCH "$R/issues/$number" -f state=open --jq '"\(.state) \(.state_reason) \(.closed_at)"'
    done_with "closed for a reason and opened again"

    expect "$number" -X GET "$R/issues" -f state=open -f labels=todo --jq '.[].number'
    expect 0 -X GET "$R/issues" -f state=closed --jq length
    done_with "listed by label and state"

    since=$(gh api "$R/issues/$number" --jq .updated_at)
    expect true -X GET "$R/issues" -f "since=$since" --jq "any(.number == $number)"
    expect 0 -X GET "$R/issues" -f "since=$(in_an_hour)" --jq length
    done_with "listed since a moment"

    expect "$(seq 1 "$number")" --paginate "$R/issues?state=all&sort=created&direction=asc&per_page=10" --jq '.[].number'
    done_with "every page of a list"

    expect "labeled renamed closed reopened" "$R/issues/$number/events" --jq 'map(.event) | join(" ")'
    expect "closed ralph-bot true" "$R/issues/$number/timeline" \
        --jq ".[2] | \"\(.event) \(.actor.login) \(.created_at | $RECENT)\""
    done_with "its events and its timeline"

    expect "1 $number" -X GET search/issues -f q='repo:ada/app is:issue is:open label:todo' \
        --jq '"\(.total_count) \(.items[0].number)"'
    done_with "found by a search"
}

comments() {
    first=$(gh api "$R/issues/1/comments" -f body=first --jq .id)
    expect "first, changed" -X PATCH "$R/issues/comments/$first" -f body='first, changed' --jq .body
    expect "ralph-bot COLLABORATOR true" "$R/issues/comments/$first" \
        --jq "\"\(.user.login) \(.author_association) \(.updated_at | $RECENT)\""
    done_with "a comment made and changed"

    second=$(gh api "$R/issues/1/comments" -f body=second --jq .id)
    expect "$first $second" "$R/issues/1/comments" --jq 'map(.id) | join(" ")'
    expect 0 -X GET "$R/issues/1/comments" -f "since=$(in_an_hour)" --jq length
    expect 2 "$R/issues/1" --jq .comments
    done_with "the comments of an issue, also since a moment"

    expect "$second $first" "$R/issues/comments?sort=created&direction=desc" --jq 'map(.id) | join(" ")'
    done_with "the comments of the repository, newest first"

    expect "" -X DELETE "$R/issues/comments/$second"
    refused 404 "Not Found" "$R/issues/comments/$second"
    done_with "a comment deleted"
}

relations() {
    blocker=$(gh api "$R/issues/3" --jq .id)
    summary='.issue_dependencies_summary | "\(.blocked_by) \(.total_blocked_by)"'
    gh api "$R/issues/1/dependencies/blocked_by" -F "issue_id=$blocker" --silent
    expect 3 "$R/issues/1/dependencies/blocked_by" --jq '.[].number'
    expect 1 "$R/issues/3/dependencies/blocking" --jq '.[].number'
    expect "1 1" "$R/issues/1" --jq "$summary"
    done_with "a blocker added, listed from both sides and counted"

    expect closed -X PATCH "$R/issues/3" -f state=closed --jq .state
    expect "0 1" "$R/issues/1" --jq "$summary"
    done_with "no longer blocking once it is closed"

    gh api -X DELETE "$R/issues/1/dependencies/blocked_by/$blocker" --silent
    expect "0 0" "$R/issues/1" --jq "$summary"
    done_with "a blocker removed"

    child=$(gh api "$R/issues/2" --jq .id)
    gh api "$R/issues/1/sub_issues" -F "sub_issue_id=$child" --silent
    expect 2 "$R/issues/1/sub_issues" --jq '.[].number'
    expect closed -X PATCH "$R/issues/2" -f state=closed --jq .state
    expect "1 1 100" "$R/issues/1" --jq '.sub_issues_summary | "\(.total) \(.completed) \(.percent_completed)"'
    done_with "a sub-issue added, listed and counted"

    expect 1 "$R/issues/2/parent" --jq .number
    done_with "its parent"

    gh api -X DELETE "$R/issues/1/sub_issue" -F "sub_issue_id=$child" --silent
    refused 404 "No parent issue found" "$R/issues/2/parent"
    done_with "a sub-issue removed"
}

pulls() {
    expect "2 open $HEAD_SHA main" "$R/pulls" -f base=main -f head=feature -f title=Feature -f body='Closes #1' \
        --jq '"\(.number) \(.state) \(.head.sha) \(.base.ref)"'
    expect 2 -X GET "$R/pulls" -f state=open -f head=ada:feature -f base=main --jq '.[].number'
    done_with "a pull opened and found by its branch"

    expect "feature.txt added 1" "$R/pulls/2/files" --jq '.[] | "\(.filename) \(.status) \(.additions)"'
    expect "$HEAD_SHA" "$R/pulls/2/commits" --jq '.[].sha'
    done_with "its files and commits"

    soon "true clean" "$R/pulls/2" --jq '"\(.mergeable) \(.mergeable_state)"'
    done_with "mergeable once that is computed"

    refused 422 "A pull request already exists for ada:feature." "$R/pulls" -f base=main -f head=feature -f title=Again
    done_with "a second pull of the branch is refused"

    expect 3 "$R/pulls" -f base=main -f head=conflict -f title=Conflict --jq .number
    soon "false dirty" "$R/pulls/3" --jq '"\(.mergeable) \(.mergeable_state)"'
    refused 405 "Pull Request is not mergeable" -X PUT "$R/pulls/3/merge"
    expect closed -X PATCH "$R/pulls/3" -f state=closed --jq .state
    done_with "a conflict is dirty and not merged"

    gh api -X PUT "$R/pulls/2/update-branch" -f "expected_head_sha=$HEAD_SHA" --silent
    soon true "$R/pulls/2" --jq ".head.sha != \"$HEAD_SHA\""
    done_with "its branch brought up to date"

    refused 409 "Head branch was modified" -X PUT "$R/pulls/2/merge" -f "sha=$HEAD_SHA"
    refused 404 "Not Found" "$R/pulls/2/merge"
    done_with "not merged when the head is another"

    head=$(gh api "$R/pulls/2" --jq .head.sha)
    as "$OWNER_TOKEN"
    expect APPROVED "$R/pulls/2/reviews" -f event=APPROVE -f body=good --jq .state
    as "$BOT_TOKEN"
    expect "APPROVED ada $head" "$R/pulls/2/reviews" --jq '.[] | "\(.state) \(.user.login) \(.commit_id)"'
    done_with "approved by somebody else"

    expect true -X PUT "$R/pulls/2/merge" -f merge_method=squash -f "sha=$head" -f commit_title='Feature, squashed' --jq .merged
    expect "true ralph-bot true" "$R/pulls/2" --jq "\"\(.merged) \(.merged_by.login) \(.merged_at | $RECENT)\""
    expect "" "$R/pulls/2/merge"
    expect closed "$R/issues/1" --jq .state
    done_with "merged, and the issue it names is closed"
}

checks() {
    run=$(gh api "$R/check-runs" -f name=build -f "head_sha=$HEAD_SHA" -f status=in_progress -f "started_at=$(now)" --jq .id)
    expect "in_progress null true" "$R/check-runs/$run" --jq "\"\(.status) \(.conclusion) \(.started_at | $RECENT)\""
    cat > ended.json << 'END'
{
  "status": "completed",
  "conclusion": "success",
  "output": {
    "title": "Built",
    "summary": "all of it",
    "annotations": [
      {"path": "feature.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "odd"}
    ]
  }
}
END
    expect "success Built 1" -X PATCH "$R/check-runs/$run" --input ended.json \
        --jq '"\(.conclusion) \(.output.title) \(.output.annotations_count)"'
    expect "feature.txt odd" "$R/check-runs/$run/annotations" --jq '.[] | "\(.path) \(.message)"'
    done_with "a run begun and finished with annotations"

    expect docs "$R/check-runs" -f name=docs -f "head_sha=$HEAD_SHA" -f status=completed -f conclusion=neutral --jq .name
    expect "2 build docs" "$R/commits/$HEAD_SHA/check-runs" --jq '"\(.total_count) \(.check_runs | map(.name) | sort | join(" "))"'
    expect "$run" "$R/commits/$HEAD_SHA/check-runs?check_name=build" --jq '.check_runs[].id'
    suite=$(gh api "$R/check-runs/$run" --jq .check_suite.id)
    expect "$suite feature" "$R/commits/$HEAD_SHA/check-suites" --jq '.check_suites[] | "\(.id) \(.head_branch)"'
    expect 2 "$R/check-suites/$suite/check-runs" --jq .total_count
    done_with "the runs of a commit, by name and by suite"

    soon blocked "$R/pulls/1" --jq .mergeable_state
    refused 405 "Required status check" -X PUT "$R/pulls/1/merge"
    done_with "not merged while a required check is missing"

    expect pending "$R/statuses/$HEAD_SHA" -f state=pending -f context=lint --jq .state
    expect pending "$R/commits/$HEAD_SHA/status" --jq .state
    expect success "$R/statuses/$HEAD_SHA" -f state=success -f context=lint -f description='no findings' --jq .state
    expect "success 1 no findings" "$R/commits/$HEAD_SHA/status" --jq '"\(.state) \(.total_count) \(.statuses[0].description)"'
    expect "success pending" "$R/commits/$HEAD_SHA/statuses" --jq 'map(.state) | join(" ")'
    done_with "statuses and what they make together"

    gh api -X POST "$R/check-runs/$run/rerequest" --silent
    gh api -X POST "$R/check-suites/$suite/rerequest" --silent
    done_with "asked to run again"

    expect true -X PUT "$R/pulls/1/merge" -f "sha=$HEAD_SHA" --jq .merged
    done_with "merged once all have passed"
}

hooks() {
    as "$OWNER_TOKEN"
    hook=$(gh api "$R/hooks" -f name=web -f "config[url]=$RECEIVER_URL" -f 'config[content_type]=json' \
        -f 'config[secret]=it is a secret' -f 'events[]=issues' --jq .id)
    expect "true issues $RECEIVER_URL false" "$R/hooks/$hook" \
        --jq '"\(.active) \(.events[0]) \(.config.url) \(.config.secret == "it is a secret")"'
    done_with "a hook made, its secret not shown"

    told='map("\(.event) \(.status_code)") | join(", ")'
    soon "ping 200" "$R/hooks/$hook/deliveries" --jq "$told"
    done_with "its ping delivered"

    gh api "$R/issues" -f title=Told --silent
    soon "issues 200, ping 200" "$R/hooks/$hook/deliveries" --jq "$told"
    first=$(gh api "$R/hooks/$hook/deliveries" --jq '.[0].id')
    expect "Told true" "$R/hooks/$hook/deliveries/$first" \
        --jq '"\(.request.payload.issue.title) \(.request.headers["X-Hub-Signature-256"] | startswith("sha256="))"'
    gh api -X POST "$R/hooks/$hook/deliveries/$first/attempts" --silent
    soon "issues 200, issues 200, ping 200" "$R/hooks/$hook/deliveries" --jq "$told"
    expect "true true" "$R/hooks/$hook/deliveries" --jq '"\(.[0].redelivery) \(.[0].guid == .[1].guid)"'
    done_with "an event delivered, read and delivered again"

    expect "false push $RECEIVER_URL" -X PATCH "$R/hooks/$hook" -F active=false -f 'events[]=push' \
        --jq '"\(.active) \(.events[0]) \(.config.url)"'
    expect "" -X DELETE "$R/hooks/$hook"
    expect 0 "$R/hooks" --jq length
    done_with "changed and deleted"
}

# known PATH ETAG: the answer is 304; gh takes that for a failure.
known() {
    if gh api "$1" -H "If-None-Match: $2" > answer 2> complaint; then
        fail "$1 was told again"
    fi
    grep -q "HTTP 304" complaint || fail "$1: not 304: $(cat complaint)"
    [ ! -s answer ] || fail "$1: a 304 with a body: $(cat answer)"
}

conditional() {
    etag=$(header etag "$R/issues/1")
    before=$(gh api rate_limit --jq .resources.core.remaining)
    known "$R/issues/1" "$etag"
    expect "$before" rate_limit --jq .resources.core.remaining
    done_with "a known answer is 304 and free"

    list=$(header etag "$R/issues")
    before=$(gh api rate_limit --jq .resources.core.remaining)
    known "$R/issues" "$list"
    expect "$before" rate_limit --jq .resources.core.remaining
    done_with "a known list is 304 and free"

    gh api "$R/issues/1/comments" -f body=news --silent
    expect 1 "$R/issues/1" -H "If-None-Match: $etag" --jq .comments
    done_with "after a change it is told again"

    before=$(gh api rate_limit --jq .resources.core.remaining)
    expect "5000 $before true" rate_limit \
        --jq '.resources.core | "\(.limit) \(.remaining) \(.reset > now and .reset <= now + 3600)"'
    done_with "asking for the limit is free"
}

limits() {
    gh api "$R/issues" -f title=one --silent
    gh api "$R/issues" -f title=two --silent
    refused 403 "exceeded a secondary rate limit" "$R/issues" -f title=three
    wait=$(header retry-after "$R/issues" -f title=four)
    [ "$wait" -gt 0 ] && [ "$wait" -le 60 ] || fail "Retry-After is $wait"
    done_with "too many changes are refused with a time to wait"

    [ "$(header retry-after "$R/labels/later")" = 7 ] || fail "no Retry-After"
    grep -q "HTTP 429" complaint || fail "gh does not tell the 429: $(cat complaint)"
    done_with "429 is told with its time to wait"

    refused 502 "A fault on order" "$R/labels/broken"
    refused 404 "Not Found" "$R/labels/broken"
    done_with "an answer that failed once goes well the second time"

    spent=0
    while gh api user --silent 2> complaint; do
        spent=$((spent + 1))
        [ "$spent" -lt "$REQUESTS_MAX" ] || fail "there is no limit"
    done
    grep -q "API rate limit exceeded for user" complaint || fail "gh does not tell the limit: $(cat complaint)"
    [ "$(header x-ratelimit-remaining user)" = 0 ] || fail "something remains"
    [ "$(header x-ratelimit-reset user)" -gt "$(date +%s)" ] || fail "the end is over"
    done_with "the hour's limit is refused with its end"
}

refusals() {
    as wrong
    refused 401 "Bad credentials" user
    as "$BOT_TOKEN"
    done_with "a bad token is 401"

    refused 404 "Not Found" repos/ada/nothing
    refused 404 "Not Found" "$R/issues/99"
    done_with "what is not there is 404"

    refused 404 "Not Found" "$R/hooks"
    refused 404 "Not Found" "$R/branches/main/protection"
    done_with "what one may not see is 404"

    refused 403 "Must have admin rights to Repository." -X PUT "$R/collaborators/ada" -f permission=pull
    done_with "what one may not do is 403"

    refused 422 '"errors":[{"resource":"Label","field":"color"' "$R/labels" -f name=bug -f color='no colour'
    grep -q "Validation Failed" complaint || fail "gh does not tell what is wrong: $(cat complaint)"
    done_with "what is wrong is 422 with its errors"
}

signed_in() {
    gh auth status --hostname "$GH_HOST" > said 2>&1 || fail "$(cat said)"
    grep -q 'Logged in to' said || fail "$(cat said)"
    if gh auth status --hostname "$GH_HOST" 2>&1 | grep -q 'missing required'; then fail "$(cat said)"; fi
    done_with 'signed in'
}

"$1"
