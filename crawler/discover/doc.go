// Package discover finds the context file (llm-context) of an origin. It is the consumer's half of
// draft -00, as a set of pure functions and one state machine; whoever drives it makes the requests.
//
// What it does, in order:
//
//  1. Memory.ObservePage remembers which pages advertise a context file, for 24 hours.
//  2. Begin opens a retrieval cycle for one origin: it answers from memory while a floor holds, else it
//     ranks the candidates (Rank): Link of a response already received, well-known URI, robots.txt
//     record, then guesses if they are enabled.
//  3. Cycle.Next names the next request. Every hop has passed the origin rules before it is named;
//     whether robots.txt and the other signals allow it is asked by the caller, hop by hop, who
//     reports a refusal with Cycle.Denied.
//  4. Cycle.Answer judges a response (Judge), follows a redirect, falls through to the next candidate, or ends.
//  5. Cycle.Result says what came out, Cycle.Memory what to persist; both in one commit.
//  6. AnswerDetail judges and remembers what the index links to and that answers as text.
//
// What it must never do: send a request, read the clock, parse HTML, decide about permission, take any
// text it is given for an instruction, or keep a part of a file that went over the ceiling.
//
// States of an origin and how they change:
//
//	unknown ──▶ index         accepted or not modified
//	        ──▶ none          every candidate failed for good, or one went over the ceiling
//	        ──▶ undetermined  a failure that may pass: 408, 425, 429, 5xx, network, permission unknown
//
// Every state reaches every other one but unknown, and always through a cycle. index and undetermined
// hold until NextAllowed, and so does none after the ceiling. Any other none yields to an advertisement
// that has not been tried yet (LC-115); what has been tried is not asked again until its own entry ends.
//
// Invariants: one index a cycle (LC-045), one chain of requests a mechanism (LC-106), six requests a chain
// (LC-023), no hop outside the origin unless allowed by name (LC-107, LC-108), validators and copy live
// and die together (LC-122), a copy never outlives the state none.
//
// The clause of a rule stands beside its code as LC-nnn, the row of the llm-context ledger.
package discover
