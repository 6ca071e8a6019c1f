package terminal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Completion prints the set-up of a shell: bash, zsh or fish. The shells ask the
// program itself for candidates (COMP_LINE), so it is short.
func Completion(out io.Writer, shell string) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	name := filepath.Base(path)
	function := "__complete_" + strings.ReplaceAll(name, "-", "_")
	switch shell {
	case "bash":
		_, err = fmt.Fprintf(out, "complete -C %q %s\n", path, name)
	case "zsh":
		_, err = fmt.Fprintf(out, "autoload -U +X bashcompinit && bashcompinit\ncomplete -C %q %s\n", path, name)
	case "fish":
		_, err = fmt.Fprintf(out, "function %s\n    set -lx COMP_LINE (commandline -cp)\n    test -z (commandline -ct); and set COMP_LINE \"$COMP_LINE \"\n    %q\nend\ncomplete -f -c %s -a \"(%s)\"\n",
			function, path, name, function)
	}
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	return nil
}
