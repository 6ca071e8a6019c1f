package registry

import "crypto/ed25519"

// privateKey is the signing key of a registry, and newKey one of nobody.
func privateKey(w *world) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(w.shelf.secrets.Signing)
}

func newKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(newSecrets().Signing) }
