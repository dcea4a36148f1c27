# A whole day with git alone: `sh working_day_git.sh day`. Each step asserts what it sees and then says its name.
set -eu

export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1
git config --global user.name Ada
git config --global user.email ada@example.com
git config --global init.defaultBranch main
git config --global advice.detachedHead false

HOST="${FORGE_URL#http://}"
REPO="$HOST/ada/day.git"

done_with() {
    echo "$1"
}

fail() {
    echo "$1" >&2
    exit 1
}

equal() {
    [ "$1" = "$2" ] || fail "'$1' is not '$2'"
}

# Runs a command that must fail, with these words.
refused() {
    words="$1"
    shift
    if "$@" > said 2>&1; then fail "it was not refused: $*"; fi
    grep -q -e "$words" said || fail "$*: $(cat said)"
}

commit() {
    echo "$2" > "work/$1"
    git -C work add --all
    git -C work commit --quiet --message "Write $1"
}

refused 'Authentication failed\|could not read Username' git clone --quiet "http://$REPO" stranger
refused 'Authentication failed' git clone --quiet "http://ada:wrong@$REPO" stranger
refused 'not found' git clone --quiet "http://ada:$OWNER_TOKEN@$HOST/ada/nothing.git" nothing
git clone --quiet "http://ada:$OWNER_TOKEN@$REPO" work
git -c "http.extraHeader=Authorization: Bearer $BOT_TOKEN" ls-remote --quiet "http://$REPO" HEAD > /dev/null
equal "$(git -C work symbolic-ref --short HEAD)" main
equal "$(git -C work tag)" v1
done_with 'cloned with a token, and not without'

git -C work switch --quiet --create topic/deep/name
commit topic 1
git -C work tag light
git -C work tag --annotate heavy --message 'A heavy tag'
git -C work push --quiet --set-upstream origin topic/deep/name light heavy
git -C work push --quiet origin HEAD:refs/heads/second 'HEAD:refs/notes/review'
equal "$(git ls-remote --heads "http://bot:$BOT_TOKEN@$REPO" | wc -l)" 4
equal "$(git ls-remote --tags "http://bot:$BOT_TOKEN@$REPO" 'heavy^{}' | cut -f 1)" "$(git -C work rev-parse HEAD)"
done_with 'branches and tags pushed'

git -C work switch --quiet --create files
head -c 3000000 /dev/urandom > work/large
printf 'a\000b\377' > work/binary
ln -s README.md work/link
git -C work add --all
git -C work commit --quiet --message 'Files'
git -C work push --quiet origin files
git clone --quiet --branch files "http://ada:$OWNER_TOKEN@$REPO" again
cmp work/large again/large
cmp work/binary again/binary
equal "$(readlink again/link)" README.md
done_with 'large and binary files pushed'

git -C again fetch --quiet origin refs/pull/1/head
equal "$(git -C again rev-parse FETCH_HEAD)" "$(git -C again rev-parse origin/offered)"
git init --quiet one
git -C one fetch --quiet --depth 1 "http://ada:$OWNER_TOKEN@$REPO" "$(git -C work rev-parse light)"
equal "$(git -C one rev-list --count FETCH_HEAD)" 1
git clone --quiet --filter=blob:none --no-checkout "http://ada:$OWNER_TOKEN@$REPO" partial
git -C partial cat-file -e origin/files:README.md
git clone --quiet --mirror "http://ada:$OWNER_TOKEN@$REPO" mirror.git
git -C mirror.git fsck --strict
for version in 0 1 2; do git -c "protocol.version=$version" -C again fetch --quiet origin; done
done_with 'fetched: a pull, a commit, a part'

git -C work switch --quiet topic/deep/name
git -C work commit --quiet --amend --message 'Another word'
refused 'non-fast-forward\|fetch first' git -C work push --quiet
refused 'stale info' git -C work push --quiet --force-with-lease=topic/deep/name:"$(git -C work rev-parse main)"
git -C work push --quiet --force-with-lease
equal "$(git ls-remote "http://bot:$BOT_TOKEN@$REPO" refs/heads/topic/deep/name | cut -f 1)" "$(git -C work rev-parse HEAD)"
done_with 'history rewritten only by force'

refused GH006 git -C work push --quiet origin HEAD:main
refused 'GH006\|current branch\|protected' git -C work push --quiet origin :main
refused 'hidden ref' git -C work push --quiet --force origin HEAD:refs/pull/1/head
refused 'another reference is in the way\|beside' git -C work push --quiet origin HEAD:refs/heads/topic
refused 'funny\|invalid\|Invalid\|Validation' git -C work push --quiet origin "HEAD:refs/heads/$(printf 'x%.0s' $(seq 300))"
git ls-remote --quiet "http://ada:$OWNER_TOKEN@$REPO" > /dev/null
done_with 'refused what is protected, hidden or misnamed'

before="$(git ls-remote "http://ada:$OWNER_TOKEN@$REPO")"
refused 'atomic' git -C work push --quiet --atomic origin HEAD:refs/heads/third HEAD:main
equal "$(git ls-remote "http://ada:$OWNER_TOKEN@$REPO")" "$before"
refused 'GH006' git -C work push --quiet origin HEAD:refs/heads/third HEAD:main
equal "$(git ls-remote "http://ada:$OWNER_TOKEN@$REPO" refs/heads/third | wc -l)" 1
done_with 'all or nothing when it is atomic'

git clone --quiet "http://x-access-token:$APP_TOKEN@$REPO" theirs
git -C theirs push --quiet origin HEAD:refs/heads/of-app
equal "$(git -C theirs ls-remote origin refs/heads/of-app | cut -f 1)" "$(git -C work rev-parse main)"
done_with 'an app with its own token'

git -C work push --quiet origin --delete topic/deep/name second third of-app light heavy
git -C work push --quiet origin :refs/notes/review
git -C work fetch --quiet --prune
equal "$(git -C work branch --remotes | grep -c -v HEAD)" 3
done_with 'branches and tags deleted'
