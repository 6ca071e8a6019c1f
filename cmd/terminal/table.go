package terminal

import (
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	// cellPadding is what the style puts around the text of a cell, in columns.
	cellPadding = 2
	// narrowest is how far a column is narrowed to make a line fit.
	narrowest = 8
)

// Grid is a table without box lines. A line that would be longer than limit is
// wrapped inside its cells; a terminal that wraps it makes a table unreadable.
type Grid struct {
	table.Writer
	limit  int // columns a line may take; 0 is no limit
	widest []int
}

// Table is a table as wide as what is in it, on a terminal as wide as that at most.
func Table(out io.Writer, header ...any) *Grid {
	limit := 0
	if f, ok := out.(*os.File); ok {
		limit = Columns(f, 0)
	}
	return TableWithin(out, limit, header...)
}

// TableWithin is a table whose lines take at most limit columns.
func TableWithin(out io.Writer, limit int, header ...any) *Grid {
	g := &Grid{Writer: table.NewWriter(), limit: limit}
	g.SetOutputMirror(out)
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	g.SetStyle(style)
	if len(header) > 0 {
		g.AppendHeader(header)
		g.measure(header)
	}
	return g
}

// AppendRow adds a row.
func (g *Grid) AppendRow(row table.Row, config ...table.RowConfig) {
	g.measure(row)
	g.Writer.AppendRow(row, config...)
}

func (g *Grid) measure(row table.Row) {
	for len(g.widest) < len(row) {
		g.widest = append(g.widest, 0)
	}
	for i, cell := range row {
		g.widest[i] = max(g.widest[i], text.LongestLineLen(fmt.Sprint(cell)))
	}
}

// Render writes the table.
func (g *Grid) Render() string {
	var columns []table.ColumnConfig
	for i, w := range fit(g.widest, g.limit) {
		columns = append(columns, table.ColumnConfig{Number: i + 1, WidthMax: w, WidthMaxEnforcer: text.WrapSoft})
	}
	g.SetColumnConfigs(columns)
	return g.Writer.Render()
}

// fit narrows the widest columns until a line takes at most limit columns, or all
// of them are as narrow as they may be.
func fit(widths []int, limit int) []int {
	fitted := append([]int(nil), widths...)
	total := 0
	for _, w := range fitted {
		total += w + cellPadding
	}
	for ; limit > 0 && total > limit; total-- {
		widest := 0
		for i, w := range fitted {
			if w > fitted[widest] {
				widest = i
			}
		}
		if fitted[widest] <= narrowest {
			break
		}
		fitted[widest]--
	}
	return fitted
}
