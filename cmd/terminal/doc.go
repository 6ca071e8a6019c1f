// Package terminal is what the commands of this module have in common at a
// terminal: flags, logs, tables, and text that is safe to show.
//
//  1. [Parse] reads a command line; --help and completion end in it.
//  2. [Settings] gives the flags that were given in the form of a configuration.
//  3. [Logger] writes to people or to programs.
//  4. [Table], [JSON] and [Plain] write results.
//
// What it must never do: know a command, or decide how one ends.
package terminal
