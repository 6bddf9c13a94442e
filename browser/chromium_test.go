// Package browser looks at the page of promptecho view as a user does: in Chromium, with the
// keyboard, at the widths of a desk and of a hand.
package browser

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	command  string          // the built promptecho
	chromium context.Context // the running browser
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run builds the command, starts the browser and runs the tests.
func run(m *testing.M) int {
	tmp, err := os.MkdirTemp("", "promptecho-browser-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(tmp)
	command = filepath.Join(tmp, "promptecho")
	build := exec.Command("go", "build", "-o", command, "./cmd/promptecho")
	build.Dir = ".." // the module that requires what the command needs
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		panic("the tests need Chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.UserDataDir(filepath.Join(tmp, "profile")))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	var stop context.CancelFunc
	chromium, stop = chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(chromium); err != nil {
		panic(fmt.Sprintf("Chromium does not start: %v", err))
	}
	return m.Run()
}

// promptecho runs the command in a folder and returns what it prints.
func promptecho(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("promptecho %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// serve runs promptecho view in a folder until the test ends, and returns its address. An
// interrupt must end it with status 0.
func serve(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, append([]string{"view"}, args...)...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("promptecho view after an interrupt: %v\n%s", err, stderr.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("promptecho view prints no address: %v\n%s", err, stderr.String())
	}
	return strings.TrimSpace(line)
}

// A tab is one page in the browser. Its test fails if the page asks anybody but this
// machine for anything, or reports an error.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func open(t *testing.T, address string, width, height int64) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium)
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	var lock sync.Mutex
	var wrong []string
	err := chromedp.Listen(ctx, func(event any) {
		lock.Lock()
		defer lock.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			u, err := url.Parse(e.Request.URL)
			if err != nil || u.Scheme != "data" && u.Scheme != "file" && u.Hostname() != "127.0.0.1" {
				wrong = append(wrong, "a request left the machine: "+e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, "exception: "+e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			wrong = append(wrong, fmt.Sprintf("console: %v", e.Args))
		case *page.EventJavascriptDialogOpening:
			wrong = append(wrong, "dialog: "+e.Message)
		case *cdplog.EventEntryAdded:
			wrong = append(wrong, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{t, ctx}
	t.Cleanup(func() {
		lock.Lock()
		defer lock.Unlock()
		for _, w := range wrong {
			t.Error(w)
		}
		stop()
		cancel()
	})
	call(p, network.Enable, network.EnableParams{})
	call(p, cdplog.Enable, cdp.Empty{})
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	p.do(chromedp.Navigate(address))
	return p
}

// call sends the browser a command.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	result, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// eval returns what an expression of JavaScript is.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits until an expression is true.
func (p *tab) until(expression string) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(30*time.Second))); err != nil {
		p.t.Fatalf("waiting for %s: %v; the focus is on %q, the address %q", expression, err, eval[string](p, "document.activeElement.outerHTML.slice(0, 200)"), eval[string](p, "location.hash"))
	}
}

// press types texts and keys. Where the page takes a key for itself, nothing is typed: a
// letter comes with its key, as from a keyboard.
func (p *tab) press(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		for _, r := range text {
			if k := kb.Keys[r]; k == nil || !k.Print || r < ' ' {
				p.do(chromedp.KeyEvent(string(r)))
				continue
			}
			call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r)})
			call(p, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: string(r)})
		}
	}
}

// focus presses Tab until an element that the selector knows has the focus.
func (p *tab) focus(selector string) {
	p.t.Helper()
	const most = 60
	for range most {
		p.press(kb.Tab)
		if eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
	}
	p.t.Fatalf("Tab does not reach %s", selector)
}
