# One issue's life as a script: the git and HTTP calls that Ralph makes, in the same order, and nothing around them.
# No sandbox, no record of anything, nobody to ask whether the issue may be worked on.
#
# Wants: URL REPO BOT BOT_TOKEN OWNER_TOKEN (the forge), ISSUE (its number), ROOM (a folder with the mirror in it),
# AGENT (a script), PREFLIGHT (a command), SINCE (for the list of changes).
set -eu

mirror=$ROOM/mirror.git
work=$ROOM/$ISSUE/work
index=$ROOM/$ISSUE/index
branch=ralph/issue-$ISSUE-write-a-page
bot=bot/integration
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
mkdir -p "$ROOM/$ISSUE"

api() {
    curl --silent --show-error --fail --request "$1" "$URL/repos/$REPO/$2" \
        --header "Authorization: Bearer ${TOKEN:-$BOT_TOKEN}" --header 'Accept: application/vnd.github+json' \
        ${3:+--data "$3"}
}
label() { api POST "issues/$ISSUE/labels" "{\"labels\":[\"plain:$1\"]}" > "$ROOM/answer"; }
unlabel() { api DELETE "issues/$ISSUE/labels/plain:$1" > "$ROOM/answer"; }
field() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^,\"}]*\\).*/\\1/p" | head -n 1; }

in_mirror() { git --git-dir "$mirror" "$@"; }
find() { in_mirror rev-parse --quiet --verify --end-of-options "$1^{commit}"; }
record() { in_mirror update-ref "refs/script/work/$ISSUE" "$1" && in_mirror update-ref "refs/script/at/$ISSUE" "$1"; }

# A folder's files and index, worked on from the mirror's side: place, index, and what to do.
at() {
    place=$1 its_index=$2
    shift 2
    GIT_INDEX_FILE=$its_index git --git-dir "$mirror" --work-tree "$place" "$@"
}
fill() { mkdir -p "$1" && at "$1" "$2" read-tree --reset -u "$3"; }
settle() { at "$1" "$2" read-tree -m "$3" && at "$1" "$2" update-index -q --refresh; }
# A git folder of its own that borrows the mirror's objects.
point() {
    mkdir -p "$1/.git/objects/info" "$1/.git/refs/heads"
    echo "$mirror/objects" > "$1/.git/objects/info/alternates"
    printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = Ralph\n\temail = ralph@localhost\n' \
        > "$1/.git/config"
    mkdir -p "$1/.git/refs/heads/$(dirname "$branch")"
    echo "$3" > "$1/.git/refs/heads/$branch"
    echo "ref: refs/heads/$branch" > "$1/.git/HEAD"
    cp "$2" "$1/.git/index"
}
put_in_order() { settle "$1" "$2" "$3" && point "$1" "$2" "$3"; }
tree_now() {
    settle "$1" "$2" "$3"
    at "$1" "$2" ls-files -z --modified --deleted --others --exclude-standard > "$ROOM/changed"
    at "$1" "$2" write-tree > "$ROOM/tree"
    in_mirror rev-parse --verify --end-of-options "$3^{tree}" > "$ROOM/tree"
}
# Commits that the agent made, brought into the mirror.
take_commits() {
    find "refs/script/at/$ISSUE" > "$ROOM/known"
    if test "$(cat "$work/.git/refs/heads/$branch")" = "$head"; then return; fi
    if git --git-dir "$work/.git" bundle create --quiet "$ROOM/bundle" "refs/heads/$branch" "^$head" 2> "$ROOM/log"; then
        in_mirror -c fetch.fsckObjects=true fetch --quiet --no-tags --no-write-fetch-head --refmap= "$ROOM/bundle" \
            "+refs/heads/$branch:refs/script/incoming/$ISSUE"
        tip=$(find "refs/script/incoming/$ISSUE")
        in_mirror update-ref -d "refs/script/incoming/$ISSUE"
        in_mirror merge-base --is-ancestor "$head" "$tip"
        in_mirror rev-list --objects --filter=blob:limit=104857601 --filter-print-omitted "$tip" "^$head" > "$ROOM/large"
        head=$tip
        record "$head"
    fi
}
begin_turn() {
    take_commits
    settle "$work" "$index" "$head"
    at "$work" "$index" ls-files -z --modified --deleted --others --exclude-standard > "$ROOM/changed"
    point "$work" "$index" "$head"
}
turn() { # role, place
    echo "Write a page" > "$ROOM/prompt"
    (cd "$2" && RALPH_ROLE=$1 RALPH_ISSUE=$ISSUE bash "$AGENT" < "$ROOM/prompt" > "$ROOM/response")
}
checkout() { # name
    fill "$ROOM/$ISSUE/$1" "$ROOM/$ISSUE/$1.index" "$head"
    point "$ROOM/$ISSUE/$1" "$ROOM/$ISSUE/$1.index" "$head"
}
review() { # role
    checkout "$1"
    turn "$1" "$ROOM/$ISSUE/$1"
    tree_now "$ROOM/$ISSUE/$1" "$ROOM/$ISSUE/$1.index" "$head"
    rm -r "${ROOM:?}/$ISSUE/$1"
}

