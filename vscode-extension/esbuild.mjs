// Bundles the extension into dist/, or with `--tests DIR` the unit tests into DIR.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", target: "node20", logLevel: "warning" };
const [option, folder] = process.argv.slice(2);
if (option === "--tests") {
  const names = readdirSync("tests").filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: names.map((name) => `tests/${name}`),
    outdir: folder,
    alias: { vscode: "./tests/fake/vscode.ts" },
    format: "esm",
    outExtension: { ".js": ".mjs" },
  });
} else {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    format: "cjs",
    minify: true,
    keepNames: true,
    legalComments: "none",
    metafile: true,
  });
  writeFileSync("dist/LICENSES.txt", licenses(Object.keys(metafile.inputs)));
}

/** Return the licences of all packages whose code is in the bundle; the licences require that they are passed on. */
function licenses(inputs) {
  const folders = inputs.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean);
  return [...new Set(folders)].sort().map(licenseOf).join("\n");
}

function licenseOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) {
    throw new Error(`${folder} has no licence`);
  }
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
