"""A working day with PyGithub, one area at a time: `working_day.py AREA`.

Each step asserts what it sees and then says its name, so that whoever started this knows how far it came. PyGithub
gives every answer a type: a time is a datetime, an object completes itself from its `url`, which must lead back here.
"""

import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone

from github import (
    Auth,
    BadCredentialsException,
    Github,
    GithubException,
    GithubIntegration,
    GithubRetry,
    RateLimitExceededException,
    UnknownObjectException,
)

# How often a thing that happens soon is looked for.
LOOKS_MAX = 2000


def client(token, **options):
    """Without PyGithub's courtesy pauses between requests, which are for github.com."""
    pauses = {"seconds_between_requests": None, "seconds_between_writes": None}
    return Github(auth=Auth.Token(token), base_url=os.environ["FORGE_URL"], **{"retry": None, **pauses, **options})


def bot(**options):
    return client(os.environ["BOT_TOKEN"], **options)


def owner():
    return client(os.environ["OWNER_TOKEN"])


def app(github):
    return github.get_repo(os.environ["FORGE_REPOSITORY"])


def done(step):
    print(step, flush=True)


def equal(seen, expected):
    assert seen == expected, f"{seen!r} is not {expected!r}"


def recent(moment):
    """A datetime with a zone, of this hour."""
    assert abs(datetime.now(timezone.utc) - moment) < timedelta(hours=1), moment


def refused(kind, status, call):
    """The exception that a call must end with."""
    try:
        call()
    except kind as error:
        equal(error.status, status)
        return error
    raise AssertionError(f"it was not refused with {status}")


def soon(look):
    for _ in range(LOOKS_MAX):
        if found := look():
            return found
    raise AssertionError("it did not happen")


def repository():
    github = bot()
    me = github.get_user()
    equal((me.login, me.type), ("ralph-bot", "User"))
    equal([repo.full_name for repo in me.get_repos()], ["ada/app"])
    done("who asks")

    repo = app(github)
    equal((repo.full_name, repo.default_branch, repo.private), ("ada/app", "main", False))
    equal((repo.owner.login, repo.permissions.push, repo.permissions.admin), ("ada", True, False))
    recent(repo.created_at)
    recent(repo.pushed_at)
    done("the repository")

    equal(repo.get_contents("README.md").decoded_content, b"# app\n")
    equal(repo.get_contents("src/lib.rs", ref="main").decoded_content, b"pub fn f() {}\n")
    equal([(entry.name, entry.type) for entry in repo.get_contents("src")], [("lib.rs", "file")])
    done("a file and a folder")

    newest, oldest = repo.get_commits()
    equal(newest.parents[0].sha, oldest.sha)
    equal((newest.commit.message, newest.files[0].filename), ("Write src/lib.rs", "src/lib.rs"))
    recent(newest.commit.author.date)
    between = repo.compare("main", "topic")
    equal((between.status, between.ahead_by, between.behind_by), ("ahead", 1, 0))
    equal((between.merge_base_commit.sha, between.files[0].patch), (newest.sha, "@@ -0,0 +1 @@\n+1"))
    done("commits and what lies between two")

    ref = repo.create_git_ref("refs/heads/made/here", oldest.sha)
    equal(repo.get_branch("made/here").commit.sha, oldest.sha)
    ref.edit(newest.sha)
    equal(repo.get_git_ref("heads/made/here").object.sha, newest.sha)
    equal({branch.name for branch in repo.get_branches()}, {"main", "topic", "made/here"})
    ref.delete()
    refused(UnknownObjectException, 404, lambda: repo.get_git_ref("heads/made/here"))
    done("a branch made, moved and deleted")

    owned = app(owner())
    equal(owned.has_in_collaborators("ralph-bot"), True)
    equal(repo.get_collaborator_permission("ralph-bot"), "write")
    equal(repo.get_collaborator_permission("ada"), "admin")
    equal({person.login for person in owned.get_collaborators()}, {"ada", "ralph-bot"})
    done("a collaborator and the permission")

    main = owned.get_branch("main")
    equal(main.protected, True)
    protection = main.get_protection()
    equal((protection.required_status_checks.strict, protection.required_status_checks.contexts), (False, ["build"]))
    equal((protection.enforce_admins, main.get_required_status_checks().contexts), (True, ["build"]))
    error = refused(GithubException, 404, owned.get_branch("topic").get_protection)
    equal(error.data["message"], "Branch not protected")
    done("protection, and none")


