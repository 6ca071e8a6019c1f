// Package admin is the door for the operator of a registry: publishers, owners'
// revocations, checks, copies and damage, beside a running server or without
// one.
//
//  1. [Door] lists the calls. A state that is open in this process is one; so is
//     a [Client], which knocks at the socket of the process that has it open.
//  2. [NewHandler] serves a Door as JSON over HTTP. Copies are streamed and
//     counted whole only with their trailer: half a backup is none.
//  3. [Listen] makes the socket in the data folder, for its owner only.
//  4. [Guard] is what stands before the handler where it listens on a network
//     address: it refuses browsers.
//
// What it must never do: be reachable at the public address; store or log a
// secret; decide anything itself.
package admin
