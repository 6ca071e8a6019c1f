// Package resolver asks a recursive DNS resolver for what a proof needs: the TXT
// records at the apex of a domain, and the addresses of its host.
//
//  1. [New] takes the resolver of the settings, or that of the system.
//  2. [Resolver.LookupTXT] asks over UDP, again over TCP where the answer was
//     truncated (BC-P-911), over TLS where the settings say so. It follows the
//     chain of aliases inside the answer, joins the strings of one record and
//     never those of two (BC-P-903).
//  3. Whether the answer was validated (DNSSEC, BC-P-013) is taken from the AD
//     bit, and only where nobody between could have set it: from a resolver
//     that the settings name and that is on loopback or behind TLS.
//  4. [Resolver.LookupNetIP] finds addresses by the same resolver, for the
//     guarded client.
//
// No such name and no such record are answers. Everything else that is not an
// answer (SERVFAIL, a timeout, an answer to another question) is an error, and
// says nothing about the domain: a bogus zone is never a pass.
//
// What it must never do: take an answer to a question it did not ask, wait
// without a bound, or trust a validation it cannot vouch for.
package resolver
