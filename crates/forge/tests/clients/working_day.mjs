// A working day with @octokit/rest, one area at a time: `node working_day.mjs AREA`. Each step asserts what it sees and
// then says its name, so that whoever started this knows how far it came.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createSign } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { Octokit } from "@octokit/rest";

// How often a thing that happens soon is looked for.
const LOOKS_MAX = 2000;

const { FORGE_URL, FORGE_REPOSITORY, BOT_TOKEN, OWNER_TOKEN } = process.env;
const [owner, repo] = FORGE_REPOSITORY.split("/");
const here = { owner, repo };
// A refusal is expected here and there; octokit would tell of each on standard error.
const quiet = { debug() {}, info() {}, warn: console.warn, error() {} };
const client = (auth) => new Octokit({ auth, baseUrl: FORGE_URL, log: quiet });
const bot = client(BOT_TOKEN);
const admin = client(OWNER_TOKEN);

const done = (step) => console.log(step);
const equal = assert.deepEqual;
const names = (list) => list.map(({ name }) => name).sort();
const recent = (text) => {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert(Math.abs(Date.now() - Date.parse(text)) < 3_600_000, text);
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const remaining = ({ headers }) => Number(headers["x-ratelimit-remaining"]);

async function refused(status, promise, message = undefined) {
  const error = await promise.then(
    () => assert.fail(`it was not refused with ${status}`),
    (error) => error,
  );
  assert.equal(error.status, status, error.message);
  if (message !== undefined) assert.equal(error.response.data.message, message);
  return error;
}

async function soon(look) {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const found = await look();
    if (found) return found;
  }
  assert.fail("it did not happen");
}

