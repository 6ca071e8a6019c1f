// Package openapi describes the registry's HTTP interface: the OpenAPI 3.1
// document at /openapi.json (BC-R-015).
//
//  1. openapi.json is written by hand and embedded. It is a valid description
//     as it stands, of a registry at https://registry.example.
//  2. [Document] puts the registry's own base URL in.
//  3. [New] serves it, conditionally.
//
// What it must never do: describe what the registry does not serve. The test of
// the command asks every path of the document of a running registry.
package openapi
