package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The names of the cassettes that the list shows.
const shown = `[...document.querySelectorAll('.list tr[data-for]:not([hidden]) a')].map((a) => a.textContent).join(' ')`

// The keyboard alone finds, opens, folds and compares cassettes.
func TestKeyboard(t *testing.T) {
	p := open(t, serve(t, tree(t)), 1280, 900)

	p.press("/")
	p.until("document.activeElement.id === 'q'")
	p.press("PARIS snows")
	p.until("document.getElementById('found').textContent === '1 of 12 found'")
	if got := eval[string](p, shown); got != "TestTrip" {
		t.Errorf("found %q", got)
	}
	if got := eval[string](p, "document.querySelector('.hit').textContent"); !strings.Contains(got, "weather in Paris") {
		t.Errorf("the excerpt is %q", got)
	}

	// Into the list, and open what was found.
	p.press(kb.ArrowDown)
	p.until("document.activeElement.matches('.list a')")
	p.press(kb.Enter)
	p.until("document.querySelector('.screen:target h2')?.textContent.startsWith('TestTrip')")
	if !eval[bool](p, "getComputedStyle(document.getElementById('list')).display === 'none'") {
		t.Error("the list is shown beside what was opened")
	}
	if title := eval[string](p, "document.title"); !strings.HasPrefix(title, "TestTrip - ") || !strings.HasSuffix(title, " - promptecho") {
		t.Errorf("the title is %q", title)
	}
	if eval[int](p, "CSS.highlights.get('found').size") == 0 {
		t.Error("what was searched for is not marked")
	}

	// From call to call.
	for _, want := range []string{"1", "2", "3", "4"} {
		p.press("j")
		p.until("document.activeElement.id.endsWith('TestTrip.yaml/" + want + "')")
	}
	p.press("k")
	p.until("document.activeElement.id.endsWith('TestTrip.yaml/3')")

	// Unfold what is stored.
	p.focus(".screen:target .raw summary")
	p.press(kb.Enter)
	p.until("document.activeElement.parentElement.open && document.activeElement.nextElementSibling.textContent.startsWith('GET https://weather.example.com/paris')")
	p.press(kb.Enter)
	p.until("!document.activeElement.parentElement.open")

	// The next one, the one before, and back to where the list was.
	p.press("[")
	p.until("document.querySelector('.screen:target h2')?.textContent.startsWith('TestStream')")
	p.press("]")
	p.until("document.querySelector('.screen:target h2')?.textContent.startsWith('TestTrip')")
	p.press(kb.Escape)
	p.until("document.activeElement.matches('.list a') && document.activeElement.textContent === 'TestTrip'")
	p.press("/", kb.Escape)
	p.until("document.querySelectorAll('.list tr[hidden]').length === 0")

	// j and k go through the list, too.
	p.press(kb.Escape)
	p.do(chromedp.Blur("#q"))
	p.press("j", "j")
	p.until("document.activeElement.textContent.startsWith('TestCity/a_city')")
	p.press("k")
	p.until("document.activeElement.textContent === 'TestBroken'")

	// Keys that come before the page is told of what the last one opened.
	p.focus("#list a[href$='TestStream.yaml']")
	p.press(kb.Enter)
	p.until("document.querySelector('.screen:target h2')?.textContent.startsWith('TestStream')")
	eval[bool](p, `[']', 'Escape', 'Escape'].every((key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })) || true)`)
	p.until("document.activeElement.matches('.list a') && document.activeElement.textContent === 'TestTrip'")
}

// Changes since the last commit or run are marked word by word, and any two cassettes can be
// compared.
func TestCompare(t *testing.T) {
	dir := tree(t)
	p := open(t, serve(t, dir), 1280, 900)
	p.focus(`.changed a[href$="TestTrip.yaml~2"]`)
	p.press(kb.Enter)
	p.until("document.querySelector('.comparison:target h2')?.textContent === 'TestTrip.yaml since HEAD'")
	marks := `[...document.querySelectorAll(':target mark')].map((m) => m.closest('td').className + ':' + m.textContent).join('|')`
	if got := eval[string](p, marks); got != "new: and kind|old:rains|new:snows" {
		t.Errorf("marked: %q", got)
	}
	p.press("j")
	p.until("document.activeElement.matches('.comparison .call')")
	p.focus(":target a[aria-label='Call #4 as a whole']")
	p.press(kb.Enter)
	p.until("document.activeElement.id === 'bot/testdata/cassettes/TestTrip.yaml/4'")
	p.press(kb.Escape)
	p.until("document.getElementById('list').offsetParent !== null")

	// Any two.
	p.do(chromedp.Focus("#list details:not(.changed) > summary"))
	p.press(kb.Enter)
	p.focus("input[name=old]")
	p.press("plan/testdata/cassettes/TestTrip.yaml")
	p.focus("input[name=new]")
	p.press("bot/testdata/cassettes/TestTrip.yaml")
	p.focus(".compare button")
	if _, err := chromedp.RunResponse(p.ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	p.until("document.querySelector('#compared:target')?.offsetParent !== null")
	if got := eval[string](p, "document.querySelector('#compared .path').textContent"); got != "plan/testdata/cassettes/TestTrip.yaml → bot/testdata/cassettes/TestTrip.yaml" {
		t.Errorf("compared: %q", got)
	}
	if n := eval[int](p, "document.querySelectorAll('#compared article').length"); n == 0 {
		t.Error("nothing differs")
	}
}

// A reload shows what has been recorded meanwhile.
func TestReload(t *testing.T) {
	dir := tree(t)
	p := open(t, serve(t, dir), 1280, 900)
	if err := os.Remove(filepath.Join(dir, "bot", "testdata", "cassettes", "TestLong.yaml")); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Reload())
	if got := eval[string](p, shown); strings.Contains(got, "TestLong") || !strings.Contains(got, "TestTrip") {
		t.Errorf("after the reload: %q", got)
	}
}