const areas = {
  async repository() {
    const { data: me } = await bot.rest.users.getAuthenticated();
    equal([me.login, me.type], ["ralph-bot", "User"]);
    const { data: repos } = await bot.rest.repos.listForAuthenticatedUser();
    equal(repos.map((one) => one.full_name), [FORGE_REPOSITORY]);
    done("who asks");

    const { data: found } = await bot.rest.repos.get(here);
    equal([found.full_name, found.default_branch, found.private], ["ada/app", "main", false]);
    equal([found.permissions.push, found.permissions.admin], [true, false]);
    recent(found.created_at);
    done("the repository");

    const { data: file } = await bot.rest.repos.getContent({ ...here, path: "src/lib.rs", ref: "main" });
    equal(Buffer.from(file.content, file.encoding).toString(), "pub fn f() {}\n");
    const { data: folder } = await bot.rest.repos.getContent({ ...here, path: "src" });
    equal(folder.map(({ name, type }) => [name, type]), [["lib.rs", "file"]]);
    done("a file and a folder");

    const { data: [newest, oldest] } = await bot.rest.repos.listCommits(here);
    equal(newest.parents[0].sha, oldest.sha);
    const { data: commit } = await bot.rest.repos.getCommit({ ...here, ref: newest.sha });
    equal([commit.commit.message, commit.files[0].filename], ["Write src/lib.rs", "src/lib.rs"]);
    const { data: between } = await bot.rest.repos.compareCommitsWithBasehead({ ...here, basehead: "main...topic" });
    equal([between.status, between.ahead_by, between.behind_by], ["ahead", 1, 0]);
    equal([between.merge_base_commit.sha, between.files[0].patch], [newest.sha, "@@ -0,0 +1 @@\n+1"]);
    done("commits and what lies between two");

    const ref = "heads/made/here";
    await bot.rest.git.createRef({ ...here, ref: `refs/${ref}`, sha: oldest.sha });
    await bot.rest.git.updateRef({ ...here, ref, sha: newest.sha });
    equal((await bot.rest.git.getRef({ ...here, ref })).data.object.sha, newest.sha);
    equal((await bot.rest.repos.getBranch({ ...here, branch: "made/here" })).data.commit.sha, newest.sha);
    equal(names(await bot.paginate(bot.rest.repos.listBranches, here)), ["made/here", "main", "topic"]);
    await bot.rest.git.deleteRef({ ...here, ref });
    await refused(404, bot.rest.git.getRef({ ...here, ref }));
    done("a branch made, moved and deleted");

    const username = "ralph-bot";
    equal((await admin.rest.repos.checkCollaborator({ ...here, username })).status, 204);
    const { data: level } = await bot.rest.repos.getCollaboratorPermissionLevel({ ...here, username });
    equal([level.permission, level.role_name, level.user.permissions.push], ["write", "write", true]);
    const { data: people } = await admin.rest.repos.listCollaborators(here);
    equal(people.map(({ login }) => login).sort(), ["ada", "ralph-bot"]);
    done("a collaborator and the permission");

    const { data: protection } = await admin.rest.repos.getBranchProtection({ ...here, branch: "main" });
    equal([protection.required_status_checks.contexts, protection.enforce_admins.enabled], [["build"], true]);
    await refused(404, admin.rest.repos.getBranchProtection({ ...here, branch: "topic" }), "Branch not protected");
    done("protection, and none");
  },

  async labels() {
    const issue = { ...here, issue_number: 1 };
    await bot.rest.issues.createLabel({ ...here, name: "Ready", color: "00ff00", description: "can begin" });
    equal((await bot.rest.issues.getLabel({ ...here, name: "rEADY" })).data.name, "Ready");
    await bot.rest.issues.updateLabel({ ...here, name: "ready", new_name: "ready", description: "may begin" });
    const { data: label } = await bot.rest.issues.getLabel({ ...here, name: "ready" });
    equal([label.name, label.color, label.description], ["ready", "00ff00", "may begin"]);
    done("a label made, found in any case and changed");

    await bot.rest.issues.createLabel({ ...here, name: "gone", color: "ffffff" });
    const { data: added } = await bot.rest.issues.addLabels({ ...issue, labels: ["ready", "gone"] });
    equal(names(added), ["gone", "ready"]);
    equal(names((await bot.rest.issues.setLabels({ ...issue, labels: ["ready"] })).data), ["ready"]);
    await bot.rest.issues.removeLabel({ ...issue, name: "READY" });
    await refused(404, bot.rest.issues.removeLabel({ ...issue, name: "ready" }));
    equal((await bot.rest.issues.listLabelsOnIssue(issue)).data, []);
    done("labels put on an issue, replaced and taken off");

    await bot.rest.issues.addLabels({ ...issue, labels: ["new here", "ready"] });
    equal((await bot.rest.issues.getLabel({ ...here, name: "new here" })).data.color, "ededed");
    done("a label that was not there is made by putting it on");

    await bot.rest.issues.deleteLabel({ ...here, name: "gone" });
    const all = names(await bot.paginate(bot.rest.issues.listLabelsForRepo, { ...here, per_page: 2 }));
    assert(all.includes("ready") && !all.includes("gone"), all.join());
    done("labels listed and one deleted");
  },

  async issues() {
    const many = Number(process.env.MANY_ISSUES);
    const { data: made } = await bot.rest.issues.create({ ...here, title: "Plain", body: "one", labels: ["todo"] });
    equal([made.number, made.state, made.comments], [many + 1, "open", 0]);
    const issue = { ...here, issue_number: made.number };
    const { data: read } = await bot.rest.issues.get(issue);
    equal([read.user.login, read.labels[0].name, read.pull_request], ["ralph-bot", "todo", undefined]);
    recent(read.created_at);
    done("an issue made and read");

    const title = 'Größer "und" $(schöner) 🎉';
    const { data: edited } = await bot.rest.issues.update({ ...issue, title, body: "two\nlines" });
    equal([edited.title, edited.body], [title, "two\nlines"]);
    done("its title and text changed");

    const { data: closed } = await bot.rest.issues.update({ ...issue, state: "closed", state_reason: "not_planned" });
    equal([closed.state, closed.state_reason, closed.closed_by.login], ["closed", "not_planned", "ralph-bot"]);
    recent(closed.closed_at);
    const { data: opened } = await bot.rest.issues.update({ ...issue, state: "open" });
    equal([opened.state, opened.state_reason, opened.closed_at], ["open", "reopened", null]);
    done("closed for a reason and opened again");

    const { data: labelled } = await bot.rest.issues.listForRepo({ ...here, state: "open", labels: "todo" });
    equal(labelled.map(({ number }) => number), [made.number]);
    equal((await bot.rest.issues.listForRepo({ ...here, state: "closed" })).data, []);
    done("listed by label and state");

    const since = opened.updated_at;
    const { data: changed } = await bot.rest.issues.listForRepo({ ...here, since });
    assert(changed.some(({ number }) => number === made.number));
    equal((await bot.rest.issues.listForRepo({ ...here, since: inAnHour() })).data, []);
    done("listed since a moment");

    const list = { ...here, state: "all", sort: "created", direction: "asc", per_page: 10 };
    const all = await bot.paginate(bot.rest.issues.listForRepo, list);
    equal(all.map(({ number }) => number), Array.from({ length: many + 1 }, (_, index) => index + 1));
    const sizes = [];
    for await (const page of bot.paginate.iterator(bot.rest.issues.listForRepo, list)) sizes.push(page.data.length);
    equal(sizes, [10, 10, many - 19]);
    done("every page of a list");

    const { data: events } = await bot.rest.issues.listEvents(issue);
    equal(events.map(({ event }) => event), ["labeled", "renamed", "closed", "reopened"]);
    const { data: timeline } = await bot.rest.issues.listEventsForTimeline(issue);
    equal([timeline[2].event, timeline[2].actor.login], ["closed", "ralph-bot"]);
    recent(timeline[2].created_at);
    done("its events and its timeline");

    const q = "repo:ada/app is:issue is:open label:todo";
    const found = await bot.paginate(bot.rest.search.issuesAndPullRequests, { q });
    equal(found.map(({ number }) => number), [made.number]);
    done("found by a search");
  },

  async comments() {
    const issue = { ...here, issue_number: 1 };
    const { data: first } = await bot.rest.issues.createComment({ ...issue, body: "first" });
    await bot.rest.issues.updateComment({ ...here, comment_id: first.id, body: "first, changed" });
    const { data: comment } = await bot.rest.issues.getComment({ ...here, comment_id: first.id });
    equal([comment.body, comment.user.login, comment.author_association], ["first, changed", "ralph-bot", "COLLABORATOR"]);
    recent(comment.updated_at);
    done("a comment made and changed");

    const { data: second } = await bot.rest.issues.createComment({ ...issue, body: "second" });
    const all = await bot.paginate(bot.rest.issues.listComments, { ...issue, per_page: 1 });
    equal(all.map(({ body }) => body), ["first, changed", "second"]);
    equal((await bot.rest.issues.listComments({ ...issue, since: inAnHour() })).data, []);
    equal((await bot.rest.issues.get(issue)).data.comments, 2);
    done("the comments of an issue, also since a moment");

    const order = { ...here, sort: "created", direction: "desc" };
    const { data: newest } = await bot.rest.issues.listCommentsForRepo(order);
    equal(newest.map(({ id }) => id), [second.id, first.id]);
    done("the comments of the repository, newest first");

    await bot.rest.issues.deleteComment({ ...here, comment_id: second.id });
    await refused(404, bot.rest.issues.getComment({ ...here, comment_id: second.id }));
    done("a comment deleted");
  },

  async relations() {
    const [parent, child, blocker] = [1, 2, 3].map((issue_number) => ({ ...here, issue_number }));
    const get = async (issue) => (await bot.rest.issues.get(issue)).data;
    const blocked = async () => {
      const { blocked_by, total_blocked_by } = (await get(parent)).issue_dependencies_summary;
      return [blocked_by, total_blocked_by];
    };
    const issue_id = (await get(blocker)).id;
    await bot.rest.issues.addBlockedByDependency({ ...parent, issue_id });
    const by = await bot.paginate(bot.rest.issues.listDependenciesBlockedBy, parent);
    equal(by.map(({ number }) => number), [3]);
    const { data: blocking } = await bot.rest.issues.listDependenciesBlocking(blocker);
    equal(blocking.map(({ number }) => number), [1]);
    equal(await blocked(), [1, 1]);
    done("a blocker added, listed from both sides and counted");

    await bot.rest.issues.update({ ...blocker, state: "closed" });
    equal(await blocked(), [0, 1]);
    done("no longer blocking once it is closed");

    await bot.rest.issues.removeDependencyBlockedBy({ ...parent, issue_id });
    equal(await blocked(), [0, 0]);
    done("a blocker removed");

    const sub_issue_id = (await get(child)).id;
    await bot.rest.issues.addSubIssue({ ...parent, sub_issue_id });
    equal((await bot.rest.issues.listSubIssues(parent)).data.map(({ number }) => number), [2]);
    await bot.rest.issues.update({ ...child, state: "closed" });
    equal((await get(parent)).sub_issues_summary, { total: 1, completed: 1, percent_completed: 100 });
    done("a sub-issue added, listed and counted");

    equal((await bot.rest.issues.getParent(child)).data.number, 1);
    equal((await get(child)).parent_issue_url, (await get(parent)).url);
    done("its parent");

    await bot.rest.issues.removeSubIssue({ ...parent, sub_issue_id });
    await refused(404, bot.rest.issues.getParent(child));
    done("a sub-issue removed");
  },

  async pulls() {
    const { HEAD_SHA: sha } = process.env;
    const order = { ...here, base: "main", head: "feature", title: "Feature", body: "Closes #1" };
    const { data: made } = await bot.rest.pulls.create(order);
    const pull = { ...here, pull_number: made.number };
    const get = async (of = pull) => (await bot.rest.pulls.get(of)).data;
    equal([made.number, made.state, made.head.sha, made.base.ref], [2, "open", sha, "main"]);
    const { data: found } = await bot.rest.pulls.list({ ...here, state: "open", head: "ada:feature", base: "main" });
    equal(found.map(({ number }) => number), [2]);
    done("a pull opened and found by its branch");

    const files = await bot.paginate(bot.rest.pulls.listFiles, pull);
    equal(files.map(({ filename, status, additions }) => [filename, status, additions]), [["feature.txt", "added", 1]]);
    equal((await bot.rest.pulls.listCommits(pull)).data.map((commit) => commit.sha), [sha]);
    done("its files and commits");

    await soon(async () => (await get()).mergeable);
    equal((await get()).mergeable_state, "clean");
    done("mergeable once that is computed");

    const again = await refused(422, bot.rest.pulls.create(order));
    equal(again.response.data.errors[0].message, "A pull request already exists for ada:feature.");
    done("a second pull of the branch is refused");

    const { data: other } = await bot.rest.pulls.create({ ...here, base: "main", head: "conflict", title: "Conflict" });
    const conflict = { ...here, pull_number: other.number };
    await soon(async () => (await get(conflict)).mergeable === false);
    equal((await get(conflict)).mergeable_state, "dirty");
    await refused(405, bot.rest.pulls.merge(conflict), "Pull Request is not mergeable");
    await bot.rest.pulls.update({ ...conflict, state: "closed" });
    done("a conflict is dirty and not merged");

    equal((await bot.rest.pulls.updateBranch({ ...pull, expected_head_sha: sha })).status, 202);
    const head = await soon(async () => {
      const now = (await get()).head.sha;
      return now !== sha && now;
    });
    done("its branch brought up to date");

    await refused(409, bot.rest.pulls.merge({ ...pull, sha }));
    await refused(404, bot.rest.pulls.checkIfMerged(pull));
    done("not merged when the head is another");

    await admin.rest.pulls.createReview({ ...pull, event: "APPROVE", body: "good" });
    const { data: [review] } = await bot.rest.pulls.listReviews(pull);
    equal([review.state, review.user.login, review.commit_id], ["APPROVED", "ada", head]);
    done("approved by somebody else");

    const how = { merge_method: "squash", sha: head, commit_title: "Feature, squashed" };
    const { data: merged } = await bot.rest.pulls.merge({ ...pull, ...how });
    equal(merged.merged, true);
    const after = await get();
    equal([after.merged, after.merged_by.login, after.merge_commit_sha], [true, "ralph-bot", merged.sha]);
    recent(after.merged_at);
    equal((await bot.rest.pulls.checkIfMerged(pull)).status, 204);
    equal((await bot.rest.issues.get({ ...here, issue_number: 1 })).data.state, "closed");
    done("merged, and the issue it names is closed");
  },

  async checks() {
    const { HEAD_SHA: sha } = process.env;
    const at = { ...here, ref: sha };
    const started_at = new Date().toISOString();
    const run = { ...here, name: "build", head_sha: sha, status: "in_progress", started_at, details_url: "http://ci/1" };
    const { data: begun } = await bot.rest.checks.create(run);
    equal([begun.status, begun.conclusion], ["in_progress", null]);
    recent(begun.started_at);
    const note = { path: "feature.txt", start_line: 1, end_line: 1, annotation_level: "warning", message: "odd" };
    const output = { title: "Built", summary: "all of it", annotations: [note] };
    const build = { ...here, check_run_id: begun.id };
    await bot.rest.checks.update({ ...build, status: "completed", conclusion: "success", output });
    const { data: ended } = await bot.rest.checks.get(build);
    equal([ended.conclusion, ended.output.title, ended.output.annotations_count], ["success", "Built", 1]);
    recent(ended.completed_at);
    const { data: notes } = await bot.rest.checks.listAnnotations(build);
    equal(notes.map(({ path, message }) => [path, message]), [["feature.txt", "odd"]]);
    done("a run begun and finished with annotations");

    await bot.rest.checks.create({ ...here, name: "docs", head_sha: sha, status: "completed", conclusion: "neutral" });
    const runs = await bot.paginate(bot.rest.checks.listForRef, { ...at, per_page: 1 });
    equal(names(runs), ["build", "docs"]);
    const { data: named } = await bot.rest.checks.listForRef({ ...at, check_name: "build" });
    equal([named.total_count, named.check_runs[0].id], [1, begun.id]);
    const { data: { check_suites: [suite] } } = await bot.rest.checks.listSuitesForRef(at);
    equal([suite.id, suite.head_sha, suite.head_branch], [ended.check_suite.id, sha, "feature"]);
    const { data: inSuite } = await bot.rest.checks.listForSuite({ ...here, check_suite_id: suite.id });
    equal(inSuite.total_count, 2);
    done("the runs of a commit, by name and by suite");

    const pull = { ...here, pull_number: 1 };
    await soon(async () => (await bot.rest.pulls.get(pull)).data.mergeable_state === "blocked");
    await refused(405, bot.rest.pulls.merge(pull));
    done("not merged while a required check is missing");

    const lint = { ...here, sha, context: "lint" };
    await bot.rest.repos.createCommitStatus({ ...lint, state: "pending" });
    equal((await bot.rest.repos.getCombinedStatusForRef(at)).data.state, "pending");
    await bot.rest.repos.createCommitStatus({ ...lint, state: "success", description: "no findings" });
    const { data: combined } = await bot.rest.repos.getCombinedStatusForRef(at);
    equal([combined.state, combined.total_count, combined.statuses[0].description], ["success", 1, "no findings"]);
    const { data: statuses } = await bot.rest.repos.listCommitStatusesForRef(at);
    equal(statuses.map(({ state }) => state), ["success", "pending"]);
    done("statuses and what they make together");

    equal((await bot.rest.checks.rerequestRun(build)).status, 201);
    equal((await bot.rest.checks.rerequestSuite({ ...here, check_suite_id: suite.id })).status, 201);
    done("asked to run again");

    equal((await bot.rest.pulls.merge({ ...pull, sha })).data.merged, true);
    done("merged once all have passed");
  },

  async hooks() {
    const config = { url: process.env.RECEIVER_URL, content_type: "json", secret: "it is a secret" };
    const { data: made } = await admin.rest.repos.createWebhook({ ...here, config, events: ["issues"] });
    equal([made.active, made.events, made.config.url], [true, ["issues"], config.url]);
    assert.notEqual(made.config.secret, config.secret);
    recent(made.created_at);
    const hook = { ...here, hook_id: made.id };
    done("a hook made, its secret not shown");

    // All deliveries, newest first, once there are so many and each was answered.
    const delivered = (count) =>
      soon(async () => {
        const { data } = await admin.rest.repos.listWebhookDeliveries(hook);
        return data.length === count && data.every(({ status_code }) => status_code === 200) && data;
      });
    equal((await delivered(1)).map(({ event, status }) => [event, status]), [["ping", "OK"]]);
    done("its ping delivered");

    await admin.rest.issues.create({ ...here, title: "Told" });
    const [first] = await delivered(2);
    equal([first.event, first.action, first.redelivery], ["issues", "opened", false]);
    const { data: whole } = await admin.rest.repos.getWebhookDelivery({ ...hook, delivery_id: first.id });
    equal(whole.request.payload.issue.title, "Told");
    assert.match(whole.request.headers["X-Hub-Signature-256"], /^sha256=[0-9a-f]{64}$/);
    await admin.rest.repos.redeliverWebhookDelivery({ ...hook, delivery_id: first.id });
    const [again] = await delivered(3);
    equal([again.guid, again.redelivery], [first.guid, true]);
    done("an event delivered, read and delivered again");

    await admin.rest.repos.updateWebhook({ ...hook, events: ["push"], active: false });
    const { data: changed } = await admin.rest.repos.getWebhook(hook);
    equal([changed.active, changed.events, changed.config.url], [false, ["push"], config.url]);
    await admin.rest.repos.deleteWebhook(hook);
    equal((await admin.rest.repos.listWebhooks(here)).data, []);
    done("changed and deleted");
  },

  async conditional() {
    // Octokit has a 304 end in an error, with the answer's headers in it.
    const issue = { ...here, issue_number: 1 };
    const first = await bot.rest.issues.get(issue);
    const headers = { "if-none-match": first.headers.etag };
    const known = await refused(304, bot.rest.issues.get({ ...issue, headers }));
    equal(remaining(known.response), remaining(first));
    done("a known answer is 304 and free");

    const list = await bot.rest.issues.listForRepo(here);
    const same = { ...here, headers: { "if-none-match": list.headers.etag } };
    equal(remaining((await refused(304, bot.rest.issues.listForRepo(same))).response), remaining(list));
    done("a known list is 304 and free");

    await bot.rest.issues.createComment({ ...issue, body: "news" });
    equal((await bot.rest.issues.get({ ...issue, headers })).data.comments, 1);
    done("after a change it is told again");

    const { data: before } = await bot.rest.rateLimit.get();
    const { data: after } = await bot.rest.rateLimit.get();
    equal([after.resources.core.limit, after.resources.core.remaining], [5000, before.resources.core.remaining]);
    recent(new Date((after.resources.core.reset - 3600) * 1000).toISOString().replace(".000", ""));
    done("asking for the limit is free");
  },

  async limits() {
    for (const title of ["one", "two"]) await bot.rest.issues.create({ ...here, title });
    const many = await refused(403, bot.rest.issues.create({ ...here, title: "three" }));
    assert.match(many.message, /secondary rate limit/);
    const wait = Number(many.response.headers["retry-after"]);
    assert(wait > 0 && wait <= 60, many.response.headers["retry-after"]);
    done("too many changes are refused with a time to wait");

    const later = await refused(429, bot.rest.issues.getLabel({ ...here, name: "later" }));
    equal(later.response.headers["retry-after"], "7");
    done("429 is told with its time to wait");

    await refused(502, bot.rest.issues.getLabel({ ...here, name: "broken" }));
    await refused(404, bot.rest.issues.getLabel({ ...here, name: "broken" }));
    done("an answer that failed once goes well the second time");

    const spend = async () => {
      const most = Number(process.env.REQUESTS_MAX);
      for (let spent = 0; spent < most; spent += 1) await bot.rest.users.getAuthenticated();
    };
    const { message, response } = await refused(403, spend());
    assert.match(message, /^API rate limit exceeded for user/);
    equal(remaining(response), 0);
    assert(Number(response.headers["x-ratelimit-reset"]) * 1000 > Date.now());
    done("the hour's limit is refused with its end");
  },

  async refusals() {
    await refused(401, client("wrong").rest.users.getAuthenticated(), "Bad credentials");
    done("a bad token is 401");

    await refused(404, bot.rest.repos.get({ owner, repo: "nothing" }), "Not Found");
    await refused(404, bot.rest.issues.get({ ...here, issue_number: 99 }), "Not Found");
    done("what is not there is 404");

    await refused(404, bot.rest.repos.listWebhooks(here), "Not Found");
    await refused(404, bot.rest.repos.getBranchProtection({ ...here, branch: "main" }), "Not Found");
    done("what one may not see is 404");

    const grant = bot.rest.repos.addCollaborator({ ...here, username: "ada", permission: "pull" });
    await refused(403, grant, "Must have admin rights to Repository.");
    done("what one may not do is 403");

    const label = bot.rest.issues.createLabel({ ...here, name: "bug", color: "no colour" });
    const wrong = await refused(422, label, "Validation Failed");
    const [{ resource, field, code }] = wrong.response.data.errors;
    equal([resource, field, code], ["Label", "color", "invalid"]);
    done("what is wrong is 422 with its errors");
  },

  async day() {
    const { data: made } = await admin.rest.repos.createForAuthenticatedUser({
      name: "day", description: "A day", private: true, auto_init: true, has_wiki: true, has_projects: false,
    });
    equal([made.full_name, made.private, made.has_wiki], ["ada/day", true, true]);
    const at = { owner: "ada", repo: "day" };
    const { data: edited } = await admin.rest.repos.update({ ...at, description: "The day", visibility: "private" });
    equal(edited.description, "The day");
    const listed = await bot.paginate(bot.rest.repos.listForUser, { username: "ada" });
    equal(listed.map((one) => one.full_name), ["ada/day"]);
    execFileSync("git", ["clone", "--quiet", `${FORGE_URL.replace("//", `//ada:${OWNER_TOKEN}@`)}/ada/day.git`, "work"]);
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    const git = (...words) => execFileSync("git", ["-C", "work", ...identity, ...words]).toString().trim();
    git("switch", "--quiet", "--create", "feature");
    const binary = Buffer.from(Array.from({ length: 2048 }, (_, at) => at % 256));
    writeFileSync("work/binary", binary);
    writeFileSync("work/large", "x".repeat(1_500_000));
    symlinkSync("README.md", "work/link");
    mkdirSync("work/folder");
    writeFileSync("work/folder/file", "1\n");
    git("add", "--all");
    git("commit", "--quiet", "--message", "Add files");
    git("tag", "light");
    git("tag", "--annotate", "heavy", "--message", "A heavy tag");
    git("push", "--quiet", "origin", "feature", "light", "heavy");
    const head = git("rev-parse", "HEAD");
    done("a repository made and pushed to");

    await admin.rest.issues.createLabel({ ...at, name: "kind/bug", color: "ff0000" });
    await admin.rest.issues.updateLabel({ ...at, name: "kind/bug", color: "00ff00" });
    const { data: label } = await admin.rest.issues.getLabel({ ...at, name: "kind/bug" });
    equal([label.name, label.color], ["kind/bug", "00ff00"]);
    equal(names((await admin.rest.issues.listLabelsForRepo(at)).data), ["kind/bug"]);
    done("labels, one of them with a slash");

    const opened = await admin.rest.issues.create({ ...at, title: "Broken", body: "`code`", labels: ["kind/bug"] });
    equal([opened.status, new URL(opened.headers.location).pathname], [201, "/repos/ada/day/issues/1"]);
    const issue = { ...at, issue_number: 1 };
    const { data: comment } = await admin.rest.issues.createComment({ ...issue, body: "Hello" });
    await admin.rest.issues.updateComment({ ...at, comment_id: comment.id, body: "Hello again" });
    equal((await admin.rest.issues.listComments(issue)).data.map(({ body }) => body), ["Hello again"]);
    await admin.rest.issues.addLabels({ ...issue, labels: ["more"] });
    await admin.rest.issues.removeLabel({ ...issue, name: "kind/bug" });
    await admin.rest.issues.setLabels({ ...issue, labels: ["kind/bug"] });
    await admin.rest.issues.update({ ...issue, state: "closed", state_reason: "completed" });
    const closed = await admin.rest.issues.listForRepo({ ...at, state: "closed", labels: "kind/bug" });
    equal(closed.data.map(({ number }) => number), [1]);
    await admin.rest.issues.update({ ...issue, state: "open" });
    const { data: events } = await admin.rest.issues.listEvents(issue);
    equal(events.slice(-2).map(({ event }) => event), ["closed", "reopened"]);
    done("issues made, talked about and closed");

    for (let number = 0; number < 35; number += 1) await admin.rest.issues.create({ ...at, title: `One of many ${number}` });
    const all = await admin.paginate(admin.rest.issues.listForRepo, { ...at, state: "all", per_page: 10 });
    equal(all.length, 36);
    done("every page of a list");

    const content = async (path, format) => {
      const mediaType = format === undefined ? undefined : { format };
      return (await admin.rest.repos.getContent({ ...at, path, ref: "feature", mediaType })).data;
    };
    equal(Buffer.from((await content("binary")).content, "base64"), binary);
    const large = await content("large");
    equal([large.encoding, large.size, (await content("large", "raw")).length], ["none", 1_500_000, 1_500_000]);
    equal((await content("link")).target, "README.md");
    equal((await content("folder")).map(({ path }) => path), ["folder/file"]);
    const folder = await content("folder", "object");
    equal([folder.type, folder.path, names(folder.entries)], ["dir", "folder", ["file"]]);
    equal(folder.sha, git("rev-parse", "HEAD:folder"));
    await refused(404, content("nowhere"));
    done("files: binary, large, a link and a folder");

    const { data: commit } = await admin.rest.repos.getCommit({ ...at, ref: head.slice(0, 8) });
    equal([commit.sha, commit.commit.message], [head, "Add files"]);
    const ofFile = { ...at, sha: "feature", path: "folder/file", author: "ada@example.com" };
    equal((await admin.rest.repos.listCommits(ofFile)).data.map(({ sha }) => sha), [head]);
    equal((await admin.rest.repos.listCommits({ ...ofFile, since: inAnHour() })).data, []);
    const { data: between } = await admin.rest.repos.compareCommitsWithBasehead({ ...at, basehead: "main...feature" });
    equal([between.status, between.ahead_by, between.files.length], ["ahead", 1, 4]);
    const { data: tree } = await admin.rest.git.getCommit({ ...at, commit_sha: head });
    equal(tree.tree.sha, git("rev-parse", "HEAD^{tree}"));
    done("commits and what lies between two");

    const { data: { commit: { sha: main } } } = await admin.rest.repos.getBranch({ ...at, branch: "main" });
    await admin.rest.git.createRef({ ...at, ref: "refs/heads/topic/a", sha: main });
    await admin.rest.git.updateRef({ ...at, ref: "heads/topic/a", sha: head });
    const { data: topics } = await admin.rest.git.listMatchingRefs({ ...at, ref: "heads/topic" });
    equal(topics.map(({ ref, object }) => [ref, object.sha]), [["refs/heads/topic/a", head]]);
    equal((await admin.rest.repos.listTags(at)).data.map(({ name }) => name), ["light", "heavy"]);
    const { data: { object: heavy } } = await admin.rest.git.getRef({ ...at, ref: "tags/heavy" });
    const { data: tagged } = await admin.rest.git.getTag({ ...at, tag_sha: heavy.sha });
    equal([heavy.type, tagged.message, tagged.object.sha], ["tag", "A heavy tag\n", head]);
    const { data: tag } = await admin.rest.git.createTag({ ...at, tag: "made", message: "By REST", object: head, type: "commit" });
    await admin.rest.git.createRef({ ...at, ref: "refs/tags/made", sha: tag.sha });
    git("fetch", "--quiet", "--tags");
    equal(git("for-each-ref", "--format=%(objecttype) %(contents:subject)", "refs/tags/made"), "tag By REST");
    await refused(422, admin.rest.git.updateRef({ ...at, ref: "tags/made", sha: main }));
    for (const ref of ["heads/topic/a", "tags/made"]) await admin.rest.git.deleteRef({ ...at, ref });
    await refused(404, admin.rest.git.getRef({ ...at, ref: "tags/made" }));
    await refused(422, admin.rest.git.createRef({ ...at, ref: "refs/heads/a..b", sha: main }));
    done("branches and tags");

    const { data: { number } } = await admin.rest.pulls.create({ ...at, title: "Feature", head: "feature", base: "main", body: "Closes #2" });
    const pull = { ...at, pull_number: number };
    await admin.rest.pulls.update({ ...pull, title: "The feature" });
    equal((await admin.rest.pulls.list({ ...at, head: "ada:feature" })).data.map((one) => one.number), [number]);
    equal((await admin.rest.pulls.listFiles(pull)).data[0].filename, "binary");
    equal((await admin.rest.pulls.listCommits(pull)).data.map(({ sha }) => sha), [head]);
    const { data: patch } = await admin.rest.pulls.get({ ...pull, mediaType: { format: "patch" } });
    assert(patch.startsWith("From "), patch);
    await admin.rest.issues.createComment({ ...at, issue_number: number, body: "On the pull" });
    done("a pull with its files and its patch");

    const app = client(claim());
    const { data: { id: installation_id } } = await app.rest.apps.getRepoInstallation(at);
    const { data: { token } } = await app.rest.apps.createInstallationAccessToken({ installation_id });
    const there = client(token);
    const { data: run } = await there.rest.checks.create({ ...at, name: "build", head_sha: head, status: "in_progress" });
    await there.rest.checks.update({ ...at, check_run_id: run.id, conclusion: "success" });
    const { data: runs } = await admin.rest.checks.listForRef({ ...at, ref: head });
    equal(runs.check_runs.map(({ conclusion }) => conclusion), ["success"]);
    await admin.rest.repos.createCommitStatus({ ...at, sha: head, state: "success", context: "lint" });
    equal((await admin.rest.repos.getCombinedStatusForRef({ ...at, ref: head })).data.state, "success");
    done("checks and statuses");

    const rules = { required_status_checks: { strict: false, contexts: ["build", "lint"] }, enforce_admins: true };
    await admin.rest.repos.updateBranchProtection({
      ...at, branch: "main", ...rules, required_pull_request_reviews: null, restrictions: null,
    });
    await bot.rest.pulls.createReview({ ...pull, event: "APPROVE", body: "Good" });
    equal((await admin.rest.pulls.listReviews(pull)).data.map(({ state }) => state), ["APPROVED"]);
    const merge = { merge_method: "squash", sha: head, commit_title: "The feature, squashed", commit_message: "With a message" };
    equal((await admin.rest.pulls.merge({ ...pull, ...merge })).data.merged, true);
    equal((await admin.rest.issues.get({ ...at, issue_number: 2 })).data.state, "closed");
    const { data: tip } = await admin.rest.repos.getCommit({ ...at, ref: "main" });
    equal(tip.commit.message, "The feature, squashed\n\nWith a message");
    await admin.rest.git.deleteRef({ ...at, ref: "heads/feature" });
    done("reviewed, protected and merged");

    const timeline = await admin.paginate(admin.rest.issues.listEventsForTimeline, { ...at, issue_number: number });
    const kinds = ["committed", "renamed", "commented", "reviewed", "merged", "closed"];
    equal(timeline.map(({ event }) => event), kinds);
    equal([timeline[0].sha, timeline[3].state, timeline[3].user.login], [head, "APPROVED", "ralph-bot"]);
    done("its timeline");

    const search = (q, more) => admin.rest.search.issuesAndPullRequests({ q, ...more });
    equal((await search("repo:ada/day is:issue is:closed")).data.items.map((one) => one.number), [2]);
    const oldest = await search("many repo:ada/day", { sort: "created", order: "asc" });
    equal(oldest.data.items[0].number, 2);
    await refused(422, search("repo:ada/day reactions:>1"));
    done("found by a search");

    const watched = { ...at, issue_number: 3 };
    const first = await admin.rest.issues.get(watched);
    for (const headers of [
      { "if-none-match": first.headers.etag },
      { "if-modified-since": first.headers["last-modified"] },
    ]) {
      const known = await refused(304, admin.rest.issues.get({ ...watched, headers }));
      equal(remaining(known.response), remaining(first));
    }
    await bot.rest.issues.createComment({ ...watched, body: "News" });
    const news = await admin.rest.issues.get({ ...watched, headers: { "if-none-match": first.headers.etag } });
    equal(news.data.comments, 1);
    equal((await admin.rest.rateLimit.get()).data.resources.core.limit, 5000);
    done("a known answer is free");

    const { data: said } = await there.rest.issues.createComment({ ...at, issue_number: 4, body: "From an app" });
    equal(said.user.login, "ralph[bot]");
    await refused(403, there.rest.users.getAuthenticated());
    const found = await there.rest.search.issuesAndPullRequests({ q: "app repo:ada/day in:comments" });
    equal(found.data.items.map((one) => one.number), [4]);
    await admin.rest.repos.createForAuthenticatedUser({ name: "other", private: true });
    const narrow = { installation_id, repositories: ["other"] };
    const narrowed = client((await app.rest.apps.createInstallationAccessToken(narrow)).data.token);
    await refused(404, narrowed.rest.repos.get(at));
    equal((await narrowed.rest.search.issuesAndPullRequests({ q: "is:issue" })).data.total_count, 0);
    done("an app with its own token");

    await refused(404, admin.rest.issues.listMilestones(at));
    await refused(422, admin.rest.repos.update({ ...at, name: "renamed" }), "Repositories are not renamed here.");
    const error = await refused(422, admin.rest.issues.update({ ...watched, assignees: ["ada"] }));
    assert.match(error.response.data.message, /not kept here/);
    done("what is not done here is refused with words");
  },
};

// An App's claim, which Octokit would make with a package of its own.
function claim() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const text = `${part({ alg: "RS256" })}.${part({ iat: now - 60, exp: now + 500, iss: process.env.APP_ID })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(readFileSync(process.env.APP_KEY), "base64url")}`;
}

await areas[process.argv[2]]();
