// Goes through the OAuth flow of a registry with openid-client and writes cards.
// usage: node oauth.mjs FOLDER-OF-PACKAGES ISSUER ID SECRET < CARDS
// CARDS is a JSON object of cards by domain. Prints one JSON object; "faults" is
// empty if all is well.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const [folder, issuer, id, secret] = process.argv.slice(2);
const oauth = createRequire(`${folder}/`)("openid-client");
const cards = JSON.parse(await text(process.stdin));
const seen = { granted: 0, statuses: {}, faults: [] };

const discover = (authentication) =>
  oauth.discovery(new URL(issuer), id, {}, authentication, { algorithm: "oauth2" });

// What is asked must be refused by an error with this code.
const refused = async (what, code, ask) => {
  try {
    await ask();
    seen.faults.push(`${what}: accepted`);
  } catch (error) {
    const found = error.error ?? error.cause?.[0]?.parameters?.error ?? error.code;
    if (found !== code) seen.faults.push(`${what}: ${found}, not ${code}: ${error}`);
  }
};

let config, token;
for (const method of [oauth.ClientSecretBasic, oauth.ClientSecretPost]) {
  config = await discover(method(secret));
  token = await oauth.clientCredentialsGrant(config, { scope: "cards:write" });
  if (token.token_type !== "bearer" || !(token.expires_in > 0 && token.expires_in <= 3600)) {
    seen.faults.push(`token: ${token.token_type}, ${token.expires_in}`);
  }
  seen.granted++;
}
// A client that tried the Authorization field is answered by a challenge (RFC 6749 5.2).
await refused("a wrong secret", "OAUTH_WWW_AUTHENTICATE_CHALLENGE", async () =>
  oauth.clientCredentialsGrant(await discover(oauth.ClientSecretBasic("wrong")), { scope: "cards:write" }));
await refused("a wrong secret in the body", "invalid_client", async () =>
  oauth.clientCredentialsGrant(await discover(oauth.ClientSecretPost("wrong")), { scope: "cards:write" }));
await refused("an unknown scope", "invalid_scope", () => oauth.clientCredentialsGrant(config, { scope: "root" }));
await refused("another grant", "unsupported_grant_type", () =>
  oauth.genericGrantRequest(config, "password", { username: "a", password: "b" }));

const put = (bearer, domain, body) =>
  oauth.fetchProtectedResource(config, bearer, new URL(`/v1/site/${domain}`, issuer), "PUT", JSON.stringify(body),
    new Headers({ "content-type": "application/json" }));

for (const [domain, card] of Object.entries(cards)) {
  seen.statuses[domain] = (await put(token.access_token, domain, card)).status;
}
const [first] = Object.keys(cards);
await refused("a forged token", "invalid_token", () => put(`${token.access_token.slice(0, -4)}AAAA`, first, cards[first]));

process.stdout.write(JSON.stringify(seen));
