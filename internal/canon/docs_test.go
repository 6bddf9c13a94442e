package canon

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/ENDPOINTS.md")

// The tables of docs/ENDPOINTS.md (endpoints, headers, fields, defaults) are those of the code.
func TestDocumentedTables(t *testing.T) {
	t.Parallel()
	var endpoints, lists strings.Builder
	endpoints.WriteString("| endpoint | path ends in | streams at |\n|---|---|---|\n")
	lists.WriteString("| endpoint | bookkeeping: cannot change the answer | sampling: `MatchSampling()` compares it |\n|---|---|---|\n")
	listed := map[string]bool{}
	for _, f := range families() {
		if f.Paths[0] != "" {
			with := ""
			if len(f.Needs) > 0 {
				// "a b" stands for a and b. One entry is enough.
				with = ", with `" + strings.NewReplacer("` or `", "` or `", " ", "` and `").Replace(strings.Join(f.Needs, "` or `")) + "`"
			}
			if len(f.Only) > 0 {
				with = ", with no members but " + code(f.Only)
			}
			if f.Method != "" {
				with = ", by " + f.Method
			}
			if f.Handshake {
				with = ", as a WebSocket"
			}
			if f.Scheme == interaction.GRPCScheme {
				with += ", over gRPC"
			}
			if len(f.Hosts) > 0 {
				with += ", at " + code(f.Hosts)
			}
			fmt.Fprintf(&endpoints, "| `%s` | %s%s | %s |\n", f.Name, code(f.Paths), with, code(f.StreamPaths))
		}
		if !listed[f.Name] && len(f.Bookkeeping)+len(f.Sampling) > 0 {
			fmt.Fprintf(&lists, "| `%s` | %s | %s |\n", f.Name, code(f.Bookkeeping), code(f.Sampling))
			listed[f.Name] = true
		}
	}
	checkTable(t, "names", "- in the path, before the ending above: "+code(urls.Prefixes)+"\n- in the host: "+code(urls.ModelHosts)+"\n")
	checkTable(t, "endpoints", endpoints.String())
	checkTable(t, "lists", lists.String())
	checkTable(t, "defaults", documentedDefaults())

	var headers strings.Builder
	fmt.Fprintf(&headers, "- wherever they are sent: all whose names end in `-beta`, as the set of their values; `anthropic-beta` joined with the body's `anthropic_beta`; %s\n", code(chance.DeploymentHeaders))
	fmt.Fprintf(&headers, "- of unknown endpoints: %s, and `content-type` of a body that is not read into fields\n", code(chance.ContentHeaders))
	seen := map[string]bool{}
	for _, f := range families() {
		var list []string
		for _, h := range f.Headers {
			if !isBeta(h) {
				list = append(list, h)
			}
		}
		if len(list) > 0 && !seen[f.Name] {
			fmt.Fprintf(&headers, "- of `%s`, as sets of values: %s\n", f.Name, code(list))
		}
		seen[f.Name] = true
	}
	checkTable(t, "headers", headers.String())
}

// documentedDefaults returns the table of the defaults, each with its endpoints.
func documentedDefaults() string {
	var rows []Default
	endpoints := map[Default][]string{}
	for _, f := range families() {
		for _, d := range f.Defaults {
			if endpoints[d] == nil {
				rows = append(rows, d)
			}
			if !slices.Contains(endpoints[d], f.Name) {
				endpoints[d] = append(endpoints[d], f.Name)
			}
		}
	}

	var table strings.Builder
	table.WriteString("| endpoint | field | value | if | source |\n|---|---|---|---|---|\n")
	for _, d := range rows {
		when := ""
		if d.With != "" {
			when = "there are `" + d.With + "`"
		}
		if d.Without != "" {
			when = "there is no `" + d.Without + "`"
		}
		path := strings.ReplaceAll(d.Path, "type=image_url/", "")
		path = strings.ReplaceAll(path, "type=input_image/", "")
		fmt.Fprintf(&table, "| %s | `%s` | `%s` | %s | <%s> |\n", code(endpoints[d]), path, d.Value, when, d.Source)
	}
	return table.String()
}

func checkTable(t *testing.T, name, want string) {
	t.Helper()
	page := filepath.Join("..", "..", "docs", "ENDPOINTS.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), "<!-- table: "+name+" -->\n")
	old, tail, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table %s", page, name)
	}
	if want == old {
		return
	}
	if !*update {
		t.Errorf("%s is stale: run go test ./internal/canon -run TestDocumentedTables -update\nonly there:\n%sonly in the code:\n%s", page, linesWithout(old, want), linesWithout(want, old))
		return
	}
	if err := os.WriteFile(page, []byte(head+"<!-- table: "+name+" -->\n"+want+"<!-- end -->"+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// linesWithout returns the lines of a text that another text does not have.
func linesWithout(text, other string) (lines string) {
	for line := range strings.Lines(text) {
		if !strings.Contains("\n"+other, "\n"+line) {
			lines += line
		}
	}
	return lines
}

// word matches a placeholder of a pattern that stands for one word only.
var word = regexp.MustCompile(`\{\w+=(\w+)\}`)

func code(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return "`" + word.ReplaceAllString(strings.Join(names, "`, `"), "$1") + "`"
}