# A person asks, and the forge is asked who that was.
TOKEN=$OWNER_TOKEN label queued
api GET "issues?state=all&since=$SINCE" > "$ROOM/answer"
api GET "issues/$ISSUE/events" > "$ROOM/answer"
api GET "collaborators/you/permission" > "$ROOM/answer"
label in-progress
unlabel queued
api GET "issues?state=all&since=$SINCE" > "$ROOM/answer"

# The worktree.
in_mirror fetch --quiet --prune --no-tags --no-write-fetch-head "$URL/$REPO.git" '+refs/heads/*:refs/heads/*'
head=$(find "refs/heads/$bot")
base=$head
find "refs/heads/$branch" || find "refs/script/work/$ISSUE" || in_mirror update-ref "refs/script/at/$ISSUE" "$head"
fill "$work" "$index" "$head"
in_mirror update-ref "refs/script/work/$ISSUE" "$head"
point "$work" "$index" "$head"

# The turns.
begin_turn
turn plan "$work"
review plan_review
begin_turn
turn implement "$work"
take_commits
tree_now "$work" "$index" "$head"
record "$head"
put_in_order "$work" "$index" "$head"
in_mirror diff --no-ext-diff --name-only --no-renames -z "$base...$head" > "$ROOM/diff"
in_mirror rev-parse --verify --end-of-options "$head^{tree}" > "$ROOM/tree"
in_mirror diff --no-ext-diff --no-textconv --no-color --no-renames --binary "$base...$head" > "$ROOM/diff"
checkout preflight
(cd "$ROOM/$ISSUE/preflight" && sh -c "$PREFLIGHT" > "$ROOM/log" 2>&1)
rm -r "${ROOM:?}/$ISSUE/preflight"
review product_review
review devex_review

# The pull request, its check, and the merge.
find "$head" > "$ROOM/head"
in_mirror push --quiet --no-verify "$(echo "$URL" | sed "s#//#//$BOT:$BOT_TOKEN@#")/$REPO.git" "$head:refs/heads/$branch"
pull=$(api POST pulls "{\"title\":\"Write a page\",\"body\":\"Fixes #$ISSUE\",\"head\":\"$branch\",\"base\":\"$bot\"}" |
    field number)
api GET "commits/$head/check-runs" > "$ROOM/answer"
api GET "commits/$head/status" > "$ROOM/answer"
until api GET "commits/$head/check-runs" | grep -q '"conclusion":"success"'; do sleep 0.02; done
api GET "pulls/$pull" > "$ROOM/answer"
api GET "commits/$head/status" > "$ROOM/answer"
api GET "pulls/$pull" > "$ROOM/answer"
api PUT "pulls/$pull/merge" "{\"sha\":\"$head\",\"merge_method\":\"merge\"}" > "$ROOM/answer"
merged=$(field sha < "$ROOM/answer")
label in-bot
unlabel in-progress
api GET "branches/$bot" > "$ROOM/answer"
api GET branches/main > "$ROOM/answer"

# The rollup, which a person merges as soon as it can be merged.
rollup=$(api POST pulls "{\"title\":\"Rollup\",\"body\":\"Closes #$ISSUE\",\"head\":\"$bot\",\"base\":\"main\"}" | field number)
TOKEN=$OWNER_TOKEN api GET 'pulls?state=open&base=main' > "$ROOM/answer"
until TOKEN=$OWNER_TOKEN api PUT "pulls/$rollup/merge" '{}' > "$ROOM/answer" 2> "$ROOM/log"; do sleep 0.02; done
api GET "pulls/$rollup" > "$ROOM/answer"
api GET branches/main > "$ROOM/answer"
api GET "branches/$bot" > "$ROOM/answer"
api GET branches/main > "$ROOM/answer"
api GET "branches/$bot" > "$ROOM/answer"
api GET "compare/$merged...main?per_page=1" > "$ROOM/answer"
label done
unlabel in-bot
api GET "issues?state=all&since=$SINCE" > "$ROOM/answer"

in_mirror update-ref -d "refs/script/at/$ISSUE"
rm -r "$work"
