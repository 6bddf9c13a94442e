package migrate

import (
	"fmt"
	"strings"
	"testing"
)

// context is how many equal lines a hunk has around what changes, as diff -u has them.
const context = 3

// unified returns the unified diff of two texts whose last lines end, as git apply reads it.
func unified(name, before, after string) string {
	lines := edits(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"))
	shown := make([]bool, len(lines))
	for i, line := range lines {
		if line[0] != ' ' {
			for j := max(0, i-context); j <= min(len(lines)-1, i+context); j++ {
				shown[j] = true
			}
		}
	}
	var diff, hunk strings.Builder
	fmt.Fprintf(&diff, "--- a/%s\n+++ b/%[1]s\n", name)
	place, size := [2]int{}, [2]int{} // in the text before and in the one after
	for i, line := range lines {
		if shown[i] {
			hunk.WriteString(line)
		}
		for side, other := range []byte{'+', '-'} {
			if line[0] != other {
				place[side]++
				if shown[i] {
					size[side]++
				}
			}
		}
		if shown[i] && (i == len(lines)-1 || !shown[i+1]) {
			fmt.Fprintf(&diff, "@@ -%d,%d +%d,%d @@\n%s", place[0]-size[0]+1, size[0], place[1]-size[1]+1, size[1], hunk.String())
			hunk.Reset()
			size = [2]int{}
		}
	}
	return diff.String()
}

// edits returns the lines of both texts, each behind " ", "-" or "+", with as many equal ones
// as there can be.
func edits(before, after []string) (lines []string) {
	common := make([][]int, len(before)+1) // how many lines the rests from i and j have in common
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(before) || j < len(after); {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			lines = append(lines, " "+before[i])
			i++
			j++
		case j == len(after) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "-"+before[i])
			i++
		default:
			lines = append(lines, "+"+after[j])
			j++
		}
	}
	if lines[len(lines)-1] == " " { // behind the last line end of both
		lines = lines[:len(lines)-1]
	}
	return lines
}

func TestUnified(t *testing.T) {
	const before, after = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\neight\n9\n"
	const want = `--- a/x
+++ b/x
@@ -1,3 +1,4 @@
+0
 1
 2
 3
@@ -5,5 +6,5 @@
 5
 6
 7
-8
+eight
 9
`
	if got := unified("x", before, after); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
