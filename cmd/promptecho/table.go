package main

import (
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// A column of a table.
type column struct {
	name       string
	alignRight bool                                       // for numbers
	minWidth   int                                        // the cells are not cut below it; 0 if they are never cut
	cut        func(text string, columns int) string      // shortens a cell
	paint      func(text string, row int) (colour string) // the colour of a cell; nil for none
}

// A row of a table. A row with a single cell is a heading.
type row struct {
	indent  int
	cells   []string
	colour  string         // of the first cell
	colours map[int]string // of other cells, by column; they replace the colour of the column
}

func (r row) isHeading() bool { return len(r.cells) == 1 }

// cellWidth returns the width of a cell, with the indent of the row for the first one.
func (r row) cellWidth(column int) int { return textWidth(r.cells[column]) + r.indentOf(column) }

// indentOf returns the indent of a cell.
func (r row) indentOf(column int) int {
	if column > 0 {
		return 0
	}
	return r.indent
}

// table prints rows below the names of their columns. It leaves out columns without content. If
// the terminal is too narrow, it cuts as few cells as possible.
func (p *printer) table(columns []column, rows []row) {
	widths := make([]int, len(columns))
	for _, r := range rows {
		for i, cell := range r.cells {
			r.cells[i] = redact.OneLine(cell)
			if r.isHeading() || textWidth(r.cells[i]) == 0 {
				continue // a heading may be wider than its column
			}
			widths[i] = max(widths[i], r.cellWidth(i), textWidth(columns[i].name))
		}
	}
	p.narrow(columns, widths, rows)

	head := row{cells: make([]string, len(columns))}
	for i, c := range columns {
		head.cells[i] = c.name
	}
	p.row(columns, widths, head, -1)
	for n, r := range rows {
		p.row(columns, widths, r, n)
	}
}

// gap is the number of spaces between two columns.
const gap = 2

// narrow reduces the widths of columns until the table fits on the terminal. It takes one character
// at a time, from the column in which that cuts the fewest cells.
func (p *printer) narrow(columns []column, widths []int, rows []row) {
	if p.width == 0 {
		return
	}
	cellsOfWidth := make([]map[int]int, len(columns)) // the number of cells with a width
	for i := range columns {
		cellsOfWidth[i] = map[int]int{}
		for _, r := range rows {
			if !r.isHeading() {
				cellsOfWidth[i][r.cellWidth(i)]++
			}
		}
	}
	tableWidth := -gap
	for _, w := range widths {
		if w > 0 {
			tableWidth += w + gap
		}
	}

	cut := make([]int, len(columns)) // the number of cut cells
	cutIfNarrower := func(i int) int { return cut[i] + cellsOfWidth[i][widths[i]] }
	for ; tableWidth > p.width; tableWidth-- {
		best := -1
		for i, c := range columns {
			if c.minWidth == 0 || widths[i] <= c.minWidth {
				continue
			}
			if best < 0 || cutIfNarrower(i) < cutIfNarrower(best) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		cut[best] = cutIfNarrower(best)
		widths[best]--
	}
}

// row prints the nth row of a table; -1 is its head.
func (p *printer) row(columns []column, widths []int, r row, n int) {
	if r.isHeading() {
		text := r.cells[0]
		if p.width > 0 {
			text = middle(text, p.width-r.indent)
		}
		p.write(strings.Repeat(" ", r.indent) + p.paint(r.colour, text) + "\n")
		return
	}

	line := ""
	spaces := 0 // before the next text; a line has none at its end
	for i, c := range columns {
		if widths[i] == 0 {
			continue
		}
		text := r.cells[i]
		room := widths[i] - r.indentOf(i)
		if textWidth(text) > room && c.cut != nil {
			text = c.cut(text, max(room, 1))
		}
		padding := max(room-textWidth(text), 0)

		spaces += r.indentOf(i)
		if c.alignRight {
			spaces += padding
		}
		if text != "" {
			line += strings.Repeat(" ", spaces) + p.paint(colourOf(c, r, i, n, text), text)
			spaces = 0
		}
		if !c.alignRight {
			spaces += padding
		}
		spaces += gap
	}
	p.write(line + "\n")
}

// colourOf returns the colour of a cell.
func colourOf(c column, r row, i, n int, text string) string {
	switch {
	case n < 0:
		return dim
	case i == 0:
		return r.colour
	case r.colours[i] != "":
		return r.colours[i]
	case c.paint != nil:
		return c.paint(text, n)
	}
	return ""
}
