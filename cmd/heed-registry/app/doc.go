// Package app builds a registry from its settings, starts it and stops it in
// reverse.
//
//  1. [Open] opens the state in the data folder, with the checker of proofs
//     (package prover) and the clock of the settings. It starts nothing.
//  2. The App is an [admin.Door]: the calls of the operator, on the open state.
//  3. [App.Serve] puts everything public behind one handler (public.go), listens
//     on the public address, on the socket of the data folder and, if the
//     settings say so, on an address for administration and metrics; and runs
//     the schedule of checks until it is told to stop.
//  4. Stopping: the public address stops taking connections and answers what is
//     under way, then administration, then the schedule, then the state file.
//     Everything that was acknowledged is on disk before it is acknowledged, so
//     a kill loses nothing.
//
// What it must never do: serve metrics or administration at the public address;
// write the address of a reader to a log (BC-R-036); hold rules of the
// registry.
package app
