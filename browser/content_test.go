package browser

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The contents of a cassette are shown as text, and run no script. A request, a dialog or an
// error fails the test as well.
func TestHostile(t *testing.T) {
	dir := tree(t)
	promptecho(t, dir, "view", "-o", "page.html")
	for name, address := range map[string]string{"served": serve(t, dir), "written": "file://" + filepath.Join(dir, "page.html")} {
		t.Run(name, func(t *testing.T) {
			p := open(t, address+"#bot/testdata/cassettes/TestHostile.yaml/1", 1280, 900)
			p.until("document.getElementById('bot/testdata/cassettes/TestHostile.yaml/1')?.matches(':target')")
			if n := eval[int](p, "document.querySelectorAll('img, iframe, object, base, link:not([href=\"data:,\"]), meta[http-equiv=refresh], [onerror], [onmouseover], main script, main style, main b:not(.unseen), main i').length"); n > 0 {
				t.Errorf("%d elements come from a cassette", n)
			}
			if n := eval[int](p, "document.scripts.length"); n != 1 {
				t.Errorf("%d scripts", n)
			}
			text := eval[string](p, "document.querySelector('article:target').innerText")
			for _, want := range []string{"</script><img src=x onerror=\"document.title='owned'\">", `escape \x1b]0;gotcha\x07 turn \u202egnp.exe and {{.}} ${x}`,
				"<link rel=stylesheet href=https://evil.example/s>", "<b>bold</b>(<i>)", "</style><script>alert(3)</script>"} {
				if !strings.Contains(strings.ReplaceAll(text, "\n", ""), want) {
					t.Errorf("the page does not show %q:\n%s", want, text)
				}
			}
			if title := eval[string](p, "document.title"); !strings.HasPrefix(title, "TestHostile - ") {
				t.Errorf("the title is %q", title)
			}
			// It can be searched for, too.
			p.press("/", "<script>alert(5)")
			p.until("document.getElementById('found').textContent === '1 of 12 found'")
		})
	}
}

// Each event of a stream has a tick at the time of its arrival.
func TestPlot(t *testing.T) {
	p := open(t, serve(t, tree(t))+"#bot/testdata/cassettes/TestTrip.yaml/4", 1280, 900)
	p.until("document.querySelector(':target .ticks') !== null")
	// 200 ms until the headers, then 30, 20, 10 and 0 ms: of 260 ms in all.
	var x [4]float64
	path := eval[string](p, "document.querySelector(':target .ticks').getAttribute('d')")
	if n, err := fmt.Sscanf(strings.NewReplacer("M", " ", "v1", " ", " 0", "").Replace(path), "%f %f %f %f", &x[0], &x[1], &x[2], &x[3]); err != nil {
		t.Fatalf("%d ticks in %q: %v", n, path, err)
	}
	for i, ms := range []float64{230, 250, 260, 260} {
		if math.Abs(x[i]/1000-ms/260) > 0.001 {
			t.Errorf("event %d is drawn at %.1f of 1000, it came after %.0f of 260 ms", i+1, x[i], ms)
		}
	}
	if got := eval[string](p, "document.querySelector(':target .arrivals').getAttribute('aria-label')"); got != "202 bytes in 4 events, the first after 230 ms, the last after 260 ms" {
		t.Errorf("in words: %q", got)
	}
	eval[string](p, "location.hash = 'bot/testdata/cassettes/TestStream.yaml'")
	p.until("document.querySelector(':target .ticks') !== null")
	if n := eval[int](p, "document.querySelector(':target .ticks').getAttribute('d').split('M').length - 1"); n != streamEvents {
		t.Errorf("%d ticks for %d events", n, streamEvents)
	}
}

// The list and the conversations can be read without JavaScript.
func TestWithoutScript(t *testing.T) {
	dir := tree(t)
	address := serve(t, dir)
	p := open(t, "about:blank", 390, 900)
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.do(chromedp.Navigate(address), chromedp.WaitVisible("#list .list"), chromedp.WaitNotVisible("#find"),
		chromedp.Click(`.list tr[data-for="bot/testdata/cassettes/TestTrip.yaml"] a`), chromedp.WaitVisible(`article[id="bot/testdata/cassettes/TestTrip.yaml/4"] .plot`), chromedp.WaitNotVisible("#list"))
}