def labels():
    repo = app(bot())
    label = repo.create_label("Ready", "00ff00", "can begin")
    equal(repo.get_label("rEADY").name, "Ready")
    label.edit("ready", "0000ff", "may begin")
    found = repo.get_label("ready")
    equal((found.name, found.color, found.description), ("ready", "0000ff", "may begin"))
    done("a label made, found in any case and changed")

    issue = repo.get_issue(1)
    other = repo.create_label("gone", "ffffff")
    issue.add_to_labels("ready", other)
    equal({label.name for label in issue.get_labels()}, {"ready", "gone"})
    issue.set_labels("ready")
    equal([label.name for label in repo.get_issue(1).labels], ["ready"])
    issue.remove_from_labels("READY")
    refused(GithubException, 404, lambda: issue.remove_from_labels("ready"))
    done("labels put on an issue, replaced and taken off")

    issue.add_to_labels("new here", "ready")
    equal(repo.get_label("new here").color, "ededed")
    done("a label that was not there is made by putting it on")

    other.delete()
    names = {label.name for label in repo.get_labels()}
    assert "ready" in names and "gone" not in names, names
    done("labels listed and one deleted")


def issues():
    github, many = bot(), int(os.environ["MANY_ISSUES"])
    repo = app(github)
    issue = repo.create_issue("Plain", body="one", labels=["todo"])
    equal((issue.number, issue.state, issue.comments), (many + 1, "open", 0))
    issue = repo.get_issue(issue.number)
    equal((issue.user.login, issue.labels[0].name, issue.pull_request), ("ralph-bot", "todo", None))
    recent(issue.created_at)
    done("an issue made and read")

    issue.edit(title='Größer "und" $(schöner) 🎉', body="two\nlines")
    equal((issue.title, issue.body), ('Größer "und" $(schöner) 🎉', "two\nlines"))
    done("its title and text changed")

    issue.edit(state="closed", state_reason="not_planned")
    equal((issue.state, issue.state_reason, issue.closed_by.login), ("closed", "not_planned", "ralph-bot"))
    recent(issue.closed_at)
    issue.edit(state="open")
    equal((issue.state, issue.state_reason, issue.closed_at), ("open", "reopened", None))
    done("closed for a reason and opened again")

    equal([found.number for found in repo.get_issues(state="open", labels=["todo"])], [issue.number])
    equal(list(repo.get_issues(state="closed")), [])
    done("listed by label and state")

    equal(issue.number in [found.number for found in repo.get_issues(since=issue.updated_at)], True)
    equal(list(repo.get_issues(since=issue.updated_at + timedelta(hours=1))), [])
    done("listed since a moment")

    paged = bot(per_page=10)
    listed = app(paged).get_issues(state="all", sort="created", direction="asc")
    equal([found.number for found in listed], list(range(1, many + 2)))
    equal(listed.totalCount, many + 1)
    equal(listed.reversed[0].number, many + 1)
    done("every page of a list")

    equal([event.event for event in issue.get_events()], ["labeled", "renamed", "closed", "reopened"])
    timeline = list(issue.get_timeline())
    equal(timeline[2].event, "closed")
    recent(timeline[2].created_at)
    done("its events and its timeline")

    found = github.search_issues("repo:ada/app is:issue is:open label:todo")
    equal((found.totalCount, found[0].number, found[0].repository.full_name), (1, issue.number, "ada/app"))
    done("found by a search")


