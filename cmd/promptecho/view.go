package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"

	"github.com/promptecho/promptecho/internal/nethttp/loopback"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/redact"
)

const viewHelp = `view [-git REF] [-mutate FILE] [-print] [-o FILE] [PATH ...]
look at cassettes in a browser: a list, conversations, streams

It serves one page on this machine's loopback interface, prints its address,
and opens it in the browser if it runs on a terminal. A reload reads the files
again, and ^C ends it. The page fetches nothing, and nothing leaves the machine.
While it is served, anyone with an account on the machine can read it.

It shows what changed since a git revision, between a cassette and the files
next to it (NAME.derived.yaml, NAME.yaml.failed), and between two cassettes that
are named here or chosen on the page.

  -git REF      compare with this revision; the default is HEAD, if there is one
  -mutate FILE  show what tests do not notice of an answer: the output of
                promptecho mutate -json
  -print        print the address and open no browser
  -o FILE       write the page to a file, say for a review, and exit; - is
                standard output
`

// runView serves a page of cassettes, or writes it.
func runView(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("view", flag.ContinueOnError)
	ref := flags.String("git", "", "")
	output := flags.String("o", "", "")
	mutations := flags.String("mutate", "", "")
	printOnly := flags.Bool("print", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	v := &viewer{paths: paths, ref: *ref}
	if *mutations != "" {
		v.notes, err = readMutateNotes(*mutations)
		if err != nil {
			return err
		}
	}
	if *output != "" {
		return v.write(*output, stdout, stderr)
	}
	// Make the page once before a browser opens, so that an error is printed here.
	if _, err := v.page("", "", newProgress(stderr)); err != nil {
		return err
	}
	listener, err := loopback.Listen()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	server := &http.Server{Handler: v, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	address := "http://" + listener.Addr().String() + "/"
	fmt.Fprintln(stdout, address)
	if widthOf(stdout) > 0 && !*printOnly {
		if err := openBrowser(address); err != nil {
			complain(stderr, "view", fmt.Sprintf("no browser could be opened (%v): open the address yourself", err))
		}
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// openBrowser opens an address in the browser that the user prefers.
func openBrowser(address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // releases the process; the browser may run for long
	return nil
}

// write writes the page to a file.
func (v *viewer) write(file string, stdout, stderr io.Writer) error {
	progress := newProgress(stderr)
	p, err := v.page("", "", progress)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	if file == "-" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	existing, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(existing) > 0 && !bytes.HasPrefix(existing, []byte("<!doctype html>")) {
		return fmt.Errorf("%s exists and is not a page: give -o another name, or delete it", file)
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// ServeHTTP answers with the page. It refuses requests to other host names than those of this
// machine: a web page elsewhere may have a name that its owner resolves to this machine (DNS
// rebinding).
func (v *viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !urls.IsLoopback(r.Host): // the port does not count: ssh may forward another one
		http.Error(w, "this is only for this machine: use the address that promptecho view printed",
			http.StatusForbidden)
		return
	case r.URL.Path != "/":
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page is read-only", http.StatusMethodNotAllowed)
		return
	}
	p, err := v.page(r.FormValue("old"), r.FormValue("new"), newProgress(io.Discard))
	if err != nil {
		http.Error(w, redact.Visible(err.Error()), http.StatusInternalServerError)
		return
	}
	p.Served = true
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		http.Error(w, redact.Visible(err.Error()), http.StatusInternalServerError)
		return
	}
	for name, value := range map[string]string{
		"Content-Type":                 "text/html; charset=utf-8",
		"Content-Security-Policy":      p.Policy() + "; frame-ancestors 'none'",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
	} {
		w.Header().Set(name, value)
	}
	w.Write(b.Bytes())
}
