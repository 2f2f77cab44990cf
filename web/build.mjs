// Builds app.js, graph.js and app.css into the Python package, or into the folder that is named.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../src/karat/report/page");

const licence = (name) =>
  readFileSync(join(here, "node_modules", name, "LICENSE"), "utf-8")
    .replace(/\*\//g, "* /")
    .trim();
const notice = (names) =>
  `/*! Contains ${names.map((name) => `${name}:\n${licence(name)}`).join("\n\n")} */`;

const common = {
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  absWorkingDir: here,
  logLevel: "warning",
};
const script = { ...common, format: "iife", target: ["chrome123", "firefox120", "safari17.5"] };
await build({
  ...script,
  entryPoints: ["src/app.tsx"],
  outfile: join(out, "app.js"),
  jsx: "automatic",
  jsxImportSource: "preact",
  banner: { js: notice(["preact"]) },
});
await build({
  ...script,
  entryPoints: ["src/graph.ts"],
  outfile: join(out, "graph.js"),
  banner: { js: notice(["@dagrejs/dagre"]) },
});
await build({
  ...common,
  entryPoints: ["src/app.css"],
  outfile: join(out, "app.css"),
});