def comments():
    repo = app(bot())
    issue = repo.get_issue(1)
    comment = issue.create_comment("first")
    comment.edit("first, changed")
    comment = issue.get_comment(comment.id)
    equal((comment.body, comment.user.login), ("first, changed", "ralph-bot"))
    equal(comment.author_association, "COLLABORATOR")
    recent(comment.updated_at)
    done("a comment made and changed")

    second = issue.create_comment("second")
    equal([found.body for found in issue.get_comments()], ["first, changed", "second"])
    equal(issue.get_comments(since=second.created_at + timedelta(hours=1)).totalCount, 0)
    equal(repo.get_issue(1).comments, 2)
    done("the comments of an issue, also since a moment")

    newest = repo.get_issues_comments(sort="created", direction="desc")
    equal([found.id for found in newest], [second.id, comment.id])
    equal(newest[0].issue_url, issue.url)
    done("the comments of the repository, newest first")

    second.delete()
    refused(UnknownObjectException, 404, lambda: issue.get_comment(second.id))
    done("a comment deleted")


def relations():
    repo = app(bot())
    parent, child, blocker = (repo.get_issue(number) for number in (1, 2, 3))

    def blocked():
        summary = repo.get_issue(1).issue_dependencies_summary
        return summary.blocked_by, summary.total_blocked_by

    parent.add_blocked_by(blocker)
    parent = repo.get_issue(1)
    equal([found.id for found in parent.get_blocked_by()], [blocker.id])
    equal([found.number for found in blocker.get_blocking()], [1])
    equal(blocked(), (1, 1))
    done("a blocker added, listed from both sides and counted")

    blocker.edit(state="closed")
    equal(blocked(), (0, 1))
    done("no longer blocking once it is closed")

    repo.get_issue(1).remove_blocked_by(blocker)
    equal(blocked(), (0, 0))
    done("a blocker removed")

    parent = repo.get_issue(1)
    parent.add_sub_issue(child)
    equal([found.number for found in parent.get_sub_issues()], [2])
    child.edit(state="closed")
    summary = repo.get_issue(1).sub_issues_summary
    equal((summary.total, summary.completed, summary.percent_completed), (1, 1, 100))
    done("a sub-issue added, listed and counted")

    equal(repo.get_issue(2).parent_issue_url, parent.url)
    _, found = repo.requester.requestJsonAndCheck("GET", f"{child.url}/parent")
    equal(found["number"], 1)
    done("its parent")

    parent.remove_sub_issue(child)
    equal(repo.get_issue(2).parent_issue_url, None)
    done("a sub-issue removed")


