"""A whole day with github3.py: `working_day_github3.py day`.

Each step asserts what it sees and then says its name. github3.py asks for `full` texts everywhere, insists on every
field that it knows, and talks to an enterprise server, below `/api/v3`.
"""

import os
import subprocess
import sys
from datetime import datetime, timedelta, timezone

from github3 import GitHubEnterprise
from github3.exceptions import ForbiddenError, NotFoundError, UnprocessableEntity

URL = os.environ["FORGE_URL"]
BINARY = bytes(range(256)) * 8
LARGE = 1_500_000


def client(token):
    return GitHubEnterprise(URL, token=token)


def done(step):
    print(step, flush=True)


def equal(seen, expected):
    assert seen == expected, f"{seen!r} is not {expected!r}"


def recent(moment):
    assert abs(datetime.now(timezone.utc) - moment) < timedelta(hours=1), moment


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"it was not refused with {kind}")


def git(*arguments):
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    return subprocess.check_output(["git", "-C", "work", *identity, *arguments], text=True).strip()


def as_app():
    app = GitHubEnterprise(URL)
    with open(os.environ["APP_KEY"], "rb") as key:
        app.login_as_app_installation(key.read(), os.environ["APP_ID"], int(os.environ["INSTALLATION"]))
    return app


def day():
    ada, bot = client(os.environ["OWNER_TOKEN"]), client(os.environ["BOT_TOKEN"])
    made = ada.create_repository("day", "A day", "http://example.com", private=True, auto_init=True)
    equal((made.full_name, made.private, made.homepage), ("ada/day", True, "http://example.com"))
    repo = ada.repository("ada", "day")
    recent(repo.created_at)
    equal([found.full_name for found in ada.repositories()], ["ada/day"])
    equal([found.full_name for found in bot.repositories_by("ada")], ["ada/day"])
    equal((ada.me().login, ada.user("ralph-bot").login), ("ada", "ralph-bot"))
    address = URL.replace("//", f"//ada:{os.environ['OWNER_TOKEN']}@")
    subprocess.check_call(["git", "clone", "--quiet", f"{address}/ada/day.git", "work"])
    git("switch", "--quiet", "--create", "feature")
    with open("work/binary", "wb") as file:
        file.write(BINARY)
    with open("work/large", "w") as file:
        file.write("x" * LARGE)
    os.symlink("README.md", "work/link")
    os.mkdir("work/folder")
    with open("work/folder/file", "w") as file:
        file.write("1\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Add files\n\nFixes #1")
    git("tag", "light")
    git("tag", "--annotate", "heavy", "--message", "A heavy tag")
    git("push", "--quiet", "origin", "feature", "light", "heavy")
    head = git("rev-parse", "HEAD")
    equal(repo.edit("day", description="The day"), True)
    equal(repo.description, "The day")
    done("a repository made and pushed to")

    label = repo.create_label("kind/bug", "ff0000", "broken")
    equal(label.update("kind/bug", "00ff00", "really broken"), True)
    label = repo.label("kind/bug")
    equal((label.name, label.color, label.description), ("kind/bug", "00ff00", "really broken"))
    equal([found.name for found in repo.labels()], ["kind/bug"])
    done("labels, one of them with a slash")

    issue = repo.create_issue("Broken", "with `code`", labels=["kind/bug"])
    issue = repo.issue(issue.number)
    equal((issue.number, issue.body_text), (1, "with `code`"))
    assert "<p" in issue.body_html, issue.body_html
    comment = issue.create_comment("Hello")
    equal(comment.edit("Hello again"), True)
    equal([found.body for found in issue.comments()], ["Hello again"])
    equal(issue.comment(comment.id).user.login, "ada")
    equal({found.name for found in issue.add_labels("more")}, {"kind/bug", "more"})
    equal([found.name for found in issue.remove_label("kind/bug")], ["more"])
    equal([found.name for found in issue.replace_labels(["kind/bug"])], ["kind/bug"])
    equal(issue.edit(title="Very broken"), True)
    equal(issue.close(), True)
    equal([found.number for found in repo.issues(state="closed", labels="kind/bug")], [1])
    equal(issue.reopen(), True)
    events = [event.event for event in issue.events()]
    equal((events[0], events[-2:]), ("labeled", ["closed", "reopened"]))
    done("issues made, talked about and closed")

    for number in range(35):
        repo.create_issue(f"One of many {number}")
    equal(len(list(repo.issues(state="all"))), 36)
    equal(len(list(repo.issues(state="all", number=5))), 5)
    equal([found.number for found in repo.issues(state="all", sort="created", direction="asc", number=2)], [1, 2])
    done("every page of a list")

    equal(repo.file_contents("binary", "feature").decoded, BINARY)
    large = repo.file_contents("large", "feature")
    equal((large.encoding, large.size), ("none", LARGE))
    equal((repo.file_contents("link", "feature").type), "symlink")
    folder = dict(repo.directory_contents("", "feature"))
    equal(sorted(folder), ["README.md", "binary", "folder", "large", "link"])
    equal(folder["folder"].type, "dir")
    equal(list(repo.directory_contents("folder", "feature", return_as=dict)), ["file"])
    refused(NotFoundError, lambda: repo.file_contents("nowhere", "feature"))
    done("files: binary, large, a link and a folder")

    commit = repo.commit(head[:8])
    equal((commit.sha, commit.commit["message"]), (head, "Add files\n\nFixes #1"))
    equal([found.sha for found in repo.commits("feature", path="folder/file", author="ada@example.com")], [head])
    equal(list(repo.commits("feature", author="somebody@example.com")), [])
    between = repo.compare_commits("main", "feature")
    equal((between.status, between.ahead_by, len(between.files)), ("ahead", 1, 4))
    assert commit.diff().startswith(b"diff --git"), commit.diff()
    assert commit.patch().startswith(b"From "), commit.patch()
    equal(repo.git_commit(head).tree.sha, git("rev-parse", "HEAD^{tree}"))
    done("commits and what lies between two")

    main = repo.branch("main").commit.sha
    ref = repo.create_ref("refs/heads/topic/a", main)
    repo.create_branch_ref("topic/b", main)
    equal(repo.ref("heads/topic/a").object.sha, main)
    equal(ref.update(head), True)
    equal(repo.branch("topic/a").latest_sha(), head)
    equal({found.name for found in repo.branches()}, {"main", "feature", "topic/a", "topic/b"})
    equal({found.ref for found in repo.refs("heads/topic")}, {"refs/heads/topic/a", "refs/heads/topic/b"})
    equal([found.name for found in repo.tags()], ["light", "heavy"])
    heavy = repo.ref("tags/heavy").object
    equal((heavy.type, heavy.sha), ("tag", git("rev-parse", "heavy")))
    equal((repo.tag(heavy.sha).tag, repo.tag(heavy.sha).message), ("heavy", "A heavy tag\n"))
    tagger = {"name": "Ada", "email": "ada@example.com", "date": "2026-01-01T00:00:00Z"}
    equal(repo.create_tag("made", "By REST", head, "commit", tagger).tag, "made")
    git("fetch", "--quiet", "--tags")
    equal(git("for-each-ref", "--format=%(objecttype) %(contents:subject)", "refs/tags/made"), "tag By REST")
    for name in ["heads/topic/a", "heads/topic/b", "tags/made"]:
        equal(repo.ref(name).delete(), True)
    refused(NotFoundError, lambda: repo.ref("tags/made"))
    refused(UnprocessableEntity, lambda: repo.create_ref("refs/heads/a..b", main))
    done("branches and tags")

    pull = repo.create_pull("Feature", "main", "feature", "Closes #2")
    equal(pull.update(title="The feature"), True)
    pull = repo.pull_request(pull.number)
    equal((pull.title, pull.head.sha, pull.commits_count), ("The feature", head, 1))
    equal([found.number for found in repo.pull_requests(head="ada:feature", base="main")], [pull.number])
    equal({(file.filename, file.status) for file in pull.files()} >= {("binary", "added")}, True)
    equal([found.sha for found in pull.commits()], [head])
    assert pull.diff().startswith(b"diff --git") and pull.patch().startswith(b"From ")
    pull.create_comment("On the pull")
    equal([found.body for found in pull.issue_comments()], ["On the pull"])
    equal(pull.issue().number, pull.number)
    done("a pull with its files and its patch")

    app = as_app()
    there = app.repository("ada", "day")
    run = there.create_check_run("build", head, status="in_progress")
    equal((run.status, there.check_run(run.id).name), ("in_progress", "build"))
    equal(run.update(status="completed", conclusion="success"), True)
    equal([found.conclusion for found in repo.commit(head).check_runs()], ["success"])
    equal(len(list(repo.commit(head).check_suites())), 1)
    status = repo.create_status(head, "success", "http://ci/1", "fine", "lint")
    equal((status.state, status.context), ("success", "lint"))
    equal([found.state for found in repo.statuses(head)], ["success"])
    equal(repo.commit(head).status().state, "success")
    done("checks and statuses")

    repo.branch("main").protect({"strict": False, "contexts": ["build", "lint"]}, True, None, None)
    equal(sorted(repo.branch("main").protection().required_status_checks.original_contexts), ["build", "lint"])
    theirs = bot.repository("ada", "day").pull_request(pull.number)
    theirs.create_review("Good", commit_id=head, event="APPROVE")
    equal([(found.state, found.user.login) for found in pull.reviews()], [("APPROVED", "ralph-bot")])
    merged = pull.merge("With a message", head, "squash", "The feature, squashed")
    equal((merged, repo.pull_request(pull.number).is_merged()), (True, True))
    equal(repo.issue(2).state, "closed")
    equal(repo.commit("main").commit["message"], "The feature, squashed\n\nWith a message")
    equal(repo.ref("heads/feature").delete(), True)
    done("reviewed, protected and merged")

    # github3.py has no timeline; its session asks for it as for everything else.
    timeline = ada.session.get(f"{URL}/repos/ada/day/issues/{pull.number}/timeline").json()
    events = [entry["event"] for entry in timeline]
    equal(events, ["committed", "renamed", "commented", "reviewed", "merged", "closed"])
    equal((timeline[0]["sha"], timeline[3]["state"]), (head, "APPROVED"))
    done("its timeline")

    equal([found.issue.number for found in ada.search_issues("repo:ada/day is:issue is:closed")], [2])
    equal([found.issue.number for found in ada.search_issues("many repo:ada/day", sort="created", order="asc")][0], 2)
    refused(UnprocessableEntity, lambda: list(ada.search_issues("repo:ada/day reactions:>1")))
    done("found by a search")

    issue = repo.issue(3)
    before = ada.rate_limit()["resources"]["core"]["remaining"]
    issue.refresh(conditional=True)
    listed = repo.issues(state="all")
    count = len(list(listed))
    spent = before - ada.rate_limit()["resources"]["core"]["remaining"]
    equal((count, len(list(listed.refresh(True)))), (37, 0))
    equal(before - ada.rate_limit()["resources"]["core"]["remaining"], spent)
    issue.edit(title="Changed")
    stale = bot.repository("ada", "day").issue(3)
    repo.issue(3).edit(title="Changed again")
    equal(stale.refresh(conditional=True).title, "Changed again")
    done("a known answer is free")

    there.issue(3).create_comment("From an app")
    equal([found.user.login for found in repo.issue(3).comments()], ["ralph[bot]"])
    refused(ForbiddenError, app.me)
    equal([found.issue.number for found in app.search_issues("Changed repo:ada/day")], [3])
    done("an app with its own token")

    refused(NotFoundError, lambda: list(repo.milestones()))
    error = refused(UnprocessableEntity, lambda: repo.edit("renamed"))
    equal(error.msg, "Repositories are not renamed here.")
    error = refused(UnprocessableEntity, lambda: repo.issue(3).edit(milestone=7))
    assert "not kept here" in error.msg, error.msg
    done("what is not done here is refused with words")


if __name__ == "__main__":
    {"day": day}[sys.argv[1]]()
