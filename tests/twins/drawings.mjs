// Draws what is given with the code of the page, and prints the elements as JSON: name, attributes, text.
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const web = process.argv[2];
const { build } = createRequire(join(web, "node_modules") + "/")("esbuild");
const out = mkdtempSync(join(tmpdir(), "karat-drawings-"));
await build({
  stdin: { contents: 'export { arcsFigure } from "./arcs"; export { overlayFigure } from "./layers"; ', resolveDir: join(web, "src") },
  outfile: join(out, "drawings.mjs"), bundle: true, format: "esm", logLevel: "error",
});
const { arcsFigure, overlayFigure } = await import(join(out, "drawings.mjs"));

function elements(shapes) {
  return shapes.flatMap((shape) => {
    const { children, ...attributes } = shape.props;
    const inside = [children].flat(9).filter((each) => each !== undefined && each !== null);
    const text = inside.filter((each) => typeof each === "string").join("");
    const below = elements(inside.filter((each) => typeof each !== "string"));
    return shape.type === "g" ? below : [[shape.type, attributes, text], ...below];
  });
}

const found = JSON.parse(readFileSync(0, "utf-8")).map(({ overlay, gold, system }) => {
  const { parts, width, height } = overlay ? overlayFigure(overlay) : arcsFigure(gold, system);
  return { elements: elements(parts), width, height };
});
process.stdout.write(JSON.stringify(found));