def pulls():
    repo = app(bot())
    pull = repo.create_pull(base="main", head="feature", title="Feature", body="Closes #1")
    equal((pull.number, pull.state, pull.draft, pull.merged), (2, "open", False, False))
    equal((pull.head.sha, pull.head.ref, pull.base.ref), (os.environ["HEAD_SHA"], "feature", "main"))
    recent(pull.created_at)
    equal([found.number for found in repo.get_pulls(state="open", head="ada:feature", base="main")], [2])
    equal(repo.get_issue(2).as_pull_request().number, 2)
    done("a pull opened and found by its branch")

    equal([(file.filename, file.status, file.additions) for file in pull.get_files()], [("feature.txt", "added", 1)])
    equal([commit.sha for commit in pull.get_commits()], [pull.head.sha])
    equal((pull.changed_files, pull.commits), (1, 1))
    done("its files and commits")

    soon(lambda: repo.get_pull(2).mergeable)
    equal(repo.get_pull(2).mergeable_state, "clean")
    done("mergeable once that is computed")

    error = refused(GithubException, 422, lambda: repo.create_pull(base="main", head="feature", title="Again"))
    equal(error.data["errors"][0]["message"], "A pull request already exists for ada:feature.")
    done("a second pull of the branch is refused")

    conflict = repo.create_pull(base="main", head="conflict", title="Conflict")
    soon(lambda: repo.get_pull(conflict.number).mergeable is False)
    equal(repo.get_pull(conflict.number).mergeable_state, "dirty")
    equal(refused(GithubException, 405, conflict.merge).data["message"], "Pull Request is not mergeable")
    conflict.edit(state="closed")
    done("a conflict is dirty and not merged")

    equal(pull.update_branch(expected_head_sha=pull.head.sha), True)
    soon(lambda: repo.get_pull(2).head.sha != pull.head.sha)
    done("its branch brought up to date")

    refused(GithubException, 409, lambda: pull.merge(sha=pull.head.sha))
    pull = repo.get_pull(2)
    equal(pull.is_merged(), False)
    done("not merged when the head is another")

    app(owner()).get_pull(2).create_review(event="APPROVE", body="good")
    review = pull.get_reviews()[0]
    equal((review.state, review.user.login, review.commit_id), ("APPROVED", "ada", pull.head.sha))
    recent(review.submitted_at)
    done("approved by somebody else")

    merged = pull.merge(merge_method="squash", sha=pull.head.sha, commit_title="Feature, squashed")
    equal((merged.merged, repo.get_branch("main").commit.sha), (True, merged.sha))
    pull = repo.get_pull(2)
    equal((pull.merged, pull.merged_by.login, pull.merge_commit_sha), (True, "ralph-bot", merged.sha))
    recent(pull.merged_at)
    equal(repo.get_issue(1).state, "closed")
    done("merged, and the issue it names is closed")


def checks():
    repo, head = app(bot()), os.environ["HEAD_SHA"]
    begun = datetime.now(timezone.utc).replace(microsecond=0)
    run = repo.create_check_run("build", head, status="in_progress", started_at=begun, details_url="http://ci/1")
    equal((run.status, run.conclusion, run.started_at), ("in_progress", None, begun))
    note = {"path": "feature.txt", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "odd"}
    output = {"title": "Built", "summary": "all of it", "annotations": [note]}
    run.edit(status="completed", conclusion="success", completed_at=begun, output=output)
    run = repo.get_check_run(run.id)
    equal((run.conclusion, run.completed_at, run.output.title), ("success", begun, "Built"))
    [found] = run.get_annotations()
    equal((found.path, found.annotation_level, found.message), ("feature.txt", "warning", "odd"))
    done("a run begun and finished with annotations")

    repo.create_check_run("docs", head, status="completed", conclusion="neutral")
    commit = repo.get_commit(head)
    equal({found.name for found in commit.get_check_runs()}, {"build", "docs"})
    equal([found.id for found in commit.get_check_runs(check_name="build")], [run.id])
    suite = commit.get_check_suites()[0]
    equal((suite.id, suite.head_sha, suite.head_branch), (run.check_suite.id, head, "feature"))
    recent(suite.created_at)
    equal(suite.get_check_runs().totalCount, 2)
    done("the runs of a commit, by name and by suite")

    pull = repo.get_pull(1)
    soon(lambda: repo.get_pull(1).mergeable_state == "blocked")
    refused(GithubException, 405, pull.merge)
    done("not merged while a required check is missing")

    commit.create_status("pending", context="lint")
    equal(commit.get_combined_status().state, "pending")
    status = commit.create_status("success", "http://ci/2", "no findings", "lint")
    equal((status.state, status.context, status.creator.login), ("success", "lint", "ralph-bot"))
    recent(status.created_at)
    combined = commit.get_combined_status()
    equal((combined.state, combined.total_count, combined.statuses[0].description), ("success", 1, "no findings"))
    equal([found.state for found in commit.get_statuses()], ["success", "pending"])
    done("statuses and what they make together")

    repo.requester.requestJsonAndCheck("POST", f"{run.url}/rerequest")
    equal(suite.rerequest(), True)
    done("asked to run again")

    equal(pull.merge(sha=head).merged, True)
    done("merged once all have passed")


