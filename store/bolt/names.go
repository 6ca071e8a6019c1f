package bolt

// nameCacheMax bounds a generation of the cache.
const nameCacheMax = 1 << 15

// nameCache keeps the ids of hosts that were named lately, in two generations:
// when the young one is full it becomes the old one, whose entries are
// forgotten unless they are asked for again.
type nameCache struct{ young, old map[string]uint32 }

func newNameCache() nameCache {
	return nameCache{young: map[string]uint32{}, old: map[string]uint32{}}
}

func (c *nameCache) find(name string) (uint32, bool) {
	if id, ok := c.young[name]; ok {
		return id, true
	}
	id, ok := c.old[name]
	if ok {
		c.put(name, id)
	}
	return id, ok
}

func (c *nameCache) put(name string, id uint32) {
	if len(c.young) >= nameCacheMax {
		c.old, c.young = c.young, make(map[string]uint32, nameCacheMax)
	}
	c.young[name] = id
}
