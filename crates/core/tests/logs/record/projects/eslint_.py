"""JavaScript: eslint, its rules, its parser and its configuration."""

from project import Fault, Project

SITE = """\
const routes = new Map();

export function route(path, handler) {
  routes.set(path, handler);
}

export function find(path) {
  return routes.get(path) ?? null;
}
"""

MENU = """\
export function menu(names) {
  const width = 3;
  return names.map((name) => `<li>${name}</li>`).join('');
}
"""

WIDGETS = """\
export function clamp(value, low, high) {
  if (value < low) {
    return low;
  }
  return value > high ? high : value;
}
"""

DIAL = """\
import { clamp } from './clamp.js';

export function turn(dial, by) {
  return { ...dial, angle: clamp(dial.angle + by, 0, 270) };
}
"""

CONFIGURATION = """\
import js from '@eslint/js';

export default [
  js.configs.recommended,
  { rules: { 'no-unused-vars': 'warn', eqeqeq: 'error', 'prefer-const': 'error' } },
];
"""
PACKAGE = '{ "name": "pages", "version": "1.0.0", "private": true, "type": "module" }\n'

PROJECTS = [
    Project(
        "eslint",
        "site",
        {"package.json": PACKAGE, "eslint.config.js": CONFIGURATION, "src/menu.js": MENU, "src/routes.js": SITE},
        "eslint src",
        [
            Fault("undefined-name", "'route_table' is not defined", edits={"src/routes.js": ("routes.get(path)", "route_table.get(path)")}),
            Fault("loose-equality", "Expected '===' and instead saw '=='", edits={"src/routes.js": ("routes.get(path) ?? null", "routes.get(path) == undefined ? null : routes.get(path)")}),
            Fault("parse", "Parsing error: Unexpected token", edits={"src/routes.js": ("routes.set(path, handler);", "routes.set(path, handler;")}),
            Fault("configuration-missing", "Cannot find package '@eslint/jss'", edits={"eslint.config.js": ("'@eslint/js'", "'@eslint/jss'")}),
        ],
    ),
    Project(
        "eslint",
        "widgets",
        {"package.json": PACKAGE, "eslint.config.js": CONFIGURATION, "lib/clamp.js": WIDGETS, "lib/dial.js": DIAL},
        "npx eslint --color --max-warnings 0 lib",
        [
            Fault("never-reassigned", "'angle' is never reassigned. Use 'const' instead", edits={"lib/dial.js": ("return { ...dial, angle: clamp(dial.angle + by, 0, 270) };", "let angle = clamp(dial.angle + by, 0, 270);\n  return { ...dial, angle };")}),
            Fault("unreachable", "Unreachable code", edits={"lib/clamp.js": ("return low;", "return low;\n    value = low;")}),
            Fault("in-two-files", "'maximum' is not defined", edits={"lib/clamp.js": ("high : value", "maximum : value"), "lib/dial.js": ("dial.angle + by", "dial.angle + step")}),
            Fault("unknown-rule", 'Could not find "no-such-rule" in plugin "@"', edits={"eslint.config.js": ("eqeqeq: 'error'", "'no-such-rule': 'error'")}),
            Fault("disk-full", "no space left on device", "infra", {"lib/clamp.js": ("high : value", "maximum : value")}, "npx eslint --color --output-file /dev/full lib"),
        ],
        colour=True,
    ),
]