def hooks():
    repo = app(owner())
    config = {"url": os.environ["RECEIVER_URL"], "content_type": "json", "secret": "it is a secret"}
    hook = repo.create_hook("web", config, events=["issues"], active=True)
    equal((hook.active, hook.events, hook.config["url"]), (True, ["issues"], config["url"]))
    assert hook.config.get("secret") != config["secret"], hook.config
    recent(hook.created_at)
    done("a hook made, its secret not shown")

    def delivered(count):
        """All deliveries, newest first, once there are so many and each was answered."""
        found = list(repo.get_hook_deliveries(hook.id))
        return found if len(found) == count and all(one.status_code == 200 for one in found) else None

    equal([(one.event, one.status) for one in soon(lambda: delivered(1))], [("ping", "OK")])
    done("its ping delivered")

    repo.create_issue("Told")
    first = soon(lambda: delivered(2))[0]
    equal((first.event, first.action, first.redelivery), ("issues", "opened", False))
    recent(first.delivered_at)
    whole = repo.get_hook_delivery(hook.id, first.id)
    equal(whole.request.payload["issue"]["title"], "Told")
    assert whole.request.headers["X-Hub-Signature-256"].startswith("sha256="), whole.request.headers
    repo.requester.requestJsonAndCheck("POST", f"{hook.url}/deliveries/{first.id}/attempts")
    again = soon(lambda: delivered(3))[0]
    equal((again.guid, again.redelivery), (first.guid, True))
    done("an event delivered, read and delivered again")

    hook.edit("web", config, events=["push"], active=False)
    hook = repo.get_hook(hook.id)
    equal((hook.active, hook.events), (False, ["push"]))
    hook.delete()
    equal(list(repo.get_hooks()), [])
    done("changed and deleted")


def conditional():
    github = bot()
    repo = app(github)
    issue = repo.get_issue(1)
    before = github.rate_limiting[0]
    equal(issue.update(), False)
    equal(github.rate_limiting[0], before)
    done("a known answer is 304 and free")

    url, requester = f"{repo.url}/issues", repo.requester
    status, headers, _ = requester.requestJson("GET", url)
    before = github.rate_limiting[0]
    status, _, _ = requester.requestJson("GET", url, headers={"If-None-Match": headers["etag"]})
    equal((status, github.rate_limiting[0]), (304, before))
    done("a known list is 304 and free")

    app(bot()).get_issue(1).create_comment("news")
    equal((issue.update(), issue.comments), (True, 1))
    done("after a change it is told again")

    before = github.rate_limiting[0]
    limit = github.get_rate_limit().resources.core
    equal((limit.limit, limit.remaining), (5000, before))
    recent(limit.reset)
    done("asking for the limit is free")


def limits():
    github = bot()
    repo = app(github)
    for title in ("one", "two"):
        repo.create_issue(title)
    error = refused(RateLimitExceededException, 403, lambda: repo.create_issue("three"))
    assert 0 < int(error.headers["retry-after"]) <= 60, error.headers
    assert "secondary rate limit" in error.data["message"], error.data
    done("too many changes are refused with a time to wait")

    error = refused(GithubException, 429, lambda: repo.get_label("later"))
    equal(error.headers["retry-after"], "7")
    done("429 is told with its time to wait")

    patient = app(bot(retry=GithubRetry(total=1)))
    refused(UnknownObjectException, 404, lambda: patient.get_label("broken"))
    done("an answer that failed once goes well the second time")

    most = int(os.environ["REQUESTS_MAX"])

    def until_refused():
        for _ in range(most):
            equal(github.get_user().login, "ralph-bot")

    error = refused(RateLimitExceededException, 403, until_refused)
    equal((error.headers["x-ratelimit-remaining"], github.rate_limiting), ("0", (0, most)))
    recent(datetime.fromtimestamp(github.rate_limiting_resettime - 3600, timezone.utc))
    done("the hour's limit is refused with its end")


