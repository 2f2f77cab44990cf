// Builds the scripts and the style of the page into the Python package, or into the folder that is named.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../src/karat/report/page");

const common = {
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  absWorkingDir: here,
  logLevel: "warning",
};
const script = {
  ...common,
  format: "iife",
  target: ["chrome123", "firefox120", "safari17.5"],
  jsx: "transform",
  jsxFactory: "h",
  jsxFragment: "Fragment",
  inject: ["src/jsx.ts"],
  tsconfigRaw: { compilerOptions: { target: "ES2022" } },
};
await build({
  ...script,
  entryPoints: ["src/app.tsx"],
  outfile: join(out, "app.js"),
});

// What the application shares with its further parts is taken from it, not bundled again (src/extras.ts).
const shared = /^\.\/(contract|dom|export|format|marks|parts|plots|select|state)$/;
const [, given] = readFileSync(join(here, "src/extras.ts"), "utf-8").match(/^const shared = \[(.*)\];$/m);
const places = given.split(", ").map((name, place) => `export const ${name} = /* @__PURE__ */ (() => $[${place}])();`);
const fromApplication = {
  name: "from the application",
  setup(bundler) {
    bundler.onResolve({ filter: shared }, ({ path }) => ({ path, namespace: "shared" }));
    bundler.onLoad({ filter: /.*/, namespace: "shared" }, () => ({ contents: places.join("\n") }));
  },
};
for (const [name, entry] of [["graph", "src/graph.ts"], ["groups", "src/breakdowns.tsx"], ["errors", "src/errors.tsx"], ["confusions", "src/confusions.tsx"], ["pairs", "src/pairs.tsx"], ["people", "src/people.ts"], ["beyond", "src/beyond.tsx"], ["served", "src/served.tsx"]]) {
  const made = await build({ ...script, format: "esm", entryPoints: [entry], outfile: name, plugins: [fromApplication], write: false });
  // A function of what it is given, which returns what the module exports.
  const [, body, exported] = made.outputFiles[0].text.match(/^(.*)export\{(.*)\};\n$/s);
  const returned = exported.replace(/([\w$]+) as ([\w$]+)/g, "$2:$1");
  writeFileSync(join(out, `${name}.js`), `(globalThis.karatParts??={}).${name}=$=>{${body}return{${returned}}};\n`);
}
// Browsers that do not know light-dark() get the light colours.
const colours = {
  name: "colours",
  setup(bundler) {
    bundler.onLoad({ filter: /app\.css$/ }, ({ path }) => {
      const style = readFileSync(path, "utf-8");
      const [palette] = style.match(/^:root \{.*?^\}/ms);
      const light = palette.replace(/light-dark\((.*?), .*?\)/g, "$1");
      const both = palette.split("\n").filter((line) => line.includes("light-dark(")).join("\n");
      return { contents: style.replace(palette, `${light}\n@supports (color: light-dark(red, red)) { :root {\n${both}\n} }`), loader: "css" };
    });
  },
};
await build({
  ...common,
  entryPoints: ["src/app.css"],
  outfile: join(out, "app.css"),
  plugins: [colours],
});
