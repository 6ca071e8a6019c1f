// Package config turns four layers into one validated value: a flag wins over
// the environment, that over the file, that over the default.
//
// In order, [Load]:
//
//  1. starts from [Default];
//  2. reads the YAML file, strictly: a key that is unknown or occurs twice, an
//     anchor, an alias, a tag or a second document is an error with line,
//     column and excerpt;
//  3. applies the environment: HEED_ and the key in capitals, a dot of a nested
//     key written as an underscore (limits.page is HEED_LIMITS_PAGE). A HEED_
//     name that is no key is an error;
//  4. applies the flags that were given;
//  5. validates the result, and names the layer a bad value came from.
//
// A key is the name of its flag with underscores. Every key is reachable from
// all three layers through one setter ([setText] and [decoder]); a list of
// mappings (rules, silent, act.hosts, context_pairs) is written in YAML flow
// style in the environment and in flags. A layer replaces a list, it never adds
// to it.
//
// What it must never do: be imported by a room (cmd hands plain values on),
// hold goroutines or global state, read the environment by itself, or keep a
// secret. No key holds one today, and a contact with userinfo is refused.
//
// Traps: the options by which an operator loosens what a site asked for (rules
// with ignore, allow_methods, a small delay; silent; act) need a host, a date
// and a reason, see [Rule]; ceilings have no "unlimited" (LC-075).
package config