def refusals():
    error = refused(BadCredentialsException, 401, lambda: client("wrong").get_user().login)
    equal(error.data["message"], "Bad credentials")
    done("a bad token is 401")

    repo = app(bot())
    refused(UnknownObjectException, 404, lambda: bot().get_repo("ada/nothing"))
    refused(UnknownObjectException, 404, lambda: repo.get_issue(99))
    done("what is not there is 404")

    refused(UnknownObjectException, 404, lambda: list(repo.get_hooks()))
    refused(UnknownObjectException, 404, repo.get_branch("main").get_protection)
    done("what one may not see is 404")

    error = refused(GithubException, 403, lambda: repo.add_to_collaborators("ada", "pull"))
    equal(error.data["message"], "Must have admin rights to Repository.")
    done("what one may not do is 403")

    error = refused(GithubException, 422, lambda: repo.create_label("bug", "no colour"))
    equal(error.data["message"], "Validation Failed")
    equal((error.data["errors"][0]["resource"], error.data["errors"][0]["field"]), ("Label", "color"))
    done("what is wrong is 422 with its errors")


def git(*arguments):
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    return subprocess.check_output(["git", "-C", "work", *identity, *arguments], text=True).strip()


def day():
    ada, theirs = owner(), bot()
    repo = ada.get_user().create_repo("day", "A day", private=True, auto_init=True, has_wiki=True)
    equal((repo.full_name, repo.private, repo.has_wiki), ("ada/day", True, True))
    repo.edit(description="The day", homepage="http://example.com")
    equal((repo.description, repo.homepage), ("The day", "http://example.com"))
    equal([found.full_name for found in ada.get_user("ada").get_repos()], ["ada/day"])
    address = os.environ["FORGE_URL"].replace("//", f"//ada:{os.environ['OWNER_TOKEN']}@")
    subprocess.check_call(["git", "clone", "--quiet", f"{address}/ada/day.git", "work"])
    git("switch", "--quiet", "--create", "feature")
    binary, large = bytes(range(256)) * 8, 1_500_000
    with open("work/binary", "wb") as file:
        file.write(binary)
    with open("work/large", "w") as file:
        file.write("x" * large)
    os.symlink("README.md", "work/link")
    os.mkdir("work/folder")
    with open("work/folder/file", "w") as file:
        file.write("1\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Add files")
    git("tag", "light")
    git("tag", "--annotate", "heavy", "--message", "A heavy tag")
    git("push", "--quiet", "origin", "feature", "light", "heavy")
    head = git("rev-parse", "HEAD")
    done("a repository made and pushed to")

    label = repo.create_label("kind/bug", "ff0000", "broken")
    label.edit("kind/bug", "00ff00", "really broken")
    equal((repo.get_label("kind/bug").color, [found.name for found in repo.get_labels()]), ("00ff00", ["kind/bug"]))
    done("labels, one of them with a slash")

    issue = repo.create_issue("Broken", "with `code`", labels=["kind/bug"])
    comment = issue.create_comment("Hello")
    comment.edit("Hello again")
    equal([found.body for found in repo.get_issue(1).get_comments()], ["Hello again"])
    issue.add_to_labels("more")
    issue.remove_from_labels("kind/bug")
    issue.set_labels("kind/bug")
    equal([found.name for found in issue.get_labels()], ["kind/bug"])
    issue.edit(title="Very broken", state="closed", state_reason="completed")
    equal([found.number for found in repo.get_issues(state="closed", labels=["kind/bug"])], [1])
    issue.edit(state="open")
    equal([event.event for event in issue.get_events()][-2:], ["closed", "reopened"])
    done("issues made, talked about and closed")

    for number in range(35):
        repo.create_issue(f"One of many {number}")
    listed = repo.get_issues(state="all", sort="created", direction="asc")
    equal((listed.totalCount, [found.number for found in listed]), (36, list(range(1, 37))))
    equal(len(listed.get_page(1)), 6)
    done("every page of a list")

    equal(repo.get_contents("binary", "feature").decoded_content, binary)
    found = repo.get_contents("large", "feature")
    equal((found.encoding, found.size), ("none", large))
    status, headers, body = repo.requester.requestJson(
        "GET", f"{repo.url}/contents/large?ref=feature", headers={"Accept": "application/vnd.github.raw"}
    )
    equal((status, len(body)), (200, large))
    equal(repo.get_contents("link", "feature").type, "symlink")
    folder = [(one.name, one.type) for one in repo.get_contents("", "feature")]
    equal(folder[2:], [("folder", "dir"), ("large", "file"), ("link", "symlink")])
    refused(UnknownObjectException, 404, lambda: repo.get_contents("nowhere", "feature"))
    done("files: binary, large, a link and a folder")

    commit = repo.get_commit(head[:8])
    equal((commit.sha, commit.commit.message, commit.stats.total > 0), (head, "Add files", True))
    equal([one.sha for one in repo.get_commits("feature", path="folder/file", author="ada@example.com")], [head])
    equal(repo.get_commits("feature", since=datetime.now(timezone.utc) + timedelta(hours=1)).totalCount, 0)
    between = repo.compare("main", "feature")
    equal((between.status, between.ahead_by, len(between.files)), ("ahead", 1, 4))
    equal(repo.get_git_commit(head).tree.sha, git("rev-parse", "HEAD^{tree}"))
    done("commits and what lies between two")

    main = repo.get_branch("main").commit.sha
    ref = repo.create_git_ref("refs/heads/topic/a", main)
    ref.edit(head)
    equal(repo.get_branch("topic/a").commit.sha, head)
    equal({one.ref for one in repo.get_git_matching_refs("heads/topic")}, {"refs/heads/topic/a"})
    equal({one.name for one in repo.get_branches()}, {"main", "feature", "topic/a"})
    equal([(one.name, one.commit.sha) for one in repo.get_tags()], [("light", head), ("heavy", head)])
    heavy = repo.get_git_ref("tags/heavy").object
    equal((heavy.type, repo.get_git_tag(heavy.sha).message), ("tag", "A heavy tag\n"))
    tag = repo.create_git_tag("made", "By REST", head, "commit")
    made = repo.create_git_ref("refs/tags/made", tag.sha)
    git("fetch", "--quiet", "--tags")
    equal(git("for-each-ref", "--format=%(objecttype) %(contents:subject)", "refs/tags/made"), "tag By REST")
    refused(GithubException, 422, lambda: made.edit(main))
    made.edit(main, force=True)
    made.delete()
    ref.delete()
    refused(UnknownObjectException, 404, lambda: repo.get_git_ref("tags/made"))
    refused(GithubException, 422, lambda: repo.create_git_ref("refs/heads/a..b", main))
    done("branches and tags")

    pull = repo.create_pull(base="main", head="feature", title="Feature", body="Closes #2")
    pull.edit(title="The feature")
    equal([one.number for one in repo.get_pulls(head="ada:feature", base="main")], [pull.number])
    equal(("binary", "added") in [(file.filename, file.status) for file in pull.get_files()], True)
    equal([one.sha for one in pull.get_commits()], [head])
    pull.create_issue_comment("On the pull")
    equal([one.body for one in pull.get_issue_comments()], ["On the pull"])
    patch = {"Accept": "application/vnd.github.patch"}
    equal(repo.requester.requestJson("GET", pull.url, headers=patch)[2].startswith("From "), True)
    done("a pull with its files and its patch")

    integration = GithubIntegration(auth=Auth.AppAuth(os.environ["APP_ID"], key()), base_url=os.environ["FORGE_URL"])
    installation = integration.get_repo_installation("ada", "day")
    token = integration.get_access_token(installation.id).token
    there = client(token).get_repo("ada/day")
    run = there.create_check_run("build", head, status="in_progress")
    run.edit(status="completed", conclusion="success")
    equal([one.conclusion for one in repo.get_commit(head).get_check_runs()], ["success"])
    equal(repo.get_commit(head).get_check_suites().totalCount, 1)
    repo.get_commit(head).create_status("success", "http://ci/1", "fine", "lint")
    equal(repo.get_commit(head).get_combined_status().state, "success")
    done("checks and statuses")

    repo.get_branch("main").edit_protection(strict=False, contexts=["build", "lint"], enforce_admins=True)
    equal(sorted(repo.get_branch("main").get_required_status_checks().contexts), ["build", "lint"])
    theirs.get_repo("ada/day").get_pull(pull.number).create_review(event="APPROVE", body="Good")
    equal([(one.state, one.user.login) for one in pull.get_reviews()], [("APPROVED", "ralph-bot")])
    merged = pull.merge("With a message", "The feature, squashed", merge_method="squash", sha=head)
    equal((merged.merged, pull.is_merged(), repo.get_issue(2).state), (True, True, "closed"))
    equal(repo.get_commit("main").commit.message, "The feature, squashed\n\nWith a message")
    repo.get_git_ref("heads/feature").delete()
    done("reviewed, protected and merged")

    timeline = list(repo.get_issue(pull.number).get_timeline())
    kinds = ["committed", "renamed", "commented", "reviewed", "merged", "closed"]
    equal([entry.event for entry in timeline], kinds)
    equal((timeline[0].raw_data["sha"], timeline[3].raw_data["state"]), (head, "APPROVED"))
    done("its timeline")

    equal([one.number for one in ada.search_issues("repo:ada/day is:issue is:closed")], [2])
    equal(ada.search_issues("many repo:ada/day", sort="created", order="asc")[0].number, 2)
    refused(GithubException, 422, lambda: ada.search_issues("repo:ada/day reactions:>1").totalCount)
    done("found by a search")

    issue = repo.get_issue(3)
    before = ada.rate_limiting[0]
    equal((issue.update(), ada.rate_limiting[0]), (False, before))
    date = {"If-Modified-Since": issue.raw_headers["last-modified"]}
    status, _, _ = repo.requester.requestJson("GET", issue.url, headers=date)
    equal((status, ada.rate_limiting[0]), (304, before))
    theirs.get_repo("ada/day").get_issue(3).create_comment("News")
    equal((issue.update(), issue.comments), (True, 1))
    equal(ada.get_rate_limit().resources.core.limit, 5000)
    done("a known answer is free")

    equal(there.get_issue(4).create_comment("From an app").user.login, "ralph[bot]")
    refused(GithubException, 403, lambda: client(token).get_user().login)
    equal([one.number for one in client(token).search_issues("app repo:ada/day in:comments")], [4])
    done("an app with its own token")

    refused(UnknownObjectException, 404, lambda: list(repo.get_milestones()))
    error = refused(GithubException, 422, lambda: repo.edit(name="renamed"))
    equal(error.data["message"], "Repositories are not renamed here.")
    error = refused(GithubException, 422, lambda: repo.get_issue(4).edit(assignees=["ada"]))
    assert "not kept here" in error.data["message"], error.data
    done("what is not done here is refused with words")


def key():
    with open(os.environ["APP_KEY"]) as file:
        return file.read()


AREAS = [repository, labels, issues, comments, relations, pulls, checks, hooks, conditional, limits, refusals, day]

if __name__ == "__main__":
    {area.__name__: area for area in AREAS}[sys.argv[1]]()
