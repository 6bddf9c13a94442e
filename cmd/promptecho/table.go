package main

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// A column of a table.
type column struct {
	name  string
	right bool                                       // numbers end below each other
	least int                                        // columns of the terminal that it keeps, 0 if it is never cut
	cut   func(text string, columns int) string      // how it is cut
	paint func(text string, row int) (colour string) // nil for none
}

// A row of a table, indented; one without cells but the first is a heading.
type row struct {
	indent int
	cells  []string
	colour string // of the first cell

	colours map[int]string // of other cells, by column, in place of what paints their column
}

// table prints rows below the names of their columns. A column that has nothing in any row is
// left out. If the terminal is too narrow, as few cells as possible are cut.
func (p *printer) table(columns []column, rows []row) {
	widths := make([]int, len(columns))
	for _, r := range rows {
		for i, cell := range r.cells {
			r.cells[i] = redact.OneLine(cell)
			if len(r.cells) == 1 { // a heading may reach over the others
				continue
			}
			if w := textWidth(r.cells[i]); w > 0 {
				widths[i] = max(widths[i], w+indentOf(r, i), textWidth(columns[i].name))
			}
		}
	}
	p.narrow(columns, widths, rows)
	head := row{cells: make([]string, len(columns))}
	for i, c := range columns {
		head.cells[i] = c.name
	}
	for n, r := range slices.Concat([]row{head}, rows) {
		p.row(columns, widths, r, n-1)
	}
}

// narrow takes from the widths of columns until they have room on the terminal: a column at a
// time from where that cuts the fewest cells.
func (p *printer) narrow(columns []column, widths []int, rows []row) {
	wide := make([]map[int]int, len(columns)) // how many cells have which width
	for i := range columns {
		wide[i] = map[int]int{}
		for _, r := range rows {
			if len(r.cells) > 1 {
				wide[i][textWidth(r.cells[i])+indentOf(r, i)]++
			}
		}
	}
	all := -gap
	for _, w := range widths {
		if w > 0 {
			all += w + gap
		}
	}
	cut := make([]int, len(columns)) // cells
	for ; p.width > 0 && all > p.width; all-- {
		best := -1
		for i, c := range columns {
			if c.least == 0 || widths[i] <= c.least {
				continue
			}
			if best < 0 || cut[i]+wide[i][widths[i]] < cut[best]+wide[best][widths[best]] {
				best = i
			}
		}
		if best < 0 {
			return
		}
		cut[best] += wide[best][widths[best]]
		widths[best]--
	}
}

// gap is what stands between two columns.
const gap = 2

// indentOf returns how far a cell is indented.
func indentOf(r row, column int) int {
	if column > 0 {
		return 0
	}
	return r.indent
}

// row prints one row of a table; -1 is its head.
func (p *printer) row(columns []column, widths []int, r row, n int) {
	if len(r.cells) == 1 {
		text := r.cells[0]
		if p.width > 0 {
			text = middle(text, p.width-r.indent)
		}
		p.write(strings.Repeat(" ", r.indent) + p.paint(r.colour, text) + "\n")
		return
	}
	line, pending := "", 0
	for i, c := range columns {
		if widths[i] == 0 {
			continue
		}
		indent, text := indentOf(r, i), r.cells[i]
		if room := widths[i] - indent; textWidth(text) > room && c.cut != nil {
			text = c.cut(text, max(room, 1))
		}
		space := widths[i] - indent - textWidth(text)
		colour := ""
		switch {
		case n < 0:
			colour = dim
		case i == 0:
			colour = r.colour
		case r.colours[i] != "":
			colour = r.colours[i]
		case c.paint != nil:
			colour = c.paint(text, n)
		}
		pending += indent
		if c.right {
			pending, space = pending+max(space, 0), 0
		}
		if text != "" {
			line, pending = line+strings.Repeat(" ", pending)+p.paint(colour, text), 0
		}
		pending += max(space, 0) + gap
	}
	p.write(line + "\n")
}
