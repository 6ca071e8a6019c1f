// Package settings turns four layers into the settings of heed-registry: a flag
// wins over the environment, that over the file, that over the default.
//
//  1. [Load] starts from [Default].
//  2. It reads the YAML file, strictly: a key that is unknown or occurs twice,
//     an anchor, a tag or a second document is an error with line and column.
//  3. It applies the environment: HEED_REGISTRY_ and the key in capitals. A
//     HEED_REGISTRY_ name that is no key is an error.
//  4. It applies the flags that were given.
//  5. It validates the result.
//
// A key is the name of its flag with underscores. A list is a YAML sequence, a
// flag that is repeated, or a comma list in the environment; a layer replaces a
// list, it never adds to it.
//
// What it must never do: hold a secret (publishers' secrets live hashed in the
// state file), read the environment by itself, open what a path names.
package settings
