"""JavaScript: jest, and npm before it."""

from project import Fault, Project

CART = """\
function sum(prices) {
  console.error('Error: only chatter of the code under test');
  return prices.reduce((total, price) => total + price, 0);
}

function cheapest(items) {
  return items.slice().sort((a, b) => a.price - b.price)[0];
}

module.exports = { sum, cheapest };
"""

CART_TESTS = """\
const { sum, cheapest } = require('../src/cart');

describe('cart', () => {
  test('adds the prices', () => {
    expect(sum([1, 2, 3])).toBe(6);
  });

  test('finds the cheapest item', () => {
    expect(cheapest([{ name: 'tea', price: 3 }, { name: 'milk', price: 1 }])).toEqual({ name: 'milk', price: 1 });
  });
});

describe('stock', () => {
  test('is loaded', async () => {
    const stock = await new Promise((done) => setTimeout(() => done([1]), 5));
    expect(stock).toHaveLength(1);
  }, 200);
});
"""

FORMS = """\
const http = require('http');

function field(name, value) {
  return { type: 'field', name, value, label: name.toUpperCase() };
}

function get(port) {
  return new Promise((done, fail) => {
    http.get({ port, host: '127.0.0.1' }, (answer) => done(answer.statusCode)).on('error', fail);
  });
}

module.exports = { field, get };
"""

FORMS_TESTS = """\
const http = require('http');
const { field, get } = require('./forms');

it('draws a field', () => {
  expect(field('email', 'a@b')).toMatchSnapshot();
});

it('sends the form', async () => {
  const server = http.createServer((_, answer) => answer.end()).listen(0, '127.0.0.1');
  await new Promise((done) => server.on('listening', done));
  const { port } = server.address();
  expect(await get(port)).toBe(200);
  server.close();
});
"""

FORMS_SNAPSHOT = """\
// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing

exports[`draws a field 1`] = `
{
  "label": "EMAIL",
  "name": "email",
  "type": "field",
  "value": "a@b",
}
`;
"""

UNAVAILABLE = """\
const http = require('http');
const { spawn } = require('child_process');
const server = http.createServer((_, answer) => { answer.statusCode = 503; answer.end(); });
server.listen(0, '127.0.0.1', () => {
  const registry = `http://127.0.0.1:${server.address().port}`;
  const words = ['install', '--registry', registry, '--fetch-retries', '0', 'left-pad-of-acme'];
  spawn('npm', words, { stdio: 'inherit' }).on('exit', (code) => process.exit(code));
});
"""


def manifest(name):
    return f'{{ "name": "{name}", "version": "1.0.0", "private": true, "scripts": {{ "test": "jest" }} }}\n'


FEED = """\
exports.parse = (text) => JSON.parse(text).items.map((item) => ({ ...item, read: false }));

exports.load = async (read) => exports.parse(await read());
"""

FEED_TESTS = """\
const { load, parse } = require('./feed');

test('items are unread', () => {
  expect(parse('{"items":[{"id":1}]}')).toEqual([{ id: 1, read: false }]);
});

test('a feed is loaded', async () => {
  await expect(load(async () => '{"items":[]}')).resolves.toHaveLength(0);
});
"""

PROJECTS = [
    Project(
        "jest",
        "cart",
        {"package.json": manifest("cart"), "src/cart.js": CART, "test/cart.test.js": CART_TESTS},
        "npm test",
        [
            Fault("wrong-sum", "Received: 7", edits={"src/cart.js": ("price, 0)", "price, 1)")}),
            Fault("sum-concatenates", 'Received: "0123"', edits={"src/cart.js": ("total + price, 0)", "`${total}${price}`, 0)")}),
            Fault("not-a-function", "TypeError: items.slice(...).sortBy is not a function", edits={"src/cart.js": (".sort(", ".sortBy(")}),
            Fault("never-loaded", "Exceeded timeout of 200 ms", "flake", {"test/cart.test.js": ("done([1]), 5", "done([1]), 900")}),
            Fault("registry-unknown", "getaddrinfo ENOTFOUND registry.example.invalid", "infra", command="npm install --registry https://registry.example.invalid --fetch-retries 0 left-pad-of-acme && npm test"),
        ],
    ),
    Project(
        "jest",
        "forms",
        {"package.json": manifest("forms"), "forms.js": FORMS, "forms.test.js": FORMS_TESTS, "__snapshots__/forms.test.js.snap": FORMS_SNAPSHOT, "unavailable.js": UNAVAILABLE},
        "npx jest --ci",
        [
            Fault("snapshot", "toMatchSnapshot", edits={"forms.js": ("name.toUpperCase()", "name")}),
            Fault("module-missing", "Cannot find module './form'", edits={"forms.test.js": ("require('./forms')", "require('./form')")}),
            Fault("syntax", "SyntaxError", edits={"forms.js": ("return { type", "return { type:")}),
            Fault("undefined", "TypeError: Cannot read properties of undefined (reading 'toUpperCase')", edits={"forms.js": ("name.toUpperCase()", "value.name.toUpperCase()")}),
            Fault("refused", "connect ECONNREFUSED 127.0.0.1", "flake", {"forms.test.js": ("expect(await get(port))", "await new Promise((done) => server.close(done));\n  expect(await get(port))")}),
            Fault("registry-unavailable", "503 Service Unavailable", "infra", command="node unavailable.js"),
        ],
        colour=True,
    ),
    Project(
        "jest",
        "feed",
        {"package.json": manifest("feed"), "feed.js": FEED, "feed.test.js": FEED_TESTS},
        "npx jest --silent",
        [
            Fault("already-read", '+     "read": true', edits={"feed.js": ("read: false", "read: true")}),
            Fault("bad-json", "SyntaxError", edits={"feed.test.js": ("'{\"items\":[]}'", "'{items:[]}'")}),
            Fault("unknown-name", "ReferenceError: entries is not defined", edits={"feed.js": ("JSON.parse(text).items", "entries(text).items")}),
            Fault("socket-hangs-up", "socket hang up", "flake", {"feed.test.js": ("async () => '{\"items\":[]}'", "() => new Promise((done, fail) => {\n    const server = require('net').createServer((socket) => socket.destroy()).listen(0, () => {\n      require('http').get({ port: server.address().port }, done).on('error', fail).on('close', () => server.close());\n    });\n  })")}),
        ],
    ),
]
