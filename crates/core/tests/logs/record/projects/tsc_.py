"""TypeScript: the compiler, in both of its ways of writing."""

from project import Fault, Project

API = """\
export interface User {
  id: number;
  name: string;
}

export function greet(user: User): string {
  return `Hello ${user.name}`;
}

export function ids(users: User[]): number[] {
  return users.map((user) => user.id);
}
"""

API_MAIN = """\
import { greet, ids } from "./api";

const users = [{ id: 1, name: "Ada" }];
export const greeting: string = greet(users[0]!);
export const first: number[] = ids(users);
"""

UI = """\
export type Colour = "red" | "green";

export class Button {
  constructor(
    readonly label: string,
    readonly colour: Colour,
  ) {}

  draw(): string {
    return `[${this.label}]`;
  }
}

export const ok = new Button("OK", "green");
"""

SETTINGS = '{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "module": "nodenext", "types": [] }, "include": ["src"] }\n'
PACKAGE = '{ "name": "sources", "version": "1.0.0", "private": true }\n'

SDK = """\
export type Result<T> = { ok: true; value: T } | { ok: false; error: string };

export async function call(name: string): Promise<Result<number>> {
  return name === "" ? { ok: false, error: "no name" } : { ok: true, value: name.length };
}
"""

PROJECTS = [
    Project(
        "tsc",
        "api",
        {"package.json": PACKAGE, "tsconfig.json": SETTINGS, "src/api.ts": API, "src/main.ts": API_MAIN},
        "tsc --pretty false",
        [
            Fault("wrong-argument", "error TS2345: Argument of type 'number' is not assignable to parameter of type 'User'", edits={"src/main.ts": ("greet(users[0]!)", "greet(7)")}),
            Fault("wrong-result", "error TS2322: Type 'string' is not assignable to type 'number'", edits={"src/main.ts": ("first: number[] = ids(users)", "first: number = greet(users[0]!)")}),
            Fault("property-missing", "Property 'name' is missing in type", edits={"src/main.ts": ('{ id: 1, name: "Ada" }', "{ id: 1 }")}),
            Fault("module-missing", "error TS2307: Cannot find module './apis'", edits={"src/main.ts": ('"./api"', '"./apis"')}),
        ],
    ),
    Project(
        "tsc",
        "ui",
        {"package.json": PACKAGE, "tsconfig.json": SETTINGS, "src/button.ts": UI},
        "npx tsc --pretty",
        [
            Fault("unknown-colour", "Argument of type '\"blue\"' is not assignable to parameter of type 'Colour'", edits={"src/button.ts": ('"OK", "green"', '"OK", "blue"')}),
            Fault("argument-missing", "Expected 2 arguments, but got 1.", edits={"src/button.ts": ('"OK", "green"', '"OK"')}),
            Fault("unknown-property", "Property 'text' does not exist on type 'Button'", edits={"src/button.ts": ("this.label", "this.text")}),
            Fault("unknown-option", "Unknown compiler option 'strictest'", edits={"tsconfig.json": ('"strict"', '"strictest"')}),
            Fault("registry-away", "connect ECONNREFUSED 127.0.0.1", "infra", command="npm install --registry http://127.0.0.1:9 --fetch-retries 0 types-of-acme && npx tsc --pretty"),
        ],
        colour=True,
    ),
    Project(
        "tsc",
        "sdk",
        {"package.json": PACKAGE, "tsconfig.json": SETTINGS, "src/sdk.ts": SDK},
        "tsc -p .",
        [
            Fault("not-narrowed", "Property 'value' does not exist on type", edits={"src/sdk.ts": ("export async", "export const first = (result: Result<number>) => result.value;\n\nexport async")}),
            Fault("not-awaited", "is not assignable to type 'Result<number>'", edits={"src/sdk.ts": ("export async", "export const now: Result<number> = call(\"x\");\n\nexport async")}),
            Fault("brace-missing", "error TS1005", edits={"src/sdk.ts": ("value: name.length };", "value: name.length ;")}),
        ],
    ),
]
