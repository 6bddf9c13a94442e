// Package setup says what a repository needs so that git, its tests and its CI treat cassettes
// well, and what of that is there: lines of .gitignore and .gitattributes, a TestMain for each
// package, and a step of CI. It writes nothing.
package setup

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
)

// The texts below are those that docs/CI.md and README.md show.
var (
	//go:embed texts/gitignore
	gitignore string
	//go:embed texts/gitattributes
	gitattributes string
	//go:embed texts/workflow.yml
	workflow string
	//go:embed texts/gitlab.yml
	gitlab string
	//go:embed texts/first_test.txt
	firstTest string
)

// An Advice is for the user to follow: a sentence, and lines to be written or run.
type Advice struct {
	Text  string
	Lines []string
}

// place returns FILE:LINE.
func place(file string, line int) string { return fmt.Sprintf("%s:%d", filepath.ToSlash(file), line) }

// A block is a comment of a file for git, and the lines that it is about.
type block struct {
	comment []string
	lines   []string
}

// blocksOf returns the blocks of a text. A comment begins a block.
func blocksOf(text string) (blocks []block) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		isComment := strings.HasPrefix(line, "#")
		isFirst := len(blocks) == 0
		if isFirst || isComment && len(blocks[len(blocks)-1].lines) > 0 {
			blocks = append(blocks, block{})
		}
		last := &blocks[len(blocks)-1]
		if isComment {
			last.comment = append(last.comment, line)
		} else {
			last.lines = append(last.lines, line)
		}
	}
	return blocks
}

// missing returns the blocks without the lines that are there already, and without comments that
// are about no other line.
func missing(blocks []block, isThere func(line string) bool) (lines []string) {
	for _, b := range blocks {
		var rest []string
		for _, line := range b.lines {
			if !isThere(line) {
				rest = append(rest, line)
			}
		}
		if len(rest) > 0 {
			lines = append(append(lines, b.comment...), rest...)
		}
	}
	return lines
}

// appendLines returns a text with more lines at its end. The lines end as those of the text do.
func appendLines(text string, lines []string) string {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	for _, line := range lines {
		text += line + end
	}
	return text
}

// linesOf returns the lines of a text, without white space around them.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
