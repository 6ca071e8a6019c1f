package frontier

// Bounds of a path that a site's own links lead to. Beyond them lie calendars
// without end and relative links that nest one directory deeper on every page.
const (
	// DefaultRepeat is how often one segment may not occur any more.
	DefaultRepeat = 4
	// maxSegments is more than twice what hand-made trees of pages have.
	maxSegments = 40
)

const reasonTrap = "scope.trap"

// Trap returns "scope.trap" if the path of a canonical URL looks like a loop: the
// same segment repeat times, in whatever places, or more than 40 segments. An empty
// segment counts like any other; the slash at the end opens none. Otherwise it
// returns "". It does not allocate.
func Trap(canonical string, repeat int) string {
	var segments [maxSegments]string
	path := canonical[originEnd(canonical):pathEnd(canonical)]
	n := 0
	for len(path) > 1 {
		segment := path[1:]
		i := 0
		for i < len(segment) && segment[i] != '/' {
			i++
		}
		segment, path = segment[:i], segment[i:]
		if n == maxSegments {
			return reasonTrap
		}
		same := 1
		for _, s := range segments[:n] {
			if s == segment {
				same++
			}
		}
		if same >= repeat {
			return reasonTrap
		}
		segments[n] = segment
		n++
	}
	return ""
}
