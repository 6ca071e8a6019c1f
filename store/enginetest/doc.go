// Package enginetest is the contract of [frontier.Engine] as a test suite.
// Every engine runs it; it knows none of them.
//
//  1. [Run] opens engines through a function of the caller, each in a folder of
//     its own, with a clock that the suite moves.
//  2. Tests named by the nine invariants of the contract check single stories.
//  3. A property test runs random operations, reopening included, against the
//     engine and against a small model in memory, and compares all that can be
//     seen after each step.
//
// An engine that can be stopped as a kill would stop it implements [Crasher];
// without it those steps are left out. Killing a process needs the engine's
// own test binary and is left to the engine's package.
//
// Readings of the contract that the suite fixes: a URL's rank counts from when
// it became due (its discovery, its NotBefore, the Due of its last outcome, the
// now of its pass); an outcome outside of any grant changes a URL that is known
// and not leased; links of a settlement are taken in before its outcomes; after
// a lapsed grant an engine may hold the host back for one delay more.
//
// What the package must never do: import an engine; sleep.
package enginetest
