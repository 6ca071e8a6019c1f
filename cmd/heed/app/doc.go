// Package app builds a job out of the rooms, and takes it apart again.
//
//  1. [Open] opens the job's folder: state, archive and ledger, cut back to what
//     was committed; then the rooms over them. Each step leaves a clean-up.
//  2. [App] is the job's [api.Door], whoever stands at it: the command line, or
//     another process through the control socket.
//  3. [App.Crawl] runs the job in the foreground.
//  4. [App.Close] undoes Open in reverse.
//
// It names types and passes values on. What it must never do: judge, order,
// pace or parse anything itself.
package app
