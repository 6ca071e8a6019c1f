package extract

// maxForeignDepth bounds the namespaces remembered. Deeper nesting is read as its last remembered
// level: at worst a title inside it is taken for text.
const maxForeignDepth = 64

// foreign tracks SVG and MathML without a tree: a stack of the elements that switch the rules.
type foreign struct {
	stack []tag // tagSVG, tagMath, or an element inside them whose content is HTML again
}

// active reports that the next element is in SVG or MathML.
func (f *foreign) active() bool {
	return len(f.stack) > 0 && (f.top() == tagSVG || f.top() == tagMath)
}

func (f *foreign) top() tag { return f.stack[len(f.stack)-1] }

func (f *foreign) push(t tag) {
	if len(f.stack) < maxForeignDepth {
		f.stack = append(f.stack, t)
	}
}

// pop closes the innermost open t and everything opened inside it; an end tag without a start is nothing.
func (f *foreign) pop(t tag) {
	for i := len(f.stack) - 1; i >= 0; i-- {
		if f.stack[i] == t {
			f.stack = f.stack[:i]
			return
		}
	}
}

// breakOut leaves foreign content up to the HTML around or inside it.
func (f *foreign) breakOut() {
	for f.active() {
		f.stack = f.stack[:len(f.stack)-1]
	}
}
