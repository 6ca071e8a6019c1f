// Package api is the door to a job: the calls by which people and scripts look
// into it and steer it, and their form over HTTP on the control socket.
//
//  1. [Door] lists the calls. A job that is open in this process is one; so is
//     a [Client], which knocks at the socket of the process that has it open.
//  2. [NewHandler] serves a Door as JSON over HTTP.
//  3. [Listen] makes the socket, readable and writable by its owner only.
//
// What it must never do: touch storage, the network beyond the socket, or files
// other than the socket; decide anything itself.
package api
