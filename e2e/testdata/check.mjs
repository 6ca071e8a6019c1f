// Reads WARC files with warcio and recomputes every digest from the octets.
// usage: node check.mjs FOLDER-OF-WARCIO FILE...
// Prints one JSON object; "faults" is empty if all is well.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

const [folder, ...files] = process.argv.slice(2);
const { WARCParser } = createRequire(`${folder}/`)("warcio");

const base32 = (octets) => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let out = "", bits = 0, held = 0;
  for (const octet of octets) {
    held = (held << 8) | octet;
    for (bits += 8; bits >= 5; bits -= 5) out += letters[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits ? out + letters[(held << (5 - bits)) & 31] : out;
};

// The value of a digest field is algorithm:value, in hex or base32.
const matches = (field, octets) => {
  const [algorithm, value] = field.split(":");
  const sum = createHash(algorithm).update(octets).digest();
  return value.toLowerCase() === sum.toString("hex") || value === base32(sum);
};

// The payload of an HTTP message is what follows its head.
const payloadOf = (block) => {
  const end = Buffer.from(block).indexOf("\r\n\r\n");
  return end < 0 ? null : block.subarray(end + 4);
};

const seen = { files: files.length, types: {}, digests: 0, faults: [] };
// A parser of compressed files warns where a record is not followed by its end.
console.warn = (text) => seen.faults.push(String(text));

for (const file of files) {
  let records = 0;
  try {
    // The parser takes a file that is cut for one that ends; gunzip does not.
    await pipeline(createReadStream(file), createGunzip(), new Writable({ write: (_, __, done) => done() }));
    for await (const record of WARCParser.iterRecords(createReadStream(file), { parseHttp: false })) {
      const field = (name) => record.warcHeaders.headers.get(name);
      const block = await record.readFully(false);
      const type = field("WARC-Type");
      const where = `${file}: record ${records} (${type}, ${field("WARC-Target-URI")})`;
      const fault = (text) => seen.faults.push(`${where}: ${text}`);
      seen.types[type] = (seen.types[type] ?? 0) + 1;
      if (records++ === 0 && type !== "warcinfo") fault("the first record is no warcinfo");
      for (const name of ["WARC-Record-ID", "WARC-Date", "Content-Length"]) {
        if (!field(name)) fault(`${name} is missing`);
      }
      if (block.length !== Number(field("Content-Length"))) fault(`a block of ${block.length} octets`);
      const payload = type === "response" || type === "request" ? payloadOf(block) : null;
      if (type === "response") {
        if (payload === null) fault("no end of the head");
        if (!field("WARC-Payload-Digest")) fault("no payload digest");
        if (/^transfer-encoding:/im.test(Buffer.from(block).subarray(0, 65536).toString("latin1").split("\r\n\r\n")[0])) {
          fault("claims a transfer coding");
        }
      }
      if (type === "revisit" && (!field("WARC-Profile") || !field("WARC-Refers-To-Target-URI"))) {
        fault("does not say what it refers to");
      }
      for (const [name, octets] of [["WARC-Block-Digest", block], ["WARC-Payload-Digest", payload]]) {
        if (octets === null || !field(name)) continue;
        seen.digests++;
        if (!matches(field(name), octets)) fault(`${name} ${field(name)} is wrong`);
      }
    }
  } catch (error) {
    seen.faults.push(`${file}: after ${records} records: ${error}`);
  }
}
console.log(JSON.stringify(seen));
