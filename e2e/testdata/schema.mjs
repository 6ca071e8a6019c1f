// Holds the served cards of a registry against its schema with ajv.
// usage: node schema.mjs FOLDER-OF-PACKAGES BASE DOMAIN...
// Prints one JSON object; "faults" is empty if the schema takes every card and
// none of the spoilt ones.
import { createRequire } from "node:module";

const [folder, base, ...domains] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const Ajv = require("ajv/dist/2020").default;
const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
require("ajv-formats").default(ajv);

const read = async (path) => {
  const response = await fetch(base + path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
};
const validate = ajv.compile(await read("/v1/schema.json"));

// Each spoils one member of a good card.
const spoilers = {
  "version as a number": (c) => { c.botcentral = 1.1; },
  "domain in capitals": (c) => { c.domain = "Shop.example"; },
  "http canonical": (c) => { c.canonical = "http://shop.example"; },
  "canonical with a path": (c) => { c.canonical = "https://shop.example/a"; },
  "no name": (c) => { delete c.name; },
  "topics as text": (c) => { c.topics = "garden"; },
  "allow_bots as text": (c) => { c.allow_bots = "true"; },
  "token with a blank": (c) => { c.allow = ["Sample Bot"]; },
  "pointer of another scheme": (c) => { c.pointers = { robots: "file:///etc/passwd" }; },
  "page without rel": (c) => { c.pages = [{ url: "https://shop.example/" }]; },
  "score above 100": (c) => { c.pages = [{ url: "https://shop.example/", rel: "home", score: 101 }]; },
  "score as a fraction": (c) => { c.pages = [{ url: "https://shop.example/", rel: "home", score: 1.5 }]; },
  "train as text": (c) => { c.consent.train = "no"; },
  "unknown tdm": (c) => { c.consent.tdm = "maybe"; },
  "unknown method": (c) => { c.verification.method = "meta"; },
  "checked as a number": (c) => { c.verification.checked = 1; },
  "checked without a zone": (c) => { c.verification.checked = "2026-11-29T06:00:00"; },
  "no updated": (c) => { delete c.updated; },
  "window of nothing": (c) => { c.crawl = { revalidate_hours: 0 }; },
};

const seen = { cards: 0, spoilt: 0, faults: [] };
for (const domain of domains) {
  const card = await read(`/v1/site/${domain}`);
  if (validate(card)) seen.cards++;
  else seen.faults.push(`${domain}: ${ajv.errorsText(validate.errors)}`);
  for (const [name, spoil] of Object.entries(spoilers)) {
    const copy = structuredClone(card);
    spoil(copy);
    if (validate(copy)) seen.faults.push(`${domain}: ${name} is taken`);
    else seen.spoilt++;
  }
}
process.stdout.write(JSON.stringify(seen));
