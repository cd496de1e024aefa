// Prints one comment with the licences of the packages that esbuild put into the bundle, equal texts once.
import { existsSync, readFileSync, readdirSync } from "node:fs";

const inputs = Object.entries(JSON.parse(readFileSync("meta.json", "utf8")).outputs["bundle.js"].inputs);
const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
const packages = [...new Set(used.map((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]))].filter(Boolean);
const holders = new Map();
for (const name of packages.sort()) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file && existsSync(`${folder}/${file}`) ? readFileSync(`${folder}/${file}`, "utf8") : `Licence: ${license}`;
  const lines = text.trim().split(/\r?\n/);
  const owner = lines.filter((line) => /^copyright/i.test(line.trim())).slice(0, 1);
  const terms = lines.filter((line) => !owner.includes(line)).join("\n").trim();
  holders.set(terms, [...(holders.get(terms) ?? []), `${name} ${version} (${license}): ${owner[0] ?? ""}`]);
}
const parts = [...holders].map(([terms, names]) => `${names.join("\n")}\n\n${terms}`);
console.log(`/*!\n${parts.join(`\n\n${"-".repeat(80)}\n\n`).replaceAll("*/", "* /")}\n*/`);
