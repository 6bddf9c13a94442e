package canon

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/MATCHING.md")

// The lists of docs/MATCHING.md are those of the table.
func TestDocumentedLists(t *testing.T) {
	t.Parallel()
	page := filepath.Join("..", "..", "docs", "MATCHING.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), "<!-- table: lists -->\n")
	old, tail, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	var b strings.Builder
	b.WriteString("| endpoint | bookkeeping: cannot change the answer | sampling: `Strict()` makes it match |\n|---|---|---|\n")
	for _, f := range families {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, code(f.Bookkeeping), code(f.Sampling))
	}
	if b.String() == old {
		return
	}
	if !*update {
		t.Fatalf("%s is stale: run go test ./internal/canon -run TestDocumentedLists -update\nhave:\n%swant:\n%s", page, old, b.String())
	}
	if err := os.WriteFile(page, []byte(head+"<!-- table: lists -->\n"+b.String()+"<!-- end -->"+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

func code(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
